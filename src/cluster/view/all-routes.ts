// Actions that several partitions carry out: kill switches, News(B), silences, reconciliation, letting sessions in. The answer has the
// outcome in each of them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { combinedAction, isNotThere } from './combined-action.ts';
import type { Reply } from './fleet.ts';
import { sessionPlace } from './one-routes.ts';
import type { PartitionPlace } from './place.ts';
import type { ViewContext } from './view-context.ts';

type Fields = Readonly<Record<string, unknown>>;

const CONFLICT = 409;
const UNAVAILABLE = 503;

/** Add the routes of these actions. */
export function addAllRoutes(app: FastifyInstance, context: ViewContext): void {
  const everywhere = (path: string, isNothing?: (reply: Reply) => boolean): void => {
    app.post(path, async (request, reply) =>
      combined(reply, await context.act(request, context.chosen(request)), isNothing),
    );
  };
  // A session or an account that a partition does not have is not there; a switch for everything is thrown in all.
  for (const action of ['throw', 'lift'] as const) {
    app.post(`/api/kill-switches/${action}`, (request, reply) => killSwitch(context, action, request, reply));
  }
  everywhere('/api/reconcile');
  // Where nothing keeps sessions out, there is nothing to do.
  everywhere('/api/logons/open', ({ status }) => status === CONFLICT);
  everywhere('/api/news/withdraw');
  app.post('/api/news', async (request, reply) => {
    const { sessions = [], ...content } = (request.body ?? {}) as Fields;
    if (!Array.isArray(sessions) || sessions.length === 0) {
      return combined(reply, await context.act(request, context.chosen(request)));
    }
    const bySession = new Map<PartitionPlace, string[]>();
    for (const name of new Set(sessions.map(String))) {
      const place = await sessionPlace(context, request, reply, name);
      if (place === null) return reply;
      bySession.set(place, [...(bySession.get(place) ?? []), name]);
    }
    const replies = await Promise.all(
      [...bySession].map(([place, names]) => context.act(request, [place], { ...content, sessions: names })),
    );
    return combined(reply, replies.flat());
  });
  app.post('/api/alarms/silences', async (request, reply) => silence(context, request, reply));
}

/**
 * In a cluster a switch is a row besides, for partitions that start later. Thrown, it acts first. Lifted, the row comes first: one
 * that stayed would be thrown again in the next partition.
 */
async function killSwitch(
  context: ViewContext,
  action: 'throw' | 'lift',
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { switches, ops } = context;
  const { scope, name = '', why } = (request.body ?? {}) as Readonly<Record<string, string>>;
  const note = async (): Promise<string | null> => {
    if (switches === null || scope === undefined || why === undefined) return null;
    try {
      await switches[action](scope, scope === 'all' ? '' : name, why, context.nameOf(request));
      return null;
    } catch (error) {
      return `the switch could not be noted for the cluster: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  if (action === 'lift') {
    const failure = await note();
    if (failure !== null) return ops.problem(reply, UNAVAILABLE, `Not lifted: ${failure}.`);
  }
  const replies = await context.act(request, context.chosen(request));
  // Nothing is noted of a session or an account that no partition has.
  const isKnown = scope === 'all' || replies.some((one) => !isNotThere(one));
  const failure = action === 'throw' && isKnown ? await note() : null;
  if (failure === null && replies.length === 0 && switches !== null) {
    return reply.send({ done: true, text: 'Noted: each node does it in its partitions.', partitions: [] });
  }
  if (failure === null) return combined(reply, replies);
  const { text } = combinedAction(replies).body;
  return ops.problem(reply, UNAVAILABLE, `${text} But ${failure}. Throw it again.`);
}

async function silence(context: ViewContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { session } = (request.body ?? {}) as Fields;
  if (typeof session !== 'string') return combined(reply, await context.act(request, context.chosen(request)));
  const place = await sessionPlace(context, request, reply, session);
  return place === null ? reply : combined(reply, await context.act(request, [place]));
}

function combined(reply: FastifyReply, replies: readonly Reply[], isNothing = isNotThere): FastifyReply {
  const { status, body } = combinedAction(replies, isNothing);
  if (status < 400) return reply.code(status).send(body);
  // As one gateway refuses, with the words of each partition behind it.
  const refusal = { type: 'about:blank', title: 'Refused', status, detail: body.text, partitions: body.partitions };
  return reply.code(status).type('application/problem+json').send(refusal);
}
