// The short form of the floods: `npm run nightly -- hostile` measures all of them for longer. It prints figures and fails on none.

import { expect, test } from 'vitest';
import { floods } from './floods.ts';

/** Far more than a gateway may keep for one counterparty: 8 MB of output that it does not read. */
const GROWN_MEGABYTES_MAX = 200;
/** Some 1,400 cancels until the session is logged out take 1 MB, and the other session's orders another. */
const JOURNAL_MEGABYTES_MAX = 4;

test('S14 answers every order of another session beside floods of orders and cancels', async () => {
  const figures = await floods(['orders', 'cancels'], 2);
  const cancels = figures.find(({ kind }) => kind === 'cancels')!;
  expect(cancels.journalMegabytes).toBeLessThan(JOURNAL_MEGABYTES_MAX);
  for (const { delays, attack } of figures) {
    expect(delays.unanswered).toBe(0);
    expect(delays.count).toBeGreaterThan(0);
    expect(attack.messages).toBeGreaterThan(1_000);
  }
});

test('S14 a peer that reads nothing, one that drips, and one that sends damage cost others no order', async () => {
  const figures = await floods(['slowReader', 'slowWriter', 'fuzz'], 2, { extra: 'logon: { perMinute: 0 }' });
  for (const { kind, delays, attack, grownMegabytes } of figures) {
    expect(delays.unanswered, kind).toBe(0);
    expect(delays.count, kind).toBeGreaterThan(0);
    expect(attack.messages, kind).toBeGreaterThan(0);
    expect(grownMegabytes, kind).toBeLessThan(GROWN_MEGABYTES_MAX);
  }
});
