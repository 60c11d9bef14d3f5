// What the engine needs to run, complete and frozen: built by ops from sessions/*.yaml, or by a library user by hand.
// Secrets are references that are read when needed, never values (rule X5).

import type { BridgeCaller, BridgeLimits } from '../bridge/mod.ts';
import type { CommandDialect, EcdsaPrehash } from '../exchange/mod.ts';
import type { GatewayConfig, GatewaySessionConfig } from '../gateway/mod.ts';
import type { SessionConfig } from '../session/mod.ts';
import type { SimulatorOptions } from '../simulator/mod.ts';
import type { Durability } from '../store/mod.ts';

/** A secret by reference: `env:NAME` or `file:PATH`. Prints as its reference, never as its value. */
export interface SecretReference {
  /** As configured, for people. */
  readonly reference: string;
  /** The value, without a trailing newline. @throws CrossgateError XG_SECRET_MISSING naming the reference */
  read(): string;
}

export interface TlsConfig {
  readonly certificate: SecretReference;
  readonly key: SecretReference;
  /** Create a self-signed pair at those files if they are missing; refused unless the simulator is embedded. */
  readonly selfSigned: boolean;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

export interface ListenerConfig {
  readonly name: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsConfig | null;
}

/** One exchange login: an API key and the trading accounts it may use. */
export interface CredentialConfig {
  readonly name: string;
  /** A JSON file: `{"kind":"hmac","publicKey","secret"}` or `{"kind":"ecdsa","publicKey","privateKey","metadata"}`. */
  readonly key: SecretReference;
  readonly tradingAccountIds: readonly string[];
}

export interface ExchangeConfig {
  /** `http(s)://host:port` without path; null means the embedded simulator's address. */
  readonly baseUrl: string | null;
  readonly dialect: CommandDialect;
  readonly prehash: EcdsaPrehash;
  readonly nonceMode: 'window' | 'serial';
  readonly requestTimeoutMs: number;
  /** What the exchange allows; cancels always keep a share of it (rule C3). */
  readonly rates: {
    readonly ordersPerSecond: number;
    readonly otherPerSecond: number;
    readonly addressPer10Seconds: number;
  };
  readonly credentials: readonly CredentialConfig[];
}

export interface EngineSessionConfig {
  /** The file it came from, for messages. */
  readonly source: string;
  readonly session: SessionConfig;
  readonly gateway: GatewaySessionConfig;
  /** Password(554) demanded at Logon; null only where another proof is configured. */
  readonly password: SecretReference | null;
  readonly durability: Durability;
  /** Names of the listeners that take this session; empty for all. */
  readonly listeners: readonly string[];
  readonly enabled: boolean;
}

export interface EngineLimits {
  readonly frameBytesMax: number;
  readonly fieldsMax: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Time for the first message, a Logon, to arrive on a new connection. */
  readonly logonTimeoutMs: number;
  /** Bytes waiting for a slow counterparty before its connection is dropped. */
  readonly outboundBytesMax: number;
  /** Failed logons from one address within a minute before it is refused for a minute. */
  readonly failedLogonsPerMinute: number;
  /** Time for outcomes in flight at shutdown (rule U5). */
  readonly shutdownWaitMs: number;
}

/** REST and streams for what FIX does not carry. */
export interface BridgeConfig {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly callers: readonly BridgeCaller[];
  readonly limits: Omit<BridgeLimits, 'closeWaitMs'>;
}

export interface EngineConfig {
  /** Holds the journal and whatever is generated at first start; outside version control. */
  readonly stateDirectory: string;
  readonly journalSegmentBytes: number;
  readonly dictionariesDirectory: string;
  readonly listeners: readonly ListenerConfig[];
  readonly exchange: ExchangeConfig;
  /** Run the simulated exchange in this process, with these options; null for a real or separate one. */
  readonly simulator: Omit<SimulatorOptions, 'keysDirectory'> | null;
  readonly sessions: readonly EngineSessionConfig[];
  /** Everything of the gateway machine but its sessions. */
  readonly gateway: Omit<GatewayConfig, 'sessions'>;
  readonly limits: EngineLimits;
  /** Null for no bridge. */
  readonly bridge: BridgeConfig | null;
}

/** Where the engine says what happens; ops hands it a pino logger, a test an array. */
export type EngineLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  text: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
