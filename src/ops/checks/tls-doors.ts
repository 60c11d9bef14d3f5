// Everything of a gateway that listens with TLS: FIX listeners, bridge, admin API, cluster port. Each is checked, watched and read again alike.

import type { TlsConfig } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import type { Path } from '../configuration/layers.ts';

export interface TlsDoor {
  /** For people: `listener NAME`, `bridge`. */
  readonly of: string;
  /** Where its `tls` stands in gateway.yaml. */
  readonly path: Path;
  readonly host: string;
  readonly tls: TlsConfig;
}

export type WithDoors = Pick<EngineConfig, 'listeners' | 'bridge' | 'adminTls' | 'cluster'>;

/** In the order of gateway.yaml. */
export function* tlsDoors({ listeners, bridge, adminTls = null, cluster = null }: WithDoors): Generator<TlsDoor> {
  for (const [index, { name, host, tls }] of listeners.entries()) {
    if (tls !== null) yield { of: `listener ${name}`, path: ['fix', 'listen', index, 'tls'], host, tls };
  }
  if (bridge !== null && bridge.tls !== null) {
    yield { of: 'bridge', path: ['bridge', 'tls'], host: bridge.host, tls: bridge.tls };
  }
  if (adminTls !== null) yield { of: 'admin API', path: ['admin', 'tls'], host: adminTls.host, tls: adminTls };
  if (cluster !== null) yield { of: 'cluster', path: ['cluster', 'tls'], host: cluster.address, tls: cluster.tls };
}
