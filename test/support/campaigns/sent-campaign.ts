// Messages really sent to an OMS, by type and version: days with every kind of answer in every version and dialect, and
// the published session test cases. The rules of engagement are held to it (test/dictionary/sent-fields.test.ts).

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { NOBODY } from '../../../src/gateway/vocabulary/sender.ts';
import type { SessionConfig } from '../../../src/session/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeTrade,
  gatewayConfig,
  LIMIT,
  LIMITS,
  market,
  SESSION,
  sessionConfig,
} from '../../gateway/desk.ts';
import { KINDS, type Kind, type KindStep, KindsDay } from '../../gateway/kinds-day.ts';
import { MarketDesk, V } from '../../gateway/market-desk.ts';
import { cancelled, partlyFilled, REPLACE } from '../../gateway/swap-desk.ts';
import { wholeDay } from '../../gateway/whole-day.ts';
import { BEGIN_STRINGS, inVersion, recordScenarios } from '../session/every-version.ts';
import { fieldsOf } from '../session/fix-scenario.ts';
import { continueScenario, MachineDriver, playScenario } from '../session/session-machine.ts';

type Style = Pick<GatewaySessionConfig, 'beginString' | 'defaultApplVerID' | 'dialect'>;

/** A version and dialect that a session speaks. */
export interface Spoken {
  readonly version: string;
  readonly isVenue: boolean;
}

/** A message as it was sent: its tags, of the header too as far as the sender sets them. */
export interface SentMessage extends Spoken {
  readonly msgType: string;
  readonly fields: readonly (readonly [tag: number, value: string])[];
  readonly text: string;
}

const VERSIONS: readonly (readonly [name: string, Omit<Style, 'dialect'>])[] = [
  ['FIX.4.2', { beginString: 'FIX.4.2' }],
  ['FIX.4.4', { beginString: 'FIX.4.4' }],
  ['FIX.5.0', { beginString: 'FIXT.1.1', defaultApplVerID: '7' }],
  ['FIX.5.0SP1', { beginString: 'FIXT.1.1', defaultApplVerID: '8' }],
  ['FIX.5.0SP2', { beginString: 'FIXT.1.1', defaultApplVerID: '9' }],
];

function sentMessage(spoken: Spoken, text: string): SentMessage {
  const fields = fieldsOf(text);
  const msgType = fields.find(([tag]) => tag === 35)![1];
  return { ...spoken, msgType, fields, text };
}

/** Application messages of days on the gateway's desk, without the header that the session adds. */
export function sentByGateway(): SentMessage[] {
  const sent: SentMessage[] = [];
  for (const [version, name] of VERSIONS) {
    for (const dialect of ['standard', 'venue'] as const) {
      const spoken = { version, isVenue: dialect === 'venue' };
      const style = { ...name, dialect };
      const texts = [
        ...wholeDay(name.beginString, dialect, name.defaultApplVerID),
        ...rareReports(style),
        ...replacedByNew(style),
        ...listDay(style),
        ...referenceDay(style),
        ...marketDataDay(style),
        ...servicesDay(style),
        ...accountDay(style),
        ...protectionDay(style),
        ...negotiatedDay(style),
        ...kindsDays(style),
        ...unaskedDay(style),
        ...refusedDay(style),
      ];
      sent.push(...texts.map((text) => sentMessage(spoken, text)));
    }
  }
  return sent;
}

const PARTIES = '453=1|448=CLIENT|447=D|452=3|802=1|523=SUB|803=4|';

/** Rare content of an order's reports: all echoes, loans, liquidations, leftovers of a mass cancel. */
function rareReports(style: Style): string[] {
  const has44 = style.beginString !== 'FIX.4.2';
  const desk = new Desk(gatewayConfig({ ...style, pendingNewAfterMs: 0 }));
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  const echoed = has44 ? `526=second|583=link|63=0|21=1|15=USDC|${PARTIES}` : '21=1|15=USDC|';
  desk.oms(`${LIMIT}115=FIRM|116=DESK|50=trader|544=2|${echoed}`);
  desk.order({ borrowedQuantity: '0.5' });
  desk.trade({ baseFee: '0.0001', quoteFee: '0.05', tradeRebateAmount: '1', tradeRebateAssetSymbol: 'USDC' });
  desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|790=s-1|');
  desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.refused(400, '3001', 'Balance too low');
  desk.oms('35=F|11=c-2|41=no|37=no|1=ACC1|55=BTCUSDC|54=1|');
  desk.phase({});
  desk.oms(`${LIMIT.replace('o-1', 'n-1').replace('55=BTCUSDC', '55=[N/A]|22=8|48=BTCUSDC')}21=1|`);
  desk.oms(`${LIMIT.replace('o-1', 'a-1').replace('59=1', '59=5')}${has44 ? '386=1|336=A-1|' : ''}21=1|`);
  desk.order({ orderId: '9003', clientOrderId: '3', timeInForce: 'GTX' });
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.oms('35=q|11=q-1|530=1|55=BTCUSDC|54=1|526=second|50=me|115=FIRM|116=DESK|');
  desk.oms('35=q|11=q-2|530=1|55=NOSUCH|');
  desk.oms('35=AF|584=m-1|585=7|');
  desk.trade({ orderId: '9003', clientOrderId: '3', auctionId: 'A-1' });
  const liquidation = { orderId: '9900', clientOrderId: null, tradeId: '7900' };
  desk.feed({ kind: 'order', source: 'update', order: liquidated(desk.now) });
  desk.feed({ kind: 'trade', source: 'update', trade: exchangeTrade(liquidation, desk.now) });
  return desk.sent;
}

/** A G carried out as a cancel and a new order, and an F that comes too late for it. */
function replacedByNew(style: Style): string[] {
  const desk = partlyFilled(style);
  const from = desk.sent.length;
  desk.oms(`${REPLACE}21=1|`);
  desk.accepted();
  desk.order(cancelled('0.5'));
  desk.accepted(undefined, '9002');
  desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
  desk.oms('35=F|11=c-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.refused(400, '3001', 'Balance too low');
  return desk.sent.slice(from);
}

/** Unsolicited reports of markets and the platform to a session. */
function unaskedDay(style: Style): string[] {
  const desk = new Desk(gatewayConfig(style));
  const sessionId = SESSION;
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC')] });
  desk.feed({ kind: 'sessionUp', sessionId });
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled: false }), market('ETHUSDC')] });
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC')] });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.advance(60_000);
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  desk.advance(60_000);
  return desk.sent;
}

/** Every request, refused for its rate and because it cannot be taken; orders of every type and side; copies of them. */
function refusedDay(style: Style): string[] {
  const copy = dropCopyConfig({ ...style });
  const desk = new Desk(gatewayConfig(style, { sessions: [sessionConfig(style), copy] }));
  const requests = [
    `${LIMIT}21=1|`,
    '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|',
    '35=G|11=g-1|41=o-1|1=ACC1|21=1|55=BTCUSDC|54=1|40=2|38=2|44=99|',
    '35=q|11=q-1|530=7|',
    '35=x|320=r-1|559=4|',
    '35=H|11=o-1|55=BTCUSDC|54=1|',
  ];
  for (const request of requests) {
    const view = viewOf(fromPrintable(`${request.replace('|', '|34=9|49=OMS|56=XG|')}`, style.beginString))!;
    desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'refuse', waitMs: 40 });
    desk.feed({ kind: 'refuse', sessionId: SESSION, view, text: 'cannot be taken' });
    desk.feed({ kind: 'message', sessionId: copy.sessionId, view, possDup: false });
  }
  desk.oms(`35=x|320=${'r'.repeat(600)}|559=4|`);
  desk.oms('35=B|148=Hello|33=1|58=World|');
  const types = ['3', '4', 'P', 'p', '1'].flatMap((ordType) => [`40=${ordType}|`, `40=${ordType}|99=1|`]);
  const sides = ['2', '3', '5', '8'].map((side) => `54=${side}|40=2|44=100|`);
  const times = ['0', '1', '2', '3', '4', '6'].map((time) => `54=1|40=2|44=100|59=${time}|`);
  for (const [i, more] of [...types.map((one) => `54=1|${one}`), ...sides, ...times].entries()) {
    desk.oms(`35=D|11=t-${i}|1=ACC1|21=1|55=BTCUSDC|38=2|${more}`);
  }
  desk.oms('35=D|11=none-1|21=1|55=BTCUSDC|54=1|38=2|40=2|44=100|');
  desk.oms('35=D|11=none-2|1=ACC1|21=1|54=1|40=2|44=100|');
  desk.oms(`${LIMIT.replace('o-1', 's-1')}21=1|`);
  desk.oms('35=F|11=s-2|41=s-1|1=OTHER|55=BTCUSDC|54=1|');
  return desk.sent;
}

function liquidated(now: number) {
  const prices = { price: null, stopPrice: null, averageFillPrice: null, borrowedQuantity: null };
  return {
    tradingAccountId: ACCOUNT,
    orderId: '9900',
    clientOrderId: null,
    symbol: 'BTCUSDC',
    type: 'MKT' as const,
    side: 'SELL' as const,
    ...prices,
    quantity: '0.5',
    quantityFilled: '0.0',
    timeInForce: 'IOC' as const,
    status: 'OPEN' as const,
    statusReasonCode: '6001',
    statusReason: 'Open',
    isLiquidation: true,
    createdAt: now,
    publishedAt: now,
  };
}

/** Lists: taken, with an order that is refused, refused whole, and ended; one of them cancelled too late. */
function listDay(style: Style): string[] {
  const desk = new Desk(gatewayConfig({ ...style, pendingNewAfterMs: 0 }));
  const order = (id: string, n: number, more = '') =>
    `11=${id}|67=${n}|1=ACC1|21=1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|${more}`;
  desk.oms(`35=E|66=L-1|394=3|68=2|73=2|${order('l-1', 1)}${order('l-2', 2, '18=9|')}`);
  desk.order({});
  desk.oms('35=F|11=c-1|41=l-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.refused(400, '3001', 'Balance too low');
  desk.order({ status: 'CANCELLED', statusReasonCode: '6019' });
  desk.oms(`35=E|66=L-1|394=3|68=1|73=1|${order('l-3', 1)}`);
  desk.oms(`35=E|66=L-2|394=3|68=2|73=2|${order('l-4', 1)}${order('l-1', 2)}`);
  return desk.sent;
}

/** A derivative of each type. */
const DERIVATIVES = [
  { symbol: 'BTC-USDC-PERP', marketType: 'PERPETUAL' },
  { symbol: 'BTC-USDC-20291228', marketType: 'DATED_FUTURE', expiresAt: Date.UTC(2029, 11, 28, 8) },
  {
    symbol: 'BTC-USDC-20291228-60000-P',
    marketType: 'OPTION',
    expiresAt: Date.UTC(2029, 11, 28, 8),
    strikePrice: '60000.0000',
    optionType: 'PUT',
  },
] as const;

/** Markets of every type. */
export const everyMarket = () => [
  market('BTCUSDC'),
  market('ETHUSDC'),
  ...DERIVATIVES.map((fields) =>
    market(fields.symbol, {
      ...fields,
      baseSymbol: 'BTC',
      quoteSymbol: 'USDC',
      settlementAssetSymbol: 'USDC',
      auctionEnabled: false,
    }),
  ),
];

function referenceDay(style: Style): string[] {
  const desk = new Desk(gatewayConfig(style));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  if (style.beginString !== 'FIX.4.2') {
    desk.oms('35=x|320=l-1|559=4|263=1|');
    desk.feed({ kind: 'markets', markets: everyMarket().slice(1, 4) });
    desk.feed({ kind: 'markets', markets: everyMarket().map((one) => ({ ...one, tickSize: '0.5' })) });
    desk.oms('35=x|320=l-1|559=4|263=2|');
  }
  desk.oms('35=c|320=r-1|321=0|55=BTCUSDC|115=FIRM|116=DESK|50=me|');
  for (const text of ['321=3|', '321=0|55=NOSUCH|', '321=7|']) desk.oms(`35=c|320=r-2|${text}`);
  for (const text of ['559=4|', '559=0|55=BTCUSDC|', '559=0|55=NOSUCH|', '559=7|']) desk.oms(`35=x|320=r-3|${text}`);
  for (const symbol of ['BTCUSDC', 'NOSUCH']) desk.oms(`35=e|324=s-${symbol}|55=${symbol}|263=1|`);
  desk.oms('35=g|335=t-1|336=1|263=1|');
  desk.oms('35=g|335=t-2|336=9|263=0|');
  desk.oms('35=AE|571=1|');
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.phase({ phase: 'CROSS', eventType: 'AUCTION_CROSS_POSTPONED' });
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled: false }), market('ETHUSDC')] });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.advance(60_000);
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  desk.advance(60_000);
  return desk.sent;
}

/** Trades: of an order, of an auction, negotiated in every way; none; an answer that is cut; later ones. */
function tradeDay(desk: Desk): void {
  desk.oms(`${LIMIT}21=1|`);
  desk.order({});
  const trade = exchangeTrade({ symbol: 'BTC-USDC-20291228-60000-P', baseFee: '0.1', isTaker: true }, desk.now);
  desk.oms('35=AD|568=t-1|569=0|263=1|50=me|');
  const matched = { ...trade, tradeId: '2', orderId: '31', otcTradeId: '31', otcMatchId: '5' };
  const auction = { ...trade, tradeId: '3', orderId: '32', auctionId: '9' };
  desk.answered({ kind: 'trades', trades: [trade, matched, auction], next: null });
  desk.trade({ tradeId: '77' });
  desk.oms('35=AD|568=t-2|569=1|828=1|');
  const leg = {
    tradeId: null,
    symbol: 'BTC-USDC-PERP',
    side: 'BUY',
    price: '1',
    quantity: '2',
    isTaker: null,
  } as const;
  const ids = {
    otcTradeId: '40',
    clientOtcTradeId: '41',
    tradingAccountId: ACCOUNT,
    otcMatchId: null,
    sharedMatchKey: 'k',
  };
  const words = { statusReason: 'Ok', brokeredBy: 'IDB_A', remarks: 'block', createdAt: desk.now, expiresAt: desk.now };
  const otcTrade = { ...ids, ...words, status: 'APPROVAL_PENDING', legs: [{ ...leg, baseFee: null, quoteFee: null }] };
  desk.answered({ kind: 'otcTrades', otcTrades: [otcTrade], next: null });
  desk.oms('35=AD|568=t-3|569=3|');
  desk.oms('35=AD|568=t-4|569=1|');
  desk.answered({ kind: 'trades', trades: [], next: null });
}

/** Market maker protection: its state, a change, a reset, a refusal. */
function protectionDay(style: Style): string[] {
  const desk = new Desk(gatewayConfig(style));
  const times = { windowTimeInSeconds: '10', frozenTimeInSeconds: '0' };
  const mmp = { underlyingAssetSymbol: 'BTC', ...times, quantityLimit: '5', deltaLimit: '2', isActive: true };
  desk.oms('35=UMQ|20200=m-1|20201=0|263=1|1=ACC1|50=me|');
  desk.answered({ kind: 'mmp', configurations: [mmp] });
  desk.advance(30_000);
  desk.answered({ kind: 'mmp', configurations: [{ ...mmp, isActive: false }] });
  desk.oms('35=UMQ|20200=m-2|20201=1|1=ACC1|311=BTC|');
  const accepted = { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '1' } as const;
  desk.feed({ kind: 'managed', commandId: desk.managed[0]!.commandId, outcome: accepted });
  desk.oms('35=UMQ|20200=m-3|20201=1|1=OTHER|311=BTC|');
  return desk.sent;
}

/** Negotiated trades: entered, cancelled, refused, of unknown outcome; copies of one. */
function negotiatedDay(style: Style): string[] {
  if (style.beginString === 'FIX.4.2') return [];
  const dropCopy = { sessionIds: null, elsewhere: true, negotiatedAs: 'TradeCaptureReport' } as const;
  // In `venue` no copy comes as a message that was not asked for.
  const copies = style.dialect === 'venue' ? [] : [dropCopyConfig({ ...style, dropCopy })];
  const desk = new Desk(
    gatewayConfig(style, { sessions: [sessionConfig({ ...style, negotiatedPerMinute: 9 }), ...copies] }),
  );
  desk.feed({ kind: 'markets', markets: everyMarket() });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  const leg = '55=BTC-USDC-PERP|32=1|31=100|552=1|54=1|1=ACC1|1057=Y|';
  const accepted = { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '1', otcTradeId: '77' } as const;
  for (const outcome of [accepted, { kind: 'unknown', message: 'HTTP 503' } as const]) {
    desk.oms(`35=AE|571=9${desk.managed.length}|487=0|856=0|820=agreedKey0001|50=me|${leg}`);
    desk.feed({ kind: 'managed', commandId: desk.managed.at(-1)!.commandId, outcome });
  }
  desk.oms(`35=AE|571=c-1|487=1|856=6|572=none|${leg}`);
  desk.oms(`35=AE|571=c-2|487=1|856=6|881=x|${leg}`);
  desk.trade({ symbol: 'BTC-USDC-PERP', otcTradeId: '77', otcMatchId: '5', orderId: '77', clientOrderId: null });
  return desk.sent;
}

/** Positions and collateral: asked for, refused, changed. */
function accountDay(style: Style): string[] {
  if (style.beginString === 'FIX.4.2') return [];
  const desk = new Desk(gatewayConfig(style));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  const amounts = {
    notional: '6000',
    entryNotional: '5000',
    mtmPnl: '1',
    reportedMtmPnl: '2',
    reportedFundingPnl: '3',
  };
  const position = {
    side: 'BUY',
    quantity: '0.1',
    ...amounts,
    realizedPnl: '4',
    settlementAssetSymbol: 'USDC',
  } as const;
  const positions = everyMarket()
    .slice(2)
    .map(({ symbol }) => ({ ...position, symbol }));
  desk.oms('35=AN|710=p-1|724=0|1=ACC1|581=1|715=20260105|263=1|50=me|');
  desk.answered({ kind: 'positions', positions: [...positions, { ...position, symbol: 'GONE' }] });
  desk.advance(30_000);
  desk.answered({ kind: 'positions', positions: [{ ...positions[0]!, side: 'SELL' }] });
  desk.oms('35=AN|710=p-2|724=0|1=NONE|581=1|715=20260105|');
  desk.oms('35=BB|909=b-1|1=ACC1|263=1|50=me|');
  const figures = { totalCollateralUSD: '10', totalLiabilitiesUSD: '2', totalBorrowedUSD: '2', initialMarginUSD: '3' };
  const balance = { availableQuantity: '5', borrowedQuantity: '1', lockedQuantity: '2', loanedQuantity: '0' };
  desk.answered({ kind: 'collateral', figures, balances: [{ ...balance, assetSymbol: 'USDC' }] });
  desk.oms('35=BB|909=b-2|1=NONE|');
  tradeDay(desk);
  return desk.sent;
}

/** Books, increments, trades, statistics, auctions, an empty book, a feed that is down, a market that is listed no more. */
function marketDataDay(style: Style): string[] {
  const desk = new MarketDesk(style);
  return desk.told(() => {
    desk.oms(`${V('x', 1, { types: '0 1 2 3 4 5 7 8 9 B C Q A' })}50=me|115=FIRM|116=DESK|`);
    desk.oms(V('x2', 1, { types: '0 1 2 3 4 7' }));
    desk.oms(V('w', 1, { types: '0 1 2 4 7 Q A', update: '0' }));
    desk.oms(V('y', 1, { types: 'H' }));
    desk.oms(V('y', 2, {}));
    desk.oms('35=e|324=s|55=BTCUSDC|263=1|');
    const tick = { last: '5', lastTradeSize: null, lastTradeAt: null, bestBid: null, bidVolume: null, bestAsk: null };
    const day = { askVolume: null, open: '4', high: '7', low: '3', vwap: '4.5', baseVolume: '100', quoteVolume: null };
    const more = { markPrice: '5', fundingRate: null, openInterest: '12', createdAt: desk.now };
    desk.market({ kind: 'tick', tick: { symbol: 'BTCUSDC', ...tick, ...day, ...more } });
    desk.market({ kind: 'tick', tick: { symbol: 'BTCUSDC', ...tick, ...day, ...more, last: '6' } });
    const indexPrice = { assetSymbol: 'BTC', price: '50000', updatedAt: null };
    desk.market({ kind: 'indexPrice', indexPrice });
    desk.book([['49999.0', '1']], [['50001.0', '4']]);
    desk.book([['49998.0', '1']], [['50001.0', '5']]);
    desk.trades(['1']);
    desk.trades(['7'], 'update', true);
    desk.trades(['8'], 'update', false, '7');
    desk.market({ kind: 'indexPrice', indexPrice: { ...indexPrice, price: '50001' } });
    desk.noii();
    desk.noii({ eventType: 'CROSS', farPrice: null, clearingPrice: '50005.0', imbalanceDirection: 'NONE' });
    desk.book([], []);
    desk.live(false, ['l1Orderbook', 'l2Orderbook', 'noii']);
    desk.live(true, ['l1Orderbook', 'l2Orderbook', 'noii']);
    desk.book([], []);
    desk.oms(V('z', 0, { types: '0' }));
    desk.feed({ kind: 'markets', markets: [market('ETHUSDC')] });
  });
}

/** News of operators, answers about users and limits. */
function servicesDay(style: Style): string[] {
  const desk = new Desk({
    ...gatewayConfig({ ...style, limits: { ...LIMITS, ordersPerSecondMax: 5, priceBandPercent: '5' } }),
    accountLimits: { [ACCOUNT]: { openOrdersMax: 3 } },
  });
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  const news = { sessionIds: null, headline: 'Maintenance', text: '', urgency: '0' } as const;
  desk.feed({ kind: 'news', news, stopAt: null, who: 'me' });
  if (style.beginString !== 'FIX.4.2') {
    desk.oms('35=BE|923=u|924=1|553=OMS|');
    desk.oms('35=BE|923=u|924=4|553=OMS|');
    const answered = { sessionId: SESSION, userRequestID: 'u', username: 'OMS', sender: NOBODY, text: null } as const;
    desk.feed({ kind: 'userAnswered', ...answered, userStatus: '1' });
  }
  desk.oms(LIMIT);
  desk.oms('35=ULQ|20100=l|');
  desk.oms('35=UBQ|20110=b|20111=GET|20112=/x|');
  const answer = { sessionId: SESSION, bridgeReqID: 'b', sender: NOBODY, status: 200, body: '{}' } as const;
  desk.feed({ kind: 'bridgeAnswered', ...answer });
  desk.oms('35=ULQ|20100=l|1=NONE|');
  return desk.sent;
}

const days = fc.array(
  fc.tuple(fc.constantFrom<Kind>(...KINDS), fc.nat(1_000), fc.nat(1_000), fc.boolean()) as fc.Arbitrary<KindStep>,
  { minLength: 100, maxLength: 160, size: 'max' },
);

/** Random days, always the same ones. */
function kindsDays(style: Style): string[] {
  return fc.sample(days, { numRuns: 6, seed: 8 }).flatMap((steps, i) => {
    const run = new KindsDay({ ...style, replaceByCancelAndNew: i % 2 === 1 }, style);
    for (const step of steps) run.act(step);
    run.settle();
    return run.told.map(({ text }) => text);
  });
}

const CASES = new URL('../../session/cases/', import.meta.url);

/**
 * Whole messages of session machines, from the published session test cases in every version; as an acceptor, `XGATE`.
 * @param given settings of every session, whatever its case expects of others
 */
export async function sentBySession(given: Partial<SessionConfig> | null = null): Promise<SentMessage[]> {
  const recorded = await recordScenarios(async () => {
    for (const name of readdirSync(CASES)) {
      const isRecorded = readFileSync(new URL(name, CASES), 'utf8').includes('testInEveryVersion(');
      if (isRecorded)
        await import(
          /* @vite-ignore */ `${fileURLToPath(new URL(name, CASES))}?campaign${Math.trunc(performance.now() * 1_000)}`
        );
    }
  });
  const sent: SentMessage[] = [];
  for (const { script, options, from } of recorded) {
    for (const version of BEGIN_STRINGS.slice(BEGIN_STRINGS.indexOf(from))) {
      const driver = new MachineDriver({ ...options, config: { beginString: version, ...options.config, ...given } });
      const isVenue = driver.config.sendsSessionStatus;
      const { outcomes } = driver;
      const push = outcomes.push.bind(outcomes);
      outcomes.push = (...more) => {
        for (const one of more) {
          if (one.kind === 'transmit') sent.push(sentMessage({ version, isVenue }, one.text));
        }
        return push(...more);
      };
      if (given === null) continueScenario(driver, inVersion(script, version));
      else playScenario(driver, inVersion(script, version));
    }
  }
  return sent;
}
