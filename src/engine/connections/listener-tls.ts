// A listener's TLS certificates and requirements, read by reference at the start and again at run time, so that a
// renewed certificate needs no restart. The transport performs handshakes; ops decides when to read again.

import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { CrossgateError } from '../../base/errors.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { Listener, ListenOptions } from '../../transport/mod.ts';
import type { SecretReference, TlsConfig } from '../config.ts';
import { readPrivateKey } from './private-key.ts';
import { revocationsIn } from './revocation-list.ts';

export { CIPHERS_DEFAULT } from '../../transport/mod.ts';

type ListenerTls = NonNullable<ListenOptions['tls']>;

/** Read everything now. @throws CrossgateError XG_SECRET_MISSING; XG_TLS_INVALID for a key that its passphrase does not open */
export function readTls(tls: TlsConfig): ListenerTls {
  return {
    key: readPrivateKey(tls),
    cert: tls.certificate.read(),
    minVersion: tls.minVersion,
    ciphers: tls.ciphers,
    ...(tls.clientAuthority === null ? {} : { requestCert: true, ca: tls.clientAuthority.read() }),
    ...(tls.clientRevocations === null ? {} : { revoked: tls.clientRevocations.read() }),
    names: tls.names.map((name) => ({
      serverName: name.serverName,
      cert: name.certificate.read(),
      key: readPrivateKey(name),
    })),
  };
}

/** Anything that shows certificates: a FIX listener, or what listens for HTTPS. */
export class TlsListener {
  /** `listener NAME`, `bridge`. */
  private readonly name: string;
  private readonly config: TlsConfig;
  private readonly listener: Pick<Listener, 'prepareTls'>;
  /** Digests of the material in use, by reference. */
  private shown: ReadonlyMap<string, string>;

  constructor(name: string, config: TlsConfig, listener: Pick<Listener, 'prepareTls'>, read: ListenerTls) {
    this.name = name;
    this.config = config;
    this.listener = listener;
    this.shown = this.digestsOf(read);
  }

  /**
   * Present content of its files, if changed; null if unchanged, or if the configuration names others.
   * @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID if it cannot be shown
   */
  renewal(isNamed: IsNamed, now: EpochMs): Renewal | null {
    if (![...this.shown.keys(), ...passphrasesOf(this.config)].every(isNamed)) return null;
    const read = readTls(this.config);
    const digests = this.digestsOf(read);
    const changed = [...digests].filter(([reference, digest]) => this.shown.get(reference) !== digest);
    if (changed.length === 0) return null;
    const { certificate, key, names } = this.config;
    const endsAt = this.checkPair(certificate, key, read, now);
    for (const [at, name] of names.entries()) this.checkPair(name.certificate, name.key, read.names![at]!, now);
    this.checkRevocations(read, now);
    const take = this.listener.prepareTls(read);
    const references = changed.map(([reference]) => reference);
    return {
      text: `${this.name} shows what is in ${references.join(' and ')} now${this.endsOf(references, endsAt, read)}`,
      take: () => {
        take();
        this.shown = digests;
      },
    };
  }

  /** End of the renewed certificate, so that its successor is not forgotten. */
  private endsOf(renewed: readonly string[], endsAt: EpochMs, { revoked = '' }: ListenerTls): string {
    const { clientAuthority, clientRevocations } = this.config;
    const ofClients = [clientAuthority?.reference, clientRevocations?.reference];
    const ends = renewed.every((reference) => ofClients.includes(reference))
      ? []
      : [`its certificate ends on ${formatIso(endsAt)}`];
    const lists = revocationsIn(revoked).map(({ until }) => until);
    if (lists.length > 0 && clientRevocations !== null && renewed.includes(clientRevocations.reference)) {
      ends.push(
        `${lists.length === 1 ? 'its list' : 'the first of its lists'} ends on ${formatIso(Math.min(...lists))}`,
      );
    }
    return ends.map((each) => `, ${each}`).join('');
  }

  /** When the certificate ends. @throws CrossgateError XG_TLS_INVALID */
  private checkPair(
    certificate: SecretReference,
    key: SecretReference,
    read: Pick<ListenerTls, 'cert' | 'key'>,
    now: EpochMs,
  ): EpochMs {
    const refuse = (why: string): never => {
      throw new CrossgateError('XG_TLS_INVALID', `${this.name} keeps its certificate: ${why}`);
    };
    const fault = pairFault(certificate.reference, read.cert, key.reference, read.key);
    if (fault !== null) return refuse(fault);
    const first = new X509Certificate(read.cert);
    const [from, until] = [first.validFromDate.getTime(), first.validToDate.getTime()];
    if (until <= now) return refuse(`the one in ${certificate.reference} ended on ${formatIso(until)}`);
    if (from > now) return refuse(`the one in ${certificate.reference} holds from ${formatIso(from)} on only`);
    return until;
  }

  /** One that has ended would keep everybody out. @throws CrossgateError XG_TLS_INVALID */
  private checkRevocations({ revoked = '' }: ListenerTls, now: EpochMs): void {
    const ended = revocationsIn(revoked).find(({ until }) => until <= now);
    if (ended === undefined) return;
    const why = `one in ${this.config.clientRevocations!.reference} ended on ${formatIso(ended.until)}`;
    throw new CrossgateError('XG_TLS_INVALID', `${this.name} keeps its lists of revoked certificates: ${why}`);
  }

  private digestsOf({ cert, key, ca, revoked, names = [] }: ListenerTls): Map<string, string> {
    const { config } = this;
    const digests = new Map([
      [config.certificate.reference, digestOf(cert)],
      [config.key.reference, digestOf(key)],
    ]);
    if (config.clientAuthority !== null) digests.set(config.clientAuthority.reference, digestOf(ca!));
    if (config.clientRevocations !== null) digests.set(config.clientRevocations.reference, digestOf(revoked!));
    for (const [at, name] of config.names.entries()) {
      digests.set(name.certificate.reference, digestOf(names[at]!.cert));
      digests.set(name.key.reference, digestOf(names[at]!.key));
    }
    return digests;
  }
}

/** A passphrase changes with its key: only the key is shown. */
function passphrasesOf({ passphrase = null, names }: TlsConfig): string[] {
  const all = [passphrase, ...names.map((name) => name.passphrase ?? null)];
  return all.flatMap((one) => (one === null ? [] : [one.reference]));
}

/** Why a list of cipher suites cannot be used; null if it can. */
export function ciphersFault(ciphers: string): string | null {
  if (readable(() => createSecureContext({ ciphers })) !== null) return null;
  return 'OpenSSL knows no cipher suite among them that may be used';
}

/**
 * Why a certificate and an opened private key in PEM, named by their references, do not fit together; null if they do.
 */
export function pairFault(
  certificate: string,
  cert: string | Buffer,
  key: string,
  keyPem: string | Buffer,
): string | null {
  const first = readable(() => new X509Certificate(cert));
  if (first === null) return `in ${certificate} is no certificate in PEM`;
  const privateKey = readable(() => createPrivateKey(keyPem));
  if (privateKey === null) return `in ${key} is no private key in PEM that can be read`;
  return first.checkPrivateKey(privateKey) ? null : `${key} is not the key of the certificate in ${certificate}`;
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // The caller adds the reference: OpenSSL's text names no file.
    return null;
  }
}

function digestOf(pem: string | Buffer): string {
  return createHash('sha256').update(pem).digest('hex');
}
