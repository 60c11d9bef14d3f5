// Persist before transmit: consequences are released in order, only after their records are durable.

import { beforeEach, describe, expect, test } from 'vitest';
import { CommitQueue, type Consequence } from '../../src/engine/commit-queue.ts';
import type { Journal, JournalRecord } from '../../src/store/mod.ts';

const record: JournalRecord = { kind: 'audit', who: 'test', action: 'a', detail: '' };

/** A journal whose disk is driven by hand. */
class HandDrivenJournal {
  readonly done: string[];
  syncs: { resolve: () => void; reject: (error: Error) => void }[] = [];
  failWrite = false;
  private waiting: (() => void)[] = [];
  constructor(done: string[]) {
    this.done = done;
  }
  append(): void {
    this.done.push('append');
  }
  write(): void {
    if (this.failWrite) throw new Error('no space left');
    this.done.push('write');
  }
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.syncs.push({ resolve, reject });
      for (const wake of this.waiting.splice(0)) wake();
    });
  }
  /** Resolves once a sync is under way. */
  syncing(): Promise<void> {
    return this.syncs.length > 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }
}

describe('the commit queue', () => {
  let done: string[];
  let journal: HandDrivenJournal;
  let queue: CommitQueue;
  const consequence = (name: string, evenIfUnrecorded = false): Consequence => ({
    evenIfUnrecorded,
    run: () => done.push(name),
  });

  beforeEach(() => {
    done = [];
    journal = new HandDrivenJournal(done);
    queue = new CommitQueue({
      journal: journal as unknown as Journal,
      pendingMax: 4,
      onHealth: (healthy) => done.push(healthy ? 'healthy' : 'unhealthy'),
      onPressure: (full) => done.push(full ? 'full' : 'drained'),
      onStuck: () => done.push('stuck'),
    });
  });

  test('nothing of a disk frame leaves before its sync ended', async () => {
    queue.commit([record], [consequence('transmit')], 'disk', 0);
    await journal.syncing();
    expect(done).toEqual(['append']);
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done).toEqual(['append', 'transmit']);
  });

  test('a process frame leaves after the write, without a sync', async () => {
    queue.commit([record], [consequence('transmit')], 'process', 0);
    expect(done).toEqual(['append']);
    await queue.idle();
    expect(done).toEqual(['append', 'write', 'transmit']);
    expect(journal.syncs).toHaveLength(0);
  });

  test('a process frame leaves as soon as what was read is handled', () => {
    queue.hold();
    queue.commit([record], [consequence('transmit')], 'process', 0);
    queue.hurry();
    expect(done).toEqual(['append', 'write', 'transmit']);
  });

  test('who is alone is synced at once, and waits for the end of the turn again when others are read too', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const read = (name: string): void => {
      queue.hold();
      queue.commit([record], [consequence(name)], 'disk', 0);
      queue.hurry();
    };
    read('first');
    expect(journal.syncs).toHaveLength(0);
    await turn();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    read('alone');
    expect(journal.syncs).toHaveLength(1);
    read('another');
    journal.syncs.shift()!.resolve();
    await turn();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    read('third');
    expect(journal.syncs).toHaveLength(0);
    expect(done.filter((one) => one !== 'append')).toEqual(['first', 'alone', 'another']);
  });

  test('frames of one turn share one sync and leave in order', async () => {
    queue.commit([record], [consequence('a')], 'disk', 0);
    queue.commit([record], [consequence('b')], 'process', 0);
    queue.commit([record], [consequence('c')], 'disk', 0);
    await journal.syncing();
    expect(journal.syncs).toHaveLength(1);
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done.filter((name) => name.length === 1)).toEqual(['a', 'b', 'c']);
  });

  test('a frame committed during a sync waits for the next one', async () => {
    queue.commit([record], [consequence('a')], 'disk', 0);
    await journal.syncing();
    queue.commit([record], [consequence('b')], 'disk', 0);
    journal.syncs.shift()!.resolve();
    await journal.syncing();
    expect(done).toEqual(['append', 'append', 'a']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.at(-1)).toBe('b');
  });

  test('J2 while nothing can be recorded, a cancel goes out and an order waits until the disk is back', async () => {
    queue.commit([record], [consequence('order'), consequence('cancel', true)], 'disk', 0);
    await journal.syncing();
    const failed = journal.syncs.shift()!;
    failed.reject(new Error('EIO'));
    await journal.syncing();
    expect(done).toEqual(['append', 'unhealthy', 'cancel']);
    queue.commit([record], [consequence('late cancel', true)], 'disk', 0);
    expect(done.at(-1)).toBe('late cancel');
    journal.syncs.shift()!.resolve();
    await journal.syncing();
    expect(done.slice(-2)).toEqual(['healthy', 'order']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    queue.close();
  });

  test('J2 a queue that is full while the disk takes nothing says so, whichever came first', async () => {
    journal.failWrite = true;
    for (let i = 0; i < 4; i++) queue.commit([record], [], 'process', 0);
    expect(done.at(-1)).toBe('full');
    await new Promise((resolve) => setImmediate(resolve));
    expect(done.slice(-2)).toEqual(['unhealthy', 'stuck']);
    queue.close();
  });

  test('a full queue says so, and again when it has drained', async () => {
    for (let i = 0; i < 4; i++) queue.commit([record], [consequence(`${i}`)], 'disk', 0);
    expect(done.at(-1)).toBe('full');
    await journal.syncing();
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done.at(-1)).toBe('drained');
  });
});
