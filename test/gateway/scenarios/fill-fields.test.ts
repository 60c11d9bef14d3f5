// An OMS's reading of a fill and of an order on margin, in every version and dialect. Each report is framed, checked by
// this OMS's dictionary (the version's stock one, or ours in the `venue` dialect), and read field by field.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SWITCHES, type Dictionary, loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import type { ExchangeTrade } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { fromPrintable, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import { Desk, dropCopyConfig, gatewayConfig, LIMIT, SESSION, sessionConfig, textOf } from '../desk.ts';
import { type Check, exchangeFix } from '../message-faults.ts';

type Dialect = 'standard' | 'venue';

const load = (path: string): Dictionary =>
  loadDictionary(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'), path);
const STOCK = 'node_modules/jspurefix/data';
const validator = (dictionaries: ConstructorParameters<typeof Validator>[0]): Validator =>
  new Validator(dictionaries, DEFAULT_SWITCHES);
const over = (path: string): Validator =>
  validator({ transport: load('dictionaries/FIXT11.xml'), applications: [load(path)] });

/** The OMS's dictionary of a version and dialect; of FIX.5.0 and SP1 there are no stock dictionaries here. */
const OMSS = [
  ['FIX.4.2', 'standard', validator(load(`${STOCK}/FIX42.xml`)), undefined],
  ['FIX.4.4', 'standard', validator(load(`${STOCK}/FIX44.xml`)), undefined],
  ['FIXT.1.1', 'standard', over(`${STOCK}/FIX50SP2.xml`), '9'],
  ['FIXT.1.1', 'standard', over('dictionaries/FIX50.xml'), '7'],
  ['FIXT.1.1', 'standard', over('dictionaries/FIX50SP1.xml'), '8'],
  ['FIX.4.2', 'venue', validator(load('dictionaries/FIX42.xml')), undefined],
  ['FIX.4.4', 'venue', exchangeFix(), undefined],
  ['FIXT.1.1', 'venue', over('dictionaries/FIX50SP2.xml'), '9'],
] as const;

/** The frame of a message as the session sends it, accepted by the OMS's dictionary. */
function decoded(text: string, beginString: string, oms: Check): MessageView {
  const [msgType, ...rest] = text.split('|').filter((part) => part !== '');
  const head = [msgType, '49=XG', '56=OMS', '34=2', '52=20260105-12:00:00.000'];
  const view = viewOf(fromPrintable(`${[...head, ...rest].join('|')}|`, beginString))!;
  expect(oms.validate(view)?.text ?? null, text).toBeNull();
  return view;
}

const read = (view: MessageView, ...tags: number[]): (string | null)[] => tags.map((tag) => view.string(tag));

/** The MiscFees group: amount, currency and type of each entry. */
function fees(view: MessageView): (readonly [string, string, string])[] {
  const count = Number(view.string(136) ?? 0);
  const at = view.indexOf(136);
  return Array.from({ length: count }, (_, i) => {
    const k = at + 1 + 3 * i;
    expect([view.tagAt(k), view.tagAt(k + 1), view.tagAt(k + 2)]).toEqual([137, 138, 139]);
    return [view.stringAt(k), view.stringAt(k + 1), view.stringAt(k + 2)] as const;
  });
}

describe.each(OMSS)('an OMS on %s in the %s dialect', (beginString, dialect, oms, defaultApplVerID) => {
  const isVenue = (dialect as Dialect) === 'venue';
  const is42 = beginString === 'FIX.4.2';
  const hasLate = isVenue || beginString === 'FIXT.1.1';
  const session = { beginString, dialect, ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }) };

  /** A fill of an order of two on a side, decoded. */
  function fill(trade: Partial<ExchangeTrade>, side: 'BUY' | 'SELL' = 'BUY', more: Partial<GatewaySessionConfig> = {}) {
    const desk = new Desk(gatewayConfig({ ...session, ...more }));
    desk.oms(`${LIMIT.replace('54=1', side === 'BUY' ? '54=1' : '54=2')}21=1|`);
    desk.order({ side });
    const [text] = desk.trade({ side, ...trade });
    return decoded(text!, beginString, oms);
  }

  test('reports the fee of a buy in base, of a sell in quote, as 136 to 139 with 139=4; not in 4.2', () => {
    const buy = fill({ baseFee: '0.00010000' });
    const sell = fill({ quoteFee: '0.0500' }, 'SELL');
    expect(fees(buy)).toEqual(is42 ? [] : [['0.0001', 'BTC', '4']]);
    expect(fees(sell)).toEqual(is42 ? [] : [['0.05', 'USDC', '4']]);
  });

  test("reports both fees of a fill, its own side's first, and zero ones in the venue dialect only", () => {
    const both = { baseFee: '0.0002', quoteFee: '0.05' };
    const base = ['0.0002', 'BTC', '4'];
    const quote = ['0.05', 'USDC', '4'];
    expect(fees(fill(both))).toEqual(is42 ? [] : [base, quote]);
    expect(fees(fill(both, 'SELL'))).toEqual(is42 ? [] : [quote, base]);
    // As for a derivative, with fees in quote currency on either side: 136=1, as in the exchange's own FIX.
    expect(fees(fill({ quoteFee: '0.05' }))).toEqual(is42 ? [] : [quote]);
    expect(fees(fill({}))).toEqual(isVenue && !is42 ? [['0', 'BTC', '4']] : []);
    expect(fees(fill({}, 'SELL'))).toEqual(isVenue && !is42 ? [['0', 'USDC', '4']] : []);
    expect(fees(fill({ baseFee: null, quoteFee: null }))).toEqual([]);
    // A rebate keeps its sign.
    expect(fees(fill({ quoteFee: '-0.05' }))).toEqual(is42 ? [] : [['-0.05', 'USDC', '4']]);
  });

  test('D10 reads GrossTradeAmt(381) as this fill’s price × quantity, without fees and exact', () => {
    const trade = { price: '100.1', quantity: '0.12345678', quoteAmount: '12.4', quoteFee: '0.05' };
    expect(read(fill(trade), 381)).toEqual(['12.358023678']);
  });

  test('T5 reports the aggressor where 1057 exists, except in auctions or if unknown', () => {
    const flag = (trade: Partial<ExchangeTrade>) => read(fill(trade), 1057)[0];
    expect(flag({ isTaker: true })).toBe(hasLate ? 'Y' : null);
    expect(flag({ isTaker: false })).toBe(hasLate ? 'N' : null);
    expect(flag({ isTaker: null })).toBeNull();
    expect(read(fill({ auctionId: 'A-1' }), 1057, 574)).toEqual([
      null,
      hasLate && beginString !== 'FIX.4.4' ? '7' : null,
    ]);
  });

  test('T5 reports added and removed liquidity as 851 in FIX.4.4, except in auctions', () => {
    const isTold = beginString === 'FIX.4.4' && !isVenue;
    const flag = (trade: Partial<ExchangeTrade>) => read(fill(trade), 851)[0];
    expect([flag({ isTaker: true }), flag({ isTaker: false })]).toEqual(isTold ? ['2', '1'] : [null, null]);
    expect([flag({ isTaker: null }), flag({ isTaker: true, auctionId: 'A-1' })]).toEqual([null, null]);
  });

  test('reads a rebate as 20000 and 20001 in the venue dialect only, and half of one nowhere', () => {
    const rebate = { tradeRebateAmount: '0.00100', tradeRebateAssetSymbol: 'USDC' };
    expect(read(fill(rebate), 20_000, 20_001)).toEqual(isVenue ? ['0.001', 'USDC'] : [null, null]);
    expect(read(fill({ ...rebate, tradeRebateAssetSymbol: null }), 20_000, 20_001)).toEqual([null, null]);
  });

  test("reports the loan on every later report, in its side's currency, in the venue dialect only", () => {
    for (const [side, currency] of [
      ['BUY', 'USDC'],
      ['SELL', 'BTC'],
    ] as const) {
      const desk = new Desk(gatewayConfig(session));
      desk.oms(`${LIMIT.replace('54=1', side === 'BUY' ? '54=1' : '54=2')}21=1|544=2|`);
      const [order] = desk.order({ side, borrowedQuantity: '12.50' });
      const [fill] = desk.trade({ side });
      for (const text of [order!, fill!]) {
        const view = decoded(text, beginString, oms);
        expect(read(view, 544)).toEqual([is42 ? null : '2']);
        expect(read(view, 8004, 8006)).toEqual(isVenue ? ['12.5', currency] : [null, null]);
      }
      desk.order({ side, borrowedQuantity: '0' });
      const [last] = desk.trade({ side, tradeId: '7002' });
      expect(read(decoded(last!, beginString, oms), 8004, 8006)).toEqual([null, null]);
    }
  });

  test('O11 as a drop copy reads a liquidation without ClOrdID(11), with 544=3; no order session hears of it', () => {
    const copy = dropCopyConfig({ sessionId: 'COPY', ...session });
    const desk = new Desk({ ...gatewayConfig(), sessions: [sessionConfig(), copy] });
    const order = { orderId: '9009', clientOrderId: null, side: 'SELL', isLiquidation: true } as const;
    desk.order({ ...order, type: 'MKT', price: null });
    desk.trade({ orderId: '9009', clientOrderId: null, side: 'SELL', quantity: '2', quoteFee: '0.1', isTaker: true });
    desk.order({ ...order, type: 'MKT', price: null, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2' });
    const sent = desk.effects.flatMap((effect) => (effect.kind === 'send' ? [effect] : []));
    expect(sent.filter(({ sessionId }) => sessionId === SESSION)).toEqual([]);
    const copies = sent.map(({ draft }) => decoded(textOf(draft), beginString, oms));
    const filled = copies.filter((view) => view.string(32) !== null);
    expect(filled.map((view) => read(view, 11, 37, 39, 150, 14, 151))).toEqual([
      [null, '9009', '2', is42 ? '2' : 'F', '2', '0'],
    ]);
    expect(read(filled[0]!, 544, 381, 1057)).toEqual([is42 ? null : '3', '200', hasLate ? 'Y' : null]);
    expect(fees(filled[0]!)).toEqual(is42 ? [] : [['0.1', 'USDC', '4']]);
    expect(copies.every((view) => view.string(11) === null && view.string(1) === 'ACC1')).toBe(true);
  });

  test('O3 D10 keeps CumQty exact and AvgPx half-even with price precision + 4 decimals over restarts', () => {
    const desk = new Desk(gatewayConfig(session));
    desk.oms(`${LIMIT.replace('38=2', '38=4')}21=1|`);
    desk.order({ quantity: '4' });
    const prices = ['100', '100.00001', '100.00004', '100.1'];
    const averages = prices.map((price, i) => {
      const [text] = desk.trade({ tradeId: `${i}`, quantity: '1', price });
      const view = decoded(text!, beginString, oms);
      if (i === 1) desk.restart();
      return [...read(view, 14, 6), view.string(151)];
    });
    // 200.00001 / 2 = 100.000005 and 300.00005 / 3 = 100.0000166…, with five decimals; the tie goes to the even digit.
    expect(averages).toEqual([
      ['1', '100', '3'],
      ['2', '100', '2'],
      ['3', '100.00002', '1'],
      ['4', '100.02501', '0'],
    ]);
    const [status] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
    expect(read(decoded(status!, beginString, oms), 14, 6)).toEqual(['4', '100.02501']);
  });
});
