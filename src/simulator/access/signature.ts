// Verifies clients' signatures: HMAC and ECDSA logins, and commands with either prehash (rule X1). Which key a request
// belongs to, nonces and timestamps are authentication.ts.

import { createHmac, createPublicKey, createVerify, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type EcdsaPrehash, hmacLoginString, type SignedRequest, stringToSign } from '../../exchange/mod.ts';
import type { ApiKey, EcdsaKeyFile, HmacKeyFile } from '../world/key-files.ts';

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function digest(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Checks signatures; keeps parsed public keys. */
export class SignatureVerifier {
  private readonly publicKeys = new Map<string, KeyObject>();
  private readonly prehashes: readonly EcdsaPrehash[];

  /** `prehashes` are those accepted for commands of ECDSA keys. */
  constructor(prehashes: readonly EcdsaPrehash[]) {
    this.prehashes = prehashes;
  }

  /** Signature of a command: lower-case hex for HMAC, base64 of DER for ECDSA (exchange reference §2.1). */
  isCommandSignature(key: ApiKey, request: SignedRequest, signature: string): boolean {
    const text = stringToSign(request);
    const { file } = key;
    if (file.kind === 'hmac') {
      return sameText(createHmac('sha256', file.secret).update(digest(text)).digest('hex'), signature);
    }
    return this.prehashes.some((prehash) =>
      this.verify(file, prehash === 'hexdigest' ? digest(text) : text, signature),
    );
  }

  /** The HMAC login signs its string without a digest before it (exchange reference §2.2). */
  isHmacLoginSignature(file: HmacKeyFile, login: { timestamp: string; nonce: string }, signature: string): boolean {
    return sameText(createHmac('sha256', file.secret).update(hmacLoginString(login)).digest('hex'), signature);
  }

  /** The ECDSA login signs the compact JSON of loginPayload as received; never prehashed (rule X1). */
  isEcdsaLoginSignature(file: EcdsaKeyFile, payload: unknown, signature: string): boolean {
    return this.verify(file, JSON.stringify(payload), signature);
  }

  private verify(file: EcdsaKeyFile, text: string, signature: string): boolean {
    let key = this.publicKeys.get(file.publicKey);
    if (key === undefined) {
      key = createPublicKey(file.publicKey);
      this.publicKeys.set(file.publicKey, key);
    }
    try {
      return createVerify('sha256').update(text, 'utf8').verify(key, Buffer.from(signature, 'base64'));
    } catch {
      // Bytes that are not a DER signature are simply not the right one.
      return false;
    }
  }
}
