// Requests about one session, order, alarm or proposal: they go to the partition that has it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isGood, LONG_ACTION_MS, type Reply } from './fleet.ts';
import { placedId } from './merged-lists.ts';
import type { PartitionPlace } from './place.ts';
import type { ViewContext } from './view-context.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Add the routes about one thing. */
export function addOneRoutes(app: FastifyInstance, context: ViewContext): void {
  addLooks(app, context);
  addSessionActions(app, context);
  addOrderActions(app, context);
  addAlarmActions(app, context);
  for (const action of ['confirm', 'withdraw']) {
    app.post(`/api/proposals/:id/${action}`, async (request, reply) => {
      const { id } = request.params as { readonly id: string };
      const replies = await context.look(request, context.chosen(request), '/api/proposals');
      const has = ({ json }: Reply): boolean => rowsWithId(json?.proposals, id);
      const place = replies.find(has)?.place;
      // A partition that knows it no more says why; one that is silent may have it.
      if (place !== undefined) return await passAct(context, request, reply, place, LONG_ACTION_MS);
      const silent = replies.filter(({ silence }) => silence !== null);
      if (silent.length > 0) return context.refuse(reply, silent, `No partition that answers has proposal ${id}`);
      return await anyone(context, request, reply);
    });
  }
}

function addLooks(app: FastifyInstance, context: ViewContext): void {
  const look = (path: string, what: (request: FastifyRequest) => string): void => {
    app.get(path, async (request, reply) => {
      const found = context.onlyOne(reply, await context.look(request), what(request));
      return found === null ? reply : context.pass(reply, found);
    });
  };
  look('/api/sessions/:name', sessionInWords);
  look('/api/sessions/:name/messages', sessionInWords);
  look('/api/order', () => 'this order');
  look('/api/plots/session', ({ query }) => `session ${(query as { readonly session?: string }).session}`);
  // Only the partition of an order knows its way; the others say null.
  app.get('/api/order/hops', async (request, reply) => {
    const replies = await context.look(request);
    const found =
      replies.find(({ json }) => (json?.hops ?? null) !== null) ?? replies.find(({ status }) => isGood(status));
    return found === undefined ? context.refuse(reply, replies, 'No partition answers') : context.pass(reply, found);
  });
  // All hear the same of the exchange, and know the same Prometheus.
  for (const path of ['/api/plots/auctions', '/api/plots/range']) {
    app.get(path, async (request, reply) => {
      const replies = await context.look(request);
      const found = replies.find(({ status }) => isGood(status));
      return found === undefined ? context.refuse(reply, replies, 'No partition answers') : context.pass(reply, found);
    });
  }
}

function addSessionActions(app: FastifyInstance, context: ViewContext): void {
  for (const action of ['logout', 'disable', 'enable', 'open', 'numbers']) {
    app.post(`/api/sessions/:name/${action}`, async (request, reply) => {
      const { name } = request.params as { readonly name: string };
      const found = await sessionPlace(context, request, reply, name);
      return found === null ? reply : await passAct(context, request, reply, found);
    });
  }
}

function addOrderActions(app: FastifyInstance, context: ViewContext): void {
  for (const action of ['resolve', 'cancel']) {
    app.post(`/api/orders/${action}`, async (request, reply) => {
      const { session = '', clOrdID = '' } = (request.body ?? {}) as Fields;
      const query = new URLSearchParams({ session: String(session), clOrdID: String(clOrdID) });
      const replies = await context.look(request, context.chosen(request), `/api/order?${query}`);
      const found = context.onlyOne(reply, replies, `order ${clOrdID} of session ${session}`);
      return found === null ? reply : await passAct(context, request, reply, found.place);
    });
  }
  app.post('/api/orders/adopt', async (request, reply) => {
    const { session = '' } = (request.body ?? {}) as Fields;
    const found = await sessionPlace(context, request, reply, String(session));
    return found === null ? reply : await passAct(context, request, reply, found, LONG_ACTION_MS);
  });
}

function addAlarmActions(app: FastifyInstance, context: ViewContext): void {
  for (const [path, list, key] of [
    ['/api/alarms/acknowledge', '/api/alarms/open', 'alarms'],
    ['/api/alarms/silences/end', '/api/alarms/silences', 'silences'],
  ] as const) {
    app.post(path, async (request, reply) => {
      const body = (request.body ?? {}) as Fields;
      const { partition, id } = placedId(String(body.id ?? ''));
      const places = context.chosen(request).filter(({ name }) => partition === null || name === partition);
      if (partition !== null || places.length === 1) {
        const [place] = places;
        if (place === undefined) return context.ops.problem(reply, 404, `There is no partition "${partition}".`);
        const [done] = await context.act(request, [place], { ...body, id });
        return context.pass(reply, done!);
      }
      // As a message of one partition names it. Each counts for itself.
      const replies = await context.look(request, places, list);
      const having = replies.filter(({ json }) => rowsWithId(json?.[key], id));
      const [one, ...more] = having;
      if (one === undefined || more.length > 0) {
        const text = one === undefined ? `No partition that answers has ${id}.` : `Several partitions have ${id}.`;
        return context.ops.problem(reply, 404, `${text} Write it as PARTITION/${id}; the list shows it so.`);
      }
      const [done] = await context.act(request, [one.place], { ...body, id });
      return context.pass(reply, done!);
    });
  }
}

/** The partition of a session; null where the request was answered because there is none, or not one only. */
export async function sessionPlace(
  context: ViewContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<PartitionPlace | null> {
  const path = `/api/sessions/${encodeURIComponent(name)}`;
  const replies = await context.look(request, context.chosen(request), path);
  return context.onlyOne(reply, replies, `session ${name}`)?.place ?? null;
}

/** Have one partition do it, and pass its answer on. */
async function passAct(
  context: ViewContext,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PartitionPlace,
  withinMs?: number,
): Promise<FastifyReply> {
  const [done] = await context.act(request, [place], request.body, { withinMs });
  if (done!.silence === null) return context.pass(reply, done!);
  const doubt = done!.mayBeDone ? 'it may be done, or may still be' : 'nothing was done';
  const text = `Partition ${place.name} on ${place.node} ${done!.silence}: ${doubt}.`;
  return context.ops.problem(reply, 503, text);
}

/** The words of a partition that lacks what was asked for. */
async function anyone(context: ViewContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const [place] = context.chosen(request);
  if (place === undefined) return context.refuse(reply, [], 'No partition answers');
  return await passAct(context, request, reply, place);
}

function sessionInWords({ params }: FastifyRequest): string {
  return `session ${(params as { readonly name: string }).name}`;
}

function rowsWithId(rows: unknown, id: string): boolean {
  return Array.isArray(rows) && rows.some((row: Fields) => row.id === id);
}
