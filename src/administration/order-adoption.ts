// Has a session adopt external orders at the exchange (rule O11). It reads the open orders and their trades. The
// ClOrdID that the counterparty uses comes from the session's stored messages, if the previous engine's store was
// imported. The gateway defines an adopted order.

import type { ExchangeOrder, ExchangeTrade } from '../exchange/mod.ts';
import type { Adoption } from '../gateway/mod.ts';
import type { RunningEngine } from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import { acceptedClOrdID, isStatusReport, MsgType, refusesRepetition, Tag, viewOf } from '../wire/mod.ts';

/** Orders taken over in one go. */
const ORDERS_MAX = 500;
/** Limit of their number and time: each may take many queries, and the caller waits. */
const TAKEN_WITHIN_MS = 15_000;
/** Latest messages of the session that are searched for ClOrdIDs, and how many are read at a time. */
const MESSAGES_MAX = 200_000;
const MESSAGES_PER_READ = 2_000;

/** Which orders; everything that is given must match. */
export interface AdoptionRequest {
  /** Account(1) as the session calls it, or the trading account; all of the session's accounts if null. */
  readonly account: string | null;
  /** The exchange's name, or the session's. */
  readonly symbol: string | null;
  /** Ids of the exchange; empty for all open external orders. */
  readonly orderIDs: readonly string[];
}

/** The operator who adopts, and the reason. */
interface Operator {
  readonly who: string;
  readonly why: string;
}

export interface AdoptedOrder {
  readonly orderID: string;
  readonly clOrdID: string;
  /** Whether the session's own messages say that ClOrdID; else it is derived. */
  readonly isFromStore: boolean;
  readonly symbol: string;
  readonly side: string;
  readonly orderQty: string;
  readonly cumQty: string;
}

export interface AdoptionResult {
  readonly adopted: readonly AdoptedOrder[];
  readonly refused: readonly { readonly orderID: string; readonly reason: string }[];
  /** More were found than are taken over in one go, or in time: ask again. */
  readonly more: boolean;
}

/**
 * Take over orders for a session. A text says why nothing could be done: no such account, or an
 * exchange that does not answer.
 */
export async function adoptOrders(
  engine: RunningEngine,
  sessionId: SessionID,
  request: AdoptionRequest,
  by: Operator,
): Promise<AdoptionResult | string> {
  const config = engine.sessionConfigs.get(sessionId)!.gateway;
  const { account, orderIDs } = request;
  const accounts = config.accounts.filter(
    ({ account: name, tradingAccountId }) => account === null || account === name || account === tradingAccountId,
  );
  if (accounts.length === 0) return `${account} is not on the session's list of accounts.`;
  const symbol = request.symbol === null ? null : (config.symbolAliases[request.symbol] ?? request.symbol);
  const found: Found[] = [];
  for (const { tradingAccountId, credential } of accounts) {
    const open = await openOrders(engine, credential, tradingAccountId);
    if (open === null) return `The exchange could not be asked about account ${tradingAccountId}.`;
    found.push(...open.filter(({ order }) => symbol === null || order.symbol === symbol));
  }
  const ids = new Set(orderIDs);
  const chosen = found.filter(({ order }) => (ids.size === 0 ? isNobodys(engine, order) : ids.has(order.orderId)));
  const refused = [...ids]
    .filter((id) => !chosen.some(({ order }) => order.orderId === id))
    .map((orderID) => ({ orderID, reason: 'It is not open at the exchange, or on another account or symbol.' }));
  const taken = chosen.slice(0, ORDERS_MAX);
  const names = await storedClOrdIDs(engine, sessionId, new Set(taken.map(({ order }) => order.orderId)));
  const adopted: AdoptedOrder[] = [];
  const begun = performance.now();
  let looked = 0;
  for (const one of taken) {
    // The first one in any case: otherwise a caller that repeats the request would never finish.
    if (looked > 0 && performance.now() - begun >= TAKEN_WITHIN_MS) break;
    looked++;
    const clOrdID = names.get(one.order.orderId) ?? null;
    const outcome = await adopt(engine, { ...one, sessionId, clOrdID }, by);
    if (typeof outcome === 'string') refused.push({ orderID: one.order.orderId, reason: outcome });
    else adopted.push(outcome);
  }
  return { adopted, refused, more: chosen.length > looked };
}

interface Found {
  readonly credential: string;
  readonly order: ExchangeOrder;
  readonly trades: readonly ExchangeTrade[];
}

async function openOrders(
  engine: RunningEngine,
  credential: string,
  tradingAccountId: string,
): Promise<Found[] | null> {
  const recent = await engine.exchangeClients.get(credential)?.recent(tradingAccountId);
  if (recent == null) return null;
  const tradesOf = Map.groupBy(recent.trades, ({ orderId }) => orderId);
  return recent.orders
    .filter(({ status }) => status === 'OPEN')
    .map((order) => ({ credential, order, trades: tradesOf.get(order.orderId) ?? [] }));
}

function isNobodys({ gateway }: RunningEngine, { orderId }: ExchangeOrder): boolean {
  const known = gateway.findByOrderID(orderId);
  return known === null || known.sessionId === '';
}

async function adopt(
  { gateway, dispatcher, exchangeClients }: RunningEngine,
  { credential, order, trades, sessionId, clOrdID }: Found & Pick<Adoption, 'sessionId' | 'clOrdID'>,
  { who, why }: Operator,
): Promise<AdoptedOrder | string> {
  let adoption: Adoption = { sessionId, order, trades, clOrdID };
  if (gateway.adoptProblem(adoption) !== null) {
    // Older trades than the last day's, or one that came in between.
    const { tradingAccountId, orderId } = order;
    const lookup = { tradingAccountId, orderId, clientOrderId: order.clientOrderId ?? '', commandId: null };
    const outcome = await exchangeClients.get(credential)?.lookup(lookup);
    if (outcome?.kind === 'found') adoption = { ...adoption, order: outcome.order, trades: outcome.trades };
  }
  const problem = gateway.adoptProblem(adoption);
  if (problem !== null) return problem;
  dispatcher.applicationInput({ kind: 'adoptOrder', adoption, who, why });
  const taken = gateway.findByOrderID(order.orderId);
  if (taken?.sessionId !== sessionId) return 'It could not be taken over.';
  return {
    orderID: order.orderId,
    clOrdID: taken.clOrdID,
    isFromStore: taken.clOrdID === clOrdID,
    symbol: taken.symbol,
    side: taken.side,
    orderQty: taken.orderQty,
    cumQty: taken.cumQty,
  };
}

/** OrderID(37) → the ClOrdID(11) accepted last, by the reports that the session's present series holds. */
async function storedClOrdIDs(
  { journal, dispatcher }: RunningEngine,
  sessionId: SessionID,
  orderIDs: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const numbers = dispatcher.slots.get(sessionId)?.machine.numbers;
  if (numbers === undefined || orderIDs.size === 0) return names;
  const last = numbers.nextSenderMsgSeqNum - 1;
  for (let from = Math.max(1, last - MESSAGES_MAX + 1); from <= last; from += MESSAGES_PER_READ) {
    const to = Math.min(last, from + MESSAGES_PER_READ - 1);
    for (const { raw } of await journal.loadOutbound(sessionId, numbers.series, from, to)) {
      const view = viewOf(raw);
      if (view?.msgType !== MsgType.ExecutionReport) continue;
      const orderID = view.string(Tag.OrderID) ?? '';
      if (!orderIDs.has(orderID)) continue;
      // A status, a refused repetition and a report that comes again may have an earlier ClOrdID of the chain.
      const isEarlier = isStatusReport(view) || refusesRepetition(view) || view.boolean(Tag.PossResend) === true;
      const clOrdID = isEarlier && names.has(orderID) ? null : acceptedClOrdID(view);
      if (clOrdID !== null) names.set(orderID, clOrdID);
    }
  }
  return names;
}
