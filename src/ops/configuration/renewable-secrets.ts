// Secrets that a running process reads again: tokens of users, certificates. reload.ts takes them over with a changed configuration.

import type { IsNamed } from '../../base/renewal.ts';
import { adminTokenFile } from '../admin/admin-access.ts';
import { gatewaySecrets } from '../checks/secret-check.ts';
import { secretFile } from '../secrets/secrets.ts';
import type { LoadedConfiguration } from './configuration.ts';
import { isRenewable } from './started-values.ts';

type Loaded = Pick<LoadedConfiguration, 'config' | 'admin'>;

/** The references that a configuration names. */
export function namedIn({ config, admin }: Loaded): IsNamed {
  const named = new Set((admin?.users ?? []).map(({ token }) => token.reference));
  for (const { secret } of config === null ? [] : gatewaySecrets(config)) named.add(secret.reference);
  return (reference) => named.has(reference);
}

/** The files of these secrets. */
export function renewableFiles({ config, admin }: Loaded): string[] {
  if (config === null) return [];
  const references = (admin?.users ?? []).map(({ token }) => token.reference);
  for (const { path, secret } of gatewaySecrets(config)) if (isRenewable(path)) references.push(secret.reference);
  const files = references.map((reference) => secretFile(reference, config.secretsDirectory ?? config.stateDirectory));
  if (admin?.sharedToken === true) files.push(adminTokenFile(config.stateDirectory));
  return [...new Set(files)].filter((file) => file !== null);
}
