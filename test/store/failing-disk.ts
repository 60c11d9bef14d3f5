// A disk that fails on request, and one with a power cut: it wraps the real one (rule J2).

import { readFileSync, writeFileSync } from 'node:fs';
import { realDisk } from '../../src/store/disk/real-disk.ts';

type Call = 'open' | 'write' | 'truncate' | 'sync' | 'syncBlocking' | 'syncDirectory';

function diskError(code: string): NodeJS.ErrnoException {
  const texts: Record<string, string> = { EIO: 'i/o error', ENOSPC: 'no space left on device' };
  return Object.assign(new Error(`${code}: ${texts[code] ?? 'failed'}`), { code });
}

export class FailingDisk {
  /** Calls so far, by name. */
  readonly calls: Record<Call, number> = { open: 0, write: 0, truncate: 0, sync: 0, syncBlocking: 0, syncDirectory: 0 };
  #failing = new Map<Call, string>();
  /** Fail exactly the n-th of all calls, counted from 1. */
  failAt: { readonly call: number; readonly code: string } | null = null;
  total = 0;
  /** A sync that was begun is not done yet. */
  isSyncing = false;
  /** Resolves syncs only when it is called; null lets them through. */
  #held: (() => void)[] | null = null;

  /** Every call of these kinds fails from now on, until `heal`. */
  fail(code: string, ...calls: Call[]): void {
    for (const call of calls) this.#failing.set(call, code);
  }

  heal(): void {
    this.#failing.clear();
    this.failAt = null;
  }

  /** Keep syncs waiting until the returned function is called. */
  holdSyncs(): () => void {
    this.#held = [];
    return () => {
      const held = this.#held ?? [];
      this.#held = null;
      for (const release of held) release();
    };
  }

  #enter(call: Call): void {
    this.calls[call]++;
    this.total++;
    if (this.failAt?.call === this.total) throw diskError(this.failAt.code);
    const code = this.#failing.get(call);
    if (code !== undefined) throw diskError(code);
  }

  open(path: string): number {
    this.#enter('open');
    return realDisk.open(path);
  }

  close(fd: number): void {
    realDisk.close(fd);
  }

  write(fd: number, bytes: Uint8Array, length: number, position: number): void {
    try {
      this.#enter('write');
    } catch (error) {
      // A failing write leaves a part behind, as a real one may.
      realDisk.write(fd, bytes, length >>> 1, position);
      throw error;
    }
    realDisk.write(fd, bytes, length, position);
  }

  truncate(fd: number, length: number): void {
    this.#enter('truncate');
    realDisk.truncate(fd, length);
  }

  async sync(fd: number): Promise<void> {
    if (this.#held !== null) await new Promise<void>((resolve) => this.#held?.push(resolve));
    this.#enter('sync');
    this.isSyncing = true;
    await realDisk.sync(fd).finally(() => {
      this.isSyncing = false;
    });
  }

  syncBlocking(fd: number): void {
    this.#enter('syncBlocking');
    realDisk.syncBlocking(fd);
  }

  syncDirectory(path: string): void {
    this.#enter('syncDirectory');
    realDisk.syncDirectory(path);
  }
}

/** Change one byte of a file. */
export function flipByte(path: string, offset: number, mask = 0xff): void {
  const bytes = readFileSync(path);
  bytes[offset] = bytes[offset]! ^ mask;
  writeFileSync(path, bytes);
}
