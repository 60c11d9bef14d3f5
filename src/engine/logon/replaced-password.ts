// The file of a password while it is being replaced: the hash in force, and on a second line the hash before it with the end of its
// time: `$scrypt$… until=2026-12-01T08:00:00.000Z`.

import { type EpochMs, formatIso, parseIso } from '../../base/time.ts';
import { isPasswordHash, isUsableHash } from './password-hash.ts';

export interface ConfiguredPassword {
  /** A hash, or the password itself. */
  readonly present: string;
  /** Null: there is none. */
  readonly previous: { readonly hash: string; readonly until: EpochMs } | null;
}

const PREVIOUS = /^(\$scrypt\$\S+) until=(\S+)$/;

/** Read the secret of a session. A second line that is of no use makes the whole an invalid hash. */
export function configuredPassword(secret: string): ConfiguredPassword {
  const alone = { present: secret, previous: null };
  if (!isPasswordHash(secret)) return alone;
  const [present = '', second, third] = secret.split(/\r?\n/);
  if (second === undefined || third !== undefined) return alone;
  const [, hash = '', end = ''] = PREVIOUS.exec(second) ?? [];
  const until = parseIso(end);
  return until === null || hash === '' ? alone : { present, previous: { hash, until } };
}

/** True if a secret begins like a password hash and is none: no Logon could ever match it. */
export function isBrokenHash(secret: string): boolean {
  const { present, previous } = configuredPassword(secret);
  if (!isPasswordHash(present)) return false;
  return !isUsableHash(present) || (previous !== null && !isUsableHash(previous.hash));
}

/** The text of a password file with a new hash, and the one before it until its time ends. */
export function replacedPasswordText(present: string, previous: string, until: EpochMs): string {
  return `${present}\n${previous} until=${formatIso(until)}`;
}
