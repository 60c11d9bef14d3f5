// kill -9 of the gateway between two fills, seen by three different OMSs: every report comes, in sequence, none lost and none
// twice. Real processes, real sockets, a real journal on disk; the exchange outlives the gateway.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Oms, SequenceStore } from '../../src/interop/mod.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { expectFills, expectNoGap } from '../support/oms/fills.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  limitOrder,
  PASSWORD,
} from '../support/processes/exchange-house.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { seedOfTest } from '../support/random/seeded-property.ts';
import { describeWith } from '../support/requirement.ts';

const SLOW = 180_000;
let house: ExchangeHouse;

beforeEach(async () => {
  // The order has to outlive the gateway's death here; rule C1 would have it cancelled.
  house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
});
afterEach(async () => await house.close());

const sell = (quantity: string): string => house.simulator.control.trade('BTCUSDC', 'SELL', '60000', quantity);
const isFill = (cumQty: string) => (view: MessageView) =>
  view.msgType === '8' &&
  view.string(Tag.ExecType) === 'F' &&
  view.decimal(Tag.CumQty)?.trimmed().toString() === cumQty;

test(
  'an OMS logs on with 141=N, asks for the gap, and gets the missing reports with PossDupFlag=Y',
  async () => {
    let gateway = await house.start();
    const before = await openFix(gateway.fixPort, ACME);
    await logOn(before, { password: PASSWORD });
    before.send(limitOrder('r-1', '0.03', '60000'));
    await before.expect('New', report('r-1', '0', '0'));
    sell('0.01');
    await before.expect('the first fill', isFill('0.01'));
    await gateway.kill();
    sell('0.01');
    gateway = await house.start();
    sell('0.01');

    const { nextSenderMsgSeqNum } = before;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection: after, answer } = await reconnect(gateway.fixPort, ACME, again);
    const expected = before.received.length + 1;
    expect(answer.int(Tag.MsgSeqNum)).toBeGreaterThan(expected);
    after.send(`35=2|7=${expected}|16=0`);
    const last = await after.expect('the last fill', report('r-1', 'F', '2'));
    expect(last.boolean(Tag.PossDupFlag)).toBe(true);
    expect(last.has(Tag.OrigSendingTime)).toBe(true);
    after.send('35=1|112=done');
    await after.expect('the Heartbeat', (view) => view.string(Tag.TestReqID) === 'done');
    const all = [...before.received, ...after.received];
    expectFills(all, 'r-1', 3, '0.03');
    expectNoGap(all);
    after.destroy();
  },
  SLOW,
);

test(
  "an operator's numbers for a connected session hold though the gateway dies first",
  async () => {
    let gateway = await house.start();
    const fix = await openFix(gateway.fixPort, ACME);
    await logOn(fix, { password: PASSWORD });
    const cwd = join(import.meta.dirname, '../..');
    const args = ['sessions', 'reset', 'ACME_OMS', '--sender', '500', '--target', '900', '--why', 'agreed by phone'];
    const child = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--state', house.home.state], { cwd });
    expect([await child.ended(), child.lines.join()]).toEqual([0, expect.stringContaining('is being logged out')]);
    // The Logout is not answered.
    await gateway.kill();
    for (let start = 0; start < 2; start++) {
      gateway = await house.start();
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: 900 + start };
      const { connection, answer } = await reconnect(gateway.fixPort, ACME, again);
      expect(answer.int(Tag.MsgSeqNum)).toBe(500 + start);
      connection.destroy();
      await gateway.kill();
    }
  },
  SLOW,
);

test(
  'an OMS on jspurefix recovers the same way',
  async () => {
    let gateway = await house.start();
    const store = new SequenceStore();
    const options = { host: '127.0.0.1', password: PASSWORD, store, ...ACME };
    const before = await Oms.logon({ ...options, port: gateway.fixPort, resetSeqNumFlag: true });
    const order = { clOrdID: 'j-1', account: ACCOUNT, symbol: 'BTCUSDC', side: '1', ordType: '2', timeInForce: '1' };
    before.newOrderSingle({ ...order, orderQty: '0.02', price: '60000' });
    await before.waitFor('New', report('j-1', '0', '0'), 10_000);
    sell('0.01');
    await before.waitFor('the first fill', isFill('0.01'), 10_000);
    await gateway.kill();
    await before.ended();
    sell('0.01');
    gateway = await house.start();
    const after = await Oms.logon({ ...options, port: gateway.fixPort, resetSeqNumFlag: false });
    await after.waitFor('the second fill', isFill('0.02'), 10_000);
    expect(await after.logout()).toBe(true);
    const received = [...before.messages, ...after.messages].filter(({ direction }) => direction === 'in');
    expectFills(
      received.map(({ view }) => view),
      'j-1',
      2,
      '0.02',
    );
  },
  SLOW,
);

describeWith(await quickfix(), 'with QuickFIX C++', () => {
  test(
    'an OMS on QuickFIX C++ reconnects by itself and its application sees each fill once',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
      const program = await compileQuickfixOms(folder);
      let gateway = await house.start();
      const options = { program, port: gateway.fixPort, password: PASSWORD, storeFolder: folder, ...ACME };
      const oms = new QuickfixOms({ ...options, resetOnLogon: false });
      await oms.process.line(/^logon/);
      oms.process.say(`order q-1 ${ACCOUNT} BTCUSDC 1 0.03 2 60000 1`);
      await oms.message('app', report('q-1', '0', '0'));
      sell('0.01');
      await oms.message('app', isFill('0.01'));
      await gateway.kill();
      sell('0.01');
      gateway = await house.start();
      await oms.message('app', isFill('0.02'), 30_000);

      // The OMS dies too, and a fill comes while it is away.
      await oms.process.kill();
      sell('0.01');
      const again = new QuickfixOms({ ...options, resetOnLogon: false });
      await again.message('app', report('q-1', 'F', '2'), 30_000);
      expect(await again.logout()).toBe(0);
      expectFills([...oms.messages('app'), ...again.messages('app')], 'q-1', 3, '0.03');
      expect(oms.process.lines.filter((line) => /^out .*\|35=3\|/.test(line))).toEqual([]);
      await rm(folder, { recursive: true, force: true });
    },
    SLOW,
  );
});

test(
  'kills at five arbitrary moments while fills stream in lose and double nothing',
  async () => {
    const seed = seedOfTest();
    let state = seed;
    const random = (max: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % max;
    };
    const received: MessageView[] = [];
    let gateway = await house.start();
    let fix = await openFix(gateway.fixPort, ACME);
    await logOn(fix, { password: PASSWORD });
    fix.send(limitOrder('k-1', '0.5', '60000'));
    await fix.expect('New', report('k-1', '0', '0'));
    let sold = 0;
    for (let round = 0; round < 5; round++) {
      const stop = new Promise<void>((resolve) => setTimeout(resolve, random(120)));
      for (let i = 0; i < 5; i++, sold++) {
        sell('0.01');
        await new Promise((resolve) => setImmediate(resolve));
      }
      await stop;
      await gateway.kill();
      await fix.expectClosed();
      received.push(...fix.received);
      sell('0.01');
      sold += 1;
      gateway = await house.start();
      const expected = Math.max(...received.map((view) => view.int(Tag.MsgSeqNum)!)) + 1;
      const { nextSenderMsgSeqNum } = fix;
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
      fix = (await reconnect(gateway.fixPort, ACME, again)).connection;
      fix.send(`35=2|7=${expected}|16=0`);
      await fix.expect(`${sold} fills`, isFill(`0.${String(sold).padStart(2, '0')}`.replace(/0$/, '')));
    }
    received.push(...fix.received);
    expectFills(received, 'k-1', sold, '0.3');
    expectNoGap(received);
    fix.destroy();
  },
  SLOW,
);

test(
  'C1 an order that was open when the gateway died is cancelled at its restart, by default',
  async () => {
    await house.home.configure('ACME_OMS.yaml', { cancelOnDisconnect: { on: 'both' } });
    let gateway = await house.start();
    const before = await openFix(gateway.fixPort, ACME);
    await logOn(before, { password: PASSWORD });
    before.send(limitOrder('c-1', '0.03', '60000'));
    await before.expect('New', report('c-1', '0', '0'));
    await gateway.kill();
    gateway = await house.start();
    const { nextSenderMsgSeqNum } = before;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection: after } = await reconnect(gateway.fixPort, ACME, again);
    after.send(`35=2|7=${before.received.length + 1}|16=0`);
    await after.expect('Canceled', (view) => view.msgType === '8' && view.string(Tag.OrdStatus) === '4');
    expect(house.simulator.control.openOrders(ACCOUNT)).toEqual([]);
    after.destroy();
  },
  SLOW,
);
