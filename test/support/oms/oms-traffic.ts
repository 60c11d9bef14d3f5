// One desk's actions during an OMS day: orders of every kind, each made for one outcome, with the counterparty's orders
// that cause it. Outcomes are counted from what was reported, never from what was meant.

import process from 'node:process';
import { Decimal } from '../../../src/base/decimal.ts';
import type { ExchangeProcess } from '../processes/exchange-process.ts';
import type { Random } from '../random/random-message.ts';
import type { OmsOrderState } from './oms-book.ts';
import type { Desk, Fields } from './oms-desk.ts';

export interface TradedBook {
  readonly account: string;
  readonly symbol: string;
  readonly mid: Decimal;
  readonly tick: Decimal;
  /** Quantity that most orders are about. */
  readonly lot: Decimal;
  readonly hasAuctions: boolean;
}

/** Each desk trades a book of its own: orders of one customer must not meet (self-cross prevention). */
export const BOOKS = [
  {
    account: '111000000000001',
    symbol: 'BTCUSDC',
    mid: Decimal.of('60000'),
    tick: Decimal.of('0.1'),
    lot: Decimal.of('0.01'),
    hasAuctions: true,
  },
  {
    account: '111000000000002',
    symbol: 'ETHUSDC',
    mid: Decimal.of('3000'),
    tick: Decimal.of('0.01'),
    lot: Decimal.of('0.1'),
    hasAuctions: false,
  },
] as const satisfies readonly TradedBook[];

/** After this the gateway is asked what became of an order. */
const ASK_AFTER_MS = 4_000;
/** Asked so often, an order is taken to hang; a campaign at low priority brings more patience. */
const ASKS_MAX = Math.ceil(Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 80_000) / ASK_AFTER_MS);
/** Asked so often, a request is taken for lost. */
const REQUEST_ASKS_MAX = 5;
const AUCTION_ORDERS = 6;

type Step = (traffic: DeskTraffic) => Promise<void>;

/** Steps and how often they come, of 100. */
const STEPS: readonly (readonly [number, Step])[] = [
  [16, (t) => t.rest()],
  [11, (t) => t.cancelled()],
  [10, (t) => t.replaced()],
  [10, (t) => t.sweep('1', null)],
  [12, (t) => t.sweep('2', '3')],
  [6, (t) => t.sweep('2', '4')],
  [4, (t) => t.fillOrKillTooLarge()],
  [5, (t) => t.postOnly(false)],
  [4, (t) => t.postOnly(true)],
  [6, (t) => t.stop()],
  [5, (t) => t.badPrice()],
  [4, (t) => t.tooExpensive()],
  [4, (t) => t.unsolicited()],
  [3, (t) => t.answerLost()],
];

export class DeskTraffic {
  readonly desk: Desk;
  readonly problems: string[] = [];
  /** Cancels and replacements that were never answered. */
  readonly lostRequests: string[] = [];
  /** NewOrderSingle(D) sent. */
  sent = 0;
  readonly #book: TradedBook;
  readonly #exchange: ExchangeProcess;
  readonly #random: Random;
  readonly #accountName: string;
  readonly #prefix: string;
  #requests = 0;

  constructor(desk: Desk, book: TradedBook, accountName: string, exchange: ExchangeProcess, random: Random) {
    this.desk = desk;
    this.#book = book;
    this.#accountName = accountName;
    this.#exchange = exchange;
    this.#random = random;
    this.#prefix = book.symbol;
  }

  /** Do steps until `orders` orders were sent. */
  async run(orders: number): Promise<void> {
    const every = (n: number, step: () => Promise<void>): Promise<void> => (this.sent % n === n - 1 ? step() : later());
    const later = async (): Promise<void> => {};
    while (this.sent < orders && !this.#stopped) {
      const before = this.sent;
      await this.#step()(this);
      await this.hit();
      if (this.sent === before) continue;
      await every(3, () => this.hit());
      if (this.#random(25) === 0) await this.massCancel();
      if (this.#random(18) === 0) await this.wrongCancel();
      if (this.#random(18) === 0) await this.wrongReplace();
      if (this.#random(18) === 0) await this.status();
      if (this.#book.hasAuctions && this.#random(30) === 0 && !this.#auctionRuns) await this.auction();
    }
  }

  /** Begin nothing new, and wait for nothing any more. */
  abandon(): void {
    this.#stopped = true;
  }

  /** Cancel everything and wait until every order has ended. */
  async closeDay(): Promise<void> {
    const { book } = this.desk;
    for (let round = 0; round < ASKS_MAX && !this.#stopped; round++) {
      await this.massCancel();
      if (await book.until(() => this.#open().length === 0, ASK_AFTER_MS)) return;
      for (const order of this.#open().slice(0, 100)) await this.#ask(order);
    }
    for (const { root, ordStatus } of this.#open().slice(0, 10)) {
      this.problems.push(`${root} did not end: OrdStatus(39)=${ordStatus}`);
    }
  }

  /** A passive order that stays, to be filled in parts as the day goes. */
  async rest(): Promise<void> {
    const isBuy = this.#random(2) === 0;
    await this.#acknowledged(
      await this.#limit(isBuy, this.#price(isBuy ? -200 - this.#random(400) : 200 + this.#random(400))),
    );
  }

  async cancelled(): Promise<void> {
    const order = await this.#deep();
    await this.#acknowledged(order);
    await this.#cancel(order);
  }

  async replaced(): Promise<void> {
    const order = await this.#deep();
    await this.#acknowledged(order);
    const clOrdID = this.#id('g');
    this.desk.book.expectRequest(clOrdID, order);
    const up = order.side === '1' ? -1 : 1;
    await this.desk.send('G', {
      ...this.#head(clOrdID, order.side),
      41: order.clOrdID,
      38: this.#quantity(),
      40: '2',
      44: this.#price(up * (1_500 + this.#random(500))),
      59: '1',
    });
    await this.#requestSettled(order, clOrdID);
    if (this.#random(2) === 0 && !this.desk.book.isOver(order)) await this.#cancel(order);
  }

  /** Take what the counterparty shows in four parts: enough of it, or for an IOC too little. */
  async sweep(ordType: string, timeInForce: string | null): Promise<void> {
    const isBuy = this.#random(2) === 0;
    const quantity = this.#amount();
    const parts = timeInForce === '3' ? 3 : 4;
    const part = Decimal.of(quantity).divide(Decimal.of('4'), 8).toString();
    for (let i = 0; i < parts; i++) await this.#counter(!isBuy, this.#price((isBuy ? 1 : -1) * (10 + i)), part, 'GTC');
    const price = ordType === '1' ? {} : { 44: this.#price(isBuy ? 50 : -50) };
    const more = timeInForce === null ? {} : { 59: timeInForce };
    const order = await this.#order(isBuy, { 38: quantity, 40: ordType, ...price, ...more });
    await this.#settled(order, () => this.desk.book.isOver(order));
  }

  async fillOrKillTooLarge(): Promise<void> {
    const isBuy = this.#random(2) === 0;
    const order = await this.#order(isBuy, { 38: '5', 40: '2', 44: this.#price(isBuy ? 1 : -1), 59: '4' });
    await this.#settled(order, () => this.desk.book.isOver(order));
  }

  async postOnly(wouldCross: boolean): Promise<void> {
    const isBuy = this.#random(2) === 0;
    if (wouldCross) await this.#counter(!isBuy, this.#price(isBuy ? 5 : -5), '0.0001', 'GTC');
    const price = this.#price((isBuy ? -1 : 1) * (wouldCross ? -40 : 700 + this.#random(100)));
    const order = await this.#order(isBuy, { 38: this.#quantity(), 40: '2', 18: '6', 44: price, 59: '1' });
    await this.#acknowledged(order);
  }

  /** A stop above the market that a trade of this desk sets off; it then rests as a limit order. */
  async stop(): Promise<void> {
    const fields = { 38: this.#quantity(), 40: '4', 99: this.#price(5), 44: this.#price(-700), 59: '1' };
    const order = await this.#order(true, fields);
    await this.#acknowledged(order);
    await this.#counter(false, this.#price(8), this.#quantity(), 'GTC');
    const taker = await this.#order(true, { 38: this.#quantity(), 40: '2', 44: this.#price(60), 59: '3' });
    await this.#settled(taker, () => this.desk.book.isOver(taker));
  }

  async badPrice(): Promise<void> {
    const price = `${this.#price(-700)}${this.#book.tick.toString().endsWith('1') ? '37' : '7'}`;
    await this.#acknowledged(await this.#limit(true, price));
  }

  /** More than the account owns. */
  async tooExpensive(): Promise<void> {
    const fields = { 38: this.#book.symbol === 'BTCUSDC' ? '900' : '9000', 40: '2', 44: this.#price(900), 59: '1' };
    await this.#acknowledged(await this.#order(false, fields));
  }

  async unsolicited(): Promise<void> {
    const order = await this.#deep();
    await this.#acknowledged(order);
    const orderId = [...order.exchangeIds].at(-1);
    if (orderId === undefined) return;
    await this.#exchange.control('orders/cancel', { orderId });
    await this.#settled(order, () => this.desk.book.isOver(order));
  }

  /** The exchange takes an order and its answer is lost. */
  async answerLost(): Promise<void> {
    await this.#exchange.control('faults', { answers: [{ what: 'lost', on: 'create' }] });
    await this.#acknowledged(await this.#deep());
  }

  /** The counterparty takes a part of what rests here. */
  async hit(): Promise<void> {
    const sells = this.#random(2) === 0;
    const part = Decimal.of(this.#quantity()).divide(Decimal.of('2'), 8).toString();
    await this.#counter(!sells, this.#price(sells ? -650 : 650), part, 'IOC');
  }

  async massCancel(): Promise<void> {
    const clOrdID = this.#id('q');
    await this.desk.send('q', { 11: clOrdID, 530: '1', 55: this.#book.symbol });
    await this.desk.book.until(() => this.desk.book.answered.has(clOrdID), ASK_AFTER_MS);
  }

  async wrongCancel(): Promise<void> {
    const clOrdID = this.#id('f');
    await this.desk.send('F', { ...this.#head(clOrdID, '1'), 41: `${clOrdID}-unknown`, 38: '1' });
    await this.desk.book.until(() => this.desk.book.answered.has(clOrdID), ASK_AFTER_MS);
  }

  async wrongReplace(): Promise<void> {
    const clOrdID = this.#id('g');
    const terms = { 38: '1', 40: '2', 44: this.#price(-900), 59: '1' };
    await this.desk.send('G', { ...this.#head(clOrdID, '1'), 41: `${clOrdID}-unknown`, ...terms });
    await this.desk.book.until(() => this.desk.book.answered.has(clOrdID), ASK_AFTER_MS);
  }

  async status(): Promise<void> {
    const orders = [...this.desk.book.orders.values()];
    const order = orders[this.#random(orders.length)];
    if (order !== undefined) await this.#ask(order);
  }

  /** Orders for the auction: some meet the counterparty's, the rest expires at the cross. */
  async auction(): Promise<void> {
    const { symbol } = this.#book;
    this.#auctionRuns = true;
    await this.#exchange.control('auctions', { symbol, action: 'phase', phase: 'ACCUMULATION' });
    const orders: OmsOrderState[] = [];
    for (let tries = 0; orders.length < AUCTION_ORDERS && tries < 3 * AUCTION_ORDERS; tries++) {
      const isMarket = orders.length % 3 === 2;
      const price = isMarket ? {} : { 44: this.#price(20 - 10 * orders.length) };
      const order = await this.#order(true, { 38: this.#quantity(), 40: isMarket ? '1' : '2', ...price, 59: '5' });
      await this.#acknowledged(order);
      if (!this.desk.book.isOver(order)) orders.push(order);
      // The phase comes over a stream of its own: the gateway may not have heard of it yet.
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const half = this.#book.lot.multiply(Decimal.of('2.12345')).trimmed().toString();
    await this.#counter(false, this.#price(-5), half, 'GTX');
    await this.#exchange.control('auctions', { symbol, action: 'phase', phase: 'CROSS' });
    for (const order of orders) await this.#settled(order, () => this.desk.book.isOver(order));
    this.#auctionRuns = false;
  }

  #auctionRuns = false;
  #stopped = false;

  #open(): OmsOrderState[] {
    const { book } = this.desk;
    return [...book.orders.values()].filter((order) => !book.isOver(order));
  }

  #step(): Step {
    let at = this.#random(STEPS.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, step] of STEPS) {
      if (at < weight) return step;
      at -= weight;
    }
    return STEPS[0]![1];
  }

  #id(kind: string): string {
    this.#requests++;
    return `${this.#prefix}-${kind}${this.#requests}`;
  }

  #head(clOrdID: string, side: string): Fields {
    return { 11: clOrdID, 1: this.#accountName, 55: this.#book.symbol, 54: side };
  }

  async #order(isBuy: boolean, fields: Fields): Promise<OmsOrderState> {
    const clOrdID = this.#id('o');
    const side = isBuy ? '1' : '2';
    const order = this.desk.book.expectOrder(clOrdID, this.#book.symbol, side, fields[59] ?? '');
    this.sent++;
    await this.desk.send('D', { ...this.#head(clOrdID, side), ...fields });
    return order;
  }

  #limit(isBuy: boolean, price: string): Promise<OmsOrderState> {
    return this.#order(isBuy, { 38: this.#quantity(), 40: '2', 44: price, 59: '1' });
  }

  /** A limit order far behind those that are hit. */
  #deep(): Promise<OmsOrderState> {
    const isBuy = this.#random(2) === 0;
    return this.#limit(isBuy, this.#price((isBuy ? -1 : 1) * (1_000 + this.#random(400))));
  }

  async #cancel(order: OmsOrderState): Promise<void> {
    const clOrdID = this.#id('f');
    this.desk.book.expectRequest(clOrdID, order);
    await this.desk.send('F', { ...this.#head(clOrdID, order.side), 41: order.clOrdID, 38: '1' });
    await this.#requestSettled(order, clOrdID);
  }

  async #acknowledged(order: OmsOrderState): Promise<void> {
    await this.#settled(order, () => order.neverArrived || (order.ordStatus !== null && order.ordStatus !== 'A'));
  }

  async #settled(order: OmsOrderState, holds: () => boolean): Promise<void> {
    for (let asks = 0; asks < ASKS_MAX && !this.#stopped; asks++) {
      if (await this.desk.book.until(() => holds() || order.neverArrived, ASK_AFTER_MS)) return;
      await this.#ask(order);
    }
    this.problems.push(`${order.root} hangs: OrdStatus(39)=${order.ordStatus} ExecType(150)=${order.execType}`);
  }

  /** A request that went into a dying connection has no answer: what is lost that way is counted, and bounded by the day. */
  async #requestSettled(order: OmsOrderState, clOrdID: string): Promise<void> {
    const holds = (): boolean => this.desk.book.answered.has(clOrdID) || this.desk.book.isOver(order);
    for (let asks = 0; asks < REQUEST_ASKS_MAX && !this.#stopped; asks++) {
      if (await this.desk.book.until(holds, ASK_AFTER_MS)) return;
      await this.#ask(order);
    }
    this.lostRequests.push(clOrdID);
  }

  async #ask(order: OmsOrderState): Promise<void> {
    await this.desk.send('H', this.#statusRequest(order));
    await this.desk.book.until(() => this.desk.book.answered.has(`${order.root}/status`), 1_000);
  }

  #statusRequest(order: OmsOrderState): Fields {
    return { 11: order.clOrdID, 1: this.#accountName, 55: this.#book.symbol, 54: order.side };
  }

  async #counter(isBuy: boolean, price: string, quantity: string, timeInForce: string): Promise<void> {
    const side = isBuy ? 'BUY' : 'SELL';
    await this.#exchange.control('counterparty', { symbol: this.#book.symbol, side, price, quantity, timeInForce });
  }

  #price(ticks: number): string {
    const { mid, tick } = this.#book;
    return mid
      .add(tick.multiply(Decimal.of(String(ticks))))
      .trimmed()
      .toString();
  }

  /** All eight decimals in use. */
  #amount(): string {
    const { lot } = this.#book;
    return lot
      .multiply(Decimal.of(`0.${100_000 + this.#random(900_000)}`))
      .trimmed()
      .toString();
  }

  #quantity(): string {
    return this.#amount();
  }
}
