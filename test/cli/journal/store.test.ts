// `crossgate store` as its own process: what it says about a journal, its exit codes, and the files of a day (rule J4).

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import { writeDaily } from '../../../src/cli/journal/daily-files.ts';
import { writeInOwnProcess } from '../../../src/cli/journal/daily-schedule.ts';
import { readQuickfixStore, writeQuickfixStore } from '../../../src/cli/journal/quickfix-store.ts';
import { heldToo } from '../../../src/cli/journal/sent-messages.ts';
import { mustHaveRoom } from '../../../src/cli/journal/store-import.ts';
import { readMessageLog } from '../../../src/cli/log/message-log.ts';
import { journalPlace, placeToWrite, stateOf } from '../../../src/cli/options/journal-place.ts';
import { writeDurably } from '../../../src/cli/output/durable-files.ts';
import { openJournal, readJournal, verifyJournal } from '../../../src/store/mod.ts';
import { fromPrintable, maskSecrets, toPrintable } from '../../../src/wire/mod.ts';
import { flipByte } from '../../store/failing-disk.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { inbound, reset, SESSION } from '../../store/records.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DAY = Date.UTC(2026, 10, 20);

async function crossgate(...args: string[]): Promise<{ code: number | string; text: string }> {
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'store', ...args], { cwd: ROOT });
  const code = await child.ended();
  return { code, text: child.lines.join('\n') };
}

const filesOf = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

function report(msgSeqNum: number, body: string, sendingTime = '20261120-10:00:00') {
  const raw = fromPrintable(`35=8|49=XGATE|56=OMS|34=${msgSeqNum}|52=${sendingTime}|${body}|`, 'FIX.4.4');
  return { kind: 'outbound', sessionId: SESSION, series: 1, msgSeqNum, msgType: '8', resendable: true, raw } as const;
}

/**
 * A state directory with a journal of a day with two orders and two fills, one of them sent twice, and of the next day.
 */
async function aDay(): Promise<string> {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY, segmentBytes: 65_536 });
  const order = '37=900|11=a-1|1=ACC|55=BTCUSDC|54=1|38=3|44=60000|40=2';
  const fees = '136=2|137=0.1|138=BTC|139=4|137=-2|138=USDC|139=4';
  const filled = `17=f2|150=F|39=2|14=3|6=60000|151=0|32=2|31=60000|381=120000|${fees}`;
  const reports = [
    report(1, '37=NONE|17=p|150=A|39=A|11=a-1|1=ACC|55=BTCUSDC|54=1|38=3|14=0|6=0|151=3'),
    report(2, `${order}|17=n|150=0|39=0|14=0|6=0|151=3`),
    report(3, `${order}|17=f1|150=F|39=1|14=1|6=60000|151=2|32=1|31=60000`),
    report(4, `${order}|${filled}`),
    report(5, `${order}|${filled}|97=Y`),
    report(6, '37=901|11=b-1|17=r|150=8|39=8|1=ACC|55=BTCUSDC|54=2|38=1|14=0|6=0|151=0|58=refused, "price"'),
  ];
  for (const [k, one] of reports.entries()) {
    journal.append([inbound(k + 1), one], DAY + 1000 * k);
    // Each as if it had come alone: what is written together is damaged together.
    journal.write();
  }
  journal.append([report(7, `${order}|17=later|150=F|39=2|14=9|6=1|151=0|32=9|31=1`)], DAY + 86_400_000);
  await journal.close();
  return state;
}

test('J4 the files of a day name every order as it stood and every trade once', async () => {
  const state = await aDay();
  const folder = temporaryDirectory();
  const { code, text } = await crossgate('daily', '--state', state, '--date', '2026-11-20', '--to', folder, '--json');
  expect([code, JSON.parse(text).files]).toEqual([
    0,
    [
      { path: join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-orders.csv'), lines: 2 },
      { path: join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-trades.csv'), lines: 2 },
    ],
  ]);
  const [orders, trades] = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').split('\r\n'));
  expect(orders![0]).toMatch(/^RecordedAt,OrderID,ClOrdID,Account,Symbol,Side,/);
  expect(orders![1]).toBe('2026-11-20T00:00:03.000Z,900,a-1,ACC,BTCUSDC,1,2,,3,60000,,2,3,60000,0,,');
  expect(orders![2]).toBe('2026-11-20T00:00:05.000Z,901,b-1,ACC,BTCUSDC,2,,,1,,,8,0,0,0,,"refused, ""price"""');
  expect(trades!.slice(1, 3).map((line) => line.split(',')[1])).toEqual(['f1', 'f2']);
  expect(trades![0]).toMatch(/,TransactTime,GrossTradeAmt,MiscFeeAmt,MiscFeeCurr,RebateAmt,.*,MatchType$/);
  expect(trades![2]).toMatch(/,120000,0\.1 -2,BTC USDC,,,,,$/);
  const nothing = await crossgate('daily', '--state', state, '--date', '2026-11-18', '--to', folder);
  expect(nothing).toEqual({ code: 0, text: 'There was no ExecutionReport on 2026-11-18.' });
  expect((await crossgate('daily', '--state', state, '--date', 'yesterday')).code).toBe(2);
});

test('an empty --state is refused: an import would begin a journal in the folder that one is in', async () => {
  for (const place of [journalPlace, placeToWrite]) {
    for (const state of ['', ' ']) {
      await expect(place(state)).rejects.toThrow(
        /^--state is empty: name a state directory of the gateway, or postgres:/,
      );
    }
  }
});

test("reads daily files from PostgreSQL by the configuration's reference, from any folder", async () => {
  const state = temporaryDirectory();
  writeFileSync(join(state, 'pg.url'), 'postgresql://me@db/crossgate\n', { mode: 0o600 });
  const url = (reference: string) => ({ url: { reference, read: () => '' }, journal: 'desk' });
  const rows = { url: 'postgresql://me@db/crossgate', journal: 'desk' };
  expect(await journalPlace(stateOf(url('file:pg.url'), state))).toEqual({ kind: 'postgres', rows });
  expect(stateOf(url('env:PG_URL'), state)).toBe('postgres:env:PG_URL,desk');
});

test('refuses an address as --state without repeating it, because it holds a password', async () => {
  const address = '//gate:hunter2@127.0.0.1:1/crossgate';
  const states = [
    'postgresql:',
    'postgres:',
    'postgres:postgresql:',
    'postgres:file:postgresql:',
    'postgres:env:postgresql:',
  ];
  for (const state of states.map((start) => start + address)) {
    for (const place of [journalPlace, placeToWrite, (named: string) => readMessageLog(named, '').next()]) {
      await expect(place(state)).rejects.toThrow(
        /^--state: write postgres:env:NAME or postgres:file:PATH, not the address, which holds a password$/,
      );
    }
  }
});

test('without a journal explains --state, and that a log file is none', async () => {
  const file = join(temporaryDirectory(), 'messages.txt');
  writeFileSync(file, '8=FIX.4.4|35=0|');
  for (const state of [file, temporaryDirectory()]) {
    await expect(journalPlace(state)).rejects.toThrow(
      `there is no journal in ${state}: name a state directory of the gateway, or postgres:REFERENCE`,
    );
  }
});

test('J4 writes daily files as far as the journal can be read, and reports the rest with exit code 1', async () => {
  const state = await aDay();
  // In the frame of the first report, which is said again by none behind it.
  flipByte(join(state, 'journal', '00000001.xgj'), 250);
  const folder = temporaryDirectory();
  const options = ['daily', '--state', state, '--to', folder];
  const { code, text } = await crossgate(...options, '--date', '2026-11-20');
  expect(code).toBe(1);
  expect(text).toContain('-trades.csv: 2 lines');
  expect(text).toMatch(/reports of 2026-11-20 may be missing: .*00000001\.xgj: a frame is damaged at offset \d+/);
  // The day after, there was none.
  expect((await crossgate(...options, '--date', '2026-11-21')).code).toBe(0);
  const log = new LineProcess(process.execPath, ['src/cli/main.ts', 'log', '--state', state], { cwd: ROOT });
  expect(await log.ended()).toBe(1);
  expect(log.lines.filter((line) => line.startsWith('crossgate: messages may be missing: '))).toHaveLength(1);
  const { signal } = new AbortController();
  const missing = await writeInOwnProcess(state, '2026-11-20', folder, signal, { main: join(ROOT, 'src/cli/main.ts') });
  expect(missing).toEqual([expect.stringContaining('00000001.xgj: a frame is damaged')]);
});

test('J4 a clock that was ahead or behind for some time leaves no report out of the files of a day', async () => {
  const state = temporaryDirectory();
  let now = DAY + 3_600_000;
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => now, segmentBytes: 65_536 });
  const fill = (n: number, at: number): void => {
    now = at;
    const fields = `37=900|11=a-${n}|17=f${n}|150=F|39=1|1=ACC|55=BTCUSDC|54=1|38=9|14=${n}|6=1|151=1|32=1|31=1`;
    journal.append([report(n, `${fields}|58=${'x'.repeat(40_000)}`)], at);
    journal.write();
  };
  fill(1, DAY + 3_600_000);
  // An hour and a half behind: a file of the journal begins on the day before.
  fill(2, DAY - 1_800_000);
  fill(3, DAY - 1_700_000);
  fill(4, DAY + 3_700_000);
  // Two hours ahead, and set right.
  fill(5, DAY + 87_000_000);
  fill(6, DAY + 80_000_000);
  await journal.close();
  const folder = temporaryDirectory();
  await writeDaily({ kind: 'embedded', directory: join(state, 'journal') }, '2026-11-20', DAY, folder);
  const trades = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-trades.csv'), 'utf8').trim().split('\r\n');
  expect(trades.slice(1).map((line) => line.split(',')[1])).toEqual(['f1', 'f4', 'f6']);
});

test('J4 a clock wrong for a time and corrected blocks the files of no other day', async () => {
  const state = temporaryDirectory();
  const directory = join(state, 'journal');
  let now = DAY;
  const journal = await openJournal({ directory, now: () => now, segmentBytes: 65_536 });
  const days = [-9, -8, 1, -7, -6, -1, 0, -5, 0, 1];
  for (const [k, day] of days.entries()) {
    now = DAY + day * 86_400_000 + 3_600_000 + k;
    const fields = `37=900|11=a-${k}|17=f${k}|150=F|39=1|1=ACC|55=BTCUSDC|54=1|38=9|14=${k}|6=1|151=1|32=1|31=1`;
    journal.append([report(k + 1, `${fields}|58=${'x'.repeat(60_000)}`)], now);
    journal.write();
  }
  await journal.close();
  const folder = temporaryDirectory();
  const { damage } = await writeDaily({ kind: 'embedded', directory }, '2026-11-20', DAY, folder);
  expect(damage).toEqual([]);
  const trades = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-trades.csv'), 'utf8').trim().split('\r\n');
  expect(trades.slice(1).map((line) => line.split(',')[1])).toEqual(['f6', 'f8']);
});

test("J4 a clock days ahead for a time puts none of its records into a day's files", async () => {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const hours = [10, 11, 240, 241, 100, 12, 30, 240, 13, 60, 85, 14];
  for (const [k, hour] of hours.entries()) {
    const fields = `37=900|11=a-${k}|17=f${k}|150=F|39=1|1=ACC|55=BTCUSDC|54=1|38=9|14=${k}|6=1|151=1|32=1|31=1`;
    journal.append([report(k + 1, fields)], DAY + hour * 3_600_000);
  }
  await journal.close();
  const folder = temporaryDirectory();
  await writeDaily({ kind: 'embedded', directory: join(state, 'journal') }, '2026-11-20', DAY, folder);
  const trades = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-trades.csv'), 'utf8').trim().split('\r\n');
  // Days after a completed one are not read.
  expect(trades.slice(1).map((line) => line.split(',')[1])).toEqual(['f0', 'f1', 'f5', 'f8']);
});

test("J4 an order with another's OrderID as ClOrdID takes no line from the daily files", async () => {
  const state = temporaryDirectory();
  const directory = join(state, 'journal');
  const journal = await openJournal({ directory, now: () => DAY });
  journal.append([report(1, '37=900|17=1|150=0|39=0|11=7')], DAY);
  journal.append([report(2, '37=NONE|17=2|150=A|39=A|11=900')], DAY + 1);
  journal.append([report(3, '37=901|17=3|150=0|39=0|11=900')], DAY + 2);
  journal.append([report(4, '37=NONE|17=4|150=8|39=8|11=901')], DAY + 3);
  await journal.close();
  const folder = temporaryDirectory();
  await writeDaily({ kind: 'embedded', directory }, '2026-11-20', DAY, folder);
  const lines = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-orders.csv'), 'utf8').trim().split('\r\n');
  expect(lines.slice(1).map((line) => line.split(',').slice(1, 3))).toEqual([
    ['900', '7'],
    ['901', '900'],
    ['NONE', '901'],
  ]);
});

test('J4 a fill repeated on a later day, or imported, is a trade of its own day only', async () => {
  const state = temporaryDirectory();
  const directory = join(state, 'journal');
  const journal = await openJournal({ directory, now: () => DAY });
  const next = DAY + 86_400_000;
  const fill = (id: string, transactTime: string, sendingTime: string, more = '') =>
    report(1, `37=900|17=${id}|150=F|39=1|11=a-1|14=1|151=2|32=1|31=60000|60=${transactTime}${more}`, sendingTime);
  journal.append([fill('f1', '20261120-23:59:50.000', '20261120-23:59:50.000')], next - 10_000);
  // The exchange reported it late.
  journal.append([fill('f2', '20261120-23:59:59.900', '20261121-00:00:00.100')], next + 100);
  const again = fill('f1', '20261120-23:59:50.000', '20261121-00:01:00.000', '|97=Y');
  journal.append([{ ...again, series: 2 }], next + 60_000);
  // The beginning is not in the journal: it was damaged.
  const alone = fill('f3', '20261121-00:00:50.000', '20261121-00:01:01.000', '|97=Y');
  journal.append([{ ...alone, series: 2 }], next + 61_000);
  // From another engine with an imported store.
  journal.append([{ ...fill('f4', '20261119-10:00:00.000', '20261119-10:00:00.000'), series: 3 }], next + 70_000);
  await journal.close();
  const execIDs = async (date: string, from: number): Promise<unknown[]> => {
    const folder = temporaryDirectory();
    await writeDaily({ kind: 'embedded', directory }, date, from, folder);
    const lines = readFileSync(join(folder, `FIX.4.4-XGATE-OMS-${date}-trades.csv`), 'utf8')
      .trim()
      .split('\r\n');
    return lines.slice(1).map((line) => line.split(',')[1]);
  };
  expect(await execIDs('2026-11-20', DAY)).toEqual(['f1']);
  expect(await execIDs('2026-11-21', next)).toEqual(['f2', 'f3']);
});

test('J4 the files of a day are of one session each, however alike their CompIDs, and however long', async () => {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const long = 'X'.repeat(64);
  const sessions = ['A_B', 'A:B', 'A/B', `${long}/${long}/${long}`, `${long}/${long}/${long}Y`].map(
    (one) => `XGATE->${one}`,
  );
  const all = [...sessions, 'XGATE-A->B', 'XGATE->A-B'].map((one) => `FIX.4.4:${one}`);
  for (const [k, sessionId] of all.entries()) {
    journal.append([{ ...report(1, `37=${k}|17=f${k}|150=F|39=2|32=1|31=1`), sessionId }], DAY);
  }
  await journal.close();
  const folder = temporaryDirectory();
  const place = { kind: 'embedded', directory: join(state, 'journal') } as const;
  const { files } = await writeDaily(place, '2026-11-20', DAY, folder);
  expect(files).toHaveLength(2 * all.length);
  const trades = readdirSync(folder).filter((name) => name.endsWith('-trades.csv'));
  const execIDs = trades.map((name) => readFileSync(join(folder, name), 'utf8').split('\r\n')[1]?.split(',')[1]);
  expect(execIDs.sort()).toEqual(all.map((_, k) => `f${k}`));
  expect(trades).toEqual(
    expect.arrayContaining(['A_B', 'A+B', 'A~B'].map((one) => `FIX.4.4-XGATE-${one}-2026-11-20-trades.csv`)),
  );
});

test('of the sessions of a journal that has thousands ten are named where another was asked for', async () => {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const sessionIds = Array.from({ length: 1000 }, (_, k) => `${SESSION}${k}`);
  journal.append(
    sessionIds.map((sessionId) => ({ kind: 'state', sessionId, loggedOn: true }) as const),
    DAY,
  );
  await journal.close();
  const options = ['--state', state, '--session', 'FIX.4.4:XGATE->NOBODY', '--to', temporaryDirectory()];
  const { text } = await crossgate('export', ...options);
  expect(text).toMatch(/it knows FIX.4.4:XGATE->OMS0, .*OMS9 and 990 more sessions \[XG_NOT_FOUND\]/);
});

test('a session that the journal does not know is not found, which is no wrong usage', async () => {
  const unknown = [
    'export',
    '--state',
    await aDay(),
    '--session',
    'FIX.4.4:XGATE->NOBODY',
    '--to',
    temporaryDirectory(),
  ];
  expect(await crossgate(...unknown)).toMatchObject({ code: 1, text: expect.stringContaining('[XG_NOT_FOUND]') });
});

test('exports and imports a session of a damaged journal only after an operator admitted it', async () => {
  const state = await aDay();
  // In the frame of the second report.
  flipByte(join(state, 'journal', '00000001.xgj'), 500);
  const folder = temporaryDirectory();
  const out = ['export', '--state', state, '--session', SESSION, '--to', folder];
  const refused = await crossgate(...out);
  expect(refused.code).toBe(1);
  expect(refused.text).toMatch(
    /00000001\.xgj: a frame is damaged at offset \d+: .*; records of FIX\.4\.4:XGATE->OMS may be among them: put the file back/,
  );
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY, onDamage: 'pass' });
  journal.append([{ kind: 'damageAccepted', sessionId: SESSION, who: 'pat', why: 'numbers agreed on' }], DAY);
  await journal.close();
  expect((await crossgate(...out)).text).toContain('next out 8, next in 7, 6 messages');
  const into = ['import', join(folder, 'FIX.4.4-XGATE-OMS'), '--state', state, '--why', 'comes back'];
  expect((await crossgate(...into, '--session', SESSION, '--replace')).text).toContain('6 of 6 messages can be resent');
  // Another session may have had records there.
  const other = await crossgate('export', '--state', state, '--session', 'FIX.4.4:XGATE->OMS2', '--to', folder);
  expect(other.text).toContain('records of FIX.4.4:XGATE->OMS2 may be among them');
});

describeWith(await tool('strace', ['-V'], 'strace'), 'with strace', () => {
  test('an export is on the disk before the command says that it is there, the numbers last', async () => {
    const state = await aDay();
    const folder = temporaryDirectory();
    const trace = join(temporaryDirectory(), 'trace');
    const calls = 'trace=fsync,fdatasync,rename,renameat,renameat2,write';
    const command = ['src/cli/main.ts', 'store', 'export', '--state', state, '--session', SESSION, '--to', folder];
    const args = ['-f', '-y', '-s', '500', '-o', trace, '-e', calls, process.execPath, ...command];
    const child = new LineProcess('strace', args, { cwd: ROOT });
    expect(await child.ended()).toBe(0);
    const done = readFileSync(trace, 'utf8').split('\n');
    const at = (what: RegExp): number => done.findIndex((line) => what.test(line));
    const names = ['body', 'header', 'session', 'seqnums'];
    const synced = names.map((name) => at(new RegExp(`f(data)?sync\\(\\d+<.*-OMS\\.${name}\\.[0-9a-f]+\\.draft>`)));
    const renamed = names.map((name) =>
      at(new RegExp(`rename.*-OMS\\.${name}\\.[0-9a-f]+\\.draft", .*-OMS\\.${name}"`)),
    );
    const folderSynced = at(new RegExp(`fsync\\(\\d+<${folder}>`));
    const said = at(/write\(1<.*next out 8/);
    const order = [...synced, ...renamed, folderSynced, said];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test('an export killed at any rename leaves no old numbers, and no drafts after a repetition', async () => {
    const state = await aDay();
    const folder = temporaryDirectory();
    const prefix = join(folder, 'FIX.4.4-XGATE-OMS');
    const command = ['src/cli/main.ts', 'store', 'export', '--state', state, '--session', SESSION, '--to', folder];
    const killed: (number | null)[] = [];
    for (let rename = 1; rename <= 4; rename++) {
      await writeQuickfixStore(prefix, { nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 2, messages: older() }, DAY);
      const inject = ['-e', 'trace=rename', '-e', `inject=rename:signal=KILL:when=${rename}`];
      // Which renames files, too.
      const env = { NODE_DISABLE_COMPILE_CACHE: '1' };
      const args = ['-f', '-qq', ...inject, process.execPath, ...command];
      expect(await new LineProcess('strace', args, { cwd: ROOT, env }).ended()).not.toBe(0);
      const numbers = readdirSync(folder).includes('FIX.4.4-XGATE-OMS.seqnums');
      killed.push(numbers ? readQuickfixStore(prefix, SESSION).nextSenderMsgSeqNum : null);
    }
    expect(killed.map((number) => [null, 8].includes(number))).toEqual([true, true, true, true]);
    expect((await crossgate('export', '--state', state, '--session', SESSION, '--to', folder)).code).toBe(0);
    expect(readdirSync(folder)).toHaveLength(4);
    expect(readQuickfixStore(prefix, SESSION)).toMatchObject({ nextSenderMsgSeqNum: 8, count: 7 });
  });

  test('S11 an import killed half-way leaves no numbers without messages, and can be repeated', async () => {
    const sent = Array.from({ length: 300 }, (_, k) => report(k + 1, `37=1|17=a|58=${'x'.repeat(65_536)}`).raw);
    const options = ['--session', SESSION, '--why', 'moves here'];
    const prefix = quickfixStore(...sent);
    for (const sync of [1, 2, 3]) {
      const state = temporaryDirectory();
      const command = ['src/cli/main.ts', 'store', 'import', prefix, '--state', state, ...options];
      const inject = ['-e', 'trace=fdatasync', '-e', `inject=fdatasync:signal=KILL:when=${sync}+`];
      const child = new LineProcess('strace', ['-f', '-qq', ...inject, process.execPath, ...command], { cwd: ROOT });
      expect(await child.ended()).not.toBe(0);
      const left = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
      const found = left.recovered.sessions.get(SESSION);
      const next = found?.numbers.nextSenderMsgSeqNum ?? 1;
      expect(await left.loadOutbound(SESSION, 1, 1, 300)).toHaveLength(next - 1);
      await left.close();
      // A gateway started on it, or a further move, would continue with a part.
      expect(found?.importBegun).toBe(next === 1 ? undefined : true);
      const notWhole = `an import of ${SESSION} was begun and did not come to its end: do it again with --replace`;
      const verified = await crossgate('verify', '--state', state);
      expect([verified.code, verified.text.includes(notWhole)]).toEqual(next === 1 ? [0, false] : [1, true]);
      // Nothing is damaged; and a session that no file names has no name for a reset.
      expect(verified.text).not.toContain('damaged: ');
      if (next > 1) expect(verified.text).toMatch(/^unfinished: .*sessions reset NAME.*sessions open/m);
      const to = temporaryDirectory();
      const moved = await crossgate('export', '--state', state, '--session', SESSION, '--to', to);
      if (next > 1) expect(moved).toEqual({ code: 1, text: expect.stringContaining(notWhole) });
      const again = await crossgate('import', prefix, '--state', state, ...options, '--replace');
      expect(again.text).toBe(`${SESSION}: next out 301, next in 20, 300 of 300 messages can be resent`);
      expect((await crossgate('verify', '--state', state)).code).toBe(0);
    }
  });

  test('verify --rebuild killed at any removal leaves no snapshot without its orders', async () => {
    const state = temporaryDirectory();
    const directory = join(state, 'journal');
    const journal = await openJournal({ directory, now: () => DAY, segmentBytes: 65_536, snapshotBytes: 65_536 });
    for (let n = 1; readdirSync(directory).filter((name) => name.endsWith('.xgs')).length < 2; n++) {
      journal.append(
        [{ kind: 'order', key: `o-${n}`, record: 'x'.repeat(500), ended: [`c|${n}`] }, report(n, 'x')],
        DAY,
      );
      if (n % 200 > 0) continue;
      await journal.sync();
      await journal.snapshotsIdle();
    }
    await journal.close();
    const command = ['src/cli/main.ts', 'store', 'verify', '--rebuild', '--state'];
    for (let removal = 1; ; removal++) {
      const copy = temporaryDirectory();
      cpSync(state, copy, { recursive: true });
      const inject = [
        '-e',
        'trace=unlink',
        '-P',
        ...made(join(copy, 'journal'))
          .flatMap((path) => ['-P', path])
          .slice(1),
      ];
      const when = ['-e', `inject=unlink:signal=KILL:when=${removal}`];
      const args = ['-f', '-qq', ...inject, ...when, process.execPath, ...command, copy];
      const ended = await new LineProcess('strace', args, { cwd: ROOT }).ended();
      const { problems } = await verifyJournal(join(copy, 'journal'), DAY);
      expect([removal, problems]).toEqual([removal, []]);
      if (ended === 0) break;
    }
  });
});

/** The session's messages at the earlier export. */
async function* older() {
  yield [report(1, '37=1|17=a'), report(2, '37=1|17=b')];
}

/** Files derived from the segments of a journal. */
function made(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => (/\.xg[sxko]$/.test(name) ? [join(directory, name)] : []));
}

test('a day that no month has is refused, not taken for another', async () => {
  const { code, text } = await crossgate('daily', '--date', '2026-02-30');
  expect([code, text]).toEqual([2, 'crossgate: --date 2026-02-30: write a day as 2026-11-20 [XG_USAGE]']);
});

test('verifies a whole journal with exit 0, a damaged byte with 1, file and offset; show has numbers', async () => {
  const state = await aDay();
  const whole = await crossgate('verify', '--state', state, '--json');
  expect([whole.code, JSON.parse(whole.text)]).toMatchObject([0, { records: 13, segments: 1, problems: [] }]);
  const shown = await crossgate('show', '--state', state);
  expect(shown.text).toMatch(/FIX\.4\.4:XGATE->OMS +1 +8 +7 +0 +2026-11-21T00:00:00/);
  const segment = join(state, 'journal', '00000001.xgj');
  flipByte(segment, 500);
  const damaged = await crossgate('verify', '--state', state);
  expect(damaged.code).toBe(1);
  expect(damaged.text).toMatch(/damaged: .*00000001\.xgj: a frame is damaged .*at offset \d+/);
  expect((await crossgate('show', '--state', state)).text).toMatch(
    /Damage +.*00000001\.xgj: a frame is damaged at offset \d+.*; may concern FIX/,
  );
  expect((await crossgate('verify', '--state', temporaryDirectory())).code).toBe(2);
});

test('reports a damaged snapshot, and --rebuild repairs it', async () => {
  const state = await aDay();
  const name = 'snapshot-00000001.xgs';
  writeFileSync(join(state, 'journal', name), 'no snapshot');
  const damaged = await crossgate('verify', '--state', state);
  expect(damaged.code).toBe(1);
  expect(damaged.text).toContain(`${name}: this snapshot cannot be used: it is no snapshot`);
  const rebuilt = await crossgate('verify', '--state', state, '--rebuild');
  expect([rebuilt.code, rebuilt.text.split('\n').at(-1)]).toEqual([0, 'All of it is whole.']);
});

test('exports from a journal on its own disk with a root-only lost+found', async () => {
  const state = await aDay();
  const journal = join(state, 'journal');
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  if (isRoot) {
    for (const path of [state, journal, ...filesOf(journal)]) chownSync(path, 65_534, 65_534);
    // The files that lead to it are root's.
    chmodSync(dirname(state), 0o711);
  }
  mkdirSync(join(journal, 'lost+found'), { mode: 0 });
  const args = ['store', 'export', '--state', state, '--session', SESSION, '--to', join(state, 'out')];
  const done = spawnSync(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT, encoding: 'utf8', ...user });
  expect([done.stderr, done.status]).toEqual(['', 0]);
  expect(readdirSync(join(state, 'out'))).toHaveLength(4);
});

test('exports sessions with equal or overlong QuickFIX names side by side', async () => {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const sessionIds = ['FIX.4.4:XGATE->X/A', 'FIX.4.4:XGATE->X_A', `FIX.4.4:XGATE->${'L'.repeat(300)}`, SESSION];
  for (const [k, sessionId] of sessionIds.entries()) journal.append([inbound(k + 1, sessionId)], DAY);
  await journal.close();
  const folder = temporaryDirectory();
  const prefixes: string[] = [];
  for (const [k, session] of sessionIds.entries()) {
    const exported = await crossgate('export', '--state', state, '--session', session, '--to', folder, '--json');
    prefixes.push(JSON.parse(exported.text).prefix);
    expect(readFileSync(`${prefixes.at(-1)}.seqnums`, 'latin1')).toBe(`0000000001 : 000000000${k + 2}`);
  }
  expect(new Set(prefixes).size).toBe(sessionIds.length);
  expect(prefixes.at(-1)).toBe(join(folder, 'FIX.4.4-XGATE-OMS'));
  expect(readdirSync(folder)).toHaveLength(4 * sessionIds.length);
});

test('S2 an export reports how many reports of ended series it leaves behind', async () => {
  const state = await aDay();
  const out = ['export', '--state', state, '--session', SESSION, '--to', temporaryDirectory()];
  expect((await crossgate(...out)).text).not.toContain('in none of the files');
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const heartbeat = { ...report(8, ''), msgType: '0', resendable: false } as const;
  journal.append([heartbeat, { kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 5 }, reset(2)], DAY);
  await journal.close();
  const { code, text } = await crossgate(...out);
  expect([code, text]).toEqual([0, expect.stringContaining('next out 1, next in 1, 0 messages')]);
  expect(text).toMatch(
    /crossgate: 2 reports of numbers that ended before these may not have arrived, and are in none of/,
  );
});

test('a file that a full disk has no room for is named', async () => {
  const path = join(temporaryDirectory(), 'orders.csv');
  // As Node.js says it, which knows the file no more when it writes.
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  async function* text(): AsyncGenerator<string> {
    yield 'text';
    throw full;
  }
  await expect(writeDurably([[path, text()]])).rejects.toThrow(`ENOSPC: no space left on device, write '${path}'`);
});

/** As Java writes a text: its length in two bytes before it. */
const javaText = (text: string): Buffer => Buffer.from(`\0${String.fromCharCode(text.length)}${text}`, 'latin1');

/** The same session's store as QuickFIX/J writes it. */
function quickfixJStore(...sent: readonly Uint8Array[]): string {
  const prefix = join(temporaryDirectory(), 'store');
  writeFileSync(`${prefix}.senderseqnums`, javaText('10'));
  writeFileSync(`${prefix}.targetseqnums`, javaText('20'));
  writeFileSync(`${prefix}.session`, javaText('20261121-09:30:00.123'));
  let offset = 0;
  const places = sent.map((raw, k) => {
    const place = Buffer.alloc(16);
    place.writeInt32BE(k + 1, 0);
    place.writeBigInt64BE(BigInt(offset), 4);
    // The length of the text, which is less where a character has several bytes.
    place.writeInt32BE(Buffer.from(raw).toString('utf8').length, 12);
    offset += raw.length;
    return place;
  });
  writeFileSync(`${prefix}.header`, Buffer.concat(places));
  writeFileSync(`${prefix}.body`, Buffer.concat(sent));
  return prefix;
}

/** And as its CachedFileStore does, and every file store of /J before 1.4: both numbers in one file. */
function quickfixJCachedStore(...sent: readonly Uint8Array[]): string {
  const prefix = quickfixJStore(...sent);
  for (const end of ['senderseqnums', 'targetseqnums']) rmSync(`${prefix}.${end}`);
  // Of a longer text that it wrote before, the rest stays behind.
  writeFileSync(`${prefix}.seqnums`, Buffer.concat([javaText('10:20'), Buffer.from('99')]));
  let offset = 0;
  const places = Buffer.from(readFileSync(`${prefix}.header`));
  for (const [k, { length }] of sent.entries()) {
    // This store counts bytes.
    places.writeBigInt64BE(BigInt(offset), 16 * k + 4);
    places.writeInt32BE(length, 16 * k + 12);
    offset += length;
  }
  writeFileSync(`${prefix}.header`, places);
  return prefix;
}

/** And as QuickFIX for Go does. */
function quickfixGoStore(...sent: readonly Uint8Array[]): string {
  const prefix = quickfixStore(...sent);
  rmSync(`${prefix}.seqnums`);
  writeFileSync(`${prefix}.senderseqnums`, '10'.padStart(19, '0'));
  writeFileSync(`${prefix}.targetseqnums`, '20'.padStart(19, '0'));
  writeFileSync(`${prefix}.header`, readFileSync(`${prefix}.header`, 'latin1').replaceAll(' ', '\n'));
  writeFileSync(`${prefix}.session`, '2026-11-21T09:30:00.123456789Z');
  return prefix;
}

/** And as QuickFIX/n does: twenty digits each, blanks behind them, lines of Windows. */
function quickfixNStore(...sent: readonly Uint8Array[]): string {
  const prefix = quickfixStore(...sent);
  const digits = (number: number): string => String(number).padStart(20, '0');
  writeFileSync(`${prefix}.seqnums`, `${digits(10)} : ${digits(20)}  `);
  writeFileSync(`${prefix}.header`, readFileSync(`${prefix}.header`, 'latin1').replaceAll(' ', '\r\n'));
  writeFileSync(`${prefix}.session`, '20261121-09:30:00.123');
  return prefix;
}

/** A store as QuickFIX C++ writes it, of a session with these sent messages and the next number 10 or after them. */
function quickfixStore(...sent: readonly Uint8Array[]): string {
  const prefix = join(temporaryDirectory(), 'store');
  const next = Math.max(10, sent.length + 1);
  writeFileSync(`${prefix}.seqnums`, `${String(next).padStart(10, '0')} : 0000000020`);
  let offset = 0;
  let header = '';
  for (const [k, { length }] of sent.entries()) {
    header += `${k + 1},${offset},${length} `;
    offset += length;
  }
  writeFileSync(`${prefix}.header`, header);
  writeFileSync(`${prefix}.body`, Buffer.concat(sent));
  return prefix;
}

test('C1 an import after a kill is no reset for a Logon to take back; the interruption stays known', async () => {
  const state = temporaryDirectory();
  const directory = join(state, 'journal');
  const journal = await openJournal({ directory, now: () => DAY });
  journal.append([{ kind: 'state', sessionId: SESSION, loggedOn: true }, inbound(1), report(1, '37=1|17=a')], DAY);
  await journal.close();
  const options = ['--state', state, '--session', SESSION, '--why', 'moves back', '--replace'];
  const imported = await crossgate('import', quickfixStore(report(1, '37=1|17=a').raw), ...options);
  expect(imported.text).toContain('next out 10, next in 20, 1 of 1 messages');
  const after = await openJournal({ directory, now: () => DAY });
  const session = after.recovered.sessions.get(SESSION)!;
  await after.close();
  expect(session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 10, nextTargetMsgSeqNum: 20 });
  expect([session.before, session.loggedOn]).toEqual([undefined, true]);
});

test('an imported Logon(A) is recorded without its password, and not resendable', async () => {
  const state = temporaryDirectory();
  const header = '49=XGATE|56=OMS|34=1|52=20261120-10:00:00';
  const logon = fromPrintable(`35=A|${header}|98=0|108=30|553=desk|554=hunter2|95=9|96=signature|`, 'FIX.4.4');
  const sent = [logon, report(2, '37=1|17=a').raw];
  const options = ['--state', state, '--session', SESSION, '--why', 'moves here'];
  expect((await crossgate('import', quickfixStore(...sent), ...options)).text).toContain(
    '1 of 2 messages can be resent',
  );
  const recorded: string[] = [];
  for await (const { record } of readJournal(join(state, 'journal'))) {
    if (record.kind === 'outbound') recorded.push(toPrintable(record.raw));
  }
  expect(recorded).toEqual([toPrintable(maskSecrets(logon)), toPrintable(sent[1]!)]);
});

test('S2 repeated imported reports are not owed by the replaced numbers; others are', async () => {
  const state = temporaryDirectory();
  const sent = Array.from({ length: 7 }, (_, k) => report(k + 1, `37=1|17=a-${k}`).raw);
  const options = ['--state', state, '--session', SESSION, '--why', 'moves here'];
  const owed = async (): Promise<unknown> => {
    const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
    const { ended, numbers } = journal.recovered.sessions.get(SESSION)!;
    await journal.close();
    return [numbers.series, ended];
  };
  await crossgate('import', quickfixStore(...sent), ...options);
  await crossgate('import', quickfixStore(...sent), ...options, '--replace');
  expect(await owed()).toEqual([2, undefined]);
  const other = sent.with(4, report(5, '37=1|17=other').raw);
  expect((await crossgate('import', quickfixStore(...other), ...options, '--replace')).code).toBe(0);
  expect(await owed()).toEqual([3, [{ series: 2, from: 5, to: 9 }]]);
});

test('S2 reports that cannot be read any more stay owed, and are no reason to refuse an import', async () => {
  const loadOutbound = () => Promise.reject(new CrossgateError('XG_JOURNAL_CORRUPT', 'a frame is damaged'));
  expect(await heldToo({ loadOutbound }, SESSION, { series: 1, from: 5, to: 9 }, [])).toBe(4);
});

test('refuses the store of another session, by the CompIDs of its messages', async () => {
  const prefix = quickfixStore(report(1, '37=1|17=a').raw);
  const into = (sessionId: string) =>
    crossgate('import', prefix, '--state', temporaryDirectory(), '--session', sessionId, '--why', 'a slip');
  const refused = await into('FIX.4.4:XGATE->OMS2');
  expect([refused.code, refused.text]).toEqual([
    2,
    expect.stringContaining('message 1 is of FIX.4.4:XGATE->OMS, not of FIX.4.4:XGATE->OMS2; nothing was imported'),
  ]);
  expect((await into('FIX.4.4:XGATE->OMS/DESK')).code).toBe(0);
});

test('imports a QuickFIX store larger than a journal keeps in memory', async () => {
  const sent = Array.from({ length: 1100 }, (_, k) => report(k + 1, `37=1|17=a|58=${'x'.repeat(65_536)}`).raw);
  const state = temporaryDirectory();
  const journal = join(state, 'journal');
  mkdirSync(journal);
  // A gateway that runs as another user than this root must be able to open what is made for it.
  const owner = process.getuid?.() === 0 ? 65_534 : statSync(journal).uid;
  chownSync(journal, owner, statSync(journal).gid);
  const options = ['--state', state, '--session', SESSION, '--why', 'moves here'];
  const imported = await crossgate('import', quickfixStore(...sent), ...options);
  expect(imported).toEqual({
    code: 0,
    text: `${SESSION}: next out 1101, next in 20, 1100 of 1100 messages can be resent`,
  });
  const owners = readdirSync(journal).map((name) => [name, statSync(join(journal, name)).uid]);
  expect(owners).toEqual(owners.map(([name]) => [name, owner]));
});

test('S11 an import that a disk has no room for is refused before it changes the numbers of the session', async () => {
  const state = await aDay();
  const journal = join(state, 'journal');
  const prefix = quickfixStore(report(1, '37=1|17=a').raw);
  const { bavail, bsize } = statfsSync(journal);
  expect(() => mustHaveRoom({ kind: 'embedded', directory: journal }, { bytes: bavail * bsize, count: 1 })).toThrow(
    /the import needs \d+ bytes, and the disk of .* has \d+: nothing was imported/,
  );
  mustHaveRoom({ kind: 'embedded', directory: journal }, readQuickfixStore(prefix, SESSION));
});

test('an import asked to stop finishes first; one of several frames notes its begin in the audit', async () => {
  const sent = Array.from({ length: 1100 }, (_, k) => report(k + 1, `37=1|17=a|58=${'x'.repeat(20_000)}`).raw);
  const state = await aDay();
  const command = [
    'src/cli/main.ts',
    'store',
    'import',
    quickfixStore(...sent),
    '--state',
    state,
    '--session',
    SESSION,
  ];
  const child = new LineProcess(process.execPath, [...command, '--why', 'moves here', '--replace'], { cwd: ROOT });
  const segment = join(state, 'journal', '00000001.xgj');
  await expect.poll(() => statSync(segment).size, { interval: 1 }).toBeGreaterThan(2_000_000);
  expect(await child.kill('SIGINT')).toBe(0);
  expect(child.lines.at(-1)).toBe(`${SESSION}: next out 1101, next in 20, 1100 of 1100 messages can be resent`);
  const trail = await crossgate('audit', '--state', state, '--match', 'import');
  expect(trail.text).toContain(`import begun  ${SESSION} next out 8, next in 7: import of QuickFIX file store`);
});

test('J3 an import into an older copy of a journal says that it is one, and keeps it in the audit trail', async () => {
  const state = await aDay();
  const [directory, witness] = [join(state, 'journal'), join(state, 'journal.witness')];
  const copy = temporaryDirectory();
  cpSync(directory, copy, { recursive: true });
  const journal = await openJournal({ directory, witness, now: () => DAY });
  journal.append([inbound(7)], DAY);
  await journal.close();
  rmSync(directory, { recursive: true });
  cpSync(copy, directory, { recursive: true });
  const options = ['--state', state, '--session', SESSION, '--why', 'moves here', '--replace'];
  const told = /the journal ends with frame \d+, but frame \d+ was on disk already: it was replaced by an older copy/;
  const imported = await crossgate('import', quickfixStore(report(1, '37=1|17=a').raw), ...options);
  expect(imported).toEqual({ code: 0, text: expect.stringMatching(told) });
  expect((await crossgate('audit', '--state', state)).text).toMatch(new RegExp(`journal replaced.*${told.source}`));
  // It is the journal from now on.
  expect(await crossgate('verify', '--state', state)).toMatchObject({ code: 0 });
});

test('an import of large messages makes no frame that a journal refuses', async () => {
  const sent = Array.from({ length: 20 }, (_, k) => report(k + 1, `37=1|17=a|58=${'x'.repeat(400_000)}`).raw);
  const state = temporaryDirectory();
  const options = ['--state', state, '--session', SESSION, '--why', 'moves here'];
  expect((await crossgate('import', quickfixStore(...sent), ...options)).text).toContain(
    '20 of 20 messages can be resent',
  );
  // Three of them at most in each.
  const { frames, problems } = JSON.parse((await crossgate('verify', '--state', state, '--json')).text);
  expect([frames >= 7, problems]).toEqual([true, []]);
  const folder = temporaryDirectory();
  await crossgate('export', '--state', state, '--session', SESSION, '--to', folder);
  expect(readFileSync(join(folder, 'FIX.4.4-XGATE-OMS.body'))).toEqual(Buffer.concat(sent));
});

test('imports into the journal of the named folder, as other commands read it', async () => {
  const state = await aDay();
  const journal = join(state, 'journal');
  const prefix = quickfixStore(report(1, '37=1|17=a').raw);
  const options = ['--session', SESSION, '--why', 'moves back', '--replace'];
  expect((await crossgate('import', prefix, '--state', journal, ...options)).code).toBe(0);
  const { sessions } = JSON.parse((await crossgate('show', '--state', state, '--json')).text);
  expect(sessions).toMatchObject([{ numbers: { series: 2, nextSenderMsgSeqNum: 10, nextTargetMsgSeqNum: 20 } }]);
});

test('an import without a reason, or with one of blanks, is refused: the audit trail would not say why', async () => {
  const options = ['--state', temporaryDirectory(), '--session', SESSION];
  for (const why of ['', ' \t']) {
    const { code, text } = await crossgate('import', '/nonexistent/store', ...options, '--why', why);
    expect([code, text]).toEqual([2, expect.stringContaining('--why: say why')]);
  }
});

test('refuses a QuickFIX store with an empty header and messages', () => {
  const prefix = quickfixStore(report(1, '37=1|17=a').raw);
  writeFileSync(`${prefix}.header`, '');
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(
    /\.header: no message is named in it, but there are some in/,
  );
  // Nothing of it was used, or there is nothing.
  writeFileSync(`${prefix}.seqnums`, '0000000001 : 0000000020');
  expect(readQuickfixStore(prefix, SESSION).count).toBe(0);
  writeFileSync(`${prefix}.seqnums`, '0000000010 : 0000000020');
  writeFileSync(`${prefix}.body`, '');
  expect(readQuickfixStore(prefix, SESSION).count).toBe(0);
});

test('leaves out half-written entries of a truncated QuickFIX header if their numbers are unused', async () => {
  const raw = report(1, '37=1|17=a').raw;
  for (const half of ['10', '10,', '10,73', '10,73,12']) {
    const prefix = quickfixStore(raw);
    appendFileSync(`${prefix}.header`, half);
    expect([...readQuickfixStore(prefix, SESSION).messages].map(({ msgSeqNum }) => msgSeqNum)).toEqual([1]);
  }
  // Its number was used: a message is missing that the counterparty may ask for.
  const used = quickfixStore(raw);
  appendFileSync(`${used}.header`, '9,73');
  expect(() => readQuickfixStore(used, SESSION)).toThrow('"9,73" is not "number,offset,length"; nothing was imported');
});

test('advises on a partial message of a QuickFIX store, and imports the others without its place', () => {
  const sent = [report(1, '37=1|17=a').raw, report(2, '37=1|17=b').raw];
  const prefix = quickfixStore(...sent);
  const end = sent[0]!.length + sent[1]!.length - 20;
  truncateSync(`${prefix}.body`, end);
  const place = new RegExp(
    `\\.body: message 2 at offset ${sent[0]!.length} is cut short: the file ends at ${end}; put the`,
  );
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(place);
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(/or take its place out of the \.header to go on without it/);
  const [first] = readFileSync(`${prefix}.header`, 'latin1').split(' ');
  writeFileSync(`${prefix}.header`, `${first} `);
  expect([...readQuickfixStore(prefix, SESSION).messages].map(({ raw }) => raw)).toEqual([sent[0]]);
});

test.each([
  ['C++', quickfixStore, null],
  ['/J', quickfixJStore, '20261121-09:30:00.123'],
  ['/J, cached or old', quickfixJCachedStore, '20261121-09:30:00.123'],
  ['Go', quickfixGoStore, '2026-11-21T09:30:00.123456789Z'],
  ['/n', quickfixNStore, '20261121-09:30:00.123'],
] as const)(
  'numbers, messages and begin of a session are read from the file store of QuickFIX %s',
  (_name, storeOf, createdAt) => {
    const sent = [report(1, '37=1|17=a').raw, report(2, '37=1|17=b').raw];
    const read = readQuickfixStore(storeOf(...sent), SESSION);
    expect(read).toMatchObject({ nextSenderMsgSeqNum: 10, nextTargetMsgSeqNum: 20, createdAt });
    expect([...read.messages].map(({ msgSeqNum, raw }) => [msgSeqNum, raw.equals(sent[msgSeqNum - 1]!)])).toEqual([
      [1, true],
      [2, true],
    ]);
  },
);

test.each([
  ['/J', quickfixJStore],
  ['Go', quickfixGoStore],
] as const)(
  'an export overwrites no store of QuickFIX %s, and an import takes none of two engines',
  async (_name, storeOf) => {
    const prefix = storeOf(report(1, '37=1|17=a').raw);
    const session = { nextSenderMsgSeqNum: 40, nextTargetMsgSeqNum: 50, messages: (async function* () {})() };
    const before = readFileSync(`${prefix}.header`);
    await expect(writeQuickfixStore(prefix, session, DAY)).rejects.toThrow(
      /store\.senderseqnums: a file store of QuickFIX\/J or Go is there, .*give --to another folder; nothing was written/,
    );
    expect([readFileSync(`${prefix}.header`), existsSync(`${prefix}.seqnums`)]).toEqual([before, false]);
    // As an earlier release's export left it: the engine's last one is unknown.
    writeFileSync(`${prefix}.seqnums`, '0000000040 : 0000000050');
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(
      /are of two engines: take away the numbers of the one that ran/,
    );
  },
);

test('imports whole messages of QuickFIX/J with multi-byte characters, and no damaged ones', () => {
  const text = Buffer.from('Zürich, 5 € 北京').toString('latin1');
  const sent = [1, 2, 3].map((n) => report(n, `37=${n}|17=a|58=${n === 2 ? 'plain' : text}`).raw);
  const prefix = quickfixJStore(...sent);
  expect([...readQuickfixStore(prefix, SESSION).messages].map(({ raw }) => raw)).toEqual(sent);
  const body = readFileSync(`${prefix}.body`);
  for (const cut of [body.subarray(0, -1), Buffer.concat([body, Buffer.from('x')])]) {
    writeFileSync(`${prefix}.body`, cut);
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(/message 3 at offset \d+ is damaged/);
  }
});

test('reads an old QuickFIX/J store byte for byte: numbers as text with length, places of 16 bytes', async () => {
  const text = Buffer.from('Zürich, 5 € 北京').toString('latin1');
  const sent = [1, 2, 3].map((n) => report(n, `37=${n}|17=a|58=${n === 2 ? 'plain' : text}`).raw);
  const prefix = quickfixJCachedStore(...sent);
  expect(readFileSync(`${prefix}.seqnums`).subarray(0, 7).toString('hex')).toBe('000531303a3230');
  expect(readFileSync(`${prefix}.header`).subarray(0, 16).toString('hex')).toBe(
    `000000010000000000000000${sent[0]!.length.toString(16).padStart(8, '0')}`,
  );
  const read = readQuickfixStore(prefix, SESSION);
  expect([...read.messages].map(({ raw }) => raw)).toEqual(sent);
  // An operator who set the numbers by hand wrote them as digits: the places are binary all the same.
  writeFileSync(`${prefix}.seqnums`, '11:21');
  expect(readQuickfixStore(prefix, SESSION)).toMatchObject({
    nextSenderMsgSeqNum: 11,
    nextTargetMsgSeqNum: 21,
    count: 3,
  });
  rmSync(`${prefix}.session`);
  expect(readQuickfixStore(prefix, SESSION)).toMatchObject({ count: 3, createdAt: null });
  writeFileSync(`${prefix}.seqnums`, javaText('11 of 21'));
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow('seqnums: there are no two sequence numbers in it');
});

test('numbers that an editor of Windows marked as UTF-8 are read', () => {
  const prefix = quickfixGoStore(report(1, '37=1|17=a').raw);
  for (const end of ['senderseqnums', 'targetseqnums', 'session']) {
    const path = `${prefix}.${end}`;
    writeFileSync(path, `\ufeff${readFileSync(path, 'utf8')}`);
  }
  expect(readQuickfixStore(prefix, SESSION)).toMatchObject({
    nextSenderMsgSeqNum: 10,
    nextTargetMsgSeqNum: 20,
    createdAt: '2026-11-21T09:30:00.123456789Z',
  });
});

test('leaves out a cut place in a QuickFIX/J header if its number is unused, else refuses it', () => {
  const raw = report(1, '37=1|17=a').raw;
  const place = (msgSeqNum: number): Buffer => Buffer.from([0, 0, 0, msgSeqNum, 0, 0, 0, 0, 0, 0, 0, 9]);
  for (const half of [place(10), place(10).subarray(0, 3)]) {
    const prefix = quickfixJStore(raw);
    appendFileSync(`${prefix}.header`, half);
    expect(readQuickfixStore(prefix, SESSION).count).toBe(1);
  }
  const used = quickfixJStore(raw);
  appendFileSync(`${used}.header`, place(9));
  expect(() => readQuickfixStore(used, SESSION)).toThrow('the place of message 9 at offset 16 is cut short');
  writeFileSync(`${used}.targetseqnums`, javaText('twenty'));
  expect(() => readQuickfixStore(used, SESSION)).toThrow(
    /targetseqnums: there is no sequence number in it; nothing was/,
  );
});

test.each([
  ['C++', quickfixStore],
  ['/J', quickfixJStore],
  ['Go', quickfixGoStore],
] as const)('leaves out zeros at the end of a QuickFIX %s header if every used number is named', (_name, storeOf) => {
  const sent = Array.from({ length: 9 }, (_, k) => report(k + 1, '37=1|17=a').raw);
  for (const zeros of [1, 16, 100, 4096]) {
    const prefix = storeOf(...sent);
    appendFileSync(`${prefix}.header`, Buffer.alloc(zeros));
    expect([...readQuickfixStore(prefix, SESSION).messages].map(({ raw }) => raw)).toEqual(sent);
  }
  // Behind the eighth there may have been a report.
  const prefix = storeOf(...sent.slice(0, 8));
  appendFileSync(`${prefix}.header`, Buffer.alloc(64));
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(
    /\.header: it ends with 64 zero bytes, .* names no message behind 8, though 9 were sent: put it back from a backup, or cut/,
  );
});

test('imports a QuickFIX store with messages behind the first 4 GiB', async () => {
  const raw = report(1, '37=1|17=a').raw;
  const prefix = quickfixStore(raw);
  const offset = 5 * 2 ** 30;
  truncateSync(`${prefix}.body`, offset);
  appendFileSync(`${prefix}.body`, raw);
  writeFileSync(`${prefix}.header`, `1,${offset},${raw.length} `);
  expect([...readQuickfixStore(prefix, SESSION).messages]).toEqual([{ msgSeqNum: 1, msgType: '8', raw }]);
  const options = ['--state', temporaryDirectory(), '--session', SESSION, '--why', 'moves here'];
  expect(await crossgate('import', prefix, ...options)).toMatchObject({ code: 0 });
  // A place that is nonsense asks for no memory.
  writeFileSync(`${prefix}.header`, `1,0,${offset} `);
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(
    /message 1 at offset 0 is damaged; .*; nothing was imported/,
  );
});

test('gives the repair of half-written QuickFIX numbers, and reads the repaired ones', () => {
  const raw = report(1, '37=1|17=a').raw;
  for (const [storeOf, end, told, number] of [
    [quickfixStore, 'seqnums', 'put "next out : next in" there', '7 : 57'],
    [quickfixJStore, 'targetseqnums', 'put the next number in there', '57'],
    [quickfixJStore, 'senderseqnums', 'put the next number out there', '7'],
    [quickfixGoStore, 'targetseqnums', 'put the next number in there', '57'],
  ] as const) {
    const prefix = storeOf(raw);
    writeFileSync(`${prefix}.${end}`, '');
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(`in it: it is empty, as one whose engine`);
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(told);
    // So does a machine that lost its power.
    writeFileSync(`${prefix}.${end}`, Buffer.alloc(23));
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(`in it: it is all zeros, as one whose engine`);
    expect(() => readQuickfixStore(prefix, SESSION)).toThrow(told);
    writeFileSync(`${prefix}.${end}`, number);
    const { nextSenderMsgSeqNum, nextTargetMsgSeqNum, count } = readQuickfixStore(prefix, SESSION);
    expect([nextSenderMsgSeqNum, nextTargetMsgSeqNum]).toContain(Number(number.split(' ').at(-1)));
    expect(count).toBe(1);
  }
});

test("reads a QuickFIX store with a zeroed .session, and does not take Go's for /J's", () => {
  const raw = report(1, '37=1|17=a').raw;
  for (const storeOf of [quickfixStore, quickfixGoStore, quickfixJStore]) {
    const prefix = storeOf(raw);
    writeFileSync(`${prefix}.session`, Buffer.alloc(30));
    const { createdAt, messages } = readQuickfixStore(prefix, SESSION);
    expect([createdAt, [...messages].map((one) => one.raw)]).toEqual([null, [raw]]);
  }
});

test('reads a QuickFIX store with a header of more messages than a Map holds', () => {
  const raw = report(1, '37=1|17=a').raw;
  const prefix = quickfixJStore(raw);
  const others = new Int32Array(4 * (2 ** 24 + 1));
  // Numbers that were never used, so that the test reads no message of them.
  for (let k = 0; k < others.length; k += 4) others[k] = 10 + k / 4;
  appendFileSync(`${prefix}.header`, Buffer.from(others.buffer).swap32());
  expect([...readQuickfixStore(prefix, SESSION).messages]).toEqual([{ msgSeqNum: 1, msgType: '8', raw }]);
});

test('reads a QuickFIX header with messages in any order; the later of two places counts', () => {
  const [first, second] = [1, 2].map((n) => report(n, '37=1|17=a').raw);
  const prefix = quickfixStore(first!, second!);
  const [a, b] = readFileSync(`${prefix}.header`, 'latin1').trim().split(' ');
  writeFileSync(`${prefix}.header`, `1,7,7 ${b} 12,0,5 ${a} `);
  const { count, messages } = readQuickfixStore(prefix, SESSION);
  expect([count, [...messages].map(({ raw }) => raw)]).toEqual([2, [first, second]]);
});

test('writes a QuickFIX store in parts, for more messages than memory holds', async () => {
  const folder = temporaryDirectory();
  const prefix = join(folder, 'store');
  const written = (): number => {
    const draft = readdirSync(folder).find((name) => /^store\.body\..*draft$/.test(name));
    return draft === undefined ? 0 : statSync(join(folder, draft)).size;
  };
  const before: number[] = [];
  async function* messages() {
    for (let msgSeqNum = 1; msgSeqNum <= 3; msgSeqNum++) {
      before.push(written());
      yield [{ msgSeqNum, raw: Buffer.alloc(1000) }];
    }
  }
  const numbers = { nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 1 };
  expect(await writeQuickfixStore(prefix, { ...numbers, messages: messages() }, DAY)).toBe(3);
  expect(before).toEqual([0, 1000, 2000]);
  expect(readFileSync(`${prefix}.header`, 'latin1')).toBe('1,0,1000\n2,1000,1000\n3,2000,1000\n');
  expect(statSync(`${prefix}.body`)).toMatchObject({ size: 3000 });
});

test('S11 an export has one line per message: QuickFIX/n takes other headers for empty', async () => {
  const folder = temporaryDirectory();
  const moved = await crossgate('export', '--state', await aDay(), '--session', SESSION, '--to', folder);
  expect(moved.text).toContain('7 messages');
  const lines = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS.header'), 'latin1').split('\n');
  expect(lines.map((line) => line.split(',').length)).toEqual([3, 3, 3, 3, 3, 3, 3, 1]);
  expect(lines.map((line) => line.trim())).toEqual(lines);
});

test('a message without SendingTime(52), which no ResendRequest(2) could be answered with, is not imported', () => {
  const prefix = quickfixStore(fromPrintable('35=8|34=1|49=XGATE|56=OMS|37=1|17=a|', 'FIX.4.4'));
  expect(() => readQuickfixStore(prefix, SESSION)).toThrow(
    /message 1 at offset 0 is damaged; .*; nothing was imported/,
  );
});

test.each([
  ['=1+1', "'=1+1"],
  [' \t=cmd()', "' ?=cmd()"],
  ['  @SUM(A1)', "'  @SUM(A1)"],
  ['a\rb\u001b[2J', 'a?b?[2J'],
  ['"=1', `"'""=1"`],
  ['-1+2', "'-1+2"],
  ['+2', "'+2"],
  ['a-1', 'a-1'],
])('J4 a refused order named %j is plain text in the daily file', async (clOrdID, cell) => {
  const directory = join(temporaryDirectory(), 'journal');
  const journal = await openJournal({ directory, now: () => DAY });
  const raw = report(1, '37=NONE|17=1|150=8|39=8|11=~|54=1').raw.toString('latin1');
  journal.append([{ ...report(1, ''), raw: renamed(raw, clOrdID) }], DAY);
  await journal.close();
  const folder = temporaryDirectory();
  await writeDaily({ kind: 'embedded', directory }, '2026-11-20', DAY, folder);
  const text = readFileSync(join(folder, 'FIX.4.4-XGATE-OMS-2026-11-20-orders.csv'), 'utf8');
  expect(text.split('\r\n')).toHaveLength(3);
  expect(text.split('\r\n')[1]?.split(',')[2]).toBe(cell);
});

/** The message with another ClOrdID(11), in UTF-8, and its length and checksum right. */
function renamed(raw: string, clOrdID: string): Buffer {
  const body = raw.slice(raw.indexOf('\u000135=') + 1, raw.lastIndexOf('10=')).replace('11=~', `11=${clOrdID}`);
  const bytes = Buffer.from(body);
  const head = Buffer.concat([Buffer.from(`8=FIX.4.4\u00019=${bytes.length}\u0001`), bytes]);
  const sum = head.reduce((a, b) => a + b, 0) % 256;
  return Buffer.concat([head, Buffer.from(`10=${String(sum).padStart(3, '0')}\u0001`)]);
}
