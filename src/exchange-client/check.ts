// `crossgate exchange check`: proves login and signature with a cancel of an order that cannot exist; places and cancels
// nothing, and never touches a dead man's switch (rule X6).

import type { EpochMs } from '../base/time.ts';
import type { CommandDialect, EcdsaPrehash, ExchangeCommand, NonceRange } from '../exchange/mod.ts';
import { CommandLane } from './commands/command-lane.ts';
import { CommandWays } from './commands/command-ways.ts';
import { tookNonce } from './commands/outcome.ts';
import { ExchangeClock } from './exchange-clock.ts';
import { createSigner } from './login/credential.ts';
import { ExchangeLogin } from './login/login.ts';
import { type Credential, type ExchangeClientOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { RateBudget } from './rates/rate-budget.ts';
import { HttpOrigin } from './reads/http.ts';
import { Reads } from './reads/reads.ts';
import { ServiceWatch } from './service-watch.ts';

export interface ExchangeCheckOptions {
  readonly baseUrl: string;
  readonly tls?: ExchangeClientOptions['tls'];
  readonly credential: Credential;
  readonly tradingAccountId: string;
  readonly now: () => EpochMs;
  /** As the gateway has them: where cancels go, how a login names its user, and the like. */
  readonly settings?: ExchangeClientOptions['settings'];
  readonly timeouts?: ExchangeClientOptions['timeouts'];
  /** Pause before all is tried once more where nothing was accepted, default 11 s; 0: it is not. */
  readonly retryAfterMs?: number;
  /** How that pause is made; default a timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

export interface ExchangeCheckStep {
  readonly step: string;
  readonly ok: boolean;
  readonly text: string;
}

export interface ExchangeCheckReport {
  /** Whether login works and at least one way of signing is accepted. */
  readonly ok: boolean;
  readonly steps: readonly ExchangeCheckStep[];
}

/** A gateway that was just restarted sends nonces that are so much ahead of the clock: until then ours are too low. */
const NONCES_AHEAD_MS = 11_000;

/** Log in, read the nonce range, and sign a harmless command in every dialect and prehash. Never throws for the venue. */
export async function exchangeCheck(check: ExchangeCheckOptions): Promise<ExchangeCheckReport> {
  const report = await tryAllWays(check);
  const { retryAfterMs = NONCES_AHEAD_MS, pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = check;
  const isLoggedIn = report.steps[0]?.ok === true;
  if (report.ok || !isLoggedIn || retryAfterMs === 0) return report;
  await pause(retryAfterMs);
  return await tryAllWays(check);
}

async function tryAllWays(check: ExchangeCheckOptions): Promise<ExchangeCheckReport> {
  const { credential } = check;
  const options = optionsOf(check, 'v2', 'hexdigest', null);
  const { connectMs, requestMs } = options.timeouts;
  const http = new HttpOrigin(check.baseUrl, {
    connections: 2,
    connectMs,
    requestMs,
    ...(check.tls === undefined ? {} : { tls: check.tls }),
  });
  const budget = new RateBudget(options.rates, options, options.addressBudget);
  const clock = new ExchangeClock(options, http, budget);
  // One login for all ways: it is the same in each, and an exchange takes few.
  const signer = createSigner(credential, { prehash: 'hexdigest', loginUserId: options.settings.loginUserId });
  const login = new ExchangeLogin({ options, signer, http, budget, clock });
  const steps: ExchangeCheckStep[] = [];
  const failed = (text: string): ExchangeCheckReport => ({ ok: false, steps: [{ step: 'login', ok: false, text }] });
  try {
    await clock.compare();
    await login.logIn();
    const reads = new Reads(options, login, http, budget);
    const range = await reads.nonceRange();
    const symbol = (await reads.markets())?.[0]?.symbol;
    if (range === null || symbol === undefined) return failed('nonce range or markets could not be read');
    steps.push({ step: 'login', ok: true, text: `logged in with the ${credential.kind} key` });
    const prehashes: readonly EcdsaPrehash[] = credential.kind === 'ecdsa' ? ['hexdigest', 'none'] : ['hexdigest'];
    let ceiling: string | null = null;
    for (const dialect of ['v2', 'v3'] as const satisfies readonly CommandDialect[]) {
      for (const prehash of prehashes) {
        const step = credential.kind === 'ecdsa' ? `dialect ${dialect}, prehash ${prehash}` : `dialect ${dialect}`;
        const tried = await tryWay({ check, dialect, prehash, ceiling, login, budget, clock, range, symbol });
        ceiling = tried.ceiling;
        steps.push({ step, ok: tried.ok, text: tried.text });
      }
    }
    return { ok: steps.slice(1).some(({ ok }) => ok), steps };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    clock.close();
    await login.logOut();
    await http.close();
  }
}

interface Way {
  readonly check: ExchangeCheckOptions;
  readonly dialect: CommandDialect;
  readonly prehash: EcdsaPrehash;
  /** Highest nonce of the ways before. */
  readonly ceiling: string | null;
  readonly login: ExchangeLogin;
  readonly budget: RateBudget;
  readonly clock: ExchangeClock;
  readonly range: NonceRange;
  readonly symbol: string;
}

async function tryWay(way: Way): Promise<{ ok: boolean; text: string; ceiling: string }> {
  const { check, dialect, prehash, login, budget, clock, range, symbol } = way;
  const options = optionsOf(check, dialect, prehash, way.ceiling);
  const { connectMs, requestMs } = options.timeouts;
  const signer = createSigner(check.credential, { prehash, loginUserId: options.settings.loginUserId });
  const one = { connections: 1, connectMs, requestMs, tls: check.tls ?? {} };
  const http = new CommandWays(check.baseUrl, one, new ServiceWatch());
  // The one that was read is good for the seconds that this takes.
  const readRange = (): Promise<void> => Promise.resolve();
  const lane = new CommandLane({ options, signer, login, http, budget, clock, readRange, keepsNonces: true });
  try {
    lane.nonces.setRange(range);
    const command: ExchangeCommand = {
      kind: 'cancelOrder',
      orderId: options.settings.impossibleOrderId,
      clientOrderId: null,
      symbol,
      tradingAccountId: check.tradingAccountId,
    };
    const { outcome } = await lane.submit({ commandId: 'check', command, priority: 'cancel' });
    const ok = tookNonce(outcome);
    const text = ok ? 'accepted' : outcome.kind === 'accepted' ? '' : outcome.message;
    return { ok, text, ceiling: lane.nonces.last.toString() };
  } finally {
    lane.close();
    http.close();
  }
}

function optionsOf(
  check: ExchangeCheckOptions,
  dialect: CommandDialect,
  prehash: EcdsaPrehash,
  nonceCeiling: string | null,
): ResolvedOptions {
  return resolveOptions({
    name: 'check',
    baseUrl: check.baseUrl,
    ...(check.tls === undefined ? {} : { tls: check.tls }),
    credential: check.credential,
    dialect,
    prehash,
    tradingAccountIds: [check.tradingAccountId],
    auctionSymbols: [],
    nonceMode: 'window',
    nonceCeiling,
    onNonceCeiling: () => {},
    ...(check.settings === undefined ? {} : { settings: check.settings }),
    ...(check.timeouts === undefined ? {} : { timeouts: check.timeouts }),
    now: check.now,
    log: () => {},
    onAlarm: () => {},
  });
}
