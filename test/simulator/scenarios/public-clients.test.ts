// The public client libraries of the exchange against the simulated one (exchange reference §10): what they sign, which headers
// and targets they send, and what they read out of the answers. The two callers here do as those libraries do, bug for bug.

import { createHash, createHmac, createSign, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, type Json, startTestSimulator } from '../exchange-caller.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startTestSimulator({ follows: 'clients', liquidity: 'still' });
});
afterAll(() => simulator.close());

const V1 = '/trading-api/v1';
const DAY_MS = 86_400_000;

interface Reply {
  readonly status: number;
  readonly json: Json;
}

async function ask(target: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(simulator.url + target, init);
  const text = await response.text();
  return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
}

const hmacHex = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const seconds = (): number => Math.floor(Date.now() / 1000);

/** A trading library over all exchanges: signs reads too, numbers in microseconds of its clock, knows HMAC keys only. */
class TradingLibrary {
  readonly #publicKey: string;
  readonly #secret: string;
  token = '';

  constructor(keyName: string) {
    const key = simulator.keys.get(keyName)!;
    if (key.kind !== 'hmac') throw new Error('not an HMAC key');
    this.#publicKey = key.publicKey;
    this.#secret = key.secret;
  }

  async signIn(): Promise<Reply> {
    const reply = await this.get(`${V1}/users/hmac/login`, {}, { 'BX-PUBLIC-KEY': this.#publicKey });
    this.token = String(reply.json.token);
    return reply;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}, more: Record<string, string> = {}): Promise<Reply> {
    // Its timestamp is cut to the second, and the signature of a read is that of a login.
    const [timestamp, nonce] = [`${seconds()}000`, `${Date.now()}000`];
    const signature = hmacHex(this.#secret, `${timestamp}${nonce}GET${path}`);
    const headers = { 'BX-TIMESTAMP': timestamp, 'BX-NONCE': nonce, 'BX-SIGNATURE': signature, ...more };
    const text = new URLSearchParams(query).toString();
    return ask(`${path}${text === '' ? '' : `?${text}`}`, { headers: { ...headers, ...this.#bearer() } });
  }

  post(path: string, fields: Json): Promise<Reply> {
    const [timestamp, nonce] = [
      String(Date.now()),
      String(Math.round((performance.timeOrigin + performance.now()) * 1e3)),
    ];
    const body = JSON.stringify(fields);
    const digest = createHash('sha256').update(`${timestamp}${nonce}POST${path}${body}`).digest('hex');
    const headers = {
      'BX-TIMESTAMP': timestamp,
      'BX-NONCE': nonce,
      'BX-SIGNATURE': hmacHex(this.#secret, digest),
      'Content-Type': 'application/json',
      // Spelled otherwise than in the document.
      'BX-RATE-LIMIT-TOKEN': 'token',
    };
    return ask(path, { method: 'POST', headers: { ...headers, ...this.#bearer() }, body });
  }

  #bearer(): Record<string, string> {
    return this.token === '' ? {} : { Authorization: `Bearer ${this.token}` };
  }
}

const order = (fields: Json = {}): Json => ({
  commandType: 'V3CreateOrder',
  type: 'LIMIT',
  symbol: 'BTCUSDC',
  side: 'BUY',
  quantity: '0.1',
  price: '50000',
  timeInForce: 'GTC',
  tradingAccountId: ACCOUNT,
  ...fields,
});
const ORDERS = '/trading-api/v2/orders';
const COMMAND = '/trading-api/v2/command';
const own = { tradingAccountId: ACCOUNT };

describe('a library over all exchanges, with an HMAC key', () => {
  let library: TradingLibrary;
  beforeAll(async () => {
    library = new TradingLibrary('demo-hmac');
    await library.signIn();
  });

  test('logs in with a nonce in microseconds, reads authorizer and token', async () => {
    const { status, json } = await new TradingLibrary('demo-hmac').signIn();
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['authorizer', 'ownerAuthorizer', 'token']);
  });

  test('takes the first account listed; a signature of a read is not verified', async () => {
    const { json } = await library.get(`${V1}/accounts/trading-accounts`);
    const [first] = json as unknown as Json[];
    expect([first!.tradingAccountId, first!.tradingAccountName]).toEqual([ACCOUNT, 'Primary Account']);
  });

  test('creates with whole numbers as prices, amends, cancels by id and by client order id', async () => {
    const created = await library.post(ORDERS, order());
    expect(created.json.message).toBe('Command acknowledged - CreateOrder');
    const named = { orderId: created.json.orderId, symbol: 'BTCUSDC', ...own };
    const amended = await library.post(COMMAND, {
      commandType: 'V1AmendOrder',
      ...named,
      price: '50010',
      quantity: '0.2',
    });
    expect(amended.json.message).toBe('Command acknowledged - AmendOrder');
    const { json } = await library.get(`${ORDERS}/${String(created.json.orderId)}`, own);
    expect([json.status, json.type, json.price, json.quantity]).toEqual(['OPEN', 'LMT', '50010.0000', '0.20000000']);
    const cancelled = await library.post(COMMAND, { commandType: 'V3CancelOrder', ...named });
    expect(cancelled.json.message).toBe('Command acknowledged - CancelOrder');
    const clientOrderId = String(Date.now());
    await library.post(ORDERS, order({ clientOrderId }));
    const byName = await library.post(COMMAND, {
      commandType: 'V3CancelOrder',
      clientOrderId,
      symbol: 'BTCUSDC',
      ...own,
    });
    expect([byName.status, byName.json.clientOrderId]).toEqual([200, clientOrderId]);
    const list = (await library.get(ORDERS, { status: 'CANCELLED', ...own })).json as unknown as Json[];
    expect(list.slice(0, 2).map(({ statusReasonCode }) => statusReasonCode)).toEqual(['6005', '6005']);
  });

  test('asks history without a range, and borrow interest for 90 days at once', async () => {
    const targets = ['/trading-api/v2/history/orders', `${V1}/history/trades`, `${V1}/history/markets/BTCUSDC/trades`];
    for (const target of targets) {
      const { status, json } = await library.get(target, target.includes('markets') ? {} : own);
      expect([target, status, Array.isArray(json)]).toEqual([target, 200, true]);
    }
    const now = Date.now();
    const [gte, lte] = [now - 90 * DAY_MS, now].map((at) => new Date(at).toISOString()) as [string, string];
    const interest = { assetSymbol: 'BTC', 'createdAtDatetime[gte]': gte, 'createdAtDatetime[lte]': lte, ...own };
    expect((await library.get(`${V1}/history/borrow-interest`, interest)).status).toBe(200);
  });

  test("reports a wrong time bucket by the error's type, others by the code", async () => {
    const range = {
      'createdAtDatetime[gte]': '2026-01-01T00:00:00.000Z',
      'createdAtDatetime[lte]': '2026-01-02T00:00:00.000Z',
    };
    const { status, json } = await library.get(`${V1}/markets/BTCUSDC/candle`, { timeBucket: '100m', ...range });
    const message = "HTTP_INVALID_PARAMETER: '100m' is not a valid time bucket";
    expect([status, json]).toEqual([400, { type: 'HttpInvalidParameterException', message }]);
    const offTick = await library.post(ORDERS, order({ price: '50000.123' }));
    expect([offTick.status, offTick.json.errorCodeName]).toEqual([400, 'PRICE_MUST_BE_OF_TICK_SIZE']);
    const custody = await library.get(`${V1}/wallets/transactions`);
    expect([custody.status, custody.json.errorCode]).toEqual([403, 8334]);
  });

  test('its private stream: cookie, subscription without an account, no heartbeat, one object in an update', async () => {
    const url = `${simulator.url.replace('http', 'ws')}${V1}/private-data`;
    const socket = new WebSocket(url, { headers: { Cookie: `JWT_COOKIE=${library.token}` } });
    const frames: Json[] = [];
    const update = new Promise<Json>((resolve) => {
      socket.on('message', (text) => {
        const frame: Json = JSON.parse(String(text));
        frames.push(frame);
        if (frame.dataType === 'V1TAOrder' && frame.type === 'update') resolve(frame);
        // Everything that was subscribed is there before something happens.
        if (frame.id === '4') void library.post(ORDERS, order());
      });
    });
    await new Promise((resolve) => socket.on('open', resolve));
    for (const [i, topic] of ['orders', 'trades', 'assetAccounts'].entries()) {
      const subscription = {
        jsonrpc: '2.0',
        type: 'command',
        method: 'subscribe',
        params: { topic },
        id: String(i + 1),
      };
      socket.send(JSON.stringify(subscription));
    }
    socket.send(JSON.stringify({ jsonrpc: '2.0', type: 'command', method: 'keepalivePing', params: {}, id: '4' }));
    const { data, tradingAccountId } = await update;
    socket.terminate();
    expect([tradingAccountId, (data as Json).status, (data as Json).statusReasonCode]).toEqual([ACCOUNT, 'OPEN', 6014]);
    const pong = frames.find(({ id }) => id === '4')?.result as Json;
    expect(pong.message).toBe('Keep alive pong');
  });
});

describe('the exchange’s own examples, with an ECDSA key', () => {
  test('nonce range without a login, one SHA-256 under the signature, unsigned blanks in the body', async () => {
    const key = simulator.keys.get('demo-ecdsa')!;
    if (key.kind !== 'ecdsa') throw new Error('not an ECDSA key');
    const sign = (text: string): string => createSign('sha256').update(text).sign(key.privateKey, 'base64');
    const range = await ask(`${V1}/nonce`);
    expect([range.status, typeof range.json.lowerBound]).toEqual([200, 'number']);
    const metadata = JSON.parse(Buffer.from(key.metadata, 'base64').toString());
    const loginPayload = {
      userId: String(metadata.userId),
      nonce: seconds(),
      expirationTime: seconds() + 300,
      biometricsUsed: false,
      sessionKey: null,
    };
    const login = await ask('/trading-api/v2/users/login', {
      method: 'POST',
      headers: { 'Content-type': 'application/json' },
      body: spaced({ publicKey: key.publicKey.trim(), signature: sign(JSON.stringify(loginPayload)), loginPayload }),
    });
    expect(login.status).toBe(200);
    const bearer = { 'Content-type': 'application/json', Authorization: `Bearer ${String(login.json.token)}` };

    const [timestamp, nonce] = [String(Date.now()), `${Date.now()}000`];
    const body = JSON.stringify(order({ clientOrderId: nonce, allowBorrow: false }));
    const created = await ask(ORDERS, {
      method: 'POST',
      headers: {
        ...bearer,
        'BX-SIGNATURE': sign(`${timestamp}${nonce}POST${ORDERS}${body}`),
        'BX-TIMESTAMP': timestamp,
        'BX-NONCE': nonce,
        // The value of an unset environment variable.
        'BX-RATELIMIT-TOKEN': 'None',
      },
      body,
    });
    expect([created.status, created.json.clientOrderId]).toEqual([200, nonce]);

    const WITHDRAWAL = `${V1}/wallets/withdrawal`;
    const instructions = await ask(`${V1}/wallets/withdrawal-instructions/crypto/USDC`, { headers: bearer });
    const { destinationId, network } = (instructions.json as unknown as Json[])[0]!;
    const uuid = randomUUID();
    const command = { commandType: 'V1Withdrawal', destinationId, network, symbol: 'USDC', quantity: '50' };
    const withdrawal = { nonce: uuid, timestamp, authorizer: login.json.authorizer, command };
    const signature = sign(`${timestamp}${uuid}POST${WITHDRAWAL}${JSON.stringify(withdrawal)}`);
    const headers = { ...bearer, 'BX-SIGNATURE': signature };
    const withdrawn = await ask(WITHDRAWAL, { method: 'POST', headers, body: spaced(withdrawal) });
    expect([withdrawn.status, withdrawn.json.statusReasonCode]).toEqual([200, 1001]);
  });
});

test('trading-api.md counts where it differs, unless the exchange follows the clients', async () => {
  const strict = await startTestSimulator();
  try {
    const nonce = await fetch(`${strict.url}${V1}/nonce`);
    expect(nonce.status).toBe(401);
  } finally {
    await strict.close();
  }
});

/** JSON with a blank behind every colon and comma that stands outside of strings, as some languages write it. */
function spaced(value: unknown): string {
  return JSON.stringify(value).replace(/("(?:[^"\\]|\\.)*")|([:,])/g, (_whole, text?: string, mark?: string) =>
    text === undefined ? `${mark} ` : text,
  );
}
