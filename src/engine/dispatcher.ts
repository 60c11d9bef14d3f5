// The heart of the engine: feeds inputs to the session machines and the gateway machine, one at a time, and turns their
// effects into one journal frame and the consequences that wait for it. Owns no socket, no timer, no HTTP: those are handed in.

import { assert, unreachable } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { Gateway, GatewayEffect, GatewayInput } from '../gateway/mod.ts';
import type { Session, SessionEffect, SessionID, SessionInput, SessionRecord } from '../session/mod.ts';
import type { Durability, JournalRecord } from '../store/mod.ts';
import type { CommitQueue, Consequence } from './commit-queue.ts';
import type { EngineLog } from './config.ts';
import type { Deadlines } from './deadlines.ts';
import { inputRecord, UnrecordedPrices, uncountedRecord } from './journaled-input.ts';

/** The way out to one counterparty, while it is connected. */
export interface Wire {
  send(bytes: Uint8Array): void;
  close(): void;
}

/** A session machine with what the engine keeps beside it. */
export interface SessionSlot {
  readonly sessionId: SessionID;
  readonly machine: Session;
  durability: Durability;
  /** The connection it is bound to, or null. */
  wire: Wire | null;
  enabled: boolean;
}

/** What effects ask of the world; every answer comes back through `gatewayInput` or `sessionInput`. */
export interface Outside {
  submit(effect: Extract<GatewayEffect, { kind: 'submit' }>): void;
  lookup(effect: Extract<GatewayEffect, { kind: 'lookup' }>): void;
  loadOutbound(slot: SessionSlot, effect: Extract<SessionEffect, { kind: 'loadOutbound' }>): void;
  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void;
  sessionChanged(slot: SessionSlot, state: 'loggedOn' | 'loggedOff', reason: string): void;
}

type Job =
  | { readonly machine: 'session'; readonly slot: SessionSlot; readonly input: SessionInput }
  | { readonly machine: 'gateway'; readonly input: GatewayInput };

/** Most inputs that one external input may cause; beyond it a machine is looping, which is a bug. */
const JOBS_MAX = 100_000;
/** Deadline name of the gateway machine; sessions use their SessionID. */
const GATEWAY = 'gateway';

export interface DispatcherOptions {
  readonly gateway: Gateway;
  readonly commits: CommitQueue;
  readonly deadlines: Deadlines;
  readonly outside: Outside;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** Called for every record of a session machine, for the last messages and their counts. */
  readonly onRecord?: (slot: SessionSlot, record: SessionRecord, at: EpochMs) => void;
  /** Called after every turn: a deadline may have moved. */
  readonly afterTurn: () => void;
}

export class Dispatcher {
  readonly slots = new Map<SessionID, SessionSlot>();
  private readonly options: DispatcherOptions;
  private readonly jobs: Job[] = [];
  private records: JournalRecord[] = [];
  private consequences: Consequence[] = [];
  private touched = new Set<SessionSlot>();
  private gatewayTouched = false;
  private orderOnDisk = false;
  private running = false;
  /** The gateway machine had an input since the start. */
  private gatewayTold = false;
  private readonly unrecordedPrices = new UnrecordedPrices();

  constructor(options: DispatcherOptions) {
    this.options = options;
  }

  addSession(slot: SessionSlot): void {
    assert(!this.slots.has(slot.sessionId), `session ${slot.sessionId} is added once`);
    this.slots.set(slot.sessionId, slot);
    this.options.deadlines.set(slot.sessionId, slot.machine.deadline());
  }

  removeSession(sessionId: SessionID): void {
    this.slots.delete(sessionId);
    this.options.deadlines.set(sessionId, null);
  }

  /** Feed one input to a session machine and everything that follows from it. */
  sessionInput(slot: SessionSlot, input: SessionInput): void {
    this.recordInput(slot.sessionId, input);
    this.jobs.push({ machine: 'session', slot, input });
    this.drain();
  }

  /** Feed one input to the gateway machine and everything that follows from it. */
  gatewayInput(input: GatewayInput): void {
    this.recordInput(GATEWAY, input);
    this.jobs.push({ machine: 'gateway', input });
    this.drain();
  }

  /** Add a record to the frame of the next input, or to one of its own. */
  record(record: JournalRecord): void {
    this.records.push(record);
    if (!this.running) this.commit(this.options.now());
  }

  /** Give a tick to the machine whose deadline has come. */
  tick(name: string): void {
    if (name === GATEWAY) {
      this.gatewayInput({ kind: 'tick' });
      return;
    }
    const slot = this.slots.get(name);
    if (slot !== undefined) this.sessionInput(slot, { kind: 'tick' });
  }

  /** What was told from outside and is not a FIX message goes into the journal, so that a day can be replayed. */
  private recordInput(machine: string, input: SessionInput | GatewayInput): void {
    const record = inputRecord(machine, input, !this.gatewayTold);
    if (record !== null) this.records.push(record);
  }

  private recordUncounted(
    slot: SessionSlot,
    { view, authentication }: Extract<SessionInput, { kind: 'message' }>,
    effects: readonly SessionEffect[],
  ): void {
    const record = uncountedRecord(slot.sessionId, view, authentication, effects);
    if (record !== null) this.records.push(record);
  }

  private recordPrice(input: GatewayInput, now: EpochMs): void {
    this.gatewayTold = true;
    if (input.kind === 'referencePrice') this.unrecordedPrices.note(input.symbol, input.price, now);
    else if (input.kind === 'message') {
      const record = this.unrecordedPrices.recordFor(input.view);
      if (record !== null) this.records.push(record);
    }
  }

  private drain(): void {
    if (this.running) return;
    this.running = true;
    const now = this.options.now();
    try {
      // First in, first out: a session's own transmits leave before answers to what it delivered, so numbers stay in order.
      for (let i = 0; i < this.jobs.length; i++) {
        assert(i < JOBS_MAX, 'one input causes a bounded number of inputs');
        const job = this.jobs[i]!;
        if (job.machine === 'session') {
          this.touched.add(job.slot);
          const effects = job.slot.machine.handle(job.input, now);
          if (job.input.kind === 'message') this.recordUncounted(job.slot, job.input, effects);
          this.executeSession(job.slot, effects, now);
        } else {
          this.gatewayTouched = true;
          this.recordPrice(job.input, now);
          this.executeGateway(this.options.gateway.handle(job.input, now));
        }
      }
    } finally {
      this.jobs.length = 0;
      this.running = false;
    }
    this.commit(now);
  }

  private commit(now: EpochMs): void {
    let durability: Durability = 'process';
    for (const slot of this.touched) {
      if (slot.durability === 'disk') durability = 'disk';
      this.options.deadlines.set(slot.sessionId, slot.machine.deadline());
    }
    if (this.orderOnDisk) durability = 'disk';
    this.orderOnDisk = false;
    if (this.gatewayTouched) this.options.deadlines.set(GATEWAY, this.options.gateway.deadline());
    const { records, consequences } = this;
    this.records = [];
    this.consequences = [];
    this.touched = new Set();
    this.gatewayTouched = false;
    this.options.commits.commit(records, consequences, durability, now);
    this.options.afterTurn();
  }

  private executeSession(slot: SessionSlot, effects: readonly SessionEffect[], now: EpochMs): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'persist':
          this.records.push(effect.record);
          this.options.onRecord?.(slot, effect.record, now);
          break;
        case 'transmit':
          this.later(wireConsequence(slot.wire, effect.raw));
          break;
        case 'disconnect':
          this.later(closeConsequence(slot.wire));
          this.log('info', `disconnecting: ${effect.reason}`, slot);
          break;
        case 'deliver':
          this.jobs.push({
            machine: 'gateway',
            input: {
              kind: 'message',
              sessionId: slot.sessionId,
              view: effect.view,
              possDup: effect.possDup,
              waited: effect.waited,
            },
          });
          break;
        case 'loadOutbound':
          this.later({ evenIfUnrecorded: false, run: () => this.options.outside.loadOutbound(slot, effect) });
          break;
        case 'loggedOn':
          this.options.outside.sessionChanged(slot, 'loggedOn', '');
          this.jobs.push({ machine: 'gateway', input: { kind: 'sessionUp', sessionId: slot.sessionId } });
          break;
        case 'loggedOff':
          this.options.outside.sessionChanged(slot, 'loggedOff', effect.reason);
          this.jobs.push({
            machine: 'gateway',
            input: { kind: 'sessionDown', sessionId: slot.sessionId, end: effect.end },
          });
          break;
        case 'note':
          this.options.log(effect.level, effect.text, { session: slot.sessionId, ...effect.fields });
          break;
        default:
          unreachable(effect);
      }
    }
  }

  private executeGateway(effects: readonly GatewayEffect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'persistOrder':
          this.records.push({
            kind: 'order',
            key: effect.key,
            record: effect.record,
            ...(effect.ended === undefined ? {} : { ended: effect.ended }),
          });
          // An order is as durable as its session asks; one whose session is gone is not taken lightly either.
          if (this.slots.get(effect.sessionId)?.durability !== 'process') this.orderOnDisk = true;
          break;
        case 'submit':
          this.later(this.submitConsequence(effect));
          break;
        case 'lookup':
          this.later({ evenIfUnrecorded: true, run: () => this.options.outside.lookup(effect) });
          break;
        case 'send': {
          const slot = this.slots.get(effect.sessionId);
          if (slot === undefined) {
            this.options.log('warn', 'a report belongs to a session that is not configured any more', {
              session: effect.sessionId,
            });
            break;
          }
          this.jobs.push({ machine: 'session', slot, input: { kind: 'send', draft: effect.draft } });
          break;
        }
        case 'alarm':
          this.options.outside.alarm(effect.alarm, effect.text, effect.fields);
          break;
        case 'note':
          this.options.log(effect.level, effect.text, effect.fields);
          break;
        default:
          unreachable(effect);
      }
    }
  }

  /** A cancel leaves whatever the disk does; an order leaves recorded and in time, or never (rules J2, O4). */
  private submitConsequence(effect: Extract<GatewayEffect, { kind: 'submit' }>): Consequence {
    const { notAfter } = effect;
    const run = (): void => this.options.outside.submit(effect);
    if (notAfter === null) return { evenIfUnrecorded: true, run };
    const giveUp = (message: string): void => {
      const outcome = { kind: 'refused', httpStatus: null, errorCode: null, errorCodeName: null, message } as const;
      this.gatewayInput({ kind: 'outcome', commandId: effect.commandId, outcome });
    };
    return {
      evenIfUnrecorded: false,
      run: () => (this.options.now() > notAfter ? giveUp('the journal took too long to record it') : run()),
      abandon: () => giveUp('the gateway cannot record it'),
    };
  }

  private later(consequence: Consequence | null): void {
    if (consequence !== null) this.consequences.push(consequence);
  }

  private log(level: 'info', text: string, slot: SessionSlot): void {
    this.options.log(level, text, { session: slot.sessionId });
  }
}

/** The wire is taken now: bytes meant for one connection never reach the next one of the same session. */
function wireConsequence(wire: Wire | null, raw: Uint8Array): Consequence | null {
  return wire === null ? null : { evenIfUnrecorded: false, run: () => wire.send(raw) };
}

function closeConsequence(wire: Wire | null): Consequence | null {
  return wire === null ? null : { evenIfUnrecorded: false, run: () => wire.close() };
}
