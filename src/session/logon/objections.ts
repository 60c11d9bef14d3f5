// Remembers the counterparty's objections on a connection, to our Logon or other messages, and the alarms raised for
// them. Callers word the alarms.

import type { EpochMs } from '../../base/time.ts';

/** A counterparty that does not take the Logon it gets says so at once, by a Logout. */
const REFUSAL_MS_MAX = 2_000;

/** Message types that are reported one by one on a connection; RefMsgType(372) may hold any text. */
const REFUSED_TYPES_MAX = 32;

export class Objections {
  /** An alarm for a refused Logon was raised, and the session has not been stably logged on since. */
  #isRefusalTold = false;
  /** The Logon with which the counterparty began, or answered, this logged-on time. */
  #logonMsgSeqNum = 0;
  #logonAt: EpochMs = 0;
  #logoutText = '';
  #isLogoutRefusal = false;
  /** MsgTypes of ours that the counterparty refused on this connection. */
  readonly #refusedTypes = new Set<string>();

  /** Both sides are logged on, by this Logon of the counterparty's. */
  loggedOn(msgSeqNum: number, now: EpochMs): void {
    this.#logonMsgSeqNum = msgSeqNum;
    this.#logonAt = now;
    this.#isLogoutRefusal = false;
  }

  /** Numbers begin again at 1, within the logged-on time if there is one: by a Logon with that number. */
  beginSeries(): void {
    this.#logonMsgSeqNum = 1;
  }

  /** Whether a message of the counterparty with this number is older than its Logon. */
  isBeforeLogon(msgSeqNum: number): boolean {
    return msgSeqNum < this.#logonMsgSeqNum;
  }

  /**
   * The counterparty begins to log out.
   * @param text its Text(58), or ''
   * @returns whether it does so instead of going on behind its Logon: without a word it may have had nothing to do
   */
  loggingOut(text: string, msgSeqNum: number, now: EpochMs): boolean {
    const isFirst = msgSeqNum === this.#logonMsgSeqNum + 1 && now - this.#logonAt <= REFUSAL_MS_MAX;
    this.#logoutText = text;
    this.#isLogoutRefusal = isFirst && text !== '';
    return this.#isLogoutRefusal;
  }

  /** Text(58) of the Logout with which the counterparty began to log out, or ''. */
  get logoutText(): string {
    return this.#logoutText;
  }

  /** The logged-on time is over. */
  loggedOff(): void {
    if (!this.#isLogoutRefusal) this.#isRefusalTold = false;
  }

  /** True if a refused Logon is still to be reported: once until the session is stably logged on. */
  tellsRefusal(): boolean {
    const isFirst = !this.#isRefusalTold;
    this.#isRefusalTold = true;
    return isFirst;
  }

  /**
   * Record that the counterparty refused a message of this type. Returns true if it is the first of its type and is to
   * be reported.
   */
  tellsRefused(msgType: string): boolean {
    if (this.#refusedTypes.has(msgType) || this.#refusedTypes.size >= REFUSED_TYPES_MAX) return false;
    this.#refusedTypes.add(msgType);
    return true;
  }

  /** The connection is gone. */
  forgetConnection(): void {
    this.#refusedTypes.clear();
  }
}
