// True if a damaged place can be read now, because the file was restored. A snapshot made while it was damaged lacks
// its content. block-reader.ts finds damage.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord } from '../record-codec.ts';
import { SessionNames } from '../session-names.ts';
import { archivedPath } from '../snapshots/archive-files.ts';
import type { DamagedPlace } from './damage.ts';
import {
  decodeGroup,
  decodeSegmentHeader,
  type FrameGroup,
  GROUP_HEADER_BYTES,
  SEGMENT_HEADER_BYTES,
  segmentOfFileName,
} from './segment.ts';

/** Whether the frame at a place that was damaged, or the header of its segment, is whole now and makes sense. */
export function isMended(directory: string, { path, offset, missingTo }: DamagedPlace): boolean {
  if (missingTo !== undefined) return isThere(directory, basename(path));
  let fd: number;
  try {
    // The folder may have another name since.
    fd = openSync(join(directory, basename(path)), 'r');
  } catch {
    return false;
  }
  try {
    const header = decodeSegmentHeader(read(fd, 0, SEGMENT_HEADER_BYTES));
    if (typeof header === 'string') return false;
    if (offset < SEGMENT_HEADER_BYTES) return true;
    const group = groupAt(fd, offset, header.seed);
    return group !== null && makesSense(group);
  } catch (error) {
    // A disk that gives nothing has mended nothing.
    if (error instanceof Error && 'syscall' in error) return false;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** In the journal, or in its archive. */
function isThere(directory: string, name: string): boolean {
  const segment = segmentOfFileName(name);
  return segment !== null && (existsSync(join(directory, name)) || existsSync(archivedPath(directory, segment)));
}

function groupAt(fd: number, offset: number, seed: number): FrameGroup | null {
  for (let wanted = GROUP_HEADER_BYTES; ; ) {
    const bytes = read(fd, offset, wanted);
    const group = decodeGroup(bytes, 0, offset, seed);
    if (typeof group !== 'number') return group;
    if (bytes.length < wanted) return null;
    wanted = group;
  }
}

/** A whole one may have a record of a later version. */
function makesSense({ frames }: FrameGroup): boolean {
  const names = new SessionNames();
  // They stand in earlier groups.
  names.damaged();
  try {
    for (const { payload, recordCount } of frames) {
      const reader = new RecordReader(payload);
      for (let k = 0; k < recordCount; k++) decodeRecord(reader, names);
    }
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function read(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
}
