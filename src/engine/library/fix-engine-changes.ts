// Sessions and templates that the library adds and removes while its engine runs. Leaves starting and closing it to
// fix-engine.ts, its TLS to renewable-tls.ts, and the same of a gateway's files to session-changes.ts.

import { CrossgateError } from '../../base/errors.ts';
import type { SessionConfig, SessionID } from '../../session/mod.ts';
import { importInWords, type Journal } from '../../store/mod.ts';
import type { ConnectSettings, SessionSetup } from '../config.ts';
import { until } from '../sessions/closing.ts';
import { loadVersions, type VersionDictionaries, versionOf } from '../sessions/dictionaries.ts';
import type { SessionEngine } from '../sessions/session-engine.ts';
import { isTemplate, presentSessions } from '../sessions/templates.ts';
import type { CallbackApplication } from './fix-application.ts';
import type { FixSessionOptions } from './fix-engine-options.ts';
import type { FixSession } from './fix-session.ts';
import { checkSessionOptions } from './fix-session-check.ts';
import { toSetup } from './fix-setup.ts';

/** Options that an engine of the library started with, as far as they are needed again. */
export interface RunningLibrary {
  readonly engine: SessionEngine;
  readonly application: CallbackApplication;
  readonly store: Journal;
  readonly role: SessionConfig['role'];
  readonly connect: ConnectSettings | null;
  readonly deliversRejects: boolean;
  readonly dictionaries: Map<string, VersionDictionaries>;
  readonly dictionariesDirectory: string;
  readonly isClosed: () => boolean;
}

/**
 * Add a session, or a template, which is none: null. @throws CrossgateError XG_ENGINE_CLOSED, XG_CONFIG_INVALID,
 * XG_DICTIONARY_INVALID, XG_JOURNAL_CORRUPT; nothing is added then
 */
export async function addSession(library: RunningLibrary, options: FixSessionOptions): Promise<FixSession | null> {
  const { engine, application, store, role, connect, deliversRejects, dictionaries } = library;
  assertOpen(library);
  checkSessionOptions([options]);
  const setup = toSetup({ ...options, deliversRejects }, role, connect);
  const { sessionId } = setup.session;
  const version = versionOf(setup.session);
  if (!dictionaries.has(version)) {
    const loaded = await loadVersions(library.dictionariesDirectory, [version]);
    assertOpen(library);
    dictionaries.set(version, loaded.get(version)!);
  }
  if (isTemplate(setup)) {
    addTemplate(library, setup);
    return null;
  }
  if (store.recovered.sessions.get(sessionId)?.importBegun)
    throw new CrossgateError('XG_JOURNAL_CORRUPT', importInWords(sessionId));
  const session = application.addSession(slotFor(engine, setup));
  if (connect !== null) engine.connectInitiators();
  return session;
}

/** Sessions that it made in an earlier run are there at once, with their numbers and what waits on them. */
function addTemplate({ engine, application, store }: RunningLibrary, setup: SessionSetup): void {
  const { templates } = engine;
  if (templates.all.some(({ source }) => source === setup.source))
    throw invalid(`template ${setup.source} is there already`);
  const known = [...store.recovered.sessions.keys()].filter((sessionId) => !engine.dispatcher.slots.has(sessionId));
  const made = presentSessions([setup], known);
  const part = made.find(({ session }) => store.recovered.sessions.get(session.sessionId)?.importBegun);
  if (part !== undefined) throw new CrossgateError('XG_JOURNAL_CORRUPT', importInWords(part.session.sessionId));
  templates.set([...templates.all, setup]);
  for (const one of made) application.addSession(engine.addSession(one));
}

/** One that was removed goes on in its numbers. */
function slotFor(engine: SessionEngine, setup: SessionSetup) {
  const { sessionId } = setup.session;
  const known = engine.dispatcher.slots.get(sessionId);
  if (known === undefined) return engine.addSession(setup);
  if (!known.retired) throw invalid(`session ${sessionId} is there already`);
  engine.applySession(setup);
  known.retired = false;
  known.enabled = true;
  return known;
}

/** Log a session out and take it away. Resolves once its connection has ended. @throws CrossgateError XG_CONFIG_INVALID, XG_ENGINE_CLOSED */
export async function removeSession(library: RunningLibrary, sessionId: SessionID, text: string): Promise<void> {
  assertOpen(library);
  const { engine, application } = library;
  const session = application.sessions.get(sessionId);
  const slot = engine.dispatcher.slots.get(sessionId);
  const { all } = engine.templates;
  if (all.some(({ source }) => source === sessionId)) {
    // The sessions that it has made stay until they are removed themselves.
    engine.templates.set(all.filter(({ source }) => source !== sessionId));
    return;
  }
  if (session === undefined || slot === undefined) throw invalid(`there is no session ${sessionId}`);
  session.disable(text);
  slot.retired = true;
  const { logoutTimeoutMs } = slot.machine.config;
  await until(() => slot.wire === null, 2 * logoutTimeoutMs);
  if (slot.retired) application.removeSession(sessionId);
}

function assertOpen({ isClosed }: RunningLibrary): void {
  if (isClosed()) throw new CrossgateError('XG_ENGINE_CLOSED', 'the engine is closed');
}

const invalid = (text: string): CrossgateError => new CrossgateError('XG_CONFIG_INVALID', text);
