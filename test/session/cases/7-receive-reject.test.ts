// Session test case 7: Reject(3) received.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion('7 a valid Reject is counted and raises an alarm, nothing is answered', (runScenario) => {
  const { alarms } = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=3|34=2|45=1|58=not so|
    numbers 2 3
  `);
  expect(alarms).toEqual(['message-refused: the counterparty refused a message of ours, MsgSeqNum(34)=1: not so']);
});

testInEveryVersion(
  '7 a counterparty that makes a type up for each Reject does not call a person without end',
  (runScenario) => {
    let script = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
  `;
    for (let n = 2; n < 42; n++) script += `> 35=3|34=${n}|45=1|372=U${n}|58=not so|\n`;
    const { alarms, notes } = runScenario(script);
    expect([
      alarms.length,
      notes.filter((note) => note === 'the counterparty refused a message of ours').length,
    ]).toEqual([32, 8]);
  },
);
