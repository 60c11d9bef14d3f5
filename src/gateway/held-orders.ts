// Orders that wait here for their turn (rule S7): a NewOrderSingle(D), or one of a NewOrderList(E). Nobody but the gateway
// knows of them, and they can be asked for and cancelled all the same. Leaves the waiting itself to held-messages.ts.

import { type MessageView, MsgType } from '../wire/mod.ts';
import type { HeldMessage } from './held-messages.ts';
import { readEntries } from './list-entries.ts';
import type { GatewayState, SessionState } from './state.ts';

/** An order that waits, as the D that it is or stands for, and the message that brought it. */
export interface HeldOrder {
  readonly clOrdID: string;
  readonly view: MessageView;
  readonly message: HeldMessage;
}

/** Those of a session, in the order in which they will go out. Of a list without those that were cancelled while it waits. */
export function* heldOrders(state: GatewayState, session: SessionState): Generator<HeldOrder> {
  const { sessionId } = session.config;
  for (const message of [...state.held.of(sessionId)]) {
    const { clOrdID, view } = message;
    if (view.msgType === MsgType.NewOrderSingle) yield { clOrdID, view, message };
    if (view.msgType !== MsgType.NewOrderList) continue;
    for (const order of listedOrders(session, message)) {
      if (state.registry.findByClOrdID(sessionId, order.clOrdID) !== null) continue;
      yield { clOrdID: order.clOrdID, view: order.view, message };
    }
  }
}

function listedOrders(session: SessionState, message: HeldMessage): NonNullable<HeldMessage['orders']> {
  message.orders ??= readEntries(session, message.view);
  return message.orders;
}

/** The one that has this ClOrdID(11), or null. */
export function findHeldOrder(state: GatewayState, session: SessionState, clOrdID: string): HeldOrder | null {
  const { sessionId } = session.config;
  for (const message of state.held.of(sessionId)) {
    const { msgType } = message.view;
    if (msgType === MsgType.NewOrderSingle && message.clOrdID === clOrdID)
      return { clOrdID, view: message.view, message };
    if (msgType !== MsgType.NewOrderList) continue;
    const found = listedOrders(session, message).find((order) => order.clOrdID === clOrdID);
    if (found === undefined || state.registry.findByClOrdID(sessionId, clOrdID) !== null) continue;
    return { clOrdID, view: found.view, message };
  }
  return null;
}
