// Terms of an order. Leaves reading them off a message to read-order-terms.ts.

import type { Decimal } from '../../base/decimal.ts';

/** Terms as the OMS sent them; OrdType and TimeInForce in FIX values. */
export interface OrderTerms {
  readonly symbol: string;
  readonly exchangeSymbol: string;
  readonly side: '1' | '2';
  readonly ordType: '1' | '2' | '4' | 'p';
  /** 40=2 with 18=6: a post-only order written in the standard's words. */
  readonly execInst: string | null;
  /** 18=o: cancelled when the connection is lost, whatever the session's setting says (rule D3). */
  readonly cancelOnLoss?: boolean;
  /** The auction that its D named where none was known to be running (rule T3). */
  readonly namedAuction?: string;
  readonly timeInForce: string | null;
  readonly exchangeTimeInForce: 'GTC' | 'IOC' | 'FOK' | 'GTX';
  readonly price: Decimal | null;
  readonly stopPx: Decimal | null;
  readonly orderQty: Decimal;
  readonly cashMargin: string | null;
  readonly mmp: boolean | null;
  /** A negotiated (OTC) trade, which no order precedes: price and quantity are the trade's. */
  readonly negotiated?: true;
}
