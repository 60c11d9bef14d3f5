// Passwords of FIX sessions: compared with their hashes off the event loop, changed by NewPassword(925), the old one taken
// for a while beside the new. Where their hashes are kept is the business of changed-passwords.ts and journal-passwords.ts.

import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { SessionID } from '../session/mod.ts';
import type { SessionSetup } from './config.ts';

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
/** Threads for hashing at a time: the disk needs the others. */
const HASHES_AT_ONCE = 2;
/** Passwords waiting to be hashed; further ones are refused. */
const HASHES_WAITING_MAX = 10_000;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Cost of a hash as log2 of N: for secrets that were drawn at random, and for passwords that somebody thought of. */
export const RANDOM_SECRET_COST = 10;
export const CHOSEN_PASSWORD_COST = 14;
const NEW_PASSWORD_MIN = 12;
const NEW_PASSWORD_MAX = 64;
const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/;

/** Whether a secret is the hash of a password, not the password itself. */
export function isPasswordHash(secret: string): boolean {
  return secret.startsWith('$scrypt$');
}

/** A password changed by NewPassword(925). */
export interface ChangedPassword {
  /** SHA-256 of the configured hash that it replaces: a newly configured one counts again. */
  readonly replaces: string;
  readonly hash: string;
  readonly previous: string;
  readonly previousUntil: EpochMs;
}

/** Keeps changed passwords durably. */
export interface ChangedPasswordStore {
  read(sessionId: SessionID): ChangedPassword | null;
  /** Resolves once it survives power loss. @throws CrossgateError XG_SECRET_MISSING if it cannot be written */
  write(sessionId: SessionID, password: ChangedPassword): Promise<void>;
}

export class Passwords {
  private readonly store: ChangedPasswordStore | null;
  private readonly now: () => EpochMs;
  private readonly onChanged: (sessionId: SessionID, previousUntil: EpochMs) => void;
  private readonly queue = new HashQueue();
  private readonly recognizedBy = randomBytes(32);
  /** What proved right last, by session: a reconnect costs no hash. Neither password nor anything that leads to it. */
  private readonly recognized = new Map<SessionID, { readonly hash: string; readonly mac: Buffer }>();

  /** @param store null: passwords cannot be changed @param onChanged told of each that was, once it is kept */
  constructor(
    store: ChangedPasswordStore | null,
    now: () => EpochMs,
    onChanged: (sessionId: SessionID, previousUntil: EpochMs) => void = () => {},
  ) {
    this.store = store;
    this.now = now;
    this.onChanged = onChanged;
  }

  /** What can be said without hashing; null: `verify` must. @throws CrossgateError XG_SECRET_MISSING */
  recognize(setup: SessionSetup, given: string): boolean | null {
    const secret = setup.password!.read();
    if (!isPasswordHash(secret)) return readingsOf(given).some((reading) => sameText(reading, secret));
    const recognized = this.recognized.get(setup.session.sessionId);
    if (recognized === undefined || !this.hashesOf(setup, secret).includes(recognized.hash)) return null;
    return timingSafeEqual(recognized.mac, this.macOf(given)) ? true : null;
  }

  /** @throws CrossgateError XG_SECRET_MISSING */
  async verify(setup: SessionSetup, given: string): Promise<boolean> {
    const known = this.recognize(setup, given);
    if (known !== null) return known;
    for (const hash of this.hashesOf(setup, setup.password!.read())) {
      if (!(await this.isRight(given, hash))) continue;
      this.recognized.set(setup.session.sessionId, { hash, mac: this.macOf(given) });
      return true;
    }
    return false;
  }

  /**
   * Set a new password, which together with the one it replaces is good until the overlap ends. Who gives the one before sets
   * none: it may be known to others, which is why it was changed. @returns why not, or null
   * @param may asked when only the writing is left; if not, nothing changes
   */
  async change(
    setup: SessionSetup,
    given: string,
    newPassword: string,
    may: () => boolean = () => true,
  ): Promise<string | null> {
    const { access, session, password } = setup;
    const secret = password!.read();
    if (this.store === null || access.passwordOverlapMs === null || !isPasswordHash(secret)) {
      return 'NewPassword(925) is not taken on this session';
    }
    const wanted = readingsOf(newPassword)[0]!;
    const problem = problemOf(wanted, readingsOf(given)[0]!, session.username);
    if (problem !== null) return problem;
    const present = this.hashesOf(setup, secret)[0]!;
    const previous = await this.hashThatMatches(setup, secret, given);
    if (previous !== present) {
      // Said again by who did not hear our answer: it has the new password already, and gets no more time for the old one.
      if (await this.isRight(newPassword, present)) return null;
      return 'NewPassword(925) is taken beside the present Password(554), not beside the one before it';
    }
    const hash = await this.queue.run(() => hashPassword(wanted, CHOSEN_PASSWORD_COST));
    if (!may()) return null;
    const previousUntil = this.now() + access.passwordOverlapMs;
    await this.store.write(session.sessionId, { replaces: fingerprintOf(secret), hash, previous, previousUntil });
    this.onChanged(session.sessionId, previousUntil);
    return null;
  }

  private async hashThatMatches(setup: SessionSetup, secret: string, given: string): Promise<string> {
    const hashes = this.hashesOf(setup, secret);
    for (const hash of hashes) if (await this.isRight(given, hash)) return hash;
    return hashes[0]!;
  }

  private async isRight(given: string, hash: string): Promise<boolean> {
    for (const reading of readingsOf(given)) if (await this.queue.run(() => matches(reading, hash))) return true;
    return false;
  }

  /** Hashes that count now. */
  private hashesOf(setup: SessionSetup, configured: string): string[] {
    const changed = this.store?.read(setup.session.sessionId) ?? null;
    if (changed === null || changed.replaces !== fingerprintOf(configured)) return [configured];
    return this.now() < changed.previousUntil ? [changed.hash, changed.previous] : [changed.hash];
  }

  private macOf(password: string): Buffer {
    return createHmac('sha256', this.recognizedBy).update(password).digest();
  }
}

/**
 * What a password of a Logon may say, the likelier first. FIX knows no characters beyond ASCII, and engines write them in UTF-8 or, a
 * byte for each, in ISO 8859-1, as they arrive here.
 */
function readingsOf(given: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(given)) return [given];
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? [bytes.toString(), given] : [given];
}

function problemOf(newPassword: string, given: string, username: string | null): string | null {
  if (newPassword.length < NEW_PASSWORD_MIN || newPassword.length > NEW_PASSWORD_MAX) {
    return `NewPassword(925) must have ${NEW_PASSWORD_MIN} to ${NEW_PASSWORD_MAX} characters`;
  }
  if (newPassword === given) return 'NewPassword(925) must differ from Password(554)';
  return newPassword === username ? 'NewPassword(925) must differ from Username(553)' : null;
}

/** Compares in constant time, whatever the lengths. */
function sameText(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Factors of scrypt: N, a power of two, is what it costs, r and p the sizes of its blocks and how many there are. */
interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** @throws CrossgateError XG_SECRET_MISSING if the system does not give the memory for it */
async function derive(password: string, salt: Buffer, { N, r, p }: Cost, bytes: number): Promise<Buffer> {
  // What it takes: Node's own limit is below the largest cost that is accepted here.
  const maxmem = 128 * r * (N + p + 2);
  try {
    return await scryptAsync(password, salt, bytes, { N, r, p, maxmem });
  } catch (cause) {
    throw new CrossgateError('XG_SECRET_MISSING', `a password cannot be hashed: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Hash a password for a file that the gateway reads: `$scrypt$ln=…,r=8,p=1$salt$hash`. `cost` is log2 of scrypt's N. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, { N: 2 ** cost, r: 8, p: 1 }, HASH_BYTES);
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

/** Whether a secret begins like the hash of a password and is none: nobody could log on with it. */
export function isBrokenHash(secret: string): boolean {
  return isPasswordHash(secret) && partsOf(secret) === null;
}

async function matches(password: string, hash: string): Promise<boolean> {
  const parts = partsOf(hash);
  if (parts === null) {
    throw new CrossgateError('XG_SECRET_MISSING', 'the hash of a password is not `$scrypt$ln=…,r=…,p=…$salt$hash`');
  }
  const { cost, r, p, salt, hash: expected } = parts;
  const key = await derive(password, salt, { N: 2 ** cost, r, p }, expected.length);
  return timingSafeEqual(key, expected);
}

/** A few hashes at a time, first come, first served. */
class HashQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  async run<T>(hash: () => Promise<T>): Promise<T> {
    if (this.running >= HASHES_AT_ONCE) {
      if (this.waiting.length >= HASHES_WAITING_MAX) {
        throw new CrossgateError('XG_SECRET_MISSING', 'too many passwords wait to be checked');
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await hash();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
