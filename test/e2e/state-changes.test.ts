// The order state changes of Appendix D through the running gateway with the simulated exchange: the scripts of the
// pure machine over sockets, with a journal. They run once in order, once with repeated and reordered frames.

import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { STATE_CHANGES, type StateChange } from '../scenarios/state-changes.ts';
import { type FixConnection, reconnect } from '../support/network/fix-connection.ts';
import { ACCOUNT, ACME, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

/** The scripts count in hundredths, at a price of 100 that stands for 60,000. */
const SCALE = Decimal.of('0.01');
const PRICE = '60000';
const scaled = (count: string): string => Decimal.of(count).multiply(SCALE).trimmed().toString();

let house: ExchangeHouse;
let gateway: GatewayProcess;
let fix: FixConnection;
let read = 0;

beforeAll(async () => {
  house = await exchangeHouse({
    'ACME_OMS.yaml': {
      cancelOnDisconnect: { on: 'off' },
      replaceByCancelAndNew: true,
      'limits.openOrdersMax': 1000,
      pendingNewAfterMs: 600_000,
    },
  });
  await up();
});
afterAll(async () => {
  fix.destroy();
  await house.close();
});

async function up(): Promise<void> {
  const numbers = fix === undefined ? {} : { reset: false, nextSenderMsgSeqNum: fix.nextSenderMsgSeqNum };
  const last = fix === undefined ? null : Math.max(...fix.received.map((view) => view.int(Tag.MsgSeqNum) ?? 0));
  gateway = await house.start();
  ({ connection: fix } = await reconnect(gateway.fixPort, ACME, { password: PASSWORD, ...numbers }));
  read = 0;
  // Reports before this Logon.
  if (last !== null) fix.send(`35=2|7=${last + 1}|16=0`);
}

/** Plays one script. */
class Run {
  readonly #prefix: string;
  readonly got: string[] = [];
  readonly expected: string[] = [];
  readonly #orderIds = new Map<string, string>();
  readonly #rest: string[];

  constructor({ script }: StateChange, prefix: string) {
    this.#prefix = prefix;
    this.#rest = script.split('\n').map((line) => line.trim());
  }

  async play(): Promise<void> {
    const { control } = house.simulator;
    try {
      for (let line = this.#rest.shift(); line !== undefined; line = this.#rest.shift()) {
        const [word = '', ...words] = line.split(' ');
        if (word === '=') await this.#expect(words);
        else await this.#step(word, words);
      }
    } finally {
      control.clearFaults();
      control.silenceStreams(false);
      // A script's leftovers would stand before the next one's orders in the book.
      for (const { orderId } of control.openOrders(ACCOUNT)) control.cancelOrder(orderId);
    }
  }

  async #expect([clOrdID = '', what = '', ...amounts]: string[]): Promise<void> {
    const isReject = what.startsWith('9:');
    this.expected.push([clOrdID, what, ...(isReject ? amounts : amounts.map(scaled))].join(' '));
    while (this.got.length < this.expected.length) {
      const view = await fix.expect(
        `${this.#prefix}: ${this.expected.join(', ')}; so far ${this.got.join(', ')}`,
        (candidate) => fix.received.indexOf(candidate) >= read && this.#isMine(candidate),
      );
      read = fix.received.indexOf(view) + 1;
      this.got.push(this.#outline(view));
    }
  }

  #isMine(view: MessageView): boolean {
    return (view.msgType === '8' || view.msgType === '9') && (view.string(Tag.ClOrdID) ?? '').startsWith(this.#prefix);
  }

  #outline(view: MessageView): string {
    const get = (tag: number): string => view.string(tag) ?? '-';
    const clOrdID = get(Tag.ClOrdID).slice(this.#prefix.length);
    const orderID = view.string(Tag.SecondaryOrderID) ?? view.string(Tag.OrderID);
    if (orderID !== null && orderID !== 'NONE') this.#orderIds.set(clOrdID, orderID);
    if (view.msgType === '9') {
      const origClOrdID = get(Tag.OrigClOrdID).slice(this.#prefix.length);
      return `${clOrdID} 9:${get(434)}/${get(39)} ${get(102)} ${origClOrdID}`;
    }
    return `${clOrdID} ${get(150)}/${get(39)} ${get(14)} ${get(151)}`;
  }

  async #step(word: string, [a = '', b = '', c = '', ...more]: string[]): Promise<void> {
    const { control } = house.simulator;
    const id = (name: string): string => `${this.#prefix}${name}`;
    const head = `1=${ACCOUNT}|55=BTCUSDC|54=1|60=${formatUtcTimestamp(Date.now())}|`;
    switch (word) {
      case 'D':
        this.#standReady([c, ...more]);
        fix.send(fields(`35=D|11=${id(a)}|${head}38=${scaled(b)}|40=2|44=${PRICE}|59=1|`, [c, ...more]));
        break;
      case 'F':
        fix.send(`35=F|11=${id(a)}|41=${id(b)}|${head}`);
        break;
      case 'G':
        fix.send(fields(`35=G|11=${id(a)}|41=${id(b)}|${head}40=2|38=${scaled(c)}|44=${PRICE}|`, more));
        break;
      case 'H':
        fix.send(`35=H|11=${id(a)}|55=BTCUSDC|54=1`);
        break;
      case 'hold':
        control.holdCommands();
        break;
      case 'release':
        control.releaseCommands(a === '' ? null : Number(a));
        break;
      case 'lost':
        control.armAnswer({ what: 'lost' });
        break;
      case 'refuse':
        control.armAnswer({ what: 'error', httpStatus: Number(a), errorCode: Number(b), executed: false });
        break;
      case 'fill':
        for (const quantity of [b, c, ...more].filter((one) => one !== '')) {
          control.trade('BTCUSDC', 'SELL', PRICE, scaled(quantity));
        }
        break;
      case 'end':
        if (control.order(this.#orderIds.get(a) ?? '')?.status === 'OPEN') {
          control.cancelOrder(this.#orderIds.get(a)!, Number(c));
        }
        break;
      case 'restate':
        control.amendOrder(this.#orderIds.get(a) ?? '', scaled(b));
        break;
      case 'restart':
        control.restart(true);
        break;
      case 'silent':
        control.silenceStreams(true);
        break;
      case 'speak':
        control.silenceStreams(false);
        break;
      case 'reconnect':
        control.cutStreams('private');
        break;
      case 'down':
        await gateway.kill();
        break;
      case 'up':
        await up();
        break;
      default:
        expect(word).toBe('');
    }
  }

  /** An IOC is hit when it comes: what it hits must be there before. */
  #standReady(more: readonly string[]): void {
    if (!more.includes('59=3')) return;
    const fill = this.#rest.findIndex((line) => line.startsWith('fill '));
    const [, , quantity] = this.#rest[fill]!.split(' ');
    const rest = { symbol: 'BTCUSDC', side: 'SELL', price: PRICE, quantity: scaled(quantity!) } as const;
    house.simulator.control.counterparty({ ...rest, timeInForce: 'GTC' });
    this.#rest.splice(fill, 1);
  }
}

function fields(message: string, more: readonly string[]): string {
  let text = message;
  for (const one of more) {
    if (one === '') continue;
    const wanted = one === '44=101' ? '44=60100' : one;
    const [tag] = wanted.split('=');
    const there = new RegExp(`\\|${tag}=[^|]*\\|`);
    if (tag === '97') text = text.replace('|', `|${wanted}|`);
    else text = there.test(text) ? text.replace(there, `|${wanted}|`) : `${text}${wanted}|`;
  }
  return text;
}

/** Which reports came, whatever their order. */
const kindsOf = (outlines: readonly string[]): string[] =>
  outlines.map((one) => one.split(' ').slice(0, 2).join(' ').replace(/\/.*/, '')).sort();

/** Repeated frames: every fifth script in `npm test`, all of them with `npm run nightly -- state-changes`. */
const REPEATED = process.env.STATE_CHANGES === 'all' ? STATE_CHANGES : STATE_CHANGES.filter((_, i) => i % 5 === 0);

describe('Appendix D through the running gateway', () => {
  test.each(STATE_CHANGES)('$name', async (change) => {
    const run = new Run(change, `o${STATE_CHANGES.indexOf(change)}-`);
    await run.play();
    expect(run.got).toEqual(run.expected);
  });

  test.each(REPEATED)('$name, frames repeated and out of order', async (change) => {
    const { control } = house.simulator;
    control.armStream({ what: 'duplicate', times: 1_000, probability: 0.5 });
    control.armStream({ what: 'reorder', times: 1_000, probability: 0.3 });
    const run = new Run(change, `s${STATE_CHANGES.indexOf(change)}-`);
    await run.play();
    expect(kindsOf(run.got)).toEqual(kindsOf(run.expected));
    expect(run.got.at(-1)).toBe(run.expected.at(-1));
  });
});
