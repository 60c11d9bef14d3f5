// Packets of a capture file: pcap (microseconds, nanoseconds, either byte order) and pcapng. Link and network layers
// follow in packet.ts. Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.

import type { EpochMs } from '../../base/time.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { TellCut } from '../bytes/unpack.ts';

export interface CapturedPacket {
  /** Null where the capture has no time, as in a Simple Packet Block. */
  readonly at: EpochMs | null;
  readonly linkType: number;
  readonly bytes: Buffer;
}

/** Longest packet and block; what is longer is damage. */
const PACKET_BYTES_MAX = 1_048_576;
const BLOCK_BYTES_MAX = 16 * 1_048_576;
const INTERFACES_MAX = 10_000;
const DAMAGED = 'the capture is damaged, the rest cannot be read';
const CUT = 'the capture ends within a packet';

type Order = 'LE' | 'BE';

const PCAP_MAGIC: Readonly<Record<string, { readonly order: Order; readonly perSecond: number }>> = {
  d4c3b2a1: { order: 'LE', perSecond: 1e6 },
  a1b2c3d4: { order: 'BE', perSecond: 1e6 },
  '4d3cb2a1': { order: 'LE', perSecond: 1e9 },
  a1b23c4d: { order: 'BE', perSecond: 1e9 },
};
const SECTION_HEADER = 0x0a0d0d0a;

/** Whether a file that begins so is a capture. */
export function isCapture(head: Buffer): boolean {
  return head.length >= 4 && (PCAP_MAGIC[hexOf(head)] !== undefined || head.readUInt32BE(0) === SECTION_HEADER);
}

const hexOf = (head: Buffer): string => head.subarray(0, 4).toString('hex');

/** Every packet of a capture, in its order. `tellCut`: why the rest is not read. */
export async function* capturedPackets(source: ByteSource, tellCut: TellCut): AsyncGenerator<CapturedPacket> {
  const magic = PCAP_MAGIC[hexOf(await source.peek(4))];
  if (magic === undefined) yield* blocksOf(source, tellCut);
  else yield* recordsOf(source, magic, tellCut);
}

const u32 = (bytes: Buffer, at: number, order: Order): number =>
  order === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
const u16 = (bytes: Buffer, at: number, order: Order): number =>
  order === 'LE' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);

async function* recordsOf(
  source: ByteSource,
  { order, perSecond }: { readonly order: Order; readonly perSecond: number },
  tellCut: TellCut,
): AsyncGenerator<CapturedPacket> {
  const head = await source.read(24);
  if (head.length < 24) return tellCut(CUT);
  // The upper bits speak of frame check sequences.
  const linkType = u32(head, 20, order) & 0x0fffffff;
  for (;;) {
    const record = await source.read(16);
    if (record.length === 0) return;
    if (record.length < 16) return tellCut(CUT);
    const length = u32(record, 8, order);
    if (length > PACKET_BYTES_MAX) return tellCut(DAMAGED);
    const bytes = await source.read(length);
    if (bytes.length < length) return tellCut(CUT);
    const at = u32(record, 0, order) * 1000 + Math.floor((u32(record, 4, order) * 1000) / perSecond);
    yield { at, linkType, bytes };
  }
}

interface CaptureInterface {
  readonly linkType: number;
  readonly snapLength: number;
  /** Time units of a second. */
  readonly perSecond: bigint;
  readonly offsetS: bigint;
}

const INTERFACE = 1;
const PACKET_BEFORE = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;

async function* blocksOf(source: ByteSource, tellCut: TellCut): AsyncGenerator<CapturedPacket> {
  let order: Order = 'LE';
  let interfaces: CaptureInterface[] = [];
  for (;;) {
    const head = await source.peek(12);
    if (head.length === 0) return;
    if (head.length < 12) return tellCut(CUT);
    if (head.readUInt32BE(0) === SECTION_HEADER) {
      const mark = head.subarray(8, 12).toString('hex');
      if (mark !== '4d3c2b1a' && mark !== '1a2b3c4d') return tellCut(DAMAGED);
      order = mark === '4d3c2b1a' ? 'LE' : 'BE';
      interfaces = [];
    }
    const [type, length] = [u32(head, 0, order), u32(head, 4, order)];
    if (length < 12 || length > BLOCK_BYTES_MAX || length % 4 !== 0) return tellCut(DAMAGED);
    const block = await source.read(length);
    if (block.length < length) return tellCut(CUT);
    const body = block.subarray(8, -4);
    if (type === INTERFACE) {
      if (interfaces.length >= INTERFACES_MAX || body.length < 8) return tellCut(DAMAGED);
      interfaces.push(interfaceOf(body, order));
    }
    const packet = packetOf(type, body, order, interfaces);
    if (packet === 'damaged') return tellCut(DAMAGED);
    if (packet !== null) yield packet;
  }
}

const OPTION_END = 0;
const OPTION_RESOLUTION = 9;
const OPTION_OFFSET = 14;

function interfaceOf(body: Buffer, order: Order): CaptureInterface {
  let perSecond = 1_000_000n;
  let offsetS = 0n;
  for (let at = 8; at + 4 <= body.length; ) {
    const [code, length] = [u16(body, at, order), u16(body, at + 2, order)];
    if (code === OPTION_END) break;
    if (code === OPTION_RESOLUTION && length === 1 && at + 5 <= body.length) {
      const value = body[at + 4]!;
      perSecond = (value & 0x80) === 0 ? 10n ** BigInt(value & 0x7f) : 2n ** BigInt(value & 0x7f);
    }
    if (code === OPTION_OFFSET && length === 8 && at + 12 <= body.length)
      offsetS = order === 'LE' ? body.readBigInt64LE(at + 4) : body.readBigInt64BE(at + 4);
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return { linkType: u16(body, 0, order), snapLength: u32(body, 4, order), perSecond, offsetS };
}

function packetOf(
  type: number,
  body: Buffer,
  order: Order,
  interfaces: readonly CaptureInterface[],
): CapturedPacket | null | 'damaged' {
  if (type === SIMPLE_PACKET) {
    const [first] = interfaces;
    if (first === undefined || body.length < 4) return 'damaged';
    const kept = Math.min(u32(body, 0, order), first.snapLength || PACKET_BYTES_MAX, body.length - 4);
    return { at: null, linkType: first.linkType, bytes: body.subarray(4, 4 + kept) };
  }
  if (type !== ENHANCED_PACKET && type !== PACKET_BEFORE) return null;
  if (body.length < 20) return 'damaged';
  const of = interfaces[type === ENHANCED_PACKET ? u32(body, 0, order) : u16(body, 0, order)];
  const length = u32(body, 12, order);
  if (of === undefined || length > body.length - 20 || length > PACKET_BYTES_MAX) return 'damaged';
  const units = (BigInt(u32(body, 4, order)) << 32n) | BigInt(u32(body, 8, order));
  const at = Number((units * 1000n) / of.perSecond + of.offsetS * 1000n);
  return { at, linkType: of.linkType, bytes: body.subarray(20, 20 + length) };
}
