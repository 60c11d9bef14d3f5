import { expect, test } from 'vitest';
import {
  type CancelOrderCommand,
  type CreateOrderCommand,
  type ExchangeCommand,
  encodeCommand,
} from '../../src/exchange/mod.ts';

const ENVELOPE = { timestamp: '1700000000000', nonce: '1700000000000000', authorizer: 'AUTH' };
const ACCOUNT = '111000000000001';
const CREATE: CreateOrderCommand = {
  kind: 'createOrder',
  clientOrderId: '1001',
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '55071.5000',
  stopPrice: null,
  quantity: '1.87000000',
  timeInForce: 'GTC',
  allowBorrow: false,
  isMMP: null,
  tradingAccountId: ACCOUNT,
};
const CANCEL: CancelOrderCommand = {
  kind: 'cancelOrder',
  orderId: '832910066626069505',
  clientOrderId: null,
  symbol: 'BTCUSDC',
  tradingAccountId: ACCOUNT,
};
const HEAD = '{"timestamp":"1700000000000","nonce":"1700000000000000","authorizer":"AUTH","command":';

test('X2 in v2 a create is V2CreateOrder in the envelope, every field in its place and nulls present', () => {
  expect(encodeCommand(CREATE, 'v2', ENVELOPE)).toEqual({
    method: 'POST',
    path: '/trading-api/v2/orders',
    body:
      `${HEAD}{"commandType":"V2CreateOrder","handle":"1001","symbol":"BTCUSDC","type":"LMT","side":"BUY",` +
      '"price":"55071.5000","stopPrice":null,"quantity":"1.87000000","timeInForce":"GTC","allowMargin":false,' +
      `"tradingAccountId":"${ACCOUNT}"}}`,
  });
});

test('X2 in v2 a create says post only, margin, stop price and market maker protection in its words', () => {
  const command = (create: Partial<CreateOrderCommand>): Record<string, unknown> => {
    const { body } = encodeCommand({ ...CREATE, ...create }, 'v2', ENVELOPE);
    return (JSON.parse(body) as { command: Record<string, unknown> }).command;
  };
  expect(command({ type: 'POST_ONLY', allowBorrow: true })).toMatchObject({ type: 'POST_ONLY', allowMargin: true });
  expect(command({ type: 'MARKET', price: null })).toMatchObject({ type: 'MKT', price: null });
  const stop = { type: 'STOP_LIMIT', price: '5', stopPrice: '6', isMMP: true } as const;
  expect(command(stop)).toMatchObject({ type: 'STOP_LIMIT', price: '5', stopPrice: '6', isMMP: true });
  expect(encodeCommand({ ...CREATE, ...stop }, 'v3', ENVELOPE).body).toContain('"price":"5","stopPrice":"6"');
});

test('X2 in v3 a create is the flat V3CreateOrder of the published vector', () => {
  expect(encodeCommand(CREATE, 'v3', ENVELOPE).body).toBe(
    '{"commandType":"V3CreateOrder","clientOrderId":"1001","symbol":"BTCUSDC","type":"LIMIT","side":"BUY",' +
      '"price":"55071.5000","quantity":"1.87000000","timeInForce":"GTC","allowBorrow":false,' +
      `"tradingAccountId":"${ACCOUNT}"}`,
  );
});

test('X2 in v2 a cancel goes to the command endpoint, or where the setting says', () => {
  const encoded = encodeCommand(CANCEL, 'v2', ENVELOPE);
  expect(encoded.path).toBe('/trading-api/v2/command');
  expect(encoded.body).toBe(
    `${HEAD}{"commandType":"V2CancelOrder","orderId":"832910066626069505","handle":null,"symbol":"BTCUSDC",` +
      `"tradingAccountId":"${ACCOUNT}"}}`,
  );
  const elsewhere = encodeCommand(CANCEL, 'v2', ENVELOPE, { v2CancelPath: '/trading-api/v2/orders' });
  expect(elsewhere.path).toBe('/trading-api/v2/orders');
});

test('X2 in v3 a cancel carries exactly one of orderId and clientOrderId', () => {
  expect(encodeCommand({ ...CANCEL, clientOrderId: '7' }, 'v3', ENVELOPE).body).not.toContain('clientOrderId');
  // Where an enveloped cancel goes is a setting; a flat one goes where all commands go.
  const settings = { v2CancelPath: '/trading-api/v2/orders' };
  expect(encodeCommand(CANCEL, 'v3', ENVELOPE, settings).path).toBe('/trading-api/v2/command');
  expect(encodeCommand({ ...CANCEL, orderId: null, clientOrderId: '7' }, 'v3', ENVELOPE).body).toBe(
    `{"commandType":"V3CancelOrder","clientOrderId":"7","symbol":"BTCUSDC","tradingAccountId":"${ACCOUNT}"}`,
  );
});

const OTHERS: readonly (readonly [ExchangeCommand, string])[] = [
  [{ kind: 'cancelAll', tradingAccountId: ACCOUNT }, 'V1CancelAllOrders'],
  [{ kind: 'cancelAllByMarket', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT }, 'V1CancelAllOrdersByMarket'],
  [
    { kind: 'delayedCancelAll', delayBySeconds: '5', cancelId: null, tradingAccountId: ACCOUNT },
    'V1DelayedCancelAllOrders',
  ],
  [{ kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT }, 'V1UnsetDelayedCancelAllOrders'],
  [
    {
      kind: 'amendOrder',
      orderId: '1',
      clientOrderId: null,
      type: null,
      price: '2.5',
      quantity: null,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    },
    'V1AmendOrder',
  ],
];

test.each(OTHERS)('X2 the other commands have the same envelope in v2 and none in v3: %o', (command, commandType) => {
  const v2 = JSON.parse(encodeCommand(command, 'v2', ENVELOPE).body);
  const v3 = JSON.parse(encodeCommand(command, 'v3', ENVELOPE).body);
  expect(v2).toMatchObject({ ...ENVELOPE, command: { commandType, tradingAccountId: ACCOUNT } });
  expect(v3).toMatchObject({ commandType, tradingAccountId: ACCOUNT });
  expect(Object.values(v3)).not.toContain(null);
});

test('X2 V1Withdrawal keeps an envelope of its own in both dialects', () => {
  const command: ExchangeCommand = {
    kind: 'raw',
    path: '/trading-api/v1/wallets/withdrawal',
    fields: { commandType: 'V1Withdrawal', destinationId: 'd', network: 'ETH', symbol: 'ETH', quantity: '1' },
  };
  expect(JSON.parse(encodeCommand(command, 'v3', ENVELOPE).body)).toEqual({ ...ENVELOPE, command: command.fields });
});

test('X2 a command as its caller wrote it goes to its own path, in the envelope in v2 and flat in v3', () => {
  const fields = { commandType: 'V2AddLiquidity', tradingAccountId: ACCOUNT };
  const command: ExchangeCommand = { kind: 'raw', path: '/trading-api/v2/elsewhere', fields };
  const [v2, v3] = (['v2', 'v3'] as const).map((dialect) => encodeCommand(command, dialect, ENVELOPE));
  expect([v2!.path, v3!.path]).toEqual([command.path, command.path]);
  expect([v2!.body, v3!.body].map((body) => JSON.parse(body))).toEqual([{ ...ENVELOPE, command: fields }, fields]);
});
