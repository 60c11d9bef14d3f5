// A logged request as it is sent again: fresh times, ClOrdIDs and ListIDs under the run's prefix (rule R1), and in place of the ids
// that the exchange gave then, those that it gave now.

import { type EpochMs, formatUtcTimestamp, parseUtcTimestamp, startOfUtcDay } from '../../base/time.ts';
import { MessageDraft, Tag } from '../../wire/mod.ts';
import { isAuctionID } from '../auctions/no-auction.ts';
import type { ReplayRequest } from './replay-plan.ts';

/** Longest ClOrdID(11) that this gateway takes (rule O5); most counterparties take less. */
const CL_ORD_ID_CHARACTERS_MAX = 64;
const DAY_MS = 86_400_000;

/** Written by the session that sends it, or meaningless in a message that is new, such as a Signature(89) of the old one. */
const LEFT_OUT: readonly number[] = [8, 9, 10, 34, 35, 43, 49, 52, 56, 89, 90, 91, 93, 122, 369];
/** Whether a field of a logged request is not sent again. */
export function isLeftOutOfRequests(tag: number): boolean {
  return LEFT_OUT.includes(tag);
}
/** Header fields that the application owns, the hops of an intermediary among them. */
const HEADER: readonly number[] = [
  ...[50, 57, 97, 115, 116, 128, 129, 142, 143, 144, 145, 212, 213, 347, 370, 1128, 1129, 1156],
  ...[Tag.NoHops, Tag.HopCompID, Tag.HopSendingTime, Tag.HopRefID],
];
const CLIENT_IDS: readonly number[] = [Tag.ClOrdID, Tag.OrigClOrdID, Tag.ListID];
const EXCHANGE_IDS: readonly number[] = [Tag.OrderID, Tag.SecondaryOrderID, Tag.ExecID, Tag.ExecRefID];
/** NoTradingSessions(386) and its group. */
const TRADING_SESSIONS: readonly number[] = [386, Tag.TradingSessionID, 625];
/** Times that lie at some distance from the order. */
const SHIFTED: readonly number[] = [Tag.ExpireTime, Tag.EffectiveTime, 62];

/** The ids of a run beside those of the log, both ways. */
export class RunIds {
  readonly prefix: string;
  private readonly toLive = new Map<string, string>();
  private readonly toRecorded = new Map<string, string>();
  /** By tag and the log's id. */
  private readonly exchangeIds = new Map<string, string>();

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** The ClOrdID under which a logged one goes out in this run. */
  clOrdID(recorded: string): string {
    let live = this.toLive.get(recorded);
    if (live === undefined) {
      live = this.prefix + recorded;
      if (live.length > CL_ORD_ID_CHARACTERS_MAX) live = `${this.prefix}${this.toLive.size + 1}`;
      this.toLive.set(recorded, live);
      this.toRecorded.set(live, recorded);
    }
    return live;
  }

  /** A live value in the words of the log: ClOrdIDs without the prefix, also inside a text. */
  recorded(value: string): string {
    return this.toRecorded.get(value) ?? value.replaceAll(this.prefix, '');
  }

  /** Whether a ClOrdID is one of this run. */
  isOfRun(clOrdID: string): boolean {
    return this.toRecorded.has(clOrdID);
  }

  /** Note what the exchange called something then and now. */
  learn(tag: number, recorded: string | null, live: string | null): void {
    if (recorded === null || live === null || recorded === 'NONE' || live === 'NONE') return;
    this.exchangeIds.set(`${kindOf(tag)}=${recorded}`, live);
  }

  /** The present id for one of the log's, or null if it is not known. */
  exchangeId(tag: number, recorded: string): string | null {
    return this.exchangeIds.get(`${kindOf(tag)}=${recorded}`) ?? null;
  }
}

/** An ExecRefID(19) is the ExecID(17) of another report. */
const kindOf = (tag: number): number => (tag === Tag.ExecRefID ? Tag.ExecID : tag);

/** The request as a new message. */
export function freshMessage(request: ReplayRequest, ids: RunIds, now: EpochMs): MessageDraft {
  const view = request.message.view();
  const draft = new MessageDraft(request.msgType);
  // The time before a message in a log may be local; its own fields are not.
  const sentAt = view.utcTimestamp(Tag.SendingTime) ?? request.at;
  const shiftMs = sentAt === null ? 0 : now - sentAt;
  const namesAuction = isAuctionID(view.string(Tag.TradingSessionID) ?? '');
  for (let i = 3; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (tag === 0 || LEFT_OUT.includes(tag)) continue;
    // An auction of the log is over: the order goes into the one that is running.
    if (namesAuction && TRADING_SESSIONS.includes(tag)) continue;
    const value = freshValue(tag, view.stringAt(i), ids, shiftMs, now);
    if (value === null) continue;
    if (HEADER.includes(tag)) draft.header(tag, value);
    else draft.add(tag, value);
  }
  return draft;
}

/** Null for an OrderID(37) that the live exchange has not given: the ClOrdID names the order just as well. */
function freshValue(tag: number, value: string, ids: RunIds, shiftMs: number, now: EpochMs): string | null {
  if (CLIENT_IDS.includes(tag)) return ids.clOrdID(value);
  if (EXCHANGE_IDS.includes(tag)) return ids.exchangeId(tag, value) ?? (tag === Tag.OrderID ? null : value);
  if (tag === Tag.TransactTime) return cutLike(formatUtcTimestamp(now), value);
  if (SHIFTED.includes(tag)) {
    const at = parseUtcTimestamp(value);
    return at === null ? value : cutLike(formatUtcTimestamp(at + shiftMs), value);
  }
  if (tag === Tag.ExpireDate) {
    const at = parseUtcTimestamp(`${value}-00:00:00`);
    const days = Math.ceil(shiftMs / DAY_MS) * DAY_MS;
    return at === null ? value : formatUtcTimestamp(startOfUtcDay(at) + days).slice(0, 8);
  }
  return value;
}

/** As precise as the log's: some counterparties refuse milliseconds. A malformed one is not mended but sent as it was. */
function cutLike(fresh: string, recorded: string): string {
  if (parseUtcTimestamp(recorded) === null) return recorded;
  return recorded.length === 17 ? fresh.slice(0, 17) : fresh;
}
