// A changed set of sessions taken over while the engine runs: what is new, what changed, what is gone. Checks everything
// that could fail before it changes anything. Reading and validating files is the business of ops.

import { basename } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import {
  atOnce,
  inTurns,
  isTemplate,
  type PreparedSession,
  presentSessions,
  type SessionSlot,
  type Steps,
  versionOf,
} from '../engine/mod.ts';
import {
  accountsOfTemplates,
  checkReach,
  type EngineSessionConfig,
  makeUpFor,
  type RunningEngine,
  sessionName,
} from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import { changedKeys, settingNames } from './changed-keys.ts';
import { openOrdersInWords, retiredInWords, templateName, withRetiredCopied } from './retired-session.ts';

export interface SessionChange {
  readonly name: string;
  /** Changes, in words or keys. */
  readonly detail: string;
}

export interface SessionChanges {
  readonly added: readonly SessionChange[];
  readonly changed: readonly SessionChange[];
  readonly retired: readonly SessionChange[];
  readonly unchanged: number;
}

const REMOVED = 'This session was removed from the configuration';
const RESTART = 'restart the gateway to take it over';

/** Keys named in the audit trail when a session changes; further ones are counted. */
const KEYS_MAX = 20;

/** Sessions named where many would go at once; further ones are counted. */
const NAMES_MAX = 10;

/** Values that a Logon agrees or proves: a session that is logged on keeps those it has. */
const AT_LOGON =
  /^(?:access|connect|listeners|password|session\.(?:heartBtInt|logon|username|environment|sendsNextExpected|defaultApplVerID))/;

/** Keys of the file that a session which is logged on takes over at its next Logon. */
export function atNextLogon(before: EngineSessionConfig, after: EngineSessionConfig): string[] {
  return settingNames(changedKeys(before, after).filter((key) => AT_LOGON.test(key)));
}

/** How a set of sessions is taken over. */
export interface ApplyOptions {
  /** Refused if more than half of all sessions, and several, would be removed without an explicit request. */
  readonly keepsMost: boolean;
}

/**
 * Take over a set of sessions beside the traffic. Everything that could fail is checked first. Then one session after
 * another gets its new settings, so that all have them within some turns of the event loop.
 * @throws CrossgateError XG_CONFIG_INVALID, XG_ENGINE_CLOSED; nothing changed
 */
export async function applySessions(
  engine: RunningEngine,
  configured: readonly EngineSessionConfig[],
  ways: ChangeWays,
  { keepsMost }: ApplyOptions,
): Promise<SessionChanges> {
  for (const { session } of configured) await engine.provideDictionary(session);
  const isUrgent = (): boolean => engine.isClosing;
  const { size } = engine.sessionConfigs;
  let plan = await inTurns(planning(engine, configured), isUrgent);
  // A Logon may have made one more from a template meanwhile: it is none that was taken away.
  if (engine.sessionConfigs.size !== size) plan = atOnce(planning(engine, configured));
  if (keepsMost) checkMostStay(engine, plan.gone);
  if (engine.isClosing) throw new CrossgateError('XG_ENGINE_CLOSED', 'the gateway is stopping');
  return await inTurns(takingOver(engine, plan, ways), isUrgent);
}

/** The plan for the sessions, made before anything changes. */
interface Plan {
  readonly sessions: readonly EngineSessionConfig[];
  readonly templates: readonly EngineSessionConfig[];
  /** Material of new and changed ones, by SessionID. */
  readonly prepared: ReadonlyMap<SessionID, PreparedSession>;
  /** Sessions of now that are not among them. */
  readonly gone: readonly EngineSessionConfig[];
}

/** Find out what is to change. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING */
function* planning(engine: RunningEngine, configured: readonly EngineSessionConfig[]): Steps<Plan> {
  const templates = configured.filter(isTemplate);
  const known = [...engine.journal.recovered.sessions.keys(), ...engine.sessionConfigs.keys()];
  const all = withRetiredCopied(engine, configured);
  const sessions = presentSessions(all, new Set(known)).filter((session) => mayBeMade(engine, session));
  for (const session of [...sessions, ...templates]) {
    check(engine, session);
    yield;
  }
  const prepared = new Map<SessionID, PreparedSession>();
  for (const session of sessions) {
    // A secret that is missing is found here.
    if (isOther(engine, session)) prepared.set(session.session.sessionId, engine.sessions.prepare(session));
    yield;
  }
  return { sessions, templates, prepared, gone: missing(engine, sessions) };
}

/** Whether a session is new, is back or has changed. */
function isOther(engine: RunningEngine, session: EngineSessionConfig): boolean {
  const { sessionId } = session.session;
  const before = engine.sessionConfigs.get(sessionId);
  const isThere = before !== undefined && !engine.dispatcher.slots.get(sessionId)!.retired;
  return !isThere || changedKeys(before, session).length > 0;
}

type LogOut = (slot: SessionSlot, text: string) => void;
type ChangeKind = 'added' | 'changed' | 'retired';

interface ChangeWays {
  readonly logOut: LogOut;
  /**
   * Called for each in the turn in which it is taken over: its new settings are recorded before any order under them.
   */
  readonly onTaken: (kind: ChangeKind, change: SessionChange) => void;
}

/** Nothing fails behind the first step. @throws CrossgateError XG_CONFIG_INVALID there */
function* takingOver(engine: RunningEngine, plan: Plan, { logOut, onTaken }: ChangeWays): Steps<SessionChanges> {
  const { sessions, templates, prepared, gone } = plan;
  for (const session of sessions) checkOpenOrders(engine, session);
  const ofTemplates = templateChanges(engine.sessions.templates.all, templates);
  engine.sessions.templates.set(templates);
  reconcileTemplates(engine, templates);
  const done: Record<ChangeKind, SessionChange[]> = { added: [], changed: [], retired: [] };
  const tell = (kind: ChangeKind, change: SessionChange): void => {
    done[kind].push(change);
    onTaken(kind, change);
  };
  for (const kind of ['added', 'changed', 'retired'] as const) for (const one of ofTemplates[kind]) tell(kind, one);
  let unchanged = 0;
  const take = (session: EngineSessionConfig): void => {
    const wanted = prepared.get(session.session.sessionId);
    if (wanted === undefined) unchanged++;
    else if (engine.sessionConfigs.has(session.session.sessionId))
      tell('changed', change(engine, session, wanted, logOut));
    else tell('added', add(engine, session, wanted));
  };
  const becomeCopies = new Set(sessions.filter((session) => becomesCopy(engine, session)));
  // In the same turn as the look at their open orders: no order may come between.
  for (const session of becomeCopies) take(session);
  for (const session of sessions) {
    if (becomeCopies.has(session)) continue;
    yield;
    take(session);
  }
  yield;
  engine.letIn();
  for (const one of retire(engine, gone, logOut)) tell('retired', one);
  return { ...done, unchanged };
}

function add(engine: RunningEngine, session: EngineSessionConfig, prepared: PreparedSession): SessionChange {
  const { sessionId } = session.session;
  engine.gateway.applyConfig(session.gateway);
  engine.addSession(session, prepared);
  makeUpFor(engine, sessionId);
  engine.dispatcher.tick(sessionId);
  reconcileNew(engine, session, []);
  return { name: sessionName(session), detail: sessionId };
}

function change(
  engine: RunningEngine,
  session: EngineSessionConfig,
  prepared: PreparedSession,
  logOut: LogOut,
): SessionChange {
  const { sessionId } = session.session;
  const before = engine.sessionConfigs.get(sessionId)!;
  const slot = engine.dispatcher.slots.get(sessionId)!;
  const returns = slot.retired;
  replace(engine, session, prepared, logOut);
  if (before.madeFrom === undefined && session.madeFrom !== undefined) {
    // It proved itself by what stood in its file.
    logOut(slot, REMOVED);
    const of = `${basename(before.source, '.yaml')} was removed: it is made from ${templateName(session)} now`;
    return { name: sessionName(session), detail: `${of}${openOrdersInWords(engine, sessionId)}` };
  }
  const keys = changedKeys(before, session);
  const open = before.enabled && !session.enabled ? openOrdersInWords(engine, sessionId) : '';
  const what = `${inWords(before, session, keys)}${open}${waiting(engine, session, keys)}`;
  const back = slot.disabledByHand === true ? 'is back, disabled by an operator as before' : 'is back';
  return { name: sessionName(session), detail: returns ? `${back} ${what}`.trim() : what };
}

/** Changes of the templates themselves, with or without sessions made from them. */
function templateChanges(
  before: readonly EngineSessionConfig[],
  after: readonly EngineSessionConfig[],
): Omit<SessionChanges, 'unchanged'> {
  const added: SessionChange[] = [];
  const changed: SessionChange[] = [];
  for (const template of after) {
    const name = sessionName(template);
    const known = before.find(({ source }) => source === template.source);
    const keys = known === undefined ? [] : changedKeys(known, template);
    if (known === undefined) added.push({ name, detail: 'a template: it makes sessions from now on' });
    else if (keys.length > 0) changed.push({ name, detail: `${named(keys)}, for sessions that it makes` });
  }
  const gone = before.filter(({ source }) => !after.some((template) => template.source === source));
  const retired = gone.map((template) => ({ name: sessionName(template), detail: 'a template: it makes no more' }));
  return { added, changed, retired };
}

/** Says where a session's settings stand, not what they are. */
const OF_FILE = /(^|\.)(source|madeFrom)$/;

/** Changes, by the keys of the file; a mere change of the file has none. */
function inWords(before: EngineSessionConfig, { source }: EngineSessionConfig, keys: readonly string[]): string {
  const ofFile = named(keys.filter((key) => !OF_FILE.test(key)));
  const moved = before.source === source ? '' : `its file is ${source} now`;
  return moved === '' || ofFile === '' ? `${moved}${ofFile}` : `${moved}: ${ofFile}`;
}

function named(keys: readonly string[]): string {
  const names = settingNames(keys);
  const more = names.length > KEYS_MAX ? ` and ${names.length - KEYS_MAX} more` : '';
  return `${names.slice(0, KEYS_MAX).join(' ')}${more}`;
}

function replace(engine: RunningEngine, session: EngineSessionConfig, prepared: PreparedSession, logOut: LogOut): void {
  const { sessionId } = session.session;
  const before = engine.sessionConfigs.get(sessionId)!;
  const slot = engine.dispatcher.slots.get(sessionId)!;
  const returns = slot.retired;
  slot.retired = false;
  engine.gateway.applyConfig(session.gateway);
  engine.sessions.applySession(session, prepared);
  engine.recordSession(slot);
  // A new schedule counts at once.
  engine.dispatcher.tick(sessionId);
  reconcileNew(
    engine,
    session,
    before.gateway.accounts.map(({ tradingAccountId }) => tradingAccountId),
  );
  // An operator's manual switch stays, unless the file changes.
  if (before.enabled !== session.enabled) slot.disabledByHand = false;
  else if (!returns) return;
  slot.enabled = session.enabled && slot.disabledByHand !== true;
  if (!session.enabled) logOut(slot, 'This session was disabled in the configuration');
}

/** Sessions of now that are not among these. */
function missing(engine: RunningEngine, sessions: readonly EngineSessionConfig[]): EngineSessionConfig[] {
  const present = new Set(sessions.map(({ session }) => session.sessionId));
  return [...engine.sessionConfigs.values()].filter(
    ({ session: { sessionId } }) => !present.has(sessionId) && !engine.dispatcher.slots.get(sessionId)!.retired,
  );
}

/** A folder copied by half, or a truncated file, looks like removed sessions. */
function checkMostStay(engine: RunningEngine, gone: readonly EngineSessionConfig[]): void {
  const all = [...engine.dispatcher.slots.values()].filter(({ retired }) => !retired).length;
  if (gone.length < 2 || 2 * gone.length <= all) return;
  const names = gone.slice(0, NAMES_MAX).map(sessionName).join(', ');
  const more = gone.length > NAMES_MAX ? ` and ${gone.length - NAMES_MAX} more` : '';
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `${gone.length} of ${all} sessions would be taken away at once (${names}${more}), as where files are half copied: put them back, or take it over with \`crossgate config apply\``,
  );
}

function retire(engine: RunningEngine, gone: readonly EngineSessionConfig[], logOut: LogOut): SessionChange[] {
  for (const { session } of gone) {
    const slot = engine.dispatcher.slots.get(session.sessionId)!;
    // The machine stays: reports of orders still open are numbered and kept for the day the session comes back.
    slot.retired = true;
    slot.enabled = false;
    logOut(slot, REMOVED);
  }
  return gone.map((config) => {
    const { sessionId } = config.session;
    return { name: sessionName(config), detail: `${sessionId}${retiredInWords(engine, config)}` };
  });
}

/** Which of the changed values a session that is logged on does not take over before its next Logon, in words. */
function waiting(engine: RunningEngine, { session }: EngineSessionConfig, keys: readonly string[]): string {
  const later = settingNames(keys.filter((key) => AT_LOGON.test(key))).slice(0, KEYS_MAX);
  const isLoggedOn = engine.dispatcher.slots.get(session.sessionId)!.machine.loggedOn;
  return isLoggedOn && later.length > 0 ? ` (from the next Logon on: ${later.join(' ')})` : '';
}

/** A drop copy session enters and cancels nothing: orders that it had open before would be out of everybody's reach. */
function checkOpenOrders(engine: RunningEngine, config: EngineSessionConfig): void {
  const { source, session } = config;
  const open = engine.gateway.openOrderCount(session.sessionId);
  if (open === 0 || !becomesCopy(engine, config)) return;
  const orders = open === 1 ? 'an open order' : `${open} open orders`;
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `${source}: the session has ${orders}, which as a drop copy it could not cancel; cancel first, then apply again`,
  );
}

/** A session with a removed file, and another role or version than the template that fits its name, ends. */
function mayBeMade(engine: RunningEngine, { madeFrom, session }: EngineSessionConfig): boolean {
  const before = engine.sessionConfigs.get(session.sessionId)?.session;
  if (madeFrom === undefined || before === undefined) return true;
  return before.role === session.role && versionOf(before) === versionOf(session);
}

function becomesCopy(engine: RunningEngine, { session, gateway }: EngineSessionConfig): boolean {
  const before = engine.sessionConfigs.get(session.sessionId)?.gateway.kind ?? 'order';
  return gateway.kind === 'dropCopy' && before !== 'dropCopy';
}

/** Everything that a running engine cannot take over is found here, before anything changes. */
function check(engine: RunningEngine, config: EngineSessionConfig): void {
  const { source, session } = config;
  const known = engine.sessionConfigs.get(session.sessionId);
  if (known !== undefined && known.session.role !== session.role) {
    throw new CrossgateError('XG_CONFIG_INVALID', `${source}: the role of the session changed; ${RESTART}`);
  }
  if (known !== undefined && versionOf(known.session) !== versionOf(session)) {
    throw new CrossgateError('XG_CONFIG_INVALID', `${source}: the version that the session speaks changed; ${RESTART}`);
  }
  checkReach(engine, config, RESTART);
}

/** Orders of an account are refused until it was reconciled once (rule J3); ask for it at once. */
function reconcileNew(engine: RunningEngine, session: EngineSessionConfig, known: readonly string[]): void {
  for (const { tradingAccountId, credential } of session.gateway.accounts) {
    if (!known.includes(tradingAccountId)) engine.links.get(credential)?.reconcileAccount(tradingAccountId);
  }
}

/** No session is made before its accounts were compared (logon-gate.ts). */
function reconcileTemplates(engine: RunningEngine, templates: readonly EngineSessionConfig[]): void {
  for (const { tradingAccountId, credential } of accountsOfTemplates(templates, engine.config.exchange.credentials)) {
    if (engine.gateway.isReconciled(tradingAccountId)) continue;
    engine.dispatcher.applicationInput({ kind: 'account', tradingAccountId, credential });
    engine.links.get(credential)?.reconcileAccount(tradingAccountId);
  }
}
