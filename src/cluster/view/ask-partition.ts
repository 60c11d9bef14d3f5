// One request to the admin API of a partition, within a time and a size. Looks go over connections that stay open; an action has a
// connection of its own, so that one which was closed meanwhile leaves no doubt whether it was done.

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { PeerAgents } from '../nodes/peer-agent.ts';
import type { PartitionPlace } from './place.ts';

/** A connection to another node of the cluster, which has proved itself. */
export type Dial = (address: string) => Duplex;

export interface Question {
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly withinMs: number;
}

/** An answer, or why there is none. */
export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | {
      readonly kind: 'silent';
      readonly why: string;
      /** False where the partition cannot have got it. */
      readonly mayBeDone: boolean;
    };

/** Of one answer: a thousand sessions take less than two. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Open connections to each partition. */
const CONNECTIONS_MAX = 8;
/** Of an address that another node serves. */
export const PEER_PROTOCOL = 'node:';
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

export class PartitionClient {
  readonly #dial: Dial | null;
  readonly #local = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  readonly #peers = new PeerAgents(CONNECTIONS_MAX);

  /** @param dial absent: this node is the only one */
  constructor(dial: Dial | null = null) {
    this.#dial = dial;
  }

  /** Ask. Never rejects. */
  async ask(place: PartitionPlace, question: Question): Promise<Answer> {
    const { adminUrl } = place;
    if (adminUrl === null) return { kind: 'silent', why: `is ${place.state}`, mayBeDone: false };
    const signal = AbortSignal.timeout(question.withinMs);
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#send(new URL(`${adminUrl}${question.path}`), place, question, signal);
        return {
          kind: 'answer',
          status: answer.statusCode!,
          headers: answer.headers,
          text: await textOf(answer, ANSWER_BYTES_MAX),
        };
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // The partition closed the connection that was kept: nothing was read of this.
        if (question.method === 'GET' && tries === 1 && CLOSED.has(code)) continue;
        const late = `has not answered within ${question.withinMs / 1_000} s`;
        const why = signal.aborted ? late : `does not answer (${code ?? message})`;
        return { kind: 'silent', why, mayBeDone: code !== 'ECONNREFUSED' };
      }
    }
  }

  close(): void {
    for (const agent of [this.#local, this.#peers]) agent.destroy();
  }

  #send(url: URL, place: PartitionPlace, question: Question, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, headers, body } = question;
    const isPeer = url.protocol === PEER_PROTOCOL;
    const { host } = url;
    const dial = (): Duplex => this.#dial!(host);
    // An agent would leave `createConnection` out.
    const alone = isPeer ? { createConnection: dial } : { agent: false };
    const way = method === 'GET' ? { agent: isPeer ? this.#peers.to(host, dial) : this.#local } : alone;
    const token = isPeer ? {} : { authorization: `Bearer ${place.token}` };
    const target = { host: url.hostname, port: url.port, path: `${url.pathname}${url.search}` };
    return new Promise((resolve, reject) => {
      request({ ...target, ...way, method, headers: { ...headers, ...token }, signal }, resolve)
        .on('error', reject)
        .end(body);
    });
  }
}

/** The body of a request or an answer. @throws Error if it is longer than that */
export async function textOf(message: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
