// Questions about an account, its trades included, as requests to the exchange, and its answers as values. client.ts asks, with a login and in
// the bridge's share of the rate, so that no order waits for them (rule B4).

import { type EpochMs, formatIso } from '../../base/time.ts';
import {
  type DataAnswer,
  type DataQuestion,
  decodeAccountFigures,
  decodeBalance,
  decodeMmpConfigurations,
  decodeOtcTrade,
  decodePage,
  decodePosition,
  decodeTrade,
  ENDPOINTS,
  type EndpointName,
  type EndpointQuestion,
  parseExactJson,
  type TradeQuestion,
} from '../../exchange/mod.ts';
import { nextTarget, type ReadResult, reasonOf } from './read-answers.ts';

/** Asks one endpoint by its name, or a target (path with query). */
export interface Asker {
  call<N extends EndpointName>(name: N, question: EndpointQuestion<N>): Promise<ReadResult>;
  get(target: string): Promise<ReadResult>;
}

/** Ask about an account. Never rejects: without an answer it is `failed`, with the reason. */
export async function askAccount(asker: Asker, question: DataQuestion): Promise<DataAnswer> {
  if (question.kind === 'trades' || question.kind === 'otcTrades') return await askTrades(asker, question);
  const { kind, tradingAccountId } = question;
  if (kind === 'positions') {
    const positions = listIn(await asker.call('positions', { tradingAccountId }), decodePosition);
    return typeof positions === 'string' ? failed(positions) : { kind, positions };
  }
  if (kind === 'mmp') {
    const answer = await asker.call('mmpConfiguration', { tradingAccountId });
    const configurations = decodeMmpConfigurations(jsonIn(answer), tradingAccountId);
    return configurations === null ? failed(reasonOf(answer)) : { kind, configurations };
  }
  const [account, assets] = await Promise.all([
    asker.call('tradingAccount', { tradingAccountId }),
    asker.call('assetAccounts', { tradingAccountId }),
  ]);
  const json = jsonIn(account);
  const figures = json === undefined ? null : decodeAccountFigures(json, tradingAccountId);
  if (figures === null) return failed(reasonOf(account));
  const balances = listIn(assets, decodeBalance);
  return typeof balances === 'string' ? failed(balances) : { kind, figures, balances };
}

const failed = (message: string): DataAnswer => ({ kind: 'failed', message });

function jsonIn(answer: ReadResult): unknown {
  return answer.kind === 'answer' && answer.status === 200 ? parseExactJson(answer.body) : undefined;
}

/** The entries of a list, those that are not understood left out; without a list, why there is none. */
function listIn<T>(answer: ReadResult, decode: (json: unknown) => T | null): T[] | string {
  const json = jsonIn(answer);
  const page = json === undefined ? null : decodePage(json);
  if (page === null) return reasonOf(answer);
  return page.items.map(decode).filter((item) => item !== null);
}

const DAY_MS = 86_400_000;
/** The longest range of one query of the history (exchange reference §1.3). */
const WINDOW_MS = 7 * DAY_MS;
const PAGE = '_pageSize=100&_metaData=true';

/** Where a list continues: the end of the window that is read, and the link of its next page. */
interface Cursor {
  readonly until: EpochMs;
  readonly link: string | null;
}

/** One page of trades, the latest first. A range longer than a query may ask for is read window by window. */
async function askTrades(asker: Asker, question: TradeQuestion): Promise<DataAnswer> {
  const { kind, tradingAccountId, cursor, otcTradeId } = question;
  if (otcTradeId !== undefined) return await askOtcTrade(asker, tradingAccountId, otcTradeId);
  const at: Cursor = cursor === null ? { until: question.until ?? 0, link: null } : (JSON.parse(cursor) as Cursor);
  const first = firstTarget(question, at.until);
  const answer = await asker.get(at.link === null ? first : (nextTarget(first, at.link) ?? first));
  const json = jsonIn(answer);
  const page = json === undefined ? null : decodePage(json);
  if (page === null) return failed(reasonOf(answer));
  const next = page.next === null ? nextWindow(question, at.until) : { until: at.until, link: page.next };
  const continued = next === null ? null : JSON.stringify(next);
  if (kind === 'otcTrades') {
    const otcTrades = page.items.map((item) => decodeOtcTrade(item, tradingAccountId)).filter((one) => one !== null);
    return { kind, otcTrades, next: continued };
  }
  const trades = page.items.map((item) => decodeTrade(item, tradingAccountId)).filter((one) => one !== null);
  return { kind, trades, next: continued };
}

/** One negotiated trade; an empty list if the account has none of that id. */
async function askOtcTrade(asker: Asker, tradingAccountId: string, otcTradeId: string): Promise<DataAnswer> {
  const path = ENDPOINTS.otcTrade.path.replace(':otcTradeId', encodeURIComponent(otcTradeId));
  const answer = await asker.get(`${path}?tradingAccountId=${encodeURIComponent(tradingAccountId)}`);
  const isAbsent = answer.kind === 'answer' && answer.status === 404 && parseExactJson(answer.body) !== undefined;
  if (isAbsent) return { kind: 'otcTrades', otcTrades: [], next: null };
  const trade = decodeOtcTrade(jsonIn(answer), tradingAccountId);
  return trade === null ? failed(reasonOf(answer)) : { kind: 'otcTrades', otcTrades: [trade], next: null };
}

function firstTarget(question: TradeQuestion, until: EpochMs): string {
  const { kind, tradingAccountId, since, symbol, orderId, tradeId } = question;
  const path =
    kind === 'otcTrades'
      ? ENDPOINTS.otcTrades.path
      : since === null
        ? ENDPOINTS.trades.path
        : ENDPOINTS.pastTrades.path;
  const query = [`tradingAccountId=${encodeURIComponent(tradingAccountId)}`];
  if (kind === 'trades') {
    if (symbol !== null) query.push(`symbol=${encodeURIComponent(symbol)}`);
    if (orderId !== null) query.push(`orderId=${encodeURIComponent(orderId)}`);
    if (tradeId !== null && since !== null) query.push(`tradeId=${encodeURIComponent(tradeId)}`);
  }
  if (since !== null) {
    const [gte, lte] = [Math.max(since, until - WINDOW_MS), until].map((time) => encodeURIComponent(formatIso(time)));
    query.push(`createdAtDatetime%5Bgte%5D=${gte}`, `createdAtDatetime%5Blte%5D=${lte}`);
  }
  return `${path}?${query.join('&')}&${PAGE}`;
}

function nextWindow({ since }: TradeQuestion, until: EpochMs): Cursor | null {
  const end = until - WINDOW_MS;
  return since === null || end < since ? null : { until: end - 1, link: null };
}
