// Rule S14: what a gap fill releases is taken in parts, so that one input never holds the others up.

import { expect, test } from 'vitest';
import { viewOf } from '../../../src/wire/mod.ts';
import { completeFrame, timestampOf } from '../../support/session/fix-scenario.ts';
import { MachineDriver } from '../../support/session/session-machine.ts';

const KEPT = 500;
const PART_MAX = 16;

/** A session that keeps that many orders behind a gap. */
function withGap(): { driver: MachineDriver; tell: (message: string) => number } {
  const driver = new MachineDriver({ config: { gapQueueMax: 2_000 } });
  driver.connect();
  const tell = (message: string): number => {
    const { targetCompID, senderCompID, beginString } = driver.config;
    const time = timestampOf(driver.now, beginString);
    const view = viewOf(completeFrame(message, targetCompID, senderCompID, beginString, time))!;
    const kind = message.startsWith('35=A') ? 'accepted' : 'notLogon';
    const effects = driver.session.handle({ kind: 'message', view, authentication: { kind } }, driver.now);
    return effects.filter((effect) => effect.kind === 'deliver').length;
  };
  tell('35=A|34=1|98=0|108=30|');
  for (let i = 0; i < KEPT; i++) expect(tell(`35=D|34=${i + 10}|11=${i}|`)).toBe(0);
  return { driver, tell };
}

test.each([
  ['a gap fill up to them', '35=4|34=2|43=Y|122=20260105-09:00:00|123=Y|36=10|', KEPT],
  ['a gap fill over them', `35=4|34=2|43=Y|122=20260105-09:00:00|123=Y|36=${KEPT + 20}|`, KEPT],
  ['a reset of numbers to the first of them', '35=4|34=2|36=10|', KEPT],
])('S14 %s releases kept orders in parts, each on a tick of its own', (_what, fill, wanted) => {
  const { driver, tell } = withGap();
  const parts = [tell(fill)];
  while (driver.session.isDraining) {
    expect(driver.session.deadline()).toBe(driver.now);
    const effects = driver.session.handle({ kind: 'tick' }, driver.now);
    parts.push(effects.filter((effect) => effect.kind === 'deliver').length);
  }
  expect(parts.reduce((sum, part) => sum + part)).toBe(wanted);
  expect(Math.max(...parts)).toBeLessThanOrEqual(PART_MAX);
  expect(driver.session.status.gap).toBeNull();
});

test('S14 input during the release of kept orders takes its turn after them, without a request', () => {
  const { driver, tell } = withGap();
  tell('35=4|34=2|43=Y|122=20260105-09:00:00|123=Y|36=10|');
  const asked = driver.session.numbers.nextSenderMsgSeqNum;
  expect(driver.session.isDraining).toBe(true);
  expect(tell(`35=D|34=${KEPT + 10}|11=new|`)).toBe(0);
  // A copy of one that is being released.
  const { nextTargetMsgSeqNum } = driver.session.numbers;
  expect(tell(`35=D|34=${nextTargetMsgSeqNum}|43=Y|122=20260105-09:00:00|11=copy|`)).toBeGreaterThan(0);
  while (driver.session.isDraining) driver.session.handle({ kind: 'tick' }, driver.now);
  expect(driver.session.numbers).toMatchObject({
    nextSenderMsgSeqNum: asked,
    nextTargetMsgSeqNum: KEPT + 11,
  });
  expect(driver.session.status.gap).toBeNull();
});
