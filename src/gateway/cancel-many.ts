// Many cancels at once (rule C3): one command per order, but where they are all that is open on an account, or on one of its
// markets, and nobody but this gateway trades the account, one command for all of them. Each order keeps a request of its
// own, which ends as any other: a look-up that finds the order open has it cancelled by itself.

import type { CommandOutcome, OrderCommand } from '../exchange/mod.ts';
import type { ChangeRequest, Order, OtherAsker, RequestKind } from './order.ts';
import { requestCancel } from './order-cancel.ts';
import { dropRequest } from './order-reports.ts';
import { runOf } from './order-run.ts';
import { type Sender, senderOr, writerOf } from './sender.ts';
import { commandId, type Turn } from './state.ts';

/** Fewer than this go one by one: their places in the rate are reserved. */
const TOGETHER_FROM = 10;

/** Who asks, as the requests remember it. */
export interface ManyCancels {
  readonly kindOf: (order: Order) => Exclude<RequestKind, 'replace' | 'cancel'>;
  readonly clOrdID: string | null;
  /** Who wrote the request; absent for who wrote each order. */
  readonly sender?: Sender;
  readonly massActionReportID: string | null;
  /** The session that asks: an `accountCancel` is for it (rule O7). Absent where no session does. */
  readonly asker?: OtherAsker;
}

/** Cancel these orders. */
export function cancelMany(turn: Turn, orders: readonly Order[], asked: ManyCancels): void {
  const groups = orders.length < TOGETHER_FROM ? [] : groupsOf(turn, orders);
  const grouped = new Set(groups.flatMap(({ members }) => members));
  for (const { command, credential, members } of groups) {
    const requests = members.map((order) => ask(turn, order, asked, false));
    submitTogether(turn, command, credential, members, requests);
  }
  for (const order of orders) if (!grouped.has(order)) ask(turn, order, asked, true);
}

function ask(turn: Turn, order: Order, asked: ManyCancels, submits: boolean): ChangeRequest {
  const { clOrdID, massActionReportID, asker = null } = asked;
  const kind = asked.kindOf(order);
  const { sender = order.echo } = asked;
  const of = kind === 'accountCancel' ? sender : senderOr(sender, order.echo);
  const request = requestCancel(turn, order, kind, clOrdID, of, massActionReportID, submits);
  if (kind === 'accountCancel') request.asker = asker;
  return request;
}

interface Group {
  readonly command: OrderCommand;
  readonly credential: string;
  readonly members: readonly Order[];
}

/**
 * The orders that one command cancels together without touching any other. One whose create has no answer yet is cancelled by
 * itself as well: only a cancel that names it does not overtake it (rule X3).
 */
function groupsOf(turn: Turn, orders: readonly Order[]): Group[] {
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
  command: OrderCommand,
  credential: string,
  members: readonly Order[],
  requests: readonly ChangeRequest[],
): void {
  const { registry, together } = turn.state;
  const ids = members.map((order, i) => commandId(order, requests[i]!.number));
  members.forEach((order, i) => void registry.addCommand(ids[i]!, order));
  const id = `together/${ids[0]}`;
  together.set(id, ids);
  turn.note('info', `${members.length} cancels go as one command`, { command: command.kind, commandId: id });
  turn.command(id, credential, command);
}

/**
 * The outcome of one command for many cancels: each order's own, in their order. Null if the command is none of these.
 * Refused as a whole, it looked at no order, so that each is cancelled by itself: at once where a q asked for it, a little
 * later where nobody waits for the answer.
 */
export function outcomesOfMany(turn: Turn, id: string, outcome: CommandOutcome): [string, CommandOutcome][] | null {
  const ids = turn.state.together.get(id);
  if (ids === undefined) return null;
  turn.state.together.delete(id);
  if (outcome.kind === 'refused') {
    const each = { ...outcome, httpStatus: null };
    return ids.filter((own) => !cancelledByItself(turn, own)).map((own) => [own, each]);
  }
  // What the exchange says of all of them names no single request.
  const each = outcome.kind === 'accepted' ? { ...outcome, requestId: null, orderId: null } : outcome;
  return ids.map((own) => [own, each]);
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
  requestCancel(turn, order, kind, clOrdID, writerOf(request, order), massActionReportID).asker = asker;
  return true;
}
