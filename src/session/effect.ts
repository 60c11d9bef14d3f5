// Everything a session machine can ask for, as one union. Persist comes before transmit in every list.

import type { MessageView } from '../wire/mod.ts';
import type { SessionRecord } from './port.ts';

export type SessionEffect =
  | { readonly kind: 'persist'; readonly record: SessionRecord }
  /** Bytes to the socket, after every earlier `persist` of the list is durable. Dropped if the connection is gone. */
  | { readonly kind: 'transmit'; readonly raw: Uint8Array }
  /**
   * An application message for the gateway: valid, in sequence, new (or PossDup and unseen). The view is the input's.
   * `waited`: it was kept behind a gap until now (rule O4).
   */
  | { readonly kind: 'deliver'; readonly view: MessageView; readonly possDup: boolean; readonly waited: boolean }
  /**
   * An application message beyond the session's rate (rule S7), otherwise as `deliver`. `refuse`: the application
   * rejects it with the wait in Text(58) and does nothing else. `hold`: its turn comes in `waitMs`; the application
   * keeps a copy until then. Cancels and session messages are never limited here.
   */
  | {
      readonly kind: 'throttled';
      readonly view: MessageView;
      readonly possDup: boolean;
      readonly excess: 'refuse' | 'hold';
      readonly waitMs: number;
    }
  /** Read resendable outbound messages of the present series (or of `series`); answered by input `outboundLoaded`. */
  | {
      readonly kind: 'loadOutbound';
      readonly requestId: number;
      readonly series: number;
      readonly from: number;
      readonly to: number;
    }
  /** `cancelOnDisconnect`: what the counterparty chose in its Logon, as far as it may; absent: nothing. */
  | { readonly kind: 'loggedOn'; readonly cancelOnDisconnect?: boolean }
  /**
   * A Logout(5) was received, or ours follows once a resend has ended. After our own Logout the session takes no order
   * any more; after the counterparty's it takes only earlier messages, and no message waits. `loggedOff` follows.
   */
  | { readonly kind: 'loggingOut'; readonly by: 'us' | 'counterparty' }
  | { readonly kind: 'loggedOff'; readonly end: 'logout' | 'disconnect'; readonly reason: string }
  /** Close the connection once all output is flushed. */
  | { readonly kind: 'disconnect'; readonly reason: string }
  /** Operators must know. */
  | {
      readonly kind: 'alarm';
      readonly alarm: string;
      readonly text: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'note';
      readonly level: 'debug' | 'info' | 'warn';
      readonly text: string;
      readonly fields: Readonly<Record<string, string>>;
    };

/** Takes effects in the order in which they are to be executed; a list does. */
export interface EffectSink {
  push(effect: SessionEffect): void;
}
