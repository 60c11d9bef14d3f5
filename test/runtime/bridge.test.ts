// The bridge as the engine joins it to the exchange's streams.

import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../src/runtime/mod.ts';
import { liquidity } from '../bridge/desk.ts';
import { limitBuy } from '../exchange-client/venue.ts';
import { ACCOUNT, eventually, GATEWAY, runningGateway } from '../ops/running-gateway.ts';
import { Stream } from '../simulator/exchange-caller.ts';

const TOKEN = 'bridge-token-of-the-tests-0001';

/** A gateway with one bridge caller of these functions. */
function bridged(functions: string) {
  const bridge = `bridge:
  enabled: true
  port: 0
  callers: [{ name: screen, token: "env:SCREEN", tradingAccounts: ["${ACCOUNT}"], functions: [${functions}] }]
`;
  return runningGateway({ 'gateway.yaml': `${GATEWAY}${bridge}` }, { SCREEN: TOKEN });
}

async function listener(engine: Engine): Promise<Stream> {
  const url = engine.bridge!.url.replace('http', 'ws');
  const stream = await Stream.open(`${url}/trading-api/v1/private-data`, { authorization: `Bearer ${TOKEN}` });
  onTestFinished(() => stream.close());
  return stream;
}

test('a bridge caller with auctions receives them, independent of the private stream', async () => {
  const { engine } = await bridged('auctions');
  const url = engine.bridge!.url.replace('http', 'ws');
  await eventually('the auction stream', () => engine.feeds.isLive('primary', 'auction'));
  const stream = await Stream.open(`${url}/trading-api/v1/market-data/auction`, { authorization: `Bearer ${TOKEN}` });
  onTestFinished(() => stream.close());
  await stream.subscribe({ topic: 'phase', symbol: 'BTCUSDC' });
  const update = await stream.find(({ type }) => type === 'update');
  expect(update).toMatchObject({ dataType: 'V1TAAuctionPhase', data: { symbol: 'BTCUSDC' } });
});

test('shows later listeners nothing of a connection that was never live', async () => {
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

test('a private topic that the exchange refuses to the gateway is refused to the listener that asks for it', async () => {
  const { engine } = await bridged('stream');
  await eventually('the private stream', () => engine.feeds.isLive('primary', 'private'));
  engine.simulator!.control.armSubscription({ what: 'refused', topic: 'mmpTrigger', subject: ACCOUNT });
  const stream = await listener(engine);
  await stream.subscribe({ topic: 'mmpTrigger', tradingAccountId: ACCOUNT });
  const refusal = await stream.find((frame) => 'error' in frame);
  expect(JSON.stringify(refusal)).toContain(`The exchange refuses 'mmpTrigger' of ${ACCOUNT}`);
  // The orders' stream stays, and so does the listener.
  expect(engine.feeds.isLive('primary', 'private')).toBe(true);
});

test('B4 follows topics beyond orders only while someone listens', async () => {
  const { engine } = await bridged('stream');
  await eventually('the private stream', () => engine.feeds.isLive('primary', 'private'));
  const heard: string[] = [];
  const client = engine.exchangeClients.get('primary')!;
  const { onFrame } = client;
  client.onFrame = (feed, frame) => {
    if (feed === 'private') heard.push(frame.dataType);
    onFrame(feed, frame);
  };
  const balances = (): number => heard.filter((dataType) => dataType === 'V1TAAssetAccount').length;
  const trade = async (clientOrderId: string): Promise<void> => {
    const before = heard.length;
    await client.submit(clientOrderId, limitBuy(clientOrderId));
    await eventually('its order', () => heard.slice(before).includes('V1TAOrder'));
  };
  await trade('1');
  expect(balances()).toBe(0);
  const [first, second] = [await listener(engine), await listener(engine)];
  await first.subscribe({ topic: 'assetAccounts', tradingAccountId: ACCOUNT });
  const snapshot = await first.find(({ type }) => type === 'snapshot');
  expect(snapshot).toMatchObject({ dataType: 'V1TAAssetAccount', tradingAccountId: ACCOUNT });
  // A second one begins with what is kept, and the exchange is not asked again.
  const once = balances();
  await second.subscribe({ topic: 'assetAccounts', tradingAccountId: ACCOUNT });
  expect((await second.find(({ type }) => type === 'snapshot')).data).toEqual(snapshot.data);
  expect(balances()).toBe(once);
  await trade('2');
  await first.find(({ type }) => type === 'update');
  first.close();
  await trade('3');
  await second.find(({ type }) => type === 'update');
  second.close();
  await eventually(
    'that nothing is kept of it',
    () => engine.feeds.snapshotText('primary', 'private', 'assetAccounts', ACCOUNT) === null,
  );
  // The exchange's frames before it has heard of that are dropped.
  let before = -1;
  for (let i = 4; balances() !== before; i++) {
    before = balances();
    await trade(String(i));
  }
  expect(engine.feeds.snapshotText('primary', 'private', 'assetAccounts', ACCOUNT)).toBeNull();
});

test("O12 an account's kill switch stops risk over the bridge too, but nothing that ends it", async () => {
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
