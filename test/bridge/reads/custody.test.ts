// Custody reads over the bridge: a function of their own, with an ECDSA key only (trading-api.md, API key).

import { expect, onTestFinished, test } from 'vitest';
import { type Desk, type DeskOptions, READER_TOKEN, startDesk } from '../desk.ts';

const WALLETS = '/trading-api/v1/wallets';

async function desk(options: DeskOptions = {}): Promise<Desk> {
  const started = await startDesk(options);
  onTestFinished(() => started.close());
  return started;
}

test('custody is read with an ECDSA key, all of it', async () => {
  const { get } = await desk();
  const limits = await get(`${WALLETS}/limits/BTC`);
  expect(limits).toMatchObject({ status: 200, json: { symbol: 'BTC', available: expect.any(String) } });
  for (const path of [
    'transactions',
    'deposit-instructions/crypto/BTC',
    'deposit-instructions/fiat/USD',
    'withdrawal-instructions/crypto/BTC?signed=true',
    'withdrawal-instructions/fiat/USD',
    'self-hosted/verification-attempts',
  ]) {
    const answer = await get(`${WALLETS}/${path}`);
    expect([answer.status, Array.isArray(JSON.parse(answer.text))], `${path}: ${answer.text}`).toEqual([200, true]);
  }
});

test('custody with an HMAC key is refused, for its JWT is good for trading only', async () => {
  const { get } = await desk({ key: 'demo-hmac' });
  const answer = await get(`${WALLETS}/limits/BTC`);
  expect(answer).toMatchObject({ status: 403, json: { code: 'key-forbidden' } });
  expect(answer.json.detail).toContain('custody needs an ECDSA key');
});

test('custody without its function is refused', async () => {
  const { get } = await desk();
  expect(await get(`${WALLETS}/limits/BTC`, READER_TOKEN)).toMatchObject({
    status: 403,
    json: { code: 'function-forbidden' },
  });
});
