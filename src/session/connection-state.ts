// State of one connection and its logged-on time: who is connected, when either side was heard last, how the Logon and
// the Logout(5) went. Only its own functions write it.

import type { EpochMs } from '../base/time.ts';
import type { LoggedOffBy } from './port.ts';
import type { OwedLogout } from './recovery/waiting-messages.ts';
import { TestRequests } from './time/test-request.ts';

export class ConnectionState {
  /** When the state of the machine was entered; 0 means never. */
  since: EpochMs = 0;
  remote: string | null = null;
  heartBtIntS: number;
  lastReceivedAt: EpochMs = 0;
  lastSentAt: EpochMs = 0;
  /** Nothing that arrives on this connection is read for now (input `reading`). */
  isUnread = false;
  readonly testRequests = new TestRequests();
  /** When bytes that are no message came last on this connection; any of them may have been one. */
  garbledAt: EpochMs = Number.NEGATIVE_INFINITY;
  /** `loggedOn` was reported and `loggedOff` not yet. */
  loggedOnReported = false;
  /** How the logged-on time ended, until the connection is gone too; at a start, if the process died before that. */
  end: LoggedOffBy | null;
  /** Our Logon of this connection carried ResetSeqNumFlag(141)=Y. */
  resetSent = false;
  /** MsgSeqNum(34) of the Logon that an initiator has begun this connection with. */
  logonMsgSeqNum = 0;
  /** A Logout(5) of ours went out on this connection, or on the one before. */
  logoutSaid = false;
  /** One that waits for the end of a resend (logout.ts). */
  owedLogout: OwedLogout | null = null;
  /** TestMessageIndicator(464)=Y was in the counterparty's Logon. */
  isTest = false;

  constructor(heartBtIntS: number, end: LoggedOffBy | null) {
    this.heartBtIntS = heartBtIntS;
    this.end = end;
  }

  /** A connection is there. */
  opened(remote: string, now: EpochMs): void {
    this.remote = remote;
    this.lastReceivedAt = now;
  }

  /** It is gone. */
  closed(): void {
    this.remote = null;
  }

  /** Drop everything that belonged to it. */
  forget(): void {
    this.owedLogout = null;
    this.testRequests.forget();
    this.isUnread = false;
    this.resetSent = false;
    this.garbledAt = Number.NEGATIVE_INFINITY;
  }

  /** The machine has another state. */
  entered(now: EpochMs): void {
    this.since = now;
  }

  /** The counterparty was heard, or its silence counts from now. */
  received(now: EpochMs): void {
    this.lastReceivedAt = now;
  }

  sent(now: EpochMs): void {
    this.lastSentAt = now;
  }

  garbled(now: EpochMs): void {
    this.garbledAt = now;
  }

  reading(isRead: boolean): void {
    this.isUnread = !isRead;
  }

  /** Beat as a Logon(A) says that was taken, or as the settings have it. */
  beat(heartBtIntS: number): void {
    this.heartBtIntS = heartBtIntS;
  }

  /** The counterparty's Logon was taken. */
  marked(isTest: boolean): void {
    this.isTest = isTest;
  }

  /** Whether our next Logon, or the one that is going out, carries ResetSeqNumFlag(141)=Y. */
  asksReset(asks: boolean): void {
    this.resetSent = asks;
  }

  logonSent(msgSeqNum: number): void {
    this.logonMsgSeqNum = msgSeqNum;
  }

  loggedOn(): void {
    this.loggedOnReported = true;
  }

  loggedOff(end: LoggedOffBy): void {
    this.loggedOnReported = false;
    this.end = end;
  }

  /** The end of a logged-on time is to be followed up, or (null) was. */
  endsAs(end: LoggedOffBy | null): void {
    this.end = end;
  }

  /** A Logout(5) of ours waits. */
  owe(logout: OwedLogout): void {
    this.owedLogout = logout;
  }

  saidLogout(): void {
    this.owedLogout = null;
    this.logoutSaid = true;
  }

  /** The Logout(5) of the connection before was followed up. */
  forgetLogout(): void {
    this.logoutSaid = false;
  }
}
