// One client of a stream: its subscriptions, idle time, and frames on their way out with the faults armed for them.

import type { WebSocket } from 'ws';
import type { Login } from '../access/logins.ts';
import type { Faults } from '../control/faults.ts';

/** Bytes that may wait in a slow client's socket before it is dropped. */
const BUFFERED_BYTES_MAX = 16_777_216;
const SUBSCRIPTIONS_MAX = 1_000;

export interface Subscription {
  readonly id: string;
  readonly topic: string;
  /** Symbol, asset or account that the topic is subscribed for; null means all of the user's accounts. */
  readonly subject: string | null;
}

export class StreamSocket {
  readonly socket: WebSocket;
  /** Path of the stream below /trading-api/v1, for example `private-data`. */
  readonly path: string;
  readonly address: string;
  readonly login: Login | null;
  /** Account named in the address of the connection, for subscriptions that name none. */
  readonly account: string | null;
  readonly subscriptions: Subscription[] = [];
  /** Milliseconds of the process's own clock. */
  lastHeardAt: number;
  private readonly faults: Faults;
  private held: string | null = null;

  constructor(
    socket: WebSocket,
    about: { path: string; address: string; login: Login | null; account: string | null },
    faults: Faults,
  ) {
    this.socket = socket;
    this.path = about.path;
    this.address = about.address;
    this.login = about.login;
    this.account = about.account;
    this.lastHeardAt = performance.now();
    this.faults = faults;
  }

  isSubscribed(topic: string, subject: string | null): boolean {
    return this.subscriptions.some((s) => s.topic === topic && (s.subject === null || s.subject === subject));
  }

  /** Whether this very subscription exists already; a second one is ignored in silence (exchange reference §4.2). */
  hasSubscription(topic: string, subject: string | null): boolean {
    return this.subscriptions.some((s) => s.topic === topic && s.subject === subject);
  }

  /** @returns false if there are too many */
  subscribe(subscription: Subscription): boolean {
    if (this.subscriptions.length >= SUBSCRIPTIONS_MAX) return false;
    this.subscriptions.push(subscription);
    return true;
  }

  /** Remove subscriptions; returns whether there was one. */
  unsubscribe(matches: (subscription: Subscription) => boolean): boolean {
    let found = false;
    for (let i = this.subscriptions.length - 1; i >= 0; i--) {
      if (!matches(this.subscriptions[i]!)) continue;
      this.subscriptions.splice(i, 1);
      found = true;
    }
    return found;
  }

  /** Send an answer to something the client sent: no fault but silence touches it. */
  reply(text: string): void {
    if (!this.faults.streamsSilent) this.write(text);
  }

  /** Send a data frame, as the armed faults let it pass. */
  data(dataType: string, text: string): void {
    if (this.faults.streamsSilent) return;
    const fault = this.faults.takeStream(dataType);
    if (fault?.what === 'suppress') return;
    if (fault?.what === 'reorder' && this.held === null) {
      this.held = text;
      return;
    }
    this.write(text);
    if (fault?.what === 'duplicate') this.write(text);
    if (this.held === null) return;
    const late = this.held;
    this.held = null;
    this.write(late);
  }

  /** Drop the connection without a close frame. */
  cut(): void {
    this.socket.terminate();
  }

  private write(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > BUFFERED_BYTES_MAX) this.cut();
    else this.socket.send(text);
  }
}
