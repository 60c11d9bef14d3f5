// Settings of the FIX engine: listeners, sessions, and how a counterparty proves itself. A library user writes them by hand, and
// gateway-config.ts adds the exchange. A secret is a reference that is read when it is needed, never a value (rule X5).

import type { OnRefusal, SessionConfig } from '../session/mod.ts';
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
  /** Opens the key; absent or null: the key is not encrypted. */
  readonly passphrase?: SecretReference | null;
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
    readonly passphrase?: SecretReference | null;
  }[];
}

export interface ListenerConfig {
  readonly name: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: TlsConfig | null;
  /** Networks (CIDR) with accepted connections; empty for all. Behind a load balancer the client's address counts. */
  readonly allowFrom: readonly string[];
  /** Networks (CIDR) of load balancers, with a PROXY header at the begin of each connection; empty for none. */
  readonly proxyFrom: readonly string[];
}

/** Why a session may not log on. */
export interface LogonRefusal {
  /** In words for its counterparty. */
  readonly text: string;
  /** It is over by itself, and the counterparty may try again meanwhile: it is not answered (acceptor.ts). */
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
  /** Answer to a refused Logon: a Logout(5) that says so, or none. */
  readonly onRefusal: OnRefusal;
  /** Whether a Logon without proof is answered so too; absent: no. It shows which CompIDs exist. */
  readonly answersUnproved?: boolean;
}

/** A signature in RawData(96) of a Logon(A): demanded of a counterparty, or made for an initiator. */
export interface LogonSignature {
  readonly algorithm: 'hmac-sha256' | 'ed25519' | 'ecdsa-p256';
  /** The shared secret; else the counterparty's public key in PEM, of an initiator our private key. */
  readonly key: SecretReference;
  /** Of a Logon that comes: largest |now − SendingTime(52)|, in milliseconds. */
  readonly windowMs: number;
}

/** A proxy between an initiator and its counterparty. */
export interface ProxySettings {
  readonly kind: 'socks4' | 'socks5' | 'http';
  readonly host: string;
  readonly port: number;
  /** Null: it asks for none. */
  readonly user: string | null;
  readonly password: SecretReference | null;
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
    /** Opens the key; absent or null: the key is not encrypted. */
    readonly passphrase?: SecretReference | null;
    /** Name expected in the counterparty's certificate; null for the host. */
    readonly serverName: string | null;
    readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  } | null;
  /** Address and port on this side; absent, null or 0: any. */
  readonly localAddress?: string | null;
  readonly localPort?: number;
  /** Connect through it; absent or null: directly. */
  readonly proxy?: ProxySettings | null;
  readonly connectTimeoutMs: number;
  /** First and largest pause between two attempts; each pause is twice the one before, with a quarter of jitter. */
  readonly reconnectFirstMs: number;
  readonly reconnectLargestMs: number;
}

/** Identity of a session made from a template. Null: not part of its identity. */
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
  /** A pattern of sessions: `*` stands for the value in a counterparty's Logon. Absent or null: a session. */
  readonly template?: SessionTemplate | null;
  /** `source` of the template that this session was made from. */
  readonly madeFrom?: string;
}

/** Limits on the cost of counterparties, and on waiting for them. */
export interface EngineLimits {
  /** Longest message, in bytes, and most fields in one; beyond them a message is garbled, or the connection is ended. */
  readonly frameBytesMax: number;
  readonly fieldsMax: number;
  /** Most connections at a time of one listener, and of them from one address (of IPv6, from a /64). */
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Time for the first message, a Logon, to arrive on a new connection. */
  readonly logonTimeoutMs: number;
  /** The same while more than half of the connections are open, with the TLS handshake. */
  readonly crowdedLogonTimeoutMs: number;
  /** Bytes waiting for a slow counterparty before its connection is dropped. */
  readonly outboundBytesMax: number;
  /** Failed logons from one address within a minute before it is refused for a minute. */
  readonly failedLogonsPerMinute: number;
  /** Time for outcomes in flight at shutdown (rule U5). */
  readonly shutdownWaitMs: number;
}

/** The engine's log: ops passes a pino logger, a test an array. */
export type EngineLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  text: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Result of an action and its consequences, in words. */
export interface ActionResult {
  readonly done: boolean;
  readonly text: string;
}
