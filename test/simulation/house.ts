// One life of the gateway's process in virtual time: the real machines, dispatcher and commit queue over the simulated
// disk. It includes the engine's work at start, and the intent of an order on disk before it leaves. Leaves its ends of
// connections to house-end.ts.

import { assert } from '../../src/base/assert.ts';
import { CommitQueue } from '../../src/engine/sessions/commit-queue.ts';
import { Deadlines } from '../../src/engine/sessions/deadlines.ts';
import { Dispatcher } from '../../src/engine/sessions/dispatcher.ts';
import type { SessionSlot } from '../../src/engine/sessions/session-slot.ts';
import { Gateway, type GatewayConfig, type GatewayEffect, type GatewayInput } from '../../src/gateway/mod.ts';
import { GatewayApplication } from '../../src/runtime/gateway-application.ts';
import { type RecoveredSession, Session, type SessionConfig, type SessionEffect } from '../../src/session/mod.ts';
import type { Journal } from '../../src/store/mod.ts';
import { market } from '../gateway/desk.ts';
import { validatorOf } from './dictionaries.ts';
import type { Disk } from './disk.ts';
import type { Exchange, Listener } from './exchange.ts';
import { HouseEnd } from './house-end.ts';
import type { Link } from './link.ts';
import type { Faults, Randomness } from './randomness.ts';
import type { Life, Scheduler } from './scheduler.ts';

export type Durability = 'disk' | 'process';

/** A bug put into the house on purpose, to see whether the simulation finds it. */
export interface Tampering {
  journal?(journal: Journal): Journal;
  input?(input: GatewayInput): GatewayInput;
  gateway?(effects: GatewayEffect[], input: GatewayInput): GatewayEffect[];
  session?(effects: SessionEffect[]): SessionEffect[];
  /** Data read back at a start. */
  recovered?(session: RecoveredSession): RecoveredSession;
}

/** A house's foundations, which it does not own. */
export interface Ground {
  readonly scheduler: Scheduler;
  readonly random: Randomness;
  readonly faults: Faults;
  readonly disk: Disk;
  readonly exchange: Exchange;
  readonly durability: Durability;
  readonly gatewayConfig: GatewayConfig;
  readonly sessionConfigs: readonly SessionConfig[];
  readonly tampering: Tampering;
  readonly onAlarm: (alarm: string) => void;
}

/** Few enough that a slow disk fills it. */
const PENDING_FRAMES_MAX = 200;

export class House {
  readonly life: Life = { alive: true };
  /** Counterparties can connect. */
  open = false;
  readonly gateway: Gateway;
  readonly dispatcher: Dispatcher<GatewayInput>;
  readonly journal: Journal;
  readonly listener: Listener;
  readonly ends = new Set<HouseEnd>();
  readonly ground: Ground;
  readonly #deadlines = new Deadlines();
  readonly #firstNonce: number;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(ground: Ground) {
    const { disk, exchange, tampering, scheduler } = ground;
    this.ground = ground;
    const opened = disk.open(this.life);
    this.journal = tampering.journal?.(opened) ?? opened;
    this.#firstNonce = exchange.lastNonce;
    this.gateway = new Gateway(ground.gatewayConfig, { orders: opened.recovered.orders, ended: opened.endedOrders });
    const handle = this.gateway.handle.bind(this.gateway);
    this.gateway.handle = (told, now) => {
      const input = tampering.input?.(told) ?? told;
      const effects = handle(input, now);
      return tampering.gateway?.(effects, input) ?? effects;
    };
    const commits = new CommitQueue({
      journal: this.journal,
      pendingMax: PENDING_FRAMES_MAX,
      onHealth: (healthy) => this.dispatcher.applicationInput({ kind: 'journal', healthy }),
      onPressure: (full) => this.#pauseAll(full),
      onStuck: () => this.closeAll(),
      clock: {
        atOnce: (run) => scheduler.after(0, run, this.life),
        soon: (run) => scheduler.after(0, run, this.life),
        later: (ms, run) => {
          const life = { alive: true };
          scheduler.after(
            ms,
            () => {
              if (this.life.alive) run();
            },
            life,
          );
          return () => {
            life.alive = false;
          };
        },
        elapsedMs: () => scheduler.now,
      },
    });
    this.listener = {
      life: this.life,
      live: false,
      hearsAuctions: false,
      input: (input) => this.dispatcher.applicationInput(input),
    };
    const now = (): number => scheduler.now;
    const application = new GatewayApplication({
      gateway: this.gateway,
      outside: {
        submit: (effect) => this.#submit(effect),
        user: () => {},
        bridge: () => {},
        lookup: (effect) => exchange.lookup(this.listener, this.#firstNonce, effect),
        // No session of it asks about accounts.
        ask: () => {},
        manage: () => {},
        alarm: (alarm) => ground.onAlarm(alarm),
      },
      log: () => {},
      now,
      durabilityOf: (sessionId) => this.dispatcher.slots.get(sessionId)?.durability,
      input: (input) => this.dispatcher.applicationInput(input),
    });
    this.dispatcher = new Dispatcher<GatewayInput>({
      application,
      recorder: application,
      commits,
      deadlines: this.#deadlines,
      log: () => {},
      now,
      afterTurn: () => this.#armTimer(),
      outside: { loadOutbound: (slot, effect) => this.#load(slot, effect), sessionChanged: () => {}, alarm: () => {} },
    });
    for (const config of ground.sessionConfigs) this.#addSession(config);
  }

  #addSession(config: SessionConfig): void {
    const { tampering, durability } = this.ground;
    let recovered = this.journal.recovered.sessions.get(config.sessionId) ?? null;
    if (recovered !== null && tampering.recovered !== undefined) recovered = tampering.recovered(recovered);
    const machine = new Session(config, validatorOf(config.beginString), recovered);
    if (tampering.session !== undefined) {
      const handle = machine.handle.bind(machine);
      machine.handle = (input, now) => tampering.session!(handle(input, now));
    }
    this.dispatcher.addSession({
      sessionId: config.sessionId,
      machine,
      durability,
      wire: null,
      enabled: true,
      retired: false,
    });
  }

  /** The engine's work before it opens: log in, end interrupted sessions (rule C1), compare accounts (rule J3). */
  start(): void {
    const { scheduler, random, exchange } = this.ground;
    exchange.listener = this.listener;
    scheduler.after(
      random.between(5, 50),
      () => {
        this.dispatcher.applicationInput({ kind: 'markets', markets: [market('BTCUSDC')] });
        for (const { sessionId, loggedOn } of this.journal.recovered.sessions.values()) {
          if (!loggedOn) continue;
          const ended = { kind: 'state', sessionId, loggedOn: false, end: 'disconnect' } as const;
          this.dispatcher.applicationInput({ kind: 'sessionDown', sessionId, end: 'crash' }, ended);
        }
        this.#connectStream();
      },
      this.life,
    );
    scheduler.after(10_000, () => this.#opened(), this.life);
  }

  #opened(): void {
    this.open = true;
    this.#armTimer();
  }

  #connectStream(): void {
    const { scheduler, random } = this.ground;
    scheduler.after(
      random.between(5, 300),
      () => {
        this.listener.live = true;
        this.dispatcher.applicationInput({ kind: 'feed', credential: 'main', feed: 'private', live: true });
        this.#hearAuctions();
        this.#reconcile();
      },
      this.life,
    );
  }

  #hearAuctions(): void {
    this.listener.hearsAuctions = true;
    this.dispatcher.applicationInput({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    this.dispatcher.applicationInput({ kind: 'phase', phase: this.ground.exchange.auction.phase });
  }

  /** The phases of the auction are not heard for a while: then the exchange decides (rule T3). */
  cutAuctions(): void {
    if (!this.listener.hearsAuctions) return;
    this.listener.hearsAuctions = false;
    this.dispatcher.applicationInput({ kind: 'feed', credential: 'main', feed: 'auction', live: false });
    const { scheduler, random } = this.ground;
    const again = (): void => {
      if (this.listener.live && !this.listener.hearsAuctions) this.#hearAuctions();
    };
    scheduler.after(random.between(500, 6_000), again, this.life);
  }

  cutStream(): void {
    if (!this.listener.live) return;
    this.cutAuctions();
    this.listener.live = false;
    this.dispatcher.applicationInput({ kind: 'feed', credential: 'main', feed: 'private', live: false });
    this.ground.scheduler.after(this.ground.random.between(50, 3_000), () => this.#connectStream(), this.life);
  }

  #reconcile(): void {
    const { scheduler, random, faults, exchange, gatewayConfig } = this.ground;
    const { tradingAccountId } = gatewayConfig.sessions[0]!.accounts[0]!;
    scheduler.after(
      random.between(2, 40),
      () => {
        if (faults.strikes('reconciliationFailed', 0.1)) {
          this.dispatcher.applicationInput({ kind: 'reconciled', tradingAccountId, ok: false });
          scheduler.after(2_000, () => this.#reconcile(), this.life);
          return;
        }
        const { orders, trades } = exchange.recent();
        for (const trade of trades)
          this.dispatcher.applicationInput({ kind: 'trade', trade, source: 'reconciliation' });
        for (const order of orders)
          this.dispatcher.applicationInput({ kind: 'order', order, source: 'reconciliation' });
        this.dispatcher.applicationInput({ kind: 'reconciled', tradingAccountId, ok: true });
        if (!this.open) this.#opened();
      },
      this.life,
    );
  }

  #submit(effect: Extract<GatewayEffect, { kind: 'submit' }>): void {
    const { disk, exchange, durability } = this.ground;
    const { command, commandId } = effect;
    if (command.kind === 'createOrder') {
      const recorded = disk.holdsReference(command.clientOrderId, durability);
      assert(recorded, `the intent of reference ${command.clientOrderId} is durable before the exchange hears of it`);
    }
    exchange.submit(this.listener, commandId, command);
  }

  #load(slot: SessionSlot, effect: Extract<SessionEffect, { kind: 'loadOutbound' }>): void {
    const { scheduler, random, faults, disk } = this.ground;
    const { requestId, series, from, to } = effect;
    scheduler.after(
      random.between(0, 20),
      () => {
        if (faults.strikes('failedRead', 0.01)) {
          this.ground.onAlarm('resend-impossible');
          this.dispatcher.sessionInput(slot, { kind: 'outboundFailed', requestId });
          return;
        }
        const messages = disk.load(slot.sessionId, series, from, to);
        this.dispatcher.sessionInput(slot, { kind: 'outboundLoaded', requestId, messages });
      },
      this.life,
    );
  }

  accept(link: Link): void {
    this.ends.add(new HouseEnd(this, link));
  }

  /** An operator begins a session again at 1, with its connection open. */
  resetWithin(sessionId: string): void {
    const slot = this.dispatcher.slots.get(sessionId);
    if (slot?.machine.status.state !== 'loggedOn') return;
    const numbers = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: null, reset: true, within: true };
    this.dispatcher.sessionInput(slot, { kind: 'setNumbers', ...numbers, who: 'operator', why: 'simulated' });
  }

  /** Whether a reset of ours within the session was not answered when the process ended. */
  resetUnanswered(sessionId: string): boolean {
    return this.journal.recovered.sessions.get(sessionId)?.before != null;
  }

  closeAll(): void {
    for (const end of [...this.ends]) end.drop();
  }

  #pauseAll(paused: boolean): void {
    for (const end of [...this.ends]) end.pause(paused);
  }

  kill(): void {
    this.life.alive = false;
    this.listener.live = false;
    this.listener.hearsAuctions = false;
  }

  #armTimer(): void {
    const at = this.#deadlines.next();
    if (at === null || this.#timerAt <= at) return;
    this.#timerAt = at;
    this.ground.scheduler.at(at, () => this.#timerFired(at), this.life);
  }

  #timerFired(at: number): void {
    if (at !== this.#timerAt) return;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const { now } = this.ground.scheduler;
    for (let name = this.#deadlines.due(now); name !== null; name = this.#deadlines.due(now))
      this.dispatcher.tick(name);
    this.#armTimer();
  }
}
