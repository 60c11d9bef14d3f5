// The durable form of an order: what is written is what is read, field by field.

import { expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import { SharedParts } from '../../../src/gateway/book/interning.ts';
import { addTrade, hasTrade, newOrder, type Order } from '../../../src/gateway/book/order.ts';
import { decodeRecord, encodeOrder, encodeRecord } from '../../../src/gateway/book/order-record.ts';
import { AT_REST } from '../../../src/gateway/book/order-runtime.ts';
import { remember, timelineOf } from '../../../src/gateway/book/order-timeline.ts';
import { Desk } from '../desk.ts';

const awkward = 'a"b\\c|d é\u2028';

const order: Order = {
  sessionId: 'FIX.4.4:XG->OMS',
  receivedAt: 1_767_614_400_123,
  tradingAccountId: '111000000000001',
  credential: 'main',
  echo: {
    account: awkward,
    senderSubID: awkward,
    onBehalfOfCompID: awkward,
    onBehalfOfSubID: awkward,
    fields: [
      [453, '1'],
      [448, awkward],
    ],
  },
  terms: {
    symbol: awkward,
    exchangeSymbol: 'BTCUSDC',
    side: '2',
    ordType: '4',
    execInst: null,
    timeInForce: null,
    exchangeTimeInForce: 'GTC',
    price: Decimal.of('100.10'),
    stopPx: Decimal.of('99.9'),
    orderQty: Decimal.of('2.000'),
    cashMargin: '2',
    mmp: false,
  },
  clOrdID: awkward,
  origClOrdID: 'o-1',
  clOrdIDs: ['o-1', awkward],
  reference: '7',
  references: ['6', '7'],
  exchangeOrderId: '832910066626069505',
  chainOrderId: '832910066626069500',
  earlierLegs: ['832910066626069500'],
  filledBefore: Decimal.of('0.25'),
  legQty: Decimal.of('1.5'),
  legAt: 1_700_000_000_000,
  state: '1',
  stage: 'live',
  pendingNewReported: true,
  triggered: true,
  cumQty: Decimal.of('0.5'),
  grossAmt: Decimal.of('50.05'),
  tradeIds: ['7001', '7002'],
  tradesRecorded: 0,
  exchangeFilled: Decimal.of('0.75'),
  end: { execType: '4', reasonCode: '6005', text: awkward, unsolicited: false },
  requests: [
    {
      kind: 'replace',
      number: 3,
      clOrdID: awkward,
      senderSubID: null,
      massActionReportID: null,
      asker: { sessionId: 'FIX.4.4:XG->RISK', origClOrdID: awkward, onBehalfOfCompID: null },
      stage: 'unknown',
      requestId: '88',
      acknowledgedAt: 6,
      askedAt: 5,
      price: Decimal.of('101'),
      orderQty: null,
      ordType: 'p',
      reference: '8',
      swap: { leg: 'create', createNumber: 4, stopPx: Decimal.of('99.5') },
    },
  ],
  requestCount: 3,
  cancelWanted: 'disconnect',
  restatements: 1,
  absent: false,
  auctionId: 'A-1',
  borrowedQty: '1.5',
  publishedAt: 12,
  lastText: awkward,
  ordRejReason: null,
  timeline: '',
  run: AT_REST,
  seenRound: -1,
};
remember(order, order.receivedAt + 1, awkward);
remember(order, order.receivedAt + 4_000_000_000, 'x');

test('an order comes back from its record as it was written, and again after an amendment', () => {
  const read = decodeRecord(encodeOrder(order));
  expect(read).toEqual({ kind: 'order', order: { ...order, run: AT_REST } });
  const amended = { ...order, terms: { ...order.terms, price: Decimal.of('102') } };
  expect(decodeRecord(encodeOrder(amended))).toEqual({ kind: 'order', order: { ...amended, run: AT_REST } });
});

test.each(['54="', '40=\\', '54=1"},"x":{"a":"'])(
  'U4 recovers the record of a D refused for %s, also without message validation',
  (field) => {
    const tag = field.slice(0, 2);
    const others = ['1=ACC1', '55=BTCUSDC', '54=1', '38=1', '40=2', '44=100'].filter((one) => !one.startsWith(tag));
    const desk = new Desk();
    desk.oms(`35=D|11=o-1|${others.join('|')}|${field}|`);
    const [record] = [...desk.records.values()];
    const read = decodeRecord(record!);
    expect(read).toMatchObject({ kind: 'order', order: { clOrdID: 'o-1', state: '8' } });
  },
);

test('an order with its beginning only comes back unchanged, with shared parts held once', () => {
  const { sessionId, receivedAt, tradingAccountId, credential, echo, terms } = order;
  const shared = { sessionId, receivedAt, tradingAccountId, credential, echo, terms };
  const names = { clOrdID: 'o', clOrdIDs: 'o', reference: '7', references: '7', exchangeOrderId: null };
  const beginning = newOrder({ ...shared, ...names, stage: 'submitted', auctionId: null });
  const parts = new SharedParts();
  const texts = [encodeOrder(beginning), encodeOrder(order)];
  const [first, second] = texts.map((text) => decodeRecord(text, parts));
  if (first?.kind !== 'order' || second?.kind !== 'order') throw new Error('no orders');
  expect(first.order).toEqual({ ...beginning, run: AT_REST });
  expect(first.order.echo).toBe(second.order.echo);
});

test('a record of an earlier version, with its timeline as a list and without later fields, is read', () => {
  const { timeline: _timeline, cancelWanted: _c, borrowedQty: _b, ...rest } = JSON.parse(encodeOrder(order));
  const was = [
    [order.receivedAt + 1, 'D'],
    [order.receivedAt + 5, '150=0'],
  ];
  const read = decodeRecord(JSON.stringify({ ...rest, key: 'k', timeline: was }));
  if (read?.kind !== 'order') throw new Error('no order');
  expect(timelineOf(read.order)).toEqual(was);
  expect(read.order).toMatchObject({ cancelWanted: null, borrowedQty: null, clOrdIDs: order.clOrdIDs });
});

test('a record of version 1, in which nothing is left out, is read as the same order', () => {
  const { sessionId, receivedAt, tradingAccountId, credential } = order;
  const none = { senderSubID: null, onBehalfOfCompID: null };
  const terms = {
    symbol: 'BTC-USDC',
    exchangeSymbol: 'BTCUSDC',
    side: '1',
    ordType: '2',
    execInst: null,
    timeInForce: '1',
    exchangeTimeInForce: 'GTC',
    cashMargin: null,
    mmp: null,
  } as const;
  const amounts = { price: '100.5', stopPx: null, orderQty: '2' };
  const first = {
    ...{ v: 1, kind: 'order', key: `${sessionId}|o`, sessionId, receivedAt, tradingAccountId, credential },
    ...{ echo: { account: 'A', ...none, fields: [] }, terms: { ...terms, ...amounts } },
    ...{ clOrdID: 'o', origClOrdID: null, clOrdIDs: ['o'], reference: '7', references: ['7'] },
    ...{ exchangeOrderId: '9', state: '0', stage: 'live', pendingNewReported: false, triggered: false },
    ...{ cumQty: '0', grossAmt: '0', exchangeFilled: '0', end: null, requests: [], requestCount: 0 },
    ...{ cancelWanted: null, restatements: 0, absent: false, auctionId: null, borrowedQty: null, publishedAt: 12 },
    ...{ lastText: null, ordRejReason: null, timeline: '1 D', tradeIds: [] },
  };
  const read = decodeRecord(JSON.stringify(first));
  const names = { clOrdID: 'o', clOrdIDs: 'o', reference: '7', references: '7', exchangeOrderId: '9' };
  const echo = { account: 'A', ...none, onBehalfOfSubID: null, fields: [] };
  const parsed = { ...terms, price: Decimal.of('100.5'), stopPx: null, orderQty: Decimal.of('2') };
  const shared = { sessionId, receivedAt, tradingAccountId, credential, echo, terms: parsed };
  const resting = newOrder({ ...shared, ...names, stage: 'live', auctionId: null });
  resting.state = '0';
  resting.publishedAt = 12;
  resting.timeline = '1 D';
  expect(read).toEqual({ kind: 'order', order: { ...resting, run: AT_REST } });
  // And is written anew without what says nothing.
  const written = JSON.parse(encodeOrder(resting)) as Record<string, unknown>;
  const { terms: writtenTerms, echo: writtenEcho, ...rest } = written as Record<string, Record<string, unknown>>;
  expect([Object.keys(rest).sort(), Object.keys(writtenTerms!).sort(), writtenEcho]).toEqual([
    ['clOrdID', 'credential', 'exchangeOrderId', 'key', 'kind', 'publishedAt', 'receivedAt', 'reference', 'sessionId']
      .concat(['stage', 'state', 'timeline', 'tradingAccountId', 'v'])
      .sort(),
    ['exchangeSymbol', 'exchangeTimeInForce', 'ordType', 'orderQty', 'price', 'side', 'symbol', 'timeInForce'],
    { account: 'A' },
  ]);
});

test('the timeline of an order keeps its latest forty entries, each on one line', () => {
  const told = { receivedAt: 1_000, timeline: '' };
  remember(told, 900, 'two\r\nlines');
  expect(timelineOf(told)).toEqual([[900, 'two lines']]);
  for (let i = 1; i <= 45; i++) remember(told, 1_000 + i, `entry ${i}`);
  const kept = timelineOf(told);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([40, [1_006, 'entry 6'], [1_045, 'entry 45']]);
});

test.each([3, 40])('an order of %i fills has the same trades after its record was read', (count) => {
  const many = { ...order, tradeIds: null };
  for (let i = 0; i < count; i++) addTrade(many, `${i}`);
  const read = decodeRecord(encodeOrder(many));
  if (read?.kind !== 'order') throw new Error('no order');
  expect(hasTrade(read.order, `${count - 1}`)).toBe(true);
  expect(hasTrade(read.order, `${count}`)).toBe(false);
  expect([...(read.order.tradeIds ?? [])]).toHaveLength(count);
});

test('a mass cancel comes back from its record; a record of another version is not read', () => {
  const record = { kind: 'massCancel', key: 'k', sessionId: 's', clOrdID: 'q-1' } as const;
  expect(decodeRecord(encodeRecord(record))).toMatchObject(record);
  expect(decodeRecord('{"v":99,"kind":"order"}')).toBeNull();
});
