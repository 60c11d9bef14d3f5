// A TCP proxy between a client and a server that delays, cuts, swallows and resets: faults of a network, for any test.

import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

export interface Faults {
  /** Delay of every chunk in each direction; order is kept. */
  latencyMs: number;
  /** Pass bytes on in pieces of at most this size, each in a write of its own; null passes chunks as they come. */
  segmentBytes: number | null;
  /** Read and forget everything, in both directions. */
  blackhole: boolean;
  /** Stop reading from the server: it sees a client that does not read. */
  stalled: boolean;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class FaultProxy {
  readonly faults: Faults = { latencyMs: 0, segmentBytes: null, blackhole: false, stalled: false };
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#connect(client));
  }

  /** Pass connections on to `target`, wherever that is at the time of each. @param at listens there; a free loopback port if absent */
  static async open(
    target: { readonly host: string; readonly port: number },
    at = { host: '127.0.0.1', port: 0 },
  ): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(at);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Reset every connection, on both sides. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Let a stalled proxy read again. */
  resume(): void {
    this.faults.stalled = false;
    for (const { server } of this.#pairs) server.resume();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    const server = createConnection({ ...this.#target, noDelay: true, allowHalfOpen: true });
    const pair = { client, server };
    this.#pairs.add(pair);
    this.#pipe(client, server);
    this.#pipe(server, client);
    for (const socket of [client, server]) {
      // An error of one side ends the other: 'close' follows and is handled there.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(pair);
        if (!client.destroyed) client.destroy();
        if (!server.destroyed) server.destroy();
      });
    }
    if (this.faults.stalled) server.pause();
  }

  #pipe(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (this.faults.blackhole) return;
      this.#later(() => {
        const size = this.faults.segmentBytes ?? chunk.length;
        for (let at = 0; at < chunk.length; at += size) to.write(chunk.subarray(at, at + size));
      });
      if (this.faults.stalled && this.#isServer(from)) from.pause();
    });
    from.on('end', () => {
      if (!this.faults.blackhole) this.#later(() => to.end());
    });
  }

  #isServer(socket: Socket): boolean {
    for (const pair of this.#pairs) if (pair.server === socket) return true;
    return false;
  }

  #later(action: () => void): void {
    if (this.faults.latencyMs === 0) action();
    else setTimeout(action, this.faults.latencyMs);
  }
}
