// Options of the simulated exchange as plain data, and the defaults they are filled with.

import type { EpochMs } from '../base/time.ts';
import type { CommandDialect, EcdsaPrehash } from '../exchange/mod.ts';
import type { AuctionSchedule } from './auctions/auction-phase.ts';
import { loadFaults } from './control/fault-file.ts';
import type { FaultSettings } from './control/faults.ts';
import { defaultWorld, withHouseAccounts } from './world/default-world.ts';
import type { World } from './world/world.ts';
import { loadWorld } from './world/world-file.ts';

/** Request limits as documented (exchange reference §6); null switches one off. */
export interface Limits {
  /** Requests per second to /orders endpoints, per login. */
  readonly ordersPerSecond: number | null;
  /** Requests per second to other authenticated endpoints, per login. */
  readonly otherPerSecond: number | null;
  /** Requests per second to public endpoints, per address. */
  readonly publicPerSecond: number | null;
  /** Requests in ten seconds per address; one more blocks the address. */
  readonly addressPer10s: number | null;
  readonly blockMs: number;
  /** By how much a valid BX-RATELIMIT-TOKEN multiplies the limits of its account (**assumed**). */
  readonly tokenFactor: number;
  /** Requests per minute to custody, per address. */
  readonly custodyPerMinute: number | null;
  readonly loginsPerUser: number;
  readonly publicStreamsPerAddress: number;
  readonly privateStreamsPerKey: number;
}

/** Events that operators should know. */
export type SimulatorLog = (level: 'info' | 'warn', text: string, fields: Readonly<Record<string, string>>) => void;

export type Followed = 'document' | 'clients';

/** How the books are kept alive: not at all, a still ladder quoted again after fills, or a seeded random walk. */
export type LiquidityKind = 'off' | 'still' | 'moving';

export interface SimulatorOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Where key files lie or are generated; outside version control. */
  readonly keysDirectory: string;
  /** Default: the file, else the built-in world. */
  readonly world?: World;
  /** World file (docs/operate/simulated-exchange.md); not read where `world` is given. */
  readonly worldFile?: string;
  /** Schedule of all auction-enabled markets; what is missing is filled with the defaults. */
  readonly auctions?: Partial<AuctionSchedule>;
  /** Schedules of single symbols over `auctions`. */
  readonly auctionsBySymbol?: Readonly<Record<string, Partial<AuctionSchedule>>>;
  /** Default `off`. */
  readonly liquidity?: LiquidityKind;
  /** Time between two steps of moving liquidity. */
  readonly liquidityStepMs?: number;
  /** Seed of everything random. */
  readonly seed?: number;
  /** Clock; after moving one by hand call `control.advance()`. */
  readonly now?: () => EpochMs;
  /** Command dialects accepted; default both. */
  readonly dialects?: readonly CommandDialect[];
  /**
   * Source that decides where trading-api.md and the exchange's public client libraries disagree (exchange reference
   * §10): `document`, the default, or `clients`. They differ in the nonce range without a login, history without a date
   * range or over 90 days, and both ways of ECDSA signing. Each setting below covers one of these.
   */
  readonly follows?: Followed;
  /** ECDSA prehash variants accepted; the document's words are `hexdigest`. */
  readonly prehashes?: readonly EcdsaPrehash[];
  /** Limits over the documented ones; null switches all rate limits off. */
  readonly limits?: Partial<Limits> | null;
  readonly jwtValidityMs?: number;
  /** How far BX-TIMESTAMP may be from the clock; the exchange's figure is unknown (**assumed** 5 minutes). */
  readonly timestampSkewMs?: number;
  /** A stream with a client that sends nothing for this long is dropped without a close frame. */
  readonly streamIdleMs?: number;
  readonly heartbeatMs?: number;
  /** Whether `GET /nonce` needs a login (rule X4). */
  readonly nonceAuthenticated?: boolean;
  /** Whether history endpoints refuse a query without a date range (trading-api.md, Limits). */
  readonly historyRangeRequired?: boolean;
  /** `listed`: the older signing format with all fields of an enveloped command in the listed order; default `any`. */
  readonly fieldOrder?: 'any' | 'listed';
  /** Faults armed from the start; the control endpoint changes them while it runs. */
  readonly faults?: FaultSettings;
  /** Fault file (docs/operate/simulated-exchange.md); not read where `faults` is given. */
  readonly faultsFile?: string;
  /** Folder in which the venue keeps its books over restarts; without one it forgets them. */
  readonly memoryDirectory?: string;
  /** Default: no listener. */
  readonly log?: SimulatorLog;
}

/** All settings, filled. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly keysDirectory: string;
  readonly world: World;
  readonly auctions: Readonly<Record<string, AuctionSchedule>>;
  readonly liquidity: LiquidityKind;
  readonly liquidityStepMs: number;
  readonly seed: number;
  readonly now: () => EpochMs;
  readonly dialects: readonly CommandDialect[];
  readonly prehashes: readonly EcdsaPrehash[];
  readonly limits: Limits;
  readonly jwtValidityMs: number;
  readonly timestampSkewMs: number;
  readonly streamIdleMs: number;
  readonly heartbeatMs: number;
  readonly nonceAuthenticated: boolean;
  readonly historyRangeRequired: boolean;
  /** Longest range of a history query, in days. */
  readonly historyDaysMax: number;
  readonly fieldOrder: 'any' | 'listed';
  readonly faults: FaultSettings;
  readonly memoryDirectory: string | null;
  readonly log: SimulatorLog;
}

const AUCTIONS: AuctionSchedule = {
  coolingMs: 2_000,
  accumulationMs: 8_000,
  lockdownMs: 3_000,
  noiiMs: 1_000,
  manual: false,
};

const LIMITS: Limits = {
  ordersPerSecond: 50,
  otherPerSecond: 50,
  publicPerSecond: 50,
  addressPer10s: 500,
  blockMs: 60_000,
  tokenFactor: 10,
  custodyPerMinute: 40,
  loginsPerUser: 500,
  publicStreamsPerAddress: 100,
  privateStreamsPerKey: 10,
};

const NO_RATE_LIMITS: Limits = {
  ...LIMITS,
  ordersPerSecond: null,
  otherPerSecond: null,
  publicPerSecond: null,
  addressPer10s: null,
  custodyPerMinute: null,
};

/** Differences between `document` and `clients`. */
const FOLLOWED: Readonly<
  Record<Followed, Pick<Settings, 'prehashes' | 'nonceAuthenticated' | 'historyRangeRequired' | 'historyDaysMax'>>
> = {
  document: { prehashes: ['hexdigest'], nonceAuthenticated: true, historyRangeRequired: true, historyDaysMax: 7 },
  clients: {
    prehashes: ['hexdigest', 'none'],
    nonceAuthenticated: false,
    historyRangeRequired: false,
    historyDaysMax: 90,
  },
};

function worldOf(file: string | undefined): World {
  return file === undefined ? defaultWorld() : loadWorld(file);
}

/** Fill options with the defaults. @throws CrossgateError if a world or fault file cannot be used */
export function settingsOf(options: SimulatorOptions): Settings {
  const schedule = { ...AUCTIONS, ...options.auctions };
  const followed = FOLLOWED[options.follows ?? 'document'];
  const bySymbol = Object.entries(options.auctionsBySymbol ?? {}).map(([symbol, own]) => [
    symbol,
    { ...schedule, ...own },
  ]);
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    keysDirectory: options.keysDirectory,
    world: withHouseAccounts(options.world ?? worldOf(options.worldFile)),
    auctions: { '*': schedule, ...Object.fromEntries(bySymbol) },
    liquidity: options.liquidity ?? 'off',
    liquidityStepMs: options.liquidityStepMs ?? 500,
    seed: options.seed ?? 1,
    now: options.now ?? Date.now,
    dialects: options.dialects ?? ['v2', 'v3'],
    prehashes: options.prehashes ?? followed.prehashes,
    limits: options.limits === null ? NO_RATE_LIMITS : { ...LIMITS, ...options.limits },
    jwtValidityMs: options.jwtValidityMs ?? 86_400_000,
    timestampSkewMs: options.timestampSkewMs ?? 300_000,
    streamIdleMs: options.streamIdleMs ?? 60_000,
    heartbeatMs: options.heartbeatMs ?? 30_000,
    nonceAuthenticated: options.nonceAuthenticated ?? followed.nonceAuthenticated,
    historyRangeRequired: options.historyRangeRequired ?? followed.historyRangeRequired,
    historyDaysMax: followed.historyDaysMax,
    fieldOrder: options.fieldOrder ?? 'any',
    faults: options.faults ?? (options.faultsFile === undefined ? {} : loadFaults(options.faultsFile)),
    memoryDirectory: options.memoryDirectory ?? null,
    log: options.log ?? (() => {}),
  };
}
