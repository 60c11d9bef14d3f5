// Faults on purpose in answers and stream frames, armed by options or at run time. The whole list, and how to turn
// them, is in docs/operate/simulated-exchange.md. Every knob counts down, so that a test arms exactly the faults it wants; `clear` takes all of
// them back.

import { type RejectionArea, rejectionArea } from '../rest/rejection.ts';
import { HeldCommands } from '../venue/held-commands.ts';

/** Kind of request a fault is armed for; `command` is any signed command, `stream` the upgrade of a
 * stream, `any` any request at all. */
export type Operation = 'create' | 'cancel' | 'amend' | 'command' | 'login' | 'get' | 'stream' | 'any';

/**
 * Fate of an answer. `lost`: the connection is cut instead; `hang`: no answer ever; `error`: an error body; `html`: a
 * page; `malformed`: 200 with broken JSON; `truncated`: cut in the middle; `empty`: 200 with `{}`.
 */
export interface AnswerFault {
  readonly what: 'lost' | 'hang' | 'error' | 'html' | 'malformed' | 'truncated' | 'empty';
  /** Default `command`. */
  readonly on?: Operation;
  /** How many requests it hits; default 1. */
  readonly times?: number;
  /** Of the requests it could hit, the share that it does hit, by seeded chance; default all. */
  readonly probability?: number;
  /** Whether the request is executed before; default: yes, but for `error` and `html`. */
  readonly executed?: boolean;
  /** Of `error` (default 500) and `html` (default 403). */
  readonly httpStatus?: number;
  readonly errorCode?: number;
  readonly errorCodeName?: string;
  readonly message?: string;
}

/** Fate of the next stream frames that match. */
export interface StreamFault {
  readonly what: 'duplicate' | 'suppress' | 'reorder';
  /** `V1TAOrder`, `V1TATrade`, …; default any data frame. */
  readonly dataType?: string;
  /** Default 1. */
  readonly times?: number;
  readonly probability?: number;
}

/**
 * Delay of every answer before the request is examined. `uniform` between two bounds (the default), or `exponential`
 * around a mean and never above maxMs. With `quantiles`, `[[0.5, 2], [0.99, 40], [1, 500]]` is 2 ms for half of all
 * answers, up to 40 for 99 of 100, up to 500 for the rest, uniform in between.
 */
export type Latency =
  | { readonly kind?: 'uniform'; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number; readonly maxMs: number }
  | { readonly kind: 'quantiles'; readonly points: readonly (readonly [share: number, ms: number])[] };

/**
 * The venue refuses an item with this reason code. The code (`RejectionArea`) decides the item, and whether the refusal
 * precedes the acknowledgement.
 */
export interface RejectionFault {
  readonly reason: number;
  /** Of orders; default any market. */
  readonly symbol?: string;
  /** Default 1. */
  readonly times?: number;
  readonly probability?: number;
}

/** The exchange refuses a subscription that it would take, or says nothing to it, now or ever. */
export interface SubscriptionFault {
  /** Default refused. */
  readonly what?: 'refused' | 'unanswered';
  readonly topic: string;
  /** Symbol, asset or account; default any. */
  readonly subject?: string;
  /** Default 1. */
  readonly times?: number;
  readonly probability?: number;
}

/** Something that befalls the whole exchange after a time, and as often again after the same time. */
export type TimedFault = {
  readonly everyMs: number;
  /** Default 1. */
  readonly times?: number;
} & (
  | { readonly what: 'cutStreams'; readonly which: 'private' | 'public' | 'all' }
  /** `key`: the API key with these logins; null for all. */
  | { readonly what: 'expireLogins'; readonly key: string | null }
  | { readonly what: 'restart'; readonly memory: boolean }
);

/** Faults armed from the start. */
export interface FaultSettings {
  readonly answers?: readonly AnswerFault[];
  readonly streams?: readonly StreamFault[];
  readonly subscriptions?: readonly SubscriptionFault[];
  readonly rejections?: readonly RejectionFault[];
  readonly latency?: Latency | null;
  readonly streamsSilent?: boolean;
  /** Commands wait until they are released. */
  readonly commandsHeld?: boolean;
  readonly globalBreach?: boolean;
  readonly clockOffsetMs?: number;
  readonly timed?: readonly TimedFault[];
}

interface Armed<F> {
  readonly fault: F;
  left: number;
}

const ARMED_MAX = 1_000;

export class Faults {
  private answers: Armed<AnswerFault>[] = [];
  private frames: Armed<StreamFault>[] = [];
  private subscriptions: Armed<SubscriptionFault>[] = [];
  private rejections: Armed<RejectionFault>[] = [];
  latency: Latency | null = null;
  private readonly random: () => number;
  /** No stream frame leaves while set: sockets stay open and silent. */
  streamsSilent = false;
  readonly commands = new HeldCommands();

  /** `random` returns numbers in [0, 1) and is seeded. */
  constructor(random: () => number) {
    this.random = random;
  }

  /** Arm everything that the settings ask for; clock and breach are not kept here. */
  armAll(settings: FaultSettings): void {
    for (const fault of settings.answers ?? []) this.armAnswer(fault);
    for (const fault of settings.streams ?? []) this.armStream(fault);
    for (const fault of settings.subscriptions ?? []) this.armSubscription(fault);
    for (const fault of settings.rejections ?? []) this.armRejection(fault);
    if (settings.latency !== undefined) this.latency = settings.latency;
    if (settings.streamsSilent !== undefined) this.streamsSilent = settings.streamsSilent;
    if (settings.commandsHeld === true) this.commands.hold();
    if (settings.commandsHeld === false) this.commands.release();
  }

  /** How long the next answer waits. */
  delayMs(): number {
    const { latency } = this;
    return latency === null ? 0 : drawn(latency, this.random());
  }

  armAnswer(fault: AnswerFault): void {
    if (this.answers.length < ARMED_MAX) this.answers.push({ fault, left: fault.times ?? 1 });
  }

  armStream(fault: StreamFault): void {
    if (this.frames.length < ARMED_MAX) this.frames.push({ fault, left: fault.times ?? 1 });
  }

  armSubscription(fault: SubscriptionFault): void {
    if (this.subscriptions.length < ARMED_MAX) this.subscriptions.push({ fault, left: fault.times ?? 1 });
  }

  armRejection(fault: RejectionFault): void {
    if (this.rejections.length < ARMED_MAX) this.rejections.push({ fault, left: fault.times ?? 1 });
  }

  /** Number of armed faults, for observers. */
  get armed(): number {
    const lasting = [this.latency !== null, this.streamsSilent, this.commands.isHeld].filter(Boolean).length;
    const counted = [this.answers, this.frames, this.subscriptions, this.rejections].reduce(
      (n, { length }) => n + length,
      0,
    );
    return counted + lasting;
  }

  clear(): void {
    this.rejections = [];
    this.subscriptions = [];
    this.answers = [];
    this.frames = [];
    this.latency = null;
    this.streamsSilent = false;
    this.commands.release();
  }

  /** The fault that hits a request of this kind, used up by one; null if none is armed. */
  takeAnswer(operation: Operation): AnswerFault | null {
    if (this.answers.length === 0) return null;
    return this.take(this.answers, ({ on = 'command' }) => matches(on, operation));
  }

  takeStream(dataType: string): StreamFault | null {
    if (this.frames.length === 0) return null;
    return this.take(this.frames, (fault) => fault.dataType === undefined || fault.dataType === dataType);
  }

  /** The fault for this subscription; null if it is accepted. */
  takeSubscription(topic: string, subject: string | null): 'refused' | 'unanswered' | null {
    if (this.subscriptions.length === 0) return null;
    const hits = (fault: SubscriptionFault): boolean =>
      fault.topic === topic && (fault.subject === undefined || fault.subject === subject);
    const fault = this.take(this.subscriptions, hits);
    return fault === null ? null : (fault.what ?? 'refused');
  }

  /** The code with which the venue is to refuse the next thing of this area, for orders in this market; or null. */
  takeRejection(area: RejectionArea, symbol: string | null = null): number | null {
    if (this.rejections.length === 0) return null;
    const hits = (fault: RejectionFault): boolean =>
      rejectionArea(fault.reason) === area && (fault.symbol === undefined || fault.symbol === symbol);
    return this.take(this.rejections, hits)?.reason ?? null;
  }

  private take<F extends { readonly probability?: number }>(armed: Armed<F>[], hits: (fault: F) => boolean): F | null {
    const index = armed.findIndex(({ fault }) => hits(fault));
    if (index === -1) return null;
    const found = armed[index]!;
    if (found.fault.probability !== undefined && this.random() >= found.fault.probability) return null;
    found.left--;
    if (found.left <= 0) armed.splice(index, 1);
    return found.fault;
  }
}

/** The delay at a place between 0 and 1 of the distribution. */
function drawn(latency: Latency, at: number): number {
  if (latency.kind === 'exponential') return Math.min(-Math.log(1 - at) * latency.meanMs, latency.maxMs);
  if (latency.kind !== 'quantiles') return latency.minMs + at * (latency.maxMs - latency.minMs);
  let from: readonly [number, number] = [0, 0];
  for (const point of latency.points) {
    if (at <= point[0]) {
      const width = point[0] - from[0];
      return width === 0 ? point[1] : from[1] + ((at - from[0]) / width) * (point[1] - from[1]);
    }
    from = point;
  }
  return from[1];
}

function matches(on: Operation, operation: Operation): boolean {
  if (on === 'any' || on === operation) return true;
  return on === 'command' && (operation === 'create' || operation === 'cancel' || operation === 'amend');
}

/** Whether the request is executed before its answer goes wrong. */
export function isExecuted(fault: AnswerFault): boolean {
  return fault.executed ?? (fault.what !== 'error' && fault.what !== 'html');
}
