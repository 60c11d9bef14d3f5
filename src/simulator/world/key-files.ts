// API keys of the simulated exchange: generated at the first start, one file per key, readable by the owner only (rule X5).
// Verifying what was signed with them is signature.ts.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { KeySpec, UserSpec, World } from './world.ts';

/** Content of a key file of kind `hmac`. */
export interface HmacKeyFile {
  readonly kind: 'hmac';
  readonly publicKey: string;
  readonly secret: string;
}

/** Content of a key file of kind `ecdsa`; both keys are PEM, metadata is base64 of JSON as the exchange shows it. */
export interface EcdsaKeyFile {
  readonly kind: 'ecdsa';
  readonly publicKey: string;
  readonly privateKey: string;
  readonly metadata: string;
  readonly userId: string;
}

export type KeyFile = HmacKeyFile | EcdsaKeyFile;

/** A key with its owner. */
export interface ApiKey {
  readonly name: string;
  readonly user: UserSpec;
  readonly file: KeyFile;
}

/** Read all keys of the world, generating those that have no file yet. @throws CrossgateError on an unusable file */
export function loadKeys(world: World, keysDirectory: string): Map<string, ApiKey> {
  mkdirSync(keysDirectory, { recursive: true, mode: 0o700 });
  const keys = new Map<string, ApiKey>();
  for (const user of world.users) {
    for (const spec of user.keys) {
      keys.set(spec.name, { name: spec.name, user, file: loadKey(world, user, spec, keysDirectory) });
    }
  }
  return keys;
}

function loadKey(world: World, user: UserSpec, spec: KeySpec, keysDirectory: string): KeyFile {
  const path = join(keysDirectory, `${spec.name}.json`);
  const existing = readKey(path, spec);
  if (existing !== null) return existing;
  const file = generate(world, user, spec);
  // Written whole or not at all, even if the process ends: half a file is useless.
  writeFileSync(`${path}.draft`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.draft`, path);
  return file;
}

function readKey(path: string, spec: KeySpec): KeyFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const { message } = cause as Error;
    throw new CrossgateError('XG_SIMULATOR_INVALID', `the key file ${path} cannot be read: ${message}`, { cause });
  }
  let file: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    file = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new CrossgateError('XG_SIMULATOR_INVALID', `the key file ${path} is not JSON`);
  }
  if (!isKeyFile(file) || file.kind !== spec.kind) {
    throw new CrossgateError('XG_SIMULATOR_INVALID', `the key file ${path} does not hold a key of kind ${spec.kind}`);
  }
  return file;
}

function isKeyFile(value: unknown): value is KeyFile {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const hasText = (...names: string[]): boolean => names.every((name) => typeof fields[name] === 'string');
  if (fields.kind === 'hmac') return hasText('publicKey', 'secret');
  return fields.kind === 'ecdsa' && hasText('publicKey', 'privateKey', 'metadata', 'userId');
}

function generate(world: World, user: UserSpec, spec: KeySpec): KeyFile {
  if (spec.kind === 'hmac') {
    return {
      kind: 'hmac',
      publicKey: `HMAC-${randomBytes(16).toString('hex')}`,
      secret: randomBytes(32).toString('hex'),
    };
  }
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const publicKey = pair.publicKey.trim();
  const accountId = world.accounts.find((account) => account.user === user.name)?.tradingAccountId ?? '';
  const metadata = { publicKey, userId: user.userId, accountId, credentialId: String(randomBytes(4).readUInt32BE()) };
  return {
    kind: 'ecdsa',
    publicKey,
    privateKey: pair.privateKey.trim(),
    metadata: Buffer.from(JSON.stringify(metadata)).toString('base64'),
    userId: user.userId,
  };
}
