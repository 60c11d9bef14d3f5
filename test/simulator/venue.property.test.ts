// Property tests of the simulated exchange's core: no crossed book, price-time priority, quantities and balances conserved,
// auctions cleared at the best price by brute force. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { clear, clearingAt } from '../../src/simulator/call-auction.ts';
import { isOpen, type Order, type OrderView, remaining } from '../../src/simulator/order.ts';
import type { VenueCommand } from '../../src/simulator/venue-event.ts';
import { FEE_ACCOUNT } from '../../src/simulator/world.ts';
import { A, B, VenueDesk } from './venue-desk.ts';

interface Step {
  readonly kind: 'place' | 'cancel' | 'cancelAll' | 'amend' | 'phase';
  readonly account: string;
  readonly side: 'BUY' | 'SELL';
  readonly type: 'LIMIT' | 'MARKET' | 'POST_ONLY' | 'STOP_LIMIT';
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK' | 'GTX';
  readonly ticks: number;
  readonly lots: number;
  readonly pick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant('place' as const) },
    { weight: 3, arbitrary: fc.constantFrom('cancel' as const, 'amend' as const) },
    { weight: 1, arbitrary: fc.constantFrom('cancelAll' as const, 'phase' as const) },
  ),
  account: fc.constantFrom(A, B),
  side: fc.constantFrom('BUY', 'SELL'),
  type: fc.constantFrom('LIMIT', 'LIMIT', 'LIMIT', 'MARKET', 'POST_ONLY', 'STOP_LIMIT'),
  timeInForce: fc.constantFrom('GTC', 'GTC', 'IOC', 'FOK', 'GTX'),
  ticks: fc.integer({ min: -8, max: 8 }),
  lots: fc.integer({ min: 1, max: 30 }),
  pick: fc.nat(1000),
});

const priceAt = (ticks: number): string =>
  Decimal.of('60000')
    .add(Decimal.of('0.1').multiply(Decimal.of(String(ticks))))
    .toString();
const quantityOf = (lots: number): string =>
  Decimal.of('0.1')
    .multiply(Decimal.of(String(lots)))
    .toString();

function toCommand(desk: VenueDesk, s: Step): VenueCommand {
  const open = desk.venue.floor.openOrders(s.account);
  const target = open[s.pick % Math.max(1, open.length)];
  switch (s.kind) {
    case 'place': {
      const only = s.type === 'POST_ONLY' || s.type === 'STOP_LIMIT';
      return desk.command(s.side, quantityOf(s.lots), {
        account: s.account,
        type: s.type,
        price: s.type === 'MARKET' ? null : priceAt(s.ticks),
        stopPrice: s.type === 'STOP_LIMIT' ? priceAt(-s.ticks) : null,
        timeInForce: only ? 'GTC' : s.timeInForce,
      });
    }
    case 'cancelAll':
      return { kind: 'cancelAll', tradingAccountId: s.account, symbol: null };
    case 'phase':
      return { kind: 'advanceAuction', symbol: 'BTCUSDC' };
    case 'cancel':
    case 'amend': {
      const named = { requestId: '1', tradingAccountId: s.account, symbol: 'BTCUSDC', clientOrderId: null };
      const orderId = target?.orderId ?? '1';
      if (s.kind === 'cancel') return { kind: 'cancel', ...named, orderId };
      const { price } = desk.command('BUY', '1', { price: priceAt(s.ticks) });
      return { kind: 'amend', ...named, orderId, type: null, price, quantity: null };
    }
  }
}

function checkInvariants(desk: VenueDesk): void {
  const { floor } = desk.venue;
  const { book } = floor.markets.get('BTCUSDC')!;
  const bid = book.bestPrice('BUY');
  const ask = book.bestPrice('SELL');
  if (bid !== null && ask !== null) expect(bid.compare(ask)).toBeLessThan(0);
  for (const asset of ['BTC', 'USDC']) {
    let sum = Decimal.ZERO;
    for (const account of [A, B, '111000000000002', FEE_ACCOUNT]) {
      const { total, locked } = floor.ledger.balance(account, asset);
      sum = sum.add(total);
      expect(locked.equals(desk.lockedByOrders(account, asset))).toBe(true);
    }
    expect(sum.trimmed().toString()).toBe(asset === 'BTC' ? '300' : '30000000');
  }
  for (const order of floor.orders.values()) {
    const traded = floor.tradesOf(order.orderId).reduce((total, trade) => total.add(trade.quantity), Decimal.ZERO);
    expect(traded.equals(order.quantityFilled)).toBe(true);
    expect(remaining(order).isNegative()).toBe(false);
    if (order.reason === 6002) expect(remaining(order).isZero()).toBe(true);
  }
  for (const side of ['BUY', 'SELL'] as const) {
    const waiting = [...book.orders(side)];
    for (const order of waiting) expect(isOpen(order)).toBe(true);
    const levels = book.levels(side, 1000);
    const inLevels = levels.reduce((total, level) => total.add(level.quantity), Decimal.ZERO);
    const inOrders = waiting.reduce((total, order) => total.add(remaining(order)), Decimal.ZERO);
    expect(inLevels.equals(inOrders)).toBe(true);
  }
}

test('whatever is sent, the book is never crossed and quantities, locks and balances add up', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const desk = new VenueDesk();
      for (const s of steps) {
        desk.handle(toCommand(desk, s));
        checkInvariants(desk);
      }
    }),
    { numRuns: 150 },
  );
});

/** What a limit order should trade, by looking at all resting orders: best price first, then earliest. */
function expectedFills(
  resting: readonly OrderView[],
  incoming: { side: string; price: Decimal; quantity: Decimal },
): string[] {
  const sign = incoming.side === 'BUY' ? 1 : -1;
  const queue = resting
    .filter((order) => order.price!.compare(incoming.price) * sign <= 0)
    .map((order, arrival) => ({ order, arrival }))
    .sort((a, b) => a.order.price!.compare(b.order.price!) * sign || a.arrival - b.arrival);
  const fills: string[] = [];
  let left = incoming.quantity;
  for (const { order } of queue) {
    if (!left.isPositive()) break;
    const open = remaining(order);
    const quantity = open.compare(left) < 0 ? open : left;
    fills.push(`${order.orderId} ${quantity.trimmed()}@${order.price!.trimmed()}`);
    left = left.subtract(quantity);
  }
  return fills;
}

test('an order trades with the best price first and at one price with the earliest order', () => {
  const order = fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    ticks: fc.integer({ min: -6, max: 6 }),
    lots: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(fc.array(order, { minLength: 1, maxLength: 40 }), (orders) => {
      const desk = new VenueDesk();
      // One account buys, the other sells, so that self-trade prevention stays out of it.
      const arrived: OrderView[] = [];
      for (const { side, ticks, lots } of orders) {
        const command = desk.command(side, quantityOf(lots), {
          account: side === 'BUY' ? A : B,
          price: priceAt(ticks),
        });
        const opposite = arrived.map(({ orderId }) => desk.order(orderId)).filter((o) => isOpen(o) && o.side !== side);
        const expected = expectedFills(opposite, { side, price: command.price!, quantity: command.quantity });
        const before = desk.venue.floor.trades.length;
        desk.handle(command);
        const made = desk.venue.floor.trades.slice(before).filter((trade) => !trade.isTaker);
        expect(made.map((t) => `${t.orderId} ${t.quantity.trimmed()}@${t.price.trimmed()}`)).toEqual(expected);
        arrived.push(desk.order(command.orderId));
      }
    }),
    { numRuns: 150 },
  );
});

test('an auction clears at the best price: maximum quantity, minimum imbalance, nearest to the reference', () => {
  const order = fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    // Null is a market-on-close order.
    ticks: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 5 }),
    lots: fc.integer({ min: 1, max: 9 }),
  });
  const tick = Decimal.of('1');
  fc.assert(
    fc.property(
      fc.array(order, { maxLength: 12 }),
      fc.integer({ min: 1, max: 30 }),
      fc.option(fc.integer({ min: 0, max: 10 })),
      (specs, reference, collar) => {
        const orders = specs.map(({ side, ticks, lots }) => ({
          side,
          price: ticks === null ? null : Decimal.of(String(ticks)),
          quantity: Decimal.of(String(lots)),
          quantityFilled: Decimal.ZERO,
        })) as unknown as Order[];
        const at = Decimal.of(String(reference));
        const width = collar === null ? null : Decimal.of(String(collar));
        const band = width === null ? null : { low: at.subtract(width), high: at.add(width) };
        const key = (price: Decimal): [bigint, bigint, bigint] => {
          const { pairedQuantity, imbalanceQuantity } = clearingAt(price, orders);
          return [-pairedQuantity.coefficient, imbalanceQuantity.coefficient, price.subtract(at).abs().coefficient];
        };
        let best: [bigint, bigint, bigint] | null = null;
        for (let p = 1; p <= 45; p++) {
          const price = Decimal.of(String(p));
          if (band !== null && (price.compare(band.low) < 0 || price.compare(band.high) > 0)) continue;
          const found = key(price);
          if (found[0] === 0n) continue;
          if (best === null || compareKeys(found, best) < 0) best = found;
        }
        const clearing = clear(orders, at, tick, band);
        expect(clearing === null ? null : key(clearing.price)).toEqual(best);
      },
    ),
    { numRuns: 500 },
  );
});

function compareKeys(a: readonly bigint[], b: readonly bigint[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i]! < b[i]!) return -1;
    if (a[i]! > b[i]!) return 1;
  }
  return 0;
}

test('the same commands at the same times give the same events', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const run = (): string => {
        const desk = new VenueDesk();
        for (const s of steps) desk.handle(toCommand(desk, s));
        return JSON.stringify(desk.events, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
      };
      expect(run()).toBe(run());
    }),
    { numRuns: 30 },
  );
});
