// A GTX order that names its auction by TradingSessionID(336) while the phases are not heard, so that nothing here can say
// whether that is the one which is running (rule T3).

import { expect, test } from 'vitest';
import { Desk, field, LIMIT, summary } from '../desk.ts';

const GTX = `${LIMIT.replace('59=1', '59=5')}386=1|336=A-2|`;

function sent(more = ''): Desk {
  const desk = new Desk();
  desk.oms(`${GTX}${more}`);
  expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder']);
  return desk;
}

/** The phases are heard again, and say that this auction is running. */
function heard(desk: Desk, auctionId: string): string[] {
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  return desk.phase({ auctionId });
}

test.each([false, true])('T3 it is cancelled once another one is heard of (after a restart: %s)', (restarts) => {
  const desk = sent();
  desk.order({ timeInForce: 'GTX' });
  if (restarts) desk.restart();
  // After a restart the exchange has just said of it.
  desk.order({ timeInForce: 'GTX' });
  heard(desk, 'A-1');
  desk.order({ timeInForce: 'GTX', publishedAt: desk.now + 1 });
  expect(desk.submitted.slice(1).map(({ command }) => command.kind)).toEqual(['cancelOrder']);
  expect(desk.alarmNames()).toEqual(['auction-carry-over']);
  const [told] = desk.order({ timeInForce: 'GTX', status: 'CANCELLED', statusReasonCode: '6005' });
  expect([field(told, 150), field(told, 39), field(told, 378)]).toEqual(['4', '4', '8']);
});

test('T3 it works on where that is the one, and its reports say so from then on', () => {
  const desk = sent();
  expect(field(desk.order({ timeInForce: 'GTX' })[0], 336)).toBeNull();
  heard(desk, 'A-2');
  desk.advance(60_000);
  expect([desk.submitted.length, desk.alarms]).toEqual([1, []]);
  expect(field(desk.trade({ quantity: '1' })[0], 336)).toBe('A-2');
  // Until it is carried over.
  heard(desk, 'A-3');
  expect(desk.submitted.slice(1).map(({ command }) => command.kind)).toEqual(['cancelOrder']);
});

test('T3 nor can a G make it one of another', () => {
  const desk = sent();
  desk.order({ timeInForce: 'GTX' });
  const G = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=101|59=5|386=1|336=A-1|';
  expect(field(desk.oms(G)[0], 58)).toContain('TradingSessionID(336)=A-1 cannot be replaced');
  desk.oms(G.replace('g-1', 'g-2').replace('336=A-1', '336=A-2'));
  expect(desk.last().command.kind).toBe('amendOrder');
});

test('T3 one that names two auctions is refused: it cannot be in both', () => {
  const desk = new Desk();
  const [refused] = desk.oms(GTX.replace('386=1', '386=2').replace('336=A-2|', '336=A-2|336=A-1|'));
  expect(summary([refused!])).toEqual(['8/8']);
  expect(field(refused, 58)).toContain('A-2,A-1');
  expect(desk.submitted).toEqual([]);
});
