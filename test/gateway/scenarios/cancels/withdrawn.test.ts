// Orders and amendments that wait for their turn at the exchange client when somebody wants them cancelled (rules S7, X3).

import { expect, test } from 'vitest';
import { Desk, field, LIMIT, summary } from '../../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';

const withdrawn = {
  kind: 'refused',
  httpStatus: null,
  errorCode: null,
  errorCodeName: null,
  message: 'cancelled while it waited for its turn',
  withdrawn: true,
} as const;

test('S7 X3 an F for an order still waiting in the exchange client ends it as Canceled, never New', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  const cancel = desk.last().commandId;
  desk.sent.length = 0;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  desk.feed({ kind: 'outcome', commandId: cancel, outcome: { ...withdrawn, message: 'never sent' } });
  expect(desk.sent).toHaveLength(1);
  expect(summary(desk.sent)).toEqual(['4/4']);
  expect([11, 41, 37, 151, 14, 58].map((tag) => field(desk.sent[0], tag))).toEqual([
    'c-1',
    'o-1',
    'NONE',
    '0',
    '0',
    'Cancelled while it waited for its turn; it was never sent to the exchange',
  ]);
  expect([desk.gateway.openOrderCount('FIX.4.4:XG->OMS'), desk.gateway.settled()]).toEqual([0, true]);
  // It is not remembered as one that may still turn up.
  desk.advance(120_000);
  expect([desk.lookups, desk.alarmNames()]).toEqual([[], []]);
});

test('S7 X3 a q finds it too, without waiting for a withdrawn order', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  desk.oms('35=q|11=q-1|530=7|');
  desk.sent.length = 0;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  expect(summary(desk.sent)).toEqual(['4/4']);
  expect(field(desk.sent[0], 58)).toBe('Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=q-1');
});

test('S7 X3 withdrawn by an external cancel of everything, it is rejected as unsent', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  expect(summary(desk.sent).at(-1)).toBe('8/8');
  expect(field(desk.sent.at(-1), 58)).toBe('Not sent to the exchange: cancelled while it waited for its turn');
});
