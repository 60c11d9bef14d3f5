// The nodes of a cluster over HTTP, and actions of operators: drain a node, move a partition, give each node its share again. The rows that
// all nodes share keep who did it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { ViewContext } from './view-context.ts';

/** A node, as the rows that all nodes share have it. */
export interface NodeView {
  readonly name: string;
  readonly version: string;
  readonly weight: number;
  /** False: no heartbeat of it came for the time of a lease. */
  readonly isLive: boolean;
  readonly isDraining: boolean;
  /** Since when it sends heartbeats without a pause. */
  readonly joinedAt: EpochMs;
}

/** The nodes of a cluster, and changes of where partitions are served. */
export interface ViewCluster {
  nodes(): readonly NodeView[];
  /** @throws CrossgateError XG_NOT_FOUND */
  drain(node: string, isDraining: boolean, who: string): Promise<unknown>;
  /** False if it was moved meanwhile. @throws CrossgateError XG_NOT_FOUND, XG_USAGE */
  move(partition: string, node: string, who: string): Promise<boolean>;
  rebalance(who: string): Promise<void>;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
const BAD_REQUEST = 400;
const MOVED = 'It was moved meanwhile: look where it is now.';

/** Add the routes below /api/cluster. */
export function addClusterRoutes(app: FastifyInstance, context: ViewContext, cluster: ViewCluster): void {
  const action = (name: string, act: (asked: Asked, who: string) => Promise<string | null>): void => {
    app.post(`/api/cluster/${name}`, async (request, reply) => {
      try {
        const text = await act(askedIn(request), context.nameOf(request));
        return text === null ? context.ops.problem(reply, CONFLICT, MOVED) : { done: true, text };
      } catch (error) {
        return refused(context, reply, error);
      }
    });
  };
  app.get('/api/cluster', async () => ({ node: context.node, nodes: cluster.nodes() }));
  action('drain', async ({ node }, who) => {
    await cluster.drain(node, true, who);
    return `Node ${node} drains: its partitions move to the others, one after the other.`;
  });
  action('undrain', async ({ node }, who) => {
    await cluster.drain(node, false, who);
    return `Node ${node} serves partitions again.`;
  });
  action('move', async ({ partition, node }, who) =>
    (await cluster.move(partition, node, who)) ? `Partition ${partition} moves to node ${node}.` : null,
  );
  action('rebalance', async (_, who) => {
    await cluster.rebalance(who);
    return 'The nodes move partitions until each has its share.';
  });
}

interface Asked {
  readonly node: string;
  readonly partition: string;
}

function askedIn({ body }: FastifyRequest): Asked {
  const { node = '', partition = '' } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { node: String(node), partition: String(partition) };
}

function refused(context: ViewContext, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof CrossgateError)) throw error;
  const status = error.code === 'XG_NOT_FOUND' ? NOT_FOUND : error.code === 'XG_USAGE' ? BAD_REQUEST : CONFLICT;
  return context.ops.problem(reply, status, `${error.message}.`, error.code);
}
