// Translates `cluster` into what a node runs with. Leaves the checks to ops/checks/cluster-check.ts.

import { CIPHERS_DEFAULT } from '../../engine/mod.ts';
import type { ClusterConfig } from '../../runtime/mod.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import { type Secret, toTls } from './tls-config.ts';

/** Null for a gateway that is no node. */
export function toCluster({ cluster }: GatewaySettings, secret: Secret): ClusterConfig | null {
  if (cluster === undefined) return null;
  const { tls, rebalance, addressGroup = null, ...rest } = cluster;
  const keys = { ...tls, selfSigned: false, minVersion: 'TLSv1.3', ciphers: CIPHERS_DEFAULT, names: [] } as const;
  return {
    ...rest,
    rebalances: rebalance === 'auto',
    addressGroup: addressGroup ?? cluster.node,
    tls: toTls({ ...keys, names: [] }, secret),
  };
}
