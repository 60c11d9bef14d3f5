// Reads the private keys of TLS, and opens those that are encrypted. Each place that shows a certificate reads its key here, so that
// a passphrase works, and fails, alike everywhere. Leaves whether a key belongs to its certificate to listener-tls.ts.

import { createPrivateKey } from 'node:crypto';
import { CrossgateError } from '../../base/errors.ts';
import type { SecretReference } from '../config.ts';

/** PKCS #8 and the older form of OpenSSL say that they are encrypted. */
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** A private key by reference, and the passphrase that opens it. */
export interface KeyReferences {
  readonly key: SecretReference;
  readonly passphrase?: SecretReference | null;
}

/**
 * The key in PEM as OpenSSL takes it without a passphrase.
 * @throws CrossgateError XG_SECRET_MISSING; XG_TLS_INVALID if the passphrase is missing or does not open the key
 */
export function readPrivateKey({ key, passphrase = null }: KeyReferences): string {
  const pem = key.read();
  const fault = lockFault({ key, passphrase }, pem);
  if (fault !== null) throw new CrossgateError('XG_TLS_INVALID', fault);
  return passphrase !== null && ENCRYPTED.test(pem) ? opened(pem, passphrase.read()) : pem;
}

/** Why an encrypted key stays shut; null if it opens, or is not encrypted. @throws CrossgateError XG_SECRET_MISSING */
export function privateKeyFault(of: KeyReferences): string | null {
  return lockFault(of, of.key.read());
}

/** Whether a passphrase is given for a key that needs none. @throws CrossgateError XG_SECRET_MISSING */
export function isPassphraseIdle({ key, passphrase = null }: KeyReferences): boolean {
  return passphrase !== null && !ENCRYPTED.test(key.read());
}

function lockFault({ key, passphrase = null }: KeyReferences, pem: string): string | null {
  if (!ENCRYPTED.test(pem)) return null;
  const secret = passphrase?.read() ?? '';
  if (passphrase === null || secret === '') {
    return `the private key in ${key.reference} is encrypted: add \`passphrase\` beside it, as \`env:NAME\` or \`file:PATH\``;
  }
  try {
    opened(pem, secret);
    return null;
  } catch {
    // The cause is dropped on purpose: OpenSSL names no file, and may quote the key.
    return `the passphrase in ${passphrase.reference} does not open the private key in ${key.reference}`;
  }
}

function opened(pem: string, passphrase: string): string {
  return String(createPrivateKey({ key: pem, passphrase }).export({ type: 'pkcs8', format: 'pem' }));
}
