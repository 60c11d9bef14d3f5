// Permitted but doubtful settings: clear-text passwords, durability, orders that stay. gateway-checks.ts and
// cross-checks.ts find errors.

import { isLoopback } from '../../base/host-port.ts';
import { schemaNode } from '../../base/schema-node.ts';
import { sendsLogonText } from '../../engine/mod.ts';
import { hasOperator, NAME_LIFTERS, tooFewToLift } from '../checks/admin-users.ts';
import type { CheckedSession } from '../checks/cross-checks.ts';
import { type CheckedGateway, venueOf } from '../checks/gateway-checks.ts';
import { GatewayFileSchema, type GatewaySettings } from '../schema/gateway-schema.ts';
import { type ConfigProblem, type Report, reporter } from './config-problem.ts';
import { sharesItsSecret } from './session-template.ts';

/** Settings of journal files only. */
const OF_JOURNAL_FILES: readonly string[] = ['segmentBytes', 'snapshotBytes'];
const JOURNAL_DEFAULTS = schemaNode(GatewayFileSchema).properties?.journal?.properties ?? {};

/** Permitted but doubtful settings. */
export function warnings(gateway: CheckedGateway, sessions: readonly CheckedSession[]): ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const report = reporter(found, gateway.placeOf);
  for (const [index, { host, tls }] of gateway.settings.fix.listen.entries()) {
    if (tls !== undefined || isLoopback(host)) continue;
    const problem = 'FIX without TLS on an address that others can reach: passwords travel in the clear';
    report(['fix', 'listen', index, 'host'], host, problem, 'add `tls`, or listen on 127.0.0.1');
  }
  const { admin, bridge, simulator } = gateway.settings;
  if (simulator.embedded && !isLoopback(simulator.host)) {
    const problem =
      'others can reach the embedded simulated exchange and trade there; its control endpoint stays with callers from this machine or container';
    report(['simulator', 'host'], simulator.host, problem, 'listen on 127.0.0.1, or publish no port for it');
  }
  for (const [key, what, { enabled, host, tls }] of [
    ['admin', 'admin API and console', admin],
    ['bridge', 'the bridge', bridge],
  ] as const) {
    if (!enabled || tls !== undefined || isLoopback(host)) continue;
    const problem = `${what} without TLS on an address that others can reach: tokens travel in the clear`;
    report([key, 'host'], host, problem, 'add `tls`, or listen on 127.0.0.1');
  }
  warnOfUsers(gateway.settings, report);
  warnOfSharedAccounts(gateway.settings, report);
  warnOfSharedPasswords(sessions, found);
  if (gateway.settings.store.kind === 'postgres') warnOfJournalFiles(gateway.settings.journal, report);
  for (const session of sessions) warnOfSession(session, gateway.settings, found);
  return found;
}

function warnOfUsers({ admin, simulator }: GatewaySettings, report: Report): void {
  // At this process's simulated exchange, a start with two users costs no one money.
  const few = admin.enabled && !simulator.embedded ? tooFewToLift(admin.users) : null;
  if (few !== null)
    report(
      ['admin', 'users'],
      admin.users.map(({ name }) => name),
      few,
      NAME_LIFTERS,
    );
  for (const [index, { name, roles }] of admin.users.entries()) {
    if (!admin.enabled || roles.length > 0) continue;
    const problem = `user ${name} has no role, and may see and do nothing`;
    report(['admin', 'users', index, 'roles'], roles, problem, 'write `[kill]` to look and throw kill switches');
  }
  if (admin.enabled && admin.sharedToken && hasOperator(admin.users)) {
    const problem = 'the shared token is still accepted beside the users: its holder operates under any name';
    report(
      ['admin', 'sharedToken'],
      true,
      problem,
      'write `sharedToken: false` once everybody has a token of their own',
    );
  }
}

function warnOfSession({ settings, placeOf }: CheckedSession, gateway: GatewaySettings, found: ConfigProblem[]): void {
  const reportSession = reporter(found, placeOf);
  if (sharesItsSecret(settings)) {
    const problem = 'every counterparty of this template has the same secret, and can log on as any other';
    const remedy = 'write a file for each, for example file:secrets/{compID}.password';
    reportSession(['password'], settings.password ?? null, problem, remedy);
  }
  if (
    settings.logonText !== undefined &&
    !sendsLogonText({ ...settings, sendsSessionStatus: settings.dialect === 'venue' })
  ) {
    const problem = `is not sent: Logon(A) of ${settings.beginString} has no Text(58) in dialect ${settings.dialect}`;
    reportSession(
      ['logonText'],
      settings.logonText,
      problem,
      'leave it out, or agree on FIXT.1.1 in dialect `standard`',
    );
  }
  if (settings.dialect === 'venue' && settings.messageRate.excess === 'queue') {
    const problem = 'has no effect in dialect venue: messages beyond the rate are rejected at once (rule D6)';
    reportSession(['messageRate', 'excess'], 'queue', problem, 'write `refuse`');
  }
  if (settings.durability === 'process' && venueOf(gateway) === 'production') {
    const problem = 'orders of this session do not survive power loss';
    reportSession(['durability'], settings.durability, problem, 'write `disk`');
  }
  if (settings.kind === 'order' && settings.cancelOnDisconnect.on === 'off') {
    const problem = 'open orders stay when the counterparty is gone (rule C1 cancels by default)';
    reportSession(['cancelOnDisconnect', 'on'], 'off', problem, 'write `both`, unless the counterparty asked for this');
  }
}

function warnOfSharedAccounts({ exchange }: GatewaySettings, report: Report): void {
  const owners = new Map<string, string>();
  for (const [index, { name, tradingAccounts }] of exchange.credentials.entries()) {
    for (const [at, account] of tradingAccounts.entries()) {
      const owner = owners.get(account);
      owners.set(account, owner ?? name);
      if (owner === undefined || owner === name) continue;
      const problem = `credential ${owner} reaches this account too: each keeps to the exchange's rates by itself, so both together may exceed those of the account`;
      const remedy = 'list it under one of them, unless it is meant to be used with two keys';
      report(['exchange', 'credentials', index, 'tradingAccounts', at], account, problem, remedy);
    }
  }
}

/** Counterparties that prove themselves by one password and nothing else, as where a session file was copied and its password left. */
function warnOfSharedPasswords(sessions: readonly CheckedSession[], found: ConfigProblem[]): void {
  const byPassword = new Map<string, CheckedSession[]>();
  for (const session of sessions) {
    const { role, template, password, logon } = session.settings;
    if (role !== 'acceptor' || template || password === undefined) continue;
    if (logon.signature !== undefined || logon.certificate !== undefined) continue;
    byPassword.set(password, [...(byPassword.get(password) ?? []), session]);
  }
  for (const [password, [first, ...others]] of byPassword) {
    const other = others.find(({ settings }) => settings.targetCompID !== first!.settings.targetCompID);
    if (other === undefined) continue;
    const have = others.length === 1 ? 'has' : `and ${others.length - 1} more have`;
    const problem = `session ${first!.name} ${have} the same password, which admits to either; give each its own`;
    const remedy = `give each counterparty a file of its own, for example file:secrets/${other.name}.password`;
    reporter(found, other.placeOf)(['password'], password, problem, remedy);
  }
}

/** Settings of the embedded journal that were set, beside one in PostgreSQL. */
function warnOfJournalFiles(journal: GatewaySettings['journal'], report: Report): void {
  for (const [key, value] of Object.entries(journal)) {
    if (!OF_JOURNAL_FILES.includes(key) || value === JOURNAL_DEFAULTS[key]?.default) continue;
    const problem = 'without effect: it is of the embedded journal, and this one is in PostgreSQL';
    report(['journal', key], value, problem, 'remove it; docs/operate/journal/postgresql.md says what holds');
  }
}
