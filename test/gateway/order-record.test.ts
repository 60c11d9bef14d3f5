// The durable form of an order: what is written is what is read, field by field.

import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { newRun, type Order } from '../../src/gateway/order.ts';
import { decodeRecord, encodeOrder, encodeRecord } from '../../src/gateway/order-record.ts';

const awkward = 'a"b\\c|d é\u2028';

const order: Order = {
  key: `FIX.4.4:XG->OMS|${awkward}`,
  sessionId: 'FIX.4.4:XG->OMS',
  receivedAt: 1_767_614_400_123,
  tradingAccountId: '111000000000001',
  credential: 'main',
  echo: {
    account: awkward,
    senderSubID: awkward,
    onBehalfOfCompID: null,
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
  state: '1',
  stage: 'live',
  pendingNewReported: true,
  triggered: true,
  cumQty: Decimal.of('0.5'),
  grossAmt: Decimal.of('50.05'),
  tradeIds: new Set(['7001', '7002']),
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
  timeline: [
    [1, awkward],
    [2, 'x'],
  ],
  run: newRun(),
};

test('an order comes back from its record as it was written, and again after an amendment', () => {
  const read = decodeRecord(encodeOrder(order));
  expect(read).toEqual({ kind: 'order', order: { ...order, run: newRun() } });
  const amended = { ...order, terms: { ...order.terms, price: Decimal.of('102') } };
  expect(decodeRecord(encodeOrder(amended))).toEqual({ kind: 'order', order: { ...amended, run: newRun() } });
});

test('a mass cancel comes back from its record; a record of another version is not read', () => {
  const record = { kind: 'massCancel', key: 'k', sessionId: 's', clOrdID: 'q-1' } as const;
  expect(decodeRecord(encodeRecord(record))).toMatchObject(record);
  expect(decodeRecord('{"v":99,"kind":"order"}')).toBeNull();
});
