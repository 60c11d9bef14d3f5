// How far the heap of a gateway grows before all of it is collected. Leaves what is collected often, what lately came to be, to
// the flag that `npm start` gives Node.

import { setFlag } from './v8-flag.ts';

/**
 * Percent that the heap grows by from one collection of the whole to the next. V8 by itself takes a fifth to a third, which is
 * thrifty: under load it collected every three seconds, each time a tenth of a second in which orders are slow. The price is
 * memory, up to twice what lives; near the limit of its heap V8 takes half of what is left instead, whatever stands here.
 */
const GROWING_PERCENT = 200;

/** Let it grow so far, in the whole process, from now on. Whoever set the flag when they started the process has it their way. */
export function letHeapGrow(): void {
  setFlag(`--heap-growing-percent=${GROWING_PERCENT}`);
}
