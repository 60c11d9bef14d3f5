// Continuous trading of the simulated exchange: order types, times in force, refusals, amendments, balances.

import { describe, expect, test } from 'vitest';
import { defaultWorld } from '../../../src/simulator/world/default-world.ts';
import { A, B, START, VenueDesk } from '../venue-desk.ts';

describe('limit orders', () => {
  test('an order is accepted (6014), then open (6001)', () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1');
    expect(desk.reasons(id)).toEqual([6014, 6001]);
    expect(desk.state(id)).toBe('OPEN 6001 0/1');
  });

  test('the better price trades first, then the earlier order', () => {
    const desk = new VenueDesk();
    const late = desk.place('SELL', '1', { price: '60001' });
    const first = desk.place('SELL', '1', { price: '60000' });
    const second = desk.place('SELL', '1', { price: '60000' });
    const buy = desk.place('BUY', '2.5', { account: B, price: '60001' });
    expect(desk.fills(buy)).toEqual(['1@60000', '1@60000', '0.5@60001']);
    expect(desk.state(first)).toBe('CLOSED 6002 1/1');
    expect(desk.state(second)).toBe('CLOSED 6002 1/1');
    expect(desk.state(late)).toBe('OPEN 6013 0.5/1');
    expect(desk.state(buy)).toBe('CLOSED 6002 2.5/2.5');
  });

  test('reports each fill as trade first, then order', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1');
    desk.events.length = 0;
    desk.place('BUY', '0.4', { account: B });
    const told = desk.events.filter(({ kind }) => kind === 'order' || kind === 'trade').map(({ kind }) => kind);
    expect(told).toEqual(['order', 'trade', 'trade', 'order', 'order']);
  });

  test('IOC rest expires (6004)', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '0.3');
    const buy = desk.place('BUY', '1', { account: B, timeInForce: 'IOC' });
    expect(desk.state(buy)).toBe('CLOSED 6004 0.3/1');
  });

  test('FOK trades wholly or not at all', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1');
    const tooMuch = desk.place('BUY', '1.1', { account: B, timeInForce: 'FOK' });
    expect(desk.state(tooMuch)).toBe('CLOSED 6004 0/1.1');
    const enough = desk.place('BUY', '1', { account: B, timeInForce: 'FOK' });
    expect(desk.state(enough)).toBe('CLOSED 6002 1/1');
  });

  test('a market order takes the available quantity; its rest expires', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1', { price: '60000' });
    desk.place('SELL', '1', { price: '60100' });
    const buy = desk.place('BUY', '3', { account: B, price: null });
    expect(desk.fills(buy)).toEqual(['1@60000', '1@60100']);
    expect(desk.state(buy)).toBe('CLOSED 6004 2/3');
  });

  test('a post-only order that would take is rejected (3064), with the error notice before it', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1');
    desk.events.length = 0;
    const buy = desk.place('BUY', '1', { account: B, type: 'POST_ONLY' });
    expect(desk.state(buy)).toBe('REJECTED 3064 0/1');
    expect(desk.events.map(({ kind }) => kind).slice(0, 2)).toEqual(['notice', 'order']);
  });

  test('orders of one customer do not trade with each other (6007)', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1');
    const buy = desk.place('BUY', '1', { account: '111000000000002' });
    expect(desk.state(buy)).toBe('CANCELLED 6007 0/1');
  });

  test('an amendment that would trade with an order of the same customer ends it (6011)', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1', { price: '60010' });
    const buy = desk.place('BUY', '1', { account: '111000000000002', price: '60000' });
    const { price } = desk.command('BUY', '1', { price: '60010' });
    const named = { requestId: '1', tradingAccountId: '111000000000002', symbol: 'BTCUSDC', clientOrderId: null };
    desk.handle({ kind: 'amend', ...named, orderId: buy, type: null, price, quantity: null });
    expect(desk.state(buy)).toBe('CANCELLED 6011 0/1');
  });

  test('spot orders and margin orders can be disabled each (6046, 6045)', () => {
    const desk = new VenueDesk();
    desk.handle({ kind: 'setMarket', symbol: 'BTCUSDC', flags: { spotTradingEnabled: false } });
    expect(desk.state(desk.place('BUY', '1'))).toBe('REJECTED 6046 0/1');
    expect(desk.state(desk.place('BUY', '1', { allowBorrow: true }))).toBe('OPEN 6001 0/1');
    desk.handle({
      kind: 'setMarket',
      symbol: 'BTCUSDC',
      flags: { spotTradingEnabled: true, marginTradingEnabled: false },
    });
    expect(desk.state(desk.place('BUY', '1'))).toBe('OPEN 6001 0/1');
    expect(desk.state(desk.place('BUY', '1', { allowBorrow: true }))).toBe('REJECTED 6045 0/1');
  });

  test('a price far from the last one is rejected on the stream (3031)', () => {
    const desk = new VenueDesk();
    expect(desk.state(desk.place('BUY', '1', { price: '1000' }))).toBe('REJECTED 3031 0/1');
  });

  test('a reference that is known already is rejected (3023) and keeps naming the first order', () => {
    const desk = new VenueDesk();
    const first = desk.place('BUY', '1', { clientOrderId: '7' });
    const second = desk.place('BUY', '1', { clientOrderId: '7' });
    expect(desk.state(second)).toBe('REJECTED 3023 0/1');
    expect(desk.venue.floor.byHandle(A, '7')?.orderId).toBe(first);
  });

  test('a market where orders are disabled rejects them (6044)', () => {
    const desk = new VenueDesk();
    desk.handle({ kind: 'setMarket', symbol: 'BTCUSDC', flags: { createOrderEnabled: false } });
    expect(desk.state(desk.place('BUY', '1'))).toBe('REJECTED 6044 0/1');
  });
});

describe('stop-limit orders', () => {
  test('a trade at the stop price makes them limit orders (6012)', () => {
    const desk = new VenueDesk();
    const stop = desk.place('BUY', '1', { type: 'STOP_LIMIT', stopPrice: '60100', price: '60200' });
    expect(desk.reasons(stop)).toEqual([6014, 6001]);
    desk.place('SELL', '2', { account: B, price: '60100' });
    expect(desk.state(stop)).toBe('OPEN 6001 0/1');
    desk.place('BUY', '0.1', { price: '60100' });
    expect(desk.reasons(stop)).toEqual([6014, 6001, 6012, 6002]);
    expect(desk.fills(stop)).toEqual(['1@60100']);
  });

  test('one stop can trigger the next', () => {
    const desk = new VenueDesk();
    const first = desk.place('SELL', '1', { type: 'STOP_LIMIT', stopPrice: '59900', price: '59000' });
    const second = desk.place('SELL', '1', { type: 'STOP_LIMIT', stopPrice: '59000', price: '58000' });
    desk.place('BUY', '0.5', { account: B, price: '59900' });
    desk.place('BUY', '1', { account: B, price: '59000' });
    desk.place('BUY', '1', { account: B, price: '58500' });
    desk.place('SELL', '0.5', { price: '59900' });
    expect(desk.fills(first)).toEqual(['1@59000']);
    expect(desk.fills(second)).toEqual(['1@58500']);
  });
});

describe('cancelling', () => {
  test('a user cancel is CANCELLED with 6005', () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1');
    desk.cancel(id);
    expect(desk.state(id)).toBe('CANCELLED 6005 0/1');
  });

  test("an unknown order (3002), an ended one (3032) and another's (3002) are notices", () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1');
    desk.cancel(id);
    desk.cancel(id);
    desk.cancel('123456789012345678');
    const other = desk.place('BUY', '1', { account: B });
    desk.cancel(other, A);
    expect(desk.notices()).toEqual([3032, 3002, 3002]);
    expect(desk.state(other)).toBe('OPEN 6001 0/1');
  });

  test('cancel all ends every order of the account, by market only those of the market', () => {
    const desk = new VenueDesk();
    const btc = desk.place('BUY', '1');
    const eth = desk.place('BUY', '1', { symbol: 'ETHUSDC', price: '3000' });
    const other = desk.place('BUY', '1', { account: B });
    desk.handle({ kind: 'cancelAll', tradingAccountId: A, symbol: 'ETHUSDC' });
    expect([desk.order(btc).status, desk.order(eth).status]).toEqual(['OPEN', 'CANCELLED']);
    desk.handle({ kind: 'cancelAll', tradingAccountId: A, symbol: null });
    expect([desk.order(btc).status, desk.order(other).status]).toEqual(['CANCELLED', 'OPEN']);
  });

  test('a delayed cancel-all acts at its time unless renewed or unset', () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1');
    desk.handle({ kind: 'delayedCancelAll', tradingAccountId: A, delayMs: 5_000 });
    expect(desk.venue.deadline()).toBe(START + 5_000);
    desk.now = START + 4_000;
    desk.handle({ kind: 'delayedCancelAll', tradingAccountId: A, delayMs: 5_000 });
    desk.advance(START + 6_000);
    expect(desk.order(id).status).toBe('OPEN');
    desk.advance(START + 9_000);
    expect(desk.state(id)).toBe('CANCELLED 6005 0/1');
    const next = desk.place('BUY', '1');
    desk.handle({ kind: 'delayedCancelAll', tradingAccountId: A, delayMs: 5_000 });
    desk.handle({ kind: 'unsetDelayedCancelAll', tradingAccountId: A });
    desk.advance(START + 60_000);
    expect(desk.order(next).status).toBe('OPEN');
  });

  test('a delayed cancel-all cancels limit orders, stops among them; a market-on-close order stays', () => {
    const desk = new VenueDesk();
    desk.phase();
    const limit = desk.place('BUY', '1');
    const stop = desk.place('SELL', '1', { type: 'STOP_LIMIT', price: '59000', stopPrice: '59500' });
    const onClose = [
      desk.place('BUY', '1', { timeInForce: 'GTX' }),
      desk.place('BUY', '1', { timeInForce: 'GTX', price: null }),
    ];
    desk.handle({ kind: 'delayedCancelAll', tradingAccountId: A, delayMs: 5_000 });
    desk.advance(START + 5_000);
    expect([limit, stop, ...onClose].map((id) => desk.order(id).status)).toEqual([
      'CANCELLED',
      'CANCELLED',
      'CANCELLED',
      'OPEN',
    ]);
  });
});

describe('amending', () => {
  const amend = (desk: VenueDesk, orderId: string, fields: object): void => {
    const requestId = desk.venue.floor.identifiers.next(desk.now);
    const nothing = { clientOrderId: null, type: null, price: null, quantity: null };
    const named = { kind: 'amend', requestId, tradingAccountId: A, symbol: 'BTCUSDC', orderId } as const;
    desk.handle({ ...named, ...nothing, ...fields });
  };
  const decimal = (desk: VenueDesk, price: string) => desk.command('BUY', '1', { price }).price;

  test('price and reference change, the id stays, the lock follows', () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1', { clientOrderId: '1' });
    amend(desk, id, { price: decimal(desk, '59000'), clientOrderId: '2' });
    expect(desk.order(id)).toMatchObject({ clientOrderId: '2', status: 'OPEN' });
    expect(desk.order(id).price?.toString()).toBe('59000.0000');
    expect(desk.balance(A, 'USDC').locked).toBe('59000');
    expect(desk.venue.floor.byHandle(A, '2')?.orderId).toBe(id);
  });

  test('an amended order goes to the end of its level', () => {
    const desk = new VenueDesk();
    const first = desk.place('BUY', '1');
    const second = desk.place('BUY', '1');
    amend(desk, first, { price: decimal(desk, '60000') });
    desk.place('SELL', '1', { account: B });
    expect([desk.order(first).status, desk.order(second).status]).toEqual(['OPEN', 'CLOSED']);
  });

  test('an order with a fill cannot be amended', () => {
    const desk = new VenueDesk();
    const id = desk.place('BUY', '1');
    desk.place('SELL', '0.1', { account: B });
    amend(desk, id, { price: decimal(desk, '59000') });
    expect(desk.notices()).toEqual([2001]);
    expect(desk.order(id).price?.toString()).toBe('60000.0000');
  });
});

describe('balances', () => {
  test('a buy locks price × quantity, a sell its quantity; cancelling releases both', () => {
    const desk = new VenueDesk();
    const buy = desk.place('BUY', '2', { price: '59000' });
    const sell = desk.place('SELL', '3', { price: '61000' });
    expect(desk.balance(A, 'USDC').locked).toBe('118000');
    expect(desk.balance(A, 'BTC').locked).toBe('3');
    desk.cancel(buy);
    desk.cancel(sell);
    expect([desk.balance(A, 'USDC').locked, desk.balance(A, 'BTC').locked]).toEqual(['0', '0']);
  });

  test('limits open spot orders (2021) and margin orders (2015) per account, separately', () => {
    const world = defaultWorld();
    const limited = world.accounts.map((account) => ({ ...account, openSpotOrdersMax: 2, openMarginOrdersMax: 1 }));
    const desk = new VenueDesk({ ...world, accounts: limited });
    const spot = (): string => desk.place('BUY', '1', { price: '59000' });
    const margin = (symbol: string): string => desk.place('BUY', '1', { price: '59000', symbol, allowBorrow: true });
    const first = spot();
    expect(desk.state(spot())).toBe('OPEN 6001 0/1');
    expect(desk.state(spot())).toBe('REJECTED 2021 0/1');
    expect(desk.state(margin('BTCUSDC'))).toBe('OPEN 6001 0/1');
    expect(desk.state(margin('BTCUSDC'))).toBe('REJECTED 2015 0/1');
    expect(desk.state(desk.place('BUY', '1', { symbol: 'BTC-USDC-PERP' }))).toBe('REJECTED 2015 0/1');
    expect(desk.notices()).toEqual([2021, 2015, 2015]);
    desk.cancel(first);
    expect(desk.state(spot())).toBe('OPEN 6001 0/1');
  });

  test('too little balance rejects the order (3005); with borrowing allowed it trades', () => {
    const desk = new VenueDesk();
    expect(desk.state(desk.place('SELL', '101', { price: '61000' }))).toBe('REJECTED 3005 0/101');
    expect(desk.state(desk.place('SELL', '101', { price: '61000', allowBorrow: true }))).toBe('OPEN 6001 0/101');
    desk.place('SELL', '10', { account: B, price: '61000' });
    expect(desk.state(desk.place('BUY', '500', { price: '61000' }))).toBe('REJECTED 3005 0/500');
  });

  test('a buyer pays its fee in base, a seller in quote', () => {
    const desk = new VenueDesk();
    desk.place('SELL', '1');
    desk.place('BUY', '1', { account: B });
    expect(desk.balance(B, 'BTC').total).toBe('100.9998');
    expect(desk.balance(A, 'USDC').total).toBe('10060000');
    desk.place('BUY', '1', { account: B });
    desk.place('SELL', '1');
    expect(desk.balance(A, 'USDC').total).toBe('10119988');
  });

  test('a perpetual moves positions, and cash when the position is closed', () => {
    const desk = new VenueDesk();
    const symbol = 'BTC-USDC-PERP';
    desk.place('SELL', '1', { symbol });
    desk.place('BUY', '1', { symbol, account: B });
    expect(desk.venue.floor.position(B, symbol, desk.now).quantity.trimmed().toString()).toBe('1');
    desk.place('SELL', '1', { symbol, account: B, price: '61000' });
    desk.place('BUY', '1', { symbol, price: '61000' });
    // B gained 1000 and paid 12 as taker; A lost 1000 and paid 12.2.
    expect(desk.balance(B, 'USDC').total).toBe('10000988');
    expect(desk.balance(A, 'USDC').total).toBe('9998987.8');
  });
});
