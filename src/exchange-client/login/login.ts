// The exchange login: obtains the JWT, renews it well before its end, and returns it at the end. One request at a time
// serves all callers. A renewal never delays commands, which use the token that is still valid.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { decodeLogin, parseExactJson, toObject } from '../../exchange/mod.ts';
import { describeResult } from '../commands/outcome.ts';
import type { ExchangeClock } from '../exchange-clock.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RateBudget } from '../rates/rate-budget.ts';
import type { HttpOrigin, HttpRequest, HttpResult } from '../reads/http.ts';
import type { Signer } from './credential.ts';

/** Validity of a JWT (trading-api.md, Limits). */
const JWT_VALIDITY_MS = 24 * 3_600_000;
const LOGOUT_PATH = '/trading-api/v1/users/logout';
/** Logins for the sake of a 401: so many at once, and another one after each of these intervals. Without a login no cancel leaves. */
const REPLACEMENTS_MAX = 10;
const REPLACEMENT_INTERVAL_MS = 6_000;
/** Longest wait at the end for open logins to be kept. */
const KEPT_WITHIN_MS = 1_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export interface LoginToken {
  readonly authorizer: string;
  readonly token: string;
}

export interface ExchangeLoginParts {
  readonly options: ResolvedOptions;
  readonly signer: Signer;
  readonly http: HttpOrigin;
  readonly budget: RateBudget;
  readonly clock: ExchangeClock;
}

export class ExchangeLogin {
  readonly #options: ResolvedOptions;
  readonly #signer: Signer;
  readonly #http: HttpOrigin;
  readonly #budget: RateBudget;
  readonly #clock: ExchangeClock;
  #current: LoginToken | null = null;
  #pending: Promise<LoginToken> | null = null;
  #renewal: NodeJS.Timeout | null = null;
  #retryMs = RETRY_FIRST_MS;
  /** The last attempt failed, and the next one is waited for. */
  #isRetrying = false;
  /** When the last of the replacements so far no longer counts. */
  #replacementsCountUntil = Number.NEGATIVE_INFINITY;
  #isReplacing = false;
  /** Replaced, and not given back yet: something may still use them. */
  readonly #retiring = new Set<LoginToken>();
  /** Logins left by the last process, once known. */
  #left: string[] | null = null;
  #closed = false;
  /** A login replaced another: its users move over before the old one ends. Must not reject. */
  onRenewed: () => Promise<void> = () => Promise.resolve();

  constructor({ options, signer, http, budget, clock }: ExchangeLoginParts) {
    this.#options = options;
    this.#signer = signer;
    this.#http = http;
    this.#budget = budget;
    this.#clock = clock;
    if (options.openLogins === undefined) this.#left = [];
  }

  /** The token in use; null before the first login, and while one is replaced that the exchange did not accept any more. */
  get current(): LoginToken | null {
    return this.#isReplacing ? null : this.#current;
  }

  /** When the token in use ends, as it says itself; null without a token, or where that is unknown. */
  get expiresAt(): EpochMs | null {
    return this.#current === null ? null : expiryOf(this.#current.token);
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
    // A key that is refused again and again would log in for every answer: sessions are few (exchange reference §5, 8400).
    if (this.#pending === null && !this.#mayReplace()) return null;
    // Waiting commands would be refused as well. If no other token can be had, the old one may still work.
    this.#isReplacing = true;
    try {
      return await this.logIn();
    } catch (error) {
      this.#failed(error);
      return null;
    } finally {
      this.#isReplacing = false;
    }
  }

  /** Give the token back, and those that it has just replaced (trading-api.md, Session). */
  async logOut(): Promise<void> {
    this.#closed = true;
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    await this.#pending?.catch(() => null);
    const tokens = [...this.#retiring];
    if (this.#current !== null) tokens.push(this.#current);
    this.#retiring.clear();
    this.#current = null;
    await Promise.all(tokens.map(({ token }) => this.#end(token)));
    // A disk that does not answer is not waited for.
    const late = new Promise((resolve) => setTimeout(resolve, KEPT_WITHIN_MS).unref());
    await Promise.race([this.#keep(), late]);
  }

  /**
   * Return logins that a killed process left open: their number is limited (exchange reference §5, 8400), and after
   * some kills the exchange would refuse logins for a day. An unanswered return is retried before the next login.
   */
  async #giveBackLeft(): Promise<void> {
    this.#left ??= [...((await this.#options.openLogins?.read()) ?? [])];
    const ended = await Promise.all(this.#left.map((token) => this.#end(token, true)));
    this.#left = this.#left.filter((_token, i) => !ended[i]);
  }

  /** Tell the next process which logins are open. */
  #keep(): Promise<void> {
    const { openLogins } = this.#options;
    if (openLogins === undefined) return Promise.resolve();
    const open = this.#current === null ? [] : [this.#current];
    return openLogins.write([...[...open, ...this.#retiring].map(({ token }) => token), ...(this.#left ?? [])]);
  }

  async #attempt(): Promise<LoginToken> {
    const { name, timeouts, settings } = this.#options;
    const clock = this.#clock;
    if (this.#left === null || this.#left.length > 0) await this.#giveBackLeft();
    let result = await this.#ask(clock.now());
    if (result.kind === 'answer' && result.status !== 200) {
      // It is valid for its time only: where our clock turns out to be off, it is asked for once more.
      const wasOff = clock.offsetMs;
      await clock.compare();
      if (Math.abs(clock.offsetMs - wasOff) > settings.clockOffsetMaxMs) result = await this.#ask(clock.now());
    }
    const token = result.kind === 'answer' && result.status === 200 ? decodeLogin(parseExactJson(result.body)) : null;
    if (token === null) {
      const code = result.kind === 'answer' ? 'XG_EXCHANGE_LOGIN_FAILED' : 'XG_EXCHANGE_UNREACHABLE';
      throw new CrossgateError(code, `exchange login ${name}: ${describeResult(result)}`);
    }
    const previous = this.#current;
    this.#current = token;
    this.#retryMs = RETRY_FIRST_MS;
    this.#isRetrying = false;
    const validMs = this.#validityOf(token);
    // A token that is valid for less than the time before its end is renewed at half of its life.
    this.#scheduleRenewal(
      Math.max(RETRY_FIRST_MS, Math.min(JWT_VALIDITY_MS, Math.max(validMs / 2, validMs - timeouts.renewBeforeMs))),
    );
    // The exchange counts sessions: the replaced one is ended, after its last users (exchange reference §5, 8400). One
    // that it gave once more is none.
    if (previous !== null && previous.token !== token.token) {
      this.#retiring.add(previous);
      if (!this.#closed) void this.#retire(previous);
    }
    void this.#keep();
    return token;
  }

  /** How long a token that was just given is valid, in milliseconds. */
  #validityOf({ token }: LoginToken): number {
    const validMs = (expiryOf(token) ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    if (validMs === Number.POSITIVE_INFINITY) return JWT_VALIDITY_MS;
    if (validMs > 0) return validMs;
    // Renewed at once it would be for ever: sessions are few. If it is refused, another one takes its place.
    const text = 'the exchange gave a token that says that it has ended already; it is used as if valid for a day';
    this.#options.log('warn', text, {});
    return JWT_VALIDITY_MS;
  }

  async #ask(at: EpochMs): Promise<HttpResult> {
    const { name, timeouts } = this.#options;
    // Without a login no cancel leaves: it takes of the share that is kept for those.
    const ticket = await this.#budget.room('other', 'cancel', timeouts.loginMs);
    if (ticket === null) {
      throw new CrossgateError('XG_EXCHANGE_UNREACHABLE', `exchange login ${name}: no share of the rate limit in time`);
    }
    const result = await this.#signed(at);
    ticket.settle(result);
    return result;
  }

  async #signed(at: EpochMs): Promise<HttpResult> {
    const { name, timeouts } = this.#options;
    let request: HttpRequest;
    try {
      request = await this.#signer.login(at);
    } catch (error) {
      // Nothing was asked: the exchange did not refuse this key.
      return { kind: 'notSent', message: error instanceof Error ? error.message : `${name} cannot be signed for` };
    }
    return await this.#http.send(request, timeouts.loginMs);
  }

  /** End a login that was replaced when its last command has an answer and the streams have moved to the next one. */
  async #retire(previous: LoginToken): Promise<void> {
    const answered = new Promise((resolve) => setTimeout(resolve, this.#options.timeouts.requestMs).unref());
    await Promise.all([answered, this.onRenewed()]);
    if (!this.#retiring.delete(previous)) return;
    await this.#end(previous.token);
    void this.#keep();
  }

  #mayReplace(): boolean {
    const now = this.#options.elapsedMs();
    const until = Math.max(now, this.#replacementsCountUntil) + REPLACEMENT_INTERVAL_MS;
    if (until - now > REPLACEMENTS_MAX * REPLACEMENT_INTERVAL_MS) return false;
    this.#replacementsCountUntil = until;
    return true;
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
      this.#isRetrying = false;
      this.#failed(error);
    }
  }

  /** Report it, and retry by timer. Commands refused meanwhile trigger a retry too, without delaying it. */
  #failed(error: unknown): void {
    if (this.#isRetrying || this.#closed) return;
    const text = error instanceof Error ? error.message : String(error);
    this.#options.onAlarm('login-renewal-failed', text, {});
    this.#isRetrying = true;
    this.#scheduleRenewal(this.#nextRetryMs());
  }

  #nextRetryMs(): number {
    const wait = this.#retryMs;
    this.#retryMs = Math.min(wait * 2, RETRY_MAX_MS);
    return wait;
  }

  /** Whether the exchange has answered; one that `isLeft` may have ended by itself. */
  async #end(token: string, isLeft = false): Promise<boolean> {
    const ticket = await this.#budget.room('other', 'read', this.#options.timeouts.loginMs);
    if (ticket === null) {
      this.#options.log('warn', 'exchange logout: no share of the rate limit in time', {});
      return false;
    }
    const result = await this.#http.send({
      method: 'GET',
      target: LOGOUT_PATH,
      headers: { authorization: `Bearer ${token}` },
      body: null,
    });
    ticket.settle(result);
    const isEnded = result.kind === 'answer' && result.status === 200;
    if (isEnded && isLeft) this.#options.log('info', 'an exchange login that was left open is given back', {});
    if (!isEnded && !isLeft) this.#options.log('warn', `exchange logout: ${describeResult(result)}`, {});
    return result.kind === 'answer';
  }
}

/** End of a JWT by its `exp` claim; null if it does not say. */
function expiryOf(token: string): EpochMs | null {
  const claims = toObject(parseExactJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
  const exp = claims?.exp;
  return typeof exp === 'number' && exp > 0 ? exp * 1000 : null;
}
