// Orders that wait here for their turn (rule S7): a NewOrderSingle(D), or one of a NewOrderList(E), and their
// replacements (G). The exchange does not know them yet, but they can be queried and cancelled. throttle-queue.ts keeps
// them.

import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { clOrdIDProblem, isUsed } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState } from '../state/state.ts';
import type { HeldMessage } from '../state/throttle-queue.ts';
import { readEntries } from './list-entries.ts';

/** An order that waits, as the D that it is or stands for, and the message that brought it. */
export interface HeldOrder {
  readonly clOrdID: string;
  readonly view: MessageView;
  readonly message: HeldMessage;
}

/** Those of a session, in the order in which they will go out. Of a list without those that were cancelled while it waits. */
export function* heldOrders(state: GatewayState, session: SessionState): Generator<HeldOrder> {
  const seen = new Set<string>();
  for (const order of readHeld(state, session)) {
    if (seen.has(order.clOrdID) || !canBeOrder(state, session, order)) continue;
    seen.add(order.clOrdID);
    yield order;
  }
}

/** The one that has this ClOrdID(11), or null. */
export function findHeldOrder(state: GatewayState, session: SessionState, clOrdID: string): HeldOrder | null {
  for (const order of readHeld(state, session)) {
    if (order.clOrdID === clOrdID) return canBeOrder(state, session, order) ? order : null;
  }
  return null;
}

/**
 * Whether it becomes an order at its turn, by its ClOrdID(11). One that cannot have it, or that came for one which was used
 * before, is refused then, and means no order until then: who names that ClOrdID means the order that has it. One of a list
 * that the registry knows was cancelled while the list waits.
 */
function canBeOrder(state: GatewayState, { config }: SessionState, { clOrdID }: HeldOrder): boolean {
  return clOrdIDProblem(clOrdID) === null && !isUsed(state, config.sessionId, clOrdID);
}

/**
 * The waiting OrderCancelReplaceRequests(G) that a ClOrdID(11) names: the one with it, the one before it which that
 * would replace, and so on. A G with a used ClOrdID is refused at its turn, and no ClOrdID names it.
 */
export function heldReplacements(state: GatewayState, session: SessionState, clOrdID: string): HeldMessage[] {
  const { sessionId } = session.config;
  const meant: HeldMessage[] = [];
  let wanted = clOrdID;
  for (const message of [...state.held.of(sessionId)].reverse()) {
    if (message.view.msgType !== MsgType.OrderCancelReplaceRequest || message.clOrdID !== wanted) continue;
    if (isUsed(state, sessionId, message.clOrdID)) continue;
    meant.push(message);
    wanted = message.view.string(Tag.OrigClOrdID) ?? wanted;
  }
  return meant;
}

function* readHeld(state: GatewayState, session: SessionState): Generator<HeldOrder> {
  for (const message of [...state.held.of(session.config.sessionId)]) {
    const { clOrdID, view } = message;
    if (view.msgType === MsgType.NewOrderSingle) yield { clOrdID, view, message };
    if (view.msgType !== MsgType.NewOrderList) continue;
    message.orders ??= readEntries(session, view);
    for (const order of message.orders) yield { clOrdID: order.clOrdID, view: order.view, message };
  }
}
