// Adopting very many orders at once (rule O11): the caller is answered while the command waits, with the adopted ones.

import { expect, onTestFinished, test, vi } from 'vitest';
import { adoptOrders } from '../../src/administration/order-adoption.ts';
import type { RunningEngine } from '../../src/runtime/running-engine.ts';

const SESSION = 'FIX.4.4:XG->OMS';

/** An engine with an exchange that is slow to report an order's fills. */
function engine(orders: number, questionMs: number): RunningEngine {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const taken = new Map<string, object>();
  const open = Array.from({ length: orders }, (_, i) => ({ orderId: `${i}`, status: 'OPEN', symbol: 'BTCUSDC' }));
  const client = {
    recent: async () => ({ orders: open.filter(({ orderId }) => !taken.has(orderId)), trades: [] }),
    lookup: async ({ orderId }: { orderId: string }) => {
      vi.advanceTimersByTime(questionMs);
      return { kind: 'found', order: { orderId, status: 'OPEN', symbol: 'BTCUSDC', isAsked: true }, trades: [] };
    },
  };
  const gateway = { accounts: [{ account: 'ACC1', tradingAccountId: '1', credential: 'main' }], symbolAliases: {} };
  return {
    sessionConfigs: new Map([[SESSION, { gateway }]]),
    exchangeClients: new Map([['main', client]]),
    gateway: {
      findByOrderID: (orderId: string) => taken.get(orderId) ?? null,
      adoptProblem: ({ order }: { order: { isAsked?: true } }) => (order.isAsked ? null : 'its fills are not known'),
    },
    dispatcher: {
      slots: new Map(),
      applicationInput: ({ adoption }: { adoption: { order: { orderId: string } } }) => {
        const { orderId } = adoption.order;
        taken.set(orderId, { sessionId: SESSION, clOrdID: `X${orderId}` });
      },
    },
  } as unknown as RunningEngine;
}

const adopt = (of: RunningEngine) =>
  adoptOrders(of, SESSION, { account: null, symbol: null, orderIDs: [] }, { who: 'ann', why: 'moved' });

test('O11 adopts slow orders for fifteen seconds, and says that more remain', async () => {
  const running = engine(40, 1_000);
  const answers = [];
  for (let again = 0; again < 4; again++) {
    const result = await adopt(running);
    if (typeof result === 'string') throw new Error(result);
    answers.push([result.adopted.length, result.refused.length, result.more]);
  }
  expect(answers).toEqual([
    [15, 0, true],
    [15, 0, true],
    [10, 0, false],
    [0, 0, false],
  ]);
});

test('O11 adopts a slower one too: a repeated request finishes', async () => {
  const running = engine(2, 60_000);
  expect(await adopt(running)).toMatchObject({ adopted: [{ orderID: '0' }], more: true });
  expect(await adopt(running)).toMatchObject({ adopted: [{ orderID: '1' }], more: false });
});
