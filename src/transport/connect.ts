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

export interface ConnectOptions extends Partial<ConnectionLimits> {
  readonly host: string;
  readonly port: number;
  /** Time for the connection and the TLS handshake together. */
  readonly connectTimeoutMs: number;
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
  const place = hostPort(options.host, options.port);
  return new CrossgateError('XG_CONNECT_FAILED', `cannot connect to ${place}: ${reason}`, { cause });
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

function openSocket(options: ConnectOptions): { socket: Socket; ready: 'connect' | 'secureConnect' } {
  const { host, port, tls } = options;
  const base = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    allowHalfOpen: true,
  };
  if (tls === undefined) return { socket: createConnection(base), ready: 'connect' };
  const secureContext = secureContextOf(tls, hostPort(host, port));
  const name = tls.serverName ?? host;
  // An address is no server name for SNI; the certificate is checked against it all the same.
  const socket = tlsConnect({ ...base, secureContext, ...(isIP(name) === 0 ? { servername: name } : {}) });
  return { socket, ready: 'secureConnect' };
}

/** Connect. @throws CrossgateError XG_CONNECT_FAILED with the reason in words, XG_TLS_INVALID for unusable settings */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { socket, ready } = openSocket(options);
  const limits = { ...LIMITS_DEFAULT, ...definedOnly(options) };
  return await new Promise((resolve, reject) => {
    const end = (error: CrossgateError): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => end(failed(options, `no answer within ${options.connectTimeoutMs} ms`)),
      options.connectTimeoutMs,
    );
    const onError = (error: Error): void => end(failed(options, reasonOf(error), error));
    const onEarlyClose = (): void => end(failed(options, 'the counterparty closed the connection at once'));
    socket.once('error', onError);
    socket.once('close', onEarlyClose);
    socket.once(ready, () => {
      clearTimeout(timer);
      const remote = { address: socket.remoteAddress ?? options.host, port: socket.remotePort ?? options.port };
      const connection = new SocketConnection(socket, nextConnectionId(), remote, limits);
      socket.off('error', onError);
      socket.off('close', onEarlyClose);
      resolve(connection);
    });
  });
}

function definedOnly(options: ConnectOptions): Partial<ConnectionLimits> {
  const { outboundBytesMax, closeTimeoutMs, halfCloseLingerMs } = options;
  return {
    ...(outboundBytesMax === undefined ? {} : { outboundBytesMax }),
    ...(closeTimeoutMs === undefined ? {} : { closeTimeoutMs }),
    ...(halfCloseLingerMs === undefined ? {} : { halfCloseLingerMs }),
  };
}
