// Identifies the caller and proves that a command is its own: JWT, signature headers, timestamp, nonce, envelope.

import type { EpochMs } from '../../base/time.ts';
import { takesNonceWindow } from '../../exchange/mod.ts';
import type { Host } from '../host.ts';
import { inListedOrder, needsEnvelope, refusesEnvelope } from '../rest/command-fields.ts';
import {
  invalidNonce,
  invalidRequest,
  invalidSignature,
  missingSignature,
  Refusal,
  unauthorized,
  unauthorizedCommand,
} from '../rest/refusal.ts';
import type { Floor } from '../venue/floor.ts';
import type { Login } from './logins.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A header's single value, or null. */
export function header(headers: Headers, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The token of a request: Authorization, or on reads the cookie that the streams use (exchange reference §10). */
export function tokenOf(headers: Headers): string | null {
  const authorization = header(headers, 'authorization');
  if (authorization !== null) return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? null;
  return cookieToken(headers);
}

export function cookieToken(headers: Headers): string | null {
  return /(?:^|;\s*)JWT_COOKIE=([^;\s]+)/.exec(header(headers, 'cookie') ?? '')?.[1] ?? null;
}

/** The login of a request; it is good from the address that logged in only (exchange catalogue, A.1). @throws Refusal 401 */
export function requireLogin(host: Host, headers: Headers, address: string, now: EpochMs): Login {
  const token = tokenOf(headers);
  const login = token === null ? null : host.logins.find(token, now);
  if (login === null || login.address !== address) throw unauthorized();
  return login;
}

export interface SignedCommand {
  /** The command's own fields, envelope removed. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly enveloped: boolean;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseBody(body: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not JSON');
  }
  if (!isRecord(json)) throw invalidRequest('The body is not a JSON object');
  return json;
}

/** The error body of each thing that can be wrong with a signature; OTC endpoints have codes of their own. */
interface SignatureRefusals {
  readonly missingSignature: () => Refusal;
  readonly missingTimestamp: () => Refusal;
  readonly missingNonce: () => Refusal;
  readonly timestamp: () => Refusal;
  readonly nonce: (why: string) => Refusal;
}

const TIMESTAMP_TEXT = 'BX-TIMESTAMP header is not a time in milliseconds or outside the valid range';

const TRADING: SignatureRefusals = {
  missingSignature,
  missingTimestamp: () => invalidRequest('Missing BX-TIMESTAMP header'),
  missingNonce: () => invalidRequest('Missing BX-NONCE header'),
  timestamp: () => invalidRequest(TIMESTAMP_TEXT),
  nonce: (why) => invalidNonce(`Invalid nonce: ${why}`),
};

/** Exchange catalogue, Appendix D, codes of OTC trades. */
const OTC: SignatureRefusals = {
  missingSignature: () => new Refusal(400, 9011, 'MISSING_SIGNATURE', 'Missing BX-SIGNATURE header'),
  missingNonce: () => new Refusal(400, 9012, 'MISSING_NONCE', 'Missing BX-NONCE header'),
  missingTimestamp: () => new Refusal(400, 9013, 'MISSING_TIMESTAMP', 'Missing BX-TIMESTAMP header'),
  timestamp: () => new Refusal(400, 9014, 'INVALID_TIMESTAMP', TIMESTAMP_TEXT),
  nonce: (why) => new Refusal(400, 9015, 'INVALID_NONCE', `Invalid nonce: ${why}`),
};

/** Verify a signed command as trading-api.md, BX-SIGNATURE, describes. Its nonce is used up by this. @throws Refusal */
export function verifyCommand(
  host: Host,
  login: Login,
  request: {
    readonly method: string;
    readonly path: string;
    /** The path as the documents have it: a trailing slash is signed, and tolerated. */
    readonly route: string;
    readonly headers: Headers;
    readonly body: string;
    readonly area: 'trading' | 'custody' | 'otc';
  },
  now: EpochMs,
): SignedCommand {
  const { headers, body, area } = request;
  const refusals = area === 'otc' ? OTC : TRADING;
  const signature = header(headers, 'bx-signature');
  if (signature === null) throw refusals.missingSignature();
  const timestamp = header(headers, 'bx-timestamp');
  if (timestamp === null) throw refusals.missingTimestamp();
  const nonce = header(headers, 'bx-nonce');
  if (nonce === null) throw refusals.missingNonce();
  if (!isCurrent(host, timestamp, now)) throw refusals.timestamp();
  const referrer = header(headers, 'bx-referrer');
  if (referrer !== null && !/^\d{1,20}$/.test(referrer)) {
    throw area === 'otc'
      ? new Refusal(400, 9016, 'INVALID_REFERRER', 'BX-REFERRER is not a number')
      : invalidRequest('BX-REFERRER is not a number');
  }
  const json = parseBody(body);
  const { method, path, route } = request;
  if (!host.signatures.isCommandSignature(login.key, { timestamp, nonce, method, path, body }, signature)) {
    throw invalidSignature('The signature does not verify');
  }
  const window = takesNonceWindow(route) && header(headers, 'bx-nonce-window-enabled')?.toLowerCase() === 'true';
  const refusal = host.nonces.refusal(login.key.name, nonce, window, now);
  if (refusal !== null) throw refusals.nonce(refusal);
  host.nonces.use(login.key.name, nonce);
  return unwrap(host, login, json, { timestamp, nonce });
}

/** Whether a text is a time in milliseconds not too far from the clock. */
function isCurrent(host: Host, timestamp: string, now: EpochMs): boolean {
  return /^\d{13,14}$/.test(timestamp) && Math.abs(Number(timestamp) - now) <= host.settings.timestampSkewMs;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Verify a withdrawal: its envelope carries timestamp and UUID nonce, headers other than BX-SIGNATURE may be missing
 * (exchange reference §10). The nonce is good once per key. @throws Refusal
 */
export function verifyWithdrawal(
  request: { readonly host: Host; readonly headers: Headers; readonly body: string; readonly path: string } & {
    readonly now: EpochMs;
    readonly floor: Floor;
  },
  login: Login,
): { readonly command: Readonly<Record<string, unknown>>; readonly nonce: string } {
  const { host, headers, body, path, now } = request;
  const signature = header(headers, 'bx-signature');
  if (signature === null) throw missingSignature();
  const json = parseBody(body);
  const { timestamp, nonce, authorizer, command } = json;
  if (typeof timestamp !== 'string' || !isCurrent(host, timestamp, now)) throw invalidRequest(TIMESTAMP_TEXT);
  if (typeof nonce !== 'string' || !UUID.test(nonce)) throw invalidNonce('The nonce of a withdrawal is a UUID');
  if (!isRecord(command)) throw invalidRequest('The command has no envelope');
  if (!host.signatures.isCommandSignature(login.key, { timestamp, nonce, method: 'POST', path, body }, signature)) {
    throw invalidSignature('The signature does not verify');
  }
  // Custody's own code for the meaning of 6105 elsewhere (**assumed**).
  if (authorizer !== login.authorizer) {
    throw new Refusal(400, 8327, 'INVALID_LOGIN', 'The authorizer is not that of the login');
  }
  const used = `${login.key.name}/${nonce.toLowerCase()}`;
  if (request.floor.custody.nonces.has(used)) throw invalidNonce('Invalid nonce: nonce was used before');
  return { command, nonce: used };
}

/** Take the command out of its envelope (dialect v2), or take the flat body (v3), as the settings allow. */
function unwrap(
  host: Host,
  login: Login,
  json: Record<string, unknown>,
  sent: { readonly timestamp: string; readonly nonce: string },
): SignedCommand {
  const { dialects } = host.settings;
  const { fieldOrder } = host.settings;
  if (fieldOrder === 'listed') {
    const wrong = inListedOrder(json);
    if (wrong !== null) throw invalidRequest(wrong);
  }
  if (!isRecord(json.command)) {
    if (!dialects.includes('v3') || needsEnvelope(json.commandType))
      throw invalidRequest('The command has no envelope');
    return { fields: json, enveloped: false };
  }
  if (!dialects.includes('v2')) throw invalidRequest('Enveloped commands are no longer accepted');
  if (refusesEnvelope(json.command.commandType)) throw invalidRequest('This command goes without an envelope');
  if (json.timestamp !== sent.timestamp) throw invalidRequest('timestamp differs from the BX-TIMESTAMP header');
  if (json.nonce !== sent.nonce) throw invalidRequest('nonce differs from the BX-NONCE header');
  if (json.authorizer !== login.authorizer) throw unauthorizedCommand('The authorizer is not that of the login');
  return { fields: json.command, enveloped: true };
}
