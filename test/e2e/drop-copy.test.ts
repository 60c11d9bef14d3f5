// Drop copy sessions in three versions through the running gateway: orders entered over FIX and beside it, over a kill
// and a reset. Once with scripted receivers, once with QuickFIX C++, which asks for what it missed by itself.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { Caller } from '../simulator/exchange-caller.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { describeWith } from '../support/requirement.ts';

const SLOW = 240_000;
const VERSIONS = ['FIX.4.4', 'FIX.4.2', 'FIXT.1.1'] as const;
type Version = (typeof VERSIONS)[number];
const nameOf = (version: Version): string => `MIDDLE_OFFICE_${version.replace(/\W/g, '')}`;
let house: ExchangeHouse;

beforeEach(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
  for (const version of VERSIONS) {
    const lines = [
      'kind: dropCopy',
      `targetCompID: ${nameOf(version)}`,
      `beginString: ${version}`,
      'password: file:secrets/MIDDLE_OFFICE.password',
      'accounts: [{ account: "111000000000001", credential: primary }]',
      // One of them has negotiated trades as AE.
      ...(version === 'FIXT.1.1' ? ['dropCopy: { negotiatedAs: TradeCaptureReport }'] : []),
    ];
    await writeFile(join(house.home.sessions, `${nameOf(version)}.yaml`), `${lines.join('\n')}\n`);
  }
});
afterEach(async () => await house.close());

const sell = (quantity: string): string => house.simulator.control.trade('BTCUSDC', 'SELL', '60000', quantity);
const text = (view: MessageView, tag: number): string | null => view.string(tag);
/** A fill in any version: 4.2 says 150=1 or 2 (rule D2). */
const isFill =
  (clOrdID: string, cumQty?: string) =>
  (view: MessageView): boolean =>
    view.msgType === '8' &&
    text(view, Tag.ClOrdID) === clOrdID &&
    ['F', '1', '2'].includes(text(view, Tag.ExecType) ?? '') &&
    (cumQty === undefined || view.decimal(Tag.CumQty)?.trimmed().toString() === cumQty);
const execIDs = (views: readonly MessageView[]): (string | null)[] => views.map((view) => text(view, Tag.ExecID));
/** 797=Y came with 4.3. */
const expectCopy = (version: Version, view: MessageView): void =>
  expect(view.boolean(Tag.CopyMsgIndicator)).toBe(version === 'FIX.4.2' ? null : true);

/** A receiver that says what a script has it say. */
class Receiver {
  readonly version: Version;
  readonly #identity: { senderCompID: string; targetCompID: string; beginString: string };
  readonly #logon: { password: string; extra: string };
  readonly seen: MessageView[] = [];
  connection!: FixConnection;

  constructor(version: Version) {
    this.version = version;
    this.#identity = { senderCompID: nameOf(version), targetCompID: 'EXCHANGE_TEST', beginString: version };
    this.#logon = { password: PASSWORD, extra: version === 'FIXT.1.1' ? '1137=9|' : '' };
  }

  async logOn(port: number): Promise<void> {
    this.connection = await openFix(port, this.#identity);
    await logOn(this.connection, this.#logon);
  }

  /** Log on again; without a reset with the next number. */
  async back(port: number, reset: boolean): Promise<void> {
    const { nextSenderMsgSeqNum } = this.connection;
    const numbers = reset ? {} : { reset: false, nextSenderMsgSeqNum };
    ({ connection: this.connection } = await reconnect(port, this.#identity, { ...this.#logon, ...numbers }));
  }

  /** Gone at once; the number of messages that it had on this connection. */
  lose(): number {
    this.seen.push(...this.connection.received);
    this.connection.destroy();
    return this.connection.received.length;
  }
}

test(
  'S9 in three versions none is missed over a kill: by ResendRequest after 141=N, else by request',
  async () => {
    let gateway = await house.start();
    const oms = await openFix(gateway.fixPort, ACME);
    await logOn(oms, { password: PASSWORD });
    const receivers = VERSIONS.map((version) => new Receiver(version));
    for (const one of receivers) await one.logOn(gateway.fixPort);
    oms.send(limitOrder('s-1', '0.04', '60000'));
    await oms.expect('New', report('s-1', '0', '0'));
    sell('0.01');
    const known: { firstExecID: string | null; count: number }[] = [];
    for (const one of receivers) {
      const first = await one.connection.expect('the copy of the first fill', isFill('s-1', '0.01'));
      expectCopy(one.version, first);
      known.push({ firstExecID: text(first, Tag.ExecID), count: one.lose() });
    }
    sell('0.01');
    await oms.expect('the second fill', isFill('s-1', '0.02'));
    await gateway.kill();
    sell('0.01');
    gateway = await house.start();
    const thirds: (string | null)[] = [];
    for (const [i, one] of receivers.entries()) {
      await one.back(gateway.fixPort, false);
      one.connection.send(`35=2|7=${known[i]!.count + 1}|16=0`);
      thirds.push(text(await one.connection.expect('the copy of the third fill', isFill('s-1', '0.03')), Tag.ExecID));
      one.lose();
    }
    sell('0.01');
    for (const [i, one] of receivers.entries()) {
      await one.back(gateway.fixPort, true);
      const { connection } = one;
      connection.send('35=D|11=no|1=1|55=BTCUSDC|54=1|21=1|60=20260105-12:00:00.000|38=1|40=2|44=1');
      await connection.expect('the refusal', (view) => view.msgType === 'j' && text(view, Tag.RefMsgType) === 'D');
      const isRepeat = (view: MessageView): boolean => view.boolean(Tag.PossResend) === true;
      expect(connection.received.filter((view) => view.msgType === '8' && isRepeat(view))).toEqual([]);
      connection.send(`35=UDC|17=${known[i]!.firstExecID}`);
      await connection.expect('the end of it', (view) => view.msgType === 'B');
      const repeated = connection.received.filter(isRepeat);
      expect(execIDs(repeated)).toContain(thirds[i]);
      expect(repeated.every((view) => !view.has(Tag.PossDupFlag))).toBe(true);
      await connection.expect('the copy of the last fill', isFill('s-1', '0.04'));
      one.lose();
      expect(new Set(execIDs(one.seen.filter(isFill('s-1')))).size, one.version).toBe(4);
    }
    oms.destroy();
  },
  SLOW,
);

/** Two parties agree on a trade beside the book: one of them is the account of ACME_OMS. */
async function negotiate(sharedMatchKey: string, price: string): Promise<void> {
  for (const [keyName, tradingAccountId, side] of [
    ['demo-ecdsa', '111000000000001', 'BUY'],
    ['other-ecdsa', '111000000000003', 'SELL'],
  ] as const) {
    const party = await Caller.loggedIn(house.simulator, keyName);
    const trades = [{ symbol: 'BTC-USDC-PERP', price, quantity: '0.5', side }];
    const command = {
      commandType: 'V1CreateOtcTrade',
      tradingAccountId,
      isTaker: side === 'BUY',
      sharedMatchKey,
      trades,
    };
    const { status, text: answer } = await party.send(command, { path: '/trading-api/v2/otc-trades', dialect: 'v3' });
    expect([status, answer]).toEqual([200, answer]);
  }
}

test(
  "S9 O11 they receive a negotiated trade once, over a kill; the account's order session does not",
  async () => {
    let gateway = await house.start();
    const oms = await openFix(gateway.fixPort, ACME);
    await logOn(oms, { password: PASSWORD });
    const receivers = VERSIONS.map((version) => new Receiver(version));
    for (const one of receivers) await one.logOn(gateway.fixPort);
    const isOf = (price: string) => (view: MessageView) =>
      view.decimal(Tag.LastPx)?.trimmed().toString() === price &&
      (view.msgType === '8'
        ? (text(view, Tag.Text) ?? '').startsWith('Negotiated (OTC) trade ')
        : view.msgType === 'AE' && text(view, Tag.TrdType) === '1');
    await negotiate('dropCopyKey1', '60000.0');
    const known: { execID: string | null; count: number }[] = [];
    for (const one of receivers) {
      const copy = await one.connection.expect('the copy of the trade', isOf('60000'));
      expectCopy(one.version, copy);
      const isReport = one.version === 'FIXT.1.1';
      expect(copy.msgType).toBe(isReport ? 'AE' : '8');
      const [status, quantity] = isReport ? [null, Tag.LastQty] : ['2', Tag.CumQty];
      expect([text(copy, Tag.OrdStatus), copy.decimal(quantity)?.trimmed().toString()]).toEqual([status, '0.5']);
      known.push({ execID: text(copy, Tag.ExecID), count: one.lose() });
    }
    await gateway.kill();
    await negotiate('dropCopyKey2', '60100.0');
    gateway = await house.start();
    for (const [i, one] of receivers.entries()) {
      await one.back(gateway.fixPort, false);
      one.connection.send(`35=2|7=${known[i]!.count + 1}|16=0`);
      await one.connection.expect('the trade of the time away', isOf('60100'));
      one.lose();
      // By the last ExecID behind a reset of its own: the same trade under a new number.
      await one.back(gateway.fixPort, true);
      one.connection.send(`35=UDC|17=${known[i]!.execID}`);
      const repeated = await one.connection.expect('it again', isOf('60100'));
      expect(repeated.boolean(Tag.PossResend)).toBe(true);
      one.lose();
      const all = one.seen.filter((view) => isOf('60000')(view) || isOf('60100')(view));
      expect(new Set(execIDs(all)).size, one.version).toBe(2);
    }
    const { connection } = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
    connection.send(limitOrder('after', '0.01', '50000'));
    await connection.expect('its own order', report('after', '0', '0'));
    for (const one of [oms, connection]) {
      expect(one.received.filter((view) => isOf('60000')(view) || isOf('60100')(view))).toEqual([]);
    }
    oms.destroy();
    connection.destroy();
  },
  SLOW,
);

describeWith(await quickfix(), 'with QuickFIX C++', () => {
  test(
    'S9 QuickFIX C++ in each version, killed on the way, gets every fill once by its requests',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'crossgate-copy-'));
      try {
        const program = await compileQuickfixOms(folder);
        let gateway = await house.start();
        const stores = VERSIONS.map((version) => join(folder, version));
        for (const store of stores) await mkdir(store);
        const start = (version: Version, i: number): QuickfixOms =>
          new QuickfixOms({
            program,
            port: gateway.fixPort,
            senderCompID: nameOf(version),
            targetCompID: 'EXCHANGE_TEST',
            password: PASSWORD,
            storeFolder: stores[i]!,
            resetOnLogon: false,
            beginString: version,
          });
        const before = VERSIONS.map(start);
        for (const { process: one } of before) await one.line(/^logon/);
        const oms = await openFix(gateway.fixPort, ACME);
        await logOn(oms, { password: PASSWORD });
        oms.send(limitOrder('c-1', '0.03', '60000'));
        await oms.expect('New', report('c-1', '0', '0'));
        sell('0.01');
        for (const [i, receiver] of before.entries()) {
          expectCopy(VERSIONS[i]!, await receiver.message('app', isFill('c-1', '0.01')));
          await receiver.process.kill();
        }
        sell('0.01');
        await oms.expect('the second fill', isFill('c-1', '0.02'));
        await gateway.kill();
        sell('0.01');
        gateway = await house.start();
        const after = VERSIONS.map(start);
        for (const [i, receiver] of after.entries()) {
          await receiver.message('app', isFill('c-1', '0.03'));
          const messages = [...before[i]!.messages('app'), ...receiver.messages('app')];
          const fills = messages.filter(isFill('c-1'));
          expect(new Set(execIDs(fills)).size, VERSIONS[i]).toBe(3);
          // It asked by ResendRequest, nothing was reset, and its own dictionary found no fault.
          expect(receiver.messages('out').some(({ msgType }) => msgType === '2')).toBe(true);
          expect(receiver.messages('out').filter(({ msgType }) => msgType === '3' || msgType === 'j')).toEqual([]);
          expect(await receiver.logout()).toBe(0);
        }
        oms.destroy();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    SLOW,
  );
});
