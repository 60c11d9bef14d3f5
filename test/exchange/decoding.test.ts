import { expect, test } from 'vitest';
import {
  decodeAcknowledgement,
  decodeErrorBody,
  decodeErrorNotice,
  decodeLastPrice,
  decodeLogin,
  decodeMarket,
  decodeOrder,
  decodePage,
  decodePhase,
  decodeTrade,
  HTTP_ERRORS,
  parseExactJson,
  STATUS_REASONS,
  statusReasonName,
  statusReasonText,
} from '../../src/exchange/mod.ts';

const ORDER = {
  status: 'OPEN',
  createdAtTimestamp: '1751893427971',
  publishedAtTimestamp: '1751893427975',
  quantityFilled: '0.00000000',
  handle: null,
  clientOrderId: '77',
  quantity: '0.10000000',
  side: 'BUY',
  isLiquidation: false,
  borrowedQuoteQuantity: '3.5',
  timeInForce: 'GTC',
  price: '0.0000000',
  statusReason: 'Order accepted',
  type: 'MKT',
  statusReasonCode: 6014,
  orderId: '862317981870850049',
  symbol: 'ETHUSDT',
  averageFillPrice: null,
};

test('an order is read from a stream frame, reason code as text, whichever name our reference has', () => {
  const order = decodeOrder(ORDER, '111000000000001');
  expect(order).toMatchObject({
    tradingAccountId: '111000000000001',
    orderId: '862317981870850049',
    clientOrderId: '77',
    statusReasonCode: '6014',
    borrowedQuantity: '3.5',
    createdAt: 1751893427971,
    publishedAt: 1751893427975,
  });
  expect(decodeOrder({ ...ORDER, clientOrderId: undefined, handle: '78' }, 'x')?.clientOrderId).toBe('78');
  expect(decodeOrder({ ...ORDER, tradingAccountId: '222' }, 'x')?.tradingAccountId).toBe('222');
});

test('a time is read as milliseconds, as digits, or as text in UTC; where it is none, as unknown', () => {
  const at = Date.UTC(2026, 0, 5, 13, 3, 47, 971);
  const createdAt = (createdAtTimestamp: unknown, createdAtDatetime: unknown): number | undefined =>
    decodeOrder({ ...ORDER, createdAtTimestamp, createdAtDatetime }, 'x')?.createdAt;
  expect(createdAt(at, null)).toBe(at);
  expect(createdAt(String(at), null)).toBe(at);
  expect(createdAt(null, '2026-01-05T13:03:47.971Z')).toBe(at);
  expect(createdAt('', '2026-01-05T13:03:47.971+00:00')).toBe(at);
  expect(createdAt('noon', '2026-01-05T13:03:47.971+01:00')).toBe(0);
  expect(createdAt(-1, null)).toBe(0);
});

test('refuses to read an order without fields that money depends on', () => {
  for (const field of ['orderId', 'symbol', 'side', 'quantity', 'status']) {
    expect(decodeOrder({ ...ORDER, [field]: undefined }, 'x'), field).toBeNull();
  }
  expect(decodeOrder({ ...ORDER, quantityFilled: '1e' }, 'x')).toBeNull();
  expect(decodeOrder({ ...ORDER, status: 'HALF_OPEN' }, 'x')).toBeNull();
  expect(decodeOrder(ORDER, null)).toBeNull();
  for (const bad of [null, 1, 'x', [], [ORDER]]) expect(decodeOrder(bad, 'x')).toBeNull();
});

const TRADE = { tradeId: '9', orderId: '8', symbol: 'ETHUSDT', side: 'SELL', price: '2536.01', quantity: '0.1' };

test('refuses to read a trade without fields that money depends on', () => {
  expect(decodeTrade(TRADE, 'x')).toMatchObject({ ...TRADE, tradingAccountId: 'x', createdAt: 0 });
  for (const field of Object.keys(TRADE)) {
    expect(decodeTrade({ ...TRADE, [field]: undefined }, 'x'), field).toBeNull();
  }
  for (const broken of [{ side: 'BOTH' }, { price: 'much' }, { quantity: '1e' }, { tradeId: 2 ** 60 }]) {
    expect(decodeTrade({ ...TRADE, ...broken }, 'x'), JSON.stringify(broken)).toBeNull();
  }
  expect(decodeTrade(TRADE, null)).toBeNull();
});

test('O3 reads each fee of a trade from its own field, and invents none', () => {
  const whole = {
    ...TRADE,
    quoteAmount: '253.601',
    baseFee: '0.0001',
    quoteFee: '0.2536',
    isTaker: true,
    tradeRebateAmount: '0.01',
    tradeRebateAssetSymbol: 'USDT',
    auctionId: '55',
    otcTradeId: '66',
  };
  expect(decodeTrade({ ...whole, clientOrderId: '77' }, 'x')).toMatchObject({ ...whole, clientOrderId: '77' });
  expect(decodeTrade({ ...whole, handle: '78' }, 'x')?.clientOrderId).toBe('78');
  expect(decodeTrade({ ...whole, tradingAccountId: '222' }, 'x')?.tradingAccountId).toBe('222');
  const times = { createdAtDatetime: '2026-01-05T13:03:47.971Z', publishedAtTimestamp: '1751893427975' };
  const at = Date.UTC(2026, 0, 5, 13, 3, 47, 971);
  expect(decodeTrade({ ...TRADE, ...times }, 'x')).toMatchObject({ createdAt: at, publishedAt: 1751893427975 });
  const unsaid = { baseFee: null, quoteFee: null, isTaker: null, tradeRebateAmount: null, auctionId: null };
  expect(decodeTrade(TRADE, 'x')).toMatchObject({ ...unsaid, clientOrderId: null, publishedAt: null });
});

test('recognises an order that the exchange forces on an account, and its loan by side', () => {
  expect(decodeOrder({ ...ORDER, isLiquidation: true }, 'x')?.isLiquidation).toBe(true);
  expect(decodeOrder({ ...ORDER, isLiquidation: undefined }, 'x')?.isLiquidation).toBe(false);
  const borrowed = { borrowedBaseQuantity: '1', borrowedQuoteQuantity: '2' };
  expect(decodeOrder({ ...ORDER, ...borrowed, side: 'SELL' }, 'x')?.borrowedQuantity).toBe('1');
});

test('reads nothing from non-objects, without an error', () => {
  for (const nonsense of [null, undefined, 5, 'order', true, [ORDER]]) {
    for (const decode of [decodeOrder, decodeTrade, decodeErrorNotice]) expect(decode(nonsense, 'x')).toBeNull();
    for (const decode of [decodePhase, decodeMarket, decodeLogin, decodeErrorBody, decodeAcknowledgement]) {
      expect(decode(nonsense)).toBeNull();
    }
  }
});

test('no digit of a 19-digit id or of a price sent as a number is lost', () => {
  const text =
    '{"tradeId":9223372036854775807,"orderId":"5","symbol":"B","side":"SELL","price":0.10000000000000000001,"quantity":1.50}';
  expect(decodeTrade(parseExactJson(text), 'x')).toMatchObject({
    tradeId: '9223372036854775807',
    price: '0.10000000000000000001',
    quantity: '1.50',
  });
  // The first of 16 digits that a double rounds.
  expect(parseExactJson('{"orderId":9007199254740993}')).toEqual({ orderId: '9007199254740993' });
  expect(parseExactJson('{"orderId":9007199254740993,"price":0.5}')).toMatchObject({ orderId: '9007199254740993' });
  expect(parseExactJson('{"a":')).toBeUndefined();
  expect(parseExactJson('{"a":12,"b":"1.5"}')).toEqual({ a: 12, b: '1.5' });
});

test('an auction phase is read from the stream and from REST, a missing flag as disabled', () => {
  const phase = decodePhase({
    auctionId: '397735387747975680',
    symbol: 'BTCUSDC',
    phase: 'LOCKDOWN',
    startTime: '2026-07-01T19:00:00.000Z',
    createAuctionOrderEnabled: true,
  });
  expect(phase).toMatchObject({
    eventType: 'AUCTION_LOCKDOWN',
    startTime: Date.UTC(2026, 6, 1, 19),
    createAuctionOrderEnabled: true,
    amendAuctionOrderEnabled: false,
    cancelAuctionOrderEnabled: false,
    message: null,
  });
  const flags = (enabled: object) => decodePhase({ auctionId: '1', symbol: 'B', phase: 'ACCUMULATION', ...enabled });
  expect(flags({ cancelAuctionOrderEnabled: true })).toMatchObject({
    eventType: 'AUCTION_STARTED',
    createAuctionOrderEnabled: false,
    amendAuctionOrderEnabled: false,
    cancelAuctionOrderEnabled: true,
  });
  expect(flags({ amendAuctionOrderEnabled: 'true' })?.amendAuctionOrderEnabled).toBe(true);
  expect(decodePhase({ auctionId: '1', symbol: 'B', phase: 'toString' })).toBeNull();
  const whole = { auctionId: '1', symbol: 'B', phase: 'CROSS' };
  expect(decodePhase({ ...whole, eventType: 'AUCTION_CROSS_POSTPONED' })?.eventType).toBe('AUCTION_CROSS_POSTPONED');
  expect(decodePhase({ ...whole, eventType: 'AUCTION_DANCED' })?.eventType).toBe('AUCTION_CROSS_COMPLETED');
  for (const field of Object.keys(whole)) expect(decodePhase({ ...whole, [field]: null }), field).toBeNull();
});

test('an error notice always has a message', () => {
  const notice = decodeErrorNotice({ handle: '9', errorCode: 3005, errorCodeName: 'INSUFFICIENT_BALANCE' }, 'x');
  expect(notice).toMatchObject({ clientOrderId: '9', errorCode: '3005', message: 'INSUFFICIENT_BALANCE' });
  expect(notice).toMatchObject({ tradingAccountId: 'x', orderId: null, requestId: null });
  const ids = { tradingAccountId: '222', orderId: '8', clientOrderId: '7', requestId: '633906221577404424' };
  expect(decodeErrorNotice({ ...ids, message: 'm' }, 'x')).toMatchObject(ids);
});

test('hides a login repeated by an error notice, also where it is cut off', () => {
  const login = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';
  const said = (message: string): string | undefined => decodeErrorNotice({ handle: '9', message }, 'x')?.message;
  expect(said(`The JWT ${login} has ended`)).toBe('The JWT [redacted] has ended');
  expect(said(`${'-'.repeat(450)} ${login}`)).not.toContain('eyJ');
});

test('separates acknowledgements, error bodies and pages from everything else', () => {
  expect(decodeAcknowledgement({ orderId: '1', requestId: 2, handle: '3' })).toEqual({
    orderId: '1',
    requestId: '2',
    clientOrderId: '3',
  });
  expect(decodeAcknowledgement({ orderId: '1', errorCode: 6105 })).toBeNull();
  // A brokered trade answers for each side, a withdrawal by its transaction.
  expect(decodeAcknowledgement({ maker: { requestId: '4' }, taker: {} })).toMatchObject({ requestId: '4' });
  expect(decodeAcknowledgement({ custodyTransactionId: '5' })).toMatchObject({ requestId: '5' });
  expect(decodeAcknowledgement([])).toBeNull();
  expect(decodeErrorBody({ type: 'HttpInvalidParameterException', message: 'm' })).toEqual({
    errorCode: null,
    errorCodeName: 'HttpInvalidParameterException',
    message: 'm',
  });
  expect(decodeErrorBody({})).toBeNull();
  expect(decodePage([1])).toEqual({ items: [1], next: null });
  expect(decodePage({ data: [1], links: { next: '/n' } })).toEqual({ items: [1], next: '/n' });
  expect(decodePage({})).toBeNull();
});

const MARKET = {
  symbol: 'BTC-USDC-PERP',
  marketType: 'PERPETUAL',
  underlyingBaseSymbol: 'BTC',
  tickSize: '0.1000',
  pricePrecision: 4,
  quantityPrecision: 8,
  minQuantityLimit: '0.00010000',
  maxQuantityLimit: '100.00000000',
  orderTypes: ['LMT'],
  marketEnabled: true,
};

test('a market without tick size or limits is not tradable and not read', () => {
  const market = MARKET;
  expect(decodeMarket(market)).toMatchObject({ baseSymbol: 'BTC', tickSize: '0.1000', createOrderEnabled: false });
  expect(decodeMarket({ ...market, marketEnabled: undefined })?.marketEnabled).toBe(false);
  expect(decodeMarket({ ...market, tickSize: undefined })).toBeNull();
  expect(decodeMarket({ ...market, maxQuantityLimit: null })).toBeNull();
  // No address could be made of it.
  expect(decodeMarket({ ...market, symbol: 'BTC-\ud800' })).toBeNull();
  for (const field of ['symbol', 'minQuantityLimit', 'pricePrecision', 'quantityPrecision']) {
    expect(decodeMarket({ ...market, [field]: undefined }), field).toBeNull();
  }
  for (const precision of ['many', -1, '1.5', 100]) {
    expect(decodeMarket({ ...market, pricePrecision: precision }), String(precision)).toBeNull();
    expect(decodeMarket({ ...market, quantityPrecision: precision }), String(precision)).toBeNull();
  }
  expect(decodeMarket({ ...market, marketType: 'LOTTERY' })).toBeNull();
});

test('the contract multiplier of a market is read where it is one', () => {
  const read = (contractMultiplier: unknown) => decodeMarket({ ...MARKET, contractMultiplier })?.contractMultiplier;
  expect([read(10), read('0.1'), read(1)]).toEqual(['10', '0.1', '1']);
  for (const none of [undefined, null, 0, '-1', 'many']) expect(read(none)).toBeUndefined();
});

test('O12 weighs limits with the last trade, before any with the mark price, and never zero', () => {
  const price = (tick: object) => decodeLastPrice(tick)?.price;
  expect(price({ last: '101', close: '102', markPrice: '103' })).toBe('101');
  expect(price({ last: '0.0', close: '102', markPrice: '103' })).toBe('102');
  expect(price({ last: null, close: '0', markPrice: '103' })).toBe('103');
  expect(decodeLastPrice({ symbol: 'B', last: '0', markPrice: '0' })).toBeNull();
});

test('status reasons and HTTP errors are two tables: 6023 means two things', () => {
  expect(statusReasonText('6023')).toContain('margin');
  expect(HTTP_ERRORS['6023']?.name).toBe('ORDER_SIZE_OUTSIDE_VALID_RANGE');
  expect(statusReasonName('3005')).toBe('INSUFFICIENT_BALANCE');
  expect(statusReasonText('0')).toBeNull();
  const codes = Object.values(STATUS_REASONS).flatMap((area) => Object.keys(area));
  expect(new Set(codes).size).toBe(codes.length);
});

test('a time of day inside a text changes nothing, and numbers keep all digits', () => {
  const text = '{"at":"2026-01-05T13:03:47.971Z","price" : 1.50,"ids":[12345678901234567,2.5],"n":6014}';
  expect(parseExactJson(text)).toEqual({
    at: '2026-01-05T13:03:47.971Z',
    price: '1.50',
    ids: ['12345678901234567', '2.5'],
    n: 6014,
  });
});

test('a login answer is read with a token that a header and a cookie can carry, and with no other', () => {
  expect(decodeLogin({ authorizer: '03E0', token: 'eyJhbGciOi.J9-_.x' })).toEqual({
    authorizer: '03E0',
    token: 'eyJhbGciOi.J9-_.x',
  });
  for (const token of ['', 'a b', 'a\nb', 'a;b', 'ä', 'a\u2028', 'x'.repeat(16_385), null]) {
    expect(decodeLogin({ authorizer: '03E0', token })).toBeNull();
  }
});

test('takes an overlong id as none: a frame without it is unreadable, an answer names nothing', () => {
  const long = '9'.repeat(256);
  expect(decodeOrder({ ...ORDER, orderId: long }, '111000000000001')).toBeNull();
  expect(decodeOrder({ ...ORDER, orderId: long.slice(1), clientOrderId: long }, '111000000000001')).toMatchObject({
    orderId: long.slice(1),
    clientOrderId: null,
  });
  expect(decodeAcknowledgement({ orderId: long, clientOrderId: '7', requestId: long })).toEqual({
    orderId: null,
    clientOrderId: '7',
    requestId: null,
  });
});

test('reads an amount with an exponent exactly, as number and as text', () => {
  const read = (amount: string): string | null =>
    decodeTrade(
      parseExactJson(`{"tradeId":"1","orderId":"2","symbol":"B","side":"BUY","price":${amount},"quantity":"1"}`),
      '3',
    )?.price ?? null;
  for (const [written, plain] of [
    ['1E-8', '0.00000001'],
    ['0E-8', '0.00000000'],
    ['1.25e3', '1250'],
    ['12.5E+2', '1250'],
    ['123456789.123456789E-3', '123456.789123456789'],
    ['5e0', '5'],
    ['0.5E1', '5'],
  ] as const) {
    expect([written, read(written), read(`"${written}"`)]).toEqual([written, plain, plain]);
  }
  for (const none of ['"1E"', '"E5"', '"1E5.5"', '"1E999"', '"1E-61"', '1e400', '"0x1E5"', '"1E5 "']) {
    expect([none, read(none)]).toEqual([none, null]);
  }
});
