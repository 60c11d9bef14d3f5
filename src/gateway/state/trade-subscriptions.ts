// Requests for the trades of accounts as they come. trade-request.ts words the reports.

import type { EpochMs } from '../../base/time.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** A TradeCaptureReportRequest(AD) with 263=1. */
export interface TradeSubscription {
  readonly sessionId: string;
  readonly reqID: string;
  readonly tradingAccountIds: ReadonlySet<string>;
  /** The exchange's name, or null for all. */
  readonly exchangeSymbol: string | null;
  /** Negotiated trades alone. */
  readonly isNegotiated: boolean;
  readonly asker: Sender;
  readonly since: EpochMs;
}
