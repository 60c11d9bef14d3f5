// Lists over all partitions: sessions, orders, alarms and everything else that a page or a table shows.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SessionView } from '../../administration/mod.ts';
import type { Alarm } from '../../engine/mod.ts';
import type { OpenAlarm, ProposalView, Silence } from '../../ops/mod.ts';
import type { AuctionPhase, KillSwitchView, OrderSnapshot } from '../../runtime/mod.ts';
import { isGood, type Reply } from './fleet.ts';
import {
  mergedAlarms,
  mergedKillSwitches,
  mergedOpenAlarms,
  mergedOrders,
  mergedProposals,
  mergedSessions,
  mergedSilences,
  rowsIn,
} from './merged-lists.ts';
import { mergedAuctions } from './merged-overview.ts';
import { askedAfter, mergedPlots, type Plots } from './merged-plots.ts';
import type { ViewContext } from './view-context.ts';

/** Of the plots of every partition. */
const STEP_MS = 2_000;
/** As one gateway has it where a request says nothing. */
const LIMIT_DEFAULT = 100;

/** Add the lists. */
export function addListRoutes(app: FastifyInstance, context: ViewContext): void {
  const list = (path: string, merge: (replies: readonly Reply[], request: FastifyRequest) => object): void => {
    app.get(path, async (request, reply) => {
      const replies = await context.look(request);
      return context.answer(reply, replies, () => merge(replies, request));
    });
  };
  list('/api/sessions', (replies) => ({ sessions: mergedSessions(rowsIn<SessionView>(replies, 'sessions')) }));
  list('/api/orders', (replies, request) => foundOrders(replies, limitOf(request)));
  list('/api/alarms', (replies, request) => ({
    alarms: mergedAlarms(rowsIn<Alarm>(replies, 'alarms'), limitOf(request)),
  }));
  list('/api/alarms/open', (replies) => ({ alarms: mergedOpenAlarms(rowsIn<OpenAlarm>(replies, 'alarms')) }));
  list('/api/alarms/silences', (replies) => ({ silences: mergedSilences(rowsIn<Silence>(replies, 'silences')) }));
  list('/api/kill-switches', (replies) => ({
    killSwitches: mergedKillSwitches(rowsIn<KillSwitchView>(replies, 'killSwitches')),
  }));
  list('/api/auctions', (replies) => ({ auctions: mergedAuctions(rowsIn<AuctionPhase>(replies, 'auctions')) }));
  list('/api/proposals', (replies) => ({ proposals: mergedProposals(rowsIn<ProposalView>(replies, 'proposals')) }));
  list('/api/news', plannedStops);
  app.get('/api/plots', async (request, reply) => {
    const { after = '0' } = request.query as { readonly after?: string };
    const from = askedAfter(Number(after) || 0, STEP_MS);
    const replies = await context.look(request, context.chosen(request), `/api/plots?after=${from}`);
    return context.answer(reply, replies, () => {
      const parts = replies
        .filter(({ status }) => isGood(status))
        .map(({ place: { name }, json }) => ({ name, plots: json as unknown as Plots }));
      return mergedPlots(parts, STEP_MS, context.now());
    });
  });
}

/** Orders of all partitions, the latest first. */
export function foundOrders(replies: readonly Reply[], limit: number): object {
  const { orders, isCut } = mergedOrders(rowsIn<OrderSnapshot>(replies, 'orders'), limit);
  return { orders, more: isCut || replies.some(({ json }) => json?.more === true) };
}

interface StopOfOne {
  readonly stopAt: number;
}

/** The first stop that is planned somewhere, with the partitions that stop then. */
function plannedStops(replies: readonly Reply[]): object {
  const stops = replies.flatMap(({ place, json }) => {
    const stop = json?.plannedStop as StopOfOne | null | undefined;
    return stop ? [{ ...stop, partition: place.name }] : [];
  });
  stops.sort((a, b) => a.stopAt - b.stopAt);
  const [first] = stops;
  if (first === undefined) return { plannedStop: null };
  const { partition: _, ...plannedStop } = first;
  return { plannedStop, plannedStops: stops };
}

function limitOf({ query }: FastifyRequest): number {
  return Number((query as { readonly limit?: string }).limit ?? LIMIT_DEFAULT) || LIMIT_DEFAULT;
}
