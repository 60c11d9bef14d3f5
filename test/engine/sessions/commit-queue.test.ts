// Persist before transmit: consequences are released in order, only after their records are durable.

import { beforeEach, describe, expect, test } from 'vitest';
import { CommitQueue, type Consequence } from '../../../src/engine/sessions/commit-queue.ts';
import type { CommitClock } from '../../../src/engine/sessions/event-loop-clock.ts';
import type { SessionID } from '../../../src/session/mod.ts';
import type { Durability, Journal, JournalRecord } from '../../../src/store/mod.ts';

const record: JournalRecord = { kind: 'audit', who: 'test', action: 'a', detail: '' };

/** A journal on a manually driven disk. */
class HandDrivenJournal {
  readonly done: string[];
  syncs: { resolve: () => void; reject: (error: Error) => void }[] = [];
  failWrite = false;
  isStuck = false;
  /** Result of a sync on the spot; null for a journal without one. */
  spot: 'done' | 'later' | 'failed' | null = null;
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
  canWrite(): boolean {
    return !this.isStuck;
  }
  get syncNow(): (() => boolean) | undefined {
    if (this.spot === null) return undefined;
    return () => {
      if (this.spot === 'failed') throw new Error('input/output error');
      if (this.spot === 'done') this.done.push('sync');
      return this.spot === 'done';
    };
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

/** Retries that are due, in order. */
class Retries extends Array<() => void> {
  private wake: () => void = () => {};

  /** Add one; returns how to call it off. */
  add(run: () => void): () => void {
    this.push(run);
    this.wake();
    return () => void this.splice(this.indexOf(run), 1);
  }

  /** Resolves once one is due. */
  next(): Promise<void> {
    if (this.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
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

  const commit = (
    consequences: Consequence[],
    durability: Durability,
    sessions: readonly SessionID[] | null = null,
  ): void => queue.commit({ records: [record], consequences, durability, at: 0, sessions });

  const queueOf = (clock?: CommitClock): CommitQueue =>
    new CommitQueue({
      journal: journal as unknown as Journal,
      pendingMax: 4,
      onHealth: (healthy) => done.push(healthy ? 'healthy' : 'unhealthy'),
      onPressure: (full) => done.push(full ? 'full' : 'drained'),
      onStuck: () => done.push('stuck'),
      onFlood: (flooded) => done.push(flooded ? 'flood' : 'ebb'),
      ...(clock === undefined ? {} : { clock }),
    });

  /** Have the queue retry on request; returns the due retries. */
  const retriedByHand = (elapsedMs = (): number => 0): Retries => {
    const retries = new Retries();
    queue = queueOf({
      atOnce: (run) => process.nextTick(run),
      soon: (run) => void setImmediate(run),
      later: (_ms, run) => retries.add(run),
      elapsedMs,
    });
    return retries;
  };

  beforeEach(() => {
    done = [];
    journal = new HandDrivenJournal(done);
    queue = queueOf();
  });

  const expectToLeaveWithItsSync = async (): Promise<void> => {
    commit([consequence('transmit')], 'disk');
    await journal.syncing();
    expect(done).toEqual(['append']);
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done).toEqual(['append', 'transmit']);
  };

  test('nothing of a disk frame leaves before its sync ended', expectToLeaveWithItsSync);

  test('a disk frame leaves with the sync on the spot, and its consequences wait for the next', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    journal.spot = 'done';
    const more: Consequence = { evenIfUnrecorded: false, run: () => commit([consequence('second')], 'disk') };
    commit([more, consequence('first')], 'disk');
    await turn();
    expect(done).toEqual(['append', 'sync', 'append', 'first']);
    await queue.idle();
    expect(done).toEqual(['append', 'sync', 'append', 'first', 'sync', 'second']);
    expect(journal.syncs).toHaveLength(0);
  });

  test('a sync that is not done on the spot is waited for beside the event loop', async () => {
    journal.spot = 'later';
    await expectToLeaveWithItsSync();
  });

  test('J2 a sync on the spot that fails releases nothing but cancels, and is tried again', async () => {
    journal.spot = 'failed';
    commit([consequence('transmit'), consequence('cancel', true)], 'disk');
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['append', 'unhealthy', 'cancel']);
    expect(journal.syncs).toHaveLength(0);
    journal.spot = 'done';
    await queue.idle();
    expect(done).toEqual(['append', 'unhealthy', 'cancel', 'sync', 'healthy', 'transmit']);
  });

  const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

  test('a process frame leaves after the write, without a sync', async () => {
    commit([consequence('transmit')], 'process');
    expect(done).toEqual(['append', 'write', 'transmit']);
    await queue.idle();
    expect(journal.syncs).toHaveLength(0);
  });

  test('the first of several frames leaves before the others are there, and those leave together', async () => {
    const sent = (name: string): Consequence => ({ ...consequence(name), flush: () => done.push(`${name} flushed`) });
    for (let round = 0; round < 2; round++) {
      done.length = 0;
      commit([sent('report'), sent('copy')], 'process', ['A']);
      const first = ['append', 'write', 'report', 'copy', 'report flushed', 'copy flushed'];
      expect(done).toEqual(first);
      commit([sent('second')], 'process', ['A']);
      commit([sent('third')], 'process', ['B']);
      expect(done.slice(first.length)).toEqual(['append', 'append']);
      await tick();
      expect(done.slice(first.length + 2)).toEqual(['write', 'second', 'third', 'second flushed', 'third flushed']);
    }
  });

  test('of two frames of one input nothing leaves before both are in their places', async () => {
    const frame = { records: [record], at: 0 };
    // The first departure brings more for the session that the second writes to.
    const more: Consequence = {
      evenIfUnrecorded: false,
      run: () => commit([consequence('more')], 'process', ['B']),
    };
    queue.commit({ ...frame, consequences: [more], durability: 'process', sessions: ['A'] }, false);
    expect(done).toEqual(['append']);
    queue.commit({ ...frame, consequences: [consequence('second')], durability: 'process', sessions: ['B'] });
    expect(done).toEqual(['append', 'append', 'write', 'append', 'second']);
    await tick();
    expect(done.slice(5)).toEqual(['write', 'more']);
  });

  test('J2 retries an immediate frame with the rest when its record could not be written', async () => {
    const retries = retriedByHand();
    journal.failWrite = true;
    commit([consequence('order'), consequence('cancel', true)], 'process');
    expect(done).toEqual(['append', 'unhealthy', 'cancel']);
    commit([consequence('second')], 'process');
    await tick();
    expect(done).toEqual(['append', 'unhealthy', 'cancel', 'append']);
    journal.failWrite = false;
    retries.shift()!();
    expect(done.slice(4)).toEqual(['write', 'healthy', 'order', 'second']);
  });

  test('a process frame leaves as soon as the read is handled', () => {
    queue.hold();
    commit([consequence('transmit')], 'process');
    queue.hurry();
    expect(done).toEqual(['append', 'write', 'transmit']);
  });

  test("syncs a lone session at once, and at the turn's end again when others are read", async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const read = (name: string): void => {
      queue.hold();
      commit([consequence(name)], 'disk');
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

  test('syncs a session alone turn after turn at once, on the spot', async () => {
    journal.spot = 'done';
    const read = (name: string): void => {
      queue.hold();
      commit([consequence(name)], 'disk');
      queue.hurry();
    };
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    read('first');
    await turn();
    for (const name of ['second', 'third', 'fourth']) {
      read(name);
      expect(done.slice(-3)).toEqual(['append', 'sync', name]);
      await turn();
    }
    read('one');
    read('of two');
    expect(done.slice(-2)).toEqual(['one', 'append']);
    await turn();
    read('with others in the turn before');
    expect(done.slice(-2)).toEqual(['of two', 'append']);
    await turn();
    expect(done.at(-1)).toBe('with others in the turn before');
  });

  test('frames of one turn share one sync and leave in order', async () => {
    commit([consequence('a')], 'disk');
    commit([consequence('b')], 'process');
    commit([consequence('c')], 'disk');
    await journal.syncing();
    expect(journal.syncs).toHaveLength(1);
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done.filter((name) => name.length === 1)).toEqual(['a', 'b', 'c']);
  });

  test('a process frame waits for no sync of another session, queued or running', async () => {
    commit([consequence('disk')], 'disk', ['A']);
    commit([consequence('process')], 'process', ['B']);
    await journal.syncing();
    expect(done).toEqual(['append', 'append', 'write', 'process']);
    commit([consequence('later')], 'process', ['B']);
    await new Promise((resolve) => process.nextTick(resolve));
    expect(done.slice(4)).toEqual(['append', 'write', 'later']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.at(-1)).toBe('disk');
  });

  test('J2 beside a sync that is not answered a process frame waits too: its write might not return', async () => {
    commit([consequence('to disk')], 'disk', ['A']);
    await journal.syncing();
    journal.isStuck = true;
    commit([consequence('written')], 'process', ['B']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['append', 'append']);
    journal.isStuck = false;
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done).toEqual(['append', 'append', 'to disk', 'write', 'written']);
  });

  test('a sync blocks no event loop on the spot while a session without disk waits is active', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    journal.spot = 'done';
    commit([consequence('order')], 'process', ['oms']);
    commit([consequence('drop copy')], 'disk', ['copy']);
    await turn();
    expect(done).toEqual(['append', 'write', 'order', 'append']);
    expect(journal.syncs).toHaveLength(1);
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done).toEqual(['append', 'write', 'order', 'append', 'drop copy']);
  });

  test('frames of one session never overtake each other, whatever their durability', async () => {
    commit([consequence('a1')], 'disk', ['A', 'B']);
    commit([consequence('b1')], 'process', ['B', 'C']);
    commit([consequence('c1')], 'process', ['C']);
    commit([consequence('d1')], 'process', ['D']);
    commit([consequence('everybody')], 'process', null);
    commit([consequence('d2')], 'process', ['D']);
    await journal.syncing();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    const ours = done.filter((name) => /^(?:..|everybody)$/.test(name));
    expect(ours).toEqual(['d1', 'a1', 'b1', 'c1', 'everybody', 'd2']);
  });

  test('a failed write keeps the order of departing frames', async () => {
    journal.failWrite = true;
    commit([consequence('a0')], 'process', ['A']);
    commit([consequence('a1')], 'disk', ['A']);
    commit([consequence('b1')], 'process', ['B']);
    commit([consequence('a2')], 'process', ['A']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toContain('unhealthy');
    journal.failWrite = false;
    await journal.syncing();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.filter((name) => name.length === 2)).toEqual(['a0', 'b1', 'a1', 'a2']);
  });

  test('J2 as many as come while the disk takes nothing for hours all leave once it does', async () => {
    const retries = retriedByHand();
    journal.failWrite = true;
    for (let n = 0; n < 200_000; n++) commit([consequence('left')], 'process', ['A']);
    await retries.next();
    retries.shift()!();
    await retries.next();
    journal.failWrite = false;
    retries.shift()!();
    await queue.idle();
    expect(done.filter((name) => name === 'left')).toHaveLength(200_000);
  });

  test('a frame committed during a sync waits for the next one', async () => {
    commit([consequence('a')], 'disk');
    await journal.syncing();
    commit([consequence('b')], 'disk');
    journal.syncs.shift()!.resolve();
    await journal.syncing();
    expect(done).toEqual(['append', 'append', 'a']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.at(-1)).toBe('b');
  });

  test('J2 while nothing can be recorded, a cancel goes out and an order waits until the disk is back', async () => {
    commit([consequence('order'), consequence('cancel', true)], 'disk');
    await journal.syncing();
    const failed = journal.syncs.shift()!;
    failed.reject(new Error('EIO'));
    await journal.syncing();
    expect(done).toEqual(['append', 'unhealthy', 'cancel']);
    commit([consequence('late cancel', true)], 'disk');
    expect(done.at(-1)).toBe('late cancel');
    journal.syncs.shift()!.resolve();
    await journal.syncing();
    expect(done.slice(-2)).toEqual(['healthy', 'order']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    queue.close();
  });

  test('J2 gives up an unrecordable order for good; later ones leave once the disk is back', async () => {
    const retries = retriedByHand();
    const order = (name: string): Consequence => ({
      ...consequence(name),
      abandon: () => done.push(`${name} given up`),
    });
    commit([order('1')], 'disk');
    await journal.syncing();
    journal.syncs.shift()!.reject(new Error('EIO'));
    await retries.next();
    expect(done).toEqual(['append', 'unhealthy', '1 given up']);
    commit([order('2')], 'disk');
    expect(done.slice(3)).toEqual(['append', '2 given up']);
    retries.shift()!();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.slice(5)).toEqual(['healthy']);
    commit([order('3')], 'disk');
    await journal.syncing();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.slice(6)).toEqual(['append', '3']);
    commit([order('4')], 'disk');
    await journal.syncing();
    journal.syncs.shift()!.reject(new Error('EIO'));
    await retries.next();
    expect(done.slice(8)).toEqual(['append', 'unhealthy', '4 given up']);
  });

  test.each(['disk', 'process'] as const)(
    'releases consequences without a record too, at durability %s',
    async (durability) => {
      journal.spot = 'done';
      queue.commit({ records: [], consequences: [consequence('resent')], durability, at: 0, sessions: ['A'] });
      await queue.idle();
      expect(done.filter((name) => name === 'resent' || name === 'append')).toEqual(['resent']);
      // Nothing at all is no frame, unless it has to reach the disk.
      queue.commit({ records: [], consequences: [], durability: 'process', at: 0, sessions: ['A'] });
      expect(await Promise.race([queue.idle().then(() => 'idle'), Promise.resolve().then(() => 'waits')])).toBe('idle');
    },
  );

  test('reports every batch with its frames and whether it survives power loss', async () => {
    queue = new CommitQueue({
      journal: journal as unknown as Journal,
      pendingMax: 4,
      onHealth: () => {},
      onPressure: () => {},
      onCommitted: (frames, ms, synced) => done.push(`${frames} ${synced ? 'synced' : 'written'} ${ms >= 0}`),
    });
    for (const name of ['a', 'b']) commit([consequence(name)], 'disk', ['A']);
    commit([consequence('c')], 'process', ['C']);
    await journal.syncing();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done).toEqual([...Array(3).fill('append'), 'write', 'c', '1 written true', 'a', 'b', '2 synced true']);
  });

  test('a queue that is closed tries nothing again, and releases nothing', async () => {
    const retries = retriedByHand();
    commit([consequence('order')], 'disk');
    await journal.syncing();
    journal.syncs.shift()!.reject(new Error('EIO'));
    await retries.next();
    queue.close();
    expect(retries).toHaveLength(0);
    expect(done).toEqual(['append', 'unhealthy']);
  });

  test('a sync failing after the queue is closed is not retried, nor are later commits', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const retries = retriedByHand();
    commit([consequence('order')], 'disk');
    await journal.syncing();
    queue.close();
    journal.failWrite = true;
    journal.syncs.shift()!.reject(new Error('EIO'));
    await turn();
    commit([consequence('second')], 'process');
    commit([consequence('third')], 'disk');
    await turn();
    expect(retries).toHaveLength(0);
    expect(done).not.toContain('order');
  });

  test('a frame behind the close reaches neither the journal nor a wire', async () => {
    queue.close();
    commit([consequence('Logout')], 'process');
    commit([consequence('order')], 'disk');
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([]);
    expect(queue.isIdle).toBe(true);
  });

  test('J2 a queue that is full while the disk takes nothing says so, whichever came first', async () => {
    journal.failWrite = true;
    queue.hold();
    for (let i = 0; i < 4; i++) commit([], 'process');
    expect(done.at(-1)).toBe('full');
    queue.hurry();
    expect(done.slice(-2)).toEqual(['unhealthy', 'stuck']);
    queue.close();
  });

  test('a full queue says so, and again when it has drained', async () => {
    for (let i = 0; i < 4; i++) commit([consequence(`${i}`)], 'disk');
    expect(done.at(-1)).toBe('full');
    await journal.syncing();
    journal.syncs[0]!.resolve();
    await queue.idle();
    expect(done.at(-1)).toBe('drained');
  });

  test('so many bytes make a queue full too, and once they are on disk they count no more', async () => {
    const raw = Buffer.alloc(6_000_000);
    const large: JournalRecord = { kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' };
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 3; n++) {
        queue.commit({ records: [large], consequences: [], durability: 'disk', at: 0, sessions: null });
      }
      expect(done.at(-1)).toBe('full');
      await journal.syncing();
      journal.syncs.shift()!.resolve();
      await queue.idle();
      expect(done.at(-1)).toBe('drained');
      queue.commit({ records: [large], consequences: [], durability: 'disk', at: 0, sessions: null });
      expect(done.at(-1)).toBe('append');
      await journal.syncing();
      journal.syncs.shift()!.resolve();
      await queue.idle();
    }
  });

  test('J2 a silent disk counts as failing: cancels leave, orders are given up', async () => {
    const due = retriedByHand();
    Object.assign(journal, { syncMsMax: 5_000 });
    const order = (name: string): Consequence => ({
      ...consequence(name),
      abandon: () => done.push(`${name} given up`),
    });
    commit([order('D'), consequence('F', true), consequence('8')], 'disk', ['OMS']);
    await journal.syncing();
    expect(done).toEqual(['append']);
    due.shift()!();
    expect(done).toEqual(['append', 'unhealthy', 'D given up', 'F']);
    // A write that the disk takes is no answer.
    commit([consequence('of another')], 'process', ['another']);
    await new Promise((resolve) => setImmediate(resolve));
    commit([order('D 2'), consequence('F 2', true)], 'disk', ['OMS']);
    expect(done.slice(4)).toEqual(['append', 'write', 'of another', 'append', 'D 2 given up', 'F 2']);
    journal.syncs.shift()!.resolve();
    await journal.syncing();
    expect(done.slice(10)).toEqual(['healthy', '8']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(due).toHaveLength(0);
  });

  test('J2 after a standstill (SIGSTOP) no disk is blamed for an unread answer', async () => {
    let now = 0;
    const due = retriedByHand(() => now);
    Object.assign(journal, { syncMsMax: 5_000 });
    commit([{ ...consequence('D'), abandon: () => done.push('D given up') }], 'disk', ['OMS']);
    await journal.syncing();
    now = 60_000;
    due.shift()!();
    expect(done).toEqual(['append']);
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect([done, due]).toEqual([['append', 'D'], expect.objectContaining({ length: 0 })]);
    commit([consequence('8')], 'disk', ['OMS']);
    await journal.syncing();
    now = 120_000;
    due.shift()!();
    now = 125_010;
    due.shift()!();
    expect(done.slice(2)).toEqual(['append', 'unhealthy']);
  });

  test.for([
    ['ends well', (): void => journal.syncs.shift()!.resolve()],
    ['fails', (): void => journal.syncs.shift()!.reject(new Error('EIO'))],
  ] as const)(
    'a queue that was closed says and releases nothing more when its sync %s: the journal takes no record',
    async ([, end]) => {
      const due = retriedByHand();
      Object.assign(journal, { syncMsMax: 5_000 });
      commit([consequence('first')], 'disk', ['OMS']);
      await journal.syncing();
      due.shift()!();
      commit([consequence('second')], 'disk', ['OMS']);
      queue.close();
      end();
      for (const run of due.splice(0)) run();
      await new Promise((resolve) => setImmediate(resolve));
      expect(done).toEqual(['append', 'unhealthy', 'append']);
    },
  );

  test("J2 a silent disk during the queue's close is not reported", async () => {
    const due = retriedByHand();
    Object.assign(journal, { syncMsMax: 5_000 });
    commit([consequence('first')], 'disk', ['OMS']);
    await journal.syncing();
    queue.close();
    due.shift()!();
    expect(done).toEqual(['append']);
  });

  test('J2 reports input beyond a full queue once as a flood, and its end when drained', async () => {
    const raw = Buffer.alloc(6_000_000);
    const large: JournalRecord = { kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' };
    for (let n = 0; n < 8; n++) {
      expect(queue.isFlooded).toBe(n >= 6);
      queue.commit({ records: [large], consequences: [], durability: 'disk', at: 0, sessions: null });
    }
    expect(done.filter((word) => word !== 'append')).toEqual(['full', 'flood']);
    await journal.syncing();
    journal.syncs.shift()!.resolve();
    await queue.idle();
    expect(done.slice(-2)).toEqual(['drained', 'ebb']);
    expect(queue.isFlooded).toBe(false);
  });

  test('where much is read in every turn, it leaves at the end of the turn with one write', () => {
    const ends: (() => void)[] = [];
    const endTurn = (): void => {
      for (const run of ends.splice(0)) run();
    };
    queue = new CommitQueue({
      journal: journal as unknown as Journal,
      pendingMax: 100,
      onHealth: () => {},
      onPressure: () => {},
      clock: { atOnce: (run) => run(), soon: (run) => void ends.push(run), later: () => () => {}, elapsedMs: () => 0 },
    });
    const read = (name: string): string[] => {
      done.length = 0;
      queue.hold();
      commit([consequence(name)], 'process', [name as SessionID]);
      queue.hurry();
      return done.filter((what) => what !== 'append');
    };
    // One alone in its turn leaves at once, however many there were.
    for (let i = 0; i < 1_000; i++) {
      expect(read('alone')).toEqual(['write', 'alone']);
      endTurn();
    }
    // A crowd is seen at the latest in the 64th turn.
    for (let i = 0; i < 64; i++) {
      for (const name of ['A', 'B', 'C']) read(name);
      endTurn();
    }
    expect([read('A'), read('B'), read('C')]).toEqual([[], [], []]);
    done.length = 0;
    endTurn();
    expect(done).toEqual(['write', 'A', 'B', 'C']);
    // And is over with the first turn of one.
    expect(read('A')).toEqual([]);
    endTurn();
    expect(done).toEqual(['append', 'write', 'A']);
    expect(read('A')).toEqual(['write', 'A']);
  });
});
