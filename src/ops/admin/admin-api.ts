// The admin API of one gateway: its routes, health and metrics on a server of its own. admin-routes.ts has queries and actions,
// admin-server.ts access, metrics.ts measures.

import type { Administration } from '../../administration/mod.ts';
import type { Certifications } from '../../certification/mod.ts';
import type { AlarmDesk } from '../alarms/alarm-desk.ts';
import type { Reloader } from '../configuration/reload.ts';
import type { ConsolePlots } from '../metrics/console-plots.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { OrderHops } from '../metrics/order-hops.ts';
import type { PrometheusAddress } from '../metrics/prometheus-range.ts';
import type { TwoPeopleAction } from '../schema/admin-user-schema.ts';
import { addAdminRoutes } from './admin-routes.ts';
import { type AdminServer, type AdminServerOptions, serveAdmin } from './admin-server.ts';

export interface AdminOptions extends Omit<AdminServerOptions, 'now'> {
  /** Actions that take two of the users. */
  readonly twoPeople: readonly TwoPeopleAction[];
  /** Whether the console offers actions. */
  readonly console: 'actions' | 'read-only';
  readonly administration: Administration;
  readonly certifications?: Certifications;
  readonly metrics: Metrics;
  readonly plots: ConsolePlots;
  /** Has what is older than an hour; null: none is named. */
  readonly prometheus: PrometheusAddress | null;
  /** Whether users may write session files here. */
  readonly sessionFiles: boolean;
  readonly hops: OrderHops;
  /** Secrets are files below it. */
  readonly secretsDirectory: string;
  readonly reloader: Reloader;
  readonly desk: AlarmDesk;
}

/** Serve admin API, metrics and console. @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING */
export function startAdmin(options: AdminOptions): Promise<AdminServer> {
  const { administration, reloader, metrics } = options;
  return serveAdmin(
    { ...options, now: () => administration.now() },
    {
      readiness: () => {
        const { ready, partlyReady, reasons } = administration.health();
        return { ready, partlyReady, details: { reasons, notices: reloader.notices() } };
      },
      metrics,
      addRoutes: (guarded, access) => addAdminRoutes(guarded, { ...options, ...access }),
    },
  );
}
