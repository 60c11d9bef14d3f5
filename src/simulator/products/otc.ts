// OTC trades: two parties enter the same trade under one key, or a broker enters both sides, and the venue settles it.
//
//   own entry:  COUNTERPARTY_PENDING ──mirror arrives──► COUNTERPARTY_PAIRED ► RISK_PENDING ► MATCHED | REJECTED
//   by broker:  APPROVAL_PENDING ──approved──► COUNTERPARTY_PAIRED ──other side too──► RISK_PENDING ► MATCHED | REJECTED
//   anything not yet matched: CANCELLED by its owner, its broker, or when its time is over
//
// The state of a broker's half-approved trade is **assumed**. rest/otc.ts refuses invalid requests.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Floor } from '../venue/floor.ts';
import { exchangeAssets, type Fill, lockOf, recordSide } from '../venue/settlement.ts';
import type { TradeView } from '../venue/venue-view.ts';
import {
  type NewOtcTrade,
  OTC_OK,
  type OtcCommand,
  type OtcLeg,
  OtcReason,
  type OtcStatus,
  type OtcTrade,
} from './otc-book.ts';

/** How long an unmatched trade waits (**assumed**). */
export const OTC_VALIDITY_MS = 86_400_000;
/** When the next unmatched trade expires, or null. */
export function otcDeadline(floor: Floor): EpochMs | null {
  for (const trade of floor.otc.pending) return trade.expiresAt;
  return null;
}

export function expireOtc(floor: Floor, now: EpochMs): void {
  for (const trade of [...floor.otc.pending]) {
    if (trade.expiresAt > now) return;
    close(floor, trade, 'CANCELLED', OtcReason.expired);
  }
}

export function handleOtc(floor: Floor, command: OtcCommand, now: EpochMs): void {
  switch (command.kind) {
    case 'otcCreate':
      for (const side of command.sides) enter(floor, side, now);
      return;
    case 'otcApprove': {
      const trade = floor.otc.trades.get(command.otcTradeId);
      if (trade?.status === 'APPROVAL_PENDING') proceed(floor, trade, now);
      return;
    }
    case 'otcCancel':
      for (const otcTradeId of command.otcTradeIds) {
        const trade = floor.otc.trades.get(otcTradeId);
        if (trade !== undefined && isCancellable(trade)) cancel(floor, trade, command.byBroker);
      }
      return;
    case 'otcRemark':
      for (const otcTradeId of command.otcTradeIds) {
        const trade = floor.otc.trades.get(otcTradeId);
        if (trade !== undefined) trade.idbRemarks = command.idbRemarks;
      }
      return;
    case 'otcHold':
      hold(floor, command.hold, now);
      return;
  }
}

/** Cancel a side; the other side of a broker's trade goes with it. */
function cancel(floor: Floor, trade: OtcTrade, byBroker: boolean): void {
  const other = trade.brokeredBy === null ? null : floor.otc.other(trade);
  close(floor, trade, 'CANCELLED', byBroker ? OtcReason.byBroker : OtcReason.byUser);
  if (other === null || !isCancellable(other)) return;
  close(floor, other, 'CANCELLED', byBroker ? OtcReason.byBroker : OtcReason.byCounterparty);
}

export function isCancellable({ status }: OtcTrade): boolean {
  return status === 'APPROVAL_PENDING' || status === 'COUNTERPARTY_PENDING' || status === 'COUNTERPARTY_PAIRED';
}

function enter(floor: Floor, side: NewOtcTrade, now: EpochMs): void {
  const { refuseWith = null, ...given } = side;
  const trade: OtcTrade = { ...given, reason: OTC_OK, fills: [], createdAt: now, expiresAt: now + OTC_VALIDITY_MS };
  floor.otc.add(trade);
  if (refuseWith !== null) close(floor, trade, 'REJECTED', refuseWith);
  else if (trade.status !== 'APPROVAL_PENDING') proceed(floor, trade, now);
}

/** Pair a side with its mirror if that one is ready too. */
function proceed(floor: Floor, trade: OtcTrade, now: EpochMs): void {
  if (trade.brokeredBy !== null) trade.status = 'COUNTERPARTY_PAIRED';
  const other = floor.otc.other(trade);
  if (other === null) {
    const mismatch = floor.otc.mismatch(trade);
    if (mismatch !== null) close(floor, trade, 'REJECTED', mismatch);
    return;
  }
  if (other.status === 'APPROVAL_PENDING' || other.status === 'RISK_PENDING') return;
  for (const side of [trade, other]) side.status = 'RISK_PENDING';
  if (!floor.otc.holds) decide(floor, trade, other, now);
}

function hold(floor: Floor, holds: boolean, now: EpochMs): void {
  floor.otc.holds = holds;
  if (holds) return;
  for (const trade of [...floor.otc.pending]) {
    if (trade.status !== 'RISK_PENDING') continue;
    const other = floor.otc.other(trade);
    if (other?.status === 'RISK_PENDING') decide(floor, trade, other, now);
  }
}

/** Settle a pair if its markets still trade and both can pay for it, else reject both. */
function decide(floor: Floor, a: OtcTrade, b: OtcTrade, now: EpochMs): void {
  if (!a.legs.every(({ symbol }) => isBookable(floor, symbol))) {
    for (const side of [a, b]) close(floor, side, 'REJECTED', OtcReason.bookingRefused);
    return;
  }
  const refusals = [fundsRefusal(floor, a), fundsRefusal(floor, b)] as const;
  if (refusals.some((reason) => reason !== null)) {
    for (const [i, side] of [a, b].entries()) {
      close(floor, side, 'REJECTED', refusals[i] ?? OtcReason.counterpartyAtFault);
    }
    return;
  }
  const otcMatchId = floor.identifiers.next(now);
  const fills = new Map<OtcTrade, TradeView[]>([
    [a, []],
    [b, []],
  ]);
  for (const leg of a.legs) {
    const [buyer, seller] = leg.side === 'BUY' ? [a, b] : [b, a];
    const { spec } = floor.markets.get(leg.symbol)!;
    const fill: Fill = {
      tradeId: floor.identifiers.next(now),
      price: leg.price,
      quantity: leg.quantity,
      auctionId: null,
      takerSide: null,
      at: now,
    };
    exchangeAssets(floor, spec, buyer.tradingAccountId, seller.tradingAccountId, fill);
    for (const side of [buyer, seller]) {
      const party = {
        // No order stands behind it: the trade's own id takes the place (**assumed**).
        orderId: side.otcTradeId,
        clientOrderId: null,
        tradingAccountId: side.tradingAccountId,
        side: side === buyer ? ('BUY' as const) : ('SELL' as const),
        isTaker: side.isTaker,
        rate: rateOf(floor, side),
        otcMatchId,
        otcTradeId: side.otcTradeId,
        clientOtcTradeId: side.clientOtcTradeId,
      };
      fills.get(side)!.push(recordSide(floor, spec, party, fill));
    }
    recordOptionLeg(floor, leg, fill, buyer.isTaker ? buyer : seller);
  }
  for (const [side, list] of fills) {
    side.fills = list;
    close(floor, side, 'MATCHED', OTC_OK);
  }
}

function recordOptionLeg(floor: Floor, leg: OtcLeg, fill: Fill, taker: OtcTrade): void {
  if (floor.markets.get(leg.symbol)!.spec.marketType !== 'OPTION') return;
  const { tradeId, price, quantity, at } = fill;
  const side = taker.legs.find(({ symbol }) => symbol === leg.symbol)?.side ?? leg.side;
  const trade = { tradeId, symbol: leg.symbol, price, quantity, side, isTaker: true, auctionId: null, createdAt: at };
  floor.histories.optionTrades.push({ trade, otcTradeId: taker.otcTradeId });
}

function rateOf(floor: Floor, side: OtcTrade): string {
  const account = floor.ledger.account(side.tradingAccountId);
  const rate = Decimal.of((side.isTaker ? account?.takerOtcFee : account?.makerOtcFee) ?? '0');
  const broker = side.brokeredBy === null ? Decimal.ZERO : Decimal.of(account?.brokerFee ?? '0');
  return rate.add(broker).toString();
}

function isBookable(floor: Floor, symbol: string): boolean {
  const market = floor.markets.get(symbol)!;
  return market.expired === null && market.flags.marketEnabled;
}

/** Why a side cannot pay for its legs, margin first and then fees; null if it can. */
function fundsRefusal(floor: Floor, side: OtcTrade): number | null {
  const { tradingAccountId } = side;
  const margin = new Map<string, Decimal>();
  const withFees = new Map<string, Decimal>();
  const add = (to: Map<string, Decimal>, asset: string, amount: Decimal): void => {
    to.set(asset, (to.get(asset) ?? Decimal.ZERO).add(amount));
  };
  const rate = Decimal.of(rateOf(floor, side));
  for (const leg of side.legs) {
    const { spec } = floor.markets.get(leg.symbol)!;
    const { asset, perUnit } = lockOf(spec, leg.side, leg.price);
    const locked = perUnit.multiply(leg.quantity);
    add(margin, asset, locked);
    add(withFees, asset, locked);
    if (rate.isPositive()) add(withFees, spec.quoteSymbol, leg.price.multiply(leg.quantity).multiply(rate));
  }
  const affords = (needed: Map<string, Decimal>): boolean =>
    [...needed].every(([asset, amount]) => floor.ledger.affords(tradingAccountId, asset, amount, false));
  if (affords(withFees)) return null;
  if (affords(margin)) return OtcReason.feeBorrowingUnavailable;
  const owes = floor.ledger
    .assets(tradingAccountId)
    .some((asset) => floor.ledger.balance(tradingAccountId, asset).total.isNegative());
  return owes ? OtcReason.openLoans : OtcReason.leverageReached;
}

function close(floor: Floor, trade: OtcTrade, status: OtcStatus, reason: OtcTrade['reason']): void {
  trade.status = status;
  trade.reason = reason;
  floor.otc.pending.delete(trade);
}
