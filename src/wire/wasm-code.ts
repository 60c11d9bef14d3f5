// The few WebAssembly instructions that index-kernel.ts is written in, each as the bytes that it is made of, and a module
// around functions (WebAssembly core specification 2.0, "Binary format"). Leaves what the functions do to their writer.
//
// Written as expressions: an instruction's operands stand before it, and what nobody takes must not be left over.

/** Instructions: bytes, nested as they were written. */
export type Code = readonly (number | Code)[];

type Binary = (a: Code, b: Code) => Code;
const binary =
  (opcode: number): Binary =>
  (a, b) => [a, b, opcode];

/** Integers of 32 bits. */
export const i32 = {
  of: (value: number): Code => [0x41, signed(value)],
  /** The word, the byte, at an address plus an offset. */
  load: (offset: number, address: Code): Code => [address, 0x28, 0, unsigned(offset)],
  loadByte: (offset: number, address: Code): Code => [address, 0x2d, 0, unsigned(offset)],
  store: (offset: number, address: Code, value: Code): Code => [address, value, 0x36, 0, unsigned(offset)],
  storeByte: (offset: number, address: Code, value: Code): Code => [address, value, 0x3a, 0, unsigned(offset)],
  isZero: (a: Code): Code => [a, 0x45],
  /** How many zero bits stand below the lowest set bit. */
  trailingZeros: (a: Code): Code => [a, 0x68],
  equal: binary(0x46),
  notEqual: binary(0x47),
  below: binary(0x49),
  above: binary(0x4b),
  add: binary(0x6a),
  subtract: binary(0x6b),
  multiply: binary(0x6c),
  and: binary(0x71),
  or: binary(0x72),
  xor: binary(0x73),
  shiftLeft: binary(0x74),
  shiftRight: binary(0x76),
} as const;

/** Vectors of 16 bytes. */
export const v128 = {
  load: (offset: number, address: Code): Code => [address, vector(0x00), 0, unsigned(offset)],
  store: (offset: number, address: Code, value: Code): Code => [address, value, vector(0x0b), 0, unsigned(offset)],
  /** Sixteen times the lowest byte. */
  ofByte: (value: Code): Code => [value, vector(0x0f)],
  and: (a: Code, b: Code): Code => [a, b, vector(0x4e)],
  subtractBytes: (a: Code, b: Code): Code => [a, b, vector(0x71)],
  /** Bytes that are below the other's, as all ones. */
  bytesBelow: (a: Code, b: Code): Code => [a, b, vector(0x26)],
  /** Bytes that are equal, as all ones. */
  equalBytes: (a: Code, b: Code): Code => [a, b, vector(0x23)],
  /** A bit for each byte, its highest. */
  bits: (a: Code): Code => [a, vector(0x64)],
  /** Four sums of four bytes each. */
  sumsOfBytes: (a: Code): Code => [a, vector(0x7d), vector(0x7f)],
  addSums: (a: Code, b: Code): Code => [a, b, vector(0xae)],
  /** One of four words. */
  word: (a: Code, place: number): Code => [a, vector(0x1b), place],
} as const;

export const get = (local: number): Code => [0x20, local];
export const set = (local: number, value: Code): Code => [value, 0x21, local];
/** Leave the function with a value. */
export const answer = (value: Code): Code => [value, 0x0f];
export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  condition,
  0x04,
  0x40,
  then,
  otherwise.length === 0 ? [] : [0x05, otherwise],
  0x0b,
];
/** Do the body again and again as long as the condition, looked at before, holds. */
export const loop = (condition: Code, body: Code): Code => [
  [0x02, 0x40, 0x03, 0x40],
  [i32.isZero(condition), 0x0d, 1],
  [body, 0x0c, 0],
  [0x0b, 0x0b],
];

/** A function that answers with an integer; parameters and locals, numbered on, of 32 bits; then vectors. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly locals: number;
  readonly vectors: number;
  readonly body: Code;
}

const I32 = 0x7f;
const V128 = 0x7b;

/** The bytes of a module that exports `memory`, of so many pages of 64 kB that neither grow nor shrink, and the functions. */
export function moduleOf(pages: number, functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, sized(new Array<number>(parameters).fill(I32)), sized([I32])]);
  const bodies = functions.map(({ locals, vectors, body }) =>
    sized(flat([2, unsigned(locals), I32, unsigned(vectors), V128, body, 0x0b])),
  );
  const exported = functions.map((each, k) => [nameOf(each.name), 0, k]);
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, [functions.length, types]),
      section(3, [functions.length, functions.map((_, k) => k)]),
      section(5, [1, 1, pages, pages]),
      section(7, [functions.length + 1, nameOf('memory'), 2, 0, exported]),
      section(10, [functions.length, bodies]),
    ]),
  );
}

const section = (id: number, content: Code): Code => [id, sized(flat(content))];
const sized = (bytes: readonly number[]): Code => [unsigned(bytes.length), bytes];
const nameOf = (text: string): Code => sized([...text].map((c) => c.charCodeAt(0)));
const vector = (opcode: number): Code => [0xfd, unsigned(opcode)];

function flat(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));
}

/** A number that is not negative, seven bits to a byte, the lowest first. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

/** The same of a number that may be negative. */
function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, signed(value >> 7)];
}
