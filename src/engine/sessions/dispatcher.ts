// The heart of the engine: feeds inputs to the session machines and the application, one at a time, and turns their effects
// into one journal frame and the consequences that wait for it. Owns no socket, no timer, no HTTP: those are handed in.

import { assert, unreachable } from '../../base/assert.ts';
import { JOBS_MAX } from '../../base/jobs.ts';
import type { EpochMs } from '../../base/time.ts';
import type { EffectSink, SessionEffect, SessionID, SessionInput, SessionRecord } from '../../session/mod.ts';
import type { Durability, JournalRecord } from '../../store/mod.ts';
import type { MessageDraft } from '../../wire/mod.ts';
import type { Application, ApplicationInput, InputRecorder, InputUnderWay, Turn } from '../application.ts';
import type { EngineLog } from '../config.ts';
import type { CommitQueue, CommittedFrame, Consequence } from './commit-queue.ts';
import type { Deadlines } from './deadlines.ts';
import { LateMessages } from './late-messages.ts';
import type { SessionInputs, SessionOutside, SessionSlot } from './session-slot.ts';
import { closing, Transmission } from './transmission.ts';

/** An input and its owner: a session, or the application if there is no slot. Reused for the next input. */
interface Job<Input> {
  slot: SessionSlot | null;
  input: SessionInput | Input | ApplicationInput;
}

/** Jobs kept for the next inputs; nearly every input causes fewer. */
const JOBS_KEPT_MAX = 64;
/** Owners of consequences kept likewise. */
const OWNERS_KEPT_MAX = 1024;
/** Deadline name of the application; sessions use their SessionID. */
const APPLICATION = 'application';

export interface DispatcherOptions<Input extends { readonly kind: string }> {
  readonly application: Application<Input>;
  /** The record of an input besides messages; null: none. */
  readonly recorder: InputRecorder<Input> | null;
  readonly commits: CommitQueue;
  readonly deadlines: Deadlines;
  readonly outside: SessionOutside;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** Called for every record of a session machine, for the last messages and their counts. */
  readonly onRecord?: (slot: SessionSlot, record: SessionRecord, at: EpochMs) => void;
  /** Called when a machine throws, which is a bug, with the external input and its consequences, the last under way. */
  readonly onThrown?: (inputs: readonly InputUnderWay[]) => void;
  /** Called after every turn: a deadline may have moved. */
  readonly afterTurn: () => void;
}

export class Dispatcher<Input extends { readonly kind: string } = ApplicationInput> implements SessionInputs {
  readonly slots = new Map<SessionID, SessionSlot>();
  /** Inputs that waited for a journal that recorded nothing. */
  readonly late: LateMessages;
  private readonly options: DispatcherOptions<Input>;
  private readonly jobs: Job<Input>[] = [];
  /** How many of `jobs` there are for the present input. */
  private jobCount = 0;
  /** Which of them is under way. */
  private jobAt = 0;
  private records: JournalRecord[] = [];
  private consequences: Consequence[] = [];
  /** Of each consequence, the session it is done for; null: the application's. There may be old ones behind them. */
  private readonly owners: (SessionSlot | null)[] = [];
  /** Whether a consequence is the application's. */
  private isUnowned = false;
  private touched: SessionSlot[] = [];
  private turns = 0;
  /** The session touched last, and the one spoken to last; mostly they are the next ones too. */
  private latest: SessionSlot | null = null;
  private addressee: SessionSlot | null = null;
  /** Executes the effects of the latest session's machine as they come. */
  private readonly sink: EffectSink = { push: (effect) => this.execute(this.latest!, effect) };
  /** Sessions with frames that this one must not overtake, besides those touched. */
  private readonly concerned = new Set<SessionID>();
  private applicationTouched = false;
  private diskDemanded = false;
  private running = false;
  private now: EpochMs = 0;
  private inChunk = false;
  private readAt = 0;
  /** Callbacks that come behind all consequences of this turn. */
  private lastly: { readonly slot: SessionSlot; readonly run: () => void }[] = [];
  private readonly turn: Turn;

  constructor(options: DispatcherOptions<Input>) {
    this.options = options;
    const dispatcher = this;
    const { log, now } = options;
    this.late = new LateMessages({ record: (record) => this.record(record), log, now });
    this.turn = {
      get now() {
        return dispatcher.now;
      },
      get readAt() {
        return dispatcher.inChunk ? dispatcher.readAt : performance.now();
      },
      send: (sessionId, draft, perishable) => this.send(sessionId, draft, perishable === true),
      sendNow: (sessionId, draft) => this.sendNow(sessionId, draft),
      repeat: (sessionId, afterExecID) => {
        const slot = this.slots.get(sessionId);
        if (slot !== undefined) this.add(slot, { kind: 'repeat', afterExecID });
      },
      record: (record) => this.records.push(record),
      demandDisk: () => {
        this.diskDemanded = true;
      },
      concerns: (sessionId) => this.concerned.add(sessionId),
      later: (consequence) => this.follow(null, consequence),
      whenSent: (sessionId, run) => {
        const slot = this.slotOf(sessionId);
        if (slot === null || slot.wire === null) return false;
        this.lastly.push({ slot, run });
        return true;
      },
    };
  }

  addSession(slot: SessionSlot): void {
    assert(!this.slots.has(slot.sessionId), `session ${slot.sessionId} is added once`);
    slot.touchedIn = -1;
    this.slots.set(slot.sessionId, slot);
    this.options.deadlines.set(slot.sessionId, slot.machine.deadline());
  }

  /** Feed one input to a session machine and everything that follows from it. */
  sessionInput(slot: SessionSlot, input: SessionInput): void {
    const record = this.options.recorder?.sessionInput(slot.sessionId, input) ?? null;
    if (record !== null) this.records.push(record);
    this.add(slot, input);
    this.drain();
    if (input.kind === 'outboundLoaded') this.options.application.resent?.(slot.sessionId);
  }

  /** Feed one input to the application and everything that follows from it. `also` goes into the same frame. */
  applicationInput(input: Input, also: JournalRecord | null = null): void {
    const record = this.options.recorder?.applicationInput(input) ?? null;
    if (record !== null) this.records.push(record);
    if (also !== null) this.records.push(also);
    this.add(null, input);
    this.drain();
  }

  /** Add a record to the frame of the present input, or to one of its own. */
  record(record: JournalRecord): void {
    this.records.push(record);
    if (this.running) return;
    if (!this.inChunk) this.now = this.options.now();
    this.endTurn();
  }

  /** Run a callback once the journal has all records of this session so far. */
  whenRecorded(slot: SessionSlot, run: () => void): void {
    if (!this.running && this.options.commits.isIdle) {
      run();
      return;
    }
    this.touch(slot);
    this.follow(slot, { evenIfUnrecorded: false, run });
    if (this.running) return;
    this.now = this.options.now();
    this.endTurn();
  }

  /** Give a tick to the machine with the due deadline. */
  tick(name: string): void {
    if (name === APPLICATION) {
      this.add(null, { kind: 'tick' });
      const record = this.options.recorder?.applicationInput({ kind: 'tick' }) ?? null;
      if (record !== null) this.records.push(record);
      this.drain();
      return;
    }
    const slot = this.slots.get(name);
    if (slot !== undefined) this.sessionInput(slot, { kind: 'tick' });
  }

  private send(sessionId: SessionID, draft: MessageDraft, perishable: boolean): boolean {
    const slot = this.slotOf(sessionId);
    if (slot === null) return false;
    this.add(slot, { kind: 'send', draft, perishable });
    return true;
  }

  private sendNow(sessionId: SessionID, draft: MessageDraft): boolean {
    // Waiting inputs came first.
    if (this.jobAt + 1 !== this.jobCount) return this.send(sessionId, draft.asItIs(), false);
    const slot = this.slotOf(sessionId);
    if (slot === null) return false;
    if (slot !== this.latest) this.touch(slot);
    slot.machine.handleInto({ kind: 'send', draft }, this.now, this.sink);
    return true;
  }

  private slotOf(sessionId: SessionID): SessionSlot | null {
    let slot = this.addressee;
    if (slot?.sessionId !== sessionId) {
      slot = this.slots.get(sessionId) ?? null;
      this.addressee = slot;
    }
    return slot;
  }

  private add(slot: SessionSlot | null, input: SessionInput | Input | ApplicationInput): void {
    const known = this.jobs[this.jobCount];
    if (known === undefined) this.jobs.push({ slot, input });
    else {
      known.slot = slot;
      known.input = input;
    }
    this.jobCount++;
  }

  private drain(): void {
    if (this.running) return;
    this.running = true;
    if (!this.inChunk) this.now = this.options.now();
    const { now } = this;
    const { application, recorder } = this.options;
    try {
      // First in, first out: a session's own transmits leave before answers to its deliveries, so numbers stay in
      // order.
      for (let i = 0; i < this.jobCount; i++) {
        assert(i < JOBS_MAX, 'one input causes a bounded number of inputs');
        const { slot, input: next } = this.jobs[i]!;
        this.jobAt = i;
        if (slot === null) {
          this.applicationTouched = true;
          application.handle(next as Input | ApplicationInput, this.turn);
          continue;
        }
        const input = next as SessionInput;
        if (slot !== this.latest) this.touch(slot);
        if (recorder === null) {
          slot.machine.handleInto(input, now, this.sink);
          continue;
        }
        const effects = slot.machine.handle(input, now);
        if (input.kind === 'message') {
          const record = recorder.message(slot.sessionId, input.view, input.authentication, effects);
          if (record !== null) this.records.push(record);
        }
        for (const effect of effects) this.execute(slot, effect);
      }
    } catch (error) {
      this.options.onThrown?.(this.jobs.slice(0, this.jobAt + 1) as InputUnderWay[]);
      throw error;
    } finally {
      this.jobCount = 0;
      if (this.jobs.length > JOBS_KEPT_MAX) this.jobs.length = JOBS_KEPT_MAX;
      this.running = false;
    }
    this.endTurn();
  }

  private touch(slot: SessionSlot): void {
    this.latest = slot;
    if (slot.touchedIn === this.turns) return;
    slot.touchedIn = this.turns;
    this.touched.push(slot);
  }

  beginChunk(readAt: number): void {
    this.inChunk = true;
    this.readAt = readAt;
    this.now = this.options.now();
    this.options.commits.hold();
  }

  endChunk(): void {
    this.inChunk = false;
    try {
      if (this.options.recorder === null) this.commit(this.now);
    } finally {
      this.options.commits.hurry();
    }
  }

  /** A day is replayed frame by frame: then each input has its own. */
  private endTurn(): void {
    if (!this.inChunk || this.options.recorder !== null) this.commit(this.now);
  }

  private commit(now: EpochMs): void {
    const { deadlines, application, afterTurn } = this.options;
    for (const slot of this.touched) deadlines.set(slot.sessionId, slot.machine.deadline());
    if (this.applicationTouched) deadlines.set(APPLICATION, application.deadline());
    if (this.lastly.length > 0) this.followLastly();
    const frames = this.takeFrames(now);
    // Nothing of this turn is left when they are handed over: that may bring the next one.
    for (const frame of frames) this.options.commits.commit(frame, frame === frames.at(-1));
    if (this.owners.length > OWNERS_KEPT_MAX) this.owners.length = 0;
    afterTurn();
  }

  /** Behind the messages of the turn: their bytes leave in the same order. */
  private followLastly(): void {
    for (const { slot, run } of this.lastly) this.follow(slot, { evenIfUnrecorded: false, run: () => {}, flush: run });
    this.lastly = [];
  }

  /**
   * This turn's result as a frame. Messages of sessions with `process` durability do not wait for the disk on behalf of
   * others that the turn writes to (a drop copy): then there are two frames, with the records in the first.
   */
  private takeFrames(at: EpochMs): CommittedFrame[] {
    const { records, consequences, owners, touched, concerned } = this;
    const application = this.applicationDurability();
    const sessions: Record<Durability, SessionID[]> = { process: [], disk: [] };
    for (const slot of touched) sessions[slot.durability].push(slot.sessionId);
    for (const sessionId of concerned) sessions[application].push(sessionId);
    // Output without a session keeps its place among all.
    const isSomebodys = concerned.size > 0 || !this.isUnowned;
    this.records = [];
    this.consequences = [];
    this.isUnowned = false;
    this.touched = [];
    this.turns++;
    this.latest = null;
    if (concerned.size > 0) concerned.clear();
    this.diskDemanded = false;
    this.applicationTouched = false;
    if (records.length === 0 && consequences.length === 0) return [];
    const needsDisk = application === 'disk' || sessions.disk.length > 0;
    if (!needsDisk || !isSomebodys || (application === 'disk' && sessions.process.length === 0)) {
      const { process, disk } = sessions;
      const all = !isSomebodys ? null : disk.length === 0 ? process : process.concat(disk);
      return [{ records, consequences, durability: needsDisk ? 'disk' : 'process', at, sessions: all }];
    }
    const parts: Record<Durability, Consequence[]> = { process: [], disk: [] };
    for (const [i, consequence] of consequences.entries()) {
      parts[owners[i]?.durability ?? application].push(consequence);
    }
    return [
      { records, consequences: parts.process, durability: 'process', at, sessions: sessions.process },
      { records: [], consequences: parts.disk, durability: 'disk', at, sessions: sessions.disk },
    ];
  }

  /** Required durability of the application's work: as it says, or as its sessions demand. */
  private applicationDurability(): Durability {
    if (this.diskDemanded) return 'disk';
    if (this.concerned.size === 0) {
      for (const { durability } of this.touched) if (durability === 'disk') return 'disk';
      return 'process';
    }
    for (const sessionId of this.concerned) if (this.slots.get(sessionId)?.durability !== 'process') return 'disk';
    return 'process';
  }

  private follow(owner: SessionSlot | null, consequence: Consequence): void {
    this.owners[this.consequences.length] = owner;
    this.consequences.push(consequence);
    if (owner === null) this.isUnowned = true;
  }

  private execute(slot: SessionSlot, effect: SessionEffect): void {
    const { sessionId } = slot;
    switch (effect.kind) {
      case 'persist':
        this.records.push(effect.record);
        this.options.onRecord?.(slot, effect.record, this.now);
        break;
      case 'transmit':
        if (slot.wire !== null) this.follow(slot, new Transmission(slot, slot.wire, effect.raw, this.now, this.late));
        break;
      case 'disconnect':
        if (slot.wire !== null) this.follow(slot, closing(slot.wire));
        this.options.log('info', `disconnecting: ${effect.reason}`, { session: sessionId });
        break;
      case 'deliver': {
        const { view, possDup, waited } = effect;
        this.add(null, { kind: 'message', sessionId, view, possDup, waited });
        break;
      }
      case 'throttled': {
        const { view, possDup, excess, waitMs } = effect;
        this.add(null, { kind: 'throttled', sessionId, view, possDup, excess, waitMs });
        break;
      }
      case 'loadOutbound':
        this.follow(slot, { evenIfUnrecorded: false, run: () => this.options.outside.loadOutbound(slot, effect) });
        break;
      case 'loggedOn':
        this.options.outside.sessionChanged(slot, 'loggedOn', '');
        this.add(null, { ...effect, kind: 'sessionUp', sessionId });
        break;
      case 'loggingOut':
        this.add(null, { kind: 'sessionLeaving', sessionId, by: effect.by });
        break;
      case 'loggedOff': {
        const { end, reason } = effect;
        this.options.outside.sessionChanged(slot, 'loggedOff', reason);
        this.add(null, { kind: 'sessionDown', sessionId, end, reason });
        break;
      }
      case 'alarm':
        this.options.outside.alarm(effect.alarm, effect.text, { session: sessionId, ...effect.fields });
        break;
      case 'note':
        this.options.log(effect.level, effect.text, { session: sessionId, ...effect.fields });
        break;
      default:
        unreachable(effect);
    }
  }
}
