// Round trip of an order, D → 8 (New), through gateway and simulated exchange in their own processes. Beside it the
// same order goes straight to the simulated exchange: signed POST, then the order's frame on the private-data stream.
// One gateway at a time, interleaved with the exchange alone: another one on the same account would hear of every
// order. Medians and ratios of processes that have warmed up, and beside them how long the exchange itself works on an
// order.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { BUSY_POLL_MICROS_DEFAULT } from '../../src/engine/sessions/busy-poll.ts';
import type { ExchangeEvent, ExchangePort } from '../../src/exchange/mod.ts';
import { type Credential, createExchangeClient } from '../../src/exchange-client/mod.ts';
import { toPrintable } from '../../src/wire/mod.ts';
import { ACME, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { UNLIMITED } from '../support/processes/exchange-process.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { percentile, readMarks } from './marks.ts';
import { option, runAccounts } from './round-trip-accounts.ts';
import { runStages } from './round-trip-stages.ts';
import { BenchClient } from './session-client.ts';

const ROUNDS = 3_000;
/** Code that runs often is optimized by then: a gateway is up for days. Medians on the way are printed. */
const WARM_UP = 20_000;
/** Rounds with a printed median in the warm-up. */
const WARM_UP_BLOCK = 5_000;
/** Of another user with another key: nonces are counted by key. */
const DIRECT_ACCOUNT = '111000000000003';

interface Variant {
  readonly durability: 'process' | 'disk';
  readonly bridge: boolean;
  readonly busyPollMicros: number;
}

interface Path {
  readonly name: string;
  readonly warmUp: number[];
  readonly microseconds: number[];
  /** One order; microseconds. */
  order(i: number): Promise<number>;
}

/** The OMS's own work before sending and after reading is not the gateway's. */
function throughGateway(name: string, fix: BenchClient): Path {
  let answered: (text: string) => void = () => {};
  fix.onFrame = (text) => answered(text);
  return {
    name,
    warmUp: [],
    microseconds: [],
    order: async (i) => {
      const [head = '', ...fields] = limitOrder(`g-${i}`, '0.0001', '50000.0').split('|');
      const bytes = fix.render(head, fields.join('|'));
      const end = new Promise<bigint>((resolve, reject) => {
        answered = (text) => {
          if (!text.includes(`\u000111=g-${i}\u0001`)) return;
          if (text.includes('\u0001150=0\u0001')) resolve(process.hrtime.bigint());
          else reject(new Error(toPrintable(Buffer.from(text, 'latin1'))));
        };
      });
      const start = process.hrtime.bigint();
      fix.socket.write(bytes);
      return Number((await end) - start) / 1000;
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
    rates: UNLIMITED,
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
    warmUp: [],
    microseconds: [],
    order: async (i) => {
      const start = process.hrtime.bigint();
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
      const end = process.hrtime.bigint();
      waiting.delete(clientOrderId);
      return Number(end - start) / 1000;
    },
  };
  return { path, port };
}

/** A gateway with that durability in its session ACME_OMS, with its bridge or without. */
async function gatewayAt(
  url: string,
  keys: string,
  { durability, bridge, busyPollMicros }: Variant,
): Promise<{ home: GatewayHome; gateway: GatewayProcess; fix: BenchClient }> {
  const home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    busyPollMicros,
    ...(bridge ? {} : { bridge: { enabled: false } }),
    'exchange.rates': UNLIMITED,
    'exchange.credentials.0.key': `file:${join(keys, 'demo-hmac.json')}`,
  });
  // The drop copy's reports lie in the same frames: they would make every commit wait for the disk.
  await home.configure('MIDDLE_OFFICE.yaml', { durability });
  await home.configure('ACME_OMS.yaml', {
    durability,
    // One order behind the other is faster.
    messageRate: { max: 0 },
    // The effect of a disconnect is measured elsewhere.
    cancelOnDisconnect: { on: 'off' },
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const gateway = await home.start(url);
  const { senderCompID: sender, targetCompID: target } = ACME;
  const fix = await BenchClient.open({ port: gateway.fixPort, sender, target, password: PASSWORD });
  await fix.logOn();
  return { home, gateway, fix };
}

/** Both paths in turn, so that what slows the machine slows both. */
async function interleave(paths: readonly Path[], warmUp: number): Promise<void> {
  for (let i = 0; i < warmUp + ROUNDS; i++) {
    for (const path of paths) {
      (i < warmUp ? path.warmUp : path.microseconds).push(await path.order(i));
    }
    if (i % 1_000 === 999) console.error(`${i + 1} of ${warmUp + ROUNDS} rounds`);
  }
}

const median = (list: readonly number[]): number =>
  percentile(
    list.toSorted((a, b) => a - b),
    0.5,
  );

function print(paths: readonly Path[]): void {
  const base = median(paths[0]!.microseconds);
  for (const { name, warmUp } of paths) {
    const blocks: string[] = [];
    for (let at = 0; at < warmUp.length; at += WARM_UP_BLOCK) {
      blocks.push(median(warmUp.slice(at, at + WARM_UP_BLOCK)).toFixed(0));
    }
    console.log(`  warm-up, ${name}: p50 ${blocks.join(', ')} µs by ${WARM_UP_BLOCK} rounds`);
  }
  for (const { name, microseconds } of paths) {
    const sorted = microseconds.toSorted((a, b) => a - b);
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    const row = [p50.toFixed(0).padStart(10), p99.toFixed(0).padStart(10), (p50 / base).toFixed(2).padStart(12)];
    console.log(name.padEnd(30) + row.join(''));
  }
}

/** Microseconds from a command's arrival to the first frame about it, and processor time of the exchange for each order. */
async function printExchange(file: string, orders: number): Promise<void> {
  const { clock, cpu } = await readMarks(file);
  const tillFrame: number[] = [];
  const starts = clock.flatMap(({ name }, i) => (name === 'request in' ? [i] : [])).slice(-orders);
  for (const start of starts) {
    const frame = clock.slice(start, start + 20).findIndex(({ name }) => name === 'frame out');
    if (frame !== -1) tillFrame.push(clock[start + frame]!.at - clock[start]!.at);
  }
  const p50 = median(tillFrame);
  // The clock of a thread may go in steps longer than an order: only their sum says something.
  const work = (cpu[starts.at(-1)!]!.at - cpu[starts[0]!]!.at) / (starts.length - 1);
  console.log(
    `the exchange itself: p50 ${p50.toFixed(0)} µs from a request to its first frame; ${work.toFixed(0)} µs of its thread per order`,
  );
}

async function measure(variant: Variant, warmUp: number): Promise<void> {
  const keysHome = await GatewayHome.create();
  const keys = keysHome.secrets;
  const marks = join(keysHome.folder, 'marks');
  const simArgs = ['sim', '--json', '--port', '0', '--keys', keys, '--liquidity', 'off', '--no-limits'];
  const sim = new LineProcess(process.execPath, ['test/bench/round-trip-exchange.ts', ...simArgs], {
    cwd: join(import.meta.dirname, '../..'),
    env: { CROSSGATE_STAGES: marks },
  });
  const url = (JSON.parse(await sim.line(/^\{/, 60_000)) as { url: string }).url;
  const key = JSON.parse(await readFile(join(keys, 'other-hmac.json'), 'utf8')) as Credential;
  const direct = await straightToExchange(url, key);
  const { home, gateway, fix } = await gatewayAt(url, keys, variant);
  const paths = [direct.path, throughGateway(`gateway, durability ${variant.durability}`, fix)];
  await interleave(paths, warmUp);
  print(paths);
  fix.socket.destroy();
  await direct.port.close();
  await gateway.interrupt();
  await sim.kill('SIGINT');
  await printExchange(marks, 2 * ROUNDS);
  await home.remove();
  await keysHome.remove();
}

/**
 * `--accounts N`: many accounts at the venue's rate. `--stages`: what the gateway itself adds, by stage. Otherwise the
 * round trip beside the exchange alone, as a table. Options: `--warm-up N` rounds before; `--process` without
 * durability `disk`; `--no-bridge` without the samples' bridge; `--busy-poll MICROS` of the gateway; `--as-it-is` on an
 * untuned machine.
 */
export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--accounts')) {
    await runAccounts(args);
    return;
  }
  if (args.includes('--stages')) {
    await runStages({
      busyPollMicros: option(args, '--busy-poll', BUSY_POLL_MICROS_DEFAULT),
      asItIs: args.includes('--as-it-is'),
    });
    return;
  }
  const warmUp = option(args, '--warm-up', WARM_UP);
  const bridge = !args.includes('--no-bridge');
  const busyPollMicros = option(args, '--busy-poll', BUSY_POLL_MICROS_DEFAULT);
  console.log(
    `D → 8 (New), HMAC key, one order in flight, ${ROUNDS} rounds after ${warmUp}, interleaved with the exchange alone, bridge ${bridge ? 'on' : 'off'}, the gateway polls for ${busyPollMicros} µs`,
  );
  console.log(`${'path'.padEnd(30)}${'p50 µs'.padStart(10)}${'p99 µs'.padStart(10)}${'p50, ratio'.padStart(12)}`);
  for (const durability of ['process', 'disk'] as const) {
    if (durability === 'process' || !args.includes('--process'))
      await measure({ durability, bridge, busyPollMicros }, warmUp);
  }
}
