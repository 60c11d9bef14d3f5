// Questions about accounts as requests: windows of the history, pages, answers that are none.

import { expect, test } from 'vitest';
import type { TradeQuestion } from '../../../src/exchange/mod.ts';
import type { ReadResult } from '../../../src/exchange-client/mod.ts';
import { askAccount } from '../../../src/exchange-client/mod.ts';

const ACCOUNT = '111000000000001';
const DAY = 86_400_000;
const UNTIL = Date.UTC(2026, 0, 20);

/** Answers each target by its text, and keeps the targets. */
function askerOf(answer: (target: string) => { readonly status?: number; readonly json: unknown }) {
  const targets: string[] = [];
  const get = (target: string): Promise<ReadResult> => {
    targets.push(decodeURIComponent(target));
    const { status = 200, json } = answer(target);
    return Promise.resolve({
      kind: 'answer',
      status,
      body: JSON.stringify(json),
      headers: {},
    } as unknown as ReadResult);
  };
  return { targets, get, call: (name: string) => get(name) };
}

const question = (more: Partial<TradeQuestion> = {}): TradeQuestion => ({
  kind: 'trades',
  tradingAccountId: ACCOUNT,
  since: UNTIL - 10 * DAY,
  until: UNTIL,
  symbol: null,
  orderId: null,
  tradeId: null,
  cursor: null,
  ...more,
});

async function pagesOf(asker: ReturnType<typeof askerOf>, first: TradeQuestion): Promise<number> {
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    const answer = await askAccount(asker, { ...first, cursor });
    if (answer.kind !== 'trades' && answer.kind !== 'otcTrades') throw new Error(answer.kind);
    if (answer.next === null) return pages;
    cursor = answer.next;
  }
}

test('reads a range longer than a week window by window, and each window page by page', async () => {
  const asker = askerOf((target) => ({
    json: {
      data: [],
      links: target.includes('_nextPage') || !target.includes('2026-01-20') ? {} : { next: '/x?_nextPage=c2' },
    },
  }));
  expect(await pagesOf(asker, question({ symbol: 'BTCUSDC', orderId: '7' }))).toBe(3);
  const of = `/trading-api/v1/history/trades?tradingAccountId=${ACCOUNT}&symbol=BTCUSDC&orderId=7`;
  const page = '_pageSize=100&_metaData=true';
  const window = (from: string, to: string): string => `createdAtDatetime[gte]=${from}&createdAtDatetime[lte]=${to}`;
  const latest = window('2026-01-13T00:00:00.000Z', '2026-01-20T00:00:00.000Z');
  expect(asker.targets).toEqual([
    `${of}&${latest}&${page}`,
    `${of}&${latest}&${page}&_nextPage=c2`,
    `${of}&${window('2026-01-10T00:00:00.000Z', '2026-01-12T23:59:59.999Z')}&${page}`,
  ]);
});

test('asks for the last day without a range, and for negotiated trades by their own endpoint', async () => {
  const asker = askerOf(() => ({ json: [] }));
  await askAccount(asker, question({ since: null, until: null }));
  await askAccount(asker, question({ kind: 'otcTrades', since: null, until: null }));
  expect(asker.targets.map((target) => target.split('?')[0])).toEqual([
    '/trading-api/v1/trades',
    '/trading-api/v2/otc-trades',
  ]);
});

test('says why there is no answer, and leaves out entries that are not understood', async () => {
  const refused = askerOf(() => ({ status: 503, json: { message: 'later' } }));
  for (const kind of ['positions', 'collateral', 'mmp'] as const) {
    expect(await askAccount(refused, { kind, tradingAccountId: ACCOUNT })).toMatchObject({ kind: 'failed' });
  }
  expect(await askAccount(refused, question())).toMatchObject({ kind: 'failed' });
  const odd = askerOf(() => ({ json: [{ symbol: 'X' }, { symbol: 'BTC-USDC-PERP', side: 'SELL', quantity: '-2.0' }] }));
  const answer = await askAccount(odd, { kind: 'positions', tradingAccountId: ACCOUNT });
  expect(answer).toMatchObject({ positions: [{ symbol: 'BTC-USDC-PERP', side: 'SELL', quantity: '2.0' }] });
  const other = askerOf(() => ({ json: { tradingAccountId: '111000000000009', mmpConfigurations: [] } }));
  expect(await askAccount(other, { kind: 'mmp', tradingAccountId: ACCOUNT })).toMatchObject({ kind: 'failed' });
});
