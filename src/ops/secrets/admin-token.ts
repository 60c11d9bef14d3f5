// The shared token of the admin API, made at the first start. Leaves reading it, and where it lies, to admin-access.ts.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { ADMIN_TOKEN_BYTES, adminTokenFile, readAdminToken } from '../admin/admin-access.ts';
import { createSecretFile } from './secrets.ts';

/** The token, made now if there is none; mode 0600. @throws CrossgateError XG_SECRET_MISSING if it cannot be kept */
export async function ensureAdminToken(stateDirectory: string): Promise<string> {
  const file = adminTokenFile(stateDirectory);
  const token = randomBytes(ADMIN_TOKEN_BYTES).toString('base64url');
  if (!(await createSecretFile(file, `${token}\n`))) await chmod(file, 0o600);
  return await readAdminToken(stateDirectory);
}

/** The token as it is now, for a gateway that runs: made only if there is none. @throws CrossgateError XG_SECRET_MISSING */
export async function renewedAdminToken(stateDirectory: string): Promise<string> {
  const file = adminTokenFile(stateDirectory);
  if (!existsSync(file)) return await ensureAdminToken(stateDirectory);
  // A full disk does not prevent applying a configuration.
  await chmod(file, 0o600).catch(() => {});
  return await readAdminToken(stateDirectory);
}
