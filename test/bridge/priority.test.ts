// The bridge beside the orders: it never uses the rate that they need, and it lives through what the exchange's streams do.

import { expect, test } from 'vitest';
import { Stream } from '../simulator/exchange-caller.ts';
import { ACCOUNT, FULL_TOKEN, liquidity, startDesk } from './desk.ts';

const order = (clientOrderId: string) =>
  ({
    kind: 'createOrder',
    clientOrderId,
    symbol: 'BTCUSDC',
    type: 'LIMIT',
    side: 'BUY',
    price: '50000.0',
    stopPrice: null,
    quantity: '0.01',
    timeInForce: 'GTC',
    allowBorrow: false,
    isMMP: null,
    tradingAccountId: ACCOUNT,
  }) as const;

const cancel = (orderId: string | null) =>
  ({ kind: 'cancelOrder', orderId, clientOrderId: null, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT }) as const;

test('B4 orders and cancels see no 429 and wait for nothing, however much the bridge is asked', async () => {
  // The simulated exchange enforces the documented limits; the client knows them.
  const desk = await startDesk({ simulator: { limits: {} }, rates: {}, limits: { requestsPerTokenMax: 200 } });
  let done = 0;
  const reads = Array.from({ length: 80 }, async (_, n) => {
    const path = n % 2 === 0 ? '/trading-api/v1/markets/BTCUSDC' : `/trading-api/v2/orders?tradingAccountId=${ACCOUNT}`;
    const answer = await desk.get(path);
    done++;
    return answer;
  });
  const outcomes: string[] = [];
  let slowest = 0;
  for (let n = 1; n <= 10; n++) {
    const begun = performance.now();
    const created = await desk.client.submit(`create-${n}`, order(`${n}`));
    outcomes.push(created.kind);
    if (created.kind !== 'accepted') throw new Error(created.message);
    const { orderId } = created;
    outcomes.push((await desk.client.submit(`cancel-${n}`, cancel(orderId))).kind);
    slowest = Math.max(slowest, performance.now() - begun);
  }
  // The orders were through while the bridge was still kept waiting.
  expect(done).toBeLessThan(80);
  expect(new Set(outcomes)).toEqual(new Set(['accepted']));
  expect(slowest).toBeLessThan(1_500);
  const answers = await Promise.all(reads);
  for (const { status, text } of answers) expect([200, 503], text).toContain(status);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
  // The code as a whole number: an order id may contain its digits.
  expect(answers.filter(({ text }) => /(?<!\d)96000(?!\d)/.test(text))).toEqual([]);
  await desk.close();
});

test('O12 a command that brings risk is not sent where a kill switch is thrown while it waits for the rate', async () => {
  const desk = await startDesk({ rates: { otherPerSecond: 4 } });
  const sent = Array.from({ length: 16 }, () => desk.post('/trading-api/v2/amm-instructions', liquidity()));
  // All of them have passed what is asked at first.
  const asked = () => desk.audited.filter(({ action }) => action === 'bridge: V3CreateAMMInstruction');
  await expect.poll(() => asked().length, { interval: 1 }).toBe(16);
  desk.killSwitch = 'The kill switch of this account is on (drill)';
  const answers = await Promise.all(sent);
  const created = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ json }) => json.code === 'kill-switch');
  expect(created.length + refused.length).toBe(16);
  expect(refused.length).toBeGreaterThan(0);
  const list = await desk.get(`/trading-api/v2/amm-instructions?tradingAccountId=${ACCOUNT}`);
  expect(JSON.parse(list.text)).toHaveLength(created.length);
  expect(desk.audited.filter(({ action }) => action === 'bridge: outcome refused')).toHaveLength(refused.length);
  await desk.close();
});

test('a stream that the exchange cuts ends its listeners, and the next ones get the missed events', async () => {
  const desk = await startDesk();
  const headers = { authorization: `Bearer ${FULL_TOKEN}` };
  const url = `${desk.bridge.url.replace('http', 'ws')}/trading-api/v1/private-data`;
  const stream = await Stream.open(url, headers);
  await stream.subscribe({ topic: 'ammInstructions', tradingAccountId: ACCOUNT });
  desk.simulator.control.cutStreams();
  expect(await stream.closed).toBe(1013);
  const created = await desk.post('/trading-api/v2/amm-instructions', liquidity());
  const again = await untilOpen(url, headers);
  await again.subscribe({ topic: 'ammInstructions', tradingAccountId: ACCOUNT });
  const snapshot = await again.find(({ type }) => type === 'snapshot');
  expect(JSON.stringify(snapshot.data)).toContain(String(created.json.instructionId));
  again.close();
  await desk.close();
});

/** Connect again until the stream of the exchange is live. */
async function untilOpen(url: string, headers: Record<string, string>): Promise<Stream> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await Stream.open(url, headers);
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
