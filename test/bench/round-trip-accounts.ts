// Many accounts at the venue's rate: each with a user, an exchange login and a FIX session of its own, through one
// gateway, open loop. The report also counts faults: orders refused for their rate, and orders queued for longer than
// allowed. The exchange, the gateway and the OMSs are processes of their own.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { stringify } from 'yaml';
import { PASSWORD } from '../support/processes/exchange-house.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import type { CollectionFigures } from './load-gateway.ts';
import type { Delays, LoadFigures, LoadPlan } from './load-generator.ts';

/**
 * Of 50. The exchange counts a request somewhere between departure and answer. So 50 in any second need a second and a
 * round trip between an order and the fiftieth after it: at 50.0 the queue would grow for ever.
 */
const ORDERS_PER_SECOND = 49;
const CANCEL_EVERY = 5;
const CANCEL_AFTER_MS = 1_000;
const WARM_UP_S = 30;
const MINUTES = 10;
const START_MS = 120_000;
const SAMPLES = ['ACME_OMS.yaml', 'VENUE_OMS.yaml', 'MIDDLE_OFFICE.yaml'];

export interface LoadAccount {
  readonly name: string;
  readonly account: string;
}

export function accountsOf(count: number): LoadAccount[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `LOAD_${String(i + 1).padStart(2, '0')}`,
    account: `111000000001${String(i + 1).padStart(3, '0')}`,
  }));
}

/** One user, one HMAC key and one funded account for each. */
export function worldOf(accounts: readonly LoadAccount[]): string {
  return stringify({
    assets: [
      { symbol: 'BTC', indexPrice: '60000' },
      { symbol: 'USDC', precision: 4 },
    ],
    markets: [{ symbol: 'BTCUSDC' }],
    users: accounts.map(({ name }, i) => ({
      name,
      userId: String(30_001 + i),
      keys: [{ name: `${name}-key`, kind: 'hmac' }],
    })),
    accounts: accounts.map(({ name, account }) => ({
      tradingAccountId: account,
      user: name,
      isPrimaryAccount: true,
      balances: { BTC: '1000', USDC: '1000000000' },
    })),
  });
}

/** Sessions, passwords and exchange logins of the accounts. `keys`: the folder where the exchange wrote its keys. */
export async function prepare(
  home: GatewayHome,
  accounts: readonly LoadAccount[],
  { durability, keys }: { readonly durability: string; readonly keys: string },
): Promise<void> {
  for (const sample of SAMPLES) await rm(join(home.sessions, sample));
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    bridge: { enabled: false },
    // Behind one address here; the limits of each login stay.
    'exchange.rates': { addressPer10Seconds: 10_000_000 },
    'exchange.credentials': accounts.map(({ name, account }) => ({
      name,
      key: `file:${join(keys, `${name}-key.json`)}`,
      tradingAccounts: [account],
    })),
  });
  for (const { name, account } of accounts) {
    await writeFile(join(home.secrets, `${name}.password`), `${PASSWORD}\n`, { mode: 0o600 });
    const session = {
      targetCompID: name,
      password: `file:secrets/${name}.password`,
      durability,
      messageRate: { max: 0 },
      accounts: [{ account, credential: name }],
      limits: { orderQtyMax: '100', notionalMax: '5000000', openOrdersMax: 1_000, priceBandPercent: 'off' },
    };
    await writeFile(join(home.sessions, `${name}.yaml`), stringify(session));
  }
}

function row(name: string, { count, p50, p99, p999, worst }: Delays): string {
  const figures = [p50, p99, p999, worst].map((ms) => (ms ?? Number.NaN).toFixed(2).padStart(10));
  return name.padEnd(20) + String(count).padStart(9) + figures.join('');
}

function print(figures: LoadFigures, gateway: CollectionFigures): void {
  const { orders, cancels, sentLateMsMax, unanswered, refusals } = figures;
  console.log(
    `${'ms'.padEnd(20)}${['count', 'p50', 'p99', 'p99.9', 'worst'].map((n, i) => n.padStart(i === 0 ? 9 : 10)).join('')}`,
  );
  console.log(row('D → 8', orders));
  console.log(row('F → 8 (150=4)', cancels));
  console.log(
    `sent at most ${sentLateMsMax.toFixed(1)} ms after its time, which counts above; ${unanswered} without an answer`,
  );
  const kinds = Object.entries(refusals);
  console.log(kinds.length === 0 ? 'nothing was refused, nothing queued beyond its age' : 'refused:');
  for (const [text, count] of kinds) console.log(`  ${count} × ${text}`);
  const { seconds, collectedMs, longestMs, cpuMs } = gateway;
  console.log(
    `the gateway: garbage collection ${((collectedMs / seconds) * 0.1).toFixed(2)} % of the time, longest pause ` +
      `${longestMs.toFixed(1)} ms; ${((cpuMs * 1_000) / (orders.count + cancels.count)).toFixed(0)} µs of processor per order or cancel`,
  );
}

/** The number behind an option's name. */
export function option(args: readonly string[], name: string, otherwise: number): number {
  const at = args.indexOf(name);
  return at === -1 ? otherwise : Number(args[at + 1]);
}

/** `--accounts N [--minutes M] [--rate R] [--disk]`: print delays, refusals and the gateway's garbage collection. */
export async function runAccounts(args: readonly string[]): Promise<void> {
  const accounts = accountsOf(option(args, '--accounts', 20));
  const minutes = option(args, '--minutes', MINUTES);
  const ordersPerSecond = option(args, '--rate', ORDERS_PER_SECOND);
  const durability = args.includes('--disk') ? 'disk' : 'process';
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-load-'));
  const home = await GatewayHome.create();
  const worldFile = join(folder, 'world.yaml');
  await writeFile(worldFile, worldOf(accounts));
  const script = (name: string): string => join(import.meta.dirname, name);
  const exchange = new LineProcess(process.execPath, [script('load-exchange.ts'), worldFile, home.secrets]);
  const { url } = JSON.parse(await exchange.line(/^\{/, START_MS)) as { url: string };
  await prepare(home, accounts, { durability, keys: home.secrets });
  const collected = join(folder, 'gc.json');
  const env = { CROSSGATE_GC: collected };
  const gateway = await home.start(url, env, 'test/bench/load-gateway.ts');
  const plan: LoadPlan = {
    port: gateway.fixPort,
    password: PASSWORD,
    targetCompID: 'EXCHANGE_TEST',
    accounts: accounts.map(({ name, account }) => ({ senderCompID: name, account })),
    ordersPerSecond,
    cancelEvery: CANCEL_EVERY,
    cancelAfterMs: CANCEL_AFTER_MS,
    warmUpS: WARM_UP_S,
    seconds: minutes * 60,
  };
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan));
  console.log(
    `${accounts.length} accounts, ${ordersPerSecond} orders/s each (the venue's limit is 50) and a cancel for each ${CANCEL_EVERY}th, ` +
      `open loop for ${minutes} min after ${WARM_UP_S} s at 80 %, durability ${durability}`,
  );
  const oms = new LineProcess(process.execPath, [script('load-generator.ts'), join(folder, 'plan.json')]);
  try {
    await oms.line(/^warm$/, (WARM_UP_S + 60) * 1_000);
    process.kill(gateway.process.pid, 'SIGUSR2');
    const figures = JSON.parse(await oms.line(/^\{/, (minutes * 60 + 120) * 1_000)) as LoadFigures;
    await gateway.interrupt();
    print(figures, JSON.parse(await readFile(collected, 'utf8')) as CollectionFigures);
  } finally {
    await oms.kill('SIGKILL');
    await home.remove();
    await exchange.kill('SIGINT');
    await rm(folder, { recursive: true, force: true });
  }
}
