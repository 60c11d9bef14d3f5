// One case at work: a machine that takes what a host observes and says what the host does. It owns no socket and no clock.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { LinkedCase, LinkedStep } from '../link.ts';
import type { ExpectedMessage, StepAction, Template } from '../model.ts';
import { durationMs } from '../text/template.ts';
import { ConnectionQueue } from './connection-queue.ts';
import type { HostOutcome, RunEffect, RunInput, StepOutcome, StepVerdict } from './effects.ts';
import { type FieldDifference, matchMessage, msgTypeOf } from './match.ts';
import { type ReceivedMessage, valueIn } from './received.ts';
import { type HostVariables, Variables } from './variables.ts';

export interface RunOptions {
  readonly case: LinkedCase;
  readonly variables: HostVariables;
  /** Longest wait of an expectation without `within`, in ms. */
  readonly timeoutMs: number;
  /** FIX.4.0 and 4.1 know no milliseconds. */
  readonly wholeSeconds: boolean;
  /** The run answers TestRequests that no step expects; false: the host's session does. */
  readonly answersTestRequests: boolean;
  /** Longest wait for the host's answer to a verb, in ms; null: no limit. */
  readonly verbTimeoutMs?: (verb: string) => number | null;
}

const HEARTBEAT = '0';
const TEST_REQUEST = '1';
const LOGOUT = '5';
const MSG_TYPE = 35;
const TEST_REQ_ID = 112;

/** Why an expectation does not hold. */
interface Fault {
  readonly outcome: StepOutcome;
  readonly text: string;
  readonly expected?: ExpectedMessage;
  readonly received?: ReceivedMessage;
  readonly differences?: readonly FieldDifference[];
}

/**
 * Plays a case. Feed the effects of `handle` to the host one at a time: each is made when it is asked for, so that
 * `{next}` of the second message counts the first. The iterable must be read to its end.
 */
export class ScenarioRun {
  private readonly options: RunOptions;
  private readonly variables: Variables;
  private readonly queues = new Map<string, ConnectionQueue>();
  private readonly inbox: RunInput[] = [];
  private readonly ignored: ExpectedMessage[] = [];
  private index = -1;
  private draining = false;
  private over = false;
  /** When the present step ends by itself. */
  private until: EpochMs | null = null;
  private hostOutcome: HostOutcome | null = null;
  /** Messages of the present step that have not come yet. */
  private missing: ExpectedMessage[] = [];
  private passedOver: ReceivedMessage[] = [];
  /** The last message that the present step took, and as what: the evidence of a step that passes. */
  private taken: Pick<Fault, 'expected' | 'received'> = {};
  private now: EpochMs = 0;

  constructor(options: RunOptions) {
    this.options = options;
    const { case: linked, variables, wholeSeconds } = options;
    this.variables = new Variables(linked.variables, variables, wholeSeconds, linked.id);
  }

  /** When the host has to call with `tick`; null: no need. */
  get deadline(): EpochMs | null {
    return this.over ? null : this.until;
  }

  get hasEnded(): boolean {
    return this.over;
  }

  /** Inputs during an effect are handled after it, by the iteration that is under way. */
  *handle(input: RunInput, now: EpochMs): Generator<RunEffect> {
    this.inbox.push(input);
    this.now = now;
    if (this.draining) return;
    this.draining = true;
    try {
      for (let next = this.inbox.shift(); next !== undefined && !this.over; next = this.inbox.shift()) {
        yield* this.take(next);
        if (!this.over) yield* this.advance();
      }
    } finally {
      this.draining = false;
    }
  }

  private *take(input: RunInput): Generator<RunEffect> {
    switch (input.kind) {
      case 'start':
        assert(this.index === -1, 'a run starts once');
        yield* this.begin(0);
        return;
      case 'message':
        yield* this.received(input);
        return;
      case 'garbled':
        this.queue(input.connection).garbled(input.text);
        return;
      case 'connected':
        this.queue(input.connection).open();
        return;
      case 'disconnected':
        this.queue(input.connection).close(input.reason);
        return;
      case 'done':
        this.hostOutcome = input.outcome;
        return;
      case 'tick':
        return;
      case 'abort':
        yield* this.fail({ outcome: 'failed', text: input.reason });
    }
  }

  private *received(input: RunInput & { kind: 'message' }): Generator<RunEffect> {
    const { connection, message, implied = [] } = input;
    const isTestRequest = message.msgType === TEST_REQUEST && valueIn(message, 43) !== 'Y';
    if (
      isTestRequest &&
      this.options.answersTestRequests &&
      !this.options.case.strict &&
      !this.expectsType(TEST_REQUEST)
    ) {
      const fields = [
        { tag: MSG_TYPE, value: HEARTBEAT },
        { tag: TEST_REQ_ID, value: valueIn(message, TEST_REQ_ID) ?? '' },
      ];
      yield { kind: 'send', connection, message: { kind: 'fields', fields }, step: null };
      return;
    }
    const queue = this.queue(connection);
    if (message.msgType === LOGOUT) queue.owesLogout = true;
    queue.push({ message, implied });
    yield* this.answerLogout(connection);
  }

  /** A counterparty that has to end the session may wait for the answer to its Logout first. */
  private *answerLogout(connection: string): Generator<RunEffect> {
    const queue = this.queue(connection);
    const step = this.options.case.steps[this.index];
    const awaitsEnd = step?.action.kind === 'expectClosed' && step.connection === connection;
    if (!awaitsEnd || !queue.owesLogout || queue.state !== 'open' || this.options.case.strict) return;
    queue.owesLogout = false;
    const fields = [{ tag: MSG_TYPE, value: LOGOUT }];
    yield { kind: 'send', connection, message: { kind: 'fields', fields }, step: null };
  }

  /** Whether a step from here on expects this type. */
  private expectsType(msgType: string): boolean {
    return this.options.case.steps
      .slice(Math.max(0, this.index))
      .some(({ action }) => action.kind === 'expect' && action.messages.some((one) => msgTypeOf(one) === msgType));
  }

  private get step(): LinkedStep {
    return this.options.case.steps[this.index]!;
  }

  private queue(connection: string): ConnectionQueue {
    let queue = this.queues.get(connection);
    if (queue === undefined) {
      queue = new ConnectionQueue();
      this.queues.set(connection, queue);
    }
    return queue;
  }

  private resolve = (template: Template): string =>
    this.variables.resolve(template, this.now, this.step?.connection ?? '');

  /** Start the step at an index; the case ends behind the last one. */
  private *begin(index: number): Generator<RunEffect> {
    this.index = index;
    this.until = null;
    this.hostOutcome = null;
    this.missing = [];
    this.passedOver = [];
    this.taken = {};
    const step = this.options.case.steps[index];
    if (step === undefined) {
      yield* this.end('passed', '');
      return;
    }
    yield { kind: 'begun', step, index };
    const { action, connection } = step;
    const wait = this.waitOf(action);
    if (typeof wait === 'string') yield* this.fail({ outcome: 'failed', text: wait });
    else {
      this.until = wait === null ? null : this.now + wait;
      yield* this.open(action, connection);
    }
  }

  /** Do what a step does at its begin. */
  private *open(action: StepAction, connection: string): Generator<RunEffect> {
    const { resolve } = this;
    switch (action.kind) {
      case 'connect':
        this.queue(connection).reset();
        yield { kind: 'connect', connection };
        return;
      case 'disconnect':
        this.queue(connection).reset();
        yield { kind: 'disconnect', connection };
        return;
      case 'send':
      case 'sendRaw':
        yield* this.sendStep(action, connection);
        return;
      case 'set':
        yield { kind: 'set', connection, key: action.key, value: resolve(action.value) };
        return;
      case 'verb':
        yield { kind: 'verb', verb: action.verb, argument: resolve(action.argument), step: this.step };
        return;
      case 'say':
        yield { kind: 'say', text: resolve(action.text) };
        return;
      case 'let':
        this.variables.set(action.name, resolve(action.value));
        return;
      case 'ignore':
        this.ignored.push(action.message);
        return;
      case 'expect':
        this.missing = [...action.messages];
        return;
      case 'expectClosed':
        yield* this.answerLogout(connection);
        return;
      default:
    }
  }

  private *sendStep(action: StepAction & { kind: 'send' | 'sendRaw' }, connection: string): Generator<RunEffect> {
    const { resolve } = this;
    const { state, closeReason } = this.queue(connection);
    if (state !== 'open') {
      const why = state === 'closed' ? `the connection was closed: ${closeReason}` : 'there is no connection';
      yield* this.fail({ outcome: 'failed', text: `the message was not sent: ${why}` });
      return;
    }
    const message =
      action.kind === 'sendRaw'
        ? ({ kind: 'raw', text: resolve(action.text) } as const)
        : ({
            kind: 'fields',
            fields: action.fields.map(({ tag, value }) => ({
              tag,
              value: value === null ? null : this.sentValue(value),
            })),
          } as const);
    if (message.kind === 'fields' && message.fields.some(({ tag, value }) => tag === MSG_TYPE && value === LOGOUT)) {
      this.queue(connection).owesLogout = false;
    }
    yield { kind: 'send', connection, message, step: this.step };
  }

  /** A value to send; null if it is nothing but references without a value: the field is left out then. */
  private sentValue(value: Template): string | null {
    const text = this.resolve(value);
    return text === '' && value.length > 0 ? null : text;
  }

  /** How long a step may take, in ms; null: no limit; a text: why its duration is none. */
  private waitOf(action: StepAction): number | null | string {
    const { timeoutMs, case: linked, verbTimeoutMs } = this.options;
    const parsed = (template: Template): number | string => {
      const text = this.resolve(template);
      return durationMs(text) ?? `“${text}” is no duration up to a day`;
    };
    const usual = (): number | string => (linked.timeout === null ? timeoutMs : parsed(linked.timeout));
    switch (action.kind) {
      case 'wait':
      case 'expectNothing':
        return parsed(action.duration);
      case 'expect':
      case 'expectClosed':
      case 'connect':
        return action.within === null ? usual() : parsed(action.within);
      case 'verb':
        return verbTimeoutMs?.(action.verb) ?? null;
      default:
        return null;
    }
  }

  /** End steps as long as they are complete. */
  private *advance(): Generator<RunEffect> {
    while (!this.over && this.inbox.length === 0) {
      const fault = this.look();
      if (fault === 'waiting') return;
      if (fault !== null) {
        yield* this.fail(fault);
        return;
      }
      yield this.verdict({ outcome: 'passed', text: '', ...this.taken });
      yield* this.begin(this.index + 1);
    }
  }

  /** Whether the present step is complete (null), waits, or failed. */
  private look(): Fault | null | 'waiting' {
    const { action, connection } = this.step;
    const isDue = this.until !== null && this.now >= this.until;
    switch (action.kind) {
      case 'expect':
        return this.lookForMessages(action, isDue);
      case 'expectNothing':
        return this.lookForNothing(isDue);
      case 'expectClosed':
        return this.lookForClose(action, isDue);
      case 'wait':
        return isDue ? null : 'waiting';
      case 'connect':
        return this.lookForConnection(this.queue(connection), isDue);
      case 'set':
      case 'verb':
        return this.lookAtHost(isDue);
      default:
        return null;
    }
  }

  private lookForConnection(queue: ConnectionQueue, isDue: boolean): Fault | null | 'waiting' {
    if (queue.state === 'open') return null;
    if (queue.state === 'closed') return { outcome: 'failed', text: `no connection: ${queue.closeReason}` };
    return isDue ? { outcome: 'notSeen', text: 'no connection in time' } : 'waiting';
  }

  private lookAtHost(isDue: boolean): Fault | null | 'waiting' {
    const outcome = this.hostOutcome;
    if (outcome === null) return isDue ? { outcome: 'notSeen', text: 'the step did not end in time' } : 'waiting';
    if (outcome.kind === 'passed') {
      for (const [name, value] of outcome.captures ?? []) this.variables.set(name, value);
      return null;
    }
    return { ...outcome, outcome: outcome.kind };
  }

  private lookForMessages(action: StepAction & { kind: 'expect' }, isDue: boolean): Fault | null | 'waiting' {
    const queue = this.queue(this.step.connection);
    for (let next = queue.shift(); next !== null; next = queue.shift()) {
      if ('garbled' in next)
        return { ...this.wanted(), outcome: 'failed', text: `received bytes that are no message: ${next.garbled}` };
      const { message, implied } = next;
      const best = this.bestOf(message, implied);
      if (best.differences.length === 0) {
        for (const [name, value] of best.captures) this.variables.set(name, value);
        this.taken = { expected: best.expected, received: message };
        this.missing.splice(best.index, 1);
        if (this.missing.length === 0) return null;
      } else if (this.passes(message, action.passesOver)) this.passedOver.push(message);
      else {
        const { expected, differences } = best;
        return { outcome: 'failed', text: 'the message differs', expected, received: message, differences };
      }
    }
    if (queue.state !== 'open') return { ...this.wanted(), outcome: 'failed', text: `no message: ${queue.inWords}` };
    return isDue ? { ...this.wanted(), outcome: 'notSeen', text: 'the message did not come in time' } : 'waiting';
  }

  private wanted(): { readonly expected?: ExpectedMessage } {
    const [expected] = this.missing;
    return expected === undefined ? {} : { expected };
  }

  /** The expected message that a received one comes nearest to. */
  private bestOf(message: ReceivedMessage, implied: readonly FieldDifference[]) {
    const results = this.missing.map((expected, index) => {
      const { differences, captures } = matchMessage(expected, message, this.resolve);
      const named = new Set(expected.fields.map(({ tag }) => tag));
      const own = implied.filter(({ tag }) => !named.has(tag));
      const otherType = differences.some(({ tag }) => tag === MSG_TYPE);
      return { index, expected, captures, differences: [...differences, ...own], otherType };
    });
    const distance = (one: (typeof results)[number]): number => one.differences.length + (one.otherType ? 1000 : 0);
    return results.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  }

  /** Whether a message that does not match may precede the one that the step waits for. */
  private passes(message: ReceivedMessage, passesOver: boolean): boolean {
    if (this.isIgnored(message)) return true;
    const types = this.missing.map((one) => msgTypeOf(one, this.resolve));
    return passesOver && !types.includes(message.msgType);
  }

  private isIgnored(message: ReceivedMessage): boolean {
    const { strict } = this.options.case;
    const isBareHeartbeat = message.msgType === HEARTBEAT && valueIn(message, TEST_REQ_ID) === null;
    if (!strict && isBareHeartbeat && !this.missing.some((one) => msgTypeOf(one) === HEARTBEAT)) return true;
    return this.ignored.some((one) => matchMessage(one, message, this.resolve).differences.length === 0);
  }

  private lookForNothing(isDue: boolean): Fault | null | 'waiting' {
    const queue = this.queue(this.step.connection);
    for (let next = queue.shift(); next !== null; next = queue.shift()) {
      if ('garbled' in next) return { outcome: 'failed', text: `received bytes that are no message: ${next.garbled}` };
      if (this.isIgnored(next.message)) this.passedOver.push(next.message);
      else return { outcome: 'failed', text: 'a message came where none was expected', received: next.message };
    }
    if (queue.state !== 'open') return { outcome: 'failed', text: queue.inWords };
    return isDue ? null : 'waiting';
  }

  private lookForClose(action: StepAction & { kind: 'expectClosed' }, isDue: boolean): Fault | null | 'waiting' {
    const queue = this.queue(this.step.connection);
    for (let next = queue.shift(); next !== null; next = queue.shift()) {
      if ('garbled' in next) continue;
      const { message } = next;
      if (action.passesOver || this.isIgnored(message)) this.passedOver.push(message);
      else return { outcome: 'failed', text: 'a message came instead of the end of the connection', received: message };
    }
    if (queue.state !== 'open') return null;
    return isDue ? { outcome: 'notSeen', text: 'the connection was not closed in time' } : 'waiting';
  }

  private *fail(fault: Fault): Generator<RunEffect> {
    if (this.index >= 0 && this.index < this.options.case.steps.length) yield this.verdict(fault);
    yield* this.end(fault.outcome, fault.text);
  }

  private verdict({ outcome, text, expected, received, differences }: Fault): StepVerdict {
    const { step, index, now, passedOver } = this;
    return {
      kind: 'verdict',
      step,
      index,
      outcome,
      at: now,
      text,
      expected: expected === undefined ? null : this.filledIn(expected),
      received: received ?? null,
      differences: differences ?? [],
      passedOver,
    };
  }

  /** An expected message with the values that its references have now. */
  private filledIn(message: ExpectedMessage): ExpectedMessage {
    const fields = message.fields.map((field) =>
      field.expectation.kind === 'equals'
        ? { ...field, expectation: { kind: 'equals', value: [this.resolve(field.expectation.value)] } as const }
        : field,
    );
    return { ...message, fields };
  }

  private *end(outcome: StepOutcome, text: string): Generator<RunEffect> {
    this.over = true;
    const unread = [...this.queues.values()].flatMap((queue) => queue.rest());
    yield { kind: 'ended', outcome, text, unread };
  }
}
