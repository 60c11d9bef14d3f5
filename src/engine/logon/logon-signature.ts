// Signed logons: RawData(96) of a Logon(A) carries a signature over its header, so that no password travels. Signs those of
// an initiator, and says whether one that came is right, timely and new. Which session demands one is authentication.ts's.

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { LogonSigner, SessionID } from '../../session/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { LogonSignature } from '../config.ts';

/** Signed texts remembered per session, against replay; more Logons within one window (at most ten minutes) are refused. */
const REMEMBERED_MAX = 1024;
/** Characters of a signature in base64: 32 bytes of HMAC, 64 of either curve. */
const SIGNATURE_LENGTH = { 'hmac-sha256': 44, ed25519: 88, 'ecdsa-p256': 88 } as const;
const SIGNED_TAGS = [Tag.MsgType, Tag.SenderCompID, Tag.TargetCompID, Tag.MsgSeqNum, Tag.SendingTime] as const;

/** The text that is signed: 35, 49, 56, 34 and 52 of the Logon as it is sent, joined by SOH. Null if one is missing. */
export function signedText(logon: MessageView): string | null {
  const values: string[] = [];
  for (const tag of SIGNED_TAGS) {
    const value = logon.string(tag);
    if (value === null) return null;
    values.push(value);
  }
  return values.join('\x01');
}

/** Verifies signatures and remembers signed texts, at least for as long as they could be sent again. */
export class SignedLogons {
  private readonly seen = new Map<SessionID, Map<string, EpochMs>>();
  private readonly now: () => EpochMs;
  private startedAt: EpochMs;

  constructor(now: () => EpochMs) {
    this.now = now;
    this.startedAt = now();
  }

  /**
   * Fault of a Logon's signature, for our operators; null if it proves the Logon. @throws CrossgateError
   * XG_SECRET_MISSING if the key cannot be read
   */
  refusal(sessionId: SessionID, { algorithm, key, windowMs }: LogonSignature, logon: MessageView): string | null {
    const text = signedText(logon);
    const signature = logon.string(Tag.RawData);
    const sendingTime = logon.utcTimestamp(Tag.SendingTime);
    if (signature === null) return 'RawData(96), the signature, is missing';
    if (!isBase64(signature)) return 'RawData(96) is no signature in base64';
    if (text === null || sendingTime === null) return 'a field that is signed is missing or cannot be read';
    const now = this.now();
    if (!(Math.abs(now - sendingTime) <= windowMs)) {
      const side = sendingTime < now ? 'behind' : 'ahead of';
      const seconds = (Math.abs(now - sendingTime) / 1000).toFixed(1);
      return `SendingTime(52) is ${seconds} s ${side} our clock, and logon.signature.windowMs allows ${windowMs / 1000} s`;
    }
    // By a clock that was set back since, the start is still to come.
    this.startedAt = Math.min(this.startedAt, now);
    // Signatures seen before the last start are forgotten: none that was signed before it is accepted.
    if (sendingTime < this.startedAt - (this.startedAt % 1000)) return 'it was signed before this process started';
    if (!isRight(algorithm, key.read(), text, Buffer.from(signature, 'base64'))) {
      return 'the signature is not one of 35, 49, 56, 34 and 52 of this Logon by the key of the session';
    }
    return this.repeated(sessionId, text, sendingTime, now - windowMs);
  }

  /** Null for one that is new. @param since earlier signatures are too old to be accepted again */
  private repeated(sessionId: SessionID, text: string, sendingTime: EpochMs, since: EpochMs): string | null {
    const seen = this.seen.get(sessionId) ?? new Map<string, EpochMs>();
    this.seen.set(sessionId, seen);
    if (seen.has(text)) return 'the same was signed and sent before: each Logon needs a SendingTime(52) of its own';
    if (seen.size >= REMEMBERED_MAX) forgetOne(seen, since);
    if (seen.size >= REMEMBERED_MAX) return 'too many signed Logons came within logon.signature.windowMs';
    seen.set(text, sendingTime);
    return null;
  }
}

/** Only to save space: if the clock is set back, the time of old entries returns. */
function forgetOne(seen: Map<string, EpochMs>, since: EpochMs): void {
  for (const [known, sentAt] of seen) {
    if (sentAt >= since) continue;
    seen.delete(known);
    return;
  }
}

function isBase64(text: string): boolean {
  return text.length <= 1024 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

function isRight(algorithm: LogonSignature['algorithm'], key: string, text: string, signature: Buffer): boolean {
  const bytes = Buffer.from(text, 'latin1');
  if (algorithm === 'hmac-sha256') {
    const expected = createHmac('sha256', key).update(bytes).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  }
  const publicKey = publicKeyOf(key, algorithm);
  if (publicKey === null) return false;
  if (algorithm === 'ed25519') return verify(null, bytes, publicKey, signature);
  // Raw (64 bytes, r and s) or DER, as libraries have it.
  const dsaEncoding = signature.length === 64 ? 'ieee-p1363' : 'der';
  return verify('sha256', bytes, { key: publicKey, dsaEncoding }, signature);
}

/** The public key in a PEM text; null if it is not one for that algorithm. */
export function publicKeyOf(pem: string, algorithm: 'ed25519' | 'ecdsa-p256'): KeyObject | null {
  return keyOf(algorithm, () => createPublicKey(pem));
}

/** A key that was read; null if it could not be, or is not one for that algorithm. */
function keyOf(algorithm: 'ed25519' | 'ecdsa-p256', read: () => KeyObject): KeyObject | null {
  try {
    const key = read();
    if (algorithm === 'ed25519') return key.asymmetricKeyType === 'ed25519' ? key : null;
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/**
 * Signs an initiator's Logon with our key: the shared secret, or our private key in PEM.
 * @throws CrossgateError XG_SECRET_MISSING if the key cannot be read; XG_CONFIG_INVALID if it does not fit the
 * algorithm
 */
export function logonSigner({ algorithm, key }: LogonSignature): LogonSigner {
  const length = SIGNATURE_LENGTH[algorithm];
  if (algorithm === 'hmac-sha256') {
    const secret = key.read();
    return { length, sign: (text) => createHmac('sha256', secret).update(text, 'latin1').digest('base64') };
  }
  const pem = key.read();
  const privateKey = keyOf(algorithm, () => createPrivateKey(pem));
  if (privateKey === null) {
    throw new CrossgateError('XG_CONFIG_INVALID', `${key.reference} is no private key for ${algorithm} in PEM`);
  }
  const digest = algorithm === 'ed25519' ? null : 'sha256';
  // Raw, not DER: always as long.
  const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return { length, sign: (text) => sign(digest, Buffer.from(text, 'latin1'), options).toString('base64') };
}
