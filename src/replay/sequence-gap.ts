// Holes in MsgSeqNum(34), per direction of each session: said where they open, and at the end if nothing filled them.

import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';

/** Holes remembered per direction; further ones are still announced. */
const HOLES_MAX = 10_000;
/** Messages remembered per direction: logs of both sides, put together, have each twice. */
const RECENT_MAX = 1_000;

/** Numbers that the log does not have, first to last, inclusive. */
export interface SequenceGap {
  /** `FIX.4.4:SENDER->TARGET`, with SubIDs and LocationIDs where the session has them. */
  readonly direction: string;
  readonly from: number;
  readonly to: number;
}

/** Its numbers for people: `7`, or `2-6`. */
export function numbersOf({ from, to }: SequenceGap): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

interface Position {
  next: number;
  /**
   * The next number without the last SequenceReset(4) in reset mode, as long as no message has followed it; or null.
   */
  resetFrom: number | null;
  /** Of earlier series too: what was not filled before a reset never is. */
  holes: { from: number; to: number; isOver?: true }[];
  /** SendingTime(52) of the latest messages, by number. */
  readonly recent: Map<number, string>;
}

export class GapFinder {
  private readonly positions = new Map<string, Position>();

  /** Look at the next message of the log, with its way; the hole before it, or null. */
  add(message: LoggedMessage, way: Direction): SequenceGap | null {
    const { view } = message;
    const msgSeqNum = view?.int(Tag.MsgSeqNum) ?? null;
    if (view === null || !message.counted || msgSeqNum === null || Number.isNaN(msgSeqNum)) return null;
    const direction = way.name;
    const position = this.positions.get(direction);
    if (position === undefined) {
      const next = after(message, msgSeqNum);
      const first: Position = { next, resetFrom: null, holes: [], recent: new Map() };
      isLoggedTwice(first, view, msgSeqNum);
      this.positions.set(direction, first);
      return null;
    }
    if (isLoggedTwice(position, view, msgSeqNum)) return null;
    if (isInResetMode(message)) {
      const newSeqNo = view.int(Tag.NewSeqNo) ?? 0;
      // One that goes back is rejected; where it was taken after all, the next message begins anew.
      if (newSeqNo > position.next) {
        position.resetFrom ??= msgSeqNum === position.next ? msgSeqNum + 1 : position.next;
        position.next = newSeqNo;
      }
      return null;
    }
    const isBelow = msgSeqNum < position.next && view.boolean(Tag.PossDupFlag) !== true;
    // It was not taken: its number was beyond what the other side allows, perhaps.
    if (isBelow && position.resetFrom !== null && msgSeqNum >= position.resetFrom) position.next = position.resetFrom;
    else if (isBelow || (view.msgType === MsgType.Logon && view.boolean(Tag.ResetSeqNumFlag) === true)) {
      beginAnew(position, after(message, msgSeqNum));
      return null;
    }
    position.resetFrom = null;
    if (msgSeqNum < position.next) {
      fill(position, msgSeqNum, after(message, msgSeqNum) - 1);
      position.next = Math.max(position.next, after(message, msgSeqNum));
      return null;
    }
    const gap = msgSeqNum === position.next ? null : { from: position.next, to: msgSeqNum - 1 };
    position.next = after(message, msgSeqNum);
    if (gap === null) return null;
    if (position.holes.length < HOLES_MAX) position.holes.push({ ...gap });
    return { direction, ...gap };
  }

  /** Holes that no later message filled. */
  open(): SequenceGap[] {
    return [...this.positions].flatMap(([direction, { holes }]) =>
      holes.map(({ from, to }) => ({ direction, from, to })),
    );
  }
}

/** Whether it was there before: what goes out anew has another SendingTime(52). */
function isLoggedTwice({ recent }: Position, view: MessageView, msgSeqNum: number): boolean {
  const sendingTime = view.string(Tag.SendingTime);
  if (sendingTime === null) return false;
  if (recent.get(msgSeqNum) === sendingTime) return true;
  recent.delete(msgSeqNum);
  recent.set(msgSeqNum, sendingTime);
  if (recent.size > RECENT_MAX) recent.delete(recent.keys().next().value!);
  return false;
}

/**
 * SequenceReset(4) without GapFillFlag(123)=Y has a meaningless number; one with PossDupFlag(43)=Y fills a gap anyway.
 */
function isInResetMode({ view }: LoggedMessage): boolean {
  if (view!.msgType !== MsgType.SequenceReset || view!.boolean(Tag.GapFillFlag) === true) return false;
  return view!.boolean(Tag.PossDupFlag) !== true;
}

/** A reset said in the Logon(A), or a lower number that is no duplicate: both sides were reset between two messages. */
function beginAnew(position: Position, next: number): void {
  position.next = next;
  position.resetFrom = null;
  for (const hole of position.holes) hole.isOver = true;
}

/** The number after a message; a SequenceReset(4) says it itself. */
function after({ view }: LoggedMessage, msgSeqNum: number): number {
  if (view!.msgType !== MsgType.SequenceReset) return msgSeqNum + 1;
  return Math.max(view!.int(Tag.NewSeqNo) || 0, msgSeqNum + 1);
}

function fill(position: Position, from: number, to: number): void {
  position.holes = position.holes.flatMap((hole) => {
    if (hole.isOver || to < hole.from || from > hole.to) return [hole];
    const rest: { from: number; to: number }[] = [];
    if (hole.from < from) rest.push({ from: hole.from, to: from - 1 });
    if (hole.to > to) rest.push({ from: to + 1, to: hole.to });
    return rest;
  });
}
