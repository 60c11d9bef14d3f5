// Everything the gateway machine can ask for, as one union. The engine executes effects in order:
// persistOrder becomes durable (with the reports of the same input) before submit, lookup or send leave the process.

import type { EpochMs } from '../../base/time.ts';
import type { AccountCommand, DataQuestion, MarketTopic, OrderCommand } from '../../exchange/mod.ts';
import type { MessageDraft } from '../../wire/mod.ts';
import type { Sender } from './sender.ts';

export type GatewayEffect =
  /** Journal the whole present state of one order chain (JSON text); the last record of a key wins at recovery. */
  | {
      readonly kind: 'persistOrder';
      readonly sessionId: string;
      readonly key: string;
      readonly record: string;
      /** Given when nothing is outstanding any more: the record need not be recovered, and is found by these keys. */
      readonly ended?: readonly string[];
    }
  /** Send a command through the credential's exchange port; its outcome comes back as input `outcome`. */
  | {
      readonly kind: 'submit';
      readonly commandId: string;
      /**
       * The session of the command: sessions share the exchange's rate fairly (rule S7). Empty for the gateway's own.
       */
      readonly sessionId: string;
      /** Beyond the exchange's rate it is refused at once instead of waiting (rule D6). */
      readonly isAtOnce?: true;
      /** One of many cancels without its own waiting request: awaited cancels of the session take turns with them. */
      readonly isOneOfMany?: true;
      readonly credential: string;
      readonly command: OrderCommand;
      /**
       * A create, an amendment or the cancel of a replacement that could not leave by then never leaves (rule O4); null
       * for commands that reduce risk.
       */
      readonly notAfter: EpochMs | null;
    }
  /** Ask the exchange for an order; the answer comes back as input `lookedUp`. */
  | {
      readonly kind: 'lookup';
      readonly lookupId: string;
      readonly credential: string;
      readonly tradingAccountId: string;
      readonly orderId: string | null;
      readonly clientOrderId: string;
      readonly commandId: string | null;
      readonly ofRequest: boolean;
      readonly enteredAt: EpochMs;
    }
  /** Ask the exchange about an account; the answer comes back as input `answered`. */
  | {
      readonly kind: 'ask';
      readonly questionId: string;
      readonly credential: string;
      readonly question: DataQuestion;
    }
  /** Send a command that concerns no order, once it is recorded; its outcome comes back as input `managed`. */
  | {
      readonly kind: 'manage';
      readonly sessionId: string;
      readonly commandId: string;
      readonly credential: string;
      readonly command: AccountCommand;
    }
  /** Send an application message on a FIX session (numbered, journaled and queued even while it is logged off). */
  | { readonly kind: 'send'; readonly sessionId: string; readonly draft: MessageDraft }
  /**
   * Send a message that ages quickly, if the session is logged on: numbered but not kept, so that a ResendRequest(2)
   * gap-fills it. Answered by input `marketDataRoom` once it has left.
   */
  | { readonly kind: 'publish'; readonly sessionId: string; readonly draft: MessageDraft }
  /** A limit lacks the reference price of this market: follow it from now on (rule O12). */
  | { readonly kind: 'followPrice'; readonly symbol: string }
  /** Have a public feed of the exchange followed, or no more. Every `follow` is followed by one `unfollow` at most. */
  | { readonly kind: 'follow' | 'unfollow'; readonly topic: MarketTopic; readonly subject: string }
  /** Have a session send again the unproven reports of resets, after the report with this ExecID(17) (rule S9). */
  | { readonly kind: 'repeat'; readonly sessionId: string; readonly afterExecID: string | null }
  /** Call the bridge as one of its callers; answered by input `bridgeAnswered`. `body`: a character per byte. */
  | {
      readonly kind: 'bridge';
      readonly sessionId: string;
      readonly bridgeReqID: string;
      readonly sender: Sender;
      readonly caller: string;
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly body: string | null;
    }
  /** Ask for the status of a session's user, or change its password; answered by input `userAnswered`. Never recorded. */
  | {
      readonly kind: 'user';
      readonly sessionId: string;
      readonly userRequestID: string;
      readonly username: string;
      readonly sender: Sender;
      readonly change: { readonly password: string; readonly newPassword: string } | null;
    }
  /** Something that operators must know. `alarm` is a permanent name such as `unknown-outcome`. */
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
