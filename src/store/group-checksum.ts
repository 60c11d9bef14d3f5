// Checksums of groups of frames: which a group has says its marker. Written is the lower half of XXH64, as a Zstandard frame has
// it (RFC 8878, section 3.1.1, Content_Checksum), where WebAssembly is to be had: it takes a third of the time of the CRC that
// every group had before, and that those in PostgreSQL still have, where nodes of several versions read the same rows.
// Leaves the layout of a group to segment.ts, and the instructions to xxh64-code.ts.

import { crc32 } from 'node:zlib';
import { checksumModule, Prime } from './xxh64-code.ts';

/** Beginning of every marker. */
export const MARKER_START = Buffer.from([0xf7, 0x58, 0x47]);

const markerOf = (last: number): number => Buffer.from([...MARKER_START, last]).readUInt32LE(0);

export interface GroupChecksum {
  /** Marker of a group that has it. */
  readonly marker: number;
  /** Checksum of bytes, 32 bits, not negative. */
  of(bytes: Buffer, seed: number): number;
}

/** Bytes that are taken at once; those behind them are seeded with the checksum of those before. */
export const PIECE_BYTES = 65_536;

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  xxh64(length: number, seed: number): number;
}

/** What is needed of WebAssembly, which the language's own type definitions do not have. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

type PieceChecksum = (piece: Buffer, seed: number) => number;

/** By the kernel; null where there is no WebAssembly, or no room in the address space. */
function byKernel(): PieceChecksum | null {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi };
  if (WebAssembly === undefined) return null;
  try {
    const kernel = new WebAssembly.Instance(new WebAssembly.Module(checksumModule())).exports as Kernel;
    const memory = new Uint8Array(kernel.memory.buffer);
    return (piece, seed) => {
      memory.set(piece);
      return kernel.xxh64(piece.length, seed) >>> 0;
    };
  } catch {
    // Whatever the reason: groups are then written with a CRC, and read in more time.
    return null;
  }
}

const word = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, bits: bigint): bigint => word((value << bits) | (word(value) >> (64n - bits)));
const mixed = (lane: bigint, input: bigint): bigint => word(rotated(word(lane + input * Prime.Two), 31n) * Prime.One);

/** The same without WebAssembly, some hundred times slower: for reading what was written where there was one. */
export function pieceByIntegers(piece: Buffer, seed: number): number {
  const wideSeed = BigInt(seed);
  let hash = wideSeed + Prime.Five;
  let at = 0;
  if (piece.length >= 32) {
    const lanes = [Prime.One + Prime.Two, Prime.Two, 0n, -Prime.One].map((first) => word(wideSeed + first));
    for (; at + 32 <= piece.length; at += 32) {
      for (let k = 0; k < 4; k++) lanes[k] = mixed(lanes[k]!, piece.readBigUInt64LE(at + 8 * k));
    }
    hash = [1n, 7n, 12n, 18n].reduce((sum, bits, k) => sum + rotated(lanes[k]!, bits), 0n);
    for (const lane of lanes) hash = word((word(hash) ^ mixed(0n, lane)) * Prime.One + Prime.Four);
  }
  hash = word(hash + BigInt(piece.length));
  for (; at + 8 <= piece.length; at += 8) {
    hash = word(rotated(hash ^ mixed(0n, piece.readBigUInt64LE(at)), 27n) * Prime.One + Prime.Four);
  }
  if (at + 4 <= piece.length) {
    hash = word(rotated(hash ^ word(BigInt(piece.readUInt32LE(at)) * Prime.One), 23n) * Prime.Two + Prime.Three);
    at += 4;
  }
  for (; at < piece.length; at++) hash = word(rotated(hash ^ word(BigInt(piece[at]!) * Prime.Five), 11n) * Prime.One);
  hash = word((hash ^ (hash >> 33n)) * Prime.Two);
  hash = word((hash ^ (hash >> 29n)) * Prime.Three);
  return Number((hash ^ (hash >> 32n)) & 0xffff_ffffn);
}

// Between two calls its memory holds nothing.
const kernel = byKernel();
const pieceChecksum = kernel ?? pieceByIntegers;

/** Of groups of format 3. */
export const XXH64: GroupChecksum = {
  marker: markerOf(0xfd),
  of(bytes, seed) {
    if (bytes.length <= PIECE_BYTES) return pieceChecksum(bytes, seed);
    let checksum = seed;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      checksum = pieceChecksum(bytes.subarray(at, at + PIECE_BYTES), checksum);
    }
    return checksum;
  },
};

/** Of groups of format 2, and of those written where there is no WebAssembly. */
export const CRC32: GroupChecksum = { marker: markerOf(0xfb), of: (bytes, seed) => crc32(bytes, seed) };

/** Marker of a frame of format 1, which is no group: it has a CRC too. */
export const SINGLE_MARKER = markerOf(0xf9);

/** What new segments are written with. */
export const WRITTEN: GroupChecksum = kernel === null ? CRC32 : XXH64;

/** The checksum that a marker says; null if it is none. */
export function checksumOf(marker: number): GroupChecksum | null {
  if (marker === XXH64.marker) return XXH64;
  return marker === CRC32.marker || marker === SINGLE_MARKER ? CRC32 : null;
}
