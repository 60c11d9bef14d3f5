// The latest messages of each direction by MsgSeqNum(34), for what refers to one by RefSeqNum(45).

import { AgedSet } from '../../base/collections/aged-set.ts';
import type { Held, LoggedOrder } from './logged-order.ts';

/** A message of orders, and those. */
export interface SentMessage {
  readonly held: Held;
  readonly orders: readonly LoggedOrder[];
}

/** Numbers kept of a direction: a reject follows soon behind what it refers to. */
const NUMBERS_MAX = 50_000;

/** Of one direction. */
class Numbers {
  readonly messages = new Map<number, SentMessage>();
  readonly ages = new AgedSet<number>();
}

export class SentNumbers {
  private readonly directions = new Map<string, Numbers>();

  /** Note a message of any kind; null if it is of no order, which its number says nothing of from now on. */
  note(direction: string, msgSeqNum: number | null, message: SentMessage | null): void {
    if (msgSeqNum === null || Number.isNaN(msgSeqNum)) return;
    let numbers = this.directions.get(direction);
    if (numbers === undefined) {
      numbers = new Numbers();
      this.directions.set(direction, numbers);
    }
    const { messages, ages } = numbers;
    if (message === null) {
      messages.delete(msgSeqNum);
      ages.delete(msgSeqNum);
      return;
    }
    messages.set(msgSeqNum, message);
    ages.add(msgSeqNum);
    if (ages.size > NUMBERS_MAX) messages.delete(ages.takeOldest()!);
  }

  /** The latest message of a direction with this number, if it is of orders. */
  sent(direction: string, msgSeqNum: number | null): SentMessage | null {
    return msgSeqNum === null ? null : (this.directions.get(direction)?.messages.get(msgSeqNum) ?? null);
  }
}
