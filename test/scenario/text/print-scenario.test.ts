// Printing: the text reads back to the same scenario, whatever its values hold.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseScenario, printScenario, type Scenario, type Step, type StepAction } from '../../../src/scenario/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { NAMES, parsed } from '../scenario-language.ts';

const STEPS = `  connect within 2s
  on two connect
  send NewOrderSingle | ClOrdID={run}-1 | !SendingTime | Text=" a | \\"b\\" " | 9999=x
  send raw 8=FIX.4.4|35=0|
  expect within {wait}s exactly ExecutionReport | OrderID=* as order | ExecID=/a\\/(b|c)/ as id | Text?=x | !LastPx
  expect * | TestReqID="*" as x
  await any order
    Heartbeat
    exactly TestRequest | TestReqID={next+2}
  expect nothing for 500ms
  await closed within 3s
  wait 1.5s
  disconnect
  set next 7
  let a={now-30s}
  ignore ExecutionReport | ExecType=A
  say two words {{ and }}
  rule "RoE 1"
  hint "say \\"it\\""
  call order | id=a | qty={next}`;

/** Without places and source texts, which printing changes. */
function content({ name, title, variables, fragments, cases }: Scenario): unknown {
  const bare = (steps: readonly Step[]) =>
    steps.map(({ action, connection, rule, hint }) => ({ action, connection, rule, hint }));
  return {
    name,
    title,
    variables,
    fragments: fragments.map(({ place: _, steps, ...one }) => ({ ...one, steps: bare(steps) })),
    cases: cases.map(({ place: _, steps, ...one }) => ({ ...one, steps: bare(steps) })),
  };
}

test('a scenario with every kind of step reads back to the same', () => {
  const scenario = parsed(
    `suite all "Every step"\nlet wait=2\nfragment order | id | qty=1\n  role initiator\n  send D | ClOrdID={id}\n` +
      `case c "Every step"\n  rule "RoE"\n  optional\n  versions FIX.4.4\n  role initiator\n  tags a b\n  timeout 3s\n  strict\n${STEPS}`,
  );
  expect(content(parsed(printScenario(scenario, NAMES)))).toEqual(content(scenario));
});

test('values of any text read back to the same', () => {
  // A value in a text of lines holds no line ends, and FIX has no control characters outside data.
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 20,
  });
  checkProperty(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const templates = values.map((text) => (text === '' ? [] : [text]));
      const send: StepAction = {
        kind: 'send',
        fields: [{ tag: 35, value: ['D'] }, ...templates.map((one) => ({ tag: 58, value: one }))],
      };
      const fields = templates.map((one) => ({
        tag: 58,
        optional: false,
        expectation: { kind: 'equals', value: one } as const,
        capture: null,
      }));
      const expected: StepAction = {
        kind: 'expect',
        messages: [
          {
            fields: [{ ...fields[0]!, tag: 35, expectation: { kind: 'equals', value: ['8'] } }, ...fields],
            exact: false,
          },
        ],
        passesOver: false,
        within: null,
      };
      const place = { file: '', line: 1, column: 1 };
      const steps = [send, expected].map((action) => ({
        action,
        connection: '',
        place,
        text: '',
        rule: null,
        hint: null,
      }));
      const template = parsed('case c\n  connect');
      const scenario = { ...template, cases: [{ ...template.cases[0]!, steps }] };
      const { scenario: back, problems } = parseScenario(printScenario(scenario, NAMES), 'f', { names: NAMES });
      expect(problems).toEqual([]);
      expect(back.cases[0]!.steps.map(({ action }) => action)).toEqual([send, expected]);
    }),
  );
});
