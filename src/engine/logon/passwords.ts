// Passwords of FIX sessions: compared with their hashes off the event loop, changed by NewPassword(925), the old one taken
// for a while beside the new. Where their hashes are kept is the business of password-files.ts and journal-passwords.ts.

import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { originOf } from '../../base/places/origin.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';
import type { SessionSetup } from '../config.ts';
import type { Derive } from './hash-job.ts';
import { HashQueue } from './hash-queue.ts';
import { CHOSEN_PASSWORD_COST, hashPassword, isPasswordHash, matches } from './password-hash.ts';
import { configuredPassword } from './replaced-password.ts';

const NEW_PASSWORD_MIN = 12;
const NEW_PASSWORD_MAX = 64;

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
  readonly queue: HashQueue;
  private readonly recognizedBy = randomBytes(32);
  /**
   * The last proof by session: a reconnect costs no hash. It holds neither the password nor anything that leads to it.
   */
  private readonly recognized = new Map<SessionID, { readonly hash: string; readonly mac: Buffer }>();

  /** @param store null: passwords cannot be changed @param onChanged called for each changed one, once it is kept */
  constructor(
    store: ChangedPasswordStore | null,
    now: () => EpochMs,
    onChanged: (sessionId: SessionID, previousUntil: EpochMs) => void = () => {},
    queue = new HashQueue(),
  ) {
    this.queue = queue;
    this.store = store;
    this.now = now;
    this.onChanged = onChanged;
  }

  /** The decision possible without hashing; null: `verify` must decide. @throws CrossgateError XG_SECRET_MISSING */
  recognize(setup: SessionSetup, given: string): boolean | null {
    const secret = setup.password!.read();
    if (!isPasswordHash(secret)) return readingsOf(given).some((reading) => sameText(reading, secret));
    const recognized = this.recognized.get(setup.session.sessionId);
    if (recognized === undefined || !this.hashesOf(setup, secret).includes(recognized.hash)) return null;
    return timingSafeEqual(recognized.mac, this.macOf(given)) ? true : null;
  }

  /** @param address of the client. @throws CrossgateError XG_SECRET_MISSING; HashQueueFull */
  async verify(setup: SessionSetup, given: string, address = ''): Promise<boolean> {
    const known = this.recognize(setup, given);
    if (known !== null) return known;
    for (const hash of this.hashesOf(setup, setup.password!.read())) {
      if (!(await this.isRight(given, hash, address))) continue;
      this.queue.proved(originOf(address));
      this.recognized.set(setup.session.sessionId, { hash, mac: this.macOf(given) });
      return true;
    }
    return false;
  }

  /**
   * The work of `verify` for a password that is wrong, whatever the password: the time of an answer must not tell which part
   * of a Logon was wrong. @returns null if there is none. @throws CrossgateError XG_SECRET_MISSING
   */
  work(setup: SessionSetup, given: string, address: string): Promise<void> | null {
    const secret = setup.password?.read() ?? '';
    if (!isPasswordHash(secret)) return null;
    return this.hashAll(this.hashesOf(setup, secret), given, address);
  }

  private async hashAll(hashes: readonly string[], given: string, address: string): Promise<void> {
    const derive = this.deriveFor(address);
    for (const hash of hashes) for (const reading of readingsOf(given)) await matches(reading, hash, derive);
  }

  /**
   * Set a new password, which is valid together with the replaced one until the overlap ends. A Logon with the replaced
   * one sets none: others may know it, which is why it was changed. @returns why not, or null
   * @param may asked when only the writing is left; if not, nothing changes
   */
  async change(
    setup: SessionSetup,
    given: string,
    newPassword: string,
    may: () => boolean = () => true,
    address = '',
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
    const previous = await this.hashThatMatches(setup, secret, given, address);
    if (previous !== present) {
      // Said again by who did not hear our answer: it has the new password already, and gets no more time for the old one.
      if (await this.isRight(newPassword, present, address)) return null;
      return 'NewPassword(925) is taken beside the present Password(554), not beside the one before it';
    }
    const hash = await hashPassword(wanted, CHOSEN_PASSWORD_COST, this.deriveFor(address));
    if (!may()) return null;
    const previousUntil = this.now() + access.passwordOverlapMs;
    await this.store.write(session.sessionId, {
      replaces: fingerprintOf(configuredPassword(secret).present),
      hash,
      previous,
      previousUntil,
    });
    this.onChanged(session.sessionId, previousUntil);
    return null;
  }

  private async hashThatMatches(setup: SessionSetup, secret: string, given: string, address: string): Promise<string> {
    const hashes = this.hashesOf(setup, secret);
    for (const hash of hashes) if (await this.isRight(given, hash, address)) return hash;
    return hashes[0]!;
  }

  private async isRight(given: string, hash: string, address: string): Promise<boolean> {
    const derive = this.deriveFor(address);
    for (const reading of readingsOf(given)) if (await matches(reading, hash, derive)) return true;
    return false;
  }

  /** Hashing in the turn of the client's address. */
  private deriveFor(address: string): Derive {
    const origin = originOf(address);
    return (job) => this.queue.derive(job, origin);
  }

  /** Hashes that count now. */
  private hashesOf(setup: SessionSetup, configured: string): string[] {
    const { present, previous } = configuredPassword(configured);
    const changed = this.store?.read(setup.session.sessionId) ?? null;
    if (changed !== null && changed.replaces === fingerprintOf(present)) {
      return this.now() < changed.previousUntil ? [changed.hash, changed.previous] : [changed.hash];
    }
    if (previous === null || this.now() >= previous.until) return [present];
    // The counterparty may have changed the one before by NewPassword(925): that one is in use.
    const isChanged = changed !== null && changed.replaces === fingerprintOf(previous.hash);
    return [present, isChanged ? changed.hash : previous.hash];
  }

  private macOf(password: string): Buffer {
    return createHmac('sha256', this.recognizedBy).update(password).digest();
  }
}

/**
 * Readings of a Logon's password or name, the likelier first. FIX knows ASCII only; engines write other characters in
 * UTF-8 or ISO 8859-1, and a byte arrives here as one character.
 */
export function readingsOf(given: string): string[] {
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
