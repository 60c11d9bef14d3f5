// The way into a day that is run again. All of the gateway is read when somebody asks for one: whoever reads a log, or what an
// option says, comes through the same door of this room and does not wait for it.

import type { DayReplay, DayReplayOptions } from './pure-day.ts';

/** A day to run again from the records of a journal. */
export async function newDayReplay(options: DayReplayOptions): Promise<DayReplay> {
  const { DayReplay } = await import('./pure-day.ts');
  return new DayReplay(options);
}
