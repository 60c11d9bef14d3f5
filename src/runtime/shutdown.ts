// The order of going down (rule U5): no new orders, bounded wait for outcomes in flight, each session's cancel-on-disconnect
// rule, Logout of every session, then sockets, bridge, exchange login, simulator, journal.

import { closesJournal, recorded, until } from '../engine/mod.ts';
import type { RunningEngine } from './running-engine.ts';

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

  // A counterparty that logs on from now on would be left without a Logout.
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
  // Counterparties that left our Logout unanswered: their end is recorded while there is a journal.
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

/** Close the journal of an engine that goes down, and tell what comes of it. */
export async function closeJournal(
  engine: Pick<RunningEngine, 'alarm' | 'journal'>,
  limitMs?: number,
  askDisk?: () => Promise<void>,
): Promise<JournalEnd> {
  const inVain = (why: string): void =>
    engine.alarm('journal-unhealthy', `the journal could not be closed in order: ${why}`, {});
  try {
    if (await closesJournal(engine.journal, limitMs, askDisk)) return 'closed';
    inVain('its disk does not answer, and is not waited for; the next start continues after the confirmed records');
    return 'stuck';
  } catch (error) {
    inVain(String(error));
    return 'lacking';
  }
}
