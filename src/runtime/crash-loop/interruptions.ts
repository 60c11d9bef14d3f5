// Notes the input during which a bug ended the process, for later starts. An input that returns after a restart (a
// resent message, an order that the exchange reports again) would end every start, and all sessions with it. So the
// same input is set aside when it comes a third time. A session that ends the process repeatedly is kept out until
// another version is started or an operator admits it. The command ends the process, the gateway machine refuses a
// message, and logon-gate.ts refuses a Logon.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { ApplicationInput, EngineLog, InputUnderWay } from '../../engine/mod.ts';
import type { ExchangeOrder } from '../../exchange/mod.ts';
import type { GatewayInput } from '../../gateway/mod.ts';
import type { SessionID, SessionInput } from '../../session/mod.ts';
import { giveToOwnerOfFolder } from '../../store/mod.ts';
import { type MessageView, maskShown, Tag, toPrintable } from '../../wire/mod.ts';

/** Name of the file in the state folder. */
const INTERRUPTIONS_FILE = 'interrupted.json';
/** Times that one input may end the process: it may have been what came before it. */
const TIMES_MAX = 2;
/** Times within an hour that what a session says may end the process, whatever it is. */
const SESSION_TIMES_MAX = 5;
const SESSION_WITHIN_MS = 3_600_000;
/** Inputs that are kept in mind, the latest. */
const KEPT_MAX = 200;
/** Of the message that is kept for people. */
const SHOWN_BYTES_MAX = 4096;

/** Parts of a message that a repetition or a new number changes, and its framing. */
const NOT_OF_MESSAGE: ReadonlySet<number> = new Set([
  Tag.BeginString,
  Tag.BodyLength,
  Tag.CheckSum,
  Tag.MsgSeqNum,
  Tag.PossDupFlag,
  Tag.PossResend,
  Tag.SendingTime,
  Tag.OrigSendingTime,
  Tag.LastMsgSeqNumProcessed,
]);

interface Interruption {
  /** Null: an input of the exchange, or without an owner. */
  readonly sessionId: SessionID | null;
  /** For people: `35=D 34=7 11=order-1`, `order 123`. */
  readonly what: string;
  /** Key of an input that can be set aside; null for any other. */
  readonly digest: string | null;
  /** As it came, secrets masked; null where that is no message. */
  readonly message: string | null;
  readonly times: number;
  /** Of the last time. */
  readonly at: EpochMs;
}

interface Noted {
  /** Another one may have mended the bug: it begins anew. */
  readonly version: string;
  readonly interruptions: readonly Interruption[];
  /** When each session was the one, the last times. */
  readonly sessions: Readonly<Record<SessionID, readonly EpochMs[]>>;
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
  private noted: Noted;
  private readonly aside: ReadonlyMap<string, Interruption>;
  private taken: Interruption | null = null;
  private readonly told = new Set<string>();

  constructor(options: InterruptionsOptions) {
    this.options = options;
    this.noted = this.read();
    const known = this.noted.interruptions.filter(({ digest, times }) => digest !== null && times >= TIMES_MAX);
    this.aside = new Map(known.map((one) => [one.digest!, one]));
  }

  /** Whether anything is put aside: where nothing is, nothing has to be looked at. */
  get putsAside(): boolean {
    return this.aside.size > 0;
  }

  /** Keep in mind what was being taken when something threw; it is noted if that ends the process. */
  threw(inputs: readonly InputUnderWay[]): void {
    this.taken = interruptionBy(inputs, this.options.now());
  }

  /** Note what this process was taking; returns it in words, or null if it was nothing of the kind. The process ends. */
  note(): string | null {
    const { taken } = this;
    if (taken === null) return null;
    const { interruptions, sessions, keptOut } = this.noted;
    const same = (one: Interruption): boolean =>
      one.sessionId === taken.sessionId &&
      (taken.digest === null ? one.what === taken.what : one.digest === taken.digest);
    const times = 1 + (interruptions.find(same)?.times ?? 0);
    const others = interruptions.filter((one) => !same(one));
    const { sessionId } = taken;
    const ofSession = sessionId === null ? [] : [...(sessions[sessionId] ?? []), taken.at].slice(-SESSION_TIMES_MAX);
    const isTooOften = ofSession.length === SESSION_TIMES_MAX && taken.at - ofSession[0]! <= SESSION_WITHIN_MS;
    this.noted = {
      version: this.options.version,
      interruptions: [...others, { ...taken, times }].slice(-KEPT_MAX),
      sessions: sessionId === null ? sessions : { ...sessions, [sessionId]: ofSession },
      keptOut: isTooOften && !keptOut.includes(sessionId!) ? [...keptOut, sessionId!] : keptOut,
    };
    this.write();
    return inWords({ ...taken, times });
  }

  /** Each input that ended a process of this version, for its next start. */
  tell(tell: (text: string, sessionId: SessionID | null) => void): void {
    const of = (one: Interruption): string => {
      if (this.keptOutFor(one.sessionId ?? '') !== null)
        return 'no Logon of this session is accepted until an operator opens it';
      if (one.digest === null) return 'it cannot be put aside';
      return one.times < TIMES_MAX ? 'it is taken once more if it comes again' : 'it is put aside if it comes again';
    };
    for (const one of this.noted.interruptions)
      tell(`a bug ended this gateway while it was ${inWords(one)}; ${of(one)}`, one.sessionId);
  }

  /** Why a message, or what the exchange says, is put aside, in words; null if it is not. */
  asideOf(
    input: GatewayInput | ApplicationInput,
  ): { readonly sessionId: SessionID | null; readonly text: string } | null {
    const digest = digestOf(sessionOf(input), input);
    const one = digest === null ? undefined : this.aside.get(digest);
    if (one === undefined) return null;
    const { sessionId, what, times, at } = one;
    return { sessionId, text: `${what} ended this gateway ${times} times, at last at ${formatIso(at)}` };
  }

  /** True if it has not been reported yet: the exchange repeats its inputs. */
  isNews(text: string): boolean {
    if (this.told.has(text)) return false;
    this.told.add(text);
    return true;
  }

  /** Why a session is kept out, in words for operators; null if it is not. */
  keptOutFor(sessionId: SessionID): string | null {
    if (!this.noted.keptOut.includes(sessionId)) return null;
    const last = this.noted.interruptions.findLast((one) => one.sessionId === sessionId);
    const what = last === undefined ? 'what it said' : inWords(last);
    return `it ended this gateway ${SESSION_TIMES_MAX} times within an hour, at last by ${what}`;
  }

  /** The sessions that are kept out. */
  get keptOut(): readonly SessionID[] {
    return this.noted.keptOut;
  }

  /** Let a session, or with null all, in again. */
  letIn(sessionId: SessionID | null): void {
    const { interruptions, sessions, keptOut } = this.noted;
    const left = Object.entries(sessions).filter(([id]) => sessionId !== null && id !== sessionId);
    this.noted = {
      version: this.options.version,
      interruptions,
      sessions: Object.fromEntries(left),
      keptOut: keptOut.filter((id) => sessionId !== null && id !== sessionId),
    };
    this.write();
  }

  private read(): Noted {
    const { folder, version, log } = this.options;
    const nothing: Noted = { version, interruptions: [], sessions: {}, keptOut: [] };
    const path = join(folder, INTERRUPTIONS_FILE);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      // No bug has ended a process here.
      return nothing;
    }
    try {
      const noted = JSON.parse(text) as Noted;
      if (isNoted(noted)) return noted.version === version ? noted : nothing;
    } catch {
      // Said below.
    }
    log('warn', `the note of inputs that ended earlier processes by a bug cannot be read: ${path}`);
    return nothing;
  }

  /** At once: the process is ending. A disk that takes nothing keeps it from nothing. */
  private write(): void {
    const { folder, log } = this.options;
    const path = join(folder, INTERRUPTIONS_FILE);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.new`, `${JSON.stringify(this.noted, null, 2)}\n`, { mode: 0o600, flush: true });
      giveToOwnerOfFolder(`${path}.new`);
      renameSync(`${path}.new`, path);
    } catch (error) {
      log(
        'error',
        `the input that ended this process by a bug could not be noted for the next start: ${String(error)}`,
      );
    }
  }
}

function isNoted(noted: Noted): boolean {
  const { version, interruptions, sessions, keptOut } = noted;
  const isList = Array.isArray(interruptions) && Array.isArray(keptOut) && interruptions.every((one) => one !== null);
  return isList && typeof version === 'string' && typeof sessions === 'object' && sessions !== null;
}

function inWords({ sessionId, what, times }: Interruption): string {
  const whose = sessionId === null ? '' : ` of session ${sessionId}`;
  return `taking ${what}${whose}${times > 1 ? ` (${times} times now)` : ''}`;
}

/** Inputs of a session machine, and of the gateway machine as the application. */
type TakenInput = SessionInput | GatewayInput | ApplicationInput;

/** The innermost that can be put aside; without one, the last one under way. */
function interruptionBy(inputs: readonly InputUnderWay[], at: EpochMs): Interruption {
  const innermost = inputs.findLast(({ slot, input }) => slot === null && isFromOutside(input as TakenInput));
  if (innermost !== undefined) {
    const input = innermost.input as GatewayInput | ApplicationInput;
    const sessionId = sessionOf(input);
    return { sessionId, ...factsOf(input), digest: digestOf(sessionId, input), times: 1, at };
  }
  const last = inputs.at(-1);
  const slot = last?.slot ?? null;
  const input = last?.input as TakenInput | undefined;
  const named = slot?.sessionId ?? (input === undefined ? null : sessionOf(input));
  const facts = input === undefined ? { what: 'an input', message: null } : factsOf(input);
  return { sessionId: named, ...facts, digest: null, times: 1, at };
}

function sessionOf(input: TakenInput): SessionID | null {
  return 'sessionId' in input && typeof input.sessionId === 'string' ? input.sessionId : null;
}

function isFromOutside(input: TakenInput): boolean {
  return input.kind === 'message' || input.kind === 'throttled' || toldOf(input) !== null;
}

/** An event of the exchange as far as it repeats equally and may be left out; null for other inputs. */
function toldOf(input: TakenInput): unknown {
  switch (input.kind) {
    case 'order':
      return toldOfOrder(input.order);
    case 'trade':
      return [input.trade.tradeId, input.trade.orderId, input.trade.side];
    case 'errorNotice':
      return input.notice;
    case 'phase':
      return input.phase;
    case 'marketData':
      return input.event;
    case 'lookedUp':
      // That an order is not there is said of any.
      return input.outcome.kind === 'found' ? toldOfOrder(input.outcome.order) : null;
    default:
      return null;
  }
}

/** How far an order has come; the rest of it is written one way on a stream and another way in an answer. */
function toldOfOrder({ orderId, status, price, quantity, quantityFilled }: ExchangeOrder): unknown {
  return [orderId, status, price, quantity, quantityFilled];
}

function digestOf(sessionId: SessionID | null, input: GatewayInput | ApplicationInput): string | null {
  const hash = createHash('sha256');
  if (input.kind === 'message' || input.kind === 'throttled') {
    const { view } = input;
    hash.update(`${sessionId}`);
    for (let i = 0; i < view.fieldCount; i++) {
      if (NOT_OF_MESSAGE.has(view.tagAt(i))) continue;
      hash.update(`\x01${view.tagAt(i)}=`).update(view.bytesAt(i));
    }
    return hash.digest('hex');
  }
  const told = toldOf(input);
  if (told === null) return null;
  return hash.update(`${input.kind} ${JSON.stringify(told, plain)}`).digest('hex');
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

function factsOf(input: TakenInput): Pick<Interruption, 'what' | 'message'> {
  switch (input.kind) {
    case 'message':
    case 'throttled': {
      const { view } = input;
      const raw = maskShown(view.bytes(), view.dataFields).subarray(0, SHOWN_BYTES_MAX);
      return { what: messageInWords(view), message: toPrintable(raw) };
    }
    case 'order':
      return { what: `order ${input.order.orderId} (${input.order.symbol}) as the exchange tells it`, message: null };
    case 'trade':
      return { what: `trade ${input.trade.tradeId} of order ${input.trade.orderId}`, message: null };
    case 'tick':
      return { what: 'a time that had come', message: null };
    default:
      return { what: `an input of the kind ${input.kind}`, message: null };
  }
}

function messageInWords(view: MessageView): string {
  const named = [Tag.MsgType, Tag.MsgSeqNum, Tag.ClOrdID].filter((tag) => view.has(tag));
  return named.map((tag) => `${tag}=${view.string(tag)}`).join(' ');
}
