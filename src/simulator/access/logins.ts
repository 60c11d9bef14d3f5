// Logins of the exchange: JWTs, their 24 hours, logout, and how many a user may have.
// Signatures are checked by signature.ts before a login is opened here.

import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { EpochMs } from '../../base/time.ts';
import { Refusal } from '../rest/refusal.ts';
import type { ApiKey } from '../world/key-files.ts';

/** An open login. */
export interface Login {
  readonly token: string;
  readonly authorizer: string;
  readonly key: ApiKey;
  /** The address that logged in. */
  readonly address: string;
  readonly expiresAt: EpochMs;
}

export class Logins {
  private readonly byToken = new Map<string, Login>();
  private readonly secret = randomBytes(32);
  private readonly validityMs: number;
  private readonly perUserMax: number;
  private count = 0;
  /** Called when a login ends early or expires; the streams close its connections. */
  onEnd: (login: Login) => void = () => {};

  constructor(validityMs: number, perUserMax: number) {
    this.validityMs = validityMs;
    this.perUserMax = perUserMax;
  }

  /** Open a login. @throws Refusal 8400 if the user has too many */
  open(key: ApiKey, address: string, now: EpochMs): Login {
    this.dropExpired(now);
    let open = 0;
    for (const login of this.byToken.values()) if (login.key.user.userId === key.user.userId) open++;
    if (open >= this.perUserMax) {
      throw new Refusal(400, 8400, 'MAX_SESSION_COUNT_REACHED', 'Too many logins are open for this user');
    }
    const expiresAt = now + this.validityMs;
    const login = { token: this.jwt(key, now, expiresAt), authorizer: authorizerOf(key), key, address, expiresAt };
    this.byToken.set(login.token, login);
    return login;
  }

  /** The login of a token, or null if it is unknown, ended or expired. */
  find(token: string, now: EpochMs): Login | null {
    const login = this.byToken.get(token);
    if (login === undefined) return null;
    if (login.expiresAt > now) return login;
    this.end(login);
    return null;
  }

  end(login: Login): void {
    if (this.byToken.delete(login.token)) this.onEnd(login);
  }

  /** End every login, or those of one key. */
  endAll(keyName: string | null): void {
    for (const login of [...this.byToken.values()]) {
      if (keyName === null || login.key.name === keyName) this.end(login);
    }
  }

  get size(): number {
    return this.byToken.size;
  }

  /** End expired logins, and with them their streams. */
  dropExpired(now: EpochMs): void {
    for (const login of [...this.byToken.values()]) if (login.expiresAt <= now) this.end(login);
  }

  private jwt(key: ApiKey, now: EpochMs, expiresAt: EpochMs): string {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: 'crossgate-simulator',
      sub: key.user.userId,
      iat: Math.floor(now / 1000),
      exp: Math.floor(expiresAt / 1000),
      jti: String(++this.count),
    };
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return `${signed}.${createHmac('sha256', this.secret).update(signed).digest('base64url')}`;
  }
}

/** The same for all logins of a user, as the envelope of a command echoes it. */
function authorizerOf(key: ApiKey): string {
  return createHash('sha256').update(`authorizer ${key.user.userId}`).digest('hex').slice(0, 32).toUpperCase();
}
