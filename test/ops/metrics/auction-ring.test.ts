import { expect, onTestFinished, test } from 'vitest';
import { AuctionRing } from '../../../src/ops/metrics/auction-ring.ts';

function world() {
  const state = { now: 10_000, auctionId: 'a-1', noii: null as Record<string, unknown> | null };
  const ring = new AuctionRing({
    now: () => state.now,
    auctions: () => [
      { symbol: 'BTCUSDC', auctionId: state.auctionId, startTime: 0, lockdownTime: 9_000, scheduledCrossTime: 12_000 },
    ],
    imbalance: () => state.noii,
  } as never);
  onTestFinished(() => ring.close());
  const tell = (noii: Record<string, unknown>): void => {
    state.noii = {
      auctionId: state.auctionId,
      eventType: 'UPDATE',
      farPrice: null,
      clearingPrice: null,
      imbalanceDirection: 'NONE',
      imbalanceQuantity: null,
      pairedQuantity: null,
      at: null,
      ...noii,
    };
    ring.look();
  };
  return { ring, state, tell };
}

test('keeps each change of indicative price and imbalance, sells below zero, and the clearing price last', () => {
  const { ring, tell } = world();
  ring.look();
  tell({ farPrice: '60010', imbalanceDirection: 'BUY', imbalanceQuantity: '1.5', pairedQuantity: '2', at: 9_100 });
  tell({ farPrice: '60010', imbalanceDirection: 'BUY', imbalanceQuantity: '1.5', pairedQuantity: '2', at: 9_600 });
  tell({ farPrice: '60000', imbalanceDirection: 'SELL', imbalanceQuantity: '0.5', pairedQuantity: '3', at: 10_100 });
  tell({ eventType: 'CROSS', clearingPrice: '59990', pairedQuantity: '3', imbalanceQuantity: '0', at: 12_000 });
  expect(ring.symbols()).toEqual(['BTCUSDC']);
  expect(ring.courses('BTCUSDC')).toEqual([
    {
      symbol: 'BTCUSDC',
      auctionId: 'a-1',
      startTime: 0,
      lockdownTime: 9_000,
      scheduledCrossTime: 12_000,
      points: [
        { at: 9_100, price: 60_010, imbalance: 1.5, paired: 2 },
        { at: 10_100, price: 60_000, imbalance: -0.5, paired: 3 },
        { at: 12_000, price: 59_990, imbalance: 0, paired: 3 },
      ],
    },
  ]);
});

test('keeps the last three auctions of a symbol, and takes no imbalance of another auction', () => {
  const { ring, state, tell } = world();
  for (const auctionId of ['a-1', 'a-2', 'a-3', 'a-4']) {
    state.auctionId = auctionId;
    tell({ farPrice: '1' });
  }
  state.auctionId = 'a-5';
  ring.look();
  expect(ring.courses('BTCUSDC').map(({ auctionId, points }) => [auctionId, points.length])).toEqual([
    ['a-3', 1],
    ['a-4', 1],
    ['a-5', 0],
  ]);
  expect(ring.courses('ETHUSDC')).toEqual([]);
});
