// QuickFIX C++ where sessions of other engines break: a reset that we begin within the open session, on either side of the
// connection, and Logons that were refused before one was taken.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type FixApplication,
  type FixEngine,
  type FixMessage,
  type FixSession,
  type FixSessionOptions,
  newMessage,
  startAcceptor,
  startInitiator,
} from '../../src/mod.ts';
import { MsgType, Tag } from '../../src/wire/mod.ts';
import { freePort } from '../support/network/free-port.ts';
import {
  compileQuickfixEcho,
  compileQuickfixOms,
  QuickfixOms,
  quickfix,
  stockDictionary,
} from '../support/oms/quickfix.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { describeWith } from '../support/requirement.ts';

const PASSWORD = 'open sesame';

function report(clOrdID: string, execID: string) {
  return newMessage(MsgType.ExecutionReport, {
    OrderID: '1',
    ExecID: execID,
    ExecType: '0',
    OrdStatus: '0',
    ClOrdID: clOrdID,
    Symbol: 'BTCUSDC',
    Side: '1',
    LeavesQty: '1',
    CumQty: '0',
    AvgPx: '0',
  });
}

const echo: FixApplication = {
  onMessage: (order, session) => session.send(report(order.string('ClOrdID')!, `e-${order.string('ClOrdID')}`)),
};

describeWith(await quickfix(), 'QuickFIX C++', () => {
  let folder = '';
  let program = '';
  let engine: FixEngine | null = null;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    program = await compileQuickfixOms(folder);
  });
  afterEach(async () => {
    await engine?.close();
    engine = null;
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function acceptor(
    session: Partial<FixSessionOptions> = {},
    application: FixApplication = echo,
  ): Promise<FixSession> {
    engine = await startAcceptor({
      port: 0,
      sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS', ...session }],
      application,
      limits: { failedLogonsPerMinute: 100 },
    });
    return [...engine.sessions.values()][0]!;
  }

  function oms(store: string, password = PASSWORD): QuickfixOms {
    const common = { program, senderCompID: 'OMS', targetCompID: 'GATE', password, resetOnLogon: false };
    const storeFolder = store === 'memory' ? store : join(folder, store);
    const started = new QuickfixOms({ ...common, port: engine!.port, storeFolder });
    onTestFinished(async () => {
      await started.process.kill();
    });
    return started;
  }

  const events = (peer: QuickfixOms) => peer.process.lines.filter((line) => /too low|too high|Logout/i.test(line));

  test('answers our Logon 141=Y within its session, and no order under way meanwhile is lost', async () => {
    const session = await acceptor();
    // It holds its application back at nothing: orders take numbers ahead of its Logon, and tear its file store apart.
    const peer = oms('memory');
    await peer.process.line(/^logon/);
    const order = (name: string) => peer.process.say(`order ${name} ACC BTCUSDC 1 1 2 1 1`);
    for (let i = 0; i < 20; i++) order(`a-${i}`);
    session.reset('agreed with the counterparty');
    for (let i = 0; i < 20; i++) order(`b-${i}`);
    const told = peer.process.line(/^out .*\|35=A\|.*\|141=Y\|/);
    await told.catch((error: Error) => {
      // Which side waits: its Heartbeat that answers our TestRequest has the number behind Logon and orders.
      const answers = peer.process.lines.filter((line) => /\|35=[01]\|/.test(line)).join('\n');
      throw new Error(`we are at ${JSON.stringify(session.numbers)}\n${answers}`, { cause: error });
    });
    order('c');
    await peer.message('app', (view) => view.string(Tag.ClOrdID) === 'c');
    const fresh = peer.messages('app').filter((view) => view.boolean(Tag.PossResend) !== true);
    expect(new Set(fresh.map((view) => view.string(Tag.ClOrdID))).size).toBe(41);
    expect(session.numbers.series).toBe(2);
    expect(session.numbers.nextSenderMsgSeqNum).toBeGreaterThan(1);
    expect(events(peer)).toEqual([]);
    expect(await peer.logout()).toBe(0);
  });

  test('answers it as an acceptor too, when we are its initiator', async () => {
    const program = await compileQuickfixEcho(folder);
    const port = await freePort();
    const peer = new LineProcess(program, [String(port), 'memory', stockDictionary(), 'ECHO', 'TRADER']);
    onTestFinished(async () => {
      await peer.kill();
    });
    await peer.line(/^listening/);
    const reports: string[] = [];
    const waiting = new Map<string, () => void>();
    const heard = (clOrdID: string) =>
      new Promise<void>((resolve) => {
        waiting.set(clOrdID, resolve);
      });
    let loggedOn = (_session: FixSession): void => {};
    const up = new Promise<FixSession>((resolve) => {
      loggedOn = resolve;
    });
    engine = await startInitiator({
      addresses: [{ host: '127.0.0.1', port }],
      sessions: [{ senderCompID: 'TRADER', targetCompID: 'ECHO' }],
      application: {
        onLogon: (session) => loggedOn(session),
        onMessage: (message: FixMessage) => {
          const clOrdID = message.string('ClOrdID')!;
          reports.push(clOrdID);
          waiting.get(clOrdID)?.();
        },
      },
    });
    const session = await up;
    const order = (clOrdID: string) =>
      session.send(
        newMessage(MsgType.NewOrderSingle, {
          ClOrdID: clOrdID,
          Symbol: 'BTCUSDC',
          Side: '1',
          TransactTime: new Date(),
          OrderQty: '1',
          OrdType: '2',
          Price: '1',
        }),
      );
    order('a');
    await heard('a');
    session.reset('agreed with the counterparty');
    for (let i = 0; i < 20; i++) order(`b-${i}`);
    await heard('b-19');
    order('c');
    await heard('c');
    expect(reports.length).toBe(22);
    expect(session.numbers.series).toBe(2);
  });

  test('is refused twice, then taken: every waiting report arrives, and no side resets', async () => {
    const session = await acceptor({ password: PASSWORD });
    const first = oms('refused');
    await first.process.line(/^logon/);
    expect(await first.logout()).toBe(0);
    for (const name of ['w-1', 'w-2', 'w-3']) session.send(report(name, `e-${name}`));
    const stranger = oms('refused', 'wrong');
    // The third Logon: two were refused.
    await stranger.process.line(() => stranger.messages('out').length >= 3);
    await stranger.process.kill();
    const again = oms('refused');
    await again.message('app', (view) => view.string(Tag.ClOrdID) === 'w-3');
    expect(again.messages('app').map((view) => view.string(Tag.ClOrdID))).toEqual(['w-1', 'w-2', 'w-3']);
    expect(again.process.lines.filter((line) => /too low|141=Y/.test(line))).toEqual([]);
    expect(session.numbers.series).toBe(1);
  });

  test.each([
    ['we log out', async (session: FixSession) => session.logout('a pause')],
    ['it logs out', async (_session: FixSession, peer: QuickfixOms) => void peer.process.say('logout')],
  ])(
    'gets every report of a resend in which %s: it counts any Logout as the message that it waits for',
    async (how, logOut) => {
      let resent = 0;
      let middle = (): void => {};
      const isMiddle = new Promise<void>((resolve) => {
        middle = resolve;
      });
      const session = await acceptor(
        {},
        {
          ...echo,
          onResend: () => {
            if (++resent === 150) middle();
            return true;
          },
        },
      );
      const store = `resend-${how}`;
      const first = oms(store);
      await first.process.line(/^logon/);
      expect(await first.logout()).toBe(0);
      const names = Array.from({ length: 400 }, (_, i) => `w-${i}`);
      for (const name of names) session.send(report(name, `e-${name}`));
      const again = oms(store);
      await isMiddle;
      await logOut(session, again);
      await again.process.line(/^logout/);
      const last = how === 'we log out' ? again : oms(store);
      const theLast = /^app .*\|11=w-399\|/;
      if (!again.process.lines.some((line) => theLast.test(line))) await last.process.line(theLast);
      const arrived = [again, last].flatMap((peer) => peer.messages('app').map((view) => view.string(Tag.ClOrdID)));
      expect(names.filter((name) => !arrived.includes(name))).toEqual([]);
    },
    60_000,
  );

  test('continues its numbers if it missed our answer to its Logout, and we follow it', async () => {
    const session = await acceptor({ resetOn: ['logout'] });
    // It has no ResetOnLogout=Y, and acts as one with it after a connection lost before our answer.
    const first = oms('half');
    await first.process.line(/^logon/);
    const order = (peer: QuickfixOms, name: string) => peer.process.say(`order ${name} ACC BTCUSDC 1 1 2 1 1`);
    order(first, 'a');
    await first.message('app', (view) => view.string(Tag.ClOrdID) === 'a');
    expect(await first.logout()).toBe(0);
    expect(session.numbers).toMatchObject({ nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
    session.send(report('late', 'e-late'));
    const again = oms('half');
    await again.message('app', (view) => view.string(Tag.ClOrdID) === 'late');
    order(again, 'b');
    await again.message('app', (view) => view.string(Tag.ClOrdID) === 'b');
    expect(again.process.lines.filter((line) => /too low|141=Y/.test(line))).toEqual([]);
    expect(await again.logout()).toBe(0);
  });
});
