// A session with a schedule, as a whole: `crossgate schedule` says what will happen, and a running gateway keeps to it.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { logOn, openFix } from '../support/network/fix-connection.ts';
import { ACME } from '../support/processes/exchange-house.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DAY_MS = 86_400_000;
let home: GatewayHome;

beforeAll(async () => {
  home = await GatewayHome.create();
  await home.configure('ACME_OMS.yaml', {
    schedule: {
      timeZone: 'Europe/London',
      windows: [{ days: ['Sat', 'Sun'], from: '08:00', to: '17:30' }],
      resets: [{ days: ['Sun'], at: '18:00' }],
    },
  });
});
afterAll(async () => await home?.remove());

async function schedule(...words: string[]): Promise<{ end: number | string; text: string }> {
  const child = new LineProcess(
    process.execPath,
    ['src/cli/main.ts', 'schedule', ...words, '--sessions', home.sessions],
    {
      cwd: ROOT,
    },
  );
  const end = await child.ended();
  return { end, text: child.lines.join('\n') };
}

test('crossgate schedule prints the next opening, close and reset by the clocks of the session and in UTC', async () => {
  const { end, text } = await schedule('ACME_OMS', '--from', '2026-03-28T18:00:00Z');
  expect(end).toBe(0);
  expect(text).toBe(
    [
      'FIX.4.4:EXCHANGE_TEST->ACME_OMS is closed at Sat 2026-03-28 18:00:00 +00:00 (Europe/London)',
      '',
      'EVENT   EUROPE/LONDON                   UTC',
      'opens   Sun 2026-03-29 08:00:00 +01:00  2026-03-29T07:00:00Z',
      'closes  Sun 2026-03-29 17:30:00 +01:00  2026-03-29T16:30:00Z',
      'resets  Sun 2026-03-29 18:00:00 +01:00  2026-03-29T17:00:00Z',
    ].join('\n'),
  );
});

test('crossgate schedule takes the name of a session that a template has made, as sessions list shows it', async () => {
  await home.configure('VENUE_OMS.yaml', {
    template: true,
    targetCompID: '*',
    schedule: { resets: [{ at: '18:00' }] },
  });
  try {
    const { end, text } = await schedule('VENUE_OMS:CLIENT-1', '--from', '2026-03-28T17:00:00Z');
    expect([end, text]).toEqual([0, expect.stringContaining('resets  Sat 2026-03-28 18:00:00')]);
    expect((await schedule('ACME_OMS:CLIENT-1')).end).toBe(1);
  } finally {
    const undone = { template: undefined, targetCompID: 'VENUE_OMS', schedule: undefined };
    await home.configure('VENUE_OMS.yaml', undone);
  }
});

test('crossgate schedule --days 30 --json lists all of them', async () => {
  const { text } = await schedule('ACME_OMS', '--from', '2026-03-28T00:00:00Z', '--days', '30', '--json');
  const { open, timeZone, events } = JSON.parse(text);
  expect({ open, timeZone, count: events.length }).toEqual({ open: false, timeZone: 'Europe/London', count: 25 });
  expect(events.at(-1)).toEqual({
    kind: 'resets',
    at: '2026-04-26T17:00:00Z',
    local: 'Sun 2026-04-26 18:00:00 +01:00',
  });
});

test('an unknown session is not found, which is no wrong usage, and an open one never changes', async () => {
  const unknown = await schedule('NOBODY');
  expect([unknown.end, unknown.text]).toEqual([1, expect.stringMatching(/no session NOBODY.*\[XG_NOT_FOUND\]$/)]);
  expect((await schedule('ACME_OMS', '--days', 'all')).end).toBe(2);
  expect((await schedule('VENUE_OMS')).text).toMatch(/never changes, and its numbers are never reset by time/);
});

/** Closed whatever the hour: today and its neighbours are holidays. */
function closedNow(): { schedule: { timeZone: string; holidays: string[] }; text: string } {
  const today = Math.floor(Date.now() / DAY_MS);
  const date = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
  const holidays = [-1, 0, 1].map((day) => date(today + day));
  return { schedule: { timeZone: 'UTC', holidays }, text: `This session is closed until ${date(today + 2)}T00:00:00Z` };
}

test('a running gateway refuses the Logon of a closed session, and logs out a live one on schedule', async () => {
  const { schedule: closed, text } = closedNow();
  await home.configure('ACME_OMS.yaml', { schedule: closed, logon: { onRefusal: 'logout' } });
  const gateway = await home.start(null);
  const refused = await openFix(gateway.fixPort, ACME);
  await expect(logOn(refused, { password: await home.password() })).rejects.toThrow(/closed/);
  expect(refused.received.map((view) => [view.msgType, view.string(Tag.Text)])).toEqual([['5', text]]);

  const venue = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
  const live = await openFix(gateway.fixPort, venue);
  await logOn(live, { password: await home.password('VENUE_OMS') });
  // A running gateway takes a changed session file over by itself.
  await home.configure('VENUE_OMS.yaml', { schedule: closed });
  const logout = await live.expect('the Logout', (view) => view.msgType === '5');
  expect(logout.string(Tag.Text)).toBe(text);
});
