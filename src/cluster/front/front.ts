// The listening sockets of a node with partitions: the rules of every listener (networks, PROXY headers, limits, TLS), the first
// message of a connection, and the partition that it goes to. A connection without one is dropped as an unknown counterparty is.

import { basename } from 'node:path';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  type Elsewhere,
  type EngineAddress,
  type EngineLog,
  type HandedConnection,
  isTemplate,
  JournalHealth,
  Passwords,
  SessionEngine,
} from '../../engine/mod.ts';
import { type EngineConfig, type EngineSessionConfig, sessionName } from '../../runtime/mod.ts';
import type { SessionID } from '../../session/mod.ts';
import { openMemoryStore } from '../../store/mod.ts';
import { type Partition, partitionsOf } from '../partitions/partition.ts';

/** Nothing of a session is kept here. */
const MESSAGES_MAX = 16;

/** Takes a connection for a partition; null: it does not serve now. */
export type Route = (partition: string) => ((handed: HandedConnection) => void) | null;

export interface FrontOptions {
  readonly config: EngineConfig;
  readonly route: Route;
  /** Where sessions that certify are; asked first. */
  readonly certifications: (names: readonly SessionID[], listener: string) => Elsewhere | null;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
}

export class Front {
  readonly #options: FrontOptions;
  readonly #engine: SessionEngine<{ readonly kind: 'none' }, EngineSessionConfig>;
  /** The partition of each configured session and template, by its name. */
  #homes: ReadonlyMap<string, string> = new Map();

  constructor(options: FrontOptions) {
    const { config, log, now } = options;
    this.#options = options;
    this.#engine = new SessionEngine({
      journal: openMemoryStore(MESSAGES_MAX),
      journalHealth: new JournalHealth(),
      application: { handle: () => {}, deadline: () => null },
      recorder: null,
      passwords: new Passwords(null, now),
      limits: config.limits,
      dictionaries: new Map(),
      log,
      now,
      keepsRecentMessages: false,
      busyPollMicros: 0,
      elsewhere: (names, listener) => options.certifications(names, listener) ?? this.#placeOf(names),
    });
    this.use(config);
  }

  /** Where it listens. */
  get addresses(): readonly EngineAddress[] {
    return this.#engine.addresses;
  }

  /** Sessions that connections are for from now on. */
  use(config: EngineConfig): void {
    const of = (partition: Partition): [string, string][] => partition.sessions.map((name) => [name, partition.name]);
    this.#homes = new Map(partitionsOf(config).flatMap(of));
    const { sessionConfigs, templates } = this.#engine;
    // Settings without sessions: they say how a wrong password is answered, and in which time.
    sessionConfigs.clear();
    for (const session of config.sessions) {
      if (!isTemplate(session)) sessionConfigs.set(session.session.sessionId, session);
    }
    templates.set(config.sessions.filter(isTemplate));
  }

  /** Open the ports. @throws CrossgateError XG_LISTEN_FAILED, XG_TLS_INVALID, XG_SECRET_MISSING */
  async open(): Promise<void> {
    for (const listener of this.#options.config.listeners) await this.#engine.listen(listener);
  }

  /** Certificates of listeners that are other ones now. @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  renewals(isNamed: IsNamed): Renewal[] {
    return this.#engine.renewals(isNamed);
  }

  /** Take no connections any more. Those that were handed over stay. */
  async closePorts(): Promise<void> {
    await this.#engine.closeListeners();
    this.#engine.dropConnections('the gateway stops');
    this.#engine.stop();
  }

  #placeOf(names: readonly SessionID[]): ((handed: HandedConnection) => void) | null {
    const { sessionConfigs, templates } = this.#engine;
    for (const name of names) {
      const made = sessionConfigs.get(name) ?? templates.make(name);
      if (made === null) continue;
      const { madeFrom } = made;
      const home = this.#homes.get(madeFrom === undefined ? sessionName(made) : basename(madeFrom, '.yaml'));
      if (home === undefined) continue;
      return this.#options.route(home) ?? ((handed) => this.#refuse(handed, home, name));
    }
    return null;
  }

  #refuse({ connection, listener }: HandedConnection, partition: string, session: SessionID): void {
    const reason = `partition ${partition} does not serve now`;
    this.#options.log('warn', `connection dropped: ${reason}`, { session, partition, listener });
    connection.destroy(reason);
  }
}
