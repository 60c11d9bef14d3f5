// A random day of one order session with every kind of order and a drop copy beside it, each in any version and
// dialect. Settings of the session, phases of the auction and markets change, kill switches are thrown and lifted, and
// the clock is set back. kinds-day.test.ts has the invariants.

import { Decimal } from '../../src/base/decimal.ts';
import type { ExchangeOrderStatus } from '../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../src/gateway/mod.ts';
import { ACCOUNT, Desk, dropCopyConfig, gatewayConfig, market, SESSION, sessionConfig, textOf } from './desk.ts';
import { KindsExchange } from './kinds-exchange.ts';
import type { ModelOrder } from './model-exchange.ts';

export const COPY = 'FIX.4.4:XG->COPY';

const OF_OMS = ['D', 'D', 'D', 'D', 'E', 'F', 'F', 'G', 'G', 'H', 'AF', 'q', 'again'] as const;
const OF_EXCHANGE = ['fill', 'fill', 'fill', 'trigger', 'end', 'elsewhere', 'cross', 'phase', 'lockdown'] as const;
const OF_LINK = ['deliver', 'deliver', 'deliver', 'deliver', 'repeat', 'answer', 'answer', 'lose', 'lookup'] as const;
const AROUND = ['time', 'restart', 'down', 'settings', 'markets', 'kill', 'lift', 'clock'] as const;
export const KINDS = [...OF_OMS, ...OF_EXCHANGE, ...OF_LINK, ...AROUND] as const;
export type Kind = (typeof KINDS)[number];
export type KindStep = readonly [kind: Kind, which: number, amount: number, flag: boolean];

/** Orders of every kind; S stands for Side(54), Q for the quantity. */
const ORDERS = [
  '54=S|38=Q|40=2|44=100|59=1|',
  '54=S|38=Q|40=2|44=100.5|',
  '54=S|38=Q|40=2|44=100|59=1|18=6|',
  '54=S|38=Q|40=2|44=100|59=3|',
  '54=S|38=Q|40=2|44=100|59=4|',
  '54=S|38=Q|40=1|',
  '54=S|38=Q|40=1|59=3|',
  '54=S|38=Q|40=4|44=100|99=101|59=1|',
  '54=S|38=Q|40=4|44=99|99=98|59=1|',
  '54=S|38=Q|40=2|44=100|59=5|',
  '54=S|38=Q|40=1|59=5|',
  '54=S|38=Q|40=2|44=100.01|59=1|',
  '54=S|38=0.00001|40=2|44=100|59=1|',
  '54=S|38=Q|40=2|44=100|59=6|',
] as const;
const Q = ['530=7|', '530=7|', '530=1|55=BTCUSDC|', '530=7|54=1|', '530=7|1=ACC1|'] as const;
const REFUSALS = ['no', 'no', 'no', 'no', 'no', 'no', 'at once', 'later'] as const;
type End = readonly [status: ExchangeOrderStatus, code: string];
/** Unrequested ends: executed otherwise, by margin, by the market maker protection, expired. */
const ENDS: readonly End[] = [
  ['CANCELLED', '3020'],
  ['CANCELLED', '3021'],
  ['CANCELLED', '6019'],
  ['CANCELLED', '6005'],
  ['CLOSED', '6004'],
];
const ENDS_OF_AUCTION: readonly End[] = [
  ['CLOSED', '6021'],
  ['CANCELLED', '6022'],
  ['CANCELLED', '6023'],
  ['CANCELLED', '6024'],
];

const { limits: LIMITS } = sessionConfig();
/** Settings that a session file may change from one moment to the next; returning to the earlier ones is as likely. */
const SETTINGS: readonly Partial<GatewaySessionConfig>[] = [
  { symbols: ['ETHUSDC'] },
  { symbolAliases: { XBT: 'BTCUSDC' } },
  { limits: { ...LIMITS, openOrdersMax: 2 } },
  { limits: { ...LIMITS, orderQtyMax: '1' } },
  { replaceByCancelAndNew: true },
  { statusFromExchange: true },
  { pendingNewAfterMs: 0 },
];
const LOCKDOWN = {
  eventType: 'AUCTION_LOCKDOWN',
  phase: 'LOCKDOWN',
  createAuctionOrderEnabled: false,
  amendAuctionOrderEnabled: true,
  cancelAuctionOrderEnabled: false,
} as const;

/** Changes of a market while orders work in it. */
const MARKETS: readonly (Partial<ReturnType<typeof market>> | 'delisted')[] = [
  { tickSize: '1' },
  { quantityPrecision: 0 },
  { minQuantityLimit: '3' },
  { createOrderEnabled: false },
  { marketEnabled: false, cancelOrderEnabled: false },
  { auctionEnabled: false },
  'delisted',
];

export interface Told {
  readonly sessionId: string;
  readonly text: string;
}

export class KindsDay {
  readonly desk: Desk;
  readonly exchange = new KindsExchange();
  readonly told: Told[] = [];
  /** Requests, by the tag and id of their answer. */
  readonly asked = new Map<string, string>();
  readonly hasMassMessages: boolean;
  #answers: { commandId: string; outcome: ReturnType<KindsExchange['execute']> }[] = [];
  readonly #names: string[] = [];
  #ids = 0;
  #submitted = 0;
  readonly #settings: GatewaySessionConfig;
  #seen = 0;
  #random = 0;

  constructor(session: Partial<GatewaySessionConfig>, copy: Partial<GatewaySessionConfig>, isLate = false) {
    this.exchange.isLate = isLate;
    const limits = { ...sessionConfig().limits, openOrdersMax: 1_000 };
    const base = gatewayConfig({ limits, ...session });
    this.hasMassMessages = base.sessions[0]!.beginString !== 'FIX.4.2';
    this.desk = new Desk({ ...base, sessions: [...base.sessions, dropCopyConfig(copy)] });
    this.#settings = this.desk.config.sessions[0]!;
    this.#price();
    this.desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    this.desk.phase({ lockdownTime: this.desk.now + 36_000_000, scheduledCrossTime: this.desk.now + 37_000_000 });
  }

  act([kind, which, amount, flag]: KindStep): void {
    this.#random = amount;
    this.#ofOms(kind, which, amount, flag);
    this.#ofExchange(kind, which, amount, flag);
    this.#ofLink(kind, which, amount);
    if (kind === 'settings') this.#change(flag ? {} : SETTINGS[which % SETTINGS.length]!);
    else if (kind === 'lift' || (kind === 'kill' && flag && which % 2 === 0)) this.#kill(kind, amount);
    else if (kind === 'markets') this.#list(flag ? {} : MARKETS[which % MARKETS.length]!);
    this.#execute(amount % 11 === 0);
    this.look();
  }

  look(): void {
    const { effects } = this.desk;
    for (const effect of effects.slice(this.#seen)) {
      if (effect.kind === 'send') this.told.push({ sessionId: effect.sessionId, text: textOf(effect.draft) });
    }
    this.#seen = effects.length;
  }

  /** The session's file is as it was but for this. */
  #change(settings: Partial<GatewaySessionConfig>): void {
    const { config, gateway } = this.desk;
    const session = { ...this.#settings, ...settings };
    Object.assign(this.desk, { config: { ...config, sessions: [session, ...config.sessions.slice(1)] } });
    gateway.applyConfig(session);
  }

  #list(change: (typeof MARKETS)[number]): void {
    const changed = change === 'delisted' ? [] : [market('BTCUSDC', change)];
    this.desk.feed({ kind: 'markets', markets: [...changed, market('ETHUSDC')] });
  }

  /** Somebody throws a kill switch, or two lift it; of the session, its account or everything. */
  #kill(kind: 'kill' | 'lift', amount: number): void {
    const { desk } = this;
    const scope = (['session', 'account', 'all'] as const)[amount % 3]!;
    const name = { session: SESSION, account: ACCOUNT, all: '' }[scope];
    const say = (action: 'throw' | 'lift', who: string): void =>
      void desk.feed({ kind: 'killSwitch', action, scope, name, who, why: 'test' });
    if (kind === 'kill') say('throw', 'ann');
    else for (const who of ['ann', 'ben']) say('lift', who);
  }

  /** Let everything arrive that is under way. */
  settle(): void {
    const { desk } = this;
    this.exchange.isLocked = false;
    desk.phase({ lockdownTime: desk.now + 36_000_000, scheduledCrossTime: desk.now + 37_000_000 });
    desk.advance(5_000);
    for (let round = 0; round < 200; round++) {
      while (this.#answers.length > 0) this.#answer(0, false);
      while (this.exchange.pool.length > 0) this.#deliver(0, true);
      while (desk.lookups.length > 0) this.#lookup(0);
      this.#execute(false);
      const isQuiet = this.#answers.length === 0 && this.exchange.pool.length === 0;
      if (isQuiet && desk.gateway.deadline() === null) break;
      desk.advance(5_000);
    }
    this.look();
  }

  #ofOms(kind: Kind, which: number, amount: number, flag: boolean): void {
    const name = this.#names[which % Math.max(1, this.#names.length)] ?? 'none';
    const side = flag ? '1' : '2';
    const id = `${kind}-${this.#ids++}`;
    const of = `1=ACC1|21=1|55=BTCUSDC|`;
    if (kind === 'D') {
      const order = ORDERS[which % ORDERS.length]!.replace('S', side).replace('Q', `${1 + (amount % 5)}`);
      this.#price();
      this.#send(`8 ${id}`, `35=D|11=${id}|${of}${order}`);
      this.#names.push(id);
    } else if (kind === 'E') this.#orders(id, which, amount, flag);
    else if (kind === 'F') this.#send(`F ${id}`, `35=F|11=${id}|41=${name}|${of}54=${side}|`);
    else if (kind === 'G') {
      const quantity = amount % 3 === 0 ? `38=${1 + (amount % 6)}|` : '';
      this.#price();
      this.#send(
        `G ${id}`,
        `35=G|11=${id}|41=${name}|${of}${this.#sideOf(name)}40=2|${quantity}44=${95 + (amount % 10)}|`,
      );
      this.#names.push(id);
    } else if (kind === 'H') this.#status(name, id);
    else if (kind === 'AF' && this.hasMassMessages) this.#send(`AF ${id}`, `35=AF|584=${id}|585=7|`);
    else if (kind === 'q' && this.hasMassMessages && amount % 4 === 0)
      this.#send(`q ${id}`, `35=q|11=${id}|${Q[which % Q.length]}`);
    else if (kind === 'again') {
      const sent = this.asked.get(`8 ${name}`);
      if (sent !== undefined) this.desk.oms(sent.replace('35=D|', '35=D|97=Y|'), { sessionId: SESSION });
    }
  }

  /** Orders in a list. */
  #orders(listID: string, which: number, amount: number, flag: boolean): void {
    this.#price();
    const entries = [1, 2, 3].slice(0, 1 + (amount % 3)).map((n) => {
      const id = `${listID}-${n}`;
      const terms = ORDERS[(which + n) % ORDERS.length]!.replace('S', flag ? '1' : '2').replace('Q', `${n}`);
      const order = `1=ACC1|21=1|55=BTCUSDC|${terms}`;
      this.asked.set(`8 ${id}`, `35=D|11=${id}|${order}`);
      this.#names.push(id);
      return `11=${id}|67=${n}|${order}`;
    });
    const count = entries.length;
    const text = `35=E|66=${listID}|394=3|68=${count}|73=${count}|${entries.join('')}`;
    this.desk.oms(text, { sessionId: SESSION });
  }

  /** Before FIX.4.3 a status does not name its question: there it counts for none. */
  #status(name: string, id: string): void {
    const text = `35=H|11=${name}|55=BTCUSDC|${this.#sideOf(name)}`;
    if (this.hasMassMessages) this.#send(`H ${id}`, `${text}790=${id}|`);
    else this.desk.oms(text, { sessionId: SESSION });
  }

  /** The side with which an order was sent. */
  #sideOf(name: string): string {
    return /54=2/.test(this.asked.get(`8 ${name}`) ?? this.asked.get(`G ${name}`) ?? '') ? '54=2|' : '54=1|';
  }

  #send(key: string, text: string): void {
    this.asked.set(key, text);
    this.desk.oms(text, { sessionId: SESSION });
  }

  #ofExchange(kind: Kind, which: number, amount: number, flag: boolean): void {
    const { exchange, desk } = this;
    const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
    if (kind === 'elsewhere') exchange.enterElsewhere(`${5_000_000 + this.#ids++}`);
    else if (kind === 'cross') {
      for (const each of exchange.orders) if (each.kind.timeInForce === 'GTX') this.#cross(each, amount);
    } else if (kind === 'lockdown') {
      exchange.isLocked = true;
      if (flag) desk.phase({ ...LOCKDOWN, lockdownTime: desk.now, scheduledCrossTime: desk.now + 10_000 });
    } else if (kind === 'clock') desk.now -= amount * 10;
    else if (kind === 'phase') {
      exchange.isLocked = false;
      desk.phase({ auctionId: `A-${1 + (amount % 2)}`, lockdownTime: desk.now + 36_000_000 });
    }
    if (order === undefined) return;
    if (kind === 'fill' && order.kind.type !== 'STOP_LIMIT' && order.kind.timeInForce !== 'GTX') {
      const price = `100.${1_000 + amount}`;
      const all = order.kind.timeInForce === 'FOK' || amount % 3 === 0;
      exchange.fill(order, all ? order.quantity : new Decimal(BigInt(1 + (amount % 30)), 1), { price });
    } else if (kind === 'trigger') exchange.trigger(order);
    else if (kind === 'end' && order.kind.timeInForce !== 'GTX') exchange.end(order, ...ENDS[amount % ENDS.length]!);
    if (flag && (order.kind.timeInForce === 'IOC' || order.kind.timeInForce === 'FOK'))
      exchange.end(order, 'CLOSED', '6004');
  }

  /** An order of the auction is filled, in part or not at all, and ends. */
  #cross(order: ModelOrder, amount: number): void {
    const { exchange } = this;
    if (amount % 2 === 0)
      exchange.fill(order, new Decimal(BigInt(1 + (amount % 30)), 1), { price: '100.3', auctionId: 'A-1' });
    exchange.end(order, ...ENDS_OF_AUCTION[amount % ENDS_OF_AUCTION.length]!);
  }

  #ofLink(kind: Kind, which: number, amount: number): void {
    const { desk } = this;
    if (kind === 'deliver') this.#deliver(which, true);
    else if (kind === 'repeat') this.#deliver(which, false);
    else if (kind === 'answer' || kind === 'lose') this.#answer(which, kind === 'lose');
    else if (kind === 'lookup') this.#lookup(which);
    else if (kind === 'time') desk.advance(amount * 10);
    else if (kind === 'down') {
      desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: amount % 2 === 0 ? 'disconnect' : 'logout' });
      desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    } else if (kind === 'restart') {
      // A question awaiting the exchange is not recorded: the OMS asks again.
      for (const key of this.asked.keys()) if (/^(H|AF) /.test(key)) this.asked.delete(key);
      this.#answers = [];
      desk.lookups.length = 0;
      desk.now += 1;
      this.exchange.snapshot();
      desk.restart();
      desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
      desk.phase({ lockdownTime: desk.now + 36_000_000, scheduledCrossTime: desk.now + 37_000_000 });
    }
  }

  #price(): void {
    this.desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100.0' });
  }

  #execute(isLost: boolean): void {
    const { submitted } = this.desk;
    for (const { commandId, command } of submitted.slice(this.#submitted)) {
      this.exchange.refuses = REFUSALS[this.#random % REFUSALS.length]!;
      const outcome = isLost ? ({ kind: 'unknown', message: 'lost' } as const) : this.exchange.execute(command);
      this.#answers.push({ commandId, outcome });
    }
    this.#submitted = submitted.length;
  }

  #deliver(which: number, once: boolean): void {
    const { pool } = this.exchange;
    if (pool.length === 0) return;
    const i = which % pool.length;
    const event = pool[i]!;
    if (once) pool.splice(i, 1);
    this.desk.feed(event);
  }

  #answer(which: number, isLost: boolean): void {
    if (this.#answers.length === 0) return;
    const [{ commandId, outcome }] = this.#answers.splice(which % this.#answers.length, 1) as [
      { commandId: string; outcome: ReturnType<KindsExchange['execute']> },
    ];
    this.desk.feed({ kind: 'outcome', commandId, outcome: isLost ? { kind: 'unknown', message: 'lost' } : outcome });
  }

  #lookup(which: number): void {
    const { lookups } = this.desk;
    if (lookups.length === 0) return;
    const [lookup] = lookups.splice(which % lookups.length, 1);
    const outcome = this.exchange.lookup(lookup!.orderId, lookup!.clientOrderId);
    this.desk.feed({ kind: 'lookedUp', lookupId: lookup!.lookupId, outcome });
  }
}
