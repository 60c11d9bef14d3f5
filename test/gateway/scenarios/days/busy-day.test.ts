// Random days of two sessions of one account and a drop copy, with everything that an OMS may do at once. They include
// too many messages, lists, mass requests, two firms behind one session, others' orders, reused ClOrdIDs, ends of
// sessions, kill switches and restarts. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import { formatUtcTimestamp } from '../../../../src/base/time.ts';
import type { CommandOutcome, OrderCommand } from '../../../../src/exchange/mod.ts';
import { fromPrintable, viewOf } from '../../../../src/wire/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { dropCopyConfig, errorNotice, field, gatewayConfig, SESSION, sessionConfig, textOf } from '../../desk.ts';
import { NEXT_STATUS } from '../../next-status.ts';
import { Day, type Step } from '../../random-day.ts';

const OTHER = 'FIX.4.4:XG->OTHER';
const COPY = 'FIX.4.4:XG->COPY';
const OF_OMS = ['D', 'D', 'D', 'E', 'F', 'F', 'G', 'G', 'H', 'q', 'AF', 'again'] as const;
const AROUND = ['flood', 'firm', 'down', 'kill', 'restart', 'restate', 'time', 'time', 'wait'] as const;
const OF_EXCHANGE = [
  'fill',
  'fill',
  'expire',
  'unsolicited',
  'deliver',
  'deliver',
  'deliver',
  'deliver',
  'repeat',
  'answer',
  'answer',
  'lose',
  'lookup',
] as const;
type Kind = (typeof OF_OMS)[number] | (typeof AROUND)[number] | (typeof OF_EXCHANGE)[number];
type BusyStep = readonly [kind: Kind, which: number, amount: number, other: boolean];

const day = fc.array(
  fc.tuple(
    fc.constantFrom<Kind>(...OF_OMS, ...AROUND, ...OF_EXCHANGE),
    fc.nat(1_000),
    fc.nat(1_000),
    fc.boolean(),
  ) as fc.Arbitrary<BusyStep>,
  { minLength: 30, maxLength: 160, size: 'max' },
);

interface Told {
  readonly sessionId: string;
  readonly text: string;
}

class BusyDay extends Day {
  /** A session's unanswered requests, by session and the id of the answer. */
  readonly waiting = new Map<string, string>();
  readonly told: Told[] = [];
  #ids = 0;
  #msgSeqNum = 5_000;
  #firm = '';
  #seen = 0;
  /** When the next message of a session has its turn (rule S7). */
  readonly #turnAt = new Map<string, number>();
  readonly #names: string[] = [];

  readonly isLate: boolean;

  constructor(replaceByCancelAndNew: boolean, isLate: boolean) {
    super();
    this.isLate = isLate;
    const limits = { ...sessionConfig().limits, openOrdersMax: 1_000 };
    const base = gatewayConfig({ replaceByCancelAndNew, limits });
    const other = sessionConfig({ sessionId: OTHER, reach: 'accounts', limits });
    Object.assign(this.desk, { config: { ...base, sessions: [...base.sessions, other, dropCopyConfig()] } });
    this.desk.restart();
  }

  /** Refusals of changes come on the stream behind an acknowledgement, as those of the exchange do (exchange reference §1.4). */
  override outcome(command: OrderCommand, commandId: string): CommandOutcome {
    const outcome = super.outcome(command, commandId);
    if (!this.isLate || command.kind === 'createOrder') return outcome;
    const requestId = `r-${commandId}`;
    if (outcome.kind !== 'refused') return { ...outcome, requestId } as CommandOutcome;
    const { errorCode, message } = outcome;
    const { orderId = null, clientOrderId = null } = command as {
      orderId?: string | null;
      clientOrderId?: string | null;
    };
    this.exchange.pool.push({
      kind: 'errorNotice',
      notice: errorNotice({ orderId, clientOrderId, requestId, errorCode, message }),
    });
    return { kind: 'accepted', orderId, clientOrderId, requestId };
  }

  /** Take note of what was sent since. */
  look(): void {
    const { effects } = this.desk;
    for (const effect of effects.slice(this.#seen)) {
      if (effect.kind !== 'send') continue;
      const { sessionId } = effect;
      const text = textOf(effect.draft);
      this.told.push({ sessionId, text });
      const type = field(text, 35);
      const ids = type === 'j' ? [379] : type === 'N' ? [66] : [11, 790, 584];
      // A waiting order is answered under the ClOrdID of the F that cancels it.
      if (field(text, 150) === '4') ids.push(41);
      for (const tag of ids) this.waiting.delete(`${sessionId} ${field(text, tag)}`);
    }
    this.#seen = effects.length;
  }

  #send(sessionId: string, id: string, text: string): void {
    const { desk } = this;
    this.waiting.set(`${sessionId} ${id}`, text);
    const at = formatUtcTimestamp(desk.now);
    const [msgType, ...rest] = text.split('|');
    const firm = sessionId === SESSION ? this.#firm : '';
    const head = `${msgType}|34=${this.#msgSeqNum++}|49=OMS|56=XG|${firm}52=${at}`;
    const view = viewOf(fromPrintable(`${head}|${rest.join('|')}60=${at}|`, 'FIX.4.4'))!;
    const waitMs = (this.#turnAt.get(sessionId) ?? 0) - desk.now;
    const message = { sessionId, view, possDup: false } as const;
    if (waitMs <= 0 || msgType === '35=F' || msgType === '35=q') desk.feed({ kind: 'message', ...message });
    else desk.feed({ kind: 'throttled', ...message, excess: 'hold', waitMs });
  }

  /** An id that is new, or with `amount` by chance one that was used. */
  #id(amount: number): string {
    const used = this.#names[amount % Math.max(1, this.#names.length)];
    return amount % 9 === 0 && used !== undefined ? used : `n-${this.#ids++}`;
  }

  act(step: BusyStep): void {
    const [kind, which, amount] = step;
    if (!this.#ofOms(step) && !this.#around(step)) this.step([kind, which, amount] as Step);
    this.look();
    this.execute(amount % 11 === 0);
    this.look();
  }

  #ofOms([kind, which, amount, other]: BusyStep): boolean {
    const sessionId = other && which % 3 === 0 ? OTHER : SESSION;
    const name = this.#names[which % Math.max(1, this.#names.length)] ?? 'n-0';
    const { orders } = this.exchange;
    const orderID = orders[which % Math.max(1, orders.length)]?.orderId;
    const order = `1=ACC1|55=BTCUSDC|54=1|38=${1 + (amount % 5)}|40=2|44=100|`;
    const id = this.#id(amount);
    switch (kind) {
      case 'D':
        this.#send(sessionId, id, `35=D|11=${id}|${order}`);
        this.#names.push(id);
        return true;
      case 'again':
        this.#send(sessionId, id, `35=D|97=Y|11=${name}|${order}`);
        this.waiting.delete(`${sessionId} ${id}`);
        return true;
      case 'E': {
        const ids = [id, this.#id(which)];
        const listID = `L-${this.#ids++}`;
        const entries = ids.map((each, i) => `11=${each}|67=${i + 1}|${order}`);
        this.#send(sessionId, listID, `35=E|66=${listID}|394=3|68=2|73=2|${entries.join('')}`);
        this.#names.push(...ids);
        return true;
      }
      case 'F': {
        const named = other && orderID !== undefined ? `41=NONE|37=${orderID}` : `41=${name}`;
        this.#send(sessionId, id, `35=F|11=${id}|${named}|1=ACC1|55=BTCUSDC|54=1|`);
        return true;
      }
      case 'G':
        this.#send(sessionId, id, `35=G|11=${id}|41=${name}|${order.replace('44=100', `44=${95 + (which % 10)}`)}`);
        this.#names.push(id);
        return true;
      case 'H':
        // Answered by 790, or by a j that names 11.
        this.#send(sessionId, id, `35=H|790=${id}|11=${name}|55=BTCUSDC|54=1|`);
        if (this.#turnAt.has(sessionId)) this.waiting.delete(`${sessionId} ${id}`);
        return true;
      case 'q':
        this.#send(sessionId, id, `35=q|11=${id}|530=7|`);
        return true;
      case 'AF':
        this.#send(sessionId, id, `35=AF|584=${id}|585=7|`);
        return true;
      default:
        return false;
    }
  }

  #around([kind, which, amount, other]: BusyStep): boolean {
    const { desk, exchange } = this;
    const sessionId = other ? OTHER : SESSION;
    switch (kind) {
      case 'flood':
        this.#turnAt.set(sessionId, Math.max(desk.now, this.#turnAt.get(sessionId) ?? 0) + 50 + (amount % 200));
        return true;
      case 'firm':
        this.#firm = ['', '115=A|', '115=B|'][amount % 3]!;
        return true;
      case 'wait':
        desk.advance(amount % 100);
        return true;
      case 'restate': {
        const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
        if (order?.status === 'OPEN')
          exchange.restate(order, order.filled.add(new Decimal(BigInt(1 + (amount % 50)), 1)));
        return true;
      }
      case 'down':
        desk.feed({ kind: 'sessionDown', sessionId, end: amount % 2 === 0 ? 'disconnect' : 'logout' });
        desk.feed({ kind: 'sessionUp', sessionId });
        return true;
      case 'kill': {
        const of = { kind: 'killSwitch', scope: 'session', name: SESSION, why: 'x' } as const;
        desk.feed({ ...of, action: 'throw', who: 'ann' });
        if (other) desk.advance(20);
        for (const who of ['ann', 'ben']) desk.feed({ ...of, action: 'lift', who });
        return true;
      }
      case 'restart':
        // Of waiting messages, only those that make orders are recorded.
        for (const [key, text] of this.waiting) if (/^35=(H|AF)/.test(text)) this.waiting.delete(key);
        desk.now += 1;
        this.restart();
        return true;
      default:
        return false;
    }
  }
}

const OPEN = 'A016E';

interface OrderTold {
  readonly status: string;
  readonly fills: Decimal;
}

/** Working orders by OrderID(37), by a session's last reports; throws if these contradict each other. */
function openAsTold(told: readonly Told[], to: string): Map<string, boolean> {
  const orders = new Map<string, OrderTold>();
  const execIDs = new Set<string>();
  for (const { sessionId, text } of told) {
    const [type, orderID, status] = [field(text, 35), field(text, 37)!, field(text, 39)!];
    if (sessionId !== to || (type !== '8' && type !== '9') || orderID === 'NONE') continue;
    // Reports of another's order are not in this view.
    if (/entered by another|is no order of this session/.test(text)) continue;
    const before = orders.get(orderID) ?? { status: '', fills: Decimal.ZERO };
    if (type === '9') {
      if (orders.has(orderID) && status !== '8') orders.set(orderID, { ...before, status });
      continue;
    }
    if (field(text, 11) === null) continue;
    const execID = field(text, 17)!;
    expect(execID !== '0' && execIDs.has(execID), `ExecID twice: ${text}`).toBe(false);
    execIDs.add(execID);
    expect(NEXT_STATUS[before.status], `from ${before.status}: ${text}`).toContain(status);
    const fills = field(text, 150) === 'F' ? before.fills.add(Decimal.of(field(text, 32)!)) : before.fills;
    const cum = Decimal.of(field(text, 14)!);
    expect(cum.equals(fills), `CumQty is not the sum of fills: ${text}`).toBe(true);
    orders.set(orderID, { status, fills });
  }
  return new Map([...orders].map(([orderID, { status }]) => [orderID, OPEN.includes(status)]));
}

test.each([
  ['refused', false],
  ['carried out by cancel and new order', true],
] as const)(
  'S7 O1 O7 O9 D14 answers every message and reports every order truly, unreplaceable terms %s',
  (_, swaps) => {
    let open = 0;
    checkProperty(
      fc.property(day, fc.boolean(), (steps, isLate) => {
        const run = new BusyDay(swaps, isLate);
        for (const step of steps) run.act(step);
        run.desk.advance(5_000);
        run.settle();
        run.look();
        const { desk, exchange } = run;
        expect([...run.waiting]).toEqual([]);
        const references = desk.submitted.flatMap(({ command }) =>
          command.kind === 'createOrder' ? [command.clientOrderId] : [],
        );
        expect(new Set(references).size).toBe(references.length);
        const copied = openAsTold(run.told, COPY);
        for (const sessionId of [SESSION, OTHER]) {
          const told = openAsTold(run.told, sessionId);
          for (const snapshot of desk.gateway.orders({ sessionId })) {
            const legs = exchange.orders.filter(({ reference }) => snapshot.references.includes(reference));
            if (legs.length === 0) continue;
            const filled = legs.reduce((sum, leg) => sum.add(leg.filled), Decimal.ZERO);
            const isOpen = legs.some(({ status }) => status === 'OPEN');
            if (isOpen) open++;
            const { chain, ordStatus, pending } = snapshot;
            const inWords = `${sessionId} ${chain} ${ordStatus} ${pending}`;
            expect(snapshot.cumQty, inWords).toBe(filled.trimmed().toString());
            expect(OPEN.includes(ordStatus), inWords).toBe(isOpen);
            for (const view of [told, copied]) expect(view.get(legs[0]!.orderId), inWords).toBe(isOpen);
          }
        }
        for (const { orderId, status } of exchange.orders) {
          if (status === 'OPEN') expect(desk.gateway.findByOrderID(orderId), orderId).not.toBeNull();
        }
      }),
      100,
    );
    // The days must leave something that works, or the properties hold for little.
    expect(open).toBeGreaterThan(20);
  },
  600_000,
);
