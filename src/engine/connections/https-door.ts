// HTTPS beside the FIX listeners, for bridge and admin API: the same certificates by reference, demands and renewal as a listener's.
// Leaves what is answered over it to those who listen.

import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer, type Server as HttpsServer, type ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { hostPort } from '../../base/host-port.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { Seldom } from '../../base/seldom.ts';
import type { EpochMs } from '../../base/time.ts';
import { clientRefusal, ServerContexts } from '../../transport/mod.ts';
import type { EngineLog, TlsConfig } from '../config.ts';
import { readTls, TlsListener } from './listener-tls.ts';

/** Time for a TLS handshake. */
const HANDSHAKE_MS = 10_000;
/** Failed handshakes are logged at most this often. */
const FAILURE_LOG_MS = 1_000;

export interface HttpsDoorOptions {
  /** `bridge`, `admin API`: for log, errors and alarms. */
  readonly of: string;
  readonly config: TlsConfig;
  /**
   * True: a client without a certificate, where one is demanded, is refused in the handshake. False: the server asks
   * `refusalOf` for each request, and leaves health checks open.
   */
  readonly refusesInHandshake: boolean;
  readonly log: EngineLog;
}

export class HttpsDoor {
  private readonly options: HttpsDoorOptions;
  private readonly contexts: ServerContexts;
  private readonly certificates: TlsListener;
  private server: HttpsServer | null = null;

  /** @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  constructor(options: HttpsDoorOptions) {
    this.options = options;
    const { of, config } = options;
    const read = readTls(config);
    const contexts = new ServerContexts(`the ${of}`, read);
    this.contexts = contexts;
    const shows = { prepareTls: (tls: typeof read): (() => void) => contexts.prepare(tls, this.server) };
    this.certificates = new TlsListener(of, config, shows, read);
  }

  /** A server that is not listening yet; one for each door. */
  createServer(options: ServerOptions, handler: RequestListener): Server {
    const { of, log, refusesInHandshake } = this.options;
    const { requestCert } = this.contexts.options;
    const tls = { ...this.contexts.options, rejectUnauthorized: requestCert === true && refusesInHandshake };
    const server = createServer({ ...options, ...tls, handshakeTimeout: HANDSHAKE_MS }, handler);
    const failures = new Seldom(FAILURE_LOG_MS);
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      const refused = socket.authorizationError as unknown;
      // A look whether somebody listens, as load balancers have all day.
      if (!refused && error.code === 'ECONNRESET') return;
      const reason = refused ? clientRefusal(String(refused)) : error.message;
      const remote = hostPort(socket.remoteAddress ?? '', socket.remotePort ?? 0);
      failures.tell(of, performance.now(), { remote, reason }, (fields) =>
        log('warn', `${of}: a TLS handshake failed`, fields),
      );
    });
    this.server = server;
    return server;
  }

  /** Why the client behind a request is to be refused; null if it showed the certificate that is demanded, or none is. */
  refusalOf({ socket }: Pick<IncomingMessage, 'socket'>): string | null {
    if (this.options.config.clientAuthority === null) return null;
    const { authorized, authorizationError } = socket as TLSSocket;
    if (authorized) return null;
    const hasCertificate = (socket as TLSSocket).getPeerX509Certificate() !== undefined;
    return hasCertificate ? clientRefusal(String(authorizationError)) : 'the client shows no certificate';
  }

  /** The changed material of its files, ready to be shown. @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  renewals(isNamed: IsNamed, now: EpochMs): Renewal[] {
    const renewal = this.certificates.renewal(isNamed, now);
    return renewal === null ? [] : [renewal];
  }
}
