// An auction in TradingSessionStatus(h) and SecurityStatus(f): session, times, status and words, in the fields of each version
// (rules T3, D4). auction-status.ts decides who receives which message.

import { formatUtcTimestamp } from '../../base/time.ts';
import type { AuctionPhase } from '../../exchange/mod.ts';
import { type MessageDraft, Tag } from '../../wire/mod.ts';
import { isOver } from '../rules/gtx.ts';
import type { SessionState } from '../state/session-state.ts';

/** TradingSessionID(336) of the platform, as the exchange's own FIX has it. */
export const PLATFORM = '1';

/** TradingSessionSubID(625): a scheduled auction, or continuous trading. */
export const AUCTION = '6';
export const CONTINUOUS = '3';

/** SecurityTradingStatus(326). */
export const TradingStatus = {
  Halt: '2',
  PriceIndication: '5',
  Ready: '17',
  NotAvailable: '18',
  Unknown: '20',
  PreCross: '24',
  Cross: '25',
  NoCancel: '27',
  /** Imbalance of the auction that closes: more buyers, more sellers, none. */
  ImbalanceBuy: '9',
  ImbalanceSell: '10',
  NoImbalance: '13',
} as const;

/**
 * SecurityTradingStatus(326) of a phase. 24, 25 and 27 exist in 5.0SP2. Before it lockdown is 5, Price Indication: the
 * exchange publishes its indicative price only then (**assumed**).
 */
export function securityTradingStatus({ version }: SessionState, { phase }: AuctionPhase): string {
  switch (phase) {
    case 'ACCUMULATION':
      return version.hasLateFields ? TradingStatus.PreCross : TradingStatus.Ready;
    case 'LOCKDOWN':
      return version.hasLateFields ? TradingStatus.NoCancel : TradingStatus.PriceIndication;
    case 'CROSS':
      return version.hasLateFields ? TradingStatus.Cross : TradingStatus.Ready;
    case 'COOLING':
      return TradingStatus.Ready;
  }
}

/** TradSesStatus(340) of an auction: before it opens 4, open 2, no change of orders any more 5 (pre-close), at the cross 3. */
export function tradSesStatus(phase: AuctionPhase): string {
  // The market trades on without the auction.
  if (isOver(phase)) return '2';
  switch (phase.phase) {
    case 'COOLING':
      return '4';
    case 'ACCUMULATION':
      return '2';
    case 'LOCKDOWN':
      return '5';
    case 'CROSS':
      return '3';
  }
}

/**
 * TradingSessionID(336) and TradingSessionSubID(625) of an auction in f and in entries of market data: its id where 336
 * is free text, which 5.0 and later enumerate.
 */
export function addAuctionSession(
  draft: MessageDraft,
  { version }: Pick<SessionState, 'version'>,
  auctionId: string,
): void {
  if (version.namesAuction || !version.hasParties) draft.add(Tag.TradingSessionID, auctionId);
  if (version.hasParties) {
    // 5.0SP2 wants its session beside a part of it.
    if (!version.namesAuction) draft.add(Tag.TradingSessionID, PLATFORM);
    draft.add(Tag.TradingSessionSubID, AUCTION);
  }
}

/** It starts and takes orders (341, 342), keeps them from lockdown on (343), ends with its cross (344, 345). */
export function addAuctionTimes(draft: MessageDraft, phase: AuctionPhase): void {
  const { startTime, lockdownTime, scheduledCrossTime } = phase;
  const times: [tag: number, at: number][] = [
    [Tag.TradSesStartTime, startTime],
    [Tag.TradSesOpenTime, startTime],
    [Tag.TradSesPreCloseTime, lockdownTime],
    [Tag.TradSesCloseTime, scheduledCrossTime],
    [Tag.TradSesEndTime, scheduledCrossTime],
  ];
  // 0: the exchange did not say.
  for (const [tag, at] of times) if (at > 0) draft.addTime(tag, at);
}

/** The phase in words; `symbol` is the session's name of the market. */
export function auctionText(symbol: string, phase: AuctionPhase): string {
  const name = `Auction ${phase.auctionId} of ${symbol}`;
  if (phase.eventType === 'AUCTION_CROSS_POSTPONED') return `${name}: its cross is postponed, GTX orders stay`;
  if (isOver(phase)) return `${name} is over`;
  const cancel = phase.cancelAuctionOrderEnabled ? 'may' : 'may not';
  const crossing = `cross at ${formatUtcTimestamp(phase.scheduledCrossTime)}`;
  return `${name} is in phase ${phase.phase}: GTX orders ${cancel} be cancelled; ${crossing}`;
}
