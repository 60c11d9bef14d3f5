// Seeded runs of the simulated exchange: the same seed, clock and commands give the same frames on every stream, to the
// byte. They include walking liquidity, random faults, auctions and passing hours; another seed gives others.

import { expect, test } from 'vitest';
import { ACCOUNT, Caller, startTestSimulator, v2Cancel } from '../exchange-caller.ts';

const START = Date.parse('2026-06-01T06:30:00.000Z');
const ROUNDS = 12;

/** All data frames of a run, stream by stream. */
async function run(seed: number): Promise<string> {
  const clock = { now: START };
  const simulator = await startTestSimulator({
    seed,
    now: () => clock.now,
    liquidity: 'moving',
    // Steps are taken below, not by real time.
    liquidityStepMs: 3_600_000,
    heartbeatMs: 3_600_000,
    auctions: { coolingMs: 600_000, accumulationMs: 600_000, lockdownMs: 300_000, noiiMs: 60_000, manual: false },
    faults: { streams: [{ what: 'duplicate', dataType: 'V1TALevel2', times: 1_000, probability: 0.3 }] },
  });
  const { control } = simulator;
  try {
    const caller = await Caller.loggedIn(simulator, 'demo-hmac', () => clock.now);
    const market = { symbol: 'BTCUSDC' };
    const opened = [
      [await caller.stream(), ['orders', 'trades', 'assetAccounts', 'tradingAccounts'], { tradingAccountId: ACCOUNT }],
      [await caller.stream('market-data/orderbook', {}), ['l1Orderbook', 'l2Orderbook'], market],
      [await caller.stream('market-data/trades', {}), ['anonymousTrades'], market],
      [await caller.stream('market-data/tick', {}), ['tick'], market],
      [await caller.stream('market-data/auction', {}), ['noii', 'phase'], market],
      [await caller.stream('index-data', {}), ['indexPrice'], { assetSymbol: 'BTC' }],
    ] as const;
    for (const [stream, topics, params] of opened) {
      for (const topic of topics) await stream.subscribe({ topic, ...params });
    }
    for (let round = 0; round < ROUNDS; round++) {
      clock.now += 200_000;
      control.advance();
      control.stepLiquidity();
      const price = (60_000 + (round % 7) * 20 - 60).toFixed(1);
      const orderId = await caller.create({ side: round % 3 === 0 ? 'SELL' : 'BUY', price, quantity: '0.2' });
      if (round % 4 === 0) await caller.send(v2Cancel({ orderId }));
      if (control.auction('BTCUSDC').phase === 'ACCUMULATION') {
        await caller.create({ side: 'BUY', price, quantity: '0.3', timeInForce: 'GTX' });
      }
    }
    // A pong comes after all that was sent before it.
    for (const [stream] of opened) await stream.ping();
    const said = opened.map(([stream]) => stream.frames.filter(({ dataType }) => dataType !== undefined));
    for (const frames of said) expect(frames.length).toBeGreaterThan(1);
    for (const [stream] of opened) stream.close();
    return said.flatMap((frames) => frames.map((frame) => JSON.stringify(frame))).join('\n');
  } finally {
    await simulator.close();
  }
}

test('two runs with one seed send identical frames; another seed sends others', async () => {
  const first = await run(7);
  const second = await run(7);
  // Line by line, so that a difference is shown where it begins.
  const at = first.split('\n').findIndex((line, i) => line !== second.split('\n')[i]);
  expect(first.split('\n')[at]).toBe(second.split('\n')[at]);
  expect(second).toBe(first);
  expect(await run(8)).not.toBe(first);
});
