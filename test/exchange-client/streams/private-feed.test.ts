// The private stream's frames for the bridge when the exchange repeats itself.

import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { PrivateFeed } from '../../../src/exchange-client/streams/private-feed.ts';
import type { StreamFrame } from '../../../src/exchange-client/streams/subscription.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT } from '../venue.ts';

let server: WebSocketServer | null = null;
let feed: PrivateFeed | null = null;
afterEach(async () => {
  feed?.close();
  for (const socket of server?.clients ?? []) socket.terminate();
  await new Promise((resolve) => server?.close(resolve));
});

const trade = (tradeId: string) => {
  return {
    tradeId,
    orderId: '9',
    symbol: 'BTCUSDC',
    side: 'BUY',
    price: '5',
    quantity: '1',
    createdAtTimestamp: 1_780_000_000_000,
  };
};
const frame = (data: unknown, type = 'update') => ({ type, dataType: 'V1TATrade', tradingAccountId: ACCOUNT, data });
const END = { type: 'update', dataType: 'V1TAHeartbeat', tradingAccountId: null, data: {} };

test('O2 passes listeners the new fills of a frame, none of a known one, and snapshots whole', async () => {
  const frames = [
    frame([], 'snapshot'),
    frame(trade('1')),
    frame([trade('2'), trade('1')]),
    frame(trade('2')),
    frame([trade('1')]),
    frame([trade('3'), trade('2')], 'snapshot'),
  ];
  const listening = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server = listening;
  listening.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, params } = JSON.parse(String(text)) as { id: string; params: Record<string, string> };
      socket.send(JSON.stringify({ id, result: { responseCode: '200', message: 'OK' } }));
      if (params.topic !== 'heartbeat') return;
      for (const one of [...frames, END]) socket.send(JSON.stringify(one));
    });
  });
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as { port: number };
  const options = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, [ACCOUNT]),
    log: () => {},
    onAlarm: () => {},
    onNonceCeiling: () => {},
  });
  const fills: string[] = [];
  const passedOn: StreamFrame[] = [];
  const login = { current: { token: 't', authorizer: 'a' } } as unknown as ExchangeLogin;
  await new Promise<void>((resolve) => {
    feed = new PrivateFeed({
      options,
      login,
      onEvent: (event) => void (event.kind === 'trade' && fills.push(event.trade.tradeId)),
      onFrame: (one) => (one.dataType === END.dataType ? resolve() : void passedOn.push(one)),
    });
    feed.open();
  });
  expect(fills).toEqual(['1', '2', '3']);
  expect(passedOn).toEqual([frames[0], frames[1], frame([trade('2')]), frames[5]]);
});

test('reports a refused topic beyond orders, and blocks nothing for it', async () => {
  const listening = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server = listening;
  listening.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, params } = JSON.parse(String(text)) as { id: string; params: Record<string, string> };
      const { topic, tradingAccountId } = params;
      if (topic === 'mmpTrigger') socket.send(JSON.stringify({ id, error: { errorCodeName: 'no such topic' } }));
      else socket.send(JSON.stringify({ id, result: { responseCode: '200', message: 'OK' } }));
      const dataType = { orders: 'V1TAOrder', trades: 'V1TATrade' }[topic ?? ''];
      if (dataType !== undefined)
        socket.send(JSON.stringify({ type: 'snapshot', dataType, tradingAccountId, data: [] }));
    });
  });
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as { port: number };
  const options = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, [ACCOUNT]),
    log: () => {},
    onAlarm: () => {},
    onNonceCeiling: () => {},
  });
  const refused: unknown[] = [];
  const login = { current: { token: 't', authorizer: 'a' } } as unknown as ExchangeLogin;
  await new Promise<void>((resolve) => {
    feed = new PrivateFeed({
      options,
      login,
      onEvent: (event) => event.kind === 'feed' && event.live && resolve(),
      onFrame: () => {},
      onRefused: (subscription) => refused.push(subscription),
    });
    feed.follow('mmpTrigger', ACCOUNT);
    feed.open();
  });
  expect(refused).toEqual([{ topic: 'mmpTrigger', tradingAccountId: ACCOUNT }]);
});
