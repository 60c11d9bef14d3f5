// The way for other nodes to the partitions of this one, over the mutual TLS of the cluster: the admin API of each below
// `/partitions/NAME`. The other node has checked the caller, and names it as a parent process does.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Answer, PartitionClient, PEER_PROTOCOL, textOf } from './ask-partition.ts';
import { LONG_ACTION_MS } from './fleet.ts';
import type { PartitionPlace } from './place.ts';

const PATH = /^\/partitions\/([\w.-]{1,64})(\/.*)$/s;
/** As a request to an admin API may be, and its words. */
const BODY_BYTES_MAX = 65_536;
const FORWARDED = ['x-crossgate-caller', 'x-crossgate-operator', 'content-type'] as const;
const ARRIVAL_MS = 10_000;

/** The address of a partition that another node serves, at its place in the cluster. */
export function peerUrl(address: string, partition: string): string {
  return `${PEER_PROTOCOL}//${address}/partitions/${partition}`;
}

export class Passage {
  readonly #server = createServer({ headersTimeout: ARRIVAL_MS, requestTimeout: ARRIVAL_MS }, (request, response) => {
    void this.#answer(request, response);
  });
  readonly #client = new PartitionClient();
  readonly #sockets = new Set<Duplex>();
  readonly #placeOf: (partition: string) => PartitionPlace | null;

  /** @param placeOf a partition of this node; null if it is elsewhere */
  constructor(placeOf: (partition: string) => PartitionPlace | null) {
    this.#placeOf = placeOf;
  }

  /** Answer another node on a connection that has proved itself. */
  take(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#server.emit('connection', socket);
  }

  close(): void {
    for (const socket of [...this.#sockets]) socket.destroy();
    this.#client.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name, path] = PATH.exec(request.url ?? '') ?? [];
    const place = name === undefined ? null : this.#placeOf(name);
    const body = place === null ? null : await textOf(request, BODY_BYTES_MAX).catch(() => null);
    if (place === null || body === null) {
      refuse(
        response,
        place === null ? `partition ${name} is not served here now` : 'the request did not arrive whole',
      );
      return;
    }
    const headers: Record<string, string> = {};
    for (const key of FORWARDED) {
      const value = request.headers[key];
      if (typeof value === 'string') headers[key] = value;
    }
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const given = method === 'POST' && body !== '' ? { body } : {};
    // The asking node ends it earlier.
    const question = { method, path: path!, headers, ...given, withinMs: LONG_ACTION_MS } as const;
    send(response, await this.#client.ask(place, question));
  }
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer.kind === 'silent') {
    refuse(response, `the partition ${answer.why}`);
    return;
  }
  const type = answer.headers['content-type'] ?? 'application/json';
  response.writeHead(answer.status, { 'content-type': type }).end(answer.text);
}

/** Without a code: the asking node takes it as no answer. */
function refuse(response: ServerResponse, detail: string): void {
  response.writeHead(503, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ status: 503, detail }));
}
