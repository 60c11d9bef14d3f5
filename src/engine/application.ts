// The application of the session machines: the gateway machine, or a library user's. Declares its inputs, its permitted
// actions during an input, and the journal records besides messages. The dispatcher orders and commits.

import type { EpochMs } from '../base/time.ts';
import type { Authentication, SessionEffect, SessionID, SessionInput } from '../session/mod.ts';
import type { JournalRecord } from '../store/mod.ts';
import type { MessageDraft, MessageView } from '../wire/mod.ts';
import type { Consequence } from './sessions/commit-queue.ts';

/** Inputs that sessions give to every application. */
export type ApplicationInput =
  /** An application message, valid and in sequence. The view is valid for this call only. */
  | {
      readonly kind: 'message';
      readonly sessionId: SessionID;
      readonly view: MessageView;
      readonly possDup: boolean;
      /** It was kept behind a gap until now (rule O4). */
      readonly waited: boolean;
    }
  /** A message beyond the session's rate (rule S7): to be answered with the wait, or held for `waitMs` and then taken. */
  | {
      readonly kind: 'throttled';
      readonly sessionId: SessionID;
      readonly view: MessageView;
      readonly possDup: boolean;
      readonly excess: 'refuse' | 'hold';
      readonly waitMs: number;
    }
  /** `cancelOnDisconnect`: the counterparty's choice in its Logon; absent: none. */
  | { readonly kind: 'sessionUp'; readonly sessionId: SessionID; readonly cancelOnDisconnect?: boolean }
  /** The side with a Logout(5) said or due; `us` also without a connection to say it on. */
  | { readonly kind: 'sessionLeaving'; readonly sessionId: SessionID; readonly by: 'us' | 'counterparty' }
  | {
      readonly kind: 'sessionDown';
      readonly sessionId: SessionID;
      readonly end: 'logout' | 'disconnect';
      /** In words. */
      readonly reason?: string;
    }
  /** The time named by `deadline()` has come. */
  | { readonly kind: 'tick' };

/** One of the inputs that follow from each other, the first from outside, when one of them threw. */
export interface InputUnderWay {
  /** Null: an input of the application. */
  readonly slot: { readonly sessionId: SessionID } | null;
  /** An input of a session machine, or one of the application, which alone knows its own kinds. */
  readonly input: SessionInput | { readonly kind: string };
}

/** Actions of an application during an input. All of it is recorded together, before anything leaves. */
export interface Turn {
  /** The time of the input, in milliseconds. */
  readonly now: EpochMs;
  /** `performance.now()` when the bytes of this input were read; of one that no counterparty sent, when it began. */
  readonly readAt: number;
  /**
   * Number, journal and send a message; kept for a resend while the session is logged off. `perishable`: not kept, and dropped
   * while logged off. False: no such session.
   */
  send(sessionId: SessionID, draft: MessageDraft, perishable?: boolean): boolean;
  /** The same at once, where nothing came before it that waits: afterwards the draft may be gone on with in any case. */
  sendNow(sessionId: SessionID, draft: MessageDraft): boolean;
  /**
   * Have a session send again the unproven reports of resets, after the report with this ExecID(17), or all of them
   * (rule S9).
   */
  repeat(sessionId: SessionID, afterExecID: string | null): void;
  /** Add a record to the frame of this input. */
  record(record: JournalRecord): void;
  /** This frame must survive power loss, whatever the sessions concerned ask for. */
  demandDisk(): void;
  /** Consequences of this input keep their place among those of this session's other inputs. */
  concerns(sessionId: SessionID): void;
  /** Have something done once the frame is as durable as it has to be. */
  later(consequence: Consequence): void;
  /** Run a callback once this input's messages to a session were handed to its socket. False: it is not connected. */
  whenSent(sessionId: SessionID, run: () => void): boolean;
}

/** An application of the session engine. `Input` are the inputs of its own, besides those of the sessions. */
export interface Application<Input extends { readonly kind: string } = ApplicationInput> {
  /** Take one input. All consequences go to `turn`, in order, before this returns. */
  handle(input: Input | ApplicationInput, turn: Turn): void;
  /** When it wants a `tick`, or null. */
  deadline(): EpochMs | null;
  /** A resend to a session continued, or ended: perishable messages were skipped. */
  resent?(sessionId: SessionID): void;
}

/**
 * Selects the inputs that become records of their own, for an application with a day that can be replayed from the
 * journal.
 */
export interface InputRecorder<Input> {
  sessionInput(sessionId: SessionID, input: SessionInput): JournalRecord | null;
  /** A message that its session did not count, or that says more than its bytes; null for all others. */
  message(
    sessionId: SessionID,
    view: MessageView,
    authentication: Authentication,
    effects: readonly SessionEffect[],
  ): JournalRecord | null;
  applicationInput(input: Input | ApplicationInput): JournalRecord | null;
}
