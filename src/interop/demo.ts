// The demonstration: an OMS on jspurefix logs on, trades, takes part in an auction, cancels, logs out, and says whether
// every ExecutionReport that was due came. Orders and expectations stand in demo-script.ts.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrossgateError } from '../base/errors.ts';
import { type Dictionary, loadDictionary } from '../dictionary/mod.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import { conversationLine, isHeartbeat, table } from './conversation.ts';
import {
  allExpected,
  cancelOf,
  type DemoOrders,
  demoOrders,
  type ExpectedReport,
  isAbout,
  type ScriptedOrder,
} from './demo-script.ts';
import { Oms, type OmsOptions } from './oms.ts';
import { PublicMarket } from './public-market.ts';

export interface DemoOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: OmsOptions['tls'];
  readonly senderCompID: string;
  readonly targetCompID: string;
  /** Password(554). Never printed. */
  readonly password: string;
  /** Account(1) of every order. */
  readonly account: string;
  /** A symbol with auctions. Default `BTCUSDC`. */
  readonly symbol?: string;
  /** Address of the exchange's public REST: top of the book and the auction's phase. */
  readonly exchangeUrl: string;
  /** Receives the conversation, one line each. */
  readonly print: (line: string) => void;
  /** Longest wait for one report outside the auction. Default 10,000. */
  readonly reportTimeoutMs?: number;
  /** Longest wait for an auction to take orders, and again for its cross. Default 60,000. */
  readonly auctionTimeoutMs?: number;
  /** Distinguishes the ClOrdIDs of this run from those of every other; by default made of the time. */
  readonly prefix?: string;
}

export interface DemoResult {
  /** Every expected report came and the Logout was answered. */
  readonly complete: boolean;
  /** The missing parts in words; empty if the demo was complete. */
  readonly missing: readonly string[];
  readonly expected: number;
  readonly seen: number;
}

const AUCTION_POLL_MS = 250;

/** Load the dictionary that decodes the conversation. */
function readDictionary(): Dictionary {
  const path = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
  return loadDictionary(readFileSync(path, 'utf8'), 'FIX44.xml');
}

/**
 * Run the demonstration against a running gateway. Refusals, missing reports and lost connections make it incomplete
 * and are printed; only a missing jspurefix or a broken installation throws.
 * @throws CrossgateError XG_USAGE, XG_DICTIONARY_INVALID
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const dictionary = readDictionary();
  const { print, symbol = 'BTCUSDC' } = options;
  const market = new PublicMarket(options.exchangeUrl, symbol);
  let oms: Oms | null = null;
  let expected: ExpectedReport[] = [];
  const missing: string[] = [];
  try {
    const top = await market.topOfBook();
    const orders = demoOrders(options.prefix ?? runPrefix(), options.account, symbol, top);
    expected = allExpected(orders);
    oms = await Oms.logon({ ...options, tls: options.tls ?? null, resetSeqNumFlag: true }, (message) => {
      if (!isHeartbeat(message)) print(conversationLine(message, dictionary));
    });
    await new Demo(options, oms, market).run(orders);
  } catch (error) {
    if (error instanceof CrossgateError && error.code === 'XG_USAGE') throw error;
    missing.push(error instanceof Error ? error.message : String(error));
    const isFirst = oms === null && error instanceof CrossgateError && error.code === 'XG_EXCHANGE_UNREACHABLE';
    if (isFirst) missing.push('a gateway: start the gateway first (crossgate start), or name where it runs (--help)');
  }
  if (oms !== null && !(await oms.logout())) missing.push('the Logout(5) was not answered');
  const received = oms?.messages.filter(({ direction }) => direction === 'in') ?? [];
  const outcome = expected.map((report) => ({ report, seen: received.some(({ view }) => report.matches(view)) }));
  const lost = outcome.filter(({ seen }) => !seen).map(({ report }) => `${report.order}: ${report.report}`);
  printTable(print, outcome);
  for (const reason of [...missing, ...lost]) print(`missing: ${reason}`);
  const complete = expected.length > 0 && missing.length + lost.length === 0;
  return { complete, missing: [...missing, ...lost], expected: expected.length, seen: expected.length - lost.length };
}

function runPrefix(): string {
  return `demo-${new Date().toISOString().replace(/\D/g, '').slice(0, 17)}`;
}

function printTable(
  print: (line: string) => void,
  outcome: readonly { report: ExpectedReport; seen: boolean }[],
): void {
  if (outcome.length === 0) return;
  const rows = outcome.map(({ report, seen }) => [report.order, report.report, seen ? 'yes' : 'NO']);
  print('');
  for (const line of table([['order', 'expected report', 'seen'], ...rows])) print(line);
}

/** The conversation itself, step by step. */
class Demo {
  readonly #options: DemoOptions;
  readonly #oms: Oms;
  readonly #market: PublicMarket;
  readonly #reportTimeoutMs: number;
  readonly #auctionTimeoutMs: number;

  constructor(options: DemoOptions, oms: Oms, market: PublicMarket) {
    this.#options = options;
    this.#oms = oms;
    this.#market = market;
    this.#reportTimeoutMs = options.reportTimeoutMs ?? 10_000;
    this.#auctionTimeoutMs = options.auctionTimeoutMs ?? 60_000;
  }

  async run(orders: DemoOrders): Promise<void> {
    const { resting, marketIOC, limitFOK, auctionFill, auctionRest } = orders;
    this.#place(resting);
    const acknowledged = await this.#await(resting, 0, this.#reportTimeoutMs);
    for (const order of [marketIOC, limitFOK]) {
      this.#place(order);
      for (let i = 0; i < order.expected.length; i++) await this.#await(order, i, this.#reportTimeoutMs);
    }
    await this.#auctionOpen();
    for (const order of [auctionFill, auctionRest]) {
      this.#place(order);
      await this.#await(order, 0, this.#reportTimeoutMs);
    }
    this.#cancel(resting, acknowledged.string(Tag.OrderID));
    await this.#await(resting, 1, this.#reportTimeoutMs);
    this.#options.print(`-- waiting for the cross of the auction`);
    for (const order of [auctionFill, auctionRest]) {
      for (let i = 1; i < order.expected.length; i++) await this.#await(order, i, this.#auctionTimeoutMs);
    }
  }

  #place(scripted: ScriptedOrder): void {
    this.#options.print(`-- ${scripted.label}`);
    this.#oms.newOrderSingle(scripted.order);
  }

  #cancel(scripted: ScriptedOrder, orderID: string | null): void {
    const { order } = scripted;
    this.#options.print(`-- cancel of: ${scripted.label}`);
    this.#oms.orderCancelRequest({
      clOrdID: cancelOf(order.clOrdID),
      origClOrdID: order.clOrdID,
      ...(orderID === null ? {} : { orderID }),
      account: order.account,
      symbol: order.symbol,
      side: order.side,
      orderQty: order.orderQty,
    });
  }

  /** Wait for the order's report number `index`; a refusal of the order or of its cancel ends the wait at once. */
  async #await(scripted: ScriptedOrder, index: number, timeoutMs: number): Promise<MessageView> {
    const report = scripted.expected[index];
    if (report === undefined) throw new Error(`${scripted.label}: no expected report ${index}`);
    const refused = (view: MessageView) => refuses(view, scripted.order.clOrdID);
    const what = `${scripted.label}: ${report.report}`;
    const { view } = await this.#oms.waitFor(
      what,
      (candidate) => report.matches(candidate) || refused(candidate),
      timeoutMs,
    );
    if (report.matches(view)) return view;
    throw new Error(`${what}: refused: ${view.string(Tag.Text) ?? 'no Text(58) given'}`);
  }

  /** Wait until the symbol's auction takes orders and is not about to cross. */
  async #auctionOpen(): Promise<void> {
    const { print } = this.#options;
    const until = Date.now() + this.#auctionTimeoutMs;
    for (let said = false; Date.now() < until; said = true) {
      const auction = await this.#market.auction();
      if (auction?.phase === 'ACCUMULATION' && auction.takesOrders) return;
      if (!said) print(`-- the auction is in phase ${auction?.phase ?? 'none'}: waiting for ACCUMULATION`);
      await new Promise((resolve) => setTimeout(resolve, AUCTION_POLL_MS));
    }
    throw new Error(`no auction took orders within ${this.#auctionTimeoutMs} ms`);
  }
}

function refuses(view: MessageView, clOrdID: string): boolean {
  const about = isAbout(view, clOrdID);
  if (view.msgType === MsgType.OrderCancelReject) return about;
  if (view.msgType === MsgType.ExecutionReport) return about && view.string(Tag.ExecType) === '8';
  return view.msgType === MsgType.Reject || view.msgType === MsgType.BusinessMessageReject;
}
