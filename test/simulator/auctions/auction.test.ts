// Auctions of the simulated exchange: phases, what each permits, imbalance, the cross and what is left over.

import { describe, expect, test } from 'vitest';
import type { VenueEvent } from '../../../src/simulator/venue/venue-event.ts';
import { defaultWorld } from '../../../src/simulator/world/default-world.ts';
import { A, B, START, VenueDesk } from '../venue-desk.ts';

function inAccumulation(): VenueDesk {
  const desk = new VenueDesk();
  desk.phase();
  return desk;
}

const phases = (events: readonly VenueEvent[]): string[] =>
  events.flatMap((e) => (e.kind === 'phase' ? [`${e.auction.phase} ${e.auction.eventType}`] : []));

describe('phases', () => {
  test('a schedule runs COOLING → ACCUMULATION → LOCKDOWN → CROSS and begins again with a new auctionId', () => {
    const schedule = { coolingMs: 2_000, accumulationMs: 8_000, lockdownMs: 3_000, noiiMs: 1_000, manual: false };
    const desk = new VenueDesk(undefined, schedule);
    const { auction } = desk.venue.floor.markets.get('BTCUSDC')!;
    const first = auction!.auctionId;
    expect(desk.venue.deadline()).toBe(START + 2_000);
    desk.advance(START + 15_000);
    expect(phases(desk.events)).toEqual([
      'ACCUMULATION AUCTION_STARTED',
      'LOCKDOWN AUCTION_LOCKDOWN',
      'CROSS AUCTION_CROSS_COMPLETED',
      'ACCUMULATION AUCTION_STARTED',
    ]);
    expect(auction!.auctionId).not.toBe(first);
  });

  test('a clock corrected by months ends the running auction and skips those in between', () => {
    const schedule = { coolingMs: 2_000, accumulationMs: 8_000, lockdownMs: 3_000, noiiMs: 1_000, manual: false };
    const desk = new VenueDesk(undefined, schedule);
    desk.advance(START + 3_000);
    desk.place('BUY', '1', { timeInForce: 'GTX' });
    desk.events.length = 0;
    const now = START + 121 * 86_400_000;
    desk.advance(now);
    const crossed = ['LOCKDOWN AUCTION_LOCKDOWN', 'CROSS AUCTION_CROSS_COMPLETED'];
    const ofBtc = desk.events.filter((e) => e.kind === 'phase' && e.auction.symbol === 'BTCUSDC');
    expect(phases(ofBtc)).toEqual(crossed);
    desk.advance(now + 2_000);
    expect(phases(desk.events).at(-1)).toBe('ACCUMULATION AUCTION_STARTED');
    expect(desk.venue.deadline()).toBeGreaterThan(now + 2_000);
  });

  test('amend and cancel are on in accumulation and off in lockdown; create stays on', () => {
    const desk = inAccumulation();
    desk.phase();
    const flags = desk.events.flatMap((e) =>
      e.kind === 'phase'
        ? [
            [
              e.auction.createAuctionOrderEnabled,
              e.auction.amendAuctionOrderEnabled,
              e.auction.cancelAuctionOrderEnabled,
            ],
          ]
        : [],
    );
    expect(flags).toEqual([
      [true, true, true],
      [true, false, false],
    ]);
  });

  test('reports the imbalance in lockdown at its interval, and once more at the cross', () => {
    const schedule = { coolingMs: 1_000, accumulationMs: 1_000, lockdownMs: 2_500, noiiMs: 1_000, manual: false };
    const desk = new VenueDesk(undefined, schedule);
    desk.advance(START + 1_000);
    desk.place('BUY', '2', { timeInForce: 'GTX' });
    desk.place('SELL', '1', { timeInForce: 'GTX', account: B });
    desk.advance(START + 4_500);
    const noii = desk.events.flatMap((e) => (e.kind === 'noii' ? [e.noii] : []));
    expect(noii.map(({ eventType }) => eventType)).toEqual(['UPDATE', 'UPDATE', 'UPDATE', 'CROSS']);
    expect(noii[0]).toMatchObject({ imbalanceDirection: 'BUY' });
    expect(noii[0]!.pairedQuantity.trimmed().toString()).toBe('1');
    expect(noii[0]!.imbalanceQuantity.trimmed().toString()).toBe('1');
  });

  test('a postponed cross keeps the phase and says why', () => {
    const desk = inAccumulation();
    desk.phase();
    desk.handle({ kind: 'postponeAuction', symbol: 'BTCUSDC', byMs: 5_000, message: 'index price missing' });
    expect(phases(desk.events).at(-1)).toBe('LOCKDOWN AUCTION_CROSS_POSTPONED');
  });
});

describe('GTX orders', () => {
  test('a market without auctions refuses them (3082), cooling too (3083)', () => {
    const desk = new VenueDesk();
    const eth = desk.place('BUY', '1', { symbol: 'ETHUSDC', price: '3000', timeInForce: 'GTX' });
    expect(desk.state(eth)).toBe('REJECTED 3082 0/1');
    expect(desk.state(desk.place('BUY', '1', { timeInForce: 'GTX' }))).toBe('REJECTED 3083 0/1');
  });

  test('only LIMIT and MARKET take part (3090)', () => {
    const desk = inAccumulation();
    expect(desk.state(desk.place('BUY', '1', { timeInForce: 'GTX', type: 'POST_ONLY' }))).toBe('REJECTED 3090 0/1');
  });

  test('another auction’s id is refused (2115), an id without GTX too (3087)', () => {
    const desk = inAccumulation();
    expect(desk.order(desk.place('BUY', '1', { timeInForce: 'GTX', auctionId: '1' })).reason).toBe(2115);
    expect(desk.order(desk.place('BUY', '1', { auctionId: '1' })).reason).toBe(3087);
  });

  test('they do not trade with the continuous book, nor it with them', () => {
    const desk = inAccumulation();
    desk.place('SELL', '1', { account: B });
    const gtx = desk.place('BUY', '1', { timeInForce: 'GTX', price: '60100' });
    expect(desk.state(gtx)).toBe('OPEN 6001 0/1');
  });

  test('in lockdown a cancel is refused (3085) and the order stays; a new order is accepted', () => {
    const desk = inAccumulation();
    const gtx = desk.place('BUY', '1', { timeInForce: 'GTX' });
    desk.phase();
    desk.cancel(gtx);
    desk.handle({ kind: 'cancelAll', tradingAccountId: A, symbol: null });
    expect(desk.notices()).toEqual([3085]);
    expect(desk.state(gtx)).toBe('OPEN 6001 0/1');
    expect(desk.state(desk.place('BUY', '1', { timeInForce: 'GTX' }))).toBe('OPEN 6001 0/1');
  });

  test('a limit order’s price can be amended in accumulation, nothing else and not later (3084)', () => {
    const desk = inAccumulation();
    const gtx = desk.place('BUY', '1', { timeInForce: 'GTX' });
    const { price } = desk.command('BUY', '1', { price: '59500' });
    const fields = { tradingAccountId: A, symbol: 'BTCUSDC', orderId: gtx, clientOrderId: null, type: null } as const;
    desk.handle({ kind: 'amend', requestId: '1', ...fields, price, quantity: null });
    expect(desk.order(gtx).price?.toString()).toBe('59500.0000');
    desk.handle({ kind: 'amend', requestId: '2', ...fields, price: null, quantity: desk.command('BUY', '2').quantity });
    desk.phase();
    desk.handle({ kind: 'amend', requestId: '3', ...fields, price, quantity: null });
    expect(desk.notices()).toEqual([2001, 3084]);
  });
});

describe('the cross', () => {
  test('pairs at one price, market orders first, then price, then time; the rest ends unfilled (6021)', () => {
    const desk = inAccumulation();
    const cheap = desk.place('BUY', '1', { timeInForce: 'GTX', price: '60000' });
    const early = desk.place('BUY', '1', { timeInForce: 'GTX', price: '60100' });
    const late = desk.place('BUY', '1', { timeInForce: 'GTX', price: '60100' });
    const onClose = desk.place('BUY', '1', { timeInForce: 'GTX', price: null });
    const sell = desk.place('SELL', '2.5', { timeInForce: 'GTX', price: '60050', account: B });
    desk.phase();
    desk.phase();
    expect(desk.fills(onClose)).toEqual(['1@60050']);
    expect(desk.fills(early)).toEqual(['1@60050']);
    expect(desk.state(late)).toBe('CLOSED 6021 0.5/1');
    expect(desk.state(cheap)).toBe('CLOSED 6021 0/1');
    expect(desk.state(sell)).toBe('CLOSED 6002 2.5/2.5');
  });

  test('fills carry the auctionId and have no taker', () => {
    const desk = inAccumulation();
    const { auctionId } = desk.venue.floor.markets.get('BTCUSDC')!.auction!;
    const buy = desk.place('BUY', '1', { timeInForce: 'GTX' });
    desk.place('SELL', '1', { timeInForce: 'GTX', account: B });
    desk.phase();
    desk.phase();
    expect(desk.venue.floor.tradesOf(buy)[0]).toMatchObject({ auctionId, isTaker: false });
  });

  test('limits outside the collar are excluded (6022)', () => {
    const desk = inAccumulation();
    const far = desk.place('BUY', '1', { timeInForce: 'GTX', price: '64000' });
    const near = desk.place('BUY', '1', { timeInForce: 'GTX', price: '60000' });
    desk.place('SELL', '2', { timeInForce: 'GTX', price: '60000', account: B });
    desk.phase();
    desk.phase();
    expect(desk.state(far)).toBe('CANCELLED 6022 0/1');
    expect(desk.state(near)).toBe('CLOSED 6002 1/1');
  });

  test('nothing to pair: no clearing price, everything ends unfilled, locks are released', () => {
    const desk = inAccumulation();
    const buy = desk.place('BUY', '1', { timeInForce: 'GTX' });
    desk.phase();
    desk.phase();
    expect(desk.state(buy)).toBe('CLOSED 6021 0/1');
    expect(desk.balance(A, 'USDC').locked).toBe('0');
    const result = desk.venue.floor.markets.get('BTCUSDC')!.auctionResults.at(-1)!;
    expect(result.price).toBeNull();
    expect(result.imbalanceDirection).toBe('BUY');
  });

  test('cancels a market-on-close order that cannot pay the clearing price (6023)', () => {
    const world = defaultWorld();
    const markets = world.markets.map((market) => ({ ...market, auctionPriceCollar: null }));
    const desk = new VenueDesk({ ...world, markets });
    desk.phase();
    // 166 at 60,000 are affordable, at 61,000 they are not.
    const poor = desk.place('BUY', '166', { timeInForce: 'GTX', price: null, account: B });
    const rich = desk.place('BUY', '1', { timeInForce: 'GTX', price: '61500', account: '111000000000002' });
    desk.place('SELL', '50', { timeInForce: 'GTX', price: '61000' });
    desk.phase();
    desk.phase();
    expect(desk.state(poor)).toBe('CANCELLED 6023 0/166');
    expect(desk.fills(rich)).toEqual(['1@61000']);
    expect(desk.balance(B, 'USDC')).toEqual({ total: '10000000', locked: '0' });
  });

  test('a market-on-close order locks at the upper end of the collar and gets the difference back', () => {
    const desk = inAccumulation();
    desk.place('BUY', '1', { timeInForce: 'GTX', price: null });
    expect(desk.balance(A, 'USDC').locked).toBe('63000');
    desk.place('SELL', '1', { timeInForce: 'GTX', account: B });
    desk.phase();
    desk.phase();
    expect(desk.balance(A, 'USDC')).toEqual({ total: '9940000', locked: '0' });
  });
});
