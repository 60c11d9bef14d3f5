// Sessions that the library adds and removes, and TLS that it renews, while its engine runs. Leaves starting and closing it to
// fix-engine.ts, and the same of a gateway's files to session-changes.ts.

import { CrossgateError } from '../../base/errors.ts';
import type { SessionConfig, SessionID } from '../../session/mod.ts';
import { importInWords, type Journal } from '../../store/mod.ts';
import type { ConnectSettings, SecretReference, SessionSetup, TlsConfig } from '../config.ts';
import { until } from '../sessions/closing.ts';
import { loadVersions, type VersionDictionaries, versionOf } from '../sessions/dictionaries.ts';
import type { SessionEngine } from '../sessions/session-engine.ts';
import type { CallbackApplication } from './fix-application.ts';
import {
  type AcceptorOptions,
  FIX_SESSION_DEFAULTS,
  type FixSessionOptions,
  SESSION_KEYS,
} from './fix-engine-options.ts';
import { checkCertificates, checkSessionOptions, checkTls } from './fix-options.ts';
import type { FixSession } from './fix-session.ts';
import { toSetup } from './fix-setup.ts';

type Tls = NonNullable<AcceptorOptions['tls']>;

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

/** @throws CrossgateError XG_ENGINE_CLOSED, XG_CONFIG_INVALID, XG_DICTIONARY_INVALID, XG_JOURNAL_CORRUPT; nothing is added then */
export async function addSession(library: RunningLibrary, options: FixSessionOptions): Promise<FixSession> {
  const { engine, application, store, role, connect, deliversRejects, dictionaries } = library;
  assertOpen(library);
  checkSessionOptions([options], SESSION_KEYS, FIX_SESSION_DEFAULTS);
  if (options.template !== undefined) throw invalid('a template is given when the engine is started');
  const setup = toSetup({ ...options, deliversRejects }, role, connect);
  const { sessionId } = setup.session;
  const version = versionOf(setup.session);
  if (!dictionaries.has(version)) {
    const loaded = await loadVersions(library.dictionariesDirectory, [version]);
    assertOpen(library);
    dictionaries.set(version, loaded.get(version)!);
  }
  if (store.recovered.sessions.get(sessionId)?.importBegun)
    throw new CrossgateError('XG_JOURNAL_CORRUPT', importInWords(sessionId));
  const session = application.addSession(slotFor(engine, setup));
  if (connect !== null) engine.connectInitiators();
  return session;
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
  if (session === undefined || slot === undefined) throw invalid(`there is no session ${sessionId}`);
  session.disable(text);
  slot.retired = true;
  const { logoutTimeoutMs } = slot.machine.config;
  await until(() => slot.wire === null, 2 * logoutTimeoutMs);
  if (slot.retired) application.removeSession(sessionId);
}

/** Texts of a listener's TLS that may be replaced while it runs. */
export class RenewableTls {
  #now: Tls;

  constructor(tls: Tls) {
    this.#now = tls;
  }

  /** Options of a listener: each part is read from the present texts. */
  config(minVersion: TlsConfig['minVersion'], ciphers: string): TlsConfig {
    const { clientAuthority, clientRevocations } = this.#now;
    return {
      certificate: this.#part('certificate'),
      key: this.#part('key'),
      // One may come with the next key.
      passphrase: { reference: 'tls.passphrase', read: () => this.#now.passphrase ?? '' },
      selfSigned: false,
      minVersion,
      ciphers,
      clientAuthority: clientAuthority === undefined ? null : this.#part('clientAuthority'),
      clientRevocations: clientRevocations === undefined ? null : this.#part('clientRevocations'),
      names: [],
    };
  }

  /**
   * Show and demand these from the next connection on; those that are open stay.
   * @throws CrossgateError XG_CONFIG_INVALID, XG_TLS_INVALID: the texts before stay in use
   */
  renew(
    { engine }: RunningLibrary,
    parts: Partial<Pick<Tls, 'certificate' | 'key' | 'passphrase' | 'clientAuthority' | 'clientRevocations'>>,
  ): void {
    const before = this.#now;
    const next = { ...before, ...parts };
    checkTls(next, 'acceptor', ['certificate', 'key']);
    checkCertificates([], next);
    for (const key of ['clientAuthority', 'clientRevocations'] as const) {
      if (next[key] !== undefined && before[key] === undefined)
        throw invalid(`tls.${key} is renewed where the engine was started with one`);
    }
    this.#now = next;
    try {
      for (const renewal of engine.renewals(() => true)) renewal.take();
    } catch (error) {
      this.#now = before;
      throw error;
    }
  }

  #part(key: 'certificate' | 'key' | 'clientAuthority' | 'clientRevocations'): SecretReference {
    return { reference: `tls.${key}`, read: () => this.#now[key] ?? '' };
  }
}

function assertOpen({ isClosed }: RunningLibrary): void {
  if (isClosed()) throw new CrossgateError('XG_ENGINE_CLOSED', 'the engine is closed');
}

const invalid = (text: string): CrossgateError => new CrossgateError('XG_CONFIG_INVALID', text);
