// An API key: its signatures and its way to log in. The only file that holds secrets; nothing here logs.

import { createHmac, createPrivateKey, createSecretKey, hash, type KeyObject, sign } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  ECDSA_LOGIN_PATH,
  type EcdsaPrehash,
  HMAC_LOGIN_PATH,
  hmacLoginString,
  loginPayload,
  parseExactJson,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import type { Credential } from '../options.ts';
import type { HttpRequest } from '../reads/http.ts';

/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');

/** Seconds that the nonces of logins may be ahead of the clock. */
const LOGIN_NONCE_AHEAD_MAX = 60;

/** A key ready for use. */
export interface Signer {
  readonly kind: Credential['kind'];
  /** BX-SIGNATURE over a string to sign. */
  sign(text: string): string;
  /** The login request as of `now`. */
  login(now: EpochMs): HttpRequest;
}

/** Settings that change signed or sent fields. */
export interface SignerSettings {
  readonly prehash: EcdsaPrehash;
  readonly loginUserId: 'both' | 'payload';
}

/** Prepare a key. @throws CrossgateError XG_CONFIG_INVALID if the key or its metadata cannot be used */
export function createSigner(credential: Credential, settings: SignerSettings): Signer {
  const signer = credential.kind === 'hmac' ? hmacSigner(credential) : ecdsaSigner(credential, settings);
  return {
    ...signer,
    sign: (text) => {
      if (!stages.hasSubscribers) return signer.sign(text);
      stages.publish('signing begins');
      const signature = signer.sign(text);
      stages.publish('signing ends');
      return signature;
    },
  };
}

function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

function hmacHex(secret: KeyObject, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
}

function hmacSigner(credential: Extract<Credential, { kind: 'hmac' }>): Signer {
  // Prepared once: it signs every command.
  const secret = createSecretKey(credential.secret, 'utf8');
  let last = Number.NEGATIVE_INFINITY;
  return {
    kind: 'hmac',
    // The secret signs the hex digest; the login alone is signed without one (rule X1).
    sign: (text) => hmacHex(secret, sha256Hex(text)),
    login: (now) => {
      const timestamp = String(now);
      // Each is higher than the one before (trading-api.md, BX-NONCE), unless the clock was put right.
      const second = Math.floor(now / 1000);
      last = last - second > LOGIN_NONCE_AHEAD_MAX ? second : Math.max(second, last + 1);
      const nonce = String(last);
      return {
        method: 'GET',
        target: HMAC_LOGIN_PATH,
        headers: {
          'bx-timestamp': timestamp,
          'bx-nonce': nonce,
          'bx-public-key': credential.publicKey,
          'bx-signature': hmacHex(secret, hmacLoginString({ timestamp, nonce })),
        },
        body: null,
      };
    },
  };
}

function ecdsaSigner(credential: Extract<Credential, { kind: 'ecdsa' }>, settings: SignerSettings): Signer {
  const key = readPrivateKey(credential.privateKey);
  const userId = readUserId(credential);
  const publicKey = credential.publicKey.replace(/\r\n?/g, '\n').trim();
  // The bare key: its signatures are DER anyway, and with options beside it one takes half as long again.
  const signDer = (text: string): string => sign('sha256', Buffer.from(text, 'utf8'), key).toString('base64');
  return {
    kind: 'ecdsa',
    sign: (text) => signDer(settings.prehash === 'hexdigest' ? sha256Hex(text) : text),
    login: (now) => {
      const payload = loginPayload(userId, Math.floor(now / 1000));
      const body = {
        publicKey,
        ...(settings.loginUserId === 'both' ? { userId } : {}),
        signature: signDer(JSON.stringify(payload)),
        loginPayload: payload,
      };
      return {
        method: 'POST',
        target: ECDSA_LOGIN_PATH,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
    },
  };
}

function readPrivateKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The cause is dropped on purpose: it may quote the key.
    throw new CrossgateError('XG_CONFIG_INVALID', 'the private key of the exchange credential is no PEM private key');
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new CrossgateError('XG_CONFIG_INVALID', 'the private key of the exchange credential is not on curve P-256');
  }
  return key;
}

/** The user id: given, else from the key's metadata (trading-api.md, Key metadata). */
function readUserId(credential: Extract<Credential, { kind: 'ecdsa' }>): string {
  if (credential.userId !== undefined && credential.userId !== '') return credential.userId;
  const decoded = credential.metadata === null ? '' : Buffer.from(credential.metadata, 'base64').toString('utf8');
  const userId = toText(toObject(parseExactJson(decoded))?.userId);
  if (userId === null) {
    throw new CrossgateError(
      'XG_CONFIG_INVALID',
      'the exchange credential names no userId: its metadata lacks it or is no base64 JSON, and none is configured',
    );
  }
  return userId;
}
