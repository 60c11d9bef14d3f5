// The schema of gateway.yaml: type, default, when it is required and meaning of every key. One source for validation,
// for the type below and for docs/reference/settings. cross-checks.ts has checks over several keys.

import { type Static, Type } from '../../base/schema.ts';
import {
  CLOSED,
  choice,
  decimal,
  HOUR_MS,
  NAME,
  path,
  quoted,
  secret,
  text,
  whole,
  yesNo,
} from '../../base/schema-node.ts';
import { AdminTls, BridgeTls, ListenerTls, networks, SEGMENT_BYTES_MAX } from '../../engine/mod.ts';
import { BRIDGE_FUNCTIONS, type BridgeFunction } from '../../runtime/mod.ts';
import { AdminUserSchema, TwoPeopleSchema } from './admin-user-schema.ts';
import { AlarmsSchema } from './alarms-schema.ts';
import { ClusterSchema } from './cluster-schema.ts';
import { Exchange } from './exchange-schema.ts';

/** Everything a caller of the bridge may be permitted. */
const BRIDGE_FUNCTION_NAMES = Object.keys(BRIDGE_FUNCTIONS) as BridgeFunction[];

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
/** A name, IPv6, or four numbers that are an IPv4 address. */
const HOST = `^(?![0-9.]+$)[A-Za-z0-9_.:-]{1,255}$|^(${BYTE}\\.){3}${BYTE}$`;
const MEGABYTE = 1_048_576;

const hostNames = (what: string) =>
  Type.Array(text('^(\\*\\.)?[A-Za-z0-9_.-]{1,255}$', 'A name, or `*.` and a domain for every name below it.'), {
    maxItems: 100,
    default: [],
    description: `Names under which the ${what} may be reached. A request is refused (421) if its Host is neither a listed name, an address in numbers, \`host\` nor \`localhost\`. This keeps out the pages of strangers that reach this address by DNS rebinding. \`/healthz\` and \`/readyz\` are exempt.`,
  });

const Listener = Type.Object(
  {
    name: text(NAME, 'Name of the listener; sessions refer to it.', { requiredWhen: 'always' }),
    host: text(HOST, 'Address to listen on; `0.0.0.0` for all of IPv4.', { default: '127.0.0.1' }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'TCP port; 0 for any free one.',
      requiredWhen: 'always',
    }),
    tls: Type.Optional(ListenerTls),
    allowFrom: networks('Networks with accepted connections; empty for all.'),
    proxyFrom: networks(
      'Networks of load balancers. Their connections begin with a PROXY header (version 1 or 2) that names the client.',
    ),
  },
  CLOSED,
);

const ConnectionLimits = Type.Object(
  {
    frameBytesMax: whole(
      1024,
      MEGABYTE,
      65_536,
      'Longest FIX message accepted, in bytes; a longer one ends the connection (alarm `message-over-limit`).',
    ),
    fieldsMax: whole(
      32,
      65_536,
      2048,
      'Most fields in one FIX message; one with more ends the connection (alarm `message-over-limit`).',
    ),
    connectionsMax: whole(
      1,
      20_000,
      1000,
      'Most FIX connections at a time, of each listener. At the limit the oldest connection without a Logon is closed for a new one. The address with most of them, and without a session that logged on, comes first.',
    ),
    connectionsPerAddressMax: whole(
      1,
      20_000,
      50,
      'Most FIX connections from one address (of IPv6 a whole /64) at a time, of each listener. A firm that shares one address needs as many as it has sessions. At the limit the oldest connection without a Logon is closed for a new one.',
    ),
    logonTimeoutMs: whole(100, 600_000, 10_000, 'Time for the Logon to arrive on a new connection.'),
    crowdedLogonTimeoutMs: whole(
      100,
      600_000,
      2000,
      'Time for the TLS handshake and the Logon to arrive in full while more than half of `connectionsMax` are open; the wait for our turn in the handshake does not count.',
    ),
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
      'Failed logons from one address (of IPv6 a whole /64) within a minute before it is refused for a minute. A session that has logged on from there has a count of its own, and a session that has not failed there yet has one try. So one engine with a wrong password does not keep out its neighbours. If as many Logons named no session, all are refused.',
    ),
  },
  { ...CLOSED, default: {}, description: 'Limits of a connection.' },
);

const Simulator = Type.Object(
  {
    embedded: yesNo(false, 'Run the simulated exchange inside this process and trade there.'),
    host: text(HOST, 'Address its REST and WebSocket faces listen on.', { default: '127.0.0.1' }),
    port: whole(0, 65_535, 8480, 'Its port; 0 for any free one.'),
    seed: whole(0, 2_147_483_647, 1, 'Seed of everything random in it.'),
    liquidity: choice(
      ['off', 'still', 'moving'],
      'Liquidity of its books: none, a standing ladder, or a seeded random walk.',
      'still',
    ),
    follows: choice(
      ['document', 'clients'],
      'Authority where the document and the public client libraries of the exchange disagree.',
      'document',
    ),
    memory: yesNo(true, 'Keep its books below `state` over restarts; otherwise it forgets every order.'),
    world: Type.Optional(
      path('World file: assets, markets, users and accounts of your own; the built-in ones if absent.'),
    ),
    faults: Type.Optional(path('Fault file: faults on purpose from the start.')),
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

const AccountLimits = Type.Object(
  {
    tradingAccount: quoted('^[0-9]{1,20}$', 'Trading account id, in quotes.', { requiredWhen: 'always' }),
    orderQtyMax: Type.Optional(decimal('Largest OrderQty(38) of one order.')),
    notionalMax: Type.Optional(
      decimal('Largest OrderQty × Price of one order, in quote currency, as limits.notionalMax of a session.'),
    ),
    openOrdersMax: Type.Optional(whole(1, 1_000_000, undefined, 'Most open orders of all sessions together.')),
    priceBandPercent: Type.Optional(
      decimal('Largest distance of Price(44) from the reference price, in percent, in quotes.'),
    ),
    referencePriceAgeMaxMs: whole(100, 86_400_000, 30_000, 'Age at which a reference price is stale.'),
    ordersPerSecondMax: whole(0, 10_000, 0, 'Most orders and replacements in any second; 0 for any number.'),
  },
  CLOSED,
);

const Orders = Type.Object(
  {
    referenceFirst: quoted(
      '^[1-9][0-9]{0,18}$',
      'First number that the gateway may allocate as exchange reference of an order (rule O5). In a range of 10^13 numbers or more, each start continues at a number that follows the clock. So a new journal, or an older copy, never repeats the number of an earlier order. A smaller range cannot promise that.',
      {
        default: '90000000000000000',
      },
    ),
    referenceLast: quoted('^[1-9][0-9]{0,18}$', 'Last such number.', { default: '99999999999999999' }),
    terminalWaitMs: whole(
      0,
      600_000,
      5000,
      "Wait for trades missing from an ended order before its end is reported all the same, and for the exchange's word on a fill of more than the order has left (rule O1).",
    ),
    lookupFirstMs: whole(10, HOUR_MS, 250, 'First pause before an order of unknown outcome is looked up (rule U2).'),
    lookupLargestMs: whole(10, HOUR_MS, 10_000, 'Largest pause between look-ups.'),
    lookupAlarmAfter: whole(1, 1000, 5, 'Look-ups without an answer before an alarm.'),
    pendingAlarmMs: whole(100, HOUR_MS, 10_000, 'Alarm when an order is pending longer than this.'),
    accountLimits: Type.Array(AccountLimits, {
      maxItems: 1000,
      default: [],
      description:
        'Risk limits of trading accounts, whichever sessions trade them, besides the limits of each session (rule O12).',
    }),
  },
  { ...CLOSED, default: {}, description: 'Order handling common to all sessions.' },
);

const Admin = Type.Object(
  {
    enabled: yesNo(true, 'Serve admin API, metrics and console.'),
    host: text(HOST, 'Address they listen on. Beyond this machine, or its container, only with `tls`.', {
      default: '127.0.0.1',
    }),
    port: whole(0, 65_535, 8470, 'Their port; 0 for any free one.'),
    tls: Type.Optional(AdminTls),
    hosts: hostNames('admin API and console'),
    console: Type.Enum(['actions', 'read-only'], {
      default: 'actions',
      description:
        'Whether the console offers actions, to users with the role for them. With `read-only` it shows, and every action is a command.',
    }),
    sharedToken: yesNo(
      true,
      'Take the shared token of `secrets/admin.token` too. With `false` it is neither accepted nor made. Commands then need the token of a user (`--token-file`), and one user needs the role `operate`.',
    ),
    users: Type.Array(AdminUserSchema, {
      maxItems: 100,
      default: [],
      description: 'People with a token of their own. Two of them are needed to lift a kill switch (rule O12).',
    }),
    twoPeople: TwoPeopleSchema,
    sessionFiles: yesNo(
      true,
      'Let users with role `operate` write session files through the admin API, as the console does. With `false` files change only where they lie.',
    ),
    prometheus: Type.Optional(
      Type.Object(
        {
          url: text('^https?://[^\\s?#@]{1,500}$', 'Base address of its API: `http://127.0.0.1:9090`.', {
            requiredWhen: 'always',
          }),
          match: text(
            '^[^{}\\x00-\\x1f\\x7f-\\x9f]{0,500}$',
            'Label matchers that name this gateway, where Prometheus scrapes several: `instance="gateway-1:8470"`.',
            { default: '' },
          ),
        },
        {
          ...CLOSED,
          description: 'The Prometheus that scrapes this gateway: plots of more than an hour come from it.',
        },
      ),
    ),
  },
  { ...CLOSED, default: {}, description: 'Admin API, metrics and console, by a token from the state folder.' },
);

const BridgeCallerSchema = Type.Object(
  {
    name: text(NAME, 'Name of the caller, for audit and log.', { requiredWhen: 'always' }),
    token: secret('Its bearer token, by reference: 24 characters or more.', { requiredWhen: 'always' }),
    credential: Type.Optional(
      text(NAME, 'Exchange login that its calls use.', { requiredWhen: 'several credentials are configured' }),
    ),
    tradingAccounts: Type.Array(quoted('^[0-9]{1,20}$', 'A trading account id.'), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'Trading account ids that it may name, in quotes; others are refused.',
      requiredWhen: 'always',
    }),
    functions: Type.Array(choice(BRIDGE_FUNCTION_NAMES, 'A function.'), {
      minItems: 1,
      uniqueItems: true,
      description: 'Its permissions; each is explained below.',
      requiredWhen: 'always',
    }),
    signedCommands: choice(
      ['refuse', 'signAnew'],
      'Commands that its client signed for the exchange (BX- headers). `refuse`: none is taken. `signAnew`: the gateway drops nonce and signature and adds its own, for clients such as ccxt that cannot leave them out.',
      'refuse',
    ),
  },
  CLOSED,
);

const RestOrders = Type.Object(
  {
    tradingAccount: quoted('^[0-9]{1,20}$', 'A trading account id, in quotes.', { requiredWhen: 'always' }),
    orderQtyMax: decimal('Largest quantity of one order.', { requiredWhen: 'always' }),
    notionalMax: decimal('Largest quantity × price of one order, in quote currency.', { requiredWhen: 'always' }),
    openOrdersMax: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Most open orders that were entered by REST.',
      requiredWhen: 'always',
    }),
    priceBandPercent: Type.String({
      pattern: '^(off|[0-9]{1,4}(\\.[0-9]{1,6})?)$',
      kind: 'decimal',
      description: 'Largest distance of the price from the reference price, in percent, in quotes; `off` for no band.',
      requiredWhen: 'always',
    }),
    referencePriceAgeMaxMs: whole(100, 86_400_000, 30_000, 'Age at which a reference price is stale.'),
    ordersPerSecondMax: whole(1, 100_000, 20, 'Most orders in any second.'),
  },
  CLOSED,
);

const BridgeSchema = Type.Object(
  {
    enabled: yesNo(false, 'Serve the bridge.'),
    host: text(HOST, 'Address it listens on. Beyond this machine only with `tls`, or behind a proxy with TLS.', {
      default: '127.0.0.1',
    }),
    port: whole(0, 65_535, 8460, 'Its port; 0 for any free one.'),
    tls: Type.Optional(BridgeTls),
    hosts: hostNames('bridge'),
    origins: Type.Array(text('^https?://[A-Za-z0-9.:[\\]-]{1,300}$', 'An origin: `https://desk.example.com`.'), {
      maxItems: 100,
      default: [],
      description:
        "Origins of pages that may open streams with the cookie of a browser, besides the bridge's own. A token in `Authorization` needs none.",
    }),
    callers: Type.Array(BridgeCallerSchema, {
      maxItems: 100,
      default: [],
      description: 'Callers and their permissions.',
    }),
    orders: Type.Array(RestOrders, {
      maxItems: 1000,
      default: [],
      description:
        'Trading accounts that take orders by REST, of callers with the function `order-write`. Each order passes the registry and the limits here, besides those of `orders.accountLimits` (rule O12). None by default.',
    }),
    limits: Type.Object(
      {
        bodyBytesMax: whole(1024, 16 * MEGABYTE, MEGABYTE, 'Longest request body, in bytes.'),
        requestArrivalMs: whole(100, 600_000, 15_000, 'Time for a request to arrive whole.'),
        connectionsMax: whole(
          1,
          20_000,
          500,
          'Most connections at a time. At the limit the oldest connection without a token is closed for a new one. The address (of IPv6 a whole /64) with most of them, and without any token so far, comes first. If all have shown a token, the longest idle one is closed.',
        ),
        requestsPerCallerMax: whole(1, 10_000, 32, 'Most requests of one caller at a time.'),
        streamsPerCallerMax: whole(1, 10_000, 10, 'Most open streams of one caller.'),
        newStreamsPerMinute: whole(1, 100_000, 120, 'Most streams that one caller opens in any minute.'),
        negotiatedPerMinute: whole(
          1,
          100_000,
          60,
          'Most negotiated trades entered or approved for one trading account in any minute.',
        ),
        streamBytesMax: whole(
          65_536,
          1_073_741_824,
          4 * MEGABYTE,
          'Bytes waiting for a slow listener, besides the snapshots of its subscriptions, before it is dropped.',
        ),
      },
      { ...CLOSED, default: {}, description: 'Limits of a caller.' },
    ),
  },
  { ...CLOSED, default: {}, description: 'REST and streams for functions outside FIX.' },
);

const Files = Type.Object(
  {
    groupWritable: choice(
      ['warn', 'refuse'],
      "The gateway's reaction to a configuration file, state folder, secret or folder above them that its group may change. The group of a user alone, with the number of that user, does not count.",
      'warn',
    ),
    parents: choice(
      ['refuse', 'warn'],
      'Its reaction to a folder above them that every user may change and that is not sticky. `warn` is for a container with a volume of such a mode, such as an `emptyDir`. The files and folders themselves are refused always.',
      'refuse',
    ),
  },
  { ...CLOSED, default: {}, description: 'Modes of files, as StrictModes of sshd.' },
);

/** `gateway.yaml`: settings of the process and not of one session. */
export const GatewayFileSchema = Type.Object(
  {
    state: path(
      'Folder of the journal and of generated secrets; relative to the working directory. Keep it outside version control.',
      {
        default: '.crossgate',
      },
    ),
    applySaved: yesNo(
      true,
      'Apply saved files by themselves. If not, they count with `crossgate config apply` only, renewed certificates and tokens too: `crossgate config diff` shows the difference before.',
    ),
    dictionaries: Type.Optional(
      path(
        'Folder of the data dictionaries, relative to the working directory; those delivered with the program if absent.',
      ),
    ),
    journal: Type.Object(
      {
        segmentBytes: whole(
          MEGABYTE,
          SEGMENT_BYTES_MAX,
          64 * MEGABYTE,
          'Size of one journal file, reserved in advance.',
        ),
        snapshotBytes: whole(
          MEGABYTE,
          4096 * MEGABYTE,
          128 * MEGABYTE,
          'Finished journal files of this size together are followed by a snapshot: a start reads about that much. PostgreSQL needs none.',
        ),
        retentionYears: whole(
          0,
          100,
          5,
          'Years for which archived journal files, or rows in PostgreSQL, are kept; 0 keeps them for ever. Of the time between two of them 31 days count at most: a clock that is years ahead deletes none.',
        ),
        dailyFiles: choice(
          ['on', 'off'],
          'Write the orders and trades of each session when a day (UTC) is over, as `crossgate store daily` does.',
          'on',
        ),
        dailyFolder: path('Folder of the daily files, relative to the state directory.', {
          default: 'daily',
        }),
      },
      { ...CLOSED, default: {}, description: 'The journal: its files, and how long it is kept.' },
    ),
    files: Files,
    store: Type.Object(
      {
        kind: choice(
          ['embedded', 'postgres'],
          'Where the journal lies: in files of this node, or in PostgreSQL.',
          'embedded',
        ),
        url: Type.Optional(
          secret('`postgresql://user:password@host:port/database`, by reference.', {
            requiredWhen: '`kind` is `postgres`',
          }),
        ),
        journal: text(NAME, 'Name of the journal in the database: nodes that stand in for one another share it.', {
          default: 'crossgate',
        }),
        leaseMs: whole(
          1000,
          600_000,
          5000,
          'How long a node that was killed keeps the others out; one that cannot renew stops after three quarters of it. By default counterparties wait 5 s after a kill, and a pause of 3.7 s of database or network stops no node. Choose it longer than your database takes for a fail-over.',
        ),
        requestTimeoutMs: whole(100, 60_000, 2000, 'Longest wait for the database before a write counts as failed.'),
        standby: choice(
          ['refuse', 'wait'],
          "A node's reaction if another one writes the journal: end at once, or stand by until that one has stopped or was killed, and take over.",
          'refuse',
        ),
      },
      { ...CLOSED, default: {}, description: 'Store of the journal.' },
    ),
    workers: Type.Enum([1, 'auto'] as const, {
      default: 1,
      description:
        'Processes of the gateway. `1`: one process serves all sessions. `auto`: each partition runs in a process of its own, and this process owns the listening ports. `crossgate check` lists the partitions. With one partition only, `auto` is `1`.',
    }),
    cluster: Type.Optional(ClusterSchema),
    shutdownWaitMs: whole(0, 600_000, 5000, 'Longest wait at shutdown for outcomes in flight (rule U5).'),
    busyPollMicros: whole(
      0,
      1_000_000,
      500,
      'The gateway looks for the next message this long without sleeping while messages follow each other within this time. Answers come sooner. The gateway uses a whole processor during such traffic, and gives it up to other processes that want it. 0 for sleeping at once.',
    ),
    fix: Type.Object(
      {
        listen: Type.Array(Listener, {
          minItems: 1,
          maxItems: 100,
          description: 'The listening sockets for FIX.',
          requiredWhen: 'always',
        }),
        certificateAlarmDays: whole(
          0,
          3650,
          21,
          'Days before the end of a certificate from which it is alarmed, at the start, once a day and when it has ended; 0 for never.',
        ),
        limits: ConnectionLimits,
      },
      { ...CLOSED, description: 'The FIX side.', requiredWhen: 'always' },
    ),
    exchange: Exchange,
    simulator: Simulator,
    orders: Orders,
    bridge: BridgeSchema,
    admin: Admin,
    alarms: AlarmsSchema,
  },
  CLOSED,
);

export type GatewaySettings = Static<typeof GatewayFileSchema>;
