// Follows the journal of a running gateway: reads what is there, then what comes, from where the last look ended and across
// segments. Takes no lock and changes no file.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalEntry } from '../port.ts';
import { BlockReader, type ScanStart } from './block-reader.ts';
import type { DamagedPlace } from './damage.ts';
import { entriesOf } from './journal-reader.ts';

/** Looks at a tail that cannot be read before it counts as damaged: its owner may be writing it. */
const LOOKS_MAX = 5;

/**
 * Read a journal without end. `more` is called when everything is read: it waits, and says whether to look again.
 * @throws CrossgateError XG_JOURNAL_CORRUPT
 */
export async function* followJournal(
  directory: string,
  since: EpochMs,
  onDamage: (place: DamagedPlace) => void,
  more: () => Promise<boolean>,
): AsyncGenerator<JournalEntry> {
  let start: ScanStart | null = null;
  let lastFrame = 0;
  let failures = 0;
  do {
    const reader: BlockReader = new BlockReader(directory, { start, since, onDamage: 'pass' });
    try {
      for await (const entry of entriesOf(reader, directory, since, onDamage)) {
        // A look that failed in its middle is repeated.
        if (entry.frame <= lastFrame && failures > 0) continue;
        yield entry;
      }
      failures = 0;
    } catch (error) {
      if (!(error instanceof CrossgateError) || start === null || ++failures >= LOOKS_MAX) throw error;
    }
    const { end } = reader;
    if (end === null || failures > 0) continue;
    lastFrame = end.nextFrame - 1;
    const { journalId, segment } = end.header;
    start = { journalId, segment, end: end.end, nextFrame: end.nextFrame, names: end.names.all() };
  } while (await more());
}
