// Cancels by the thousand, as after a mass cancel, a kill switch or a disconnect (rules C1, C3). None is given up for
// the others' turns or lost to their nonces, and an awaited one goes between them.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeCommand } from '../../../src/exchange/mod.ts';
import {
  type RawAnswer,
  type RawHttpServer,
  rawAnswer,
  startRawHttpServer,
} from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, type Observed, observe } from '../venue.ts';

let requests = 0;
const taken = (): string => rawAnswer(200, `{"message":"ok","requestId":"${++requests}","orderId":"2"}`);
const NONCE_REFUSED = rawAnswer(400, '{"message":"Invalid nonce","errorCode":"9015"}');

let server: RawHttpServer;
let observed: Observed;
afterEach(async () => {
  await observed.client.close();
  await server.close();
});

const cancel = (orderId: number): ExchangeCommand => ({
  kind: 'cancelOrder',
  orderId: String(orderId),
  clientOrderId: null,
  symbol: 'BTCUSDC',
  tradingAccountId: ACCOUNT,
});

/** The exchange's answer to a command for an order; reads are answered as ever. */
async function start(
  answer: (orderId: number) => RawAnswer,
  more: Partial<Parameters<typeof observe>[0]>,
): Promise<void> {
  server = await startRawHttpServer((request) => {
    if (!request.startsWith('POST') || request.includes('/login')) return readAnswer(request);
    const { command } = JSON.parse(request.slice(request.indexOf('\r\n\r\n'))) as { command: { orderId: string } };
    return answer(Number(command.orderId));
  });
  observed = observe({ ...scriptedOptions(server.url, []), ...more });
  await observed.client.start();
}

test('C3 a cancel is not given up while nothing but the rate is in its way: all of a mass cancel leave', async () => {
  await start(taken, {
    rates: { ordersPerSecond: 40, otherPerSecond: 40 },
    timeouts: { cancelWaitMs: 100 },
  });
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, i) => observed.client.submit(`c${i}`, cancel(i), 'OMS (many)')),
  );
  expect(outcomes.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
});

test('C3 a cancel that its session sent by itself goes between those of its mass cancel', async () => {
  const arrived: number[] = [];
  await start(
    (orderId) => {
      arrived.push(orderId);
      return taken();
    },
    { rates: { ordersPerSecond: 20, otherPerSecond: 20 } },
  );
  const many = Array.from({ length: 60 }, (_, i) => observed.client.submit(`c${i}`, cancel(i), 'OMS (many)'));
  await observed.client.submit('own', cancel(1_000), 'OMS');
  expect(arrived.length).toBeLessThan(60);
  await Promise.all(many);
});

test('X3 sends a cancel with a fenced-off nonce again under a new one', async () => {
  let release: () => void = () => {};
  const asked: number[] = [];
  await start(
    (orderId) => {
      asked.push(orderId);
      if (orderId !== 0 || asked.filter((one) => one === 0).length > 1) return taken();
      return (socket) => {
        release = () => socket.write(NONCE_REFUSED);
      };
    },
    { timeouts: { overtakeMs: 100, requestMs: 30_000, cancelWaitMs: 30_000 } },
  );
  const first = observed.client.submit('c0', cancel(0), 'OMS (many)');
  const others = Array.from({ length: 150 }, (_, i) =>
    observed.client.submit(`c${i + 1}`, cancel(i + 1), 'OMS (many)'),
  );
  expect((await Promise.all(others)).filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  release();
  expect((await first).kind).toBe('accepted');
  expect(asked.filter((orderId) => orderId === 0)).toHaveLength(2);
});

test('X3 unanswered commands are fenced off once for a window of cancels, not by each cancel of thousands', async () => {
  let arrived = 0;
  let looks: (() => void)[] = [];
  await start(
    () => {
      arrived++;
      for (const look of looks.splice(0)) look();
      return () => {};
    },
    {
      rates: { ordersPerSecond: 100_000, otherPerSecond: 100_000, addressPer10Seconds: 1_000_000 },
      settings: { connectionsMax: 1_000 },
      timeouts: { overtakeMs: 500, requestMs: 60_000, cancelWaitMs: 60_000 },
    },
  );
  const begun = performance.now();
  for (let i = 0; i < 600; i++) void observed.client.submit(`c${i}`, cancel(i), 'OMS (many)');
  while (arrived < 200) await new Promise<void>((resolve) => looks.push(resolve));
  looks = [];
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  // One window at first, and one more for each time that was waited.
  expect(arrived).toBeLessThanOrEqual(100 * (1 + Math.floor((performance.now() - begun) / 500)));
});
