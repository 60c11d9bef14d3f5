// An OMS that certifies itself without a person: reads each request in News(B), does it, and keeps a book of its orders. Which FIX
// engine carries its messages is another file's business. With a fault it misunderstands one thing, as a real OMS might.

import type { MessageView } from '../../../src/wire/mod.ts';

/** The FIX engine of the OMS. */
export interface OmsLine {
  /** A message, `35=D|11=…`; the engine adds the header. */
  send(text: string): void;
  /** Log out and log on again. */
  logout(): void;
  logon(): void;
  /** End the connection without a Logout, and log on again. */
  disconnect(): void;
  /** Log on with both numbers at 1. */
  reset(): void;
}

/** A line that is there later: brain and line need each other. */
export function laterLine(line: () => OmsLine): OmsLine {
  return {
    send: (text) => line().send(text),
    logout: () => line().logout(),
    logon: () => line().logon(),
    disconnect: () => line().disconnect(),
    reset: () => line().reset(),
  };
}

/** Misunderstandings of the book; those of the session are faulty-line.ts's. */
export type BookFault =
  | 'counts duplicates'
  | 'counts possible resends twice'
  | 'counts status reports'
  | 'reuses ClOrdID'
  | 'keeps the old name after a replace'
  | 'keeps cancelled orders open'
  | 'presses on in lockdown';

interface Order {
  readonly label: string;
  clOrdID: string;
  /** Name of a request that is under way. */
  pending: string | null;
  orderID: string;
  readonly symbol: string;
  readonly account: string;
  readonly side: string;
  qty: number;
  cum: number;
  readonly type: string;
  price: string | null;
  readonly tif: string;
  isOpen: boolean;
  lastExecID: string;
  isRefused: boolean;
}

const TYPES: Readonly<Record<string, string>> = { limit: '2', market: '1', stop: '4', post: '2' };
const TIMES: Readonly<Record<string, string>> = { gtc: '1', ioc: '3', fok: '4', gtx: '5' };
const SIDES: Readonly<Record<string, string>> = { buy: '1', sell: '2' };
const ENDED = new Set(['2', '3', '4', '8', 'C']);

export class OmsBrain {
  /** Results of the cases, as the gateway said them. */
  readonly verdicts = new Map<string, string>();
  readonly #line: OmsLine;
  readonly #faults: ReadonlyMap<string, BookFault>;
  readonly #version: string;
  readonly #orders = new Map<string, Order>();
  readonly #byName = new Map<string, Order>();
  readonly #seenExecIDs = new Set<string>();
  readonly #bids = new Map<string, number>();
  readonly #run = `${Date.now().toString(36)}`;
  #count = 0;
  #subscription = '';
  #case = '';

  /** @param faults by the case that is to find each: the others have to be played too */
  constructor(line: OmsLine, version = 'FIX.4.4', faults: ReadonlyMap<string, BookFault> = new Map()) {
    this.#line = line;
    this.#version = version;
    this.#faults = faults;
  }

  #has(fault: BookFault): boolean {
    return this.#faults.get(this.#case) === fault;
  }

  /** A message that the FIX engine gives to its application. */
  take(view: MessageView): void {
    switch (view.msgType) {
      case 'B':
        this.#news(view);
        return;
      case '8':
        this.#report(view);
        return;
      case '9':
        this.#cancelReject(view);
        return;
      case 'W':
      case 'X':
        this.#market(view);
        return;
      default:
    }
  }

  #news(view: MessageView): void {
    const headline = view.string(148) ?? '';
    const [head = '', ...parts] = headline.split(' // ');
    const [word, id = '', verdict = ''] = head.split(' ');
    if (word === 'BEGIN') {
      this.#case = id;
      this.#orders.clear();
    }
    if (word === 'END') this.verdicts.set(id, verdict);
    if (word !== 'ASK') return;
    const lines = [...parts];
    for (let i = 0; i < view.fieldCount; i++) if (view.tagAt(i) === 58) lines.push(view.stringAt(i));
    const request = lines.find((line) => line.startsWith('DO '));
    if (request !== undefined) this.#do(request);
  }

  #do(request: string): void {
    const [, verb = '', ...words] = request.split(' ');
    const params = Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
    const order = this.#orders.get(params.order ?? '');
    switch (verb) {
      case 'new':
        this.#enter(params);
        return;
      case 'cancel':
        if (order !== undefined) this.#cancel(order);
        return;
      case 'replace':
        if (order !== undefined) this.#replace(order, params);
        return;
      case 'status':
        if (order !== undefined)
          this.#line.send(`35=H|11=${order.clOrdID}|1=${order.account}|55=${order.symbol}|54=${order.side}`);
        return;
      case 'mass-status':
        this.#line.send(`35=AF|584=${this.#name()}|585=7`);
        return;
      case 'mass-cancel':
        this.#line.send(`35=q|11=${this.#name()}|530=7|60=${this.#now()}`);
        return;
      case 'cancel-open':
        for (const open of [...this.#orders.values()].filter(({ isOpen }) => isOpen)) this.#cancel(open);
        return;
      case 'again':
        if (order !== undefined) this.#line.send(`${this.#orderText(order)}|97=Y`);
        return;
      case 'dispute':
        if (order !== undefined)
          this.#line.send(
            `35=Q|37=${order.orderID}|17=${order.lastExecID}|127=A|55=${order.symbol}|54=${order.side}|38=${order.qty}|32=1|31=59000`,
          );
        return;
      case 'test-request':
        this.#line.send(`35=1|112=${this.#name()}`);
        return;
      case 'resend-request':
        this.#line.send('35=2|7=1|16=0');
        return;
      case 'logout':
        this.#line.logout();
        return;
      case 'logon':
        this.#line.logon();
        return;
      case 'disconnect':
        this.#line.disconnect();
        return;
      case 'reset':
        this.#line.reset();
        return;
      case 'say':
        this.#line.send(`35=1|112=${this.#say(params, order)}`);
        return;
      case 'market-data': {
        this.#subscription = this.#name();
        this.#bids.clear();
        this.#line.send(`35=V|262=${this.#subscription}|263=1|264=0|265=1|267=2|269=0|269=1|146=1|55=${params.symbol}`);
        return;
      }
      case 'stop-market-data':
        this.#line.send(`35=V|262=${this.#subscription}|263=2|264=0|265=1|267=2|269=0|269=1|146=1|55=BTCUSDC`);
        return;
      case 'security-list':
        this.#line.send(`35=x|320=${this.#name()}|559=4`);
        return;
      case 'best-bid':
        this.#enter({ ...params, side: 'sell', type: 'limit', price: String(Math.max(...this.#bids.values(), 0)) });
        return;
      default:
        throw new Error(`this OMS cannot ${verb}`);
    }
  }

  #say({ what = '' }: Record<string, string>, order: Order | undefined): string {
    if (what === 'cum') return String(order?.cum ?? [...this.#byName.values()].at(-1)?.cum ?? 0);
    return String(new Set([...this.#byName.values()].filter(({ isOpen }) => isOpen)).size);
  }

  #enter(params: Record<string, string>): void {
    const before = [...this.#byName.values()].at(-1)?.clOrdID;
    const reuses = this.#has('reuses ClOrdID') && this.#orders.size > 0;
    const clOrdID = reuses && before !== undefined ? before : this.#name();
    const order: Order = {
      label: params.order ?? '',
      clOrdID,
      pending: null,
      orderID: '',
      symbol: params.symbol ?? '',
      account: params.account ?? '',
      side: SIDES[params.side ?? 'buy']!,
      qty: Number(params.qty),
      cum: 0,
      type: params.type ?? 'limit',
      price: params.price ?? null,
      tif: params.tif ?? 'gtc',
      isOpen: true,
      lastExecID: '',
      isRefused: false,
    };
    this.#orders.set(order.label, order);
    this.#byName.set(clOrdID, order);
    this.#line.send(`${this.#orderText(order)}${params.stop === undefined ? '' : `|99=${params.stop}`}`);
  }

  #orderText({ clOrdID, account, symbol, side, qty, type, price, tif }: Order): string {
    const parts = ['35=D', `11=${clOrdID}`, `1=${account}`, `55=${symbol}`, `54=${side}`, `38=${qty}`];
    parts.push(`40=${TYPES[type]}`, `60=${this.#now()}`);
    if (this.#version === 'FIX.4.2') parts.push('21=1');
    if (type === 'post') parts.push('18=6');
    if (price !== null && type !== 'market') parts.push(`44=${price}`);
    if (type !== 'market' || tif === 'gtx') parts.push(`59=${TIMES[tif]}`);
    return parts.join('|');
  }

  #cancel(order: Order): void {
    const { account, symbol, side, qty } = order;
    const parts = [`35=F|41=${this.#nameOf(order)}|11=${this.#request(order)}|1=${account}|55=${symbol}|54=${side}`];
    parts.push(`38=${qty}|60=${this.#now()}`);
    this.#line.send(parts.join('|'));
  }

  #replace(order: Order, params: Record<string, string>): void {
    const { account, symbol, side, type } = order;
    const qty = params.leave === undefined ? Number(params.qty ?? order.qty) : order.cum + Number(params.leave);
    const price = params.price ?? order.price;
    const parts = [`35=G|41=${this.#nameOf(order)}|11=${this.#request(order)}|1=${account}|55=${symbol}|54=${side}`];
    parts.push(`38=${qty}|40=${TYPES[type]}|44=${price}|60=${this.#now()}`);
    if (this.#version === 'FIX.4.2') parts.push('21=1');
    if (order.tif === 'gtx') parts.push('59=5');
    this.#line.send(parts.join('|'));
  }

  /** OrigClOrdID of a request about the order. */
  #nameOf(order: Order): string {
    return this.#has('keeps the old name after a replace')
      ? (this.#firstNames.get(order) ?? order.clOrdID)
      : order.clOrdID;
  }

  readonly #firstNames = new Map<Order, string>();

  #request(order: Order): string {
    const name = this.#name();
    order.pending = name;
    this.#byName.set(name, order);
    return name;
  }

  #report(view: MessageView): void {
    const execID = view.string(17) ?? '';
    const execType = view.string(150) ?? '';
    const ordStatus = view.string(39) ?? '';
    const order = this.#orderOf(view);
    if (order === null) return;
    order.orderID = view.string(37) ?? order.orderID;
    const isStatus = execType === 'I' || view.string(20) === '3';
    const isFill = (execType === 'F' || execType === '1' || execType === '2') && !isStatus;
    if (execType === '5') {
      if (!this.#firstNames.has(order)) this.#firstNames.set(order, order.clOrdID);
      order.clOrdID = view.string(11) ?? order.clOrdID;
      order.qty = Number(view.string(38) ?? order.qty);
      order.price = view.string(44) ?? order.price;
    }
    const countsTwice =
      (view.boolean(97) === true && this.#has('counts possible resends twice')) ||
      (view.boolean(43) === true && this.#has('counts duplicates'));
    if (isFill && (!this.#seenExecIDs.has(execID) || countsTwice)) order.cum += Number(view.string(32) ?? 0);
    if (isStatus && this.#has('counts status reports')) order.cum += Number(view.string(14) ?? 0);
    if (isFill) order.lastExecID = execID;
    this.#seenExecIDs.add(execID);
    if (!ENDED.has(ordStatus)) return;
    if (ordStatus === '4' && view.string(41) === null && this.#has('keeps cancelled orders open')) return;
    order.isOpen = false;
  }

  #cancelReject(view: MessageView): void {
    const order = this.#orderOf(view);
    if (order === null) return;
    const status = view.string(39) ?? '';
    if (ENDED.has(status)) order.isOpen = false;
    if (!this.#has('presses on in lockdown') || order.tif !== 'gtx' || order.isRefused) return;
    order.isRefused = true;
    this.#cancel(order);
  }

  /** A drop copy learns of orders by their reports. */
  #orderOf(view: MessageView): Order | null {
    const name = view.string(11) ?? view.string(37) ?? '';
    const known =
      this.#byName.get(name) ?? this.#byName.get(view.string(41) ?? '') ?? this.#byName.get(view.string(37) ?? '');
    if (known !== undefined) return known;
    if (view.msgType !== '8') return null;
    const order: Order = {
      label: '',
      clOrdID: name,
      pending: null,
      orderID: view.string(37) ?? '',
      symbol: view.string(55) ?? '',
      account: view.string(1) ?? '',
      side: view.string(54) ?? '1',
      qty: Number(view.string(38) ?? 0),
      cum: 0,
      type: 'limit',
      price: view.string(44),
      tif: 'gtc',
      isOpen: true,
      lastExecID: '',
      isRefused: false,
    };
    this.#byName.set(name, order);
    if (order.orderID !== '') this.#byName.set(order.orderID, order);
    return order;
  }

  #market(view: MessageView): void {
    if (view.msgType === 'W') this.#bids.clear();
    for (const entry of view.groupEntries(268) ?? []) {
      if (entry.string(269) !== '0') continue;
      const price = entry.string(270);
      const id = entry.string(278) ?? price ?? '';
      if (entry.string(279) === '2') this.#bids.delete(id);
      else if (price !== null) this.#bids.set(id, Number(price));
    }
  }

  #name(): string {
    this.#count++;
    return `${this.#run}-${this.#count}`;
  }

  #now(): string {
    return new Date().toISOString().replaceAll('-', '').replace('T', '-').replace('Z', '');
  }
}
