// A day of two order management systems, one on jspurefix and one on QuickFIX C++, at a gateway and a simulated
// exchange in their own processes, both killed on the way. A middle office on QuickFIX C++ receives both and is killed
// too. In the end each OMS's own view of its positions and its orders, and the middle office's of both, has to be the
// exchange's, to the last digit. How an order goes is oms-traffic.ts, what the middle office hears oms-copy.ts.

import { Decimal } from '../../../src/base/decimal.ts';
import { PASSWORD } from '../processes/exchange-house.ts';
import { ExchangeProcess, UNLIMITED } from '../processes/exchange-process.ts';
import { GatewayHome, type GatewayProcess } from '../processes/gateway-process.ts';
import { randomNumbers } from '../random/random-message.ts';
import { type OmsBook, OUTCOMES, type Outcome } from './oms-book.ts';
import { CopyDesk } from './oms-copy.ts';
import { type Desk, JspurefixDesk, QuickfixDesk } from './oms-desk.ts';
import { BOOKS, DeskTraffic, type TradedBook } from './oms-traffic.ts';
import { compileQuickfixOms } from './quickfix.ts';

export interface OmsDayOptions {
  readonly orders: number;
  readonly seed: number;
  readonly gatewayKills: number;
  readonly exchangeKills: number;
  /** Of the middle office. */
  readonly copyKills: number;
  readonly onProgress?: (text: string) => void;
}

export interface OmsDayResult {
  readonly orders: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly neverArrived: number;
  readonly gatewayKills: number;
  readonly exchangeKills: number;
  readonly copyKills: number;
  /** Fills that the middle office received. */
  readonly copiedFills: number;
  /** Disagreements; empty when all agree. */
  readonly problems: readonly string[];
  readonly positions: readonly { desk: string; symbol: string; oms: string; copy: string; exchange: string }[];
}

/** Each account's assets before the first order. */
const BALANCES_BEFORE: Readonly<Record<string, string>> = { BTC: '100', ETH: '1000' };
const TARGET = 'EXCHANGE_TEST';
/** At each desk. */
const TRADERS = 3;
const HOUR_MS = '3600000';
const SETTLE_MS = 60_000;
const POLL_MS = 100;

/** Run a day. Everything is gone afterwards, whatever happens. @throws Error if it cannot be run to its end */
export async function omsDay(options: OmsDayOptions): Promise<OmsDayResult> {
  const home = await GatewayHome.create();
  // No phase of the auction ends by itself: the day moves them.
  const auctions = ['--cooling', HOUR_MS, '--accumulation', HOUR_MS, '--lockdown', HOUR_MS];
  const more = ['--liquidity', 'off', '--no-limits', ...auctions];
  const exchange = await ExchangeProcess.start({ keys: home.secrets, more });
  const day = new Day(options, home, exchange);
  try {
    return await day.run();
  } finally {
    await day.abandon();
    await home.remove();
    await exchange.remove();
  }
}

class Day {
  readonly #options: OmsDayOptions;
  readonly #home: GatewayHome;
  readonly #exchange: ExchangeProcess;
  #gateway!: GatewayProcess;
  #copy: CopyDesk | null = null;
  #traffic: DeskTraffic[] = [];
  #gatewayKills = 0;
  #exchangeKills = 0;

  constructor(options: OmsDayOptions, home: GatewayHome, exchange: ExchangeProcess) {
    this.#options = options;
    this.#home = home;
    this.#exchange = exchange;
  }

  async run(): Promise<OmsDayResult> {
    const { orders, seed } = this.#options;
    await this.#configure();
    this.#gateway = await this.#home.start(this.#exchange.url);
    const desks = await this.#logOn();
    const accounts = [BOOKS[0].account, 'VENUE-2'];
    this.#traffic = desks.map(
      (desk, i) => new DeskTraffic(desk, BOOKS[i]!, accounts[i]!, this.#exchange, randomNumbers(seed + i)),
    );
    const traders = this.#traffic.flatMap((traffic) =>
      Array.from({ length: TRADERS }, () => traffic.run(Math.ceil(orders / 2))),
    );
    await Promise.all([...traders, this.#disturb()]);
    this.#options.onProgress?.('the traders are done; cancelling what is open');
    await Promise.all(this.#traffic.map((traffic) => traffic.closeDay()));
    const compared = await this.#compareUntilSettled();
    for (const { desk } of this.#traffic) await desk.close();
    await this.#copy?.close();
    return this.#result(compared);
  }

  /** Trading has stopped, and no counterparty is left: harmless after a completed day. */
  async abandon(): Promise<void> {
    for (const traffic of this.#traffic) traffic.abandon();
    await Promise.all([this.#copy?.abandon(), ...this.#traffic.map(({ desk }) => desk.abandon())]);
  }

  async #configure(): Promise<void> {
    await this.#home.writePasswords(PASSWORD);
    await this.#home.configure('gateway.yaml', {
      'fix.listen.1': undefined,
      'exchange.rates': UNLIMITED,
      'exchange.dialect': this.#options.seed % 2 === 0 ? 'v2' : 'v3',
    });
    const limits = {
      orderQtyMax: '100000',
      notionalMax: '100000000000',
      openOrdersMax: 100_000,
      priceBandPercent: 'off',
    };
    for (const name of ['ACME_OMS', 'VENUE_OMS']) {
      await this.#home.configure(`${name}.yaml`, {
        // Orders have to outlive the gateway's death here; rule C1 would have them cancelled.
        cancelOnDisconnect: { on: 'off' },
        // Both OMSs check what they receive against the stock dictionary.
        dialect: 'standard',
        replaceByCancelAndNew: true,
        messageRate: { max: 0 },
        limits,
      });
    }
  }

  async #logOn(): Promise<Desk[]> {
    const program = await compileQuickfixOms(this.#home.folder);
    const common = { port: this.#gateway.fixPort, targetCompID: TARGET, password: PASSWORD };
    const quickfix = {
      ...common,
      senderCompID: 'VENUE_OMS',
      program,
      storeFolder: this.#home.folder,
      resetOnLogon: false,
    };
    this.#copy = await CopyDesk.logOn({ ...quickfix, senderCompID: 'MIDDLE_OFFICE' });
    return [new JspurefixDesk({ ...common, senderCompID: 'ACME_OMS' }), await QuickfixDesk.logOn(quickfix)];
  }

  /** Kills, spread over the day. */
  async #disturb(): Promise<void> {
    const { orders, gatewayKills, exchangeKills, copyKills, onProgress } = this.#options;
    const spread = (what: Killed, kills: number): (readonly [what: Killed, at: number])[] =>
      Array.from({ length: kills }, (_, i) => [what, (i + 0.5) / kills] as const);
    const kills = [
      ...spread('gateway', gatewayKills),
      ...spread('exchange', exchangeKills),
      ...spread('middle office', copyKills),
    ].sort(([, a], [, b]) => a - b);
    for (const [what, at] of kills) {
      const due = Math.floor(orders * at);
      while (this.#sent() < due) await new Promise((resolve) => setTimeout(resolve, 5));
      onProgress?.(`${this.#sent()} of ${orders} orders: killing the ${what}`);
      if (what === 'middle office') await this.#copy?.crash();
      else if (what === 'exchange') {
        this.#exchangeKills++;
        await this.#exchange.crash();
      } else {
        this.#gatewayKills++;
        await this.#gateway.kill();
        this.#gateway = await this.#home.start(this.#exchange.url);
      }
    }
  }

  #sent(): number {
    return this.#traffic.reduce((sum, { sent }) => sum + sent, 0);
  }

  /** Each trader waits for its request: a kill of the gateway can lose one of each, nothing else may lose any. */
  #lostBeyondKills(): string[] {
    const most = TRADERS * this.#gatewayKills;
    return this.#traffic
      .filter(({ lostRequests }) => lostRequests.length > most)
      .map(({ desk, lostRequests }) => `${desk.name}: requests never answered: ${lostRequests.join(', ')}`);
  }

  async #compareUntilSettled(): Promise<Comparison[]> {
    const until = Date.now() + SETTLE_MS;
    for (;;) {
      const compared: Comparison[] = [];
      for (const [i, { desk }] of this.#traffic.entries()) {
        compared.push(compare(desk, this.#copy!, BOOKS[i]!, await readAccount(this.#exchange, BOOKS[i]!)));
      }
      if (compared.every(({ problems }) => problems.length === 0) || Date.now() > until) return compared;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS * 10));
    }
  }

  #result(compared: readonly Comparison[]): OmsDayResult {
    const books = this.#traffic.map(({ desk }) => desk.book);
    const count = (outcome: Outcome): number => books.reduce((sum, book) => sum + (book.outcomes.get(outcome) ?? 0), 0);
    const orders = books.flatMap((book) => [...book.orders.values()]);
    return {
      orders: orders.length,
      outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Record<Outcome, number>,
      neverArrived: orders.filter(({ neverArrived }) => neverArrived).length,
      gatewayKills: this.#gatewayKills,
      exchangeKills: this.#exchangeKills,
      copyKills: this.#copy?.kills ?? 0,
      copiedFills: this.#copy?.fillCount ?? 0,
      problems: [
        ...this.#traffic.flatMap(({ problems }) => problems),
        ...this.#lostBeyondKills(),
        ...books.flatMap(({ complaints }) => complaints),
        ...(this.#copy?.complaints ?? []),
        ...compared.flatMap(({ problems }) => problems),
      ],
      positions: compared.map(({ problems: _problems, ...position }) => position),
    };
  }
}

type Killed = 'gateway' | 'exchange' | 'middle office';

interface Account {
  readonly orders: readonly Record<string, unknown>[];
  readonly trades: readonly Record<string, unknown>[];
  readonly balance: string;
}

interface Comparison {
  readonly desk: string;
  readonly symbol: string;
  readonly oms: string;
  readonly copy: string;
  readonly exchange: string;
  readonly problems: readonly string[];
}

async function readAccount(exchange: ExchangeProcess, { account, symbol }: TradedBook): Promise<Account> {
  const query = `tradingAccountId=${account}`;
  const [orders = [], trades = [], assets = []] = await exchange.read('demo-hmac', [
    `/trading-api/v2/orders?${query}`,
    `/trading-api/v1/trades?${query}`,
    `/trading-api/v1/accounts/asset?${query}`,
  ]);
  const asset = assets.find(({ assetSymbol }) => assetSymbol === symbol.slice(0, 3));
  // Nothing is open any more: all that is owned is available.
  return { orders, trades, balance: String(asset?.availableQuantity) };
}

/** The OMS's view beside the exchange's: position, every order's CumQty, no order lost and none twice. */
function compare(desk: Desk, middle: CopyDesk, { symbol }: TradedBook, account: Account): Comparison {
  const problems: string[] = [];
  const { book } = desk;
  const oms = (book.positions().get(symbol) ?? Decimal.ZERO).trimmed().toString();
  const copy = middle.position(symbol).trimmed().toString();
  let traded = Decimal.ZERO;
  for (const { side, quantity } of account.trades) {
    const amount = Decimal.of(String(quantity));
    traded = side === 'BUY' ? traded.add(amount) : traded.subtract(amount);
  }
  const exchange = traded.trimmed().toString();
  const fees = account.trades.reduce((sum, { baseFee }) => sum.add(Decimal.of(String(baseFee ?? '0'))), Decimal.ZERO);
  const owned = Decimal.of(BALANCES_BEFORE[symbol.slice(0, 3)]!).add(Decimal.of(oms)).subtract(fees);
  if (oms !== exchange) problems.push(`${desk.name}: position ${oms}, the exchange's trades say ${exchange}`);
  if (copy !== exchange)
    problems.push(`drop copy of ${desk.name}: position ${copy}, the exchange's trades say ${exchange}`);
  if (!Decimal.of(account.balance).equals(owned)) {
    problems.push(`${desk.name}: owns ${owned} in its own view, ${account.balance} in the exchange's`);
  }
  problems.push(...compareOrders(desk.name, book, account), ...middle.differences(desk.name, book));
  return { desk: desk.name, symbol, oms, copy, exchange, problems };
}

function compareOrders(name: string, book: OmsBook, { orders, trades }: Account): string[] {
  const problems: string[] = [];
  const ofExchange = new Map(orders.map((order) => [String(order.orderId), order]));
  const claimed = new Map<string, string>();
  const tradedOf = new Map<string, Decimal>();
  for (const { orderId, quantity } of trades) {
    const id = String(orderId);
    tradedOf.set(id, (tradedOf.get(id) ?? Decimal.ZERO).add(Decimal.of(String(quantity))));
  }
  for (const order of book.orders.values()) {
    let filled = Decimal.ZERO;
    for (const id of order.exchangeIds) {
      if (claimed.has(id)) problems.push(`${name}: ${order.root} and ${claimed.get(id)} are one order ${id}`);
      claimed.set(id, order.root);
      const there = ofExchange.get(id);
      if (there === undefined) problems.push(`${name}: ${order.root} is ${id}, which the exchange does not have`);
      else filled = filled.add(Decimal.of(String(there.quantityFilled)));
      if (there?.status === 'OPEN') problems.push(`${name}: ${order.root} has ended, ${id} is open`);
      const traded = tradedOf.get(id) ?? Decimal.ZERO;
      if (there !== undefined && !traded.equals(Decimal.of(String(there.quantityFilled)))) {
        problems.push(`${name}: ${id} filled ${String(there.quantityFilled)}, its trades are ${traded}`);
      }
    }
    if (!filled.equals(order.filled) || !order.cumQty.equals(order.filled)) {
      const told = `fills of ${order.filled} and CumQty(14)=${order.cumQty}`;
      const there = trades
        .filter(({ orderId }) => order.exchangeIds.has(String(orderId)))
        .map(({ tradeId, quantity }) => `${tradeId}: ${quantity}`);
      const both = `told of ${order.fills.join(', ')}; there are ${there.join(', ')}`;
      problems.push(`${name}: ${order.root} was told ${told}, the exchange filled ${filled} (${both})`);
    }
    if (order.neverArrived && order.exchangeIds.size > 0)
      problems.push(`${name}: ${order.root} never arrived but is there`);
  }
  for (const id of ofExchange.keys()) {
    if (!claimed.has(id)) problems.push(`${name}: the exchange has order ${id} without any report to the OMS`);
  }
  return problems;
}

/** Lines that show the outcomes and the positions. */
export function dayTable(result: OmsDayResult): string[] {
  const count = (name: string, value: number): string => name.padEnd(40) + String(value).padStart(8);
  return [
    count('orders', result.orders),
    ...OUTCOMES.map((outcome) => count(outcome, result.outcomes[outcome])),
    count('orders that never arrived', result.neverArrived),
    count('kills of the gateway', result.gatewayKills),
    count('kills of the exchange', result.exchangeKills),
    count('kills of the middle office', result.copyKills),
    count('fills told to the middle office', result.copiedFills),
    ...result.positions.map(
      ({ desk, symbol, oms, copy, exchange }) =>
        `position in ${symbol}: ${oms} (${desk}), ${copy} (drop copy), ${exchange} (the exchange)`,
    ),
  ];
}

/** Events seen too rarely: half a tenth of the orders as partial fills, one in a hundred of every outcome. */
export function tooRare(result: OmsDayResult): string[] {
  const least = (outcome: Outcome): number => Math.floor(result.orders / (outcome === 'partial fill' ? 10 : 100));
  return OUTCOMES.filter((outcome) => result.outcomes[outcome] < least(outcome)).map(
    (outcome) => `${outcome}: ${result.outcomes[outcome]} of at least ${least(outcome)}`,
  );
}
