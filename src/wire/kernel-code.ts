// What the index kernel does, as WebAssembly: the fields of ordinary frames, found by vectors of 16 bytes, their CheckSum,
// and what their values are at first sight. Leaves its memory and who calls it to index-kernel.ts, the instructions to
// wasm-code.ts.

import { answer, type Code, get, i32, loop, moduleOf, set, v128, when } from './wasm-code.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const TRAILER_BYTES = 7;
/** Shortest body: `35=0` and SOH; shortest frame: `8=FIX.4.n|9=n|`, that body and the trailer. */
const BODY_BYTES_MIN = 5;
const FRAME_BYTES_MIN = 26;
const VECTOR_BYTES = 16;
const WORD_BYTES = 4;

/** Bytes that fit, and fields. */
export const KERNEL_BYTES = 8192;
export const FIELDS = 1024;
/** An index's answer: so many bits say how many fields there are, those above them how many bytes. */
export const COUNT_BITS = 12;
/** Fields of a plan, how many plans there is room for, and how many sets of single bytes they share. */
export const PLAN_FIELDS = 64;
export const PLANS = 96;
export const BYTE_SETS = 640;
/** Pages of 64 kB that all of it takes. */
export const PAGES = 2;

/** Where things lie in its memory; behind the frame, room for reading a vector that begins inside it. */
export const Place = {
  Frame: 0,
  /** 16 bytes of ones, then 16 of zeros: read `n` before the zeros, the first `n` bytes are ones. */
  Mask: 0x2100,
  /** A byte by tag: whether it announces data. */
  Special: 0x2200,
  Tags: 0x5000,
  Starts: 0x6000,
  Ends: 0x7000,
  Kinds: 0x8000,
  /** The first 16 bytes, to the tens of seconds, of the last UTCTimestamp that was plain. */
  PlainTime: 0x8400,
  /** 32 bytes each, a bit by byte. */
  ByteSets: 0x9000,
  Plans: 0x10000,
} as const;

/** A plan: by field its tag, where its set of single bytes lies, and how its value is looked at. */
export const Plan = { Tags: 0, ByteSets: 256, Looks: 512, Bytes: 640 } as const;

/**
 * What a value is at first sight, a bit each. No bit: nothing is known. Digits are a decimal too; a decimal has at most one
 * point, not as its first byte, and no sign; a time is a UTCTimestamp to the second or millisecond, on one of the first 28
 * days of a month. Values of more than 16 bytes are not looked at as numbers.
 */
export const ValueKind = { NotEmpty: 1, Digits: 2, Decimal: 4, Time: 8 } as const;

/** How a plan has a value looked at instead: one byte of a set. 0: not at all; with no other bit: always closely. */
export const LOOK_ONE_BYTE = 16;

/** Parameters: where the frame begins, how far there are bytes, and from which tag on it is unusual. Then locals. */
const BEGIN = 0;
/** Where the frame ends, once that is known. */
const END = 1;
const TAG_LIMIT = 2;
/** The plan's address, in place of the tag. */
const PLAN = TAG_LIMIT;
const AT = 3;
const LEFT = 4;
const SOHS = 5;
const FIELD = 6;
const VALUE_END = 7;
const WORD = 8;
const DIGIT = 9;
const TAG = 10;
const OUT = 11;
const LENGTH = 12;
const DIGITS = 13;
const KIND = 14;
const BYTES = 15;
const SUMS = 16;

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

const POINT = 0x2e;
const DASH = 0x2d;
const COLON = 0x3a;
/** Which of the first 16 bytes of a UTCTimestamp, `YYYYMMDD-HH:MM:S`, are digits. */
const TIME_DIGITS = 0xb6ff;
const SECOND_BYTES = 17;
const MILLISECOND_BYTES = 21;

const valueByte = (k: number): Code => i32.loadByte(Place.Frame + k, get(WORD));
const valueDigit = (k: number): Code => i32.subtract(valueByte(k), i32.of(ZERO));
/** The number in two digits. */
const valuePair = (k: number): Code => i32.add(i32.multiply(valueDigit(k), i32.of(10)), valueDigit(k + 1));
const isNot = (k: number, byte: number): Code => i32.xor(valueByte(k), i32.of(byte));
/** Whether any of these is not 0. */
const any = (...codes: readonly Code[]): Code => codes.reduce((left, right) => i32.or(left, right));

/** Whether the time to the tens of seconds, all digits and separators in their places, is one that does not exist. */
const isNoPlainTime: Code = any(
  isNot(8, DASH),
  isNot(11, COLON),
  isNot(14, COLON),
  i32.above(i32.subtract(valuePair(4), i32.of(1)), i32.of(11)),
  i32.above(i32.subtract(valuePair(6), i32.of(1)), i32.of(27)),
  i32.above(valuePair(9), i32.of(23)),
  i32.above(valueDigit(12), i32.of(5)),
  i32.above(valueDigit(15), i32.of(5)),
);

/** Whether a point and three digits do not stand where milliseconds begin. */
const haveNoMilliseconds: Code = any(
  isNot(SECOND_BYTES, POINT),
  ...[1, 2, 3].map((k) => i32.above(valueDigit(SECOND_BYTES + k), i32.of(9))),
);

/** Set KIND of a value whose first 16 bytes are digits where a time's are. */
const judgeTime: Code = [
  when(
    i32.notEqual(v128.bits(v128.equalBytes(get(BYTES), v128.load(Place.PlainTime, i32.of(0)))), i32.of(0xffff)),
    when(isNoPlainTime, set(DIGITS, i32.of(0)), v128.store(Place.PlainTime, i32.of(0), get(BYTES))),
  ),
  when(i32.above(valueDigit(16), i32.of(9)), set(DIGITS, i32.of(0))),
  when(
    i32.notEqual(get(LENGTH), i32.of(SECOND_BYTES)),
    when(i32.notEqual(get(LENGTH), i32.of(MILLISECOND_BYTES)), set(DIGITS, i32.of(0)), [
      when(haveNoMilliseconds, set(DIGITS, i32.of(0))),
    ]),
  ),
  when(get(DIGITS), set(KIND, i32.of(ValueKind.NotEmpty | ValueKind.Time))),
];

/** Set DIGITS to the bytes of the value that are none, and from them KIND. */
const judgeNumber: Code = [
  set(
    DIGITS,
    i32.and(i32.xor(get(DIGITS), i32.of(-1)), i32.subtract(i32.shiftLeft(i32.of(1), get(LENGTH)), i32.of(1))),
  ),
  when(
    get(DIGITS),
    // Not one bit, or the first byte, or no point there.
    when(
      i32.isZero(
        any(
          i32.and(get(DIGITS), i32.subtract(get(DIGITS), i32.of(1))),
          i32.equal(get(DIGITS), i32.of(1)),
          i32.xor(i32.loadByte(Place.Frame, i32.add(get(WORD), i32.trailingZeros(get(DIGITS)))), i32.of(POINT)),
        ),
      ),
      set(KIND, i32.of(ValueKind.NotEmpty | ValueKind.Decimal)),
    ),
    set(KIND, i32.of(ValueKind.NotEmpty | ValueKind.Decimal | ValueKind.Digits)),
  ),
];

/** Set KIND of the value between WORD and VALUE_END. */
const judgeValue: Code = [
  set(LENGTH, i32.subtract(get(VALUE_END), get(WORD))),
  when(
    get(LENGTH),
    [
      set(KIND, i32.of(ValueKind.NotEmpty)),
      set(BYTES, v128.load(Place.Frame, get(WORD))),
      set(
        DIGITS,
        v128.bits(v128.bytesBelow(v128.subtractBytes(get(BYTES), v128.ofByte(i32.of(ZERO))), v128.ofByte(i32.of(10)))),
      ),
      when(
        i32.above(get(LENGTH), i32.of(VECTOR_BYTES)),
        when(i32.equal(get(DIGITS), i32.of(TIME_DIGITS)), judgeTime),
        judgeNumber,
      ),
    ],
    set(KIND, i32.of(0)),
  ),
];

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

/** Note what each value is; END is how many there are. */
const judgeAll: Code = [
  loop(i32.notEqual(get(AT), get(END)), [
    set(OUT, i32.multiply(get(AT), i32.of(WORD_BYTES))),
    set(WORD, i32.load(Place.Starts, get(OUT))),
    set(VALUE_END, i32.load(Place.Ends, get(OUT))),
    judgeValue,
    i32.storeByte(Place.Kinds, get(AT), get(KIND)),
    set(AT, i32.add(get(AT), i32.of(1))),
  ]),
  i32.of(0),
];

/** Answer -1 unless the END tags of the frame are those of the plan. */
const compareTags: Code = [
  set(OUT, i32.of(0)),
  set(LEFT, i32.multiply(get(END), i32.of(WORD_BYTES))),
  loop(i32.notEqual(get(OUT), get(LEFT)), [
    when(
      i32.notEqual(i32.load(Place.Tags, get(OUT)), i32.load(Plan.Tags, i32.add(get(PLAN), get(OUT)))),
      answer(i32.of(-1)),
    ),
    set(OUT, i32.add(get(OUT), i32.of(WORD_BYTES))),
  ]),
];

const answerThis = answer(get(AT));

/** Answer with this field unless its value is one byte of its set. */
const judgeOneByte: Code = [
  when(i32.notEqual(i32.subtract(get(VALUE_END), get(WORD)), i32.of(1)), answerThis),
  set(DIGIT, i32.loadByte(Place.Frame, get(WORD))),
  set(WORD, i32.load(Plan.ByteSets, i32.add(get(PLAN), get(OUT)))),
  set(WORD, i32.loadByte(0, i32.add(get(WORD), i32.shiftRight(get(DIGIT), i32.of(3))))),
  when(i32.isZero(i32.and(i32.shiftRight(get(WORD), i32.and(get(DIGIT), i32.of(7))), i32.of(1))), answerThis),
];

/** The first field from BEGIN on whose value is not plainly what the plan says, or END; -1 if its tags are others. */
const judgeByPlan: Code = [
  when(i32.isZero(get(BEGIN)), compareTags),
  set(AT, get(BEGIN)),
  loop(i32.notEqual(get(AT), get(END)), [
    set(OUT, i32.multiply(get(AT), i32.of(WORD_BYTES))),
    set(WORD, i32.load(Place.Starts, get(OUT))),
    set(VALUE_END, i32.load(Place.Ends, get(OUT))),
    set(LEFT, i32.loadByte(Plan.Looks, i32.add(get(PLAN), get(AT)))),
    when(
      i32.equal(get(LEFT), i32.of(LOOK_ONE_BYTE)),
      judgeOneByte,
      when(
        i32.equal(get(LEFT), i32.of(ValueKind.NotEmpty)),
        when(i32.equal(get(VALUE_END), get(WORD)), answerThis),
        when(get(LEFT), [judgeValue, when(i32.isZero(i32.and(get(KIND), get(LEFT))), answerThis)]),
      ),
    ),
    set(AT, i32.add(get(AT), i32.of(1))),
  ]),
  get(AT),
];

const frameWord = (k: number): Code => i32.load(Place.Frame + k, get(BEGIN));
/** Four characters as the word that they are in memory. */
const wordOf = (text: string): number => Buffer.from(text, 'latin1').readInt32LE();
/** Whether byte `k` behind AT is no digit. */
const isNoDigitAt = (k: number): Code =>
  i32.above(i32.subtract(i32.loadByte(Place.Frame + k, get(AT)), i32.of(ZERO)), i32.of(9));

/** Set AT to where the value of BodyLength begins, behind `8=FIX.4.n|9=` or `8=FIXT.1.1|9=`. */
const readBegin: Code = [
  when(i32.xor(frameWord(0), i32.of(wordOf('8=FI'))), unusual),
  when(
    i32.equal(frameWord(4), i32.of(wordOf('X.4.'))),
    [
      when(i32.xor(i32.and(frameWord(8), i32.of(~0xff)), i32.of(wordOf('\0\x019='))), unusual),
      when(i32.above(i32.subtract(i32.and(frameWord(8), i32.of(0xff)), i32.of(ZERO)), i32.of(9)), unusual),
      set(AT, i32.add(get(BEGIN), i32.of(12))),
    ],
    [
      when(
        any(
          i32.xor(frameWord(4), i32.of(wordOf('XT.1'))),
          i32.xor(frameWord(8), i32.of(wordOf('.1\x019'))),
          i32.xor(i32.loadByte(Place.Frame + 12, get(BEGIN)), i32.of(EQUALS)),
        ),
        unusual,
      ),
      set(AT, i32.add(get(BEGIN), i32.of(13))),
    ],
  ),
];

/** Set END to where the frame ends by its BodyLength, if that leads to a CheckSum field among the bytes that there are. */
const measureFrame: Code = [
  when(i32.below(get(END), i32.add(get(BEGIN), i32.of(FRAME_BYTES_MIN))), unusual),
  readBegin,
  set(LENGTH, i32.of(0)),
  loop(i32.notEqual(i32.loadByte(Place.Frame, get(AT)), i32.of(SOH)), [
    when(i32.or(isNoDigitAt(0), i32.above(get(LENGTH), i32.of(KERNEL_BYTES))), unusual),
    set(
      LENGTH,
      i32.add(i32.multiply(get(LENGTH), i32.of(10)), i32.subtract(i32.loadByte(Place.Frame, get(AT)), i32.of(ZERO))),
    ),
    // Zeros before a number may go on for ever.
    when(i32.isZero(get(LENGTH)), unusual),
    set(AT, i32.add(get(AT), i32.of(1))),
  ]),
  when(i32.below(get(LENGTH), i32.of(BODY_BYTES_MIN)), unusual),
  // From the SOH of BodyLength to that of the body, behind which the trailer stands.
  set(AT, i32.add(get(AT), get(LENGTH))),
  set(LENGTH, i32.add(get(AT), i32.of(TRAILER_BYTES + 1))),
  when(i32.above(get(LENGTH), get(END)), unusual),
  set(END, get(LENGTH)),
  when(
    any(
      i32.xor(i32.load(Place.Frame, get(AT)), i32.of(wordOf('\x0110='))),
      isNoDigitAt(4),
      isNoDigitAt(5),
      isNoDigitAt(6),
      i32.xor(i32.loadByte(Place.Frame + 7, get(AT)), i32.of(SOH)),
    ),
    unusual,
  ),
];

/** Whether MsgType(35) is not the third field, or is empty. */
const hasNoMsgType: Code = i32.or(
  i32.xor(i32.load(Place.Tags + 2 * WORD_BYTES, i32.of(0)), i32.of(35)),
  i32.equal(i32.load(Place.Starts + 2 * WORD_BYTES, i32.of(0)), i32.load(Place.Ends + 2 * WORD_BYTES, i32.of(0))),
);

const indexFrame: Code = [
  measureFrame,
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
  when(hasNoMsgType, unusual),
  i32.or(i32.shiftLeft(i32.subtract(get(END), get(BEGIN)), i32.of(COUNT_BITS)), i32.shiftRight(get(OUT), i32.of(2))),
];

/** The module's bytes: memory and three functions of three parameters. */
export function kernelModule(): Uint8Array<ArrayBuffer> {
  const locals = { parameters: 3, locals: 12, vectors: 2 };
  return moduleOf(PAGES, [
    { name: 'index', ...locals, body: indexFrame },
    { name: 'judge', ...locals, body: judgeAll },
    { name: 'judgeByPlan', ...locals, body: judgeByPlan },
  ]);
}
