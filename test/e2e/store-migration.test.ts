// A running session moves between engines without a reset: from a store of QuickFIX C++ into a journal, from a journal
// to QuickFIX C++, and between journals through QuickFIX's files.

import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJournal } from '../../src/store/mod.ts';
import { Tag } from '../../src/wire/mod.ts';
import { logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
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
import { describeWith } from '../support/requirement.ts';

const SLOW = 180_000;
const OURS = `FIX.4.4:${ACME.targetCompID}->${ACME.senderCompID}`;
const THEIRS = `FIX.4.4:${ACME.senderCompID}->${ACME.targetCompID}`;
let house: ExchangeHouse;
let folder: string;

beforeEach(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
  folder = await mkdtemp(join(tmpdir(), 'crossgate-migration-'));
});
afterEach(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

/** Run a command; its JSON. @throws Error with its lines if it fails */
async function crossgate(...args: string[]): Promise<Record<string, unknown>> {
  const process_ = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--json'], {
    cwd: join(import.meta.dirname, '../..'),
  });
  const code = await process_.ended();
  if (code !== 0) throw new Error(process_.lines.join('\n'));
  // Lines of the error stream come among them.
  const lines = process_.lines.filter((line) => !line.startsWith('crossgate: '));
  return JSON.parse(lines.join('\n')) as Record<string, unknown>;
}

const store = (...args: string[]): Promise<Record<string, unknown>> => crossgate('store', ...args);

test(
  'O11 a session goes to QuickFIX files and back: number, reports and open order are kept',
  async () => {
    let gateway = await house.start();
    const before = await openFix(gateway.fixPort, ACME);
    await logOn(before, { password: PASSWORD });
    before.send(limitOrder('m-1', '0.03', '50000'));
    await before.expect('New', report('m-1', '0', '0'));
    await gateway.interrupt();
    const { state } = house.home;
    const exported = await store('export', '--state', state, '--session', OURS, '--to', folder);
    expect(exported.nextTargetMsgSeqNum).toBe(before.nextSenderMsgSeqNum);
    expect((await readdir(folder)).length).toBe(4);

    await rm(join(state, 'journal'), { recursive: true });
    const prefix = join(folder, `FIX.4.4-${ACME.targetCompID}-${ACME.senderCompID}`);
    const importing = ['import', prefix, '--state', state, '--session', OURS, '--why', 'moves to new hardware'];
    const imported = await store(...importing, '--who', 'ann');
    expect(imported.to).toMatchObject({
      nextSenderMsgSeqNum: exported.nextSenderMsgSeqNum,
      nextTargetMsgSeqNum: exported.nextTargetMsgSeqNum,
    });
    await expect(store(...importing)).rejects.toThrow(/the journal has .* --replace takes the imported numbers/);
    expect(await store('verify', '--state', state)).toMatchObject({ problems: [] });

    // The numbers and messages came along, the order did not: this journal does not know it (rules J3, O11).
    gateway = await house.home.start(house.simulator.url);
    await crossgate('sessions', 'open', '--why', 'the orders come along', '--state', state);
    const adopting = ['orders', 'adopt', '--session', 'ACME_OMS', '--why', 'moves to new hardware', '--state', state];
    const { adopted, refused } = await crossgate(...adopting);
    expect([adopted, refused]).toEqual([[expect.objectContaining({ clOrdID: 'm-1', isFromStore: true })], []]);
    // External by now, so there is nothing to take over.
    await expect(crossgate(...adopting)).rejects.toThrow(/"adopted": \[\]/);
    const { nextSenderMsgSeqNum } = before;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    const { connection, answer } = await reconnect(gateway.fixPort, ACME, again);
    // The report of the order taken over came in between.
    expect(answer.int(Tag.MsgSeqNum)).toBe(Number(exported.nextSenderMsgSeqNum) + 1);
    connection.send('35=2|7=1|16=0');
    const repeated = await connection.expect('the report again', report('m-1', '0', '0'));
    expect(repeated.boolean(Tag.PossDupFlag)).toBe(true);
    const original = before.received.find(report('m-1', '0', '0'))!;
    expect(repeated.int(Tag.MsgSeqNum)).toBe(original.int(Tag.MsgSeqNum));
    expect(repeated.string(Tag.ExecID)).toBe(original.string(Tag.ExecID));
    // Rule O11: taken over, it is an order as any other.
    const restated = await connection.expect('the order taken over', report('m-1', 'D', '0'));
    expect([restated.string(Tag.ExecRestatementReason), restated.string(Tag.OrderID)]).toEqual([
      '1',
      original.string(Tag.OrderID),
    ]);
    const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
    connection.send(`35=F|11=m-2|41=m-1|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${time}|38=0.03`);
    await connection.expect('the cancel', report('m-2', '4', '4'));
    connection.destroy();
    await gateway.kill();
    await expect(store('import', prefix, '--state', state, '--session', 'OMS', '--why', 'x')).rejects.toThrow(
      /write it as/,
    );
    const accounts = [];
    for await (const { at, record } of readJournal(join(state, 'journal'))) {
      if (record.kind !== 'numbers' || record.who !== 'ann') continue;
      accounts.push([record.who, record.why, record.from.nextSenderMsgSeqNum, record.to.nextSenderMsgSeqNum]);
      expect(at).toBeGreaterThan(Date.now() - SLOW);
    }
    expect(accounts).toEqual([
      ['ann', expect.stringMatching(/moves to new hardware$/), 1, exported.nextSenderMsgSeqNum],
    ]);
  },
  SLOW,
);

describeWith(await quickfix(), 'with QuickFIX C++', () => {
  test(
    'a store that QuickFIX C++ wrote is taken over, and QuickFIX C++ goes on from our export of it',
    async () => {
      const program = await compileQuickfixOms(folder);
      const gateway = await house.start();
      const theirs = join(folder, 'theirs');
      const ours = join(folder, 'ours');
      for (const one of [theirs, ours]) await mkdir(one);
      const options = { program, port: gateway.fixPort, password: PASSWORD, resetOnLogon: false, ...ACME };
      const oms = new QuickfixOms({ ...options, storeFolder: theirs });
      await oms.process.line(/^logon/);
      oms.process.say(`order q-1 ${ACCOUNT} BTCUSDC 1 0.03 2 50000 1`);
      await oms.message('app', report('q-1', '0', '0'));
      expect(await oms.logout()).toBe(0);

      const prefix = join(theirs, `FIX.4.4-${ACME.senderCompID}-${ACME.targetCompID}`);
      const [sender, target] = (await readFile(`${prefix}.seqnums`, 'latin1')).split(':').map(Number);
      const state = join(folder, 'state');
      const imported = await store('import', prefix, '--state', state, '--session', THEIRS, '--why', 'takes over');
      expect(imported.to).toEqual({ series: 1, nextSenderMsgSeqNum: sender, nextTargetMsgSeqNum: target });
      // Logon, order and Logout at least.
      expect(imported.messages).toBeGreaterThanOrEqual(3);
      const shown = await store('show', '--state', state);
      expect(shown.sessions).toMatchObject([{ sessionId: THEIRS, numbers: { nextSenderMsgSeqNum: sender } }]);
      await store('export', '--state', state, '--session', THEIRS, '--to', ours);
      const copy = join(ours, `FIX.4.4-${ACME.senderCompID}-${ACME.targetCompID}`);
      expect(await readFile(`${copy}.seqnums`, 'latin1')).toBe(await readFile(`${prefix}.seqnums`, 'latin1'));
      expect(await readFile(`${copy}.body`, 'latin1')).toContain('\x0111=q-1\x01');

      const again = new QuickfixOms({ ...options, storeFolder: ours });
      await again.process.line(/^logon/);
      again.process.say(`order q-2 ${ACCOUNT} BTCUSDC 1 0.03 2 50000 1`);
      const second = await again.message('app', report('q-2', '0', '0'));
      expect(second.int(Tag.MsgSeqNum)).toBeGreaterThan(target!);
      expect(await again.logout()).toBe(0);
      expect(again.process.lines.filter((line) => /\|141=Y\|/.test(line))).toEqual([]);
    },
    SLOW,
  );
});
