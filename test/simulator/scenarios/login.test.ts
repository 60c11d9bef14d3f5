// Logins of the simulated exchange over real HTTP: both key kinds, what each refuses, JWT validity, logout, nonce range.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultWorld, type Simulator, startSimulator } from '../../../src/simulator/mod.ts';
import { Caller, startTestSimulator } from '../exchange-caller.ts';

const DAY_MS = 86_400_000;
let simulator: Simulator;
let now = Date.UTC(2026, 8, 23, 12);

beforeAll(async () => {
  simulator = await startTestSimulator({ now: () => now });
});
afterAll(() => simulator.close());

const ecdsa = (): Caller => new Caller(simulator, 'demo-ecdsa', () => now);
const hmac = (): Caller => new Caller(simulator, 'demo-hmac', () => now);

describe('ECDSA login', () => {
  test('X1 the compact loginPayload is signed without a digest before it', async () => {
    const answer = await ecdsa().login();
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ authorizer: expect.any(String), token: expect.any(String) });
  });

  test('X4 userId is accepted at the top level too, if it is the same', async () => {
    const caller = ecdsa();
    expect((await caller.ecdsaLogin({}, { userId: caller.key.userId })).status).toBe(200);
    expect((await caller.ecdsaLogin({}, { userId: '1' })).status).toBe(400);
  });

  test('the key order of the received payload counts', async () => {
    const caller = ecdsa();
    const answer = await caller.ecdsaLogin({ sessionKey: null, extra: 1 });
    expect(answer.status).toBe(200);
  });

  test('expirationTime is at most five minutes away and not over', async () => {
    const seconds = Math.floor(now / 1000);
    expect((await ecdsa().ecdsaLogin({ expirationTime: seconds + 1_000 })).status).toBe(400);
    expect((await ecdsa().ecdsaLogin({ expirationTime: seconds - 1 })).status).toBe(400);
  });

  test('biometricsUsed is false and sessionKey is null', async () => {
    expect((await ecdsa().ecdsaLogin({ biometricsUsed: true })).json.errorCode).toBe(8175);
    expect((await ecdsa().ecdsaLogin({ sessionKey: 'x' })).json.errorCode).toBe(8175);
  });

  test('another user’s id is 404 8011', async () => {
    const answer = await ecdsa().ecdsaLogin({ userId: '999' });
    expect([answer.status, answer.json.errorCode]).toEqual([404, 8011]);
  });

  test('a wrong signature is 8008, an unknown key 8010, a legacy key 8010', async () => {
    const caller = ecdsa();
    expect((await caller.ecdsaLogin({}, { signature: 'AAAA' })).json.errorCode).toBe(8008);
    expect((await caller.ecdsaLogin({}, { publicKey: 'unknown' })).json.errorCode).toBe(8010);
    expect((await caller.ecdsaLogin({}, { publicKey: 'PUB_R1_6abc' })).json.errorCode).toBe(8010);
  });

  test('the public key has Unix line breaks', async () => {
    const caller = ecdsa();
    const publicKey = caller.key.publicKey.replaceAll('\n', '\r\n');
    expect((await caller.ecdsaLogin({}, { publicKey })).status).toBe(400);
  });

  test('the metadata is base64 of JSON with publicKey, userId, accountId and credentialId', () => {
    const { key } = ecdsa();
    if (key.kind !== 'ecdsa') throw new Error('not ECDSA');
    const metadata = JSON.parse(Buffer.from(key.metadata, 'base64').toString());
    expect(Object.keys(metadata)).toEqual(['publicKey', 'userId', 'accountId', 'credentialId']);
    expect(metadata.userId).toBe(key.userId);
  });

  test('a body that is no JSON is 400, not a crash', async () => {
    const answer = await ecdsa().fetch('/trading-api/v2/users/login', { method: 'POST', body: '{"publicKey":' });
    expect(answer.status).toBe(400);
  });

  test('the old login path is gone', async () => {
    expect((await ecdsa().fetch('/trading-api/v1/users/login', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});

describe('HMAC login', () => {
  test('X1 timestamp, nonce, GET and path are signed directly', async () => {
    expect((await hmac().login()).status).toBe(200);
  });

  test('two logins with one nonce in the same second both work', async () => {
    const answers = await Promise.all([hmac().login(), hmac().login()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a missing signature is 6029, a wrong one 8008, an unknown key 8010', async () => {
    expect((await hmac().hmacLogin({ 'bx-signature': '' })).json.errorCode).toBe(6029);
    expect((await hmac().hmacLogin({ 'bx-signature': 'ab' })).json.errorCode).toBe(8008);
    expect((await hmac().hmacLogin({ 'bx-public-key': 'nobody' })).json.errorCode).toBe(8010);
  });

  test('a timestamp far from the clock is refused', async () => {
    expect((await hmac().hmacLogin({ 'bx-timestamp': String(now - 3_600_000) })).status).toBe(400);
  });
});

describe('the login', () => {
  test('logout ends it with 200 and an empty body', async () => {
    const caller = await Caller.loggedIn(simulator, 'demo-hmac', () => now);
    const answer = await caller.get('/trading-api/v1/users/logout');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await caller.get('/trading-api/v1/nonce')).status).toBe(401);
  });

  test('a JWT is valid for 24 hours', async () => {
    const caller = await Caller.loggedIn(simulator, 'demo-hmac', () => now);
    now += DAY_MS - 1;
    expect((await caller.get('/trading-api/v1/nonce')).status).toBe(200);
    now += 1;
    const answer = await caller.get('/trading-api/v1/nonce');
    expect([answer.status, answer.json.errorCodeName]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('the nonce range is the UTC day in microseconds, as JSON numbers, and needs a login', async () => {
    const caller = await Caller.loggedIn(simulator, 'demo-hmac', () => now);
    const start = Math.floor(now / DAY_MS) * DAY_MS * 1000;
    const { json } = await caller.get('/trading-api/v1/nonce');
    expect(json).toEqual({ lowerBound: start, upperBound: start + DAY_MS * 1000 - 1 });
    expect((await caller.fetch('/trading-api/v1/nonce')).status).toBe(401);
  });

  test('X4 GET /nonce can be public by setting', async () => {
    const lenient = await startTestSimulator({ nonceAuthenticated: false });
    expect((await new Caller(lenient, 'demo-hmac').fetch('/trading-api/v1/nonce')).status).toBe(200);
    await lenient.close();
  });

  test('time is public', async () => {
    const { json } = await hmac().fetch('/trading-api/v1/time');
    expect(json).toEqual({ datetime: new Date(now).toISOString(), timestamp: now });
  });
});

test('an allow list binds logins to its addresses', async () => {
  const world = defaultWorld();
  const users = world.users.map((user) => ({ ...user, ipAllowList: ['10.0.0.1'] }));
  const strict = await startTestSimulator({ world: { ...world, users } });
  expect((await new Caller(strict, 'demo-hmac').login()).status).toBe(403);
  await strict.close();
});

test('a user has only so many logins (8400)', async () => {
  const few = await startTestSimulator({ limits: { loginsPerUser: 1 } });
  expect((await new Caller(few, 'demo-hmac').login()).status).toBe(200);
  expect((await new Caller(few, 'demo-ecdsa').login()).json.errorCode).toBe(8400);
  await few.close();
});

test('a world with mistakes does not start, and all of them are named', async () => {
  const world = defaultWorld();
  const markets = world.markets.map((market) => ({ ...market, tickSize: '0.00001', quoteSymbol: 'EUR' }));
  const accounts = world.accounts.map((account) => ({ ...account, user: 'nobody' }));
  await expect(startTestSimulator({ world: { ...world, markets, accounts } })).rejects.toMatchObject({
    code: 'XG_SIMULATOR_INVALID',
    message: expect.stringMatching(/unknown asset EUR.*tickSize of BTCUSDC.*belongs to no known user/),
  });
});

test('a port that is taken is an error with its code', async () => {
  await expect(startTestSimulator({ port: simulator.port })).rejects.toMatchObject({ code: 'XG_LISTEN_FAILED' });
});

describe('key files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'simulator-keys-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('X5 keys are generated at first start, readable by the owner only, and used again', async () => {
    const first = await startSimulator({ keysDirectory: directory });
    await first.close();
    const path = join(directory, 'demo-hmac.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const written = readFileSync(path, 'utf8');
    const second = await startSimulator({ keysDirectory: directory });
    expect(readFileSync(path, 'utf8')).toBe(written);
    expect(second.keys.get('demo-hmac')).toMatchObject(JSON.parse(written));
    await second.close();
  });

  test('X5 a key file that holds something else stops the start with its name', async () => {
    writeFileSync(join(directory, 'demo-ecdsa.json'), '{}');
    await expect(startSimulator({ keysDirectory: directory })).rejects.toMatchObject({
      code: 'XG_SIMULATOR_INVALID',
      message: expect.stringContaining('demo-ecdsa.json'),
    });
  });
});
