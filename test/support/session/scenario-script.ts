// Session test cases in the language of src/scenario, for the runners of fix-scenario.ts: a case becomes a script, which runs on
// the pure machine and over TCP in every version, and compares whole messages.

import { readFileSync } from 'node:fs';
import {
  FieldNames,
  type LinkedStep,
  linkCase,
  parseScenario,
  problemLine,
  type Template,
} from '../../../src/scenario/mod.ts';
import { dictionary } from '../dictionary.ts';
import { type BeginString, testInEveryVersion } from './every-version.ts';
import type { MachineOptions } from './session-machine.ts';

/** Steps that a session's own tests have: their arguments are those of fix-scenario.ts. */
const VERBS = ['delivered', 'numbers', 'app'].map((name) => ({ name, timeoutMs: null, fault: () => null }));

/** Register the cases of a file in every version that they apply to; `optionsOf` gives the session for the tags of a case. */
export function testScenarioFile(file: URL, optionsOf: (tags: readonly string[]) => MachineOptions): void {
  const names = new FieldNames([dictionary('FIX44.xml')]);
  const { scenario, problems } = parseScenario(readFileSync(file, 'utf8'), file.pathname, { names, verbs: VERBS });
  const faults = [...problems];
  for (const one of scenario.cases) {
    const result = linkCase(scenario, one, { role: 'initiator', hostVariables: [], verbs: VERBS });
    faults.push(...result.problems);
    const { id, title, tags, versions } = one;
    const script = scriptOf(result.linked.steps);
    const from = (versions?.[0] ?? 'FIX.4.0') as BeginString;
    testInEveryVersion(`${id} ${title}`, (run) => void run(script, optionsOf(tags)), from);
  }
  if (faults.length > 0) throw new Error(faults.map(problemLine).join('\n'));
}

/** The steps of a case, one a line, with the numbers that the language leaves to its host. */
export function scriptOf(steps: readonly LinkedStep[]): string {
  const numbers = { '>': 1, '<': 1 };
  const message = (way: '>' | '<', fields: readonly { tag: number; value: string | null }[]): string => {
    const texts = fields.flatMap(({ tag, value }) => (value === null ? [] : [`${tag}=${value}|`]));
    return `${way} ${texts[0]}34=${numbers[way]++}|${texts.slice(1).join('')}`;
  };
  const raw = (text: string): string => {
    numbers['>'] = Number(/\|34=(\d+)\|/.exec(text)?.[1] ?? numbers['>'] - 1) + 1;
    return `>> ${text}`;
  };
  return steps
    .map(({ action, text }) => {
      switch (action.kind) {
        case 'connect':
          return 'connect';
        case 'send':
          return message(
            '>',
            action.fields.map(({ tag, value }) => ({ tag, value: value === null ? null : textOf(value) })),
          );
        case 'sendRaw':
          return raw(textOf(action.text)!.replaceAll('\u0001', '|'));
        case 'expect':
          return message(
            '<',
            action.messages[0]!.fields.map(({ tag, expectation }) => {
              if (expectation.kind !== 'equals') throw new Error(`these runners compare whole messages: ${text}`);
              return { tag, value: textOf(expectation.value) };
            }),
          );
        case 'verb':
          return `${action.verb} ${textOf(action.argument)}`;
        default:
          throw new Error(`no step of these runners: ${text}`);
      }
    })
    .join('\n');
}

/** A value with the time of the start for `{now}`; null if it is nothing but an empty argument. */
function textOf(value: Template): string | null {
  const text = value
    .map((part) => (typeof part === 'string' ? part : part.name === 'now' ? '{0}' : `{${part.name}}`))
    .join('');
  return text === '' && value.length > 0 ? null : text;
}
