// Messages of one connection that no step has looked at yet, and whether the connection is open.

import type { FieldDifference } from './match.ts';
import type { ReceivedMessage } from './received.ts';

/** Most messages that wait for a step. More end the case: the counterparty floods it. */
const MESSAGES_MAX = 100_000;

export type QueuedMessage =
  | { readonly message: ReceivedMessage; readonly implied: readonly FieldDifference[] }
  | { readonly garbled: string };

export class ConnectionQueue {
  state: 'none' | 'open' | 'closed' = 'none';
  closeReason = '';
  /** The counterparty's Logout has no answer yet. */
  owesLogout = false;
  private queue: QueuedMessage[] = [];
  private head = 0;

  open(): void {
    this.state = 'open';
  }

  close(reason: string): void {
    this.state = 'closed';
    this.closeReason = reason;
  }

  /** Forget the connection and what came on it. */
  reset(): void {
    this.state = 'none';
    this.owesLogout = false;
    this.queue = [];
    this.head = 0;
  }

  push(message: QueuedMessage): void {
    if (this.queue.length - this.head < MESSAGES_MAX) this.queue.push(message);
    else this.close(`more than ${MESSAGES_MAX} messages came that no step asked for`);
  }

  garbled(text: string): void {
    this.push({ garbled: text });
  }

  shift(): QueuedMessage | null {
    const next = this.queue[this.head];
    if (next === undefined) return null;
    this.head++;
    if (this.head === this.queue.length) {
      this.queue = [];
      this.head = 0;
    }
    return next;
  }

  /** Messages that no step took. */
  rest(): ReceivedMessage[] {
    return this.queue.slice(this.head).flatMap((one) => ('message' in one ? [one.message] : []));
  }

  get inWords(): string {
    return this.state === 'closed' ? `the connection was closed: ${this.closeReason}` : 'there is no connection';
  }
}
