// D1: a firm coded against the exchange's own FIX connects unchanged. QuickFIX C++ with the exchange's published
// dictionary, strict and as recommended, against a `venue` session of a real gateway. It runs the demonstration's
// orders, an auction, each unrequested end of an order, and each message of the dictionary. Neither side may have
// anything to reject.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { report } from '../support/network/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACCOUNT, ACME, type ExchangeHouse, exchangeHouse, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';
import { describeWith } from '../support/requirement.ts';
import { exchangeDictionary, exchangeDictionaryText } from './exchange-dictionary.ts';

const OFFICE = { senderCompID: 'MIDDLE_OFFICE', targetCompID: 'EXCHANGE_TEST' };
const OTHER_ACCOUNT = '111000000000002';
/** Status reason codes of an order that the exchange cancels. */
const UNSOLICITED = [3020, 3021, 6007, 6019, 6022, 6023, 6024];
const ENDED = ['2', '4', '8', 'C'];

const toolMissing = await quickfix();
const needed = toolMissing.missing === null ? exchangeDictionary() : toolMissing;

describeWith(needed, 'QuickFIX C++ with the data dictionary of the exchange', () => {
  describe.each([
    ['strict', false],
    ['as the exchange recommends', true],
  ] as const)('%s', (_, isLenient) => {
    let house: ExchangeHouse;
    let gateway: GatewayProcess;
    let folder = '';
    let oms: QuickfixOms;
    let office: QuickfixOms;
    let again: () => QuickfixOms;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
      const dictionary = join(folder, 'exchange.xml');
      await writeFile(dictionary, exchangeDictionaryText());
      const program = await compileQuickfixOms(folder);
      // At a low limit of numbers News(B) comes soon.
      house = await exchangeHouse({
        'ACME_OMS.yaml': { dialect: 'venue', seqNumMax: 1_045 },
        'MIDDLE_OFFICE.yaml': { dialect: 'venue' },
      });
      gateway = await house.start();
      const common = { program, port: gateway.fixPort, password: PASSWORD, storeFolder: 'memory', resetOnLogon: true };
      again = () => new QuickfixOms({ ...common, ...ACME, dictionary, isLenient });
      oms = again();
      office = new QuickfixOms({ ...common, ...OFFICE, dictionary, isLenient });
      await oms.process.line(/^logon/);
      await office.process.line(/^logon/);
    });
    afterAll(async () => {
      await oms?.process.kill();
      await office?.process.kill();
      await house?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const say = (line: string): void => oms.process.say(line);
    const app = async (matches: (view: MessageView) => boolean): Promise<MessageView> =>
      await oms.message('app', matches);
    const counter = (side: 'BUY' | 'SELL', quantity: string, timeInForce: 'GTC' | 'GTX', price = '60000') =>
      house.simulator.control.counterparty({ symbol: 'BTCUSDC', side, price, quantity, timeInForce });
    const resting = async (clOrdID: string): Promise<string> => {
      say(`order ${clOrdID} ${ACCOUNT} BTCUSDC 1 0.01 2 50000 1`);
      return (await app(report(clOrdID, '0', '0'))).string(Tag.OrderID)!;
    };
    const endOf = async (orderID: string): Promise<MessageView> =>
      await app(
        (view) =>
          view.string(Tag.OrderID) === orderID &&
          ENDED.includes(view.string(Tag.OrdStatus) ?? '') &&
          view.msgType === '8',
      );

    test('D1 S8 the Logon is answered with 1409=0 and without Text', async () => {
      const logon = await oms.message('in', (view) => view.msgType === 'A');
      expect([logon.string(Tag.SessionStatus), logon.string(Tag.Text)]).toEqual(['0', null]);
      // The log says it instead.
      await gateway.process.line((line) => /ACME_OMS.*Simulated exchange/.test(line));
    });

    test('D1 the orders of the demonstration: a cancel, a market IOC, a limit FOK', async () => {
      const orderID = await resting('1001');
      say(`raw 35=F|50=t|11=1002|41=1001|1=${ACCOUNT}|55=BTCUSDC|60=20261129-00:00:00.000`);
      await app(report('1002', '6', '6'));
      expect((await endOf(orderID)).string(Tag.ExecType)).toBe('4');
      say(`raw 35=F|50=t|11=1003|41=1001|1=${ACCOUNT}|55=BTCUSDC|60=20261129-00:00:00.000`);
      const late = await app((view) => view.msgType === '9');
      expect([102, 434, 39].map((tag) => late.string(tag))).toEqual(['0', '1', '4']);
      counter('SELL', '0.05', 'GTC');
      say(`order 1004 ${ACCOUNT} BTCUSDC 1 0.01 1 - 3`);
      expect((await app(report('1004', 'F', '2'))).string(Tag.NoMiscFees)).toBe('1');
      say(`order 1005 ${ACCOUNT} BTCUSDC 1 0.01 1 - -`);
      expect((await app(report('1005', 'F', '2'))).string(Tag.TimeInForce)).toBe('1');
      say(`order 1006 ${ACCOUNT} BTCUSDC 1 0.01 2 60000 4`);
      await app(report('1006', 'F', '2'));
      say(`order 1007 ${ACCOUNT} BTCUSDC 1 5 2 60000 4`);
      await app(report('1007', 'C', 'C'));
    });

    test('D1 orders refused for their content and by the exchange', async () => {
      for (const [clOrdID, order] of [
        ['1011', `${ACCOUNT} NOSUCH 1 5 2 60000 1`],
        ['1012', `${ACCOUNT} BTCUSDC 1 0.01 3 - 1`],
        ['1013', `${ACCOUNT} BTCUSDC 1 0.01 2 50000 6`],
        ['1014', `${ACCOUNT} BTCUSDC 1 0.01 2 50000.01 1`],
        ['1015', `${OTHER_ACCOUNT} BTCUSDC 1 0.01 2 50000 1`],
        ['1016', `${ACCOUNT} BTCUSDC 1 999999 2 50000 1`],
      ] as const) {
        say(`order ${clOrdID} ${order}`);
        const refused = await app(report(clOrdID, '8', '8'));
        expect(refused.string(Tag.OrdRejReason), clOrdID).not.toBeNull();
        expect(refused.string(Tag.Text), clOrdID).not.toBeNull();
      }
      // Named by the exchange's specification, and not in its dictionary.
      house.simulator.control.armRejection({ reason: 3042 });
      say(`order 1017 ${ACCOUNT} BTCUSDC 1 0.01 2 50000 1`);
      const loan = await app(report('1017', '8', '8'));
      expect(loan.string(Tag.OrdRejReason)).toBe('99');
      expect(loan.string(Tag.Text)).toContain('Insufficient loaned balance');
    });

    test('D1 G amends, and is refused early with 39=8; a stop triggers; post-only ends', async () => {
      const orderID = await resting('1021');
      say(`raw 35=G|50=t|11=1022|41=1021|1=${ACCOUNT}|55=BTCUSDC|44=50100|60=20261129-00:00:00.000`);
      expect((await app(report('1022', '5', '0'))).string(Tag.OrderID)).toBe(orderID);
      say(`raw 35=G|50=t|11=1023|41=1022|1=${ACCOUNT}|55=BTCUSDC|44=50100.01|60=20261129-00:00:00.000`);
      const refused = await app((view) => view.msgType === '9' && view.string(Tag.ClOrdID) === '1023');
      expect([434, 39].map((tag) => refused.string(tag))).toEqual(['2', '8']);
      expect(refused.string(Tag.RejectText)).toContain('Price(44)');
      say(
        `raw 35=D|50=t|11=1024|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=4|44=50200|99=60500|59=1|60=20261129-00:00:00.000`,
      );
      const stop = (await app(report('1024', '0', '0'))).string(Tag.OrderID)!;
      // The rest at 60000, and above the stop price.
      counter('SELL', '0.05', 'GTC', '60600');
      say(`order 1026 ${ACCOUNT} BTCUSDC 1 0.06 2 60600 3`);
      await app(report('1024', '7', '0'));
      house.simulator.control.cancelOrder(stop, 6019);
      await endOf(stop);
      say(`raw 35=D|50=t|11=1025|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=p|44=60600|59=1|60=20261129-00:00:00.000`);
      await app((view) => view.string(Tag.ClOrdID) === '1025' && ENDED.includes(view.string(Tag.OrdStatus) ?? ''));
    });

    test('D1 D5 each way in which the exchange ends an order by itself is understood as its end', async () => {
      for (const [i, reason] of UNSOLICITED.entries()) {
        const orderID = await resting(`${1031 + i}`);
        house.simulator.control.cancelOrder(orderID, reason);
        const end = await endOf(orderID);
        expect(end.string(Tag.OrdStatus), `${reason}`).toBe(reason < 4_000 ? 'C' : '4');
        expect(end.string(Tag.ExecRestatementReason)).toBeNull();
      }
    });

    test('T5 T4 a GTX order is not cancelled in lockdown, is filled at the cross, and its rest expires', async () => {
      house.simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
      counter('SELL', '0.03', 'GTX');
      say(`order 1041 ${ACCOUNT} BTCUSDC 1 0.05 2 60000 5`);
      await app(report('1041', '0', '0'));
      house.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
      say(`raw 35=F|50=t|11=1042|41=1041|1=${ACCOUNT}|55=BTCUSDC|60=20261129-00:00:00.000`);
      const refused = await app((view) => view.msgType === '9' && view.string(Tag.ClOrdID) === '1042');
      expect(refused.string(Tag.CxlRejReason)).toBe('99');
      house.simulator.control.toPhase('BTCUSDC', 'CROSS');
      await app(report('1041', 'F', '1'));
      await app(report('1041', 'C', 'C'));
    });

    test('D12 q cancels everything, and each order says so with the 1369 of the r', async () => {
      const orderIDs = [await resting('1051'), await resting('1052')];
      say(`raw 35=q|50=t|11=1053|530=7|1=${ACCOUNT}|60=20261129-00:00:00.000`);
      const r = await app((view) => view.msgType === 'r');
      expect([531, 37].map((tag) => r.string(tag))).toEqual(['7', null]);
      for (const orderID of orderIDs) {
        expect((await endOf(orderID)).string(Tag.MassActionReportID)).toBe(r.string(Tag.MassActionReportID));
      }
      say('raw 35=q|50=t|11=1054|530=7|1=NONE|60=20261129-00:00:00.000');
      await app((view) => view.msgType === 'r' && view.string(Tag.MassCancelResponse) === '0');
    });

    test('D14 a PossResend of a known order repeats its last report; x is answered, also for an unknown symbol', async () => {
      const orderID = await resting('1061');
      say(`raw 35=D|50=t|97=Y|11=1061|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=${now()}`);
      await oms.message('in', (view) => view.string(97) === 'Y' && view.string(Tag.ClOrdID) === '1061');
      house.simulator.control.cancelOrder(orderID);
      await endOf(orderID);
      const y = (id: string) => (view: MessageView) => view.msgType === 'y' && view.string(Tag.SecurityReqID) === id;
      say('raw 35=x|50=t|320=x-1|559=4');
      expect((await app(y('x-1'))).string(Tag.SecurityRequestResult)).toBe('0');
      say('raw 35=x|50=t|320=x-2|559=0|55=NOSUCH');
      expect((await app(y('x-2'))).string(Tag.SecurityRequestResult)).toBe('2');
      say('raw 35=x|50=t|320=x-3|559=0|55=ETHUSDC');
      expect((await app(y('x-3'))).string(Tag.NoRelatedSym)).toBe('1');
    });

    test('D1 reports a halting market in h at once, and the limit of numbers in News', async () => {
      house.simulator.control.setMarket('ETHUSDC', { createOrderEnabled: false });
      const h = (status: string) => (view: MessageView) =>
        view.msgType === 'h' && view.string(Tag.TradSesStatus) === status && view.string(Tag.Symbol) === 'ETHUSDC';
      await oms.message('app', h('1'), 5_000);
      house.simulator.control.setMarket('ETHUSDC', { createOrderEnabled: true });
      await oms.message('app', h('2'), 5_000);
      await app((view) => view.msgType === 'B');
    });

    test('D1 S9 every order ends for the OMS, copies agree, and neither side rejects a message', async () => {
      expect(await oms.logout()).toBe(0);
      const ends = (of: QuickfixOms): Map<string, string> => {
        const reports = of.messages('app').filter(({ msgType }) => msgType === '8');
        return new Map(reports.map((view) => [view.string(Tag.OrderID)!, view.string(Tag.OrdStatus)!]));
      };
      const told = ends(oms);
      told.delete('NONE');
      expect(told.size).toBeGreaterThan(15);
      expect([...told].filter(([, status]) => !ENDED.includes(status))).toEqual([]);
      const copied = ends(office);
      expect([...told].filter(([orderID, status]) => copied.get(orderID) !== status)).toEqual([]);
      expect(office.messages('app').every((view) => view.string(Tag.CopyMsgIndicator) === 'Y')).toBe(true);
      expect(await office.logout()).toBe(0);
      for (const side of [oms, office]) {
        const rejects = [...side.messages('out'), ...side.messages('in')].filter(
          ({ msgType }) => msgType === '3' || msgType === 'j',
        );
        expect(rejects).toEqual([]);
        expect(side.process.lines.filter((line) => /^event .*(reject|invalid)/i.test(line))).toEqual([]);
      }
    });

    test('S2 the Logout proved the reports: a Logon with 141=Y brings only unsent ones', async () => {
      const [test1, logout] = oms.messages('in').slice(-2);
      expect([test1?.msgType, logout?.msgType]).toEqual(['1', '5']);
      const next = again();
      await next.process.line(/^logon/);
      next.process.say(`order 1071 ${ACCOUNT} BTCUSDC 1 0.01 2 50000 1`);
      await next.message('app', report('1071', '0', '0'));
      expect(next.messages('in').map(({ msgType }) => msgType)).toEqual(['A', '8']);
      // It is cancelled as its session ends, and reported with the next Logon, as a first message.
      await next.process.kill();
      const last = again();
      await last.process.line(/^logon/);
      const cancelled = await last.message('app', (view) => view.string(Tag.OrdStatus) === '4');
      expect([11, 97, 378].map((tag) => cancelled.string(tag))).toEqual(['1071', null, null]);
      expect(await last.logout()).toBe(0);
      expect(last.messages('out').filter(({ msgType }) => msgType === '3')).toEqual([]);
    });
  });
});

function now(): string {
  return new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
}
