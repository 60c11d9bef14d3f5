// A snapshot file: what the records up to a place in the journal amount to, so that a start need not read them again.
// Written whole and durably under another name, then renamed; CRC over everything. Leaves making one to snapshot-builder.ts.
//
//   file = magic 8 · format 4 · CRC 4 · body · body = length 4 · JSON of `SnapshotMeta` · orders as (length 4, key, length 4, record)

import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { KeptDamage } from './damage.ts';
import type { KeyFile } from './ended-orders.ts';
import type { ScanStart } from './journal-reader.ts';
import { JournalState, type SessionState } from './journal-state.ts';
import type { OutboundFile } from './outbound-index.ts';

const MAGIC = Buffer.from('XGATESNP', 'latin1');
const FORMAT = 1;
const HEADER_BYTES = 16;

export interface SnapshotMeta {
  /** Where a scan goes on. */
  readonly start: ScanStart;
  /** Offset of the last frame covered, to see that the segment is the one that was read; null if it has none. */
  readonly lastFrameAt: number | null;
  readonly sessions: readonly (readonly [string, SessionState])[];
  readonly nonces: readonly (readonly [string, string])[];
  readonly outbound: readonly OutboundFile[];
  /** Index files of ended orders, oldest first. */
  readonly keys: readonly KeyFile[];
  /** Places that were damaged when they were read; absent if there were none. */
  readonly damage?: KeptDamage;
}

export interface Snapshot {
  readonly path: string;
  readonly meta: SnapshotMeta;
  readonly state: JournalState;
}

export function snapshotFileName(segment: number): string {
  return `snapshot-${segment.toString().padStart(8, '0')}.xgs`;
}

/** Snapshot files of a directory, the newest first. */
export function listSnapshots(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^snapshot-\d{8}\.xgs$/.test(name))
    .sort()
    .reverse();
}

/** Make a file's place in its directory durable. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Write a snapshot, durably, under its name at once or not at all. */
export function writeSnapshot(directory: string, meta: SnapshotMeta, orders: ReadonlyMap<string, string>): void {
  const path = join(directory, snapshotFileName(meta.start.segment));
  const head = Buffer.from(JSON.stringify(meta));
  const parts: Buffer[] = [uint32(head.length), head];
  for (const [key, record] of orders) {
    const keyBytes = Buffer.from(key);
    const recordBytes = Buffer.from(record);
    parts.push(uint32(keyBytes.length), keyBytes, uint32(recordBytes.length), recordBytes);
  }
  const body = Buffer.concat(parts);
  const header = Buffer.concat([MAGIC, uint32(FORMAT), uint32(crc32(body))]);
  const draft = `${path}.draft`;
  const fd = openSync(draft, 'w', 0o600);
  try {
    for (const bytes of [header, body]) for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncDirectory(directory);
}

/** Read a snapshot; a sentence that says why it cannot be used if so. */
export function readSnapshot(path: string): Snapshot | string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return `it cannot be read (${(error as Error).message})`;
  }
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return 'it is no snapshot';
  if (bytes.readUInt32LE(8) !== FORMAT) return 'it is of another version';
  const body = bytes.subarray(HEADER_BYTES);
  if (crc32(body) !== bytes.readUInt32LE(12)) return 'it is damaged';
  const headEnd = 4 + body.readUInt32LE(0);
  const meta = JSON.parse(body.toString('utf8', 4, headEnd)) as SnapshotMeta;
  const state = new JournalState();
  for (const [sessionId, session] of meta.sessions) state.restoreSession(sessionId, session);
  for (const [credential, nonce] of meta.nonces) state.nonces.set(credential, nonce);
  if (meta.damage !== undefined) state.restoreDamage(meta.damage);
  let position = headEnd;
  const text = (): string => {
    const start = position + 4;
    position = start + body.readUInt32LE(position);
    return body.toString('utf8', start, position);
  };
  while (position < body.length) state.orders.set(text(), text());
  return { path, meta, state };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}
