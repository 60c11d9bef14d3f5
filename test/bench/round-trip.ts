// Round trip of an order, D → 8 (New), through gateway and simulated exchange in their own processes, beside the same order
// sent straight to the simulated exchange: signed POST, then the order's frame on the private-data stream. Interleaved in
// one run, medians and ratios.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { ExchangeEvent, ExchangePort } from '../../src/exchange/mod.ts';
import { type Credential, createExchangeClient } from '../../src/exchange-client/mod.ts';
import { Tag } from '../../src/wire/mod.ts';
import { ACME, limitOrder, PASSWORD } from '../support/exchange-house.ts';
import { type FixConnection, logOn, openFix } from '../support/fix-connection.ts';
import { GatewayHome, type GatewayProcess } from '../support/gateway-process.ts';
import { LineProcess } from '../support/line-process.ts';
import { runStages } from './round-trip-stages.ts';

const ROUNDS = 600;
const WARM_UP = 100;
/** Of another user with another key: nonces are counted by key. */
const DIRECT_ACCOUNT = '111000000000003';
const FAST = { ordersPerSecond: 1_000_000, otherPerSecond: 1_000_000, addressPer10Seconds: 10_000_000 };

function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

interface Path {
  readonly name: string;
  readonly microseconds: number[];
  order(i: number): Promise<void>;
}

function throughGateway(name: string, fix: FixConnection): Path {
  return {
    name,
    microseconds: [],
    order: async (i) => {
      const clOrdID = `${name}-${i}`;
      fix.send(limitOrder(clOrdID, '0.0001', '50000.0'));
      for (;;) {
        const view = await fix.next();
        if (view.msgType !== '8' || view.string(Tag.ClOrdID) !== clOrdID) continue;
        if (view.string(Tag.ExecType) === '0') return;
        throw new Error(`${clOrdID}: ${view.string(Tag.Text)}`);
      }
    },
  };
}

async function straightToExchange(url: string, credential: Credential): Promise<{ path: Path; port: ExchangePort }> {
  const waiting = new Map<string, () => void>();
  const port = createExchangeClient({
    name: 'direct',
    baseUrl: url,
    credential,
    dialect: 'v2',
    prehash: 'hexdigest',
    tradingAccountIds: [DIRECT_ACCOUNT],
    rates: FAST,
    auctionSymbols: [],
    nonceMode: 'window',
    nonceCeiling: null,
    onNonceCeiling: () => {},
    now: Date.now,
    log: () => {},
    onAlarm: (_alarm, text) => console.error(text),
  });
  const live = new Promise<void>((resolve) => {
    port.onEvent = (event: ExchangeEvent) => {
      if (event.kind === 'feed' && event.feed === 'private' && event.live) resolve();
      if (event.kind === 'order' && event.order.clientOrderId !== null) waiting.get(event.order.clientOrderId)?.();
    };
  });
  await port.start();
  await live;
  const path: Path = {
    name: 'exchange alone',
    microseconds: [],
    order: async (i) => {
      const clientOrderId = `${7_000_000 + i}`;
      const seen = new Promise<void>((resolve) => waiting.set(clientOrderId, resolve));
      const outcome = await port.submit(clientOrderId, {
        kind: 'createOrder',
        clientOrderId,
        symbol: 'BTCUSDC',
        type: 'LIMIT',
        side: 'BUY',
        price: '50000.0',
        stopPrice: null,
        quantity: '0.0001',
        timeInForce: 'GTC',
        allowBorrow: false,
        isMMP: null,
        tradingAccountId: DIRECT_ACCOUNT,
      });
      if (outcome.kind !== 'accepted') throw new Error(`direct order: ${outcome.kind} ${outcome.message}`);
      await seen;
      waiting.delete(clientOrderId);
    },
  };
  return { path, port };
}

const REFERENCES = {
  process: { 'orders.referenceFirst': '90000000000000001', 'orders.referenceLast': '90999999999999999' },
  disk: { 'orders.referenceFirst': '91000000000000001', 'orders.referenceLast': '91999999999999999' },
} as const;

/** A gateway whose session ACME_OMS has that durability. */
async function gatewayAt(
  url: string,
  keys: string,
  durability: 'process' | 'disk',
): Promise<{ home: GatewayHome; gateway: GatewayProcess; fix: FixConnection }> {
  const home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    'exchange.rates': FAST,
    'exchange.credentials.0.key': `file:${join(keys, 'demo-hmac.json')}`,
    // References of its own: a fresh journal on an exchange that knows newer ones takes no Logon (rule J3).
    ...REFERENCES[durability],
  });
  // The drop copy's reports lie in the same frames: they would make every commit wait for the disk.
  await home.configure('MIDDLE_OFFICE.yaml', { durability });
  await home.configure('ACME_OMS.yaml', {
    durability,
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const gateway = await home.start(url);
  const fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD, reset: true });
  return { home, gateway, fix };
}

/** Both paths in turn, so that what slows the machine slows both. */
async function interleave(paths: readonly Path[], from: number): Promise<void> {
  for (let i = from; i < from + WARM_UP + ROUNDS; i++) {
    for (const path of paths) {
      const start = process.hrtime.bigint();
      await path.order(i);
      if (i >= from + WARM_UP) path.microseconds.push(Number(process.hrtime.bigint() - start) / 1000);
    }
    if (i % 100 === 99) console.error(`${i + 1 - from} of ${WARM_UP + ROUNDS} rounds`);
  }
}

function print(paths: readonly Path[]): void {
  const base = percentile(
    paths[0]!.microseconds.toSorted((a, b) => a - b),
    0.5,
  );
  for (const { name, microseconds } of paths) {
    const sorted = microseconds.toSorted((a, b) => a - b);
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    const row = [p50.toFixed(0).padStart(10), p99.toFixed(0).padStart(10), (p50 / base).toFixed(2).padStart(12)];
    console.log(name.padEnd(30) + row.join(''));
  }
}

/** `--stages`: what the gateway itself adds, by stage. Otherwise the round trip beside the exchange alone, as a table. */
export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--stages')) {
    await runStages();
    return;
  }
  const keysHome = await GatewayHome.create();
  const keys = keysHome.secrets;
  const simArgs = ['sim', '--json', '--port', '0', '--keys', keys, '--liquidity', 'off', '--no-limits'];
  const sim = new LineProcess(process.execPath, ['src/cli/main.ts', ...simArgs], {
    cwd: join(import.meta.dirname, '../..'),
  });
  const url = (JSON.parse(await sim.line(/^\{/)) as { url: string }).url;
  const key = JSON.parse(await readFile(join(keys, 'other-hmac.json'), 'utf8')) as Credential;
  const direct = await straightToExchange(url, key);
  console.log(`D → 8 (New), one order in flight, ${ROUNDS} rounds interleaved with the exchange alone`);
  console.log(`${'path'.padEnd(30)}${'p50 µs'.padStart(10)}${'p99 µs'.padStart(10)}${'p50 ratio'.padStart(12)}`);
  let from = 0;
  for (const durability of ['process', 'disk'] as const) {
    // One gateway at a time: in one journal the syncs of a disk session would hold up the writes of the other.
    const { home, gateway, fix } = await gatewayAt(url, keys, durability);
    const alone: Path = { ...direct.path, microseconds: [] };
    const paths = [alone, throughGateway(`gateway, durability ${durability}`, fix)];
    await interleave(paths, from);
    print(paths);
    fix.destroy();
    await gateway.interrupt();
    await home.remove();
    from += WARM_UP + ROUNDS;
  }
  await direct.port.close();
  await sim.kill('SIGINT');
  await keysHome.remove();
}
