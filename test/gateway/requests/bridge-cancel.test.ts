// Cancels of bridge callers through the order registry (rule B5): one command of the exchange, and a report of each order.

import { describe, expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import type { GatewayInput, GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { ACCOUNT, auctionPhase, Desk, field, gatewayConfig, LIMIT, SESSION, summary } from '../desk.ts';

type BridgeCancel = Extract<GatewayInput, { kind: 'bridgeCancel' }>;

const ALL = { kind: 'cancelAll', tradingAccountId: ACCOUNT } as const;
const IN_5_S = { kind: 'delayedCancelAll', delayBySeconds: '5', cancelId: null, tradingAccountId: ACCOUNT } as const;
const UNSET = { kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT } as const;

let calls = 0;
function call(desk: Desk, command: BridgeCancel['command']): string {
  const commandId = `bridge-t-${++calls}`;
  desk.feed({ kind: 'bridgeCancel', commandId, credential: 'main', who: 'desk', command });
  return commandId;
}

function working(count: number, desk = new Desk()): Desk {
  for (let i = 1; i <= count; i++) {
    desk.oms(LIMIT.replace('o-1', `o-${i}`));
    desk.accepted(undefined, `${9000 + i}`);
    desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}` });
  }
  return desk;
}

const cancelled = (desk: Desk, i: number): string[] =>
  desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}`, status: 'CANCELLED', statusReasonCode: '6005' });

/** A D beyond the rate of its session: it waits here for its turn. */
function waits(desk: Desk, clOrdID: string, symbol = 'BTCUSDC'): void {
  const body = LIMIT.slice(5).replace('o-1', clOrdID).replace('BTCUSDC', symbol);
  const text = `35=D|34=9|49=OMS|56=XG|52=${formatUtcTimestamp(desk.now)}|${body}`;
  const view = viewOf(fromPrintable(text, 'FIX.4.4'))!;
  desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 });
}

describe('a cancel over the bridge', () => {
  test('B5 of all orders stops the D that waits here for its turn: 150=4 with 378, and it is never sent', () => {
    const desk = new Desk();
    waits(desk, 'o-1');
    const [report] = desk.answers(() => call(desk, ALL));
    expect([summary([report!]), field(report, 11), field(report, 378)]).toEqual([['4/4'], 'o-1', '8']);
    expect(field(report, 58)).toBe('Cancelled over the bridge by a caller that trades this account; it was never sent');
    desk.advance(40);
    expect(desk.submitted.map(({ command }) => command)).toEqual([ALL]);
  });

  test('B5 of a market, or of another account, lets the other D that wait here go out', () => {
    const desk = new Desk();
    waits(desk, 'o-1');
    waits(desk, 'o-2', 'ETHUSDC');
    call(desk, { kind: 'cancelAll', tradingAccountId: '111000000000009' });
    const ended = desk.answers(() =>
      call(desk, { kind: 'cancelAllByMarket', symbol: 'ETHUSDC', tradingAccountId: ACCOUNT }),
    );
    expect(ended.map((report) => field(report, 11))).toEqual(['o-2']);
    desk.advance(40);
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', symbol: 'BTCUSDC' });
  });

  test.each([
    ['by its id', { orderId: '9001', clientOrderId: null }],
    ['by the reference it was sent with', { orderId: null, clientOrderId: '1' }],
  ])('B5 of an order %s goes out as it is, and the OMS gets 150=4 with 378', (_, ids) => {
    const desk = working(1);
    const command = { kind: 'cancelOrder', ...ids, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT } as const;
    const commandId = call(desk, command);
    expect(desk.last()).toMatchObject({ commandId, command });
    expect(desk.accepted(commandId, '9001', 'r-1')).toEqual([]);
    const [report] = cancelled(desk, 1);
    expect([summary([report!]), field(report, 378), field(report, 58)]).toEqual([
      ['4/4'],
      '8',
      'Cancelled over the bridge by a caller that trades this account',
    ]);
  });

  test.each([
    ['an order entered elsewhere', '777', ACCOUNT],
    ['an order of another account', '9001', '111000000000009'],
  ])('B5 of %s goes out and touches no order of the registry', (_, orderId, tradingAccountId) => {
    const desk = working(1);
    const commandId = call(desk, {
      kind: 'cancelOrder',
      orderId,
      clientOrderId: null,
      symbol: 'BTCUSDC',
      tradingAccountId,
    });
    expect(desk.last().commandId).toBe(commandId);
    desk.accepted(commandId, orderId, 'r-1');
    expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ pending: [] });
  });

  test('B5 of all orders is one command, each order is reported; one without an id is cancelled by itself', () => {
    const desk = working(2);
    desk.oms(LIMIT.replace('o-1', 'o-3'));
    const from = desk.submitted.length;
    const commandId = call(desk, ALL);
    expect(
      desk.submitted
        .slice(from)
        .map(({ command }) => command.kind)
        .sort(),
    ).toEqual(['cancelAll', 'cancelOrder']);
    desk.accepted(commandId);
    expect([...cancelled(desk, 1), ...cancelled(desk, 2)].map((report) => field(report, 150))).toEqual(['4', '4']);
  });

  test('B5 of a market leaves the orders of the others', () => {
    const desk = working(1);
    desk.oms(LIMIT.replace('o-1', 'o-2').replace('BTCUSDC', 'ETHUSDC'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2', symbol: 'ETHUSDC' });
    call(desk, { kind: 'cancelAllByMarket', symbol: 'ETHUSDC', tradingAccountId: ACCOUNT });
    expect(desk.last().command).toMatchObject({ kind: 'cancelAllByMarket', symbol: 'ETHUSDC' });
    expect(field(cancelled(desk, 1)[0], 58)).toContain('without a request of this session');
    expect(
      field(
        desk.order({
          orderId: '9002',
          clientOrderId: '2',
          symbol: 'ETHUSDC',
          status: 'CANCELLED',
          statusReasonCode: '6005',
        })[0],
        58,
      ),
    ).toBe('Cancelled over the bridge by a caller that trades this account');
  });

  test('B5 is sent while the session is down, its journal fails and the gateway shuts down', () => {
    const desk = working(1, new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'off', graceMs: 0 } })));
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.feed({ kind: 'journal', healthy: false });
    desk.feed({ kind: 'shutdown' });
    call(desk, ALL);
    expect(desk.last().command).toEqual(ALL);
    expect(field(cancelled(desk, 1)[0], 150)).toBe('4');
  });

  test('B5 that is refused is not sent again, and operators learn which order stays open', () => {
    const desk = working(1);
    const commandId = call(desk, ALL);
    desk.refused(429, '96000', 'too many requests', commandId);
    const from = desk.submitted.length;
    desk.advance(60_000);
    expect(desk.submitted.slice(from)).toEqual([]);
    expect(desk.alarmNames()).toContain('cancel-incomplete');
    expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ pending: [] });
  });

  test('B5 without an answer stays open over a restart and is looked up', () => {
    const desk = working(1);
    desk.unknown(call(desk, ALL));
    desk.restart();
    desk.advance(1_000);
    expect(desk.lookups.at(-1)).toMatchObject({ orderId: '9001' });
    expect(field(cancelled(desk, 1)[0], 58)).toBe('Cancelled over the bridge by a caller that trades this account');
  });

  test('B5 of all orders leaves those that an auction holds in lockdown (T4)', () => {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase(auctionPhase({ phase: 'ACCUMULATION' }, desk.now));
    desk.oms(LIMIT.replace('59=1', '59=5'));
    desk.accepted(undefined, '9001');
    desk.order({ timeInForce: 'GTX' });
    desk.phase(auctionPhase({ phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false }, desk.now));
    call(desk, ALL);
    expect(desk.last().command).toEqual(ALL);
    expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ pending: [] });
  });
});

describe('a delayed cancel-all over the bridge', () => {
  const cancelOnDisconnect = { on: 'both', graceMs: 0, scope: 'account', deadMansSwitchS: 15 } as const;
  const shared = (more: Partial<GatewaySessionConfig> = {}): Desk => {
    const desk = new Desk(gatewayConfig({ cancelOnDisconnect, ...more }, { exclusiveAccounts: [ACCOUNT] }));
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.accepted();
    return desk;
  };
  const delays = (desk: Desk, from: number): string[] =>
    desk.submitted.slice(from).flatMap(({ command }) => ('delayBySeconds' in command ? [command.delayBySeconds] : []));

  test('B5 C2 is taken on exclusive accounts only', () => {
    expect(new Desk().gateway.delayedCancelRefusal(ACCOUNT)).toContain('is not declared exclusive');
    expect(shared().gateway.delayedCancelRefusal(ACCOUNT)).toBeNull();
  });

  test("B5 without a dead man's switch of the gateway goes out as it is, and so does taking it back", () => {
    const desk = new Desk(gatewayConfig({}, { exclusiveAccounts: [ACCOUNT] }));
    call(desk, { ...IN_5_S, cancelId: '7' });
    expect(desk.last().command).toEqual({ ...IN_5_S, cancelId: '7' });
    call(desk, UNSET);
    expect(desk.last().command).toEqual(UNSET);
  });

  test("B5 C2 beside the gateway's own is armed no longer than either, and fires in time over a restart", () => {
    const desk = working(1, shared());
    const from = desk.submitted.length;
    desk.accepted(call(desk, IN_5_S));
    desk.advance(2_000);
    expect(new Set(delays(desk, from))).toEqual(new Set(['5']));
    desk.restart();
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.advance(3_000);
    expect(desk.submitted.map(({ command }) => command.kind)).toContain('cancelAll');
    expect(field(cancelled(desk, 1)[0], 58)).toContain('over the bridge');
    const after = desk.submitted.length;
    desk.advance(20_000);
    expect(new Set(delays(desk, after))).toEqual(new Set(['15']));
  });

  test("B5 C2 asked for again takes its time anew; taken back, the gateway's own stays armed", () => {
    const desk = working(1, shared());
    desk.accepted(call(desk, IN_5_S));
    desk.advance(4_000);
    desk.accepted(call(desk, IN_5_S));
    desk.advance(4_000);
    const kinds = () => desk.submitted.map(({ command }) => command.kind);
    expect(kinds()).not.toContain('cancelAll');
    desk.accepted(call(desk, UNSET));
    expect(desk.last().command).toMatchObject({ kind: 'delayedCancelAll', delayBySeconds: '15' });
    desk.advance(30_000);
    expect(kinds()).not.toContain('cancelAll');
    expect(kinds()).not.toContain('unsetDelayedCancelAll');
  });

  test('B5 C2 that fires stops the D that wait here, too', () => {
    const desk = shared();
    desk.accepted(call(desk, IN_5_S));
    desk.advance(4_990);
    waits(desk, 'o-1');
    expect(desk.advance(10).map((report) => [field(report, 11), field(report, 150)])).toEqual([['o-1', '4']]);
    desk.advance(100);
    expect(desk.submitted.map(({ command }) => command.kind)).not.toContain('createOrder');
  });

  test('B5 moves with a clock that is set back', () => {
    const desk = working(1, shared());
    desk.accepted(call(desk, IN_5_S));
    desk.now -= 3_600_000;
    desk.feed({ kind: 'tick' });
    desk.advance(5_000);
    expect(desk.submitted.map(({ command }) => command.kind)).toContain('cancelAll');
  });
});
