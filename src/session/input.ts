// Everything that can happen to a session machine, as one union.

import type { GarbledNotice, MessageDraft, MessageView } from '../wire/mod.ts';
import type { NumbersAsked, OutboundMessage } from './port.ts';

export type SessionInput =
  /** A transport connection for this session. An initiator sends its Logon. An acceptor is given its Logon next. */
  | { readonly kind: 'connected'; readonly remote: string }
  /** A whole message; the view is valid for this call only. `authenticated` is said of a Logon only (rule S1). */
  | { readonly kind: 'message'; readonly view: MessageView; readonly authentication: Authentication }
  | { readonly kind: 'garbled'; readonly notice: GarbledNotice }
  | { readonly kind: 'disconnected' }
  /**
   * An application message to number, journal and send, or to keep for a resend while logged off. `perishable`: the
   * content ages quickly, as market data does. It is dropped while logged off. Otherwise its number is recorded without
   * its bytes, and a ResendRequest(2) gap-fills it.
   */
  | { readonly kind: 'send'; readonly draft: MessageDraft; readonly perishable?: boolean }
  /** Answer to a `loadOutbound` effect: the resendable messages in that range, ascending. */
  | {
      readonly kind: 'outboundLoaded';
      readonly requestId: number;
      readonly messages: readonly OutboundMessage[];
    }
  /**
   * The read of a `loadOutbound` effect waits until the counterparty has taken earlier output, or resumes after such a
   * wait. Reported for long waits only.
   */
  | { readonly kind: 'outboundWaits'; readonly requestId: number; readonly waitsFor: LoadWaitsFor }
  /** The read of a `loadOutbound` effect failed; the reader has raised the alarm. */
  | { readonly kind: 'outboundFailed'; readonly requestId: number }
  /**
   * The counterparty of a session with `repeatsOnRequest` requests the unproven reports of resets, after the report
   * with this ExecID(17) if it is among them, else all of them (rule S9). A News(B) says how many were repeated.
   */
  | { readonly kind: 'repeat'; readonly afterExecID: string | null }
  /** Nothing that the counterparty sends is read for now, or it is again: its silence meanwhile is ours. */
  | { readonly kind: 'reading'; readonly isRead: boolean }
  /** End the session by our own Logout(5). */
  | { readonly kind: 'logout'; readonly text: string }
  | NumbersAsked
  /** The time named by `deadline()` has come. */
  | { readonly kind: 'tick' };

export type LoadWaitsFor = 'journal' | 'counterparty';

/** Result of the engine's credential check of a Logon; every other message carries `notLogon`. */
export type Authentication =
  | { readonly kind: 'notLogon' }
  /** `sessionStatus`: for SessionStatus(1409) of the answer, where it is not simply active. */
  | { readonly kind: 'accepted'; readonly sessionStatus?: string }
  /** `reason`: the failed check, for our log alone. `isProved`: the counterparty is proven, and something else is wrong. */
  | {
      readonly kind: 'refused';
      readonly sessionStatus: string;
      readonly text: string;
      readonly reason?: string;
      readonly isProved?: boolean;
    };
