// Sessions that a Logon makes from a template: which one it would be, whether the running gateway reaches its accounts and
// listeners, and all accounts that templates name. These accounts are compared with the exchange before the first of these
// Logons (rule J3).

import { CrossgateError } from '../../base/errors.ts';
import { isTemplate, type SessionSlot } from '../../engine/mod.ts';
import type { TradingAccount } from '../../gateway/mod.ts';
import type { SessionID } from '../../session/mod.ts';
import { type CredentialConfig, type EngineSessionConfig, sessionName } from '../gateway-config.ts';
import type { RunningEngine } from '../running-engine.ts';

/** Whether a trading account is left open: the Logon says which it is. */
const isOpenAccount = (tradingAccountId: string): boolean => tradingAccountId.includes('{');

/** The accounts that templates name; where one leaves them open, all of its exchange login. */
export function accountsOfTemplates(
  sessions: readonly EngineSessionConfig[],
  credentials: readonly CredentialConfig[],
): TradingAccount[] {
  const accounts = new Map<string, TradingAccount>();
  for (const { tradingAccountId, credential } of sessions.filter(isTemplate).flatMap((one) => one.gateway.accounts)) {
    const login = credentials.find(({ name }) => name === credential);
    for (const id of isOpenAccount(tradingAccountId) ? (login?.tradingAccountIds ?? []) : [tradingAccountId]) {
      accounts.set(id, { tradingAccountId: id, credential });
    }
  }
  return [...accounts.values()];
}

/** The session that a Logon would make; null where there is none, or `admitSession` refuses it. */
export function newcomer(engine: RunningEngine, sessionId: SessionID): EngineSessionConfig | null {
  const made = engine.sessions.templates.make(sessionId);
  return made !== null && reachProblem(engine, made) === null ? made : null;
}

/**
 * Add a session that a Logon makes from a template, before the Logon is given to it.
 * @throws CrossgateError XG_CONFIG_INVALID if it names an account that the gateway cannot reach; nothing is changed then
 */
export function admitSession(engine: RunningEngine, session: EngineSessionConfig): SessionSlot {
  checkReach(engine, session, 'the template does not fit this counterparty');
  const prepared = engine.sessions.prepare(session);
  engine.gateway.applyConfig(session.gateway);
  const slot = engine.addSession(session, prepared);
  engine.audit(
    'logon',
    'session made from a template',
    `${sessionName(session)} ${slot.sessionId} ${session.madeFrom}`,
  );
  return slot;
}

/** @throws CrossgateError XG_CONFIG_INVALID with `remedy` if the running gateway lacks an account or a listener of the session */
export function checkReach(engine: RunningEngine, config: EngineSessionConfig, remedy: string): void {
  const problem = reachProblem(engine, config);
  if (problem !== null) throw new CrossgateError('XG_CONFIG_INVALID', `${config.source}: ${problem}; ${remedy}`);
}

/** Accounts and listeners of a session that the running gateway does not reach; null if it reaches all. */
function reachProblem(engine: RunningEngine, config: EngineSessionConfig): string | null {
  const { gateway, listeners } = config;
  for (const { tradingAccountId, credential } of gateway.accounts) {
    const login = engine.config.exchange.credentials.find(({ name }) => name === credential);
    // The open parts of a template are checked when a session is made from it.
    if (isTemplate(config) && isOpenAccount(tradingAccountId)) continue;
    if (login === undefined) return `exchange login ${credential} is not among those of the running gateway`;
    if (!login.tradingAccountIds.includes(tradingAccountId)) {
      return `account ${tradingAccountId} is not among those of the running exchange login ${credential}`;
    }
    const isExclusive = engine.config.gateway.exclusiveAccounts?.includes(tradingAccountId) === true;
    if ((gateway.cancelOnDisconnect.deadMansSwitchS ?? 0) > 0 && !isExclusive) {
      return `account ${tradingAccountId} is not among the exclusive accounts of the running gateway`;
    }
  }
  for (const listener of listeners) {
    if (engine.config.listeners.some(({ name }) => name === listener)) continue;
    return `listener ${listener} is not among those of the running gateway`;
  }
  return null;
}
