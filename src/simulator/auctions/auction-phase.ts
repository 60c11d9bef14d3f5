// Phases of one symbol's auction: COOLING → ACCUMULATION → LOCKDOWN → CROSS, by its schedule or by hand.
//
//   COOLING ──start──► ACCUMULATION ──lockdown──► LOCKDOWN ──cross──► CROSS ──next auction──► COOLING
//                                                  └─postponed─┘
//
// auction.ts has the participating orders and their trades.

import type { EpochMs } from '../../base/time.ts';
import type { AuctionPhaseName } from '../../exchange/mod.ts';
import type { IdentifierSequence } from '../venue/identifier.ts';
import type { AuctionEventType, AuctionView } from '../venue/venue-view.ts';

/** Lengths of the phases in milliseconds; `manual` leaves every step to the control call. */
export interface AuctionSchedule {
  readonly coolingMs: number;
  readonly accumulationMs: number;
  readonly lockdownMs: number;
  /** Interval of the imbalance updates during lockdown. */
  readonly noiiMs: number;
  readonly manual: boolean;
}

export class Auction {
  readonly symbol: string;
  schedule: AuctionSchedule;
  private readonly identifiers: IdentifierSequence;
  auctionId = '';
  phase: AuctionPhaseName = 'COOLING';
  private eventType: AuctionEventType | null = null;
  private startTime: EpochMs = 0;
  private lockdownTime: EpochMs = 0;
  private scheduledCrossTime: EpochMs = 0;
  private message: string | null = null;
  private createdAt: EpochMs = 0;
  private updatedAt: EpochMs = 0;
  /** When the next imbalance update is due; null outside lockdown. */
  noiiAt: EpochMs | null = null;
  /** The last announced state, which a new subscriber of the phase topic receives. */
  announced: AuctionView | null = null;

  constructor(symbol: string, schedule: AuctionSchedule, identifiers: IdentifierSequence, now: EpochMs) {
    this.symbol = symbol;
    this.schedule = schedule;
    this.identifiers = identifiers;
    this.plan(now);
  }

  /** When the phase ends by itself; null where it is moved by hand. */
  phaseEndsAt(): EpochMs | null {
    if (this.schedule.manual) return null;
    switch (this.phase) {
      case 'COOLING':
        return this.startTime;
      case 'ACCUMULATION':
        return this.lockdownTime;
      case 'LOCKDOWN':
        return this.scheduledCrossTime;
      case 'CROSS':
        return this.updatedAt;
    }
  }

  createEnabled(): boolean {
    return this.phase === 'ACCUMULATION' || this.phase === 'LOCKDOWN';
  }

  /** Amending and cancelling stop when lockdown begins (exchange reference §7.3). */
  changeEnabled(): boolean {
    return this.phase === 'ACCUMULATION';
  }

  start(now: EpochMs): AuctionView {
    this.phase = 'ACCUMULATION';
    this.startTime = now;
    this.lockdownTime = now + this.schedule.accumulationMs;
    this.scheduledCrossTime = this.lockdownTime + this.schedule.lockdownMs;
    return this.announce('AUCTION_STARTED', now);
  }

  lockDown(now: EpochMs): AuctionView {
    this.phase = 'LOCKDOWN';
    this.lockdownTime = now;
    this.scheduledCrossTime = now + this.schedule.lockdownMs;
    this.noiiAt = now;
    return this.announce('AUCTION_LOCKDOWN', now);
  }

  /** Put the cross off; the phase stays. Only meaningful before the cross. */
  postpone(byMs: number, message: string, now: EpochMs): AuctionView {
    this.scheduledCrossTime += byMs;
    if (this.phase === 'ACCUMULATION') this.lockdownTime += byMs;
    this.message = message;
    return this.announce('AUCTION_CROSS_POSTPONED', now);
  }

  cross(now: EpochMs): AuctionView {
    this.phase = 'CROSS';
    this.noiiAt = null;
    return this.announce('AUCTION_CROSS_COMPLETED', now);
  }

  /** Begin the next auction in COOLING; nothing is announced until it starts. */
  plan(now: EpochMs): void {
    this.auctionId = this.identifiers.next(now);
    this.phase = 'COOLING';
    this.eventType = null;
    this.message = null;
    this.startTime = now + this.schedule.coolingMs;
    this.lockdownTime = this.startTime + this.schedule.accumulationMs;
    this.scheduledCrossTime = this.lockdownTime + this.schedule.lockdownMs;
    this.createdAt = now;
    this.updatedAt = now;
  }

  view(): AuctionView {
    return {
      auctionId: this.auctionId,
      symbol: this.symbol,
      phase: this.phase,
      eventType: this.eventType,
      startTime: this.startTime,
      lockdownTime: this.lockdownTime,
      scheduledCrossTime: this.scheduledCrossTime,
      createAuctionOrderEnabled: this.createEnabled(),
      amendAuctionOrderEnabled: this.changeEnabled(),
      cancelAuctionOrderEnabled: this.changeEnabled(),
      message: this.message,
      createdAt: this.createdAt,
      updatedAt: this.updatedAt,
    };
  }

  private announce(eventType: AuctionEventType, now: EpochMs): AuctionView {
    this.eventType = eventType;
    this.updatedAt = now;
    this.announced = this.view();
    return this.announced;
  }
}
