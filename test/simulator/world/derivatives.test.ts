// Hourly settlement with funding, interest, expiry of dated markets, negotiated trades and market maker protection on the
// venue's core: what happens when, and that no balance is ever lost.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import type { NewOtcTrade } from '../../../src/simulator/products/otc-book.ts';
import { defaultWorld, marketSpec } from '../../../src/simulator/world/default-world.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import { A, B, type OrderFields, START, VenueDesk } from '../venue-desk.ts';

const PERP = 'BTC-USDC-PERP';
const OPTION = 'BTC-USDC-20291228-60000-C';
const HOUR_MS = 3_600_000;
const EXPIRY = START - (START % HOUR_MS) + 3 * HOUR_MS;
const SECOND = '111000000000002';

function worldWithEnd(): World {
  const base = defaultWorld();
  const dated = { expiryDatetime: new Date(EXPIRY).toISOString(), feeGroupId: 2 };
  const option = {
    ...dated,
    marketType: 'OPTION',
    optionStrikePrice: '50000.0000',
    referencePrice: '10000.0000',
  } as const;
  return {
    ...base,
    markets: [
      ...base.markets,
      marketSpec('BTC-USDC-20231115', { ...dated, marketId: '10020', marketType: 'DATED_FUTURE' }),
      marketSpec('BTC-USDC-20231115-50000-C', { ...option, marketId: '10021', optionType: 'CALL' }),
      marketSpec('BTC-USDC-20231115-50000-P', { ...option, marketId: '10022', optionType: 'PUT' }),
    ],
    // No fees: what moves is what these tests are about.
    accounts: base.accounts.map((account) => ({ ...account, takerFee: '0.00000000', takerOtcFee: '0.00000000' })),
  };
}

const newDesk = (): VenueDesk => new VenueDesk(worldWithEnd());

/** A buys from B. */
function trade(desk: VenueDesk, symbol: string, price: string, quantity: string, fields: OrderFields = {}): void {
  desk.place('SELL', quantity, { account: B, symbol, price });
  desk.place('BUY', quantity, { account: A, symbol, price, ...fields });
}

/** Sum of all accounts. */
function total(desk: VenueDesk, asset: string): string {
  const { ledger } = desk.venue.floor;
  let sum = Decimal.ZERO;
  for (const account of ledger.accountIds()) sum = sum.add(ledger.balance(account, asset).total);
  return sum.trimmed().toString();
}

const usdc = (desk: VenueDesk, account = A): string => desk.balance(account, 'USDC').total;
const position = (desk: VenueDesk, account: string, symbol: string) =>
  desk.venue.floor.position(account, symbol, desk.now);

describe('settlement by the hour', () => {
  test('profit since the trade is paid in cash, the quantity stays', () => {
    const desk = newDesk();
    trade(desk, 'BTC-USDC-20231115', '59000', '2');
    desk.advance(EXPIRY - 2 * HOUR_MS);
    const mark = desk.venue.floor.markPrice(desk.venue.floor.markets.get('BTC-USDC-20231115')!, desk.now);
    const profit = mark.subtract(Decimal.of('59000')).multiply(Decimal.of('2'));
    expect(usdc(desk)).toBe(Decimal.of('10000000').add(profit).trimmed().toString());
    expect(position(desk, A, 'BTC-USDC-20231115').quantity.trimmed().toString()).toBe('2');
    expect(total(desk, 'USDC')).toBe('30000000');
  });

  test('a perpetual above its index costs the long side funding, which the short side receives', () => {
    const desk = newDesk();
    trade(desk, PERP, '60600', '1');
    desk.advance(EXPIRY - 2 * HOUR_MS);
    const [rate] = desk.venue.floor.histories.funding.all;
    expect(rate!.rate.isPositive()).toBe(true);
    expect(position(desk, A, PERP).reportedFundingPnl.isNegative()).toBe(true);
    const sum = position(desk, A, PERP).reportedFundingPnl.add(position(desk, B, PERP).reportedFundingPnl);
    expect(sum.isZero()).toBe(true);
    expect(total(desk, 'USDC')).toBe('30000000');
  });

  test('a debtor pays interest every hour', () => {
    const desk = newDesk();
    desk.place('BUY', '110', { account: A, price: '60000' });
    desk.place('SELL', '110', { account: B, price: '60000', allowBorrow: true });
    desk.advance(EXPIRY - HOUR_MS);
    const charged = desk.venue.floor.histories.interest.all.filter(({ tradingAccountId }) => tradingAccountId === B);
    expect(charged.map(({ asset }) => asset)).toEqual(['BTC', 'BTC']);
    // 10 BTC × 5 % / 8,760 hours, to the asset's precision.
    expect(charged[0]!.interest.toString()).toBe('0.00005708');
    expect(total(desk, 'BTC')).toBe('300');
  });
});

describe('expiry', () => {
  test('a future is paid at the index price; its orders end with 3067 and it takes no more', () => {
    const desk = newDesk();
    trade(desk, 'BTC-USDC-20231115', '59000', '2');
    const waiting = desk.place('BUY', '1', { symbol: 'BTC-USDC-20231115', price: '58000' });
    desk.handle({ kind: 'setIndexPrice', asset: 'BTC', price: Decimal.of('61000') });
    desk.advance(EXPIRY);
    expect(desk.state(waiting)).toBe('CANCELLED 3067 0/1');
    expect([usdc(desk, A), usdc(desk, B)]).toEqual(['10004000', '9996000']);
    expect(position(desk, A, 'BTC-USDC-20231115').quantity.isZero()).toBe(true);
    const late = desk.place('BUY', '1', { symbol: 'BTC-USDC-20231115', price: '60000' });
    expect(desk.order(late).status).toBe('REJECTED');
  });

  test('a call is worth the index above its strike, a put nothing there', () => {
    const desk = newDesk();
    trade(desk, 'BTC-USDC-20231115-50000-C', '10000', '1');
    trade(desk, 'BTC-USDC-20231115-50000-P', '100', '1');
    desk.handle({ kind: 'setIndexPrice', asset: 'BTC', price: Decimal.of('62000') });
    desk.advance(EXPIRY);
    // 12,000 − 10,000 − 100
    expect([usdc(desk, A), usdc(desk, B)]).toEqual(['10001900', '9998100']);
    expect(total(desk, 'USDC')).toBe('30000000');
  });
});

describe('negotiated trades', () => {
  let ids = 0;
  function side(account: string, fields: Partial<NewOtcTrade> = {}): NewOtcTrade {
    const isTaker = account === A;
    return {
      otcTradeId: String(++ids),
      requestId: String(++ids),
      clientOtcTradeId: null,
      tradingAccountId: account,
      sharedMatchKey: 'key000000001',
      isTaker,
      remarks: null,
      idbRemarks: null,
      brokeredBy: null,
      legs: [{ symbol: PERP, side: isTaker ? 'BUY' : 'SELL', price: Decimal.of('60000'), quantity: Decimal.of('1') }],
      status: 'COUNTERPARTY_PENDING',
      ...fields,
    };
  }
  const states = (desk: VenueDesk): string[] =>
    [...desk.venue.floor.otc.trades.values()].map(({ status, reason }) => `${status} ${reason}`);
  const enter = (desk: VenueDesk, ...sides: NewOtcTrade[]): void => {
    desk.handle({ kind: 'otcCreate', sides });
  };

  test('a side waits for its mirror under the same key; then both are matched and positions move', () => {
    const desk = newDesk();
    enter(desk, side(B));
    expect(states(desk)).toEqual(['COUNTERPARTY_PENDING 1001']);
    enter(desk, side(A));
    expect(states(desk)).toEqual(['MATCHED 1001', 'MATCHED 1001']);
    expect(position(desk, A, PERP).quantity.toString()).toBe('1');
    expect(position(desk, B, PERP).quantity.toString()).toBe('-1');
  });

  test('the same role is 9026, other inputs 9027, the same account 9031', () => {
    const desk = newDesk();
    enter(desk, side(B));
    enter(desk, side(A, { isTaker: false }));
    const other = [{ symbol: PERP, side: 'BUY' as const, price: Decimal.of('60001'), quantity: Decimal.of('1') }];
    enter(desk, side(A, { legs: other }));
    enter(desk, side(B, { isTaker: true }));
    expect(states(desk).slice(1)).toEqual(['REJECTED 9026', 'REJECTED 9027', 'REJECTED 9031']);
  });

  test('cancels an entry after a day (9028); a user may cancel before (9037)', () => {
    const desk = newDesk();
    const cancelled = side(B, { sharedMatchKey: 'key000000002' });
    enter(desk, side(B), cancelled);
    desk.handle({ kind: 'otcCancel', otcTradeIds: [cancelled.otcTradeId], byBroker: false });
    desk.advance(START + 24 * HOUR_MS);
    expect(states(desk)).toEqual(['CANCELLED 9028', 'CANCELLED 9037']);
  });

  test('held pairs wait at RISK_PENDING; one rejected for margin (9033) rejects the other (9036)', () => {
    const desk = newDesk();
    desk.handle({ kind: 'otcHold', hold: true });
    enter(desk, side(B), side(A));
    expect(states(desk)).toEqual(['RISK_PENDING 1001', 'RISK_PENDING 1001']);
    desk.handle({ kind: 'fund', tradingAccountId: A, asset: 'USDC', quantity: Decimal.of('-9999000') });
    desk.handle({ kind: 'otcHold', hold: false });
    expect(states(desk)).toEqual(['REJECTED 9036', 'REJECTED 9033']);
  });

  test.each([
    ['margin but not the fee', 9034, { asset: 'USDC', quantity: '-9994000' }],
    ['no margin, and owes another asset', 9035, { asset: 'BTC', quantity: '-100.5' }],
  ])('a side that has %s is rejected (%i)', (_what, reason, drain) => {
    const desk = new VenueDesk();
    const fund = (asset: string, quantity: string) =>
      desk.handle({ kind: 'fund', tradingAccountId: A, asset, quantity: Decimal.of(quantity) });
    fund(drain.asset, drain.quantity);
    if (reason === 9035) fund('USDC', '-9999000');
    enter(desk, side(B), side(A));
    expect(states(desk)).toEqual(['REJECTED 9036', `REJECTED ${reason}`]);
  });

  test('rejects both sides of a pair if the market is disabled before it is booked (9023)', () => {
    const desk = newDesk();
    desk.handle({ kind: 'otcHold', hold: true });
    enter(desk, side(B), side(A));
    desk.handle({ kind: 'setMarket', symbol: PERP, flags: { marketEnabled: false } });
    desk.handle({ kind: 'otcHold', hold: false });
    expect(states(desk)).toEqual(['REJECTED 9023', 'REJECTED 9023']);
  });

  test('a broker’s trade waits for the approval; cancelled by the broker, both sides go (9039)', () => {
    const desk = newDesk();
    const brokered = (account: string, status: NewOtcTrade['status']): NewOtcTrade =>
      side(account, { status, brokeredBy: 'IDB_A', isTaker: account === A });
    const pair = [brokered(A, 'APPROVAL_PENDING'), brokered(SECOND, 'COUNTERPARTY_PAIRED')] as const;
    enter(desk, ...pair);
    expect(states(desk)).toEqual(['APPROVAL_PENDING 1001', 'COUNTERPARTY_PAIRED 1001']);
    desk.handle({ kind: 'otcApprove', otcTradeId: pair[0].otcTradeId });
    expect(states(desk)).toEqual(['MATCHED 1001', 'MATCHED 1001']);
    const second = [brokered(A, 'APPROVAL_PENDING'), brokered(SECOND, 'COUNTERPARTY_PAIRED')] as const;
    enter(desk, ...second);
    desk.handle({ kind: 'otcCancel', otcTradeIds: [second[0].otcTradeId], byBroker: true });
    expect(states(desk).slice(2)).toEqual(['CANCELLED 9039', 'CANCELLED 9039']);
  });
});

describe('market maker protection', () => {
  function protectedDesk(limits: { quantity: string | null; delta: string | null }): VenueDesk {
    const desk = newDesk();
    const decimal = (text: string | null): Decimal | null => (text === null ? null : Decimal.of(text));
    desk.handle({
      kind: 'setMmp',
      requestId: '1',
      tradingAccountId: A,
      asset: 'BTC',
      windowMs: 60_000,
      frozenMs: 30_000,
      quantityLimit: decimal(limits.quantity),
      deltaLimit: decimal(limits.delta),
    });
    return desk;
  }
  function quote(desk: VenueDesk, quantity: string): string {
    const command = desk.command('BUY', quantity, { symbol: OPTION, price: '5000' });
    desk.handle({ ...command, isMMP: true });
    return command.orderId;
  }
  const hit = (desk: VenueDesk, quantity: string): string =>
    desk.place('SELL', quantity, { account: B, symbol: OPTION, price: '5000' });

  test('cancels MMP orders over the limit (6019), and refuses new ones (3073) until unfrozen', () => {
    const desk = protectedDesk({ quantity: '2', delta: null });
    const order = quote(desk, '5');
    hit(desk, '1');
    expect(desk.order(order).status).toBe('OPEN');
    hit(desk, '1');
    expect(desk.state(order)).toBe('CANCELLED 6019 2/5');
    expect(desk.state(quote(desk, '1'))).toBe('REJECTED 3073 0/1');
    desk.advance(desk.now + 30_001);
    expect(desk.order(quote(desk, '1')).status).toBe('OPEN');
  });

  test('fills outside the window do not count; a net delta does', () => {
    const desk = protectedDesk({ quantity: '2', delta: null });
    const order = quote(desk, '5');
    hit(desk, '1');
    desk.advance(desk.now + 60_001);
    hit(desk, '1');
    expect(desk.order(order).status).toBe('OPEN');
    const byDelta = protectedDesk({ quantity: null, delta: '0.1' });
    const quoted = quote(byDelta, '5');
    hit(byDelta, '1');
    expect(byDelta.state(quoted)).toBe('CANCELLED 6019 1/5');
  });

  test('a reset lifts the freeze; orders without protection are left alone', () => {
    const desk = protectedDesk({ quantity: '1', delta: null });
    const free = desk.place('BUY', '1', { symbol: OPTION, price: '4900' });
    quote(desk, '5');
    hit(desk, '1');
    expect(desk.order(free).status).toBe('OPEN');
    desk.handle({ kind: 'resetMmp', requestId: '2', tradingAccountId: A, asset: 'BTC' });
    expect(desk.order(quote(desk, '1')).status).toBe('OPEN');
  });
});
