// The schema of a session file and of defaults.yaml: type, default, when it is required and meaning of every key. One
// source for validation, for the type below and for the table of sessions/README.md. Leaves what spans several keys or
// files to cross-checks.ts.

import { type Static, Type } from '../../base/schema.ts';
import { TIME_PRECISIONS } from '../../base/time.ts';
import { CHARSETS } from '../../engine/mod.ts';
import { Connect, Logon } from './logon-schema.ts';
import { MarketDataSchema } from './market-data-schema.ts';
import { MessageRateSchema } from './message-rate-schema.ts';
import { ScheduleSchema } from './schedule-schema.ts';
import { CLOSED, choice, decimal, HOUR_MS, NAME, quoted, ratio, secret, text, whole, yesNo } from './schema-node.ts';
import { DropCopy, SessionKind } from './session-kind-schema.ts';

/** Remedy for an invalid CompID. */
const AS_ID = { form: 'write 1 to 64 letters, digits and `_` `.` `:` `-`, without blanks' } as const;
const COMP_ID = '^[A-Za-z0-9_.:-]{1,64}$';
/** The counterparty's; `*` in a template. */
const THEIR_ID = '^([A-Za-z0-9_.:-]{1,64}|\\*)$';

const AccountEntry = Type.Object(
  {
    account: quoted('^[\\x21-\\x7e]{1,64}$', 'Account(1) as the OMS sends it.', { requiredWhen: 'always' }),
    tradingAccount: Type.Optional(
      quoted('^[0-9]{1,20}$', "The exchange's id of that account, in quotes; the same text as `account` if absent."),
    ),
    credential: Type.Optional(
      text(NAME, 'Which exchange login reaches it.', { requiredWhen: 'several credentials are configured' }),
    ),
  },
  CLOSED,
);

const Limits = Type.Object(
  {
    orderQtyMax: decimal('Largest OrderQty(38) of one order.', { requiredWhen: 'always' }),
    notionalMax: decimal(
      'Largest OrderQty × Price of one order, in quote currency, times the contract multiplier of a market that has one; a market order is valued at the reference price, and so is a sell below it, while there is a fresh one (else at its own price: only a market order, or a band, needs it).',
      {
        requiredWhen: 'always',
      },
    ),
    openOrdersMax: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Most open orders of the session.',
      requiredWhen: 'always',
    }),
    priceBandPercent: Type.String({
      pattern: '^(off|[0-9]{1,4}(\\.[0-9]{1,6})?)$',
      kind: 'decimal',
      description:
        'Largest distance of Price(44) from the reference price, in percent, in quotes; `off` for no band. Of an option, and of what is beyond 100 markets, that price is followed from the first order on, which waits for it (limits.referencePriceWaitMs).',
      requiredWhen: 'always',
    }),
    referencePriceAgeMaxMs: whole(
      100,
      86_400_000,
      30_000,
      'Age at which a reference price is stale; a limit that needs it then refuses (103=3).',
    ),
    referencePriceWaitMs: whole(
      0,
      10_000,
      2_000,
      'Longest wait of an order, list or replacement in a market that has no reference price at all yet, while the gateway asks the exchange for its tick; later ones of the session wait behind it, so that their order is kept. A cancel is taken at once. Without a price it is refused then (103=3), and others in that market at once, for 30 s. 0 refuses at once.',
    ),
    referencePriceQueueMax: whole(
      1,
      10_000,
      100,
      'Most messages of the session that wait so at once, those behind them included; more are refused (103=3) and may be sent again.',
    ),
    ordersPerSecondMax: whole(
      0,
      10_000,
      0,
      'Most orders and replacements that go to the exchange in any second; more are refused with the wait in Text(58). 0 for any number.',
    ),
  },
  {
    ...CLOSED,
    description:
      'Risk limits, checked before the exchange hears of an order or of its new terms (rule O12); an amendment that only makes an order smaller is not refused for them.',
    requiredWhen: '`kind` is `order`',
  },
);

const CancelOnDisconnect = Type.Object(
  {
    on: choice(
      ['off', 'logout', 'disconnect', 'both'],
      'When the open orders of the session are cancelled (rule C1).',
      'both',
    ),
    scope: choice(
      ['session', 'symbols', 'account'],
      "Whose orders: this session's own, those of them on `symbols`, or its own and those of every session here on its accounts.",
      'session',
    ),
    symbols: Type.Array(text('^[\\x21-\\x7e]{1,64}$', 'A symbol.'), {
      maxItems: 10_000,
      uniqueItems: true,
      default: [],
      description: "For scope `symbols`: the exchange's names of them.",
    }),
    graceMs: whole(0, HOUR_MS, 0, 'Time for a reconnect to keep its orders.'),
    deadMansSwitchS: Type.Unsafe<0 | 5 | 10 | 15 | 20 | 25 | 30 | 40 | 50 | 60>({
      type: 'integer',
      minimum: 0,
      maximum: 60,
      default: 0,
      description:
        'Seconds after which the exchange cancels all limit orders of the accounts (a market-on-close order has no limit and stays) unless this gateway says that it lives: 5, 10, 15, 20, 25, 30, 40, 50 or 60; 0 for never. Only with scope `account`, on accounts of `exclusiveAccounts` (rule C2). Of several sessions on an account the shortest counts. Taken out of the settings, it is taken back at the exchange, by the next start of a gateway that was killed too.',
    }),
    deadMansSwitchAtShutdown: choice(
      ['unset', 'letFire'],
      'Effect of a clean shutdown on it: take it back, or let the exchange cancel. While orders stay open that could not be cancelled it is not taken back, and the log says so. Of several sessions on an account one `letFire` is enough.',
      'unset',
    ),
  },
  { ...CLOSED, default: {}, description: 'Cancel on disconnect.' },
);

/** One session file laid over `defaults.yaml`. */
export const SessionFileSchema = Type.Object(
  {
    enabled: yesNo(true, 'Whether the session may log on.'),
    kind: SessionKind,
    dropCopy: DropCopy,
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
      text(
        COMP_ID,
        'Our SubID, where it identifies the session: sent in 50, demanded in 57 of session messages.',
        AS_ID,
      ),
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
    template: yesNo(
      false,
      'No session but a pattern of sessions: `"*"` as `targetCompID` is any counterparty, and each that logs on gets a session of its own.',
    ),
    templateSessionsMax: whole(1, 10_000, 100, 'Most sessions made from a template.'),
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
    listeners: Type.Array(text(NAME, 'Name of a listener.'), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'Listeners that take this session; empty for all.',
    }),
    environment: choice(
      ['test', 'production', 'any'],
      'TestMessageIndicator(464): `test` refuses its absence, `production` refuses Y, `any` takes both (rule S8).',
      'any',
    ),
    dialect: choice(
      ['standard', 'venue'],
      "`standard`: only the version's own dictionary; `venue`: the exchange's own FIX, in FIX.4.4 and FIXT.1.1 (rule D1).",
      'standard',
    ),
    durability: choice(
      ['disk', 'process'],
      '`disk` survives power loss, `process` only the death of this process; a disk that stands still stops this process then.',
      'disk',
    ),
    schedule: ScheduleSchema,
    heartBtIntS: whole(1, 3600, 30, 'HeartBtInt(108) of this session, in seconds.'),
    heartBtIntMinS: whole(1, 3600, 5, 'Smallest HeartBtInt accepted (rule S6).'),
    heartBtIntMaxS: whole(1, 3600, 120, 'Largest HeartBtInt accepted.'),
    heartBtIntZeroAllowed: yesNo(false, 'Whether 108=0 (no heartbeats) is accepted.'),
    heartBtIntFromAcceptor: yesNo(
      false,
      'Of an initiator: take another HeartBtInt than ours in the acceptor’s Logon, within these limits; `false`: it ends the connection.',
    ),
    testRequestAfter: ratio(1, 10, 1.2, 'Silence before our TestRequest, in HeartBtInts.'),
    lostAfter: ratio(1, 20, 2.4, 'Silence before the counterparty is declared lost, in HeartBtInts.'),
    sendingTimeAccuracyS: whole(
      0,
      86_400,
      120,
      'Largest difference of SendingTime(52) from our clock; 0 for no check.',
    ),
    logonTimeoutMs: whole(100, 600_000, 10_000, 'Time for a logon to complete.'),
    logoutTimeoutMs: whole(
      100,
      600_000,
      5000,
      'Time for the answer to our Logout; before it for the end of a resend, in whose middle none is said.',
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
          'Send reports not proven received again, with PossResend(97)=Y, after a reset (rule S2). Reports that come about meanwhile follow them. `false`: only those that never left, without 97. `true` if absent, on an order session of dialect `venue` `false`.',
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
    seqNumMax: whole(1000, 2_147_483_647, 100_000_000, 'Cap on either sequence number.'),
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
        'Further tags whose values are secret, such as `[5001]`, beside Password(554), NewPassword(925), RawData(96), 1402 and 1404: masked wherever a message is shown.',
    }),
    timestampPrecision: Type.Optional(
      choice(
        TIME_PRECISIONS,
        'Precision of SendingTime(52), OrigSendingTime(122) and TransactTime(60) that we send; milliseconds if absent. FIX before 5.0SP2 knows no finer times: agree on them. The exchange tells milliseconds, so that TransactTime ends in zeros.',
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
      'Where reading goes on behind a message whose BodyLength(9) leads to no CheckSum(10): at the next BeginString(8), or behind the first CheckSum(10) that follows the place where BodyLength leads; a message that it leads into is ignored with it then.',
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
    messageRate: MessageRateSchema,
    accounts: Type.Array(AccountEntry, {
      minItems: 1,
      maxItems: 1000,
      description: 'The accounts that this session may trade (rule O7), or copies (rule S9).',
      requiredWhen: 'always',
    }),
    symbols: Type.Optional(
      Type.Array(text('^[A-Za-z0-9._-]{1,64}$', "A symbol, the exchange's name."), {
        minItems: 1,
        maxItems: 10_000,
        uniqueItems: true,
        description: "Symbols that this session may trade, or copies, by the exchange's names; all if absent.",
      }),
    ),
    symbolAliases: Type.Record(
      Type.String({ pattern: '^[\\x21-\\x7e]{1,64}$' }),
      text('^[A-Za-z0-9._-]{1,64}$', "The exchange's name."),
      {
        additionalProperties: false,
        default: {},
        description:
          "The OMS's name for a symbol → the exchange's name (rule O8); of several for one symbol the first is what we call it, where no order says another.",
      },
    ),
    limits: Type.Optional(Limits),
    cancelOnDisconnect: CancelOnDisconnect,
    staleOrderMs: whole(0, 86_400_000, 10_000, 'Oldest order taken when it comes as PossDup or PossResend (rule O4).'),
    pendingNewAfterMs: whole(
      0,
      600_000,
      1000,
      'Pending New (150=A) is reported when an outcome stays open this long; 0 always (rule D6).',
    ),
    timeInForceAbsent: choice(['GTC', 'refuse'], 'Meaning of an order without TimeInForce(59) (rule T1).', 'GTC'),
    gtxAliases: Type.Array(Type.Unsafe<'7' | '9' | 'B'>({ type: 'string', enum: ['7', '9', 'B'], kind: 'quoted' }), {
      maxItems: 3,
      uniqueItems: true,
      default: [],
      description:
        'TimeInForce(59) values besides 5 that mean GTX here; only "7", "9" and "B" may (rule T2). FIX.4.2 has none of them, FIX.4.4 only "7", unless your own dictionary does: there they are refused by Reject(3).',
    }),
    exDestinations: Type.Array(text('^[\\x21-\\x7e]{1,64}$', 'A name.'), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description:
        'ExDestination(100) values that name this exchange; an order with another one is refused (rule D13).',
    }),
    lockdownCxlRejReason: Type.Unsafe<'99' | '0'>({
      type: 'string',
      enum: ['99', '0'],
      kind: 'quoted',
      default: '99',
      description: 'CxlRejReason(102) of a cancel refused in lockdown (rule T4).',
    }),
    reach: choice(
      ['session', 'accounts'],
      'Whose orders F, H, q and AF reach: those of this session, or also those that other sessions entered on its `accounts` and `symbols`, found by OrderID(37). They can be cancelled and asked for, not replaced (rule O7).',
      'session',
    ),
    statusFrom: choice(
      ['book', 'exchange'],
      "Source of the answers to OrderStatusRequest(H) and OrderMassStatusRequest(AF): the gateway's book at once, or the exchange, which is asked about each open order first (up to 100 of them; rule D15). Where it could not be asked, or does not find an order that it took, Text(58) says so.",
      'book',
    ),
    replaceByCancelAndNew: yesNo(
      false,
      'Carry out a G that the exchange cannot amend as a cancel and a new order: the place in the book is lost (rule O6).',
    ),
    marketData: MarketDataSchema,
    clOrdIDPassThrough: yesNo(false, 'Use an integer ClOrdID(11) unchanged as the exchange reference (rule O5).'),
  },
  CLOSED,
);

export type SessionSettings = Static<typeof SessionFileSchema>;

/** Keys of a session file that `defaults.yaml` must not hold: they tell sessions apart or entitle them. */
export const NOT_IN_DEFAULTS = [
  'targetCompID',
  'targetSubID',
  'targetLocationID',
  'template',
  'username',
  'password',
  'connect',
  'accounts',
] as const;
