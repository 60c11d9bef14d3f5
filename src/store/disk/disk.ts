// The few system calls of the embedded journal, as a port: tests put a failing disk behind it (rule J2). Leaves the operating
// system's to real-disk.ts.

import type { Filled } from '../embedded/zero-file.ts';

export interface Disk {
  /** Open for reading and writing, creating it. */
  open(path: string): number;
  close(fd: number): void;
  /** Write all of `bytes[0, length)` at `position`. @throws on any shortfall */
  write(fd: number, bytes: Uint8Array, length: number, position: number): void;
  truncate(fd: number, length: number): void;
  /** Cut a file and close it, beside the event loop. Where absent, both are done on the spot. */
  finish?(fd: number, length: number): Promise<void>;
  /** Make a file of zeros, durably, beside the event loop, unless `isUnwanted` becomes true. Where absent, none is made. */
  fill?(path: string, bytes: number, isUnwanted: () => boolean): Promise<Filled>;
  sync(fd: number): Promise<void>;
  syncBlocking(fd: number): void;
  /** A thread that writes and syncs. Where absent, both are done here. @throws if there can be none */
  thread?(onEnded: (reason: string) => void): DurableThread;
  /** Make creations and removals of files in a directory durable. */
  syncDirectory(path: string): void;
}

/** Writes and syncs beside the event loop. */
export interface DurableThread {
  readonly isBroken: boolean;
  /** Where the bytes of the next job are laid. They stay there until it has ended. */
  readonly bytes: Buffer;
  begin(fd: number, length: number, position: number): DurableJob;
  close(): Promise<void>;
}

/** A write and a sync under way. */
export interface DurableJob {
  /** Wait until its bytes are with the operating system, at most so long; whether they are. */
  waitWritten(ms: number): boolean;
  /** Wait for its end here, at most so long; whether it came. @throws the disk's error */
  wait(ms: number): boolean;
  /** Resolves at its end; rejects with the disk's error. Not after `wait` has reported the end. */
  ended(): Promise<void>;
}
