// The past out of the journals of all partitions, in pages, the latest first.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isGood, type Reply, statesOf } from './fleet.ts';
import { type Cursors, cursorsOf, mergedPage, type PageOfOne } from './merged-pages.ts';
import type { PartitionPlace } from './place.ts';
import type { ViewContext } from './view-context.ts';

const LIMIT_DEFAULT = 50;
/** A search of one partition may take a second and a half, and its thread may be busy with another one. */
const SEARCH_MS = 10_000;
const BAD_REQUEST = 400;
const OVER: PageOfOne<never> = { found: [], next: null, reachedAt: null, unread: [] };

/** Add the routes below /api/history. */
export function addHistoryRoutes(app: FastifyInstance, context: ViewContext): void {
  for (const subject of ['messages', 'orders', 'actions', 'alarms']) {
    app.get(`/api/history/${subject}`, async (request, reply) => {
      const { before: given, limit = String(LIMIT_DEFAULT) } = request.query as { before?: string; limit?: string };
      const before = cursorsOf(given);
      if (before === null) {
        return context.ops.problem(reply, BAD_REQUEST, '`before` is no place that a page before gave.', 'XG_USAGE');
      }
      const isOver = ({ name }: PartitionPlace): boolean => before.get(name) === null;
      const places = context.chosen(request);
      const replies = await Promise.all(
        places.filter((place) => !isOver(place)).map((place) => pageOf(context, request, place, before)),
      );
      if (replies.length > 0 && !replies.some(({ status }) => isGood(status)))
        return context.refuse(reply, replies, 'No partition answers');
      const pages = new Map<string, PageOfOne<{ readonly place: string }>>();
      for (const place of places) if (isOver(place)) pages.set(place.name, OVER);
      for (const { place, status, json } of replies)
        if (isGood(status)) pages.set(place.name, json as unknown as PageOfOne<{ readonly place: string }>);
      const page = mergedPage(pages, before, Number(limit) || LIMIT_DEFAULT);
      return { ...page, unread: [...page.unread, ...missing(replies)], partitions: statesOf(replies) };
    });
  }
}

function pageOf(context: ViewContext, request: FastifyRequest, place: PartitionPlace, before: Cursors): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.raw.url ?? '', 'http://localhost');
  searchParams.delete('partition');
  searchParams.delete('before');
  const from = before.get(place.name);
  if (typeof from === 'string') searchParams.set('before', from);
  const path = `${pathname}?${searchParams}`;
  return context.fleet.askOne(place, context.askerOf(request), { method: 'GET', path, withinMs: SEARCH_MS });
}

/** For people: a page without the rows of a partition says so. */
function missing(replies: readonly Reply[]): string[] {
  return statesOf(replies.filter(({ status }) => !isGood(status))).map(({ name, state }) => `${name}: ${state}`);
}
