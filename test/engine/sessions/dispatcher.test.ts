// The dispatcher with the real machines and a journal in memory: one input is one frame, and what follows from it leaves
// in order once it is recorded.

import { beforeEach, expect, test } from 'vitest';
import { CommitQueue } from '../../../src/engine/sessions/commit-queue.ts';
import { Deadlines } from '../../../src/engine/sessions/deadlines.ts';
import { Dispatcher } from '../../../src/engine/sessions/dispatcher.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import { Gateway, type GatewayInput } from '../../../src/gateway/mod.ts';
import { GatewayApplication, type GatewayOutside } from '../../../src/runtime/gateway-application.ts';
import { Session } from '../../../src/session/mod.ts';
import { type JournalEntry, openMemoryJournal } from '../../../src/store/mod.ts';
import { fromPrintable, MessageDraft, Tag, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import {
  ACCOUNT,
  exchangeOrder,
  gatewayConfig,
  market,
  T0,
  sessionConfig as tradingConfig,
} from '../../gateway/desk.ts';
import { acceptAll, sessionConfig } from '../../support/session/session-machine.ts';

const SESSION = 'FIX.4.4:XGATE->OMS';
const ORDER = `35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|40=2|44=100|59=1`;

let now: number;
let sent: string[];
let submitted: Parameters<GatewayOutside['submit']>[0][];
let wireClosed: boolean;
let commits: CommitQueue;
let dispatcher: Dispatcher<GatewayInput>;
let slot: SessionSlot;
/** The disk's behaviour on the next syncs: fail, or end on request. */
let sync: (write: () => Promise<void>) => Promise<void>;
let deadlines: Deadlines;
let entries: () => Promise<JournalEntry[]>;

/** A dispatcher's parts besides its application. */
const surroundings = () => ({
  commits,
  deadlines,
  now: () => now,
  log: () => {},
  afterTurn: () => {},
  outside: { loadOutbound: () => {}, sessionChanged: () => {}, alarm: () => {} },
});

function message(body: string, msgSeqNum: number): void {
  const [msgType, ...rest] = body.split('|');
  const text = `${msgType}|49=OMS|56=XGATE|34=${msgSeqNum}|52=20260105-12:00:00.000|${rest.join('|')}|`;
  const view = viewOf(fromPrintable(text, 'FIX.4.4'));
  expect(view).not.toBeNull();
  const authentication = { kind: msgType === '35=A' ? ('accepted' as const) : ('notLogon' as const) };
  dispatcher.sessionInput(slot, { kind: 'message', view: view!, authentication });
}

beforeEach(() => {
  now = T0;
  sent = [];
  submitted = [];
  wireClosed = false;
  const journal = openMemoryJournal();
  sync = (write) => write();
  const write = journal.sync.bind(journal);
  journal.sync = () => sync(write);
  entries = async () => {
    const all: JournalEntry[] = [];
    for await (const entry of journal.entries()) all.push(entry);
    return all;
  };
  const gateway = new Gateway(gatewayConfig({ sessionId: SESSION }), { orders: new Map() });
  deadlines = new Deadlines();
  commits = new CommitQueue({ journal, pendingMax: 100, onHealth: () => {}, onPressure: () => {} });
  const application = new GatewayApplication({
    gateway,
    outside: {
      submit: (effect) => submitted.push(effect),
      user: () => {},
      bridge: () => {},
      lookup: () => {},
      ask: () => {},
      manage: () => {},
      alarm: () => {},
    },
    log: () => {},
    now: () => now,
    durabilityOf: (sessionId) => dispatcher.slots.get(sessionId)?.durability,
    input: (input) => dispatcher.applicationInput(input),
  });
  dispatcher = new Dispatcher<GatewayInput>({ ...surroundings(), application, recorder: application });
  slot = {
    sessionId: SESSION,
    machine: new Session(sessionConfig({ sessionId: SESSION }), acceptAll, null),
    durability: 'disk',
    wire: {
      send: (bytes) => sent.push(toPrintable(bytes)),
      close: () => {
        wireClosed = true;
      },
    },
    enabled: true,
    retired: false,
  };
  dispatcher.addSession(slot);
  dispatcher.applicationInput({ kind: 'markets', markets: [market('BTCUSDC')] });
  dispatcher.applicationInput({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  dispatcher.applicationInput({ kind: 'feed', credential: 'primary', feed: 'private', live: true });
  dispatcher.applicationInput({
    kind: 'reconciled',
    tradingAccountId: tradingConfig().accounts[0]!.tradingAccountId,
    ok: true,
  });
  dispatcher.sessionInput(slot, { kind: 'connected', remote: 'test' });
  message('35=A|98=0|108=30', 1);
});

test('an order, its number and its intent are one frame, recorded before the command leaves', async () => {
  await commits.idle();
  message(ORDER, 2);
  expect(submitted).toEqual([]);
  await commits.idle();
  expect(submitted.map(({ command }) => command.kind)).toEqual(['createOrder']);
  const all = await entries();
  const inbound = all.find(({ record }) => record.kind === 'inbound' && record.msgType === 'D')!;
  const frame = all.filter((entry) => entry.frame === inbound.frame).map(({ record }) => record.kind);
  expect(frame).toContain('inbound');
  expect(frame).toContain('order');
});

test('a report and its order state are one frame, recorded before its bytes leave', async () => {
  message(ORDER, 2);
  await commits.idle();
  const { command, commandId } = submitted[0]!;
  if (command.kind !== 'createOrder') throw new Error('an order was expected');
  const ours = { clientOrderId: command.clientOrderId, tradingAccountId: ACCOUNT, orderId: '900' };
  const outcome = { kind: 'accepted' as const, orderId: '900', clientOrderId: ours.clientOrderId, requestId: '1' };
  const before = sent.length;
  dispatcher.applicationInput({ kind: 'outcome', commandId, outcome });
  const order = exchangeOrder({ ...ours, price: '100', quantity: '2', statusReasonCode: '6001' }, now);
  dispatcher.applicationInput({ kind: 'order', order, source: 'update' });
  expect(sent).toHaveLength(before);
  await commits.idle();
  expect(sent).toHaveLength(before + 1);
  const report = viewOf(fromPrintable(sent.at(-1)!, 'FIX.4.4'))!;
  expect([report.msgType, report.string(Tag.ExecType), report.string(Tag.OrderID)]).toEqual(['8', '0', '900']);
  const all = await entries();
  const outbound = all.find(({ record }) => record.kind === 'outbound' && record.msgType === '8')!;
  expect(all.filter(({ frame }) => frame === outbound.frame).map(({ record }) => record.kind)).toContain('order');
});

test('a record that follows from no input is a frame of its own, at once', async () => {
  await commits.idle();
  const audit = (action: string) => ({ kind: 'audit' as const, who: 'ops', action, detail: '' });
  const before = Math.max(...(await entries()).map(({ frame }) => frame));
  dispatcher.record(audit('first'));
  dispatcher.record(audit('second'));
  sent = [];
  slot.wire = { ...slot.wire!, send: () => dispatcher.record(audit('third')) };
  message('35=1|112=x', 2);
  await commits.idle();
  const audits = (await entries()).filter(({ frame, record }) => frame > before && record.kind === 'audit');
  expect(audits.map(({ frame }) => frame - before)).toEqual([1, 2, 4]);
});

test('bytes meant for one connection never reach the next one of the same session', async () => {
  await commits.idle();
  message('35=1|112=one', 2);
  const next: string[] = [];
  slot.wire = { send: (bytes) => next.push(toPrintable(bytes)), close: () => {} };
  await commits.idle();
  expect(sent.at(-1)).toContain('112=one');
  expect(next).toEqual([]);
});

test('MsgSeqNum rises by one on the wire whatever a single input caused', async () => {
  for (let i = 2; i < 12; i++)
    message(i % 3 === 0 ? `35=1|112=t${i}` : ORDER.replace('o-1', `o-${i}`).replace('38=2', '38=999999'), i);
  await commits.idle();
  const numbers = sent.map((text) => viewOf(fromPrintable(text, 'FIX.4.4'))!.int(Tag.MsgSeqNum));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(numbers.length).toBeGreaterThan(8);
});

test("gives a tick to the machine with a due deadline, and sends a refused connection's bytes", async () => {
  await commits.idle();
  now = deadlines.next()!;
  const due = deadlines.due(now);
  expect(due).toBe(SESSION);
  dispatcher.tick(SESSION);
  await commits.idle();
  expect(sent.at(-1)).toContain('|35=0|');
  message('35=A|98=0|108=30', 1);
  message('35=0', 1);
  await commits.idle();
  expect(wireClosed).toBe(true);
  expect(sent.at(-1)).toContain('|35=5|');
});

test('J2 refuses an order with a failed record for good; its cancel leaves', async () => {
  await commits.idle();
  sync = () => Promise.reject(new Error('no space left'));
  message(ORDER, 2);
  message('35=F|11=c-1|41=o-1|55=BTCUSDC|54=1|60=20260105-12:00:00.000', 3);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(submitted.map(({ command }) => command.kind)).toEqual(['cancelOrder']);
  sync = (write) => write();
  await commits.idle();
  expect(submitted.map(({ command }) => command.kind)).toEqual(['cancelOrder']);
  const rejected = sent
    .map((text) => viewOf(fromPrintable(text, 'FIX.4.4'))!)
    .find((view) => view.string(Tag.ExecType) === '8');
  expect([rejected?.string(Tag.ClOrdID), rejected?.string(Tag.OrdStatus)]).toEqual(['o-1', '8']);
});

test('O4 an order that waited too long for the disk is refused', async () => {
  await commits.idle();
  let finish = (): void => {};
  sync = async (write) => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    await write();
  };
  message(ORDER, 2);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  now += 10_001;
  sync = (write) => write();
  finish();
  await commits.idle();
  expect(submitted).toEqual([]);
  expect(sent.at(-1)).toContain('|150=8|');
});

test('O4 an order kept behind a gap longer than the limit is refused when its turn comes; a cancel is not', async () => {
  await commits.idle();
  message(ORDER, 3);
  now += 10_001;
  message('35=0', 2);
  await commits.idle();
  expect(submitted).toEqual([]);
  const reject = viewOf(fromPrintable(sent.at(-1)!, 'FIX.4.4'))!;
  expect([reject.string(Tag.ExecType), reject.string(Tag.OrdRejReason)]).toEqual(['8', '8']);
  message(ORDER.replace('o-1', 'o-2'), 5);
  message('35=0', 4);
  await commits.idle();
  expect(submitted.map(({ command }) => command.kind)).toEqual([]);
  message(ORDER.replace('o-1', 'o-3').replace('12:00:00.000', '12:00:10.000'), 7);
  message('35=0', 6);
  await commits.idle();
  expect(submitted.map(({ command }) => command.kind)).toEqual(['createOrder']);
});

test('D4 an outage reported to 150 sessions for 1,000 symbols is one ordinary input', async () => {
  await commits.idle();
  const told = new Dispatcher({
    ...surroundings(),
    application: {
      handle: (_input, turn) => {
        for (let n = 0; n < 150_000; n++) turn.send(SESSION, new MessageDraft('f').add(Tag.Symbol, `S-${n}`));
      },
      deadline: () => null,
    },
    recorder: null,
  });
  told.addSession(slot);
  const before = sent.length;
  told.applicationInput({ kind: 'tick' });
  await commits.idle();
  expect(sent.length - before).toBe(150_000);
});
