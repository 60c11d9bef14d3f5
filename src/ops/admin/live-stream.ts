// One stream of events for a page of the console. Once a second it has what changed of the overview, of the orders that match, of the
// chosen order and of the chosen session's messages. The page reads server-sent events by fetch: the token stays in a header. Where all
// that comes from is the caller's: one gateway (live-gateway.ts), or all partitions of a node.

import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DecodedMessage } from '../../administration/mod.ts';
import { type Static, Type } from '../../base/schema.ts';
import type { OrderSnapshot } from '../../runtime/mod.ts';
import type { Caller } from '../checks/admin-users.ts';
import type { Hops } from '../metrics/order-hops.ts';
import { VERSION_HEADER } from './admin-access.ts';
import { OverviewDifference, type OverviewPieces } from './live-overview.ts';
import { problem } from './problem.ts';

const TICK_MS = 1_000;
/** Pages that are open at the same time; the connections of the admin API are bounded too. */
const STREAMS_MAX = 50;
const NAME = Type.Optional(Type.String({ minLength: 1, maxLength: 512 }));
/** Orders and messages of one piece. */
export const LIVE_LIMIT = 100;

const StreamQuery = Type.Object(
  {
    /** The session with its messages. */
    session: NAME,
    /** Orders that match. */
    orders: NAME,
    /** Of a gateway that runs several: the one that these orders are in. */
    partition: NAME,
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

/** The orders that a page asks for. */
export type LiveOrders = Pick<Chosen, 'orders' | 'partition' | 'clOrdID' | 'orderID' | 'symbol' | 'status' | 'open'>;

/** Where the pieces come from; each is asked for once a second. */
export interface LiveSource {
  overview(): OverviewPieces | Promise<OverviewPieces>;
  /** LIVE_LIMIT orders that match, the latest first. */
  orders(asked: LiveOrders): unknown;
  /** An order with the way it went; null if it is not known. */
  order(session: string, clOrdID: string): FoundOrder | Promise<FoundOrder>;
  /** LIVE_LIMIT messages of a session behind a serial, the oldest first. */
  messages(session: string, after: number): readonly DecodedMessage[] | Promise<readonly DecodedMessage[]>;
  /** Progress of a certification; null if it is not known. */
  certification(name: string): Promise<unknown>;
}

export interface FoundOrder {
  readonly order: OrderSnapshot | null;
  /** Null where it is not among the latest. */
  readonly hops: Hops | null;
}

export interface LiveStreamOptions {
  readonly source: LiveSource;
  readonly version: string;
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

/** Add GET /api/stream. The answer ends every stream: pages open it again, and begin anew. */
export function addLiveStream(app: FastifyInstance, options: LiveStreamOptions): () => void {
  const open = new Set<Stream>();
  const end = (): void => {
    for (const stream of open) stream.end();
  };
  app.addHook('preClose', async () => end());
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
  return end;
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
    this.#isAsking = true;
    try {
      const parts = await this.#parts();
      if (!this.#out.writableEnded) this.#out.write(`data: {${parts.join(',')}}\n\n`);
    } finally {
      this.#isAsking = false;
    }
  }

  async #parts(): Promise<string[]> {
    const { source } = this.#options;
    const { brief, session, order, orderSession, certification } = this.#chosen;
    const parts = [`"overview":${this.#difference.next(await source.overview())}`];
    if (brief) return parts;
    this.#add(parts, 'found', await source.orders(this.#chosen));
    if (order !== undefined && orderSession !== undefined) {
      const found = await source.order(orderSession, order);
      this.#add(parts, 'order', found.order);
      if (found.order !== null) this.#add(parts, 'hops', found.hops);
    }
    if (session !== undefined) this.#addMessages(parts, await source.messages(session, this.#serial));
    if (certification !== undefined) this.#add(parts, 'desk', await source.certification(certification));
    return parts;
  }

  #add(parts: string[], name: string, value: unknown): void {
    if (value === undefined) return;
    const json = JSON.stringify(value);
    if (this.#sent.get(name) === json) return;
    this.#sent.set(name, json);
    parts.push(`${JSON.stringify(name)}:${json}`);
  }

  #addMessages(parts: string[], messages: readonly DecodedMessage[]): void {
    const last = messages.at(-1);
    if (last === undefined) return;
    this.#serial = last.serial;
    parts.push(`"messages":${JSON.stringify(messages)}`);
  }
}
