// The journal's bytes of messages that came many in a chunk: each unchanged.

import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore, memoryStore, startAcceptor } from '../../../src/engine/mod.ts';
import { fromPrintable, toPrintable } from '../../../src/wire/mod.ts';

const TIME = () => new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');

function message(msgType: string, msgSeqNum: number, body: string): Buffer {
  return fromPrintable(`35=${msgType}|49=OMS|56=XG|34=${msgSeqNum}|52=${TIME()}|${body}|`, 'FIX.4.4');
}

it('Two hundred orders that come in one chunk are in the journal byte by byte as they came', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-recorded-'));
  try {
    const store = join(folder, 'store');
    let heard = 0;
    let all: () => void = () => {};
    const everything = new Promise<void>((resolve) => {
      all = resolve;
    });
    const acceptor = await startAcceptor({
      port: 0,
      store: await fileStore(store),
      sessions: [{ senderCompID: 'XG', targetCompID: 'OMS' }],
      application: {
        onMessage: () => {
          if (++heard === 200) all();
        },
      },
    });
    const orders = Array.from({ length: 200 }, (_, i) =>
      message(
        'D',
        i + 2,
        `11=order-${i}|55=BTCUSDC|54=1|60=${TIME()}|38=${i + 1}|40=2|44=50000.1|58=${'x'.repeat(i)}y`,
      ),
    );
    const socket = connect(acceptor.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(Buffer.concat([message('A', 1, '98=0|108=30'), ...orders]));
    await everything;
    socket.destroy();
    await acceptor.close();

    const journal = await fileStore(store);
    const kept: string[] = [];
    for await (const { record } of journal.entries()) {
      if (record.kind === 'inbound' && record.msgType === 'D') kept.push(toPrintable(record.raw));
    }
    await journal.close();
    expect(kept).toEqual(orders.map((order) => toPrintable(order)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('strangers put a bounded amount into the journal per minute', async () => {
  const store = memoryStore();
  let recorded = 0;
  const { append } = store;
  store.append = (records, at) => {
    for (const record of records) if (record.kind === 'unsequenced') recorded += record.raw.length + record.note.length;
    append.call(store, records, at);
  };
  const said: string[] = [];
  const quota = 262_144;
  let laterMs = 0;
  const acceptor = await startAcceptor({
    port: 0,
    store,
    sessions: [{ senderCompID: 'XG', targetCompID: 'OMS' }],
    application: { onMessage: () => {} },
    log: (_level, text) => said.push(text),
    now: () => Date.now() + laterMs,
  });
  const stranger = message('D', 1, `58=${'x'.repeat(5000)}`);
  const come = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(acceptor.port, '127.0.0.1', () => socket.write(stranger));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  for (let k = 0; k < 80; k++) await come();
  const each = recorded / 63;
  expect(each).toBeGreaterThan(4096);
  expect(recorded).toBeLessThanOrEqual(quota);
  expect(recorded).toBeGreaterThan(quota - each);
  expect(said.filter((text) => text.includes('than the journal takes'))).toHaveLength(1);
  laterMs = 60_000;
  await come();
  expect(recorded).toBe(64 * each);
  await acceptor.close();
});
