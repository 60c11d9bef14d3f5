// The schema of how a session comes about: which side connects and where to, and how a Logon proves who sent it.
// ops/checks/cross-checks.ts checks their agreement.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, HOUR_MS, passphrase, secret, text, whole } from '../../base/schema-node.ts';

const PORT = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const HOST_AND_PORT = `^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_.-]{1,253}):${PORT}$`;
const DAY_MS = 24 * HOUR_MS;

/** Networks, none by default. */
export const networks = (description: string) =>
  Type.Array(text('^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$', 'A network, for example `10.1.0.0/16` or `2001:db8::/32`.'), {
    maxItems: 1000,
    uniqueItems: true,
    default: [],
    description,
  });

/** Of an initiator. */
export const ConnectTls = Type.Object(
  {
    authority: Type.Optional(secret('Certificates to trust instead of those of public authorities, PEM.')),
    certificate: Type.Optional(secret('Our own certificate, PEM, if the counterparty asks for one.')),
    key: Type.Optional(secret('Its private key, PEM.', { requiredWhen: '`certificate` is given' })),
    passphrase: Type.Optional(passphrase()),
    serverName: Type.Optional(
      text('^[A-Za-z0-9_.-]{1,253}$', "Name expected in the counterparty's certificate; the host if absent."),
    ),
    minVersion: choice(['TLSv1.2', 'TLSv1.3'], 'Oldest TLS version accepted.', 'TLSv1.2'),
  },
  { ...CLOSED, description: 'Makes the connection speak TLS.' },
);

const ConnectProxy = Type.Object(
  {
    kind: choice(['socks5', 'socks4', 'http'], 'SOCKS5, SOCKS4 (4a for names) or HTTP CONNECT.', undefined, {
      requiredWhen: 'always',
    }),
    address: text(HOST_AND_PORT, 'The proxy, `host:port`; IPv6 in brackets.', {
      form: 'write `host:port` with a port from 1 to 65535; IPv6 in brackets',
      requiredWhen: 'always',
    }),
    user: Type.Optional(text('^[\\x20-\\x7e]{1,255}$', 'Its user; of `socks4` the user id.')),
    password: Type.Optional(secret('The password of that user, by reference; `socks4` knows none.')),
  },
  {
    ...CLOSED,
    description: 'Connects through a proxy, which resolves the names in `addresses`. TLS is spoken through it.',
  },
);

/** Where an initiator connects. */
export const Connect = Type.Object(
  {
    addresses: Type.Array(
      text(HOST_AND_PORT, '`host:port`; IPv6 in brackets.', {
        form: 'write `host:port` with a port from 1 to 65535; IPv6 in brackets',
      }),
      {
        minItems: 1,
        maxItems: 16,
        description: 'Where to connect, `host:port` each; the next is tried when one fails.',
        requiredWhen: 'always',
      },
    ),
    tls: Type.Optional(ConnectTls),
    localAddress: Type.Optional(
      text('^[0-9A-Fa-f.:]{2,45}$', 'Address of this machine from which it connects, no name; any if absent.'),
    ),
    localPort: whole(0, 65_535, 0, 'Port on this side; 0 for any free one.'),
    proxy: Type.Optional(ConnectProxy),
    connectTimeoutMs: whole(
      100,
      600_000,
      10_000,
      'Time for the connection, the tunnel of a proxy and the TLS handshake together.',
    ),
    reconnectFirstMs: whole(100, HOUR_MS, 1000, 'First pause before connecting again; each is twice the one before.'),
    reconnectLargestMs: whole(100, HOUR_MS, 60_000, 'Largest such pause.'),
  },
  {
    ...CLOSED,
    description: 'Where an initiator connects, and how it tries again.',
    requiredWhen: '`role` is `initiator`',
  },
);

const Signature = Type.Object(
  {
    algorithm: choice(
      ['hmac-sha256', 'ed25519', 'ecdsa-p256'],
      'How RawData(96) of the Logon is signed; the page of Logon(A) has the signed text.',
      undefined,
      { requiredWhen: 'always' },
    ),
    key: secret("The shared secret; else in PEM the counterparty's public key, of an initiator our private key.", {
      requiredWhen: 'always',
    }),
    windowMs: whole(1000, 600_000, 10_000, 'Largest difference of SendingTime(52) of a signed Logon from our clock.', {
      libraryMinimum: 0,
    }),
  },
  {
    ...CLOSED,
    description:
      "Demands a signature in RawData(96) of the Logon, or signs that of an initiator. None is taken twice, over a restart only if the counterparty's clock is not ahead of ours.",
  },
);

const Certificate = Type.Object(
  {
    commonName: Type.Optional(text('^[\\x20-\\x7e]{1,64}$', "Common name in the client's certificate.")),
    fingerprints: Type.Array(text('^([0-9A-F]{2}:){31}[0-9A-F]{2}$', 'SHA-256 fingerprint, `AB:CD:…`.'), {
      maxItems: 16,
      default: [],
      description:
        "SHA-256 fingerprints, `AB:CD:…`, of the client's certificates; any one signed by the authority if empty.",
    }),
  },
  { ...CLOSED, description: "Binds the session to the client's TLS certificate." },
);

/** How a Logon proves who sent it, besides CompIDs, Username(553) and Password(554). */
export const Logon = Type.Object(
  {
    newPasswordOverlapMs: Type.Optional(
      whole(
        0,
        30 * DAY_MS,
        undefined,
        'Take NewPassword(925), and for this long the old Password(554) beside it; 925 is refused if absent, and where `password` is no hash.',
      ),
    ),
    signature: Type.Optional(Signature),
    certificate: Type.Optional(Certificate),
    allowFrom: networks('Networks that the session may log on from; empty for all.'),
    perMinute: whole(
      0,
      10_000,
      60,
      'Most successful Logons of an acceptor in a minute; further ones are refused by a Logout that says when the next is taken. 0: any number.',
    ),
    answerUnproved: Type.Optional(
      Type.Boolean({
        description:
          'Answer a Logon with wrong credentials too, as `onRefusal` says: friendly in a test environment, but it shows which CompIDs exist. Else the connection ends, as for a CompID that does not exist. False if absent, in the `venue` dialect true: the exchange specifies that Logout.',
      }),
    ),
    onRefusal: Type.Optional(
      choice(
        ['auto', 'logout', 'silence'],
        'Answer to a Logon that has wrong credentials (with `answerUnproved`), finds the session closed, or needs an operator first. `logout`: a Logout with the reason, then the end of the connection. `auto`: that Logout only if the Logon has 141=Y. `silence` also leaves out the Logout for a HeartBtInt outside the limits. `auto` if absent, in the `venue` dialect `logout`.',
      ),
    ),
  },
  { ...CLOSED, default: {}, description: 'How a Logon proves who sent it, besides CompIDs, username and password.' },
);
