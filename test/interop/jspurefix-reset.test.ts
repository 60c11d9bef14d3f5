// jspurefix and a reset that we begin within the open session, on either side of the connection.

import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import {
  type FixEngine,
  type FixMessage,
  type FixSession,
  newMessage,
  startAcceptor,
  startInitiator,
} from '../../src/mod.ts';
import { MsgType } from '../../src/wire/mod.ts';
import { freePort } from '../support/network/free-port.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const PEER = join(import.meta.dirname, '../support/oms/jspurefix-peer.ts');
/** Longest wait for what a process of jspurefix says, which takes seconds to start. */
const SLOW = 180_000;

let engine: FixEngine | null = null;
afterEach(async () => {
  await engine?.close();
  engine = null;
});

function peer(role: 'acceptor' | 'oms', port: number, sender: string, target: string): LineProcess {
  const started = new LineProcess(process.execPath, [PEER, role, String(port), sender, target]);
  onTestFinished(async () => {
    await started.kill();
  });
  return started;
}

function report(clOrdID: string) {
  return newMessage(MsgType.ExecutionReport, {
    OrderID: '1',
    ExecID: `e-${clOrdID}`,
    ExecType: '0',
    OrdStatus: '0',
    ClOrdID: clOrdID,
    Symbol: 'BTCUSDC',
    Side: '1',
    LeavesQty: '2',
    CumQty: '0',
    AvgPx: '0',
  });
}

test(
  'as an initiator it ends the connection, and after its next Logon receives missed messages',
  async () => {
    engine = await startAcceptor({
      port: 0,
      sessions: [{ senderCompID: 'GATE', targetCompID: 'JS' }],
      application: {
        onMessage: (order, session) => session.send(report(order.string('ClOrdID')!)),
      },
    });
    const session = [...engine.sessions.values()][0]!;
    const first = peer('oms', engine.port, 'JS', 'GATE');
    await first.line(/^logon/, SLOW);
    first.say('order a');
    await first.line(/^app 8 a/);
    session.reset('agreed with the counterparty');
    session.send(report('waits'));
    // It takes no Logon but the first, and does not connect again by itself.
    await first.line(/^ended Error: state ActiveNormalSession is illegal for Logon/, SLOW);
    expect(await first.ended()).toBe(1);
    const second = peer('oms', engine.port, 'JS', 'GATE');
    await second.line(/^logon/, SLOW);
    second.say('order b');
    await second.line(/^app 8 b/);
    // It may have heard this one before: it is marked.
    expect(second.lines.filter((line) => line.startsWith('app'))).toEqual(['app 8 waits 2 again', 'app 8 b 2']);
  },
  2 * SLOW,
);

test(
  'as an acceptor it ends the connection too, and takes the reset at our next Logon',
  async () => {
    const port = await freePort();
    const acceptor = peer('acceptor', port, 'JS', 'GATE');
    await acceptor.line(/^started/, SLOW);
    const heard: string[] = [];
    const waiting = new Map<string, () => void>();
    const logons: (() => void)[] = [];
    let up = 0;
    engine = await startInitiator({
      addresses: [{ host: '127.0.0.1', port }],
      reconnectFirstMs: 50,
      sessions: [{ senderCompID: 'GATE', targetCompID: 'JS' }],
      application: {
        onLogon: () => {
          up++;
          for (const resolve of logons.splice(0)) resolve();
        },
        onMessage: (message: FixMessage) => {
          heard.push(message.string('ClOrdID')!);
          waiting.get(message.string('ClOrdID')!)?.();
        },
      },
    });
    const session: FixSession = [...engine.sessions.values()][0]!;
    const nextLogon = () => new Promise<void>((resolve) => void logons.push(resolve));
    const answered = (clOrdID: string) => {
      const answer = new Promise<void>((resolve) => void waiting.set(clOrdID, resolve));
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
      return answer;
    };
    if (up === 0) await nextLogon();
    await answered('a');
    const again = nextLogon();
    session.reset('agreed with the counterparty');
    await again;
    await answered('b');
    expect(heard).toEqual(['a', 'b']);
    // Its output may arrive after its messages.
    await acceptor.line(() => acceptor.lines.filter((line) => line === 'logon').length === 2);
    expect(session.numbers).toMatchObject({ nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 3 });
  },
  2 * SLOW,
);
