// Custody of the simulated exchange over HTTP: withdrawals with their limits, self-hosted wallets, deposits; and world files.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { loadWorld } from '../../../src/simulator/world/world-file.ts';
import { postJson, selfHosted, withdraw } from '../../contract/situation.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator } from '../exchange-caller.ts';

const WALLETS = '/trading-api/v1/wallets';
const DAY_MS = 86_400_000;

describe('custody', () => {
  const clock = { now: Date.parse('2026-06-01T06:00:00.000Z') };
  let simulator: Simulator;
  let caller: Caller;
  beforeEach(async () => {
    simulator = await startTestSimulator({ now: () => clock.now });
    caller = await Caller.loggedIn(simulator, 'demo-ecdsa', () => clock.now);
  });
  afterEach(() => simulator.close());
  const list = async (path: string): Promise<Json[]> =>
    (await caller.get(`${WALLETS}/${path}`)).json as unknown as Json[];
  const usdc = async (): Promise<number> => {
    const { json } = await caller.get(`/trading-api/v1/accounts/asset/USDC?tradingAccountId=${ACCOUNT}`);
    return Number(json.availableQuantity);
  };
  async function request(fields: Json = {}): Promise<Json> {
    const [first] = await list('withdrawal-instructions/crypto/USDC');
    const { destinationId, network } = first!;
    return { commandType: 'V1Withdrawal', destinationId, network, symbol: 'USDC', quantity: '100', ...fields };
  }

  test('a withdrawal takes its amount at once, is PENDING, then COMPLETE, and counts for 24 hours', async () => {
    const before = await usdc();
    expect((await withdraw(caller, await request())).status).toBe(200);
    expect(await usdc()).toBe(before - 100);
    expect((await list('transactions'))[0]).toMatchObject({
      direction: 'WITHDRAWAL',
      status: 'PENDING',
      fee: '3.0000',
    });
    expect((await caller.get(`${WALLETS}/limits/USDC`)).json.available).toBe('999900.0000');
    clock.now += 10_000;
    simulator.control.advance();
    expect((await list('transactions'))[0]).toMatchObject({ status: 'COMPLETE' });
  });

  test.each([
    ['an unknown destination', { destinationId: 'ff' }, 8310],
    ['no destination id at all', { destinationId: 'myWallet' }, 8331],
    ['another network', { network: 'BTC' }, 8332],
    ['another asset', { symbol: 'BTC' }, 8333],
    ['less than its fee', { quantity: '3' }, 8322],
    ['more than the limit', { quantity: '1000001' }, 8322],
    ['finer than the asset', { quantity: '5.00001' }, 8322],
    ['no quantity', { quantity: null }, 8311],
  ])('a withdrawal with %s is refused', async (_what, fields, code) => {
    const before = await usdc();
    const answer = await withdraw(caller, await request(fields));
    expect([answer.status, answer.json.errorCode]).toEqual([400, code]);
    expect(await usdc()).toBe(before);
  });

  test('a self-hosted wallet is verified by a deposit of exactly the total, and locked for a day', async () => {
    const { json } = await postJson(caller, `${WALLETS}/self-hosted/initiate`, selfHosted('Own wallet'));
    const total = String(json.totalDepositAmount);
    const address = String(selfHosted('').address);
    const attempt = async (): Promise<unknown> =>
      (await list(`self-hosted/verification-attempts?destinationId=${json.destinationId}`))[0]!.verificationStatus;
    expect(Number(total)).toBeCloseTo(Number(json.requestedDepositAmount) + Number(json.verificationAmount), 8);
    simulator.control.deposit(ACCOUNT, 'USDC', 'ETH', '10.5', address);
    expect(await attempt()).toBe('PENDING_VERIFICATION');
    simulator.control.deposit(ACCOUNT, 'USDC', 'ETH', total, address);
    expect(await attempt()).toBe('VERIFIED');
    const fields = { destinationId: json.destinationId, network: 'ETH' };
    expect((await withdraw(caller, await request(fields))).json.errorCode).toBe(8336);
    clock.now += DAY_MS + 1;
    simulator.control.advance();
    await caller.login();
    expect((await withdraw(caller, await request(fields))).status).toBe(200);
  });

  test('an unpaid attempt expires; a deleted destination is gone', async () => {
    const { json } = await postJson(caller, `${WALLETS}/self-hosted/initiate`, selfHosted('Forgotten'));
    clock.now += DAY_MS + 1;
    simulator.control.advance();
    await caller.login();
    expect((await list('self-hosted/verification-attempts'))[0]).toMatchObject({
      verificationStatus: 'VERIFICATION_EXPIRED',
    });
    const path = `${WALLETS}/withdrawal-instructions/${json.destinationId}`;
    const remove = () => caller.fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${caller.token}` } });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
  });
});

describe('world file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulator-world-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (text: string): string => {
    const path = join(folder, 'world.yaml');
    writeFileSync(path, text);
    return path;
  };

  const SMALL = [
    'assets: [{symbol: BTC, indexPrice: "50000"}, {symbol: USDC, precision: 4}]',
    'markets: [{symbol: BTCUSDC}]',
    'users: [{name: solo, userId: "31"}]',
    'accounts: [{tradingAccountId: "111000000000007", user: solo, balances: {USDC: "100000"}}]',
  ].join('\n');

  test("fills an entry's gaps with defaults; the exchange runs on it", async () => {
    const simulator = await startTestSimulator({ worldFile: write(SMALL) });
    try {
      const caller = await Caller.loggedIn(simulator, 'solo-ecdsa');
      const { json } = await caller.get('/trading-api/v1/markets');
      expect((json as unknown as Json[]).map(({ symbol, tickSize }) => [symbol, tickSize])).toEqual([
        ['BTCUSDC', '0.1000'],
      ]);
      const tradingAccountId = '111000000000007';
      expect(await caller.create({ tradingAccountId })).toMatch(/^\d+$/);
    } finally {
      await simulator.close();
    }
  });

  test('an unknown key and a wrong type are named with their place; a file that is not there with its path', () => {
    expect(() => loadWorld(write(`${SMALL}\nmarkts: []`))).toThrow(/world file .* additional properties: markts/);
    expect(() => loadWorld(write('assets: [{symbol: 5}]'))).toThrow(/\/assets\/0\/symbol must be string, in quotes/);
    expect(() => loadWorld(join(folder, 'none.yaml'))).toThrow(/none\.yaml/);
  });

  test('an account without an owner stops the start', async () => {
    const file = write(SMALL.replace('user: solo', 'user: nobody'));
    await expect(startTestSimulator({ worldFile: file })).rejects.toThrow(/belongs to no known user/);
  });
});
