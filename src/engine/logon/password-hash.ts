// Hashes of passwords as text: `$scrypt$ln=…,r=…,p=…$salt$hash`. hash-queue.ts computes them; passwords.ts decides on
// passwords.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { CrossgateError } from '../../base/errors.ts';
import { type Derive, deriveHere } from './hash-job.ts';

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Cost of a hash as log2 of N: for secrets that were drawn at random, and for passwords that somebody thought of. */
export const RANDOM_SECRET_COST = 10;
export const CHOSEN_PASSWORD_COST = 17;
const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/;

/** Whether a secret is the hash of a password, not the password itself. */
export function isPasswordHash(secret: string): boolean {
  return secret.startsWith('$scrypt$');
}

/** Hash a password for a file that the gateway reads: `$scrypt$ln=…,r=8,p=1$salt$hash`. `cost` is log2 of scrypt's N. */
export async function hashPassword(password: string, cost: number, derive: Derive = deriveHere): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive({ password, salt, cost: { N: 2 ** cost, r: 8, p: 1 }, bytes: HASH_BYTES });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${cost},r=8,p=1$${text(salt)}$${text(key)}`;
}

interface HashParts {
  readonly cost: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

function partsOf(text: string): HashParts | null {
  const [, ln, r, p, salt = '', hash = ''] = HASH.exec(text) ?? [];
  const parts = { cost: Number(ln), r: Number(r), p: Number(p) };
  const isUsable = parts.cost >= 8 && parts.cost <= 17 && parts.r >= 1 && parts.r <= 16 && parts.p >= 1 && parts.p <= 4;
  return isUsable ? { ...parts, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') } : null;
}

/** Whether a text is a hash that a password can be compared with. */
export function isUsableHash(hash: string): boolean {
  return partsOf(hash) !== null;
}

/** Whether a password has this hash. @throws CrossgateError XG_SECRET_MISSING if it is none, or cannot be computed */
export async function matches(password: string, hash: string, derive: Derive = deriveHere): Promise<boolean> {
  const parts = partsOf(hash);
  if (parts === null) {
    throw new CrossgateError('XG_SECRET_MISSING', 'the hash of a password is not `$scrypt$ln=…,r=…,p=…$salt$hash`');
  }
  const { cost, r, p, salt, hash: expected } = parts;
  const key = await derive({ password, salt, cost: { N: 2 ** cost, r, p }, bytes: expected.length });
  return timingSafeEqual(key, expected);
}
