// News(B) of operators, and a stop that they announce. services/news.ts sends it.

import type { EpochMs } from '../../base/time.ts';

/** The content of a News(B), and its receivers: null for every session. */
export interface OperatorNews {
  readonly sessionIds: readonly string[] | null;
  readonly headline: string;
  readonly text: string;
  /** Urgency(61): 0 normal, 1 flash, 2 background. */
  readonly urgency: '0' | '1' | '2';
}

/** A stop that is announced. */
export interface PlannedStop extends OperatorNews {
  readonly stopAt: EpochMs;
}
