// An address's ten-second limit includes logins and stream upgrades. A client with repeatedly cut streams or ended
// logins waits for its share instead of having the address blocked.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeEvent } from '../../../src/exchange/mod.ts';
import { isFeed, limitBuy, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

const LIMIT = 12;
const WINDOW_MS = 10_000;
const START = Date.parse('2026-06-01T12:00:00.000Z');

/** A client and an exchange with one clock that stands still, and few requests allowed. */
async function connected() {
  const options = {
    limits: { addressPer10s: LIMIT, ordersPerSecond: null, otherPerSecond: null, publicPerSecond: null },
  };
  venue = await openVenue(options);
  venue.clock.now = START;
  const rates = { addressPer10Seconds: LIMIT, cancelShare: 0, orderShare: 0 };
  const observed = venue.connect({ referenceSymbols: [], auctionSymbols: [], rates });
  await observed.client.start();
  await observed.until(isFeed('private', true));
  return { venue, ...observed };
}

const wentAway = (events: readonly ExchangeEvent[]): number =>
  events.filter((event) => event.kind === 'feed' && !event.live).length;

test('upgrades count: the stream that is one too many waits until the window is over', async () => {
  const { venue, client, events, until, alarms } = await connected();
  let cuts = 0;
  // Cut the stream as often as it comes back, until it does not.
  for (let isBack = true; isBack; ) {
    const from = events.length;
    venue.simulator.control.cutStreams('private');
    cuts++;
    await until(isFeed('private', false), from);
    const back = until(isFeed('private', true), from).then(() => true);
    isBack = await Promise.race([back, new Promise<false>((resolve) => setTimeout(() => resolve(false), 300))]);
  }
  expect(cuts).toBeGreaterThan(2);
  expect(cuts).toBeLessThan(LIMIT);
  const from = events.length;
  venue.clock.now += WINDOW_MS;
  await until(isFeed('private', true), from);
  // One upgrade more than allowed would have blocked the address for a minute.
  expect((await client.submit('c', limitBuy('1'))).kind).toBe('accepted');
  expect(alarms).toEqual([]);
  expect(wentAway(events)).toBe(cuts);
});

test('logins count: a command that needs one waits, and the address is not blocked', async () => {
  const { venue, client, alarms } = await connected();
  const outcomes: string[] = [];
  const waiting: Promise<unknown>[] = [];
  for (let i = 0; i < LIMIT; i++) {
    venue.simulator.control.expireLogins();
    waiting.push(client.submit(`c${i}`, limitBuy(String(i + 1))).then(({ kind }) => outcomes.push(kind)));
    await Promise.race([waiting.at(-1), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  const step = setInterval(() => {
    if (venue !== null) venue.clock.now += WINDOW_MS;
  }, 50);
  try {
    await Promise.all(waiting);
    // Each was refused for its ended login or its wait, none for the rate: that would be an alarm.
    expect(outcomes).toHaveLength(LIMIT);
    expect(alarms).not.toContain('rate-limited');
    await expect.poll(async () => (await client.submit('after', limitBuy('99'))).kind).toBe('accepted');
  } finally {
    clearInterval(step);
  }
});
