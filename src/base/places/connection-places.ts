// Limits the number of open HTTP connections. When all places are taken, a connection without a valid token is closed for
// the newcomer (strangers.ts), so that strangers cannot keep clients out. If every connection has shown a token, the one
// idle longest is closed, so that a program that leaves connections open keeps no client out either. Checking tokens is
// left to the caller.

import { KnownOrigins } from './known-origins.ts';
import { originOf } from './origin.ts';
import { Strangers } from './strangers.ts';

interface Ended {
  readonly remoteAddress?: string | undefined;
  destroy(): unknown;
}

export class ConnectionPlaces<Connection extends Ended> {
  readonly #max: number;
  readonly #onFull: () => void;
  /** Origins that have shown a token. */
  readonly #knownOrigins = new KnownOrigins();
  readonly #strangers = new Strangers<Connection>(this.#knownOrigins);
  /** The TCP connection, which has the place, below each TLS connection. */
  readonly #under = new WeakMap<Connection, Connection>();
  /** How many requests each has under way, the one that showed its token last standing last. */
  readonly #known = new Map<Connection, number>();

  /** @param onFull called for each connection that is closed to make room */
  constructor(max: number, onFull: () => void = () => {}) {
    this.#max = max;
    this.#onFull = onFull;
  }

  /** One more is open; it is ended at once where everybody here is known and busy. */
  opened(connection: Connection): void {
    this.#strangers.add(connection, originOf(connection.remoteAddress ?? ''));
    if (this.#strangers.size + this.#known.size <= this.#max) return;
    const stranger = this.#strangers.firstUnknown() ?? this.#strangers.firstKnown();
    // The newest is among them, and the last to go.
    const first = stranger === connection ? (this.#resting() ?? connection) : stranger!;
    this.closed(first);
    this.#onFull();
    first.destroy();
  }

  /** The client has shown a valid token: keep the connection at least until it is idle (`rests`). */
  keep(over: Connection): void {
    const connection = this.#under.get(over) ?? over;
    const underWay = this.#known.get(connection) ?? (this.#strangers.delete(connection) ? 0 : null);
    if (underWay === null) return;
    this.#known.delete(connection);
    this.#known.set(connection, underWay + 1);
    this.#knownOrigins.add(originOf(connection.remoteAddress ?? ''));
  }

  /** The reason for keeping it has ended. */
  rests(over: Connection): void {
    const connection = this.#under.get(over) ?? over;
    const underWay = this.#known.get(connection);
    if (underWay !== undefined) this.#known.set(connection, underWay - 1);
  }

  /** The handshake of TLS over a connection is done: it is known by that from now on. */
  secured(connection: Connection, over: Connection): void {
    this.#under.set(over, connection);
  }

  closed(connection: Connection): void {
    this.#strangers.delete(connection);
    this.#known.delete(connection);
  }

  #resting(): Connection | null {
    for (const [connection, underWay] of this.#known) if (underWay === 0) return connection;
    return null;
  }
}

interface Ending {
  once(event: 'close', told: () => void): unknown;
}

/** The other end of a connection. TLS and the TCP connection below it have the same. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Have the connections of a server take places, and give them back. A TLS connection has its place before its handshake. */
export function placeConnections<Connection extends Ending & Peer & Ended>(
  places: ConnectionPlaces<Connection>,
  server: { on(event: 'connection' | 'secureConnection', told: (connection: Connection) => void): unknown },
): void {
  const open = new Map<string, Connection>();
  server.on('connection', (connection) => {
    const peer = peerOf(connection);
    open.set(peer, connection);
    places.opened(connection);
    connection.once('close', () => {
      if (open.get(peer) === connection) open.delete(peer);
      places.closed(connection);
    });
  });
  server.on('secureConnection', (over) => {
    const connection = open.get(peerOf(over));
    if (connection !== undefined) places.secured(connection, over);
  });
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Keep a connection for a request that came with a token, until that is answered. */
export function keepForAnswer<Connection extends Ended>(
  places: ConnectionPlaces<Connection>,
  connection: Connection,
  answer: Ending,
): void {
  places.keep(connection);
  answer.once('close', () => places.rests(connection));
}
