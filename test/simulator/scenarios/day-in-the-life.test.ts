// A day in the life: the real exchange client and the simulated exchange through 24 hours of their own clock. It has
// the change of the nonce day, renewals of the JWT, two auctions and restarts of both, and only deliberate refusals.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeCommand, ExchangeEvent } from '../../../src/exchange/mod.ts';
import { createExchangeClient, type ExchangeClient } from '../../../src/exchange-client/mod.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, startTestSimulator } from '../exchange-caller.ts';
import { VirtualDay } from '../virtual-day.ts';

const HOUR_MS = 3_600_000;
const STEP_MS = 20 * 60_000;
const STEPS = (24 * HOUR_MS) / STEP_MS;
/** A JWT lives a quarter of the documented day here, so that this day sees several renewals. */
const JWT_MS = 6 * HOUR_MS;
/** One cross every twelve hours. */
const AUCTIONS = {
  coolingMs: 11 * HOUR_MS,
  accumulationMs: 40 * 60_000,
  lockdownMs: STEP_MS,
  noiiMs: 60_000,
  manual: false,
};

const day = new VirtualDay(Date.parse('2026-06-01T12:00:00.000Z'));
afterEach(() => day.release());

/** One run of the client: its events and actions. */
class Trader {
  readonly client: ExchangeClient;
  readonly events: ExchangeEvent[] = [];
  readonly alarms: string[] = [];
  renewals = 0;
  ceiling: string | null;
  private readonly waiting = new Set<() => void>();

  constructor(simulator: Simulator, ceiling: string | null) {
    const key = simulator.keys.get('demo-ecdsa')!;
    if (key.kind !== 'ecdsa') throw new Error('not an ECDSA key');
    this.ceiling = ceiling;
    this.client = createExchangeClient({
      name: 'day',
      baseUrl: simulator.url,
      credential: { kind: 'ecdsa', publicKey: key.publicKey, privateKey: key.privateKey, metadata: key.metadata },
      dialect: 'v2',
      prehash: 'hexdigest',
      tradingAccountIds: [ACCOUNT],
      auctionSymbols: 'all',
      nonceMode: 'window',
      nonceCeiling: ceiling,
      onNonceCeiling: (next) => {
        this.ceiling = next;
      },
      now: () => day.now,
      onAlarm: (alarm) => this.alarms.push(alarm),
      log: (_level, text) => {
        if (text === 'exchange login renewed') this.renewals++;
        this.wake();
      },
      timeouts: { requestMs: 5_000, reconnectMs: 10, reconnectMaxMs: 50 },
    });
    this.client.onEvent = (event) => {
      this.events.push(event);
      this.wake();
    };
  }

  /** Wait until something holds. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  has(clientOrderId: string, reason: string): boolean {
    return this.events.some(
      (event) =>
        event.kind === 'order' &&
        event.order.clientOrderId === clientOrderId &&
        `${event.order.status} ${event.order.statusReasonCode}` === reason,
    );
  }

  private wake(): void {
    for (const look of this.waiting) look();
  }
}

function order(clientOrderId: string, fields: Partial<Extract<ExchangeCommand, { kind: 'createOrder' }>> = {}) {
  return {
    kind: 'createOrder',
    clientOrderId,
    symbol: 'BTCUSDC',
    type: 'LIMIT',
    side: 'BUY',
    price: '60000.0',
    stopPrice: null,
    quantity: '0.01',
    timeInForce: 'GTC',
    allowBorrow: false,
    isMMP: null,
    tradingAccountId: ACCOUNT,
    ...fields,
  } as const;
}

test('24 hours with nonce day change, JWT renewals, two auctions and restarts: not one command is refused', async () => {
  const simulator = await startTestSimulator({ now: () => day.now, auctions: AUCTIONS, jwtValidityMs: JWT_MS });
  day.takeTimers();
  const refusals: string[] = [];
  const nonceRanges = new Set<string>();
  let accepted = 0;
  let renewals = 0;
  let crosses = 0;
  let trader = new Trader(simulator, null);
  const submit = async (id: string, command: ExchangeCommand): Promise<void> => {
    const outcome = await trader.client.submit(id, command);
    if (outcome.kind === 'accepted') accepted++;
    else refusals.push(`${new Date(day.now).toISOString()} ${id}: ${JSON.stringify(outcome)}`);
  };
  try {
    await trader.client.start();
    for (let step = 1; step <= STEPS; step++) {
      day.advance(STEP_MS);
      simulator.control.advance();
      nonceRanges.add(new Date(day.now).toISOString().slice(0, 10));
      const id = String(step * 10);
      await submit(`rest ${id}`, order(id, { price: '50000.0' }));
      await trader.until(() => trader.has(id, 'OPEN 6001'));
      await submit(`cancel ${id}`, {
        kind: 'cancelOrder',
        orderId: null,
        clientOrderId: id,
        symbol: 'BTCUSDC',
        tradingAccountId: ACCOUNT,
      });
      await trader.until(() => trader.has(id, 'CANCELLED 6005'));
      const taken = String(step * 10 + 1);
      await submit(`trade ${taken}`, order(taken));
      simulator.control.trade('BTCUSDC', 'SELL', '60000.0', '0.01');
      await trader.until(() => trader.has(taken, 'CLOSED 6002'));
      if (simulator.control.auction('BTCUSDC').phase === 'ACCUMULATION' && step % 36 === 34) {
        const atCross = String(step * 10 + 2);
        await submit(`auction ${atCross}`, order(atCross, { timeInForce: 'GTX' }));
        const counterparty = { symbol: 'BTCUSDC', price: '60000.0', quantity: '0.01' } as const;
        simulator.control.counterparty({ ...counterparty, side: 'SELL', timeInForce: 'GTX' });
        for (let half = 0; half < 2; half++) {
          day.advance(STEP_MS);
          simulator.control.advance();
        }
        await trader.until(() => trader.has(atCross, 'CLOSED 6002'));
        crosses++;
        step += 2;
      }
      if (step === 20) {
        // The exchange restarts: logins and streams are gone, books are not.
        const lost = trader.events.length;
        simulator.control.restart(true);
        const isBack = (event: ExchangeEvent): boolean =>
          event.kind === 'feed' && event.feed === 'private' && event.live;
        await trader.until(() => trader.events.slice(lost).some(isBack));
      }
      if (step === 50) {
        // Our own process restarts: the next one must not go back below the nonces of this one.
        const { ceiling } = trader;
        renewals += trader.renewals;
        await trader.client.close();
        trader = new Trader(simulator, ceiling);
        await trader.client.start();
      }
    }
    renewals += trader.renewals;
    expect(refusals).toEqual([]);
    expect(accepted).toBeGreaterThan(3 * 60);
    expect([...nonceRanges]).toEqual(['2026-06-01', '2026-06-02']);
    expect(crosses).toBe(2);
    expect(renewals).toBeGreaterThanOrEqual(4);
  } finally {
    day.release();
    await trader.client.close();
    await simulator.close();
  }
});
