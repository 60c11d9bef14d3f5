// Orders that ended and left memory: still known by every name that they had, for years and over restarts.

import { describe, expect, test } from 'vitest';
import { clOrdIDKey } from '../../../src/gateway/book/order-keys.ts';
import { UNREADABLE } from '../../../src/gateway/vocabulary/ended-orders.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, SESSION, summary } from '../desk.ts';

const cancelled = { status: 'CANCELLED', statusReasonCode: '6019' } as const;

/** A desk that keeps two ended orders in memory; orders o-1 … o-`count` came and went, references 1 … `count`. */
function desk(count: number, session = {}, more = {}): Desk {
  const made = new Desk(gatewayConfig(session, { endedInMemoryMax: 2, ...more }), { ended: true });
  for (let i = 1; i <= count; i++) {
    made.oms(LIMIT.replace('o-1', `o-${i}`));
    made.accepted(undefined, `${9000 + i}`);
    const { command } = made.last();
    const reference = command.kind === 'createOrder' ? command.clientOrderId : null;
    made.order({ orderId: `${9000 + i}`, clientOrderId: reference });
    made.order({ orderId: `${9000 + i}`, clientOrderId: reference, ...cancelled });
  }
  return made;
}

describe('an order that ended and left memory', () => {
  test('memory holds the latest ended orders only, and a restart none', () => {
    const made = desk(10);
    expect([...made.gateway.orders()].map(({ clOrdID }) => clOrdID)).toEqual(['o-9', 'o-10']);
    expect(made.gateway.counts()).toMatchObject({ new: 0, ended: 10 });
    made.restart();
    expect([...made.gateway.orders()]).toEqual([]);
  });

  test.each([false, true])(
    'O5 its ClOrdID is a duplicate for ever, its status is answered (after a restart: %s)',
    (restarted) => {
      const made = desk(10);
      if (restarted) made.restart();
      const [duplicate] = made.oms(LIMIT);
      expect([field(duplicate, 150), field(duplicate, 39), field(duplicate, 37)]).toEqual(['8', '4', '9001']);
      expect(summary(made.oms('35=H|11=o-3|55=BTCUSDC|54=1|'))).toEqual(['I/4']);
      expect(summary(made.oms('35=H|11=NONE|37=9004|55=BTCUSDC|54=1|'))).toEqual(['I/4']);
      const [late] = made.oms('35=F|11=f-1|41=o-5|1=ACC1|55=BTCUSDC|54=1|');
      expect([field(late, 35), field(late, 102), field(late, 39)]).toEqual(['9', '0', '4']);
      expect(made.gateway.findOrder(SESSION, 'f-1')).toMatchObject({ clOrdID: 'o-5' });
      expect(made.gateway.search({ orderID: '9006', limit: 5 }).orders).toHaveLength(1);
      expect(made.submitted.filter(({ command }) => command.kind === 'createOrder')).toHaveLength(10);
    },
  );

  test('O5 an order with an unreadable record stays used, and requests for it are refused', () => {
    const made = desk(10);
    made.restart();
    const record = made.ended!.get(clOrdIDKey(SESSION, 'o-1'));
    for (const [key, text] of made.ended!) if (text === record) made.ended!.set(key, UNREADABLE as never);
    const [duplicate] = made.oms(LIMIT);
    expect([field(duplicate, 150), field(duplicate, 103)]).toEqual(['8', '6']);
    expect(made.submitted.filter(({ command }) => command.kind === 'createOrder')).toHaveLength(10);
    const [late] = made.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    expect([field(late, 35), field(late, 102)]).toEqual(['9', '1']);
    made.order({ orderId: '9001', clientOrderId: '1', ...cancelled });
    expect(made.gateway.strayReferences()).toEqual([]);
    // Others are found as before.
    expect(summary(made.oms('35=H|11=o-3|55=BTCUSDC|54=1|'))).toEqual(['I/4']);
  });

  test('O1 a fill that comes after it left memory is reported all the same, with CumQty, and recorded again', () => {
    const made = desk(10);
    const [fill] = made.trade({ orderId: '9001', clientOrderId: null });
    expect(summary([fill!])).toEqual(['F/4']);
    expect(field(fill, 14)).toBe('0.5');
    made.restart();
    expect(made.trade({ orderId: '9001', clientOrderId: '1' })).toEqual([]);
    expect(field(made.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0], 14)).toBe('0.5');
  });

  test('O5 references skip those of orders that left memory, also after a full round', () => {
    const made = desk(
      10,
      { limits: gatewayConfig().sessions[0]!.limits },
      { referenceRange: { first: '1', last: '12' } },
    );
    made.restart();
    made.oms(LIMIT.replace('o-1', 'p-1'));
    made.oms(LIMIT.replace('o-1', 'p-2'));
    const [refused] = made.oms(LIMIT.replace('o-1', 'p-3'));
    const references = made.submitted
      .slice(-2)
      .map(({ command }) => command.kind === 'createOrder' && command.clientOrderId);
    expect(references).toEqual(['11', '12']);
    expect(field(refused, 58)).toContain('No exchange reference is left');
    made.restart();
    expect(field(made.oms(LIMIT.replace('o-1', 'p-4'))[0], 58)).toContain('No exchange reference is left');
  });

  test('O5 a restart of a large range skips at most a thousand references and repeats none', () => {
    const made = desk(3, {}, { referenceRange: { first: '1', last: '99999999999' } });
    made.restart();
    made.oms(LIMIT.replace('o-1', 'p-1'));
    const { command } = made.last();
    expect(command.kind === 'createOrder' && Number(command.clientOrderId)).toBe(1_001);
  });

  test('U4 a mass cancel that was carried out is not carried out again after a restart', () => {
    const made = desk(1);
    made.oms('35=q|11=q-1|530=7|');
    made.restart();
    const [again] = made.oms('35=q|11=q-1|530=7|');
    expect([field(again, 531), field(again, 532)]).toEqual(['0', '99']);
    expect(summary(made.oms(LIMIT.replace('o-1', 'q-1')))).toEqual(['8/8']);
  });

  test('a record found under a key that is another order’s is no answer', () => {
    const made = desk(3);
    made.restart();
    made.ended!.set(`c|${SESSION}|o-7`, made.ended!.get(`c|${SESSION}|o-1`)!);
    expect(made.oms(LIMIT.replace('o-1', 'o-7'))).toEqual([]);
    made.ended!.set(`r|${ACCOUNT}/77`, made.ended!.get(`c|${SESSION}|o-1`)!);
    expect(made.order({ orderId: '9999', clientOrderId: '77' })).toEqual([]);
  });

  test('ended orders of a journal without keys are recorded anew under keys', () => {
    const old = new Desk();
    old.oms(LIMIT);
    old.accepted(undefined, '9001');
    old.order({});
    old.order(cancelled);
    const made = desk(0);
    for (const [key, record] of old.records) made.records.set(key, record);
    made.restart();
    expect(made.ended!.has(`c|${SESSION}|o-1`)).toBe(true);
    expect(made.records.has(`${SESSION}|o-1`)).toBe(false);
  });
});
