// The port of the bridge on a node with partitions: each request goes to the partition of its caller, known by the token, here or
// through the node that serves it. Requests without a known token go to the first partition, which answers them as every bridge does.
// It names the client of each request, since a partition sees the connections of this process only. Nothing of a request is logged.

import { createHash } from 'node:crypto';
import { Agent, request as ask, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CrossgateError } from '../../base/errors.ts';
import { httpUrl } from '../../base/host-port.ts';
import { ConnectionPlaces, keepForAnswer, placeConnections } from '../../base/places/connection-places.ts';
import { plainAddress } from '../../base/places/origin.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { Seldom } from '../../base/seldom.ts';
import { listenFailure } from '../../base/socket-failure.ts';
import { asksForWebSocket } from '../../base/websocket-upgrade.ts';
import { type EngineLog, HttpsDoor } from '../../engine/mod.ts';
import {
  type BridgeClient,
  type BridgeConfig,
  bridgeTokenIn,
  clientNamedIn,
  type EngineConfig,
  FRONT_HEADERS,
  headersNaming,
} from '../../runtime/mod.ts';
import { PeerAgents } from '../nodes/peer-agent.ts';
import { partitionsOf } from '../partitions/partition.ts';
import type { RunningPartition } from '../workers/partition-host.ts';
import { OneByOne } from './one-by-one.ts';

/** Headers of one connection only (RFC 9110, section 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade']);
const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'The partition of this caller does not serve now: try again in a second.',
});
/** That there is no room is logged at most this often. */
const FULL_LOG_MS = 10_000;
const PROBLEM_HEADERS = { 'content-type': 'application/problem+json', 'retry-after': '1' } as const;

/** Where the bridge of a partition is. */
export type BridgeWay =
  | {
      readonly kind: 'here';
      readonly url: string;
      /** Beside it the partition believes which client a request is of. */
      readonly token: string;
    }
  /** At the front of another node, which has to prove itself on each connection. */
  | { readonly kind: 'node'; readonly address: string; readonly dial: () => Duplex };

/** The bridge of a partition that runs here; null without one. */
export function bridgeHere({ bridgeUrl, nodeToken }: RunningPartition): BridgeWay | null {
  return bridgeUrl === null ? null : { kind: 'here', url: bridgeUrl, token: nodeToken };
}

export interface BridgeFrontOptions {
  readonly config: EngineConfig;
  /** Null while no node serves the partition. */
  readonly wayTo: (partition: string) => BridgeWay | null;
  readonly log: EngineLog;
}

/** How a connection for a request is made. */
interface Way {
  readonly agent: Agent;
  readonly connect: () => Duplex;
  /** Of a partition here. */
  readonly place: { readonly host?: string; readonly port?: string };
  /** Null towards another node. */
  readonly token: string | null;
}

export class BridgeFront {
  readonly #options: BridgeFrontOptions;
  readonly #bridge: BridgeConfig;
  readonly #door: HttpsDoor | null;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  /** To the fronts of other nodes. */
  readonly #nodes = new PeerAgents();
  /** Answers those fronts, from partitions of this node only: nothing goes round. */
  readonly #peers: Server;
  readonly #places: ConnectionPlaces<Socket>;
  readonly #turns = new OneByOne();
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
      // Over a connection that is passed on as it is, a client would choose the headers of its next request.
      shouldUpgradeCallback: asksForWebSocket,
    };
    const handler = (request: IncomingMessage, response: ServerResponse): void =>
      this.#turns.take(request.socket, response, () => {
        const { way, isKnown } = this.#target(request);
        if (way !== null && isKnown) keepForAnswer(this.#places, request.socket, response);
        pass(request, response, way, this.#clientOf(request));
      });
    this.#server = this.#door === null ? createServer(http, handler) : this.#door.createServer(http, handler);
    this.#server.on('upgrade', (request, socket, head) => {
      const { way, isKnown } = this.#target(request);
      if (way !== null && isKnown) this.#places.keep(request.socket);
      upgrade({ request, client: socket, head, way, from: this.#clientOf(request) });
    });
    const here = (request: IncomingMessage): Way | null => this.#target(request, true).way;
    // The node in front names the client.
    const named = (request: IncomingMessage): BridgeClient => clientNamedIn(request.headers) ?? this.#clientOf(request);
    this.#peers = createServer(http, (request, response) => pass(request, response, here(request), named(request)));
    this.#peers.on('upgrade', (request, client, head) =>
      upgrade({ request, client, head, way: here(request), from: named(request) }),
    );
    this.#places = this.#newPlaces(limits.connectionsMax);
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

  /** Answer the front of another node, on a connection that has proved itself. */
  takePeer(socket: Duplex): void {
    this.#peers.emit('connection', socket);
  }

  /** Take no connections any more; answers that partitions still give pass. */
  closePort(): void {
    this.#server.close();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const agent of [this.#agent, this.#nodes]) agent.destroy();
    await closed;
  }

  #newPlaces(connectionsMax: number): ConnectionPlaces<Socket> {
    const full = new Seldom(FULL_LOG_MS);
    return new ConnectionPlaces<Socket>(connectionsMax, () => {
      const text = `bridge: ${connectionsMax} connections are open: one that rests makes way for each that comes`;
      full.tell('full', performance.now(), {}, (fields) => this.#options.log('warn', text, fields));
    });
  }

  /** At the other end of the connection. */
  #clientOf({ socket }: IncomingMessage): BridgeClient {
    return { address: plainAddress(socket.remoteAddress ?? ''), isSecure: this.#door !== null };
  }

  /** Where a request goes: null if that partition does not serve, or not here. */
  #target(request: IncomingMessage, isHereOnly = false): { readonly way: Way | null; readonly isKnown: boolean } {
    const token = bridgeTokenIn(request.headers, asksForWebSocket(request));
    const home = token === null ? undefined : this.#homes.get(digestOf(token));
    const way = this.#options.wayTo(home ?? this.#first);
    const isOut = way === null || (isHereOnly && way.kind === 'node');
    return { way: isOut ? null : this.#wayOf(way), isKnown: home !== undefined };
  }

  #wayOf(way: BridgeWay): Way {
    if (way.kind === 'here') {
      const { hostname: host, port } = new URL(way.url);
      const connectHere = (): Socket => connect({ host, port: Number(port) }).setNoDelay(true);
      return { agent: this.#agent, connect: connectHere, place: { host, port }, token: way.token };
    }
    const { address, dial } = way;
    return { agent: this.#nodes.to(address, dial), connect: dial, place: {}, token: null };
  }
}

function pass(request: IncomingMessage, response: ServerResponse, way: Way | null, from: BridgeClient): void {
  if (way === null) {
    response.writeHead(503, PROBLEM_HEADERS).end(PROBLEM);
    return;
  }
  const { method = 'GET', url: path = '/' } = request;
  const { agent, place, token } = way;
  const headers = [...without(OF_CONNECTION, ofClient(request)), ...headersNaming(from, token)];
  const asked = ask({ ...place, method, path, headers, setHost: false, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, without(OF_CONNECTION, answer.rawHeaders));
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

interface Upgrade {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  readonly head: Buffer;
  readonly way: Way | null;
  readonly from: BridgeClient;
}

/** Have a partition answer a WebSocket: its bytes both ways. */
function upgrade({ request, client, head, way, from }: Upgrade): void {
  if (way === null) {
    client.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  const worker = way.connect();
  const end = (): void => {
    client.destroy();
    worker.destroy();
  };
  for (const side of [client, worker]) side.on('error', end).on('close', end);
  const { method = 'GET', url = '/' } = request;
  const headers = [...ofClient(request), ...headersNaming(from, way.token)];
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let k = 0; k < headers.length; k += 2) lines.push(`${headers[k]}: ${headers[k + 1]}`);
  worker.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  worker.write(head);
  client.pipe(worker);
  worker.pipe(client);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Headers as the client sent them, without those that only a front sets. */
function ofClient({ rawHeaders }: IncomingMessage): string[] {
  return without(FRONT_HEADERS, rawHeaders);
}

/** Headers as they came, names and repetitions kept, without some. */
function without(names: ReadonlySet<string>, rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    if (!names.has(rawHeaders[k]!.toLowerCase())) headers.push(rawHeaders[k]!, rawHeaders[k + 1]!);
  }
  return headers;
}
