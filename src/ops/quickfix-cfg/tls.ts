// The security of a session of a QuickFIX file in its engine: TLS, authorities, versions, ciphers, revocation, client
// certificates, also by an engine's defaults. A file that would be less secure here is an error.

import { CLIENT_CERTIFICATES, REVOCATIONS, TLS } from './ignored-keys.ts';
import { isSecretReference } from './own-keys.ts';
import { isInitiator } from './role.ts';
import { type Demand, invalid, isNo, isYes, type OtherSetting, type SettingVerdict, set } from './verdict.ts';

type Read = (value: string, other: OtherSetting) => SettingVerdict;

/** quickfixgo speaks TLS with any of these even if SocketUseSSL=N, and its acceptor then demands client certificates. */
const TLS_ALWAYS = ['SocketPrivateKeyFile', 'SocketPrivateKeyBytes', 'SocketCertificateFile', 'SocketCertificateBytes'];
/** QuickFIX C++ speaks TLS by the class that the application constructs; the file shows only certificates. */
const TLS_UNLESS_OFF = [
  'CERT_AUTHORITIES_FILE',
  'CERT_AUTHORITIES_DIRECTORY',
  'CLIENT_CERT_FILE',
  'CLIENT_CERT_KEY_FILE',
  'CertificationAuthoritiesFile',
  'CertificationAuthoritiesDirectory',
  'ClientCertificateFile',
  'ClientCertificateKeyFile',
  // QuickFIX/n.
  'SSLCertificate',
];
const SERVER_CERTIFICATES = ['SERVER_CERT_FILE', 'ServerCertificateFile'];

const hasAny = (other: OtherSetting, keys: readonly string[]): boolean => keys.some((key) => (other(key) ?? '') !== '');

export function speaksTls(other: OtherSetting): boolean {
  if (hasAny(other, TLS_ALWAYS)) return true;
  const written = other('SocketUseSSL') ?? other('SSLEnable');
  return written === null ? hasAny(other, TLS_UNLESS_OFF) : isYes(written);
}

/** Of either side. */
const usesTls = (other: OtherSetting): boolean => speaksTls(other) || hasAny(other, SERVER_CERTIFICATES);

function lost(text: string, ...demands: readonly Demand[]): SettingVerdict {
  return { kind: 'refused', text, caution: 'error', ...(demands.length === 0 ? {} : { demands }) };
}

/** Settings that name versions of TLS, the first one that is written counts. */
export const PROTOCOLS = ['EnabledProtocols', 'SSLProtocols', 'SSLProtocol', 'SSL_PROTOCOL', 'SocketMinimumTLSVersion'];
const IS_13 = /^\+?TLSv?1?[._]?3$/i;
const IS_12 = /^[+-]?TLSv?1?[._]?2$/i;

/** The oldest version of TLS that the file allows; never older than 1.2. C++ writes `+TLSv1_3`, or `all -TLSv1_2`. */
function minVersion(other: OtherSetting): 'TLSv1.2' | 'TLSv1.3' {
  const versions = PROTOCOLS.map(other).find((each) => each !== null) ?? '';
  const named = versions.split(/[\s,|;]+/).filter((each) => each !== '');
  const taken = named.filter((each) => !each.startsWith('-') && each.toLowerCase() !== 'all');
  const hasNo12 = named.some((each) => each.startsWith('-') && IS_12.test(each));
  const isNewest = taken.length > 0 ? taken.every((each) => IS_13.test(each)) : hasNo12;
  return isNewest ? 'TLSv1.3' : 'TLSv1.2';
}

const VERSIONS =
  'TLS 1.2 and 1.3 are spoken; `minVersion` in `connect.tls`, or in `fix.listen[].tls` of gateway.yaml, can leave out 1.2';

/** Which versions of TLS may be spoken. */
export function protocols(_value: string, other: OtherSetting): SettingVerdict {
  if (!usesTls(other)) return { kind: 'refused', text: VERSIONS };
  if (isInitiator(other)) return set('connect.tls.minVersion', minVersion(other), 'translated');
  return minVersion(other) === 'TLSv1.3' ? lost(VERSIONS, 'tls13') : { kind: 'refused', text: VERSIONS };
}

/** Which cipher suites may be used. */
export function ciphers(value: string, other: OtherSetting): SettingVerdict {
  const ofListener = '`ciphers` in `fix.listen[].tls` of gateway.yaml says which are taken, as OpenSSL names them';
  if (!usesTls(other) || value === '') return { kind: 'refused', text: ofListener };
  if (!isInitiator(other)) return lost(ofListener, 'ciphers');
  return lost('a connection that is made offers the suites of Node.js; remove the line if they will do');
}

/** A key with the mere presence that makes its engine speak TLS. */
export function tlsByCertificate(value: string, other: OtherSetting): SettingVerdict {
  if (value === '') return { kind: 'refused', text: TLS };
  if (!isInitiator(other)) {
    const demandsOne = hasAny(other, TLS_ALWAYS) && !isYes(other('SocketUseSSL') ?? 'N');
    return demandsOne ? lost(`${TLS}; ${CLIENT_CERTIFICATES}`, 'tls', 'clientCertificate') : lost(TLS, 'tls');
  }
  return speaksTls(other) ? tlsOn(other, TLS) : { kind: 'refused', text: TLS };
}

/** The certificate of QuickFIX/n, which alone switches TLS on where no SSLEnable says otherwise. */
export function certificateOfN(value: string, other: OtherSetting): SettingVerdict {
  if (value === '' || other('SSLEnable') !== null || other('SocketUseSSL') !== null)
    return { kind: 'refused', text: TLS };
  return tls('SSLEnable')('Y', other);
}

/** A demand on clients' certificates, which a listener makes here: the session file cannot carry it. */
export function certificateDemand(value: string, other: OtherSetting): SettingVerdict {
  const isLost = !isInitiator(other) && !isNo(value) && value !== '';
  return isLost ? lost(CLIENT_CERTIFICATES, 'clientCertificate') : { kind: 'refused', text: CLIENT_CERTIFICATES };
}

/** A session file carries no lists of revoked certificates. */
export function revocation(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(value) || value === '') return { kind: 'refused', text: REVOCATIONS };
  return isInitiator(other) ? lost(REVOCATIONS) : lost(REVOCATIONS, 'revocations');
}

/** Certificates to trust instead of those of public authorities. `isPem`: a file that is read here too. */
export const authority =
  (isPem: boolean, isOfCpp = false): Read =>
  (value, other) => {
    if (!isInitiator(other)) return isOfCpp ? tlsByCertificate(value, other) : { kind: 'refused', text: TLS };
    if (value === '' || !speaksTls(other)) return { kind: 'refused', text: TLS };
    const on = isOfCpp ? (tlsOn(other).values ?? []) : [];
    if (other('Crossgate.connect.tls.authority') !== null) {
      return { kind: 'translated', text: 'Crossgate.connect.tls.authority stands for it', values: on };
    }
    const reference = `file:${value}`;
    if (isPem && isSecretReference(reference)) {
      const text = `connect.tls.authority: "${reference}"; a relative path is one of the state folder`;
      return { kind: 'translated', text, values: [...on, [['connect', 'tls', 'authority'], reference]] };
    }
    const text =
      'public authorities would be trusted in its place: name its certificates, PEM, as `connect.tls.authority` ' +
      '(in this file `Crossgate.connect.tls.authority=file:ca.pem`)';
    return { ...lost(text), ...(on.length === 0 ? {} : { values: on }) };
  };

const VERIFIES =
  'an initiator always verifies the counterparty’s certificate and the host that it names (`connect.tls`)';

/** Verification that a file may switch off, and cannot here. */
export const verification =
  (isOff: (value: string) => boolean): Read =>
  (value, other) => {
    if (!usesTls(other) || !isOff(value)) return { kind: 'refused', text: VERIFIES };
    const text = isInitiator(other)
      ? `${VERIFIES}: a certificate of no public authority needs \`connect.tls.authority\``
      : 'a certificate that a client shows is always verified here';
    return { kind: 'refused', text, caution: 'warning' };
  };

/** QuickFIX C++: 0 verifies nothing, 1 and above what a client shows, or that it shows one. */
export function verifyLevel(value: string, other: OtherSetting): SettingVerdict {
  if (!isInitiator(other) && usesTls(other) && /^[1-9]$/.test(value))
    return lost(CLIENT_CERTIFICATES, 'clientCertificate');
  return verification((level) => level === '0')(value, other);
}

/** Only this machine reaches a socket that listens on its own address. */
export function bindAddress(value: string, other: OtherSetting): SettingVerdict {
  const text = 'listening sockets belong to the process: `fix.listen` in gateway.yaml';
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(value);
  return isLocal && !isInitiator(other) ? lost(text, 'loopback') : { kind: 'refused', text };
}

/** An initiator speaks TLS by its own settings; the sockets of acceptors belong to the process. */
export const tls =
  (key: 'SocketUseSSL' | 'SSLEnable'): Read =>
  (value, other) => {
    if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
    // QuickFIX/n validates and demands more by default than the others.
    const isOfN = key === 'SSLEnable';
    const validates = !isNo(other('SSLValidateCertificates') ?? 'Y');
    const revokes = isOfN && validates && other('SSLCheckCertificateRevocation') === null;
    const byDefault = `QuickFIX/n looks up revocation unless SSLCheckCertificateRevocation=N: ${REVOCATIONS}`;
    if (isInitiator(other)) {
      if (isYes(value)) return revokes ? { ...tlsOn(other, byDefault), caution: 'error' } : tlsOn(other);
      if (speaksTls(other)) return tlsOn(other, 'a key or certificate makes quickfixgo speak TLS');
    } else if (isYes(value)) {
      const demandsOne = isOfN && other('SSLRequireClientCertificate') === null;
      if (!demandsOne) return lost(TLS, 'tls');
      const why = `QuickFIX/n demands a client certificate unless SSLRequireClientCertificate=N: ${CLIENT_CERTIFICATES}`;
      if (!revokes) return lost(`${TLS}; ${why}`, 'tls', 'clientCertificate');
      return lost(`${TLS}; ${why}; ${byDefault}`, 'tls', 'clientCertificate', 'revocations');
    }
    return { kind: 'taken', text: 'plain TCP, unless the listener has TLS' };
  };

function tlsOn(other: OtherSetting, why?: string): SettingVerdict {
  const version = minVersion(other);
  const text =
    `connect.tls.minVersion: "${version}"; ` +
    'the counterparty’s certificate has to be of an authority that Node.js has or of ' +
    '`connect.tls.authority` (PEM), and to name its host or `connect.tls.serverName`';
  return {
    kind: 'translated',
    text: why === undefined ? text : `${text}; ${why}`,
    values: [[['connect', 'tls', 'minVersion'], version]],
  };
}

export function tlsServerName(value: string, other: OtherSetting): SettingVerdict {
  if (!speaksTls(other) || !isInitiator(other)) return { kind: 'refused', text: TLS };
  return value === '' ? { kind: 'taken', text: 'none' } : set('connect.tls.serverName', value);
}

/** Of a key store or a PFX file here: of a key in PEM. Never copied: only a reference is taken. */
export function tlsPassphrase(value: string, other: OtherSetting): SettingVerdict {
  if (isInitiator(other) && speaksTls(other) && isSecretReference(value)) return set('connect.tls.passphrase', value);
  const [where, not] = isInitiator(other) ? ['connect.tls', ''] : ['fix.listen[].tls', ' in gateway.yaml'];
  const text = `${TLS}; \`${where}.passphrase\`${not} opens an encrypted key, by reference: it is not copied`;
  return { kind: 'refused', text };
}
