// A journal of a wanted size, and how long the first searches in it take: as after an upgrade, without the ids of its segments,
// and as usual, with them.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type HistoryPage,
  type HistoryQuery,
  JournalHistory,
  type JournalRecord,
  openJournal,
} from '../../../src/store/mod.ts';

const SESSIONS = ['FIX.4.4:XGATE->OMS', 'FIX.4.4:XGATE->DESK', 'FIX.4.2:XGATE->OTHER', 'FIXT.1.1:XGATE->LAST'];
const BEGINS_AT = Date.UTC(2026, 10, 2, 8);
const ORDERS_A_SYNC = 500;

export interface HistoryCampaignOptions {
  readonly bytes: number;
  readonly segmentBytes: number;
}

/** Times in milliseconds; of a search the longest of all. */
export interface HistoryMeasurement {
  readonly bytes: number;
  readonly segments: number;
  readonly orders: number;
  /** One page of a search while no segment has its ids: for each place of the order in the journal. */
  readonly withoutIds: number;
  /** Making the ids of every segment, and what they take on disk. */
  readonly makingIds: number;
  readonly idBytes: number;
  /** By another process, as it were: nothing is in memory. */
  readonly withIds: number;
  /** Searches that found something else than the order. */
  readonly wrong: readonly string[];
}

/** Write such a journal and search in it. */
export async function historyCampaign(options: HistoryCampaignOptions): Promise<HistoryMeasurement> {
  const directory = mkdtempSync(join(tmpdir(), 'crossgate-history-'));
  try {
    const journal = join(directory, 'journal');
    mkdirSync(journal);
    const orders = await writeOrders(journal, options);
    const wrong: string[] = [];
    // Whatever the writing process made is of no use to a journal from before.
    rmSync(join(journal, 'history'), { recursive: true, force: true });
    const withoutIds = await searchedAll(journal, orders, wrong, true);
    rmSync(join(journal, 'history'), { recursive: true, force: true });
    const from = performance.now();
    const making = new JournalHistory(journal);
    while ((await making.prepareNext()) > 0);
    const makingIds = performance.now() - from;
    const withIds = await searchedAll(journal, orders, wrong, false);
    return {
      bytes: sizeOf(journal, /\.xgj$/),
      segments: readdirSync(journal).filter((name) => name.endsWith('.xgj')).length,
      orders,
      withoutIds,
      makingIds,
      idBytes: sizeOf(join(journal, 'history'), /\.ids$/),
      withIds,
      wrong,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Orders from different times of the journal, one that never was, and each kind of search. */
async function searchedAll(directory: string, orders: number, wrong: string[], isFirst: boolean): Promise<number> {
  let longest = 0;
  for (const n of [1, Math.floor(orders / 2), orders, orders + 1]) {
    for (const kind of ['message', 'order'] as const) {
      if (isFirst) rmSync(join(directory, 'history'), { recursive: true, force: true });
      const from = performance.now();
      const page = await firstPage(directory, kind, n);
      longest = Math.max(longest, performance.now() - from);
      const expected = n > orders ? 0 : kind === 'message' ? 3 : 1;
      if (page.entries.length !== expected || page.unread.length > 0)
        wrong.push(`${kind} A-${n}: ${page.entries.length} of ${expected}, ${page.unread.join(', ')}`);
    }
  }
  return longest;
}

async function firstPage(directory: string, kind: HistoryQuery['kind'], n: number): Promise<HistoryPage> {
  const query: HistoryQuery = {
    kind,
    sessionIds: null,
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    msgTypes: [],
    tags: [],
    clOrdID: `A-${n}`,
    orderID: null,
    symbol: null,
    ordStatus: null,
    text: null,
    before: null,
    limit: 100,
    withinMs: Number.POSITIVE_INFINITY,
  };
  return await new JournalHistory(directory).search(query);
}

async function writeOrders(directory: string, { bytes, segmentBytes }: HistoryCampaignOptions): Promise<number> {
  const journal = await openJournal({ directory, now: () => BEGINS_AT, segmentBytes, snapshotBytes: bytes * 10 });
  let orders = 0;
  for (let written = 0; written < bytes; ) {
    orders++;
    const records = recordsOf(orders);
    for (const record of records) written += 'raw' in record ? record.raw.length : JSON.stringify(record).length;
    journal.append(records, BEGINS_AT + orders * 10);
    if (orders % ORDERS_A_SYNC === 0) await journal.sync();
  }
  await journal.sync();
  await journal.close();
  return orders;
}

/** D, its two reports, the order as it begins and as it ends: about two kilobytes. */
function recordsOf(n: number): JournalRecord[] {
  const sessionId = SESSIONS[n % SESSIONS.length]!;
  const at = '20261102-08:00:00.000';
  const terms = '1=111000000000001|55=BTCUSDC|54=1|38=0.5|40=2|44=60000|59=1';
  const raw = (text: string): Buffer =>
    Buffer.from(`8=FIX.4.4|9=200|${text}|10=000|`.replaceAll('|', '\x01'), 'latin1');
  const header = (msgType: string): string => `35=${msgType}|34=${n}|49=A_SENDER|52=${at}|56=A_TARGET`;
  const report = (execId: string, rest: string): string =>
    `${header('8')}|57=trader1|37=17960${n}|11=A-${n}|17=17960${n}-${execId}|${terms}|${rest}|60=${at}`;
  const order = (state: string): string =>
    JSON.stringify({
      v: 2,
      kind: 'order',
      sessionId,
      terms: { symbol: 'BTCUSDC', side: 'BUY', quantity: '0.5', price: '60000', timeInForce: 'GTC' },
      account: { account: '111000000000001', tradingAccountId: '111000000000001', credential: 'primary' },
      clOrdID: `A-${n}`,
      clOrdIDs: [`A-${n}`],
      exchangeOrderId: `17960${n}`,
      state,
      trades: [{ tradeId: `9${n}`, quantity: '0.5', price: '60000', fee: '0.00004' }],
      timeline: [BEGINS_AT, BEGINS_AT + 1, BEGINS_AT + 2, BEGINS_AT + 3],
    });
  const common = { sessionId, series: 1, msgSeqNum: n };
  return [
    {
      kind: 'inbound',
      ...common,
      nextTargetMsgSeqNum: n + 1,
      msgType: 'D',
      raw: raw(`${header('D')}|50=trader1|11=A-${n}|${terms}|60=${at}`),
    },
    { kind: 'order', key: `order-${n}`, record: order('0') },
    {
      kind: 'outbound',
      ...common,
      msgType: '8',
      resendable: true,
      raw: raw(report('0', '150=0|39=0|151=0.5|14=0|6=0')),
    },
    {
      kind: 'outbound',
      ...common,
      msgType: '8',
      resendable: true,
      raw: raw(report('F', '150=F|39=2|31=60000|32=0.5|151=0|14=0.5|6=60000')),
    },
    { kind: 'order', key: `order-${n}`, ended: [`${sessionId} A-${n}`], record: order('2') },
  ];
}

function sizeOf(folder: string, form: RegExp): number {
  const names = readdirSync(folder).filter((name) => form.test(name));
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
