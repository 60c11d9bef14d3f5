// Reads what proves the gateway to the exchange: the file of an API key, and the client certificate. Leaves what is signed with it to the exchange client.

import { createSecureContext } from 'node:tls';
import { CrossgateError } from '../../base/errors.ts';
import { readPrivateKey } from '../../engine/mod.ts';
import type { Credential, ExchangeTls, SignerPlace } from '../../exchange-client/mod.ts';
import type { CredentialConfig, ExchangeConfig } from '../gateway-config.ts';

/** Read an API key file. @throws CrossgateError XG_SECRET_MISSING naming the reference, never its content */
export function readCredential(config: CredentialConfig): Credential {
  const fail = (what: string): never => {
    throw new CrossgateError('XG_SECRET_MISSING', `${config.key.reference}: ${what}`);
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(config.key.read());
  } catch (error) {
    if (error instanceof CrossgateError) throw error;
    // Text that is no JSON is reported below, together with JSON that is no object.
  }
  if (typeof parsed !== 'object' || parsed === null) return fail('this is not the JSON of an API key');
  const json = parsed as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = json[name];
    return typeof value === 'string' && value !== '' ? value : fail(`the API key has no "${name}"`);
  };
  if (json.kind === 'hmac') return { kind: 'hmac', publicKey: text('publicKey'), secret: text('secret') };
  if (json.kind !== 'ecdsa') return fail('"kind" must be "ecdsa" or "hmac"');
  const metadata = typeof json.metadata === 'string' ? json.metadata : null;
  return {
    kind: 'ecdsa',
    publicKey: text('publicKey'),
    ...('signer' in json
      ? { privateKey: '', signer: signerPlace(json.signer, fail) }
      : { privateKey: text('privateKey') }),
    metadata,
    ...(typeof json.userId === 'string' ? { userId: json.userId } : {}),
  };
}

const TIMEOUT_MS = 2_000;
const TIMEOUT_MAX_MS = 10_000;

/** Where the private key is, if outside this process: a command, or a PKCS #11 token. */
function signerPlace(json: unknown, fail: (what: string) => never): SignerPlace {
  const all = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const { exec, pkcs11, timeoutMs = TIMEOUT_MS, input = 'message' } = all;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 1 && timeoutMs <= TIMEOUT_MAX_MS)) {
    return fail(`"signer.timeoutMs" must be 1 to ${TIMEOUT_MAX_MS}`);
  }
  if (Array.isArray(exec) && exec.length > 0 && exec.every((one) => typeof one === 'string' && one !== '')) {
    if (input !== 'message' && input !== 'digest') return fail('"signer.input" must be "message" or "digest"');
    return { kind: 'exec', command: exec as string[], input, timeoutMs };
  }
  if (typeof pkcs11 === 'object' && pkcs11 !== null) {
    const given = pkcs11 as Readonly<Record<string, unknown>>;
    const text = (name: string): string => {
      const value = given[name];
      return typeof value === 'string' && value !== '' ? value : fail(`"signer.pkcs11" has no "${name}"`);
    };
    const key = {
      module: text('module'),
      tokenLabel: text('tokenLabel'),
      keyLabel: text('keyLabel'),
      pin: text('pin'),
    };
    return { kind: 'pkcs11', ...key, timeoutMs };
  }
  return fail('"signer" needs "exec", a list of program and arguments, or "pkcs11"');
}

/** Read client certificate and authorities. @throws CrossgateError XG_SECRET_MISSING; XG_TLS_INVALID if they are of no use */
export function exchangeTls({ tls }: Pick<ExchangeConfig, 'tls'>): ExchangeTls {
  const read: { -readonly [part in keyof ExchangeTls]: string } = {};
  const { cert, key, ca, passphrase = null } = tls;
  if (cert !== null) read.cert = cert.read();
  if (key !== null) read.key = readPrivateKey({ key, passphrase });
  if (ca !== null) read.ca = ca.read();
  try {
    createSecureContext(read);
  } catch {
    // The cause is dropped on purpose: it may quote the key.
    const names = [cert, key, ca].flatMap((one) => (one === null ? [] : [one.reference])).join(', ');
    throw new CrossgateError('XG_TLS_INVALID', `exchange.tls: ${names} are no certificate in PEM with its key`);
  }
  return read;
}
