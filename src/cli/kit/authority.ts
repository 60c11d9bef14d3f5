// The certificate authority that a counterparty should trust, out of our certificate's file. Only certificates are taken from
// it: such files often hold the private key too.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CrossgateError } from '../../base/errors.ts';

/** The proof of our certificate for the counterparty. */
export interface TrustedAuthority {
  /** PEM; null: the file of our certificate does not have it. */
  readonly pem: string | null;
  /** The issuer of our certificate, in words; empty: we have none. */
  readonly issuer: string;
  /** The first name in our certificate. */
  readonly serverName: string | null;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates in a file of an authority. @throws CrossgateError XG_USAGE if it cannot be read or has none */
export function certificatesIn(file: string): string {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CrossgateError('XG_USAGE', `${file} could not be read: ${(cause as Error).message}`, { cause });
  }
  const found = text.match(CERTIFICATE);
  if (found === null) throw new CrossgateError('XG_USAGE', `${file} has no certificate in PEM`);
  return joined(found);
}

/**
 * The authority of our certificate: the one given, the certificate itself if it is self-signed, else those behind it in its
 * file.
 */
export function authorityIn(own: string | null, given: string | null): TrustedAuthority {
  const [leaf, ...behind] = own?.match(CERTIFICATE) ?? [];
  if (leaf === undefined) return { pem: given, issuer: '', serverName: null };
  const certificate = new X509Certificate(leaf);
  const isSelfSigned = certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
  const chain = isSelfSigned ? [leaf] : behind;
  return {
    pem: given ?? (chain.length === 0 ? null : joined(chain)),
    issuer: certificate.issuer.replaceAll('\n', ', '),
    serverName: /DNS:([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1] ?? null,
  };
}

const joined = (certificates: readonly string[]): string => `${certificates.join('\n')}\n`;
