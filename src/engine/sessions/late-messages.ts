// Messages that waited while the journal recorded nothing, as on a hanging disk: a message with its sending time says
// when it leaves. A counterparty would refuse the time at which it was written (373=10), and count it: a report would
// be lost to it. dispatcher.ts knows what waits for the journal; the session has the messages.

import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import type { JournalRecord } from '../../store/mod.ts';
import { lateFrame } from '../../wire/mod.ts';
import type { EngineLog } from '../config.ts';
import type { SessionSlot, Wire } from './session-slot.ts';

/** A shorter wait is in time everywhere. */
const LATE_MS = 10_000;

export interface LateMessagesOptions {
  readonly record: (record: JournalRecord) => void;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
}

export class LateMessages {
  /** Messages written before this are late. */
  before: EpochMs = Number.NEGATIVE_INFINITY;
  private isTold = true;
  private readonly options: LateMessagesOptions;

  constructor(options: LateMessagesOptions) {
    this.options = options;
  }

  /** The journal records again: waiting messages leave. */
  look(): void {
    this.before = this.options.now() - LATE_MS;
    this.isTold = false;
  }

  /** Send a late message; it is in the message log too. */
  send({ sessionId, machine }: SessionSlot, wire: Wire, raw: Uint8Array): void {
    const { log, now, record } = this.options;
    // The signature of a Logon is over its time.
    if (machine.config.logonSigner !== undefined && !machine.loggedOn) {
      wire.send(raw);
      return;
    }
    const late = lateFrame(raw, formatUtcTimestamp(now()), machine.dataFields);
    record({ kind: 'unsequenced', sessionId: null, direction: 'out', raw: late, note: `sent late on ${sessionId}` });
    wire.send(late);
    if (this.isTold) return;
    this.isTold = true;
    log('warn', 'messages that waited for the journal leave with the present time as SendingTime(52)');
  }
}
