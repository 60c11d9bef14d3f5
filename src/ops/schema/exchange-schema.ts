// The `exchange` group of gateway.yaml: the exchange's address, dialect and limits, and the logins to it.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, NAME, passphrase, quoted, secret, text, whole, yesNo } from '../../base/schema-node.ts';

const Credential = Type.Object(
  {
    name: text(NAME, 'Name of the exchange login; accounts of a session refer to it.', { requiredWhen: 'always' }),
    key: secret(
      'API key: a JSON text `{"kind":"hmac","publicKey","secret"}` or `{"kind":"ecdsa","publicKey","privateKey","metadata"}`; with `signer` in place of `privateKey` the private key stays outside the gateway.',
      { requiredWhen: 'always' },
    ),
    tradingAccounts: Type.Array(quoted('^[0-9]{1,20}$', 'A trading account id.'), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'Trading account ids that this login may use, in quotes.',
      requiredWhen: 'always',
    }),
    exclusiveAccounts: Type.Array(quoted('^[0-9]{1,20}$', 'A trading account id.'), {
      maxItems: 1000,
      uniqueItems: true,
      default: [],
      description:
        'Those of them that only this gateway trades: one command may cancel everything there (rules C2, C3).',
    }),
  },
  CLOSED,
);

const ExchangeTls = Type.Object(
  {
    certificate: Type.Optional(
      secret('Client certificate shown to the exchange, PEM with intermediates.', {
        requiredWhen: '`exchange.tls.key` is set',
      }),
    ),
    key: Type.Optional(secret('Its private key, PEM.', { requiredWhen: '`exchange.tls.certificate` is set' })),
    passphrase: Type.Optional(passphrase()),
    authority: Type.Optional(
      secret("Authorities that sign the exchange's certificate, PEM, in place of the system's."),
    ),
  },
  {
    ...CLOSED,
    description: 'TLS to the exchange, for requests and streams. Another file counts from the next start on.',
  },
);

/** The `exchange` group of gateway.yaml. */
export const Exchange = Type.Object(
  {
    baseUrl: Type.Optional(
      text(
        '^https?://[A-Za-z0-9_.:\\[\\]-]+$',
        'Where the exchange is: `https://host` or `https://host:port`, without a path. It is connected to directly: HTTPS_PROXY and the like are not used.',
        {
          requiredWhen: '`simulator.embedded` is false',
        },
      ),
    ),
    environment: Type.Optional(
      choice(
        ['simulator', 'test', 'production'],
        'The exchange behind `baseUrl`: a simulated one in its own process, a test venue, or real money.',
        undefined,
        { requiredWhen: '`simulator.embedded` is false' },
      ),
    ),
    tls: Type.Optional(ExchangeTls),
    dialect: choice(['v2', 'v3'], 'Command dialect: `v2` (envelope) or `v3` (flat).', 'v2'),
    prehash: choice(
      ['hexdigest', 'none'],
      'Input of an ECDSA signature: the hex digest of the string, or the string itself.',
      'hexdigest',
    ),
    nonceMode: choice(
      ['window', 'serial'],
      '`window`: commands overlap. `serial`: one command at a time per login, in order, for all its accounts. Behind a command without an answer, orders wait 1.5 seconds and are then refused; cancels pass it after one second.',
      'window',
    ),
    requestTimeoutMs: whole(100, 120_000, 5000, 'Time for an answer; after it the outcome of a command is unknown.'),
    heartbeatTimeoutMs: whole(
      1000,
      600_000,
      75_000,
      'A private stream without any frame for this long, not even a heartbeat, raises an alarm and is reopened.',
    ),
    clockOffsetMaxMs: whole(
      1,
      3_600_000,
      1000,
      "Alarm when our clock and the exchange's differ by more; signed requests then carry the exchange's time.",
    ),
    clockCheckMs: whole(1000, 86_400_000, 60_000, 'How often the two clocks are compared.'),
    nonceAuthenticated: yesNo(
      true,
      'Ask for the nonce range with the login; `false` where the exchange has it public.',
    ),
    loginUserId: choice(
      ['both', 'payload'],
      'Where an ECDSA login names its user: in the body and the signed string, or only in the signed string.',
      'both',
    ),
    cancelPath: text('^/trading-api/[A-Za-z0-9/_-]{1,100}$', 'Where `V2CancelOrder` goes in dialect `v2`.', {
      default: '/trading-api/v2/command',
    }),
    referrer: Type.Optional(
      quoted('^[0-9]{1,20}$', 'Number of the broker, sent as BX-REFERRER with orders and negotiated trades.'),
    ),
    rateLimitToken: yesNo(
      false,
      "Send each trading account's BX-RATELIMIT-TOKEN, as the exchange lists it, for a higher tier; set `rates` to that tier.",
    ),
    rates: Type.Object(
      {
        ordersPerSecond: whole(1, 1_000_000, 50, 'New orders per second that the exchange takes from one login.'),
        otherPerSecond: whole(1, 1_000_000, 50, 'Other requests per second, cancels among them, from one login.'),
        publicPerSecond: whole(1, 1_000_000, 50, 'Requests per second without a login, from one address.'),
        addressPer10Seconds: whole(
          10,
          10_000_000,
          500,
          'Requests in ten seconds from one address; above it the exchange blocks the address.',
        ),
        custodyPerMinute: whole(1, 1_000_000, 40, 'Custody requests in a minute from one address.'),
      },
      { ...CLOSED, default: {}, description: "The exchange's limits; higher for an account with a better tier." },
    ),
    credentials: Type.Array(Credential, {
      minItems: 1,
      maxItems: 100,
      description: 'The exchange logins.',
      requiredWhen: 'always',
    }),
  },
  { ...CLOSED, description: 'The exchange and the logins to it.', requiredWhen: 'always' },
);
