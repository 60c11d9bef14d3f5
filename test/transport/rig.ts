// Listeners and connections for the tests of the transport room: real sockets, closed after each test.

import { createConnection, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type Connection,
  type ConnectOptions,
  connect,
  createSelfSignedCertificate,
  type Listener,
  type ListenOptions,
  listen,
  type Place,
  type Refusal,
} from '../../src/transport/mod.ts';

const certificate = createSelfSignedCertificate({ commonName: 'fix.test' });

/** A certificate for the tests, made once. */
export function testCertificate(): typeof certificate {
  return certificate;
}

/** One end of a connection that remembers everything. */
export class End {
  readonly connection: Connection;
  #received: Buffer[] = [];
  #wake: (() => void)[] = [];
  closed: string | null = null;

  constructor(connection: Connection) {
    this.connection = connection;
    connection.onChunk = (chunk) => {
      this.#received.push(chunk);
      this.#notify();
    };
    connection.onClose = (reason) => {
      if (this.closed !== null) throw new Error('onClose was called twice');
      this.closed = reason;
      this.#notify();
    };
  }

  get chunks(): number {
    return this.#received.length;
  }

  get bytes(): number {
    return this.#received.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  get text(): string {
    return Buffer.concat(this.#received).toString('latin1');
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Resolve once `condition` holds; looks again after every chunk and at the end. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async receives(text: string): Promise<void> {
    await this.until(() => this.text.includes(text) || this.closed !== null);
    if (!this.text.includes(text)) throw new Error(`closed (${this.closed}) after receiving: ${this.text}`);
  }

  /** The reason of the end. */
  async ends(): Promise<string> {
    await this.until(() => this.closed !== null);
    return this.closed!;
  }
}

export interface Rig {
  readonly port: number;
  readonly listener: Listener;
  /** Ends on the listener's side, in the order they came. */
  readonly accepted: End[];
  /** Their places. */
  readonly places: Place[];
  readonly refused: Refusal[];
  /** The n-th accepted end, as soon as it is there. */
  acceptedEnd(n?: number): Promise<End>;
  /** The n-th refusal, as soon as it is there. */
  refusal(n?: number): Promise<Refusal>;
}

export async function listenForTest(options: Partial<ListenOptions> = {}): Promise<Rig> {
  const accepted: End[] = [];
  const places: Place[] = [];
  const refused: Refusal[] = [];
  const connections: Connection[] = [];
  let wake: (() => void)[] = [];
  const notify = (): void => {
    const waiting = wake;
    wake = [];
    for (const each of waiting) each();
  };
  const nth = async <T>(list: T[], n: number): Promise<T> => {
    while (list.length <= n) await new Promise<void>((resolve) => wake.push(resolve));
    return list[n]!;
  };
  const listener = await listen(
    {
      host: '127.0.0.1',
      port: 0,
      connectionsMax: 100,
      connectionsPerAddressMax: 100,
      handshakeTimeoutMs: 10_000,
      onRefused: (refusal) => {
        refused.push(refusal);
        notify();
      },
      ...options,
    },
    (connection, place) => {
      connections.push(connection);
      places.push(place);
      accepted.push(new End(connection));
      notify();
    },
  );
  onTestFinished(() => {
    for (const connection of connections) connection.destroy('the test is over');
    return listener.close();
  });
  return {
    port: listener.address().port,
    listener,
    accepted,
    places,
    refused,
    acceptedEnd: (n = 0) => nth(accepted, n),
    refusal: (n = 0) => nth(refused, n),
  };
}

export async function connectForTest(port: number, options: Partial<ConnectOptions> = {}): Promise<End> {
  const connection = await connect({ host: '127.0.0.1', port, connectTimeoutMs: 10_000, ...options });
  onTestFinished(() => connection.destroy('the test is over'));
  return new End(connection);
}

/** The same socket, ended after the test. */
export function untilTestEnds<T extends Socket>(socket: T): T {
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** A plain socket to a port of this machine. */
export function raw(port: number): Socket {
  return untilTestEnds(createConnection({ host: '127.0.0.1', port })).on('error', () => {});
}

/** Resolves when a socket is closed, with or without an error. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
