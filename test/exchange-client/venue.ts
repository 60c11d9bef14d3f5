// A simulated exchange and clients of it for the tests of this room: real HTTP, real WebSocket, a clock that can be moved.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CancelOrderCommand, CreateOrderCommand, ExchangeEvent } from '../../src/exchange/mod.ts';
import {
  type Credential,
  createExchangeClient,
  type ExchangeClient,
  type ExchangeClientOptions,
} from '../../src/exchange-client/mod.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/mod.ts';

export const ACCOUNT = '111000000000001';

/** A client's events, alarms and nonce ceilings, and a wait for an event. */
export interface Observed {
  readonly client: ExchangeClient;
  readonly events: ExchangeEvent[];
  readonly alarms: string[];
  readonly ceilings: string[];
  /** The first event that matches, past or to come. */
  until<E extends ExchangeEvent>(matches: (event: ExchangeEvent) => event is E, fromIndex?: number): Promise<E>;
}

export interface Venue {
  readonly simulator: Simulator;
  readonly clock: { now: number };
  credential(name: string): Credential;
  connect(options?: Partial<ExchangeClientOptions>): Observed;
  close(): Promise<void>;
}

/** Start an exchange; `clock.now` 0 means the real time. */
export async function openVenue(options: Partial<SimulatorOptions> = {}): Promise<Venue> {
  const keysDirectory = await mkdtemp(join(tmpdir(), 'crossgate-keys-'));
  const clock = { now: 0 };
  const now = (): number => (clock.now === 0 ? Date.now() : clock.now);
  const simulator = await startSimulator({
    keysDirectory,
    liquidity: 'off',
    auctions: { manual: true },
    limits: null,
    now,
    ...options,
  });
  const observed: Observed[] = [];
  const credential = (name: string): Credential => {
    const key = simulator.keys.get(name);
    if (key === undefined) throw new Error(`the simulator has no key ${name}`);
    return key;
  };
  return {
    simulator,
    clock,
    credential,
    connect: (more = {}) => {
      const one = observe({
        name: 'test',
        baseUrl: simulator.url,
        credential: credential('demo-hmac'),
        dialect: 'v2',
        prehash: 'hexdigest',
        tradingAccountIds: [ACCOUNT],
        auctionSymbols: 'all',
        nonceMode: 'window',
        nonceCeiling: null,
        now,
        elapsedMs: now,
        ...more,
      });
      observed.push(one);
      return one;
    },
    close: async () => {
      await Promise.all(observed.map(({ client }) => client.close()));
      await simulator.close();
      await rm(keysDirectory, { recursive: true });
    },
  };
}

/** Make a client that is watched; times are short enough for tests. */
export function observe(
  options: Omit<ExchangeClientOptions, 'log' | 'onAlarm' | 'onNonceCeiling'> &
    Partial<Pick<ExchangeClientOptions, 'log'>>,
): Observed {
  const events: ExchangeEvent[] = [];
  const alarms: string[] = [];
  const ceilings: string[] = [];
  const waiting = new Set<() => void>();
  const client = createExchangeClient({
    log: () => {},
    ...options,
    onNonceCeiling: (ceiling) => ceilings.push(ceiling),
    onAlarm: (alarm) => alarms.push(alarm),
    timeouts: { requestMs: 1_500, settleMs: 20, reconnectMs: 10, reconnectMaxMs: 50, ...options.timeouts },
  });
  client.onEvent = (event) => {
    events.push(event);
    for (const look of waiting) look();
  };
  const until: Observed['until'] = (matches, fromIndex = 0) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events.slice(fromIndex).find(matches);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { client, events, alarms, ceilings, until };
}

export const isOrder =
  (clientOrderId: string, status: string) =>
  (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'order' }> =>
    event.kind === 'order' && event.order.clientOrderId === clientOrderId && event.order.status === status;

export const isFeed =
  (feed: 'private' | 'auction', live: boolean) =>
  (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'feed' }> =>
    event.kind === 'feed' && event.feed === feed && event.live === live;

/** A GTC limit order to buy BTCUSDC far below the market. */
export function cancelOf(clientOrderId: string): CancelOrderCommand {
  return { kind: 'cancelOrder', tradingAccountId: ACCOUNT, orderId: null, clientOrderId, symbol: 'BTCUSDC' };
}

export function limitBuy(clientOrderId: string, price = '50000.0', quantity = '0.01'): CreateOrderCommand {
  return {
    kind: 'createOrder',
    clientOrderId,
    symbol: 'BTCUSDC',
    type: 'LIMIT',
    side: 'BUY',
    price,
    stopPrice: null,
    quantity,
    timeInForce: 'GTC',
    allowBorrow: false,
    isMMP: null,
    tradingAccountId: ACCOUNT,
  };
}
