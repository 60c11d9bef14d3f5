// One input that speaks to sessions of different durability: each hears of it as soon as its own record is as durable as it
// asks, and not later on behalf of another.

import { expect, test } from 'vitest';
import { CommitQueue } from '../../../src/engine/sessions/commit-queue.ts';
import { Deadlines } from '../../../src/engine/sessions/deadlines.ts';
import { Dispatcher } from '../../../src/engine/sessions/dispatcher.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import { Session } from '../../../src/session/mod.ts';
import { type Durability, openMemoryJournal } from '../../../src/store/mod.ts';
import { fromPrintable, MessageDraft, Tag, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import { acceptAll, sessionConfig } from '../../support/session/session-machine.ts';

const TIME = '20260105-12:00:00.000';
const NOW = Date.UTC(2026, 0, 5, 12);

test.each([
  {
    title: 'what an order session of durability process is told does not wait for the disk of its drop copy',
    on: { order: 'process', copy: 'disk' },
    atOnce: ['command', 'OMS B'],
    synced: ['COPY B'],
  },
  {
    title: 'the command of an order session of durability disk waits for it, though its drop copy does not',
    on: { order: 'disk', copy: 'process' },
    atOnce: ['COPY B'],
    synced: ['command', 'OMS B'],
  },
] as const)('$title', async ({ on, atOnce, synced }) => {
  const sent: string[] = [];
  const journal = openMemoryJournal();
  let finish = (): void => {};
  const sync = journal.sync.bind(journal);
  const commits = new CommitQueue({ journal, pendingMax: 100, onHealth: () => {}, onPressure: () => {} });
  const dispatcher = new Dispatcher({
    application: {
      handle: (input, turn) => {
        if (input.kind !== 'message') return;
        const report = new MessageDraft('B').add(Tag.Headline, 'told');
        for (const { sessionId } of [order, copy]) turn.send(sessionId, report);
        turn.concerns(order.sessionId);
        turn.later({ evenIfUnrecorded: false, run: () => sent.push('command') });
      },
      deadline: () => null,
    },
    recorder: null,
    commits,
    deadlines: new Deadlines(),
    now: () => NOW,
    log: () => {},
    afterTurn: () => {},
    outside: { loadOutbound: () => {}, sessionChanged: () => {}, alarm: () => {} },
  });
  const add = (targetCompID: string, durability: Durability): SessionSlot => {
    const sessionId = `FIX.4.4:XGATE->${targetCompID}`;
    const machine = new Session(sessionConfig({ sessionId, targetCompID }), acceptAll, null);
    const wire = {
      send: (bytes: Uint8Array) => sent.push(`${targetCompID} ${/35=(\w+)/.exec(toPrintable(bytes))![1]}`),
      close: () => {},
    };
    const slot = { sessionId, machine, durability, wire, enabled: true, retired: false };
    dispatcher.addSession(slot);
    return slot;
  };
  const receive = (slot: SessionSlot, msgType: string, msgSeqNum: number, rest: string): void => {
    const compID = slot.machine.config.targetCompID;
    const text = `35=${msgType}|49=${compID}|56=XGATE|34=${msgSeqNum}|52=${TIME}|${rest}|`;
    const authentication = { kind: msgType === 'A' ? ('accepted' as const) : ('notLogon' as const) };
    dispatcher.sessionInput(slot, { kind: 'message', view: viewOf(fromPrintable(text, 'FIX.4.4'))!, authentication });
  };
  const order = add('OMS', on.order);
  const copy = add('COPY', on.copy);
  for (const slot of [order, copy]) {
    dispatcher.sessionInput(slot, { kind: 'connected', remote: 'test' });
    receive(slot, 'A', 1, '98=0|108=30');
  }
  await commits.idle();
  sent.length = 0;
  journal.sync = () => new Promise<void>((resolve) => (finish = resolve)).then(sync);
  receive(order, 'B', 2, '148=hello|33=1|58=x');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(sent).toEqual(atOnce);
  finish();
  await commits.idle();
  expect(sent).toEqual([...atOnce, ...synced]);
});
