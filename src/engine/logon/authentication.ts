// Decides who may log on: everything that a session demands of a Logon(A) besides its numbers. It runs before any
// number changes (rule S1). Slow proofs are promises. passwords.ts has passwords, logon-signature.ts signatures.

import { BlockList, isIPv6 } from 'node:net';
import type { EpochMs } from '../../base/time.ts';
import type { Authentication, SessionID } from '../../session/mod.ts';
import { type MessageView, SessionStatus, Tag } from '../../wire/mod.ts';
import type { LogonAccess, SessionSetup } from '../config.ts';
import { HashQueueFull } from './hash-queue.ts';
import { SignedLogons } from './logon-signature.ts';
import { type Passwords, readingsOf } from './passwords.ts';

/** Logons of one session with a password check under way; further ones are refused unseen. */
const CHECKS_PER_SESSION_MAX = 4;

/** Facts of the connection that a Logon came on. */
export interface LogonOrigin {
  readonly remoteAddress: string;
  readonly tls: {
    readonly peerCertificateFingerprint: string | null;
    readonly peerCommonName: string | null;
  } | null;
}

/** One sentence for every cause: a guesser learns nothing about which part was wrong. */
export const WRONG_CREDENTIALS =
  'Invalid user or password; check Username(553) and Password(554), or the signature in RawData(96)';
const WRONG_PASSWORD = 'Password(554) is wrong';
/** The check of a password has no place in its queue: no sign of a guess. */
export const BUSY: Authentication = {
  kind: 'refused',
  sessionStatus: SessionStatus.LogonsAreNotAllowedAtThisTime,
  text: 'Too many Logons wait for the check of their password; log on again in some seconds',
};
const ACCEPTED: Authentication = { kind: 'accepted' };

/**
 * Requirement of a Logon with NewPassword(925): a Logon that is refused or unanswered changes no password (rule S1).
 */
export interface PasswordChange {
  /** Whether it would be taken now. Once it would not, it may not any more. */
  may(): boolean;
  /** Asked when its Password(554) has proved right: if it may, no other Logon of the session is taken until it is decided. */
  begin(): boolean;
}

function refused(text: string, sessionStatus: string = SessionStatus.InvalidUsernameOrPassword): Authentication {
  return { kind: 'refused', sessionStatus, text };
}

/** The counterparty receives one general sentence, our operators the failed check. */
function provedFault(text: string, sessionStatus: string = SessionStatus.InvalidUsernameOrPassword): Authentication {
  return { kind: 'refused', sessionStatus, text, isProved: true };
}

function unproved(reason: string): Authentication {
  const sessionStatus = SessionStatus.InvalidUsernameOrPassword;
  return { kind: 'refused', sessionStatus, text: WRONG_CREDENTIALS, reason };
}

export class Authenticator {
  private readonly passwords: Passwords;
  private readonly signatures: SignedLogons;
  private readonly networks = new WeakMap<LogonAccess, Networks>();
  private readonly underWay = new Map<SessionID, number>();

  constructor(passwords: Passwords, now: () => EpochMs) {
    this.passwords = passwords;
    this.signatures = new SignedLogons(now);
  }

  /**
   * Check everything that the session demands of a Logon. The values of secrets go nowhere else.
   * @param change of a Logon with NewPassword(925); null: it changes nothing
   */
  check(
    setup: SessionSetup,
    logon: MessageView,
    origin: LogonOrigin,
    change: PasswordChange | null = null,
  ): Authentication | Promise<Authentication> {
    const { password } = setup;
    const fault = this.faultBesidePassword(setup, logon, origin);
    if (fault !== null) {
      const work = this.work(setup, logon, origin.remoteAddress);
      return work === null ? fault : work.then(() => fault);
    }
    const newPassword = change?.may() === true ? logon.string(Tag.NewPassword) : null;
    if (password === null)
      return newPassword === null ? ACCEPTED : provedFault('This session has no password to change');
    const given = logon.string(Tag.Password);
    if (given === null) return unproved('Password(554) is missing');
    if (newPassword === null || change === null) {
      const known = this.passwords.recognize(setup, given);
      if (known !== null) return known ? ACCEPTED : unproved(WRONG_PASSWORD);
      return this.slowly(setup, given, null, origin.remoteAddress);
    }
    // A missing one is reported at once.
    password.read();
    return this.slowly(setup, given, { ...change, newPassword }, origin.remoteAddress);
  }

  private faultBesidePassword(
    { access, session }: SessionSetup,
    logon: MessageView,
    origin: LogonOrigin,
  ): Authentication | null {
    if (!this.isAllowed(access, origin.remoteAddress)) return refused('This session may not log on from this address');
    if (!isCertified(access, origin)) return refused("The client's certificate does not belong to this session");
    const username = logon.string(Tag.Username);
    if (session.username !== null && !isNamed(username, session.username)) {
      return unproved(`Username(553) is ${logon.has(Tag.Username) ? 'another one' : 'missing'}`);
    }
    const unsigned =
      access.signature === null ? null : this.signatures.refusal(session.sessionId, access.signature, logon);
    return unsigned === null ? null : unproved(unsigned);
  }

  /**
   * The work that a wrong password costs, for a Logon that is refused for another reason; null: none. It never fails: a full
   * queue ends it early.
   */
  work(setup: SessionSetup, logon: MessageView, address: string): Promise<void> | null {
    const given = logon.string(Tag.Password);
    const { sessionId } = setup.session;
    if (given === null || (this.underWay.get(sessionId) ?? 0) >= CHECKS_PER_SESSION_MAX) return null;
    try {
      const work = this.passwords.work(setup, given, address);
      if (work === null) return null;
      this.enter(sessionId);
      return work.catch(() => {}).finally(() => this.leave(sessionId));
    } catch {
      // A missing secret costs nothing, with any password.
      return null;
    }
  }

  private enter(sessionId: SessionID): void {
    this.underWay.set(sessionId, (this.underWay.get(sessionId) ?? 0) + 1);
  }

  private leave(sessionId: SessionID): void {
    const left = (this.underWay.get(sessionId) ?? 1) - 1;
    if (left === 0) this.underWay.delete(sessionId);
    else this.underWay.set(sessionId, left);
  }

  private async slowly(
    setup: SessionSetup,
    given: string,
    change: (PasswordChange & { readonly newPassword: string }) | null,
    address: string,
  ): Promise<Authentication> {
    const { sessionId } = setup.session;
    const underWay = this.underWay.get(sessionId) ?? 0;
    if (underWay >= CHECKS_PER_SESSION_MAX) return unproved('too many Logons of this session wait for their check');
    this.enter(sessionId);
    try {
      if (!(await this.passwords.verify(setup, given, address))) return unproved(WRONG_PASSWORD);
      if (change === null || !change.begin()) return ACCEPTED;
      const problem = await this.passwords.change(setup, given, change.newPassword, change.may, address);
      if (problem !== null) return provedFault(problem, SessionStatus.NewSessionPasswordDoesNotComplyWithPolicy);
      return { kind: 'accepted', sessionStatus: SessionStatus.SessionPasswordChanged };
    } catch (error) {
      if (error instanceof HashQueueFull) return BUSY;
      throw error;
    } finally {
      this.leave(sessionId);
    }
  }

  private isAllowed(access: LogonAccess, address: string): boolean {
    if (access.allowFrom.length === 0) return true;
    let networks = this.networks.get(access);
    if (networks === undefined) {
      networks = new Networks(access.allowFrom);
      this.networks.set(access, networks);
    }
    return networks.has(address);
  }
}

/** The name as it is configured, or its bytes: engines write it in UTF-8 or, a byte for each character, in ISO 8859-1. */
function isNamed(given: string | null, username: string): boolean {
  return given !== null && (given === username || readingsOf(given).includes(username));
}

function isCertified({ certificate }: LogonAccess, { tls }: LogonOrigin): boolean {
  if (certificate === null) return true;
  if (tls === null || tls.peerCertificateFingerprint === null) return false;
  if (certificate.commonName !== null && certificate.commonName !== tls.peerCommonName) return false;
  return certificate.fingerprints.length === 0 || certificate.fingerprints.includes(tls.peerCertificateFingerprint);
}

/** A set of networks in CIDR notation, IPv4 and IPv6. */
export class Networks {
  private readonly list = new BlockList();

  /** @throws TypeError, RangeError for an invalid network */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [, address, prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
      if (address === undefined) throw new RangeError(`no network: ${network}`);
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(prefix), family);
    }
  }

  has(address: string): boolean {
    return this.list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

/** True if a network is a single address; a full prefix is allowed. */
export function isOneAddress(network: string): boolean {
  return !network.includes('/') || network.endsWith(network.includes(':') ? '/128' : '/32');
}

/** Whether a text is one address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  try {
    return new Networks([text]) !== null;
  } catch {
    return false;
  }
}
