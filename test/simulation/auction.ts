// The call auction of the simulated exchange: phases in virtual time, what each allows, and the cross, which fills auction
// orders, leaves some unfilled and excludes some. Leaves orders and their frames to exchange.ts.

import { Decimal } from '../../src/base/decimal.ts';
import type { AuctionPhase, ExchangeOrderStatus } from '../../src/exchange/mod.ts';
import type { VenueOrder } from './exchange.ts';
import type { Faults, Randomness } from './randomness.ts';
import type { Scheduler } from './scheduler.ts';

/** The auction's effect on the exchange. */
export interface AuctionFloor {
  /** Open orders of the auction. */
  orders(): readonly VenueOrder[];
  fill(order: VenueOrder, quantity: Decimal): void;
  end(order: VenueOrder, status: ExchangeOrderStatus, code: string): void;
  tell(phase: AuctionPhase): void;
}

export class Auction {
  readonly #scheduler: Scheduler;
  readonly #random: Randomness;
  readonly #faults: Faults;
  readonly #floor: AuctionFloor;
  #number = 1;
  phase: AuctionPhase;
  crosses = 0;

  constructor(scheduler: Scheduler, random: Randomness, faults: Faults, floor: AuctionFloor) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#faults = faults;
    this.#floor = floor;
    this.phase = this.#phaseOf('COOLING', 'AUCTION_CROSS_COMPLETED');
    this.#after(500, 3_000, () => this.#accumulate());
  }

  get takesOrders(): boolean {
    return this.phase.createAuctionOrderEnabled;
  }

  get locked(): boolean {
    return this.phase.phase === 'LOCKDOWN';
  }

  #after(from: number, to: number, run: () => void): void {
    this.#scheduler.after(this.#random.between(from, to), run);
  }

  #phaseOf(phase: AuctionPhase['phase'], eventType: AuctionPhase['eventType']): AuctionPhase {
    const { now } = this.#scheduler;
    const open = phase === 'ACCUMULATION';
    return {
      auctionId: `BTCUSDC-${this.#number}`,
      symbol: 'BTCUSDC',
      eventType,
      phase,
      startTime: now,
      lockdownTime: now,
      scheduledCrossTime: now,
      createAuctionOrderEnabled: open,
      amendAuctionOrderEnabled: open,
      cancelAuctionOrderEnabled: open,
      message: null,
    };
  }

  #enter(phase: AuctionPhase['phase'], eventType: AuctionPhase['eventType']): void {
    this.phase = this.#phaseOf(phase, eventType);
    this.#floor.tell(this.phase);
  }

  #accumulate(): void {
    // While everything comes to rest no auction begins: its cross could fall behind the last comparison.
    if (!this.#faults.on) return;
    this.#number++;
    this.#enter('ACCUMULATION', 'AUCTION_STARTED');
    this.#after(2_000, 8_000, () => this.#lock());
  }

  #lock(): void {
    this.#enter('LOCKDOWN', 'AUCTION_LOCKDOWN');
    this.#after(200, 2_000, () => this.#crossOrPostpone());
  }

  #crossOrPostpone(): void {
    if (this.#faults.strikes('crossPostponed', 0.15)) {
      this.#enter('LOCKDOWN', 'AUCTION_CROSS_POSTPONED');
      this.#after(200, 2_000, () => this.#crossOrPostpone());
      return;
    }
    this.crosses++;
    for (const order of this.#floor.orders()) this.#crossOne(order);
    this.#enter('CROSS', 'AUCTION_CROSS_COMPLETED');
    this.#after(500, 3_000, () => this.#accumulate());
  }

  /** Filled, filled in part, unfilled (6021), outside the collar (6022), or cancelled in bulk (6024): no order goes on (T3). */
  #crossOne(order: VenueOrder): void {
    const random = this.#random;
    if (this.#faults.strikes('excludedAtCross', 0.15)) {
      this.#floor.end(order, 'CANCELLED', random.pick(['6022', '6024']));
      return;
    }
    const share = random.next();
    if (share < 0.5) this.#floor.fill(order, order.quantity);
    else if (share < 0.75) this.#floor.fill(order, new Decimal(BigInt(random.between(1, 9)), 1));
    const isFilled = order.filled.equals(order.quantity);
    this.#floor.end(order, 'CLOSED', isFilled ? '6002' : '6021');
  }
}
