// One case being played: runs the scenario, hands its verbs to the desk, watches what must not come, keeps evidence of each
// step, and gives the verdict. Reads no clock.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  type FieldDifference,
  type HostOutcome,
  type LinkedCase,
  type LinkedStep,
  type OutgoingMessage,
  type ReceivedMessage,
  type RunEffect,
  ScenarioRun,
  type StepVerdict,
} from '../../scenario/mod.ts';
import { type Request, requestFrom } from '../suite/instruction.ts';
import type { CaseResult, StepResult, Verdict } from './case-result.ts';
import type { ObservedOrders } from './observed-orders.ts';
import { isInState } from './order-state.ts';
import type { SeenMessage } from './seen-message.ts';

/** The surroundings of a case. A refusal is thrown: the case is broken then. */
export interface CaseHost {
  /** Tell the tester what to do. */
  ask(request: Request): void;
  exchange(action: string, args: readonly string[]): void;
  wire(action: string, args: readonly string[]): void;
  /** Have the gateway send a message on the session. */
  send(message: OutgoingMessage): void;
  /** Value of a name that the line sets, such as `lost`; null: none. */
  value(name: string): string | null;
  readonly isUp: boolean;
  readonly isConnected: boolean;
  /** A step in words, for people. */
  inWords(step: LinkedStep): string;
  /** `ClOrdID(11)`. */
  label(tag: number): string;
}

export interface CasePlayOptions {
  readonly case: LinkedCase;
  readonly orders: ObservedOrders;
  readonly host: CaseHost;
  /** Time in which the OMS does what it is asked, in ms. */
  readonly answerMs: number;
  readonly wholeSeconds: boolean;
  readonly now: () => EpochMs;
}

interface Guard {
  readonly types: readonly string[];
  readonly order: string | null;
  readonly step: LinkedStep;
}

interface OpenStep {
  readonly text: string;
  verdict: Verdict | null;
  detail: string;
  tag: number | null;
  hint: string;
  readonly evidence: string[];
}

/** Messages of a step that are kept as evidence. */
const EVIDENCE_MAX = 40;
const CONNECTION = '';
/** Stands before the steps of each case: a run sends on a connection only. */
const CONNECT: LinkedStep = {
  action: { kind: 'connect', within: null },
  connection: CONNECTION,
  place: { file: '', line: 0, column: 0 },
  text: 'connect',
  rule: null,
  hint: null,
  calls: [],
};
const NEWS = 'B';
const REFUSALS: ReadonlySet<string> = new Set(['3', 'j']);
const REQUESTS: ReadonlySet<string> = new Set(['D', 'F', 'G', 'q']);
/** Prices and quantities: an OMS may write 4 or 4.00. */
const NUMBERS: ReadonlySet<number> = new Set([6, 14, 31, 32, 38, 44, 99, 151]);

/** Advice for a tag, where the step has none. */
const GENERAL: Readonly<Record<number, string>> = {
  9: 'BodyLength(9) counts the bytes behind its own field up to CheckSum(10).',
  10: 'CheckSum(10) is the sum of all bytes before it, modulo 256, always written with three digits.',
  11: 'Each request has a ClOrdID(11) of its own that this session never used before, in no earlier run either (rule O5).',
  34: 'The next MsgSeqNum(34) is one more than the last one, over a disconnect too.',
  41: 'OrigClOrdID(41) is the last ClOrdID(11) that we accepted for the order: after 150=5 that of the replace.',
};

export class CasePlay {
  readonly case: LinkedCase;
  private readonly options: CasePlayOptions;
  private readonly run: ScenarioRun;
  private readonly steps: OpenStep[];
  private readonly startedAt: EpochMs;
  private guards: Guard[] = [];
  private at = 0;
  /** The state that `until` waits for; null: none. */
  private wanted: { readonly order: string | null; readonly state: string } | null = null;
  private quietUntil: EpochMs | null = null;
  private ended: { readonly at: EpochMs; readonly verdict: Verdict } | null = null;
  /** Why the case is being ended from outside the run. */
  private fault: (Pick<StepResult, 'detail' | 'tag' | 'hint'> & { readonly verdict: Verdict }) | null = null;
  /** Label that the next new order gets. */
  private awaitedLabel: string | null = null;

  constructor(options: CasePlayOptions) {
    this.options = options;
    this.case = options.case;
    this.startedAt = options.now();
    this.steps = options.case.steps.map((step) => ({
      text: options.host.inWords(step),
      verdict: null,
      detail: '',
      tag: null,
      hint: '',
      evidence: [],
    }));
    options.orders.begin();
    this.run = new ScenarioRun({
      case: { ...options.case, steps: [CONNECT, ...options.case.steps] },
      variables: (name) => this.variable(name),
      timeoutMs: options.answerMs,
      wholeSeconds: options.wholeSeconds,
      // The session machine of the gateway does.
      answersTestRequests: false,
      verbTimeoutMs: (verb) => (verb === 'until' ? Math.max(30_000, options.answerMs) : null),
    });
  }

  get isOver(): boolean {
    return this.ended !== null;
  }

  get deadline(): EpochMs | null {
    const { deadline } = this.run;
    if (this.isOver) return null;
    return this.quietUntil ?? deadline;
  }

  /** The step under way, counted from 1. */
  get present(): { readonly number: number; readonly text: string } | null {
    const step = this.isOver ? undefined : this.steps[this.at];
    return step === undefined ? null : { number: this.at + 1, text: step.text };
  }

  result(): CaseResult {
    const { at: endedAt, verdict } = this.ended ?? { at: this.options.now(), verdict: 'missing' };
    const steps = this.steps.map((step) => ({ ...step, evidence: [...step.evidence] }));
    return { id: this.case.id, verdict, startedAt: this.startedAt, endedAt, steps };
  }

  begin(): void {
    this.feed({ kind: 'start' });
  }

  tick(): void {
    if (this.isOver) return;
    if (this.quietUntil !== null && this.options.now() >= this.quietUntil) {
      this.quietUntil = null;
      this.feed({ kind: 'done', outcome: { kind: 'passed' } });
    } else this.feed({ kind: 'tick' });
  }

  abort(why: string): void {
    this.end({ verdict: 'broken', detail: why, tag: null, hint: '' });
  }

  /** Bytes of the OMS that are no message. */
  garbled(text: string): void {
    if (this.isOver) return;
    this.note(`in  garbled: ${text}`);
    const tag = /CheckSum/.test(text) ? 10 : 9;
    this.end({ verdict: 'fail', detail: text, tag, hint: GENERAL[tag]! });
  }

  /** A message of either side, before the other has it. */
  message(seen: SeenMessage): void {
    if (this.isOver) return;
    this.note(`${seen.direction === 'in' ? 'in ' : 'out'} ${seen.text}${seen.lost ? ' (lost on the line)' : ''}`);
    if (seen.direction === 'in') this.inbound(seen);
    else this.outbound(seen);
    this.changed();
  }

  /** The state of session, order or line may be another one. */
  changed(): void {
    if (this.isOver || this.wanted === null || !this.holds(this.wanted)) return;
    this.wanted = null;
    this.feed({ kind: 'done', outcome: { kind: 'passed' } });
  }

  private inbound(seen: SeenMessage): void {
    const { orders } = this.options;
    const guard = this.guards.find((one) => this.isForbidden(one, seen));
    const implied = this.impliedBy(seen);
    const isDuplicate = seen.fields.get(43) === 'Y';
    const isNew = seen.msgType === 'D' && !isDuplicate && implied.length === 0;
    orders.see(seen);
    if (guard !== undefined) {
      const hint = guard.step.hint ?? '';
      this.end({
        verdict: 'fail',
        detail: `MsgType(35)=${seen.msgType} came, which must not come here`,
        tag: 35,
        hint,
      });
      return;
    }
    if (isNew && this.awaitedLabel !== null) {
      orders.name(this.awaitedLabel, seen.fields.get(11) ?? '');
      this.awaitedLabel = null;
    }
    if (REFUSALS.has(seen.msgType) && !this.isExpected(seen.msgType)) {
      if (seen.fields.get(372) !== NEWS) this.refusedByOms(seen);
      return;
    }
    this.feed({ kind: 'message', connection: CONNECTION, message: received(seen), implied });
  }

  private outbound(seen: SeenMessage): void {
    this.options.orders.see(seen);
    if (!REFUSALS.has(seen.msgType)) return;
    const hint = 'The gateway refuses a message of the OMS: text and tag say what is wrong with it.';
    const detail = `refused by 35=${seen.msgType}: ${seen.fields.get(58) ?? 'without a Text(58)'}`;
    this.end({ verdict: 'fail', detail, tag: tagIn(seen), hint });
  }

  private refusedByOms(seen: SeenMessage): void {
    const what = `the OMS refuses a message of ours (35=${seen.fields.get(372) ?? 'unknown'})`;
    const detail = `${what}: ${seen.fields.get(58) ?? 'without a Text(58)'}`;
    const hint = 'The message is as the rules of engagement say; look at the data dictionary of the OMS.';
    this.end({ verdict: 'fail', detail, tag: tagIn(seen), hint });
  }

  /** Whether a step from here on waits for this type. */
  private isExpected(msgType: string): boolean {
    return this.case.steps.slice(this.at).some(({ action }) => {
      if (action.kind !== 'expect') return false;
      return action.messages.some(({ fields }) => {
        const [type] = fields;
        return type?.expectation.kind === 'equals' && type.expectation.value[0] === msgType;
      });
    });
  }

  private impliedBy({ msgType, fields }: SeenMessage): FieldDifference[] {
    const clOrdID = fields.get(11);
    if (!REQUESTS.has(msgType) || clOrdID === undefined || fields.get(43) === 'Y' || fields.get(97) === 'Y') return [];
    if (!this.options.orders.used.has(clOrdID)) return [];
    return [{ tag: 11, occurrence: 0, expected: 'a ClOrdID that was never used', received: clOrdID }];
  }

  private isForbidden({ types, order }: Guard, { msgType, fields }: SeenMessage): boolean {
    // A resend on our request is history.
    if (!types.includes(msgType) || fields.get(43) === 'Y') return false;
    if (order === null) return true;
    const { orders } = this.options;
    const owner = orders.owner(fields.get(41) ?? fields.get(11) ?? '') ?? orders.byOrderID(fields.get(37) ?? '');
    return owner !== null && owner === orders.of(order);
  }

  private feed(input: Parameters<ScenarioRun['handle']>[0]): void {
    for (const effect of this.run.handle(input, this.options.now())) this.execute(effect);
  }

  private execute(effect: RunEffect): void {
    switch (effect.kind) {
      case 'begun':
        this.at = Math.max(0, effect.index - 1);
        return;
      case 'connect':
        // One connection stands for all that the OMS makes: `until down` and `until logon` tell them apart.
        this.feed({ kind: 'connected', connection: CONNECTION });
        return;
      case 'send':
        this.guarded(() => this.options.host.send(effect.message));
        return;
      case 'verb':
        this.verb(effect.verb, effect.argument, effect.step);
        return;
      case 'set':
        this.feed({ kind: 'done', outcome: { kind: 'failed', text: `nothing is called ${effect.key}` } });
        return;
      case 'disconnect':
        this.guarded(() => this.options.host.wire('cut', []));
        return;
      case 'verdict':
        this.judge(effect);
        return;
      case 'ended':
        this.conclude();
        return;
      default:
    }
  }

  private guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.abort(error instanceof Error ? error.message : String(error));
    }
  }

  private verb(verb: string, argument: string, step: LinkedStep): void {
    const outcome = this.outcomeOf(verb, argument, step);
    if (outcome !== null) this.feed({ kind: 'done', outcome });
  }

  /** Carry a verb out; null if its end comes later. */
  private outcomeOf(verb: string, argument: string, step: LinkedStep): HostOutcome | null {
    const { host, now } = this.options;
    const [first = '', ...rest] = argument
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    try {
      switch (verb) {
        case 'ask':
          this.ask(argument);
          break;
        case 'exchange':
          if (first === 'elsewhere') this.options.orders.expectCopy(rest[0]!);
          host.exchange(first, rest);
          break;
        case 'wire':
          host.wire(first, rest);
          break;
        case 'never':
          this.guards.push({ types: first.split('/'), order: rest[1] ?? null, step });
          break;
        case 'quiet':
          this.quietUntil = now() + Number.parseFloat(first) * 1000;
          return null;
        default: {
          const wanted = rest[0] === undefined ? { order: null, state: first } : { order: first, state: rest[0] };
          if (this.holds(wanted)) break;
          this.wanted = wanted;
          return null;
        }
      }
      return { kind: 'passed' };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.fault = { verdict: 'broken', detail: text, tag: null, hint: '' };
      return { kind: 'failed', text };
    }
  }

  private ask(argument: string): void {
    const request = requestFrom(argument);
    if (typeof request === 'string') throw new Error(request);
    if (request.verb === 'new' || request.verb === 'best-bid') this.awaitedLabel = request.order;
    this.options.host.ask(request);
  }

  private holds({ order, state }: { readonly order: string | null; readonly state: string }): boolean {
    const { host, orders } = this.options;
    if (order !== null) {
      const found = orders.of(order);
      return found !== null && isInState(found, state);
    }
    if (state === 'logon') return host.isUp;
    if (state === 'down') return !host.isConnected;
    return host.value(state) !== null;
  }

  private judge({ index, outcome, text, expected, differences, step }: StepVerdict): void {
    const open = this.steps[index - 1];
    if (open === undefined) return;
    if (outcome === 'passed') {
      open.verdict = 'pass';
      return;
    }
    const { host } = this.options;
    if (this.fault !== null) {
      const { verdict, detail, tag, hint } = this.fault;
      Object.assign(open, { verdict, detail, tag, hint: hint === '' ? (step.rule ?? this.case.rule ?? '') : hint });
      return;
    }
    const [first] = differences;
    const isOurs = step.action.kind === 'verb';
    const tag = first?.tag ?? (expected === null || isOurs ? null : 35);
    const where = host.isUp ? '' : host.isConnected ? '; the OMS is not logged on' : '; the OMS is not connected';
    const detail =
      first === undefined
        ? `${text}${where}`
        : differences
            .map((one) => `${host.label(one.tag)} is ${one.received ?? 'absent'}, expected ${one.expected}`)
            .join('; ');
    const hint = step.hint ?? (tag === null ? null : GENERAL[tag]) ?? step.rule ?? this.case.rule ?? '';
    open.verdict = outcome === 'notSeen' ? (isOurs && !this.waitsForOms() ? 'broken' : 'missing') : 'fail';
    Object.assign(open, {
      detail,
      tag,
      hint: tag === 11 && first?.expected.startsWith('a ClOrdID') ? GENERAL[11] : hint,
    });
  }

  /** Whether the state that did not come about is the OMS's to bring about: a Logon, the end of a connection. */
  private waitsForOms(): boolean {
    return this.wanted?.state === 'logon' || this.wanted?.state === 'down' || this.wanted?.state === 'lost';
  }

  private conclude(): void {
    const deciding = this.steps.find(({ verdict }) => verdict !== null && verdict !== 'pass');
    this.ended ??= { at: this.options.now(), verdict: deciding?.verdict ?? 'pass' };
  }

  private end(fault: NonNullable<CasePlay['fault']>): void {
    if (this.isOver) return;
    this.fault = fault;
    this.feed({ kind: 'abort', reason: fault.detail });
  }

  private note(text: string): void {
    const evidence = this.steps[this.at]?.evidence;
    if (evidence !== undefined && evidence.length < EVIDENCE_MAX) evidence.push(text);
  }

  /** `A` is the ClOrdID(11) in force of order A, `A.cum` what is filled of it; else a name of the line. */
  private variable(name: string): string | null {
    const [label = '', part] = name.split('.');
    const order = this.options.orders.of(label);
    if (order === null) return this.options.host.value(name);
    switch (part) {
      case undefined:
        return order.clOrdID;
      case 'cum':
        return plain(order.cumQty);
      case 'leaves':
        return plain(order.leavesQty);
      case 'qty':
        return plain(order.orderQty);
      case 'id':
        return order.orderID;
      case 'exec':
        return order.execID;
      default:
        return null;
    }
  }
}

function plain(number: string): string {
  return Decimal.parse(number)?.trimmed().toString() ?? number;
}

/** A message as the run compares it: numbers without needless zeros. */
function received({ msgType, fields }: SeenMessage): ReceivedMessage {
  return {
    msgType,
    fields: [...fields].map(([tag, value]) => [tag, NUMBERS.has(tag) ? plain(value) : value] as const),
  };
}

function tagIn({ fields }: SeenMessage): number | null {
  const tag = Number(fields.get(371) ?? 0);
  return tag === 0 ? null : tag;
}
