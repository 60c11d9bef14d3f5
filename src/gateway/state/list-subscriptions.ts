// Requests for the list of markets and its changes. security-list.ts words the reports.

import type { Decimal } from '../../base/decimal.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** Lists that one session follows at once. */
export const LIST_SUBSCRIPTIONS_MAX = 20;

/** The markets that a request asks for; a field that is null narrows nothing. */
export interface InstrumentFilter {
  /** The exchange's name, or null for any. */
  readonly symbol: string | null;
  readonly securityType: string | null;
  /** Two letters say category and group; others are not compared. */
  readonly cfiCode: string | null;
  /** Assets; null for any. */
  readonly underlyings: ReadonlySet<string> | null;
  /** YYYYMM or YYYYMMDD. */
  readonly maturity: string | null;
  readonly putOrCall: string | null;
  readonly strikePrice: Decimal | null;
  readonly currency: string | null;
}

/** A request that is answered now, or again with every change. */
export interface ListRequest {
  readonly reqID: string;
  readonly asker: Sender;
  readonly filter: InstrumentFilter;
  /** Null for all markets that the filter leaves. */
  readonly symbol: string | null;
}
