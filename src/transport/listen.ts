// A listening socket, plain or TLS: limits, the PROXY header, the TLS handshake, then a connection for the engine.
// Leaves who the counterparty is to the engine: here it is only an address.

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { hostPort } from '../base/host-port.ts';
import { KnownOrigins } from '../base/places/known-origins.ts';
import { plainAddress } from '../base/places/origin.ts';
import { listenFailure } from '../base/socket-failure.ts';
import { clientRefusal } from './client-refusal.ts';
import {
  type Connection,
  type ConnectionLimits,
  KEEP_ALIVE_MS,
  LIMITS_DEFAULT,
  reasonOf,
  SocketConnection,
} from './connection.ts';
import { nextConnectionId } from './connection-id.ts';
import { HandshakeQueue } from './handshake-queue.ts';
import type { Listener, ListenOptions } from './listen-options.ts';
import { type ListenerTls, ServerContexts } from './listener-context.ts';
import { type Place, Places, type TakenPlace } from './places.ts';
import { readProxyHeader } from './proxy-protocol.ts';

interface Remote {
  readonly address: string;
  readonly port: number;
}

/** A socket without a connection yet. */
interface Greeting {
  readonly place: TakenPlace;
  /** The client; the load balancer until its header arrives. */
  remote: Remote;
  /** Ends it. */
  readonly timer: NodeJS.Timeout;
  /** Bytes of its PROXY header. */
  headerBytes: number;
  /** Others have their TLS handshake before it. */
  isQueued: boolean;
}

const NOT_ALLOWED = 'this address is not among those allowed';

/** Open a listening socket. @throws CrossgateError XG_LISTEN_FAILED, XG_TLS_INVALID */
export async function listen(
  options: ListenOptions,
  onConnection: (connection: Connection, place: Place) => void,
): Promise<Listener> {
  const listener = new SocketListener(options, onConnection);
  await listener.open();
  return listener;
}

class SocketListener implements Listener {
  readonly #options: ListenOptions;
  readonly #limits: ConnectionLimits;
  readonly #onConnection: (connection: Connection, place: Place) => void;
  readonly #server: Server;
  readonly #tlsServer: TlsServer | null;
  readonly #contexts: ServerContexts | null;
  readonly #places: Places;
  /** Sockets without a connection yet. */
  readonly #greeting = new Map<Socket, Greeting>();
  /** The peer of a socket in its TLS handshake, by remote address and port. */
  readonly #handshaking = new Map<string, { readonly socket: Socket; readonly remote: Remote }>();
  /** Reports why a socket closed in its handshake. TLS reports it in the same turn, before any other socket. */
  #closing: ((reason: string) => void) | null = null;
  readonly #handshakes = new HandshakeQueue((socket) => {
    const greeting = this.#greeting.get(socket);
    if (greeting !== undefined) {
      greeting.isQueued = false;
      greeting.place.owes();
    }
    // TLS takes the socket over. A peer that ends its side before the handshake is complete never completes it.
    socket.allowHalfOpen = false;
    this.#tlsServer?.emit('connection', socket);
  });

  constructor(options: ListenOptions, onConnection: (connection: Connection, place: Place) => void) {
    this.#options = options;
    const { crowdedTimeoutMs = null, known = new KnownOrigins() } = options;
    this.#places = new Places({ ...options, crowdedTimeoutMs, known });
    this.#onConnection = onConnection;
    this.#limits = {
      outboundBytesMax: options.outboundBytesMax ?? LIMITS_DEFAULT.outboundBytesMax,
      closeTimeoutMs: options.closeTimeoutMs ?? LIMITS_DEFAULT.closeTimeoutMs,
      halfCloseLingerMs: options.halfCloseLingerMs ?? LIMITS_DEFAULT.halfCloseLingerMs,
    };
    const where = `the listener ${hostPort(options.host, options.port)}`;
    this.#contexts = options.tls === undefined ? null : new ServerContexts(where, options.tls);
    this.#tlsServer = this.#contexts === null ? null : this.#createTlsServer(this.#contexts);
    this.#server = createServer(
      {
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        allowHalfOpen: true,
        pauseOnConnect: options.isBalancer !== undefined || options.tls !== undefined,
      },
      (socket) => this.#accept(socket),
    );
  }

  async open(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const onError = (error: Error): void => reject(listenFailure('', this.#options.host, this.#options.port, error));
      this.#server.once('error', onError);
      this.#server.listen({ host, port, backlog: 511 }, () => {
        this.#server.off('error', onError);
        // Running out of descriptors while accepting: the connection is lost, the listener is not.
        this.#server.on('error', (error) => this.#refused({ address: '', port: 0 }, reasonOf(error)));
        resolve();
      });
    });
  }

  address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') return this.#options;
    return { host: address.address, port: address.port };
  }

  async close(): Promise<void> {
    // Its callback would wait for the open connections, which are not ours to end.
    this.#server.close();
    this.#places.close();
    for (const socket of [...this.#greeting.keys()]) socket.destroy();
  }

  prepareTls(tls: ListenerTls): () => void {
    return this.#contexts?.prepare(tls, this.#tlsServer) ?? (() => {});
  }

  #createTlsServer({ options }: ServerContexts): TlsServer {
    const server = createTlsServer({
      ...options,
      allowHalfOpen: true,
      handshakeTimeout: this.#options.handshakeTimeoutMs,
    });
    server.on('secureConnection', (socket) => this.#secured(socket));
    server.on('tlsClientError', (error, socket) => {
      const refused = socket.authorizationError as unknown;
      // It was closed here, and has no address any more.
      if (refused) this.#tellClosed(clientRefusal(String(refused)));
      const found = this.#handshaking.get(handshakeKey(socket));
      if (found !== undefined) this.#left(found.socket, found.remote, `TLS handshake failed: ${reasonOf(error)}`);
      socket.destroy();
    });
    return server;
  }

  #refused(remote: Remote, reason: string, leftUnsaid = false): void {
    this.#options.onRefused?.({ remoteAddress: remote.address, remotePort: remote.port, reason, leftUnsaid });
  }

  #end(socket: Socket, remote: Remote, reason: string, leftUnsaid = false): void {
    if (!this.#greeting.has(socket)) return;
    this.#forget(socket);
    this.#refused(remote, reason, leftUnsaid);
    socket.destroy();
  }

  /** The other side has left. */
  #left(socket: Socket, remote: Remote, reason: string): void {
    this.#end(socket, remote, reason, this.#leftUnsaid(socket));
  }

  #leftUnsaid(socket: Socket): boolean {
    return socket.bytesRead === this.#greeting.get(socket)?.headerBytes;
  }

  #forget(socket: Socket): void {
    this.#handshakes.over(socket);
    clearTimeout(this.#greeting.get(socket)?.timer);
    this.#greeting.delete(socket);
  }

  #accept(socket: Socket): void {
    const remote = { address: plainAddress(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 };
    const isBalancer = this.#options.isBalancer?.(remote.address) === true;
    // An address that is not allowed must close no other connection.
    const isAllowed = isBalancer || this.#options.isAllowed?.(remote.address) !== false;
    const place = isAllowed ? this.#places.take(remote.address) : NOT_ALLOWED;
    if (typeof place === 'string') {
      this.#refused(remote, place);
      socket.destroy();
      return;
    }
    place.onEvicted = (reason) => this.#end(socket, this.#greeting.get(socket)?.remote ?? remote, reason);
    socket.once('close', () => {
      place.leave();
      this.#forget(socket);
    });
    const timer = setTimeout(() => this.#timedOut(socket), this.#options.handshakeTimeoutMs);
    this.#greeting.set(socket, { timer, place, remote, headerBytes: 0, isQueued: false });
    const onError = (error: Error): void => this.#left(socket, remote, reasonOf(error));
    socket.on('error', onError);
    if (isBalancer) this.#readProxyHeader(socket, remote);
    else this.#admit(socket, remote, place);
  }

  #timedOut(socket: Socket): void {
    const greeting = this.#greeting.get(socket);
    if (greeting === undefined) return;
    const within = `within ${this.#options.handshakeTimeoutMs} ms`;
    const reason = greeting.isQueued
      ? `its TLS handshake had no turn ${within}: too many connect at once; it comes in when it tries again`
      : `no handshake ${within}`;
    this.#end(socket, greeting.remote, reason);
  }

  /** The client said something: its handshake has its turn when those before it had theirs. */
  #queue(socket: Socket): void {
    const greeting = this.#greeting.get(socket);
    if (greeting === undefined) return;
    greeting.isQueued = true;
    greeting.place.waits();
    this.#handshakes.push(socket);
  }

  #readProxyHeader(socket: Socket, balancer: Remote): void {
    readProxyHeader(socket, (header, seen) => {
      if (header.kind === 'invalid') {
        this.#end(socket, balancer, `no PROXY header: ${header.reason}`);
        return;
      }
      const greeting = this.#greeting.get(socket);
      if (greeting === undefined) return;
      greeting.headerBytes = header.length;
      const rest = seen.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      const { source } = header;
      const client = source === null ? balancer : { address: plainAddress(source.address), port: source.port };
      greeting.remote = client;
      if (this.#options.isAllowed?.(client.address) === false) this.#end(socket, client, NOT_ALLOWED);
      else this.#admit(socket, client, greeting.place);
    });
    socket.once('end', () => this.#left(socket, balancer, 'closed before its PROXY header'));
  }

  /** Count the connection to its address, then go on with TLS or hand it over. */
  #admit(socket: Socket, remote: Remote, place: TakenPlace): void {
    const reason = this.#places.count(place, remote.address);
    if (reason !== null) {
      this.#end(socket, remote, reason);
      return;
    }
    if (this.#tlsServer === null) {
      this.#handOver(socket, socket, remote, place);
      return;
    }
    this.#watchHandshake(socket, remote);
    if (socket.readableLength > 0) this.#queue(socket);
    else {
      socket.once('readable', () => {
        if (socket.readableLength > 0) this.#queue(socket);
        else this.#left(socket, remote, 'closed before its TLS handshake');
      });
    }
  }

  /** TLS closed here. The event follows the end of the socket, or precedes it if OpenSSL has more to report. */
  #tellClosed(reason: string): void {
    if (this.#closing !== null) {
      this.#closing(reason);
      return;
    }
    const found = [...this.#handshaking.values()].find(({ socket }) => socket.destroyed && this.#greeting.has(socket));
    if (found !== undefined) this.#end(found.socket, found.remote, reason);
  }

  #watchHandshake(socket: Socket, remote: Remote): void {
    const key = handshakeKey(socket);
    this.#handshaking.set(key, { socket, remote });
    // Before the listener that forgets it.
    socket.prependOnceListener('close', () => {
      this.#handshaking.delete(key);
      if (!this.#greeting.has(socket)) return;
      const leftUnsaid = this.#leftUnsaid(socket);
      this.#forget(socket);
      let isTold = false;
      const tell = (reason: string): void => {
        if (this.#closing === tell) this.#closing = null;
        if (!isTold) this.#refused(remote, reason, leftUnsaid);
        isTold = true;
      };
      this.#closing = tell;
      setImmediate(() => tell('closed during the TLS handshake'));
    });
  }

  #secured(socket: TLSSocket): void {
    const key = handshakeKey(socket);
    const found = this.#handshaking.get(key);
    this.#handshaking.delete(key);
    if (found === undefined || !this.#greeting.has(found.socket)) {
      socket.destroy();
      return;
    }
    socket.allowHalfOpen = true;
    this.#handOver(found.socket, socket, found.remote, this.#greeting.get(found.socket)!.place);
  }

  #handOver(raw: Socket, socket: Socket, remote: Remote, place: TakenPlace): void {
    this.#forget(raw);
    const connection = new SocketConnection(socket, nextConnectionId(), remote, this.#limits);
    place.onEvicted = (reason) => connection.destroy(reason);
    this.#onConnection(connection, place);
  }
}

function handshakeKey(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? 0}`;
}
