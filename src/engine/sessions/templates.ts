// Sessions for counterparties not known before: a template holds their permissions, and a proven Logon makes a session
// from it. Finds the template of a Logon or of a recovered session, and tries a Logon out before anything is made of it
// (rule S1). Adding the session is the engine's; reading templates from files is that of ops.

import { assert } from '../../base/assert.ts';
import { CrossgateError, thrownText } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  type Authentication,
  type Session,
  type SessionConfig,
  type SessionID,
  sessionIDOf,
} from '../../session/mod.ts';
import type { MessageView } from '../../wire/mod.ts';
import type { Counterparty, SecretReference, SessionSetup } from '../config.ts';

/** In a template: any value, but one there must be. */
export const ANY = '*';
/** CompIDs and SubIDs that a session is made for: they become parts of names and, by setting, of file names. */
const MADE_FROM = /^[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,63}$/;

/** Whether settings describe sessions to be made and are none themselves. */
export function isTemplate(setup: SessionSetup): boolean {
  return (setup.template ?? null) !== null;
}

/** The counterparty of a SessionID if a template may make that session, else null. */
function counterpartyOf(template: SessionConfig, sessionId: SessionID): Counterparty | null {
  const ours = sessionIDOf({ ...template, targetCompID: '', targetSubID: null, targetLocationID: null });
  if (!sessionId.startsWith(ours)) return null;
  const [targetCompID = '', targetSubID = '', targetLocationID = '', ...more] = sessionId.slice(ours.length).split('/');
  const fits = (pattern: string | null | undefined, value: string): boolean =>
    pattern === ANY ? MADE_FROM.test(value) : value === (pattern ?? '');
  const all =
    more.length === 0 &&
    fits(template.targetCompID, targetCompID) &&
    fits(template.targetSubID, targetSubID) &&
    fits(template.targetLocationID, targetLocationID);
  return all ? { targetCompID, targetSubID: targetSubID || null, targetLocationID: targetLocationID || null } : null;
}

/** So long a template that has made as many sessions as it may is not looked through again: it may read the secret of each. */
const COUNTED_EVERY_MS = 1000;

/** The templates of an engine. */
export class Templates<Setup extends SessionSetup> {
  private list: readonly Setup[] = [];
  /** Templates that were found to be full, by source. */
  private readonly full = new Map<string, { readonly at: EpochMs; readonly taken: number }>();

  get all(): readonly Setup[] {
    return this.list;
  }

  set(templates: readonly Setup[]): void {
    this.list = templates;
    this.full.clear();
  }

  /** The settings of a session of that name, or null if no template makes it. Nothing is added. */
  make(sessionId: SessionID): Setup | null {
    for (const setup of this.list) {
      const counterparty = counterpartyOf(setup.session, sessionId);
      if (counterparty === null) continue;
      const made = setup.template!.make(counterparty) as Setup;
      assert(made.session.sessionId === sessionId, 'a template makes the session that was asked for');
      return made;
    }
    return null;
  }

  /** Why one more session may not be made, which `made` would be, or null. */
  refusalOf(made: Setup, sessions: Iterable<Setup>, now: EpochMs): string | null {
    const { source, madeFrom = '' } = made;
    const sessionsMax = this.list.find((template) => template.source === madeFrom)?.template?.sessionsMax ?? 0;
    const full = this.full.get(madeFrom);
    const isCounted = full !== undefined && now >= full.at && now - full.at < COUNTED_EVERY_MS;
    const taken = isCounted ? full.taken : placesTaken(sessions, made, sessionsMax);
    if (taken < sessionsMax) return null;
    if (!isCounted) this.full.set(madeFrom, { at: now, taken });
    return `${source}: the template has made ${taken} sessions already, of ${sessionsMax} at most`;
  }
}

/** The sessions themselves: those configured, and those that templates have made, by the SessionIDs known. */
export function presentSessions<Setup extends SessionSetup>(
  configured: readonly Setup[],
  known: Iterable<SessionID>,
): Setup[] {
  const sessions = configured.filter((setup) => !isTemplate(setup));
  const templates = new Templates<Setup>();
  templates.set(configured.filter(isTemplate));
  const present = new Set(sessions.map(({ session }) => session.sessionId));
  for (const sessionId of known) {
    if (present.has(sessionId)) continue;
    const made = templates.make(sessionId);
    if (made !== null) sessions.push(made);
  }
  return sessions;
}

/**
 * Number of sessions of the same template. At the template's limit, sessions without a secret are left out: it was
 * removed, or they had a file of their own before. These may not log on and exist only for the reports of their orders.
 */
function placesTaken(sessions: Iterable<SessionSetup>, { madeFrom }: SessionSetup, sessionsMax: number): number {
  const made = [...sessions].filter((one) => one.madeFrom === madeFrom);
  if (made.length < sessionsMax) return made.length;
  return made.filter(({ password }) => password === null || isThere(password)).length;
}

function isThere(secret: SecretReference): boolean {
  try {
    secret.read();
    return true;
  } catch (error) {
    if (!(error instanceof CrossgateError)) throw error;
    return false;
  }
}

/** A library user's answer about a password: a failing function admits no counterparty and ends nothing. */
export function passwordFrom(passwordOf: (one: Counterparty) => unknown, counterparty: Counterparty): SecretReference {
  return secretFrom(`password of ${counterparty.targetCompID}`, () => passwordOf(counterparty));
}

/** The same of any secret. */
export function secretFrom(reference: string, give: () => unknown): SecretReference {
  const read = (): string => {
    let secret: unknown;
    try {
      secret = give();
    } catch (cause) {
      throw new CrossgateError('XG_SECRET_MISSING', `${reference}: ${thrownText(cause)}`, { cause });
    }
    if (typeof secret === 'string') return secret;
    if (!(secret instanceof Promise)) throw new CrossgateError('XG_SECRET_MISSING', `${reference}: there is none`);
    // No caller waits for it: its failure must not end the process.
    secret.catch(() => {});
    throw new CrossgateError('XG_SECRET_MISSING', `${reference}: it is promised, and has to be there at once`);
  };
  return { reference, read };
}

/** Outcome of a Logon. */
export interface Trial {
  readonly loggedOn: boolean;
  /** Answer to the counterparty, if it is refused. */
  readonly answers: readonly Uint8Array[];
  readonly reason: string;
}

/** Give a Logon to a machine that is thrown away: nothing of it is recorded, and no number counts. */
export function tryLogon(
  machine: Session,
  logon: { readonly view: MessageView; readonly authentication: Authentication; readonly remote: string },
  now: EpochMs,
): Trial {
  const { view, authentication, remote } = logon;
  const effects = [
    ...machine.handle({ kind: 'connected', remote }, now),
    ...machine.handle({ kind: 'message', view, authentication }, now),
  ];
  const answers: Uint8Array[] = [];
  let reason = '';
  for (const effect of effects) {
    if (effect.kind === 'loggedOn') return { loggedOn: true, answers: [], reason: '' };
    if (effect.kind === 'transmit') answers.push(effect.raw.slice());
    if (effect.kind === 'disconnect') reason = effect.reason;
  }
  return { loggedOn: false, answers, reason };
}
