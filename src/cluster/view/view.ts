// The admin server of a node: the admin API, console, health and metrics that a single gateway has, over a list of partitions that
// changes while it runs. Partitions may live on this node or on others. Leaves running them to the workers' shelf.

import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { EngineLog } from '../../engine/mod.ts';
import {
  type AdminAccess,
  type AdminServer,
  type ConfigurationOptions,
  type LoadedConfiguration,
  type WholeOps,
  wholeOps,
} from '../../ops/mod.ts';
import { addAllRoutes } from './all-routes.ts';
import type { Dial } from './ask-partition.ts';
import { addClusterRoutes, type ViewCluster } from './cluster-routes.ts';
import { addConfigurationRoutes } from './configuration-routes.ts';
import { Fleet } from './fleet.ts';
import { addHistoryRoutes } from './history-routes.ts';
import { addListRoutes } from './list-routes.ts';
import { mergedMetrics, partitionsUp } from './merged-metrics.ts';
import { mergedHealth } from './merged-overview.ts';
import { addOneRoutes } from './one-routes.ts';
import { Passage } from './passage.ts';
import type { PartitionPlace, PartitionState } from './place.ts';
import { RUNNING } from './place.ts';
import { type ClusterSwitches, ViewContext } from './view-context.ts';
import { ViewSource } from './view-source.ts';

type Certifications = Parameters<WholeOps['addCertificationRoutes']>[1]['certifications'];

export interface ViewOptions {
  /** How the configuration was loaded, to load it again. */
  readonly configuration: ConfigurationOptions;
  /** Its admin settings are the view's own. */
  readonly loaded: LoadedConfiguration;
  /** The name of this node; partitions with it count for /readyz and the configuration. */
  readonly node: string;
  /** Asked for each request. */
  readonly partitions: () => readonly PartitionPlace[];
  /** The way to other nodes of a cluster; absent: this node is the only one. */
  readonly dial?: Dial;
  /** Of a cluster: notes kill switches for partitions that start later. */
  readonly switches?: ClusterSwitches;
  /** The nodes of a cluster. */
  readonly cluster?: ViewCluster;
  /** Counterparties that certify their OMS: their desks run in this process. */
  readonly certifications?: Certifications;
  readonly log: EngineLog;
  readonly now: () => number;
  readonly version: string;
  /** The mark of this process, left beside the address. */
  readonly process: string;
}

export interface ViewServer extends AdminServer {
  /** Answer another node, on a connection that has proved itself. */
  takePeer(socket: Duplex): void;
}

/** Answer without a caller: the view looks itself. */
const NOBODY = { headers: {} };
/** As prom-client has it. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serve the admin API of all partitions, at the address that the configuration gives it.
 * @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING
 */
export async function startView(options: ViewOptions): Promise<ViewServer | null> {
  const { loaded, configuration, node, now, log, version, process, dial } = options;
  const { admin, config } = loaded;
  if (admin === null || config === null) return null;
  const ops = await wholeOps();
  const fleet = new Fleet({ partitions: options.partitions, ...(dial === undefined ? {} : { dial }) });
  const own = (): readonly PartitionPlace[] => fleet.places().filter((place) => place.node === node);
  const server = await ops.serveAdmin(
    { ...admin, stateDirectory: config.stateDirectory, now, log, process, version },
    {
      readiness: async () => {
        // A node that was drained takes connections for the others.
        const counted = own().length === 0 ? fleet.places() : own();
        const replies = await fleet.ask(counted, NOBODY, { method: 'GET', path: '/api/overview' });
        const { ready, partlyReady, reasons } = mergedHealth(replies);
        const notices = replies.flatMap(({ json }) => (Array.isArray(json?.notices) ? json.notices : []));
        const partitions = replies.map(({ place: { name }, json, silence }) => {
          const health = json?.health as { ready?: boolean; reasons?: readonly string[] } | undefined;
          return { name, ready: health?.ready === true, reasons: health?.reasons ?? [silence ?? 'it does not say'] };
        });
        return { ready, partlyReady, details: { reasons, notices: [...new Set(notices)], partitions } };
      },
      metrics: { contentType: METRICS_TYPE, render: () => metricsOf(fleet, ops) },
      addRoutes: (guarded, access) => {
        const context = new ViewContext({ ops, fleet, node, now, log, switches: options.switches ?? null }, access);
        addViewRoutes(guarded, context, options, access);
      },
    },
  );
  const endWatch = ops.watchAccess({ configuration, started: loaded, readAgain: server.renewals, log });
  const passage = new Passage((name) => own().find((place) => place.name === name) ?? null);
  return {
    ...server,
    takePeer: (socket) => passage.take(socket),
    async close() {
      endWatch();
      passage.close();
      await server.close();
      fleet.close();
    },
  };
}

/** Add every route below /api: all that one gateway has, over the partitions. */
export function addViewRoutes(
  app: FastifyInstance,
  context: ViewContext,
  options: Pick<ViewOptions, 'loaded' | 'certifications' | 'cluster' | 'version' | 'log' | 'now'>,
  access: AdminAccess,
): void {
  const { ops, fleet } = context;
  const { loaded, certifications, cluster, version, log, now } = options;
  app.addHook('preHandler', async (request, reply) => {
    const refusal = ops.refusalOf(request, access.callerOf(request));
    if (refusal !== null) return ops.problem(reply, 403, refusal);
    const unknown = context.refusalOf(request);
    if (unknown !== null) return ops.problem(reply, 404, unknown);
  });
  addListRoutes(app, context);
  addHistoryRoutes(app, context);
  addOneRoutes(app, context);
  addAllRoutes(app, context);
  addConfigurationRoutes(app, context, cluster !== undefined);
  if (cluster !== undefined) addClusterRoutes(app, context, cluster);
  if (certifications !== undefined) {
    // Each desk keeps its own record of what was done in it.
    const audit = (who: string, action: string, detail: string): void => log('info', `${action}: ${detail}`, { who });
    ops.addCertificationRoutes(app, { certifications, administration: { audit } }, (request) =>
      context.nameOf(request),
    );
  }
  let endStreams = (): void => {};
  const source = new ViewSource({
    context,
    startedAt: now(),
    certifications: () => certifications?.names() ?? [],
    nodes: () => cluster?.nodes() ?? null,
    certification: async (name) => {
      try {
        return (await certifications?.ask(name, { kind: 'view', brief: true })) ?? null;
      } catch {
        return null;
      }
    },
    onRestart: () => endStreams(),
  });
  endStreams = ops.addLiveStream(app, { ...access, source, version, console: loaded.admin!.console });
  app.get('/api/overview', async (request, reply) => {
    const isOfAll = context.chosen(request).length === fleet.places().length;
    const overview = isOfAll ? await source.whole() : source.merge(await context.look(request));
    return reply.type(JSON_TYPE).send(JSON.stringify(overview));
  });
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET') source.forget();
  });
}

/** One page for all partitions; one that gives none counts as down in it. */
async function metricsOf(fleet: Fleet, ops: WholeOps): Promise<string> {
  const pages = new Map<string, string>();
  const states = await Promise.all(
    fleet.places().map(async (place): Promise<PartitionState> => {
      const text = await fleet.textFrom(place, NOBODY, '/metrics');
      if (text !== null) pages.set(place.name, text);
      const answered = text !== null;
      return { name: place.name, node: place.node, answered, state: answered ? RUNNING : 'silent' };
    }),
  );
  const sorted = new Map([...pages].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${partitionsUp(ops.METRICS.partitionUp, states)}\n${mergedMetrics(sorted)}`;
}
