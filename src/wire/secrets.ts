// Copies of frames that may be stored or shown: the values of secret fields are blotted out.
// Leaves the decision where copies are kept to session and engine.

import { DataFields } from './data-field.ts';

const SOH = 0x01;
const STAR = 0x2a;

/**
 * Whether a field's value is a credential: RawData(96), Password(554), NewPassword(925), and both as they may stand in
 * FIX.5.0SP2: EncryptedPassword(1402), EncryptedNewPassword(1404).
 */
export function isSecretTag(tag: number): boolean {
  return tag === 554 || tag === 925 || tag === 96 || tag === 1402 || tag === 1404;
}

/**
 * Copy bytes with the values of 554, 925, 96, 1402 and 1404 replaced by as many `*`. BodyLength stays right; if the bytes end in a
 * CheckSum field it is computed anew, so that a whole frame still frames. Works on any bytes, whole frame or not;
 * `dataFields` are those of the session that they belong to: what looks like a field inside data is none.
 */
export function maskSecrets(raw: Uint8Array, dataFields: DataFields = DataFields.STANDARD): Buffer {
  return masked(raw, dataFields, isSecretTag);
}

/** The same for a message that is shown: the values of the session's own secret tags are replaced too. */
export function maskShown(raw: Uint8Array, dataFields: DataFields): Buffer {
  const { secretTags } = dataFields;
  if (secretTags.size === 0) return masked(raw, dataFields, isSecretTag);
  return masked(raw, dataFields, (tag) => isSecretTag(tag) || secretTags.has(tag));
}

function masked(raw: Uint8Array, dataFields: DataFields, isSecret: (tag: number) => boolean): Buffer {
  const copy = Buffer.from(raw);
  const length = copy.length;
  let isMasked = false;
  let dataTag = 0;
  let dataLength = 0;
  let at = 0;
  while (at < length) {
    let tag = 0;
    while (at < length && copy[at]! >= 0x30 && copy[at]! <= 0x39) tag = tag * 10 + copy[at++]! - 0x30;
    const isField = at < length && copy[at] === 0x3d;
    if (isField) at++;
    const valueStart = at;
    const announced = valueStart + dataLength;
    const isAnnounced = isField && dataTag !== 0 && tag === dataTag;
    if (isAnnounced && announced < length && copy[announced] === SOH) at = announced;
    // Torn inside data: all there is of it, SOH included, is its value.
    else if (isAnnounced && announced >= length && isSecret(tag) && trailerOf(copy) === -1) at = length;
    else while (at < length && copy[at] !== SOH) at++;
    if (isField && isSecret(tag)) {
      copy.fill(STAR, valueStart, at);
      isMasked = true;
    }
    dataTag = isField ? dataFields.dataTagOf(tag) : 0;
    dataLength = dataTag === 0 ? 0 : digits(copy, valueStart, at);
    at++;
  }
  if (isMasked) renewCheckSum(copy);
  return copy;
}

function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to && i < from + 9; i++) value = value * 10 + bytes[i]! - 0x30;
  return Math.max(value, 0);
}

/** Set the three digits of a trailing `10=ddd` and SOH to the sum of the bytes before it. */
function renewCheckSum(frame: Buffer): void {
  const trailer = trailerOf(frame);
  if (trailer === -1) return;
  let sum = 0;
  for (let i = 0; i < trailer; i++) sum += frame[i]!;
  writeCheckSum(frame, trailer + 3, sum);
}

/** Where a trailing `10=ddd` and SOH begins; -1 if there is none. */
function trailerOf(bytes: Buffer): number {
  const trailer = bytes.length - 7;
  if (trailer < 0 || bytes[trailer] !== 0x31 || bytes[trailer + 1] !== 0x30 || bytes[trailer + 2] !== 0x3d) return -1;
  return trailer;
}

/** Write a CheckSum's three digits at `at`. */
export function writeCheckSum(frame: Buffer, at: number, sum: number): void {
  const value = sum & 0xff;
  frame[at] = 0x30 + Math.floor(value / 100);
  frame[at + 1] = 0x30 + (Math.floor(value / 10) % 10);
  frame[at + 2] = 0x30 + (value % 10);
}
