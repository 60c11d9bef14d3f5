import { expect, test } from 'vitest';
import type { SessionView } from '../../../src/administration/mod.ts';
import { LiveOverview, OverviewDifference } from '../../../src/ops/admin/live-overview.ts';

const session = (sessionId: string, openOrders: number): SessionView => ({ sessionId, openOrders }) as SessionView;

test('a stream sends the whole overview first, then changed parts, changed sessions and gone ones', () => {
  let now = 0;
  let overview: Record<string, unknown> & { sessions: SessionView[] } = {
    venue: 'test',
    health: { ready: true },
    sessions: [session('A', 1), session('B', 0)],
  };
  const live = new LiveOverview(
    () => overview,
    () => now,
  );
  const difference = new OverviewDifference();
  const next = (): unknown => JSON.parse(difference.next(live.pieces()));
  expect(next()).toEqual(overview);
  now += 1000;
  expect(next()).toEqual({});
  overview = { ...overview, health: { ready: false }, sessions: [session('A', 2)] };
  // Streams of the same moment share one look.
  expect(next()).toEqual({});
  now += 1000;
  expect(next()).toEqual({ health: { ready: false }, sessions: [session('A', 2)], gone: ['B'] });
  overview = { ...overview, venue: 'other' };
  live.forget();
  expect(next()).toEqual({ venue: 'other' });
});

test('a look that takes long is given again for twenty times as long', () => {
  let now = 0;
  let made = 0;
  const live = new LiveOverview(
    () => {
      made++;
      now += 100;
      return { sessions: [] };
    },
    () => now,
  );
  live.pieces();
  now += 1999;
  live.pieces();
  expect(made).toBe(1);
  now += 1;
  live.pieces();
  expect(made).toBe(2);
});
