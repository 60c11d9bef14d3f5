// Door of the scenario room: the language for session and order cases, read, printed, and played by a machine.

export { FieldNames } from './field-names.ts';
export { type LinkedCase, type LinkedStep, type LinkOptions, linkCase } from './link.ts';
export {
  type Expectation,
  type ExpectedField,
  type ExpectedMessage,
  type Fragment,
  type Place,
  problemLine,
  type Reference,
  type Role,
  type Scenario,
  type ScenarioCase,
  type ScenarioProblem,
  type SentField,
  type Step,
  type StepAction,
  type Template,
} from './model.ts';
export type { HostOutcome, OutgoingMessage, RunEffect, RunInput, StepOutcome, StepVerdict } from './run/effects.ts';
export type { FieldDifference } from './run/match.ts';
export { type ReceivedMessage, receivedMessage } from './run/received.ts';
export { type RunOptions, ScenarioRun } from './run/scenario-run.ts';
export { type ScriptedIdentity, ScriptedSession, SESSION_VARIABLES } from './run/scripted-session.ts';
export { type ComparedField, compareFields, sideBySide } from './side-by-side.ts';
export { type ParsedScenario, type ParseOptions, parseScenario } from './text/parse-scenario.ts';
export { printScenario } from './text/print-scenario.ts';
export { parseQuickfixDef, type QuickfixScript } from './text/quickfix-def.ts';
export type { Verb } from './text/verbs.ts';
