// Rule J2, to the letter: what a failed sync did not bring to the disk, no later sync of the same file brings there, though it
// says so. The disk here is one that the kernel gave up writing back to.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Journal } from '../../../src/store/mod.ts';
import { FailingDisk } from '../failing-disk.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, SESSION } from '../records.ts';

/** Remembers what each sync was to bring to the disk, and what a failed one lost for good. */
class ForgetfulDisk extends FailingDisk {
  readonly #paths = new Map<number, string>();
  readonly #unsynced = new Map<number, { position: number; length: number }[]>();
  #lost: { path: string; position: number; length: number }[] = [];

  override open(path: string): number {
    const fd = super.open(path);
    this.#paths.set(fd, path);
    this.#unsynced.set(fd, []);
    return fd;
  }

  override write(fd: number, bytes: Uint8Array, length: number, position: number): void {
    super.write(fd, bytes, length, position);
    this.#unsynced.get(fd)?.push({ position, length });
  }

  override truncate(fd: number, length: number): void {
    super.truncate(fd, length);
    // Later records there are written anew.
    this.#lost = this.#lost.filter(({ path, position }) => path !== this.#paths.get(fd) || position < length);
  }

  override async sync(fd: number): Promise<void> {
    await super.sync(fd).catch((error: unknown) => this.#lose(fd, error));
    this.#unsynced.set(fd, []);
  }

  override syncBlocking(fd: number): void {
    try {
      super.syncBlocking(fd);
    } catch (error) {
      this.#lose(fd, error);
    }
    this.#unsynced.set(fd, []);
  }

  #lose(fd: number, error: unknown): never {
    for (const place of this.#unsynced.get(fd) ?? []) this.#lost.push({ path: this.#paths.get(fd)!, ...place });
    this.#unsynced.set(fd, []);
    throw error;
  }

  /** A start's view after the power was cut. */
  afterPowerLoss(directory: string): string {
    const copy = copyAsLeftBehind(directory);
    for (const { path, position, length } of this.#lost) {
      const file = join(copy, path.slice(directory.length));
      const bytes = readFileSync(file);
      bytes.subarray(position, position + length).fill(0);
      writeFileSync(file, bytes);
    }
    return copy;
  }
}

/** Up to which message all of them are there. */
async function recovered(directory: string): Promise<number> {
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  return (journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1) - 1;
}

const padded = { kind: 'unsequenced', sessionId: null, direction: 'in', raw: Buffer.alloc(2000), note: '' } as const;

async function run(journal: Journal, last: number): Promise<void> {
  for (let n = 1; n <= last; n++) {
    journal.append([inbound(n), padded], n);
    if (n % 10 === 0) await journal.sync().catch(() => {});
    else if (n % 5 === 0) {
      try {
        journal.write();
      } catch {
        // Said again by the next sync.
      }
    }
  }
  await journal.sync();
}

test('J2 a record confirmed after any failed sync survives a power loss', async () => {
  for (let call = 1; ; call++) {
    const directory = temporaryDirectory();
    const disk = new ForgetfulDisk();
    const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0, segmentBytes: 65_536 });
    const before = disk.total;
    disk.failAt = { call: before + call, code: 'EIO' };
    await run(journal, 100);
    const calls = disk.total - before;
    expect(segmentNames(directory).length).toBeGreaterThan(2);
    expect(await recovered(disk.afterPowerLoss(directory)), `call ${call}`).toBe(100);
    if (call > calls) break;
  }
});

test('J2 removes header-less segments left by failing syncs and a power cut', async () => {
  const directory = temporaryDirectory();
  const disk = new ForgetfulDisk();
  const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0 });
  journal.append([inbound(1)], 1);
  await journal.sync();
  disk.fail('EIO', 'sync');
  for (let n = 2; n <= 4; n++) {
    journal.append([inbound(n)], n);
    await expect(journal.sync()).rejects.toThrow('EIO');
  }
  const left = disk.afterPowerLoss(directory);
  expect(segmentNames(left).length).toBeGreaterThan(3);
  expect(await recovered(left)).toBe(1);
  expect(segmentNames(left)).toEqual(['00000001.xgj']);
});

test('J2 a closing journal does not report its disk as healthy again', async () => {
  const disk = new FailingDisk();
  const health: boolean[] = [];
  const onHealth = (healthy: boolean): void => void health.push(healthy);
  const journal = await openIn(temporaryDirectory(), { disk, onHealth, onTheSpotBytesMax: 0 });
  disk.fail('EIO', 'sync');
  journal.append([inbound(1)], 1);
  await expect(journal.sync()).rejects.toThrow('EIO');
  disk.heal();
  await journal.close();
  expect(health).toEqual([false]);
});
