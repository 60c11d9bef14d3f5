// Orders by REST of a running gateway: closed by default, and of an opened account through the registry, the limits and the
// kill switch of every other order (rules B3, O12).

import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { replayPure } from '../../src/cli/log/replay-pure.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
} from '../ops/running-gateway.ts';

const TOKEN = 'bridge-token-of-the-tests-0001';
const ORDERS = '/trading-api/v2/orders';
const OPENED = `{ tradingAccount: "${ACCOUNT}", orderQtyMax: "1", notionalMax: "100000", openOrdersMax: 2, priceBandPercent: "off" }`;

function gateway(opened = OPENED, functions = 'order-write, orders, cancel'): Promise<RunningGateway> {
  const own = `${GATEWAY}bridge:
  enabled: true
  port: 0
  orders: [${opened}]
  callers: [{ name: desk, token: "env:DESK", tradingAccounts: ["${ACCOUNT}"], functions: [${functions}] }]
`;
  return runningGateway({ 'gateway.yaml': own, 'OMS.yaml': sessionFile('OMS') }, { DESK: TOKEN });
}

async function ask(house: RunningGateway, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(house.engine.bridge!.url + path, init);
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const limit = (more: Record<string, unknown> = {}) => ({
  commandType: 'V3CreateOrder',
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '50000.0',
  quantity: '0.01',
  timeInForce: 'GTC',
  tradingAccountId: ACCOUNT,
  ...more,
});

test('B3 without a setting no account takes an order by REST', async () => {
  const house = await gateway('');
  expect(await ask(house, ORDERS, limit())).toMatchObject({ status: 403, json: { code: 'order-command' } });
  expect(house.engine.simulator!.control.openOrders(ACCOUNT)).toEqual([]);
});

test('B3 O12 an opened account takes orders through the registry, within limits, until a kill switch', async () => {
  const house = await gateway();
  const entered = await ask(house, ORDERS, limit({ clientOrderId: '4711' }));
  expect(entered).toMatchObject({
    status: 200,
    json: { message: 'Command acknowledged - CreateOrder', clientOrderId: '4711' },
  });
  const orderId = String(entered.json.orderId);
  const read = await ask(house, `${ORDERS}/${orderId}?tradingAccountId=${ACCOUNT}`);
  expect(read.json).toMatchObject({ orderId, clientOrderId: '4711', status: 'OPEN', price: '50000.0000' });
  await eventually('the order here', () => house.engine.gateway.findByOrderID(orderId)?.ordStatus === '0');
  const refused: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ clientOrderId: '4711' }, /was used before/],
    [{ quantity: '2' }, /OrderQty\(38\)/],
    [{ quantity: '0.000000001' }, /OrderQty\(38\)/],
    [{ symbol: 'NOPE' }, /no market of the exchange/],
  ];
  for (const [more, text] of refused) {
    const { status, json } = await ask(house, ORDERS, limit(more));
    expect([status, json.code]).toEqual([400, 'order-refused']);
    expect(json.detail).toMatch(text);
  }
  const amend = {
    commandType: 'V1AmendOrder',
    orderId,
    symbol: 'BTCUSDC',
    price: '49999.0',
    tradingAccountId: ACCOUNT,
  };
  expect(await ask(house, '/trading-api/v2/command', amend)).toMatchObject({
    status: 403,
    json: { code: 'order-command', detail: expect.stringContaining('Cancel an order entered here') },
  });
  const older = { commandType: 'V2CreateOrder', type: 'LMT', handle: '4712' };
  expect((await ask(house, ORDERS, limit(older))).status).toBe(200);
  expect((await ask(house, ORDERS, limit())).json.detail).toMatch(/open orders/i);
  await ask(house, '/trading-api/v2/command', { commandType: 'V1CancelAllOrders', tradingAccountId: ACCOUNT });
  await eventually('the end of both', () => house.engine.simulator!.control.openOrders(ACCOUNT).length === 0);
  await house.ask('/api/kill-switches/throw', { scope: 'account', name: ACCOUNT, why: 'drill' });
  expect(await ask(house, ORDERS, limit())).toMatchObject({ status: 403, json: { code: 'kill-switch' } });
});

test('B3 an order by REST needs its own function, and a refusal of the exchange has its words', async () => {
  const house = await gateway(OPENED, 'orders, cancel');
  expect(await ask(house, ORDERS, limit())).toMatchObject({ status: 403, json: { code: 'function-forbidden' } });
  const other = await gateway();
  other.engine.simulator!.control.armAnswer({ what: 'error', httpStatus: 400, errorCode: 3005, errorCodeName: 'POOR' });
  expect(await ask(other, ORDERS, limit())).toMatchObject({
    status: 400,
    json: { code: 'exchange-refused', errorCode: 3005 },
  });
});

test('B3 B5 the day of an order by REST and its cancel, run again from its journal alone, is identical', async () => {
  const house = await gateway();
  const { json } = await ask(house, ORDERS, limit());
  const cancel = { commandType: 'V3CancelOrder', orderId: json.orderId, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
  expect((await ask(house, '/trading-api/v2/command', cancel)).status).toBe(200);
  await eventually('its end', () => house.engine.gateway.findByOrderID(String(json.orderId))?.ordStatus === '4');
  await house.engine.close();
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  await replayPure(house.stateDirectory, fileURLToPath(new URL('../../dictionaries', import.meta.url)));
  expect(said.mock.calls.join('\n')).toMatch(/^identical: /);
  said.mockRestore();
});
