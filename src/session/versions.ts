// Differences between the FIX session protocols 4.0 to 4.4 and FIXT.1.1, in one table. No other file of the session
// branches on BeginString. The dictionary knows fields and values of messages.

import { MsgType } from '../wire/mod.ts';

export interface SessionVersion {
  /** EndSeqNo(16) that means "to the last message": 999999 in 4.0 and 4.1, 0 from 4.2 (rule S4). */
  readonly infinity: number;
  /** RefTagID(371) and RefMsgType(372) exist (from 4.2, rule S5); which reasons do is the dictionary's matter. */
  readonly rejectCodes: boolean;
  /** ResetSeqNumFlag(141) exists (from 4.1). */
  readonly resetSeqNumFlag: boolean;
  /** Headline(148) of News(B) exists (from 4.1). */
  readonly headline: boolean;
  /** LastMsgSeqNumProcessed(369) exists (from 4.2). */
  readonly lastMsgSeqNumProcessed: boolean;
  /** SenderLocationID(142) and TargetLocationID(143) exist (from 4.1). */
  readonly locationIDs: boolean;
  /** NextExpectedMsgSeqNum(789) exists (from 4.4). */
  readonly nextExpected: boolean;
  /** TestMessageIndicator(464) exists (from 4.3). */
  readonly testMessageIndicator: boolean;
  /** Text(58) is a field of Logon(A) in the stock dictionary (FIXT.1.1). */
  readonly logonText: boolean;
  /** DefaultApplVerID(1137) is required in Logon(A) (FIXT.1.1). */
  readonly applVerID: boolean;
  /** SendingTime(52) carries milliseconds (from 4.2). */
  readonly milliseconds: boolean;
}

const FIX40: SessionVersion = {
  infinity: 999_999,
  rejectCodes: false,
  resetSeqNumFlag: false,
  headline: false,
  lastMsgSeqNumProcessed: false,
  locationIDs: false,
  nextExpected: false,
  testMessageIndicator: false,
  logonText: false,
  applVerID: false,
  milliseconds: false,
};
const FIX41: SessionVersion = { ...FIX40, resetSeqNumFlag: true, headline: true, locationIDs: true };
const FIX42: SessionVersion = {
  ...FIX41,
  infinity: 0,
  rejectCodes: true,
  lastMsgSeqNumProcessed: true,
  milliseconds: true,
};
const FIX43: SessionVersion = { ...FIX42, testMessageIndicator: true };
const FIX44: SessionVersion = { ...FIX43, nextExpected: true };
const FIXT11: SessionVersion = { ...FIX44, logonText: true, applVerID: true };

const VERSIONS: Readonly<Record<string, SessionVersion>> = {
  'FIX.4.0': FIX40,
  'FIX.4.1': FIX41,
  'FIX.4.2': FIX42,
  'FIX.4.3': FIX43,
  'FIX.4.4': FIX44,
  'FIXT.1.1': FIXT11,
};

/** The session protocol of a BeginString(8), or null if it is none of ours. */
export function sessionVersion(beginString: string): SessionVersion | null {
  return VERSIONS[beginString] ?? null;
}

/** Whether a MsgType(35) belongs to the session layer: 0 to 5 and A. Asked of every message, so without a table. */
export function isAdmin(msgType: string): boolean {
  return (
    msgType.length === 1 && ((msgType >= MsgType.Heartbeat && msgType <= MsgType.Logout) || msgType === MsgType.Logon)
  );
}

/**
 * Whether a resend repeats a message of this type: application messages, and Reject(3), the one session message that
 * FIX 4.4 vol. 2 ("ResendRequest") excepts from gap filling.
 */
export function isResendable(msgType: string): boolean {
  return msgType === MsgType.Reject || !isAdmin(msgType);
}

/**
 * Whether a message type is a report in the sense of rule S2: an answer to the counterparty's orders and trades, or a copy of
 * one. Market data and the like are stale after a reset and are not repeated.
 */
export function isReport(msgType: string): boolean {
  return (
    msgType === MsgType.ExecutionReport ||
    msgType === MsgType.TradeCaptureReport ||
    msgType === MsgType.TradeCaptureReportAck ||
    msgType === MsgType.OrderCancelReject ||
    msgType === MsgType.OrderMassCancelReport
  );
}
