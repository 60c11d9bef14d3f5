// The kill switch (rule O12): it cancels and blocks, survives a restart, and takes two people to lift.

import { describe, expect, test } from 'vitest';
import type { GatewayInput } from '../../../src/gateway/mod.ts';
import { ACCOUNT, auctionPhase, Desk, field, gatewayConfig, LIMIT, SESSION, sessionConfig, summary } from '../desk.ts';

type Switch = Extract<GatewayInput, { kind: 'killSwitch' }>;

const act = (desk: Desk, action: 'throw' | 'lift', who: string, more: Partial<Switch> = {}): void =>
  void desk.feed({ kind: 'killSwitch', action, scope: 'session', name: SESSION, who, why: 'runaway model', ...more });

function working(count: number, desk = new Desk()): Desk {
  for (let i = 1; i <= count; i++) {
    desk.oms(LIMIT.replace('o-1', `o-${i}`));
    desk.accepted(undefined, `${9000 + i}`);
    desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}` });
  }
  return desk;
}

describe('the kill switch', () => {
  test('O12 one operator throws it: each open order is cancelled singly, with the reason for the OMS', () => {
    const desk = working(3);
    act(desk, 'throw', 'ann');
    const cancels = desk.submitted.slice(3).map(({ command }) => command);
    expect(cancels.map((command) => command.kind === 'cancelOrder' && command.orderId)).toEqual([
      '9001',
      '9002',
      '9003',
    ]);
    const [report] = desk.order({ orderId: '9001', clientOrderId: '1', status: 'CANCELLED', statusReasonCode: '6005' });
    expect(summary([report!])).toEqual(['4/4']);
    expect([field(report, 378), field(report, 58)]).toEqual(['8', 'Cancelled by the kill switch of operations']);
    // A cancel by the exchange meanwhile has its own reason.
    const forced = { orderId: '9003', clientOrderId: '3', status: 'CANCELLED', statusReasonCode: '6019' } as const;
    expect(field(desk.order(forced)[0], 58)).not.toContain('kill switch');
    expect(desk.alarmNames()).toContain('kill-switch');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([
      { scope: 'session', thrownBy: 'ann', openOrders: 1, liftAskedBy: null },
    ]);
  });

  test('O12 the alarm has the cancels sent and those under way', () => {
    const desk = working(3);
    desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    act(desk, 'throw', 'ann');
    expect(desk.alarms.at(-1)?.text).toContain(
      'cancels sent: 2, already on their way: 1; `crossgate kill-switch status` counts',
    );
  });

  test.each([
    [undefined, 'B\xf6rse gest\xf6rt, 5 ?'],
    ['UTF-8', 'B\xc3\xb6rse gest\xc3\xb6rt, 5 \xe2\x82\xac'],
    ['US-ASCII', 'B?rse gest?rt, 5 ?'],
  ] as const)("O12 sends a reason beyond ASCII in the session's character set (%s)", (charset, bytes) => {
    const desk = new Desk(gatewayConfig(charset === undefined ? {} : { charset }));
    act(desk, 'throw', 'ann', { why: 'Börse gestört, 5 €' });
    expect(field(desk.oms(LIMIT)[0], 58)).toContain(`(${bytes})`);
  });

  test('O12 shortens a long or multi-line reason to one line, followed by the refusal', () => {
    const desk = new Desk();
    act(desk, 'throw', 'ann', { why: `runaway\r\n\tmodel\u0001\u0085 ${'x'.repeat(480)}\n` });
    const text = field(desk.oms(LIMIT)[0], 58) ?? '';
    expect(text).toMatch(/^The kill switch of this session is on \(runaway model x+\.\.\.\); no orders are taken$/);
    expect(text.length).toBeLessThan(300);
    expect(desk.gateway.killSwitches(desk.now)[0]?.why, 'as it was given').toHaveLength(499);
  });

  test('O12 cuts a long reason at a whole character beyond the first plane', () => {
    const desk = new Desk();
    act(desk, 'throw', 'ann', { scope: 'all', name: '', why: `${'x'.repeat(196)}\u{1F6D1} all of it` });
    expect(desk.gateway.killSwitchOf(ACCOUNT)).toBe(`The kill switch of this gateway is on (${'x'.repeat(196)}...)`);
  });

  test("O12 blocks D and G with a text and the reason, without the operator's name; F and q pass", () => {
    const desk = working(1);
    act(desk, 'throw', 'ann');
    const [refused] = desk.oms(LIMIT.replace('o-1', 'o-9'));
    expect(summary([refused!])).toEqual(['8/8']);
    expect([field(refused, 103), field(refused, 58)]).toEqual([
      '2',
      'The kill switch of this session is on (runaway model); no orders are taken',
    ]);
    const [replace] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=2|44=101|');
    expect([field(replace, 35), field(replace, 434)]).toEqual(['9', '2']);
    expect(field(replace, 58)).toBe(field(refused, 58));
    expect(summary(desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['6/6']);
    expect(field(desk.oms('35=q|11=q-1|530=7|')[0], 531)).toBe('7');
  });

  test('O12 lifting takes two different people, and throwing it again takes the first word back', () => {
    const desk = working(0);
    act(desk, 'throw', 'ann');
    act(desk, 'lift', 'ben');
    act(desk, 'lift', 'ben');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ liftAskedBy: 'ben' }]);
    expect(summary(desk.oms(LIMIT))).toEqual(['8/8']);
    act(desk, 'throw', 'eve');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ thrownBy: 'ann', liftAskedBy: null }]);
    act(desk, 'lift', 'ben');
    act(desk, 'lift', 'ann');
    expect(desk.gateway.killSwitches(desk.now)).toEqual([]);
    expect(desk.oms(LIMIT.replace('o-1', 'o-2'))).toEqual([]);
  });

  test('O12 survives a restart, with a request to lift it, and so does its lift', () => {
    const desk = working(1);
    act(desk, 'throw', 'ann');
    act(desk, 'lift', 'ben');
    desk.restart();
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ thrownBy: 'ann', liftAskedBy: 'ben', openOrders: 1 }]);
    expect(summary(desk.oms(LIMIT.replace('o-1', 'o-9')))).toEqual(['8/8']);
    act(desk, 'lift', 'cas');
    desk.restart();
    expect(desk.gateway.killSwitches(desk.now)).toEqual([]);
  });

  test('O12 lets a lift request lapse after a quarter of an hour, for either operator to ask anew', () => {
    const minutes = (count: number): number => count * 60_000;
    const desk = working(0);
    act(desk, 'throw', 'ann');
    act(desk, 'lift', 'ben');
    const at = desk.now;
    const asked = { liftAskedBy: 'ben', liftAskedAt: at, liftAskedUntil: at + minutes(15) };
    expect(desk.gateway.killSwitches(at + minutes(15) - 1)).toMatchObject([asked]);
    const lapsed = { liftAskedBy: null, liftAskedAt: null, liftAskedUntil: null };
    expect(desk.gateway.killSwitches(at + minutes(15))).toMatchObject([lapsed]);
    // Asked again in time it counts from the first time on.
    desk.now = at + minutes(10);
    act(desk, 'lift', 'ben');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([asked]);
    desk.now = at + minutes(15);
    act(desk, 'lift', 'cas');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ liftAskedBy: 'cas', liftAskedAt: desk.now }]);
    expect(summary(desk.oms(LIMIT))).toEqual(['8/8']);
    desk.now += minutes(20);
    act(desk, 'lift', 'cas');
    desk.now += minutes(15) - 1;
    act(desk, 'lift', 'ben');
    expect(desk.gateway.killSwitches(desk.now)).toEqual([]);
  });

  test('O12 keeps a lift request with its time over a restart; one recorded without a time has lapsed', () => {
    const desk = working(0);
    act(desk, 'throw', 'ann');
    act(desk, 'lift', 'ben');
    const at = desk.now;
    desk.now += 60_000;
    desk.restart();
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ liftAskedBy: 'ben', liftAskedAt: at }]);
    for (const [key, text] of desk.records) {
      const { liftAskedAt, ...older } = JSON.parse(text);
      if (liftAskedAt === at) desk.records.set(key, JSON.stringify(older));
    }
    desk.restart();
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ thrownBy: 'ann', liftAskedBy: null }]);
    act(desk, 'lift', 'cas');
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ liftAskedBy: 'cas' }]);
  });

  test('O12 that of an account covers it on every session, and no other account', () => {
    const other = '111000000000002';
    const accounts = [
      { account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'main' },
      { account: 'ACC2', tradingAccountId: other, credential: 'main' },
    ];
    const second = 'FIX.4.4:XG->OMS2';
    const config = gatewayConfig({ accounts });
    const desk = new Desk({
      ...config,
      sessions: [...config.sessions, sessionConfig({ sessionId: second, accounts })],
    });
    desk.feed({ kind: 'reconciled', tradingAccountId: other, ok: true });
    act(desk, 'throw', 'ann', { scope: 'account', name: ACCOUNT });
    expect(summary(desk.oms(LIMIT))).toEqual(['8/8']);
    expect(summary(desk.oms(LIMIT, { sessionId: second }))).toEqual(['8/8']);
    expect(desk.oms(LIMIT.replace('ACC1', 'ACC2').replace('o-1', 'o-2'))).toEqual([]);
    act(desk, 'throw', 'ann', { scope: 'all', name: '' });
    expect(summary(desk.oms(LIMIT.replace('ACC1', 'ACC2').replace('o-1', 'o-3')))).toEqual(['8/8']);
  });

  test('O12 that of an account cancels the orders there, of every session, and no order of another account', () => {
    const other = '111000000000002';
    const accounts = [
      { account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'main' },
      { account: 'ACC2', tradingAccountId: other, credential: 'main' },
    ];
    const second = 'FIX.4.4:XG->OMS2';
    const sessions = [sessionConfig({ accounts }), sessionConfig({ sessionId: second, accounts })];
    const desk = new Desk(gatewayConfig({}, { sessions }));
    desk.feed({ kind: 'reconciled', tradingAccountId: other, ok: true });
    const enter = (n: number, account: string, sessionId: string): void => {
      desk.oms(LIMIT.replace('o-1', `o-${n}`).replace('ACC1', account), { sessionId });
      desk.accepted(undefined, `900${n}`);
    };
    enter(1, 'ACC1', SESSION);
    enter(2, 'ACC2', SESSION);
    enter(3, 'ACC1', second);
    enter(4, 'ACC2', second);
    act(desk, 'throw', 'ann', { scope: 'account', name: ACCOUNT });
    const cancels = desk.submitted.slice(4).map(({ command }) => command);
    expect(cancels).toMatchObject([
      { kind: 'cancelOrder', orderId: '9001', tradingAccountId: ACCOUNT },
      { kind: 'cancelOrder', orderId: '9003', tradingAccountId: ACCOUNT },
    ]);
    expect(desk.gateway.killSwitches(desk.now)).toMatchObject([{ scope: 'account', openOrders: 2 }]);
    expect(desk.alarms.at(-1)?.text).toMatch(new RegExp(`^Kill switch for account ${ACCOUNT} thrown by ann: `));
  });

  test('O12 a throw and a lift survive a restart with ended records apart; an unthrown one is not lifted', () => {
    const desk = new Desk(gatewayConfig(), { ended: true });
    act(desk, 'lift', 'ann');
    act(desk, 'throw', 'ann');
    desk.restart();
    expect(summary(desk.oms(LIMIT))).toEqual(['8/8']);
    act(desk, 'lift', 'ben');
    act(desk, 'lift', 'cas');
    expect([...desk.records.keys()].filter((key) => key.startsWith('kill|'))).toEqual([]);
    desk.restart();
    expect(desk.oms(LIMIT.replace('o-1', 'o-2'))).toEqual([]);
  });

  test('O12 cancels an order with an open outcome by reference, and again once seen', () => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.unknown();
    act(desk, 'throw', 'ann');
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: null, clientOrderId: '1' });
    desk.refused(400, '3002', 'Order is not found');
    desk.order({});
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
  });

  /** An auction order at work, in a phase in which it may be cancelled as far as is known here. */
  const inAuction = (): Desk => {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(LIMIT.replace('59=1', '59=5'));
    desk.accepted(undefined, '9001');
    desk.order({ timeInForce: 'GTX' });
    return desk;
  };
  const cancels = (desk: Desk): number => desk.submitted.filter(({ command }) => command.kind === 'cancelOrder').length;
  const FORBIDDEN = [400, '3085', 'Auction orders cannot be cancelled in this phase'] as const;

  test.each(['at once', 'behind its acknowledgement'])(
    'O12 C1 repeats the cancel of an auction order that crosses a phase change: %s',
    (when) => {
      const desk = inAuction();
      act(desk, 'throw', 'ann');
      const refuse = (): void => {
        if (when === 'at once') desk.refused(...FORBIDDEN);
        else {
          desk.accepted(undefined, null, 'r-1');
          desk.notice({ requestId: 'r-1', errorCode: '3085' });
        }
      };
      refuse();
      expect(desk.alarmNames()).not.toContain('cancel-incomplete');
      desk.advance(1_000);
      expect(cancels(desk)).toBe(2);
      // The lockdown that refused it is reported now: it waits for the next phase, and operators know.
      desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
      desk.refused(...FORBIDDEN);
      expect(desk.alarmNames()).toContain('cancel-incomplete');
      desk.advance(60_000);
      expect(cancels(desk)).toBe(2);
      desk.phase({ eventType: 'AUCTION_CROSS_POSTPONED' });
      desk.advance(1);
      expect(cancels(desk)).toBe(3);
    },
  );

  test('O12 cancels an auction order with a failed F of its own like any other', () => {
    const desk = inAuction();
    desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    act(desk, 'throw', 'ann');
    expect(cancels(desk)).toBe(1);
    desk.refused(429, null, 'too many');
    desk.advance(1);
    expect(cancels(desk)).toBe(2);
  });

  test('O12 an auction order in lockdown is named, and cancelled when a phase allows it', () => {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(LIMIT.replace('59=1', '59=5'));
    desk.accepted(undefined, '9001');
    desk.order({ timeInForce: 'GTX' });
    const lockdown = { phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false } as const;
    desk.phase(lockdown);
    act(desk, 'throw', 'ann');
    expect(desk.submitted).toHaveLength(1);
    expect(desk.alarms.at(-1)?.text).toContain('auction orders that cannot be cancelled in this phase: 1');
    desk.feed({ kind: 'phase', phase: auctionPhase({ eventType: 'AUCTION_CROSS_POSTPONED' }, desk.now) });
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
  });
});
