// The entry to running a day again. The gateway is loaded only then: readers of a log, and of help texts, use the same
// entry without waiting for it.

import type { DayReplay, DayReplayOptions } from './pure-day.ts';

/** A day to run again from the records of a journal. */
export async function newDayReplay(options: DayReplayOptions): Promise<DayReplay> {
  const { DayReplay } = await import('./pure-day.ts');
  return new DayReplay(options);
}
