// Whether the admin API will have its port, asked before anything is open to counterparties: it opens behind them, and a start that
// ended there would have let them in for a moment, logged them out and cancelled their orders (rule C1). Leaves opening it to admin-api.ts.

import { createServer } from 'node:net';
import { listenFailure } from '../../base/listen-failure.ts';
import type { AdminAddress } from '../configuration/configuration.ts';

/** Null where the admin API is switched off. @throws CrossgateError XG_LISTEN_FAILED */
export async function adminPortMustBeFree(admin: Pick<AdminAddress, 'host' | 'port'> | null): Promise<void> {
  if (admin === null) return;
  const { host, port } = admin;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenFailure('the admin API ', host, port, cause)));
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}
