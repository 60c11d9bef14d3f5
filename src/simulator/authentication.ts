// Who is asking, and whether a command is really theirs: JWT, signature headers, timestamp, nonce, envelope.

import type { EpochMs } from '../base/time.ts';
import type { Host } from './host.ts';
import type { Login } from './logins.ts';
import {
  invalidNonce,
  invalidRequest,
  invalidSignature,
  missingSignature,
  unauthorized,
  unauthorizedCommand,
} from './refusal.ts';

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

/** The login of a request. @throws Refusal 401 */
export function requireLogin(host: Host, headers: Headers, now: EpochMs): Login {
  const token = tokenOf(headers);
  const login = token === null ? null : host.logins.find(token, now);
  if (login === null) throw unauthorized();
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

/** Verify a signed command as trading-api.md, BX-SIGNATURE, describes. Its nonce is used up by this. @throws Refusal */
export function verifyCommand(
  host: Host,
  login: Login,
  request: { readonly method: string; readonly path: string; readonly headers: Headers; readonly body: string },
  now: EpochMs,
): SignedCommand {
  const { headers, body } = request;
  const signature = header(headers, 'bx-signature');
  if (signature === null) throw missingSignature();
  const timestamp = header(headers, 'bx-timestamp');
  if (timestamp === null) throw invalidRequest('Missing BX-TIMESTAMP header');
  const nonce = header(headers, 'bx-nonce');
  if (nonce === null) throw invalidRequest('Missing BX-NONCE header');
  if (!/^\d{13,14}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > host.settings.timestampSkewMs) {
    throw invalidRequest('BX-TIMESTAMP header is not a time in milliseconds or outside the valid range');
  }
  const json = parseBody(body);
  const { method, path } = request;
  if (!host.signatures.isCommandSignature(login.key, { timestamp, nonce, method, path, body }, signature)) {
    throw invalidSignature('The signature does not verify');
  }
  const window = header(headers, 'bx-nonce-window-enabled')?.toLowerCase() === 'true';
  const refusal = host.nonces.refusal(login.key.name, nonce, window, now);
  if (refusal !== null) throw invalidNonce(`Invalid nonce: ${refusal}`);
  host.nonces.use(login.key.name, nonce);
  return unwrap(host, login, json, { timestamp, nonce });
}

/** Take the command out of its envelope (dialect v2), or take the flat body (v3), as the settings allow. */
function unwrap(
  host: Host,
  login: Login,
  json: Record<string, unknown>,
  sent: { readonly timestamp: string; readonly nonce: string },
): SignedCommand {
  const { dialects } = host.settings;
  if (!isRecord(json.command)) {
    if (!dialects.includes('v3')) throw invalidRequest('The command has no envelope');
    return { fields: json, enveloped: false };
  }
  if (!dialects.includes('v2')) throw invalidRequest('Enveloped commands are no longer accepted');
  if (json.timestamp !== sent.timestamp) throw invalidRequest('timestamp differs from the BX-TIMESTAMP header');
  if (json.nonce !== sent.nonce) throw invalidRequest('nonce differs from the BX-NONCE header');
  if (json.authorizer !== login.authorizer) throw unauthorizedCommand('The authorizer is not that of the login');
  return { fields: json.command, enveloped: true };
}
