// Options of an exchange client: credential, dialect, limits of time and rate, and choices that the documents leave
// open. ops reads configuration and resolves secrets; values here are checked.

import type { EpochMs } from '../base/time.ts';
import type { CommandDialect, EcdsaPrehash, NonceMode } from '../exchange/mod.ts';
import type { SignerPlace } from './login/external-signer.ts';
import { AddressBudget, type ClientRates, DEFAULT_RATES } from './rates/rate-budget.ts';
import type { ExchangeTls } from './reads/http.ts';

/** An API key. `secret` and `privateKey` are secrets: they stay inside credential.ts. */
export type Credential =
  | { readonly kind: 'hmac'; readonly publicKey: string; readonly secret: string }
  | {
      readonly kind: 'ecdsa';
      /** X.509 SubjectPublicKeyInfo, PEM. */
      readonly publicKey: string;
      /** PKCS8 or SEC1, PEM, curve P-256; empty with `signer`. */
      readonly privateKey: string;
      /** Signs in place of `privateKey`, outside this process. */
      readonly signer?: SignerPlace;
      /** Base64 of `{publicKey, userId, accountId, credentialId}`, or null where `userId` is given. */
      readonly metadata: string | null;
      readonly userId?: string;
    };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** Fields of a log line or alarm: never secrets, never whole bodies. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
export type Log = (level: LogLevel, text: string, fields: LogFields) => void;

/** Conditions that operations must learn of (rules, "Alarms, beyond the obvious"). */
export type ExchangeAlarm =
  | 'login-renewal-failed'
  | 'signer-failed'
  | 'address-blocked'
  | 'private-stream-silent'
  | 'clock-offset'
  | 'rate-limited'
  | 'outcome-open'
  | 'gap-not-closed'
  | 'auction-topic-refused'
  | 'entry-not-understood';

/** Tokens of logins that are open at the exchange, kept for the next process: one that is killed gives none back. */
export interface OpenLogins {
  /** Those that the process before left. Never rejects. */
  read(): Promise<readonly string[]>;
  /** Keep these from now on, instead of those before. Never rejects. */
  write(tokens: readonly string[]): Promise<void>;
}

/** Limits of time, all in milliseconds. */
export interface ClientTimeouts {
  /** A command or read, from its first byte to the last of the answer. After it a command is unknown. */
  readonly requestMs: number;
  readonly connectMs: number;
  /** A login, a stream's upgrade, and the wait for its subscriptions. */
  readonly loginMs: number;
  /** Between keepalivePings; the exchange closes streams that are silent for about 60 s (exchange reference §4.2). */
  readonly keepaliveMs: number;
  /** After a ping without any sign of life for this long, a stream is taken for dead. */
  readonly pongMs: number;
  /** With nothing but pongs for this long, the private stream is taken for dead: heartbeats come every 30 s. */
  readonly heartbeatMs: number;
  /** How long a new order may wait for rate (one window is a second), nonce or the command before it; then it is refused here. */
  readonly orderWaitMs: number;
  /** How long a cancel may. */
  readonly cancelWaitMs: number;
  /** The same for a cancel that waits for nothing but its turn in the rate, as the last of thousands does. */
  readonly cancelRateWaitMs: number;
  /** How long one unanswered command may hold back a cancel in serial mode, or of the same order (rule X3). */
  readonly overtakeMs: number;
  /** After a fence was acknowledged, how long until reads are believed to show all that came before it. */
  readonly settleMs: number;
  /** First pause before a stream reconnects; doubled each time, up to `reconnectMaxMs`, with jitter. */
  readonly reconnectMs: number;
  readonly reconnectMaxMs: number;
  /** How long before its end a login is renewed; a JWT is valid for 24 hours. */
  readonly renewBeforeMs: number;
  /** How often a reference price is confirmed while its feed is live and quiet. */
  readonly priceRefreshMs: number;
  /** How often the markets are read again: no stream says that one halts. More seldom where reading them takes long. */
  readonly marketsMs: number;
  /** After how long something of a market is asked for again that the exchange did not give. */
  readonly askAgainMs: number;
  /**
   * How long a public stream without followers stays open. Opening costs a request of this address, like reads and the
   * private stream; a caller that repeatedly asks for the present state would spend them.
   */
  readonly marketIdleMs: number;
  /** How often our clock is compared with the exchange's. */
  readonly clockCheckMs: number;
}

const DEFAULT_TIMEOUTS: ClientTimeouts = {
  requestMs: 5_000,
  connectMs: 3_000,
  loginMs: 10_000,
  keepaliveMs: 20_000,
  pongMs: 10_000,
  heartbeatMs: 75_000,
  orderWaitMs: 1_500,
  cancelWaitMs: 5_000,
  cancelRateWaitMs: 1_800_000,
  overtakeMs: 1_000,
  settleMs: 1_000,
  reconnectMs: 250,
  reconnectMaxMs: 15_000,
  renewBeforeMs: 2 * 3_600_000,
  priceRefreshMs: 5_000,
  marketsMs: 1_000,
  askAgainMs: 60_000,
  marketIdleMs: 30_000,
  clockCheckMs: 60_000,
};

/** Where the documents leave a choice: each **assumed**, each a setting. */
export interface ClientSettings {
  /** Where V2CancelOrder goes in the v2 dialect (rule X2). */
  readonly v2CancelPath: string;
  /** `GET /nonce` carries the login (rule X4); false where the exchange has it public. */
  readonly nonceAuthenticated: boolean;
  /** Where `userId` stands in the ECDSA login body (rule X4). */
  readonly loginUserId: 'both' | 'payload';
  /** An order id that cannot exist, for commands that must do nothing (rules U2, X6). */
  readonly impossibleOrderId: string;
  /** BX-REFERRER, digits, or null. */
  readonly referrer: string | null;
  /** Send BX-RATELIMIT-TOKEN, as the exchange lists it for the trading account of a command. */
  readonly rateLimitToken: boolean;
  /** Beyond this difference between our clock and the exchange's there is an alarm, in milliseconds. */
  readonly clockOffsetMaxMs: number;
  /** Connections for commands; as many can be unanswered at once. */
  readonly connectionsMax: number;
  /** Connections for reads, and as many for those of the bridge. */
  readonly readConnectionsMax: number;
}

export const DEFAULT_SETTINGS: ClientSettings = {
  v2CancelPath: '/trading-api/v2/command',
  nonceAuthenticated: true,
  loginUserId: 'both',
  impossibleOrderId: '1',
  referrer: null,
  rateLimitToken: false,
  clockOffsetMaxMs: 1_000,
  connectionsMax: 32,
  readConnectionsMax: 6,
};

/** Everything a client needs; the last four groups have defaults. */
export interface ExchangeClientOptions {
  /** Name of the exchange login, for logs. */
  readonly name: string;
  /** `http(s)://host[:port]`, without path. */
  readonly baseUrl: string;
  readonly credential: Credential;
  /** Default: no client certificate, and the system's authorities. */
  readonly tls?: ExchangeTls;
  readonly dialect: CommandDialect;
  readonly prehash: EcdsaPrehash;
  readonly tradingAccountIds: readonly string[];
  readonly auctionSymbols: readonly string[] | 'all';
  readonly nonceMode: NonceMode;
  /** Highest nonce an earlier process may have used, digits, or null. */
  readonly nonceCeiling: string | null;
  /** Make a new ceiling durable; called before a nonce above the old one is used. */
  readonly onNonceCeiling: (ceiling: string) => void;
  readonly now: () => EpochMs;
  /** A monotonic time in milliseconds, for waits and rates; default: the process's own. */
  readonly elapsedMs?: () => number;
  /** Default: none are kept. */
  readonly openLogins?: OpenLogins;
  /** Said when the command of a new order was handed to the exchange's socket. */
  readonly onSent?: (commandId: string) => void;
  readonly log: Log;
  readonly onAlarm: (alarm: ExchangeAlarm, text: string, fields: LogFields) => void;
  /** Symbols with a followed last trade price; default: all markets except options, at most 100. */
  readonly referenceSymbols?: readonly string[];
  /** Symbols with markets that are needed even when delisted; default none. */
  readonly neededSymbols?: () => Iterable<string>;
  /** The address's share of the rate, shared by all clients of one exchange; default one of its own. */
  readonly addressBudget?: AddressBudget;
  readonly timeouts?: Partial<ClientTimeouts>;
  readonly rates?: Partial<ClientRates>;
  readonly settings?: Partial<ClientSettings>;
}

/** Options with all defaults filled in. */
export interface ResolvedOptions extends ExchangeClientOptions {
  readonly elapsedMs: () => number;
  readonly addressBudget: AddressBudget;
  readonly timeouts: ClientTimeouts;
  readonly rates: ClientRates;
  readonly settings: ClientSettings;
}

export function resolveOptions(options: ExchangeClientOptions): ResolvedOptions {
  const rates = { ...DEFAULT_RATES, ...options.rates };
  return {
    ...options,
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    addressBudget: options.addressBudget ?? new AddressBudget(rates),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    rates,
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
  };
}
