// Plan of a replay, derived from a log before anything is sent: the side to play, its requests in order, and the log's
// answers to each, tied by causality: ClOrdID(11), a request id, or RefSeqNum(45).

import type { EpochMs } from '../../base/time.ts';
import { type MessageView, MsgType, ORDER_REQUESTS, Tag } from '../../wire/mod.ts';
import type { KeptMessage, LogEntry, ReplayLog } from '../kept-message.ts';
import type { Direction } from '../log-sessions.ts';
import { directionName } from '../logged-message.ts';

/** One message that will be sent again. */
export interface ReplayRequest {
  readonly index: number;
  readonly msgType: string;
  /** In the log. */
  readonly msgSeqNum: number;
  /**
   * Keys that tie answers to it: its own name first, then every order in it; several requests may share one. Never
   * empty.
   */
  readonly keys: readonly string[];
  /** For people, such as `ClOrdID=a1`. */
  readonly label: string;
  readonly message: KeptMessage;
  readonly at: EpochMs | null;
  /** Whether the log has only its beginning: it is not sent, nor are answers tied to it, as its last value may be half a one. */
  readonly isCutShort: boolean;
  /** How many of the plan's answers stand before it in the log: they are awaited before it is sent. */
  readonly answersBefore: number;
}

/** One message of the other side that a request caused. */
export interface RecordedAnswer {
  readonly key: string;
  /** Index of the latest request before it with this key. */
  readonly request: number;
  readonly message: KeptMessage;
  readonly at: EpochMs | null;
  /** Whether the log has only a part of it: what it lacks is not compared. */
  readonly isCutShort: boolean;
}

/** Fields of a logged Logon(A) that may identify a session. */
export interface LoggedLogon {
  readonly senderSubID: string | null;
  readonly senderLocationID: string | null;
  readonly targetSubID: string | null;
  readonly targetLocationID: string | null;
  /** DefaultApplVerID(1137) of FIXT.1.1. */
  readonly defaultApplVerID: string | null;
}

export interface ReplayPlan {
  readonly beginString: string;
  /** The side that is replayed, and the one that answers. */
  readonly senderCompID: string;
  readonly targetCompID: string;
  /** The way of its requests. */
  readonly way: Direction;
  readonly heartBtIntS: number;
  /** Further identity and version fields of the logged Logon; null if absent. */
  readonly logon: LoggedLogon;
  readonly requests: readonly ReplayRequest[];
  readonly answers: readonly RecordedAnswer[];
  /** Messages of the other side that no request of the log caused. */
  readonly unrelated: number;
}

/** Messages of the session itself: the replay has a session of its own. Reject(3) counts as an answer. */
const SESSION_TYPES: readonly string[] = [
  MsgType.Heartbeat,
  MsgType.TestRequest,
  MsgType.ResendRequest,
  MsgType.Reject,
  MsgType.SequenceReset,
  MsgType.Logout,
  MsgType.Logon,
];

/** Messages that only a requesting side sends. */
const isAsking = (msgType: string): boolean => ORDER_REQUESTS.has(msgType) || msgType === MsgType.MarketDataRequest;

/** Ids of requests, the most telling first: an answer to a status request carries ClOrdID as well. */
const ID_TAGS = [
  Tag.OrdStatusReqID,
  Tag.MassStatusReqID,
  Tag.MDReqID,
  Tag.SecurityReqID,
  Tag.SecurityStatusReqID,
  Tag.TradSesReqID,
  Tag.UserRequestID,
  Tag.ClOrdID,
  Tag.ListID,
] as const;
/** Messages of a list as a whole: the ClOrdIDs in them are those of its orders. */
const LIST_TYPES: readonly string[] = [
  MsgType.NewOrderList,
  MsgType.ListCancelRequest,
  MsgType.ListExecute,
  MsgType.ListStatusRequest,
  MsgType.ListStatus,
];
const idTagsOf = (msgType: string): readonly (typeof ID_TAGS)[number][] =>
  LIST_TYPES.includes(msgType) ? [Tag.ListID, ...ID_TAGS] : ID_TAGS;

const ID_NAMES: Readonly<Record<number, string>> = {
  [Tag.OrdStatusReqID]: 'OrdStatusReqID',
  [Tag.MassStatusReqID]: 'MassStatusReqID',
  [Tag.MDReqID]: 'MDReqID',
  [Tag.SecurityReqID]: 'SecurityReqID',
  [Tag.SecurityStatusReqID]: 'SecurityStatusReqID',
  [Tag.TradSesReqID]: 'TradSesReqID',
  [Tag.UserRequestID]: 'UserRequestID',
  [Tag.ClOrdID]: 'ClOrdID',
  [Tag.ListID]: 'ListID',
};

/**
 * Plan the replay of one session of a log. `sender`: SenderCompID(49) of the side to replay. By default it is the only
 * one that sent orders and the like, else the sender of the first Logon, or of the first message. `session`: one of
 * several, by a CompID or by its name, with or without SubIDs and LocationIDs. @returns the plan, or in words why there
 * is none
 */
export function planReplay(
  { entries }: ReplayLog,
  sender: string | null,
  session: string | null = null,
): ReplayPlan | string {
  const usable = ofSession(entries, session);
  const first = firstOf(
    usable.filter(({ isCutShort }) => !isCutShort),
    sender,
  );
  if (typeof first === 'string') return first;
  const planner = new Planner(first.sender);
  for (const entry of usable) planner.add(entry);
  if (planner.requests.every(({ isCutShort }) => isCutShort)) {
    const whole = planner.requests.length === 0 ? '' : ' that is there as a whole';
    return `${first.sender} sent no application message to ${first.target} in this log${whole}: there is nothing to replay`;
  }
  const logon = usable.find((entry) => isLogon(entry) && entry.sender === first.sender)?.message.view();
  const said = (tag: number): string | null => logon?.string(tag) || null;
  const heartBtIntS = logon?.int(Tag.HeartBtInt) ?? 30;
  return {
    beginString: first.beginString,
    senderCompID: first.sender,
    targetCompID: first.target,
    way: first.way,
    heartBtIntS: heartBtIntS >= 1 && heartBtIntS <= 3600 ? heartBtIntS : 30,
    logon: {
      senderSubID: said(Tag.SenderSubID),
      senderLocationID: said(Tag.SenderLocationID),
      targetSubID: said(Tag.TargetSubID),
      targetLocationID: said(Tag.TargetLocationID),
      defaultApplVerID: said(Tag.DefaultApplVerID),
    },
    requests: planner.requests,
    answers: planner.answers,
    unrelated: planner.unrelated,
  };
}

/** Those of the session that a text names as a whole, either way round; all of them where it names none so. */
function ofSession(entries: readonly LogEntry[], text: string | null): readonly LogEntry[] {
  if (text === null) return entries;
  const namedAll = entries.filter(({ way }) => [way.name, way.opposite].includes(text));
  if (namedAll.length > 0) return namedAll;
  const named = entries.filter(({ beginString, sender, target }) =>
    [sender, target, directionName(beginString, sender, target), directionName(beginString, target, sender)].includes(
      text,
    ),
  );
  return named.length === 0 ? entries : named;
}

const isLogon = ({ message }: LogEntry): boolean => message.msgType === MsgType.Logon;

/** The message that names the side to replay and its counterparty; in words if the log has several sessions or none. */
function firstOf(entries: readonly LogEntry[], sender: string | null): LogEntry | string {
  const pairs = new Set<string>();
  for (const { way } of entries) if (!pairs.has(way.opposite)) pairs.add(way.name);
  if (pairs.size === 0) return 'there is no FIX message in this log';
  if (pairs.size > 1) {
    const names = [...pairs].slice(0, 10);
    return `the log has several sessions (${names.join('; ')}): choose one, such as --session '${names[0]}'`;
  }
  // A log may lack the Logon, or have it late: a journal counts one that is ahead of a gap behind what the gap had.
  const asking = new Set(entries.filter(({ message }) => isAsking(message.msgType)).map(({ sender: from }) => from));
  const ours = sender ?? (asking.size === 1 ? [...asking][0]! : null);
  const candidates = entries.filter((entry) => ours === null || entry.sender === ours);
  const first = candidates.find(isLogon) ?? candidates[0];
  return first ?? `nothing in this log was sent by ${sender}`;
}

class Planner {
  readonly requests: ReplayRequest[] = [];
  readonly answers: RecordedAnswer[] = [];
  unrelated = 0;
  private readonly ours: string;
  /** Behind the answering side's Logout(5): what it has for the other one comes with the next Logon, or by no request at all. */
  private isOver = false;
  private readonly seen = new SeenNumbers();
  private readonly bySeqNum = new Map<number, number>();
  private readonly byKey = new Map<string, number>();

  constructor(ours: string) {
    this.ours = ours;
  }

  add(entry: LogEntry): void {
    const { message, sender } = entry;
    const view = message.view();
    // Only a message that went over the wire twice is left out; one that the log has as PossDup alone is needed.
    if (this.seen.isRepeated(view, message, sender)) return;
    if (message.msgType === MsgType.Logon) this.isOver = false;
    if (message.msgType === MsgType.Logout && sender !== this.ours) this.isOver = true;
    if (sender === this.ours) this.request(entry, view);
    else this.answer(entry, view);
  }

  private request({ message, at, isCutShort }: LogEntry, view: MessageView): void {
    const { msgType } = message;
    const msgSeqNum = view.int(Tag.MsgSeqNum) || 0;
    if (SESSION_TYPES.includes(msgType)) return;
    const index = this.requests.length;
    const idTag = idTagsOf(msgType).find((tag) => view.has(tag));
    const name = idTag === undefined ? `request ${index}` : keyOf(idTag, view.string(idTag)!);
    // Each order of a NewOrderList(E) has reports of its own.
    const ids = clOrdIDsOf(view).map((id) => keyOf(Tag.ClOrdID, id));
    const keys = isCutShort ? [`request ${index}`] : [...new Set([name, ...ids])];
    const label = idTag === undefined ? `MsgSeqNum=${msgSeqNum}` : `${ID_NAMES[idTag]}=${view.string(idTag)}`;
    const answersBefore = this.answers.length;
    this.requests.push({ index, msgType, msgSeqNum, keys, label, message, at, isCutShort, answersBefore });
    if (isCutShort) return;
    this.bySeqNum.set(msgSeqNum, index);
    for (const key of keys) this.byKey.set(key, index);
  }

  private answer({ message, at, isCutShort }: LogEntry, view: MessageView): void {
    const { msgType } = message;
    if (SESSION_TYPES.includes(msgType) && msgType !== MsgType.Reject) return;
    const cause = causeOf(view, (key) => this.byKey.has(key));
    const request =
      cause === null ? undefined : typeof cause === 'number' ? this.bySeqNum.get(cause) : this.byKey.get(cause);
    // A cancel on disconnect, or a fill of the night: a replay stays logged on, and is not there for them.
    if (request === undefined || this.isOver) {
      if (msgType !== MsgType.Reject) this.unrelated++;
      return;
    }
    const [key] = this.requests[request]!.keys;
    this.answers.push({ key: typeof cause === 'string' ? cause : key!, request, message, at, isCutShort });
  }
}

function clOrdIDsOf(view: MessageView): string[] {
  const ids: string[] = [];
  for (let i = view.indexFrom(Tag.ClOrdID, 0); i !== -1; i = view.indexFrom(Tag.ClOrdID, i + 1))
    ids.push(view.stringAt(i));
  return ids;
}

const keyOf = (tag: number, value: string): string => `${tag}=${value}`;

/**
 * Cause of an answer: the key of a request, or for a reject the MsgSeqNum(34) that it refers to; null if it names
 * nothing that `isKnown`.
 */
export function causeOf(view: MessageView, isKnown: (key: string) => boolean): string | number | null {
  if (view.msgType === MsgType.Reject || view.msgType === MsgType.BusinessMessageReject) {
    const refSeqNum = view.int(Tag.RefSeqNum);
    return refSeqNum === null || Number.isNaN(refSeqNum) ? null : refSeqNum;
  }
  for (const tag of idTagsOf(view.msgType)) {
    const value = view.string(tag);
    if (value !== null && isKnown(keyOf(tag, value))) return keyOf(tag, value);
  }
  return null;
}

/** Numbers already seen in each direction since its last reset, messages with them to the byte, and reports by their ExecID(17). */
class SeenNumbers {
  private readonly numbers = new Map<string, Set<number>>();
  /** Since the log begins: a log may be there twice, resets and all. */
  private readonly bytes = new Map<number, KeptMessage[]>();
  private readonly execIDs = new Set<string>();

  isRepeated(view: MessageView, message: KeptMessage, sender: string): boolean {
    const msgSeqNum = view.int(Tag.MsgSeqNum) ?? Number.NaN;
    const possDup = view.boolean(Tag.PossDupFlag) === true;
    if (view.has(Tag.SendingTime) && !Number.isNaN(msgSeqNum) && this.isLoggedTwice(msgSeqNum, message)) return true;
    const known = this.numbers.get(sender);
    const again = known?.has(msgSeqNum) === true;
    if (again && possDup) return true;
    if (known === undefined || again) this.numbers.set(sender, new Set([msgSeqNum]));
    else known.add(msgSeqNum);
    const execID = message.msgType === MsgType.ExecutionReport ? view.string(Tag.ExecID) : null;
    if (execID === null || execID === '0') return false;
    const repeated = this.execIDs.has(execID);
    this.execIDs.add(execID);
    return repeated && (possDup || view.boolean(Tag.PossResend) === true);
  }

  /** Whether it was there before, to the byte: what goes out anew has another SendingTime(52). */
  private isLoggedTwice(msgSeqNum: number, message: KeptMessage): boolean {
    const before = this.bytes.get(msgSeqNum);
    const bytes = message.bytes();
    if (before?.some((each) => each.bytes().equals(bytes)) === true) return true;
    if (before === undefined) this.bytes.set(msgSeqNum, [message]);
    else before.push(message);
    return false;
  }
}
