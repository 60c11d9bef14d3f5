// What the engine needs to run, complete and frozen: built by ops from sessions/*.yaml, or by a library user by hand.
// Secrets are references that are read when needed, never values (rule X5).

import type { BridgeCaller, BridgeLimits } from '../bridge/mod.ts';
import type { CommandDialect, EcdsaPrehash } from '../exchange/mod.ts';
import type { ClientRates, ClientSettings, ClientTimeouts } from '../exchange-client/mod.ts';
import type { GatewayConfig, GatewaySessionConfig } from '../gateway/mod.ts';
import type { OnRefusal, SessionConfig } from '../session/mod.ts';
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
  /** Cipher suites of TLS 1.2, as OpenSSL names them. */
  readonly ciphers: string;
  /** Certificates that may sign clients' certificates; null: clients are not asked for one. */
  readonly clientAuthority: SecretReference | null;
  /** Lists of those that were revoked, one of each authority; null: none is looked at. */
  readonly clientRevocations: SecretReference | null;
  /** Further certificates, for clients that ask for another name (SNI). */
  readonly names: readonly {
    readonly serverName: string;
    readonly certificate: SecretReference;
    readonly key: SecretReference;
  }[];
}

export interface ListenerConfig {
  readonly name: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsConfig | null;
  /** Networks (CIDR) whose connections are taken; empty for all. Behind a load balancer the client's address counts. */
  readonly allowFrom: readonly string[];
  /** Networks (CIDR) of load balancers, whose connections begin with a PROXY header; empty for none. */
  readonly proxyFrom: readonly string[];
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
  readonly rates: Partial<ClientRates>;
  readonly timeouts: Pick<ClientTimeouts, 'heartbeatMs' | 'clockCheckMs'>;
  /** Where the documents leave a choice, and what is sent beside the commands (rules X2, X4). */
  readonly settings: Omit<ClientSettings, 'impossibleOrderId' | 'connectionsMax' | 'readConnectionsMax'>;
  readonly credentials: readonly CredentialConfig[];
}

/** Why a session may not log on. */
export interface LogonRefusal {
  /** In words for its counterparty. */
  readonly text: string;
  /** It is over by itself, and the counterparty may try again meanwhile: it is not answered (fix-acceptor.ts). */
  readonly passes: boolean;
}

/** How a Logon(A) proves who sent it, besides Password(554). Everything configured is demanded. */
export interface LogonAccess {
  /** How long the old password is taken beside one set by NewPassword(925); null: 925 is refused. */
  readonly passwordOverlapMs: number | null;
  /** A signature in RawData(96) over the Logon's header. */
  readonly signature: LogonSignature | null;
  /** The client's certificate: its common name, or one of these SHA-256 fingerprints. */
  readonly certificate: { readonly commonName: string | null; readonly fingerprints: readonly string[] } | null;
  /** Networks (CIDR) that it may come from; empty for all. */
  readonly allowFrom: readonly string[];
  /** What a refused Logon is answered with: a Logout(5) that says so, or nothing. */
  readonly onRefusal: OnRefusal;
}

/** A signature in RawData(96) of a Logon(A): demanded of a counterparty, or made for an initiator. */
export interface LogonSignature {
  readonly algorithm: 'hmac-sha256' | 'ed25519' | 'ecdsa-p256';
  /** The shared secret; else the counterparty's public key in PEM, of an initiator our private key. */
  readonly key: SecretReference;
  /** Of a Logon that comes: largest |now − SendingTime(52)|, in milliseconds. */
  readonly windowMs: number;
}

/** Where an initiator connects, and how it tries again. */
export interface ConnectSettings {
  /** Tried in turn; the first is preferred after every success. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly tls: {
    /** Certificates to trust instead of those that Node.js has, PEM; null for these. */
    readonly authority: SecretReference | null;
    readonly certificate: SecretReference | null;
    readonly key: SecretReference | null;
    /** Name expected in the counterparty's certificate; null for the host. */
    readonly serverName: string | null;
    readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  } | null;
  readonly connectTimeoutMs: number;
  /** First and largest pause between two attempts; each pause is twice the one before, with a quarter of jitter. */
  readonly reconnectFirstMs: number;
  readonly reconnectLargestMs: number;
}

/** Whom a session is made for from a template. Null: not part of its identity. */
export interface Counterparty {
  readonly targetCompID: string;
  readonly targetSubID: string | null;
  readonly targetLocationID: string | null;
}

/** How sessions are made for counterparties that are not known before (templates.ts). */
export interface SessionTemplate {
  /** Most sessions made from it; those that exist stay. */
  readonly sessionsMax: number;
  /** Settings of the session with that counterparty, `madeFrom` being the template's source. */
  make(counterparty: Counterparty): SessionSetup;
}

/** A session as the session engine needs it. */
export interface SessionSetup {
  /** The file it came from, for messages. */
  readonly source: string;
  readonly session: SessionConfig;
  /** Password(554) demanded at Logon, or sent by an initiator; null only where another proof is configured. */
  readonly password: SecretReference | null;
  /** Further fields of an initiator's Logon where they change from one to the next; else they stand in `session`. */
  readonly logonFieldsOf?: () => NonNullable<SessionConfig['logonFields']>;
  readonly access: LogonAccess;
  /** Null for an acceptor. */
  readonly connect: ConnectSettings | null;
  readonly durability: Durability;
  /** Names of the listeners that take this session; empty for all. */
  readonly listeners: readonly string[];
  readonly enabled: boolean;
  /** Not a session but a pattern of sessions: `*` stands for what a counterparty's Logon says. Absent or null: a session. */
  readonly template?: SessionTemplate | null;
  /** `source` of the template that this session was made from. */
  readonly madeFrom?: string;
}

export interface EngineSessionConfig extends SessionSetup {
  readonly template?: (SessionTemplate & { make(counterparty: Counterparty): EngineSessionConfig }) | null;
  readonly gateway: GatewaySessionConfig;
}

/** What counterparties may cost, and how long is waited for them. */
export interface EngineLimits {
  /** Longest message, in bytes, and most fields in one; beyond them a message is garbled, or the connection is ended. */
  readonly frameBytesMax: number;
  readonly fieldsMax: number;
  /** Most connections at a time of one listener, and of them from one address (of IPv6, from a /64). */
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

/** Everything that a gateway is made of. */
export interface EngineConfig {
  /** Holds the journal and whatever is generated at first start; outside version control. */
  readonly stateDirectory: string;
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
  /**
   * Orders rehearsed before it opens (rehearsal.ts), and the time for them; none if absent. Microseconds without a message after
   * which one is rehearsed while the next is looked for (idle-rehearsal.ts); none if 0.
   */
  readonly rehearsal?: { readonly orders: number; readonly limitMs: number; readonly idleMicros: number };
  /** How long after an input the next one is looked for without sleeping (busy-poll.ts); 0: not at all. */
  readonly busyPollMicros?: number;
  /** Microseconds that an idle processor of the machine may take to wake while the gateway runs; as the system has it if absent. */
  readonly wakeMicrosMax?: number;
}

/** Where the engine says what happens; ops hands it a pino logger, a test an array. */
export type EngineLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  text: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Whether an action was carried out, and what follows from it, in words. */
export interface ActionResult {
  readonly done: boolean;
  readonly text: string;
}
