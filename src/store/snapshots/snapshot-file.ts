// A snapshot file: what the records up to a place in the journal amount to, so that a start need not read them again.
// Written whole and durably under another name, then renamed. Leaves its bytes to state-bytes.ts and making one to
// snapshot-builder.ts.

import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { giveToOwnerOfFolder } from '../folder.ts';
import type { KeyFile } from '../index/ended-orders.ts';
import type { OutboundFile } from '../index/outbound-index.ts';
import type { JournalState } from '../journal-state.ts';
import type { ScanStart } from '../segments/block-reader.ts';
import { decodeState, encodeState, type StateHead } from './state-bytes.ts';

export interface SnapshotMeta extends StateHead {
  /** Where a scan goes on. */
  readonly start: ScanStart;
  /** Offset of the last frame covered, to see that the segment is the one that was read; null if it has none. */
  readonly lastFrameAt: number | null;
  readonly outbound: readonly OutboundFile[];
  /** Index files of ended orders, oldest first. */
  readonly keys: readonly KeyFile[];
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
  const parts = encodeState(meta, orders);
  const draft = `${path}.draft`;
  const fd = openSync(draft, 'w', 0o600);
  try {
    giveToOwnerOfFolder(draft);
    for (const bytes of parts) for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncDirectory(directory);
}

/** Read a snapshot, or all of it but its open orders; a sentence that says why it cannot be used if so. */
export function readSnapshot(path: string, part: 'all' | 'head' = 'all'): Snapshot | string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return `it cannot be read (${(error as Error).message})`;
  }
  const decoded = decodeState<SnapshotMeta>(bytes, part);
  return typeof decoded === 'string' ? decoded : { path, meta: decoded.head, state: decoded.state };
}
