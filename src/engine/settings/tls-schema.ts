// Schema of `tls` of a listening socket: FIX listeners, bridge and admin API. Leaves TLS to the exchange to
// ops/schema/exchange-schema.ts, TLS of an initiator to logon-schema.ts, and agreement between the keys to
// ops/checks/gateway-checks.ts.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, passphrase, secret, text, yesNo } from '../../base/schema-node.ts';
import { CIPHERS_DEFAULT } from '../connections/listener-tls.ts';

const CIPHERS =
  'Cipher suites taken with TLS 1.2, as OpenSSL names them: with forward secrecy, and not CBC. For an engine too old for them add what it speaks, such as `:ECDHE-RSA-AES256-SHA384`. Those of TLS 1.3 are always taken.';
const REVOCATIONS =
  'Lists of revoked client certificates (X509 CRL, PEM), one of each authority in their chain. A client on a list is refused. All clients of an authority are refused if its list is missing or has expired.';

const TlsName = Type.Object(
  {
    serverName: text('^[A-Za-z0-9_.-]{1,253}$', 'Name that the client asks for.', { requiredWhen: 'always' }),
    certificate: secret('Certificate, PEM, with intermediates.', { requiredWhen: 'always' }),
    key: secret('Private key, PEM.', { requiredWhen: 'always' }),
    passphrase: Type.Optional(passphrase()),
  },
  CLOSED,
);

const KEYS = {
  certificate: secret('Certificate chain in PEM, by reference.', { requiredWhen: '`tls` is given' }),
  key: secret('Private key in PEM, by reference.', { requiredWhen: '`tls` is given' }),
  passphrase: Type.Optional(passphrase()),
  selfSigned: yesNo(
    false,
    'Create a self-signed pair at these `file:` paths if they are missing. Only with the embedded simulated exchange.',
  ),
  minVersion: choice(['TLSv1.2', 'TLSv1.3'], 'Oldest TLS version accepted.', 'TLSv1.2'),
  ciphers: text('^[A-Za-z0-9_:+!.-]{1,1000}$', CIPHERS, { default: CIPHERS_DEFAULT }),
  clientAuthority: Type.Optional(
    secret("Certificates that sign clients' certificates, PEM; clients without one are then refused."),
  ),
  clientRevocations: Type.Optional(secret(REVOCATIONS)),
  names: Type.Array(TlsName, {
    maxItems: 100,
    default: [],
    description: 'Further certificates, shown to clients that ask for their names (SNI).',
  }),
};

/** Of a FIX listener. */
export const ListenerTls = Type.Object(KEYS, { ...CLOSED, description: 'Makes the listener speak TLS.' });

/** Of the bridge. */
export const BridgeTls = Type.Object(KEYS, { ...CLOSED, description: 'Makes the bridge speak HTTPS and WSS.' });

/** Of the admin API. */
export const AdminTls = Type.Object(
  {
    ...KEYS,
    clientAuthority: Type.Optional(
      secret(
        "Certificates that sign clients' certificates, PEM; who shows none reads `/healthz` and `/readyz` and nothing else.",
      ),
    ),
    authority: Type.Optional(
      secret(
        'Certificates that commands on this machine trust when they ask this port, PEM. Without it they trust a self-signed certificate itself, and any other by the authorities of the system. `--authority` names others.',
      ),
    ),
  },
  { ...CLOSED, description: 'Makes admin API, metrics and console speak HTTPS.' },
);

export type TlsSettings = Static<typeof ListenerTls>;
