// Replaces the texts of TLS while an engine of the library runs: those of a listener, and those with which an initiator
// connects. Open connections stay as they are. Connections read the texts.

import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import { secureContextOf } from '../../transport/mod.ts';
import type { ConnectSettings, SecretReference, TlsConfig } from '../config.ts';
import { readPrivateKey } from '../connections/private-key.ts';
import type { SessionEngine } from '../sessions/session-engine.ts';
import { type AcceptorOptions, definedOnly, type InitiatorOptions } from './fix-engine-options.ts';
import { checkCertificates, checkKeys, checkTls } from './fix-options.ts';
import { given } from './fix-setup.ts';

type ListenerTls = NonNullable<AcceptorOptions['tls']>;
type ConnectTls = NonNullable<InitiatorOptions['tls']>;

/** Texts that may be replaced: the first three of both sides, `authority` of an initiator, the others of an acceptor. */
export type TlsParts = Partial<
  Pick<ListenerTls, 'certificate' | 'key' | 'passphrase' | 'clientAuthority' | 'clientRevocations'> &
    Pick<ConnectTls, 'authority'>
>;

/** TLS of an engine, as far as it is renewed. */
export interface Renewable {
  /** @throws CrossgateError XG_CONFIG_INVALID, XG_TLS_INVALID: the texts before stay in use */
  renew(engine: SessionEngine, parts: TlsParts): void;
}

const OF_BOTH = ['certificate', 'key', 'passphrase'];

/** Texts of a listener's TLS. */
export class RenewableTls implements Renewable {
  #now: ListenerTls;

  constructor(tls: ListenerTls) {
    this.#now = tls;
  }

  /** Options of a listener: each part is read from the present texts. */
  config(minVersion: TlsConfig['minVersion'], ciphers: string): TlsConfig {
    const { clientAuthority, clientRevocations } = this.#now;
    return {
      certificate: this.#part('certificate'),
      key: this.#part('key'),
      // One may come with the next key.
      passphrase: { reference: 'tls.passphrase', read: () => this.#now.passphrase ?? '' },
      selfSigned: false,
      minVersion,
      ciphers,
      clientAuthority: clientAuthority === undefined ? null : this.#part('clientAuthority'),
      clientRevocations: clientRevocations === undefined ? null : this.#part('clientRevocations'),
      names: [],
    };
  }

  /** Show and demand these from the next connection on. */
  renew(engine: SessionEngine, parts: TlsParts): void {
    checkKeys(parts, [...OF_BOTH, 'clientAuthority', 'clientRevocations'], 'tls.');
    const before = this.#now;
    const next = { ...before, ...parts };
    checkTls(next, 'acceptor', ['certificate', 'key']);
    checkCertificates([], next);
    for (const key of ['clientAuthority', 'clientRevocations'] as const) {
      if (next[key] !== undefined && before[key] === undefined)
        throw invalid(`tls.${key} is renewed where the engine was started with one`);
    }
    this.#now = next;
    try {
      for (const renewal of engine.renewals(() => true)) renewal.take();
    } catch (error) {
      this.#now = before;
      throw error;
    }
  }

  #part(key: 'certificate' | 'key' | 'clientAuthority' | 'clientRevocations'): SecretReference {
    return { reference: `tls.${key}`, read: () => this.#now[key] ?? '' };
  }
}

/** Texts with which an initiator connects. Each attempt reads them. */
export class RenewableConnectTls implements Renewable {
  #now: ConnectTls;
  readonly #addresses: InitiatorOptions['addresses'];

  constructor(tls: ConnectTls, addresses: InitiatorOptions['addresses']) {
    this.#now = tls;
    this.#addresses = addresses;
  }

  /** Settings of each attempt: a part that was absent at the start may come later. */
  get settings(): NonNullable<ConnectSettings['tls']> {
    const part = (key: 'authority' | 'certificate' | 'key' | 'passphrase'): SecretReference | null => {
      const text = this.#now[key];
      return text === undefined ? null : given(text, `tls.${key}`);
    };
    const { serverName = null, minVersion = 'TLSv1.2' } = this.#now;
    return {
      get authority() {
        return part('authority');
      },
      get certificate() {
        return part('certificate');
      },
      get key() {
        return part('key');
      },
      get passphrase() {
        return part('passphrase');
      },
      serverName,
      minVersion,
    };
  }

  /** Trust and show these from the next connection on. */
  renew(_engine: SessionEngine, parts: TlsParts): void {
    checkKeys(parts, [...OF_BOTH, 'authority'], 'tls.');
    const next = { ...this.#now, ...parts };
    checkTls(next, 'initiator', []);
    checkContext(next, this.#addresses);
    this.#now = next;
  }
}

/** A key that does not fit its certificate would otherwise appear only in a log, at every attempt. */
export function checkContext(
  { authority, certificate, key, passphrase, minVersion }: ConnectTls,
  addresses: InitiatorOptions['addresses'],
): void {
  const texts = { ca: authority, cert: certificate, minVersion };
  const unlocked =
    key === undefined
      ? {}
      : { key: readPrivateKey({ key: given(key, 'tls.key'), passphrase: given(passphrase ?? '', 'tls.passphrase') }) };
  secureContextOf(
    { ...definedOnly(texts), ...unlocked },
    addresses.map(({ host, port }) => hostPort(host, port)).join(', '),
  );
}

const invalid = (text: string): CrossgateError => new CrossgateError('XG_CONFIG_INVALID', text);
