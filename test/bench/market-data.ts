// Market data to many sessions: 200 of them follow five books of 20 levels, at 20 updates a second of each book and at four
// times that. The report has the delay from an update to its X, and the processors that the gateway uses, beside those of a
// process that only writes the same bytes. The gateway has one processor, exchange and readers the other.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { stringify } from 'yaml';
import { ACCOUNT, PASSWORD } from '../support/processes/exchange-house.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import type { MarketDataPlan, StretchFigures } from './market-data-load.ts';
import { pin } from './processors.ts';
import { option } from './round-trip-accounts.ts';

const START_MS = 120_000;
const BASES = ['BTC', 'ETH', 'SOL', 'XRP', 'LTC'];
const SAMPLES = ['ACME_OMS.yaml', 'VENUE_OMS.yaml', 'MIDDLE_OFFICE.yaml'];

function worldOf(): string {
  return stringify({
    assets: [...BASES.map((symbol) => ({ symbol, indexPrice: '60000' })), { symbol: 'USDC', precision: 4 }],
    markets: BASES.map((baseSymbol) => ({ symbol: `${baseSymbol}USDC`, baseSymbol })),
    users: [{ name: 'reader', userId: '30001', keys: [{ name: 'reader-key', kind: 'hmac' }] }],
    accounts: [{ tradingAccountId: ACCOUNT, user: 'reader', isPrimaryAccount: true, balances: { USDC: '1000' } }],
  });
}

async function prepare(home: GatewayHome, sessions: readonly string[]): Promise<void> {
  for (const sample of SAMPLES) await rm(join(home.sessions, sample));
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    bridge: undefined,
    'fix.limits.connectionsPerAddressMax': 1_000,
    'exchange.credentials': [
      { name: 'reader', key: `file:${join(home.secrets, 'reader-key.json')}`, tradingAccounts: [ACCOUNT] },
    ],
  });
  await writeFile(join(home.secrets, 'reader.password'), `${PASSWORD}\n`, { mode: 0o600 });
  for (const name of sessions) {
    const session = {
      targetCompID: name,
      password: 'file:secrets/reader.password',
      messageRate: { max: 0 },
      accounts: [{ account: ACCOUNT, credential: 'reader' }],
      limits: { orderQtyMax: '100', notionalMax: '5000000', openOrdersMax: 1_000, priceBandPercent: 'off' },
      marketData: { enabled: true },
    };
    await writeFile(join(home.sessions, `${name}.yaml`), stringify(session));
  }
}

function print(name: string, figures: readonly StretchFigures[]): void {
  for (const { rate, perSecond, bytesPerSecond, p50, p99, worst, p99First, p99Last, processors } of figures) {
    const ms = (value: number): string => value.toFixed(1).padStart(8);
    console.log(
      `${name.padEnd(8)}${String(rate).padStart(6)}${perSecond.toFixed(0).padStart(9)}` +
        `${(bytesPerSecond / 1e6).toFixed(1).padStart(7)}${ms(p50)}${ms(p99)}${ms(worst)}${ms(p99First)}${ms(p99Last)}` +
        `${processors.toFixed(2).padStart(8)}`,
    );
  }
}

/** `[--sessions N] [--seconds S] [--rate R]`: print delays and processors at that rate and at four times it. */
export async function run(args: readonly string[]): Promise<void> {
  const count = option(args, '--sessions', 200);
  const rate = option(args, '--rate', 20);
  const sessions = Array.from({ length: count }, (_, i) => `MD_${String(i + 1).padStart(3, '0')}`);
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-market-data-'));
  const home = await GatewayHome.create();
  const worldFile = join(folder, 'world.yaml');
  await writeFile(worldFile, worldOf());
  const script = (name: string): string => join(import.meta.dirname, name);
  const load = new LineProcess(process.execPath, [script('market-data-load.ts'), worldFile, home.secrets]);
  const floor = new LineProcess(process.execPath, [script('market-data-floor.ts')]);
  const seconds = option(args, '--seconds', 10);
  const plan = {
    password: PASSWORD,
    sessions,
    symbols: BASES.map((base) => `${base}USDC`),
    depth: 20,
    rates: [rate, 4 * rate],
    seconds,
  };
  const measure = async (own: Pick<MarketDataPlan, 'kind' | 'port' | 'controlPort' | 'pid'>): Promise<void> => {
    const from = load.lines.length;
    load.say(JSON.stringify({ ...plan, ...own } satisfies MarketDataPlan));
    const answer = await load.line(/^\{"figures"/, START_MS + 2 * seconds * 1_000, from);
    print(own.kind, (JSON.parse(answer) as { figures: StretchFigures[] }).figures);
  };
  try {
    const { url } = JSON.parse(await load.line(/^\{/, START_MS)) as { url: string };
    await prepare(home, sessions);
    const isPinned = pin(load.pid, 1) && pin(floor.pid, 0);
    console.log(`${count} sessions × ${BASES.length} books, ${isPinned ? 'one processor each' : 'any processor'}`);
    console.log('          per s      X/s   MB/s     p50     p99   worst    p99 first, last quarter  processors');
    const ports = JSON.parse(await floor.line(/^\{/, START_MS)) as { readers: number; control: number };
    await measure({ kind: 'floor', port: ports.readers, controlPort: ports.control, pid: floor.pid });
    const gateway = await home.start(url);
    pin(gateway.process.pid, 0);
    await measure({ kind: 'gateway', port: gateway.fixPort, controlPort: 0, pid: gateway.process.pid });
  } finally {
    await load.kill('SIGINT');
    await floor.kill('SIGINT');
    await home.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
