// The order of going down (rule U5): no new orders, bounded wait for outcomes in flight, each session's cancel-on-disconnect
// rule, Logout of every session, then sockets, bridge, exchange login, simulator, journal.

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import type { Journal } from '../store/mod.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { RunningEngine } from './running-engine.ts';

/** How often the end of a bounded wait is looked for. */
const LOOK_MS = 10;

/** Wait until something is so, in vain at most for so long; whether it is. */
export async function until(done: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!done()) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

/** Wait for records to reach the disk, but not for a disk that takes none. Returns what is left of the time. */
export async function recorded(commits: Pick<CommitQueue, 'idle'>, limitMs: number): Promise<number> {
  const begun = performance.now();
  let idle = false;
  void commits.idle().then(() => {
    idle = true;
  });
  // What is recorded already resolves within this turn.
  await Promise.resolve();
  await until(() => idle, limitMs);
  return Math.max(0, limitMs - (performance.now() - begun));
}

/** How long the journal may take to close before its disk is asked whether it answers, which may take it twice as long. */
const JOURNAL_CLOSE_MS = 5_000;

/** Wait for a while; whether it came to its end meanwhile. @throws what it throws */
async function endsWithin(limitMs: number, ends: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([ends.then(() => true), late]);
  } finally {
    clearTimeout(timer);
    // What comes of it later nobody waits for any more.
    ends.catch(() => {});
  }
}

function commandsInFlight(engine: RunningEngine): number {
  let count = 0;
  for (const link of engine.links.values()) count += link.inFlight;
  return count;
}

/** How a journal ended: with records that are not known to be in it, or still waiting for a disk that does not answer. */
export type JournalEnd = 'closed' | 'lacking' | 'stuck';

/** Go down; how the journal ended. */
export async function shutDown(parts: {
  readonly engine: RunningEngine;
  readonly closeListeners: () => Promise<void>;
  readonly stop: () => void;
  readonly journalCloseMs?: number;
  readonly askDisk?: () => Promise<void>;
}): Promise<JournalEnd> {
  const { engine } = parts;
  const { dispatcher, log } = engine;
  const { shutdownWaitMs } = engine.config.limits;
  log('info', 'shutting down: no new orders');
  dispatcher.applicationInput({ kind: 'shutdown' });
  // Takes nothing new from now on; its last answers need the exchange clients and the journal.
  const bridgeClosed = engine.bridge?.close();
  // An outcome may be known from the stream while the answer itself hangs: open orders do not wait for that one.
  await until(() => commandsInFlight(engine) === 0 || engine.gateway.settled(), shutdownWaitMs);

  // Who logs on from now on would be left without a Logout.
  engine.sessions.leave();
  const live = [...dispatcher.slots.values()].filter((slot) => slot.wire !== null);
  // Those without a connection too: this process will not be there when a grace time ends.
  for (const { sessionId } of dispatcher.slots.values())
    dispatcher.applicationInput({ kind: 'sessionDown', sessionId, end: 'shutdown' });
  // All waits for a journal that cannot record together are no longer than one.
  let recordingMs = await recorded(engine.commits, shutdownWaitMs);
  const settled = await until(() => commandsInFlight(engine) === 0 && engine.gateway.settled(), shutdownWaitMs);
  if (!settled) {
    engine.alarm(
      'shutdown-incomplete',
      'some orders had no known outcome when the wait ended; they are looked up at the next start',
      {},
    );
  }

  for (const slot of live) dispatcher.sessionInput(slot, { kind: 'logout', text: 'The gateway is shutting down' });
  await until(() => live.every((slot) => slot.wire === null), shutdownWaitMs);
  recordingMs = await recorded(engine.commits, recordingMs);
  engine.sessions.dropConnections('the gateway shut down');
  await parts.closeListeners();
  // Who left our Logout unanswered: that they are gone now is recorded while there is a journal.
  await until(() => live.every((slot) => slot.wire === null), shutdownWaitMs);
  await recorded(engine.commits, recordingMs);
  await bridgeClosed;
  await Promise.all([...engine.links.values()].map((link) => link.close()));
  dispatcher.applicationInput({ kind: 'lastWords' });
  await engine.simulator?.close();
  parts.stop();
  engine.commits.close();
  const end = await closeJournal(engine, parts.journalCloseMs, parts.askDisk);
  log('info', 'stopped');
  return end;
}

/** Have the disk of a folder sync something: it ends when that answers. */
async function syncOn(folder: string): Promise<void> {
  const path = join(folder, '.shutdown-probe');
  const file = await open(path, 'w', 0o600);
  try {
    await file.write('x');
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/**
 * Close a journal; whether it is closed. It may have a snapshot to finish, and takes its time; a disk that does not answer is not
 * waited for.
 * @param askDisk rejected: it answers, if not kindly
 * @throws what closing throws
 */
async function closes(
  journal: Pick<Journal, 'close' | 'location'>,
  limitMs: number = JOURNAL_CLOSE_MS,
  askDisk: () => Promise<void> = () => syncOn(journal.location),
): Promise<boolean> {
  const closed = journal.close();
  while (!(await endsWithin(limitMs, closed))) {
    if (!(await endsWithin(2 * limitMs, askDisk()).catch(() => true))) return false;
  }
  return true;
}

/** Close the store of the library's user. @throws CrossgateError XG_JOURNAL_WRITE_FAILED, also if its disk does not answer */
export async function closeStore(store: Journal, limitMs?: number, askDisk?: () => Promise<void>): Promise<void> {
  if (await closes(store, limitMs, askDisk)) return;
  const text = `the store ${store.location} could not be closed: its disk does not answer`;
  throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', text);
}

/** Close the journal of an engine that goes down, and tell what comes of it. */
export async function closeJournal(
  engine: Pick<RunningEngine, 'alarm' | 'journal'>,
  limitMs?: number,
  askDisk?: () => Promise<void>,
): Promise<JournalEnd> {
  const inVain = (why: string): void =>
    engine.alarm('journal-unhealthy', `the journal could not be closed in order: ${why}`, {});
  try {
    if (await closes(engine.journal, limitMs, askDisk)) return 'closed';
    inVain('its disk does not answer, and is not waited for; the next start goes on behind what was confirmed');
    return 'stuck';
  } catch (error) {
    inVain(String(error));
    return 'lacking';
  }
}
