// Translates `tls` of what listens into what it runs with. Leaves the rest of the settings to engine-config.ts.

import type { SecretReference, TlsConfig, TlsSettings } from '../../engine/mod.ts';
import type { AdminTlsConfig } from '../../runtime/mod.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';

export type Secret = (reference: string) => SecretReference;

export function toAdminTls({ admin: { enabled, host, tls } }: GatewaySettings, secret: Secret): AdminTlsConfig | null {
  if (!enabled || tls === undefined) return null;
  const { authority, ...rest } = tls;
  return { ...toTls(rest, secret), host, authority: authority === undefined ? null : secret(authority) };
}

export function toTls(tls: TlsSettings, secret: Secret): TlsConfig {
  return {
    ...tls,
    certificate: secret(tls.certificate),
    key: secret(tls.key),
    passphrase: tls.passphrase === undefined ? null : secret(tls.passphrase),
    clientAuthority: tls.clientAuthority === undefined ? null : secret(tls.clientAuthority),
    clientRevocations: tls.clientRevocations === undefined ? null : secret(tls.clientRevocations),
    names: tls.names.map(({ serverName, certificate, key, passphrase }) => ({
      serverName,
      certificate: secret(certificate),
      key: secret(key),
      passphrase: passphrase === undefined ? null : secret(passphrase),
    })),
  };
}
