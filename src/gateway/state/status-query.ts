// Request of an OrderStatusRequest(H) or OrderMassStatusRequest(AF), while the exchange is asked (rule D15).

import type { Order } from '../book/order.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** The request of an H or AF. */
export interface StatusQuestion {
  readonly orders: readonly Order[];
  /** Orders that wait here for their turn, unknown to the exchange; for one that is gone meanwhile, its ClOrdID(11). */
  readonly unsent: readonly (Order | string)[];
  /** Orders beyond one answer. */
  readonly leftOut: number;
  readonly ordStatusReqID: string | null;
  readonly sender: Sender;
  /** Null for an H. */
  readonly massStatusReqID: string | null;
}

/** A request that waits for the exchange's word on its orders. */
export interface StatusQuery extends StatusQuestion {
  readonly sessionId: string;
  /** Orders with a look-up under way. */
  readonly waiting: Set<Order>;
  /** Orders that the exchange did not confirm, and why, in words. */
  readonly unverified: Map<Order, string>;
}
