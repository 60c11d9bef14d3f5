// A listening socket, plain or TLS: limits, the PROXY header, the TLS handshake, then a connection for the engine.
// Leaves who the counterparty is to the engine: here it is only an address.

import { createServer, type Server, type Socket } from 'node:net';
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { CrossgateError } from '../base/errors.ts';
import { hostPort } from '../base/host-port.ts';
import { listenFailure } from '../base/listen-failure.ts';
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
import { checkClientTrust, type ListenerTls, namedContexts, ownContext } from './listener-context.ts';
import { originOf } from './origin.ts';
import { PROXY_HEADER_BYTES_MAX, parseProxyHeader } from './proxy-protocol.ts';

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

interface Remote {
  readonly address: string;
  readonly port: number;
}

/** Addresses of IPv4 peers look alike whether the socket is dual-stack or not. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** Open a listening socket. @throws CrossgateError XG_LISTEN_FAILED, XG_TLS_INVALID */
export async function listen(
  options: ListenOptions,
  onConnection: (connection: Connection) => void,
): Promise<Listener> {
  const listener = new SocketListener(options, onConnection);
  await listener.open();
  return listener;
}

class SocketListener implements Listener {
  readonly #options: ListenOptions;
  readonly #limits: ConnectionLimits;
  readonly #onConnection: (connection: Connection) => void;
  readonly #server: Server;
  readonly #tlsServer: TlsServer | null;
  /** Certificates by the name that a client asks for; any other name gets the listener's own. */
  #contexts: ReadonlyMap<string, SecureContext> = new Map();
  /** Open connections by origin.ts. */
  readonly #perOrigin = new Map<string, number>();
  /** Sockets without a connection yet, with the timer that ends them, the bytes of their PROXY header, and whether others are before them. */
  readonly #greeting = new Map<Socket, { readonly timer: NodeJS.Timeout; headerBytes: number; isQueued: boolean }>();
  /** The peer of a socket in its TLS handshake, by remote address and port. */
  readonly #handshaking = new Map<string, { readonly socket: Socket; readonly remote: Remote }>();
  /** Reports why a socket closed in its handshake. TLS reports it in the same turn, before any other socket. */
  #closing: ((reason: string) => void) | null = null;
  readonly #handshakes = new HandshakeQueue((socket) => {
    const greeting = this.#greeting.get(socket);
    if (greeting !== undefined) greeting.isQueued = false;
    // TLS takes the socket over. A peer that ends its side before the handshake is complete never completes it.
    socket.allowHalfOpen = false;
    this.#tlsServer?.emit('connection', socket);
  });
  #connections = 0;

  constructor(options: ListenOptions, onConnection: (connection: Connection) => void) {
    this.#options = options;
    this.#onConnection = onConnection;
    this.#limits = {
      outboundBytesMax: options.outboundBytesMax ?? LIMITS_DEFAULT.outboundBytesMax,
      closeTimeoutMs: options.closeTimeoutMs ?? LIMITS_DEFAULT.closeTimeoutMs,
      halfCloseLingerMs: options.halfCloseLingerMs ?? LIMITS_DEFAULT.halfCloseLingerMs,
    };
    this.#tlsServer = options.tls === undefined ? null : this.#createTlsServer(options.tls);
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
    for (const socket of [...this.#greeting.keys()]) socket.destroy();
  }

  prepareTls(tls: ListenerTls): () => void {
    const contexts = this.#usable(() => {
      // A server accepts any options and fails half way.
      createSecureContext(ownContext(tls));
      return namedContexts(tls);
    }, tls);
    return () => {
      this.#tlsServer?.setSecureContext(ownContext(tls));
      this.#contexts = contexts;
    };
  }

  #createTlsServer(tls: ListenerTls): TlsServer {
    const server = this.#usable(() => {
      this.#contexts = namedContexts(tls);
      return createTlsServer({
        ...ownContext(tls),
        allowHalfOpen: true,
        requestCert: tls.requestCert === true,
        rejectUnauthorized: tls.requestCert === true,
        handshakeTimeout: this.#options.handshakeTimeoutMs,
        ...(this.#contexts.size === 0 ? {} : { SNICallback: this.#contextFor.bind(this) }),
      });
    }, tls);
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

  #contextFor(name: string, done: (error: null, context?: SecureContext) => void): void {
    done(null, this.#contexts.get(name.toLowerCase()));
  }

  /** @throws CrossgateError XG_TLS_INVALID */
  #usable<T>(use: () => T, tls: ListenerTls): T {
    try {
      checkClientTrust(tls);
      return use();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CrossgateError(
        'XG_TLS_INVALID',
        `key or certificate of the listener ${hostPort(this.#options.host, this.#options.port)} cannot be used: ${reason}`,
        { cause },
      );
    }
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
    if (this.#connections >= this.#options.connectionsMax) {
      this.#refused(remote, `${this.#options.connectionsMax} connections are open, the most this listener takes`);
      socket.destroy();
      return;
    }
    this.#connections++;
    socket.once('close', () => {
      this.#connections--;
      this.#forget(socket);
    });
    const timer = setTimeout(() => this.#timedOut(socket, remote), this.#options.handshakeTimeoutMs);
    this.#greeting.set(socket, { timer, headerBytes: 0, isQueued: false });
    const onError = (error: Error): void => this.#left(socket, remote, reasonOf(error));
    socket.on('error', onError);
    if (this.#options.isBalancer?.(remote.address) === true) this.#readProxyHeader(socket, remote);
    else this.#admit(socket, remote);
  }

  #timedOut(socket: Socket, remote: Remote): void {
    const within = `within ${this.#options.handshakeTimeoutMs} ms`;
    const isQueued = this.#greeting.get(socket)?.isQueued === true;
    const reason = isQueued
      ? `its TLS handshake had no turn ${within}: too many connect at once; it comes in when it tries again`
      : `no handshake ${within}`;
    this.#end(socket, remote, reason);
  }

  /** The client said something: its handshake has its turn when those before it had theirs. */
  #queue(socket: Socket): void {
    const greeting = this.#greeting.get(socket);
    if (greeting !== undefined) greeting.isQueued = true;
    this.#handshakes.push(socket);
  }

  #readProxyHeader(socket: Socket, balancer: Remote): void {
    let seen = Buffer.alloc(0);
    const onReadable = (): void => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        seen = Buffer.concat([seen, chunk]);
        if (seen.length > PROXY_HEADER_BYTES_MAX) break;
      }
      const header = parseProxyHeader(seen);
      if (header.kind === 'incomplete') return;
      socket.off('readable', onReadable);
      if (header.kind === 'invalid') {
        this.#end(socket, balancer, `no PROXY header: ${header.reason}`);
        return;
      }
      const greeting = this.#greeting.get(socket);
      if (greeting !== undefined) greeting.headerBytes = header.length;
      const rest = seen.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      const { source } = header;
      this.#admit(socket, source === null ? balancer : { address: plainAddress(source.address), port: source.port });
    };
    socket.on('readable', onReadable);
    socket.once('end', () => this.#left(socket, balancer, 'closed before its PROXY header'));
  }

  /** Count the connection to its address, then go on with TLS or hand it over. */
  #admit(socket: Socket, remote: Remote): void {
    if (this.#options.isAllowed?.(remote.address) === false) {
      this.#end(socket, remote, 'this address is not among those allowed');
      return;
    }
    const origin = originOf(remote.address);
    const open = this.#perOrigin.get(origin) ?? 0;
    if (open >= this.#options.connectionsPerAddressMax) {
      const from = origin === remote.address ? 'this address' : origin;
      this.#end(socket, remote, `${open} connections from ${from} are open, the most this listener takes`);
      return;
    }
    this.#perOrigin.set(origin, open + 1);
    socket.once('close', () => {
      const left = (this.#perOrigin.get(origin) ?? 1) - 1;
      if (left === 0) this.#perOrigin.delete(origin);
      else this.#perOrigin.set(origin, left);
    });
    if (this.#tlsServer === null) {
      this.#handOver(socket, socket, remote);
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
    this.#handOver(found.socket, socket, found.remote);
  }

  #handOver(raw: Socket, socket: Socket, remote: Remote): void {
    this.#forget(raw);
    this.#onConnection(new SocketConnection(socket, nextConnectionId(), remote, this.#limits));
  }
}

function handshakeKey(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? 0}`;
}
