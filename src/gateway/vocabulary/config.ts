// The gateway machine's settings of each session: entitlement, aliases, limits, dialect. Built by the engine, frozen.

import type { TimePrecision } from '../../base/time.ts';
import type { Charset } from '../../wire/mod.ts';

/** An account that a session may trade (rules O7, O8): the OMS's name for it, the exchange's, and the login that reaches it. */
export interface AccountEntitlement {
  /** Account(1) as the OMS sends it. */
  readonly account: string;
  readonly tradingAccountId: string;
  /** Name of the exchange credential. */
  readonly credential: string;
}

/** Risk limits of a session, checked before the exchange hears of an order (rule O12). Amounts are decimal strings. */
export interface RiskLimits {
  readonly orderQtyMax: string;
  /** OrderQty × Price in quote currency; a market order is valued at the reference price. */
  readonly notionalMax: string;
  readonly openOrdersMax: number;
  /** Largest distance of Price from the reference price, in percent; null switches the band off. */
  readonly priceBandPercent: string | null;
  /** Age at which a reference price is stale (a limit that needs it then refuses with 103=3). */
  readonly referencePriceAgeMaxMs: number;
  /** Orders and replacements in any second; absent or 0 for any number. */
  readonly ordersPerSecondMax?: number;
}

/** How an order waits for the first reference price of its market; absent or 0: it is refused at once. */
export interface PriceWaitLimits {
  readonly referencePriceWaitMs?: number;
  /** Messages of the session that wait so at once, those behind them included. */
  readonly referencePriceQueueMax?: number;
}

/** Limits of a trading account, over all its sessions; absent values are unlimited. */
export type AccountLimits = Partial<RiskLimits>;

export interface CancelOnDisconnect {
  readonly on: 'off' | 'logout' | 'disconnect' | 'both';
  /** Time for a quick reconnect to keep its orders. Default 0 (rule C1). */
  readonly graceMs: number;
  /**
   * Scope of orders: the session's own (default), those on `symbols`, or all orders entered here on the session's
   * accounts.
   */
  readonly scope?: 'session' | 'symbols' | 'account';
  /** For scope `symbols`, the exchange's names. */
  readonly symbols?: readonly string[];
  /** Seconds of the exchange's delayed cancel-all behind it (rule C2): scope `account` on exclusive accounts; 0 for none. */
  readonly deadMansSwitchS?: number;
  /** Effect of a clean shutdown on it. Default `unset`. */
  readonly deadMansSwitchAtShutdown?: 'unset' | 'letFire';
}

/** Scope of a drop copy session, within its `accounts` and `symbols` (rule S9). */
export interface DropCopySettings {
  /** Sessions with copied reports; null for all. */
  readonly sessionIds: readonly string[] | null;
  /** Orders entered by REST or on the exchange's page are reported too (rule O11). */
  readonly elsewhere: boolean;
  /** Message of a negotiated trade. Default `ExecutionReport`. */
  readonly negotiatedAs?: 'ExecutionReport' | 'TradeCaptureReport';
}

/** Market data of a session (V): how much of it may be subscribed at once. */
export interface MarketDataSettings {
  /** Most symbols in one request. */
  readonly symbolsPerRequestMax: number;
  /** Most symbols over all subscriptions of the session. */
  readonly subscriptionsMax: number;
}

/** Data of accounts of a session: positions, collateral, trades. */
export interface AccountDataSettings {
  /** A subscription is asked about at least so often, besides after fills. */
  readonly refreshMs: number;
  readonly subscriptionsMax: number;
  /** Most trades in one answer. */
  readonly tradesMax: number;
}

export interface GatewaySessionConfig {
  readonly sessionId: string;
  /** `order` (default): enters orders. `dropCopy`: receives copies of others' reports, and enters none (rule S9). */
  readonly kind?: 'order' | 'dropCopy';
  /** SessionID of the template that it was made from, if any: a drop copy of that one covers this one. */
  readonly madeFrom?: string;
  /** Required for a drop copy session. */
  readonly dropCopy?: DropCopySettings;
  readonly beginString: string;
  /** Character set of texts that are sent; default ISO-8859-1. */
  readonly charset?: Charset;
  /** Precision of TransactTime(60) in reports; absent or null: milliseconds. */
  readonly timestampPrecision?: TimePrecision | null;
  /** Of a FIXT.1.1 session: `7` FIX.5.0, `8` SP1, `9` SP2. Default `9`. */
  readonly defaultApplVerID?: '7' | '8' | '9';
  /** `standard`: nothing outside the version's stock dictionary is sent; `venue`: the exchange's own FIX (rule D1). */
  readonly dialect: 'standard' | 'venue';
  /** BridgeRequest(UBQ) has the permissions of this bridge caller; null or absent: none is taken. */
  readonly bridgeCaller?: string | null;
  /** Negotiated trades that it enters or accepts by AE in any minute. Default 0: none. */
  readonly negotiatedPerMinute?: number;
  readonly accounts: readonly AccountEntitlement[];
  /**
   * Orders that F, H, q and AF reach (rule O7): the session's own, or also those that other sessions entered on its
   * accounts. Default `session`.
   */
  readonly reach?: 'session' | 'accounts';
  /** Symbols this session may trade, the exchange's names; null for all. */
  readonly symbols: readonly string[] | null;
  /** The OMS's name for a symbol → the exchange's (rule O8). */
  readonly symbolAliases: Readonly<Record<string, string>>;
  /** Not looked at on a session that takes no orders (rule O12). */
  readonly limits: RiskLimits & PriceWaitLimits;
  readonly cancelOnDisconnect: CancelOnDisconnect;
  /** Oldest D or G processed when it comes as PossDup or PossResend (rule O4). Default 10,000. */
  readonly staleOrderMs: number;
  /** 150=A goes out when an outcome stays open this long (rule D6); 0 always, at once. Default 1,000. */
  readonly pendingNewAfterMs: number;
  /** Meaning of an absent TimeInForce(59) (rule T1). Default `GTC`. */
  readonly timeInForceAbsent: 'GTC' | 'refuse';
  /** TimeInForce values besides 5 that mean GTX on this session (rule T2: only 7, 9, B). Default none. */
  readonly gtxAliases: readonly string[];
  /** ExDestination(100) values that name this exchange; any other is refused. Default none. */
  readonly exDestinations?: readonly string[];
  /** CxlRejReason(102) for a cancel refused in lockdown (rule T4). Default 99. */
  readonly lockdownCxlRejReason: '99' | '0';
  /** Integer ClOrdIDs are used as the exchange reference as they are (rule O5). Default false. */
  readonly clOrdIDPassThrough: boolean;
  /** A G that the exchange cannot amend is carried out as a cancel and a new order (rule O6). Default false. */
  readonly replaceByCancelAndNew?: boolean;
  /** H and AF are answered once the exchange has been asked about the orders (rule D15). Default false: from the book. */
  readonly statusFromExchange?: boolean;
  /** Absent: the session gets no market data, and its requests are turned down (281=3). */
  readonly marketData?: MarketDataSettings;
  /** Positions, collateral and trades of its accounts; null: it may not ask. Absent: with the defaults. */
  readonly accountData?: AccountDataSettings | null;
}

/** A trading account and the exchange login that reaches it. */
export type TradingAccount = Pick<AccountEntitlement, 'tradingAccountId' | 'credential'>;

export interface GatewayConfig {
  readonly sessions: readonly GatewaySessionConfig[];
  /** Accounts besides those of `sessions`: of sessions still to be added, compared with the exchange before (rule J3). */
  readonly accounts?: readonly TradingAccount[];
  /** First and last exchange reference that the allocator may use, inclusive; both integers as text (rule O5). */
  readonly referenceRange: { readonly first: string; readonly last: string };
  /** Wait for trades missing from a terminal order before it is reported all the same (rule O1). Default 5,000. */
  readonly terminalWaitMs: number;
  /** Back-off of look-ups of an unknown outcome: first, largest, and how many before an alarm (rule U2). */
  readonly lookup: { readonly firstMs: number; readonly largestMs: number; readonly alarmAfter: number };
  /** Trading accounts that only this gateway trades: only there may one command cancel everything (rules C2, C3). */
  readonly exclusiveAccounts?: readonly string[];
  /** By trading account, besides those of the session (rule O12). */
  readonly accountLimits?: Readonly<Record<string, AccountLimits>>;
  /** Ended orders kept in memory where those before them can be found in the journal. Default 10,000. */
  readonly endedInMemoryMax?: number;
  /** Alarm when an order is pending longer than this. */
  readonly pendingAlarmMs: number;
}
