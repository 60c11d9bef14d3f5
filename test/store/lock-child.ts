// A process that takes the lock of a journal, says how it went, and stays until it is killed.

import { lockJournal } from '../../src/store/embedded/lock.ts';

try {
  await lockJournal(process.argv[2]!);
  console.log('locked');
} catch (error) {
  console.log((error as Error).message);
}
// Ends with its parent unless killed.
process.stdin.resume().on('end', () => process.exit());
