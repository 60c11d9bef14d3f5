// Negotiated trades by AE on the pure machine: submit, accept, cancel, what is refused, and outcomes.

import { describe, expect, test } from 'vitest';
import type { CommandOutcome, DataAnswer } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { everyMarket } from '../../support/campaigns/sent-campaign.ts';
import { ACCOUNT, Desk, field, gatewayConfig, SESSION, T0 } from '../desk.ts';

function deskOf(more: Partial<GatewaySessionConfig> = {}): Desk {
  const limits = { orderQtyMax: '10', notionalMax: '1000000', openOrdersMax: 10, priceBandPercent: null };
  const session = { negotiatedPerMinute: 2, limits: { ...limits, referencePriceAgeMaxMs: 30_000 }, ...more };
  const desk = new Desk(gatewayConfig(session));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  return desk;
}

const SIDE = '552=1|54=1|1=ACC1|1057=Y|';
const TRADE = `55=BTC-USDC-PERP|32=2.0|31=60000.0|`;
const SUBMIT = `35=AE|571=9001|487=0|856=0|828=1|820=agreedKey0001|${TRADE}${SIDE}`;
const ACCEPT = `35=AE|571=a-1|487=0|856=2|881=77|${TRADE}${SIDE}`;
const CANCEL = `35=AE|571=c-1|487=1|856=6|881=77|${TRADE}${SIDE}`;
const ACCEPTED: CommandOutcome = { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '1' };

function outcome(desk: Desk, said: CommandOutcome): string[] {
  const from = desk.sent.length;
  desk.feed({ kind: 'managed', commandId: desk.managed.at(-1)!.commandId, outcome: said });
  return desk.sent.slice(from);
}

function trade(leg: Readonly<Record<string, unknown>> = {}, legs = 1): DataAnswer {
  const terms = { tradeId: null, symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000', quantity: '2', ...leg } as const;
  const words = { statusReason: 'Ok', brokeredBy: 'IDB_A', remarks: null, createdAt: T0, expiresAt: null };
  const ids = { otcTradeId: '77', clientOtcTradeId: null, tradingAccountId: ACCOUNT, otcMatchId: null };
  const one = { ...terms, side: terms.side as 'BUY', isTaker: true, baseFee: null, quoteFee: null };
  const status = { sharedMatchKey: 'agreedKey0001', status: 'APPROVAL_PENDING' };
  return { kind: 'otcTrades', otcTrades: [{ ...ids, ...words, ...status, legs: Array(legs).fill(one) }], next: null };
}

describe('TradeCaptureReport(AE) of an OMS', () => {
  test('submits a side of a trade, and AR has the id of the exchange', () => {
    const desk = deskOf();
    expect(desk.oms(`50=me|${SUBMIT.slice(0, -1)}|`.replace('50=me|35=AE|', '35=AE|50=me|'))).toEqual([]);
    expect(desk.managed.at(-1)).toMatchObject({
      credential: 'main',
      command: {
        kind: 'createOtcTrade',
        sharedMatchKey: 'agreedKey0001',
        clientOtcTradeId: '9001',
        tradingAccountId: ACCOUNT,
        isTaker: true,
        remarks: null,
        trades: [{ symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000', quantity: '2' }],
      },
    });
    expect(outcome(desk, { ...ACCEPTED, otcTradeId: '77' })).toEqual([
      '35=AR|57=me|571=9001|487=0|856=0|828=1|150=F|939=0|818=77|820=agreedKey0001|55=BTC-USDC-PERP|60=20260105-12:00:00.000|',
    ]);
  });

  test('U4 runs once per TradeReportID, over a restart too', () => {
    const desk = deskOf();
    desk.oms(SUBMIT);
    outcome(desk, ACCEPTED);
    const [again] = desk.oms(SUBMIT, { possDup: true });
    expect([939, 751].map((tag) => field(again, tag))).toEqual(['1', '99']);
    expect(field(again, 58)).toContain('used before');
    desk.restart();
    expect(field(desk.oms(SUBMIT)[0], 58)).toContain('used before');
    expect(desk.managed).toHaveLength(1);
  });

  test('U1 an unknown outcome is neither accepted nor rejected', () => {
    const desk = deskOf();
    desk.oms(SUBMIT);
    const [ar] = outcome(desk, { kind: 'unknown', message: 'HTTP 503' });
    expect([939, 751].map((tag) => field(ar, tag))).toEqual([null, null]);
    expect(field(ar, 58)).toMatch(/^The outcome is unknown/);
  });

  test('tells why the exchange refused', () => {
    const desk = deskOf();
    desk.oms(SUBMIT);
    const refused = { kind: 'refused', httpStatus: 400, errorCode: '9017', errorCodeName: 'X' } as const;
    const [ar] = outcome(desk, { ...refused, message: 'Only derivatives' });
    expect([939, 751, 58].map((tag) => field(ar, tag))).toEqual(['1', '99', 'Only derivatives']);
  });

  test('accepts the trade of a broker on the terms that the report says', () => {
    const desk = deskOf();
    expect(desk.oms(ACCEPT)).toEqual([]);
    expect(desk.asked.at(-1)!.question).toMatchObject({ kind: 'otcTrades', otcTradeId: '77' });
    expect(desk.answered(trade())).toEqual([]);
    const command = { kind: 'approveOtcTrade', otcTradeId: '77', tradingAccountId: ACCOUNT };
    expect(desk.managed.at(-1)!.command).toMatchObject(command);
    expect(field(outcome(desk, ACCEPTED)[0], 939)).toBe('0');
  });

  test.each([
    ['another price', trade({ price: '60001' }), 'other terms'],
    ['the other side', trade({ side: 'SELL' }), 'other terms'],
    ['several legs', trade({}, 2), '2 legs'],
    ['no such trade', { kind: 'otcTrades', otcTrades: [], next: null } as const, 'no negotiated trade 77'],
    ['no answer', { kind: 'failed', message: 'HTTP 503' } as const, 'Nothing was accepted'],
  ])('accepts nothing where the exchange says %s', (_, said, words) => {
    const desk = deskOf();
    desk.oms(ACCEPT);
    const [ar] = desk.answered(said);
    expect([field(ar, 939), desk.managed.length]).toEqual(['1', 0]);
    expect(field(ar, 58)).toContain(words);
  });

  test('O12 accepts nothing if a kill switch was thrown while the exchange was asked', () => {
    const desk = deskOf();
    desk.oms(ACCEPT);
    const why = { who: 'op', why: 'storm' };
    desk.feed({ kind: 'killSwitch', scope: 'session', name: SESSION, action: 'throw', ...why });
    expect(field(desk.answered(trade())[0], 58)).toContain('storm');
    expect(desk.managed).toEqual([]);
  });

  test.each([
    ['by the id of the exchange', CANCEL, { otcTradeId: '77', clientOtcTradeId: null }],
    ['by its own id', CANCEL.replace('881=77', '572=9001'), { otcTradeId: null, clientOtcTradeId: '9001' }],
    ['as a decline', CANCEL.replace('487=1|856=6', '487=0|856=3'), { otcTradeId: '77', clientOtcTradeId: null }],
  ])('cancels a trade %s, whatever the limits say', (_, text, ids) => {
    const desk = deskOf();
    const why = { who: 'op', why: 'storm' };
    desk.feed({ kind: 'killSwitch', scope: 'session', name: SESSION, action: 'throw', ...why });
    desk.oms(text.replace('32=2.0', '32=1000'));
    expect(desk.managed.at(-1)!.command).toMatchObject({ kind: 'cancelOtcTrade', tradingAccountId: ACCOUNT, ...ids });
  });

  test.each([
    ['O7 another account', SUBMIT.replace('1=ACC1', '1=OTHER'), '3', 'Account(1)=OTHER'],
    ['a symbol that is none', SUBMIT.replace('BTC-USDC-PERP', 'NONE'), '2', 'Symbol(55)=NONE'],
    ['another type of trade', SUBMIT.replace('828=1', '828=2'), '4', 'TrdType(828)'],
    ['a name that the exchange does not take', SUBMIT.replace('571=9001', '571=A1'), '99', 'TradeReportID(571)'],
    ['a key that is too short', SUBMIT.replace('agreedKey0001', 'key'), '99', 'TradeLinkID(820)'],
    ['no word of taker or maker', SUBMIT.replace('1057=Y|', ''), '99', 'AggressorIndicator(1057)'],
    ['a change', SUBMIT.replace('487=0', '487=2'), '99', 'TradeReportTransType(487)=2'],
    ['O12 a quantity over the limit', SUBMIT.replace('32=2.0', '32=11'), '99', 'LastQty(32)=11 exceeds'],
    ['O12 an amount over the limit', SUBMIT.replace('31=60000.0', '31=600000'), '99', 'limit of 1000000'],
    [
      'O4 an old report that comes again',
      `${SUBMIT}97=Y|52=20260105-11:59:00.000|60=20260105-11:59:00.000|`,
      '99',
      'old',
    ],
  ])('refuses %s', (_, text, reason, words) => {
    const desk = deskOf();
    const [ar] = desk.oms(text);
    expect([field(ar, 35), field(ar, 939), field(ar, 751)]).toEqual(['AR', '1', reason]);
    expect(field(ar, 58)).toContain(words);
    expect(desk.managed).toEqual([]);
  });

  test('refuses more trades in a minute than are agreed; a cancel is not counted', () => {
    const desk = deskOf();
    for (const id of ['9001', '9002']) desk.oms(SUBMIT.replace('9001', id));
    expect(field(desk.oms(SUBMIT.replace('9001', '9003'))[0], 58)).toContain('wait 60 s');
    desk.oms(CANCEL);
    expect(desk.managed).toHaveLength(3);
    desk.advance(60_000);
    desk.oms(SUBMIT.replace('9001', '9003'));
    expect(desk.managed).toHaveLength(4);
  });

  test('ULR says how many of the minute are used and left', () => {
    const desk = deskOf();
    desk.oms(SUBMIT);
    expect(desk.oms('35=ULQ|20100=l-1|').at(-1)).toContain('20103=negotiatedPerMinute|20104=2|20105=1|20106=1|');
  });

  test('takes none where the session file agrees none, and FIX.4.2 has no such message', () => {
    const desk = deskOf({ negotiatedPerMinute: 0 });
    expect(field(desk.oms(SUBMIT)[0], 751)).toBe('3');
    const old = deskOf({ beginString: 'FIX.4.2' });
    expect(old.oms(SUBMIT)[0]).toContain('380=3');
  });
});
