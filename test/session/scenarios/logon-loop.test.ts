// Logons in a loop: a counterparty that logs on, drops the connection and logs on again has a rate (rules S1, S2).

import { expect, test } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const LIMITED = { config: { logonsPerMinute: 2 } } as const;
const TOO_MANY = 'more than 2 Logons within a minute: log on again in';

testInEveryVersion(
  'S1 a Logon beyond the rate gets a Logout that says when the next is taken, and changes nothing',
  (run) => {
    const driver = run(
      `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    up
    cut
    down
    wait 20
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=5|34=1|58=${TOO_MANY} 40 s|
    closed
    numbers 3 3
    wait 40
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    up
    `,
      LIMITED,
    );
    expect(driver.alarms.filter((one) => one.includes('logon-loop')).length).toBe(1);
  },
);

test('S1 a loop of Logons with 141=Y is reported once a minute, and ten of its refusals are answered', () => {
  const driver = runScenario('', LIMITED);
  const logOn = `
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    cut`;
  const refused = (seconds: number): string => `
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=5|34=1|58=${TOO_MANY} ${seconds} s|
    closed`;
  continueScenario(driver, `${logOn}${logOn}${refused(60)}`);
  const { series } = driver.session.numbers;
  const records = driver.journal.records.length;
  const inSilence = `
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    closed`;
  continueScenario(driver, `${refused(60).repeat(9)}${inSilence.repeat(20)}`);
  expect(driver.session.numbers.series).toBe(series);
  // The Logouts alone.
  expect(driver.journal.records.length).toBe(records + 9);
  continueScenario(driver, `wait 60${logOn}${logOn}${refused(60)}`);
  expect(driver.alarms.filter((one) => one.includes('logon-loop'))).toEqual([
    expect.stringContaining('2 Logons within a minute, 2 of them with ResetSeqNumFlag(141)=Y'),
    expect.stringContaining('2 Logons within a minute, 2 of them with ResetSeqNumFlag(141)=Y'),
  ]);
});

test('S1 Logons refused for other reasons do not use up the rate, and no clock set back lengthens it', () => {
  const driver = runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|554=wrong|
    < 35=5|34=1|58=invalid username or password|
    closed
    connect
    > 35=A|34=1|98=0|108=3000|
    < 35=5|34=1|58=HeartBtInt(108)=3000 is outside 1 to 120 seconds|
    closed
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    cut
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    cut
    `,
    LIMITED,
  );
  driver.now -= 3_600_000;
  continueScenario(
    driver,
    `
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=5|34=1|58=more than 2 Logons within a minute: log on again in 60 s|
    closed
    wait 60
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    `,
  );
});

const OWED = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|37=1|17=new|
  < 35=8|34=2|37=1|17=new|
  cut
`;
const IN_VAIN = `
  connect
  > 35=A|34=1|98=0|108=30|141=Y|
  < 35=A|34=1|98=0|108=30|141=Y|
  < 35=8|34=2|97=Y|37=1|17=new|
  cut
`;

test('S2 after two repetitions in vain the counterparty answers a TestRequest before the next', () => {
  const driver = runScenario(`${OWED}${IN_VAIN}${IN_VAIN}
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    < 35=1|34=2|112=4-1|
    # What is new of an old order waits, as what is owed does; that it reads on is no answer.
    app 35=8|37=1|17=fill|
    > 35=0|34=2|
    > 35=0|34=3|112=4-1|
    < 35=8|34=3|97=Y|37=1|17=new|
    < 35=8|34=4|37=1|17=fill|
    numbers 5 4
  `);
  expect(driver.journal.ended).toEqual([]);
});

test('S2 in a loop of resets a counterparty that reads nothing has nothing repeated, and loses nothing', () => {
  const driver = runScenario(`${OWED}${IN_VAIN}${IN_VAIN}`);
  const loop = (series: number): string => `
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    < 35=1|34=2|112=${series}-1|
    cut`;
  const repeated = (): number =>
    driver.journal.records.filter((one) => one.kind === 'outbound' && one.msgType === '8').length;
  const before = repeated();
  const { series } = driver.session.numbers;
  for (let i = 1; i <= 20; i++) continueScenario(driver, loop(series + i).replace(/-1\|/, `-${i}|`));
  expect(repeated()).toBe(before);
  continueScenario(
    driver,
    `
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    < 35=1|34=4|112=${series + 20}-21|
    > 35=0|34=3|112=${series + 20}-21|
    < 35=8|34=5|97=Y|37=1|17=new|
    `,
  );
  expect(driver.journal.ended).toEqual([]);
});
