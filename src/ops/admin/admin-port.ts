// Checks that the admin API will get its port, before counterparties can connect. It opens after them, and a failed
// start there would have let them in for a moment, logged them out and cancelled their orders (rule C1). admin-api.ts
// opens it.

import { createServer } from 'node:net';
import { listenFailure } from '../../base/socket-failure.ts';
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
