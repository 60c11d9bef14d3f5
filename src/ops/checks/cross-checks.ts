// Checks of sessions beyond the schema: agreement between keys, between files, and with the rules, on values that
// passed the schema. schema-check.ts checks single keys, gateway-checks.ts gateway.yaml alone, secret-check.ts the
// secrets.

import { Decimal } from '../../base/decimal.ts';
import { didYouMean } from '../../base/did-you-mean.ts';
import { sessionIDOf } from '../../engine/mod.ts';
import { type ConfigProblem, type Report, reporter } from '../configuration/config-problem.ts';
import type { Path } from '../configuration/layers.ts';
import type { PlaceOf } from '../configuration/schema-check.ts';
import { checkTemplate, isPattern } from '../configuration/session-template.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { SessionSettings } from '../schema/session-schema.ts';
import { checkCertification } from './certification-check.ts';
import { REFERENCE_MAX, venueOf } from './gateway-checks.ts';
import { checkApplicationVersions, checkLogon, checkSecretTags } from './logon-check.ts';
import { checkSchedule } from './schedule-check.ts';

/** Check one session in itself. */
function checkKind({ kind, limits, dropCopy, reach, cancelOnDisconnect }: SessionSettings, report: Report): void {
  if (kind === 'order') {
    if (limits === undefined) {
      const problem = 'no risk limits: a session without limits does not start (rule O12)';
      report(['limits'], undefined, problem, 'add `limits:`, checked before the exchange hears of an order');
    }
    if (dropCopy.sessions.length > 0) {
      const remedy = 'write `kind: dropCopy`, or remove it';
      report(['dropCopy', 'sessions'], dropCopy.sessions, 'only a drop copy session copies others', remedy);
    }
    return;
  }
  if (reach !== 'session') {
    report(['reach'], reach, 'a drop copy session sends no requests: it reaches no orders', 'remove it');
  }
  if (cancelOnDisconnect.deadMansSwitchS === 0) return;
  const problem = 'a drop copy session has no orders: it must not have those of others cancelled';
  report(['cancelOnDisconnect', 'deadMansSwitchS'], cancelOnDisconnect.deadMansSwitchS, problem, 'write 0');
}

/** Check that the sessions which a drop copy session names are there, and enter orders. */
function checkCopied<Named extends { readonly name: string; readonly settings: SessionSettings }>(
  sessions: readonly Named[],
  reportOf: (session: Named) => Report,
): void {
  const kinds = new Map(sessions.map(({ name, settings }) => [name, settings.kind]));
  for (const session of sessions) {
    const report = reportOf(session);
    for (const [index, name] of session.settings.dropCopy.sessions.entries()) {
      const path = ['dropCopy', 'sessions', index];
      const kind = kinds.get(name);
      if (kind === undefined) {
        const meant = didYouMean(name, [...kinds.keys()]);
        const remedy = meant === null ? `there are: ${[...kinds.keys()].join(', ')}` : `did you mean ${meant}?`;
        report(path, name, 'there is no such session', remedy);
      } else if (kind !== 'order') {
        report(path, name, 'this session enters no orders, so there is nothing to copy', 'remove it');
      }
    }
  }
}

export interface CheckedSession {
  /** Name of the file without its ending. */
  readonly name: string;
  readonly settings: SessionSettings;
  readonly placeOf: PlaceOf;
  /** The path in the file of a path in `settings`; absent: the same. */
  readonly asWritten?: (path: Path) => Path;
}

/** Identity of a session from our side: `FIX.4.4:SENDER->TARGET`. */
export function sessionIdOf(settings: SessionSettings): string {
  return sessionIDOf(settings);
}

/** Check one session in itself and against gateway.yaml (null if that has problems of its own). */
export function checkSession(session: CheckedSession, gateway: GatewaySettings | null): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = reporter(problems, session.placeOf, session.asWritten);
  const { settings } = session;
  const { heartBtIntS, heartBtIntMinS, heartBtIntMaxS, testRequestAfter, lostAfter } = settings;
  if (heartBtIntS < heartBtIntMinS || heartBtIntS > heartBtIntMaxS) {
    const bounds = `outside heartBtIntMinS ${heartBtIntMinS} … heartBtIntMaxS ${heartBtIntMaxS}`;
    report(['heartBtIntS'], heartBtIntS, bounds, 'choose a value between them, or widen them');
  }
  if (lostAfter <= testRequestAfter) {
    const why = `not longer than testRequestAfter (${testRequestAfter}): the answer could never arrive`;
    report(['lostAfter'], lostAfter, why, 'make it larger');
  }
  if (settings.senderCompID === settings.targetCompID) {
    const remedy = "senderCompID is ours, targetCompID the counterparty's";
    report(['targetCompID'], settings.targetCompID, 'the same as senderCompID', remedy);
  }
  const isVenueVersion = settings.beginString === 'FIX.4.4' || settings.beginString === 'FIXT.1.1';
  if (settings.dialect === 'venue' && !isVenueVersion) {
    const problem = "the exchange's own FIX has fields that this version does not (rule D1)";
    report(['dialect'], 'venue', problem, 'write `standard`, or a beginString of FIX.4.4 or FIXT.1.1');
  }
  checkCertification(settings, report);
  checkSchedule(settings, report);
  checkApplicationVersions(settings, report);
  checkSecretTags(settings, report);
  checkTemplate(settings, report);
  checkLogon(settings, gateway, report);
  checkKind(settings, report);
  checkLimits(settings, report);
  checkSymbols(settings, report);
  checkAccounts(settings, gateway, report);
  checkCancelOnDisconnect(settings, gateway, report);
  checkBridgeCaller(settings, gateway, report);
  checkNegotiated(settings, report);
  if (gateway !== null) checkAgainstGateway(settings, gateway, report);
  return problems;
}

function checkLimits({ limits }: SessionSettings, report: Report): void {
  if (limits === undefined) return;
  for (const key of ['orderQtyMax', 'notionalMax'] as const) {
    if (Decimal.of(limits[key]).isPositive()) continue;
    const remedy = 'write a positive amount, or `enabled: false` to stop the session (rule O12)';
    report(['limits', key], limits[key], 'a limit of zero refuses every order', remedy);
  }
  if (limits.priceBandPercent !== 'off' && Decimal.of(limits.priceBandPercent).isZero()) {
    const remedy = 'write a positive percentage, or `off` for no band';
    report(['limits', 'priceBandPercent'], limits.priceBandPercent, 'a band of zero refuses every price', remedy);
  }
}

/** BridgeRequest(UBQ) needs a caller of the bridge that the session names. */
function checkBridgeCaller({ bridgeCaller }: SessionSettings, gateway: GatewaySettings | null, report: Report): void {
  if (bridgeCaller === undefined || gateway === null) return;
  const { enabled, callers } = gateway.bridge;
  const names = callers.map(({ name }) => name);
  const path = ['bridgeCaller'];
  if (!enabled) report(path, bridgeCaller, 'the bridge is switched off', 'set `bridge.enabled: true` in gateway.yaml');
  else if (!names.includes(bridgeCaller)) {
    report(path, bridgeCaller, 'the bridge has no such caller', `one of: ${names.join(', ')}`);
  }
}

/** FIX.4.2 has no TradeCaptureReport(AE), and in `venue` one goes only to a session that asked (rule D1). */
function checkNegotiated(settings: SessionSettings, report: Report): void {
  const { beginString, dialect, dropCopy, negotiatedPerMinute } = settings;
  const isCarried = beginString === 'FIX.4.4' || beginString === 'FIXT.1.1';
  const path = ['dropCopy', 'negotiatedAs'];
  if (dropCopy.negotiatedAs === 'TradeCaptureReport' && (!isCarried || dialect === 'venue')) {
    const problem = isCarried ? '`venue` has no such message unasked (rule D1)' : `${beginString} has no such message`;
    report(path, dropCopy.negotiatedAs, problem, 'write `ExecutionReport`, or change beginString or dialect');
  }
  if (negotiatedPerMinute > 0 && !isCarried) {
    const problem = `${beginString} has no TradeCaptureReport(AE)`;
    report(['negotiatedPerMinute'], negotiatedPerMinute, problem, 'leave it 0, or use FIX.4.4 or FIXT.1.1');
  }
}

const SWITCH_DELAYS_S: readonly number[] = [0, 5, 10, 15, 20, 25, 30, 40, 50, 60];

/** Rule C2: the exchange's delayed cancel-all takes everybody's orders on an account. */
function checkCancelOnDisconnect(settings: SessionSettings, gateway: GatewaySettings | null, report: Report): void {
  const { on, scope, symbols, deadMansSwitchS, logonMay } = settings.cancelOnDisconnect;
  const path = ['cancelOnDisconnect', 'deadMansSwitchS'];
  if (scope === 'symbols' && symbols.length === 0) {
    const problem = 'no symbol is named, so nothing would be cancelled';
    report(['cancelOnDisconnect', 'symbols'], symbols, problem, 'name the symbols, or choose scope `session`');
  }
  if (!SWITCH_DELAYS_S.includes(deadMansSwitchS)) {
    report(path, deadMansSwitchS, 'the exchange has no such delay', `one of: ${SWITCH_DELAYS_S.join(', ')}`);
  }
  if (deadMansSwitchS === 0) return;
  if (logonMay === 'switchOnAndOff') {
    const problem = 'a Logon could switch off what the dead man’s switch stands behind (rule C2)';
    report(['cancelOnDisconnect', 'logonMay'], logonMay, problem, 'write `switchOn`, or deadMansSwitchS: 0');
  }
  if (scope !== 'account' || on === 'off' || on === 'logout') {
    const problem = 'the exchange would cancel everything on the account, which this setting does not (rule C2)';
    report(path, deadMansSwitchS, problem, 'write `scope: account` and `on: both`, or 0 here');
  }
  const exclusive = gateway?.exchange.credentials.flatMap(({ exclusiveAccounts }) => exclusiveAccounts);
  for (const { account, tradingAccount = account } of exclusive === undefined ? [] : settings.accounts) {
    if (exclusive!.includes(tradingAccount)) continue;
    const problem = `the exchange would cancel orders of others on account ${tradingAccount} too (rule C2)`;
    report(
      path,
      deadMansSwitchS,
      problem,
      `add it to \`exclusiveAccounts\` of its credential if only this gateway trades it`,
    );
  }
}

function checkSymbols({ symbols, symbolAliases }: SessionSettings, report: Report): void {
  for (const [alias, symbol] of Object.entries(symbolAliases)) {
    if (symbols !== undefined && !symbols.includes(symbol)) {
      const meant = didYouMean(symbol, symbols);
      const remedy = meant === null ? 'add it to `symbols`, or remove the alias' : `did you mean ${meant}?`;
      report(['symbolAliases', alias], symbol, 'this symbol is not among `symbols` (rule O8)', remedy);
    }
    if (symbols?.includes(alias) && alias !== symbol) {
      const problem = 'the alias is itself the name of another symbol (rule O8)';
      report(['symbolAliases', alias], symbol, problem, 'choose another alias');
    }
  }
}

function checkAccounts(settings: SessionSettings, gateway: GatewaySettings | null, report: Report): void {
  const names = new Set<string>();
  const credentials = gateway?.exchange.credentials;
  for (const [index, entry] of settings.accounts.entries()) {
    const path = ['accounts', index];
    if (names.has(entry.account)) {
      report([...path, 'account'], entry.account, 'two entries have this Account(1)', 'keep one of the two');
    }
    names.add(entry.account);
    const tradingAccount = entry.tradingAccount ?? entry.account;
    // The result is checked when a counterparty logs on.
    const open = settings.template && isPattern(tradingAccount);
    if (!open && !/^[0-9]{1,20}$/.test(tradingAccount)) {
      const remedy = 'add `tradingAccount:` with the exchange account id in quotes';
      report([...path, 'account'], entry.account, 'not an exchange account id, and none is given beside it', remedy);
      continue;
    }
    if (credentials === undefined) continue;
    const all = credentials.map(({ name }) => name);
    if (entry.credential === undefined && credentials.length > 1) {
      const problem = 'several credentials are configured: which one reaches this account?';
      report([...path, 'credential'], undefined, problem, `add \`credential:\` with one of: ${all.join(', ')}`);
      continue;
    }
    const credential = credentials.find(({ name }) => name === (entry.credential ?? name));
    if (credential === undefined) {
      const meant = didYouMean(entry.credential ?? '', all);
      const remedy = meant === null ? `configured: ${all.join(', ')}` : `did you mean ${meant}?`;
      report([...path, 'credential'], entry.credential, 'there is no such credential in gateway.yaml', remedy);
    } else if (!open && !credential.tradingAccounts.includes(tradingAccount)) {
      const remedy = `add it to \`tradingAccounts\` of ${credential.name}, or choose one of: ${credential.tradingAccounts.join(', ')}`;
      const key = entry.tradingAccount === undefined ? 'account' : 'tradingAccount';
      report([...path, key], tradingAccount, `credential ${credential.name} does not reach this account`, remedy);
    }
  }
}

function checkAgainstGateway(settings: SessionSettings, gateway: GatewaySettings, report: Report): void {
  if (settings.durability === 'process' && gateway.store.kind === 'postgres') {
    const problem = 'not to be had over PostgreSQL: a record is safe when its transaction is';
    report(['durability'], settings.durability, problem, 'write `disk`');
  }
  const names = gateway.fix.listen.map(({ name }) => name);
  for (const [index, listener] of settings.listeners.entries()) {
    if (names.includes(listener)) continue;
    const meant = didYouMean(listener, names);
    const remedy = meant === null ? `configured: ${names.join(', ')}` : `did you mean ${meant}?`;
    report(['listeners', index], listener, 'there is no such listener in gateway.yaml', remedy);
  }
  const venue = venueOf(gateway);
  const { environment } = settings;
  if (environment === 'production' && venue !== null && venue !== 'production') {
    const where = venue === 'simulator' ? 'a simulated exchange' : 'a test venue';
    const remedy = 'write `test` or `any`, or connect a production exchange';
    report(['environment'], environment, `a production CompID cannot be bound to ${where} (rule S8)`, remedy);
  }
  if (venue === 'production' && environment !== 'production') {
    const remedy = 'write `production`, so that test messages are refused';
    report(['environment'], environment, 'this session would trade real money (rule S8)', remedy);
  }
  const { referenceFirst, referenceLast } = gateway.orders;
  if (settings.clOrdIDPassThrough && referenceFirst === '1' && BigInt(referenceLast) === REFERENCE_MAX) {
    const problem = "every integer is in the allocator's range, so none can pass through (rule O5)";
    report(['clOrdIDPassThrough'], true, problem, 'raise `orders.referenceFirst` in gateway.yaml');
  }
}

/** Check sessions against each other: one identity, one session; a drop copy names sessions that are there. */
export function checkIdentities(sessions: readonly CheckedSession[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const owners = new Map<string, string>();
  for (const { name, settings, placeOf, asWritten } of sessions) {
    const identity = sessionIdOf(settings);
    const owner = owners.get(identity);
    if (owner === undefined) owners.set(identity, name);
    else {
      const report = reporter(problems, placeOf, asWritten);
      const problem = `session ${owner} has the same identity, ${identity}`;
      report(
        ['targetCompID'],
        settings.targetCompID,
        problem,
        'give the counterparty a CompID of its own, or delete one file',
      );
    }
  }
  checkCopied(sessions, ({ placeOf, asWritten }) => reporter(problems, placeOf, asWritten));
  return problems;
}
