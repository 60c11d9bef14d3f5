// One stream of events for a page of the console. Once a second it has what changed of the overview, of the orders that match, of the
// chosen order and of the chosen session's messages. The page reads server-sent events by fetch: the token stays in a header.

import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Administration } from '../../administration/mod.ts';
import { type Static, Type } from '../../base/schema.ts';
import type { Certifications } from '../../certification/mod.ts';
import type { OrderSnapshot } from '../../runtime/mod.ts';
import type { Caller } from '../checks/admin-users.ts';
import type { OrderHops } from '../metrics/order-hops.ts';
import { VERSION_HEADER } from './admin-access.ts';
import { type LiveOverview, OverviewDifference } from './live-overview.ts';
import { ordStatusOf } from './order-status.ts';
import { problem } from './problem.ts';

const TICK_MS = 1_000;
/** Pages that are open at the same time; the connections of the admin API are bounded too. */
const STREAMS_MAX = 50;
const NAME = Type.Optional(Type.String({ minLength: 1, maxLength: 512 }));
const LIMIT = 100;

const StreamQuery = Type.Object(
  {
    /** The session with its messages. */
    session: NAME,
    /** Orders that match. */
    orders: NAME,
    clOrdID: NAME,
    orderID: NAME,
    symbol: NAME,
    status: NAME,
    open: Type.Boolean({ default: false }),
    /** The order with all that happened. */
    orderSession: NAME,
    order: NAME,
    certification: NAME,
    /** Only the overview, for views without lists. */
    brief: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);

type Chosen = Static<typeof StreamQuery>;

export interface LiveStreamOptions {
  readonly administration: Administration;
  readonly overview: LiveOverview;
  readonly certifications?: Certifications;
  readonly version: string;
  readonly hops: OrderHops;
  /** Whether the token of a request is still one: tokens change while a stream is open. */
  readonly isAdmitted: (request: FastifyRequest) => boolean;
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** Whether the console offers actions. */
  readonly console: 'actions' | 'read-only';
}

/** The reader of a stream: their name, null for the shared token, and the actions that the page offers. */
export interface Reader {
  readonly user: string | null;
  readonly mayOperate: boolean;
  readonly mayStop: boolean;
  readonly mayLift: boolean;
}

function readerOf({ user, roles }: Caller, isReadOnly: boolean): Reader {
  const mayOperate = !isReadOnly && roles.includes('operate');
  const mayStop = mayOperate || (!isReadOnly && roles.includes('kill'));
  return { user, mayOperate, mayStop, mayLift: !isReadOnly && user !== null && roles.includes('lift') };
}

/** Add GET /api/stream. */
export function addLiveStream(app: FastifyInstance, options: LiveStreamOptions): void {
  const open = new Set<Stream>();
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end();
  });
  app.get<{ Querystring: Chosen }>('/api/stream', { schema: { querystring: StreamQuery } }, async (request, reply) => {
    if (open.size >= STREAMS_MAX) return problem(reply, 503, `${STREAMS_MAX} pages of the console are open already.`);
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      [VERSION_HEADER]: options.version,
    });
    const reader = readerOf(options.callerOf(request), options.console === 'read-only');
    reply.raw.write(`data: {"reader":${JSON.stringify(reader)},"overview":{}}\n\n`);
    const stream = new Stream(reply.raw, request.query, options, () => options.isAdmitted(request));
    open.add(stream);
    reply.raw.once('close', () => {
      stream.end();
      open.delete(stream);
    });
    return reply;
  });
}

class Stream {
  readonly #out: ServerResponse;
  readonly #chosen: Chosen;
  readonly #options: LiveStreamOptions;
  readonly #isAdmitted: () => boolean;
  readonly #timer: NodeJS.Timeout;
  readonly #difference = new OverviewDifference();
  /** The last JSON of each part. */
  readonly #sent = new Map<string, string>();
  #serial = 0;
  #isAsking = false;

  constructor(out: ServerResponse, chosen: Chosen, options: LiveStreamOptions, isAdmitted: () => boolean) {
    this.#out = out;
    this.#chosen = chosen;
    this.#options = options;
    this.#isAdmitted = isAdmitted;
    this.#timer = setInterval(() => void this.#tick(), TICK_MS);
    void this.#tick();
  }

  end(): void {
    clearInterval(this.#timer);
    if (!this.#out.writableEnded) this.#out.end();
  }

  async #tick(): Promise<void> {
    // A page that reads slowly gets the newest state later, and nothing piles up here.
    if (this.#out.writableNeedDrain || this.#isAsking) return;
    if (!this.#isAdmitted()) {
      this.end();
      return;
    }
    const parts = [`"overview":${this.#difference.next(this.#options.overview.pieces())}`];
    if (!this.#chosen.brief) {
      this.#add(parts, 'found', this.#found());
      const order = this.#order();
      this.#add(parts, 'order', order);
      const first = order?.chain[0];
      if (order && first !== undefined) this.#add(parts, 'hops', this.#options.hops.of(order.sessionId, first));
      this.#messages(parts);
      await this.#certification(parts);
    }
    if (!this.#out.writableEnded) this.#out.write(`data: {${parts.join(',')}}\n\n`);
  }

  #add(parts: string[], name: string, value: unknown): void {
    if (value === undefined) return;
    const json = JSON.stringify(value);
    if (this.#sent.get(name) === json) return;
    this.#sent.set(name, json);
    parts.push(`${JSON.stringify(name)}:${json}`);
  }

  #found(): unknown {
    const { orders: sessionId, clOrdID, orderID, symbol, status, open } = this.#chosen;
    const ordStatus = status === undefined ? undefined : (ordStatusOf(status) ?? status);
    const given = { sessionId, clOrdID, orderID, symbol, status: ordStatus };
    const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const { orders, more } = this.#options.administration.orders.search({ ...filter, openOnly: open, limit: LIMIT });
    return { orders: orders.map(({ timeline: _, ...order }) => order), more };
  }

  #order(): OrderSnapshot | null | undefined {
    const { order, orderSession } = this.#chosen;
    if (order === undefined || orderSession === undefined) return undefined;
    return this.#options.administration.orders.find(orderSession, order);
  }

  #messages(parts: string[]): void {
    const { session } = this.#chosen;
    if (session === undefined) return;
    const messages = this.#options.administration.messages(session, this.#serial, LIMIT) ?? [];
    const last = messages.at(-1);
    if (last === undefined) return;
    this.#serial = last.serial;
    parts.push(`"messages":${JSON.stringify(messages)}`);
  }

  async #certification(parts: string[]): Promise<void> {
    const { certification } = this.#chosen;
    const { certifications } = this.#options;
    if (certification === undefined || certifications === undefined) return;
    this.#isAsking = true;
    try {
      this.#add(parts, 'desk', await certifications.ask(certification, { kind: 'view', brief: true }));
    } catch {
      this.#add(parts, 'desk', null);
    } finally {
      this.#isAsking = false;
    }
  }
}
