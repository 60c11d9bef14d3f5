// The schema of a FIX session: type, default, bounds and meaning of every setting. One source for the session files
// (ops/schema/session-schema.ts adds the settings of orders) and for the options of the library.

import { Type } from '../../base/schema.ts';
import { choice, quoted, ratio, secret, text, whole, yesNo } from '../../base/schema-node.ts';
import { TIME_PRECISIONS } from '../../base/time.ts';
import { CHARSETS } from '../../wire/mod.ts';
import { Connect, Logon } from './logon-schema.ts';
import { ScheduleSchema } from './schedule-schema.ts';

/** Remedy for an invalid CompID. */
const AS_ID = { form: 'write 1 to 64 letters, digits and `_` `.` `:` `-`, without blanks' } as const;
const COMP_ID = '^[A-Za-z0-9_.:-]{1,64}$';
/** The counterparty's; `*` in a template. */
const THEIR_ID = '^([A-Za-z0-9_.:-]{1,64}|\\*)$';

/** The two sides of a session. */
export const FIX_PARTIES = {
  role: choice(['acceptor', 'initiator'], 'Whether the counterparty connects to us, or we to it.', 'acceptor'),
  connect: Type.Optional(Connect),
  beginString: choice(['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'], 'BeginString(8).', 'FIX.4.4', {
    form: 'write `FIX.4.2`, `FIX.4.4` or `FIXT.1.1`; FIX.5.0 and its service packs are `FIXT.1.1` with `defaultApplVerID`',
  }),
  defaultApplVerID: Type.Unsafe<'7' | '8' | '9'>({
    type: 'string',
    enum: ['7', '8', '9'],
    kind: 'quoted',
    default: '9',
    description: 'DefaultApplVerID(1137) of a FIXT.1.1 session: "7" is FIX.5.0, "8" FIX.5.0SP1, "9" FIX.5.0SP2.',
  }),
  applVerIDs: Type.Array(
    Type.Unsafe<'7' | '8' | '9'>({
      type: 'string',
      enum: ['7', '8', '9'],
      kind: 'quoted',
      description: 'A version.',
    }),
    {
      maxItems: 2,
      uniqueItems: true,
      default: [],
      description:
        'Further values of ApplVerID(1128) in messages of a FIXT.1.1 session; each is checked by the dictionary of that version. Answers are in `defaultApplVerID`.',
    },
  ),
  senderCompID: text(COMP_ID, 'Our CompID: SenderCompID(49) of our messages.', { requiredWhen: 'always', ...AS_ID }),
  targetCompID: text(THEIR_ID, "The counterparty's CompID.", { requiredWhen: 'always', ...AS_ID }),
  senderSubID: Type.Optional(
    text(COMP_ID, 'Our SubID, where it identifies the session: sent in 50, demanded in 57 of session messages.', AS_ID),
  ),
  senderLocationID: Type.Optional(
    text(COMP_ID, 'Our LocationID, where it identifies the session: sent in 142, demanded in 143.', AS_ID),
  ),
  targetSubID: Type.Optional(
    text(THEIR_ID, "The counterparty's SubID, where it identifies the session: sent in 57, demanded in 50.", AS_ID),
  ),
  targetLocationID: Type.Optional(
    text(
      THEIR_ID,
      "The counterparty's LocationID, where it identifies the session: sent in 143, demanded in 142.",
      AS_ID,
    ),
  ),
};

/** Proof that each side is what it says. */
export const FIX_CREDENTIALS = {
  username: Type.Optional(text('^[\\x20-\\x7e]{1,64}$', 'Username(553) demanded at Logon; none if absent.')),
  password: Type.Optional(
    secret(
      'Password(554) demanded at Logon, or sent by an initiator: the password, or its hash (`crossgate sessions secret`).',
      {
        requiredWhen: 'an acceptor has neither `logon.signature` nor `logon.certificate`',
      },
    ),
  ),
  logon: Logon,
};

/** The protocol between them. */
export const FIX_PROTOCOL = {
  environment: choice(
    ['test', 'production', 'any'],
    'TestMessageIndicator(464): `test` refuses its absence, `production` refuses Y, `any` takes both (rule S8).',
    'any',
  ),
  durability: choice(
    ['disk', 'process'],
    '`disk` survives power loss, `process` only the death of this process; a disk that stands still stops this process then.',
    'disk',
  ),
  schedule: ScheduleSchema,
  heartBtIntS: whole(1, 3600, 30, 'HeartBtInt(108) of this session, in seconds.', { libraryMinimum: 0 }),
  heartBtIntMinS: whole(1, 3600, 5, 'Smallest HeartBtInt accepted (rule S6).', { libraryMinimum: 0 }),
  heartBtIntMaxS: whole(1, 3600, 120, 'Largest HeartBtInt accepted.', { libraryMinimum: 0 }),
  heartBtIntZeroAllowed: yesNo(false, 'Whether 108=0 (no heartbeats) is accepted.'),
  heartBtIntFromAcceptor: yesNo(
    false,
    'Of an initiator: take another HeartBtInt than ours in the acceptor’s Logon, within these limits; `false`: it ends the connection.',
  ),
  testRequestAfter: ratio(1, 10, 1.2, 'Silence before our TestRequest, in HeartBtInts.'),
  lostAfter: ratio(1, 20, 2.4, 'Silence before the counterparty is declared lost, in HeartBtInts.'),
  sendingTimeAccuracyS: whole(0, 86_400, 120, 'Largest difference of SendingTime(52) from our clock; 0 for no check.'),
  logonTimeoutMs: whole(100, 600_000, 10_000, 'Time for a logon to complete.', { libraryMinimum: 0 }),
  logoutTimeoutMs: whole(
    100,
    600_000,
    5000,
    'Time for the answer to our Logout. A resend ends before our Logout, and has the same time.',
    { libraryMinimum: 0 },
  ),
  logonText: Type.Optional(
    text(
      '^[\\x20-\\x7e]{1,200}$',
      'Text(58) of our Logon answer, in FIXT.1.1 and dialect `standard` (Logon(A) of older versions, and of dialect `venue`, has no such field); on a simulated exchange it follows the words that say so.',
    ),
  ),
  resetOnLogonAllowed: yesNo(true, 'Whether a Logon with ResetSeqNumFlag(141)=Y is taken.'),
  resetOn: Type.Array(
    Type.Unsafe<'logon' | 'logout' | 'disconnect'>({ type: 'string', enum: ['logon', 'logout', 'disconnect'] }),
    {
      maxItems: 3,
      uniqueItems: true,
      default: [],
      description:
        'When both numbers begin again at 1 unasked: at each Logon, after a Logout, after any end; both sides must agree.',
    },
  ),
  repeatUnprovenReports: Type.Optional(
    Type.Boolean({
      description:
        'Send reports not proven received again, with PossResend(97)=Y, after a reset (rule S2). Reports that come about meanwhile follow them. `false`: only those that never left, without 97, and those that perhaps never left, with 97. `true` if absent, on an order session of dialect `venue` `false`.',
    }),
  ),
  proveBeforeLogout: yesNo(
    true,
    'A TestRequest(1) goes before our Logout(5) while reports are not proven received, for a second at most, so that an orderly day leaves nothing to repeat (rule S2).',
  ),
  resendRequestChunk: whole(0, 1_000_000, 0, 'Most messages asked for in one ResendRequest; 0 for all.'),
  closedResendRequests: yesNo(
    false,
    'A ResendRequest(2) names the last missing number in EndSeqNo(16), so that nothing comes twice; `false`: it asks for all from the first one on (0, 999999 before FIX.4.2; rule S12). Where `resendRequestChunk` is set it always has an end.',
  ),
  resendRequestTooLow: choice(
    ['logout', 'answer'],
    'A ResendRequest(2) below the expected MsgSeqNum(34), without PossDupFlag(43)=Y: it ends the session as every message does, or is answered uncounted.',
    'logout',
  ),
  testRequestAhead: choice(
    ['answer', 'wait'],
    'A TestRequest(1) ahead of a gap is answered at once, or when its turn has come.',
    'answer',
  ),
  origSendingTimeFault: choice(
    ['reject', 'logout'],
    'An OrigSendingTime(122) later than SendingTime(52) is rejected (373=10); `logout`: our Logout(5) follows (test case 2f leaves it open).',
    'reject',
  ),
  resendLoadChunk: whole(
    1,
    10_000,
    50,
    'Messages read from the journal at a time when resending, fewer where they are long; others have their turn between.',
  ),
  gapQueueMax: whole(
    0,
    100_000,
    2000,
    'Most inbound messages kept while a gap is being filled, of 16 MiB together at most; one always is.',
  ),
  seqNumMax: whole(1000, 2_147_483_647, 100_000_000, 'Cap on either sequence number.', { libraryMinimum: 1 }),
  validateIncoming: yesNo(true, 'Validate inbound messages against the data dictionary.'),
  charset: choice(
    CHARSETS,
    'Character set of Text(58) and other texts that we send; what it lacks is sent as `?`, and of the gateway the whole text in EncodedText(355), in UTF-8. MessageEncoding(347) of a message counts before it.',
    'ISO-8859-1',
  ),
  secretTags: Type.Array(whole(1, 999_999, undefined, 'A tag.'), {
    maxItems: 100,
    uniqueItems: true,
    default: [],
    description:
      'Further tags with secret values, such as `[5001]`, beside Password(554), NewPassword(925), RawData(96), 1402 and 1404: masked wherever a message is shown.',
  }),
  timestampPrecision: Type.Optional(
    choice(
      TIME_PRECISIONS,
      'Precision of SendingTime(52), OrigSendingTime(122) and TransactTime(60) that we send; milliseconds if absent. FIX before 5.0SP2 knows no finer times: agree on them. The exchange has milliseconds, so that TransactTime ends in zeros.',
    ),
  ),
  validateFieldsHaveValues: yesNo(true, 'A field without a value is rejected (373=4); `false`: it is accepted.'),
  validateUnorderedGroupFields: yesNo(
    true,
    "Fields of a repeating group's entry have the dictionary's order (373=15); `false`: they may stand in any order behind the first, and every other check stays.",
  ),
  unknownTagReason: Type.Unsafe<'3' | '0'>({
    type: 'string',
    enum: ['3', '0'],
    kind: 'quoted',
    default: '3',
    description:
      'SessionRejectReason(373) of a tag from 5000 on that the dictionary does not have: Undefined tag, or Invalid tag number as in test case 14a.',
  }),
  validateCheckSum: yesNo(
    true,
    'A message with a wrong CheckSum(10) is garbled and ignored; `false`: it is taken, and recorded with the right one. For counterparties that cannot compute it: a damaged message is taken too.',
  ),
  afterWrongBodyLength: choice(
    ['beginString', 'checkSum'],
    'Where reading continues if the BodyLength(9) of a message leads to no CheckSum(10). `beginString`: at the next BeginString(8). `checkSum`: behind the first CheckSum(10) after the place where BodyLength leads; a message at that place is ignored too.',
    'beginString',
  ),
  rejectGarbledMessages: yesNo(
    false,
    'A garbled message that is a whole frame with the expected MsgSeqNum(34) is rejected by Reject(3) and counted; `false`: it is ignored, and asked for when the next one shows the gap.',
  ),
  otherDefaultApplVerIDs: Type.Array(quoted('^[0-9]{1,2}$', 'A value of 1137.'), {
    maxItems: 20,
    uniqueItems: true,
    default: [],
    description:
      'DefaultApplVerID(1137) values beside `defaultApplVerID` that a Logon(A) of FIXT.1.1 may have, such as "10"; messages are read by the version of `defaultApplVerID`.',
  }),
  sendLastMsgSeqNumProcessed: yesNo(false, 'Send LastMsgSeqNumProcessed(369) in every header.'),
  sendNextExpectedMsgSeqNum: yesNo(
    false,
    'Send NextExpectedMsgSeqNum(789) in our Logon unasked (from FIX.4.4); a Logon that has it is answered with it anyway.',
  ),
};
