// Checks of gateway.yaml beyond the schema: agreement between its keys. cross-checks.ts has sessions;
// config-warnings.ts has doubtful but permitted settings.

import { Decimal } from '../../base/decimal.ts';
import { hostPort } from '../../base/host-port.ts';
import { ciphersFault, type TlsSettings } from '../../engine/mod.ts';
import { type ConfigProblem, type Report, reporter } from '../configuration/config-problem.ts';
import type { Path } from '../configuration/layers.ts';
import type { PlaceOf } from '../configuration/schema-check.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import { checkAdminUsers } from './admin-users.ts';
import { checkCluster } from './cluster-check.ts';
import { checkNetworks } from './logon-check.ts';

const AMOUNTS = ['orderQtyMax', 'notionalMax', 'priceBandPercent'] as const;

/** Check `orders.accountLimits` (rule O12). */
function checkAccountLimits({ orders, exchange }: GatewaySettings, report: Report): void {
  const reached = exchange.credentials.flatMap(({ tradingAccounts }) => tradingAccounts);
  const seen = new Set<string>();
  for (const [index, limits] of orders.accountLimits.entries()) {
    const path = ['orders', 'accountLimits', index];
    const { tradingAccount } = limits;
    if (!reached.includes(tradingAccount)) {
      const remedy = `choose among: ${reached.join(', ')}`;
      report([...path, 'tradingAccount'], tradingAccount, 'no credential reaches this account', remedy);
    }
    if (seen.has(tradingAccount)) {
      report([...path, 'tradingAccount'], tradingAccount, 'its limits stand here twice', 'keep one of them');
    }
    seen.add(tradingAccount);
    for (const key of AMOUNTS) {
      const amount = limits[key];
      if (amount === undefined || Decimal.of(amount).isPositive()) continue;
      report([...path, key], amount, 'a limit of zero refuses every order', 'write a positive amount, or remove it');
    }
  }
}

/** Check that accounts that take orders by REST are reached, and named once (rule O12). */
function checkRestOrders({ bridge, exchange }: GatewaySettings, report: Report): void {
  const reached = exchange.credentials.flatMap(({ tradingAccounts }) => tradingAccounts);
  const named = new Set<string>();
  for (const [index, { tradingAccount }] of bridge.orders.entries()) {
    const path = ['bridge', 'orders', index, 'tradingAccount'];
    if (!reached.includes(tradingAccount)) {
      report(path, tradingAccount, 'no credential reaches this account', 'name an account of exchange.credentials');
    }
    if (named.has(tradingAccount)) report(path, tradingAccount, 'this account is named twice', 'name it once');
    named.add(tradingAccount);
  }
}

/** Check that callers with negotiated trades over the bridge use accounts with limits that cover them (rule O12). */
function checkNegotiatingCallers({ orders, bridge }: GatewaySettings, report: Report): void {
  const weighed = orders.accountLimits
    .filter(({ orderQtyMax, notionalMax }) => orderQtyMax !== undefined || notionalMax !== undefined)
    .map(({ tradingAccount }) => tradingAccount);
  for (const [index, { functions, tradingAccounts }] of bridge.callers.entries()) {
    if (!functions.includes('otc-write')) continue;
    for (const [at, account] of tradingAccounts.entries()) {
      if (weighed.includes(account)) continue;
      const problem = 'no limit weighs the negotiated trades of this account, which the function otc-write enters';
      const remedy = 'name it in orders.accountLimits, with orderQtyMax or notionalMax, or take otc-write away';
      report(['bridge', 'callers', index, 'tradingAccounts', at], account, problem, remedy);
    }
  }
}

export interface CheckedGateway {
  readonly settings: GatewaySettings;
  readonly placeOf: PlaceOf;
}

/** Largest reference that the exchange takes: 1e17 (the exchange's own FIX, ClOrdID). */
export const REFERENCE_MAX = 100_000_000_000_000_000n;

/** The sessions' exchange: the embedded simulated one, or by `exchange.environment`. */
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
  checkCluster(settings, report);
  checkAccountLimits(settings, report);
  checkNegotiatingCallers(settings, report);
  checkRestOrders(settings, report);
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
  const { kind, url, leaseMs, requestTimeoutMs, standby } = store;
  if (kind === 'postgres' && url === undefined) {
    report(['store', 'url'], null, 'missing: the journal is to lie in PostgreSQL', 'write `env:NAME` or `file:PATH`');
  }
  if (kind === 'embedded' && url !== undefined) {
    report(['store', 'url'], url, 'not used: the journal is embedded', 'remove it, or write `kind: postgres`');
  }
  if (kind === 'embedded' && standby === 'wait') {
    const remedy = 'remove it, or write `kind: postgres`';
    report(['store', 'standby'], standby, 'not possible: the journal is embedded, and no other node has it', remedy);
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
    report(['bridge', 'callers'], [], 'the bridge has no callers', 'add a caller, or set `bridge.enabled: false`');
  }
}

function checkListeners({ fix, simulator, admin, bridge }: GatewaySettings, report: Report): void {
  const owners = new Map<string, string>();
  const claim = (path: Path, host: string, port: number, owner: string): void => {
    if (port === 0) return;
    const address = hostPort(host, port);
    const other = owners.get(address);
    if (other !== undefined) report(path, port, `${address} is used twice: by ${other} too`, 'choose another port');
    owners.set(address, owner);
  };
  if (simulator.embedded) {
    claim(['simulator', 'port'], simulator.host, simulator.port, 'the embedded simulated exchange');
  }
  if (admin.enabled) claim(['admin', 'port'], admin.host, admin.port, 'the admin API');
  if (bridge.enabled) claim(['bridge', 'port'], bridge.host, bridge.port, 'the bridge');
  checkTls(admin.tls, ['admin', 'tls'], simulator.embedded, report);
  checkTls(bridge.tls, ['bridge', 'tls'], simulator.embedded, report);
  const names = new Set<string>();
  for (const [index, listener] of fix.listen.entries()) {
    const path = ['fix', 'listen', index];
    const { name, host, port, tls } = listener;
    checkNetworks(listener, path, report);
    if (names.has(name)) report([...path, 'name'], name, 'two listeners have this name', 'give each a name of its own');
    names.add(name);
    claim([...path, 'port'], host, port, `listener ${name}`);
    checkTls(tls, [...path, 'tls'], simulator.embedded, report);
  }
}

function checkTls(tls: TlsSettings | undefined, path: Path, isEmbedded: boolean, report: Report): void {
  if (tls === undefined) return;
  if (tls.selfSigned) checkSelfSigned(tls, path, isEmbedded, report);
  const fault = ciphersFault(tls.ciphers);
  if (fault !== null) {
    const remedy = '`openssl ciphers LIST` shows what a list means; or remove the key';
    report([...path, 'ciphers'], tls.ciphers, fault, remedy);
  }
  if (tls.clientRevocations !== undefined && tls.clientAuthority === undefined) {
    const problem = 'not used: clients are asked for no certificate';
    report([...path, 'clientRevocations'], tls.clientRevocations, problem, 'add `clientAuthority`');
  }
}

function checkSelfSigned(
  tls: { readonly certificate: string; readonly key: string },
  path: Path,
  isEmbedded: boolean,
  report: Report,
): void {
  if (!isEmbedded) {
    const remedy = 'configure a certificate of your own, or set `simulator.embedded: true`';
    report([...path, 'selfSigned'], true, 'only with the embedded simulated exchange', remedy);
  }
  for (const key of ['certificate', 'key'] as const) {
    if (tls[key].startsWith('file:')) continue;
    report([...path, key], tls[key], 'a self-signed pair is written to files', 'write `file:PATH`');
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
  const keys = new Set<string>();
  for (const [index, { name, key }] of exchange.credentials.entries()) {
    const path = ['exchange', 'credentials', index];
    if (names.has(name)) report([...path, 'name'], name, 'two credentials have this name', 'rename one');
    names.add(name);
    if (keys.has(key)) {
      const remedy = 'give each a key of its own, or list all accounts under one';
      report([...path, 'key'], key, 'two credentials have this API key: their nonces would collide', remedy);
    }
    keys.add(key);
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
  const { baseUrl, tls } = exchange;
  if ((tls?.certificate === undefined) !== (tls?.key === undefined)) {
    const [there, missing] = tls?.key === undefined ? ['certificate', 'key'] : ['key', 'certificate'];
    const problem = `required, because \`exchange.tls.${there}\` is set`;
    report(['exchange', 'tls', missing], undefined, problem, `add \`exchange.tls.${missing}\``);
  }
  if (tls?.passphrase !== undefined && tls.key === undefined) {
    report(
      ['exchange', 'tls', 'passphrase'],
      tls.passphrase,
      'there is no key that it opens',
      'add `exchange.tls.key`',
    );
  }
  if (tls !== undefined && (simulator.embedded || baseUrl?.startsWith('http:'))) {
    report(['exchange', 'tls'], undefined, 'the exchange is reached without TLS', 'remove the group');
  }
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    const remedy = 'write `https://host` or `https://host:port`, an IPv6 address in brackets';
    report(['exchange', 'baseUrl'], baseUrl, 'no address: its host or its port is none', remedy);
  }
  if (exchange.environment === 'production' && baseUrl?.startsWith('http:')) {
    const remedy = 'write an https:// address';
    report(['exchange', 'baseUrl'], baseUrl, 'a production exchange without TLS', remedy);
  }
}
