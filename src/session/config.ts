// Settings of one FIX session as the machine needs them. Built by the engine from sessions/*.yaml, frozen.

import type { EpochMs, TimePrecision } from '../base/time.ts';
import type { Charset } from '../wire/mod.ts';
import type { MessageRateSettings } from './messages/message-rate.ts';
import type { ScheduleSettings } from './time/schedule.ts';

/** Identity of a session in QuickFIX's notation, `FIX.4.4:SENDER->TARGET`, from our side (identity.ts). Log lines carry it. */
export type SessionID = string;

/**
 * Answer to a Logon(A) that is refused before its numbers count: a Logout(5) with the reason, no answer, or (`auto`) a
 * Logout only if the Logon resets the numbers (141=Y). A Logout harms other counterparties: QuickFIX C++ counts it as
 * the next expected message, whatever its number, and then skips the report that waits for it.
 */
export type OnRefusal = 'logout' | 'silence' | 'auto';

export interface SessionConfig {
  readonly sessionId: SessionID;
  readonly role: 'acceptor' | 'initiator';
  readonly beginString: string;
  /** Ours. */
  readonly senderCompID: string;
  /** The counterparty's. */
  readonly targetCompID: string;
  /**
   * SubIDs and LocationIDs where they are part of the identity: sent in every message (a message's own TargetSubID(57)
   * wins, rule D11) and demanded of the counterparty's session messages; of an acceptor's, if there at all. Absent or null: not
   * part of it.
   */
  readonly senderSubID?: string | null;
  readonly senderLocationID?: string | null;
  readonly targetSubID?: string | null;
  readonly targetLocationID?: string | null;
  /** HeartBtInt(108): sent by an initiator; an acceptor's bounds (rule S6). */
  readonly heartBtIntS: number;
  readonly heartBtIntMinS: number;
  readonly heartBtIntMaxS: number;
  readonly heartBtIntZeroAllowed: boolean;
  /** Of an initiator: another HeartBtInt(108) in the acceptor's Logon is taken, within these bounds; absent or false: only its own. */
  readonly heartBtIntFromAcceptor?: boolean;
  /** Username(553) demanded, or null. */
  readonly username: string | null;
  /** Largest |now − SendingTime(52)|, in seconds; 0 switches the check off. */
  readonly sendingTimeAccuracyS: number;
  readonly logonTimeoutMs: number;
  /**
   * Time limit for the answer to our Logout(5). Before it, the limit for the end of a resend, which no Logout may
   * interrupt (logout.ts).
   */
  readonly logoutTimeoutMs: number;
  /** Silence, in HeartBtInts, before our TestRequest (1.2) and before the peer is declared lost (2.4). */
  readonly testRequestAfter: number;
  readonly lostAfter: number;
  /** Whether a Logon with ResetSeqNumFlag(141)=Y is taken. */
  readonly resetOnLogonAllowed: boolean;
  /**
   * When both numbers restart at 1 without a request: at each Logon (an initiator asks with 141=Y, an acceptor resets
   * in any case), after a Logout, or after any end of the connection. Both sides must agree. Absent: never.
   */
  readonly resetOn?: readonly ('logon' | 'logout' | 'disconnect')[];
  /** Most messages asked for in one ResendRequest (0: all), and read from the journal at a time when resending. */
  readonly resendRequestChunk: number;
  /**
   * A ResendRequest(2) names the last number that is missing. Absent or false: it asks for all from the first one on, EndSeqNo(16)=0
   * (999999 before FIX.4.2), unless a chunk is set (rule S12).
   */
  readonly closedResendRequests?: boolean;
  /**
   * Answer to a ResendRequest(2) below the expected number without PossDupFlag(43)=Y: Logout(5) as for any message, or
   * the resend.
   */
  readonly resendRequestTooLow?: 'logout' | 'answer';
  /** Whether a TestRequest(1) ahead of a gap is answered at once (default) or when its turn has come. */
  readonly testRequestAhead?: 'answer' | 'wait';
  /** Action after the Reject(3) of an OrigSendingTime(122) later than SendingTime(52). Default: none. */
  readonly origSendingTimeFault?: 'reject' | 'logout';
  readonly resendLoadChunk: number;
  /** Most inbound messages kept while a gap is being filled. */
  readonly gapQueueMax: number;
  /** Cap on either sequence number (default 100,000,000). */
  readonly seqNumMax: number;
  /** SessionStatus(1409) in the Logon answer and in Logouts: `venue` dialect (rule D1). */
  readonly sendsSessionStatus: boolean;
  /** Text(58) of the Logon answer, for example that this session is bound to the simulator (rule S8), or null. */
  readonly logonText: string | null;
  /**
   * Whether the counterparty's CancelOnDisconnect(9001) in its Logon may switch it on or off, and how it stands without it. Absent:
   * 9001 means nothing.
   */
  readonly cancelOnDisconnect?: { readonly isOn: boolean; readonly mayOn: boolean; readonly mayOff: boolean };
  /** TestMessageIndicator(464): `test` refuses its absence, `production` refuses Y, `any` takes both (rule S8). */
  readonly environment: 'test' | 'production' | 'any';
  /** Repeat reports not proven received with PossResend(97)=Y after a reset (rule S2). Default true. */
  readonly repeatUnprovenReports: boolean;
  /**
   * A TestRequest(1) goes before each Logout(5) of ours while reports are not proven received, for a second at most, so that an
   * orderly day leaves nothing to repeat (rule S2). Default true.
   */
  readonly provesBeforeLogout?: boolean;
  /** They are repeated only when input `repeat` asks for them, as on drop copy sessions (rule S9). Default false. */
  readonly repeatsOnRequest?: boolean;
  /** LastMsgSeqNumProcessed(369) in every header, from FIX.4.2 on. Received, it is understood anyway. Default false. */
  readonly sendsLastMsgSeqNumProcessed?: boolean;
  /**
   * NextExpectedMsgSeqNum(789) in our Logon, from FIX.4.4 on: gaps are filled without a ResendRequest(2). An acceptor
   * answers a Logon that carries it with it anyway. Default false.
   */
  readonly sendsNextExpectedMsgSeqNum?: boolean;
  /** DefaultApplVerID(1137) of a FIXT.1.1 session: `7` FIX.5.0, `8` SP1, `9` SP2. Default `9`. */
  readonly defaultApplVerID?: '7' | '8' | '9';
  /**
   * Further values allowed in ApplVerID(1128); the session's validator then has their dictionaries too. Default: none.
   */
  readonly applVerIDs?: readonly ('7' | '8' | '9')[];
  /** Whether inbound messages are checked against the dictionary. */
  readonly validateIncoming: boolean;
  /** Whether an application's message without a field that the dictionary requires is refused to it. Default true; of the library. */
  readonly checkRequiredFields?: boolean;
  /** Character set of texts where a message has no MessageEncoding(347). Default ISO-8859-1: a byte for each character. */
  readonly charset?: Charset;
  /** Whether a field without a value is a fault (373=4). Default true. */
  readonly validateFieldsHaveValues?: boolean;
  /** Whether the fields of a group's entry have the dictionary's order (373=15). Default true; false: any order behind the first. */
  readonly validateUnorderedGroupFields?: boolean;
  /** SessionRejectReason(373) of a tag from 5000 on that no dictionary has: 3 (default) or 0, as test case 14a has it. */
  readonly unknownTagReason?: '3' | '0';
  /** Whether a message with a wrong CheckSum(10) is garbled; false: it is taken, with a CheckSum of ours. Default true. */
  readonly validateCheckSum?: boolean;
  /** Where reading goes on behind a BodyLength(9) that leads to no CheckSum(10): at the next message (default) or the next CheckSum. */
  readonly afterWrongBodyLength?: 'beginString' | 'checkSum';
  /** A garbled message that has the expected MsgSeqNum(34) is rejected and counted; default false: ignored. */
  readonly rejectGarbledMessages?: boolean;
  /** Further values of DefaultApplVerID(1137) that a Logon(A) may have; messages are read by our own version. Default none. */
  readonly otherDefaultApplVerIDs?: readonly string[];
  /** When it may be connected and when its numbers begin again; absent: always, and never by time. */
  readonly schedule?: ScheduleSettings | null;
  /** A reset that the schedule has is begun within the open session, by Logon(A) with 141=Y; default: after a Logout. */
  readonly resetsWithinSession?: boolean;
  /** Whether a Logout(5) answers a Logon while the session is closed, and says when it opens; default `logout`. */
  readonly onRefusal?: OnRefusal;
  /** How fast application messages may come (rule S7); absent: as fast as they do. */
  readonly messageRate?: MessageRateSettings | null;
  /**
   * Highest number of session messages per second, with all others that the application rate does not count
   * (session-message-rate.ts). Beyond it the session is logged out. Resent messages do not count. Absent or 0:
   * unlimited.
   */
  readonly sessionMessagesMax?: number;
  /** Highest number of successful Logons per minute of an acceptor. Further ones are refused. Absent or 0: unlimited. */
  readonly logonsPerMinute?: number;
  /** A Reject(3) of a message of ours is delivered to the application too. Default false. */
  readonly deliversRejects?: boolean;
  /** Extra body fields of an initiator's Logon, for example Password(554). May hold secrets: redact when printing. */
  readonly logonFields?: readonly (readonly [tag: number, value: string])[];
  /** Signs an initiator's Logon in RawData(96). */
  readonly logonSigner?: LogonSigner;
  /** Further tags with values to mask wherever a message is shown. The journal keeps them. */
  readonly secretTags?: readonly number[];
  /** Precision of SendingTime(52) and OrigSendingTime(122); absent or null: milliseconds from FIX.4.2 on, seconds before. */
  readonly timestampPrecision?: TimePrecision | null;
  /** Nanoseconds of the clock within the millisecond of `now`, 0 to 999,999; absent: 0. Asked for finer precisions only. */
  readonly nanosWithin?: (now: EpochMs) => number;
}

/** Whether numbers begin again then, by setting. */
export function isResetAt(config: Pick<SessionConfig, 'resetOn'>, at: 'logon' | 'logout' | 'disconnect'): boolean {
  const resetOn = config.resetOn ?? [];
  // A Logout ends the connection too.
  return resetOn.includes(at) || (at === 'logout' && resetOn.includes('disconnect'));
}

/** The signature in RawData(96) of an initiator's Logon. */
export interface LogonSigner {
  /** Characters of a signature, always as many. */
  readonly length: number;
  /**
   * Sign 35, 49, 56, 34 and 52 of the Logon joined by SOH; answers text without SOH. Absent where the key is not known, as
   * in a replay: as many `*` stand for it, as they do in the journal.
   */
  readonly sign?: (text: string) => string;
}
