// One session behind the real engine: its acceptor, dispatcher, group commit, timers and memory journal, with an application
// that the script plays. The second target of scenario scripts over TCP (scenario-over-tcp.ts).

import type { Application, ApplicationInput, Turn } from '../../../src/engine/application.ts';
import { type ChangedPasswordStore, Passwords } from '../../../src/engine/logon/passwords.ts';
import { JournalHealth } from '../../../src/engine/sessions/journal-health.ts';
import { SessionEngine } from '../../../src/engine/sessions/session-engine.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import type { Session, SessionInput } from '../../../src/session/mod.ts';
import { openMemoryStore } from '../../../src/store/mod.ts';
import { DataFields, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import type { ScenarioTarget } from './scenario-over-tcp.ts';
import { draftOf, type MachineOptions, sessionConfig, validatorOf } from './session-machine.ts';

export const ENGINE_LIMITS = {
  frameBytesMax: 65_536,
  fieldsMax: 1000,
  connectionsMax: 100,
  connectionsPerAddressMax: 100,
  logonTimeoutMs: 10_000,
  crowdedLogonTimeoutMs: 2000,
  outboundBytesMax: 8_388_608,
  failedLogonsPerMinute: 1000,
  shutdownWaitMs: 1000,
};

const OPEN = {
  signature: null,
  certificate: null,
  allowFrom: [],
  onRefusal: 'logout',
  answersUnproved: true,
} as const;

/** The Logon's expected credentials; by default every Logon is admitted. */
export interface Door {
  readonly password?: string;
  /** How long the old password is taken beside one set by NewPassword(925), and what keeps the new one. */
  readonly overlapMs?: number;
  readonly changed?: ChangedPasswordStore;
}

export class EngineHost implements ScenarioTarget, Application {
  readonly delivered: MessageView[] = [];
  readonly events: string[] = [];
  /** The engine knows of a session's connection once its Logon came. */
  readonly bindsOnConnect = false;
  readonly #engine: SessionEngine;
  readonly #slot: SessionSlot;
  readonly #wake = new Set<() => void>();

  private constructor(options: MachineOptions, { password, overlapMs, changed }: Door) {
    const config = sessionConfig(options.config);
    const session = {
      ...config,
      sessionId: `${config.beginString}:${config.senderCompID}->${config.targetCompID}`,
    };
    const journal = openMemoryStore(10_000);
    this.#engine = new SessionEngine({
      journal,
      journalHealth: new JournalHealth(),
      application: this,
      recorder: null,
      passwords: new Passwords(changed ?? null, Date.now),
      limits: ENGINE_LIMITS,
      dictionaries: new Map([
        [
          session.beginString,
          {
            names: [],
            dataFields: DataFields.STANDARD,
            newValidator: () => validatorOf(options, session.beginString) as never,
          },
        ],
      ]),
      log: () => {},
      now: Date.now,
      keepsRecentMessages: false,
      busyPollMicros: 0,
    });
    this.#slot = this.#engine.addSession({
      source: 'the test',
      session,
      password: password === undefined ? null : { reference: 'the test', read: () => password },
      access: { ...OPEN, passwordOverlapMs: overlapMs ?? null },
      connect: null,
      durability: 'process',
      listeners: [],
      enabled: true,
    });
    const { numbers } = options;
    if (numbers === undefined) return;
    const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = numbers;
    const change = { kind: 'setNumbers', reset: false, who: 'the test', why: 'as recovered' } as const;
    this.input({ ...change, nextSenderMsgSeqNum, nextTargetMsgSeqNum });
  }

  static async open(options: MachineOptions, door: Door = {}): Promise<EngineHost> {
    const host = new EngineHost(options, door);
    await host.#engine.listen({ name: 'fix', host: '127.0.0.1', port: 0, tls: null, allowFrom: [], proxyFrom: [] });
    return host;
  }

  get port(): number {
    return this.#engine.addresses[0]!.port;
  }

  get engine(): SessionEngine {
    return this.#engine;
  }

  get session(): Session {
    return this.#slot.machine;
  }

  /** Resolves once the end of the session's connection was noticed, which the counterparty's socket does not tell. */
  async vacated(): Promise<void> {
    while (this.#slot.wire !== null) await new Promise((resolve) => setImmediate(resolve));
  }

  app(message: string): void {
    this.input({ kind: 'send', draft: draftOf(message) });
  }

  input(input: SessionInput): void {
    this.#engine.dispatcher.sessionInput(this.#slot, input);
    this.#woken();
  }

  handle(input: ApplicationInput, _turn: Turn): void {
    if (input.kind === 'message') this.delivered.push(viewOf(input.view.copyBytes())!);
    else if (input.kind === 'sessionUp') this.events.push('loggedOn');
    else if (input.kind === 'sessionDown') this.events.push('loggedOff');
    this.#woken();
  }

  deadline(): null {
    return null;
  }

  /** Wait until something holds; looked at after every input and every few milliseconds. @throws Error if it never does */
  async until(holds: () => boolean, what: string): Promise<void> {
    const giveUpAt = Date.now() + 5_000;
    while (!holds()) {
      if (Date.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#wake.delete(done);
          resolve();
        };
        const timer = setTimeout(done, 5);
        this.#wake.add(done);
      });
    }
  }

  async close(): Promise<void> {
    this.#engine.stop();
    this.#engine.dropConnections('the test is over');
    await this.#engine.closeListeners();
    this.#engine.stop();
  }

  #woken(): void {
    for (const wake of [...this.#wake]) wake();
  }
}
