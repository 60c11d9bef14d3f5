// The bridge as the engine joins it to the exchange's streams.

import { expect, onTestFinished, test } from 'vitest';
import { liquidity } from '../bridge/desk.ts';
import { ACCOUNT, eventually, GATEWAY, runningGateway } from '../ops/running-gateway.ts';
import { Stream } from '../simulator/exchange-caller.ts';

const TOKEN = 'bridge-token-of-the-tests-0001';

/** A gateway whose bridge has one caller with these functions. */
function bridged(functions: string) {
  const bridge = `bridge:
  enabled: true
  port: 0
  callers: [{ name: screen, token: "env:SCREEN", tradingAccounts: ["${ACCOUNT}"], functions: [${functions}] }]
`;
  return runningGateway({ 'gateway.yaml': `${GATEWAY}${bridge}` }, { SCREEN: TOKEN });
}

test('a caller of the bridge who may follow auctions hears them, whether or not anybody may hear the private stream', async () => {
  const { engine } = await bridged('auctions');
  const url = engine.bridge!.url.replace('http', 'ws');
  await eventually('the auction stream', () => engine.feeds.isLive('primary', 'auction'));
  const stream = await Stream.open(`${url}/trading-api/v1/market-data/auction`, { authorization: `Bearer ${TOKEN}` });
  onTestFinished(() => stream.close());
  await stream.subscribe({ topic: 'phase', symbol: 'BTCUSDC' });
  const update = await stream.find(({ type }) => type === 'update');
  expect(update).toMatchObject({ dataType: 'V1TAAuctionPhase', data: { symbol: 'BTCUSDC' } });
});

test('what a connection of the exchange said that ended before it was live is shown to no listener of the next one', async () => {
  const { engine } = await bridged('stream');
  await eventually('the private stream', () => engine.feeds.isLive('primary', 'private'));
  const data = { instructionId: '77', status: 'OPEN', symbol: 'BTCUSDC' };
  engine.feeds.listen({
    credential: 'primary',
    feed: 'private',
    frame: () => {},
    // No snapshot replaces it, as of a topic that has none.
    refused: () => {},
    lost: () =>
      engine.feeds.take('primary', 'private', {
        type: 'update',
        dataType: 'V1TAAmmInstruction',
        tradingAccountId: '9',
        data,
      }),
  });
  engine.simulator!.control.cutStreams('private');
  await eventually('the loss of it', () => !engine.feeds.isLive('primary', 'private'));
  await eventually('the next one', () => engine.feeds.isLive('primary', 'private'));
  expect(engine.feeds.snapshot('primary', 'private', 'ammInstructions', '9')?.data).toEqual([]);
});

test('a private topic that the exchange refuses to the gateway is refused to the listeners of the bridge', async () => {
  const { engine } = await bridged('stream');
  const isLive = (): boolean => engine.feeds.isLive('primary', 'private');
  await eventually('the private stream', isLive);
  const { control } = engine.simulator!;
  control.armSubscription({ what: 'refused', topic: 'mmpTrigger', subject: ACCOUNT });
  control.cutStreams('private');
  await eventually('the loss of it', () => !isLive());
  await eventually('the next one', isLive);
  const url = engine.bridge!.url.replace('http', 'ws');
  const stream = await Stream.open(`${url}/trading-api/v1/private-data`, { authorization: `Bearer ${TOKEN}` });
  onTestFinished(() => stream.close());
  const answer = await stream.subscribe({ topic: 'mmpTrigger', tradingAccountId: ACCOUNT });
  expect(JSON.stringify(answer)).toContain(`The exchange refuses 'mmpTrigger' of ${ACCOUNT}`);
});

test('O12 a kill switch of the account stops what brings risk over the bridge too, and nothing that ends it', async () => {
  const { engine, ask } = await bridged('amm-write');
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const response = await fetch(engine.bridge!.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const { instructionId } = (await post('/trading-api/v2/amm-instructions', liquidity())).json;
  await ask('/api/kill-switches/throw', { scope: 'account', name: ACCOUNT, why: 'drill' });
  expect(await post('/trading-api/v2/amm-instructions', liquidity())).toMatchObject({
    status: 403,
    json: { code: 'kill-switch', detail: expect.stringContaining('kill switch of this account is on (drill)') },
  });
  const end = { commandType: 'V3TerminateAMMInstruction', instructionId, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
  expect((await post('/trading-api/v2/command', end)).status).toBe(200);
});
