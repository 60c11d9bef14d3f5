// The text of a scenario: what it says, and where its faults are.

import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../src/scenario/mod.ts';
import { faultsOf, NAMES, parsed } from '../scenario-language.ts';

test('reads names and tags of fields alike', () => {
  const [byName, byTag] = parsed(
    'case a\n  send NewOrderSingle | ClOrdID=x | Symbol=BTCUSDC\ncase b\n  send 35=D|11=x|55=BTCUSDC|',
  ).cases;
  expect(byName!.steps[0]!.action).toEqual(byTag!.steps[0]!.action);
});

test('joins lines that begin with a separator, and leaves comments out', () => {
  const [one] = parsed(
    '# head\ncase a\n  send D | ClOrdID=x\n     # between\n     | Symbol=BTCUSDC\n\n  wait 1s',
  ).cases;
  expect(one!.steps.map(({ text }) => text)).toEqual(['send D | ClOrdID=x| Symbol=BTCUSDC', 'wait 1s']);
});

test('reads wildcards, patterns, captures, optional and absent fields', () => {
  const text = 'expect 8|OrderID=* as order|ExecID=/a|b\\/(\\d+)/ as id|Text?="x | y"|!LastPx|Account?=*';
  const { action } = parsed(`case a\n  ${text}`).cases[0]!.steps[0]!;
  expect(action).toEqual({
    kind: 'expect',
    passesOver: false,
    within: null,
    messages: [
      {
        exact: false,
        fields: [
          { tag: 35, optional: false, expectation: { kind: 'equals', value: ['8'] }, capture: null },
          { tag: 37, optional: false, expectation: { kind: 'any' }, capture: 'order' },
          { tag: 17, optional: false, expectation: { kind: 'pattern', source: 'a|b/(\\d+)' }, capture: 'id' },
          { tag: 58, optional: true, expectation: { kind: 'equals', value: ['x | y'] }, capture: null },
          { tag: 31, optional: false, expectation: { kind: 'absent' }, capture: null },
          { tag: 1, optional: true, expectation: { kind: 'any' }, capture: null },
        ],
      },
    ],
  });
});

test('reads the attributes of a case, and the rule and hint of a step', () => {
  const [one] = parsed(
    'versions FIX.4.4\ncase 4b "Answers"\n  rule "RoE 3.2"\n  optional\n  role acceptor\n  tags session slow\n  strict\n  timeout 3s\n' +
      '  connect\n  rule "RoE 3.3"\n  hint "Echo TestReqID(112)"',
  ).cases;
  expect(one).toMatchObject({
    id: '4b',
    title: 'Answers',
    rule: 'RoE 3.2',
    mandatory: false,
    versions: ['FIX.4.4'],
    role: 'acceptor',
    tags: ['session', 'slow'],
    strict: true,
    timeout: ['3s'],
  });
  expect(one!.steps[0]).toMatchObject({ rule: 'RoE 3.3', hint: 'Echo TestReqID(112)' });
});

test('includes a file: its fragments and variables, which the outer file overrides', () => {
  const files: Record<string, string> = { 'base.scenario': 'let symbol=ETHUSDC\nfragment logon\n  connect' };
  const { scenario, problems } = parseScenario(
    'let symbol=BTCUSDC\ninclude "base.scenario"\ncase a\n  call logon',
    'top.scenario',
    { names: NAMES, include: (name) => ({ file: name, text: files[name]! }) },
  );
  expect(problems).toEqual([]);
  expect(scenario.variables.get('symbol')).toEqual(['BTCUSDC']);
  expect(scenario.fragments.map(({ name }) => name)).toEqual(['logon']);
});

test('reads a file once that two files include, or that includes itself', () => {
  const files: Record<string, string> = { base: 'include "a"\nfragment logon\n  connect', orders: 'include "base"' };
  const include = (name: string) => ({ file: name, text: files[name]! });
  const text = 'include "base"\ninclude "orders"\ncase one\n  call logon';
  const { scenario, problems } = parseScenario(text, 'a', { names: NAMES, include });
  expect(problems).toEqual([]);
  expect(scenario.fragments.map(({ name }) => name)).toEqual(['logon']);
  expect(scenario.cases.map(({ id }) => id)).toEqual(['one']);
});

test('refuses files that include each other too deep', () => {
  const include = (name: string) => ({ file: name, text: `include "${name}b"` });
  const { problems } = parseScenario('include "a"', 'main', { names: NAMES, include });
  expect(problems.map(({ text }) => text)).toEqual([
    'files include each other more than 8 deep. Put their fragments into fewer files.',
  ]);
});

describe('a fault is reported with line, column and advice', () => {
  test.each([
    ['case a\n  send NewOrderSingel', '2:8: “NewOrderSingel” is no message. Did you mean NewOrderSingle?'],
    ['case a\n  send D | ClOrdId=x', '2:12: “ClOrdId” is no field. Did you mean ClOrdID?'],
    ['case a\n  send D\n    | Smybol=x', '3:7: “Smybol” is no field. Did you mean Symbol?'],
    ['case a\n  send D | ClOrdID', '2:12: “ClOrdID” has no value. Write ClOrdID=VALUE, or ClOrdID=* for any value.'],
    ['case a\n  expcet D', '2:3: “expcet” is no step. Did you mean expect?'],
    ['cas a', '1:1: “cas” begins nothing at the top level of a file. Did you mean case?'],
    ['case a\n  wait soon', '2:8: “soon” is no duration up to a day. Write for example 500ms, 2s or 5m.'],
    ['case a\n  wait 25h', '2:8: “25h” is no duration up to a day. Write for example 500ms, 2s or 5m.'],
    ['case a\n  expect 8|Text="x', '2:17: the value has no closing ". Add it.'],
    [
      'case a\n  send D|Text={x',
      '2:15: a { without a variable. Write {name}, {name+2} or {now-30s}, or {{ for the character itself.',
    ],
    ['case a\n  connect now', '2:11: “now” does not belong to this step. Remove it.'],
    ['case a', '1:1: the case a has no steps. Write them on the lines below, indented.'],
    ['case a\n  connect\ncase a\n  connect', '3:6: there is a case a already. Give this one another name.'],
    ['case a\n  call login', '2:3: there is no fragment login. Write or include it.'],
    ['fragment logon\n  connect\ncase a\n  call login', '4:3: there is no fragment login. Did you mean logon?'],
    ['fragment f | x\n  say {x}\ncase a\n  call f', '4:3: fragment f needs a value for x. Write call f | x=VALUE.'],
    ['fragment f\n  connect\ncase a\n  call f | y=1', '4:3: fragment f has no parameter y. It takes none.'],
    [
      'case a\n  send D|ClOrdID={id}',
      '2:3: {id} has no value here. Set it before with let, or keep a value with “as NAME”.',
    ],
    [
      'case a\n  expect any order',
      '2:19: “any order” has no messages. Write each on a line of its own, indented below.',
    ],
    ['include "x"', '1:9: there is no file x to include. Correct the name.'],
  ])('%j', (text, fault) => {
    const [first, ...others] = faultsOf(text);
    expect(first).toContain(fault.replace('Did you mean logon?', 'Did you mean logon'));
    expect(others.length).toBeLessThan(3);
  });
});

test('a pattern that is no regular expression is a fault at its place', () => {
  expect(faultsOf('case a\n  expect 8|Text=/(/')[0]).toMatch(
    /^2:18: the pattern is no regular expression: .*Correct it/,
  );
});

test('fragments that call each other in a circle are refused', () => {
  expect(faultsOf('fragment f\n  call f\ncase a\n  call f')).toEqual([
    '2:3: fragments call each other more than 16 deep. Remove the circle.',
  ]);
});

test('a host adds verbs, and says what is wrong with their arguments', () => {
  const tester = {
    name: 'tester',
    timeoutMs: null,
    fault: (argument: string) => (argument.startsWith('"') ? null : 'the text of tester is quoted: tester "…".'),
  };
  expect(faultsOf('case a\n  tester send an order', [tester])).toEqual([
    '2:10: the text of tester is quoted: tester "…".',
  ]);
  expect(parsed('case a\n  tester "Send {case}"', [tester]).cases[0]!.steps[0]!.action).toEqual({
    kind: 'verb',
    verb: 'tester',
    argument: ['"Send ', { name: 'case', offset: 0, unit: null }, '"'],
  });
});
