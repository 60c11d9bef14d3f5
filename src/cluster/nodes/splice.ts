// Connections between nodes: any node accepts any counterparty, and hands the connection to the node that serves its session. The
// nodes prove themselves to each other (mutual TLS); a PROXY header says who the client is, how it proved itself, and for which
// partition it comes. A connection is handed on once only.

import { once } from 'node:events';
import { createServer, type Server, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { listenFailure } from '../../base/socket-failure.ts';
import { type EngineLog, type HandedConnection, readPrivateKey } from '../../engine/mod.ts';
import type { ClusterConfig } from '../../runtime/mod.ts';
import { detachSocket, LIMITS_DEFAULT, type Place, relayHeader, takeRelayed } from '../../transport/mod.ts';

/** Time for the other node to answer, and for the header of a connection. */
const GREETING_MS = 5_000;

type Tls = ClusterConfig['tls'];

/** Read anew each time: certificates are renewed while a node runs. @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
function keysOf(tls: Tls) {
  const ca = tls.clientAuthority!.read();
  return { key: readPrivateKey(tls), cert: tls.certificate.read(), ca, minVersion: 'TLSv1.3' } as const;
}

/** Connections without a counterparty, by what they carry (ALPN): requests of another node's admin server, or of bridge callers. */
const PROTOCOLS = { admin: 'crossgate-admin', bridge: 'crossgate-bridge' } as const;

export type NodeService = keyof typeof PROTOCOLS;

/** Makes way for none: the node in front of it counts its places. */
const NO_PLACE: Place = { waits: () => {}, proved: () => {}, onEvicted: () => {} };

export interface SpliceOptions {
  readonly config: ClusterConfig;
  /** Takes a connection for a partition that is served here; null if it is not. */
  readonly local: (partition: string) => ((handed: HandedConnection) => void) | null;
  /** Answers another node's requests. */
  readonly answer: (service: NodeService, socket: TLSSocket) => void;
  readonly log: EngineLog;
}

export class NodeSplices {
  readonly #options: SpliceOptions;
  readonly #server: Server;
  readonly #sockets = new Set<{ destroy(): void }>();
  #handedOn = 0;

  private constructor(options: SpliceOptions) {
    this.#options = options;
    const { config } = options;
    const server = createServer({
      ...keysOf(config.tls),
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: GREETING_MS,
      allowHalfOpen: true,
      ALPNProtocols: Object.values(PROTOCOLS),
    });
    server.maxConnections = config.connectionsMax;
    server.on('secureConnection', (socket) => this.#take(socket));
    server.on('tlsClientError', (error, { remoteAddress }) => {
      options.log('warn', `a connection to the cluster port was refused: ${error.message}`, { address: remoteAddress });
    });
    this.#server = server;
  }

  /** @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING, XG_TLS_INVALID */
  static async open(options: SpliceOptions): Promise<NodeSplices> {
    const splices = new NodeSplices(options);
    const { host, port } = options.config;
    const listening = once(splices.#server.listen({ host, port }), 'listening');
    await listening.catch((error: Error) => Promise.reject(listenFailure('cluster port', host, port, error)));
    return splices;
  }

  get port(): number {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  /** Connections that are handed to other nodes now. */
  get handedOn(): number {
    return this.#handedOn;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  #keep(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** From another node. */
  #take(socket: TLSSocket): void {
    this.#keep(socket);
    const { local, answer, log } = this.#options;
    for (const service of ['admin', 'bridge'] as const) {
      if (socket.alpnProtocol !== PROTOCOLS[service]) continue;
      answer(service, socket);
      return;
    }
    takeRelayed(socket, { headerTimeoutMs: GREETING_MS, limits: LIMITS_DEFAULT }, ({ connection, facts }) => {
      const { partition = null, listener, remoteAddress } = facts;
      const take = partition === null ? null : local(partition);
      if (take === null) {
        log('info', 'connection of another node dropped: its partition is not served here now', { partition });
        connection.destroy(`partition ${partition} is not served here now`);
        return;
      }
      log('debug', 'connection taken from another node', { partition, listener, address: remoteAddress });
      take({ connection, first: [], listener, place: NO_PLACE });
    });
  }

  /** A connection for requests to another node. */
  dial(service: NodeService, address: string): TLSSocket {
    const ALPNProtocols = [PROTOCOLS[service]];
    const node = tlsConnect({ ...placeOf(address), ...keysOf(this.#options.config.tls), ALPNProtocols });
    this.#keep(node);
    const timer = setTimeout(() => node.destroy(new Error(`no answer within ${GREETING_MS} ms`)), GREETING_MS);
    for (const event of ['secureConnect', 'close']) node.once(event, () => clearTimeout(timer));
    return node;
  }

  /** Hand a connection to the node that serves its partition. */
  handOn({ connection, first, listener, place: seat }: HandedConnection, partition: string, address: string): void {
    const { config, log } = this.#options;
    const { id, remoteAddress, remotePort, tls } = connection;
    if (this.#handedOn >= config.connectionsMax) {
      log('warn', `connection dropped: ${config.connectionsMax} are handed to other nodes`, { partition, listener });
      connection.destroy('too many connections are handed to other nodes');
      return;
    }
    const client = detachSocket(connection);
    if (client === null) return;
    this.#handedOn++;
    seat.waits();
    seat.onEvicted = () => client.destroy();
    const node = tlsConnect({ ...placeOf(address), ...keysOf(config.tls) });
    this.#keep(node);
    const timer = setTimeout(() => node.destroy(new Error(`no answer within ${GREETING_MS} ms`)), GREETING_MS);
    let reason = 'the other node ended it';
    const end = (): void => {
      clearTimeout(timer);
      client.destroy();
      node.destroy();
    };
    client.on('error', () => {});
    client.once('close', end);
    node.once('error', (error) => {
      reason = error.message;
    });
    node.once('close', () => {
      this.#handedOn--;
      if (!node.authorized) log('warn', `connection dropped: node at ${address}: ${reason}`, { partition, listener });
      end();
    });
    node.once('secureConnect', () => {
      clearTimeout(timer);
      const facts = { remoteAddress, remotePort, tls, listener, id: String(id), partition };
      node.write(Buffer.concat([relayHeader(facts), ...first]));
      client.pipe(node);
      node.pipe(client);
      log('info', 'connection handed to another node', { partition, listener, node: address, address: remoteAddress });
    });
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}
