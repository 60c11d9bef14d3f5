// Every fault knob twice: by the fault file from the start, and over the control endpoint at run time. faults.test.ts
// has the details of answers and frames; test/exchange-client/scenarios/faults.test.ts has the exchange client's view.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { AnswerFault, StreamFault, TimedFault } from '../../../src/simulator/control/faults.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, type Answer, Caller, type Json, startTestSimulator, v2Order } from '../exchange-caller.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fault-knobs-'));
});
afterAll(() => rm(folder, { recursive: true }));
let simulator: Simulator | null = null;
afterEach(() => simulator?.close());

type Seen = (caller: Caller, simulator: Simulator) => Promise<void>;
interface Knob {
  readonly settings: Json;
  /** Proves that the fault is there. */
  readonly seen: Seen;
}

const order = (handle: string): Json => v2Order({ handle, price: '59000' });
const handles = ({ control }: Simulator): (string | null)[] =>
  control.openOrders(ACCOUNT).map(({ clientOrderId }) => clientOrderId);

/** The answer to a create is this; the order is there or not. */
const answered =
  (expected: Partial<Answer> | 'cut', isThere: boolean): Seen =>
  async (caller, exchange) => {
    const answer = await caller.send(order('1')).catch(() => 'cut');
    if (expected === 'cut') expect(answer).toBe('cut');
    else expect(answer).toMatchObject(expected);
    expect(handles(exchange)).toEqual(isThere ? ['1'] : []);
    expect((await caller.send(order('2'))).status).toBe(200);
  };

const ANSWERS: Readonly<Record<AnswerFault['what'], Knob>> = {
  lost: { settings: { what: 'lost' }, seen: answered('cut', true) },
  hang: {
    settings: { what: 'hang' },
    seen: async (caller, exchange) => {
      const hanging = caller.send(order('1')).catch(() => 'cut');
      await expect.poll(() => handles(exchange)).toEqual(['1']);
      await exchange.close();
      expect(await hanging).toBe('cut');
    },
  },
  error: {
    settings: { what: 'error', httpStatus: 429, errorCode: 96000, errorCodeName: 'RATE_LIMIT_EXCEEDED', message: 'no' },
    seen: answered(
      { status: 429, json: { message: 'no', errorCode: 96000, errorCodeName: 'RATE_LIMIT_EXCEEDED' } },
      false,
    ),
  },
  html: {
    settings: { what: 'html' },
    seen: answered({ status: 403, text: expect.stringMatching(/^<!DOCTYPE html>/) }, false),
  },
  malformed: {
    settings: { what: 'malformed' },
    seen: answered({ status: 200, json: {}, text: expect.stringMatching(/^\{"m[^}]*$/) }, true),
  },
  truncated: { settings: { what: 'truncated' }, seen: answered('cut', true) },
  empty: { settings: { what: 'empty' }, seen: answered({ status: 200, text: '{}' }, true) },
};

/** Order frames from the subscription on: `snapshot`, then reason codes. */
const framed =
  (...expected: (number | 'snapshot')[]): Seen =>
  async (caller) => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
    await caller.create({ price: '59000' });
    await stream.ping();
    stream.close();
    const frames = stream.frames.filter(({ dataType }) => dataType === 'V1TAOrder');
    expect(frames.map(({ type, data }) => (type === 'snapshot' ? type : (data as Json).statusReasonCode))).toEqual(
      expected,
    );
  };
const orders = { dataType: 'V1TAOrder', times: 2 };
const STREAMS: Readonly<Record<StreamFault['what'], Knob>> = {
  duplicate: {
    settings: { what: 'duplicate', ...orders },
    seen: framed('snapshot', 'snapshot', 6014, 6014, 6001),
  },
  suppress: { settings: { what: 'suppress', ...orders }, seen: framed(6001) },
  reorder: { settings: { what: 'reorder', ...orders, times: 1 }, seen: framed(6014, 'snapshot', 6001) },
};

const TIMED: Readonly<Record<TimedFault['what'], Knob>> = {
  cutStreams: {
    settings: { what: 'cutStreams', which: 'private', everyMs: 40, times: 1_000 },
    seen: async (caller) => {
      expect(await (await caller.stream()).closed).toBe(1006);
    },
  },
  expireLogins: {
    settings: { what: 'expireLogins', key: 'demo-hmac', everyMs: 40, times: 1_000 },
    seen: async (caller) => {
      await expect.poll(async () => (await caller.get('/trading-api/v1/nonce')).status).toBe(401);
    },
  },
  restart: {
    settings: { what: 'restart', memory: false, everyMs: 40, times: 1_000 },
    seen: async (caller, { control }) => {
      await expect.poll(() => control.logins).toBe(0);
      await expect
        .poll(async () => (await caller.login()).status === 200 && (await caller.send(order('9'))).status)
        .toBe(200);
      await expect.poll(() => control.openOrders(ACCOUNT)).toEqual([]);
    },
  },
};

/** Milliseconds that a read takes. */
async function timed(caller: Caller): Promise<number> {
  const before = performance.now();
  await caller.get('/trading-api/v1/time');
  return performance.now() - before;
}
const slow: Seen = async (caller) => expect(await timed(caller)).toBeGreaterThanOrEqual(45);

const OTHERS: Readonly<Record<string, Knob>> = {
  'latency uniform': { settings: { latency: { minMs: 50, maxMs: 60 } }, seen: slow },
  'latency quantiles': {
    settings: {
      latency: {
        kind: 'quantiles',
        points: [
          [0, 50],
          [1, 50],
        ],
      },
    },
    seen: slow,
  },
  'latency exponential': {
    settings: { latency: { kind: 'exponential', meanMs: 20, maxMs: 40 } },
    seen: async (caller) => {
      const times = await Promise.all(Array.from({ length: 30 }, () => timed(caller)));
      // By chance, but seeded: not all at once.
      expect(Math.max(...times)).toBeGreaterThanOrEqual(35);
      expect(Math.min(...times)).toBeLessThan(Math.max(...times));
    },
  },
  'rejections by reason code': {
    settings: { rejections: [{ reason: 3005, symbol: 'BTCUSDC' }] },
    seen: async (caller, { control }) => {
      expect(control.order(await caller.create({ price: '59000' }))).toMatchObject({
        status: 'REJECTED',
        reason: 3005,
      });
      expect(control.order(await caller.create({ price: '59000' }))).toMatchObject({ status: 'OPEN' });
    },
  },
  'subscriptions refused': {
    settings: { subscriptions: [{ topic: 'orders', subject: ACCOUNT }] },
    seen: async (caller) => {
      const stream = await caller.stream();
      const refused = await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
      expect(refused.error).toMatchObject({ errorCode: '29013' });
      await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
      await stream.find(({ type }) => type === 'snapshot');
      stream.close();
    },
  },
  streamsSilent: {
    settings: { streamsSilent: true },
    seen: async (caller, { control }) => {
      const stream = await caller.stream();
      stream.send('subscribe', { topic: 'orders' });
      await caller.create({ price: '59000' });
      expect(stream.frames).toEqual([]);
      control.silenceStreams(false);
      await stream.ping();
      stream.close();
    },
  },
  commandsHeld: {
    settings: { commandsHeld: true },
    seen: async (caller, { control }) => {
      const prices = ['58000', '59000', '59500'];
      const ids: string[] = [];
      const sent = prices.map((price) => caller.create({ price }).then((id) => ids.push(id)));
      // A question is answered meanwhile.
      expect((await caller.get('/trading-api/v1/time')).status).toBe(200);
      expect(control.openOrders('111000000000001')).toEqual([]);
      control.releaseCommands(1);
      await Promise.race(sent);
      expect(ids).toHaveLength(1);
      control.releaseCommands();
      await Promise.all(sent);
      await caller.create({ price: '57000' });
    },
  },
  globalBreach: {
    settings: { globalBreach: true },
    seen: async (caller) => {
      const answer = await caller.send(order('1'));
      expect([answer.status, answer.json.errorCode, answer.headers.get('x-ratelimit-global-breach')]).toEqual([
        429,
        96001,
        'true',
      ]);
    },
  },
  clockOffsetMs: {
    settings: { clockOffsetMs: -90_000 },
    seen: async (caller) => {
      const { json } = await caller.get('/trading-api/v1/time');
      expect(Math.abs(Number(json.timestamp) + 90_000 - Date.now())).toBeLessThan(30_000);
    },
  },
  'an upgrade answered by a page': {
    settings: { answers: [{ what: 'html', on: 'stream' }] },
    seen: async (caller) => {
      await expect(caller.stream()).rejects.toThrow('403');
      (await caller.stream()).close();
    },
  },
};

const listed = (list: string, knobs: Readonly<Record<string, Knob>>): [string, Knob][] =>
  Object.entries(knobs).map(([name, { settings, seen }]) => [
    `${list} ${name}`,
    { settings: { [list]: [settings] }, seen },
  ]);
const KNOBS = [
  ...listed('answers', ANSWERS),
  ...listed('streams', STREAMS),
  ...listed('timed', TIMED),
  ...Object.entries(OTHERS),
];

describe.each(KNOBS)('%s', (name, { settings, seen }) => {
  // A global breach refuses logins too: it is there before anybody can log in.
  const login = async (exchange: Simulator): Promise<Caller> => {
    const caller = new Caller(exchange, 'demo-hmac');
    await caller.login();
    return caller;
  };

  test('from the start, by the fault file', async () => {
    const file = join(folder, `${name.replace(/\W/g, '-')}.yaml`);
    await writeFile(file, stringify(settings));
    simulator = await startTestSimulator({ faultsFile: file });
    if (name !== 'globalBreach') await seen(await login(simulator), simulator);
    else expect((await new Caller(simulator, 'demo-hmac').login()).json.errorCode).toBe(96001);
  });

  test('at run time, over the control endpoint, and taken back', async () => {
    simulator = await startTestSimulator();
    const caller = await login(simulator);
    const post = (body: Json): Promise<Answer> =>
      caller.fetch('/control/faults', { method: 'POST', body: JSON.stringify(body) });
    expect((await post(settings)).status).toBe(200);
    expect(simulator.control.armedFaults).toBe(1);
    expect((await post({ clear: true })).status).toBe(200);
    expect(simulator.control.armedFaults).toBe(0);
    // Timed ones may have come in between: what matters is that nothing is in the way now.
    expect((await caller.login()).status).toBe(200);
    expect((await caller.get('/trading-api/v1/nonce')).status).toBe(200);
    expect((await post(settings)).status).toBe(200);
    await seen(caller, simulator);
  });
});

test('a page in a local browser controls nothing: its Origin identifies it', async () => {
  simulator = await startTestSimulator({});
  const body = JSON.stringify({ memory: false });
  for (const origin of ['https://elsewhere.example', 'null', simulator.url]) {
    const headers = { origin, 'content-type': 'text/plain' };
    const answer = await fetch(`${simulator.url}/control/restart`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([403, { message: 'Control is not for web pages' }]);
  }
  // As after DNS rebinding: a page reads from its own name, and names no Origin.
  const statusAt = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(`${simulator!.url}/control/state`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });
  expect(await statusAt('attacker.example')).toBe(403);
  expect(await statusAt('localhost:8480')).toBe(200);
  expect((await fetch(`${simulator.url}/control`)).status).toBe(200);
  expect((await fetch(`${simulator.url}/control/restart`, { method: 'POST', body })).status).toBe(200);
});

test('a fault that does not exist is refused, in the file and over the endpoint', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'latancy: { minMs: 5 }\n');
  await expect(startTestSimulator({ faultsFile: file })).rejects.toMatchObject({ code: 'XG_SIMULATOR_INVALID' });
  simulator = await startTestSimulator();
  const body = JSON.stringify({ latancy: { minMs: 5 } });
  const answer = await fetch(`${simulator.url}/control/faults`, { method: 'POST', body });
  expect([answer.status, ((await answer.json()) as Json).message]).toEqual([400, "'latancy' is no fault"]);
});

test('refuses a cancel of a missing or ended order', async () => {
  simulator = await startTestSimulator();
  const { control, url } = simulator;
  const cancel = async (orderId: string): Promise<unknown[]> => {
    const answer = await fetch(`${url}/control/orders/cancel`, { method: 'POST', body: JSON.stringify({ orderId }) });
    return [answer.status, await answer.json()];
  };
  const order = { symbol: 'BTCUSDC', side: 'BUY', price: '50000.0', quantity: '0.01', timeInForce: 'GTC' } as const;
  const { orderId } = control.counterparty(order);
  const none = (id: string): unknown[] => [400, expect.objectContaining({ message: `there is no open order ${id}` })];
  expect(await cancel('1')).toEqual(none('1'));
  expect(await cancel(orderId)).toEqual([200, { done: true }]);
  expect(await cancel(orderId)).toEqual(none(orderId));
});

test('refuses a misspelt field within a fault', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'answers: [{ what: error, on: create, tiems: 3 }]\n');
  await expect(startTestSimulator({ faultsFile: file })).rejects.toMatchObject({
    code: 'XG_SIMULATOR_INVALID',
    message: expect.stringContaining("'tiems' is not possible here; possible: what, times, probability, on,"),
  });
  simulator = await startTestSimulator();
  for (const [path, fields, wrong] of [
    ['faults', { latency: { uniform: { minMs: 5, maxMs: 5 } } }, 'uniform'],
    ['faults', { latency: { kind: 'exponential', minMs: 1, meanMs: 5, maxMs: 9 } }, 'minMs'],
    ['faults', { rejections: [{ reason: 3005, symbl: 'BTCUSDC' }] }, 'symbl'],
    ['faults', { streams: [{ what: 'suppress', type: 'V1TAOrder' }] }, 'type'],
    ['faults', { subscriptions: [{ topic: 'orders', wat: 'unanswered' }] }, 'wat'],
    ['faults', { timed: [{ what: 'restart', everyMs: 1000, memroy: true }] }, 'memroy'],
    ['restart', { memroy: true }, 'memroy'],
    ['markets', { symbol: 'BTCUSDC', createOrdersEnabled: false }, 'createOrdersEnabled'],
  ] as const) {
    const answer = await fetch(`${simulator.url}/control/${path}`, { method: 'POST', body: JSON.stringify(fields) });
    const { message } = (await answer.json()) as Json;
    expect([answer.status, message], path).toEqual([400, expect.stringMatching(`^'${wrong}' is not possible here`)]);
  }
});

test('clockOffsetMs of the fault file holds for the first times of the books', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'faults-')), 'faults.yaml');
  writeFileSync(file, 'clockOffsetMs: -3600000\n');
  const simulator = await startTestSimulator({ faultsFile: file });
  try {
    const caller = new Caller(simulator, 'demo-hmac');
    const { json } = await caller.fetch('/trading-api/v1/markets/BTCUSDC/auctions');
    const [auction] = json.data as { createdAt: string; startTime: string }[];
    expect(Date.parse(auction!.createdAt)).toBeLessThan(Date.now() - 3_500_000);
    expect(Date.parse(auction!.startTime)).toBeLessThan(Date.now() - 3_000_000);
  } finally {
    await simulator.close();
  }
});
