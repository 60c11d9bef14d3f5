// Makes a case ready to run: fragments of the run's role called, arguments filled in, every variable known.

import { didYouMean } from '../base/did-you-mean.ts';
import type {
  ExpectedMessage,
  Fragment,
  Place,
  Role,
  Scenario,
  ScenarioCase,
  ScenarioProblem,
  Step,
  StepAction,
  Template,
} from './model.ts';
import { substitute } from './text/template.ts';
import type { Verb } from './text/verbs.ts';

/** A step of a run: never a call. */
export interface LinkedStep extends Step {
  /** The calls that brought it here, the outermost first. */
  readonly calls: readonly Place[];
}

/** A case without calls. */
export interface LinkedCase extends Omit<ScenarioCase, 'steps'> {
  readonly steps: readonly LinkedStep[];
  readonly variables: ReadonlyMap<string, Template>;
}

export interface LinkOptions {
  readonly role: Role;
  /** Variables that the host gives beside `now`, `today` and `case`. */
  readonly hostVariables: Iterable<string>;
  readonly verbs?: Iterable<Verb>;
}

const CALL_DEPTH_MAX = 16;
const STEPS_MAX = 10_000;
const RUN_VARIABLES = ['now', 'today', 'case'];

/** Link one case. @returns the case, and faults with their places; it must not run if there are any */
export function linkCase(
  scenario: Scenario,
  one: ScenarioCase,
  options: LinkOptions,
): { readonly linked: LinkedCase; readonly problems: readonly ScenarioProblem[] } {
  const linker = new Linker(scenario, options);
  linker.expand(one.steps, [], new Map());
  linker.checkVariables();
  return { linked: { ...one, steps: linker.steps, variables: scenario.variables }, problems: linker.problems };
}

class Linker {
  readonly steps: LinkedStep[] = [];
  readonly problems: ScenarioProblem[] = [];
  private readonly scenario: Scenario;
  private readonly options: LinkOptions;
  private readonly verbs: ReadonlyMap<string, Verb>;

  constructor(scenario: Scenario, options: LinkOptions) {
    this.scenario = scenario;
    this.options = options;
    this.verbs = new Map([...(options.verbs ?? [])].map((verb) => [verb.name, verb]));
  }

  expand(steps: readonly Step[], calls: readonly Place[], values: ReadonlyMap<string, Template>): void {
    for (const step of steps) {
      const { action } = step;
      if (this.steps.length >= STEPS_MAX) {
        this.complain(step, `the case has more than ${STEPS_MAX} steps. Split it.`);
        return;
      }
      if (action.kind === 'call') this.call(step, action, calls, values);
      else this.steps.push({ ...step, action: filledIn(action, values), calls });
    }
  }

  private call(
    step: Step,
    action: StepAction & { kind: 'call' },
    calls: readonly Place[],
    outer: ReadonlyMap<string, Template>,
  ): void {
    const fragment = this.fragment(action.fragment);
    if (fragment === null) {
      this.noFragment(step, action.fragment);
      return;
    }
    if (calls.length >= CALL_DEPTH_MAX) {
      this.complain(step, `fragments call each other more than ${CALL_DEPTH_MAX} deep. Remove the circle.`);
      return;
    }
    const values = new Map<string, Template>();
    for (const [name, preset] of fragment.parameters) {
      const given = action.arguments.get(name);
      if (given === undefined && preset === null) {
        this.complain(
          step,
          `fragment ${fragment.name} needs a value for ${name}. Write call ${fragment.name} | ${name}=VALUE.`,
        );
      }
      values.set(name, given === undefined ? (preset ?? []) : substitute(given, outer));
    }
    for (const name of action.arguments.keys()) {
      if (fragment.parameters.has(name)) continue;
      const known = [...fragment.parameters.keys()];
      const advice = known.length === 0 ? 'It takes none' : `It takes ${known.join(', ')}`;
      this.complain(step, `fragment ${fragment.name} has no parameter ${name}. ${advice}.`);
    }
    this.expand(fragment.steps, [...calls, step.place], values);
  }

  private fragment(name: string): Fragment | null {
    const { role } = this.options;
    return this.scenario.fragments.find((one) => one.name === name && (one.role ?? role) === role) ?? null;
  }

  private noFragment(step: Step, name: string): void {
    const known = this.scenario.fragments.map((one) => one.name);
    const meant = didYouMean(name, known);
    if (known.includes(name)) {
      this.complain(
        step,
        `fragment ${name} has no form for the role ${this.options.role}. Write one, or give the case its role.`,
      );
    } else
      this.complain(
        step,
        `there is no fragment ${name}. ${meant === null ? 'Write or include it.' : `Did you mean ${meant}?`}`,
      );
  }

  /** Each reference names a variable that is set before. */
  checkVariables(): void {
    const known = new Set([...RUN_VARIABLES, ...this.options.hostVariables, ...this.scenario.variables.keys()]);
    const reported = new Set<string>();
    for (const step of this.steps) {
      for (const template of templatesOf(step.action)) {
        for (const part of template) {
          if (typeof part === 'string' || known.has(part.name) || reported.has(part.name)) continue;
          reported.add(part.name);
          const meant = didYouMean(part.name, [...known]);
          const advice =
            meant === null ? 'Set it before with let, or keep a value with “as NAME”.' : `Did you mean {${meant}}?`;
          this.complain(step, `{${part.name}} has no value here. ${advice}`);
        }
      }
      for (const name of this.setBy(step.action)) known.add(name);
    }
  }

  private setBy(action: StepAction): readonly string[] {
    if (action.kind === 'let') return [action.name];
    if (action.kind === 'expect')
      return action.messages.flatMap(({ fields }) => fields.flatMap(({ capture }) => capture ?? []));
    if (action.kind === 'verb') {
      const argument = action.argument.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('');
      return this.verbs.get(action.verb)?.captures?.(argument) ?? [];
    }
    return [];
  }

  private complain({ place }: Step, text: string): void {
    this.problems.push({ place, text });
  }
}

/** An action with parameters replaced by arguments. */
function filledIn(action: StepAction, values: ReadonlyMap<string, Template>): StepAction {
  if (values.size === 0) return action;
  const fill = (template: Template): Template => substitute(template, values);
  const within = (template: Template | null): Template | null => (template === null ? null : fill(template));
  switch (action.kind) {
    case 'send': {
      const fields = action.fields.map(({ tag, value }) => ({ tag, value: within(value) }));
      return { ...action, fields };
    }
    case 'sendRaw':
    case 'say':
      return { ...action, text: fill(action.text) };
    case 'expect': {
      const messages = action.messages.map((message) => messageWith(message, fill));
      return { ...action, messages, within: within(action.within) };
    }
    case 'ignore':
      return { ...action, message: messageWith(action.message, fill) };
    case 'expectNothing':
    case 'wait':
      return { ...action, duration: fill(action.duration) };
    case 'expectClosed':
    case 'connect':
      return { ...action, within: within(action.within) };
    case 'set':
    case 'let':
      return { ...action, value: fill(action.value) };
    case 'verb':
      return { ...action, argument: fill(action.argument) };
    case 'call':
    case 'disconnect':
      return action;
  }
}

function messageWith(message: ExpectedMessage, fill: (template: Template) => Template): ExpectedMessage {
  const fields = message.fields.map((field) => {
    const { expectation } = field;
    return expectation.kind === 'equals'
      ? { ...field, expectation: { kind: 'equals', value: fill(expectation.value) } as const }
      : field;
  });
  return { ...message, fields };
}

/** Every template of an action. */
function templatesOf(action: StepAction): Template[] {
  const ofMessage = ({ fields }: ExpectedMessage): Template[] =>
    fields.flatMap(({ expectation }) => (expectation.kind === 'equals' ? [expectation.value] : []));
  switch (action.kind) {
    case 'send':
      return action.fields.flatMap(({ value }) => (value === null ? [] : [value]));
    case 'sendRaw':
    case 'say':
      return [action.text];
    case 'expect':
      return [...action.messages.flatMap(ofMessage), ...(action.within === null ? [] : [action.within])];
    case 'ignore':
      return ofMessage(action.message);
    case 'expectNothing':
    case 'wait':
      return [action.duration];
    case 'expectClosed':
    case 'connect':
      return action.within === null ? [] : [action.within];
    case 'set':
    case 'let':
      return [action.value];
    case 'verb':
      return [action.argument];
    case 'call':
    case 'disconnect':
      return [];
  }
}
