// Trades of an account on the pure machine: what is asked of the exchange, pages, filters, later trades, refusals.

import { describe, expect, test } from 'vitest';
import type { DataAnswer, ExchangeTrade } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { everyMarket } from '../../support/campaigns/sent-campaign.ts';
import { ACCOUNT, Desk, exchangeTrade, field, gatewayConfig, LIMIT, SESSION, T0 } from '../desk.ts';

const HOUR = 3_600_000;

function deskOf(more: Partial<GatewaySessionConfig> = {}): Desk {
  const desk = new Desk(gatewayConfig(more));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  return desk;
}

const trade = (more: Partial<ExchangeTrade> = {}): ExchangeTrade =>
  exchangeTrade({ orderId: '555', clientOrderId: null, ...more }, T0);
const page = (trades: readonly ExchangeTrade[], next: string | null = null): DataAnswer => ({
  kind: 'trades',
  trades,
  next,
});
const ids = (texts: readonly string[]): (string | null)[] => texts.map((text) => field(text, 880));

describe('TradeCaptureReportRequest(AD)', () => {
  test('asks for the last day of the account and answers with AQ and an AE per trade', () => {
    const desk = deskOf();
    expect(desk.oms('35=AD|568=t|569=0|50=me|')).toEqual([]);
    const none = { since: null, until: null, symbol: null, orderId: null, tradeId: null, cursor: null };
    expect(desk.asked.at(-1)!.question).toEqual({ kind: 'trades', tradingAccountId: ACCOUNT, ...none });
    const bought = trade({ tradeId: '7', price: '100.50', quantity: '0.20', quoteFee: '0.02', isTaker: true });
    expect(desk.answered(page([bought]))).toEqual([
      '35=AQ|57=me|568=t|569=0|749=0|750=0|',
      '35=AE|57=me|571=555-7-F|487=0|568=t|912=Y|150=F|828=0|880=7|17=555-7-F|570=N|55=BTCUSDC|167=FOR|32=0.2|31=100.5|' +
        '75=20260105|60=20260105-12:00:00.000|573=0|552=1|54=1|37=555|1=ACC1|381=20.1|136=1|137=0.02|138=USDC|139=4|',
    ]);
  });

  test('says that there are none, by AQ alone', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|');
    expect(desk.answered(page([]))).toEqual(['35=AQ|57=ADMIN|568=t|569=1|748=0|749=0|750=1|']);
  });

  test('a fill has the ExecID of its ExecutionReport, and the ClOrdID of an order of the session', () => {
    const desk = deskOf();
    desk.oms(LIMIT);
    desk.order({});
    const [fill] = desk.trade({ tradeId: '9' });
    desk.oms('35=AD|568=t|569=1|11=o-1|');
    expect(desk.asked.at(-1)!.question).toMatchObject({ orderId: field(fill, 37) });
    const [, ae] = desk.answered(page([trade({ tradeId: '9', orderId: field(fill, 37)! })]));
    expect([17, 37, 11, 570].map((tag) => field(ae, tag))).toEqual([field(fill, 17), field(fill, 37), 'o-1', 'Y']);
  });

  test('reads a range page by page, and marks the last report with 912=Y', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|55=BTCUSDC|580=2|75=20251201|75=20251202|60=20251202-06:00:00|');
    const since = Date.UTC(2025, 11, 1);
    const until = Date.UTC(2025, 11, 2, 6);
    expect(desk.asked.at(-1)!.question).toMatchObject({ since, until, symbol: 'BTCUSDC', cursor: null });
    const first = desk.answered(page([trade({ tradeId: '1' }), trade({ tradeId: '2' })], 'more'));
    expect(desk.asked.at(-1)!.question).toMatchObject({ since, until, cursor: 'more' });
    expect(desk.answered(page([], 'rest'))).toEqual([]);
    const last = desk.answered(page([trade({ tradeId: '3' })]));
    expect(ids([...first, ...last])).toEqual([null, '1', '2', '3']);
    expect([...first, ...last].map((text) => field(text, 912))).toEqual([null, 'N', 'N', 'Y']);
  });

  test('an end by date alone means the whole day, and no end means now', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|580=2|75=20251201|60=20251201-00:00:00|75=20251201|');
    expect(desk.asked.at(-1)!.question).toMatchObject({ until: Date.UTC(2025, 11, 2) - 1 });
    desk.oms('35=AD|568=u|569=1|580=1|75=20251201|60=20251201-00:00:00|');
    expect(desk.asked.at(-1)!.question).toMatchObject({ since: Date.UTC(2025, 11, 1), until: T0 });
  });

  test('asks for each account of the session in turn, or for the one that it names', () => {
    const accounts = ['ACC1', 'ACC2'].map((account, i) => ({
      account,
      tradingAccountId: `11100000000000${i + 1}`,
      credential: 'main',
    }));
    const desk = deskOf({ accounts });
    desk.oms('35=AD|568=t|569=1|');
    const first = desk.answered(page([trade({ tradeId: '1' })]));
    expect(ids(first)).toEqual([null]);
    const rest = desk.answered(page([trade({ tradeId: '2', tradingAccountId: '111000000000002' })]));
    expect(rest.map((text) => [880, 1, 912].map((tag) => field(text, tag)))).toEqual([
      ['1', 'ACC1', 'N'],
      ['2', 'ACC2', 'Y'],
    ]);
    desk.oms('35=AD|568=u|569=1|453=1|448=ACC2|447=D|452=24|');
    expect(desk.asked.at(-1)!.question).toMatchObject({ tradingAccountId: '111000000000002' });
  });

  test('an answer is cut at the most that the session may have, and says so', () => {
    const desk = deskOf({ accountData: { refreshMs: 30_000, subscriptionsMax: 5, tradesMax: 2 } });
    desk.oms('35=AD|568=t|569=1|');
    const sent = desk.answered(
      page(
        [1, 2, 3].map((id) => trade({ tradeId: `${id}` })),
        'more',
      ),
    );
    expect(ids(sent)).toEqual([null, '1', '2', null]);
    expect(sent.at(-1)).toMatch(/^35=AQ\|.*\|748=2\|749=0\|750=1\|58=More than 2 trades/);
    expect(desk.asked).toHaveLength(1);
  });

  test.each([
    ['another kind of request', '569=3|', '8', 'TradeRequestType'],
    ['an account of another', '569=1|453=1|448=OTHER|447=D|452=24|', '9', 'Account OTHER'],
    ['an order that is not known', '569=1|11=nope|', '99', 'ClOrdID'],
    ['a range of a year', '569=1|580=2|75=20250101|75=20251231|', '99', '90 days'],
    ['a range that ends before it begins', '569=1|580=2|75=20251231|60=20251231-00:00:00|75=20251201|', '99', 'empty'],
  ])('O7 refuses %s', (_, fields, result, words) => {
    const desk = deskOf();
    expect(desk.oms(`35=AD|568=t|${fields}`)).toEqual([
      expect.stringMatching(new RegExp(`^35=AQ\\|.*\\|749=${result}\\|750=2\\|58=.*${words}`)),
    ]);
    expect(desk.asked).toEqual([]);
  });

  test('says so if the exchange cannot be asked', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|');
    expect(desk.answered({ kind: 'failed', message: 'HTTP 503' })).toEqual([
      expect.stringMatching(/\|749=99\|750=2\|58=The exchange could not be asked: HTTP 503\|/),
    ]);
  });
});

describe('later trades with 263=1', () => {
  test('are reported once each, until 263=2 or the end of the session', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|263=1|');
    desk.answered(page([]));
    const [later] = desk.trade({ tradeId: '5', orderId: '556', clientOrderId: null });
    expect(later).toMatch(/^35=AE\|57=ADMIN\|571=556-5-F\|487=0\|568=t\|325=Y\|/);
    expect(desk.trade({ tradeId: '5', orderId: '556', clientOrderId: null })).toEqual([]);
    const old = exchangeTrade({ tradeId: '4', orderId: '554', clientOrderId: null }, T0 - HOUR);
    expect(desk.answers(() => desk.feed({ kind: 'trade', source: 'snapshot', trade: old }))).toEqual([]);
    desk.oms('35=AD|568=t|569=1|263=2|');
    expect(desk.trade({ tradeId: '6', orderId: '557', clientOrderId: null })).toEqual([]);
    desk.oms('35=AD|568=t|569=1|263=1|');
    desk.answered(page([]));
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    expect(desk.trade({ tradeId: '7', orderId: '558', clientOrderId: null })).toEqual([]);
  });

  test('with 828=1 are negotiated trades alone', () => {
    const desk = deskOf();
    desk.oms('35=AD|568=t|569=1|828=1|263=1|');
    desk.answered({ kind: 'otcTrades', otcTrades: [], next: null });
    expect(desk.trade({ tradeId: '5', orderId: '556', clientOrderId: null })).toEqual([]);
    const [otc] = desk.trade({ tradeId: '6', orderId: '30', otcTradeId: '30', otcMatchId: '8', clientOrderId: null });
    expect([828, 818, 820, 880, 37].map((tag) => field(otc, tag))).toEqual(['1', '30', '8', '6', 'NONE']);
  });
});

test('a negotiated trade that waits is no execution, and names its broker and its status', () => {
  const desk = deskOf({ beginString: 'FIXT.1.1' });
  desk.oms('35=AD|568=t|569=1|828=1|');
  expect(desk.asked.at(-1)!.question).toMatchObject({ kind: 'otcTrades' });
  const leg = {
    tradeId: null,
    symbol: 'BTC-USDC-PERP',
    side: 'SELL',
    price: '60000.0',
    quantity: '2',
    isTaker: true,
  } as const;
  const [, ae] = desk.answered({
    kind: 'otcTrades',
    next: null,
    otcTrades: [
      {
        otcTradeId: '40',
        clientOtcTradeId: '41',
        tradingAccountId: ACCOUNT,
        otcMatchId: null,
        sharedMatchKey: 'key',
        status: 'APPROVAL_PENDING',
        statusReason: 'Ok',
        brokeredBy: 'IDB_A',
        remarks: 'block',
        createdAt: T0,
        expiresAt: T0 + 1_000,
        legs: [{ ...leg, baseFee: null, quoteFee: null }],
      },
    ],
  });
  expect(ae).toBe(
    '35=AE|57=ADMIN|571=40-0|487=0|568=t|912=Y|828=1|818=40|820=key|570=N|55=BTC-USDC-PERP|461=FXXXXX|167=FUT|231=1|32=2|' +
      '31=60000|75=20260105|60=20260105-12:00:00.000|573=1|552=1|54=2|453=1|448=IDB_A|447=D|452=30|1=ACC1|' +
      '58=status APPROVAL_PENDING (Ok); expires 20260105-12:00:01.000; block|37=NONE|11=41|381=120000|',
  );
});
