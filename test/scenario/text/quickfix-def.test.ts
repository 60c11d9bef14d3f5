// QuickFIX's scripts as cases: the steps that they become, and a run of one.

import { expect, test } from 'vitest';
import { linkCase, parseQuickfixDef } from '../../../src/scenario/mod.ts';
import { HandDrivenRun } from '../scenario-language.ts';

const soh = (text: string): string => text.replaceAll('|', '\u0001');

const SCRIPT = soh(`# @testcase 6
# Sends a TestRequest
iCONNECT
I8=FIX.4.4|35=A|34=1|49=TW|52=<TIME>|56=ISLD|98=0|108=2|
E8=FIX.4.4|9=62|35=A|34=1|49=ISLD|52=00000000-00:00:00.000|56=TW|98=0|108=2|10=0|
E8=FIX.4.4|35=1|34=2|49=ISLD|52=00000000-00:00:00|56=TW|112=TEST|
I8=FIX.4.4|35=0|34=2|49=TW|52=<TIME-3>|56=ISLD|112=TEST|
stray
i2,CONNECT
e2,DISCONNECT
sleep(0.5)
iDISCONNECT
`);

test('a script becomes a case of the same steps', () => {
  const { scenario, beginString, notes } = parseQuickfixDef(SCRIPT, 'fix44/6_Send.def');
  const [one] = scenario.cases;
  expect([one!.id, one!.title, beginString, one!.strict]).toEqual(['6_Send', 'Sends a TestRequest', 'FIX.4.4', true]);
  expect(one!.steps.map(({ action, connection }) => `${connection}${action.kind}`)).toEqual([
    'connect',
    'sendRaw',
    'expect',
    'expect',
    'sendRaw',
    '2connect',
    '2expectClosed',
    'wait',
    'disconnect',
  ]);
  expect(notes).toEqual(['fix44/6_Send.def:8: is no step and is passed over: stray']);
});

test("the answer to a TestRequest carries the counterparty's own id", () => {
  const { scenario } = parseQuickfixDef(SCRIPT, 'x.def');
  const { linked } = linkCase(scenario, scenario.cases[0]!, { role: 'initiator', hostVariables: [] });
  const run = new HandDrivenRun(linked, { wholeSeconds: true });
  run.now = Date.UTC(2026, 0, 2, 3, 4, 5);
  run.start();
  const header = '8=FIX.4.4|49=ISLD|56=TW|52=20260102-03:04:05.000';
  run.receive(`${header}|35=A|34=1|98=0|108=2|58=more|`);
  run.receive(`${header}|35=1|34=2|112=own|`);
  expect(run.sent.at(-1)).toBe(soh('8=FIX.4.4|35=0|34=2|49=TW|52=20260102-03:04:02|56=ISLD|112=own|'));
});

test('a value that differs fails the step, Text and times aside', () => {
  const { scenario } = parseQuickfixDef(SCRIPT, 'x.def');
  const { linked } = linkCase(scenario, scenario.cases[0]!, { role: 'initiator', hostVariables: [] });
  const run = new HandDrivenRun(linked).start();
  run.receive('8=FIX.4.4|35=A|34=1|49=ISLD|56=TW|52=20260102-03:04:05|98=0|108=3|');
  expect(run.verdicts.at(-1)).toMatch(/failed, the message differs$/);
});
