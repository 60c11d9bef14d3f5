// Answers of a standby node on its admin port: it lives, takes no orders, and waits for the named node. The command
// line waits; admin-api.ts answers everything else after the take-over.

import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { httpUrl } from '../../base/host-port.ts';
import { listenFailure } from '../../base/listen-failure.ts';
import { ConnectionPlaces, placeConnections } from '../../base/places/connection-places.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { AdminAddress } from '../configuration/configuration.ts';
import { ensureAdminToken } from '../secrets/admin-token.ts';
import { removeAdminAddress, STANDING_BY, writeAdminAddress } from './admin-access.ts';

export interface StandbyServerOptions {
  /** Null where the admin API is switched off: then only its note is there. */
  readonly admin: Pick<AdminAddress, 'host' | 'port' | 'sharedToken'> | null;
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
  const server = createServer({ headersTimeout: ARRIVAL_MS, requestTimeout: ARRIVAL_MS }, ({ url = '' }, response) =>
    answer(url.replace(/\?.*$/, ''), response, options.said()),
  );
  placeConnections(new ConnectionPlaces<Socket>(CONNECTIONS_MAX), server);
  const close = async (): Promise<void> => {
    await removeAdminAddress(stateDirectory, log);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  const { host, port, sharedToken } = admin;
  await listen(server, host, port);
  const url = httpUrl(host, (server.address() as AddressInfo).port);
  try {
    await writeAdminAddress(stateDirectory, { url, process, sharedToken }, log);
  } catch (error) {
    // An open port would keep a process alive that failed to start.
    await close();
    throw error;
  }
  return { close };
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
