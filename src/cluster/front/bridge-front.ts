// The port of the bridge on a node with partitions: each request goes to the partition of its caller, known by the token. Requests
// without a known token go to the first partition, which answers them as every bridge does. Nothing of a request is logged.

import { createHash } from 'node:crypto';
import { Agent, request as ask, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CrossgateError } from '../../base/errors.ts';
import { httpUrl } from '../../base/host-port.ts';
import { ConnectionPlaces, keepForAnswer, placeConnections } from '../../base/places/connection-places.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { listenFailure } from '../../base/socket-failure.ts';
import { type EngineLog, HttpsDoor } from '../../engine/mod.ts';
import type { BridgeConfig, EngineConfig } from '../../runtime/mod.ts';
import { partitionsOf } from '../partitions/partition.ts';

/** Headers of one connection only (RFC 9110, section 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade']);
const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'The partition of this caller does not serve now: try again in a second.',
});
const PROBLEM_HEADERS = { 'content-type': 'application/problem+json', 'retry-after': '1' } as const;

export interface BridgeFrontOptions {
  readonly config: EngineConfig;
  /** Where the bridge of a partition is; null while it does not serve. */
  readonly urlOf: (partition: string) => string | null;
  readonly log: EngineLog;
}

export class BridgeFront {
  readonly #options: BridgeFrontOptions;
  readonly #bridge: BridgeConfig;
  readonly #door: HttpsDoor | null;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #places: ConnectionPlaces<Socket>;
  /** The partition of each caller, by the digest of its token. */
  #homes: ReadonlyMap<string, string> = new Map();
  #first = '';

  /** @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  constructor(options: BridgeFrontOptions, bridge: BridgeConfig) {
    this.#options = options;
    this.#bridge = bridge;
    const { tls, limits } = bridge;
    this.#door =
      tls === null ? null : new HttpsDoor({ of: 'bridge', config: tls, refusesInHandshake: true, log: options.log });
    const http = {
      headersTimeout: limits.requestArrivalMs,
      requestTimeout: limits.requestArrivalMs,
      // The partition answers what lacks it.
      requireHostHeader: false,
    };
    const handler = (request: IncomingMessage, response: ServerResponse): void => this.#pass(request, response);
    this.#server = this.#door === null ? createServer(http, handler) : this.#door.createServer(http, handler);
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#places = new ConnectionPlaces<Socket>(limits.connectionsMax);
    placeConnections(this.#places, this.#server);
    this.use(options.config);
  }

  /** Callers that count from now on. @throws CrossgateError XG_SECRET_MISSING */
  use(config: EngineConfig): void {
    const partitions = partitionsOf(config);
    const tokens = new Map(config.bridge?.callers.map(({ name, token }) => [name, digestOf(token.read())]));
    this.#homes = new Map(
      partitions.flatMap(({ name, bridgeCallers }) =>
        bridgeCallers.map((caller) => [tokens.get(caller) ?? '', name] as const),
      ),
    );
    this.#first = partitions[0]?.name ?? '';
  }

  /** @throws CrossgateError XG_LISTEN_FAILED */
  async open(): Promise<void> {
    const { host, port } = this.#bridge;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => reject(listenFailure('the bridge ', host, port, cause)));
      this.#server.listen({ host, port }, resolve);
    });
  }

  get url(): string {
    const address = this.#server.address() as AddressInfo | null;
    if (address === null) throw new CrossgateError('XG_ENGINE_CLOSED', 'the bridge is not open');
    return httpUrl(this.#bridge.host, address.port, this.#door !== null);
  }

  renewals(isNamed: IsNamed, now: number): Renewal[] {
    return this.#door?.renewals(isNamed, now) ?? [];
  }

  /** Take no connections any more; answers that partitions still give pass. */
  closePort(): void {
    this.#server.close();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  /** Where a request goes: null if that partition does not serve. */
  #target({ headers }: IncomingMessage): { readonly url: URL | null; readonly isKnown: boolean } {
    const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    const home = token === undefined ? undefined : this.#homes.get(digestOf(token));
    const url = this.#options.urlOf(home ?? this.#first);
    return { url: url === null ? null : new URL(url), isKnown: home !== undefined };
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { url: target, isKnown } = this.#target(request);
    if (target === null) {
      response.writeHead(503, PROBLEM_HEADERS).end(PROBLEM);
      return;
    }
    if (isKnown) keepForAnswer(this.#places, request.socket, response);
    const { method = 'GET', url: path = '/' } = request;
    const { hostname: host, port } = target;
    const headers = passedOn(request.rawHeaders);
    const asked = ask({ host, port, method, path, headers, setHost: false, agent: this.#agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedOn(answer.rawHeaders));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    asked.on('error', () => {
      // An outcome may be unknown: the connection ends without an answer, as with a gateway that was killed.
      if (response.headersSent || method !== 'GET') response.destroy();
      else response.writeHead(503, PROBLEM_HEADERS).end(PROBLEM);
    });
    response.on('close', () => asked.destroy());
    request.pipe(asked);
  }

  #upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const { url: target, isKnown } = this.#target(request);
    if (target === null) {
      client.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    if (isKnown) this.#places.keep(request.socket);
    const worker = connect({ host: target.hostname, port: Number(target.port) });
    const end = (): void => {
      client.destroy();
      worker.destroy();
    };
    for (const side of [client, worker]) side.on('error', end).on('close', end);
    const { method = 'GET', url = '/', rawHeaders } = request;
    const lines = [`${method} ${url} HTTP/1.1`];
    for (let k = 0; k < rawHeaders.length; k += 2) lines.push(`${rawHeaders[k]}: ${rawHeaders[k + 1]}`);
    worker.setNoDelay(true);
    worker.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    worker.write(head);
    client.pipe(worker);
    worker.pipe(client);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Headers as they came, names and repetitions kept, without those of the connection. */
function passedOn(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    if (!OF_CONNECTION.has(rawHeaders[k]!.toLowerCase())) headers.push(rawHeaders[k]!, rawHeaders[k + 1]!);
  }
  return headers;
}
