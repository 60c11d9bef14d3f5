// The liquidity script: keeps the books alive with a ladder of post-only orders, still or walking, and joins the auctions.
// It trades through the venue like everybody else, from the market maker's account.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { floorToTick } from '../auctions/call-auction.ts';
import type { LiquidityKind } from '../settings.ts';
import { COUNTERPARTY_ACCOUNT, MARKET_MAKER_ACCOUNT } from '../world/world.ts';
import type { MarketState } from './floor.ts';
import { isOpen, Reason } from './order.ts';
import { seededRandom } from './random.ts';
import type { VenueCommand, VenueEvent } from './venue-event.ts';
import type { VenueRunner } from './venue-runner.ts';

/** Levels per side, and how many ticks they are apart. */
const LEVELS = 10;
const SPACING_TICKS = '100';
/** Value in quote of each level, roughly. */
const LEVEL_VALUE = '30000';
/** Largest step of the walk, in steps of SPACING_TICKS / 10. */
const WALK_STEPS_MAX = 5;

interface Slot {
  readonly side: OrderSide;
  readonly price: Decimal;
  orderId: string | null;
}

interface Ladder {
  readonly market: MarketState;
  readonly quantity: Decimal;
  mid: Decimal;
  slots: Slot[];
  /** Whether an order of the ladder was traded or is missing. */
  isThin: boolean;
}

type CreateCommand = Extract<VenueCommand, { kind: 'create' }>;

/** Differences between one order and another. */
type OrderOf = Pick<CreateCommand, 'tradingAccountId' | 'side' | 'price' | 'type' | 'timeInForce' | 'quantity'>;

export class Liquidity {
  private readonly kind: LiquidityKind;
  private readonly runner: VenueRunner;
  private readonly random: () => number;
  private ladders = new Map<string, Ladder>();
  private byOrder = new Map<string, Ladder>();

  constructor(kind: LiquidityKind, seed: number, runner: VenueRunner) {
    this.kind = kind;
    this.runner = runner;
    this.random = seededRandom(seed);
  }

  /** Quote every market for the first time, or again after the venue forgot everything. */
  start(): void {
    if (this.kind === 'off') return;
    this.ladders = new Map();
    this.byOrder = new Map();
    this.withdrawRemembered();
    for (const market of this.runner.floor.markets.values()) {
      if (market.expired !== null) continue;
      const mid = Decimal.of(market.spec.referencePrice).withScale(market.spec.pricePrecision);
      const quantity = Decimal.of(LEVEL_VALUE).divide(mid, 2).withScale(market.spec.quantityPrecision);
      const ladder: Ladder = { market, quantity, mid, slots: [], isThin: false };
      this.ladders.set(market.spec.symbol, ladder);
      this.layOut(ladder);
      this.quote(ladder, (command) => this.runner.execute(command));
    }
  }

  /** Ladder orders that a kept venue still has belong to no script any more; those in an auction stay. */
  private withdrawRemembered(): void {
    for (const order of this.runner.floor.openOrders(MARKET_MAKER_ACCOUNT)) {
      if (order.timeInForce === 'GTX') continue;
      this.runner.execute({ kind: 'forceCancel', orderId: order.orderId, reason: Reason.unsolicitedCancel });
    }
  }

  /** Answer what happened: quote again what was traded, join an auction that starts. */
  react(events: readonly VenueEvent[]): void {
    if (this.kind === 'off') return;
    const follow = (command: VenueCommand): void => this.runner.follow(command);
    for (const event of events) {
      if (event.kind === 'order') {
        const ladder = this.byOrder.get(event.order.orderId);
        if (ladder === undefined) continue;
        if (!isOpen(event.order)) this.byOrder.delete(event.order.orderId);
        if (!isOpen(event.order) || !event.order.quantityFilled.isZero()) ladder.isThin = true;
      } else if (event.kind === 'phase' && event.auction.eventType === 'AUCTION_STARTED') {
        this.joinAuction(event.auction.symbol, follow);
      }
    }
    for (const ladder of this.ladders.values()) if (ladder.isThin) this.quote(ladder, follow);
  }

  /** One step of the walk: move every ladder, fill what it walks over, and let somebody trade. */
  step(): void {
    if (this.kind !== 'moving') return;
    // Markets that expire stand still: what moves is what they derive from.
    for (const ladder of this.ladders.values()) if (ladder.market.expiresAt === null) this.walk(ladder);
  }

  private walk(ladder: Ladder): void {
    const { market } = ladder;
    const unit = market.tickSize
      .multiply(Decimal.of(SPACING_TICKS))
      .divide(Decimal.of('10'), market.spec.pricePrecision);
    const steps = Math.round((this.random() * 2 - 1) * WALK_STEPS_MAX);
    const mid = floorToTick(ladder.mid.add(unit.multiply(Decimal.of(String(steps)))), market.tickSize);
    // The price never leaves half to double of where it began, so that a long run stays plausible.
    const start = Decimal.of(market.spec.referencePrice);
    if (mid.multiply(Decimal.of('2')).compare(start) < 0 || mid.compare(start.multiply(Decimal.of('2'))) > 0) return;
    for (const slot of ladder.slots) this.withdraw(slot, (command) => this.runner.execute(command));
    ladder.mid = mid.withScale(market.spec.pricePrecision);
    this.layOut(ladder);
    this.sweep(ladder);
    this.quote(ladder, (command) => this.runner.execute(command));
    if (market.spec.marketType === 'SPOT') {
      this.runner.execute({ kind: 'setIndexPrice', asset: market.spec.baseSymbol, price: ladder.mid });
    }
    if (this.random() < 0.5) this.print(ladder);
  }

  /** Trade with orders that the new prices have passed, as a market that moved there would have. */
  private sweep(ladder: Ladder): void {
    for (const side of ['BUY', 'SELL'] as const) {
      const best = ladder.slots.find((slot) => slot.side === side)!;
      this.runner.execute(
        this.order(ladder, {
          tradingAccountId: COUNTERPARTY_ACCOUNT,
          side,
          price: best.price,
          type: 'LIMIT',
          timeInForce: 'IOC',
          quantity: ladder.quantity,
        }),
      );
    }
  }

  /** A small trade against the ladder, so that there are prices to see. */
  private print(ladder: Ladder): void {
    const side: OrderSide = this.random() < 0.5 ? 'BUY' : 'SELL';
    const quantity = ladder.quantity.divide(Decimal.of('10'), ladder.market.spec.quantityPrecision);
    this.runner.execute(
      this.order(ladder, {
        tradingAccountId: COUNTERPARTY_ACCOUNT,
        side,
        price: null,
        type: 'MARKET',
        timeInForce: 'IOC',
        quantity,
      }),
    );
  }

  private layOut(ladder: Ladder): void {
    const { market, mid } = ladder;
    const spacing = market.tickSize.multiply(Decimal.of(SPACING_TICKS));
    const slots: Slot[] = [];
    for (let level = 1; level <= LEVELS; level++) {
      const distance = spacing.multiply(Decimal.of(String(level)));
      const decimals = market.spec.pricePrecision;
      slots.push({ side: 'BUY', price: mid.subtract(distance).trimmed().withScale(decimals), orderId: null });
      slots.push({ side: 'SELL', price: mid.add(distance).trimmed().withScale(decimals), orderId: null });
    }
    ladder.slots = slots.filter(({ price }) => price.isPositive());
  }

  /** Place what is missing from the ladder and renew what was partly traded; what would trade now is left out. */
  private quote(ladder: Ladder, run: (command: VenueCommand) => void): void {
    ladder.isThin = false;
    const { floor } = this.runner;
    for (const slot of ladder.slots) {
      const present = slot.orderId === null ? undefined : floor.orders.get(slot.orderId);
      const isWhole = present !== undefined && isOpen(present) && present.quantityFilled.isZero();
      if (isWhole) continue;
      this.withdraw(slot, run);
      const against = ladder.market.book.bestPrice(slot.side === 'BUY' ? 'SELL' : 'BUY');
      const difference = against === null ? null : slot.price.compare(against);
      if (difference !== null && (slot.side === 'BUY' ? difference >= 0 : difference <= 0)) {
        ladder.isThin = true;
        continue;
      }
      const command = this.order(ladder, {
        tradingAccountId: MARKET_MAKER_ACCOUNT,
        side: slot.side,
        price: slot.price,
        type: 'POST_ONLY',
        timeInForce: 'GTC',
        quantity: ladder.quantity,
      });
      slot.orderId = command.orderId;
      this.byOrder.set(command.orderId, ladder);
      run(command);
    }
  }

  private withdraw(slot: Slot, run: (command: VenueCommand) => void): void {
    const { orderId } = slot;
    if (orderId === null) return;
    slot.orderId = null;
    this.byOrder.delete(orderId);
    const order = this.runner.floor.orders.get(orderId);
    if (order === undefined || !isOpen(order)) return;
    run({
      kind: 'cancel',
      requestId: this.nextId(),
      tradingAccountId: MARKET_MAKER_ACCOUNT,
      symbol: order.market.symbol,
      orderId,
      clientOrderId: null,
    });
  }

  /** Offer one level's quantity on each side of the reference, so that an auction has somebody to cross with. */
  private joinAuction(symbol: string, run: (command: VenueCommand) => void): void {
    const ladder = this.ladders.get(symbol);
    if (ladder === undefined) return;
    const { market, quantity } = ladder;
    const decimals = market.spec.pricePrecision;
    const sell = floorToTick(this.runner.floor.referencePrice(market), market.tickSize);
    const buy = sell.subtract(market.tickSize);
    const joining = { tradingAccountId: MARKET_MAKER_ACCOUNT, type: 'LIMIT', timeInForce: 'GTX', quantity } as const;
    run(this.order(ladder, { ...joining, side: 'SELL', price: sell.trimmed().withScale(decimals) }));
    run(this.order(ladder, { ...joining, side: 'BUY', price: buy.trimmed().withScale(decimals) }));
  }

  private order(ladder: Ladder, of: OrderOf): CreateCommand {
    return {
      kind: 'create',
      orderId: this.nextId(),
      requestId: this.nextId(),
      clientOrderId: null,
      symbol: ladder.market.spec.symbol,
      stopPrice: null,
      allowBorrow: false,
      auctionId: null,
      ...of,
    };
  }

  private nextId(now: EpochMs = this.runner.now()): string {
    return this.runner.floor.identifiers.next(now);
  }
}
