// The OMS on jspurefix against a scripted acceptor: its messages, its records, its words when refused.

import { afterEach, expect, test } from 'vitest';
import { Oms } from '../../src/interop/oms.ts';
import { SequenceStore } from '../../src/interop/sequence-store.ts';
import { Tag } from '../../src/wire/mod.ts';
import { report } from '../support/network/fix-connection.ts';
import {
  type AcceptorBehaviour,
  type ScriptedAcceptor,
  scriptedAcceptor,
} from '../support/network/scripted-acceptor.ts';

const open: ScriptedAcceptor[] = [];
afterEach(async () => {
  for (const acceptor of open.splice(0)) await acceptor.close();
});

async function acceptor(behaviour: Partial<AcceptorBehaviour>): Promise<ScriptedAcceptor> {
  const started = await scriptedAcceptor({ script: () => {}, ...behaviour });
  open.push(started);
  return started;
}

function options(port: number, resetSeqNumFlag = true, store = new SequenceStore()) {
  return {
    host: '127.0.0.1',
    port,
    senderCompID: 'ACME_OMS',
    targetCompID: 'EXCHANGE_TEST',
    password: 'open sesame',
    resetSeqNumFlag,
    store,
  };
}

const ORDER = {
  clOrdID: 'o-1',
  account: '111000000000001',
  symbol: 'BTCUSDC',
  side: '1',
  orderQty: '123456789012345.12345678',
  ordType: '2',
  price: '0.10',
  timeInForce: '5',
};

test('Logon has the password, amounts reach the wire digit by digit, Logout ends the session', async () => {
  const { port, connections } = await acceptor({
    script: (view, reply) => {
      const echo = `11=${view.string(Tag.ClOrdID)}|55=BTCUSDC|54=1|38=1|40=2|44=1|14=0|151=1|6=0|60=20260101-00:00:00.000`;
      reply(`35=8|37=77|17=e-1|150=0|39=0|${echo}`);
    },
  });
  const oms = await Oms.logon(options(port));
  oms.newOrderSingle(ORDER);
  await oms.waitFor('New', report('o-1', '0', '0'), 5_000);
  expect(await oms.logout()).toBe(true);

  const received = connections[0]!.received;
  expect(received.map((view) => view.msgType)).toEqual(['A', 'D', '5']);
  expect(received[0]!.string(Tag.Password)).toBe('open sesame');
  expect(received[0]!.string(Tag.ResetSeqNumFlag)).toBe('Y');
  expect(received[1]!.string(Tag.OrderQty)).toBe('123456789012345.12345678');
  expect(received[1]!.string(Tag.Price)).toBe('0.10');
  expect(received[1]!.string(Tag.TimeInForce)).toBe('5');
  // LastMsgSeqNumProcessed(369) proves what was received: nothing, the Logon, the report.
  expect(received.map((view) => view.int(Tag.LastMsgSeqNumProcessed))).toEqual([null, 1, 2]);
  expect(oms.messages.map(({ direction, view }) => `${direction} ${view.msgType}`)).toEqual([
    'out A',
    'in A',
    'out D',
    'in 8',
    'out 5',
    'in 5',
  ]);
});

test('a refused Logon is an error in the words of the acceptor', async () => {
  const { port } = await acceptor({ refuse: 'Password(554) is wrong' });
  await expect(Oms.logon(options(port))).rejects.toThrow(/refused the Logon: Password\(554\) is wrong/);
});

test('a closed port is an error that names the address', async () => {
  const { port, close } = await acceptor({});
  await close();
  open.length = 0;
  await expect(Oms.logon(options(port))).rejects.toThrow(new RegExp(`no Logon at 127.0.0.1:${port}`));
});

test('names a missing message, and ends every wait at a lost connection', async () => {
  const { port, connections } = await acceptor({});
  const oms = await Oms.logon(options(port));
  await expect(oms.waitFor('New of o-1', report('o-1', '0'), 50)).rejects.toThrow(
    'New of o-1: not received within 50 ms',
  );
  const wait = oms.waitFor('New of o-1', report('o-1', '0'), 10_000);
  connections[0]!.destroy();
  await expect(wait).rejects.toThrow(/^New of o-1: /);
  await oms.ended();
});

test('with 141=N the numbers of the store go on, and a gap is asked for once', async () => {
  const first = await acceptor({});
  const store = new SequenceStore();
  const before = await Oms.logon(options(first.port, true, store));
  before.hangUp();
  await before.ended();
  expect(store.numbers).toEqual({ nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 });

  const missed =
    '35=8|37=77|17=e-9|150=F|39=2|11=o-1|55=BTCUSDC|54=1|38=1|40=2|14=1|151=0|6=1|31=1|32=1|60=20260101-00:00:00.000';
  const second = await acceptor({
    firstMsgSeqNum: 3,
    resend: (connection, beginSeqNo) => {
      connection.send(missed, { seqNum: beginSeqNo, possDup: true });
      connection.send('35=4|123=Y|36=4', { seqNum: 3, possDup: true });
    },
  });
  const after = await Oms.logon(options(second.port, false, store));
  const { view } = await after.waitFor('the missed report', report('o-1', 'F', '2'), 5_000);
  expect(view.boolean(Tag.PossDupFlag)).toBe(true);
  await after.logout();
  const received = second.connections[0]!.received;
  expect(received[0]!.int(Tag.MsgSeqNum)).toBe(2);
  const asked = received.filter((view) => view.msgType === '2');
  expect(asked.map((view) => [view.int(Tag.BeginSeqNo), view.int(Tag.LastMsgSeqNumProcessed)])).toEqual([[2, 1]]);
  expect(received.at(-1)!.int(Tag.LastMsgSeqNumProcessed)).toBe(3);
});
