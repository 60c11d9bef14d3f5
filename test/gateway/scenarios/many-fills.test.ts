// An order with thousands of fills: what is recorded with each of them stays small, and no fill counts twice, whenever the
// process ends.

import { describe, expect, test } from 'vitest';
import {
  Desk,
  dropCopyConfig,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
} from '../desk.ts';

function working(): Desk {
  const desk = new Desk(gatewayConfig(), { ended: true });
  desk.oms(LIMIT.replace('38=2', '38=50'));
  desk.accepted(undefined, '9001');
  desk.order({ quantity: '50' });
  return desk;
}

const fill = (desk: Desk, i: number): string[] => desk.trade({ tradeId: `${7_000_000_000 + i}`, quantity: '0.001' });

/** Bytes recorded while something is done. */
function recorded(desk: Desk, act: () => void): number {
  const from = desk.effects.length;
  act();
  return desk.effects
    .slice(from)
    .reduce((sum, effect) => sum + (effect.kind === 'persistOrder' ? effect.record.length : 0), 0);
}

describe('O1 O3 an order with very many fills', () => {
  test('records as much with its last fills as with its first ones', () => {
    const desk = working();
    const some = (from: number): number =>
      recorded(desk, () => {
        for (let i = from; i < from + 200; i++) fill(desk, i);
      });
    const first = some(0);
    for (let i = 200; i < 4_800; i++) fill(desk, i);
    expect(some(4_800)).toBeLessThan(3 * first);
  });

  test.each([99, 100, 101, 250, 1_000])('counts none twice after a restart at %i fills, and goes on', (count) => {
    const desk = working();
    for (let i = 0; i < count; i++) fill(desk, i);
    for (const more of [count, count + 1]) {
      desk.restart();
      for (let i = 0; i < more; i++) expect(fill(desk, i)).toEqual([]);
      expect(field(fill(desk, more)[0], 14)).toBe(`${(more + 1) / 1_000}`);
    }
  });

  test('records all fills of a finished order, and ignores their repeats after a restart', () => {
    const desk = working();
    for (let i = 0; i < 350; i++) fill(desk, i);
    desk.restart();
    desk.order({
      quantity: '50',
      quantityFilled: '0.35',
      status: 'CANCELLED',
      statusReasonCode: '6019',
      publishedAt: desk.now + 1,
    });
    expect([...desk.records.keys()].filter((key) => key.includes('o-1'))).toEqual([]);
    for (const restarts of [false, true]) {
      if (restarts) desk.restart();
      for (let i = 0; i < 350; i++) expect(fill(desk, i)).toEqual([]);
      expect(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|').map((text) => field(text, 14))).toEqual(['0.35']);
    }
    expect(field(fill(desk, 350)[0], 14)).toBe('0.351');
    desk.restart();
    for (let i = 0; i <= 350; i++) expect(fill(desk, i)).toEqual([]);
  });

  test('a part of them that cannot be read keeps its session out', () => {
    const desk = working();
    for (let i = 0; i < 250; i++) fill(desk, i);
    const [part] = [...desk.records.keys()].filter((key) => key.startsWith('trades|'));
    desk.records.set(part!, '{"v":2,"kind":"trades"');
    desk.restart();
    expect(desk.gateway.unreadable()).toMatchObject([{ key: part, sessionId: SESSION }]);
  });

  test('O11 of an external order leaves no trace when a session adopts it', () => {
    const config = gatewayConfig({}, { sessions: [sessionConfig(), dropCopyConfig()] });
    const desk = new Desk(config, { ended: true });
    const of = { orderId: '9900', clientOrderId: null };
    desk.order({ ...of, quantity: '50' });
    for (let i = 0; i < 150; i++) desk.trade({ ...of, tradeId: `${i}`, quantity: '0.001' });
    const trades = Array.from({ length: 150 }, (_, i) =>
      exchangeTrade({ ...of, tradeId: `${i}`, quantity: '0.001' }, desk.now),
    );
    const order = exchangeOrder({ ...of, quantity: '50', quantityFilled: '0.15' }, desk.now);
    const adoption = { sessionId: SESSION, order, trades, clOrdID: 'taken' };
    desk.feed({ kind: 'adoptOrder', adoption, who: 'anna', why: 'move' });
    expect([...desk.records.keys()].filter((key) => key.includes('elsewhere|'))).toEqual([]);
    desk.restart();
    const again = (i: number) => desk.trade({ ...of, tradeId: `${i}`, quantity: '0.001' });
    for (let i = 0; i < 150; i++) expect(again(i)).toEqual([]);
    expect(again(150).map((text) => field(text, 14))).toEqual(['0.151', '0.151']);
  });
});
