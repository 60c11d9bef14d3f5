// Everything that can happen to the gateway machine, as one union. Time comes beside it, answers come back as inputs.

import type { EpochMs } from '../../base/time.ts';
import type {
  AuctionPhase,
  CancelCommand,
  CommandOutcome,
  DataAnswer,
  ExchangeErrorNotice,
  ExchangeOrder,
  ExchangeTrade,
  LookupOutcome,
  Market,
  MarketDataEvent,
} from '../../exchange/mod.ts';
import type { MessageView } from '../../wire/mod.ts';
import type { TradingAccount } from './config.ts';
import type { OperatorNews } from './news.ts';
import type { Sender } from './sender.ts';

/** Why a FIX session ended, for cancel on disconnect (rule C1). `crash`: found logged on at start-up after our own death. */
export type SessionEnd = 'logout' | 'disconnect' | 'shutdown' | 'crash';

/** Scope of a kill switch (rule O12). */
export type KillSwitchScope = 'session' | 'account' | 'all';

/** An open order of the exchange that a session takes over. */
export interface Adoption {
  readonly sessionId: string;
  readonly order: ExchangeOrder;
  /** All trades of the order. */
  readonly trades: readonly ExchangeTrade[];
  /** The ClOrdID(11) under which the session's counterparty knows it, where an imported store says so. */
  readonly clOrdID: string | null;
}

export type GatewayInput =
  /** An application message that the session accepted: valid by its dictionary, its number counted. Valid for this call only. */
  | {
      readonly kind: 'message';
      readonly sessionId: string;
      readonly view: MessageView;
      readonly possDup: boolean;
      /** It was queued before it came here: a D or G must be young (rule O4). */
      readonly waited?: boolean;
    }
  /**
   * An application message beyond the session's rate (rule S7), otherwise as `message`. `refuse`: answer it with the wait in
   * Text(58) and do nothing else. `hold`: its turn comes in `waitMs`; keep a copy and take it then as one that `waited`.
   * Turns of one session never overtake each other. F, q and j never come this way. Valid for this call only.
   */
  | {
      readonly kind: 'throttled';
      readonly sessionId: string;
      readonly view: MessageView;
      readonly possDup: boolean;
      readonly excess: 'refuse' | 'hold';
      readonly waitMs: number;
    }
  /**
   * An application message that must not be accepted, independent of its content; a j gives the counterparty the
   * reason.
   */
  | { readonly kind: 'refuse'; readonly sessionId: string; readonly view: MessageView; readonly text: string }
  /** `cancelOnDisconnect`: the counterparty's choice in its Logon (rule C1); absent: the session's setting counts. */
  | { readonly kind: 'sessionUp'; readonly sessionId: string; readonly cancelOnDisconnect?: boolean }
  /**
   * The side with a Logout(5) said or due; `us` also without a connection to say it on. `forGood`: it may not log on
   * again.
   */
  | {
      readonly kind: 'sessionLeaving';
      readonly sessionId: string;
      readonly by: 'us' | 'counterparty';
      readonly forGood?: boolean;
    }
  | { readonly kind: 'sessionDown'; readonly sessionId: string; readonly end: SessionEnd }
  /** Answer to a `submit` effect. */
  | { readonly kind: 'outcome'; readonly commandId: string; readonly outcome: CommandOutcome }
  /** Answer to a `lookup` effect. */
  | { readonly kind: 'lookedUp'; readonly lookupId: string; readonly outcome: LookupOutcome }
  /** Answer to a `manage` effect. */
  | { readonly kind: 'managed'; readonly commandId: string; readonly outcome: CommandOutcome }
  /** Answer to an `ask` effect. */
  | { readonly kind: 'answered'; readonly questionId: string; readonly answer: DataAnswer }
  | { readonly kind: 'order'; readonly order: ExchangeOrder; readonly source: 'snapshot' | 'update' | 'reconciliation' }
  /** `order`: of the trade, as read together with it; its end is reported after its trades. */
  | {
      readonly kind: 'trade';
      readonly trade: ExchangeTrade;
      readonly source: 'snapshot' | 'update' | 'reconciliation';
      readonly order?: ExchangeOrder;
    }
  | { readonly kind: 'errorNotice'; readonly notice: ExchangeErrorNotice }
  | { readonly kind: 'phase'; readonly phase: AuctionPhase }
  /** The phases of this market's auctions are no longer reported. */
  | { readonly kind: 'phaseUnknown'; readonly symbol: string }
  /** `past`: markets that are listed no more, which orders of before are in; absent in older records. */
  | { readonly kind: 'markets'; readonly markets: readonly Market[]; readonly past?: readonly Market[] }
  | { readonly kind: 'referencePrice'; readonly symbol: string; readonly price: string }
  | { readonly kind: 'feed'; readonly credential: string; readonly feed: 'private' | 'auction'; readonly live: boolean }
  /** A public feed says something; of all market data only a refused subject is on record. */
  | { readonly kind: 'marketData'; readonly event: MarketDataEvent }
  /** Messages published to a session have left (effect `publish`): more may follow. Not recorded. */
  | { readonly kind: 'marketDataRoom'; readonly sessionId: string }
  /** A gap fill made the counterparty skip messages that are not kept; not recorded. */
  | { readonly kind: 'marketDataLost'; readonly sessionId: string }
  /** A trading account that sessions still to be added may trade: it is compared with the exchange before (rule J3). */
  | ({ readonly kind: 'account' } & TradingAccount)
  /** Reconciliation of an account ended; `ok` false if the exchange could not be asked. Orders may flow after the first ok. */
  | { readonly kind: 'reconciled'; readonly tradingAccountId: string; readonly ok: boolean }
  /** The journal can no longer record (rule J2), or can again. */
  | { readonly kind: 'journal'; readonly healthy: boolean }
  /** An operator throws a kill switch, or asks to lift it; `name` is a SessionID or a trading account id (rule O12). */
  | {
      readonly kind: 'killSwitch';
      readonly action: 'throw' | 'lift';
      readonly scope: KillSwitchScope;
      readonly name: string;
      readonly who: string;
      readonly why: string;
    }
  /** An operator ends an order that the exchange does not know. */
  | {
      readonly kind: 'resolve';
      readonly sessionId: string;
      readonly clOrdID: string;
      readonly who: string;
      readonly why: string;
    }
  /** An operator has a session adopt an external order (rule O11). */
  | { readonly kind: 'adoptOrder'; readonly adoption: Adoption; readonly who: string; readonly why: string }
  /** An operator takes a journal that is older than the exchange as it is (rule J3). */
  | { readonly kind: 'adoptJournal'; readonly who: string; readonly why: string }
  /** Unreadable records of the start keep sessions out no longer: those of a session, or with null all of them. */
  | { readonly kind: 'putAside'; readonly sessionId: string | null; readonly who: string; readonly why: string }
  /**
   * A caller of the bridge cancels orders of an account (rule B5), or an operator one order. `credential`: the exchange login of the
   * caller. The outcome of `commandId` is the caller's answer.
   */
  | {
      readonly kind: 'bridgeCancel';
      readonly commandId: string;
      readonly credential: string;
      readonly who: string;
      /** `who` is an operator, and no caller of the bridge. */
      readonly isOperator?: true;
      readonly command: CancelCommand;
    }
  /** Answer to a `user` effect: UserStatus(926), and UserStatusText(927) where there is something to say. */
  | {
      readonly kind: 'userAnswered';
      readonly sessionId: string;
      readonly userRequestID: string;
      readonly username: string;
      readonly sender: Sender;
      readonly userStatus: string;
      readonly text: string | null;
    }
  /** Answer to a `bridge` effect: HTTP status, and the body with a character per byte. */
  | {
      readonly kind: 'bridgeAnswered';
      readonly sessionId: string;
      readonly bridgeReqID: string;
      readonly sender: Sender;
      readonly status: number;
      readonly body: string;
    }
  /** An operator has news for counterparties; of a planned stop it goes again until `stopAt`. */
  | {
      readonly kind: 'news';
      readonly news: OperatorNews;
      readonly stopAt: EpochMs | null;
      readonly who: string;
    }
  /** An operator withdraws a planned stop. */
  | { readonly kind: 'withdrawStop'; readonly who: string; readonly why: string }
  /**
   * A new order of a bridge caller (rules B3, O12): a D of the session that its account has for REST, one character per
   * byte. It passes the rules of every other D.
   */
  | { readonly kind: 'restOrder'; readonly sessionId: string; readonly frame: string; readonly who: string }
  /** The process is about to end: delayed reports go out now. */
  | { readonly kind: 'lastWords' }
  /** Shutdown began: no new orders; rule U5. */
  | { readonly kind: 'shutdown' }
  /** The time named by `deadline()` has come. */
  | { readonly kind: 'tick' };
