// The acceptor: takes connections, finds the session that a Logon names, has its credentials checked (logon-proof.ts),
// and binds the two. The session machine interprets messages.

import { CrossgateError } from '../../base/errors.ts';
import type { StrangerLog } from '../../base/places/stranger-log.ts';
import type { EpochMs } from '../../base/time.ts';
import { type Authentication, answersRefusal, type SessionID, sessionIDsOf } from '../../session/mod.ts';
import type { Connection, Place } from '../../transport/mod.ts';
import { type MessageView, MsgType, SessionStatus, Tag, viewOf } from '../../wire/mod.ts';
import type { EngineLimits, EngineLog, LogonRefusal, SessionSetup } from '../config.ts';
import { type Authenticator, BUSY } from '../logon/authentication.ts';
import { GuessingGuard } from '../logon/guessing-guard.ts';
import { LogonProof, UNPROVABLE } from '../logon/logon-proof.ts';
import type { SessionInputs, SessionSlot } from '../sessions/session-slot.ts';
import type { Trial } from '../sessions/templates.ts';
import { StrangerRecords } from '../sessions/unsequenced-quota.ts';
import { FixConnection, type FixConnectionOptions } from './connection.ts';
import type { FairTurns } from './fair-turns.ts';
import { type Elsewhere, Relay } from './relay.ts';

/** Sessions that exist only once their counterparty has logged on (templates.ts). */
export interface Newcomers {
  /** Settings of a session that could be made, or null. */
  find(sessionId: SessionID, listener: string): SessionSetup | null;
  /** Make it. @throws CrossgateError XG_CONFIG_INVALID if there may be no more, or it does not fit */
  admit(setup: SessionSetup): SessionSlot;
}

/** The session that a Logon names. */
export interface Held {
  /** Null for a session that this Logon would make. */
  readonly slot: SessionSlot | null;
  readonly setup: SessionSetup;
}

export interface FixAcceptorOptions {
  readonly sessions: SessionInputs;
  /** The settings of a session that may come in on that listener, or null. */
  readonly sessionFor: (sessionId: SessionID, listener: string) => SessionSetup | null;
  /** Whether there is, or has been, a session of that name. */
  readonly isKnown: (sessionId: SessionID) => boolean;
  readonly newcomers: Newcomers;
  /** The settings of a session on any listener, disabled or not; null if there is none. */
  readonly setupOf: (sessionId: SessionID) => SessionSetup | null;
  /** A configured session that stands for a name without one, the same each time. */
  readonly standIn: (name: string) => SessionSetup | null;
  /** Outcome of a Logon; `slot` null: on a session that it would create. Without side effects. */
  readonly attempt: (held: Held, view: MessageView, authentication: Authentication, remote: string) => Trial;
  readonly authenticator: Authenticator;
  readonly guard: GuessingGuard;
  readonly limits: EngineLimits;
  /** Buffer for inbound messages, shared by all connections of the engine. */
  readonly view: MessageView;
  readonly turns: FairTurns;
  readonly log: EngineLog;
  readonly strangers: StrangerLog;
  readonly alarm: FixConnectionOptions['alarm'];
  readonly now: () => EpochMs;
  /** Why a session may not log on now, for any counterparty; null if it may. */
  readonly logonRefusal: (sessionId: SessionID) => LogonRefusal | null;
  /** Where the sessions of these names are, if not here; null: here. Absent: all are here. */
  readonly elsewhere?: ((names: readonly SessionID[], listener: string) => Elsewhere | null) | undefined;
}

/** Connections that are handed on to one place at a time. */
const RELAYS_MAX = 16;

/** Takes over new connections; holds them until they end. */
export class FixAcceptor {
  readonly connections = new Set<FixConnection>();
  private readonly options: FixAcceptorOptions;
  private readonly ofConnection: FixConnectionOptions;
  private readonly logonTimers = new Map<FixConnection, NodeJS.Timeout>();
  private readonly places = new Map<FixConnection, Place>();
  private readonly proof: LogonProof;
  /** Logons that no session took, and that cost a hash all the same. */
  private readonly worked: GuessingGuard;
  private pausedAll = false;
  private relays = 0;
  /** Why no connection is taken any more; null while they are. */
  private ended: string | null = null;
  private readonly handed = new Set<Connection>();

  constructor(options: FixAcceptorOptions) {
    this.options = options;
    const { sessions, limits, view, turns, log, alarm, now } = options;
    const { authenticator, strangers } = options;
    this.proof = new LogonProof({
      authenticator,
      strangers,
      hasSession: (id) => sessions.slots.has(id),
      standIn: options.standIn,
    });
    this.worked = new GuessingGuard(limits.failedLogonsPerMinute);
    const records = new StrangerRecords(() =>
      log(
        'warn',
        'more comes that belongs to no session than the journal takes: for this minute it is on the log only',
      ),
    );
    this.ofConnection = {
      strangers,
      mayRecord: (bytes) => records.take(bytes, now()),
      sessions,
      limits,
      log,
      alarm,
      view,
      takesWrongCheckSum: (view, place) => this.takesWrongCheckSum(view, place),
      turns,
      onUnbound: (fix, view) => this.firstMessage(fix, view),
      onLogonWithin: (fix, slot, view) => this.logonWithin(fix, slot, view),
      onEnd: (fix) => {
        this.connections.delete(fix);
        this.places.delete(fix);
        this.stopTimer(fix);
      },
    };
  }

  accept(connection: Connection, listener: string, place: Place): void {
    if (this.ended !== null) {
      connection.destroy(this.ended);
      return;
    }
    const fix = new FixConnection(this.ofConnection, connection, listener);
    this.connections.add(fix);
    this.places.set(fix, place);
    place.onEvicted = (reason) => fix.drop(reason);
    const { logonTimeoutMs } = this.options.limits;
    this.logonTimers.set(
      fix,
      setTimeout(() => fix.drop('no Logon arrived in time'), logonTimeoutMs),
    );
    fix.start();
    if (this.pausedAll) fix.pressure(true);
  }

  /** Stop reading from every counterparty while the journal catches up; nothing is dropped. */
  pauseAll(paused: boolean): void {
    this.pausedAll = paused;
    for (const fix of this.connections) fix.pressure(paused);
  }

  /** Close all, and each that comes from now on: a partition is handed connections until its process ends. */
  end(reason: string): void {
    this.ended = reason;
    this.closeAll(reason);
  }

  closeAll(reason: string): void {
    for (const fix of [...this.connections]) fix.connection.destroy(reason);
    for (const connection of [...this.handed]) connection.destroy(reason);
  }

  /** FIX 4.4 vol. 2, Logon: the first message must be one, and an unknown counterparty gets no answer. */
  private firstMessage(fix: FixConnection, view: MessageView): void {
    const { guard, now } = this.options;
    if (view.msgType !== MsgType.Logon) {
      this.refuse(fix, view, `the first message was 35=${view.msgType}, not a Logon(A)`);
      return;
    }
    const address = fix.connection.remoteAddress;
    fix.named = this.named(view);
    const name = fix.named ?? sessionIDsOf(view)[0] ?? '';
    const elsewhere = this.options.elsewhere?.(sessionIDsOf(view), fix.place) ?? null;
    if (typeof elsewhere === 'function') {
      this.handOver(fix, view, elsewhere);
      return;
    }
    if (!guard.allows(address, now(), fix.named, name)) {
      this.refuse(fix, view, 'too many failed logons from this address; it is refused for a minute');
      return;
    }
    if (elsewhere !== null) {
      this.handOn(fix, view, elsewhere);
      return;
    }
    const found = this.sessionOf(fix, view);
    if (found === null) {
      // No password was looked at where the session is only switched off, or was taken away: its engine that tries again every
      // few seconds must not keep out the sessions beside it.
      if (!sessionIDsOf(view).some(this.options.isKnown)) guard.failed(address, now(), null, name);
      const reason = `no session ${name} is open on listener ${fix.place}`;
      this.refuseAfterWork(fix, view, this.options.setupOf(name), name, reason);
      return;
    }
    const { sessionId } = found.setup.session;
    const occupied = this.occupied(fix, found);
    if (occupied !== null) {
      this.refuseAfterWork(fix, view, found.setup, sessionId, occupied);
      return;
    }
    const isLost = (logon: MessageView): boolean => {
      const slot = found.slot ?? this.options.sessions.slots.get(sessionId) ?? null;
      return (slot !== null && !isVacant(slot)) || this.isHopeless({ ...found, slot }, logon, fix);
    };
    const change = view.has(Tag.NewPassword) ? this.proof.changeBy(fix, sessionId, view, isLost) : null;
    const decision = this.proof.check(found.setup, view, fix, change);
    if (!(decision instanceof Promise)) {
      this.decided(fix, found, view, decision);
      return;
    }
    this.waitsForUs(fix);
    // Nothing of the session has changed yet (rule S1), and nothing more is read of this connection until it is decided.
    const logon = view.copyBytes();
    const { dataFields } = view;
    fix.hold();
    void decision.then((authentication) => {
      const copy = viewOf(logon, dataFields);
      // Meanwhile another Logon may have made the session.
      const held = { ...found, slot: found.slot ?? this.options.sessions.slots.get(sessionId) ?? null };
      const taken = this.occupied(fix, held);
      if (!fix.isOver && copy !== null && taken !== null) this.refuse(fix, copy, taken);
      else if (!fix.isOver && copy !== null) {
        // Its proof answered settings that may have changed: another password, other networks.
        if (found.slot !== null && this.options.sessionFor(sessionId, fix.place) !== found.setup)
          this.refuse(fix, copy, `${sessionId}: its settings were changed meanwhile: this Logon has to come again`);
        // Its NewPassword(925) may have been passed over.
        else if (change?.kept !== true || this.isHopeless(held, copy, fix))
          this.decided(fix, held, copy, authentication);
        else this.refuse(fix, copy, 'the obstacle to this Logon has just ended: send it again');
      }
      this.proof.endChange(fix, sessionId);
      if (!fix.isOver) fix.release();
    });
  }

  /** The other place owns it from now on, as if it had accepted it. */
  private handOver(fix: FixConnection, view: MessageView, take: Exclude<Elsewhere, Promise<number>>): void {
    this.stopTimer(fix);
    const place = this.places.get(fix)!;
    const { connection, place: listener } = fix;
    take({ connection, first: fix.letGo(view), listener, place });
  }

  /** Its proof, and every answer, is the other place's. */
  private handOn(fix: FixConnection, view: MessageView, elsewhere: Promise<number>): void {
    if (this.relays >= RELAYS_MAX) {
      this.refuse(fix, view, 'too many connections are handed on to certifications');
      return;
    }
    this.relays++;
    this.stopTimer(fix);
    const place = this.places.get(fix);
    const { connection } = fix;
    this.handed.add(connection);
    new Relay(connection, fix.letGo(view), elsewhere, () => {
      this.relays--;
      this.handed.delete(connection);
    });
    if (place !== undefined) place.onEvicted = (reason) => connection.destroy(reason);
  }

  /** Whether a Logon is refused however it proves itself: nothing of it may count then (rule S1). */
  private isHopeless(held: Held, view: MessageView, fix: FixConnection): boolean {
    const { logonRefusal, attempt } = this.options;
    if (logonRefusal(held.setup.session.sessionId) !== null) return true;
    return !attempt(held, view, { kind: 'accepted' }, fix.remote).loggedOn;
  }

  /** The session that a Logon means, admissible or not; null if there is none, or it is still to be made. */
  private named(view: MessageView): SessionID | null {
    const { slots } = this.options.sessions;
    const isOurs = (sessionId: SessionID): boolean => {
      const slot = slots.get(sessionId);
      return slot?.machine.config.role === 'acceptor' && !slot.retired;
    };
    return sessionIDsOf(view).find(isOurs) ?? null;
  }

  private takesWrongCheckSum(view: MessageView, listener: string): boolean {
    const { sessions, newcomers } = this.options;
    const known = this.named(view);
    if (known !== null) return sessions.slots.get(known)?.machine.config.validateCheckSum === false;
    // In a process of listeners only, the settings are there and the sessions are not.
    return sessionIDsOf(view).some((sessionId) => {
      const setup = newcomers.find(sessionId, listener) ?? this.options.setupOf(sessionId);
      return setup?.session.validateCheckSum === false;
    });
  }

  /** The session that a Logon names, or null if there is none for this connection, which is dropped then. */
  private sessionOf(fix: FixConnection, view: MessageView): Held | null {
    const { sessions, sessionFor, newcomers } = this.options;
    const sessionIDs = sessionIDsOf(view);
    const known = this.named(view);
    if (known !== null) {
      // One that may not come in now is no other one: it would trade in another's numbers, and under another's limits.
      const slot = sessions.slots.get(known)!;
      const setup = sessionFor(known, fix.place);
      if (setup !== null && slot.enabled) return { slot, setup };
    } else {
      for (const sessionId of sessionIDs) {
        const setup = sessions.slots.has(sessionId) ? null : newcomers.find(sessionId, fix.place);
        if (setup !== null) return { slot: null, setup };
      }
    }
    return null;
  }

  /** The reason why the session has no place for this Logon; null if it has. A second Logon of a live one is dropped (rule S1). */
  private occupied(fix: FixConnection, { setup, slot }: Held): string | null {
    const { sessionId } = setup.session;
    // Its counterparty is proven; the answer about the new password must be true.
    if (this.proof.isChangedByAnother(fix, sessionId))
      return `another Logon is changing the password of session ${sessionId}; this one is dropped`;
    if (slot === null || isVacant(slot)) return null;
    return `session ${sessionId} is already connected; this second Logon is dropped`;
  }

  /** Drop a connection after the work of a wrong password, so that its time reveals nothing. Each address has a limit. */
  private refuseAfterWork(
    fix: FixConnection,
    view: MessageView,
    setup: SessionSetup | null,
    name: string,
    reason: string,
  ): void {
    const { now } = this.options;
    const address = fix.connection.remoteAddress;
    const mayWork = this.worked.allows(address, now());
    const work = mayWork ? this.proof.work(name, setup, view, address) : null;
    if (work === null) {
      this.refuse(fix, view, reason);
      return;
    }
    this.worked.failed(address, now());
    this.waitsForUs(fix);
    const logon = view.copyBytes();
    fix.hold();
    void work.then(() => {
      if (fix.isOver) return;
      fix.record(logon, reason);
      fix.drop(reason);
    });
  }

  /** The first message is complete. */
  private waitsForUs(fix: FixConnection): void {
    this.stopTimer(fix);
    this.places.get(fix)?.waits();
  }

  private decided(fix: FixConnection, held: Held, view: MessageView, checked: Authentication): void {
    const { sessions, guard, now, log, logonRefusal } = this.options;
    const { setup } = held;
    const { sessionId } = setup.session;
    this.stopTimer(fix);
    // Only a proven counterparty learns the reason of its refusal.
    const refusal = checked.kind === 'accepted' ? logonRefusal(sessionId) : null;
    if (refusal?.passes === true) {
      // QuickFIX C++ counts every Logout as the next expected message, whatever its number, and retries once a second.
      // Each Logout here would cost it a report that waits for it.
      this.refuse(fix, view, `${sessionId}: ${refusal.text}`);
      return;
    }
    const authentication: Authentication =
      refusal === null
        ? checked
        : { kind: 'refused', sessionStatus: SessionStatus.LogonsAreNotAllowedAtThisTime, text: refusal.text };
    if (checked.kind === 'refused' && checked !== UNPROVABLE && checked !== BUSY)
      // A name of a template without a session is a stranger's until it logs on.
      guard.failed(fix.connection.remoteAddress, now(), held.slot === null ? null : sessionId, sessionId);
    if (checked.kind === 'accepted') {
      guard.proved(fix.connection.remoteAddress, sessionId);
      this.places.get(fix)?.proved();
    }
    // Without proof all are answered as an unknown CompID is, by the end of the connection.
    const isProved = checked.kind !== 'refused' || checked.isProved === true;
    const mayAnswer = isProved || setup.access.answersUnproved === true;
    if (authentication.kind === 'refused' && !(mayAnswer && answersRefusal(setup.access.onRefusal, view))) {
      this.refuse(fix, view, `${sessionId}: ${authentication.text}`);
      return;
    }
    const slot = held.slot ?? this.newcomer(fix, setup, view, authentication);
    if (slot === null) return;
    // A loop of Logons: each would be an input on the journal, for years.
    const dropped = checked.kind === 'accepted' ? slot.machine.dropsLogon(now()) : null;
    if (dropped !== null) {
      this.refuse(fix, view, `${sessionId}: ${dropped}`);
      return;
    }
    if (slot.wire !== null) {
      // An unproven counterparty ends nothing (rule S1): outstanding proof may be on its way.
      if (authentication.kind === 'refused') {
        this.farewell(fix, view, this.options.attempt(held, view, authentication, fix.remote), sessionId);
        return;
      }
      const ending = [...this.connections].find(({ connection }) => connection === slot.wire);
      ending?.drop('a new connection of the same counterparty takes over');
    }
    log('info', 'Logon received', { session: sessionId, remote: fix.remote, listener: fix.place });
    fix.bind(slot);
    sessions.sessionInput(slot, { kind: 'message', view, authentication });
    // A stranger with a wrong password must not hold the session's place while its Logout is flushed.
    if (authentication.kind === 'refused') fix.unbind();
  }

  /** The session that a Logon makes; null, with the Logon answered, if it would come to nothing (rule S1). */
  private newcomer(
    fix: FixConnection,
    setup: SessionSetup,
    view: MessageView,
    authentication: Authentication,
  ): SessionSlot | null {
    const { newcomers, attempt } = this.options;
    const { sessionId } = setup.session;
    const trial = attempt({ setup, slot: null }, view, authentication, fix.remote);
    if (trial.loggedOn) {
      try {
        return newcomers.admit(setup);
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        this.refuse(fix, view, `no session ${sessionId} is made: ${error.message}`);
        return null;
      }
    }
    this.farewell(fix, view, trial, sessionId, 'no session is made: ');
    return null;
  }

  /** Answer a Logon as a session would have that takes no part in it: none of its numbers is used. */
  private farewell(fix: FixConnection, view: MessageView, trial: Trial, sessionId: SessionID, what = ''): void {
    fix.record(view.bytes(), `${sessionId}: ${what}${trial.reason}`);
    this.options.strangers.say({
      address: fix.connection.remoteAddress,
      text: `${what}${trial.reason}`,
      fields: { session: sessionId, remote: fix.remote },
      session: fix.named,
    });
    fix.farewell(trial.answers, trial.reason);
  }

  /**
   * A Logon inside a session (a reset, 141=Y) proves itself again only if it carries credentials.
   * @returns whether it was taken; else it is being proved, and nothing more is read of this connection
   */
  private logonWithin(fix: FixConnection, slot: SessionSlot, view: MessageView): boolean {
    const { sessions, sessionFor } = this.options;
    const setup = sessionFor(slot.sessionId, fix.place);
    // Settings that are taken over meanwhile ask for another proof, and look at a new password no more.
    const isPast = (): boolean => sessionFor(slot.sessionId, fix.place) !== setup;
    const carries = view.has(Tag.Password) || view.has(Tag.NewPassword) || view.has(Tag.RawData);
    // Only a reset is answered; a Logon that comes again in a resend wishes for nothing any more.
    const isLost = (one: MessageView): boolean =>
      setup === null ||
      isPast() ||
      !slot.machine.loggedOn ||
      one.boolean(Tag.ResetSeqNumFlag) !== true ||
      one.boolean(Tag.PossDupFlag) === true ||
      this.isHopeless({ setup, slot }, one, fix);
    const change = view.has(Tag.NewPassword) ? this.proof.changeBy(fix, slot.sessionId, view, isLost) : null;
    const decision: Authentication | Promise<Authentication> =
      setup !== null && carries ? this.proof.check(setup, view, fix, change) : { kind: 'accepted' };
    if (!(decision instanceof Promise)) {
      sessions.sessionInput(slot, { kind: 'message', view, authentication: decision });
      return true;
    }
    const logon = view.copyBytes();
    const { dataFields } = view;
    fix.hold();
    void decision.then((authentication) => {
      const copy = viewOf(logon, dataFields);
      if (!fix.isOver && copy !== null) {
        if (!isPast()) sessions.sessionInput(slot, { kind: 'message', view: copy, authentication });
        else if (!this.logonWithin(fix, slot, copy)) return;
      }
      this.proof.endChange(fix, slot.sessionId);
      fix.release();
    });
    return false;
  }

  /** Drop the connection without a message: an answer would consume a number or help a guesser (rule S1). */
  private refuse(fix: FixConnection, view: MessageView, reason: string): void {
    fix.record(view.bytes(), reason);
    fix.drop(reason);
  }

  private stopTimer(fix: FixConnection): void {
    clearTimeout(this.logonTimers.get(fix));
    this.logonTimers.delete(fix);
  }
}

/** Whether a Logon would find the session's place free. */
function isVacant(slot: SessionSlot): boolean {
  return slot.enabled && (slot.wire === null || isEnding(slot));
}

/**
 * A connection after the exchange of Logouts only waits for its end: a counterparty that reconnects at once is
 * admitted.
 */
function isEnding(slot: SessionSlot): boolean {
  const { state } = slot.machine.status;
  return state === 'logoutReceived' || state === 'closing';
}
