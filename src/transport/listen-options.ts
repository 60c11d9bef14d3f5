// Options of a listening socket, its report of refused connections, and its handle.

import type { KnownOrigins } from '../base/places/known-origins.ts';
import type { ListenerTls } from './listener-context.ts';

/** A connection that did not come about. */
export interface Refusal {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly reason: string;
  /** It left before it had said a byte, a PROXY header apart: a look whether somebody listens, as load balancers have all day. */
  readonly leftUnsaid: boolean;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: the operating system chooses. */
  readonly port: number;
  readonly tls?: ListenerTls;
  readonly connectionsMax: number;
  /** Of IPv6 addresses, those of a /64 together. */
  readonly connectionsPerAddressMax: number;
  /** Time for the PROXY header and the TLS handshake together. */
  readonly handshakeTimeoutMs: number;
  /** Time for them, and for the first message, while more than half of the connections are open; default: no other one. */
  readonly crowdedTimeoutMs?: number;
  /** Addresses of counterparties that have logged on; listeners may share it. Default: its own. */
  readonly known?: KnownOrigins;
  /** Connections of load balancers, by their own address, begin with a PROXY header, version 1 or 2; others have none. */
  readonly isBalancer?: (address: string) => boolean;
  /** Whether a client's address is taken; the one in the PROXY header where there is one. Default: every one. */
  readonly isAllowed?: (address: string) => boolean;
  readonly outboundBytesMax?: number;
  readonly closeTimeoutMs?: number;
  readonly halfCloseLingerMs?: number;
  /** Called for every refused connection and every failed handshake. */
  readonly onRefused?: (refusal: Refusal) => void;
}

export interface Listener {
  /** Where it really listens. */
  address(): { readonly host: string; readonly port: number };
  /**
   * Prepare other keys and certificates. The returned function shows them from the next handshake on; open connections
   * continue.
   * @throws CrossgateError XG_TLS_INVALID
   */
  prepareTls(tls: ListenerTls): () => void;
  /** Stop accepting, drop handshakes under way. Open connections stay: they are their owner's. */
  close(): Promise<void>;
}
