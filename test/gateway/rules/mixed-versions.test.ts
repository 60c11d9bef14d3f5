// Sessions of every version and dialect beside one another: one enters orders, made of whatever its dictionary allows,
// another reaches them, a third gets copies. None receives anything beyond its own dictionary (rule D1), from any
// writer.

import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import type { Dictionary, Validator } from '../../../src/dictionary/mod.ts';
import type { ExchangeOrder } from '../../../src/exchange/mod.ts';
import { FIELD_GROUPS } from '../../../src/gateway/rules/order-fields.ts';
import { FrameWriter, MessageDraft, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import { type Random, randomDraft, randomNumbers } from '../../support/random/random-message.ts';
import { Desk, dropCopyConfig, errorNotice, gatewayConfig, SESSION, sessionConfig } from '../desk.ts';
import { type Check, exchangeFix, load, overFixt, plain, STOCK } from '../message-faults.ts';

/** A version: what a session of it is set to, its messages, and what checks them from and to the OMS. */
interface Version {
  readonly config: { readonly beginString: string; readonly defaultApplVerID?: '7' | '8' | '9' };
  readonly ours: Dictionary;
  readonly inbound: Validator;
  /** Of FIX.5.0 and SP1 there are no stock dictionaries here. */
  readonly stock: Validator;
}

function version(name: string, stock: string | null, defaultApplVerID?: '7' | '8' | '9'): Version {
  const path = `dictionaries/${name}.xml`;
  const isPlain = defaultApplVerID === undefined;
  const validator = isPlain ? plain : overFixt;
  const beginString = isPlain ? `${name.slice(0, 3)}.${name[3]}.${name[4]}` : 'FIXT.1.1';
  const inbound = validator(path);
  return {
    config: isPlain ? { beginString } : { beginString, defaultApplVerID },
    ours: load(path),
    inbound,
    stock: stock === null ? inbound : validator(`${STOCK}/${stock}.xml`),
  };
}

const VERSIONS: readonly Version[] = [
  version('FIX42', 'FIX42'),
  version('FIX44', 'FIX44'),
  version('FIX50SP2', 'FIX50SP2', '9'),
  version('FIX50SP1', null, '8'),
  version('FIX50', null, '7'),
];
const DIALECTS = ['standard', 'venue'] as const;
const REACH = 'FIX:XG->REACH';
const COPY = 'FIX:XG->COPY';

const tagsOf = (...uses: string[]): ReadonlySet<number> =>
  new Set(FIELD_GROUPS.filter(({ use }) => uses.includes(use)).flatMap(({ tags }) => tags));
/** With these an order is refused, mostly, whatever else it says. */
const REFUSING = new Set([...tagsOf('refused', 'checked'), 18, 99, 336, 386, 625, 544, 20002, 20003, 55, 48, 22]);

/** The draft with these fields in the place of its own, and without those that `leaves` takes out. */
function changed(
  draft: MessageDraft,
  fields: Readonly<Record<number, string>>,
  leaves: ReadonlySet<number>,
): MessageDraft {
  const result = new MessageDraft(draft.msgType);
  for (const [tag, value] of Object.entries(fields)) result.add(Number(tag), value);
  draft.tags.forEach((tag, i) => {
    if (fields[tag] === undefined && !leaves.has(tag)) result.add(tag, draft.values[i]!);
  });
  return result;
}

const EXCHANGE = exchangeFix();

class MixedDay {
  readonly desk: Desk;
  readonly #random: Random;
  readonly #outbound = new Map<string, { readonly version: Version; readonly validator: Check }>();
  readonly #writer = new FrameWriter();
  #ids = 0;
  #seen = 0;
  #msgSeqNum = 1;
  entered = 0;
  checked = 0;
  readonly faults: string[] = [];

  constructor(random: Random) {
    this.#random = random;
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
    const sessions = [SESSION, REACH, COPY].map((sessionId) => {
      const its = pick(VERSIONS);
      const dialect = pick(DIALECTS);
      this.#outbound.set(sessionId, {
        version: its,
        validator: dialect === 'standard' ? its.stock : its.config.beginString === 'FIX.4.4' ? EXCHANGE : its.inbound,
      });
      const of = { ...its.config, sessionId, dialect };
      if (sessionId === COPY) return dropCopyConfig(of);
      const gtxAliases = ['7', '9', 'B'];
      const pendingNewAfterMs = random(2) * 1_000;
      const replaceByCancelAndNew = random(2) === 0;
      const limits = { ...sessionConfig().limits, openOrdersMax: 1_000 };
      const reach = sessionId === REACH ? 'accounts' : 'session';
      return sessionConfig({ ...of, gtxAliases, pendingNewAfterMs, replaceByCancelAndNew, limits, reach });
    });
    this.desk = new Desk({ ...gatewayConfig(), sessions });
    this.desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    this.desk.phase({});
  }

  /** A message of random contents, with these fields; false where the dictionary does not allow it. */
  send(sessionId: string, msgType: string, fields: Readonly<Record<number, string>>, isPlain: boolean): boolean {
    const { version: its, validator } = this.#outbound.get(sessionId)!;
    const definition = its.ours.messages.get(msgType);
    if (definition === undefined) return false;
    const draft = changed(randomDraft(definition, this.#random), fields, isPlain ? REFUSING : new Set([55, 48, 22]));
    const view = this.#frame(its, draft);
    // An OMS receives nothing that it has no word for.
    if (view === null || its.inbound.validate(view) !== null || validator.validate(view) !== null) return false;
    this.desk.feed({ kind: 'message', sessionId, view, possDup: false });
    this.look();
    return true;
  }

  #frame({ config }: Version, draft: MessageDraft): MessageView | null {
    const at = formatUtcTimestamp(this.desk.now);
    const header = {
      beginString: config.beginString,
      senderCompID: 'OMS',
      targetCompID: 'XG',
      msgSeqNum: this.#msgSeqNum++,
      sendingTime: at,
      senderSubID: this.#random(2) === 0 ? 'trader' : undefined,
    };
    return viewOf(this.#writer.encode(header, draft));
  }

  /** Check what was sent since. */
  look(): void {
    const { effects } = this.desk;
    for (const effect of effects.slice(this.#seen)) {
      if (effect.kind !== 'send') continue;
      const { version: its, validator } = this.#outbound.get(effect.sessionId)!;
      const view = this.#frame(its, effect.draft);
      const fault = view === null ? 'not a frame' : (validator.validate(view)?.text ?? null);
      this.checked++;
      if (fault !== null) {
        const { beginString, defaultApplVerID = '' } = its.config;
        const text = view?.copyBytes().toString('latin1').replaceAll('\x01', '|');
        this.faults.push(`${beginString}${defaultApplVerID} ${effect.sessionId}: ${fault} in ${text}`);
      }
    }
    this.#seen = effects.length;
  }

  /** One thing happens. */
  act(): void {
    const random = this.#random;
    const { desk } = this;
    const id = `n-${this.#ids++}`;
    const named = `n-${random(this.#ids)}`;
    const order = {
      1: 'ACC1',
      55: 'BTCUSDC',
      54: `${1 + random(2)}`,
      38: `${1 + random(5)}`,
      60: formatUtcTimestamp(desk.now),
    };
    const submitted = desk.submitted.length;
    const kind = random(12);
    const limit = random(3) === 0 ? { 40: '4', 44: '100', 99: '101', 59: '1' } : { 40: '2', 44: '100' };
    if (kind < 4) {
      const timeInForce = random(4) === 0 ? { 59: ['3', '4', '5', '7', '9', 'B'][random(6)]! } : { 59: '1' };
      this.send(
        SESSION,
        'D',
        { 11: id, ...order, ...(random(5) === 0 ? {} : { ...limit, ...('99' in limit ? {} : timeInForce) }) },
        random(4) > 0,
      );
    } else if (kind === 4)
      this.send(SESSION, 'G', { 11: id, 41: named, ...order, 40: '2', 44: `${90 + random(20)}` }, random(4) > 0);
    else if (kind === 5) this.send(SESSION, 'F', { 11: id, 41: named, ...order }, true);
    else if (kind === 6) this.send(REACH, ['AF', 'q', 'H', 'F'][random(4)]!, this.#ofReach(id), true);
    else if (kind === 7)
      this.send(SESSION, ['H', 'AF', 'E'][random(3)]!, { 11: named, 584: id, 585: '7' }, random(2) === 0);
    else if (kind === 8) desk.advance(random(3_000));
    else this.#exchange();
    for (const { commandId, command } of desk.submitted.slice(submitted)) {
      if (command.kind === 'createOrder') this.entered++;
      const orderId = command.kind === 'createOrder' ? `9${command.clientOrderId}` : null;
      if (random(8) === 0)
        desk.refused(400, ['3005', '2013', '6018', '3021', '3082', '96000', null][random(7)]!, 'no', commandId);
      else if (random(8) > 0) desk.accepted(commandId, orderId, `r-${commandId}`);
      else desk.unknown(commandId);
    }
    this.look();
  }

  #ofReach(id: string): Record<number, string> {
    const { submitted } = this.desk;
    const creates = submitted.flatMap(({ command }) => (command.kind === 'createOrder' ? [command] : []));
    const one = creates[this.#random(Math.max(1, creates.length))];
    const orderID = one === undefined ? 'NONE' : `9${one.clientOrderId}`;
    const side = one?.side === 'SELL' ? '2' : '1';
    return { 11: id, 41: 'NONE', 37: orderID, 1: 'ACC1', 55: 'BTCUSDC', 54: side, 530: '7', 584: id, 585: '7' };
  }

  #exchange(): void {
    const random = this.#random;
    const { desk } = this;
    const creates = desk.submitted.flatMap(({ command }) => (command.kind === 'createOrder' ? [command] : []));
    const one = creates[random(Math.max(1, creates.length))];
    if (one === undefined) return;
    desk.now += 1;
    const { clientOrderId, side, quantity, timeInForce } = one;
    const orderId = `9${clientOrderId}`;
    const type = { LIMIT: 'LMT', MARKET: 'MKT', STOP_LIMIT: 'STOP_LIMIT', POST_ONLY: 'POST_ONLY' }[one.type];
    const of = { orderId, clientOrderId, side };
    const states: Partial<ExchangeOrder>[] = [
      { status: 'OPEN', statusReasonCode: '6001' },
      { status: 'OPEN', statusReasonCode: '6001' },
      { status: 'OPEN', statusReasonCode: '6012', type: 'LMT' },
      { status: 'OPEN', statusReasonCode: '6011', quantity: '0.7' },
      { status: 'CANCELLED', statusReasonCode: ['6005', '3020', '3021', '6019', '6022'][random(5)]! },
      { status: 'CLOSED', statusReasonCode: ['6004', '6021', '6002'][random(3)]! },
      { status: 'REJECTED', statusReasonCode: ['3005', '3064', '2013', '6018', '3082'][random(5)]! },
    ];
    const what = random(10);
    if (what < states.length) desk.order({ ...of, type, quantity, timeInForce, price: one.price, ...states[what] });
    else if (what < 9) {
      const isAuction = timeInForce === 'GTX';
      const rebate = random(2) === 0 ? { tradeRebateAmount: '0.1', tradeRebateAssetSymbol: 'USDC' } : {};
      desk.trade({
        ...of,
        tradeId: `${desk.now}`,
        quantity: '0.25',
        auctionId: isAuction ? 'A-1' : null,
        isTaker: random(2) === 0,
        baseFee: '0.001',
        quoteFee: '0.2',
        ...rebate,
      });
    } else desk.notice(errorNotice({ ...of, errorCode: ['3032', '3085', '6042'][random(3)]! }));
  }
}

test("D1 copies no field or value that the receiving session's dictionary lacks", () => {
  const faults: string[] = [];
  let [entered, checked] = [0, 0];
  for (let seed = 1; seed <= Number(process.env.MIXED_SEEDS ?? 20); seed++) {
    const day = new MixedDay(randomNumbers(seed));
    for (let i = 0; i < 120; i++) day.act();
    entered += day.entered;
    checked += day.checked;
    for (const fault of day.faults) faults.push(`seed ${seed} ${fault}`);
  }
  expect(faults.slice(0, 10), `${faults.length} of ${checked}`).toEqual([]);
  // The days must really enter orders and hear of them.
  expect(entered).toBeGreaterThan(150);
  expect(checked).toBeGreaterThan(1_500);
});
