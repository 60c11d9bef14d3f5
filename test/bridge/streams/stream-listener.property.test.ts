// A listener with random requests, near valid ones and far from them, while the exchange sends frames. Each request is
// answered once, each frame reaches its subscribers and no one else, and after its end the listener hears nothing.

import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Caller } from '../../../src/bridge/access.ts';
import type { BridgeExchange } from '../../../src/bridge/port.ts';
import { Feeds } from '../../../src/bridge/streams/feeds.ts';
import { StreamListener } from '../../../src/bridge/streams/stream-listener.ts';
import { topicsOf } from '../../../src/bridge/streams/topics.ts';
import { changed, oneChange } from '../../support/random/changed-value.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: Record<string, unknown>[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  /** Its end is answered later, if at all. */
  close(): void {}
  terminate(): void {}
}

const ACCOUNTS = ['1', '2'];
const topic = fc.constantFrom(...topicsOf('private'));
const account = fc.constantFrom('1', '2');
const odd = fc.oneof(
  fc.constantFrom<unknown>('', '+', 'orders+', 'constructor', '__proto__', '3', 'x'.repeat(100), '\u0000', '\uD800'),
  fc.constantFrom<unknown>(null, true, 0, 1.5, 2 ** 53, [], {}, [null], { toString: null }),
  fc.jsonValue({ maxDepth: 2 }),
);
const request = fc.record({
  method: fc.constantFrom('subscribe', 'subscribe', 'subscribe', 'unsubscribe', 'keepalivePing'),
  params: fc.record(
    {
      topic: fc.oneof(
        topic,
        fc.array(topic, { minLength: 1, maxLength: 12 }).map((some) => some.join('+')),
      ),
      tradingAccountId: account,
      subscriptionId: fc.nat(20).map(String),
    },
    { requiredKeys: [] },
  ),
});
const sent = fc.tuple(request, fc.option(oneChange(odd), { freq: 1 }));
const step = fc.oneof(
  { weight: 18, arbitrary: sent.map(([asked, by]) => ({ kind: 'request' as const, asked, by })) },
  {
    weight: 18,
    arbitrary: fc.record({
      kind: fc.constant('said' as const),
      dataType: fc.constantFrom('V1TAOrder', 'V1TATrade'),
      account,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'lost' as const }) },
  { weight: 3, arbitrary: fc.oneof(fc.string(), fc.json()).map((text) => ({ kind: 'text' as const, text })) },
);

test('any request of a listener is answered once, and it receives its subscriptions only', () => {
  checkProperty(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const exchange = { markets: () => [] } as unknown as BridgeExchange;
      const token = { reference: 'env:T', read: () => 'x' };
      const of = { name: 'desk', token, credential: 'primary', tradingAccountIds: ACCOUNTS };
      const socket = new FakeSocket();
      const feeds = new Feeds();
      const caller = new Caller({ ...of, functions: ['stream'] }, exchange, 1);
      new StreamListener({
        socket: socket as unknown as WebSocket,
        caller,
        feed: 'private',
        feeds,
        tradingAccountId: null,
        symbol: null,
        bytesMax: 1_000_000,
        elapsedMs: () => 0,
        onDropped: () => {},
        log: () => {},
      });
      let isEnded = false;
      /** Subscriptions by topic and account, with the request each came from. */
      const wanted = new Map<string, string>();
      for (const [i, each] of steps.entries()) {
        const from = socket.sent.length;
        if (each.kind === 'lost') {
          feeds.setLive('primary', 'private', false);
          expect(caller.streams).toBe(0);
          isEnded = true;
          wanted.clear();
          continue;
        }
        if (each.kind === 'said') {
          const tradingAccountId = each.account;
          const data = { orderId: '1', tradeId: '1' };
          feeds.take('primary', 'private', { type: 'update', dataType: each.dataType, tradingAccountId, data });
          const name = `${each.dataType === 'V1TAOrder' ? 'orders' : 'trades'} ${tradingAccountId}`;
          expect(socket.sent.length - from, name).toBe(wanted.has(name) ? 1 : 0);
          continue;
        }
        const text = each.kind === 'text' ? each.text : JSON.stringify(changed({ ...each.asked, id: `${i}` }, each.by));
        socket.emit('message', Buffer.from(text), false);
        const answers = socket.sent.slice(from).filter(({ type }) => type !== 'snapshot');
        expect(answers.length, text).toBe(isEnded || text.trim() === '{}' ? 0 : 1);
        if (isEnded) continue;
        if (each.kind === 'request' && each.by === null) follow(wanted, each.asked, `${i}`);
        else if (each.kind === 'request' && answers[0]?.result !== undefined) return;
      }
    }),
    300,
  );
});

/** The effect of a valid request on the subscriptions. */
function follow(
  wanted: Map<string, string>,
  { method, params }: { readonly method: string; readonly params: Readonly<Record<string, string>> },
  id: string,
): void {
  const topics = (params.topic ?? '').split('+');
  const accounts = params.tradingAccountId === undefined ? ACCOUNTS : [params.tradingAccountId];
  const subjects = (name: string): string[] => (name === 'heartbeat' ? [''] : accounts);
  if (method === 'subscribe' && params.topic !== undefined) {
    for (const name of topics) {
      for (const subject of subjects(name)) {
        const key = `${name} ${subject}`;
        if (!wanted.has(key)) wanted.set(key, id);
      }
    }
  }
  if (method !== 'unsubscribe') return;
  for (const [key, by] of wanted) {
    const [name, subject] = key.split(' ');
    const isMeant =
      params.subscriptionId !== undefined
        ? params.subscriptionId === by
        : name === params.topic && (params.tradingAccountId === undefined || params.tradingAccountId === subject);
    if (isMeant) wanted.delete(key);
  }
}
