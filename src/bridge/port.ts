// The bridge's port to the outside: one exchange login per credential, callers, limits, clock, log and audit trail. The
// engine supplies them; the bridge opens only its own listening port.

import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { EpochMs } from '../base/time.ts';
import type {
  AccountCommand,
  CancelCommand,
  CommandOutcome,
  CreateOrderCommand,
  Market,
  RawCommand,
} from '../exchange/mod.ts';
import type { Feeds } from './streams/feeds.ts';
import type { PublicFeeds } from './streams/public-feeds.ts';

/** A whole HTTP answer of the exchange. Header names are in lower case. */
export interface UpstreamAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Answer of a read, or why there is none. */
export type UpstreamRead =
  | UpstreamAnswer
  /** `isBarred`: the gateway's key may not ask it, now or later. */
  | { readonly kind: 'failed'; readonly message: string; readonly isBarred?: true };

/** Outcome of a command, with the exchange's own answer if there was one. */
export interface UpstreamCommand {
  readonly outcome: CommandOutcome;
  readonly result: UpstreamAnswer | { readonly kind: 'notSent' | 'broken'; readonly message: string } | null;
}

/** One exchange login, shared with the FIX orders, which go first (rule B4). Promises never reject. */
export interface BridgeExchange {
  /** GET a target (path with query). */
  get(target: string): Promise<UpstreamRead>;
  /** POST a question that changes nothing at the exchange. */
  post(target: string, body: string): Promise<UpstreamRead>;
  /**
   * Send a command once; JWT, timestamp, nonce and signature are added here. `barred` is asked when its turn in the rate has
   * come: why it must not leave any more, or null.
   */
  send(commandId: string, command: RawCommand | AccountCommand, barred: () => string | null): Promise<UpstreamCommand>;
  /** Markets as last read. */
  markets(): readonly Market[];
}

/** Permissions of a token; everything else is refused. */
export const BRIDGE_FUNCTIONS = {
  'market-data':
    'markets, order books, public trades, candles, assets, options, funding, index prices, time, and the public streams',
  auctions: 'auctions, their imbalance and results, and the auction stream',
  accounts: 'trading accounts, asset accounts, transfers, borrow interest, positions and their settlement',
  orders: 'reading orders and trades of the accounts',
  amm: 'reading AMM instructions',
  'amm-write': 'creating and terminating AMM instructions',
  margin: 'simulating portfolio margin',
  otc: 'reading negotiated trades, and entries that wait under a key',
  'otc-write': 'entering, approving and cancelling negotiated trades',
  mmp: 'reading the market maker protection of the accounts',
  'mmp-write': 'setting and resetting market maker protection',
  stream: 'the private stream of the accounts',
  custody: 'reading custody: limits, history, deposit and withdrawal instructions of the whole login; ECDSA keys only',
  'order-write': 'entering orders of accounts that `bridge.orders` opens',
  cancel: 'cancelling orders of the accounts, at once or after a delay; also while their FIX session is down',
} as const;

export type BridgeFunction = keyof typeof BRIDGE_FUNCTIONS;

/** A caller: a token bound to one credential, some of its trading accounts and some functions. */
export interface BridgeCaller {
  /** Name of the caller, for audit and log. */
  readonly name: string;
  /** The token by reference; read at the start and when it is renewed, kept only as a digest. */
  readonly token: { readonly reference: string; read(): string };
  readonly credential: string;
  readonly tradingAccountIds: readonly string[];
  readonly functions: readonly BridgeFunction[];
  /** Commands that the caller signed for the exchange: refused, or signed anew without what it signed (rule B2). */
  readonly signedCommands?: 'refuse' | 'signAnew';
}

/** One leg of a negotiated trade, as it is entered. */
export interface TradeLeg {
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
}

export interface BridgeLimits {
  /** Longest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Time for a request to arrive whole; it is cut within a second behind that. */
  readonly requestArrivalMs: number;
  readonly connectionsMax: number;
  /** Requests of one token under way at a time. */
  readonly requestsPerTokenMax: number;
  /** Open streams of one token. */
  readonly streamsPerTokenMax: number;
  /** Streams that one token opens in any minute. */
  readonly newStreamsPerMinute: number;
  /** Negotiated trades that are entered or approved for one trading account in any minute. */
  readonly negotiatedPerMinute: number;
  /** Bytes waiting for a slow listener before it is dropped. */
  readonly streamBytesMax: number;
  /** Longest wait at closing for commands without an outcome. */
  readonly closeWaitMs: number;
}

/** Called for each event; callers by name, '' for a request without a known one. */
export interface BridgeObserver {
  /** A request was answered, whatever with. */
  bridgeAnswered(caller: string, status: number, ms: number): void;
  /** A listener was dropped, for its behaviour or because its data is gone. */
  listenerDropped(caller: string): void;
}

/** Under which names the bridge is reached, and which pages may use the cookie of a browser. */
export interface BridgeNames {
  /** Names that Host may give, besides addresses in numbers and localhost; `*.` begins any below it. */
  readonly hosts: readonly string[];
  /** Origins of other pages that may open streams with a cookie, in lower case. */
  readonly origins: readonly string[];
}

/** HTTPS in place of HTTP: made of an HTTP server's options. */
export interface BridgeTls {
  createServer(options: ServerOptions, handler: RequestListener): Server;
}

/** Why an order was not sent: a limit, a rule or the market is against it. */
export interface OrderRefusal {
  readonly kind: 'notSent';
  readonly text: string;
}

/** Orders of callers, of accounts that the configuration opens for them. */
export interface BridgeOrders {
  takes(tradingAccountId: string): boolean;
  /** Enter an order once: its outcome, unknown where none comes in time, or why it was not sent. Never rejects. */
  enter(caller: { readonly name: string }, command: CreateOrderCommand): Promise<CommandOutcome | OrderRefusal>;
}

export interface BridgeOptions extends BridgeNames {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Null for HTTP. */
  readonly tls: BridgeTls | null;
  /** Token of the process that owns the port and names the clients (passed-client.ts), made for this start; absent: this one owns it. */
  readonly frontToken?: () => string;
  readonly limits: BridgeLimits;
  readonly callers: readonly BridgeCaller[];
  /** Exchange logins by credential name. */
  readonly exchanges: ReadonlyMap<string, BridgeExchange>;
  /** State and future frames of the exchange's streams. */
  readonly feeds: Feeds;
  /** The exchange's public feeds. */
  readonly publicFeeds: PublicFeeds;
  /** That a kill switch covers a trading account, in words; null if none does (rule O12). */
  readonly killSwitchOf: (tradingAccountId: string) => string | null;
  /** The limit of a trading account that a leg of a negotiated trade breaks, in words; null if it breaks none (rule O12). */
  readonly legRefusalOf: (tradingAccountId: string, leg: TradeLeg) => string | null;
  /** The limit of a trading account that all legs of a negotiated trade break together, in words, or null. */
  readonly tradeRefusalOf: (tradingAccountId: string, legs: readonly TradeLeg[]) => string | null;
  /**
   * Send a cancel of a caller through the order registry (rule B5); its outcome, unknown where none comes in time. Never
   * rejects.
   */
  readonly cancel: (
    commandId: string,
    caller: { readonly name: string; readonly credential: string },
    command: CancelCommand,
  ) => Promise<CommandOutcome>;
  /** Orders by REST, through the order registry and its limits (rule B3); absent: no account takes any. */
  readonly orders?: BridgeOrders;
  /** Why an account takes no delayed cancel-all, in words; null if it does (rule C2). */
  readonly delayedCancelRefusalOf: (tradingAccountId: string) => string | null;
  readonly observer: BridgeObserver;
  readonly now: () => EpochMs;
  readonly log: (
    level: 'debug' | 'info' | 'warn' | 'error',
    text: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
  /** Make an entry of the audit trail durable. False if that cannot be done now: a command is then not sent. Never rejects. */
  readonly audit: (who: string, action: string, detail: string) => Promise<boolean>;
}
