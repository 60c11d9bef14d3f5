// Makes or replaces the password that a counterparty logs on with: the hash goes into its file, the password itself to the caller, once.
// The old one may stay valid for a while, so that no Logon is refused.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  configuredPassword,
  hashPassword,
  isPasswordHash,
  RANDOM_SECRET_COST,
  replacedPasswordText,
} from '../../engine/mod.ts';
import { createSecretFile } from './secrets.ts';

/** Entropy; base64url makes 32 characters of it, which every engine can send. */
const SECRET_BYTES = 24;
const DRAFT_BYTES = 6;

export interface MadePassword {
  /** For the counterparty. It is kept nowhere. */
  readonly password: string;
  /** When the one before ends; null: there is none, or it has ended. */
  readonly oldValidUntil: EpochMs | null;
  readonly isNew: boolean;
}

/**
 * Draw a password and write its hash.
 * @param until when the one before ends, if there is one
 * @throws CrossgateError XG_SECRET_MISSING if the file cannot be written
 */
export async function makeSessionPassword(path: string, until: EpochMs, now: EpochMs): Promise<MadePassword> {
  const password = randomBytes(SECRET_BYTES).toString('base64url');
  const hash = await hashPassword(password, RANDOM_SECRET_COST);
  if (await createSecretFile(path, `${hash}\n`)) return { password, oldValidUntil: null, isNew: true };
  const { present } = configuredPassword(readFileSync(path, 'utf8').replace(/\r?\n$/, ''));
  if (until <= now) {
    await replaceFile(path, hash);
    return { password, oldValidUntil: null, isNew: false };
  }
  // One that was written in clear goes on as its hash.
  const previous = isPasswordHash(present) ? present : await hashPassword(present, RANDOM_SECRET_COST);
  await replaceFile(path, replacedPasswordText(hash, previous, until));
  return { password, oldValidUntil: until, isNew: false };
}

/** As a whole, for the owner only. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(DRAFT_BYTES).toString('hex')}.draft`;
  if (!(await createSecretFile(draft, `${text}\n`)) || !existsSync(draft))
    throw new CrossgateError('XG_SECRET_MISSING', `the secret file ${draft} cannot be created`);
  renameSync(draft, path);
}
