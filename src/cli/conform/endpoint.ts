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

/** A source of connections. */
export interface Endpoint {
  /** The next connection. Rejects with the reason in words, or when the case gives up. */
  open(cancelled: AbortSignal): Promise<Connection>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** An acceptor may need a moment between two connections. */
const RETRY_MS = 2_000;
const RETRY_EVERY_MS = 100;
/** Connections that wait for a case. */
const WAITING_MAX = 16;

/** Connections to an acceptor. */
export function connectingTo(options: Pick<ConnectOptions, 'host' | 'port' | 'tls'>): Endpoint {
  return {
    async open(cancelled) {
      const until = Date.now() + RETRY_MS;
      for (;;) {
        try {
          return await connect({ ...options, connectTimeoutMs: CONNECT_TIMEOUT_MS });
        } catch (error) {
          if (Date.now() >= until || cancelled.aborted) throw error;
          await delay(RETRY_EVERY_MS);
        }
      }
    },
    async close() {},
  };
}

/** Connections that a counterparty makes to a port of ours. */
export async function listeningOn(
  options: Pick<ListenOptions, 'host' | 'port' | 'tls'>,
): Promise<Endpoint & { readonly port: number }> {
  const waiting: Connection[] = [];
  const ended = new WeakSet<Connection>();
  let wanted: ((connection: Connection) => void) | null = null;
  const listener: Listener = await listen(
    { ...options, connectionsMax: 1_000, connectionsPerAddressMax: 1_000, handshakeTimeoutMs: CONNECT_TIMEOUT_MS },
    (connection) => {
      if (wanted !== null) {
        wanted(connection);
        return;
      }
      // Unread until a case takes it: what it has sent waits in its socket.
      connection.onClose = () => ended.add(connection);
      waiting.push(connection);
      if (waiting.length > WAITING_MAX) waiting.shift()!.destroy('too many connections wait for a case');
    },
  );
  return {
    port: listener.address().port,
    open(cancelled) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!ended.has(next)) return Promise.resolve(next);
      }
      return new Promise((resolve, reject) => {
        const give = (connection: Connection | null): void => {
          wanted = null;
          cancelled.removeEventListener('abort', giveUp);
          if (connection === null) reject(new Error('the case is over'));
          else resolve(connection);
        };
        const giveUp = (): void => give(null);
        cancelled.addEventListener('abort', giveUp);
        wanted = give;
      });
    },
    async close() {
      for (const connection of waiting) connection.destroy('the suite is over');
      await listener.close();
    },
  };
}
