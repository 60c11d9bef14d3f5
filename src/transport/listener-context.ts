// Builds the TLS context of a listener: its certificates by name, versions and cipher suites, and the authorities of
// client certificates. listen.ts owns sockets and handshakes.

import { constants } from 'node:crypto';
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TlsOptions,
} from 'node:tls';
import { CrossgateError } from '../base/errors.ts';
import { checkAuthority } from './authority.ts';

/**
 * Cipher suites of TLS 1.2 by OpenSSL names. ECDHE keeps recorded traffic unreadable if the key is stolen later; GCM
 * and Poly1305 detect changes before decryption. TLS 1.3 has no weaker suites.
 */
export const CIPHERS_DEFAULT = 'ECDHE+AESGCM:ECDHE+CHACHA20';

const REVOCATION_LIST = /-----BEGIN X509 CRL-----[^-]*-----END X509 CRL-----/g;

export interface ListenerTls {
  /** PEM. */
  readonly key: string | Buffer;
  /** PEM, with intermediates if there are any. */
  readonly cert: string | Buffer;
  /** Certificates that may sign clients' certificates, PEM. */
  readonly ca?: string | Buffer;
  /** Lists of clients' certificates that were revoked, PEM: one of each authority. Default: none is looked at. */
  readonly revoked?: string;
  /** Ask clients for a certificate and refuse those without one signed by `ca`. Default false. */
  readonly requestCert?: boolean;
  /** Default TLSv1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Of TLS 1.2, as OpenSSL names them; default `CIPHERS_DEFAULT`. */
  readonly ciphers?: string;
  /** Further certificates, shown to clients that ask for one of these names (SNI); PEM. */
  readonly names?: readonly {
    readonly serverName: string;
    readonly key: string | Buffer;
    readonly cert: string | Buffer;
  }[];
}

/** The certificates that a TLS server shows, at its start and from a renewal on. */
export class ServerContexts {
  /** Of `createServer`, of TLS or HTTPS. */
  readonly options: TlsOptions;
  readonly #where: string;
  /** Certificates by the name that a client asks for; any other name gets the server's own. */
  #named: ReadonlyMap<string, SecureContext>;

  /** @param where what listens, for errors. @throws CrossgateError XG_TLS_INVALID */
  constructor(where: string, tls: ListenerTls) {
    this.#where = where;
    this.#named = this.#read(tls);
    const demandsCertificate = tls.requestCert === true;
    this.options = {
      ...ownContext(tls),
      requestCert: demandsCertificate,
      rejectUnauthorized: demandsCertificate,
      ...(this.#named.size === 0
        ? {}
        : { SNICallback: (name, done) => done(null, this.#named.get(name.toLowerCase())) }),
    };
  }

  /** Prepare others for the server; what it returns shows them from the next handshake on. @throws CrossgateError XG_TLS_INVALID */
  prepare(tls: ListenerTls, server: Pick<Server, 'setSecureContext'> | null): () => void {
    const named = this.#read(tls);
    return () => {
      server?.setSecureContext(ownContext(tls));
      this.#named = named;
    };
  }

  #read(tls: ListenerTls): ReadonlyMap<string, SecureContext> {
    try {
      checkClientTrust(tls);
      // A server takes whatever it is given, and fails half way.
      createSecureContext(ownContext(tls));
      return namedContexts(tls);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CrossgateError('XG_TLS_INVALID', `key or certificate of ${this.#where} cannot be used: ${reason}`, {
        cause,
      });
    }
  }
}

/** The listener's own certificate, with what holds for all of them. */
function ownContext(tls: ListenerTls): SecureContextOptions {
  return contextOptions(tls, tls);
}

/** Further certificates by name. @throws Error of OpenSSL for what cannot be used */
function namedContexts(tls: ListenerTls): Map<string, SecureContext> {
  const contexts = new Map<string, SecureContext>();
  for (const { serverName, ...pair } of tls.names ?? []) {
    contexts.set(serverName.toLowerCase(), createSecureContext(contextOptions(pair, tls)));
  }
  return contexts;
}

/** @throws Error in words if what clients' certificates are held against is none of it */
function checkClientTrust({ ca, revoked }: ListenerTls): void {
  checkAuthority(ca);
  if (revoked !== undefined && listsIn(revoked).length === 0) {
    throw new Error('there is no revocation list in PEM (X509 CRL) among those of clients');
  }
}

function contextOptions(
  { key, cert }: Pick<ListenerTls, 'key' | 'cert'>,
  { minVersion, ciphers = CIPHERS_DEFAULT, ca, revoked, requestCert }: ListenerTls,
): SecureContextOptions {
  return {
    key,
    cert,
    minVersion: minVersion ?? 'TLSv1.2',
    ciphers,
    ...(ca === undefined ? {} : { ca }),
    // A handshake that is taken up again by a ticket looks at no certificate: it may have ended since, or its list.
    ...(requestCert === true ? { secureOptions: constants.SSL_OP_NO_TICKET } : {}),
    // Of a text with several OpenSSL would read the first.
    ...(revoked === undefined ? {} : { crl: listsIn(revoked) }),
  };
}

function listsIn(revoked: string): string[] {
  return revoked.match(REVOCATION_LIST) ?? [];
}
