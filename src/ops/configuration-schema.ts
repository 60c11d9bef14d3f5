// The schema of every configuration key: type, default, when it is required, what it means. One source for validation,
// for the types below and for the tables of sessions/README.md. Leaves what spans several keys to cross-checks.ts.

import { type Static, type TSchema, Type } from 'typebox';

/** What a text value is, beyond its JSON type: chooses the words of a problem and whether the value may be shown. */
export type ValueKind = 'secret' | 'decimal' | 'quoted';

/** Keywords of ours inside the schema, ignored by the validator. */
export const ANNOTATIONS = ['kind', 'requiredWhen', 'refusal'] as const;

const SECRET_PATTERN = '^(env:[A-Za-z_][A-Za-z0-9_]*|file:[^\\0]+)$';
const CLOSED = { additionalProperties: false } as const;

interface Notes {
  readonly requiredWhen?: string;
  /** What to say of a value that is not accepted, where the range alone does not explain it. */
  readonly refusal?: string;
}

const whole = (minimum: number, maximum: number, byDefault: number | undefined, description: string) =>
  Type.Integer({ minimum, maximum, description, ...(byDefault === undefined ? {} : { default: byDefault }) });

const ratio = (minimum: number, maximum: number, byDefault: number, description: string) =>
  Type.Number({ minimum, maximum, description, default: byDefault });

const yesNo = (byDefault: boolean, description: string) => Type.Boolean({ description, default: byDefault });

const text = (pattern: string, description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern, maxLength: 1024, description, ...extra });

/** Digits that are a name, not a number: refused unquoted, because YAML would read a number. */
const quoted = (pattern: string, description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern, maxLength: 64, description, kind: 'quoted', ...extra });

const decimal = (description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern: '^[0-9]{1,30}(\\.[0-9]{1,18})?$', description, kind: 'decimal', ...extra });

const secret = (description: string, extra: Notes = {}) =>
  Type.String({ pattern: SECRET_PATTERN, maxLength: 1024, description, kind: 'secret', ...extra });

function choice<const V extends string>(values: readonly V[], description: string, byDefault?: V, extra: Notes = {}) {
  const given = byDefault === undefined ? {} : { default: byDefault };
  return Type.Unsafe<V>({ type: 'string', enum: [...values], description, ...given, ...extra });
}

const NAME = '^[A-Za-z0-9_.-]{1,64}$';
const COMP_ID = '^[A-Za-z0-9_.:-]{1,64}$';
const HOST = '^[A-Za-z0-9_.:-]{1,255}$';
const PORT = [0, 65_535] as const;
const HOUR_MS = 3_600_000;
const MEGABYTE = 1_048_576;

const Tls = Type.Object(
  {
    certificate: secret('Certificate chain in PEM, by reference.', { requiredWhen: 'the listener has `tls`' }),
    key: secret('Private key in PEM, by reference.', { requiredWhen: 'the listener has `tls`' }),
    selfSigned: yesNo(
      false,
      'Create a self-signed pair at these `file:` paths if they are missing. Only with the embedded simulated exchange.',
    ),
    minVersion: choice(['TLSv1.2', 'TLSv1.3'], 'Oldest TLS version accepted.', 'TLSv1.2'),
  },
  { ...CLOSED, description: 'Makes the listener speak TLS.' },
);

const Listener = Type.Object(
  {
    name: text(NAME, 'Name of the listener; sessions refer to it.', { requiredWhen: 'always' }),
    host: text(HOST, 'Address to listen on; `0.0.0.0` for all of IPv4.', { default: '127.0.0.1' }),
    port: Type.Integer({
      minimum: PORT[0],
      maximum: PORT[1],
      description: 'TCP port; 0 for any free one.',
      requiredWhen: 'always',
    }),
    tls: Type.Optional(Tls),
  },
  CLOSED,
);

const ConnectionLimits = Type.Object(
  {
    frameBytesMax: whole(
      1024,
      MEGABYTE,
      65_536,
      'Longest FIX message accepted, in bytes; a longer one ends the connection.',
    ),
    fieldsMax: whole(32, 65_536, 2048, 'Most fields in one FIX message.'),
    connectionsMax: whole(1, 20_000, 1000, 'Most FIX connections at a time.'),
    connectionsPerAddressMax: whole(1, 20_000, 50, 'Most FIX connections from one address at a time.'),
    logonTimeoutMs: whole(100, 600_000, 10_000, 'Time for the Logon to arrive on a new connection.'),
    outboundBytesMax: whole(
      65_536,
      1_073_741_824,
      8_388_608,
      'Bytes waiting for a slow counterparty before its connection is dropped.',
    ),
    failedLogonsPerMinute: whole(
      1,
      10_000,
      10,
      'Failed logons from one address within a minute before it is refused for a minute.',
    ),
  },
  { ...CLOSED, default: {}, description: 'What a connection may cost.' },
);

const Credential = Type.Object(
  {
    name: text(NAME, 'Name of the exchange login; accounts of a session refer to it.', { requiredWhen: 'always' }),
    key: secret(
      'API key: a JSON text `{"kind":"hmac","publicKey","secret"}` or `{"kind":"ecdsa","publicKey","privateKey","metadata"}`.',
      { requiredWhen: 'always' },
    ),
    tradingAccounts: Type.Array(quoted('^[0-9]{1,20}$', 'A trading account id.'), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'Trading account ids that this login may use, in quotes.',
      requiredWhen: 'always',
    }),
  },
  CLOSED,
);

const Exchange = Type.Object(
  {
    baseUrl: Type.Optional(
      text(
        '^https?://[A-Za-z0-9_.:\\[\\]-]+$',
        'Where the exchange is: `https://host` or `https://host:port`, without a path.',
        {
          requiredWhen: '`simulator.embedded` is false',
        },
      ),
    ),
    environment: Type.Optional(
      choice(
        ['simulator', 'test', 'production'],
        'What stands behind `baseUrl`: a simulated exchange of its own process, a test venue, or real money.',
        undefined,
        { requiredWhen: '`simulator.embedded` is false' },
      ),
    ),
    dialect: choice(['v2', 'v3'], 'Command dialect: `v2` (envelope) or `v3` (flat).', 'v2'),
    prehash: choice(
      ['hexdigest', 'none'],
      'What an ECDSA key signs: the hex digest of the string, or the string itself.',
      'hexdigest',
    ),
    nonceMode: choice(
      ['window', 'serial'],
      '`window`: commands overlap; `serial`: one at a time per account, in order.',
      'window',
    ),
    requestTimeoutMs: whole(100, 120_000, 5000, 'Time for an answer; after it the outcome of a command is unknown.'),
    credentials: Type.Array(Credential, {
      minItems: 1,
      maxItems: 100,
      description: 'The exchange logins.',
      requiredWhen: 'always',
    }),
  },
  { ...CLOSED, description: 'The exchange and the logins to it.', requiredWhen: 'always' },
);

const Simulator = Type.Object(
  {
    embedded: yesNo(false, 'Run the simulated exchange inside this process and trade there.'),
    host: text(HOST, 'Address its REST and WebSocket faces listen on.', { default: '127.0.0.1' }),
    port: whole(0, 65_535, 8480, 'Its port; 0 for any free one.'),
    seed: whole(0, 2_147_483_647, 1, 'Seed of everything random in it.'),
    liquidity: choice(
      ['off', 'still', 'moving'],
      'What keeps its books alive: nothing, a standing ladder, or a seeded random walk.',
      'still',
    ),
    auctions: Type.Object(
      {
        coolingMs: whole(0, HOUR_MS, 2000, 'Time between two auctions.'),
        accumulationMs: whole(1, HOUR_MS, 8000, 'Time in which GTX orders may be entered and cancelled.'),
        lockdownMs: whole(1, HOUR_MS, 3000, 'Time in which they may no longer be cancelled, up to the cross.'),
      },
      { ...CLOSED, default: {}, description: 'The repeating auction of every auction-enabled symbol.' },
    ),
  },
  { ...CLOSED, default: {}, description: 'The simulated exchange.' },
);

const Orders = Type.Object(
  {
    referenceFirst: quoted(
      '^[1-9][0-9]{0,18}$',
      'First number that the gateway may allocate as exchange reference of an order (rule O5).',
      {
        default: '200000000000000000',
      },
    ),
    referenceLast: quoted('^[1-9][0-9]{0,18}$', 'Last such number.', { default: '8999999999999999999' }),
    terminalWaitMs: whole(
      0,
      600_000,
      5000,
      'Wait for trades missing from an ended order before its end is reported all the same (rule O1).',
    ),
    lookupFirstMs: whole(10, HOUR_MS, 250, 'First pause before an order of unknown outcome is looked up (rule U2).'),
    lookupLargestMs: whole(10, HOUR_MS, 10_000, 'Largest pause between look-ups.'),
    lookupAlarmAfter: whole(1, 1000, 5, 'Look-ups without an answer before an alarm.'),
    pendingAlarmMs: whole(100, HOUR_MS, 10_000, 'Alarm when an order is pending longer than this.'),
  },
  { ...CLOSED, default: {}, description: 'Order handling common to all sessions.' },
);

/** `gateway.yaml`: what belongs to the process and not to one session. */
export const GatewayFileSchema = Type.Object(
  {
    state: text(
      '^[^\\0]+$',
      'Folder of the journal and of generated secrets; relative to the working directory. Keep it outside version control.',
      {
        default: '.crossgate',
      },
    ),
    dictionaries: Type.Optional(
      text(
        '^[^\\0]+$',
        'Folder of the data dictionaries, relative to the working directory; those delivered with the program if absent.',
      ),
    ),
    journal: Type.Object(
      {
        segmentBytes: whole(MEGABYTE, 1024 * MEGABYTE, 64 * MEGABYTE, 'Size of one journal file, reserved in advance.'),
      },
      { ...CLOSED, default: {}, description: 'The embedded journal.' },
    ),
    shutdownWaitMs: whole(0, 600_000, 5000, 'Longest wait at shutdown for outcomes in flight (rule U5).'),
    fix: Type.Object(
      {
        listen: Type.Array(Listener, {
          minItems: 1,
          maxItems: 100,
          description: 'The listening sockets for FIX.',
          requiredWhen: 'always',
        }),
        limits: ConnectionLimits,
      },
      { ...CLOSED, description: 'The FIX side.', requiredWhen: 'always' },
    ),
    exchange: Exchange,
    simulator: Simulator,
    orders: Orders,
  },
  CLOSED,
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
      'Largest OrderQty × Price of one order, in quote currency; a market order is valued at the reference price.',
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
      description: 'Largest distance of Price(44) from the reference price, in percent, in quotes; `off` for no band.',
      requiredWhen: 'always',
    }),
    referencePriceAgeMaxMs: whole(
      100,
      86_400_000,
      30_000,
      'Age at which a reference price is stale; a limit that needs it then refuses (103=3).',
    ),
  },
  {
    ...CLOSED,
    description: 'Risk limits, checked before the exchange hears of an order (rule O12).',
    requiredWhen: 'always',
  },
);

const CancelOnDisconnect = Type.Object(
  {
    on: choice(
      ['off', 'logout', 'disconnect', 'both'],
      'When the open orders of the session are cancelled (rule C1).',
      'both',
    ),
    scope: choice(['session'], "Whose orders: only this session's own.", 'session', {
      refusal:
        "orders of other sessions and people on the account would be cancelled too: that needs the exchange's delayed " +
        'cancel-all on an account declared exclusive, which is not offered (rule C2)',
    }),
    graceMs: whole(0, HOUR_MS, 0, 'Time for a reconnect to keep its orders.'),
  },
  { ...CLOSED, default: {}, description: 'Cancel on disconnect.' },
);

/** One session file laid over `defaults.yaml`. */
export const SessionFileSchema = Type.Object(
  {
    enabled: yesNo(true, 'Whether the session may log on.'),
    beginString: choice(['FIX.4.4'], 'BeginString(8).', 'FIX.4.4'),
    senderCompID: text(COMP_ID, 'Our CompID: SenderCompID(49) of what we send.', { requiredWhen: 'always' }),
    targetCompID: text(COMP_ID, "The counterparty's CompID.", { requiredWhen: 'always' }),
    username: Type.Optional(text('^[\\x20-\\x7e]{1,64}$', 'Username(553) demanded at Logon; none if absent.')),
    password: secret('Password(554) demanded at Logon.', { requiredWhen: 'always' }),
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
      "`standard`: only the version's own dictionary; `venue`: the exchange's own FIX (rule D1).",
      'standard',
    ),
    durability: choice(
      ['disk', 'process'],
      '`disk` survives power loss, `process` only the death of this process.',
      'disk',
    ),
    heartBtIntS: whole(1, 3600, 30, 'HeartBtInt(108) of this session, in seconds.'),
    heartBtIntMinS: whole(1, 3600, 5, 'Smallest HeartBtInt accepted (rule S6).'),
    heartBtIntMaxS: whole(1, 3600, 120, 'Largest HeartBtInt accepted.'),
    heartBtIntZeroAllowed: yesNo(false, 'Whether 108=0 (no heartbeats) is accepted.'),
    testRequestAfter: ratio(1, 10, 1.2, 'Silence before our TestRequest, in HeartBtInts.'),
    lostAfter: ratio(1, 20, 2.4, 'Silence before the counterparty is declared lost, in HeartBtInts.'),
    sendingTimeAccuracyS: whole(
      0,
      86_400,
      120,
      'Largest difference of SendingTime(52) from our clock; 0 for no check.',
    ),
    logonTimeoutMs: whole(100, 600_000, 10_000, 'Time for a logon to complete.'),
    logoutTimeoutMs: whole(100, 600_000, 5000, 'Time for the answer to our Logout.'),
    logonText: Type.Optional(
      text(
        '^[\\x20-\\x7e]{1,200}$',
        'Text(58) of our Logon answer; on a simulated exchange the gateway says so if absent.',
      ),
    ),
    resetOnLogonAllowed: yesNo(true, 'Whether a Logon with ResetSeqNumFlag(141)=Y is taken.'),
    repeatUnprovenReports: yesNo(
      true,
      'Send reports not proven received again, with PossResend(97)=Y, after a reset (rule S2).',
    ),
    resendRequestChunk: whole(0, 1_000_000, 0, 'Most messages asked for in one ResendRequest; 0 for all.'),
    resendLoadChunk: whole(1, 10_000, 200, 'Messages read from the journal at a time when resending.'),
    gapQueueMax: whole(0, 100_000, 2000, 'Most inbound messages kept while a gap is being filled.'),
    seqNumMax: whole(1000, 2_147_483_647, 100_000_000, 'Cap on either sequence number.'),
    validateIncoming: yesNo(true, 'Validate inbound messages against the data dictionary.'),
    accounts: Type.Array(AccountEntry, {
      minItems: 1,
      maxItems: 1000,
      description: 'The accounts that this session may trade (rule O7).',
      requiredWhen: 'always',
    }),
    symbols: Type.Optional(
      Type.Array(text('^[A-Za-z0-9._-]{1,64}$', "A symbol, the exchange's name."), {
        minItems: 1,
        maxItems: 10_000,
        uniqueItems: true,
        description: "Symbols that this session may trade, by the exchange's names; all if absent.",
      }),
    ),
    symbolAliases: Type.Record(
      Type.String({ pattern: '^[\\x21-\\x7e]{1,64}$' }),
      text('^[A-Za-z0-9._-]{1,64}$', "The exchange's name."),
      {
        additionalProperties: false,
        default: {},
        description: "The OMS's name for a symbol → the exchange's name (rule O8).",
      },
    ),
    limits: Limits,
    cancelOnDisconnect: CancelOnDisconnect,
    staleOrderMs: whole(0, 86_400_000, 10_000, 'Oldest order taken when it comes as PossDup or PossResend (rule O4).'),
    pendingNewAfterMs: whole(
      0,
      600_000,
      1000,
      'Pending New (150=A) is reported when an outcome stays open this long; 0 always (rule D6).',
    ),
    timeInForceAbsent: choice(['GTC', 'refuse'], 'What an order without TimeInForce(59) is (rule T1).', 'GTC'),
    gtxAliases: Type.Array(Type.Unsafe<'7' | '9' | 'B'>({ type: 'string', enum: ['7', '9', 'B'], kind: 'quoted' }), {
      maxItems: 3,
      uniqueItems: true,
      default: [],
      description: 'TimeInForce(59) values besides 5 that mean GTX here; only "7", "9" and "B" may (rule T2).',
    }),
    lockdownCxlRejReason: Type.Unsafe<'99' | '0'>({
      type: 'string',
      enum: ['99', '0'],
      kind: 'quoted',
      default: '99',
      description: 'CxlRejReason(102) of a cancel refused in lockdown (rule T4).',
    }),
    clOrdIDPassThrough: yesNo(false, 'Use an integer ClOrdID(11) as the exchange reference as it is (rule O5).'),
  },
  CLOSED,
);

export type GatewaySettings = Static<typeof GatewayFileSchema>;
export type SessionSettings = Static<typeof SessionFileSchema>;

/** Keys of a session file that `defaults.yaml` must not hold: they tell sessions apart or entitle them. */
export const NOT_IN_DEFAULTS = ['targetCompID', 'username', 'password', 'accounts'] as const;

/** A schema node as plain JSON Schema with our annotations, for code that walks it. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly requiredWhen?: string;
  readonly refusal?: string;
  readonly kind?: ValueKind;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** View a typebox schema as its JSON Schema. */
export function schemaNode(schema: TSchema): SchemaNode {
  return schema as SchemaNode;
}
