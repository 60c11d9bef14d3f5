// Runs a session machine in virtual time: as the target of scenario scripts (fix-scenario.ts), with a journal that lives
// in memory and checks what every journal relies on (numbers never go back, persist before transmit).

import assert from 'node:assert/strict';
import { expect } from 'vitest';
import { parseUtcTimestamp } from '../../../src/base/time.ts';
import { Validator } from '../../../src/dictionary/mod.ts';
import type {
  Authentication,
  MessageValidator,
  SessionConfig,
  SessionEffect,
  SessionInput,
  SessionNumbers,
} from '../../../src/session/mod.ts';
import { Session } from '../../../src/session/mod.ts';
import { Framer, fromPrintable, MessageDraft, type MessageView, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import { dictionary } from '../dictionary.ts';
import {
  completeFrame,
  fieldsOf,
  isDraftHeader,
  parseScenario,
  type ScenarioStep,
  timestampOf,
  withTimes,
} from './fix-scenario.ts';
import { MemorySessionJournal } from './session-journal.ts';

export const START_AT = parseUtcTimestamp('20260105-09:00:00.000')!;

export const acceptAll: MessageValidator = { validate: () => null };

/**
 * An acceptor with the defaults of the product, `XGATE` facing `OMS`; but it names the end of what it asks for, which shows which
 * numbers it takes for missing.
 */
export function sessionConfig(change: Partial<SessionConfig> = {}): SessionConfig {
  const config: SessionConfig = {
    sessionId: 'FIX.4.4:XGATE->OMS',
    role: 'acceptor',
    beginString: 'FIX.4.4',
    senderCompID: 'XGATE',
    targetCompID: 'OMS',
    heartBtIntS: 30,
    heartBtIntMinS: 1,
    heartBtIntMaxS: 120,
    heartBtIntZeroAllowed: false,
    username: null,
    sendingTimeAccuracyS: 120,
    logonTimeoutMs: 10_000,
    logoutTimeoutMs: 5_000,
    testRequestAfter: 1.2,
    lostAfter: 2.4,
    resetOnLogonAllowed: true,
    resendRequestChunk: 0,
    closedResendRequests: true,
    resendLoadChunk: 100,
    gapQueueMax: 100,
    seqNumMax: 100_000_000,
    sendsSessionStatus: false,
    logonText: null,
    environment: 'any',
    repeatUnprovenReports: true,
    // It is what its own tests are about.
    provesBeforeLogout: false,
    validateIncoming: true,
  };
  return { ...config, ...change };
}

export interface MachineOptions {
  readonly config?: Partial<SessionConfig>;
  /** The validator of inbound messages; `stock`: the version's dictionary of this project, or the nearest there is. */
  readonly validator?: MessageValidator | 'stock';
  readonly numbers?: SessionNumbers;
  /** The credential check's answer to a Logon; by default `554=wrong` is refused. */
  readonly authenticate?: (view: MessageView) => Authentication;
}

const stock = new Map<string, Validator>();

/** The validator of a script's options, for a version. */
export function validatorOf({ validator }: MachineOptions, beginString: string): MessageValidator {
  if (validator !== 'stock') return validator ?? acceptAll;
  const known = stock.get(beginString);
  if (known !== undefined) return known;
  const made =
    beginString === 'FIXT.1.1'
      ? new Validator({ transport: dictionary('FIXT11.xml'), applications: [dictionary('FIX50SP2.xml')] })
      : new Validator(dictionary('FIX44.xml'));
  stock.set(beginString, made);
  return made;
}

function defaultAuthentication(view: MessageView): Authentication {
  if (view.string(554) !== 'wrong') return { kind: 'accepted' };
  return { kind: 'refused', sessionStatus: '5', text: 'invalid username or password' };
}

type Outcome =
  | { readonly kind: 'transmit'; readonly text: string; readonly raw: Uint8Array }
  | {
      readonly kind: 'deliver';
      readonly text: string;
      readonly raw: Buffer;
      readonly possDup: boolean;
      readonly waited: boolean;
    }
  | {
      readonly kind: 'throttled';
      readonly text: string;
      readonly excess: 'refuse' | 'hold';
      readonly waitMs: number;
    }
  | { readonly kind: 'disconnect'; readonly reason: string };

/** A session machine with its clock, journal and one connection. */
export class MachineDriver {
  readonly config: SessionConfig;
  readonly journal: MemorySessionJournal;
  readonly notes: string[] = [];
  readonly alarms: string[] = [];
  /** loggedOn and loggedOff as reported, in order. */
  readonly events: string[] = [];
  /** The side with a Logout(5) said or due, as reported, in order. */
  readonly leavings: string[] = [];
  /** Effects that the script must account for, in order. */
  readonly outcomes: Outcome[] = [];
  session: Session;
  now = START_AT;
  holdJournal = false;
  readonly #options: MachineOptions;
  readonly #persisted = new WeakSet<Uint8Array>();
  /** Messages with only their numbers recorded, and still to be transmitted. */
  #unkept = 0;
  readonly #loads: Extract<SessionEffect, { kind: 'loadOutbound' }>[] = [];
  #framer: Framer | null = null;

  constructor(options: MachineOptions = {}) {
    this.#options = options;
    this.config = sessionConfig(options.config);
    this.journal = new MemorySessionJournal(options.numbers);
    const recovered = options.numbers === undefined ? null : this.journal.recovered(this.config.sessionId);
    this.session = new Session(this.config, validatorOf(options, this.config.beginString), recovered);
  }

  get connected(): boolean {
    return this.#framer !== null;
  }

  input(input: SessionInput): void {
    this.#execute(this.session.handle(input, this.now));
    this.#answerLoads();
    assert.deepEqual(this.session.numbers, this.journal.numbers);
  }

  connect(): void {
    this.#framer = new Framer({ frameBytesMax: 100_000, fieldsMax: 1000 });
    this.input({ kind: 'connected', remote: '192.0.2.1:40000' });
  }

  /** The connection is gone, from whichever side. */
  cut(): void {
    this.#framer = null;
    this.input({ kind: 'disconnected' });
  }

  receive(bytes: Buffer): void {
    const framer = this.#framer;
    assert(framer !== null, 'there is a connection');
    framer.push(bytes);
    for (let result = framer.next(); result !== null; result = framer.next()) {
      if (result.kind === 'garbled') this.input({ kind: 'garbled', notice: result.notice });
      else {
        const { view } = result;
        const authenticate = this.#options.authenticate ?? defaultAuthentication;
        const authentication: Authentication = view.msgType === 'A' ? authenticate(view) : { kind: 'notLogon' };
        this.input({ kind: 'message', view, authentication });
      }
      // As a connection does.
      while (this.session.isDraining) this.input({ kind: 'tick' });
    }
  }

  /** Let time pass, with a tick at each deadline on the way. */
  wait(ms: number): void {
    const until = this.now + ms;
    for (let ticks = 0; ; ticks++) {
      assert(ticks < 100_000, 'a tick moves the deadline');
      const deadline = this.session.deadline();
      if (deadline === null || deadline > until) break;
      this.now = Math.max(this.now, deadline);
      this.input({ kind: 'tick' });
    }
    this.now = until;
  }

  release(): void {
    this.holdJournal = false;
    this.#answerLoads();
  }

  /** Answer the oldest read that is held. */
  answerOne(): void {
    const load = this.#loads.shift();
    assert(load !== undefined, 'the journal is being asked for something');
    const { series, from, to, requestId } = load;
    const messages = this.journal.load(series, from, to);
    this.#execute(this.session.handle({ kind: 'outboundLoaded', requestId, messages }, this.now));
  }

  /** Requests to the journal while it was held cannot be read, and are never answered. */
  loseReads(): void {
    this.#loads.length = 0;
  }

  /** Kill the process: a new machine, with other settings perhaps, knows what the journal knows. */
  restart(changes: Partial<SessionConfig> = {}): void {
    this.#framer = null;
    this.#loads.length = 0;
    const recovered = this.journal.recovered(this.config.sessionId);
    const config = { ...this.config, ...changes };
    this.session = new Session(config, validatorOf(this.#options, config.beginString), recovered);
    this.journal.loggedOn = false;
  }

  #answerLoads(): void {
    while (!this.holdJournal && this.#loads.length > 0) this.answerOne();
  }

  #execute(effects: readonly SessionEffect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'persist':
          this.journal.append(effect.record, this.now);
          if ('raw' in effect.record) this.#persisted.add(effect.record.raw);
          if (effect.record.kind === 'outbound' && effect.record.raw.length === 0) this.#unkept++;
          break;
        case 'transmit':
          // A Logon is persisted as a copy without its secrets.
          if (!toPrintable(effect.raw).includes('|35=A|')) {
            assert(this.#persisted.has(effect.raw) || this.#unkept-- > 0, 'persist comes before transmit');
          }
          if (this.#framer !== null) {
            assert(viewOf(effect.raw) !== null, 'what we send frames');
            this.outcomes.push({ kind: 'transmit', text: toPrintable(effect.raw), raw: effect.raw });
          }
          break;
        case 'deliver': {
          const raw = effect.view.copyBytes();
          const { possDup, waited } = effect;
          this.outcomes.push({ kind: 'deliver', text: toPrintable(raw), raw, possDup, waited });
          break;
        }
        case 'throttled': {
          const raw = effect.view.copyBytes();
          this.outcomes.push({
            kind: 'throttled',
            text: toPrintable(raw),
            excess: effect.excess,
            waitMs: effect.waitMs,
          });
          break;
        }
        case 'loadOutbound':
          this.#loads.push(effect);
          break;
        case 'loggedOn':
          this.events.push('loggedOn');
          break;
        case 'loggingOut':
          this.leavings.push(effect.by);
          break;
        case 'loggedOff':
          this.events.push(`loggedOff ${effect.end}`);
          break;
        case 'disconnect':
          this.outcomes.push({ kind: 'disconnect', reason: effect.reason });
          break;
        case 'alarm':
          this.alarms.push(`${effect.alarm}: ${effect.text}`);
          break;
        case 'note':
          this.notes.push(effect.text);
          break;
      }
    }
  }
}

/** The draft of an application message: MsgType(35) first, header fields of its own among the rest. */
export function draftOf(message: string): MessageDraft {
  const fields = fieldsOf(message);
  const draft = new MessageDraft(fields[0]![1]);
  for (const [tag, value] of fields.slice(1)) {
    if (isDraftHeader(tag)) draft.header(tag, value);
    else draft.add(tag, value);
  }
  return draft;
}

/** Run a scenario on a session machine; the driver comes back for further questions. */
export function runScenario(script: string, options: MachineOptions = {}): MachineDriver {
  const driver = new MachineDriver(options);
  continueScenario(driver, script);
  return driver;
}

/** Run further steps on a driver. */
export function continueScenario(driver: MachineDriver, script: string): void {
  for (const step of parseScenario(script)) runStep(driver, step);
  const left = driver.outcomes.map((outcome) => (outcome.kind === 'disconnect' ? 'closed' : outcome.text));
  expect(left, 'at the end of the script nothing is unaccounted for').toEqual([]);
}

/** Play what the counterparty, the application and the clock do in a script, whatever comes of it. */
export function playScenario(driver: MachineDriver, script: string): void {
  for (const step of parseScenario(script)) {
    driver.outcomes.length = 0;
    const isCut = driver.session.status.state === 'disconnected';
    if (step.kind === 'closed' || (step.kind === 'connect' && !isCut)) driver.cut();
    driver.outcomes.length = 0;
    const needsConnection = step.kind === 'receive' || step.kind === 'receiveRaw' || step.kind === 'cut';
    if (STIMULI.includes(step.kind) && !(needsConnection && isCut)) runStep(driver, step);
  }
}

const STIMULI = [
  'receive',
  'receiveRaw',
  'app',
  'connect',
  'cut',
  'wait',
  'logout',
  'reset',
  'resetWithin',
  'expects',
  'release',
  'restart',
];

function runStep(driver: MachineDriver, step: ScenarioStep): void {
  const { config, outcomes } = driver;
  const where = `line ${step.line}: ${step.text}`;
  if (STIMULI.includes(step.kind)) {
    const left = outcomes.map((outcome) =>
      outcome.kind === 'disconnect' ? `closed: ${outcome.reason}` : outcome.text,
    );
    expect(left, `before ${where}: nothing is unaccounted for`).toEqual([]);
  }
  const time = timestampOf(driver.now, config.beginString);
  switch (step.kind) {
    case 'receive':
    case 'receiveRaw': {
      const message = withTimes(step.message, START_AT, config.beginString);
      const { targetCompID, senderCompID, beginString } = config;
      if (step.kind === 'receiveRaw') driver.receive(fromPrintable(message, beginString));
      else driver.receive(completeFrame(message, targetCompID, senderCompID, beginString, time));
      return;
    }
    case 'expect': {
      const outcome = outcomes.shift();
      const message = withTimes(step.message, START_AT, config.beginString);
      const frame = completeFrame(message, config.senderCompID, config.targetCompID, config.beginString, time);
      const got = outcome?.kind === 'transmit' ? outcome.text : `nothing sent but: ${JSON.stringify(outcome)}`;
      expect(got, where).toBe(toPrintable(frame));
      return;
    }
    case 'delivered': {
      const outcome = outcomes.shift();
      expect(outcome?.kind, where).toBe('deliver');
      const view = viewOf((outcome as Extract<Outcome, { kind: 'deliver' }>).raw)!;
      for (const [tag, value] of fieldsOf(step.message)) expect(view.string(tag), `${where}, tag ${tag}`).toBe(value);
      return;
    }
    case 'throttled': {
      const outcome = outcomes.shift();
      expect(outcome, where).toMatchObject({ kind: 'throttled', excess: step.excess, waitMs: step.waitMs });
      const view = viewOf(
        fromPrintable((outcome as Extract<Outcome, { kind: 'throttled' }>).text, config.beginString),
      )!;
      for (const [tag, value] of fieldsOf(step.message)) expect(view.string(tag), `${where}, tag ${tag}`).toBe(value);
      return;
    }
    case 'closed': {
      expect(outcomes.shift()?.kind, where).toBe('disconnect');
      driver.cut();
      return;
    }
    default:
      runAct(driver, step, where);
  }
}

/** An operator begins the session's numbers again at 1. */
export const RESET = {
  kind: 'setNumbers',
  nextSenderMsgSeqNum: null,
  nextTargetMsgSeqNum: null,
  reset: true,
  who: 'operator',
  why: 'asked for',
} as const;

function runAct(driver: MachineDriver, step: ScenarioStep, where: string): void {
  switch (step.kind) {
    case 'app':
      driver.input({ kind: 'send', draft: draftOf(step.message) });
      return;
    case 'connect':
      driver.connect();
      return;
    case 'cut':
      driver.cut();
      return;
    case 'wait':
      driver.wait(step.seconds * 1000);
      return;
    case 'logout':
      driver.input({ kind: 'logout', text: step.reason });
      return;
    case 'reset':
      driver.input(RESET);
      return;
    case 'resetWithin':
      driver.input({ ...RESET, within: true });
      return;
    case 'expects':
      driver.input({ ...RESET, reset: false, nextTargetMsgSeqNum: step.nextTargetMsgSeqNum });
      return;
    case 'numbers': {
      const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = driver.session.numbers;
      expect([nextSenderMsgSeqNum, nextTargetMsgSeqNum], where).toEqual([
        step.nextSenderMsgSeqNum,
        step.nextTargetMsgSeqNum,
      ]);
      return;
    }
    case 'up':
      expect(driver.events.shift(), where).toBe('loggedOn');
      return;
    case 'down':
      expect(driver.events.shift(), where).toMatch(/^loggedOff/);
      return;
    case 'hold':
      driver.holdJournal = true;
      return;
    case 'release':
      driver.release();
      return;
    case 'restart':
      driver.restart();
      return;
    default:
      throw new Error(`no such act: ${where}`);
  }
}
