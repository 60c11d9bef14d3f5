// A configured session as the gateway has it: its settings read once, and how it stands. Leaves its orders to order-registry.ts.

import { assert } from '../../base/assert.ts';
import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import type { AccountEntitlement, GatewaySessionConfig } from '../vocabulary/config.ts';
import { type FixVersion, fixVersion } from '../vocabulary/fix-version.ts';
import type { SessionEnd } from '../vocabulary/input.ts';
import { NO_ORDERS, type OrderLimits, sessionLimits } from './order-limits.ts';
import { namesOf, type SessionNames } from './session-names.ts';

export interface SessionState {
  readonly config: GatewaySessionConfig;
  /** True if it enters orders; otherwise it receives copies or requests data only. */
  readonly takesOrders: boolean;
  readonly version: FixVersion;
  readonly isVenue: boolean;
  /** The exchange's own FIX to the letter: FIX.4.4 is the one version that it has (rule D1). */
  readonly isExchangeFix: boolean;
  readonly limits: OrderLimits;
  /** Negotiated trades that it entered or accepted within a minute; null if it may not. */
  readonly negotiated: SlidingWindow | null;
  /** How long an order waits for the first price of its market, 0 for not at all, and how many messages at once (rule O12). */
  readonly priceWait: { readonly waitMs: number; readonly ordersMax: number };
  readonly accounts: ReadonlyMap<string, AccountEntitlement>;
  readonly symbols: ReadonlySet<string> | null;
  /** The exchange's symbol of each that the session writes otherwise (rule O8). */
  readonly symbolAliases: ReadonlyMap<string, string>;
  /** Its names of accounts and symbols. */
  readonly names: SessionNames;
  /** Its names for orders beyond its own (rule O7); null if it reaches none. */
  readonly reach: SessionNames | null;
  /** Reports of orders that it had cancelled say so, also where the session is back. */
  lastEnd: SessionEnd | null;
  /** Logged on now. */
  isUp: boolean;
  /**
   * The side with a Logout(5) said or due, until the next logon: after either no message waits for its turn, and after
   * ours no order goes out.
   */
  leftBy: 'us' | 'counterparty' | null;
  /** It may not log on again: its grace time would be in vain (rule C1). */
  leftForGood: boolean;
}

/** Messages of a session that wait for a reference price at once, unless set. */
const PRICE_QUEUE_MAX = 100;

/** Read a session's settings. @throws AssertionError if it has no usable limits or a version that carries no orders */
export function sessionState(config: GatewaySessionConfig): SessionState {
  const { kind = 'order', dropCopy, negotiatedPerMinute = 0 } = config;
  assert((kind === 'dropCopy') === (dropCopy !== undefined), `${config.sessionId}: a drop copy says what it copies`);
  assert(kind === 'order' || config.cancelOnDisconnect.on === 'off', `${config.sessionId} has no orders to cancel`);
  const names = namesOf(config);
  return {
    config,
    takesOrders: kind === 'order',
    version: fixVersion(config.beginString, config.defaultApplVerID),
    isVenue: config.dialect === 'venue',
    isExchangeFix: config.dialect === 'venue' && config.beginString === 'FIX.4.4',
    limits: kind === 'order' ? sessionLimits(config) : NO_ORDERS,
    negotiated: negotiatedPerMinute === 0 ? null : new SlidingWindow(negotiatedPerMinute, 60_000),
    priceWait: {
      waitMs: config.limits?.referencePriceWaitMs ?? 0,
      ordersMax: config.limits?.referencePriceQueueMax ?? PRICE_QUEUE_MAX,
    },
    accounts: new Map(config.accounts.map((entitlement) => [entitlement.account, entitlement])),
    symbols: config.symbols === null ? null : new Set(config.symbols),
    symbolAliases: new Map(Object.entries(config.symbolAliases)),
    names,
    reach: config.reach === 'accounts' && kind === 'order' ? names : null,
    lastEnd: null,
    isUp: false,
    leftBy: null,
    leftForGood: false,
  };
}
