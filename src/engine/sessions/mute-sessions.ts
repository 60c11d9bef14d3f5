// Ends sessions with answers that cannot be recorded, because every write to the disk fails (rule J2). A counterparty must
// not wait for answers that never come. It gets a Logout with the reason, unrecorded too, unless that could cost it a
// message. Over a database it gets none: another node may go on with the journal meanwhile, and give the number of the Logout to a
// report. commit-queue.ts decides when it is time.

import type { EpochMs } from '../../base/time.ts';
import { MsgType, Tag, viewOf } from '../../wire/mod.ts';
import type { EngineLog } from '../config.ts';
import type { Consequence } from './commit-queue.ts';
import type { SessionSlot } from './session-slot.ts';
import { Transmission } from './transmission.ts';

const TEXT = 'the journal cannot record at present, and no answer can be given: log on again later';
const REJECTED = '8';

export interface MuteOptions {
  readonly now: EpochMs;
  readonly log: EngineLog;
  /** Whether another process may go on with the journal, without what waits here. */
  readonly isShared: boolean;
}

/** End the present connection of each session that a message waits for. */
export function endMuteSessions(waiting: readonly Consequence[], { now, log, isShared }: MuteOptions): void {
  const first = new Map<SessionSlot, Transmission>();
  for (const one of waiting) {
    if (one instanceof Transmission && one.isCurrent && !first.has(one.slot)) first.set(one.slot, one);
  }
  for (const [slot, { raw }] of first) {
    const { wire, sessionId, machine } = slot;
    log('warn', `session ended: ${TEXT}`, { session: sessionId });
    if (!isShared && mayBeCounted(slot, raw)) wire?.send(machine.unrecordedLogout(TEXT, now));
    wire?.flush?.();
    wire?.close();
  }
}

/**
 * Many engines count every Logout as the next message. The first message that waits would be lost to them: a refusal or a
 * session message may be, as the Logout says the same, and a report of an execution or a cancel may not.
 */
function mayBeCounted({ machine }: SessionSlot, raw: Uint8Array): boolean {
  const view = viewOf(Buffer.from(raw), machine.dataFields);
  if (view === null) return false;
  return view.msgType !== MsgType.ExecutionReport || view.equals(Tag.OrdStatus, REJECTED);
}
