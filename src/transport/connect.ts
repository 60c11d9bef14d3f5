// Open a connection to a counterparty, plain or TLS. Retrying and its back-off are the engine's.

import { createConnection, isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls';
import { CrossgateError } from '../base/errors.ts';
import { hostPort } from '../base/host-port.ts';
import { checkAuthority } from './authority.ts';
import {
  type Connection,
  type ConnectionLimits,
  KEEP_ALIVE_MS,
  LIMITS_DEFAULT,
  reasonOf,
  SocketConnection,
} from './connection.ts';
import { nextConnectionId } from './connection-id.ts';
import { openTunnel, type TunnelProxy } from './proxy-tunnel.ts';

export interface ConnectOptions extends Partial<ConnectionLimits> {
  readonly host: string;
  readonly port: number;
  /** Time for the connection, the tunnel of a proxy and the TLS handshake together. */
  readonly connectTimeoutMs: number;
  /** Address and port on this side; any by default. The address has to be one of this machine's, no name. */
  readonly localAddress?: string;
  readonly localPort?: number;
  /** Connect through it. */
  readonly proxy?: TunnelProxy;
  readonly tls?: {
    /** Certificates to trust instead of those that Node.js has, PEM. */
    readonly ca?: string | Buffer;
    /** Our own certificate and key, PEM, if the counterparty asks for one. */
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    /** Name expected in the certificate; the host if absent. */
    readonly serverName?: string;
    readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  };
}

function failed(options: ConnectOptions, reason: string, cause?: unknown): CrossgateError {
  const { host, port, proxy } = options;
  const by = proxy === undefined ? '' : ` by the proxy ${hostPort(proxy.host, proxy.port)}`;
  return new CrossgateError('XG_CONNECT_FAILED', `cannot connect to ${hostPort(host, port)}${by}: ${reason}`, {
    cause,
  });
}

/**
 * TLS options of a client. `whom` names the peer in error texts. @throws CrossgateError XG_TLS_INVALID if they cannot
 * be used
 */
export function secureContextOf(tls: NonNullable<ConnectOptions['tls']>, whom: string): SecureContext {
  try {
    checkAuthority(tls.ca);
    return createSecureContext({
      minVersion: tls.minVersion ?? 'TLSv1.2',
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CrossgateError('XG_TLS_INVALID', `TLS settings for ${whom} cannot be used: ${reason}`, { cause });
  }
}

/** A connection that comes about, with the event at which it has. */
interface Opening {
  readonly socket: Socket;
  readonly ready: 'connect' | 'secureConnect';
}

/** To the counterparty, or to the proxy before it. */
function openSocket(options: ConnectOptions): Opening {
  const { proxy, tls, localAddress, localPort = 0 } = options;
  const { host, port } = proxy ?? options;
  const base = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    allowHalfOpen: true,
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(localPort === 0 ? {} : { localPort }),
  };
  if (tls === undefined || proxy !== undefined) return { socket: createConnection(base), ready: 'connect' };
  return { socket: tlsConnect({ ...base, ...tlsOptions(options, tls) }), ready: 'secureConnect' };
}

/** TLS through a tunnel: the certificate is that of the counterparty. */
function secureTunnel(options: ConnectOptions, socket: Socket): Opening | null {
  const { tls, host } = options;
  if (tls === undefined) return null;
  const base = { socket, host: tls.serverName ?? host, allowHalfOpen: true };
  return {
    socket: tlsConnect({ ...base, ...tlsOptions(options, tls) }),
    ready: 'secureConnect',
  };
}

function tlsOptions({ host, port }: ConnectOptions, tls: NonNullable<ConnectOptions['tls']>) {
  const secureContext = secureContextOf(tls, hostPort(host, port));
  const name = tls.serverName ?? host;
  // An address is no server name for SNI; the certificate is checked against it all the same.
  return { secureContext, ...(isIP(name) === 0 ? { servername: name } : {}) };
}

/** Connect. @throws CrossgateError XG_CONNECT_FAILED with the reason in words, XG_TLS_INVALID for unusable settings */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { proxy, tls, host, port } = options;
  // Settings that cannot be used fail before a proxy is asked.
  if (tls !== undefined) secureContextOf(tls, hostPort(host, port));
  const first = openSocket(options);
  return await new Promise((resolve, reject) => {
    const sockets: Socket[] = [];
    const end = (error: CrossgateError): void => {
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => end(failed(options, `no answer within ${options.connectTimeoutMs} ms`)),
      options.connectTimeoutMs,
    );
    const onError = (error: Error): void => end(failed(options, reasonOf(error), error));
    const whose = proxy === undefined ? 'the counterparty' : 'the other side';
    const onEarlyClose = (): void => end(failed(options, `${whose} closed the connection at once`));
    const watch = ({ socket, ready }: Opening, then: () => void): void => {
      sockets.push(socket);
      socket.once('error', onError);
      socket.once('close', onEarlyClose);
      socket.once(ready, then);
    };
    const done = (): void => {
      clearTimeout(timer);
      const socket = sockets.at(-1)!;
      const remote =
        proxy === undefined
          ? { address: socket.remoteAddress ?? host, port: socket.remotePort ?? port }
          : { address: host, port };
      const connection = new SocketConnection(socket, nextConnectionId(), remote, limitsOf(options));
      for (const one of sockets) {
        // TLS hears of the end of the socket below it; an error without a listener would end the process.
        if (one !== socket) one.on('error', () => {});
        one.off('error', onError);
        one.off('close', onEarlyClose);
      }
      resolve(connection);
    };
    const tunnel = (by: TunnelProxy): void => {
      openTunnel(first.socket, by, { host, port }).then(
        () => {
          if (first.socket.destroyed) return;
          const secured = secureTunnel(options, first.socket);
          if (secured === null) done();
          else watch(secured, done);
        },
        (error: Error) => end(failed(options, error.message)),
      );
    };
    watch(first, proxy === undefined ? done : () => tunnel(proxy));
  });
}

function limitsOf(options: ConnectOptions): ConnectionLimits {
  return { ...LIMITS_DEFAULT, ...definedOnly(options) };
}

function definedOnly(options: ConnectOptions): Partial<ConnectionLimits> {
  const { outboundBytesMax, closeTimeoutMs, halfCloseLingerMs } = options;
  return {
    ...(outboundBytesMax === undefined ? {} : { outboundBytesMax }),
    ...(closeTimeoutMs === undefined ? {} : { closeTimeoutMs }),
    ...(halfCloseLingerMs === undefined ? {} : { halfCloseLingerMs }),
  };
}
