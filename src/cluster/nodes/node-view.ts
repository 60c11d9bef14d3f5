// The cluster as the admin server of one node shows it: where each partition is served, the nodes, and what operators do with them.

import type { NodeView, ViewCluster } from '../view/cluster-routes.ts';
import { peerUrl } from '../view/passage.ts';
import { type PartitionPlace, RUNNING } from '../view/place.ts';
import type { RunningPartition } from '../workers/partition-host.ts';
import type { Register, RegisterRows } from './register.ts';

/** The cluster as this node sees it now. */
export interface Sight {
  /** This node. */
  readonly node: string;
  /** As they were read last, and when; null before that. */
  readonly rows: RegisterRows | null;
  readonly seenAt: number;
  readonly live: readonly { readonly name: string; readonly address: string }[];
  /** Partitions that are served here, and those with a process here. */
  readonly running: ReadonlyMap<string, RunningPartition>;
  readonly present: readonly string[];
}

/** The admin API of a partition: here, at the node that serves it, or nowhere now. */
export function placeIn({ node, rows, live, running, present }: Sight, name: string): PartitionPlace {
  const own = running.get(name);
  const placed = rows?.placements.find(({ partition }) => partition === name);
  const epoch = placed?.lease?.epoch ?? null;
  if (own !== undefined) {
    return { name, node, state: RUNNING, adminUrl: own.adminUrl, token: own.nodeToken, epoch };
  }
  const owner = live.find((one) => one.name === placed?.owner && one.name !== node);
  if (owner !== undefined) {
    const adminUrl = peerUrl(owner.address, name);
    return { name, node: owner.name, state: RUNNING, adminUrl, token: '', epoch };
  }
  const isHere = present.includes(name);
  const state = isHere ? 'starting' : 'served by no node now';
  return { name, node: isHere ? node : (placed?.node ?? '-'), state, adminUrl: null, token: '', epoch };
}

/** The nodes and their partitions, to look at and to change. */
export function clusterView(register: Register, goneMs: number, sight: () => Sight): ViewCluster {
  return {
    nodes: () => nodesIn(sight()),
    drain: (node, isDraining, who) => register.drain(node, isDraining, who),
    move: (partition, node, who) => register.move(partition, node, who, goneMs),
    rebalance: (who) => register.rebalance(who),
  };
}

function nodesIn({ rows, seenAt, live }: Sight): NodeView[] {
  const names = new Set(live.map(({ name }) => name));
  return (rows?.nodes ?? []).map(({ name, version, weight, isDraining, joinedMs }) => {
    // To the minute: ages of a row vary with each look.
    const joinedAt = Math.round((seenAt - joinedMs) / 60_000) * 60_000;
    return { name, version, weight, isLive: names.has(name), isDraining, joinedAt };
  });
}
