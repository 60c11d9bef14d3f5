// Proof of a Logon: its credentials are checked, at once or later, and its NewPassword(925) counts for one connection
// at a time. authentication.ts decides who may log on, acceptor.ts the fate of the connection.

import { CrossgateError } from '../../base/errors.ts';
import type { StrangerLog } from '../../base/places/stranger-log.ts';
import type { Authentication, SessionID } from '../../session/mod.ts';
import { type MessageView, SessionStatus, viewOf } from '../../wire/mod.ts';
import type { SessionSetup } from '../config.ts';
import type { FixConnection } from '../connections/connection.ts';
import { type Authenticator, type PasswordChange, WRONG_CREDENTIALS } from './authentication.ts';

/** A secret of ours is missing or unreadable: the log says which, the counterparty learns no more than by a wrong one. */
export const UNPROVABLE: Authentication = {
  kind: 'refused',
  sessionStatus: SessionStatus.InvalidUsernameOrPassword,
  text: WRONG_CREDENTIALS,
};
/** The same for an unknown counterparty without a secret: a caller that probes CompIDs meets this one. */
const UNKNOWN: Authentication = { ...UNPROVABLE };

export interface LogonProofOptions {
  readonly authenticator: Authenticator;
  readonly strangers: StrangerLog;
  /** Whether there is a session of that name. */
  readonly hasSession: (sessionId: SessionID) => boolean;
  /** A configured session that stands for a name without one; null if there is none. */
  readonly standIn: (name: string) => SessionSetup | null;
}

/** A Logon that asks for another password. */
export interface WantedChange extends PasswordChange {
  /** It was passed over: the Logon would have been refused, or not answered. */
  readonly kept: boolean;
}

export class LogonProof {
  private readonly options: LogonProofOptions;
  /** Session with a Logon that is changing its password; until that is decided no other is taken. */
  private readonly changing = new Map<SessionID, FixConnection>();

  constructor(options: LogonProofOptions) {
    this.options = options;
  }

  /** A secret that cannot be read refuses the Logon and ends nothing else. */
  check(
    setup: SessionSetup,
    view: MessageView,
    fix: FixConnection,
    change: PasswordChange | null,
  ): Authentication | Promise<Authentication> {
    const { sessionId } = setup.session;
    const { authenticator, strangers, hasSession } = this.options;
    const session = hasSession(sessionId) ? sessionId : null;
    const address = fix.connection.remoteAddress;
    const failed = (error: unknown, isUnknown = false): Authentication => {
      if (!(error instanceof CrossgateError)) throw error;
      const fields = { session: sessionId, code: error.code };
      strangers.say({ address, text: error.message, fields, session, level: isUnknown ? 'warn' : 'error' });
      return isUnknown ? UNKNOWN : UNPROVABLE;
    };
    const told = (decided: Authentication): Authentication => {
      const reason = decided.kind === 'refused' ? decided.reason : undefined;
      const { remote } = fix;
      if (reason !== undefined) {
        const text = `Logon(A) not proved: ${reason}`;
        strangers.say({ address, text, fields: { session: sessionId, remote }, session });
      }
      return decided;
    };
    try {
      const decision = authenticator.check(setup, view, fix.connection, change);
      if (!(decision instanceof Promise)) return told(decision);
      return decision.then(told).catch((error: unknown) => failed(error));
    } catch (error) {
      // A later failure, as from a broken hash, does not mean that there is none.
      const refused = failed(error, !hasSession(sessionId) && isAbsent(error));
      const work = this.work(sessionId, null, view, address);
      return work === null ? refused : work.then(() => refused);
    }
  }

  /**
   * The work of a wrong password for a Logon that no session takes, so that its time does not tell whether the name exists. A
   * name without a session has the same session stand in each time. @returns null if there is none
   */
  work(name: string, setup: SessionSetup | null, view: MessageView, address: string): Promise<void> | null {
    const { authenticator, standIn } = this.options;
    const of = setup ?? standIn(name);
    return of === null ? null : authenticator.work(of, view, address);
  }

  /** Whether a Logon of another connection is changing the password of a session. */
  isChangedByAnother(fix: FixConnection, sessionId: SessionID): boolean {
    return (this.changing.get(sessionId) ?? fix) !== fix;
  }

  /** The change of a password that a Logon asks for; `isLost`: it would be refused or not answered now. */
  changeBy(
    fix: FixConnection,
    sessionId: SessionID,
    view: MessageView,
    isLost: (logon: MessageView) => boolean,
  ): WantedChange {
    const logon = view.copyBytes();
    const { dataFields } = view;
    const change = {
      kept: false,
      may: (): boolean => {
        const copy = viewOf(logon, dataFields);
        change.kept ||= copy === null || fix.isOver || this.isChangedByAnother(fix, sessionId) || isLost(copy);
        return !change.kept;
      },
      begin: (): boolean => {
        if (!change.may()) return false;
        this.changing.set(sessionId, fix);
        return true;
      },
    };
    return change;
  }

  /** The Logon is decided, and its change of a password with it. */
  endChange(fix: FixConnection, sessionId: SessionID): void {
    if (this.changing.get(sessionId) === fix) this.changing.delete(sessionId);
  }
}

/** Whether there is no such secret, rather than one that cannot be read. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof CrossgateError) || error.code !== 'XG_SECRET_MISSING') return false;
  return error.cause === undefined || (error.cause as NodeJS.ErrnoException).code === 'ENOENT';
}
