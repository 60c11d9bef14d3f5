// Negotiated (OTC) trades as values, with every status, read leniently from REST answers.

import type { EpochMs } from '../base/time.ts';
import type { OrderSide } from './command.ts';
import { toAmount, toBoolean, toEpochMs, toId, toObject, toText } from './json.ts';

/** One leg; amounts are decimal strings. `tradeId` and fees are there once it is matched. */
export interface OtcTradeLeg {
  readonly tradeId: string | null;
  readonly symbol: string;
  readonly side: OrderSide;
  readonly price: string;
  readonly quantity: string;
  readonly baseFee: string | null;
  readonly quoteFee: string | null;
  readonly isTaker: boolean | null;
}

/** A negotiated trade (exchange catalogue, OtcTradeView; trading-api.md, OTC trade). */
export interface OtcTrade {
  readonly otcTradeId: string;
  readonly clientOtcTradeId: string | null;
  readonly tradingAccountId: string;
  readonly otcMatchId: string | null;
  readonly sharedMatchKey: string | null;
  /** As the exchange says it (`OtcTradeExternalStatus`). */
  readonly status: string;
  readonly statusReason: string | null;
  /** Short code of the broker, or null. */
  readonly brokeredBy: string | null;
  readonly remarks: string | null;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs | null;
  readonly legs: readonly OtcTradeLeg[];
}

function decodeLeg(json: unknown): OtcTradeLeg | null {
  const l = toObject(json);
  const symbol = toText(l?.symbol);
  const price = toAmount(l?.price);
  const quantity = toAmount(l?.quantity);
  if (l === null || symbol === null || price === null || quantity === null) return null;
  if (l.side !== 'BUY' && l.side !== 'SELL') return null;
  const fees = { baseFee: toAmount(l.baseFee), quoteFee: toAmount(l.quoteFee) };
  return { tradeId: toId(l.tradeId), symbol, side: l.side, price, quantity, ...fees, isTaker: toBoolean(l.isTaker) };
}

/** Read a negotiated trade; null without id, status or a readable leg. */
export function decodeOtcTrade(json: unknown, tradingAccountId: string): OtcTrade | null {
  const t = toObject(json);
  const otcTradeId = toId(t?.otcTradeId);
  const status = toText(t?.status);
  if (t === null || otcTradeId === null || status === null || !Array.isArray(t.trades)) return null;
  const legs = t.trades.map(decodeLeg);
  if (!legs.every((leg) => leg !== null)) return null;
  return {
    otcTradeId,
    clientOtcTradeId: toId(t.clientOtcTradeId),
    tradingAccountId: toId(t.tradingAccountId) ?? tradingAccountId,
    otcMatchId: toId(t.otcMatchId),
    sharedMatchKey: toText(t.sharedMatchKey),
    status,
    statusReason: toText(t.statusReason),
    brokeredBy: toText(t.brokeredBy),
    remarks: toText(t.remarks),
    createdAt: toEpochMs(t.createdAtTimestamp) ?? toEpochMs(t.createdAtDatetime) ?? 0,
    expiresAt: toEpochMs(t.expireTimestamp) ?? toEpochMs(t.expireDatetime),
    legs,
  };
}
