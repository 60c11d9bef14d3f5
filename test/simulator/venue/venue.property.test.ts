// Property tests of the simulated exchange's core: no crossed book, price-time priority, quantities and balances conserved,
// fees and rebates exact, auctions cleared at the best price by brute force. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import { clear, clearingAt } from '../../../src/simulator/auctions/call-auction.ts';
import { isOpen, type Order, type OrderView, remaining } from '../../../src/simulator/venue/order.ts';
import type { OrderBook } from '../../../src/simulator/venue/order-book.ts';
import type { VenueCommand } from '../../../src/simulator/venue/venue-event.ts';
import { defaultWorld } from '../../../src/simulator/world/default-world.ts';
import { FEE_ACCOUNT, type World } from '../../../src/simulator/world/world.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { A, B, VenueDesk } from '../venue-desk.ts';

interface Step {
  readonly kind: 'place' | 'cancel' | 'cancelAll' | 'amend' | 'phase';
  readonly account: string;
  readonly symbol: string;
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
  symbol: fc.constantFrom('BTCUSDC', 'BTCUSDC', 'BTCUSDC', 'BTC-USDC-PERP'),
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
        symbol: s.symbol,
        type: s.type,
        price: s.type === 'MARKET' ? null : priceAt(s.ticks),
        stopPrice: s.type === 'STOP_LIMIT' ? priceAt(-s.ticks) : null,
        // Auctions are of the spot market only.
        timeInForce: only || (s.timeInForce === 'GTX' && s.symbol !== 'BTCUSDC') ? 'GTC' : s.timeInForce,
      });
    }
    case 'cancelAll':
      return { kind: 'cancelAll', tradingAccountId: s.account, symbol: null };
    case 'phase':
      return { kind: 'advanceAuction', symbol: 'BTCUSDC' };
    case 'cancel':
    case 'amend': {
      const named = {
        requestId: '1',
        tradingAccountId: s.account,
        symbol: target?.market.symbol ?? s.symbol,
        clientOrderId: null,
      };
      const orderId = target?.orderId ?? '1';
      if (s.kind === 'cancel') return { kind: 'cancel', ...named, orderId };
      const { price } = desk.command('BUY', '1', { price: priceAt(s.ticks) });
      return { kind: 'amend', ...named, orderId, type: null, price, quantity: null };
    }
  }
}

/** An account's fee, as a share; negative: a rebate. */
interface Rates {
  readonly makerFee: string;
  readonly takerFee: string;
  readonly auctionFee: string;
}
const rate = fc
  .integer({ min: -30, max: 60 })
  .map((points) => Decimal.of(String(points)).multiply(Decimal.of('0.00003125')).toString());
const rates: fc.Arbitrary<Rates> = fc.record({ makerFee: rate, takerFee: rate, auctionFee: rate });

function worldWith(ofA: Rates, ofB: Rates): World {
  const world = defaultWorld();
  const own = new Map([
    [A, ofA],
    [B, ofB],
  ]);
  const accounts = world.accounts.map((account) => ({ ...account, ...own.get(account.tradingAccountId) }));
  return { ...world, accounts };
}

const sumOf = (desk: VenueDesk, asset: string): Decimal =>
  [...desk.venue.floor.ledger.accountIds()].reduce(
    (sum, account) => sum.add(desk.venue.floor.ledger.balance(account, asset).total),
    Decimal.ZERO,
  );

function checkInvariants(desk: VenueDesk, sums: ReadonlyMap<string, Decimal>): void {
  const { floor } = desk.venue;
  for (const [asset, sum] of sums) {
    for (const account of [A, B]) {
      const { locked } = floor.ledger.balance(account, asset);
      expect(locked.equals(desk.lockedByOrders(account, asset))).toBe(true);
    }
    expect(sumOf(desk, asset).equals(sum)).toBe(true);
  }
  for (const order of floor.orders.values()) {
    const traded = floor.tradesOf(order.orderId).reduce((total, trade) => total.add(trade.quantity), Decimal.ZERO);
    expect(traded.equals(order.quantityFilled)).toBe(true);
    expect(remaining(order).isNegative()).toBe(false);
    if (order.reason === 6002) expect(remaining(order).isZero()).toBe(true);
  }
  for (const symbol of ['BTCUSDC', 'BTC-USDC-PERP']) checkBook(floor.markets.get(symbol)!.book);
}

function checkBook(book: OrderBook): void {
  const bid = book.bestPrice('BUY');
  const ask = book.bestPrice('SELL');
  if (bid !== null && ask !== null) expect(bid.compare(ask)).toBeLessThan(0);
  for (const side of ['BUY', 'SELL'] as const) {
    const waiting = [...book.orders(side)];
    for (const order of waiting) expect(isOpen(order)).toBe(true);
    const levels = book.levels(side, 1000);
    const inLevels = levels.reduce((total, level) => total.add(level.quantity), Decimal.ZERO);
    const inOrders = waiting.reduce((total, order) => total.add(remaining(order)), Decimal.ZERO);
    expect(inLevels.equals(inOrders)).toBe(true);
  }
}

/** Balances and fees again from the trades alone: what changed hands, what was paid to the house and what it paid. */
function checkAccounts(desk: VenueDesk, rateOf: ReadonlyMap<string, Rates>): void {
  const { floor } = desk.venue;
  const owned = new Map<string, Decimal>();
  const add = (account: string, asset: string, amount: Decimal): void => {
    const key = `${account} ${asset}`;
    owned.set(key, (owned.get(key) ?? Decimal.ZERO).add(amount));
  };
  for (const trade of floor.trades) {
    const { tradingAccountId: account, quantity, quoteAmount, side, baseFee, quoteFee, isTaker, auctionId } = trade;
    const { makerFee, takerFee, auctionFee } = rateOf.get(account)!;
    const share = Decimal.of(auctionId !== null ? auctionFee : isTaker ? takerFee : makerFee);
    const isSpot = trade.symbol === 'BTCUSDC';
    const inBase = isSpot && side === 'BUY';
    // Precision of the asset: 8 decimals of BTC, 4 of USDC; half-even.
    const charge = (inBase ? quantity : quoteAmount).multiply(share).round(inBase ? 8 : 4);
    const rebate = trade.tradeRebateAmount ?? Decimal.ZERO;
    expect((inBase ? baseFee : quoteFee).subtract(rebate).equals(charge)).toBe(true);
    expect((inBase ? quoteFee : baseFee).isZero()).toBe(true);
    expect(trade.tradeRebateAssetSymbol).toBe(charge.isNegative() ? (inBase ? 'BTC' : 'USDC') : null);
    for (const asset of ['BTC', 'USDC'] as const) {
      const isThis = inBase === (asset === 'BTC');
      if (isThis) add(account, asset, charge.negate());
      if (isThis) add(FEE_ACCOUNT, asset, charge);
      if (!isSpot) continue;
      const moved = asset === 'BTC' ? quantity : quoteAmount;
      add(account, asset, (side === 'BUY') === (asset === 'BTC') ? moved : moved.negate());
    }
  }
  const derivatives = floor.trades.some(({ symbol }) => symbol !== 'BTCUSDC');
  for (const account of [A, B, FEE_ACCOUNT]) {
    for (const asset of ['BTC', 'USDC']) {
      // Gains and losses of positions are in quote, with tests of their own.
      if (derivatives && asset === 'USDC' && account !== FEE_ACCOUNT) continue;
      const before = Decimal.of(floor.ledger.account(account)?.balances[asset] ?? '0');
      const now = before.add(owned.get(`${account} ${asset}`) ?? Decimal.ZERO);
      expect([account, asset, floor.ledger.balance(account, asset).total.trimmed().toString()]).toEqual([
        account,
        asset,
        now.trimmed().toString(),
      ]);
    }
  }
}

test('books never cross, and quantities, locks, fees and balances add up at random', () => {
  checkProperty(
    fc.property(rates, rates, fc.array(step, { minLength: 1, maxLength: 60 }), (ofA, ofB, steps) => {
      const desk = new VenueDesk(worldWith(ofA, ofB));
      const sums = new Map(['BTC', 'USDC'].map((asset) => [asset, sumOf(desk, asset)]));
      for (const s of steps) {
        desk.handle(toCommand(desk, s));
        checkInvariants(desk, sums);
      }
      checkAccounts(
        desk,
        new Map([
          [A, ofA],
          [B, ofB],
        ]),
      );
    }),
    150,
  );
});

/** Expected trades of a limit order, by examining all resting orders: best price first, then earliest. */
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
  checkProperty(
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
    150,
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
  checkProperty(
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
    500,
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
  checkProperty(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const run = (): string => {
        const desk = new VenueDesk();
        for (const s of steps) desk.handle(toCommand(desk, s));
        return JSON.stringify(desk.events, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
      };
      expect(run()).toBe(run());
    }),
    30,
  );
});
