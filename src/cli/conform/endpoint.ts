// Where the connections of a case come from: an acceptor that we connect to, or a port where the counterparty connects.

import { setTimeout as delay } from 'node:timers/promises';
import {
  type Connection,
  type ConnectOptions,
  connect,
  type Listener,
  type ListenOptions,
  listen,
} from '../../transport/mod.ts';

/** A connection, and what it has sent before. */
export interface OpenedConnection {
  readonly connection: Connection;
  readonly received: readonly Buffer[];
}

/** A source of connections. */
export interface Endpoint {
  /** The next connection. Rejects with the reason in words, or when the case gives up. */
  open(cancelled: AbortSignal): Promise<OpenedConnection>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** An acceptor may need a moment between two connections. */
const RETRY_MS = 2_000;
const RETRY_EVERY_MS = 100;
/** Connections that wait for a case. */
const WAITING_MAX = 16;
/** Chunks of one of them: it waits for the answer to its Logon. */
const WAITING_CHUNKS_MAX = 100;

/** Connections to an acceptor. */
export function connectingTo(options: Pick<ConnectOptions, 'host' | 'port' | 'tls'>): Endpoint {
  return {
    async open(cancelled) {
      const until = Date.now() + RETRY_MS;
      for (;;) {
        try {
          const connection = await connect({ ...options, connectTimeoutMs: CONNECT_TIMEOUT_MS });
          return { connection, received: [] };
        } catch (error) {
          if (Date.now() >= until || cancelled.aborted) throw error;
          await delay(RETRY_EVERY_MS);
        }
      }
    },
    async close() {},
  };
}

/** A connection that no case has taken yet. It is read, so that its end is noticed. */
interface WaitingConnection {
  readonly connection: Connection;
  readonly received: Buffer[];
  ended: boolean;
}

/** Connections that a counterparty makes to a port of ours. */
export async function listeningOn(
  options: Pick<ListenOptions, 'host' | 'port' | 'tls'>,
): Promise<Endpoint & { readonly port: number }> {
  const waiting: WaitingConnection[] = [];
  let wanted: ((opened: OpenedConnection) => void) | null = null;
  const hold = (connection: Connection): void => {
    const held: WaitingConnection = { connection, received: [], ended: false };
    connection.onClose = () => {
      held.ended = true;
    };
    connection.onChunk = (chunk) => {
      held.received.push(chunk);
      if (held.received.length > WAITING_CHUNKS_MAX) connection.destroy('it sends without a Logon of ours');
    };
    waiting.push(held);
    if (waiting.length > WAITING_MAX) waiting.shift()!.connection.destroy('too many connections wait for a case');
  };
  const listener: Listener = await listen(
    { ...options, connectionsMax: 1_000, connectionsPerAddressMax: 1_000, handshakeTimeoutMs: CONNECT_TIMEOUT_MS },
    (connection) => {
      if (wanted === null) hold(connection);
      else wanted({ connection, received: [] });
    },
  );
  return {
    port: listener.address().port,
    open(cancelled) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!next.ended) return Promise.resolve(next);
      }
      return new Promise((resolve, reject) => {
        const take = (opened: OpenedConnection): void => {
          wanted = null;
          cancelled.removeEventListener('abort', giveUp);
          resolve(opened);
        };
        const giveUp = (): void => {
          wanted = null;
          reject(new Error('the case is over'));
        };
        cancelled.addEventListener('abort', giveUp, { once: true });
        wanted = take;
      });
    },
    async close() {
      for (const { connection } of waiting) connection.destroy('the suite is over');
      await listener.close();
    },
  };
}
