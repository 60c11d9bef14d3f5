// Runs a gateway's day again. The machines are built from the journal's beginning, get the recorded inputs at the
// recorded times, and must write the same records to the byte. No socket, no clock, no exchange. A start of the gateway
// within the day rebuilds them from the state that was durable then, as the gateway did.

import { assert, unreachable } from '../base/assert.ts';
import { JOBS_MAX } from '../base/jobs.ts';
import type { EpochMs } from '../base/time.ts';
import { type EndedOrders, Gateway, type GatewayInput } from '../gateway/mod.ts';
import {
  ENDED_SERIES_MAX,
  type MessageValidator,
  type OutboundMessage,
  type RecoveredSession,
  Session,
  type SessionConfig,
  type SessionID,
  type SessionInput,
  type SessionRecord,
} from '../session/mod.ts';
import { MessageDraft, viewOf } from '../wire/mod.ts';
import {
  isSame,
  type ReplayedFrame,
  type ReplayedRecord,
  type SaidRecord,
  type StoredSessionInput,
  saidIn,
  type ToldInput,
  toldBy,
} from './journaled-frame.ts';

/** Sum of a journal's records, folded one after another as at a recovery. */
export interface JournalFold {
  apply(record: ReplayedRecord, at: EpochMs): void;
  sessions(): ReadonlyMap<SessionID, RecoveredSession>;
  readonly orders: ReadonlyMap<string, string>;
  /** Orders that ended, by the keys of their records. */
  readonly ended?: EndedOrders;
}

export interface DayReplayOptions {
  readonly fold: JournalFold;
  /** A validator for one session, of the version that it speaks. */
  readonly validator: (session: SessionConfig) => MessageValidator;
}

/** The first record that came out otherwise; null on a side that has none there. */
export interface DayDifference {
  readonly frame: number;
  readonly at: EpochMs;
  /** Inputs of the machines, in short. */
  readonly told: string;
  readonly recorded: SaidRecord | null;
  readonly replayed: SaidRecord | null;
}

export interface DayCounts {
  frames: number;
  starts: number;
  /** Frames before the first start: there is nothing to build machines from. */
  skipped: number;
  inbound: number;
  outbound: number;
  orders: number;
}

type Job =
  | { readonly machine: 'session'; readonly sessionId: SessionID; readonly input: SessionInput }
  | { readonly machine: 'gateway'; readonly input: GatewayInput };

/** Names of `store import`'s acts in the audit trail. */
const IMPORT = 'import';

const isCrash = ({ input }: Job): boolean => input.kind === 'sessionDown' && input.end === 'crash';

export class DayReplay {
  readonly counts: DayCounts = { frames: 0, starts: 0, skipped: 0, inbound: 0, outbound: 0, orders: 0 };
  private readonly options: DayReplayOptions;
  private gateway: Gateway | null = null;
  private recovered: ReadonlyMap<SessionID, RecoveredSession> = new Map();
  private sessions = new Map<SessionID, Session>();
  private readonly resendable = new ResendableMessages();
  /** Reads that session machines asked for: SessionID and request → range. */
  private loads = new Map<string, { readonly series: number; readonly from: number; readonly to: number }>();
  /** Of a frame without a cause. One between two starts was written by somebody else (`store import`), and is no difference. */
  private uncaused: DayDifference | null = null;

  constructor(options: DayReplayOptions) {
    this.options = options;
  }

  /** Replay one frame; the first difference, or null. After one, the machines are of no use any more. */
  frame(frame: ReplayedFrame): DayDifference | null {
    const difference = this.replay(frame);
    for (const record of frame.records) {
      this.options.fold.apply(record, frame.at);
      if (record.kind === 'outbound') this.resendable.add(record, frame.at);
    }
    return difference;
  }

  /** A difference that only the end of the journal shows, or null. */
  end(): DayDifference | null {
    return this.uncaused;
  }

  private replay(frame: ReplayedFrame): DayDifference | null {
    const told = frame.records.flatMap((record) => (record.kind === 'exchangeInput' ? [toldBy(record.json)] : []));
    for (const input of told) this.prepare(input);
    const isImport = frame.records.some((record) => record.kind === 'audit' && record.action === IMPORT);
    if (isImport || told.some(({ kind }) => kind === 'start')) this.uncaused = null;
    if (isImport) return null;
    if (this.gateway === null) {
      this.counts.skipped++;
      return null;
    }
    this.counts.frames++;
    const said = saidIn(frame);
    const jobs = this.jobsOf(told, said);
    // The engine's own: a session found logged on after a crash is recorded as logged off. It once had a frame for itself.
    const isOfCrash = jobs.length === 0 || jobs.some(isCrash);
    if (jobs.length > 0 && this.uncaused !== null) return this.uncaused;
    const recorded = isOfCrash ? said.filter(({ kind }) => kind !== 'state') : said;
    if (jobs.length === 0 && recorded.length === 0) return null;
    for (const { kind } of recorded) {
      if (kind === 'inbound') this.counts.inbound++;
      else if (kind === 'outbound') this.counts.outbound++;
      else if (kind === 'order') this.counts.orders++;
    }
    const replayed = this.run(jobs, frame.at, recorded);
    for (let i = 0; i < Math.max(recorded.length, replayed.length); i++) {
      const [before, now] = [recorded[i], replayed[i]];
      if (before !== undefined && now !== undefined && isSame(before, now)) continue;
      const inputs = jobs.length === 0 ? 'nothing that the journal has' : frameInputs(jobs, frame);
      const { frame: number, at } = frame;
      const difference = { frame: number, at, told: inputs, recorded: before ?? null, replayed: now ?? null };
      if (jobs.length > 0) return difference;
      this.uncaused ??= difference;
      return null;
    }
    return null;
  }

  /** Records that are no input of a machine: a start, settings, earlier prices. */
  private prepare(told: ToldInput): void {
    switch (told.kind) {
      case 'start':
        this.counts.starts++;
        this.recovered = this.options.fold.sessions();
        this.sessions = new Map();
        this.loads = new Map();
        this.gateway = new Gateway(told.gateway, {
          orders: this.options.fold.orders,
          ...(this.options.fold.ended === undefined ? {} : { ended: this.options.fold.ended }),
        });
        return;
      case 'session': {
        const { session, gateway } = told;
        this.gateway?.applyConfig(gateway);
        const known = this.sessions.get(session.sessionId);
        if (known !== undefined) known.applyConfig(session, this.options.validator(session));
        else {
          const { sessionId } = session;
          const recovered = this.recovered.get(sessionId) ?? null;
          this.sessions.set(sessionId, new Session(session, this.options.validator(session), recovered));
        }
        return;
      }
      case 'prices':
        for (const [symbol, price, at] of told.prices) this.gateway?.heardPrice(symbol, price, at);
        return;
      case 'gateway':
      case 'machine':
        return;
      default:
        unreachable(told);
    }
  }

  /** Inputs of the frame; without any, the first message that was counted in it. */
  private jobsOf(told: readonly ToldInput[], recorded: readonly SaidRecord[]): Job[] {
    const jobs: Job[] = [];
    for (const input of told) {
      if (input.kind === 'gateway') jobs.push({ machine: 'gateway', input: input.input });
      else if (input.kind === 'machine') {
        const { sessionId } = input;
        jobs.push({ machine: 'session', sessionId, input: this.sessionInput(sessionId, input.input) });
      }
    }
    if (jobs.length > 0) return jobs;
    const inbound = recorded.find((record) => record.kind === 'inbound');
    if (inbound?.kind !== 'inbound') return [];
    const stored = { kind: 'message', raw: Buffer.alloc(0), authentication: NOT_LOGON } as const;
    const input = messageInput(inbound.raw, stored, this.sessions.get(inbound.sessionId));
    return [{ machine: 'session', sessionId: inbound.sessionId, input }];
  }

  private sessionInput(sessionId: SessionID, stored: StoredSessionInput): SessionInput {
    if (stored.kind === 'message') return messageInput(stored.raw, stored, this.sessions.get(sessionId));
    if (stored.kind !== 'outboundLoaded') return stored;
    const key = `${sessionId} ${stored.requestId}`;
    const range = this.loads.get(key);
    this.loads.delete(key);
    const messages = range === undefined ? [] : this.resendable.read(sessionId, range);
    return { kind: 'outboundLoaded', requestId: stored.requestId, messages };
  }

  /** One frame's turn: first in, first out, as the engine has it. */
  private run(jobs: Job[], now: EpochMs, recorded: readonly SaidRecord[]): SaidRecord[] {
    const said: SaidRecord[] = [];
    this.putIn(now, recorded, jobs, said);
    for (let i = 0; i < jobs.length; i++, this.putIn(now, recorded, jobs, said)) {
      assert(i < JOBS_MAX, 'one input causes a bounded number of inputs');
      const job = jobs[i]!;
      if (job.machine === 'session') this.runSession(job.sessionId, job.input, now, jobs, said);
      else this.runGateway(job.input, now, jobs, said);
    }
    return said;
  }

  /**
   * Send what comes next on record without its bytes. Market data is not on record, only the numbers of what was said of it
   * are, and any message of that type counts as it did.
   */
  private putIn(now: EpochMs, recorded: readonly SaidRecord[], jobs: Job[], said: SaidRecord[]): void {
    for (let next = recorded[said.length]; next?.kind === 'outbound'; next = recorded[said.length]) {
      if (next.raw.length > 0) return;
      const before = said.length;
      const draft = new MessageDraft(next.msgType);
      this.runSession(next.sessionId, { kind: 'send', draft, perishable: true }, now, jobs, said);
      if (said.length === before) return;
    }
  }

  private runSession(id: SessionID, input: SessionInput, now: EpochMs, jobs: Job[], said: SaidRecord[]): void {
    for (const effect of this.sessions.get(id)?.handle(input, now) ?? []) {
      switch (effect.kind) {
        case 'persist':
          said.push(effect.record);
          break;
        case 'deliver': {
          const { view, possDup, waited } = effect;
          jobs.push({ machine: 'gateway', input: { kind: 'message', sessionId: id, view, possDup, waited } });
          break;
        }
        case 'throttled': {
          const { view, possDup, excess, waitMs } = effect;
          jobs.push({ machine: 'gateway', input: { kind: 'throttled', sessionId: id, view, possDup, excess, waitMs } });
          break;
        }
        case 'loadOutbound':
          this.loads.set(`${id} ${effect.requestId}`, effect);
          break;
        case 'loggedOn':
          jobs.push({ machine: 'gateway', input: { ...effect, kind: 'sessionUp', sessionId: id } });
          break;
        case 'loggingOut':
          jobs.push({ machine: 'gateway', input: { kind: 'sessionLeaving', sessionId: id, by: effect.by } });
          break;
        case 'loggedOff':
          jobs.push({ machine: 'gateway', input: { kind: 'sessionDown', sessionId: id, end: effect.end } });
          break;
        case 'transmit':
        case 'disconnect':
        case 'alarm':
        case 'note':
          break;
        default:
          unreachable(effect);
      }
    }
  }

  private runGateway(input: GatewayInput, now: EpochMs, jobs: Job[], said: SaidRecord[]): void {
    for (const effect of this.gateway?.handle(input, now) ?? []) {
      if (effect.kind === 'persistOrder') {
        const { key, record, ended } = effect;
        said.push({ kind: 'order', key, record, ...(ended === undefined ? {} : { ended }) });
      } else if (effect.kind === 'send' && this.sessions.has(effect.sessionId)) {
        jobs.push({ machine: 'session', sessionId: effect.sessionId, input: { kind: 'send', draft: effect.draft } });
      } else if (effect.kind === 'repeat') {
        const { sessionId, afterExecID } = effect;
        jobs.push({ machine: 'session', sessionId, input: { kind: 'repeat', afterExecID } });
      }
    }
  }
}

const NOT_LOGON = { kind: 'notLogon' } as const;

function messageInput(
  raw: Uint8Array,
  { authentication }: Extract<StoredSessionInput, { kind: 'message' }>,
  session: Session | undefined,
): SessionInput {
  const view = viewOf(raw, session?.dataFields);
  if (view === null) return { kind: 'tick' };
  return { kind: 'message', view, authentication };
}

function frameInputs(jobs: readonly Job[], frame: ReplayedFrame): string {
  const stored = frame.records.flatMap((record) => (record.kind === 'exchangeInput' ? [record.json] : []));
  const first = jobs[0]!;
  return stored.length > 0
    ? stored.join(' ')
    : `a message of ${first.machine === 'session' ? first.sessionId : 'nobody'}`;
}

/** Outbound messages that a resend may ask for, by session and series. */
class ResendableMessages {
  private readonly sessions = new Map<SessionID, Map<number, Map<number, OutboundMessage>>>();

  add(record: Extract<SessionRecord, { kind: 'outbound' }>, at: EpochMs): void {
    const { sessionId, series, msgSeqNum, msgType, resendable, raw } = record;
    if (!resendable) return;
    let bySeries = this.sessions.get(sessionId);
    if (bySeries === undefined) {
      bySeries = new Map();
      this.sessions.set(sessionId, bySeries);
    }
    let messages = bySeries.get(series);
    if (messages === undefined) {
      messages = new Map();
      bySeries.set(series, messages);
      for (const ended of bySeries.keys()) if (ended < series - ENDED_SERIES_MAX) bySeries.delete(ended);
    }
    messages.set(msgSeqNum, { series, msgSeqNum, msgType, resendable, raw, at });
  }

  /** Those in a range, ascending. */
  read(
    sessionId: SessionID,
    { series, from, to }: { readonly series: number; readonly from: number; readonly to: number },
  ): OutboundMessage[] {
    const messages = this.sessions.get(sessionId)?.get(series);
    if (messages === undefined) return [];
    return [...messages.values()]
      .filter(({ msgSeqNum }) => msgSeqNum >= from && msgSeqNum <= to)
      .sort((a, b) => a.msgSeqNum - b.msgSeqNum);
  }
}
