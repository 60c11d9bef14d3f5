// Certificates of authorities. OpenSSL skips entries that are no certificate; a file without any would trust no peer
// and answer every client with that.

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
