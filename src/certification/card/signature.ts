// The gateway's key for certificates: Ed25519, made at its first use, for its owner only; signing and proving with it.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';

/** In the state folder: `file:secrets/certification.key`. */
export const CERTIFICATION_KEY = join('secrets', 'certification.key');

const OWNER_ONLY = 0o600;

export interface Signature {
  readonly algorithm: 'Ed25519';
  /** Of the gateway that signed, in PEM. */
  readonly publicKey: string;
  /** Base64, over the content as canonical JSON. */
  readonly value: string;
}

/** The gateway's key, made if there is none. @throws CrossgateError XG_SECRET_MISSING if the file is unusable */
export function certificationKey(stateDirectory: string): KeyObject {
  const path = join(stateDirectory, CERTIFICATION_KEY);
  try {
    return read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(path, error);
  }
  make(path);
  return read(path);
}

/** The public half of the gateway's key in PEM; null if it has none yet. */
export function publicKeyOf(stateDirectory: string): string | null {
  try {
    return publicPem(read(join(stateDirectory, CERTIFICATION_KEY)));
  } catch {
    return null;
  }
}

export function signed(content: unknown, key: KeyObject): Signature {
  const value = sign(null, canonical(content), key).toString('base64');
  return { algorithm: 'Ed25519', publicKey: publicPem(key), value };
}

/** Whether a signature is one of this content by its own key. */
export function isSigned(content: unknown, { algorithm, publicKey, value }: Signature): boolean {
  if (algorithm !== 'Ed25519') return false;
  try {
    const key = createPublicKey(publicKey);
    return key.asymmetricKeyType === 'ed25519' && verify(null, canonical(content), key, Buffer.from(value, 'base64'));
  } catch {
    return false;
  }
}

function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString().trim();
}

function read(path: string): KeyObject {
  return createPrivateKey(readFileSync(path, 'utf8'));
}

/** Whole or not at all; of two processes that make one at once, the first one's counts. */
function make(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const draft = `${path}.${process.pid}.draft`;
  const handle = openSync(draft, 'w', OWNER_ONLY);
  try {
    writeSync(handle, pem.toString());
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function unusable(path: string, cause: unknown): CrossgateError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CrossgateError('XG_SECRET_MISSING', `the key of certificates ${path} cannot be used: ${why}`, { cause });
}

/** JSON with the names of each object in order: the same content has the same bytes. */
function canonical(content: unknown): Buffer {
  return Buffer.from(JSON.stringify(ordered(content)));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, ordered(one)]));
}
