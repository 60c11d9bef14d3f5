// The order state changes of Appendix D on the pure machine: once with the exchange's words in order, and over several seeds
// shuffled and repeated. In order every report is what the script says; in any order the OMS ends up with the same view.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import type { CommandOutcome, OrderCommand } from '../../../src/exchange/mod.ts';
import type { GatewayInput } from '../../../src/gateway/mod.ts';
import { STATE_CHANGES, type StateChange } from '../../scenarios/state-changes.ts';
import { Desk, field, gatewayConfig } from '../desk.ts';
import { ModelExchange, type ModelOrder } from '../model-exchange.ts';

const SEEDS = [1, 2, 3, 4, 5];

/** A small generator of even numbers in [0, 1); the seed is in the test's name. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** `11 150/39 14 151`, or `11 9:434/39 102 41`. */
function outline(text: string): string {
  const get = (tag: number): string => field(text, tag) ?? '-';
  if (get(35) === '9') return `${get(11)} 9:${get(434)}/${get(39)} ${get(102)} ${get(41)}`;
  return `${get(11)} ${get(150)}/${get(39)} ${get(14)} ${get(151)}`;
}

class Run {
  readonly desk: Desk;
  readonly model = new ModelExchange();
  readonly expected: string[] = [];
  readonly got: string[] = [];
  readonly #random: (() => number) | null;
  #taken = 0;
  #seen = 0;
  #held: { commandId: string; command: OrderCommand }[] | null = null;
  #fate: CommandOutcome | 'lost' | null = null;
  #isUp = true;
  #isSilent = false;

  constructor({ swaps }: StateChange, seed: number | null) {
    const limits = { ...gatewayConfig().sessions[0]!.limits };
    const cancelOnDisconnect = { on: 'off', graceMs: 0 } as const;
    this.desk = new Desk(gatewayConfig({ limits, cancelOnDisconnect, replaceByCancelAndNew: swaps === true }));
    this.#random = seed === null ? null : random(seed);
  }

  line(text: string): void {
    const [word = '', ...rest] = text.split(' ');
    if (word === '=') {
      this.expected.push(rest.join(' '));
      return;
    }
    this.#step(word, rest);
    this.#settle();
    this.#collect();
  }

  #step(word: string, [a = '', b = '', c = '', ...more]: string[]): void {
    switch (word) {
      case 'D':
        this.desk.oms(fields(`35=D|11=${a}|1=ACC1|55=BTCUSDC|54=1|38=${b}|40=2|44=100|59=1|`, [c, ...more]));
        break;
      case 'F':
        this.desk.oms(`35=F|11=${a}|41=${b}|1=ACC1|55=BTCUSDC|54=1|`);
        break;
      case 'G':
        this.desk.oms(fields(`35=G|11=${a}|41=${b}|1=ACC1|55=BTCUSDC|54=1|40=2|38=${c}|44=100|`, more));
        break;
      case 'H':
        this.desk.oms(`35=H|11=${a}|55=BTCUSDC|54=1|`);
        break;
      case 'hold':
        this.#held = [];
        break;
      case 'release': {
        const held = this.#held ?? [];
        const now = a === '' ? held.splice(0) : held.splice(0, Number(a));
        if (a === '') this.#held = null;
        for (const one of now) this.#carryOut(one);
        break;
      }
      case 'lost':
        this.#fate = 'lost';
        break;
      case 'refuse':
        this.#fate = { kind: 'refused', httpStatus: Number(a), errorCode: b, errorCodeName: null, message: 'refused' };
        break;
      case 'fill':
        for (const quantity of [b, c, ...more])
          if (quantity !== '') this.model.fill(this.#order(a), Decimal.of(quantity));
        break;
      case 'end':
        this.model.end(this.#order(a), b as ModelOrder['status'], c);
        break;
      case 'restate':
        this.model.restate(this.#order(a), Decimal.of(b));
        break;
      case 'down':
        this.#isUp = false;
        break;
      case 'up':
        this.#isUp = true;
        this.#reconnect(() => this.desk.restart({ ready: false }));
        break;
      case 'silent':
        this.#isSilent = true;
        break;
      case 'speak':
        this.#isSilent = false;
        break;
      case 'restart':
      case 'reconnect':
        this.#reconnect(() => this.desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false }));
        break;
      default:
        throw new Error(`not a step: ${word}`);
    }
  }

  #reconnect(begin: () => void): void {
    begin();
    this.model.snapshot();
    this.desk.open();
  }

  /** The exchange's order of a ClOrdID: found by the reference that the gateway gave it. */
  #order(clOrdID: string): ModelOrder {
    const found = this.desk.gateway.findOrder(this.desk.config.sessions[0]!.sessionId, clOrdID);
    const order = this.model.orders.find(({ reference }) => reference === found?.reference);
    if (order === undefined) throw new Error(`the exchange has no order ${clOrdID}`);
    return order;
  }

  #carryOut({ commandId, command }: { commandId: string; command: OrderCommand }): void {
    const fate = this.#fate;
    this.#fate = null;
    const isCarriedOut = fate === null || fate === 'lost';
    const outcome: CommandOutcome = isCarriedOut ? this.model.execute(command) : fate;
    const told: CommandOutcome = fate === 'lost' ? { kind: 'unknown', message: 'no answer' } : outcome;
    this.model.pool.push({ kind: 'outcome', commandId, outcome: told });
  }

  /** Commands reach the exchange and its words the gateway, until nothing moves any more. */
  #settle(): void {
    for (let rounds = 0; rounds < 100; rounds++) {
      const commands = this.desk.submitted.slice(this.#seen);
      this.#seen = this.desk.submitted.length;
      for (const one of commands) {
        if (this.#held === null) this.#carryOut(one);
        else this.#held.push(one);
      }
      if (this.#isSilent) this.#lookUp();
      if (!this.#isUp || (this.model.pool.length === 0 && commands.length === 0)) return;
      for (const input of this.#arrivals(this.model.pool.splice(0))) this.desk.feed(input);
    }
    throw new Error('the script does not come to rest');
  }

  /** The stream says nothing: what is due is looked up. */
  #lookUp(): void {
    this.model.pool = this.model.pool.filter(({ kind }) => kind !== 'order' && kind !== 'trade');
    if (this.model.pool.length > 0 || this.desk.submitted.length > this.#seen) return;
    this.desk.advance(500);
    for (const lookup of this.desk.lookups.splice(0)) {
      const outcome = this.model.lookup(lookup.orderId, lookup.clientOrderId);
      this.model.pool.push({ kind: 'lookedUp', lookupId: lookup.lookupId, outcome });
    }
  }

  #arrivals(inputs: GatewayInput[]): GatewayInput[] {
    if (this.#random === null) return inputs;
    const repeated = inputs.filter(({ kind }) => kind !== 'outcome' && this.#random!() < 0.5);
    const all = [...inputs, ...repeated];
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(this.#random() * (i + 1));
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }

  #collect(): void {
    this.got.push(...this.desk.sent.slice(this.#taken).map(outline));
    this.#taken = this.desk.sent.length;
  }
}

function fields(message: string, more: readonly string[]): string {
  let text = message;
  for (const one of more) {
    if (one === '') continue;
    const [tag] = one.split('=');
    const there = new RegExp(`\\|${tag}=[^|]*\\|`);
    text = there.test(text) ? text.replace(there, `|${one}|`) : `${text}${one}|`;
  }
  return text;
}

function run(change: StateChange, seed: number | null): Run {
  const made = new Run(change, seed);
  for (const line of change.script.split('\n')) if (line.trim() !== '') made.line(line.trim());
  return made;
}

describe.each(STATE_CHANGES)('Appendix D: $name', (change) => {
  test('with the exchange’s words in order, the reports are these', () => {
    const { got, expected, desk } = run(change, null);
    expect(got).toEqual(expected);
    expect(desk.alarmNames().filter((alarm) => alarm !== 'outcome-open')).toEqual([]);
  });

  test.each(SEEDS)('shuffled and repeated (seed %i), the same reports come to the same end, each once', (seed) => {
    const { got, expected, desk } = run(change, seed);
    const execIDs = desk.sent.map((text) => field(text, 17)).filter((id) => id !== null && id !== '0');
    expect(execIDs).toHaveLength(new Set(execIDs).size);
    // Fills of one moment may come in another order, and with them the sums between; the last word is the same.
    expect(got.at(-1)).toBe(expected.at(-1));
    expect(kindsOf(got)).toEqual(kindsOf(expected));
    // Only the missing answer to a command is reported.
    expect(desk.alarms.map(({ alarm }) => alarm).filter((alarm) => alarm !== 'outcome-open')).toEqual([]);
    expect(desk.gateway.counts().commandsInFlight).toBe(0);
  });
});

/** Which reports came, whatever their order: ClOrdID and type, without the sums. */
function kindsOf(outlines: readonly string[]): string[] {
  return outlines.map((one) => one.split(' ').slice(0, 2).join(' ').replace(/\/.*/, '')).sort();
}

test('O1 the account of the exchange and of the OMS agree after every script', () => {
  for (const change of STATE_CHANGES) {
    const { desk, model } = run(change, 7);
    const sum = desk.sent
      .filter((text) => field(text, 150) === 'F')
      .reduce((total, text) => total.add(Decimal.of(field(text, 32)!)), Decimal.ZERO);
    const traded = model.orders.reduce((total, order) => total.add(order.filled), Decimal.ZERO);
    expect([change.name, sum.trimmed().toString()]).toEqual([change.name, traded.trimmed().toString()]);
  }
});
