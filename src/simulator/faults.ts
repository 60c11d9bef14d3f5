// Fault knobs: what goes wrong on purpose with answers and stream frames, armed by options or at run time.
// Every knob counts down, so that a test arms exactly the faults it wants; `clear` takes all of them back.

/** Kind of request a fault is armed for; `command` is any signed command, `any` any request at all. */
export type Operation = 'create' | 'cancel' | 'amend' | 'command' | 'login' | 'get' | 'any';

/**
 * What becomes of an answer. `lost`: the connection is cut instead; `hang`: nothing ever comes; `error`: an error body;
 * `html`: a page; `malformed`: 200 with broken JSON; `truncated`: cut in the middle; `empty`: 200 with `{}`.
 */
export interface AnswerFault {
  readonly what: 'lost' | 'hang' | 'error' | 'html' | 'malformed' | 'truncated' | 'empty';
  /** Default `command`. */
  readonly on?: Operation;
  /** How many requests it hits; default 1. */
  readonly times?: number;
  /** Whether the request is executed before; default: yes, but for `error` and `html`. */
  readonly executed?: boolean;
  /** Of `error` (default 500) and `html` (default 403). */
  readonly httpStatus?: number;
  readonly errorCode?: number;
  readonly errorCodeName?: string;
  readonly message?: string;
}

/** What becomes of the next stream frames that match. */
export interface StreamFault {
  readonly what: 'duplicate' | 'suppress' | 'reorder';
  /** `V1TAOrder`, `V1TATrade`, …; default any data frame. */
  readonly dataType?: string;
  /** Default 1. */
  readonly times?: number;
}

/** Delay of every answer before the request is looked at, uniformly distributed. */
export interface Latency {
  readonly minMs: number;
  readonly maxMs: number;
}

interface Armed<F> {
  readonly fault: F;
  left: number;
}

const ARMED_MAX = 1_000;

export class Faults {
  private answers: Armed<AnswerFault>[] = [];
  private frames: Armed<StreamFault>[] = [];
  latency: Latency | null = null;
  private readonly random: () => number;
  /** No stream frame leaves while set: sockets stay open and silent. */
  streamsSilent = false;

  /** `random` returns numbers in [0, 1) and is seeded. */
  constructor(random: () => number) {
    this.random = random;
  }

  /** How long the next answer waits. */
  delayMs(): number {
    const { latency } = this;
    return latency === null ? 0 : latency.minMs + this.random() * (latency.maxMs - latency.minMs);
  }

  armAnswer(fault: AnswerFault): void {
    if (this.answers.length < ARMED_MAX) this.answers.push({ fault, left: fault.times ?? 1 });
  }

  armStream(fault: StreamFault): void {
    if (this.frames.length < ARMED_MAX) this.frames.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.answers = [];
    this.frames = [];
    this.latency = null;
    this.streamsSilent = false;
  }

  /** The fault that hits a request of this kind, used up by one; null if none is armed. */
  takeAnswer(operation: Operation): AnswerFault | null {
    return take(this.answers, ({ on = 'command' }) => matches(on, operation));
  }

  takeStream(dataType: string): StreamFault | null {
    return take(this.frames, (fault) => fault.dataType === undefined || fault.dataType === dataType);
  }
}

function take<F>(armed: Armed<F>[], hits: (fault: F) => boolean): F | null {
  const index = armed.findIndex(({ fault }) => hits(fault));
  if (index === -1) return null;
  const found = armed[index]!;
  found.left--;
  if (found.left <= 0) armed.splice(index, 1);
  return found.fault;
}

function matches(on: Operation, operation: Operation): boolean {
  if (on === 'any' || on === operation) return true;
  return on === 'command' && (operation === 'create' || operation === 'cancel' || operation === 'amend');
}

/** Whether the request is executed before its answer goes wrong. */
export function isExecuted(fault: AnswerFault): boolean {
  return fault.executed ?? (fault.what !== 'error' && fault.what !== 'html');
}
