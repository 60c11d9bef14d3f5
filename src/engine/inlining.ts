// How much of the path of a message the compiler may join into one piece. Leaves what is done on that path to everybody else.

import { setFlag } from './v8-flag.ts';

/**
 * Bytes of bytecode that V8 takes into a function that runs often. A message passes through some thirty small functions, which
 * together have twice what it takes by itself (920): the calls between them, and the objects that they hand each other, took
 * four to eight parts in a hundred of the time.
 */
const INLINED_BYTES_MAX = 2500;

let isSet = false;

/**
 * Let it join more, in the whole process, from now on: called by the gateway when it is ready, and by the library with its first
 * traffic, before its path was compiled for speed. Compiling larger pieces takes some ten megabytes once, which a process of idle
 * sessions does not need. Whoever set the flag when they started the process has it their way.
 */
export function joinHotPath(): void {
  if (isSet) return;
  isSet = true;
  setFlag(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES_MAX}`);
}
