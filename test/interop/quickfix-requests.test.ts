// D1: QuickFIX C++ reads every answer to requests for data, in each version and dialect, over real sockets against the
// simulated exchange: with stock dictionaries in `standard`, with this project's in `venue`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { Caller } from '../simulator/exchange-caller.ts';
import { report } from '../support/network/fix-connection.ts';
import { EVERY_OMS, EveryOms, type SpokenByOms } from '../support/oms/every-oms.ts';
import { quickfix } from '../support/oms/quickfix.ts';
import { ACCOUNT } from '../support/processes/exchange-house.ts';
import { describeWith } from '../support/requirement.ts';

/** Of the other party of a negotiated trade. */
const OTHER = '111000000000003';

describeWith(await quickfix(), 'QuickFIX C++ asks for data', () => {
  let every: EveryOms;
  beforeAll(async () => {
    every = await EveryOms.open({ 'marketData.enabled': true });
  });
  afterAll(async () => {
    await every?.close();
  });

  describe.each(EVERY_OMS)('in $beginString $dialect', (spoken) => {
    const { beginString, dialect } = spoken;
    const has44 = beginString !== 'FIX.4.2';
    const say = (line: string): void => every.of(spoken).process.say(line);
    const app = async (msgType: string, tag: number, value: string): Promise<MessageView> =>
      await every.of(spoken).message('app', (view) => view.msgType === msgType && view.string(tag) === value);

    test('D1 c and x describe an option of the simulated exchange', async () => {
      say('raw 35=c|320=c-1|321=3|167=OPT|201=1');
      const d = await app('d', Tag.SecurityReqID, 'c-1');
      expect([167, 200, 201, 202].map((tag) => d.string(tag))).toEqual(['OPT', '202912', '1', '60000']);
      if (!has44) return;
      say('raw 35=x|320=x-1|559=1|167=OPT');
      const y = await app('y', Tag.SecurityReqID, 'x-1');
      expect(y.string(Tag.NoRelatedSym)).toBe('2');
      // The exchange's own FIX has the symbol alone.
      const strikes = y.string(Tag.StrikePrice);
      expect(strikes).toBe(dialect === 'venue' ? null : '60000');
      say('raw 35=x|320=x-2|559=4|263=1');
      await app('y', Tag.SecurityReqID, 'x-2');
    });
  });

  test('D1 a market with other terms is reported to the lists that have it', async () => {
    every.house.simulator.control.setMarket('ETHUSDC', { marginTradingEnabled: false });
    for (const spoken of EVERY_OMS.filter(({ beginString }) => beginString !== 'FIX.4.2')) {
      const oms = every.of(spoken);
      const isList = (view: MessageView): boolean => view.msgType === 'y' && view.string(Tag.SecurityReqID) === 'x-2';
      const [first] = oms.messages('app').filter(isList);
      const isAgain = (view: MessageView): boolean => isList(view) && view.string(34) !== first!.string(34);
      const update = await oms.message('app', (view) => view.msgType === 'BK' || isAgain(view), 30_000);
      const isLate = spoken.beginString === 'FIXT.1.1';
      expect([update.msgType, update.string(Tag.SecurityUpdateAction)]).toEqual(isLate ? ['BK', 'M'] : ['y', null]);
    }
  });

  test('D1 O7 AN and BB report a position and balances of the simulated exchange', async () => {
    const symbol = 'BTC-USDC-PERP';
    every.house.simulator.control.counterparty({
      symbol,
      side: 'SELL',
      price: '60000',
      quantity: '1',
      timeInForce: 'GTC',
    });
    const [, first] = EVERY_OMS;
    every.of(first!).process.say(`order a-1 ${ACCOUNT} ${symbol} 1 0.1 2 60000 3`);
    await every.of(first!).message('app', report('a-1', 'F', '2'));
    for (const spoken of EVERY_OMS) {
      // FIX.4.2 has neither.
      if (spoken.beginString === 'FIX.4.2') continue;
      const oms = every.of(spoken);
      oms.process.say(`raw 35=AN|710=p-1|724=0|1=${ACCOUNT}|581=1|715=20261129|60=20261129-00:00:00`);
      const ap = await oms.message('app', (view) => view.msgType === 'AP' && view.string(Tag.Symbol) === symbol);
      expect(ap.string(Tag.LongQty)).toBe('0.10000000');
      oms.process.say(`raw 35=BB|909=b-1|1=${ACCOUNT}`);
      const ba = await oms.message('app', (view) => view.msgType === 'BA' && view.string(Tag.Symbol) === 'USDC');
      expect(ba.string(Tag.EndCash)).not.toBeNull();
      oms.process.say('raw 35=BB|909=b-2|1=NONE');
      await oms.message('app', (view) => view.msgType === 'BG');
    }
  });

  test('D1 AD reports the fill of an order with its ExecID, and later fills', async () => {
    const [, first] = EVERY_OMS;
    const fill = await every.of(first!).message('app', report('a-1', 'F', '2'));
    for (const spoken of EVERY_OMS) {
      if (spoken.beginString === 'FIX.4.2') continue;
      const oms = every.of(spoken);
      oms.process.say('raw 35=AD|568=t-1|569=1|263=1');
      const isAnswer = (view: MessageView): boolean =>
        view.msgType === 'AE' && view.string(Tag.ExecID) === fill.string(Tag.ExecID);
      const ae = await oms.message('app', isAnswer);
      expect([ae.string(Tag.LastQty), ae.string(Tag.LastRptRequested)]).toEqual(['0.1', 'Y']);
      oms.process.say('raw 35=AD|568=t-2|569=1|828=1');
      const none = await oms.message(
        'app',
        (view) => view.msgType === 'AQ' && view.string(Tag.TradeRequestID) === 't-2',
      );
      expect(none.string(Tag.TotNumTradeReports)).toBe('0');
      oms.process.say('raw 35=AD|568=t-3|569=3');
      await oms.message('app', (view) => view.msgType === 'AQ' && view.string(Tag.TradeRequestStatus) === '2');
    }
    every.of(first!).process.say(`order a-2 ${ACCOUNT} BTC-USDC-PERP 1 0.1 2 60000 3`);
    const later = await every.of(first!).message('app', report('a-2', 'F', '2'));
    for (const spoken of EVERY_OMS) {
      if (spoken.beginString === 'FIX.4.2') continue;
      const isLater = (view: MessageView): boolean =>
        view.msgType === 'AE' && view.string(Tag.ExecID) === later.string(Tag.ExecID);
      const ae = await every.of(spoken).message('app', isLater);
      expect(ae.string(Tag.UnsolicitedIndicator)).toBe('Y');
    }
  });

  test('U4 AE enters a negotiated trade once, AR answers, and AD with 828=1 reports it', async () => {
    const party = await Caller.loggedIn(every.house.simulator, 'other-ecdsa');
    const enter = async (spoken: SpokenByOms, id: string, key: string): Promise<MessageView> => {
      const leg = '55=BTC-USDC-PERP|32=0.5|31=60000|75=20261129|60=20261129-00:00:00.000|570=N';
      // Each version has another order of a side's fields.
      const isLate = spoken.beginString === 'FIXT.1.1';
      const side = isLate ? `552:54=1,1=${ACCOUNT},1057=Y,37=NONE` : `552:54=1,37=NONE,1=${ACCOUNT},1057=Y`;
      every.of(spoken).process.say(`raw 35=AE|571=${id}|487=0|856=0|828=1|820=${key}|${leg}|${side}`);
      const ar = (view: MessageView): boolean => view.msgType === 'AR' && view.string(Tag.TradeReportID) === id;
      return await every.of(spoken).message('app', ar);
    };
    for (const [i, spoken] of EVERY_OMS.entries()) {
      if (spoken.beginString === 'FIX.4.2') continue;
      const key = `agreedKey000${i}`;
      every.of(spoken).process.say('raw 35=AD|568=t-5|569=1|828=1|263=1');
      const ar = await enter(spoken, `900${i}`, key);
      expect([ar.string(Tag.TrdRptStatus), ar.string(Tag.Text)]).toEqual(['0', null]);
      const command = { commandType: 'V1CreateOtcTrade', tradingAccountId: OTHER, isTaker: false, sharedMatchKey: key };
      const trades = [{ symbol: 'BTC-USDC-PERP', price: '60000.0', quantity: '0.5', side: 'SELL' }];
      const path = '/trading-api/v2/otc-trades';
      expect((await party.send({ ...command, trades }, { path, dialect: 'v3' })).status).toBe(200);
      const isIts = (view: MessageView): boolean =>
        view.msgType === 'AE' &&
        view.string(Tag.SecondaryTradeReportID) === ar.string(Tag.SecondaryTradeReportID) &&
        view.string(Tag.UnsolicitedIndicator) === 'Y';
      const matched = await every.of(spoken).message('app', isIts);
      expect([matched.string(Tag.ExecType), matched.string(Tag.TrdType)]).toEqual(['F', '1']);
      every.of(spoken).process.say('raw 35=AD|568=t-6|569=1|828=1');
      await every
        .of(spoken)
        .message('app', (view) => view.msgType === 'AE' && view.string(Tag.TradeRequestID) === 't-6');
    }
    const [, first] = EVERY_OMS;
    const oms = every.of(first!);
    await enter(first!, '9100', 'agreedKey0100');
    const leg = '55=BTC-USDC-PERP|32=0.5|31=60000|75=20261129|60=20261129-00:00:00.000|570=N';
    oms.process.say(`raw 35=AE|571=c-1|487=1|856=6|572=9100|${leg}|552:54=1,37=NONE,1=${ACCOUNT}`);
    const ofCancel = (view: MessageView): boolean => view.msgType === 'AR' && view.string(Tag.TradeReportID) === 'c-1';
    expect((await oms.message('app', ofCancel)).string(Tag.TrdRptStatus)).toBe('0');
    oms.process.say(`raw 35=AE|571=9100|487=0|856=0|828=1|820=agreedKey0101|${leg}|552:54=1,37=NONE,1=${ACCOUNT}`);
    await oms.message('app', (view) => view.msgType === 'AR' && /used before/.test(view.string(Tag.Text) ?? ''));
  });

  test('S9 UDC on an order session brings its fills again with 97=Y, and News ends the answer', async () => {
    const [, first] = EVERY_OMS;
    const oms = every.of(first!);
    // Its stock dictionary has no UDC, which QuickFIX sends all the same.
    oms.process.say('raw 35=UDC|60=20261101-00:00:00');
    const again = await oms.message('app', (view) => report('a-1', 'F', '2')(view) && view.string(97) === 'Y');
    const fill = oms.messages('app').find(report('a-1', 'F', '2'));
    expect(again.string(Tag.ExecID)).toBe(fill?.string(Tag.ExecID));
    await oms.message('app', (view) => view.msgType === 'B' && view.string(Tag.Headline) === 'Reports repeated');
  });

  test('U4 UMQ reports that nothing is protected, and a reset of nothing is refused, once', async () => {
    const venue = EVERY_OMS.find(({ dialect }) => dialect === 'venue')!;
    // Stock dictionaries have no user-defined messages: the one with our dictionary asks.
    const oms = every.of(venue);
    const umr = async (reqID: string, tag: number, value: string): Promise<MessageView> =>
      await oms.message(
        'app',
        (view) => view.msgType === 'UMR' && view.string(Tag.MMPReqID) === reqID && view.string(tag) === value,
      );
    oms.process.say(`raw 35=UMQ|20200=m-1|20201=0|1=${ACCOUNT}`);
    expect((await umr('m-1', Tag.MMPResult, '0')).string(Tag.NoMMPConfigs)).toBe('0');
    oms.process.say(`raw 35=UMQ|20200=m-2|20201=1|1=${ACCOUNT}|311=BTC`);
    expect((await umr('m-2', Tag.MMPResult, '1')).string(Tag.Text)).toContain('There is nothing to reset');
    oms.process.say(`raw 35=UMQ|20200=m-2|20201=1|1=${ACCOUNT}|311=BTC`);
    await oms.message('app', (view) => /was used before/.test(view.string(Tag.Text) ?? ''));
  });

  test('D4 V with 269=3 brings the index price of the base asset, in USD, and its changes', async () => {
    for (const spoken of EVERY_OMS) {
      // The stock dictionary of FIX.5.0SP2 at hand demands LastUpdateTime(779) in W, where FIX does not.
      if (spoken.beginString === 'FIXT.1.1') continue;
      const oms = every.of(spoken);
      oms.process.say('market i-1 1 0 1 ETHUSDC 3');
      const isW = (view: MessageView): boolean => view.msgType === 'W' && view.string(Tag.MDReqID) === 'i-1';
      const w = await oms.message('app', isW);
      const [entry] = w.groupEntries(Tag.NoMDEntries) ?? [];
      expect([269, 270, 15].map((tag) => entry?.string(tag))).toEqual(['3', '3000.0000', 'USD']);
    }
  });

  test('D1 D4 h and f report an auction with its times, imbalance and result, in each version and dialect', async () => {
    const { control } = every.house.simulator;
    control.toPhase('BTCUSDC', 'COOLING');
    for (const spoken of EVERY_OMS) {
      every.of(spoken).process.say('raw 35=g|335=g-1|336=1|263=1');
      every.of(spoken).process.say('raw 35=e|324=e-1|55=BTCUSDC|263=1');
      await every.of(spoken).message('app', (view) => view.msgType === 'f' && view.string(324) === 'e-1');
    }
    const ofAuction = async (spoken: SpokenByOms, msgType: string, tag: number, value: string): Promise<MessageView> =>
      await every.of(spoken).message('app', (view) => {
        const isUnasked = view.msgType === msgType && view.boolean(Tag.UnsolicitedIndicator) === true;
        return isUnasked && view.string(tag) === value;
      });
    control.toPhase('BTCUSDC', 'ACCUMULATION');
    for (const spoken of EVERY_OMS) {
      const h = await every.of(spoken).message('app', (view) => view.msgType === 'h' && view.has(341));
      expect([341, 342, 343, 344, 345].filter((tag) => !h.has(tag))).toEqual([]);
    }
    const auctioned = { symbol: 'BTCUSDC', price: '60000', timeInForce: 'GTX' } as const;
    control.counterparty({ ...auctioned, side: 'BUY', quantity: '0.05' });
    control.counterparty({ ...auctioned, side: 'SELL', quantity: '0.02' });
    control.toPhase('BTCUSDC', 'LOCKDOWN');
    for (const spoken of EVERY_OMS) {
      await ofAuction(spoken, 'h', Tag.TradSesStatus, '5');
      await ofAuction(spoken, 'f', Tag.SecurityTradingStatus, '9');
    }
    control.toPhase('BTCUSDC', 'CROSS');
    for (const spoken of EVERY_OMS) {
      const result = await every.of(spoken).message('app', (view) => view.msgType === 'f' && view.has(Tag.BuyVolume));
      expect(result.decimal(Tag.BuyVolume)?.trimmed().toString()).toBe('0.02');
      expect(result.decimal(Tag.LastPx)?.trimmed().toString()).toBe('60000');
    }
  });

  test('C1 a cut connection cancels the orders of its session, as each engine learns at its next Logon', async () => {
    for (const [i, spoken] of EVERY_OMS.entries()) {
      const oms = every.of(spoken);
      const terms = `1=${ACCOUNT}|55=BTCUSDC|54=1|60=20261130-00:00:00.000|38=0.01|40=2|44=50000|59=1`;
      oms.process.say(`raw 35=D|11=d-${i}|21=1|${terms}`);
      await oms.message('app', report(`d-${i}`, '0', '0'));
      const from = oms.process.lines.length;
      oms.process.say('drop');
      await oms.process.line(/^logon/, 60_000, from);
      // An OMS in `venue` resets at every Logon and asks; unproven reports come again in `standard` alone (rule S2).
      oms.process.say(`raw 35=H|11=d-${i}|55=BTCUSDC|54=1|1=${ACCOUNT}`);
      const isEnd = (view: MessageView): boolean =>
        view.msgType === '8' && view.string(Tag.ClOrdID) === `d-${i}` && view.string(Tag.OrdStatus) === '4';
      await oms.message('app', isEnd);
    }
  });

  test('D1 neither side has rejected a message', () => {
    expect(every.rejects()).toEqual([]);
  });
});
