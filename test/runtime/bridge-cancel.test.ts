// Cancels over the bridge of a running gateway (rule B5), with its FIX session and the simulated exchange: real sockets on
// every side.

import { expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
} from '../ops/running-gateway.ts';
import { report } from '../support/network/fix-connection.ts';
import { limitOrder } from '../support/processes/exchange-house.ts';

const TOKEN = 'bridge-token-of-the-tests-0001';
const COMMAND = '/trading-api/v2/command';

function gateway(functions = 'cancel, orders', exclusive = ''): Promise<RunningGateway> {
  const own = `${GATEWAY.replace(' tradingAccounts: [', ` exclusiveAccounts: [${exclusive}], tradingAccounts: [`)}bridge:
  enabled: true
  port: 0
  callers: [{ name: desk, token: "env:DESK", tradingAccounts: ["${ACCOUNT}"], functions: [${functions}] }]
`;
  const keeps = `${sessionFile('OMS')}cancelOnDisconnect: { on: off }\n`;
  return runningGateway({ 'gateway.yaml': own, 'OMS.yaml': keeps }, { DESK: TOKEN });
}

async function command(house: RunningGateway, fields: Record<string, unknown>) {
  const response = await fetch(house.engine.bridge!.url + COMMAND, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tradingAccountId: ACCOUNT, ...fields }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function withOrders(house: RunningGateway, ...clOrdIDs: string[]) {
  const fix = await house.logOn();
  const ids: string[] = [];
  for (const clOrdID of clOrdIDs) {
    fix.send(limitOrder(clOrdID, '0.01', '50000'));
    ids.push((await fix.expect('New', report(clOrdID, '0', '0'))).string(Tag.OrderID)!);
  }
  return { fix, ids };
}

test('B5 an OMS gets 150=4 with 378 of the order that a desk cancels over the bridge', async () => {
  const house = await gateway();
  const { fix, ids } = await withOrders(house, 'a-1', 'a-2', 'a-3');
  const one = await command(house, { commandType: 'V3CancelOrder', orderId: ids[0], symbol: 'BTCUSDC' });
  expect(one).toMatchObject({
    status: 200,
    json: { commandType: 'V3CancelOrder', message: 'Command acknowledged - CancelOrder', orderId: ids[0] },
  });
  const end = await fix.expect('its end', report('a-1', '4', '4'));
  expect([end.string(Tag.ExecRestatementReason), end.string(Tag.Text)]).toEqual([
    '8',
    'Cancelled over the bridge by a caller that trades this account',
  ]);
  const market = await command(house, { commandType: 'V1CancelAllOrdersByMarket', symbol: 'BTCUSDC' });
  expect(market.json.message).toBe('Command acknowledged - CancelAllOrdersByMarket');
  await fix.expect('the end of the second', report('a-2', '4', '4'));
  await fix.expect('the end of the third', report('a-3', '4', '4'));
  expect(house.engine.simulator!.control.openOrders(ACCOUNT)).toEqual([]);
});

test('B5 an OMS whose FIX session is down gets out, and reads of it when it is back', async () => {
  const house = await gateway();
  const { fix } = await withOrders(house, 'b-1');
  fix.destroy();
  const { control } = house.engine.simulator!;
  expect(control.openOrders(ACCOUNT)).toHaveLength(1);
  expect((await command(house, { commandType: 'V1CancelAllOrders' })).status).toBe(200);
  await eventually('the end at the exchange', () => control.openOrders(ACCOUNT).length === 0);
  await eventually('the end here', () => house.engine.gateway.openOrderCount('FIX.4.4:GATE->OMS') === 0);
});

test('B5 the permission is its own, and a refusal has the words of the exchange', async () => {
  const house = await gateway('orders');
  const refused = await command(house, { commandType: 'V1CancelAllOrders' });
  expect(refused).toMatchObject({ status: 403, json: { code: 'function-forbidden' } });
  const other = await gateway();
  const unknown = await command(other, { commandType: 'V3CancelOrder', orderId: '1', symbol: 'NOPE' });
  expect(unknown, JSON.stringify(unknown)).toMatchObject({ status: 400, json: { code: 'exchange-refused' } });
  const both = await command(other, { commandType: 'V3CancelOrder', symbol: 'BTCUSDC' });
  expect(both.json.detail).toBe('V3CancelOrder names exactly one of orderId and clientOrderId.');
});

test('B5 C2 a delayed cancel-all fires on an exclusive account, is reported, and is refused on others', async () => {
  const open = await gateway();
  const refused = await command(open, { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '5' });
  expect(refused).toMatchObject({ status: 403, json: { code: 'account-not-exclusive' } });
  const house = await gateway('cancel', `"${ACCOUNT}"`);
  const { fix } = await withOrders(house, 'c-1');
  for (const commandType of ['V1DelayedCancelAllOrders', 'V1UnsetDelayedCancelAllOrders', 'V1DelayedCancelAllOrders']) {
    const delay = commandType === 'V1DelayedCancelAllOrders' ? { delayBySeconds: '5' } : {};
    expect(await command(house, { commandType, ...delay })).toMatchObject({ status: 200, json: { commandType } });
  }
  await fix.expect('its end', report('c-1', '4', '4'));
});
