// A small file beside the journal's folder that notes how far the journal was on disk. It reveals a journal that was
// deleted or replaced by an older copy (rule J3). The note lags behind and is never ahead of durable records; a note
// that cannot be read or written proves nothing. The engine decides the consequences.

import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { giveToOwnerOfFolder } from '../folder.ts';

/** Name of the note in the folder that the journal lies in. */
export const WITNESS_FILE = 'journal.witness';
/** Time between two notes while frames become durable. */
const NOTE_EVERY_MS = 1000;
const LINE_BYTES = 80;

function lineOf(journalId: string, frame: number): string {
  const text = `crossgate journal ${journalId} frame ${frame}`;
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}`.padEnd(LINE_BYTES - 1).concat('\n');
}

/** The note's content; null if it proves nothing. */
export interface Note {
  readonly journalId: string;
  readonly frame: number;
}

export function readNote(path: string): Note | null {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(LINE_BYTES);
    const line = bytes.toString('latin1', 0, readSync(fd, bytes, 0, LINE_BYTES, 0));
    const match = /^crossgate journal ([0-9a-f]{32}) frame (\d{1,15}) /.exec(line);
    if (match === null) return null;
    const [, journalId, frame] = match;
    return line === lineOf(journalId!, Number(frame)) ? { journalId: journalId!, frame: Number(frame) } : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

export class Witness {
  /** Why this journal is not the one that was written here last, in words; null if nothing speaks against it. */
  readonly objection: string | null;
  readonly #journalId: string;
  #fd: number | null = null;
  #notedAt = Number.NEGATIVE_INFINITY;
  #noted = 0;
  #latest: number;

  /**
   * @param path null for none
   * @param frame number of the journal's last frame
   */
  constructor(path: string | null, journalId: string, frame: number) {
    this.#journalId = journalId;
    this.#latest = frame;
    const before = path === null ? null : readNote(path);
    this.objection = objectionOf(before, journalId, frame);
    // A note that speaks against it stays until something is recorded: that it does is recorded first.
    if (this.objection !== null) this.#noted = frame;
    if (path === null) return;
    try {
      this.#fd = openSync(path, before === null ? 'w' : 'r+', 0o600);
      giveToOwnerOfFolder(path);
    } catch {
      // A folder that takes no file: the journal itself will say so.
    }
  }

  /** Everything up to this frame is on disk. `nowMs` only grows. */
  durable(frame: number, nowMs: number): void {
    this.#latest = frame;
    if (nowMs - this.#notedAt < NOTE_EVERY_MS) return;
    this.#notedAt = nowMs;
    this.#note();
  }

  close(): void {
    this.#note();
    this.abandon();
  }

  /** Close it, and leave the note as it is. */
  abandon(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #note(): void {
    if (this.#fd === null || this.#noted === this.#latest) return;
    try {
      writeSync(this.#fd, lineOf(this.#journalId, this.#latest), 0, 'latin1');
      this.#noted = this.#latest;
    } catch {
      // The disk is full or failing: the journal's own writes tell.
    }
  }
}

/** The note's objection to a journal that ends with this frame, in words; null if none. */
export function objectionOf(before: Note | null, journalId: string, frame: number): string | null {
  if (before === null) return null;
  if (before.journalId !== journalId) {
    return `the journal that was written here before, up to frame ${before.frame}, is missing or was replaced by another one`;
  }
  if (before.frame <= frame) return null;
  return `the journal ends with frame ${frame}, but frame ${before.frame} was on disk already: it was replaced by an older copy, or its end is damaged`;
}
