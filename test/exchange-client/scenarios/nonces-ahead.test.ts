// An earlier process of the same key was ahead of the clock, without its note here: the command that cancels all from
// the credential alone (rule C4), or a gateway without its journal. A nonce below is refused.

import { afterEach, expect, test } from 'vitest';
import { exchangeCheck } from '../../../src/exchange-client/mod.ts';
import { ACCOUNT, limitBuy, openVenue, type Venue } from '../venue.ts';

const START = Date.UTC(2026, 9, 5, 12);
const CANCEL_ALL = { kind: 'cancelAll', tradingAccountId: ACCOUNT } as const;

let venue: Venue | null = null;
afterEach(() => venue?.close());

/** A gateway that was started so often, each time a second after the one before, and left an order. */
async function started(times: number): Promise<Venue> {
  venue = await openVenue();
  venue.clock.now = START;
  let nonceCeiling: string | null = null;
  for (let start = 0; start < times; start++, venue.clock.now += 1_000) {
    const { client, ceilings } = venue.connect({ nonceCeiling });
    await client.start();
    const outcome = await client.submit(`start-${start}`, limitBuy(String(start + 1)));
    if (outcome.kind !== 'accepted') throw new Error(`start ${start}: ${outcome.kind}`);
    nonceCeiling = ceilings.at(-1) ?? nonceCeiling;
    await client.close();
  }
  return venue;
}

test.each([2, 30])('C4 behind a gateway that was started %i times, all is cancelled at once', async (times) => {
  const { connect } = await started(times);
  const logged: string[] = [];
  const { client } = connect({ log: (level, text) => logged.push(`${level} ${text}`) });
  await client.start();
  expect(await client.submit('all', CANCEL_ALL)).toMatchObject({ kind: 'accepted' });
  expect((await client.recent(ACCOUNT))?.orders.filter(({ status }) => status === 'OPEN')).toEqual([]);
  expect(logged.join('\n')).toMatch(/^warn the exchange refused a nonce: another process of this key was ahead, or /m);
});

test('C4 in serial mode all is cancelled behind restarts as well', async () => {
  const { connect } = await started(5);
  const { client } = connect({ nonceMode: 'serial' });
  await client.start();
  expect(await client.submit('all', CANCEL_ALL)).toMatchObject({ kind: 'accepted' });
});

test('X3 a gateway without its journal is refused until it is ahead; no order is sent twice', async () => {
  const { connect } = await started(10);
  const { client, ceilings } = connect();
  await client.start();
  const kinds: string[] = [];
  for (let i = 0; i < 5; i++) kinds.push((await client.submit(`o-${i}`, limitBuy(String(100 + i)))).kind);
  expect(kinds).toEqual(['refused', 'refused', 'refused', 'accepted', 'accepted']);
  const after = connect({ nonceCeiling: ceilings.at(-1)! });
  await after.client.start();
  expect(await after.client.submit('next', limitBuy('200'))).toMatchObject({ kind: 'accepted' });
});

test('X6 the check sends no nonce ahead of a gateway that runs: it waits', async () => {
  const opened = await started(2);
  const report = await exchangeCheck({
    baseUrl: opened.simulator.url,
    credential: opened.credential('demo-hmac'),
    tradingAccountId: ACCOUNT,
    now: () => opened.clock.now,
    retryAfterMs: 0,
  });
  expect(report.ok).toBe(false);
});
