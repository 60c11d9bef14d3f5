// Live messages that are numbered while a resend or a reset of ours is under way: they wait, so that the two never interleave, and
// follow it in order. If too many wait they are let go: they are in the journal, and a resend takes their place.

import type { EpochMs } from '../../base/time.ts';
import { MsgType } from '../../wire/mod.ts';
import type { SessionConfig } from '../config.ts';
import type { SessionReset } from '../reset/session-reset.ts';
import type { UnsentNumbers } from '../reset/unsent.ts';
import type { ResendRead } from './resend-read.ts';

/**
 * Bytes that wait behind a resend or a reset: released at once, more could count as the backlog of a slow counterparty.
 */
const HELD_BYTES_MAX = 1_048_576;

interface WaitingMessage {
  readonly msgSeqNum: number;
  readonly msgType: string;
  readonly raw: Uint8Array;
}

/** A resend under way: the range still to be sent and the messages that wait behind it (replay.ts). */
export interface Replay {
  readonly read: ResendRead;
  /** Last number of the resend. */
  end: number;
  /** First number of a gap fill not yet written, or null. */
  fillFrom: number | null;
  /** Lowest future number that a joined request covers, or null: the counterparty may have the messages before it. */
  joinedFrom: number | null;
  /** Live messages numbered meanwhile, in order and all above `end`; they follow the resend. */
  held: WaitingMessage[];
  heldBytes: number;
  /** A ResendRequest of ours was let go with held messages, or never read: the gap must be asked for again. */
  lostResendRequest: boolean;
}

/** A Logout(5) that waits for the end of a resend, and for the proof of earlier reports (logout.ts). */
export interface OwedLogout {
  /** It answers the counterparty's. */
  readonly answers: boolean;
  readonly text: string;
  /** For SessionStatus(1409). */
  readonly sessionStatus: string;
  since: EpochMs;
  /** Until when the proof is waited for; null while it is not asked for. */
  provingUntil: EpochMs | null;
  /** TestRequests sent for it. */
  proofsAsked: number;
}

/** The session's parts that waiting needs (core.ts). */
interface Waiting {
  readonly config: Pick<SessionConfig, 'gapQueueMax'>;
  readonly sequence: { readonly nextSenderMsgSeqNum: number; readonly unsent: UnsentNumbers };
  readonly recovery: { readonly replay: Replay | null; end(): void };
  readonly reset: { readonly running: SessionReset | null };
  transmit(raw: Uint8Array): void;
}

/** Let a live message wait behind a resend. Too many are let go, and the resend is prolonged over them, marked PossDup. */
export function holdBehind(core: Waiting, replay: Replay, message: WaitingMessage): void {
  replay.held.push(message);
  replay.heldBytes += message.raw.length;
  if (replay.held.length <= core.config.gapQueueMax && replay.heldBytes <= HELD_BYTES_MAX) return;
  if (replay.held.some(({ msgType }) => msgType === MsgType.ResendRequest)) replay.lostResendRequest = true;
  replay.held = [];
  replay.heldBytes = 0;
  replay.end = core.sequence.nextSenderMsgSeqNum - 1;
}

/** End a resend and transmit the messages that waited behind it. */
export function endReplay(core: Waiting): void {
  const { replay } = core.recovery;
  if (replay === null) return;
  core.recovery.end();
  for (const { msgSeqNum, raw } of replay.held) release(core, msgSeqNum, raw);
}

/** Messages of the new series follow the counterparty's answer. */
export function holdForReset(core: Waiting, reset: SessionReset, msgSeqNum: number, raw: Uint8Array): void {
  if (reset.isHolding) reset.hold(msgSeqNum, raw, { messages: core.config.gapQueueMax, bytes: HELD_BYTES_MAX });
  else core.transmit(raw);
}

/** Transmit messages that waited for the answer to our reset; later ones do not wait. */
export function releaseHeld(core: Waiting): void {
  for (const { msgSeqNum, raw } of core.reset.running?.release() ?? []) release(core, msgSeqNum, raw);
}

function release(core: Waiting, msgSeqNum: number, raw: Uint8Array): void {
  core.transmit(raw);
  core.sequence.unsent.left(msgSeqNum, msgSeqNum);
}
