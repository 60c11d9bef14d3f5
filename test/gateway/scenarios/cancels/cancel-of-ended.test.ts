// Cancels by q, by the end of a session (rule C1) or after a kill switch (rule O12), refused because the order has
// ended or is not found. No report says that it stays open before the exchange was asked how it ended.

import { describe, expect, test } from 'vitest';
import type { LookupOutcome } from '../../../../src/exchange/mod.ts';
import { ACCOUNT, type Desk, exchangeOrder, field, SESSION, summary, workingDesk } from '../../desk.ts';

const ASKS = {
  q: (desk: Desk) => desk.oms('35=q|11=q-1|530=7|1=ACC1|'),
  'the end of the session': (desk: Desk) => desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' }),
  'the kill switch': (desk: Desk) =>
    desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'account', name: ACCOUNT, who: 'ann', why: 'runaway' }),
} as const;

const ENDED = { status: 'CANCELLED', statusReasonCode: '3020', statusReason: 'Unsolicited cancel' } as const;

/** A desk with the cancel of o-1 refused by a code, in the answer or a later notice; nothing is reported so far. */
function refused(asks: keyof typeof ASKS, code: string, byNotice: boolean): Desk {
  const desk = workingDesk();
  ASKS[asks](desk);
  const { command, commandId } = desk.last();
  expect(command.kind).toBe('cancelOrder');
  const alarms = desk.alarms.length;
  if (byNotice) {
    desk.accepted(commandId, null, 'r-1');
    expect(desk.notice({ errorCode: code, message: 'not there', requestId: 'r-1' })).toEqual([]);
  } else expect(desk.refused(400, code, 'not there', commandId)).toEqual([]);
  expect(desk.alarms).toHaveLength(alarms);
  desk.alarms.length = 0;
  return desk;
}

/** Answer every look-up for a minute, and every further cancel as the first. */
function answerAll(desk: Desk, code: string, outcome: () => LookupOutcome): string[] {
  const told: string[] = [];
  let answered = desk.submitted.length;
  for (let i = 0; i < 120; i++) {
    told.push(...desk.advance(500));
    for (; answered < desk.submitted.length; answered++)
      told.push(...desk.refused(400, code, 'not there', desk.submitted[answered]!.commandId));
    for (const { lookupId } of desk.lookups.splice(0)) {
      told.push(...desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome: outcome() })));
    }
  }
  return told;
}

describe.each(Object.keys(ASKS) as (keyof typeof ASKS)[])('a cancel by %s', (asks) => {
  const ALL = ['3002', '2017', '3032'].flatMap((code) => [false, true].map((byNotice) => [code, byNotice] as const));

  test.each(ALL)(
    'C1 D12 O12 refused with %s (as a notice: %s) says nothing of an order that ended',
    (code, byNotice) => {
      const byFrame = refused(asks, code, byNotice);
      expect(summary(byFrame.order({ ...ENDED, publishedAt: byFrame.now + 5 }))).toEqual(['4/4']);
      byFrame.advance(60_000);
      const byLookup = refused(asks, code, byNotice);
      const told = answerAll(byLookup, code, () => ({
        kind: 'found',
        order: exchangeOrder({ ...ENDED, publishedAt: null }, byLookup.now),
        trades: [],
      }));
      expect(summary(told)).toEqual(['4/4']);
      for (const desk of [byFrame, byLookup]) expect([desk.alarms, desk.gateway.settled()]).toEqual([[], true]);
    },
  );

  test.each(ALL)(
    'C1 D12 O12 refused with %s (as a notice: %s) is reported once the order works on',
    (code, byNotice) => {
      const desk = refused(asks, code, byNotice);
      const found = (): LookupOutcome => ({
        kind: 'found',
        order: exchangeOrder({ publishedAt: null }, desk.now),
        trades: [],
      });
      const told = answerAll(desk, code, found);
      expect(summary(told)).toEqual(asks === 'q' ? ['9/1'] : []);
      const incomplete = asks === 'the end of the session' ? 'cancel-on-disconnect-incomplete' : 'cancel-incomplete';
      expect(desk.alarmNames().filter((name) => name.endsWith('incomplete'))).toEqual([incomplete]);
      // A later one is sent.
      const sent = desk.submitted.length;
      desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
      expect(desk.submitted).toHaveLength(sent + 1);
    },
  );

  test.each(ALL)(
    'C1 D12 O12 refused with %s (as a notice: %s) is reported where the exchange does not find it',
    (...refusal) => {
      const desk = refused(asks, ...refusal);
      const told = answerAll(desk, refusal[0], () => ({ kind: 'absent', final: true }));
      expect(summary(told)).toEqual(asks === 'q' ? ['9/1'] : []);
      if (asks === 'q') {
        expect([11, 41, 39, 102].map((tag) => field(told[0], tag))).toEqual(['q-1', 'o-1', '0', '1']);
        expect(field(told[0], 58)).toContain('does not find');
      }
      expect(desk.alarmNames()).toContain('order-not-found');
      const incomplete = desk.alarms.find(({ alarm }) => alarm.endsWith('incomplete'));
      if (incomplete !== undefined) expect(incomplete.text).toContain('and whether it works is not known: ');
      // An order unknown to the exchange is not cancelled again and again.
      if (refusal[0] !== '3032') expect(desk.submitted.length).toBeLessThanOrEqual(4);
    },
  );
});
