// What a schema cannot say: agreement between keys, between files, and with the rules. Runs on values that passed the
// schema. Leaves single keys to schema-check.ts and the readability of secrets to secret-checks in configuration.ts.

import { Decimal } from '../base/decimal.ts';
import { sessionIDOf } from '../engine/mod.ts';
import { checkAccountLimits } from './account-limits-check.ts';
import { checkAdminUsers } from './admin-users.ts';
import { type ConfigProblem, didYouMean, keyPath, showValue } from './config-problem.ts';
import type { GatewaySettings } from './gateway-schema.ts';
import type { Path } from './layers.ts';
import { checkLogon, checkNetworks } from './logon-check.ts';
import { checkSchedule } from './schedule-check.ts';
import type { PlaceOf } from './schema-check.ts';
import { checkCopied, checkKind } from './session-kind-check.ts';
import type { SessionSettings } from './session-schema.ts';
import { checkTemplate, isPattern, sharesItsSecret } from './session-template.ts';

export interface CheckedGateway {
  readonly settings: GatewaySettings;
  readonly placeOf: PlaceOf;
}

export interface CheckedSession {
  /** Name of the file without its ending. */
  readonly name: string;
  readonly settings: SessionSettings;
  readonly placeOf: PlaceOf;
}

/** Largest reference that the exchange takes: 1e17 (the exchange's own FIX, ClOrdID). */
const REFERENCE_MAX = 100_000_000_000_000_000n;

type Report = (path: Path, value: unknown, problem: string, remedy: string) => void;

function reporter(problems: ConfigProblem[], placeOf: PlaceOf): Report {
  return (path, value, problem, remedy) => {
    const key = keyPath(path);
    problems.push({ ...placeOf(path), key, value: showValue(key, value), problem, remedy });
  };
}

/** Identity of a session from our side: `FIX.4.4:SENDER->TARGET`. */
export function sessionIdOf(settings: SessionSettings): string {
  return sessionIDOf(settings);
}

/** What the sessions trade on: the embedded simulated exchange, or what `exchange.environment` says. */
export function venueOf(gateway: GatewaySettings): 'simulator' | 'test' | 'production' | null {
  return gateway.simulator.embedded ? 'simulator' : (gateway.exchange.environment ?? null);
}

/** Check gateway.yaml in itself. */
export function checkGateway({ settings, placeOf }: CheckedGateway): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = reporter(problems, placeOf);
  checkListeners(settings, report);
  checkBridge(settings, report);
  checkExchange(settings, report);
  checkExclusive(settings, report);
  checkStore(settings, report);
  checkAccountLimits(settings, report);
  checkAdminUsers(settings, report);
  const { referenceFirst, referenceLast, lookupFirstMs, lookupLargestMs } = settings.orders;
  if (BigInt(referenceLast) > REFERENCE_MAX) {
    report(['orders', 'referenceLast'], referenceLast, 'larger than the exchange takes', `at most "${REFERENCE_MAX}"`);
  }
  if (BigInt(referenceFirst) > BigInt(referenceLast)) {
    report(['orders', 'referenceFirst'], referenceFirst, 'larger than referenceLast', 'exchange the two numbers');
  }
  if (lookupFirstMs > lookupLargestMs) {
    report(['orders', 'lookupFirstMs'], lookupFirstMs, 'longer than lookupLargestMs', 'make it shorter');
  }
  return problems;
}

function checkStore({ store }: GatewaySettings, report: Report): void {
  const { kind, url, leaseMs, requestTimeoutMs } = store;
  if (kind === 'postgres' && url === undefined) {
    report(['store', 'url'], null, 'missing: the journal is to lie in PostgreSQL', 'write `env:NAME` or `file:PATH`');
  }
  if (kind === 'embedded' && url !== undefined) {
    report(['store', 'url'], url, 'not used: the journal is embedded', 'remove it, or write `kind: postgres`');
  }
  if (requestTimeoutMs * 2 > leaseMs) {
    const why = `more than half of leaseMs (${leaseMs}): a slow answer would cost the lease`;
    report(['store', 'requestTimeoutMs'], requestTimeoutMs, why, 'make it shorter, or the lease longer');
  }
}

function checkBridge({ bridge, exchange }: GatewaySettings, report: Report): void {
  const names = new Set<string>();
  for (const [index, { name, credential, tradingAccounts }] of bridge.callers.entries()) {
    const path = ['bridge', 'callers', index];
    if (names.has(name)) report([...path, 'name'], name, 'two callers have this name', 'give each a name of its own');
    names.add(name);
    const all = exchange.credentials.map((one) => one.name);
    const own = exchange.credentials.find((one) => one.name === (credential ?? one.name));
    if (credential === undefined && all.length > 1) {
      const problem = 'several credentials are configured: which one do its calls use?';
      report([...path, 'credential'], undefined, problem, `add \`credential:\` with one of: ${all.join(', ')}`);
    } else if (own === undefined) {
      report([...path, 'credential'], credential, 'there is no such credential', `configured: ${all.join(', ')}`);
    } else {
      for (const [at, account] of tradingAccounts.entries()) {
        if (own.tradingAccounts.includes(account)) continue;
        const remedy = `choose among: ${own.tradingAccounts.join(', ')}`;
        const problem = `credential ${own.name} does not reach this account`;
        report([...path, 'tradingAccounts', at], account, problem, remedy);
      }
    }
  }
  if (bridge.enabled && bridge.callers.length === 0) {
    report(['bridge', 'callers'], [], 'nobody may call the bridge', 'add a caller, or set `bridge.enabled: false`');
  }
}

function checkListeners({ fix, simulator, admin, bridge }: GatewaySettings, report: Report): void {
  const names = new Map<string, number>();
  const taken = new Map<string, string>();
  if (simulator.embedded && simulator.port !== 0) {
    taken.set(`${simulator.host}:${simulator.port}`, 'the embedded simulated exchange');
  }
  const adminAddress = `${admin.host}:${admin.port}`;
  if (admin.enabled && admin.port !== 0) {
    if (taken.has(adminAddress)) {
      const problem = `${adminAddress} is used twice: by the embedded simulated exchange too`;
      report(['admin', 'port'], admin.port, problem, 'choose another port');
    }
    taken.set(adminAddress, 'the admin API');
  }
  const bridgeAddress = `${bridge.host}:${bridge.port}`;
  if (bridge.enabled && bridge.port !== 0) {
    const owner = taken.get(bridgeAddress);
    if (owner !== undefined) {
      const problem = `${bridgeAddress} is used twice: by ${owner} too`;
      report(['bridge', 'port'], bridge.port, problem, 'choose another port');
    }
    taken.set(bridgeAddress, 'the bridge');
  }
  for (const [index, { name, host, port, tls }] of fix.listen.entries()) {
    const path = ['fix', 'listen', index];
    checkNetworks(fix.listen[index]!, path, report);
    if (names.has(name)) report([...path, 'name'], name, 'two listeners have this name', 'give each a name of its own');
    names.set(name, index);
    const address = `${host}:${port}`;
    const owner = taken.get(address);
    if (port !== 0 && owner !== undefined) {
      report([...path, 'port'], port, `${address} is used twice: by ${owner} too`, 'choose another port');
    }
    taken.set(address, `listener ${name}`);
    if (tls?.selfSigned !== true) continue;
    if (!simulator.embedded) {
      const remedy = 'configure a certificate of your own, or set `simulator.embedded: true`';
      report([...path, 'tls', 'selfSigned'], true, 'only with the embedded simulated exchange', remedy);
    }
    for (const key of ['certificate', 'key'] as const) {
      if (tls[key].startsWith('file:')) continue;
      report([...path, 'tls', key], tls[key], 'a self-signed pair is written to files', 'write `file:PATH`');
    }
  }
}

function checkExclusive({ exchange }: GatewaySettings, report: Report): void {
  for (const [index, { name, tradingAccounts, exclusiveAccounts }] of exchange.credentials.entries()) {
    for (const [i, id] of exclusiveAccounts.entries()) {
      if (tradingAccounts.includes(id)) continue;
      const path = ['exchange', 'credentials', index, 'exclusiveAccounts', i];
      report(path, id, `credential ${name} does not reach this account`, 'add it to `tradingAccounts`, or remove it');
    }
  }
}

function checkExchange({ exchange, simulator }: GatewaySettings, report: Report): void {
  const names = new Set<string>();
  for (const [index, { name }] of exchange.credentials.entries()) {
    if (names.has(name)) {
      report(['exchange', 'credentials', index, 'name'], name, 'two credentials have this name', 'rename one');
    }
    names.add(name);
  }
  for (const key of ['baseUrl', 'environment'] as const) {
    const value = exchange[key];
    if (simulator.embedded && value !== undefined) {
      const remedy = `remove it, or set \`simulator.embedded: false\``;
      report(['exchange', key], value, 'has no meaning while the simulated exchange is embedded', remedy);
    } else if (!simulator.embedded && value === undefined) {
      const remedy = `add \`exchange.${key}\`, or set \`simulator.embedded: true\``;
      report(['exchange', key], undefined, 'required, because no simulated exchange is embedded', remedy);
    }
  }
  if (exchange.environment === 'production' && exchange.baseUrl?.startsWith('http:')) {
    const remedy = 'write an https:// address';
    report(['exchange', 'baseUrl'], exchange.baseUrl, 'a production exchange without TLS', remedy);
  }
}

/** Check one session in itself and against gateway.yaml (null if that has problems of its own). */
export function checkSession(session: CheckedSession, gateway: GatewaySettings | null): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = reporter(problems, session.placeOf);
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
  checkSchedule(settings, report);
  checkTemplate(settings, report);
  checkLogon(settings, gateway, report);
  checkKind(settings, report);
  checkLimits(settings, report);
  checkSymbols(settings, report);
  checkAccounts(settings, gateway, report);
  checkCancelOnDisconnect(settings, gateway, report);
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

const SWITCH_DELAYS_S: readonly number[] = [0, 5, 10, 15, 20, 25, 30, 40, 50, 60];

/** Rule C2: the exchange's delayed cancel-all takes everybody's orders on an account. */
function checkCancelOnDisconnect(settings: SessionSettings, gateway: GatewaySettings | null, report: Report): void {
  const { on, scope, symbols, deadMansSwitchS } = settings.cancelOnDisconnect;
  const path = ['cancelOnDisconnect', 'deadMansSwitchS'];
  if (scope === 'symbols' && symbols.length === 0) {
    const problem = 'no symbol is named, so nothing would be cancelled';
    report(['cancelOnDisconnect', 'symbols'], symbols, problem, 'name the symbols, or choose scope `session`');
  }
  if (!SWITCH_DELAYS_S.includes(deadMansSwitchS)) {
    report(path, deadMansSwitchS, 'the exchange has no such delay', `one of: ${SWITCH_DELAYS_S.join(', ')}`);
  }
  if (deadMansSwitchS === 0) return;
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
      `add it to \`exclusiveAccounts\` of its credential if nobody else trades it`,
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
    // What it becomes is looked at when a counterparty logs on.
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
  for (const { name, settings, placeOf } of sessions) {
    const identity = sessionIdOf(settings);
    const owner = owners.get(identity);
    if (owner === undefined) owners.set(identity, name);
    else {
      const report = reporter(problems, placeOf);
      const problem = `session ${owner} has the same identity, ${identity}`;
      report(
        ['targetCompID'],
        settings.targetCompID,
        problem,
        'give the counterparty a CompID of its own, or delete one file',
      );
    }
  }
  checkCopied(sessions, ({ placeOf }) => reporter(problems, placeOf));
  return problems;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** What is allowed but deserves a look. */
export function warnings(gateway: CheckedGateway, sessions: readonly CheckedSession[]): ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const report = reporter(found, gateway.placeOf);
  for (const [index, { host, tls }] of gateway.settings.fix.listen.entries()) {
    if (tls !== undefined || isLoopback(host)) continue;
    const problem = 'FIX without TLS on an address that others can reach: passwords travel in the clear';
    report(['fix', 'listen', index, 'host'], host, problem, 'add `tls`, or listen on 127.0.0.1');
  }
  const { admin, bridge } = gateway.settings;
  if (admin.enabled && !isLoopback(admin.host)) {
    const problem =
      'admin API and console without TLS on an address that others can reach: the token travels in the clear';
    report(['admin', 'host'], admin.host, problem, 'listen on 127.0.0.1, behind a proxy with TLS if need be');
  }
  if (bridge.enabled && !isLoopback(bridge.host)) {
    const problem = 'the bridge without TLS on an address that others can reach: tokens travel in the clear';
    report(['bridge', 'host'], bridge.host, problem, 'listen on 127.0.0.1, behind a proxy with TLS if need be');
  }
  for (const { settings, placeOf } of sessions) {
    const reportSession = reporter(found, placeOf);
    if (sharesItsSecret(settings)) {
      const problem = 'every counterparty of this template has the same secret, and can log on as any other';
      const remedy = 'write a file for each, for example file:secrets/{compID}.password';
      reportSession(['password'], settings.password ?? null, problem, remedy);
    }
    if (settings.durability === 'process' && venueOf(gateway.settings) === 'production') {
      const problem = 'orders of this session do not survive power loss';
      reportSession(['durability'], settings.durability, problem, 'write `disk`');
    }
    if (settings.kind === 'order' && settings.cancelOnDisconnect.on === 'off') {
      const problem = 'open orders stay when the counterparty is gone (rule C1 cancels by default)';
      reportSession(
        ['cancelOnDisconnect', 'on'],
        'off',
        problem,
        'write `both`, unless the counterparty asked for this',
      );
    }
  }
  return found;
}
