// Answers of a standby node on its admin port: it lives, takes no orders, and waits for the named node. The command
// line waits; admin-api.ts answers everything else after the take-over.

import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { httpUrl } from '../../base/host-port.ts';
import { ConnectionPlaces, placeConnections } from '../../base/places/connection-places.ts';
import { listenFailure } from '../../base/socket-failure.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { AdminAddress } from '../configuration/configuration.ts';
import { ensureAdminToken } from '../secrets/admin-token.ts';
import { removeAdminAddress, STANDING_BY, writeAdminAddress } from './admin-access.ts';
import { AdminTls } from './admin-tls.ts';

export interface StandbyServerOptions {
  /** Null where the admin API is switched off: then only its note is there. */
  readonly admin: Pick<AdminAddress, 'host' | 'port' | 'sharedToken' | 'tls'> | null;
  /** Holds a note of where it listens, for commands and the health check of a container. */
  readonly stateDirectory: string;
  /** The mark of this process. */
  readonly process: string;
  readonly log: EngineLog;
  /** The node that it waits for, in a sentence. */
  readonly said: () => string;
}

export interface StandbyServer {
  /** Let go of the port, and of the note. */
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 100;
const ARRIVAL_MS = 10_000;
const RENEWAL_LOOK_MS = 60_000;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING */
export async function startStandbyServer(options: StandbyServerOptions): Promise<StandbyServer> {
  const { admin, stateDirectory, process, log } = options;
  if (admin === null) {
    await writeAdminAddress(stateDirectory, { url: null, process, sharedToken: false }, log);
    return { close: () => removeAdminAddress(stateDirectory, log) };
  }
  // Commands get this node's state; they look for the token first.
  if (admin.sharedToken) await ensureAdminToken(stateDirectory);
  const limits = { headersTimeout: ARRIVAL_MS, requestTimeout: ARRIVAL_MS };
  const handler: RequestListener = ({ url = '' }, response) =>
    answer(url.replace(/\?.*$/, ''), response, options.said());
  const tls = admin.tls === null ? null : new AdminTls(admin.tls, log);
  const server = tls === null ? createServer(limits, handler) : tls.door.createServer(limits, handler);
  placeConnections(new ConnectionPlaces<Socket>(CONNECTIONS_MAX), server);
  const renewal = tls === null ? null : setInterval(() => renew(tls, log), RENEWAL_LOOK_MS);
  renewal?.unref();
  const close = async (): Promise<void> => {
    if (renewal !== null) clearInterval(renewal);
    await removeAdminAddress(stateDirectory, log);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  const { host, port, sharedToken } = admin;
  await listen(server, host, port);
  const url = httpUrl(host, (server.address() as AddressInfo).port, tls !== null);
  const note = { url, process, sharedToken, ...(tls === null ? {} : { tls: tls.note }) };
  try {
    await writeAdminAddress(stateDirectory, note, log);
  } catch (error) {
    // An open port would keep a process alive that failed to start.
    await close();
    throw error;
  }
  return { close };
}

/** A node may stand by for longer than a certificate holds. Commands learn of another one when it has taken over. */
function renew(tls: AdminTls, log: EngineLog): void {
  try {
    for (const { text, take } of tls.door.renewals(() => true, Date.now())) {
      take();
      log('info', text);
    }
  } catch (error) {
    log('warn', 'a certificate was changed and cannot be shown', { error });
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(listenFailure('the admin API ', host, port, cause)));
    server.listen({ host, port }, resolve);
  });
}

function answer(path: string, response: ServerResponse, said: string): void {
  if (path === '/healthz') {
    send(response, 200, 'application/json', { status: STANDING_BY });
  } else if (path === '/readyz') {
    send(response, 503, 'application/json', { status: STANDING_BY, reasons: [said], notices: [] });
  } else {
    const detail = `${said[0]!.toUpperCase()}${said.slice(1)}.`;
    const body = { type: 'about:blank', title: STATUS_CODES[503], status: 503, detail };
    send(response, 503, 'application/problem+json', body);
  }
}

function send(response: ServerResponse, status: number, type: string, body: object): void {
  response.writeHead(status, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(JSON.stringify(body));
}
