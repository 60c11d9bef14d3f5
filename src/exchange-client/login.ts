// The exchange login: obtains the JWT, renews it well before its end, and gives it back at the end. One at a time, whoever
// asks; a renewal never holds up commands, which go on with the token that is still valid.

import { CrossgateError } from '../base/errors.ts';
import { decodeLogin, parseExactJson } from '../exchange/mod.ts';
import type { Signer } from './credential.ts';
import type { HttpOrigin } from './http.ts';
import type { ResolvedOptions } from './options.ts';
import { describeResult } from './outcome.ts';

/** Validity of a JWT (trading-api.md, Limits). */
const JWT_VALIDITY_MS = 24 * 3_600_000;
const LOGOUT_PATH = '/trading-api/v1/users/logout';
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export interface LoginToken {
  readonly authorizer: string;
  readonly token: string;
}

export class ExchangeLogin {
  readonly #options: ResolvedOptions;
  readonly #signer: Signer;
  readonly #http: HttpOrigin;
  #current: LoginToken | null = null;
  #pending: Promise<LoginToken> | null = null;
  #renewal: NodeJS.Timeout | null = null;
  #retryMs = RETRY_FIRST_MS;
  #closed = false;

  constructor(options: ResolvedOptions, signer: Signer, http: HttpOrigin) {
    this.#options = options;
    this.#signer = signer;
    this.#http = http;
  }

  /** The token in use, or null before the first login. */
  get current(): LoginToken | null {
    return this.#current;
  }

  /** Log in; calls meanwhile share the attempt. @throws CrossgateError XG_EXCHANGE_LOGIN_FAILED or XG_EXCHANGE_UNREACHABLE */
  logIn(): Promise<LoginToken> {
    this.#pending ??= this.#attempt().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  /** The exchange did not accept `token`: get another unless that has happened already. Never throws. */
  async replace(token: string): Promise<LoginToken | null> {
    if (this.#current !== null && this.#current.token !== token) return this.#current;
    try {
      return await this.logIn();
    } catch {
      this.#scheduleRenewal(this.#nextRetryMs());
      return null;
    }
  }

  /** Give the token back (trading-api.md, Session). */
  async logOut(): Promise<void> {
    this.#closed = true;
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    await this.#pending?.catch(() => null);
    const token = this.#current;
    this.#current = null;
    if (token !== null) await this.#end(token);
  }

  async #attempt(): Promise<LoginToken> {
    const { name, now, timeouts } = this.#options;
    const result = await this.#http.send(this.#signer.login(now()), timeouts.loginMs);
    const token = result.kind === 'answer' && result.status === 200 ? decodeLogin(parseExactJson(result.body)) : null;
    if (token === null) {
      const code = result.kind === 'answer' ? 'XG_EXCHANGE_LOGIN_FAILED' : 'XG_EXCHANGE_UNREACHABLE';
      throw new CrossgateError(code, `exchange login ${name}: ${describeResult(result)}`);
    }
    const previous = this.#current;
    this.#current = token;
    this.#retryMs = RETRY_FIRST_MS;
    this.#scheduleRenewal(Math.max(RETRY_FIRST_MS, JWT_VALIDITY_MS - timeouts.renewBeforeMs));
    // Sessions are counted by the exchange: the replaced one is ended, after what still uses it (reference.md §5, 8400).
    if (previous !== null && !this.#closed) setTimeout(() => void this.#end(previous), timeouts.requestMs).unref();
    return token;
  }

  #scheduleRenewal(afterMs: number): void {
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    if (this.#closed) return;
    this.#renewal = setTimeout(() => void this.#renew(), afterMs);
    this.#renewal.unref();
  }

  async #renew(): Promise<void> {
    try {
      await this.logIn();
      this.#options.log('info', 'exchange login renewed', {});
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#options.onAlarm('loginRenewalFailed', text, {});
      this.#scheduleRenewal(this.#nextRetryMs());
    }
  }

  #nextRetryMs(): number {
    const wait = this.#retryMs;
    this.#retryMs = Math.min(wait * 2, RETRY_MAX_MS);
    return wait;
  }

  async #end(token: LoginToken): Promise<void> {
    const result = await this.#http.send({
      method: 'GET',
      target: LOGOUT_PATH,
      headers: { authorization: `Bearer ${token.token}` },
      body: null,
    });
    if (result.kind !== 'answer' || result.status !== 200) {
      this.#options.log('warn', `exchange logout: ${describeResult(result)}`, {});
    }
  }
}
