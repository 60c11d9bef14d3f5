// Many cancels at once (rule C3): one command per order. If they are all open orders of an account or of one of its
// markets, and only this gateway trades the account, one command cancels all. Each order keeps its own request, which
// ends as any other: a look-up that finds the order open cancels it alone.

import type { CommandOutcome, OrderCommand } from '../../exchange/mod.ts';
import { type ChangeRequest, isTerminal, type Order } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import { runOf } from '../book/order-runtime.ts';
import type { CancelsRecord, ManyCancels, ManyKind } from '../book/record-kinds.ts';
import { dropRequest } from '../reports/order-reports.ts';
import { answerID } from '../rules/build-order.ts';
import { piecesOf } from '../state/chunked-work.ts';
import { commandId, type Turn } from '../state/state.ts';
import { firstOf } from '../vocabulary/one-or-many.ts';
import { senderOr, writerOf } from '../vocabulary/sender.ts';
import { openCancel, requestCancel, sendCancel } from './order-cancel.ts';

/** Fewer than this go one by one: their places in the rate are reserved. */
const TOGETHER_FROM = 10;

/** A cancel that is open. `submits`: it goes by itself. */
interface OpenCancel {
  readonly order: Order;
  readonly request: ChangeRequest;
  readonly submits: boolean;
}

/** One command that cancels all of them, whatever they are. */
export interface WholeCancel {
  readonly commandId: string;
  readonly command: OrderCommand;
  readonly credential: string;
}

/**
 * Cancel these orders, as `kindOf` says of each; with `whole`, by that command. All of it takes effect at once; the part beyond one turn is recorded
 * with the orders, and sent, in later turns.
 */
export function cancelMany(
  turn: Turn,
  orders: readonly Order[],
  asked: ManyCancels & { readonly kindOf: (order: Order) => ManyKind; readonly whole?: WholeCancel },
): void {
  const groups = asked.whole === undefined ? groupsOf(turn, orders) : [groupOf(asked.whole, orders)];
  const cancels: OpenCancel[] = [];
  const grouped = new Set<Order>();
  const open = (order: Order, submits: boolean): ChangeRequest => {
    const request = openOne(turn, order, asked.kindOf(order), asked);
    cancels.push({ order, request, submits });
    return request;
  };
  const submitGroups = groups.map((group) => {
    const requests = group.members.map((order) => open(grouped.add(order) && order, false));
    return () => submitTogether(turn, group, requests);
  });
  for (const order of orders) if (!grouped.has(order)) open(order, true);
  for (const submit of submitGroups) submit();
  const [first = [], ...others] = piecesOf(cancels);
  for (const cancel of first) carryOut(turn, cancel);
  for (const piece of others) later(turn, piece, asked);
}

function openOne(turn: Turn, order: Order, kind: ManyKind, asked: ManyCancels): ChangeRequest {
  const { clOrdID, massActionReportID, asker = null, sender = order.echo } = asked;
  const of = kind === 'accountCancel' ? sender : senderOr(sender, order.echo);
  const request = openCancel(turn, order, { kind, clOrdID, sender: of, massActionReportID });
  if (kind === 'accountCancel') request.asker = asker;
  return request;
}

/** Record and send a cancel, unless it was answered meanwhile. */
function carryOut(turn: Turn, { order, request, submits }: OpenCancel): void {
  if (order.requests.includes(request)) sendCancel(turn, order, request, submits);
}

/** Have cancels carried out in a turn of their own; that they are open is on record from now on. */
function later(turn: Turn, cancels: readonly OpenCancel[], asked: ManyCancels): void {
  const { clOrdID, sender, massActionReportID, asker } = asked;
  const { sessionId } = cancels[0]!.order;
  const key = `cancels|${sessionId}|${answerID(turn)}`;
  const orders = cancels.map(
    ({ order, request }) =>
      [order.sessionId, firstOf(order.clOrdIDs) ?? '', request.number, request.kind as ManyKind] as const,
  );
  const many = {
    clOrdID,
    massActionReportID,
    ...(sender === undefined ? {} : { sender }),
    ...(asker === undefined ? {} : { asker }),
  };
  const record: CancelsRecord = { kind: 'cancels', key, sessionId, ...many, orders };
  turn.record(sessionId, key, encodeRecord(record));
  turn.state.pieces.add(asker?.sessionId ?? sessionId, turn.steady, (next) => {
    forget(next, record);
    for (const cancel of cancels) carryOut(next, cancel);
  });
}

function forget(turn: Turn, record: CancelsRecord): void {
  turn.record(record.sessionId, record.key, encodeRecord({ ...record, orders: [] }), []);
}

/** Reopen requests that the last process left: whether they were sent is unknown. */
export function recoverCancels(turn: Turn, record: CancelsRecord): void {
  forget(turn, record);
  for (const [sessionId, clOrdID, number, kind] of record.orders) {
    const order = turn.state.registry.findByClOrdID(sessionId, clOrdID);
    // Later events of the order write its record with the request.
    if (order === null || isTerminal(order.state) || order.requestCount >= number) continue;
    openOne(turn, order, kind, record).stage = 'unknown';
    turn.touch(order);
  }
}

interface Group {
  /** Absent: made of those of its members. */
  readonly commandId?: string;
  readonly command: OrderCommand;
  readonly credential: string;
  readonly members: readonly Order[];
}

/** A command that names its order may overtake nothing of it; a broader one does not reach an unanswered create. */
function groupOf(whole: WholeCancel, orders: readonly Order[]): Group {
  const isNamed = whole.command.kind === 'cancelOrder';
  return { ...whole, members: isNamed ? orders : orders.filter(isThere) };
}

/**
 * Orders that one command cancels together without touching others. An order with an unanswered create is also
 * cancelled alone: only a cancel that names it does not overtake it (rule X3).
 */
function groupsOf(turn: Turn, orders: readonly Order[]): Group[] {
  if (orders.length < TOGETHER_FROM) return [];
  const exclusive = new Set(turn.state.config.exclusiveAccounts ?? []);
  const groups: Group[] = [];
  for (const [tradingAccountId, own] of Map.groupBy(orders, (order) => order.tradingAccountId)) {
    if (!exclusive.has(tradingAccountId) || own.length < TOGETHER_FROM) continue;
    const { credential } = own[0]!;
    const open = openOn(turn, tradingAccountId);
    if (open.length === own.length) {
      groups.push({ command: { kind: 'cancelAll', tradingAccountId }, credential, members: own.filter(isThere) });
      continue;
    }
    const openBySymbol = Map.groupBy(open, (order) => order.terms.exchangeSymbol);
    for (const [symbol, members] of Map.groupBy(own, (order) => order.terms.exchangeSymbol)) {
      if (members.length < TOGETHER_FROM || openBySymbol.get(symbol)?.length !== members.length) continue;
      const command = { kind: 'cancelAllByMarket', symbol, tradingAccountId } as const;
      groups.push({ command, credential, members: members.filter(isThere) });
    }
  }
  return groups.filter(({ members }) => members.length > 0);
}

/** Whether the exchange has named the present leg. */
const isThere = ({ exchangeOrderId }: Order): boolean => exchangeOrderId !== null;

function openOn({ state: { registry } }: Turn, tradingAccountId: string): Order[] {
  const open: Order[] = [];
  for (const sessionId of registry.sessionsWithOpenOrders()) {
    for (const order of registry.openOrders(sessionId)) {
      if (order.tradingAccountId === tradingAccountId) open.push(order);
    }
  }
  return open;
}

function submitTogether(
  turn: Turn,
  { commandId: own, command, credential, members }: Group,
  requests: readonly ChangeRequest[],
): void {
  const { registry, together } = turn.state;
  const ids = members.map((order, i) => commandId(order, requests[i]!.number));
  members.forEach((order, i) => void registry.addCommand(ids[i]!, order));
  const id = own ?? `together/${ids[0]}`;
  together.set(id, ids);
  if (members.length > 1) {
    turn.note('info', `${members.length} cancels go as one command`, { command: command.kind, commandId: id });
  }
  turn.command(id, credential, command);
}

/**
 * Apply the outcome of one command for many cancels to each order, in sequence, by `handle`; false if the command is
 * none of these. A command refused as a whole reached no order, so each is cancelled alone: at once for a q, a little
 * later if no request waits for the answer.
 */
export function outcomeOfMany(
  turn: Turn,
  id: string,
  outcome: CommandOutcome,
  handle: (turn: Turn, id: string, outcome: CommandOutcome) => void,
): boolean {
  const ids = turn.state.together.get(id);
  if (ids === undefined) return false;
  turn.state.together.delete(id);
  const isRefused = outcome.kind === 'refused';
  // A statement of the exchange about all of them names no single request.
  const each: CommandOutcome =
    ids.length === 1
      ? outcome
      : isRefused
        ? { ...outcome, httpStatus: null }
        : outcome.kind === 'accepted'
          ? { ...outcome, requestId: null, orderId: null }
          : outcome;
  const take = (next: Turn, own: string): void => {
    if (!isRefused || !cancelledByItself(next, own)) handle(next, own, each);
  };
  const [first = [], ...others] = piecesOf(ids);
  for (const own of first) take(turn, own);
  for (const piece of others) {
    turn.state.pieces.add('', turn.steady, (next) => {
      for (const own of piece) take(next, own);
    });
  }
  return true;
}

/** Send the cancel of one order that a q asked for and that was refused with the others; false if it was no q. */
function cancelledByItself(turn: Turn, id: string): boolean {
  const { registry } = turn.state;
  const order = registry.commandOrder(id);
  const request = order?.requests.find(({ number }) => commandId(order, number) === id);
  if (order === null || request === undefined) return false;
  if (request.kind !== 'massCancel' && request.kind !== 'accountCancel') return false;
  registry.takeCommand(id);
  runOf(order).commandIds = order.run.commandIds.filter((own) => own !== id);
  dropRequest(turn, order, request);
  const { kind, clOrdID, massActionReportID, asker } = request;
  const wanted = { kind, clOrdID, sender: writerOf(request, order), massActionReportID };
  requestCancel(turn, order, wanted).asker = asker;
  return true;
}
