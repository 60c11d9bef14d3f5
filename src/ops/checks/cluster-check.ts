// Checks `cluster` against the other settings: nodes share partitions through PostgreSQL only.

import type { Report } from '../configuration/config-problem.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';

/** Heartbeats that fit into a lease at least: one or two may be late. */
const HEARTBEATS_PER_LEASE = 3;

export function checkCluster({ cluster, store, simulator }: GatewaySettings, report: Report): void {
  if (cluster === undefined) return;
  if (store.kind !== 'postgres') {
    const remedy = 'write `store: { kind: postgres, url: … }`, or remove `cluster`';
    report(['cluster'], cluster.node, 'not possible: the journal is embedded, and no other node has it', remedy);
  }
  if (simulator.embedded) {
    const remedy = 'run `crossgate sim` beside, and name it in `exchange.baseUrl`';
    report(['cluster'], cluster.node, 'not possible: each node would embed an exchange of its own', remedy);
  }
  if (cluster.heartbeatMs * HEARTBEATS_PER_LEASE > store.leaseMs) {
    const why = `more than a third of store.leaseMs (${store.leaseMs}): a late heartbeat would count as the end of the node`;
    report(['cluster', 'heartbeatMs'], cluster.heartbeatMs, why, 'make it shorter, or the lease longer');
  }
}
