// Long answers of the admin API, compressed for clients that accept it: with a thousand sessions, a second of the
// console is hundreds of kilobytes of nearly equal words. A thread of Node.js does it: the event loop is the orders'.

import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** A shorter answer takes a few packets either way. */
const CHARACTERS_MIN = 8_192;
/** The stronger levels take several times as long for a tenth of the size. */
const LEVEL = constants.Z_BEST_SPEED;

const gzipped = promisify(gzip);

/** Compresses the answers of every route added behind it. */
export function compressAnswers(app: FastifyInstance): void {
  const compression = new Compression();
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < CHARACTERS_MIN) return payload;
    reply.header('vary', 'accept-encoding');
    if (!takesGzip(request.headers)) return payload;
    reply.header('content-encoding', 'gzip');
    return await compression.of(payload);
  });
}

/** Remembers the last one: a shared answer (cached-answer.ts) is the same for every page that is open. */
export class Compression {
  #text = '';
  #compressed: Promise<Buffer> | null = null;

  of(text: string): Promise<Buffer> {
    if (this.#compressed === null || text !== this.#text) {
      this.#text = text;
      this.#compressed = gzipped(text, { level: LEVEL });
    }
    return this.#compressed;
  }
}

/** By Accept-Encoding (RFC 9110, 12.5.3): named, or meant by `*`, and not by a weight of 0. */
function takesGzip({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean {
  const weights = new Map<string, number>();
  for (const one of String(accepted).toLowerCase().split(',')) {
    const [coding = '', weight = ''] = one.split(';').map((part) => part.trim());
    weights.set(coding, weight === '' ? 1 : Number(/^q\s*=\s*([\d.]+)$/.exec(weight)?.[1] ?? 0));
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
