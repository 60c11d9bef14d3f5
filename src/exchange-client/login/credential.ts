// An API key: its signatures and its way to log in. The only file that holds secrets; nothing here logs.

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto';
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
import { CHILDREN_MAX, ExternalSigner, type SignerPlace } from './external-signer.ts';

/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');

/** Seconds that the nonces of logins may be ahead of the clock. */
const LOGIN_NONCE_AHEAD_MAX = 60;

/** A key ready for use. */
export interface Signer {
  readonly kind: Credential['kind'];
  /** Signatures at a time of a signer outside this process; absent: it signs here, at once. */
  readonly placesMax?: number;
  /** BX-SIGNATURE over a string to sign. */
  sign(text: string): string | Promise<string>;
  /** The login request as of `now`. */
  login(now: EpochMs): HttpRequest | Promise<HttpRequest>;
}

/** Settings that change signed or sent fields. */
export interface SignerSettings {
  readonly prehash: EcdsaPrehash;
  readonly loginUserId: 'both' | 'payload';
  /** Called when a signer outside this process fails. Its command is refused then. */
  readonly onSignerFailure?: (text: string) => void;
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
      if (typeof signature === 'string') stages.publish('signing ends');
      else void signature.then(() => stages.publish('signing ends')).catch(() => {});
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
  const userId = readUserId(credential);
  const publicKey = credential.publicKey.replace(/\r\n?/g, '\n').trim();
  if (credential.signer !== undefined) return outsideSigner(credential, credential.signer, userId, publicKey, settings);
  const key = readPrivateKey(credential.privateKey);
  // The bare key: its signatures are DER anyway, and with options beside it one takes half as long again.
  const signDer = (text: string): string => sign('sha256', Buffer.from(text, 'utf8'), key).toString('base64');
  return {
    kind: 'ecdsa',
    sign: (text) => signDer(settings.prehash === 'hexdigest' ? sha256Hex(text) : text),
    login: (now) => {
      const payload = loginPayload(userId, Math.floor(now / 1000));
      return loginRequest(payload, signDer(JSON.stringify(payload)), publicKey, settings);
    },
  };
}

function loginRequest(
  payload: ReturnType<typeof loginPayload>,
  signature: string,
  publicKey: string,
  settings: SignerSettings,
): HttpRequest {
  const { userId } = payload;
  const both = settings.loginUserId === 'both' ? { userId } : {};
  return {
    method: 'POST',
    target: ECDSA_LOGIN_PATH,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey, ...both, signature, loginPayload: payload }),
  };
}

/** The key is outside this process (external-signer.ts). */
function outsideSigner(
  credential: Extract<Credential, { kind: 'ecdsa' }>,
  place: SignerPlace,
  userId: string,
  publicKey: string,
  settings: SignerSettings,
): Signer {
  const outside = new ExternalSigner(
    place,
    readPublicKey(credential.publicKey),
    settings.onSignerFailure ?? (() => {}),
  );
  return {
    kind: 'ecdsa',
    placesMax: CHILDREN_MAX,
    sign: (text) => outside.sign(settings.prehash === 'hexdigest' ? sha256Hex(text) : text),
    login: async (now) => {
      const payload = loginPayload(userId, Math.floor(now / 1000));
      return loginRequest(payload, await outside.sign(JSON.stringify(payload)), publicKey, settings);
    },
  };
}

/** Why a signer outside this process does not sign for the public key of its credential; null if it does, or there is none. */
export async function signerFault(credential: Credential): Promise<string | null> {
  if (credential.kind !== 'ecdsa' || credential.signer === undefined) return null;
  try {
    await new ExternalSigner(credential.signer, readPublicKey(credential.publicKey), () => {}).sign('crossgate check');
    return null;
  } catch (error) {
    if (error instanceof CrossgateError) return error.message;
    throw error;
  }
}

function readPublicKey(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Said below, with the curve.
  }
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    'the public key of the exchange credential is no PEM key on curve P-256',
  );
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
