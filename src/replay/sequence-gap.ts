// Holes in MsgSeqNum(34), per direction of each session: said where they open, and at the end if nothing filled them.

import { MsgType, Tag } from '../wire/mod.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';

/** Holes remembered per direction; further ones are still announced. */
const HOLES_MAX = 10_000;

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
  holes: { from: number; to: number }[];
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
    const reset = view.msgType === MsgType.Logon && view.boolean(Tag.ResetSeqNumFlag) === true;
    if (position === undefined || reset || isRestart(message, msgSeqNum, position)) {
      this.positions.set(direction, { next: after(message, msgSeqNum), holes: [] });
      return null;
    }
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
    return [...this.positions].flatMap(([direction, { holes }]) => holes.map((hole) => ({ direction, ...hole })));
  }
}

/** A lower number that is no duplicate begins a new series: both sides were reset between two messages. */
function isRestart({ view }: LoggedMessage, msgSeqNum: number, position: Position): boolean {
  return msgSeqNum < position.next && view!.boolean(Tag.PossDupFlag) !== true;
}

/** The number after a message; a SequenceReset(4) says it itself. */
function after({ view }: LoggedMessage, msgSeqNum: number): number {
  if (view!.msgType !== MsgType.SequenceReset) return msgSeqNum + 1;
  return Math.max(view!.int(Tag.NewSeqNo) || 0, msgSeqNum + 1);
}

function fill(position: Position, from: number, to: number): void {
  position.holes = position.holes.flatMap((hole) => {
    if (to < hole.from || from > hole.to) return [hole];
    const rest: { from: number; to: number }[] = [];
    if (hole.from < from) rest.push({ from: hole.from, to: from - 1 });
    if (hole.to > to) rest.push({ from: to + 1, to: hole.to });
    return rest;
  });
}
