// A random day of one session and one small exchange: what happens, and how it goes on after the death of the gateway.
// The tests have the invariants.

import fc from 'fast-check';
import { Decimal } from '../../src/base/decimal.ts';
import type { CommandOutcome, OrderCommand } from '../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../src/gateway/mod.ts';
import { Desk, gatewayConfig } from './desk.ts';
import { ModelExchange } from './model-exchange.ts';

/** One step of a day: what happens, to which order, and a number that the step uses as it likes. */
export type Step = readonly [kind: StepKind, which: number, amount: number];
const STEPS = [
  'new',
  'new',
  'fill',
  'fill',
  'deliver',
  'deliver',
  'deliver',
  'deliver',
  'repeat',
  'answer',
  'answer',
  'lose',
  'lookup',
  'cancel',
  'replace',
  'expire',
  'unsolicited',
  'time',
  'restart',
  'status',
] as const;
type StepKind = (typeof STEPS)[number];

export const day = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(1_000), fc.nat(1_000)) as fc.Arbitrary<Step>, {
  minLength: 20,
  maxLength: 150,
  size: 'max',
});

export class Day {
  readonly desk: Desk;
  readonly exchange = new ModelExchange();
  /** Commands with an outstanding answer, and the exchange's view. */
  answers: { commandId: string; outcome: CommandOutcome }[] = [];
  delivered = 0;
  #submitted = 0;
  #ids = 0;

  constructor(session: Partial<GatewaySessionConfig> = {}) {
    this.desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 }, ...session }));
  }

  step([kind, which, amount]: Step): void {
    const { desk, exchange } = this;
    const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
    const clOrdID = `n-${which % Math.max(1, this.#ids)}`;
    const id = `r-${this.#ids}-${desk.sent.length}-${which}`;
    if (kind === 'new')
      desk.oms(`35=D|11=n-${this.#ids++}|1=ACC1|55=BTCUSDC|54=1|38=${1 + (amount % 5)}|40=2|44=100|59=1|`);
    else if (kind === 'cancel') desk.oms(`35=F|11=${id}|41=${clOrdID}|1=ACC1|55=BTCUSDC|`);
    else if (kind === 'replace') desk.oms(`35=G|11=${id}|41=${clOrdID}|1=ACC1|55=BTCUSDC|44=${90 + (amount % 20)}|`);
    else if (kind === 'status') desk.oms(`35=H|11=${clOrdID}|55=BTCUSDC|54=1|`);
    else if (kind === 'fill' && order !== undefined) exchange.fill(order, new Decimal(BigInt(1 + (amount % 30)), 1));
    else if (kind === 'expire' && order !== undefined) exchange.end(order, 'CLOSED', '6004');
    else if (kind === 'unsolicited' && order !== undefined) exchange.end(order, 'CANCELLED', '3020');
    else if (kind === 'deliver') this.deliver(which, true);
    else if (kind === 'repeat') this.deliver(which, false);
    else if (kind === 'answer' || kind === 'lose') this.answer(which, kind === 'lose');
    else if (kind === 'lookup') this.lookup(which);
    else if (kind === 'time') desk.advance(amount * 10);
    else if (kind === 'restart') this.restart();
    this.execute(amount % 7 === 0);
  }

  /** Commands reach the exchange, or are lost on the way. */
  execute(isLost: boolean): void {
    for (const { commandId, command } of this.desk.submitted.slice(this.#submitted)) {
      const outcome = isLost ? ({ kind: 'unknown', message: 'lost' } as const) : this.outcome(command, commandId);
      this.answers.push({ commandId, outcome });
    }
    this.#submitted = this.desk.submitted.length;
  }

  /** The exchange's execution of a command, and its answer. */
  outcome(command: OrderCommand, _commandId: string): CommandOutcome {
    return this.exchange.execute(command);
  }

  deliver(which: number, once: boolean): void {
    const { pool } = this.exchange;
    if (pool.length === 0) return;
    const i = which % pool.length;
    const event = pool[i]!;
    if (once) pool.splice(i, 1);
    this.delivered++;
    this.desk.feed(event);
  }

  answer(which: number, isLost: boolean): void {
    if (this.answers.length === 0) return;
    const [{ commandId, outcome }] = this.answers.splice(which % this.answers.length, 1) as [(typeof this.answers)[0]];
    this.desk.feed({ kind: 'outcome', commandId, outcome: isLost ? { kind: 'unknown', message: 'lost' } : outcome });
  }

  lookup(which: number): void {
    const { lookups } = this.desk;
    if (lookups.length === 0) return;
    const [lookup] = lookups.splice(which % lookups.length, 1);
    const outcome = this.exchange.lookup(lookup!.orderId, lookup!.clientOrderId);
    this.desk.feed({ kind: 'lookedUp', lookupId: lookup!.lookupId, outcome });
  }

  restart(): void {
    this.answers = [];
    this.desk.lookups.length = 0;
    this.exchange.snapshot();
    this.desk.restart();
  }

  /** Let everything arrive that is under way. */
  settle(): void {
    for (let round = 0; round < 200; round++) {
      while (this.answers.length > 0) this.answer(0, false);
      while (this.exchange.pool.length > 0) this.deliver(0, true);
      while (this.desk.lookups.length > 0) this.lookup(0);
      this.execute(false);
      const isQuiet = this.answers.length === 0 && this.exchange.pool.length === 0;
      if (isQuiet && this.desk.gateway.deadline() === null) return;
      this.desk.advance(5_000);
    }
  }
}
