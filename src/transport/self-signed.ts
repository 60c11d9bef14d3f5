// A self-signed certificate, for servers and clients, for demonstrations and tests: ECDSA on P-256, X.509 version 3.
// Written as DER by hand: the runtime signs, but builds no certificates.

import { createHash, generateKeyPair, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { assert } from '../base/assert.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';

export interface CertificateOptions {
  /** Subject, and a subject alternative name: a host name or an address. */
  readonly commonName: string;
  /** Further host names and addresses. `localhost`, 127.0.0.1 and ::1 are always among them. */
  readonly alternativeNames?: readonly string[];
  /** Default: 30 days, because no authority revokes it. */
  readonly validDays?: number;
  /** Default: the present time. */
  readonly now?: EpochMs;
}

export interface SelfSignedCertificate {
  /** PKCS #8. */
  readonly keyPem: string;
  readonly certificatePem: string;
}

const DAY_MS = 86_400_000;
/** Clocks of clients may be a little behind ours. */
const BACKDATE_MS = 3_600_000;

const Oid = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  clientAuth: '2b06010505070302',
  subjectKeyIdentifier: '551d0e',
} as const;

function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  assert(length < 0x1_0000, 'a certificate stays below 64 kB');
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

const sequence = (...contents: Uint8Array[]): Buffer => der(0x30, ...contents);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const octets = (...contents: Uint8Array[]): Buffer => der(0x04, ...contents);

/** BIT STRING without unused bits. */
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);

function extension(hex: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(hex), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), octets(value));
}

/** UTCTime until 2049, GeneralizedTime after (RFC 5280, 4.1.2.5). */
function time(at: EpochMs): Buffer {
  const digits = formatUtcTimestamp(at).replace(/[-:]/g, '').slice(0, 14);
  return Number(digits.slice(0, 4)) < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`, 'latin1'))
    : der(0x18, Buffer.from(`${digits}Z`, 'latin1'));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0 ? der(0x82, Buffer.from(name, 'latin1')) : der(0x87, addressBytes(name));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Make a key and a certificate that is its own issuer. */
export async function createSelfSignedCertificate(options: CertificateOptions): Promise<SelfSignedCertificate> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const now = options.now ?? Date.now();
  const names = new Set([options.commonName, ...(options.alternativeNames ?? []), 'localhost', '127.0.0.1', '::1']);
  const name = sequence(der(0x31, sequence(oid(Oid.commonName), der(0x0c, Buffer.from(options.commonName, 'utf8')))));
  const algorithm = sequence(oid(Oid.ecdsaWithSha256));
  const serial = randomBytes(16);
  // A positive integer of exactly 16 bytes.
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const keyIdentifier = createHash('sha256').update(spki).digest().subarray(0, 20);
  const extensions = sequence(
    extension(Oid.basicConstraints, true, sequence()),
    extension(Oid.keyUsage, true, der(0x03, Buffer.from([7, 0x80]))),
    extension(Oid.extKeyUsage, false, sequence(oid(Oid.serverAuth), oid(Oid.clientAuth))),
    extension(Oid.subjectKeyIdentifier, false, octets(keyIdentifier)),
    extension(Oid.subjectAltName, false, sequence(...[...names].map(alternativeName))),
  );
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(now - BACKDATE_MS), time(now + (options.validDays ?? 30) * DAY_MS)),
    name,
    spki,
    der(0xa3, extensions),
  );
  const signature = sign('sha256', toSign, privateKey);
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: pem('CERTIFICATE', sequence(toSign, algorithm, bits(signature))),
  };
}
