// What the checksum kernel does, as WebAssembly: XXH64 (xxHash, "xxHash fast digest algorithm", version 0.1.1) of bytes that lie
// at the beginning of its memory. Leaves who calls it, and what is done without WebAssembly, to group-checksum.ts.

import { answer, type Code, get, i32, i64, loop, moduleOf, set, when } from '../base/wasm-code.ts';

/** The five primes of the algorithm. */
export const Prime = {
  One: 0x9e3779b185ebca87n,
  Two: 0xc2b2ae3d27d4eb4fn,
  Three: 0x165667b19e3779f9n,
  Four: 0x85ebca77c2b2ae63n,
  Five: 0x27d4eb2f165667c5n,
} as const;

/** Pages of 64 kB: more than the longest piece, so that the last may be read to its end. */
const PAGES = 2;
/** Bytes that the four accumulators take in one round. */
const STRIPE_BYTES = 32;

/** Parameters: how many bytes there are, and the seed. Then locals. */
const LENGTH = 0;
const SEED = 1;
const AT = 2;
const HASH = 3;
const LANES = [4, 5, 6, 7] as const;
const WIDE_SEED = 8;

const prime = (value: bigint): Code => i64.of(value);
const rotated = (value: Code, bits: number): Code => i64.rotateLeft(value, i64.of(BigInt(bits)));
const times = (value: Code, by: bigint): Code => i64.multiply(value, prime(by));
const forward = (bytes: number): Code => set(AT, i32.add(get(AT), i32.of(bytes)));
/** Whether so many bytes are left. */
const areLeft = (bytes: number): Code => i32.isZero(i32.below(get(LENGTH), i32.add(get(AT), i32.of(bytes))));
const mixed = (lane: Code, input: Code): Code => times(rotated(i64.add(lane, times(input, Prime.Two)), 31), Prime.One);
const mixedAlone = (input: Code): Code => times(rotated(times(input, Prime.Two), 31), Prime.One);

const FIRST_LANES: readonly Code[] = [
  i64.add(get(WIDE_SEED), prime(Prime.One + Prime.Two)),
  i64.add(get(WIDE_SEED), prime(Prime.Two)),
  get(WIDE_SEED),
  i64.add(get(WIDE_SEED), prime(-Prime.One)),
];
const CONVERGED: readonly Code[] = [1, 7, 12, 18].map((bits, k) => rotated(get(LANES[k]!), bits));

const stripes: Code = [
  LANES.map((lane, k) => set(lane, FIRST_LANES[k]!)),
  loop(areLeft(STRIPE_BYTES), [
    LANES.map((lane, k) => set(lane, mixed(get(lane), i64.load(8 * k, get(AT))))),
    forward(STRIPE_BYTES),
  ]),
  set(HASH, i64.add(i64.add(CONVERGED[0]!, CONVERGED[1]!), i64.add(CONVERGED[2]!, CONVERGED[3]!))),
  LANES.map((lane) =>
    set(HASH, i64.add(times(i64.xor(get(HASH), mixedAlone(get(lane))), Prime.One), prime(Prime.Four))),
  ),
];

const rest: Code = [
  loop(areLeft(8), [
    set(
      HASH,
      i64.add(times(rotated(i64.xor(get(HASH), mixedAlone(i64.load(0, get(AT)))), 27), Prime.One), prime(Prime.Four)),
    ),
    forward(8),
  ]),
  when(areLeft(4), [
    set(
      HASH,
      i64.add(
        times(rotated(i64.xor(get(HASH), times(i64.loadWord(0, get(AT)), Prime.One)), 23), Prime.Two),
        prime(Prime.Three),
      ),
    ),
    forward(4),
  ]),
  loop(areLeft(1), [
    set(HASH, times(rotated(i64.xor(get(HASH), times(i64.loadByte(0, get(AT)), Prime.Five)), 11), Prime.One)),
    forward(1),
  ]),
];

const shifted = (bits: number): Code => i64.xor(get(HASH), i64.shiftRight(get(HASH), i64.of(BigInt(bits))));

/** The bytes of a module with one function, `xxh64(length, seed)`, that answers with the lower 32 bits. */
export function checksumModule(): Uint8Array<ArrayBuffer> {
  const body: Code = [
    set(WIDE_SEED, i64.ofWord(get(SEED))),
    when(areLeft(STRIPE_BYTES), stripes, set(HASH, i64.add(get(WIDE_SEED), prime(Prime.Five)))),
    set(HASH, i64.add(get(HASH), i64.ofWord(get(LENGTH)))),
    rest,
    set(HASH, times(shifted(33), Prime.Two)),
    set(HASH, times(shifted(29), Prime.Three)),
    answer(i64.word(shifted(32))),
  ];
  return moduleOf(PAGES, [{ name: 'xxh64', parameters: 2, locals: 1, vectors: 0, longs: 6, body }]);
}
