// Unknown outcomes, look-ups, restarts and reconciliation (rules U1–U4, O11, J3).

import { expect, test } from 'vitest';
import { Gateway } from '../../../src/gateway/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';

test('U2 keeps an unknown order PendingNew with bounded look-ups by its reference, then alarms', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  const at: number[] = [];
  for (let i = 0; i < 8; i++) {
    const before = desk.lookups.length;
    while (desk.lookups.length === before) {
      desk.now = desk.gateway.deadline()!;
      desk.feed({ kind: 'tick' });
    }
    at.push(desk.now);
    const lookup = desk.lookups.at(-1)!;
    expect(lookup).toMatchObject({ clientOrderId: '1', orderId: null, tradingAccountId: ACCOUNT });
    expect(lookup.commandId).toBe(desk.submitted[0]!.commandId);
    desk.feed({ kind: 'lookedUp', lookupId: lookup.lookupId, outcome: { kind: 'absent', final: false } });
  }
  const gaps = at.slice(1).map((time, i) => time - at[i]!);
  expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
  expect(desk.alarmNames().filter((name) => name === 'unknown-outcome')).toHaveLength(1);
  expect(summary(desk.sent)).toEqual(['A/A']);
  expect(desk.submitted).toHaveLength(1);
});

test("looks up and cancels by the account's new exchange login after a restart", () => {
  const desk = workingDesk();
  const accounts = [{ account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'renewed' }];
  desk.gateway = new Gateway(gatewayConfig({ accounts }), { orders: new Map(desk.records) });
  desk.open();
  desk.oms(CANCEL);
  desk.unknown();
  desk.advance(500);
  const sent = desk.effects.filter((effect) => effect.kind === 'submit' || effect.kind === 'lookup');
  const logins = sent.map(({ kind, credential }) => `${kind} ${credential}`);
  expect(logins[0]).toBe('submit main');
  expect(new Set(logins.slice(1))).toEqual(new Set(['submit renewed', 'lookup renewed']));
});

test("looks up and cancels working orders by the account's new exchange login after a change", () => {
  const desk = workingDesk();
  const accounts = [{ account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'renewed' }];
  desk.gateway.applyConfig(sessionConfig({ accounts }));
  const from = desk.effects.length;
  const logins = (): string[] =>
    desk.effects
      .slice(from)
      .flatMap((effect) => (effect.kind === 'submit' || effect.kind === 'lookup' ? [effect.credential] : []));
  desk.oms(CANCEL);
  desk.unknown();
  desk.advance(500);
  expect(logins()).toEqual(['renewed', 'renewed']);
  // Only the sending login can learn that cancel's outcome.
  desk.gateway.applyConfig(sessionConfig());
  desk.oms('35=F|11=c-2|41=o-1|1=ACC1|55=BTCUSDC|');
  expect(logins()).toEqual(['renewed', 'renewed', 'renewed']);
});

test('U2 found by the look-up: reported as it is, its trades included', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.advance(500);
  const { lookupId } = desk.lookups[0]!;
  const order = exchangeOrder({ quantityFilled: '0.5', statusReasonCode: '6013', publishedAt: null }, desk.now);
  desk.feed({
    kind: 'lookedUp',
    lookupId,
    outcome: { kind: 'found', order, trades: [exchangeTrade({ publishedAt: null }, desk.now)] },
  });
  expect(summary(desk.sent)).toEqual(['0/0', 'F/1']);
  expect(desk.trade({})).toEqual([]);
  expect(desk.advance(60_000)).toEqual([]);
  expect(desk.lookups).toHaveLength(1);
});

test('U2 does not look up an order that the stream settles before its turn', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.advance(500);
  const { lookupId } = desk.lookups[0]!;
  expect(desk.gateway.isLookupWanted(lookupId)).toBe(true);
  desk.order({ quantityFilled: '0.5' });
  // The stream owes a fill.
  expect(desk.gateway.isLookupWanted(lookupId)).toBe(true);
  desk.trade({ quantity: '0.5' });
  expect(desk.gateway.isLookupWanted(lookupId)).toBe(false);
  expect(desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'failed', message: 'not asked' } })).toEqual([]);
  expect(desk.advance(60_000)).toEqual([]);
  expect(desk.lookups).toHaveLength(1);
  expect(desk.gateway.isLookupWanted(lookupId)).toBe(false);
});

test('U2 certainly absent is Rejected, but only while the live stream agrees', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.advance(500);
  const absent = (i: number): string[] =>
    desk.answers(() =>
      desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[i]!.lookupId, outcome: { kind: 'absent', final: true } }),
    );
  expect(absent(0)).toEqual([]);
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  desk.advance(1_000);
  const [rejected] = absent(1);
  expect([field(rejected, 150), field(rejected, 39), field(rejected, 103)]).toEqual(['8', '8', '99']);
  expect(field(rejected, 58)).toContain('never arrived');
});

test('U2 an order that appears after all is cancelled at once with an alarm, and its fills are reported', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.advance(500);
  desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[0]!.lookupId, outcome: { kind: 'absent', final: true } });
  desk.sent.length = 0;
  desk.order({});
  expect(desk.alarmNames()).toContain('absent-order-appeared');
  expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
  expect(desk.sent).toEqual([]);
  expect(summary(desk.trade({}))).toEqual(['F/8']);
  desk.order({});
  expect(desk.submitted).toHaveLength(2);
});

test('U3 F on an unknown order goes out at once by reference; nothing is resubmitted', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  const answers = desk.oms(CANCEL);
  expect(summary(answers)).toEqual(['6/6']);
  expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: null, clientOrderId: '1' });
  desk.unknown();
  expect(summary(desk.oms(CANCEL.replace('c-1', 'c-2')))).toEqual(['6/6']);
  expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder', 'cancelOrder']);
  expect(summary(desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }))).toEqual(['0/6', '4/4', '9/1']);
  expect(desk.sent.slice(-2).map((text) => field(text, 11))).toEqual(['c-1', 'c-2']);
});

test('U1 a 200 without an order id is unknown, never New and never Rejected', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  expect(desk.accepted()).toEqual([]);
  desk.advance(500);
  expect(desk.lookups).toHaveLength(1);
});

test('looks up an acknowledged order by its exchange id if the streams are silent about it', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.advance(5_000);
  expect(desk.lookups).toMatchObject([{ orderId: '9001' }]);
  expect(summary(desk.sent)).toEqual(['A/A']);
});

test('U2 an unknown G is looked up by its own command, not by that of its order', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|44=101|');
  const { commandId } = desk.last();
  desk.unknown();
  desk.advance(500);
  expect(desk.lookups).toMatchObject([{ orderId: '9001', commandId, ofRequest: true }]);
});

test('U2 looks up every order without an outcome after a restart, without a new command', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.restart({ ready: false });
  expect(desk.gateway.deadline()).toBe(0);
  desk.feed({ kind: 'tick' });
  desk.advance(0);
  expect(desk.lookups).toMatchObject([{ clientOrderId: '1', commandId: null }]);
  desk.open();
  const outcome = { kind: 'absent', final: true } as const;
  desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[0]!.lookupId, outcome });
  expect(summary(desk.sent)).toEqual(['8/8']);
  expect(desk.submitted).toHaveLength(1);
});

test('alarms for open orders of removed sessions or new drop copies, and follows them', () => {
  const dropCopy = dropCopyConfig({ sessionId: SESSION });
  const other = sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' });
  for (const [sessions, words] of [
    [[other], 'that is not configured'],
    [[dropCopy, other], 'that is a drop copy now, and cannot cancel them'],
  ] as const) {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.accepted(undefined, '9001');
    desk.order({});
    desk.gateway = new Gateway({ ...desk.config, sessions }, { orders: new Map(desk.records) });
    desk.open();
    expect(desk.alarms).toMatchObject([{ alarm: 'session-missing', text: `Open orders belong to a session ${words}` }]);
    desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now + 1 });
    expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
  }
});

test('a pending cancel survives the restart: the order is looked up and the request answered', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.oms(CANCEL);
  desk.restart();
  desk.advance(0);
  const order = exchangeOrder({ status: 'CANCELLED', statusReasonCode: '6005', publishedAt: null }, desk.now);
  const answers = desk.answers(() =>
    desk.feed({
      kind: 'lookedUp',
      lookupId: desk.lookups.at(-1)!.lookupId,
      outcome: { kind: 'found', order, trades: [] },
    }),
  );
  expect(summary(answers)).toEqual(['4/4']);
  expect([field(answers[0], 11), field(answers[0], 41)]).toEqual(['c-1', 'o-1']);
});

test('fills during a restart are reported once, from the snapshot', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.trade({});
  desk.restart();
  desk.sent.length = 0;
  desk.trade({});
  desk.trade({ tradeId: '7002' });
  desk.order({ quantityFilled: '1.0', statusReasonCode: '6013' });
  expect(desk.sent.map((text) => [field(text, 17), field(text, 14)])).toEqual([['9001-7002-F', '1']]);
});

test('reconciliation looks up open orders that the exchange did not list', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  desk.order({ orderId: '9002', clientOrderId: '2' });
  desk.restart({ ready: false });
  desk.order({});
  desk.open();
  desk.advance(0);
  expect(desk.lookups).toMatchObject([{ orderId: '9002' }]);
  const { lookupId } = desk.lookups[0]!;
  const order = exchangeOrder(
    { orderId: '9002', clientOrderId: '2', status: 'CANCELLED', statusReasonCode: '3020' },
    0,
  );
  const answers = desk.answers(() =>
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } }),
  );
  expect(summary(answers)).toEqual(['4/4']);
  desk.advance(60_000);
  expect(desk.lookups).toHaveLength(1);
});

test('J3 alarms for an order under our unused reference, and never uses it', () => {
  const desk = new Desk();
  desk.order({ orderId: '555', clientOrderId: '1' });
  expect(desk.alarmNames()).toEqual(['own-reference-unknown']);
  desk.oms(LIMIT);
  expect(desk.last().command).toMatchObject({ clientOrderId: '2' });
});

test('an order pending longer than the setting raises an alarm', () => {
  const desk = new Desk(gatewayConfig({}, { pendingAlarmMs: 2_000 }));
  desk.oms(LIMIT);
  desk.advance(2_000);
  expect(desk.alarmNames()).toEqual(['order-pending']);
});

test('a frame that gives our reference to another exchange order is ignored with an alarm', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  expect(desk.order({ orderId: '9999', status: 'CANCELLED' })).toEqual([]);
  expect(desk.alarmNames()).toEqual(['order-id-mismatch']);
});

test.each([
  ['and is heard of after it is not asked for', true, 0, []],
  ['and is not found after it is alarmed once, and stays as it is', false, 1, ['order-not-found']],
])('U2 an order that works when the private stream is cut %s', (_what, isHeard, lookups, alarms) => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.advance(60_000);
  desk.lookups.length = 0;
  const before = desk.sent.length;
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  if (isHeard) desk.feed({ kind: 'order', order: exchangeOrder({}, desk.now), source: 'snapshot' });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  desk.advance(10);
  expect(desk.lookups).toHaveLength(lookups);
  for (const { lookupId } of [...desk.lookups]) {
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: true } });
  }
  desk.advance(60_000);
  expect(desk.alarmNames()).toEqual(alarms);
  expect(desk.lookups).toHaveLength(lookups);
  expect(desk.sent).toHaveLength(before);
  expect(summary(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|'))).toEqual(['I/0']);
});

test('settled says whether an answer to a command is outstanding', () => {
  const desk = new Desk();
  expect(desk.gateway.settled()).toBe(true);
  desk.oms(LIMIT);
  expect(desk.gateway.settled()).toBe(false);
  desk.order({});
  expect(desk.gateway.settled()).toBe(true);
  desk.oms(CANCEL);
  expect(desk.gateway.settled()).toBe(false);
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect(desk.gateway.settled()).toBe(true);
});

test('U4 an F without an answer never runs again; it is answered by 9 once it can no longer be carried out', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  desk.unknown();
  const lookedUp = (final: boolean): string[] =>
    desk.answers(() => {
      desk.advance(8_000);
      const order = exchangeOrder({}, desk.now);
      const { lookupId } = desk.lookups.at(-1)!;
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [], final } });
    });
  expect(lookedUp(false)).toEqual([]);
  const answers = lookedUp(true);
  expect(summary(answers)).toEqual(['9/1']);
  expect([field(answers[0], 39), field(answers[0], 11)]).toEqual(['0', 'c-1']);
  desk.advance(60_000);
  expect(desk.submitted).toHaveLength(2);
});

test.each(['3032', '3002', '2017'])(
  'looks up at once an order with an F refused as ended (%s): its end was lost',
  (code) => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.order({});
    desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|');
    // Closed already: its 9 waits for how that was (rule D8).
    expect(field(desk.refused(400, code, 'not there')[0], 39)).toBe(code === '3032' ? null : '0');
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    const order = exchangeOrder({ status: 'CANCELLED', statusReasonCode: '3020' }, desk.now);
    const told = desk.answers(() =>
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } }),
    );
    expect(summary(told)).toEqual(['4/4']);
    desk.advance(60_000);
    expect(desk.lookups).toHaveLength(1);
  },
);

test.each(['standard', 'venue'] as const)(
  'U3 does not answer unknown order to an F while the create is open: it may still work (%s)',
  (dialect) => {
    for (const told of ['nothing', 'unknown', 'acknowledged'] as const) {
      const desk = new Desk(gatewayConfig({ dialect }));
      desk.oms(LIMIT);
      const create = desk.last().commandId;
      if (told === 'unknown') desk.unknown();
      if (told === 'acknowledged') desk.accepted(undefined, '9001');
      desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|');
      expect(desk.last().commandId).not.toBe(create);
      const [reject] = desk.refused(400, '3002', 'Order is not found');
      // The exchange's own FIX has no 39=A: the order is reported as possibly working.
      const open = dialect === 'venue' ? '0' : 'A';
      expect([field(reject, 39), field(reject, 434), field(reject, 102)]).toEqual([open, '1', '99']);
      expect(field(reject, dialect === 'venue' ? 1328 : 58)).toMatch(
        /Order is not found.*: the order may still come to work; cancel it again once it does/,
      );
      // It does, and is cancelled.
      expect(summary(desk.order({}))).toEqual(['0/0']);
      desk.oms('35=F|11=c-2|41=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|');
      expect(summary(desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }))).toEqual(['4/4']);
    }
  },
);

test('U2 raises no alarm if a look-up misses an order that was reported meanwhile', () => {
  const lost = (speak: (desk: Desk) => void): string[] => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.unknown();
    desk.advance(500);
    speak(desk);
    const { lookupId } = desk.lookups[0]!;
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: false } });
    desk.advance(20_000);
    return desk.alarmNames().filter((alarm) => alarm !== 'outcome-open');
  };
  expect(lost((desk) => desk.order({}))).toEqual([]);
  expect(lost((desk) => desk.trade({}))).toEqual([]);
  // Asked for since it was heard of, and not found: that is one.
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.advance(5_000);
  const { lookupId } = desk.lookups[0]!;
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: false } });
  expect(desk.alarmNames()).toEqual(['order-not-found']);
});

test("C1 alarms that a cancel at the session's end found no order, and repeats it when seen", () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.refused(400, '3002', 'Order is not found');
  const [alarm] = desk.alarms.filter((one) => one.alarm === 'cancel-on-disconnect-incomplete');
  expect(alarm?.text).toMatch(/^The order could not be cancelled, and whether it works is not known: /);
  expect(alarm?.text).toMatch(/may still come to work; it is cancelled again once it does$/);
  desk.order({});
  desk.advance(0);
  expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
});

test("keeps a twice refused F out of Text(58) of the order's status, and of its New", () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.oms(CANCEL);
  desk.accepted();
  const refusal = { orderId: null, errorCode: '3002', message: 'Order is not found' };
  expect(summary(desk.notice(refusal))).toEqual(['9/1']);
  desk.notice(refusal);
  const status = (): string => desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|').join();
  expect(status()).not.toContain('58=');
  expect(summary(desk.order({}))).toEqual(['0/0']);
  expect(status()).not.toContain('58=');
});

test('an F on an order that the exchange does not find alarms once, however often it is sent', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  for (const clOrdID of ['c-1', 'c-2', 'c-3']) {
    desk.oms(`35=F|11=${clOrdID}|41=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|`);
    desk.refused(400, '3002', 'not found');
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: true } });
    desk.advance(20_000);
  }
  expect(desk.alarmNames()).toEqual(['order-not-found']);
});

test('does not look up forever after an F refused as ended on a working order', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|');
  desk.refused(400, '3032', 'closed');
  desk.advance(0);
  const { lookupId } = desk.lookups.at(-1)!;
  const order = exchangeOrder({}, desk.now);
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
  desk.advance(60_000);
  expect(desk.lookups).toHaveLength(1);
  expect(desk.submitted).toHaveLength(2);
});

test('U3 D12 sends no ninth cancel by a q after eight unanswered ones; r says so', () => {
  const desk = workingDesk();
  const answers = Array.from({ length: 12 }, (_, i) => {
    const [report] = desk.oms(`35=q|11=q-${i}|530=7|`);
    if (field(report, 533) === '1') desk.unknown();
    return [field(report, 533), field(report, 58)];
  });
  expect(answers.slice(0, 8)).toEqual(Array(8).fill(['1', null]));
  const already = '1 order is being cancelled already, and is not counted';
  expect(answers.slice(8)).toEqual(Array(4).fill(['0', already]));
  expect(desk.gateway.findOrder(SESSION, 'o-1')?.pending).toHaveLength(8);
});

test('U3 C1 O12 keeps at most eight open cancels of an order while the exchange is silent', () => {
  const desk = workingDesk();
  for (let i = 0; i < 12; i++) {
    const before = desk.submitted.length;
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    if (desk.submitted.length > before) desk.unknown();
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  }
  expect(desk.submitted).toHaveLength(1 + 8);
  // No number of F and q holds up a cancel of ours.
  const killed = workingDesk();
  for (let i = 0; i < 8; i++) {
    killed.oms(`35=q|11=q-${i}|530=7|`);
    killed.unknown();
  }
  killed.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', name: '', who: 'anna', why: 'drill' });
  expect(killed.submitted).toHaveLength(1 + 8 + 1);
});

test('U3 C1 repeats one of our unanswered cancels of a working order, without a failure alarm', () => {
  const desk = workingDesk();
  for (let i = 0; i < 8; i++) {
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.unknown();
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  }
  desk.advance(1_000);
  const { lookupId } = desk.lookups.at(-1)!;
  const outcome = { kind: 'found', order: exchangeOrder({}, desk.now), trades: [], final: true } as const;
  desk.feed({ kind: 'lookedUp', lookupId, outcome });
  desk.advance(500);
  expect(desk.submitted).toHaveLength(1 + 8 + 1);
  expect(desk.gateway.findOrder(SESSION, 'o-1')?.pending).toHaveLength(1);
  expect(desk.alarmNames()).not.toContain('cancel-on-disconnect-incomplete');
});
