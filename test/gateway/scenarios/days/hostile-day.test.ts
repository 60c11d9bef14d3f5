// Random days with an exchange that says anything of any order: amounts that contradict each other, ids and references
// mixed up, codes that do not exist, answers to what was answered. None of it ends the process, and an OMS's view of
// one order is legal: ExecIDs once, no way back from an end, CumQty never falls, LeavesQty never negative (rules O1,
// O2, O3).

import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import type { ExchangeOrder, LookupOutcome } from '../../../../src/exchange/mod.ts';
import { type Random, randomNumbers } from '../../../support/random/random-message.ts';
import {
  ACCOUNT,
  auctionPhase,
  Desk,
  dropCopyConfig,
  errorNotice,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  SESSION,
  sessionConfig,
  textOf,
} from '../../desk.ts';
import { NEXT_STATUS } from '../../next-status.ts';

const OTHER = 'FIX.4.4:XG->OTHER';
const COPY = 'FIX.4.4:XG->COPY';
const AMOUNTS = ['0', '1', '2', '3', '0.5', '-1', '100'];
const CODES = [null, '6001', '6012', '6013', '6002', '6004', '6005', '3020', '3021', '6021', '6022', '3005', 'abc'];
const REFUSALS = [null, '3002', '3032', '2017', '3085', '6042'];
const TYPES = ['40=2|44=100|', '40=2|44=100|', '40=1|', '40=4|44=100|99=101|', '40=2|44=100|18=6|'];

class HostileDay {
  readonly desk: Desk;
  readonly #random: Random;
  #ids = 0;

  constructor(random: Random) {
    this.#random = random;
    const dialect = this.#pick(['standard', 'standard', 'venue'] as const);
    const base = gatewayConfig(
      { replaceByCancelAndNew: random(2) === 0, dialect, statusFromExchange: random(4) === 0 },
      random(2) === 0 ? { exclusiveAccounts: [ACCOUNT] } : {},
    );
    const other = sessionConfig({ sessionId: OTHER, reach: 'accounts' });
    const copy = dropCopyConfig({ sessionId: COPY, dropCopy: { sessionIds: null, elsewhere: false } });
    this.desk = new Desk({ ...base, sessions: [...base.sessions, other, copy] });
    this.desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    this.desk.phase({});
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  /** An id and a reference of the exchange; they need not belong together. */
  #named() {
    const clientOrderId = this.#random(5) === 0 ? null : `${1 + this.#random(4)}`;
    return { orderId: `${9_000 + this.#random(4)}`, clientOrderId };
  }

  act(): void {
    const kind = this.#random(20);
    if (kind < 6) this.#oms(kind);
    else if (kind < 10) this.desk.order(this.#frame());
    else if (kind < 13) {
      const more = { quantity: this.#pick(AMOUNTS), price: this.#pick(['100', '0', '99.5', '-1']) };
      const side = this.#random(20) === 0 ? 'SELL' : 'BUY';
      this.desk.trade({ ...this.#named(), ...more, side, tradeId: `${this.#random(12)}` });
    } else if (kind < 16) this.#answer();
    else if (kind === 16) this.#lookedUp();
    else if (kind === 17) {
      const errorCode = this.#pick([...REFUSALS, '6043', '3005']);
      this.desk.notice(errorNotice({ ...this.#named(), errorCode, requestId: this.#pick([null, 'r0', 'r1']) }));
    } else if (kind === 18) this.#around();
    else this.desk.advance(this.#random(8_000));
    this.desk.now += this.#random(3);
  }

  #oms(kind: number): void {
    const { desk } = this;
    const sessionId = this.#pick([SESSION, OTHER]);
    const named = this.#pick([
      'o-0',
      'o-1',
      'o-2',
      `g-${this.#random(this.#ids + 1)}`,
      `NONE|37=${9_000 + this.#random(4)}`,
    ]);
    const order = '1=ACC1|55=BTCUSDC|54=1|';
    const id = this.#ids++;
    if (kind < 2) {
      const type = `${this.#pick(TYPES)}59=${this.#pick(['1', '1', '3', '4', '5'])}|`;
      desk.oms(`35=D|11=o-${this.#random(4)}|${order}38=2|${type}`, { sessionId });
    } else if (kind < 4) desk.oms(`35=F|11=f-${id}|41=${named}|${order}`, { sessionId });
    else if (kind === 4) {
      const terms = `38=${this.#pick(['1', '2', '3', '0.5'])}|44=${this.#pick(['100', '101'])}|`;
      desk.oms(`35=G|11=g-${id}|41=${named}|${order}${terms}`, { sessionId });
    } else desk.oms(`35=q|11=q-${id}|530=7|`, { sessionId });
  }

  #frame(): Partial<ExchangeOrder> {
    const { now } = this.desk;
    return {
      ...this.#named(),
      status: this.#pick(['OPEN', 'OPEN', 'OPEN', 'CLOSED', 'CANCELLED', 'REJECTED'] as const),
      statusReasonCode: this.#pick(CODES),
      quantity: this.#pick(AMOUNTS),
      quantityFilled: this.#pick(AMOUNTS),
      price: this.#pick([null, '100', '101', '0', '-5']),
      type: this.#pick(['LMT', 'LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY', '']),
      publishedAt: this.#pick([null, now, now - 1_000, now + 5]),
      side: this.#random(15) === 0 ? 'SELL' : 'BUY',
    };
  }

  /** To any command that there ever was. */
  #answer(): void {
    const { desk } = this;
    if (desk.submitted.length === 0) return;
    const { commandId } = this.#pick(desk.submitted);
    const { orderId } = this.#named();
    const how = this.#random(3);
    if (how === 0) desk.accepted(commandId, this.#pick([orderId, null]), this.#pick([null, 'r0', 'r1']));
    else if (how === 1) desk.unknown(commandId);
    else desk.refused(this.#pick([400, 404, 429, null]), this.#pick(REFUSALS), 'no', commandId);
  }

  #lookedUp(): void {
    const { desk } = this;
    if (desk.lookups.length === 0) return;
    const { lookupId } = this.#pick(desk.lookups);
    const named = this.#named();
    const order = exchangeOrder({ ...this.#frame(), ...named, publishedAt: null }, desk.now);
    const trade = exchangeTrade({ ...named, tradeId: `${this.#random(12)}`, quantity: '1' }, desk.now);
    const final = this.#random(2) === 0;
    const outcome = this.#pick<LookupOutcome>([
      { kind: 'absent', final },
      { kind: 'failed', message: 'no answer' },
      { kind: 'found', order, trades: [trade], final },
    ]);
    desk.feed({ kind: 'lookedUp', lookupId, outcome });
  }

  #around(): void {
    const { desk } = this;
    const how = this.#random(6);
    if (how === 0) {
      desk.now += 5;
      desk.restart();
    } else if (how === 1) {
      desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: this.#pick(['logout', 'disconnect'] as const) });
      desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    } else if (how === 2) {
      const feed = this.#pick(['private', 'auction'] as const);
      for (const live of [false, true]) desk.feed({ kind: 'feed', credential: 'main', feed, live });
      desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: this.#random(4) > 0 });
    } else if (how === 3) {
      const phase = this.#pick(['ACCUMULATION', 'LOCKDOWN', 'CROSS'] as const);
      const eventType = this.#pick(['AUCTION_STARTED', 'AUCTION_CROSS_POSTPONED', 'AUCTION_CROSS_COMPLETED'] as const);
      const cancelAuctionOrderEnabled = this.#random(2) === 0;
      desk.phase(
        auctionPhase(
          { auctionId: `A-${1 + this.#random(2)}`, phase, eventType, cancelAuctionOrderEnabled, startTime: 0 },
          desk.now,
        ),
      );
    } else if (how === 4) {
      const of = { kind: 'killSwitch', scope: 'all', name: '', why: 'x' } as const;
      desk.feed({ ...of, action: 'throw', who: 'ann' });
      for (const who of ['ann', 'ben']) desk.feed({ ...of, action: 'lift', who });
    } else desk.feed({ kind: 'resolve', sessionId: SESSION, clOrdID: `o-${this.#random(3)}`, who: 'ann', why: 'gone' });
  }

  /** A session's reports of orders. */
  told(to: string): string[] {
    const sent = this.desk.effects.filter((effect) => effect.kind === 'send');
    const texts = sent.filter(({ sessionId }) => sessionId === to).map(({ draft }) => textOf(draft));
    return texts.filter((text) => field(text, 35) === '8');
  }
}

function checkReports(reports: readonly string[]): void {
  const orders = new Map<string, { readonly status: string; readonly cum: Decimal }>();
  const execIDs = new Set<string>();
  for (const text of reports) {
    const [execID, orderID, status, reason] = [17, 37, 39, 103].map((tag) => field(text, tag));
    expect([text, execID !== '0' && execIDs.has(execID!)]).toEqual([text, false]);
    execIDs.add(execID!);
    expect([text, Decimal.of(field(text, 151)!).isNegative()]).toEqual([text, false]);
    // Of no order, of another session's, or of a second D under the same ClOrdID.
    if (orderID === 'NONE' || reason === '5' || reason === '6' || /entered by another/.test(text)) continue;
    const before = orders.get(orderID!) ?? { status: '', cum: Decimal.ZERO };
    const cum = Decimal.of(field(text, 14)!);
    expect([before.status, status, text, NEXT_STATUS[before.status]!.includes(status!)]).toEqual([
      before.status,
      status,
      text,
      true,
    ]);
    expect([text, cum.compare(before.cum) >= 0]).toEqual([text, true]);
    orders.set(orderID!, { status: status!, cum });
  }
}

test('O1 O2 O3 survives random exchange data, and reports every order legally', () => {
  let reports = 0;
  for (let seed = 1; seed <= Number(process.env.HOSTILE_DAYS ?? 120); seed++) {
    const day = new HostileDay(randomNumbers(seed));
    for (let i = 0; i < 150; i++) day.act();
    for (const sessionId of [SESSION, OTHER, COPY]) {
      const told = day.told(sessionId);
      reports += told.length;
      checkReports(told);
    }
  }
  expect(reports).toBeGreaterThan(2_000);
});
