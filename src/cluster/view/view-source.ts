// The live data of a console's page from all partitions: asked for once a second while a page is open, for all pages together.

import type { DecodedMessage } from '../../administration/mod.ts';
import type { FoundOrder, LiveSource, OverviewPieces } from '../../ops/mod.ts';
import type { OrderSnapshot } from '../../runtime/mod.ts';
import type { NodeView } from './cluster-routes.ts';
import { type Asker, isGood, type Json, LOOK_MS, type Reply } from './fleet.ts';
import { foundOrders } from './list-routes.ts';
import { type MergedOverview, mergedOverview } from './merged-overview.ts';
import type { ViewContext } from './view-context.ts';

/** Pages of the same second share one overview. */
const GIVEN_MS = 500;
const LIMIT = 100;
/** The view itself: a partition shows it everything and lets it do nothing. */
const NOBODY: Asker = { headers: {} };

export interface ViewSourceOptions {
  readonly context: ViewContext;
  readonly startedAt: number;
  readonly certifications: () => readonly string[];
  /** Null outside a cluster. */
  readonly nodes: () => readonly NodeView[] | null;
  readonly certification: LiveSource['certification'];
  /** A partition was started anew: its messages are counted from 1 again, and streams have to begin anew too. */
  readonly onRestart: () => void;
}

export class ViewSource implements LiveSource {
  readonly #options: ViewSourceOptions;
  #present: Promise<MergedOverview> | null = null;
  #until = Number.NEGATIVE_INFINITY;
  #starts: ReadonlyMap<string, number> = new Map();

  constructor(options: ViewSourceOptions) {
    this.#options = options;
  }

  /** The overview, of this half second. */
  whole(): Promise<MergedOverview> {
    const now = performance.now();
    if (this.#present === null || now >= this.#until) {
      this.#until = now + GIVEN_MS;
      this.#present = this.#ask();
    }
    return this.#present;
  }

  /** An action changed something: the next look sees it. */
  forget(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  async overview(): Promise<OverviewPieces> {
    const { sessions, ...rest } = await this.whole();
    return {
      parts: new Map(Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)])),
      sessions: new Map(sessions.map((session) => [session.sessionId, JSON.stringify(session)])),
    };
  }

  async orders({ orders: session, ...asked }: Parameters<LiveSource['orders']>[0]): Promise<unknown> {
    const { partition, clOrdID, orderID, symbol, status, open } = asked;
    const query = queryOf({ session, clOrdID, orderID, symbol, status, open, limit: LIMIT });
    return foundOrders(await this.#look(`/api/orders?${query}`, partition), LIMIT);
  }

  async order(session: string, clOrdID: string): Promise<FoundOrder> {
    const replies = await this.#look(`/api/order?${queryOf({ session, clOrdID })}`);
    const found = replies.find(({ status }) => isGood(status));
    if (found === undefined) return { order: null, hops: null };
    const order = found.json as unknown as OrderSnapshot;
    const query = queryOf({ session: order.sessionId, clOrdID: order.chain[0] ?? clOrdID });
    const asked = { method: 'GET', path: `/api/order/hops?${query}` } as const;
    const { json } = await this.#options.context.fleet.askOne(found.place, NOBODY, asked);
    const hops = (json?.hops as FoundOrder['hops'] | undefined) ?? null;
    return { order: { ...order, partition: found.place.name } as OrderSnapshot, hops };
  }

  async messages(session: string, after: number): Promise<readonly DecodedMessage[]> {
    const path = `/api/sessions/${encodeURIComponent(session)}/messages?after=${after}&limit=${LIMIT}`;
    const found = (await this.#look(path)).find(({ status }) => isGood(status));
    return ((found?.json as Json | undefined)?.messages as readonly DecodedMessage[] | undefined) ?? [];
  }

  certification(name: string): Promise<unknown> {
    return this.#options.certification(name);
  }

  #look(path: string, partition?: string): Promise<Reply[]> {
    const { fleet } = this.#options.context;
    const places = fleet.places().filter(({ name }) => partition === undefined || name === partition);
    return fleet.ask(places, NOBODY, { method: 'GET', path, withinMs: LOOK_MS });
  }

  /** The overview of these partitions. */
  merge(replies: readonly Reply[]): MergedOverview {
    const { context, startedAt, certifications, nodes } = this.#options;
    const { node, now } = context;
    const all = nodes();
    const ofCluster = all === null ? {} : { nodes: all };
    return mergedOverview(replies, { node, now: now(), startedAt, certifications: certifications(), ...ofCluster });
  }

  async #ask(): Promise<MergedOverview> {
    const overview = this.merge(await this.#look('/api/overview'));
    const starts = new Map(this.#starts);
    let isNew = false;
    for (const { name, startedAt: at } of overview.partitions) {
      if (at === null || starts.get(name) === at) continue;
      isNew ||= starts.has(name);
      starts.set(name, at);
    }
    this.#starts = starts;
    if (isNew) this.#options.onRestart();
    return overview;
  }
}

function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query;
}
