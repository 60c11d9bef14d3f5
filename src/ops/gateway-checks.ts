// What a schema cannot say of gateway.yaml in itself: agreement between its keys. Leaves sessions to cross-checks.ts and
// what is allowed but deserves a look to config-warnings.ts.

import { hostPort } from '../base/host-port.ts';
import { checkAccountLimits } from './account-limits-check.ts';
import { checkAdminUsers } from './admin-users.ts';
import { type ConfigProblem, type Report, reporter } from './config-problem.ts';
import type { GatewaySettings } from './gateway-schema.ts';
import { checkNetworks } from './logon-check.ts';
import type { PlaceOf } from './schema-check.ts';

export interface CheckedGateway {
  readonly settings: GatewaySettings;
  readonly placeOf: PlaceOf;
}

/** Largest reference that the exchange takes: 1e17 (the exchange's own FIX, ClOrdID). */
export const REFERENCE_MAX = 100_000_000_000_000_000n;

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
    taken.set(hostPort(simulator.host, simulator.port), 'the embedded simulated exchange');
  }
  const adminAddress = hostPort(admin.host, admin.port);
  if (admin.enabled && admin.port !== 0) {
    if (taken.has(adminAddress)) {
      const problem = `${adminAddress} is used twice: by the embedded simulated exchange too`;
      report(['admin', 'port'], admin.port, problem, 'choose another port');
    }
    taken.set(adminAddress, 'the admin API');
  }
  const bridgeAddress = hostPort(bridge.host, bridge.port);
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
    const address = hostPort(host, port);
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
  const { baseUrl } = exchange;
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    const remedy = 'write `https://host` or `https://host:port`, an IPv6 address in brackets';
    report(['exchange', 'baseUrl'], baseUrl, 'no address: its host or its port is none', remedy);
  }
  if (exchange.environment === 'production' && baseUrl?.startsWith('http:')) {
    const remedy = 'write an https:// address';
    report(['exchange', 'baseUrl'], baseUrl, 'a production exchange without TLS', remedy);
  }
}
