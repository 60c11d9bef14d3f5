// The fields of ordinary frames, found by vectors of 16 bytes: a WebAssembly function of ours that proves the CheckSum and
// notes tags and places of values in a third of the time. It gives up on whatever is out of the ordinary, which
// field-index.ts then does its own way, and so does everything where WebAssembly is not to be had.

import { dataTagOf } from './data-field.ts';
import { answer, type Code, get, i32, loop, moduleOf, set, v128, when } from './wasm-code.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const TRAILER_BYTES = 7;
const VECTOR_BYTES = 16;
const WORD_BYTES = 4;

/** Bytes that fit, and fields. */
export const KERNEL_BYTES = 8192;
const FIELDS = 1024;
/** Tags that are known; from the second on, a session's dictionaries may say that one announces data. */
const TAGS_END = 10_000;
const STANDARD_TAGS_END = 3000;

/** Where things lie in its memory; behind the frame, room for reading a vector that begins inside it. */
const Place = {
  Frame: 0,
  /** 16 bytes of ones, then 16 of zeros: read `n` before the zeros, the first `n` bytes are ones. */
  Mask: 0x2100,
  /** A byte by tag: whether it announces data. */
  Special: 0x2200,
  Tags: 0x5000,
  Starts: 0x6000,
  Ends: 0x7000,
} as const;

/** Parameters: where the frame begins and ends, and from which tag on it is unusual. Then locals. */
const BEGIN = 0;
const END = 1;
const TAG_LIMIT = 2;
const AT = 3;
const LEFT = 4;
const SOHS = 5;
const FIELD = 6;
const VALUE_END = 7;
const WORD = 8;
const DIGIT = 9;
const TAG = 10;
const OUT = 11;
const BYTES = 12;
const SUMS = 13;

const unusual = answer(i32.of(0));

/** Byte `k` of the first four of a field, as a digit; above 9 if it is none. */
const digit = (k: number): Code =>
  i32.subtract(i32.and(i32.shiftRight(get(WORD), i32.of(8 * k)), i32.of(0xff)), i32.of(ZERO));

/** The tag of a field in its first `digits` bytes, and where its value begins: in WORD, which is not needed any more. */
function tagOf(digits: number): Code {
  const code: Code[] = [
    set(TAG, digit(0)),
    // A first digit of 0 is malformed.
    when(i32.above(i32.subtract(get(TAG), i32.of(1)), i32.of(8)), unusual),
  ];
  for (let k = 1; k < digits; k++) {
    code.push(
      set(DIGIT, digit(k)),
      when(i32.above(get(DIGIT), i32.of(9)), unusual),
      set(TAG, i32.add(i32.multiply(get(TAG), i32.of(10)), get(DIGIT))),
    );
  }
  return [code, set(WORD, i32.add(get(FIELD), i32.of(digits + 1)))];
}

/** Whether byte `k` of the first four of a field is `=`. */
const isEquals = (k: number): Code =>
  i32.equal(i32.and(i32.shiftRight(get(WORD), i32.of(8 * k)), i32.of(0xff)), i32.of(EQUALS));

/** Note the field that the lowest bit of SOHS ends. */
const noteField: Code = [
  set(VALUE_END, i32.add(get(AT), i32.trailingZeros(get(SOHS)))),
  set(WORD, i32.load(Place.Frame, get(FIELD))),
  when(
    isEquals(2),
    tagOf(2),
    when(
      isEquals(3),
      tagOf(3),
      when(isEquals(1), tagOf(1), [
        when(i32.notEqual(i32.loadByte(Place.Frame + 4, get(FIELD)), i32.of(EQUALS)), unusual),
        tagOf(4),
      ]),
    ),
  ),
  when(i32.isZero(i32.below(get(TAG), get(TAG_LIMIT))), unusual),
  when(i32.loadByte(Place.Special, get(TAG)), unusual),
  when(i32.equal(get(OUT), i32.of(FIELDS * WORD_BYTES)), unusual),
  i32.store(Place.Tags, get(OUT), get(TAG)),
  i32.store(Place.Starts, get(OUT), get(WORD)),
  i32.store(Place.Ends, get(OUT), get(VALUE_END)),
  set(OUT, i32.add(get(OUT), i32.of(WORD_BYTES))),
  set(FIELD, i32.add(get(VALUE_END), i32.of(1))),
  set(SOHS, i32.and(get(SOHS), i32.subtract(get(SOHS), i32.of(1)))),
];

/** Sum the next 16 bytes, or what is left of them, and note the fields that end in them. */
const takeVector: Code = [
  set(LEFT, i32.subtract(get(END), get(AT))),
  set(BYTES, v128.load(Place.Frame, get(AT))),
  when(i32.below(get(LEFT), i32.of(VECTOR_BYTES)), [
    set(BYTES, v128.and(get(BYTES), v128.load(Place.Mask, i32.subtract(i32.of(VECTOR_BYTES), get(LEFT))))),
  ]),
  set(SUMS, v128.addSums(get(SUMS), v128.sumsOfBytes(get(BYTES)))),
  set(SOHS, v128.bits(v128.equalBytes(get(BYTES), v128.ofByte(i32.of(SOH))))),
  loop(get(SOHS), noteField),
  set(AT, i32.add(get(AT), i32.of(VECTOR_BYTES))),
];

const trailerByte = (k: number): Code => i32.loadByte(Place.Frame + k, get(AT));
const sum = (...terms: readonly Code[]): Code => terms.reduce((left, right) => i32.add(left, right));
const trailerDigit = (k: number, unit: number): Code =>
  i32.multiply(i32.subtract(trailerByte(k), i32.of(ZERO)), i32.of(unit));

const program: Code = [
  set(AT, get(BEGIN)),
  set(FIELD, get(BEGIN)),
  loop(i32.below(get(AT), get(END)), takeVector),
  // The trailer has been summed too: it is not part of what it says.
  set(AT, i32.subtract(get(END), i32.of(TRAILER_BYTES))),
  set(DIGIT, sum(...[0, 1, 2, 3].map((place) => v128.word(get(SUMS), place)))),
  set(DIGIT, i32.subtract(get(DIGIT), sum(...[0, 1, 2, 3, 4, 5, 6].map(trailerByte)))),
  when(
    i32.notEqual(i32.and(get(DIGIT), i32.of(0xff)), sum(trailerDigit(3, 100), trailerDigit(4, 10), trailerDigit(5, 1))),
    unusual,
  ),
  i32.shiftRight(get(OUT), i32.of(2)),
];

interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(begin: number, end: number, tagLimit: number): number;
}

/** What is needed of WebAssembly, which the language's own type definitions do not have. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** Indexes frames that lie in a memory of its own. */
export class IndexKernel {
  /** Where frames have to lie. */
  readonly frames: Buffer;
  /** By field, as long as the frame is the last one indexed: its tag, the first byte of its value, one past its last. */
  readonly tags: Int32Array<ArrayBuffer>;
  readonly starts: Int32Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
  private readonly run: KernelExports['run'];

  private constructor({ memory, run }: KernelExports) {
    const { buffer } = memory;
    this.frames = Buffer.from(buffer, Place.Frame, KERNEL_BYTES);
    this.tags = new Int32Array(buffer, Place.Tags, FIELDS);
    this.starts = new Int32Array(buffer, Place.Starts, FIELDS);
    this.ends = new Int32Array(buffer, Place.Ends, FIELDS);
    new Uint8Array(buffer, Place.Mask, VECTOR_BYTES).fill(0xff);
    const special = new Uint8Array(buffer, Place.Special, TAGS_END);
    for (let tag = 0; tag < STANDARD_TAGS_END; tag++) if (dataTagOf(tag) !== 0) special[tag] = 1;
    this.run = run;
  }

  /** A kernel with 64 kB of memory; null where there is no WebAssembly, or no vectors, or no room in the address space. */
  static create(): IndexKernel | null {
    const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi };
    if (WebAssembly === undefined) return null;
    try {
      const module = new WebAssembly.Module(moduleOf(1, { parameters: 3, locals: 9, vectors: 2 }, program));
      return new IndexKernel(new WebAssembly.Instance(module).exports as KernelExports);
    } catch {
      // Whatever the reason: frames are then indexed without it, in more time.
      return null;
    }
  }

  /**
   * Index the frame at [begin, end) of `frames`, which is known to end in `10=ddd` and SOH; returns how many fields it
   * has, BeginString first and CheckSum last, or 0 if anything is out of the ordinary: a malformed or a long tag, data, very
   * many fields, a wrong CheckSum. `addsData`: a tag from 3000 on may announce data.
   */
  index(begin: number, end: number, addsData: boolean): number {
    return this.run(begin, end, addsData ? STANDARD_TAGS_END : TAGS_END);
  }
}
