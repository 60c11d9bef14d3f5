// Endpoints of OTC trades for the parties themselves: create, approve, cancel, lists, pending confirmations. Those of
// brokers are idb.ts; how a trade proceeds is otc.ts.

import { Decimal } from '../../base/decimal.ts';
import { formatIso } from '../../base/time.ts';
import { statusReasonText } from '../../exchange/mod.ts';
import { isCancellable, OTC_VALIDITY_MS } from '../products/otc.ts';
import {
  mirrored,
  type NewOtcTrade,
  OTC_PENDING_MAX,
  type OtcLeg,
  OtcReason,
  type OtcTrade,
} from '../products/otc-book.ts';
import type { Floor } from '../venue/floor.ts';
import { CommandFields } from './command-reading.ts';
import { historyRange, isWithin, onlyFilters, page, timeRange } from './page.ts';
import { invalidRequest, notFound, Refusal } from './refusal.ts';
import { codedRefusal } from './rejection.ts';
import { amount, type Json, moment, quotePrecision, tradeAmounts } from './rendering.ts';
import { loginOf, ownAccounts, queriedAccount, type Route, type RouteRequest } from './route.ts';

const LEGS_MAX = 25;
const REMARKS_LENGTH_MAX = 255;
export const OTC_STATUSES = [
  'APPROVAL_PENDING',
  'COUNTERPARTY_PENDING',
  'COUNTERPARTY_PAIRED',
  'RISK_PENDING',
  'MATCHED',
  'CANCELLED',
  'REJECTED',
];

/** A refusal with a code of the OTC registry (exchange catalogue, Appendix D). */
export const otcRefusal = (code: number, name: string, message: string): Refusal =>
  new Refusal(400, code, name, message);

/** The signed command of a request, by a user who may trade OTC. @throws Refusal */
export function commandFields(request: RouteRequest): CommandFields {
  const { host, signed, now } = request;
  if (signed === null) throw invalidRequest('The request is not signed');
  // Books that were remembered by an earlier version have users that say nothing about it.
  if (loginOf(request).key.user.mayTradeOtc === false) {
    throw otcRefusal(9018, 'UNAUTHORIZED_TO_TRADE_OTC', 'The user may not trade OTC');
  }
  const refusedWith = host.faults.takeRejection('otc');
  if (refusedWith !== null) throw codedRefusal(refusedWith);
  return new CommandFields(host, loginOf(request), signed, now);
}

function required(fields: CommandFields, name: string): string {
  const value = fields.text(name);
  if (value === null) throw otcRefusal(9001, 'MISSING_FIELDS', `${name} is missing`);
  return value;
}

export function sharedMatchKey(fields: CommandFields): string {
  const key = required(fields, 'sharedMatchKey');
  if (!/^[A-Za-z0-9]{12,64}$/.test(key)) {
    throw otcRefusal(9002, 'INVALID_SHARED_MATCH_KEY', 'sharedMatchKey must be 12 to 64 letters and digits');
  }
  return key;
}

function numericId(value: string | null, name: string, code: number): string | null {
  if (value === null) return null;
  if (!/^[1-9]\d{0,18}$/.test(value)) throw otcRefusal(code, 'INVALID_ID', `${name} must be digits`);
  return value;
}

/** A text of at most 255 characters. @throws Refusal */
export function remark(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > REMARKS_LENGTH_MAX) {
    throw otcRefusal(9019, 'INVALID_REMARKS', `${name} must be a text of at most ${REMARKS_LENGTH_MAX} characters`);
  }
  return value;
}

/** The legs of a trade: derivatives, at most 25, each market once. @throws Refusal */
export function readLegs(fields: CommandFields): OtcLeg[] {
  const list = fields.fields.trades;
  if (!Array.isArray(list) || list.length === 0) throw otcRefusal(9001, 'MISSING_FIELDS', 'trades is missing');
  if (list.length > LEGS_MAX) throw otcRefusal(9005, 'TOO_MANY_TRADES', `At most ${LEGS_MAX} trades at once`);
  const legs = list.map((leg: unknown) => readLeg(fields, leg));
  if (new Set(legs.map(({ symbol }) => symbol)).size < legs.length) {
    throw otcRefusal(9021, 'DUPLICATE_MARKET', 'Two trades are in the same market');
  }
  return legs;
}

function readLeg(fields: CommandFields, leg: unknown): OtcLeg {
  const given: Readonly<Record<string, unknown>> = typeof leg === 'object' && leg !== null ? { ...leg } : {};
  const { symbol, side, price, quantity } = given;
  const market = typeof symbol === 'string' ? fields.host.runner.floor.markets.get(symbol) : undefined;
  if (market === undefined || market.expired !== null) {
    throw otcRefusal(9009, 'INVALID_SYMBOL', 'symbol is not a market that can be traded');
  }
  if (side !== 'BUY' && side !== 'SELL') throw otcRefusal(9003, 'INVALID_SIDE', 'side is neither BUY nor SELL');
  const { pricePrecision, quantityPrecision } = market.spec;
  if (market.spec.marketType === 'SPOT') {
    throw otcRefusal(9017, 'INVALID_MARKET_TYPE', 'Only derivatives can be traded OTC');
  }
  const positive = (value: unknown, decimals: number): Decimal | null => {
    const found = typeof value === 'string' ? Decimal.parse(value) : null;
    return found?.isPositive() === true && found.significantDecimals() <= decimals
      ? found.trimmed().withScale(decimals)
      : null;
  };
  const exactQuantity = positive(quantity, quantityPrecision);
  if (exactQuantity === null) throw otcRefusal(9006, 'INVALID_QUANTITY', 'quantity is not positive or too fine');
  const exactPrice = positive(price, pricePrecision);
  if (exactPrice === null) throw otcRefusal(9007, 'INVALID_PRICE', 'price is not positive or too fine');
  return { symbol: market.spec.symbol, side, price: exactPrice, quantity: exactQuantity };
}

/** @throws Refusal if there is no room for more unmatched trades */
export function checkRoom(floor: Floor): void {
  if (floor.otc.pending.size >= OTC_PENDING_MAX) throw otcRefusal(9999, 'UNKNOWN_ERROR', 'Too many unmatched trades');
}

/** The commandType, which must be one of `types`. @throws Refusal 9029 */
export function expectCommand(fields: CommandFields, types: readonly string[]): string {
  const commandType = required(fields, 'commandType');
  if (!types.includes(commandType)) throw otcRefusal(9029, 'INVALID_COMMAND_TYPE', 'commandType is not valid here');
  return commandType;
}

function create(request: RouteRequest): Json {
  const fields = commandFields(request);
  expectCommand(fields, ['V1CreateOtcTrade']);
  checkRoom(request.floor);
  const tradingAccountId = fields.account();
  const key = sharedMatchKey(fields);
  const clientOtcTradeId = numericId(fields.text('clientOtcTradeId'), 'clientOtcTradeId', 9004);
  if (clientOtcTradeId !== null && byClientId(request.floor, tradingAccountId, clientOtcTradeId) !== null) {
    throw otcRefusal(9024, 'OTC_TRADE_EXISTS', 'clientOtcTradeId was used before');
  }
  const { isTaker } = fields.fields;
  if (typeof isTaker !== 'boolean') throw otcRefusal(9001, 'MISSING_FIELDS', 'isTaker must be true or false');
  const underKey = [...request.floor.otc.trades.values()].filter(
    (trade) => trade.sharedMatchKey === key && (trade.status === 'MATCHED' || trade.status === 'RISK_PENDING'),
  );
  if (underKey.length > 0) throw otcRefusal(9025, 'SHARED_MATCH_KEY_USED', 'sharedMatchKey was used before');
  const legs = readLegs(fields);
  const otcTradeId = fields.nextId();
  const requestId = fields.nextId();
  const side: NewOtcTrade = {
    otcTradeId,
    requestId,
    clientOtcTradeId,
    tradingAccountId,
    sharedMatchKey: key,
    isTaker,
    remarks: remark(fields.fields.remarks, 'remarks'),
    idbRemarks: null,
    brokeredBy: null,
    legs,
    status: 'COUNTERPARTY_PENDING',
    refuseWith: request.host.faults.takeRejection('otcTrade'),
  };
  request.host.runner.execute({ kind: 'otcCreate', sides: [side] });
  const message = 'Command acknowledged - CreateOtcTrade';
  return { message, requestId, otcTradeId, clientOtcTradeId, sharedMatchKey: key };
}

function byClientId(floor: Floor, account: string, clientOtcTradeId: string): OtcTrade | null {
  for (const trade of floor.otc.trades.values()) {
    if (trade.tradingAccountId === account && trade.clientOtcTradeId === clientOtcTradeId) return trade;
  }
  return null;
}

/** The trade that a command names by exactly one of its two ids. @throws Refusal */
function namedTrade(request: RouteRequest, fields: CommandFields): OtcTrade {
  const account = fields.account();
  const otcTradeId = numericId(fields.text('otcTradeId'), 'otcTradeId', 9008);
  const clientOtcTradeId = numericId(fields.text('clientOtcTradeId'), 'clientOtcTradeId', 9004);
  if ((otcTradeId === null) === (clientOtcTradeId === null)) {
    throw otcRefusal(9020, 'MISSING_OTC_TRADE_ID', 'Exactly one of otcTradeId and clientOtcTradeId must be given');
  }
  const trade =
    otcTradeId !== null
      ? (request.floor.otc.trades.get(otcTradeId) ?? null)
      : byClientId(request.floor, account, clientOtcTradeId ?? '');
  if (trade === null || trade.tradingAccountId !== account) {
    throw otcRefusal(9022, 'OTC_TRADE_NOT_FOUND', 'There is no such OTC trade');
  }
  return trade;
}

function command(request: RouteRequest): Json {
  const fields = commandFields(request);
  const { runner } = request.host;
  const commandType = fields.required('commandType');
  switch (commandType) {
    case 'V1ApproveOtcTrade': {
      const trade = namedTrade(request, fields);
      // 9030 or 9032 for an expired trade: **assumed** to be the more exact one.
      if (trade.reason === OtcReason.expired) {
        throw otcRefusal(9032, 'OTC_TRADE_EXPIRED', 'The trade has expired and can no longer be matched');
      }
      if (trade.status !== 'APPROVAL_PENDING') {
        throw otcRefusal(9030, 'NOT_ACCEPTABLE', 'The trade does not wait for an approval');
      }
      runner.execute({ kind: 'otcApprove', otcTradeId: trade.otcTradeId });
      return acknowledged(fields, 'ApproveOtcTrade', trade);
    }
    case 'V1CancelOtcTrade': {
      const trade = namedTrade(request, fields);
      if (!isCancellable(trade)) throw otcRefusal(9030, 'NOT_ACCEPTABLE', 'The trade can no longer be cancelled');
      runner.execute({ kind: 'otcCancel', otcTradeIds: [trade.otcTradeId], byBroker: false });
      return acknowledged(fields, 'CancelOtcTrade', trade);
    }
    case 'V1CancelAllOtcTrades': {
      const tradingAccountId = fields.account();
      const pending = [...request.floor.otc.pending].filter((trade) => trade.tradingAccountId === tradingAccountId);
      const otcTradeIds = pending.map(({ otcTradeId }) => otcTradeId);
      runner.execute({ kind: 'otcCancel', otcTradeIds, byBroker: false });
      return { message: 'Command acknowledged - CancelAllOtcTrades', requestId: fields.nextId(), tradingAccountId };
    }
    default:
      throw otcRefusal(9029, 'INVALID_COMMAND_TYPE', 'commandType is not valid here');
  }
}

function acknowledged(fields: CommandFields, name: string, trade: OtcTrade): Json {
  const { otcTradeId, clientOtcTradeId, tradingAccountId } = trade;
  const message = `Command acknowledged - ${name}`;
  return { message, requestId: fields.nextId(), otcTradeId, clientOtcTradeId, tradingAccountId };
}

function legRequest(floor: Floor, leg: OtcLeg): Json {
  const { spec } = floor.markets.get(leg.symbol)!;
  return {
    symbol: leg.symbol,
    price: amount(leg.price, spec.pricePrecision),
    quantity: amount(leg.quantity, spec.quantityPrecision),
    side: leg.side,
  };
}

/** A leg; the fill's fields are there once the trade is matched. */
export function legJson(floor: Floor, trade: OtcTrade, leg: OtcLeg, index: number): Json {
  const { spec } = floor.markets.get(leg.symbol)!;
  const base = { ...legRequest(floor, leg), isTaker: trade.isTaker };
  const fill = trade.fills[index];
  if (fill === undefined) return base;
  return {
    ...base,
    tradeId: fill.tradeId,
    quoteAmount: amount(fill.quoteAmount, quotePrecision(floor, spec)),
    ...tradeAmounts(floor, fill),
    ...moment('createdAt', fill.createdAt),
  };
}

/** Fields that both views of a trade share. */
export function otcFields(trade: OtcTrade): Json {
  return {
    otcTradeId: trade.otcTradeId,
    tradingAccountId: trade.tradingAccountId,
    sharedMatchKey: trade.sharedMatchKey,
    status: trade.status,
    statusReason: statusReasonText(String(trade.reason)) ?? 'Ok',
    statusReasonCode: String(trade.reason),
    ...moment('createdAt', trade.createdAt),
    expireDatetime: formatIso(trade.expiresAt),
    expireTimestamp: String(trade.expiresAt),
    ...(trade.remarks === null ? {} : { remarks: trade.remarks }),
  };
}

function tradeJson(floor: Floor, trade: OtcTrade): Json {
  const delegation = floor.world.delegations.find(
    ({ tradingAccountId, idbShortCode }) =>
      tradingAccountId === trade.tradingAccountId && idbShortCode === trade.brokeredBy,
  );
  return {
    ...otcFields(trade),
    ...(trade.clientOtcTradeId === null ? {} : { clientOtcTradeId: trade.clientOtcTradeId }),
    // Named by trading-api.md for this resource; there once the trade is matched.
    ...(trade.fills[0] === undefined ? {} : { otcMatchId: trade.fills[0].otcMatchId }),
    ...(trade.brokeredBy === null ? {} : { brokeredBy: trade.brokeredBy }),
    ...(delegation === undefined ? {} : { tradingAccountNickname: delegation.tradingAccountNickname }),
    trades: trade.legs.map((leg, i) => legJson(floor, trade, leg, i)),
  };
}

/** Trades that match the filters of a list, newest first. @throws Refusal */
export function filtered(request: RouteRequest, trades: Iterable<OtcTrade>): OtcTrade[] {
  const { query } = request;
  if (query.status !== undefined && !OTC_STATUSES.includes(query.status)) {
    throw invalidRequest(`status must be one of ${OTC_STATUSES.join(', ')}`);
  }
  const { from, to } = timeRange(query);
  const range = from === null && to === null ? { from, to } : historyRange(request);
  const is = (name: string, value: string | null): boolean => query[name] === undefined || query[name] === value;
  return [...trades]
    .filter(
      (trade) =>
        isWithin(range, trade.createdAt) &&
        is('status', trade.status) &&
        is('sharedMatchKey', trade.sharedMatchKey) &&
        is('clientOtcTradeId', trade.clientOtcTradeId) &&
        is('brokeredBy', trade.brokeredBy),
    )
    .reverse();
}

function list(request: RouteRequest): unknown {
  const account = queriedAccount(request, 'invalid');
  onlyFilters(request, ['status', 'sharedMatchKey', 'clientOtcTradeId', 'brokeredBy']);
  const { floor } = request;
  const found = filtered(request, floor.otc.trades.values()).filter((trade) => trade.tradingAccountId === account);
  return page(
    request,
    found,
    ({ otcTradeId }) => otcTradeId,
    (trade) => tradeJson(floor, trade),
  );
}

function byId(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const trade = request.floor.otc.trades.get(request.params.otcTradeId ?? '');
  if (trade === undefined || trade.tradingAccountId !== account) throw notFound('OTC trade not found');
  return tradeJson(request.floor, trade);
}

/** A counterparty's entry under a key, as this account would have to enter it to match. */
function unconfirmed(request: RouteRequest): Json {
  const account = queriedAccount(request, 'invalid');
  const key = request.query.sharedMatchKey;
  if (key === undefined) throw otcRefusal(9001, 'MISSING_FIELDS', 'sharedMatchKey is missing');
  for (const trade of request.floor.otc.pending) {
    const waits = trade.status === 'COUNTERPARTY_PENDING' && trade.sharedMatchKey === key;
    if (!waits || trade.tradingAccountId === account) continue;
    return {
      sharedMatchKey: key,
      isTaker: !trade.isTaker,
      ...moment('createdAt', trade.createdAt),
      expireDatetime: formatIso(trade.createdAt + OTC_VALIDITY_MS),
      expireTimestamp: String(trade.createdAt + OTC_VALIDITY_MS),
      trades: mirrored(trade.legs).map((leg) => legRequest(request.floor, leg)),
    };
  }
  throw notFound('Nothing waits under this key');
}

/** The user's accounts that brokers may trade for. */
function delegatedAccounts(request: RouteRequest): Json[] {
  const own = new Set(ownAccounts(request));
  return request.floor.world.delegations
    .filter(({ tradingAccountId }) => own.has(tradingAccountId))
    .map(({ tradingAccountId, idbShortCode, tradingAccountNickname, approvalMethod }) => ({
      tradingAccountId,
      idbShortCode,
      tradingAccountNickname,
      approvalMethod,
    }));
}

const TRADES = '/trading-api/v2/otc-trades';
const READ = { method: 'GET', auth: 'login', area: 'otc', limit: 'other' } as const;
const WRITE = { method: 'POST', auth: 'signed', area: 'otc', limit: 'other' } as const;

export const otcRoutes: readonly Route[] = [
  { ...WRITE, path: TRADES, handle: create },
  { ...WRITE, path: '/trading-api/v2/otc-command', handle: command },
  { ...READ, path: TRADES, handle: list },
  { ...READ, path: `${TRADES}/unconfirmed-trade`, handle: unconfirmed },
  { ...READ, path: `${TRADES}/delegated-accounts`, handle: delegatedAccounts },
  { ...READ, path: `${TRADES}/:otcTradeId`, handle: byId },
];
