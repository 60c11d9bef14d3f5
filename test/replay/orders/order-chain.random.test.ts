// Random days of several sessions with reused ids. A simple model writes the messages and knows each owner; grouped
// from the messages alone, the orders are the same.

import { expect, test } from 'vitest';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { loggedMessage } from '../../../src/replay/logged-message.ts';
import { OrderChains } from '../../../src/replay/orders/order-chain.ts';
import { fromPrintable } from '../../../src/wire/mod.ts';
import { type Random, randomNumbers } from '../../support/random/random-message.ts';

interface ModelOrder {
  readonly number: number;
  readonly session: string;
  readonly isGtc: boolean;
  readonly since: number;
  clOrdID: string;
  orderID: string | null;
  state: '-' | 'A' | '0' | '1' | '2' | '4' | '8' | 'C';
  endedOn: number | null;
}

const SESSIONS = ['A>X', 'B>X', 'A>Y'];
const CL_ORD_IDS = ['a', 'b', 'c', 'd', 'e', 'f', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'];
const NONE = ['NONE', '0', 'N/A', 'UNKNOWN'];

/** Writes days, and notes the orders of each line. */
class Model {
  readonly lines: { readonly text: string; readonly orders: readonly ModelOrder[] }[] = [];
  readonly orders: ModelOrder[] = [];
  private day = 1;
  private readonly pick: <T>(from: readonly T[]) => T;
  private readonly chance: (of: number) => boolean;
  private readonly numbers = new Map<string, number>();
  private readonly holders = new Map<string, ModelOrder>();
  private readonly venueIDs = new Map<string, ModelOrder>();

  constructor(below: Random) {
    this.pick = (from) => from[below(from.length)]!;
    this.chance = (of) => below(of) === 0;
  }

  run(days: number, steps: number): void {
    for (; this.day <= days; this.day++) {
      for (let i = 0; i < steps; i++) this.step(this.pick(SESSIONS));
      for (const order of this.working()) {
        if (order.isGtc) continue;
        // Venues do not always say that a day is over.
        if (order.orderID !== null && this.chance(2)) this.report(order, 'C', 'C');
        order.endedOn = this.day;
        order.state = 'C';
      }
    }
  }

  private step(session: string): void {
    const open = this.working().filter((order) => order.session === session);
    const order = open.length === 0 ? null : this.pick(open);
    const kind = this.pick([0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8]);
    if (kind === 0 || order === null) this.enter(session);
    else if (kind === 1) this.repeat(session);
    else if (kind === 2) this.change(order, 'F');
    else if (kind === 3) this.change(order, 'G');
    else if (kind === 4) this.answer(order);
    else if (kind === 5) this.massCancel(session, open);
    else if (kind === 6) this.list(session);
    else if (kind === 7) this.ask(order);
    else this.late(session);
  }

  private enter(session: string): void {
    const id = this.free(session);
    if (id === null) return;
    const order = this.add(session, id);
    this.send(session, `D 11=${id} 59=${order.isGtc ? 1 : 0}`, [order]);
    if (this.chance(8)) this.rejected(session, order);
    else if (!this.chance(6)) this.answer(order);
  }

  private list(session: string): void {
    const orders: ModelOrder[] = [];
    for (let i = 0; i < 2; i++) {
      const id = this.free(session);
      if (id !== null) orders.push(this.add(session, id, false));
    }
    if (orders.length === 0) return;
    const listID = `L${this.lines.length}`;
    this.send(session, `E 66=${listID} 73=${orders.length} ${orders.map((o) => `11=${o.clOrdID}`).join(' ')}`, orders);
    for (const order of orders) if (this.chance(2)) this.answer(order);
    this.send(session, `K 66=${listID}`, orders);
  }

  private rejected(session: string, order: ModelOrder): void {
    const number = this.numbers.get(session);
    this.tell(session, this.pick([`3 45=${number}`, `j 45=${number} 372=D 379=${order.clOrdID}`]), [order]);
    order.state = '8';
    order.endedOn = this.day;
  }

  /** A D by an id that is in use: it is refused, and changes nothing. */
  private repeat(session: string): void {
    const used = CL_ORD_IDS.filter((id) => this.holder(session, id) !== null);
    if (used.length === 0) return;
    const id = this.pick(used);
    const order = this.holder(session, id)!;
    this.send(session, `D 11=${id} 59=1`, [order]);
    const orderID = this.chance(2) ? this.pick(NONE) : (order.orderID ?? 'NONE');
    this.tell(session, `8 37=${orderID} 11=${id} 150=8 39=8 103=6`, [order]);
    if (order.state === '-' || order.state === 'A') {
      order.state = '8';
      order.endedOn = this.day;
    }
  }

  private change(order: ModelOrder, msgType: 'F' | 'G'): void {
    const { session, clOrdID } = order;
    const id = this.free(session);
    if (id === null || order.state === '-') return;
    this.holders.set(`${session} ${id}`, order);
    this.send(session, `${msgType} 11=${id} 41=${clOrdID}${this.orderIDIn(order, '37')}`, [order]);
    if (order.state === 'A' || this.chance(3)) {
      this.tell(session, `9 37=${order.orderID ?? this.pick(NONE)} 11=${id} 41=${clOrdID} 39=8 434=1`, [order]);
      return;
    }
    this.tell(session, `8 37=${order.orderID} 11=${id} 41=${clOrdID} 150=6 39=6`, [order]);
    order.clOrdID = id;
    if (msgType === 'G') this.tell(session, `8 37=${order.orderID} 11=${id} 41=${clOrdID} 150=5 39=0`, [order]);
    else this.report(order, '4', '4', ` 41=${clOrdID}`);
  }

  private massCancel(session: string, open: readonly ModelOrder[]): void {
    const known = open.filter(({ orderID }) => orderID !== null);
    const id = `q${this.lines.length}`;
    this.send(session, `q 11=${id} 530=7`, known);
    const entries = known.map((each) => `41=${each.clOrdID} 535=${each.orderID}`).join(' ');
    this.tell(session, `r 11=${id} 37=r${id} 530=7 531=7 534=${known.length} ${entries}`.trim(), known);
    for (const order of known) if (this.chance(2)) this.report(order, '4', '4');
  }

  private ask(order: ModelOrder): void {
    this.send(order.session, `H 11=${order.clOrdID}`, [order]);
    const { orderID, clOrdID, state } = order;
    const status = state === '-' ? 'A' : state;
    this.tell(order.session, `8 37=${orderID ?? 'NONE'} 11=${clOrdID} 17=0 150=I 39=${status}`, [order]);
  }

  /** Later messages of an ended order, while its ids are free. */
  private late(session: string): void {
    const ended = this.orders.filter(
      (order) => order.session === session && order.state === '4' && this.venueIDs.get(this.venueKey(order)) === order,
    );
    if (ended.length === 0) return;
    const order = this.pick(ended);
    this.tell(session, `8 37=${order.orderID} 11=${order.clOrdID} 150=F 39=4`, [order]);
  }

  private answer(order: ModelOrder): void {
    const { state } = order;
    if (state === '-' && this.chance(4)) {
      this.tell(order.session, `8 37=${this.pick(NONE)} 11=${order.clOrdID} 150=A 39=A`, [order]);
      order.state = 'A';
    } else if ((state === '-' || state === 'A') && this.chance(4)) {
      this.tell(order.session, `8 37=${this.pick(NONE)} 11=${order.clOrdID} 150=8 39=8`, [order]);
      order.state = '8';
      order.endedOn = this.day;
    } else if (state === '-' || state === 'A') {
      this.identify(order);
      this.report(order, '0', '0');
    } else this.report(order, 'F', this.pick(['1', '1', '2']));
  }

  private report(order: ModelOrder, execType: string, state: '0' | '1' | '2' | '4' | 'C', more = ''): void {
    const clOrdID = this.chance(8) && execType === 'F' ? '' : ` 11=${order.clOrdID}`;
    this.tell(order.session, `8 37=${order.orderID}${clOrdID}${more} 150=${execType} 39=${state}`, [order]);
    order.state = state;
    if (state === '2' || state === '4' || state === 'C') order.endedOn = this.day;
  }

  private identify(order: ModelOrder): void {
    for (let number = 1; ; number++) {
      order.orderID = `${number}`;
      const holder = this.venueIDs.get(this.venueKey(order));
      // Numbered anew each day, but for what still works.
      if (holder === undefined || this.isOver(holder)) break;
    }
    this.venueIDs.set(this.venueKey(order), order);
  }

  private readonly venueKey = ({ session, orderID }: ModelOrder): string => `${session.split('>')[1]} ${orderID}`;
  private readonly orderIDIn = ({ orderID }: ModelOrder, tag: string): string =>
    orderID === null || this.chance(2) ? '' : ` ${tag}=${orderID}`;

  private add(session: string, clOrdID: string, isGtc = this.chance(2)): ModelOrder {
    const number = this.orders.length;
    const order: ModelOrder = {
      number,
      session,
      isGtc,
      since: this.day,
      clOrdID,
      orderID: null,
      state: '-',
      endedOn: null,
    };
    this.orders.push(order);
    this.holders.set(`${session} ${clOrdID}`, order);
    return order;
  }

  private working(): ModelOrder[] {
    return this.orders.filter(({ endedOn }) => endedOn === null);
  }

  private isOver({ endedOn }: ModelOrder): boolean {
    return endedOn !== null && endedOn < this.day;
  }

  private holder(session: string, id: string): ModelOrder | null {
    const order = this.holders.get(`${session} ${id}`);
    return order === undefined || this.isOver(order) ? null : order;
  }

  private free(session: string): string | null {
    const free = CL_ORD_IDS.filter((id) => this.holder(session, id) === null);
    return free.length === 0 ? null : this.pick(free);
  }

  private send(session: string, text: string, orders: readonly ModelOrder[]): void {
    const [from, to] = session.split('>');
    const msgSeqNum = (this.numbers.get(session) ?? 0) + 1;
    this.numbers.set(session, msgSeqNum);
    this.write(from!, to!, msgSeqNum, text, orders);
  }

  private tell(session: string, text: string, orders: readonly ModelOrder[]): void {
    const [to, from] = session.split('>');
    this.write(from!, to!, this.lines.length + 1, text, orders);
  }

  private write(from: string, to: string, msgSeqNum: number, text: string, orders: readonly ModelOrder[]): void {
    const [msgType, ...fields] = text.split(' ');
    const time = new Date(Date.UTC(2026, 10, this.day) + this.lines.length * 10).toISOString();
    const sendingTime = time.replaceAll('-', '').replace('T', '-').slice(0, -1);
    const header = `35=${msgType}|49=${from}|56=${to}|34=${msgSeqNum}|52=${sendingTime}|`;
    this.lines.push({ text: `${header}${fields.map((field) => `${field}|`).join('')}`, orders });
  }
}

const RUNS = 40;

test(`in ${RUNS} random logs with reused ids, each message belongs to its orders`, () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const model = new Model(randomNumbers(seed));
    model.run(4, 40);
    const messages = model.lines.map(({ text }) =>
      loggedMessage(fromPrintable(text), { at: null, session: null, counted: true, note: '' }),
    );
    const [chains, sessions] = [new OrderChains(messages.length), new LogSessions()];
    for (const each of messages) chains.add(each, sessions.directionOf(each));
    const numberOf = new Map(messages.map(({ raw }, i) => [raw.toString('latin1'), i]));
    const found = [...chains.all()].map((chain) =>
      chain.messages.map(({ raw }) => numberOf.get(raw.toString('latin1'))!),
    );
    const wanted = model.orders.map((order) =>
      model.lines.flatMap((line, i) => (line.orders.includes(order) ? [i] : [])),
    );
    const said = (lines: readonly number[]): string => lines.map((i) => `${i} ${model.lines[i]!.text}`).join('\n');
    const inOrder = (all: readonly number[][]): string[] => all.toSorted((a, b) => a[0]! - b[0]!).map(said);
    const [are, should] = [inOrder(found), inOrder(wanted)];
    // Comparing texts of a thousand lines takes long.
    if (are.join() !== should.join()) expect(are, `seed ${seed}`).toEqual(should);
    expect(are.length).toBeGreaterThan(20);
  }
});
