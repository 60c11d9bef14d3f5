// Certificates that others' certificates have to be signed by. OpenSSL passes over whatever is none: what has none at all would
// trust nobody, and say so to everyone who comes.

import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END/g;

/** @throws Error in words if it has no certificate, or one that cannot be read */
export function checkAuthority(pem: string | Buffer | undefined): void {
  if (pem === undefined) return;
  const found = pem.toString('latin1').match(PEM);
  if (found === null) throw new Error('there is no certificate in PEM among those to trust');
  for (const [at, one] of found.entries()) {
    try {
      if (one.startsWith('-----BEGIN CERTIFICATE')) new X509Certificate(`${one} CERTIFICATE-----`);
    } catch (cause) {
      throw new Error(`certificate ${at + 1} of those to trust cannot be read`, { cause });
    }
  }
}
