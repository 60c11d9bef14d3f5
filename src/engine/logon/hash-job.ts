// A password that is to be hashed by scrypt, and the hashing of one by the threads that Node has for it. Leaves the form in which
// hashes are kept to password-hash.ts.

import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { CrossgateError } from '../../base/errors.ts';

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Factors of scrypt: N, a power of two, is its cost, r and p the size and number of its blocks. */
export interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Data to hash, and the number of result bytes. */
export interface HashJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly cost: Cost;
  readonly bytes: number;
}

/** Hash a password. @throws CrossgateError XG_SECRET_MISSING if that is not possible */
export type Derive = (job: HashJob) => Promise<Buffer>;

/** The options of scrypt for a cost: Node's own limit of memory is below the largest cost that is accepted here. */
export function scryptOptions({ N, r, p }: Cost): ScryptOptions {
  return { N, r, p, maxmem: 128 * r * (N + p + 2) };
}

/** Hash by the threads that Node has for it. @throws CrossgateError XG_SECRET_MISSING if the system does not give the memory for it */
export async function deriveHere({ password, salt, cost, bytes }: HashJob): Promise<Buffer> {
  try {
    return await scryptAsync(password, salt, bytes, scryptOptions(cost));
  } catch (cause) {
    throw cannotBeHashed((cause as Error).message);
  }
}

/** Why there is no hash. */
export function cannotBeHashed(reason: string): CrossgateError {
  return new CrossgateError('XG_SECRET_MISSING', `a password cannot be hashed: ${reason}`);
}
