// The schema of a session file and of defaults.yaml: type, default, when it is required and meaning of every key. One
// source for validation, for the type below and for docs/reference/settings. The keys of the FIX session itself
// are those of engine/settings. Leaves what spans several keys or files to cross-checks.ts.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, decimal, HOUR_MS, NAME, quoted, text, whole, yesNo } from '../../base/schema-node.ts';
import { FIX_CREDENTIALS, FIX_PARTIES, FIX_PROTOCOL } from '../../engine/mod.ts';
import { AccountDataSchema } from './account-data-schema.ts';
import { Certificate, Certification } from './certification-schema.ts';
import { MarketDataSchema } from './market-data-schema.ts';
import { MessageRateSchema } from './message-rate-schema.ts';

const SessionKind = choice(
  ['order', 'dropCopy'],
  '`order` enters orders; `dropCopy` receives copies of those on its `accounts` and `symbols`, and enters none (rule S9).',
  'order',
);

const DropCopy = Type.Object(
  {
    sessions: Type.Array(text(NAME, 'Name of a session.'), {
      maxItems: 1000,
      uniqueItems: true,
      default: [],
      description:
        'Sessions with copied reports, by the names of their files, a template for all that are made from it; empty for all.',
    }),
    elsewhere: yesNo(
      true,
      "Report orders entered by REST or on the exchange's page, and negotiated (OTC) trades, too (rule O11).",
    ),
    negotiatedAs: choice(
      ['ExecutionReport', 'TradeCaptureReport'],
      'Message of a negotiated trade: ExecutionReport(8), or TradeCaptureReport(AE), which FIX.4.2 and `venue` lack.',
      'ExecutionReport',
    ),
  },
  { ...CLOSED, default: {}, description: 'For a drop copy session: the sessions that it copies.' },
);

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
      'Largest OrderQty × Price of one order, in quote currency, times the contract multiplier of the market. A market order, and a sell below the reference price, are valued at a fresh reference price. Without a fresh one, a sell counts at its own price, and a market order is refused.',
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
      'Longest wait of an order, list or replacement for the first reference price of its market, while the gateway asks the exchange. Later orders of the session wait behind it and keep their sequence; a cancel never waits. Without a price the order is then refused (103=3), and others in that market at once, for 30 s. 0 refuses at once.',
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
      "Orders that are cancelled: this session's own, those of them on `symbols`, or its own and those of every session here on its accounts.",
      'session',
    ),
    symbols: Type.Array(text('^[\\x21-\\x7e]{1,64}$', 'A symbol.'), {
      maxItems: 10_000,
      uniqueItems: true,
      default: [],
      description: "For scope `symbols`: the exchange's names of them.",
    }),
    graceMs: whole(0, HOUR_MS, 0, 'Time for a reconnect to keep its orders.'),
    logonMay: choice(
      ['nothing', 'switchOn', 'switchOnAndOff'],
      'Choice by CancelOnDisconnect(9001) in a Logon of the counterparty, which counts until its next Logon; our answer says what is in force. `switchOnAndOff` not with `deadMansSwitchS`.',
      'switchOn',
    ),
    deadMansSwitchS: Type.Unsafe<0 | 5 | 10 | 15 | 20 | 25 | 30 | 40 | 50 | 60>({
      type: 'integer',
      minimum: 0,
      maximum: 60,
      default: 0,
      description:
        'Seconds after which the exchange cancels all limit orders of the accounts unless this gateway reports itself alive: 5, 10, 15, 20, 25, 30, 40, 50 or 60; 0 for never. A market-on-close order has no limit and stays. Only with scope `account`, on accounts of `exclusiveAccounts` (rule C2). Of several sessions on an account the shortest counts. Taken out of the settings, it is taken back at the exchange, by the next start of a gateway that was killed too.',
    }),
    deadMansSwitchAtShutdown: choice(
      ['unset', 'letFire'],
      'Effect of a clean shutdown on it: take it back, or let the exchange cancel. While orders stay open that could not be cancelled it is not taken back, and the log says so. Of several sessions on an account one `letFire` is enough.',
      'unset',
    ),
  },
  { ...CLOSED, default: {}, description: 'Cancel on disconnect.' },
);

const { environment, ...PROTOCOL } = FIX_PROTOCOL;

/** One session file laid over `defaults.yaml`. */
export const SessionFileSchema = Type.Object(
  {
    enabled: yesNo(true, 'Whether the session may log on.'),
    kind: SessionKind,
    dropCopy: DropCopy,
    certification: Certification,
    certificate: Certificate,
    ...FIX_PARTIES,
    bridgeCaller: Type.Optional(
      text(
        NAME,
        'Caller of `bridge.callers` in gateway.yaml: BridgeRequest(UBQ) of this session has its permissions. None is taken if absent.',
      ),
    ),
    negotiatedPerMinute: whole(
      0,
      1_000,
      0,
      'Negotiated (OTC) trades that the session may enter or accept by TradeCaptureReport(AE) in any minute; cancels are not counted. 0: it takes no AE.',
    ),
    template: yesNo(
      false,
      'No session but a pattern of sessions: `"*"` as `targetCompID` is any counterparty, and each that logs on gets a session of its own.',
    ),
    templateSessionsMax: whole(1, 10_000, 100, 'Most sessions made from a template.'),
    ...FIX_CREDENTIALS,
    listeners: Type.Array(text(NAME, 'Name of a listener.'), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'Listeners that take this session; empty for all.',
    }),
    environment,
    dialect: choice(
      ['standard', 'venue'],
      "`standard`: only the version's own dictionary; `venue`: the exchange's own FIX, in FIX.4.4 and FIXT.1.1 (rule D1).",
      'standard',
    ),
    ...PROTOCOL,
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
      'Orders that F, H, q and AF reach: those of this session, or also those that other sessions entered on its `accounts` and `symbols`, found by OrderID(37). They can be cancelled and asked for, not replaced (rule O7).',
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
    accountData: AccountDataSchema,
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
  'certification',
  'certificate',
  'accounts',
] as const;
