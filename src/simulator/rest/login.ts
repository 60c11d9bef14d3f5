// Endpoints around a login: ECDSA and HMAC login, logout, nonce range, time.

import { BlockList, isIPv6 } from 'node:net';
import { formatIso } from '../../base/time.ts';
import { ECDSA_LOGIN_PATH, HMAC_LOGIN_PATH, LOGIN_EXPIRATION_S } from '../../exchange/mod.ts';
import { header, parseBody } from '../access/authentication.ts';
import type { Login } from '../access/logins.ts';
import type { ApiKey } from '../world/key-files.ts';
import { invalidRequest, missingSignature, Refusal } from './refusal.ts';
import type { Json } from './rendering.ts';
import { loginOf, type Route, type RouteRequest } from './route.ts';

/** Clock difference that a login payload may show, in seconds (**assumed**). */
const PAYLOAD_SKEW_S = 60;

const invalidPublicKey = (): Refusal => new Refusal(400, 8010, 'INVALID_REQUEST', 'The public key is not known');
const wrongSignature = (): Refusal =>
  new Refusal(401, 8008, 'INVALID_SIGNATURE', 'The login signature does not verify');

function keyOf(request: RouteRequest, kind: 'hmac' | 'ecdsa', publicKey: string): ApiKey {
  // PEM keys are compared after trimming (exchange reference §10).
  const wanted = publicKey.trim();
  for (const key of request.host.keys.values()) {
    if (key.file.kind === kind && key.file.publicKey.trim() === wanted) return key;
  }
  throw invalidPublicKey();
}

/** Whether an address is one of, or inside one of, `10.0.0.1`, `10.0.0.0/8`. */
function isWithinRanges(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/');
    const family = isIPv6(net) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(net, family);
    else list.addSubnet(net, Number(prefix), family);
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** An allow list, where the user has one, binds logins (trading-api.md, API key). */
function checkAddress(request: RouteRequest, key: ApiKey): void {
  const { ipAllowList } = key.user;
  if (ipAllowList.length > 0 && !isWithinRanges(request.address, ipAllowList)) {
    throw new Refusal(403, 8012, 'LOGIN_FAILED', 'This address is not on the allow list of the key');
  }
}

function loginAnswer(login: Login): Json {
  return { authorizer: login.authorizer, ownerAuthorizer: login.authorizer, token: login.token };
}

function hmacLogin(request: RouteRequest): Json {
  const { headers, host, now } = request;
  const publicKey = header(headers, 'bx-public-key');
  const signature = header(headers, 'bx-signature');
  const timestamp = header(headers, 'bx-timestamp');
  const nonce = header(headers, 'bx-nonce');
  if (signature === null) throw missingSignature();
  if (publicKey === null) throw invalidPublicKey();
  if (timestamp === null || nonce === null) throw invalidRequest('Missing BX-TIMESTAMP or BX-NONCE header');
  if (!/^\d{1,20}$/.test(nonce)) throw invalidRequest('BX-NONCE is not an unsigned integer');
  if (!/^\d{13,14}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > host.settings.timestampSkewMs) {
    throw invalidRequest('BX-TIMESTAMP header is not a time in milliseconds or outside the valid range');
  }
  const key = keyOf(request, 'hmac', publicKey);
  checkAddress(request, key);
  if (key.file.kind !== 'hmac' || !host.signatures.isHmacLoginSignature(key.file, { timestamp, nonce }, signature)) {
    throw wrongSignature();
  }
  return loginAnswer(host.logins.open(key, request.address, now));
}

function ecdsaLogin(request: RouteRequest): Json {
  const { host, now } = request;
  const body = parseBody(request.body);
  const { publicKey, signature, loginPayload } = body;
  if (typeof publicKey !== 'string' || typeof signature !== 'string') {
    throw invalidRequest('publicKey or signature is missing');
  }
  // Keys of the type before ECDSA have had no use since 28 June 2024 (trading-api.md, API key).
  if (publicKey.startsWith('PUB_R1_'))
    throw new Refusal(400, 8010, 'INVALID_REQUEST', 'Legacy keys are no longer usable');
  if (publicKey.includes('\r')) throw invalidRequest('publicKey must have Unix line breaks');
  if (typeof loginPayload !== 'object' || loginPayload === null) throw invalidRequest('loginPayload is missing');
  const key = keyOf(request, 'ecdsa', publicKey);
  checkAddress(request, key);
  const payload = loginPayload as Readonly<Record<string, unknown>>;
  // The top level may repeat userId or not (rule X4).
  if (body.userId !== undefined && body.userId !== payload.userId) {
    throw invalidRequest('userId differs between the body and loginPayload');
  }
  if (payload.userId !== key.user.userId) throw new Refusal(404, 8011, 'USER_NOT_EXISTS', 'The user does not exist');
  checkPayload(payload, Math.floor(now / 1000));
  if (key.file.kind !== 'ecdsa' || !host.signatures.isEcdsaLoginSignature(key.file, payload, signature)) {
    throw wrongSignature();
  }
  return loginAnswer(host.logins.open(key, request.address, now));
}

function checkPayload(payload: Readonly<Record<string, unknown>>, nowS: number): void {
  const { nonce, expirationTime } = payload;
  if (!Number.isInteger(nonce) || !Number.isInteger(expirationTime)) {
    throw invalidRequest('nonce and expirationTime must be epoch seconds');
  }
  if (payload.biometricsUsed !== false) throw invalidRequest('biometricsUsed must be false');
  if (payload.sessionKey !== null && payload.sessionKey !== undefined) {
    throw invalidRequest('sessionKey must be null');
  }
  const expires = Number(expirationTime);
  if (expires <= nowS) throw invalidRequest('expirationTime is over');
  if (expires > nowS + LOGIN_EXPIRATION_S + PAYLOAD_SKEW_S) throw invalidRequest('expirationTime is too far away');
}

function logout(request: RouteRequest): undefined {
  request.host.logins.end(loginOf(request));
}

function nonceRange(request: RouteRequest): Json {
  const { host, now } = request;
  const { lowerBound, upperBound } = host.nonces.range(now);
  // JSON numbers: microseconds of this century are exact in them.
  return { lowerBound: Number(lowerBound), upperBound: Number(upperBound) };
}

function time(request: RouteRequest): Json {
  return { datetime: formatIso(request.now), timestamp: request.now };
}

export function loginRoutes(nonceAuthenticated: boolean): Route[] {
  const nonceAuth = nonceAuthenticated ? 'login' : 'none';
  return [
    { method: 'POST', path: ECDSA_LOGIN_PATH, auth: 'none', limit: 'other', operation: 'login', handle: ecdsaLogin },
    { method: 'GET', path: HMAC_LOGIN_PATH, auth: 'none', limit: 'other', operation: 'login', handle: hmacLogin },
    { method: 'GET', path: '/trading-api/v1/users/logout', auth: 'login', limit: 'other', handle: logout },
    { method: 'GET', path: '/trading-api/v1/nonce', auth: nonceAuth, limit: 'none', handle: nonceRange },
    { method: 'GET', path: '/nonce', auth: nonceAuth, limit: 'none', handle: nonceRange },
    { method: 'GET', path: '/trading-api/v1/time', auth: 'none', limit: 'public', handle: time },
  ];
}
