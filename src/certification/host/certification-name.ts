// Names of certifications: those of their session files.

import { basename } from 'node:path';

/** `ACME_CERT` of `sessions/ACME_CERT.yaml`. */
export function certificationName(source: string): string {
  return basename(source).replace(/\.ya?ml$/, '');
}
