// Where compiled code is kept from one process, and one thread, to the next: tests start some hundred processes, and some
// thousand threads that write and sync for a journal.

import { join } from 'node:path';

export const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/crossgate-tests');
