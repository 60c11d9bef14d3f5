// Reads over REST: orders, trades, markets, prices, the nonce range. A read may be asked again; a command never.

import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import {
  decodeLastPrice,
  decodeMarket,
  decodeNonceRange,
  decodeOrder,
  decodePage,
  decodeTrade,
  ENDPOINTS,
  type ExchangeOrder,
  type ExchangeTrade,
  isSameMarket,
  longArray,
  type Market,
  type NonceRange,
  type OrderLookup,
  oldestFirst,
  parseExactJson,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import { CUSTODY_NEEDS_ECDSA } from '../commands/outcome.ts';
import { RareLog } from '../log-throttle.ts';
import type { ExchangeLogin } from '../login/login.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RateBudget, RateCategory, RatePriority } from '../rates/rate-budget.ts';
import type { ServiceWatch } from '../service-watch.ts';
import type { HttpOrigin } from './http.ts';
import {
  isAsked,
  isPlainNotFound,
  latest,
  nextTarget,
  OF_ANOTHER,
  type ReadResult,
  reasonOf,
  sum,
} from './read-answers.ts';

/** A query: any GET, or an unsigned request that concerns no order (a simulation, an address of custody). */
export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with query. */
  readonly target: string;
  readonly body: string | null;
}

const DAY_MS = 86_400_000;
/** The longest range of one query of the history, and how far back it goes (exchange reference §1.3). */
const HISTORY_WINDOW_MS = 7 * DAY_MS;
const HISTORY_MS = 90 * DAY_MS;
const PAGE_SIZE = 100;
/** Pages of one list; more than this is not "recent" any more. */
const PAGES_MAX = 50;
/** Retries of a page, because its loss would cost the earlier pages. */
const PAGE_TRIES = 3;
/** Longest value of a header. */
const RATE_LIMIT_TOKEN = /^[\x21-\x7e]{1,4096}$/;
/** So long after it was entered an order is certainly among those of the last day, whatever the clocks. */
const OF_LAST_DAY_MS = DAY_MS / 2;
/** Longest wait for a share of the rate. */
const RATE_WAIT_MAX_MS = 10_000;
/** The same of a look-up: who gives up loses the turn. */
const LOOKUP_WAIT_MAX_MS = 60_000;

/** How something is asked. */
interface Asking {
  readonly priority?: RatePriority;
  /** Of the look-up that it is part of. */
  readonly turn?: number | undefined;
  readonly isWanted?: (() => boolean) | undefined;
  /** Called when it leaves. */
  readonly onLeave?: () => void;
  /** A cache in between must not answer. */
  readonly isFresh?: boolean;
  /** For a list: a failure would lose the pages read before. */
  readonly goesOn?: boolean;
}

/** Data of one order; null if it could not be requested. */
export interface OrderRead {
  readonly order: ExchangeOrder | 'absent' | null;
  /** It was asked for when the answer could decide. */
  readonly decides: boolean;
}

/** Data of a list, and whether it is complete. */
interface List<T> {
  readonly items: readonly T[];
  readonly isWhole: boolean;
}

export class Reads {
  readonly #options: ResolvedOptions;
  readonly #login: ExchangeLogin;
  readonly #http: HttpOrigin;
  readonly #watch: ServiceWatch | null;
  readonly #budget: RateBudget;
  readonly #rareLog: RareLog;
  /** The markets as last read, and their text: an equal text brings nothing new. */
  #markets: { readonly body: string; readonly list: readonly Market[] } | null = null;
  /** Markets that were not understood when last read. */
  #leftOut = '';

  constructor(
    options: ResolvedOptions,
    login: ExchangeLogin,
    http: HttpOrigin,
    budget: RateBudget,
    watch: ServiceWatch | null = null,
  ) {
    this.#watch = watch;
    this.#options = options;
    this.#login = login;
    this.#http = http;
    this.#budget = budget;
    this.#rareLog = new RareLog(options);
  }

  /** GET a target (path with query); with a login unless `category` is public. */
  get(target: string, category: RateCategory, priority: RatePriority = 'read'): Promise<ReadResult> {
    return this.ask({ method: 'GET', target, body: null }, category, { priority });
  }

  /** Ask something that concerns no order. A 401 is asked again once with a new login: it was not looked at. */
  async ask(
    question: Question,
    category: RateCategory,
    { priority = 'read', turn, isWanted, onLeave, isFresh = false }: Asking = {},
  ): Promise<ReadResult> {
    const withinMs = priority === 'lookup' ? LOOKUP_WAIT_MAX_MS : RATE_WAIT_MAX_MS;
    if (category === 'custody' && this.#options.credential.kind === 'hmac') {
      return { kind: 'failed', message: CUSTODY_NEEDS_ECDSA, isBarred: true };
    }
    for (let attempt = 0; ; attempt++) {
      const token = category === 'public' ? null : (this.#login.current ?? (await this.#firstLogin()));
      if (token === null && category !== 'public') return { kind: 'failed', message: 'the exchange login is not up' };
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token.token}` };
      if (question.body !== null) headers['content-type'] = 'application/json';
      if (isFresh) headers['cache-control'] = 'no-cache';
      const ticket = await this.#budget.room(category, priority, withinMs, turn, isWanted);
      if (ticket === null) return { kind: 'failed', message: 'no share of the rate limit in time' };
      onLeave?.();
      const sent = this.#http.send({ ...question, headers });
      const result = await (this.#watch?.of('reads', sent) ?? sent);
      ticket.settle(result);
      if (result.kind !== 'answer') return { kind: 'failed', message: result.message };
      if (result.status !== 401 || token === null || attempt > 0) return result;
      if ((await this.#login.replace(token.token)) === null) return result;
    }
  }

  /** The rate limit tokens of our trading accounts (BX-RATELIMIT-TOKEN), by account; null if they could not be read. */
  async rateLimitTokens(): Promise<ReadonlyMap<string, string> | null> {
    const json = await this.#json('/trading-api/v1/accounts/trading-accounts', 'other');
    const page = json === undefined ? null : decodePage(json);
    if (page === null) return null;
    const tokens = new Map<string, string>();
    for (const item of page.items) {
      const account = toObject(item);
      const id = toText(account?.tradingAccountId);
      const token = toText(account?.rateLimitToken);
      if (id === null || token === null) continue;
      // With one that no header can hold, no command of the account could be written, its cancels among them.
      if (RATE_LIMIT_TOKEN.test(token)) tokens.set(id, token);
      else
        this.#options.log('warn', 'a rate limit token is none that a header can hold; it is not sent', { account: id });
    }
    return tokens;
  }

  /** The range of the day. The documents name it with a version and without one: the exchange has at least one of the two. */
  async nonceRange(): Promise<NonceRange | null> {
    const category = this.#options.settings.nonceAuthenticated ? 'other' : 'public';
    const { nonce, nonceOfDocument } = ENDPOINTS;
    const answer = await this.get(nonce.path, category);
    const isThere = answer.kind === 'failed' || answer.status !== 404;
    const json = isThere ? this.#jsonOf(nonce.path, answer) : await this.#json(nonceOfDocument.path, category);
    const range = json === undefined ? null : decodeNonceRange(json);
    if (json !== undefined && range === null) this.#tellNone('range of nonces', nonce.path);
    return range;
  }

  /**
   * All of them; some at a time, with a turn for everybody else between: options are thousands. One in its place of `before` that
   * has not changed is the very same.
   */
  async markets(before: readonly Market[] = []): Promise<Market[] | null> {
    const target = '/trading-api/v1/markets';
    // The exchange lets its list be kept for a minute (exchange reference §1.6).
    const answer = await this.ask({ method: 'GET', target, body: null }, 'public', { isFresh: true });
    const body = answer.kind === 'answer' && answer.status === 200 ? answer.body : null;
    if (body !== null && body === this.#markets?.body && this.#markets.list === before) return [...before];
    const markets: Market[] = [];
    const leftOut: string[] = [];
    for (const items of this.#itemsOf(target, answer)) {
      if (items === null) return null;
      for (const item of items) {
        const market = decodeMarket(item);
        const known = before[markets.length];
        if (market !== null) markets.push(known !== undefined && isSameMarket(market, known) ? known : market);
        else leftOut.push((toText(toObject(item)?.symbol) ?? '(no symbol)').slice(0, 40));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#tellLeftOut(leftOut.join(' '));
    this.#markets =
      body === null
        ? null
        : {
            body,
            list: before.length === markets.length && markets.every((one, i) => one === before[i]) ? before : markets,
          };
    return markets;
  }

  /** Entries of a list, some with each `next`; null if it cannot be read, and then none of it counts. */
  *#itemsOf(target: string, answer: ReadResult): Generator<readonly unknown[] | null, void> {
    const entries = answer.kind === 'answer' && answer.status === 200 ? longArray(answer.body) : null;
    for (const items of entries ?? [null]) {
      if (items !== null) {
        yield items;
        continue;
      }
      // In one piece it is another list, or the log has why it is none.
      const json = this.#jsonOf(target, answer);
      yield json === undefined ? null : (this.#pageOf(json, target)?.items ?? null);
    }
  }

  /** A market that is listed no more, as an option that expired; null where the exchange does not say. */
  async pastMarket(symbol: string): Promise<Market | null> {
    const json = await this.#json(`/trading-api/v1/history/markets/${encodeURIComponent(symbol)}`, 'public');
    const market = json === undefined ? null : decodeMarket(json);
    return market?.symbol === symbol ? market : null;
  }

  /** Read again and again, they are named when they change. */
  #tellLeftOut(symbols: string): void {
    const isNew = symbols !== this.#leftOut;
    this.#leftOut = symbols;
    if (!isNew || symbols === '') return;
    this.#options.log('warn', 'unreadable markets are left out and cannot be traded', { symbols });
  }

  /** Last traded price on the continuous book, or null. */
  async lastPrice(symbol: string): Promise<string | null> {
    const target = `/trading-api/v1/markets/${encodeURIComponent(symbol)}/tick`;
    const json = await this.#json(target, 'public');
    const last = json === undefined ? null : decodeLastPrice(json);
    if (last === null || last.symbol === null || last.symbol === symbol) return last?.price ?? null;
    this.#tellNone('tick of its market', target);
    return null;
  }

  /**
   * One order, by the exchange's id if that is known, else by our reference; first among those of the last day, then in
   * the history. `absent` if the exchange says that it has none such. `canDecide` is called when the query leaves:
   * while the answer decides nothing, the history is spared for orders certainly among those of the last day. `turn`:
   * of the look-up.
   */
  async order(lookup: OrderLookup, turn: number, canDecide: () => boolean): Promise<OrderRead> {
    const { tradingAccountId: account, orderId, clientOrderId, isWanted } = lookup;
    const path = orderId ?? `client-order-id/${clientOrderId}`;
    const target = `/trading-api/v2/orders/${path}?tradingAccountId=${account}`;
    let decides = false;
    const onLeave = (): void => {
      decides = canDecide();
    };
    const asking = { priority: 'lookup', turn, isWanted, onLeave } as const;
    const answer = await this.ask({ method: 'GET', target, body: null }, 'orders', asking);
    if (answer.kind === 'answer' && answer.status === 200) {
      const order = decodeOrder(parseExactJson(answer.body), account);
      const isOther = order !== null && !isAsked(order, lookup);
      if (order === null || isOther) this.#tellUnread(lookup, isOther ? OF_ANOTHER : answer);
      return { order: isOther ? null : order, decides };
    }
    if (answer.kind === 'failed' || answer.status !== 404 || !isPlainNotFound(answer)) {
      this.#tellUnread(lookup, answer);
      return { order: null, decides };
    }
    if (!decides && this.#isOfLastDay(lookup)) return { order: 'absent', decides };
    return { order: await this.#pastOrder(lookup, turn), decides };
  }

  /**
   * Why nothing was read of an order. It is requested repeatedly, for possibly thousands of orders: the interval
   * depends on the last result.
   */
  #tellUnread({ tradingAccountId, orderId, clientOrderId }: OrderLookup, answer: ReadResult): void {
    const kind = answer.kind === 'failed' ? 'failed' : answer.status === 200 ? 'not understood' : 'no answer';
    const text = `an order could not be asked for: ${reasonOf(answer)}`;
    this.#rareLog.say(kind, 'warn', text, { tradingAccountId, orderId, clientOrderId });
  }

  /** Entered here of late, and not known by an id of the exchange, which would say that it has been there. */
  #isOfLastDay({ orderId, enteredAt }: OrderLookup): boolean {
    return orderId === null && enteredAt !== undefined && Math.abs(this.#options.now() - enteredAt) < OF_LAST_DAY_MS;
  }

  /** One order of the history; null if that could not be asked. */
  async #pastOrder(lookup: OrderLookup, turn: number): Promise<OrderRead['order']> {
    const { tradingAccountId: account, orderId, clientOrderId, enteredAt } = lookup;
    const by = orderId === null ? `clientOrderId=${clientOrderId}` : `orderId=${orderId}`;
    // Not every exchange filters by every field: the result is filtered here as well.
    const isIt = (o: ExchangeOrder): boolean =>
      orderId === null ? o.clientOrderId === clientOrderId : o.orderId === orderId;
    for (const range of this.#historyRangesOf(enteredAt)) {
      const target = `/trading-api/v2/history/orders?tradingAccountId=${account}&${by}&${range}`;
      const older = await this.#list(target, 'other', (json) => decodeOrder(json, account), {
        priority: 'lookup',
        turn,
      });
      // An order of long ago may have had the same reference.
      const found = older?.items.filter(isIt).reduce<ExchangeOrder | null>(latest, null) ?? null;
      if (found !== null) return found;
      // The unread part may hold the order (rule U2).
      if (older?.isWhole !== true) return null;
    }
    return 'absent';
  }

  /**
   * All trades of one order, oldest first; null if they could not be read. Those older than a day come from the history, which
   * is read back to when the order was entered where some are missing still. `turn`: of the look-up.
   */
  async trades(order: ExchangeOrder, turn: number): Promise<ExchangeTrade[] | null> {
    const asking = { priority: 'lookup', turn } as const;
    const query = `tradingAccountId=${order.tradingAccountId}&orderId=${order.orderId}`;
    const decode = (json: unknown): ExchangeTrade | null => decodeTrade(json, order.tradingAccountId);
    const ofThisOrder = (trade: ExchangeTrade): boolean => trade.orderId === order.orderId;
    const recent = await this.#list(`/trading-api/v1/trades?${query}`, 'other', decode, asking);
    if (recent === null) return null;
    const trades = recent.items.filter(ofThisOrder);
    const filled = Decimal.of(order.quantityFilled);
    if (filled.equals(sum(trades))) return oldestFirst(trades);
    const known = new Set(trades.map(({ tradeId }) => tradeId));
    for (const range of this.#historyRangesSince(order.createdAt)) {
      const older = await this.#list(`/trading-api/v1/history/trades?${query}&${range}`, 'other', decode, asking);
      if (older === null) return null;
      for (const trade of older.items) {
        if (!ofThisOrder(trade) || known.has(trade.tradeId)) continue;
        known.add(trade.tradeId);
        trades.push(trade);
      }
      if (filled.compare(sum(trades)) <= 0) break;
    }
    return oldestFirst(trades);
  }

  /** The latest orders of the last day, and its trades, oldest first, so many as are read of a list; null if either could not be read. */
  async recent(
    tradingAccountId: string,
  ): Promise<{ orders: readonly ExchangeOrder[]; trades: readonly ExchangeTrade[] } | null> {
    const query = `tradingAccountId=${tradingAccountId}`;
    // Orders before trades: an order read as ended has all its trades in the later answer.
    const orders = await this.#list(`/trading-api/v2/orders?${query}`, 'orders', (json) =>
      decodeOrder(json, tradingAccountId),
    );
    if (orders === null) return null;
    const decode = (json: unknown): ExchangeTrade | null => decodeTrade(json, tradingAccountId);
    const trades = await this.#list(`/trading-api/v1/trades?${query}`, 'other', decode, { goesOn: true });
    return trades === null ? null : { orders: orders.items, trades: oldestFirst(trades.items) };
  }

  /** A list page by page; null if one of them could not be read. */
  async #list<T>(
    target: string,
    category: RateCategory,
    decode: (json: unknown) => T | null,
    asking: Asking = {},
  ): Promise<List<T> | null> {
    const items: T[] = [];
    let isWhole = true;
    const first = `${target}&_pageSize=${PAGE_SIZE}&_metaData=true`;
    let next: string | null = first;
    for (let i = 0; next !== null; i++) {
      if (i >= PAGES_MAX) {
        this.#options.log('warn', `a list has more than ${PAGES_MAX} pages; its end was not read`, { target });
        return { items, isWhole: false };
      }
      let json = await this.#json(next, category, asking);
      // One page that fails does not cost those before it: of a long list some page would fail each time.
      const goesOn = i > 0 || asking.goesOn === true;
      for (let tries = 1; json === undefined && goesOn && tries < PAGE_TRIES; tries++) {
        json = await this.#json(next, category, asking);
      }
      if (json === undefined) return null;
      const page = this.#pageOf(json, target);
      if (page === null) return null;
      for (const item of page.items) {
        const decoded = decode(item);
        if (decoded !== null) items.push(decoded);
        else {
          isWhole = false;
          this.#options.log('warn', 'an entry of a list is not understood and was left out', { target });
        }
      }
      next = page.next === null ? null : nextTarget(first, page.next);
      if (page.next !== null && next === null) {
        isWhole = false;
        this.#options.log('warn', 'a list does not say how it goes on; its end was not read', { target });
      }
    }
    return { items, isWhole };
  }

  /** Where the history has an order: among those of the last days, or of those when it was entered, as one that rested. */
  #historyRangesOf(enteredAt = this.#options.now()): string[] {
    const age = this.#options.now() - enteredAt;
    const isOld = age > HISTORY_WINDOW_MS - DAY_MS && age < HISTORY_MS - DAY_MS;
    const latest = this.#historyRange();
    return isOld ? [latest, this.#historyRange(enteredAt - DAY_MS + HISTORY_WINDOW_MS)] : [latest];
  }

  /** The history from now back to a time, the latest range first, as far as there is one. */
  *#historyRangesSince(since: EpochMs): Generator<string> {
    const now = this.#options.now();
    const first = Math.max(since - DAY_MS, now - HISTORY_MS);
    yield this.#historyRange(now);
    for (let to = now - HISTORY_WINDOW_MS; to > first; to -= HISTORY_WINDOW_MS) yield this.#historyRange(to, first);
  }

  /** The longest range that one history query may ask for (exchange reference §1.3). */
  #historyRange(to = this.#options.now(), first = 0): string {
    const [gte, lte] = [Math.max(first, to - HISTORY_WINDOW_MS), to].map((at) => encodeURIComponent(formatIso(at)));
    return `createdAtDatetime%5Bgte%5D=${gte}&createdAtDatetime%5Blte%5D=${lte}`;
  }

  #pageOf(json: unknown, target: string): ReturnType<typeof decodePage> {
    const page = decodePage(json);
    if (page === null) this.#tellNone('list', target);
    return page;
  }

  /** It is JSON, but not the requested data. */
  #tellNone(what: string, target: string): void {
    this.#options.log('warn', `a read failed: the answer is no ${what}`, { target: target.split('?')[0]! });
  }

  /** JSON of a 200 answer; undefined if there is none. */
  async #json(target: string, category: RateCategory, asking: Asking = {}): Promise<unknown> {
    return this.#jsonOf(target, await this.ask({ method: 'GET', target, body: null }, category, asking));
  }

  #jsonOf(target: string, answer: ReadResult): unknown {
    const json = answer.kind === 'answer' && answer.status === 200 ? parseExactJson(answer.body) : undefined;
    if (json !== undefined) return json;
    this.#options.log('warn', `a read failed: ${reasonOf(answer)}`, { target: target.split('?')[0] ?? '' });
    return undefined;
  }

  async #firstLogin(): Promise<{ readonly token: string } | null> {
    return await this.#login.logIn().catch(() => null);
  }
}
