// Market maker protection over the bridge: FIX only marks an order as protected (MmpEnabled), so the limits are read, set
// and reset here, and what they did is heard on the private stream.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, Stream } from '../simulator/exchange-caller.ts';
import { ACCOUNT, type Desk, FOREIGN_ACCOUNT, FULL_TOKEN, READER_TOKEN, SECOND_ACCOUNT, startDesk } from './desk.ts';

const PATH = '/trading-api/v2/mmp-configuration';
const limits = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  commandType: 'V1SetMMP',
  tradingAccountId: ACCOUNT,
  underlyingAssetSymbol: 'BTC',
  windowTimeInSeconds: '60',
  frozenTimeInSeconds: '120',
  quantityLimit: '0.2',
  ...fields,
});
const reset = { commandType: 'V1ResetMMP', tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' };

describe.each(['v2', 'v3'] as const)('over an exchange that speaks %s', (dialect) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk({ dialect });
  });
  afterAll(() => desk.close());

  test('the limits of an account are set, read and reset, each write audited', async () => {
    const none = await desk.get(`${PATH}?tradingAccountId=${ACCOUNT}`);
    expect(none.json, none.text).toMatchObject({ tradingAccountId: ACCOUNT, mmpConfigurations: [] });
    // Whatever order the caller writes them in.
    const set = await desk.post(PATH, { deltaLimit: '10', ...limits() });
    expect(set.status, set.text).toBe(200);
    expect(set.json.message).toBe('Command acknowledged - SetMMP');
    const read = await desk.get(`${PATH}?tradingAccountId=${ACCOUNT}&symbol=BTC`);
    expect(read.json.mmpConfigurations).toEqual([
      {
        underlyingAssetSymbol: 'BTC',
        windowTimeInSeconds: 60,
        frozenTimeInSeconds: 120,
        quantityLimit: '0.2',
        deltaLimit: '10',
        isActive: true,
      },
    ]);
    const again = await desk.post(PATH, reset);
    expect(again.json.message, again.text).toBe('Command acknowledged - ResetMMP');
    expect(desk.audited[0]!.detail).toContain('"frozenTimeInSeconds":"120","quantityLimit":"0.2","deltaLimit":"10"');
    expect(desk.audited.map(({ who, action }) => `${who} ${action}`)).toEqual([
      'desk bridge: V1SetMMP',
      'desk bridge: outcome accepted',
      'desk bridge: V1ResetMMP',
      'desk bridge: outcome accepted',
    ]);
  });

  test('the private stream reports limits set and struck, also to later listeners', async () => {
    const url = `${desk.bridge.url.replace('http', 'ws')}/trading-api/v1/private-data`;
    const headers = { authorization: `Bearer ${FULL_TOKEN}` };
    const stream = await Stream.open(url, headers);
    await stream.subscribe({ topic: 'mmpRequest+mmpTrigger', tradingAccountId: ACCOUNT });
    const { json } = await desk.post(PATH, limits());
    const request = await stream.find(
      ({ dataType, type, data }) =>
        dataType === 'V1TAMMPConfigRequest' && type === 'update' && (data as Json).requestId === json.requestId,
    );
    expect(request).toMatchObject({ tradingAccountId: ACCOUNT, data: { assetSymbol: 'BTC', isReset: 'false' } });
    const symbol = desk.client
      .markets()
      .find(({ symbol }) => symbol.startsWith('BTC-') && symbol.endsWith('-C'))!.symbol;
    const quote = { symbol, price: '6000.0', quantity: '0.2', stopPrice: null, allowBorrow: false } as const;
    const order = { kind: 'createOrder', type: 'LIMIT', side: 'BUY', timeInForce: 'GTC', ...quote } as const;
    const entered = { ...order, clientOrderId: '777', isMMP: true, tradingAccountId: ACCOUNT };
    expect(await desk.client.submit('quote', entered)).toMatchObject({ kind: 'accepted' });
    const trigger = await stream.find(({ dataType, type }) => dataType === 'V1TAMMPTrigger' && type === 'update');
    expect(trigger.data).toMatchObject({ triggeredBy: 'QUANTITY_LIMIT', frozenTimeInSecond: '120' });
    const later = await Stream.open(url, headers);
    await later.subscribe({ topic: 'mmpTrigger', tradingAccountId: ACCOUNT });
    const snapshot = await later.find(({ type }) => type === 'snapshot');
    expect(snapshot).toMatchObject({ dataType: 'V1TAMMPTrigger', data: [trigger.data] });
    stream.close();
    later.close();
  });
});

describe('refused requests', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk();
  });
  afterAll(() => desk.close());

  test.each([
    [
      'of a token without the function',
      limits({ tradingAccountId: SECOND_ACCOUNT }),
      READER_TOKEN,
      'function-forbidden',
    ],
    ['of a foreign account', limits({ tradingAccountId: FOREIGN_ACCOUNT }), FULL_TOKEN, 'account-forbidden'],
    ['with seconds as a number', limits({ windowTimeInSeconds: 60 }), FULL_TOKEN, 'malformed'],
    ['without a freeze', limits({ frozenTimeInSeconds: undefined }), FULL_TOKEN, 'malformed'],
    ['with a field that is not known', limits({ symbol: 'BTCUSDC' }), FULL_TOKEN, 'malformed'],
    ['of another kind', { ...reset, commandType: 'V3CreateOrder' }, FULL_TOKEN, 'order-command'],
  ])('a command %s never leaves', async (_, command, token, code) => {
    const answer = await desk.post(PATH, command, { token });
    expect(answer.json.code, answer.text).toBe(code);
    expect(desk.audited).toEqual([]);
  });

  test('reading without the function, or of a foreign account', async () => {
    const reader = await desk.get(`${PATH}?tradingAccountId=${SECOND_ACCOUNT}`, READER_TOKEN);
    expect(reader.json.detail).toBe(
      'The token "screen" lacks the function "mmp": an operator adds it to `bridge.callers` in gateway.yaml.',
    );
    const foreign = await desk.get(`${PATH}?tradingAccountId=${FOREIGN_ACCOUNT}`);
    expect(foreign.json.code).toBe('account-forbidden');
  });

  test('limits that the exchange does not take: its own reason is shown', async () => {
    const answer = await desk.post(PATH, limits({ quantityLimit: undefined }));
    expect(answer.json.exchange, answer.text).toMatchObject({ errorCode: '2104' });
  });

  test('answers an unknown outcome with the place to ask', async () => {
    desk.simulator.control.armAnswer({ what: 'error', on: 'command', times: 1 });
    const answer = await desk.post(PATH, limits());
    expect({ status: answer.status, location: answer.headers.get('location') }, answer.text).toEqual({
      status: 202,
      location: `${PATH}?tradingAccountId=${ACCOUNT}&symbol=BTC`,
    });
  });

  test('the OpenAPI document names the calls and their functions', async () => {
    const { json } = await desk.get('/openapi.json', null);
    const calls = (json.paths as Record<string, Record<string, Json>>)[PATH]!;
    expect(calls.get!.description).toContain('`mmp`');
    expect(calls.post!.summary).toBe('V1SetMMP, V1ResetMMP');
    expect(calls.post!.description).toContain('`mmp-write`');
  });
});
