// D1: in the `standard` dialect a stock engine with a stock FIX44 dictionary takes everything that the gateway says. QuickFIX
// C++ validates each message and answers what it does not know with Reject(3): none may come.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { report } from '../support/network/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACCOUNT, ACME, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import { describeWith } from '../support/requirement.ts';

describeWith(await quickfix(), 'QuickFIX C++ with a stock FIX44 dictionary', () => {
  let house: ExchangeHouse;
  let folder = '';
  let oms: QuickfixOms;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    const program = await compileQuickfixOms(folder);
    house = await exchangeHouse({ 'ACME_OMS.yaml': { 'marketData.enabled': true } });
    const { fixPort } = await house.start();
    const store = { storeFolder: folder, resetOnLogon: true };
    oms = new QuickfixOms({ program, port: fixPort, password: PASSWORD, ...store, ...ACME });
    await oms.process.line(/^logon/);
  });
  afterAll(async () => {
    await oms?.process.kill();
    await house?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const say = (line: string): void => oms.process.say(line);
  const app = async (matches: (view: MessageView) => boolean): Promise<MessageView> =>
    await oms.message('app', matches);
  const counter = (side: 'BUY' | 'SELL', quantity: string, timeInForce: 'GTC' | 'GTX') =>
    house.simulator.control.counterparty({ symbol: 'BTCUSDC', side, price: '60000', quantity, timeInForce });

  test('D1 an order that rests is acknowledged, its cancel reported, a second cancel refused', async () => {
    say(`order d-1 ${ACCOUNT} BTCUSDC 1 0.01 2 50000 1`);
    await app(report('d-1', '0', '0'));
    say(`cancel d-1c d-1 ${ACCOUNT} BTCUSDC 1 0.01`);
    await app((view) => view.string(Tag.OrdStatus) === '4' && view.string(Tag.OrigClOrdID) === 'd-1');
    say(`cancel d-1d d-1 ${ACCOUNT} BTCUSDC 1 0.01`);
    await app((view) => view.msgType === '9' && view.string(Tag.ClOrdID) === 'd-1d');
  });

  test('D1 market IOC and limit FOK fill; a FOK that cannot is expired, an order that cannot be is rejected', async () => {
    counter('SELL', '0.05', 'GTC');
    say(`order d-2 ${ACCOUNT} BTCUSDC 1 0.01 1 - 3`);
    await app(report('d-2', 'F', '2'));
    say(`order d-3 ${ACCOUNT} BTCUSDC 1 0.01 2 60000 4`);
    await app(report('d-3', 'F', '2'));
    say(`order d-4 ${ACCOUNT} BTCUSDC 1 5 2 60000 4`);
    await app(report('d-4', 'C', 'C'));
    say(`order d-5 ${ACCOUNT} NOSUCH 1 5 2 60000 1`);
    await app(report('d-5', '8', '8'));
  });

  test('T5 D4 a GTX order is filled at the cross and its rest expires; h and f report each step', async () => {
    say('raw 35=g|335=g-2|336=1|263=1');
    say('raw 35=e|324=s-2|55=BTCUSDC|263=1');
    const ofAuction = (msgType: string, tag: number, value: string) => (view: MessageView) =>
      view.msgType === msgType && view.string(Tag.TradingSessionSubID) === '6' && view.string(tag) === value;
    await app((view) => view.msgType === 'f' && view.string(Tag.SecurityStatusReqID) === 's-2');
    house.simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
    const open = await app(ofAuction('h', Tag.TradSesStatus, '2'));
    const times = [Tag.TradSesStartTime, Tag.TradSesOpenTime, Tag.TradSesPreCloseTime, Tag.TradSesCloseTime];
    expect(times.map((tag) => open.has(tag))).toEqual([true, true, true, true]);
    counter('SELL', '0.03', 'GTX');
    // The gateway refuses nothing that the exchange would take: its view of the phase may be a moment behind.
    say(`order d-6 ${ACCOUNT} BTCUSDC 1 0.05 2 60000 5`);
    await app(report('d-6', '0', '0'));
    house.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
    await app(ofAuction('h', Tag.TradSesStatus, '5'));
    await app(ofAuction('f', Tag.SecurityTradingStatus, '5'));
    await app(ofAuction('f', Tag.SecurityTradingStatus, '9'));
    house.simulator.control.toPhase('BTCUSDC', 'CROSS');
    const result = await app((view) => view.msgType === 'f' && view.has(Tag.LastPx));
    expect([Tag.LastPx, Tag.BuyVolume].map((tag) => result.decimal(tag)?.trimmed().toString())).toEqual([
      '60000',
      '0.03',
    ]);
    await app(report('d-6', 'F', '1'));
    const rest = await app(report('d-6', 'C', 'C'));
    expect(rest.decimal(Tag.CumQty)!.trimmed().toString()).toBe('0.03');
    expect(rest.decimal(Tag.LeavesQty)!.isZero()).toBe(true);
  });

  test('D4 market data: a book and its increments, an empty one, statistics, a reject', async () => {
    const w = (mdReqID: string) => (view: MessageView) => view.msgType === 'W' && view.string(Tag.MDReqID) === mdReqID;
    const ask = (mdReqID: string, types: string, symbol = 'BTCUSDC', kind = '1 0 1') =>
      say(`market ${mdReqID} ${kind} ${symbol} ${types}`);
    ask('m-1', '01');
    await app(w('m-1'));
    counter('SELL', '0.07', 'GTC');
    await app((view) => view.msgType === 'X' && view.string(Tag.MDEntryPx) === '60000.0000');
    ask('m-2', '01', 'ETHUSDC', '0 1 -');
    expect((await app(w('m-2'))).string(Tag.NoMDEntries)).toBe('0');
    ask('m-3', '247', 'BTCUSDC', '0 1 -');
    expect((await app(w('m-3'))).string(Tag.NoMDEntries)).toBe('3');
    ask('m-1', '0');
    await app((view) => view.msgType === 'Y' && view.string(Tag.MDReqRejReason) === '1');
  });

  test('D15 answers status, refuses unsupported messages, and QuickFIX rejects nothing in it all', async () => {
    say(`raw 35=H|11=d-6|1=${ACCOUNT}|55=BTCUSDC|54=1`);
    await app((view) => view.msgType === '8' && view.string(Tag.ExecType) === 'I');
    say('raw 35=x|320=x-1|559=4');
    await app((view) => view.msgType === 'y' && view.string(Tag.SecurityRequestResult) === '0');
    say('raw 35=c|320=c-1|321=0|55=BTCUSDC');
    await app((view) => view.msgType === 'd' && view.string(Tag.Symbol) === 'BTCUSDC');
    say('raw 35=e|324=s-1|55=BTCUSDC|263=0');
    await app((view) => view.msgType === 'f');
    say('raw 35=g|335=g-1|336=1|263=0');
    await app((view) => view.msgType === 'h' && view.string(Tag.TradSesStatus) === '2');
    say('raw 35=R|131=q-1|146=1|55=BTCUSDC');
    await app((view) => view.msgType === 'j');
    expect(await oms.logout()).toBe(0);
    const sent = oms.messages('out').map((view) => view.msgType);
    expect(sent.filter((msgType) => msgType === '3' || msgType === 'j')).toEqual([]);
    expect(oms.process.lines.filter((line) => /^event .*(reject|invalid)/i.test(line))).toEqual([]);
  });
});
