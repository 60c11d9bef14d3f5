// Which messages want something done with orders, or said of them. Leaves what that is to whoever takes them.

import { MsgType } from './msg-type.ts';

/** Types of messages that enter, change or ask for orders. */
export const ORDER_REQUESTS: ReadonlySet<string> = new Set([
  MsgType.NewOrderSingle,
  MsgType.NewOrderList,
  MsgType.OrderCancelRequest,
  MsgType.OrderCancelReplaceRequest,
  MsgType.OrderMassCancelRequest,
  MsgType.OrderStatusRequest,
  MsgType.OrderMassStatusRequest,
]);
