// Reads messages to be resent from the journal: one read per turn of the event loop, so that a resend of a million
// delays no other counterparty, and no faster than its receiver reads. The session uses the result.

import type { OutboundMessage } from '../../session/mod.ts';
import type { Journal } from '../../store/mod.ts';
import type { SessionInputs, SessionSlot } from './session-slot.ts';

/** Bytes that wait for a counterparty above which nothing more is read for it, or this part of the most that may. */
const BACKLOG_BYTES_MAX = 262_144;
const BACKLOG_PART = 1 / 8;
const LOOK_AGAIN_MS = 5;
/** Interval between two notices of a counterparty that does not read. */
const LOOKS_UNTOLD = 200;

/** A session's request by its effect `loadOutbound`. */
export interface LoadRequest {
  readonly requestId: number;
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

export interface OutboundLoadsOptions {
  readonly journal: Pick<Journal, 'loadOutbound'>;
  readonly sessions: SessionInputs;
  /** Most bytes that may wait for a counterparty. */
  readonly outboundBytesMax: number;
  /** Whether a message of the present series is sent again; absent: each is. A gap fill takes the place of one that is not. */
  readonly mayResend?: ((slot: SessionSlot, message: OutboundMessage) => boolean) | undefined;
  /** A read failed. */
  readonly onFailed: (slot: SessionSlot, error: unknown) => void;
}

interface Load {
  readonly slot: SessionSlot;
  readonly request: LoadRequest;
  readonly looks: number;
}

export class OutboundLoads {
  readonly #options: OutboundLoadsOptions;
  /** Mostly none or one: a session asks for the next part when it has sent the one before. */
  readonly #due: Load[] = [];
  #scheduled = false;
  #closed = false;

  constructor(options: OutboundLoadsOptions) {
    this.#options = options;
  }

  ask(slot: SessionSlot, request: LoadRequest): void {
    this.#add({ slot, request, looks: 0 });
  }

  /** No resend continues: pending reads are dropped. */
  close(): void {
    this.#closed = true;
    this.#due.length = 0;
  }

  #add(load: Load): void {
    if (this.#closed) return;
    this.#due.push(load);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#due.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  /** Read for the first counterparty that takes data. An embedded journal reads at once, before this returns. */
  #turn(): void {
    const backlogBytesMax = Math.min(BACKLOG_BYTES_MAX, this.#options.outboundBytesMax * BACKLOG_PART);
    for (let left = this.#due.length; left > 0; left--) {
      const load = this.#due.shift()!;
      if ((load.slot.wire?.bufferedBytes ?? 0) <= backlogBytesMax) {
        this.#read(load);
        return;
      }
      this.#wait(load);
    }
  }

  #wait({ slot, request, looks }: Load): void {
    const { requestId } = request;
    if (looks === LOOKS_UNTOLD) {
      this.#options.sessions.sessionInput(slot, { kind: 'outboundWaits', requestId, waitsFor: 'counterparty' });
    }
    // A journal is read faster than any network takes it: unpaced, a long resend would end as that of a slow consumer.
    setTimeout(() => this.#add({ slot, request, looks: looks + 1 }), LOOK_AGAIN_MS).unref();
  }

  #read({ slot, request, looks }: Load): void {
    const { journal, sessions, onFailed } = this.#options;
    const { requestId, series, from, to } = request;
    if (looks > LOOKS_UNTOLD) sessions.sessionInput(slot, { kind: 'outboundWaits', requestId, waitsFor: 'journal' });
    journal.loadOutbound(slot.sessionId, series, from, to).then(
      (loaded) => {
        const messages = this.#wanted(slot, series, loaded);
        sessions.sessionInput(slot, { kind: 'outboundLoaded', requestId, messages });
      },
      (error: unknown) => {
        onFailed(slot, error);
        sessions.sessionInput(slot, { kind: 'outboundFailed', requestId });
      },
    );
  }

  /** Debts of an ended series are sent again, independent of the application's decision on requested messages. */
  #wanted(slot: SessionSlot, series: number, messages: readonly OutboundMessage[]): readonly OutboundMessage[] {
    const { mayResend } = this.#options;
    if (mayResend === undefined || series !== slot.machine.numbers.series) return messages;
    return messages.filter((message) => mayResend(slot, message));
  }
}
