// Notes the input during which a bug ended the process, for later starts. An input that returns after a restart (a
// resent message, an order that the exchange reports again) would end every start, and all sessions with it. So the
// third time a message is refused with a BusinessMessageReject(j), and an event of the exchange is left out. A session
// that ends the process five times within an hour is kept out until an operator admits it or the version changes.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochMs, formatIso } from '../base/time.ts';
import type { ApplicationInput, EngineLog, InputUnderWay } from '../engine/mod.ts';
import type { ExchangeOrder } from '../exchange/mod.ts';
import type { GatewayInput } from '../gateway/mod.ts';
import type { SessionID, SessionInput } from '../session/mod.ts';
import { giveToOwnerOfFolder } from '../store/mod.ts';
import { type MessageView, maskShown, Tag, toPrintable } from '../wire/mod.ts';

const FILE = 'interrupted.json';
/** Times that one input may end the process: the cause may have been an input before it. */
const TIMES_MAX = 2;
const SESSION_TIMES_MAX = 5;
const SESSION_WITHIN_MS = 3_600_000;
const KEPT_MAX = 200;
const SHOWN_BYTES_MAX = 4096;
/** Parts of a message that a repetition or a new number changes, and its framing. */
const CHANGED_BY_RESEND: ReadonlySet<number> = new Set([
  ...[Tag.BeginString, Tag.BodyLength, Tag.CheckSum, Tag.MsgSeqNum, Tag.LastMsgSeqNumProcessed],
  ...[Tag.PossDupFlag, Tag.PossResend, Tag.SendingTime, Tag.OrigSendingTime],
]);

type Input = GatewayInput | ApplicationInput;

/** One end of the process. */
interface Interruption {
  /** Null: an input of the exchange, or without an owner. */
  readonly sessionId: SessionID | null;
  /** For operators: `35=D 34=7 11=order-1`, `order 123`. */
  readonly what: string;
  /** Recognises an input that can be put aside; null for any other. */
  readonly digest: string | null;
  /** As received, secrets masked; null for other inputs. */
  readonly message: string | null;
  readonly at: EpochMs;
  /** An operator has admitted the session since: this end no longer counts against it. */
  readonly admitted?: true;
}

/** Contents of the file. */
interface Noted {
  /** Another version may have mended the bug: it begins anew. */
  readonly version: string;
  /** The latest, oldest first. */
  readonly interruptions: readonly Interruption[];
  readonly keptOut: readonly SessionID[];
}

export interface InterruptionsOptions {
  /** State folder. */
  readonly folder: string;
  /** Of this program. */
  readonly version: string;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
}

export class Interruptions {
  private readonly options: InterruptionsOptions;
  /** Whether it puts any input aside: almost every process does not, and no input costs a digest. */
  readonly putsAside: boolean;
  private noted: Noted;
  private taken: Interruption | null = null;
  private readonly told = new Set<string>();

  constructor(options: InterruptionsOptions) {
    this.options = options;
    this.noted = this.read();
    this.putsAside = this.noted.interruptions.some((one) => one.digest !== null && this.timesOf(one) >= TIMES_MAX);
  }

  /** The sessions that are kept out. */
  get keptOut(): readonly SessionID[] {
    return this.noted.keptOut;
  }

  /** Keep the inputs under way when something threw; `note` writes the innermost if that ends the process. */
  threw(inputs: readonly InputUnderWay[]): void {
    this.taken = interruptionBy(inputs, this.options.now());
  }

  /** Note the input that this process was taking; returns it in words, or null for none. The process ends. */
  note(): string | null {
    const { taken } = this;
    if (taken === null) return null;
    const { sessionId, at } = taken;
    const interruptions = [...this.noted.interruptions, taken].slice(-KEPT_MAX);
    const counted = interruptions.filter(
      (one) => one.sessionId === sessionId && one.admitted !== true && at - one.at <= SESSION_WITHIN_MS,
    );
    const isTooOften = sessionId !== null && counted.length >= SESSION_TIMES_MAX;
    this.write(interruptions, [...new Set([...this.keptOut, ...(isTooOften ? [sessionId] : [])])]);
    return this.inWords(taken);
  }

  /** Each input that ended a process of this version, for its next start. */
  tell(tell: (text: string, sessionId: SessionID | null) => void): void {
    const latest = new Map(this.noted.interruptions.map((one) => [`${one.sessionId} ${one.digest ?? one.what}`, one]));
    for (const one of latest.values()) {
      let next = this.timesOf(one) < TIMES_MAX ? 'it is taken once more' : 'it is put aside';
      next = one.digest === null ? 'it cannot be put aside' : `${next} if it comes again`;
      if (this.keptOutFor(one.sessionId ?? '') !== null)
        next = 'no Logon of this session is accepted until an operator opens it';
      tell(`a bug ended this gateway while it was ${this.inWords(one)}; ${next}`, one.sessionId);
    }
  }

  /** Why an input is put aside, in words; null if it is not. */
  asideOf(input: Input): { readonly sessionId: SessionID | null; readonly text: string } | null {
    if (!this.putsAside) return null;
    const { digest } = traitsOf(input);
    const one = digest === null ? undefined : this.noted.interruptions.findLast((other) => other.digest === digest);
    if (one === undefined || this.timesOf(one) < TIMES_MAX) return null;
    const text = `${one.what} ended this gateway ${this.timesOf(one)} times, at last at ${formatIso(one.at)}`;
    return { sessionId: one.sessionId, text };
  }

  /** Alert operators: of each message, but once of an event, which the exchange repeats. */
  tellAside(
    input: Input,
    alarm: (alarm: string, text: string, fields: Readonly<Record<string, string>>) => void,
  ): void {
    const aside = this.asideOf(input);
    if (aside === null) return;
    const { sessionId, text } = aside;
    if (sessionId !== null) alarm('input-put-aside', `${text}: refused`, { session: sessionId });
    else if (!this.told.has(text)) alarm('input-put-aside', `${text}: left out`, {});
    this.told.add(text);
  }

  /** The input that the gateway machine takes instead: itself, a refusal, or null for none. */
  insteadOf(input: Input): Input | null {
    const aside = this.asideOf(input);
    if (aside === null) return input;
    if (input.kind === 'message' || input.kind === 'throttled') {
      const text = 'This message cannot be accepted: it ended this gateway before; its operators know';
      return { kind: 'refuse', sessionId: input.sessionId, view: input.view, text };
    }
    // A failed look-up is repeated, and finally alerts operators: the order stays unchanged.
    const failed = { kind: 'failed', message: aside.text } as const;
    if (input.kind === 'answered') return { ...input, answer: failed };
    return input.kind === 'lookedUp' ? { ...input, outcome: failed } : null;
  }

  /** Why a session is kept out, in words for operators; null if it is not. */
  keptOutFor(sessionId: SessionID): string | null {
    if (!this.keptOut.includes(sessionId)) return null;
    const last = this.noted.interruptions.findLast((one) => one.sessionId === sessionId);
    const what = last === undefined ? 'what it said' : this.inWords(last);
    return `it ended this gateway ${SESSION_TIMES_MAX} times within an hour, at last by ${what}`;
  }

  /** Let a session, or with null all, in again. */
  letIn(sessionId: SessionID | null): void {
    const isMeant = (id: SessionID | null): boolean => sessionId === null || id === sessionId;
    const interruptions = this.noted.interruptions.map((one) =>
      isMeant(one.sessionId) ? { ...one, admitted: true as const } : one,
    );
    this.write(
      interruptions,
      this.keptOut.filter((id) => !isMeant(id)),
    );
  }

  private timesOf({ sessionId, digest, what }: Interruption): number {
    const same = (one: Interruption): boolean => (digest === null ? one.what === what : one.digest === digest);
    return this.noted.interruptions.filter((one) => one.sessionId === sessionId && same(one)).length;
  }

  private inWords(one: Interruption): string {
    const times = this.timesOf(one);
    const owner = one.sessionId === null ? '' : ` of session ${one.sessionId}`;
    return `taking ${one.what}${owner}${times > 1 ? ` (${times} times now)` : ''}`;
  }

  private read(): Noted {
    const { folder, version, log } = this.options;
    const nothing: Noted = { version, interruptions: [], keptOut: [] };
    const path = join(folder, FILE);
    try {
      const noted = JSON.parse(readFileSync(path, 'utf8')) as Noted;
      const isRead = [...noted.interruptions, ...noted.keptOut].every((one) => one !== null);
      if (isRead) return noted.version === version ? noted : nothing;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    }
    log('warn', `the note of inputs that ended earlier processes by a bug cannot be read: ${path}`);
    return nothing;
  }

  /** At once: the process is ending. A disk that fails does not hold it up. */
  private write(interruptions: readonly Interruption[], keptOut: readonly SessionID[]): void {
    const { folder, version, log } = this.options;
    this.noted = { version, interruptions, keptOut };
    const path = join(folder, FILE);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.new`, `${JSON.stringify(this.noted, null, 2)}\n`, { mode: 0o600, flush: true });
      giveToOwnerOfFolder(`${path}.new`);
      renameSync(`${path}.new`, path);
    } catch (error) {
      log('error', `the input that ended this process by a bug could not be noted for the next start: ${error}`);
    }
  }
}

/** The innermost input that can be put aside; without one, the last one under way. */
function interruptionBy(inputs: readonly InputUnderWay[], at: EpochMs): Interruption {
  const nothing: InputUnderWay = { slot: null, input: { kind: 'unknown' } };
  const ends = inputs.map(({ slot, input }) => {
    const taken = input as Input | SessionInput;
    const named = 'sessionId' in taken && typeof taken.sessionId === 'string' ? taken.sessionId : null;
    const traits = traitsOf(taken);
    return { sessionId: slot?.sessionId ?? named, ...traits, digest: slot === null ? traits.digest : null, at };
  });
  return ends.findLast(({ digest }) => digest !== null) ?? ends.at(-1) ?? interruptionBy([nothing], at);
}

type Traits = Pick<Interruption, 'what' | 'digest' | 'message'>;

function traitsOf(input: Input | SessionInput): Traits {
  switch (input.kind) {
    case 'message':
    case 'throttled':
      return traitsOfMessage(input);
    case 'order':
      return event(
        `order ${input.order.orderId} (${input.order.symbol}) as the exchange tells it`,
        progressOf(input.order),
      );
    case 'trade': {
      const { tradeId, orderId, side } = input.trade;
      return event(`trade ${tradeId} of order ${orderId}`, [tradeId, orderId, side]);
    }
    case 'lookedUp':
      // The absence of an order is the same answer for every order.
      return event(kindOf(input), input.outcome.kind === 'found' ? progressOf(input.outcome.order) : null);
    case 'answered':
      return event(kindOf(input), input.answer);
    case 'errorNotice':
      return event(kindOf(input), input.notice);
    case 'phase':
      return event(kindOf(input), input.phase);
    case 'marketData':
      return event(kindOf(input), input.event);
    default:
      return event(input.kind === 'tick' ? 'a time that had come' : kindOf(input), null);
  }
}

const kindOf = ({ kind }: { readonly kind: string }): string => `an input of the kind ${kind}`;

/** Progress of an order; a stream writes the rest of it in another way than an answer. */
function progressOf({ orderId, status, price, quantity, quantityFilled }: ExchangeOrder): unknown {
  return [orderId, status, price, quantity, quantityFilled];
}

/** @param kept the part of the event that its repetition has too; null: it cannot be put aside */
function event(what: string, kept: unknown): Traits {
  const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);
  const digest =
    kept === null
      ? null
      : createHash('sha256')
          .update(`${what} ${JSON.stringify(kept, plain)}`)
          .digest('hex');
  return { what, digest, message: null };
}

function traitsOfMessage({ view, ...of }: { readonly view: MessageView; readonly sessionId?: SessionID }): Traits {
  const hash = createHash('sha256').update(`${of.sessionId}`);
  for (let i = 0; i < view.fieldCount; i++)
    if (!CHANGED_BY_RESEND.has(view.tagAt(i))) hash.update(`\x01${view.tagAt(i)}=`).update(view.bytesAt(i));
  const named = [Tag.MsgType, Tag.MsgSeqNum, Tag.ClOrdID].filter((tag) => view.has(tag));
  const raw = maskShown(view.bytes(), view.dataFields).subarray(0, SHOWN_BYTES_MAX);
  const what = named.map((tag) => `${tag}=${view.string(tag)}`).join(' ');
  return { what, digest: hash.digest('hex'), message: toPrintable(raw) };
}
