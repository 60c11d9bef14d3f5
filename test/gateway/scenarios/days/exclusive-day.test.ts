// Random days on an exclusive account, with many cancels as one command (rule C3). Two sessions use the same integer
// ClOrdIDs (rule O5), sessions end, kill switches are thrown, restarts and stream losses occur, refusals follow
// acknowledgements. Whatever was asked has its last answer, and nothing stays open. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import { formatUtcTimestamp } from '../../../../src/base/time.ts';
import type { CommandOutcome, OrderCommand } from '../../../../src/exchange/mod.ts';
import { fromPrintable, viewOf } from '../../../../src/wire/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import {
  ACCOUNT,
  dropCopyConfig,
  errorNotice,
  field,
  gatewayConfig,
  SESSION,
  sessionConfig,
  textOf,
} from '../../desk.ts';
import { Day, type Step } from '../../random-day.ts';

const OTHER = 'FIX.4.4:XG->OTHER';
const KINDS = [
  ...['burst', 'burst', 'q', 'q1', 'F', 'F', 'F', 'G', 'G', 'G', 'down', 'kill', 'restart', 'unheard', 'time'],
  ...['fill', 'fill', 'expire', 'unsolicited', 'deliver', 'deliver', 'deliver', 'deliver', 'drain'],
  ...['answer', 'answer', 'answers', 'lose', 'lookup'],
] as const;
type ExclusiveStep = readonly [kind: (typeof KINDS)[number], which: number, amount: number, other: boolean];

const day = fc.array(
  fc.tuple(fc.constantFrom(...KINDS), fc.nat(1_000), fc.nat(1_000), fc.boolean()) as fc.Arbitrary<ExclusiveStep>,
  { minLength: 20, maxLength: 120, size: 'max' },
);

interface DaySettings {
  readonly swaps: boolean;
  readonly exclusive: boolean;
  /** Refusals of changes come on the stream behind an acknowledgement (exchange reference §1.4). */
  readonly late: boolean;
}

class ExclusiveDay extends Day {
  /** Commands that cancelled many orders. */
  together = 0;
  #msgSeqNum = 10_000;
  #ids = 0;
  readonly #late: boolean;

  constructor({ swaps, exclusive, late }: DaySettings) {
    super();
    this.#late = late;
    const limits = { ...sessionConfig().limits, openOrdersMax: 100_000 };
    const of = { limits, clOrdIDPassThrough: true, replaceByCancelAndNew: swaps };
    const base = gatewayConfig(of, exclusive ? { exclusiveAccounts: [ACCOUNT] } : {});
    const other = sessionConfig({ ...of, sessionId: OTHER, reach: 'accounts' });
    Object.assign(this.desk, { config: { ...base, sessions: [...base.sessions, other, dropCopyConfig()] } });
    this.desk.restart();
  }

  override outcome(command: OrderCommand, commandId: string): CommandOutcome {
    if (command.kind === 'cancelAll' || command.kind === 'cancelAllByMarket') return this.#cancelMany();
    const outcome = super.outcome(command, commandId);
    if (!this.#late || command.kind === 'createOrder') return outcome;
    const requestId = `r-${commandId}`;
    if (outcome.kind !== 'refused') return { ...outcome, requestId } as CommandOutcome;
    const { errorCode, message } = outcome;
    const of = command as { orderId?: string | null; clientOrderId?: string | null };
    const { orderId = null, clientOrderId = null } = of;
    const notice = errorNotice({ orderId, clientOrderId, requestId, errorCode, message });
    this.exchange.pool.push({ kind: 'errorNotice', notice });
    return { kind: 'accepted', orderId, clientOrderId, requestId };
  }

  /** All of them, none, or all with the answer lost. */
  #cancelMany(): CommandOutcome {
    const how = this.together++ % 3;
    if (how === 1)
      return { kind: 'refused', httpStatus: 429, errorCode: '96000', errorCodeName: null, message: 'rate' };
    for (const order of this.exchange.orders) this.exchange.end(order, 'CANCELLED', '6005');
    if (how === 2) return { kind: 'unknown', message: 'lost' };
    return { kind: 'accepted', orderId: null, clientOrderId: null, requestId: `all-${this.together}` };
  }

  #send(sessionId: string, text: string): void {
    const at = formatUtcTimestamp(this.desk.now);
    const [msgType, ...rest] = text.split('|');
    const head = `${msgType}|34=${this.#msgSeqNum++}|49=OMS|56=XG|52=${at}`;
    const view = viewOf(fromPrintable(`${head}|${rest.join('|')}60=${at}|`, 'FIX.4.4'))!;
    this.desk.feed({ kind: 'message', sessionId, view, possDup: false });
  }

  act(step: ExclusiveStep): void {
    const [kind, which, amount] = step;
    if (!this.#ofOms(step) && !this.#around(step)) this.step([kind, which, amount] as unknown as Step);
    this.execute(amount % 9 === 0);
  }

  #ofOms([kind, which, amount, other]: ExclusiveStep): boolean {
    const sessionId = other ? OTHER : SESSION;
    const open = [...this.desk.gateway.orders({ sessionId, openOnly: true })];
    const named = open[which % Math.max(1, open.length)]?.clOrdID ?? 'none';
    const order = '1=ACC1|55=BTCUSDC|54=1|';
    const id = `${3_000_000 + this.#ids++}`;
    if (kind === 'q') this.#send(sessionId, `35=q|11=${id}|530=7|`);
    else if (kind === 'q1') this.#send(sessionId, `35=q|11=${id}|530=1|55=BTCUSDC|${amount % 2 === 0 ? '54=1|' : ''}`);
    else if (kind === 'F') this.#send(sessionId, `35=F|11=${id}|41=${named}|${order}`);
    else if (kind === 'G')
      this.#send(sessionId, `35=G|11=${id}|41=${named}|${order}40=2|38=${1 + (amount % 5)}|44=${95 + (which % 10)}|`);
    else if (kind === 'burst') {
      for (let i = 0; i < 4 + (amount % 9); i++)
        this.#send(sessionId, `35=D|11=${2_000_000 + ((which + i) % 60)}|${order}38=${1 + (i % 4)}|40=2|44=100|`);
    } else return false;
    return true;
  }

  #around([kind, which, amount, other]: ExclusiveStep): boolean {
    const { desk, exchange } = this;
    const sessionId = other ? OTHER : SESSION;
    if (kind === 'down') {
      desk.feed({ kind: 'sessionDown', sessionId, end: 'disconnect' });
      desk.feed({ kind: 'sessionUp', sessionId });
    } else if (kind === 'kill') {
      const of = { kind: 'killSwitch', scope: 'account', name: ACCOUNT, why: 'x' } as const;
      desk.feed({ ...of, action: 'throw', who: 'ann' });
      for (const who of ['ann', 'ben']) desk.feed({ ...of, action: 'lift', who });
    } else if (kind === 'unheard') {
      desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
      exchange.snapshot();
      desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
      desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    } else if (kind === 'drain') while (exchange.pool.length > 0) this.deliver(which, true);
    else if (kind === 'answers') while (this.answers.length > 0) this.answer(which, false);
    else if (kind === 'fill') {
      const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
      if (order !== undefined) exchange.fill(order, new Decimal(BigInt(1 + (amount % 30)), 1));
    } else return false;
    return true;
  }

  /** A session's reports. */
  told(to: string): string[] {
    const sent = this.desk.effects.filter((effect) => effect.kind === 'send');
    return sent.filter(({ sessionId }) => sessionId === to).map(({ draft }) => textOf(draft));
  }
}

/** Each pending F and G has one last answer; an r is followed by as many ends or 9s as it counted. */
function checkAnswers(told: readonly string[]): { pending: number; counted: number } {
  let [pending, counted] = [0, 0];
  told.forEach((text, i) => {
    const [type, execType, id] = [35, 150, 11].map((tag) => field(text, tag));
    const later = told.slice(i + 1);
    if (type === '8' && (execType === '6' || execType === 'E')) {
      pending++;
      const done = execType === '6' ? ['4'] : ['5', '4'];
      const last = later.filter(
        (one) => field(one, 11) === id && (field(one, 35) === '9' || done.includes(field(one, 150)!)),
      );
      const rejects = last.filter((one) => field(one, 35) === '9');
      expect([text, last.length > 0, rejects.length < 2]).toEqual([text, true, true]);
      // One that was carried out was not refused.
      if (execType === '6') expect([text, last]).toEqual([text, rejects.length > 0 ? rejects : last]);
    } else if (type === 'r' && field(text, 531) !== '0') {
      const count = Number(field(text, 533));
      counted += count;
      const ended = later.filter((one) => {
        if (field(one, 35) === '9') return field(one, 11) === id;
        const isReport = field(one, 35) === '8' && field(one, 150) !== 'I' && field(one, 103) !== '6';
        return isReport && field(one, 151) === '0';
      });
      expect([text, ended.length >= count]).toEqual([text, true]);
    }
  });
  return { pending, counted };
}

test('C3 O5 U4 random days of an exclusive account reuse no reference and leave nothing open', () => {
  let [together, pending, counted] = [0, 0, 0];
  const settings = fc.record({ swaps: fc.boolean(), exclusive: fc.boolean(), late: fc.boolean() });
  checkProperty(
    fc.property(day, settings, (steps, chosen) => {
      const run = new ExclusiveDay(chosen);
      const { desk, exchange } = run;
      for (const step of steps) run.act(step);
      run.settle();
      const references = desk.submitted.flatMap(({ command }) =>
        command.kind === 'createOrder' ? [command.clientOrderId] : [],
      );
      expect(new Set(references).size).toBe(references.length);
      for (const { clOrdID, references: own, cumQty, ordStatus } of desk.gateway.orders()) {
        const legs = exchange.orders.filter(({ reference }) => own.includes(reference));
        const filled = legs.reduce((sum, leg) => sum.add(leg.filled), Decimal.ZERO);
        const isOpen = legs.some(({ status }) => status === 'OPEN');
        expect([clOrdID, cumQty, '01A6E'.includes(ordStatus)]).toEqual([clOrdID, `${filled.trimmed()}`, isOpen]);
      }
      desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', name: '', who: 'ann', why: 'the end' });
      run.settle();
      expect(exchange.orders.filter(({ status }) => status === 'OPEN')).toEqual([]);
      expect(desk.gateway.settled()).toBe(true);
      for (const sessionId of [SESSION, OTHER]) {
        const answers = checkAnswers(run.told(sessionId));
        pending += answers.pending;
        counted += answers.counted;
      }
      together += run.together;
    }),
    80,
  );
  // The days must really cancel many at once, and ask for much.
  expect(together).toBeGreaterThan(0);
  expect(pending).toBeGreaterThan(50);
  expect(counted).toBeGreaterThan(200);
});
