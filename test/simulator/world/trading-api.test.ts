// The rules of trading-api.md about keys, logins, commands and signing, under the document's own headings: the simulated exchange
// does what it says and refuses what it forbids. The rest is trading-api-resources.test.ts. Details of each area are in the files beside this one, whole answers in test/contract.

import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultWorld } from '../../../src/simulator/world/default-world.ts';
import { arrange, OTHER, postJson, type Situation } from '../../contract/situation.ts';
import { Caller, freshNonce, type Json, startTestSimulator, v2Cancel, v2Order } from '../exchange-caller.ts';

const V1 = '/trading-api/v1';
const V2 = '/trading-api/v2';
const DAY_MS = 86_400_000;

let s: Situation;
beforeAll(async () => {
  s = await arrange();
});
afterAll(() => s.simulator.close());

const status = async (path: string, caller: Caller = s.demo): Promise<number> => (await caller.get(path)).status;

describe('API key', () => {
  test('an ECDSA key serves trading and custody', async () => {
    expect((await s.demo.send(v2Order({ price: '50000.0' }))).status).toBe(200);
    expect(await status(`${V1}/wallets/limits/USDC`)).toBe(200);
  });

  test('an HMAC key serves trading only: its JWT is refused by every custody endpoint', async () => {
    expect((await s.demoHmac.send(v2Order({ price: '50000.0' }))).status).toBe(200);
    for (const path of ['limits/USDC', 'transactions', 'deposit-instructions/crypto/USDC']) {
      expect(await status(`${V1}/wallets/${path}`, s.demoHmac)).toBe(403);
    }
  });

  test('a legacy key is no longer usable', async () => {
    const answer = await s.demo.ecdsaLogin(
      {},
      { publicKey: 'PUB_R1_6PTdfWbXvXWQduhcCiRooGHTVpriu15xMqfr7EDq6sWLDj7NjS' },
    );
    expect([answer.status, answer.json.errorCode]).toEqual([400, 8010]);
  });

  test('an IP allow list binds login requests', async () => {
    const users = defaultWorld().users.map((user) => ({ ...user, ipAllowList: ['10.1.0.0/16'] }));
    const simulator = await startTestSimulator({ world: { ...defaultWorld(), users } });
    try {
      const caller = new Caller(simulator, 'demo-hmac');
      expect((await caller.login()).status).toBe(403);
      expect((await new Caller(simulator, 'demo-ecdsa').login()).status).toBe(403);
    } finally {
      await simulator.close();
    }
  });
});

describe('ECDSA key format', () => {
  test('keys are P-256, the public one X.509 SubjectPublicKeyInfo in PEM with Unix line breaks', async () => {
    const { key } = s.demo;
    const pem = createPublicKey(key.publicKey);
    expect([pem.asymmetricKeyType, pem.asymmetricKeyDetails?.namedCurve]).toEqual(['ec', 'prime256v1']);
    expect(key.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n[^\r]+\n-----END PUBLIC KEY-----\n?$/);
    const windows = await s.demo.ecdsaLogin({}, { publicKey: key.publicKey.replaceAll('\n', '\r\n') });
    expect(windows.status).toBe(400);
  });
});

describe('Key metadata', () => {
  test('is base64 of a JSON object with publicKey, userId, accountId and credentialId', () => {
    const { key } = s.demo;
    if (key.kind !== 'ecdsa') throw new Error('not an ECDSA key');
    const metadata = JSON.parse(Buffer.from(key.metadata, 'base64').toString()) as Json;
    expect(Object.keys(metadata).sort()).toEqual(['accountId', 'credentialId', 'publicKey', 'userId']);
    expect(metadata.userId).toBe(key.userId);
  });
});

describe('loginPayload', () => {
  test('nonce and expirationTime are epoch seconds, the latter five minutes ahead', async () => {
    const seconds = Math.floor(s.now() / 1000);
    expect((await s.demo.ecdsaLogin({ expirationTime: seconds + 300 })).status).toBe(200);
    expect((await s.demo.ecdsaLogin({ expirationTime: seconds + 600 })).status).toBe(400);
    expect((await s.demo.ecdsaLogin({ expirationTime: seconds - 1 })).status).toBe(400);
    expect((await s.demo.ecdsaLogin({ nonce: String(seconds) })).status).toBe(400);
  });

  test('biometricsUsed is false and sessionKey null', async () => {
    expect((await s.demo.ecdsaLogin({ biometricsUsed: true })).status).toBe(400);
    expect((await s.demo.ecdsaLogin({ sessionKey: 'x' })).status).toBe(400);
  });

  test('userId is that of the key metadata', async () => {
    expect((await s.demo.ecdsaLogin({ userId: '99999' })).status).toBe(404);
  });
});

describe('Command envelope', () => {
  test('timestamp, nonce and authorizer are those of headers and login', async () => {
    const order = v2Order({ price: '50000.0' });
    expect((await s.demo.send(order)).status).toBe(200);
    expect((await s.demo.send(order, { envelope: { timestamp: '1' } })).status).toBe(400);
    expect((await s.demo.send(order, { envelope: { nonce: '1' } })).status).toBe(400);
    expect((await s.demo.send(order, { envelope: { authorizer: s.other.authorizer } })).status).toBe(403);
  });

  test('every V2 command has one: without it none is taken', async () => {
    for (const command of [v2Order({ price: '50000.0' }), v2Cancel({ orderId: '1' })]) {
      const answer = await s.demo.send(command, { dialect: 'v3' });
      expect([command.commandType, answer.status, answer.json.message]).toEqual([
        command.commandType,
        400,
        'The command has no envelope',
      ]);
    }
  });

  test('no V3 command has one: in it none is taken', async () => {
    const command = { ...v2Order({ price: '50000.0' }), commandType: 'V3CreateOrder' };
    const answer = await s.demo.send(command);
    expect([answer.status, answer.json.message]).toEqual([400, 'This command goes without an envelope']);
  });
});

describe('Command construction', () => {
  test('under the current format nulls may be left out and fields stand in any order', async () => {
    const { handle: _handle, stopPrice: _stopPrice, ...rest } = v2Order({ price: '50000.0' });
    const reversed = Object.fromEntries(Object.entries(rest).reverse());
    expect((await s.demo.send(reversed)).status).toBe(200);
  });

  test('the older format lists every field of V2CreateOrder and V2CancelOrder, absent ones null', async () => {
    const simulator = await startTestSimulator({ fieldOrder: 'listed' });
    try {
      const caller = await Caller.loggedIn(simulator, 'demo-ecdsa');
      const order = v2Order();
      const answer = await caller.send(order);
      expect(answer.status).toBe(200);
      const cancel = v2Cancel({ orderId: answer.json.orderId });
      expect((await caller.send(cancel)).status).toBe(200);
      for (const command of [order, cancel]) {
        expect((await caller.send(Object.fromEntries(Object.entries(command).reverse()))).status).toBe(400);
        const { handle: _handle, ...short } = command;
        expect((await caller.send(short)).status).toBe(400);
      }
    } finally {
      await simulator.close();
    }
  });

  test('V2CreateOrder: GTC, IOC, FOK and GTX exist; prices and quantities are decimal strings', async () => {
    for (const timeInForce of ['GTC', 'IOC', 'FOK', 'GTX']) {
      expect((await s.demo.send(v2Order({ price: '50000.0', timeInForce }))).status).toBe(200);
    }
    expect((await s.demo.send(v2Order({ timeInForce: 'DAY' }))).status).toBe(400);
    expect((await s.demo.send(v2Order({ price: 50_000 }))).status).toBe(400);
    expect((await s.demo.send(v2Order({ quantity: 1 }))).status).toBe(400);
  });
});

describe('Nonce range', () => {
  test('GET /nonce gives start and end of the day in epoch microseconds, to logged-in callers', async () => {
    const midnight = s.now() - (s.now() % DAY_MS);
    const { json } = await s.demo.get('/nonce');
    expect(json).toEqual({ lowerBound: midnight * 1000, upperBound: (midnight + DAY_MS) * 1000 - 1 });
    expect((await s.demo.fetch('/nonce')).status).toBe(401);
  });
});

describe('BX-NONCE', () => {
  test('each is higher than the one before, unsigned 64 bits, within the range of the day', async () => {
    const caller = await Caller.loggedIn(s.simulator, 'demo-hmac', s.now);
    const order = v2Order({ price: '50000.0' });
    const nonce = Number(freshNonce(s.now(), s.simulator.url));
    expect((await caller.send(order, { nonce: String(nonce) })).status).toBe(200);
    for (const wrong of [
      String(nonce),
      String(nonce - 1),
      '1',
      String(nonce + DAY_MS * 1000),
      '-5',
      '18446744073709551616',
    ]) {
      const answer = await caller.send(order, { nonce: wrong });
      expect([wrong, answer.status, answer.json.errorCode]).toEqual([wrong, 400, 2035]);
    }
  });

  test('the range is updated daily', async () => {
    const clock = { now: Date.parse('2026-06-01T23:59:59.000Z') };
    const simulator = await startTestSimulator({ now: () => clock.now });
    try {
      const caller = await Caller.loggedIn(simulator, 'demo-ecdsa', () => clock.now);
      const before = (await caller.get('/nonce')).json;
      clock.now += 2_000;
      const after = (await caller.get('/nonce')).json;
      expect(after.lowerBound).toBe(Number(before.upperBound) + 1);
      expect((await caller.send(v2Order(), { nonce: String(before.upperBound) })).status).toBe(400);
      expect((await caller.send(v2Order(), { nonce: String(after.lowerBound) })).status).toBe(200);
    } finally {
      await simulator.close();
    }
  });
});

describe('BX-SIGNATURE', () => {
  const order = v2Order({ price: '50000.0' });

  test.each(['demo-ecdsa', 'demo-hmac'])(
    '%s: timestamp, nonce, method, path and body are signed without separators',
    async (key) => {
      const caller = await Caller.loggedIn(s.simulator, key, s.now);
      expect((await caller.send(order)).status).toBe(200);
      expect((await caller.send(order, { headers: { 'bx-timestamp': String(s.now() + 1) } })).status).toBe(400);
      expect((await caller.send(order, { headers: { 'bx-nonce': '5' } })).status).toBe(400);
      expect((await caller.send(order, { query: '?a=b' })).status).toBe(200);
    },
  );

  test('the signed body counts; spaces and newlines do not', async () => {
    const changed = await s.demo.send(order, { body: (body) => body.replace('50000.0', '50000.1') });
    expect([changed.status, changed.json.errorCode]).toEqual([400, 8008]);
    const spread = await s.demo.send(order, { body: (body) => body.replaceAll(',', ' ,\n ') });
    expect(spread.status).toBe(200);
  });

  test('it applies to orders, amm-instructions and command', async () => {
    for (const path of [`${V2}/orders`, `${V2}/amm-instructions`, `${V2}/command`]) {
      const answer = await s.demo.send(order, { path, headers: { 'bx-signature': null } });
      expect([path, answer.status, answer.json.errorCode]).toEqual([path, 400, 6029]);
    }
  });

  test('custody requests are signed too', async () => {
    const answer = await postJson(s.demo, `${V1}/wallets/withdrawal`, { command: {} });
    expect([answer.status, answer.json.errorCode]).toEqual([400, 6029]);
  });
});

describe('Session (JWT)', () => {
  test('login gives token and authorizer; the token is valid for 24 hours', async () => {
    const clock = { now: s.now() };
    const simulator = await startTestSimulator({ now: () => clock.now });
    try {
      for (const key of ['demo-ecdsa', 'demo-hmac']) {
        const caller = await Caller.loggedIn(simulator, key, () => clock.now);
        expect(caller.token).not.toBe('');
        expect(caller.authorizer).not.toBe('');
        clock.now += DAY_MS - 1_000;
        expect((await caller.get(`${V1}/accounts/trading-accounts`)).status).toBe(200);
        clock.now += 2_000;
        expect((await caller.get(`${V1}/accounts/trading-accounts`)).status).toBe(401);
      }
    } finally {
      await simulator.close();
    }
  });

  test('logout ends it, and the streams of the login with it', async () => {
    const caller = await Caller.loggedIn(s.simulator, 'other-hmac', s.now);
    const stream = await caller.stream();
    expect(await status(`${V1}/users/logout`, caller)).toBe(200);
    await stream.closed;
    expect(await status(`${V2}/orders?tradingAccountId=${OTHER}`, caller)).toBe(401);
    expect((await caller.send(v2Order())).status).toBe(401);
  });
});

describe('Scheme', () => {
  test('authenticated requests carry Authorization: Bearer; anything else is 401', async () => {
    const path = `${V1}/accounts/trading-accounts`;
    for (const authorization of [s.demo.token, `Basic ${s.demo.token}`, 'Bearer x', '']) {
      expect((await s.demo.fetch(path, { headers: { authorization } })).status).toBe(401);
    }
    expect(await status(path)).toBe(200);
  });
});
