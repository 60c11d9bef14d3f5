// Debts of ended series: the reports that a reset would lose (rule S2), and a repetition under way. repeat-reports.ts
// repeats them.

import type { EndedSeries } from '../port.ts';
import { type Reading, ResendRead } from '../recovery/resend-read.ts';
import type { UnsentRange } from './unsent.ts';

/** The debt of an ended series. */
export interface OwedSeries {
  readonly series: number;
  from: number;
  /** Grows by the reports that wait behind the others. */
  to: number;
  /** First number of those that only ever waited here; null if there are none, or if the process does not know any more. */
  unsentFrom: number | null;
  /** The part to send if unproven messages are not repeated; null for all. */
  readonly only: readonly UnsentRange[] | null;
}

/** The reports of an ended series that are being sent again under new numbers (rule S2). */
export interface Repeat {
  readonly owed: OwedSeries;
  readonly read: ResendRead;
  /** The request that began it (rule S9); null for a repetition unasked. Goes from one series to the next. */
  readonly request: RepeatRequest | null;
  /** Series that follow without a request while others wait for one. */
  readonly unasked: readonly OwedSeries[];
}

/** A counterparty's request for missed reports. */
export interface RepeatRequest {
  readonly afterExecID: string | null;
  /** Series that are read to find that report before any is sent; null once they were, or if none is named. */
  seek: {
    readonly series: readonly OwedSeries[];
    index: number;
    found: { readonly owed: OwedSeries; readonly from: number } | null;
  } | null;
  /** Reports sent again so far. */
  count: number;
}

/** The debt of a series, as at its end or as the journal recovered it. */
export function owedSeries({ series, from, to }: EndedSeries, only: OwedSeries['only'] = null): OwedSeries {
  return { series, from, to, unsentFrom: null, only };
}

/** A repetition that has read nothing yet. */
export function repeatOf(
  core: Reading,
  owed: OwedSeries,
  request: RepeatRequest | null,
  unasked: readonly OwedSeries[],
): Repeat {
  return { owed, read: new ResendRead(core, owed.from), request, unasked };
}

/** An unrequested repetition of these; null if there are none. */
export function unaskedRepeat(core: Reading, [owed, ...unasked]: readonly OwedSeries[]): Repeat | null {
  return owed === undefined ? null : repeatOf(core, owed, null, unasked);
}

/**
 * Debts of a session after a start, in sending order. `unasked`: although others wait for a request. Without requests
 * the latest series goes first. A series that ended while an older one was owed sent only the beginning of that one,
 * because live reports wait.
 */
export function recoveredSeries(
  owes: readonly EndedSeries[],
  repeatsOnRequest: boolean,
): { readonly ended: OwedSeries[]; readonly unasked: OwedSeries[] } {
  if (!repeatsOnRequest)
    return { ended: owes.map((one) => owedSeries(one)).sort((a, b) => b.series - a.series), unasked: [] };
  const { ended = [], unasked = [] } = Object.groupBy(owes, ({ isUnasked }) => (isUnasked ? 'unasked' : 'ended'));
  return { ended: ended.map((one) => owedSeries(one)), unasked: unasked.map((one) => owedSeries(one)) };
}
