import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HistoryQuery, HistoryThread, JournalHistory, type JournalRecord } from '../../../src/store/mod.ts';
import { archiveNext } from '../../../src/store/snapshots/archive.ts';
import { historyCampaign } from '../../support/campaigns/history-campaign.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, OTHER, outbound, SESSION } from '../records.ts';

const ALL: HistoryQuery = {
  kind: 'message',
  sessionIds: null,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  msgTypes: [],
  tags: [],
  clOrdID: null,
  orderID: null,
  symbol: null,
  ordStatus: null,
  text: null,
  before: null,
  limit: 10,
  withinMs: 60_000,
};

/** 3,000 orders of two sessions in segments of 64 kB, the first ones archived. */
async function journal(): Promise<string> {
  const directory = temporaryDirectory();
  const open = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1; n <= 3000; n++) {
    const sessionId = n % 2 === 0 ? SESSION : OTHER;
    const ended: JournalRecord = {
      kind: 'order',
      key: `order-${n}`,
      ended: [`${sessionId} o-${n}`],
      record: `{"v":2,"kind":"order","sessionId":"${sessionId}","terms":{"symbol":"BTCUSDC"},"clOrdID":"o-${n}","state":"2"}`,
    };
    open.append([inbound(n, sessionId), outbound(n, sessionId), ended], n * 1000);
    if (n % 100 === 0) await open.sync();
  }
  await open.close();
  return directory;
}

function archiveMost(directory: string): void {
  const before = segmentNames(directory).length - 1;
  while (archiveNext({ directory, retentionDays: null, now: 1, before }).left > 0);
}

const numbersOf = (page: Awaited<ReturnType<JournalHistory['search']>>): number[] =>
  page.entries.map(({ record }) => ('msgSeqNum' in record ? record.msgSeqNum : -1));

test('a search finds a ClOrdID(11) in any segment, archived or not', async () => {
  const directory = await journal();
  archiveMost(directory);
  const history = new JournalHistory(directory);
  for (const n of [1, 1500, 3000]) {
    const page = await history.search({ ...ALL, clOrdID: `o-${n}` });
    expect([numbersOf(page), page.next, page.unread]).toEqual([[n], null, []]);
  }
  expect((await history.search({ ...ALL, clOrdID: 'o-0' })).entries).toEqual([]);
});

test('pages follow each other from the newest message back, each message once', async () => {
  const history = new JournalHistory(await journal());
  const seen: number[] = [];
  let before: HistoryQuery['before'] = null;
  do {
    const page = await history.search({ ...ALL, sessionIds: [OTHER], msgTypes: ['D'], limit: 200, before });
    seen.push(...numbersOf(page));
    before = page.next;
  } while (before !== null);
  expect(seen).toEqual(Array.from({ length: 1500 }, (_, k) => 2999 - 2 * k));
});

test('a search keeps to times and to a tag with its value', async () => {
  const history = new JournalHistory(await journal());
  const page = await history.search({ ...ALL, from: 10_000, to: 12_000, limit: 100 });
  expect(numbersOf(page)).toEqual([12, 12, 11, 11, 10, 10]);
  const tagged = await history.search({ ...ALL, tags: [{ tag: 34, value: '77' }], msgTypes: ['8'] });
  expect(numbersOf(tagged)).toEqual([77]);
});

test('a search finds orders that ended by session, id and state', async () => {
  const history = new JournalHistory(await journal());
  const page = await history.search({ ...ALL, kind: 'order', sessionIds: [SESSION], ordStatus: '2', limit: 2 });
  expect(page.entries.map(({ record }) => record.kind === 'order' && record.key)).toEqual(['order-3000', 'order-2998']);
  const one = await history.search({ ...ALL, kind: 'order', clOrdID: 'o-7', symbol: 'BTCUSDC' });
  expect(one.entries.map(({ record }) => record.kind === 'order' && record.key)).toEqual(['order-7']);
});

test('a search by an id does not read the segments that cannot have it', async () => {
  const directory = await journal();
  const history = new JournalHistory(directory);
  while ((await history.prepareNext()) > 0);
  expect(readdirSync(join(directory, 'history')).length).toBe(segmentNames(directory).length - 1);
  // Whatever reads these now would say so.
  for (const name of segmentNames(directory).slice(1, -1)) writeFileSync(join(directory, name), 'damaged'.repeat(50));
  const page = await new JournalHistory(directory).search({ ...ALL, clOrdID: 'o-1' });
  expect([numbersOf(page), page.unread]).toEqual([[1], []]);
  const whole = await new JournalHistory(directory).search({ ...ALL, limit: 5000 });
  expect(whole.unread.length).toBe(segmentNames(directory).length - 2);
});

test('ids that are damaged or of a deleted segment are not used', async () => {
  const directory = await journal();
  const history = new JournalHistory(directory);
  while ((await history.prepareNext()) > 0);
  writeFileSync(join(directory, 'history', '00000001.ids'), 'damaged');
  writeFileSync(join(directory, 'history', '00009999.ids'), 'left behind');
  const again = new JournalHistory(directory);
  expect(numbersOf(await again.search({ ...ALL, clOrdID: 'o-2' }))).toEqual([2]);
  await again.prepareNext();
  expect(readdirSync(join(directory, 'history'))).not.toContain('00009999.ids');
});

test('a page that takes too long says how far it came, and the next one goes on there', async () => {
  const history = new JournalHistory(await journal());
  let { before } = ALL;
  let pages = 0;
  const found: number[] = [];
  do {
    const page = await history.search({ ...ALL, tags: [{ tag: 34, value: '2' }], withinMs: 0, before });
    found.push(...numbersOf(page));
    before = page.next;
    pages++;
  } while (before !== null);
  expect(found).toEqual([2, 2]);
  expect(pages).toBeGreaterThan(5);
});

test('a thread answers searches one after the other, and says why it cannot', async () => {
  const directory = await journal();
  const thread = new HistoryThread(() => ({ kind: 'embedded', directory }));
  const pages = await Promise.all([5, 6, 7].map((n) => thread.search({ ...ALL, clOrdID: `o-${n}` })));
  expect(pages.map(numbersOf)).toEqual([[5], [6], [7]]);
  await thread.close();
  await expect(thread.search(ALL)).rejects.toMatchObject({ code: 'XG_JOURNAL_UNREADABLE' });
  const none = new HistoryThread(() => ({ kind: 'embedded', directory: join(directory, 'nowhere') }));
  await expect(none.search(ALL)).rejects.toMatchObject({ code: 'XG_JOURNAL_UNREADABLE' });
  await none.close();
});

test('a journal makes the ids of its finished segments by itself, those from before its start too', async () => {
  const directory = await journal();
  rmSync(join(directory, 'history'), { recursive: true, force: true });
  await openIn(directory, { segmentBytes: 65_536 });
  const finished = segmentNames(directory).length - 1;
  await expect.poll(() => readdirSync(join(directory, 'history')).length).toBe(finished);
  const page = await new JournalHistory(directory).search({ ...ALL, clOrdID: 'o-2' });
  expect(numbersOf(page)).toEqual([2]);
});

test('ids of orders, and with characters that JSON escapes, are found behind the filters', async () => {
  const directory = temporaryDirectory();
  const open = await openIn(directory, { segmentBytes: 65_536 });
  const order = (clOrdID: string, exchangeOrderId: string | null): string =>
    JSON.stringify({ sessionId: SESSION, clOrdID, clOrdIDs: ['first', clOrdID], exchangeOrderId, state: '2' });
  const names = ['plain', 'with "quotes"', 'back\\slash', 'ünlaut'];
  for (const [n, name] of names.entries())
    open.append([{ kind: 'order', key: name, ended: [`${SESSION} ${name}`], record: order(name, `9-${n}`) }], n + 1);
  for (let n = 1; n <= 600; n++) open.append([inbound(n), outbound(n)], 1000 + n);
  await open.close();
  const history = new JournalHistory(directory);
  while ((await history.prepareNext()) > 0);
  const found = async (more: Partial<HistoryQuery>): Promise<number> =>
    (await new JournalHistory(directory).search({ ...ALL, kind: 'order', ...more })).entries.length;
  for (const clOrdID of names) expect(await found({ clOrdID }), clOrdID).toBe(1);
  expect(await found({ clOrdID: 'first' })).toBe(4);
  expect(await found({ orderID: '9-2' })).toBe(1);
  expect(await found({ clOrdID: 'absent' })).toBe(0);
});

test('the first search of a large journal is quick, with ids and without', async () => {
  // `npm run nightly -- history` measures a gigabyte.
  const { withoutIds, withIds, wrong, segments } = await historyCampaign({
    bytes: 12_582_912,
    segmentBytes: 4_194_304,
  });
  expect(wrong).toEqual([]);
  expect(segments).toBeGreaterThan(2);
  expect(Math.max(withoutIds, withIds)).toBeLessThan(2_000);
});
