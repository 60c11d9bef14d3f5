// What ended series owe: the reports that a reset would lose (rule S2), and a repetition of them under way. Leaves repeating to
// repeat-reports.ts.

import type { EndedSeries } from '../port.ts';
import { type Reading, ResendRead } from '../recovery/resend-read.ts';
import type { UnsentRange } from './unsent.ts';

/** What an ended series owes. */
export interface OwedSeries {
  readonly series: number;
  from: number;
  /** Grows by the reports that wait behind the others. */
  to: number;
  /** First number of those that only ever waited here; null if there are none, or if the process does not know any more. */
  unsentFrom: number | null;
  /** What is sent of it, where what left unproven is not repeated; null for everything. */
  readonly only: readonly UnsentRange[] | null;
}

/** The reports of an ended series that are being sent again under new numbers (rule S2). */
export interface Repeat {
  readonly owed: OwedSeries;
  readonly read: ResendRead;
  /** The request that began it (rule S9); null for a repetition unasked. Goes from one series to the next. */
  readonly request: RepeatRequest | null;
  /** Series that follow although nobody asks for them, where others wait for that. */
  readonly unasked: readonly OwedSeries[];
}

/** A counterparty's request for what it missed. */
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

/** What is owed of a series, as it was when it ended or as the journal recovered it. */
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

/** A repetition of these, which nobody asks for; null if there are none. */
export function unaskedRepeat(core: Reading, [owed, ...unasked]: readonly OwedSeries[]): Repeat | null {
  return owed === undefined ? null : repeatOf(core, owed, null, unasked);
}

/**
 * What a session owes after a start, in the order in which it will be sent; `unasked`: although others wait to be asked for. Where
 * none does, that is the latest series first: a series that ended while an older one was still owed sent nothing but the beginning
 * of that again, for live reports wait.
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
