// Messages that request or report changes of orders. Receivers interpret them.

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
