// What an OrderStatusRequest(H) or OrderMassStatusRequest(AF) asks for, while the exchange is asked about it (rule D15).

import type { Order } from '../book/order.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** What an H or AF asked for. */
export interface StatusQuestion {
  readonly orders: readonly Order[];
  /** Orders that wait here for their turn: nobody but the gateway knows of them. Of one that is gone meanwhile its ClOrdID(11). */
  readonly unsent: readonly (Order | string)[];
  /** Orders beyond what one answer holds. */
  readonly leftOut: number;
  readonly ordStatusReqID: string | null;
  readonly sender: Sender;
  /** Null for an H. */
  readonly massStatusReqID: string | null;
}

/** A request that waits for the exchange's word on its orders. */
export interface StatusQuery extends StatusQuestion {
  readonly sessionId: string;
  /** Orders whose look-up has not come back. */
  readonly waiting: Set<Order>;
  /** Orders that the exchange did not confirm, and why, in words. */
  readonly unverified: Map<Order, string>;
}
