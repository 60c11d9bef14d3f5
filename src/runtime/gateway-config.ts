// Settings of a whole gateway, complete and frozen: the engine's, and the exchange, the bridge and the journal. ops builds them from
// sessions/*.yaml, a library user by hand.

import { basename } from 'node:path';
import type { BridgeCaller, BridgeLimits, BridgeNames } from '../bridge/mod.ts';
import type {
  Counterparty,
  EngineLimits,
  ListenerConfig,
  SecretReference,
  SessionSetup,
  SessionTemplate,
  TlsConfig,
} from '../engine/mod.ts';
import type { CommandDialect, EcdsaPrehash } from '../exchange/mod.ts';
import type { ClientRates, ClientSettings, ClientTimeouts } from '../exchange-client/mod.ts';
import type { GatewayConfig, GatewaySessionConfig } from '../gateway/mod.ts';
import type { SimulatorOptions } from '../simulator/mod.ts';
import type { RestOrderAccount } from './rest-orders.ts';

/** One exchange login: an API key and the trading accounts it may use. */
export interface CredentialConfig {
  readonly name: string;
  /** A JSON file: `{"kind":"hmac","publicKey","secret"}` or `{"kind":"ecdsa","publicKey","privateKey","metadata"}`; `signer` in place of `privateKey`. */
  readonly key: SecretReference;
  readonly tradingAccountIds: readonly string[];
}

export interface ExchangeConfig {
  /** `http(s)://host:port` without path; null means the embedded simulator's address. */
  readonly baseUrl: string | null;
  /** Client certificate, its key, and authorities in place of the system's. */
  readonly tls: Readonly<Record<'cert' | 'key' | 'ca', SecretReference | null>> & {
    /** Opens the key; absent or null: the key is not encrypted. */
    readonly passphrase?: SecretReference | null;
  };
  readonly dialect: CommandDialect;
  readonly prehash: EcdsaPrehash;
  readonly nonceMode: 'window' | 'serial';
  readonly requestTimeoutMs: number;
  /** The exchange's limits; cancels always keep a share (rule C3). */
  readonly rates: Partial<ClientRates>;
  readonly timeouts: Pick<ClientTimeouts, 'heartbeatMs' | 'clockCheckMs'>;
  /** Where the documents leave a choice, and what is sent beside the commands (rules X2, X4). */
  readonly settings: Omit<ClientSettings, 'impossibleOrderId' | 'connectionsMax' | 'readConnectionsMax'>;
  readonly credentials: readonly CredentialConfig[];
}

export interface EngineSessionConfig extends SessionSetup {
  readonly template?: (SessionTemplate & { make(counterparty: Counterparty): EngineSessionConfig }) | null;
  readonly gateway: GatewaySessionConfig;
  /** The suite of a session that certifies its counterparty; absent or null: it trades. */
  readonly certification?: string | null;
  /** File of the certificate without which it may not log on; absent or null: none is demanded. */
  readonly certificate?: string | null;
}

/**
 * Operators' name of a session: the name of its file without the ending; `TEMPLATE:COUNTERPARTY` if it was made from a
 * template.
 */
export function sessionName({ source, madeFrom }: EngineSessionConfig): string {
  if (madeFrom === undefined) return basename(source, '.yaml');
  return `${basename(madeFrom, '.yaml')}:${source.slice(madeFrom.length + 1)}`;
}

/** REST and streams for functions outside FIX. */
export interface BridgeConfig extends BridgeNames {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Null for HTTP. */
  readonly tls: TlsConfig | null;
  /** Token of the process that owns its port; absent: this one does. */
  readonly frontToken?: () => string;
  readonly callers: readonly BridgeCaller[];
  /** Accounts that take orders by REST; none by default. */
  readonly orders: readonly RestOrderAccount[];
  readonly limits: Omit<BridgeLimits, 'closeWaitMs'>;
}

export interface AdminTlsConfig extends TlsConfig {
  /** Where it listens. */
  readonly host: string;
  /** Authorities that commands on this machine trust. Null: a self-signed certificate itself, any other by the system's. */
  readonly authority: SecretReference | null;
}

/** A place that alarms are sent to. */
export interface AlarmReceiver {
  readonly name: string;
  readonly kind: 'slack' | 'alertmanager';
  /** Its address. */
  readonly url: SecretReference;
  /** Value of the Authorization header; null for none. */
  readonly authorization: SecretReference | null;
  readonly minSeverity: 'critical' | 'warning' | 'info';
}

/** When and where alarms are sent; all times in milliseconds. */
export interface AlarmsConfig {
  /** Base address of the documentation; null: the gateway's own. */
  readonly documentation: string | null;
  readonly repeatMs: number;
  readonly escalateAfter: number;
  readonly escalateWithinMs: number;
  readonly closeAfterMs: number;
  readonly receivers: readonly AlarmReceiver[];
}

/** A journal in PostgreSQL (design: the distributed engine). */
export interface PostgresConfig {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: SecretReference;
  /** Name of the journal: one database may hold several, each with one writer at a time. */
  readonly journal: string;
  /** How long a node that was killed keeps the others out. */
  readonly leaseMs: number;
  /** Longest wait for the database before a write counts as failed. */
  readonly requestTimeoutMs: number;
  /** Whether a node that finds another one writing waits for its turn. */
  readonly standsBy: boolean;
}

/** A node of a cluster over PostgreSQL. */
export interface ClusterConfig {
  readonly node: string;
  /** Where it listens for other nodes. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Where other nodes reach it. */
  readonly address: string;
  readonly weight: number;
  readonly heartbeatMs: number;
  /** Receives partitions of other nodes without being asked, this long after it joined. */
  readonly rebalances: boolean;
  readonly settleMs: number;
  readonly addressGroup: string;
  readonly connectionsMax: number;
  /** `clientAuthority` signs the certificates of all nodes. */
  readonly tls: TlsConfig;
}

/** Everything that a gateway is made of. */
export interface EngineConfig {
  /** Holds the journal and whatever is generated at first start; outside version control. */
  readonly stateDirectory: string;
  /** References with `file:` are relative to it; absent: the state directory. A partition has that of its node. */
  readonly secretsDirectory?: string;
  readonly journalSegmentBytes: number;
  /** Bytes of finished segments that are followed by a snapshot. */
  readonly journalSnapshotBytes: number;
  /** 0 keeps archived segments for ever. */
  readonly journalRetentionYears: number;
  /** Where the orders and trades of each day are written when it is over (rule J4); null or absent: nowhere. */
  readonly dailyFolder?: string | null;
  /** Null: the embedded journal in the state directory. */
  readonly postgres: PostgresConfig | null;
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
  /** Processes that share the rate of one network address equally, at the start; absent: 1. */
  readonly addressParts?: number;
  /** Null or absent: it is no node of a cluster. */
  readonly cluster?: ClusterConfig | null;
  /** Of the admin API, which ops serves: beside the other certificates, for who looks at all of them. Null or absent: HTTP. */
  readonly adminTls?: AdminTlsConfig | null;
  /** Where ops sends alarms; absent: nowhere. */
  readonly alarms?: AlarmsConfig;
  /** How long after an input the next one is looked for without sleeping (busy-poll.ts); 0: not at all. */
  readonly busyPollMicros?: number;
  /** `auto`: each partition runs in a process of its own (cluster). Absent: 1. */
  readonly workers?: 1 | 'auto';
}
