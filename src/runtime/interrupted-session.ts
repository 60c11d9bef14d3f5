// Unfinished work of a process that ended without a shutdown: numbers that an operator had requested, and the end of a
// connection. Done at the start for sessions that are configured then, and later for one that is configured again.

import type { SessionID } from '../session/mod.ts';
import type { RunningEngine } from './running-engine.ts';

/** All of it, for a session that was just added to a running engine. */
export function makeUpFor(engine: RunningEngine, sessionId: SessionID): void {
  setAskedNumbers(engine, sessionId);
  endConnection(engine, sessionId);
}

/** Numbers that an operator set while the session was connected, to a process that ended before its connection: they hold. */
export function setAskedNumbers(engine: RunningEngine, sessionId: SessionID): void {
  const slot = engine.dispatcher.slots.get(sessionId);
  if (slot === undefined) return;
  const { asked = [] } = engine.journal.recovered.sessions.get(sessionId) ?? {};
  for (const input of asked) engine.dispatcher.sessionInput(slot, input);
}

/** A session that was cut off counts as disconnected (rule C1). */
export function endConnection(engine: RunningEngine, sessionId: SessionID): void {
  const slot = engine.dispatcher.slots.get(sessionId);
  if (slot === undefined) return;
  // A grace time that runs on is over, and none begins.
  if (!slot.enabled) {
    engine.dispatcher.applicationInput({ kind: 'sessionLeaving', sessionId, by: 'us', forGood: true });
  }
  if (engine.journal.recovered.sessions.get(sessionId)?.loggedOn !== true) return;
  // In one frame: otherwise a recorded end without its cancels would omit them for good.
  const ended = { kind: 'state', sessionId, loggedOn: false } as const;
  const { end } = slot.machine;
  engine.dispatcher.applicationInput(
    { kind: 'sessionDown', sessionId, end: 'crash' },
    end === null ? ended : { ...ended, end },
  );
}
