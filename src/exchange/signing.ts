// Strings that are signed: requests, the HMAC login and the ECDSA login payload.
// Hashing and signing them, and choosing timestamp and nonce, belong to exchange-client.

/** Path of the HMAC login, which is part of the string it signs (trading-api.md, HMAC login). */
export const HMAC_LOGIN_PATH = '/trading-api/v1/users/hmac/login';
/** Path of the ECDSA login (trading-api.md, Endpoints). */
export const ECDSA_LOGIN_PATH = '/trading-api/v2/users/login';
/** Seconds for which a signed login payload is valid (trading-api.md, ECDSA login). */
export const LOGIN_EXPIRATION_S = 300;

/** Parts of a signed request. `path` includes `/trading-api` and excludes the query. */
export interface SignedRequest {
  /** BX-TIMESTAMP: milliseconds since the epoch, as sent. */
  readonly timestamp: string;
  /** BX-NONCE, as sent. */
  readonly nonce: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  /** The JSON text as sent, empty if there is none. */
  readonly body: string;
}

const BLANKS = /[ \r\n]+/g;

/**
 * Join a request into the string to sign: no separators, and every space and newline of the body removed, those inside
 * string values too (trading-api.md, BX-SIGNATURE; exchange reference §2.1).
 */
export function stringToSign(request: SignedRequest): string {
  return request.timestamp + request.nonce + request.method + request.path + request.body.replace(BLANKS, '');
}

/** The string that the HMAC login signs directly, without a digest before it (exchange reference §2.2, rule X1). */
export function hmacLoginString(login: { readonly timestamp: string; readonly nonce: string }): string {
  return `${login.timestamp}${login.nonce}GET${HMAC_LOGIN_PATH}`;
}

/** The text that an ECDSA key signs to log in. Times are epoch seconds; the nonce is unrelated to command nonces. */
export interface LoginPayload {
  readonly userId: string;
  readonly nonce: number;
  readonly expirationTime: number;
  readonly biometricsUsed: false;
  readonly sessionKey: null;
}

/** Build the login payload for a login at `nowS` (epoch seconds), its fields in the documented order. */
export function loginPayload(userId: string, nowS: number): LoginPayload {
  return {
    userId,
    nonce: nowS,
    expirationTime: nowS + LOGIN_EXPIRATION_S,
    biometricsUsed: false,
    sessionKey: null,
  };
}
