// `crossgate exchange check`: proves login and signature with a cancel of an order that cannot exist; places and cancels
// nothing, and never touches a dead man's switch (rule X6).

import type { EpochMs } from '../base/time.ts';
import type { CommandDialect, EcdsaPrehash } from '../exchange/mod.ts';
import { CommandLane } from './command-lane.ts';
import { CommandWays } from './command-ways.ts';
import { createSigner } from './credential.ts';
import { ExchangeClock } from './exchange-clock.ts';
import { HttpOrigin } from './http.ts';
import { ExchangeLogin } from './login.ts';
import { type Credential, resolveOptions } from './options.ts';
import { tookNonce } from './outcome.ts';
import { RateBudget } from './rate-budget.ts';
import { Reads } from './reads.ts';

export interface ExchangeCheckOptions {
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly tradingAccountId: string;
  readonly now: () => EpochMs;
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
  const steps: ExchangeCheckStep[] = [];
  let accepted = false;
  let ceiling: string | null = null;
  const prehashes: readonly EcdsaPrehash[] = check.credential.kind === 'ecdsa' ? ['hexdigest', 'none'] : ['hexdigest'];
  for (const dialect of ['v2', 'v3'] as const satisfies readonly CommandDialect[]) {
    for (const prehash of prehashes) {
      const way = check.credential.kind === 'ecdsa' ? `dialect ${dialect}, prehash ${prehash}` : `dialect ${dialect}`;
      const tried = await tryWay(check, dialect, prehash, ceiling);
      if (tried.loginText !== null) {
        steps.push({ step: 'login', ok: false, text: tried.loginText });
        return { ok: false, steps };
      }
      ceiling = tried.ceiling;
      if (steps.length === 0)
        steps.push({ step: 'login', ok: true, text: `logged in with the ${check.credential.kind} key` });
      accepted ||= tried.ok;
      steps.push({ step: way, ok: tried.ok, text: tried.text });
    }
  }
  return { ok: accepted, steps };
}

async function tryWay(
  check: ExchangeCheckOptions,
  dialect: CommandDialect,
  prehash: EcdsaPrehash,
  nonceCeiling: string | null,
): Promise<{ ok: boolean; text: string; loginText: string | null; ceiling: string | null }> {
  const options = resolveOptions({
    name: 'check',
    baseUrl: check.baseUrl,
    credential: check.credential,
    dialect,
    prehash,
    tradingAccountIds: [check.tradingAccountId],
    auctionSymbols: [],
    nonceMode: 'window',
    nonceCeiling,
    onNonceCeiling: () => {},
    now: check.now,
    log: () => {},
    onAlarm: () => {},
  });
  const { connectMs, requestMs } = options.timeouts;
  const http = new HttpOrigin(check.baseUrl, { connections: 2, connectMs, requestMs });
  const signer = createSigner(check.credential, { prehash, loginUserId: options.settings.loginUserId });
  const budget = new RateBudget(options.rates, options, options.addressBudget);
  const clock = new ExchangeClock(options, http, budget);
  const login = new ExchangeLogin({ options, signer, http, budget, clock });
  const commandHttp = new CommandWays(check.baseUrl, { connections: 1, connectMs, requestMs });
  const lane = new CommandLane({ options, signer, login, http: commandHttp, budget, clock });
  try {
    await clock.compare();
    await login.logIn();
    const reads = new Reads(options, login, http, budget);
    const range = await reads.nonceRange();
    const symbol = (await reads.markets())?.[0]?.symbol;
    if (range === null || symbol === undefined) {
      return { ok: false, text: '', loginText: 'nonce range or markets could not be read', ceiling: nonceCeiling };
    }
    lane.nonces.setRange(range);
    const { outcome } = await lane.submit(
      'check',
      {
        kind: 'cancelOrder',
        orderId: options.settings.impossibleOrderId,
        clientOrderId: null,
        symbol,
        tradingAccountId: check.tradingAccountId,
      },
      'cancel',
    );
    const ok = tookNonce(outcome);
    const text = ok ? 'accepted' : outcome.kind === 'accepted' ? '' : outcome.message;
    return { ok, text, loginText: null, ceiling: lane.nonces.last.toString() };
  } catch (error) {
    const loginText = error instanceof Error ? error.message : String(error);
    return { ok: false, text: '', loginText, ceiling: nonceCeiling };
  } finally {
    clock.close();
    lane.close();
    commandHttp.close();
    await login.logOut();
    await http.close();
  }
}
