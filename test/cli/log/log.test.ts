// `crossgate log` as it is run: what it says, and by which exit code, where nothing is to be shown, and of what is missing.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { fromPrintable } from '../../../src/wire/mod.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');
const HEADER = '49=OMS|56=GATE|34=2|52=20261121-10:11:12.345|';
const ORDER = fromPrintable(`35=D|${HEADER}11=o-1|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=1|`).toString('latin1');

function log(input: string, ...args: string[]): { out: string; error: string; code: number | null } {
  const done = spawnSync(process.execPath, [MAIN, 'log', '-', ...args], { input, encoding: 'utf8' });
  return { out: done.stdout, error: done.stderr, code: done.status };
}

test('reports a filter without a match by a sentence and the exit code of "not found"', () => {
  expect(log(ORDER, '--tag', '11=o-1')).toMatchObject({
    code: 0,
    error: '',
    out: expect.stringContaining('ClOrdID=o-1'),
  });
  for (const filter of [
    ['--tag', '11=o-2'],
    ['--from', '2026-11-22'],
    ['--type', 'F', '--json'],
  ]) {
    expect(log(ORDER, ...filter)).toEqual({
      code: 1,
      out: '',
      error: 'No message in standard input matches (1 read).\n',
    });
  }
  const { code, out, error } = log(ORDER, '--chain', '--tag', '11=o-2');
  expect([code, out, error]).toEqual([
    1,
    '',
    'No message in standard input belongs to an order that matches (1 read).\n',
  ]);
  // Of a log without an order nobody asked for one that matches.
  const heartbeat = '8=FIX.4.4|35=0|49=OMS|56=GATE|34=1|52=20261121-10:11:12.000|\n';
  expect(log(heartbeat, '--chain').error).toBe('No message in standard input belongs to an order (1 read).\n');
});

test('reports missing MsgSeqNum(34) at their place and at the end', () => {
  const day = [1, 2, 7, 9].map((n) => ORDER.replace('34=2', `34=${n}`).replace('o-1', `o-${n}`)).join('\n');
  const { out, error, code } = log(day);
  expect(code).toBe(0);
  expect(out.split('\n').filter((line) => line.startsWith('---'))).toEqual([
    '--- MsgSeqNum 3-6 of FIX.4.4:OMS->GATE missing here',
    '--- MsgSeqNum 8 of FIX.4.4:OMS->GATE missing here',
  ]);
  expect(error.split('\n').slice(0, 2)).toEqual([
    'gap: MsgSeqNum 3-6 of FIX.4.4:OMS->GATE: nowhere in this log',
    'gap: MsgSeqNum 8 of FIX.4.4:OMS->GATE: nowhere in this log',
  ]);
});

test('messages are grouped by order within the trading day, and each has the number of its order in JSON', () => {
  const day = (date: string): string =>
    fromPrintable(`35=D|${HEADER}11=o-1|55=BTCUSDC|54=1|38=1|40=1|`.replace('20261121', date)).toString('latin1');
  const input = [day('20261121'), day('20261122'), '8=FIX.4.4|35=D|49=OMS|56=GATE|34=3|11=NONE|\n'].join('\n');
  const { out, code } = log(input, '--chain', '--json');
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { chain: string | null; order: number });
  expect([code, ...lines.map(({ chain, order }) => [chain, order])]).toEqual([0, ['o-1', 1], ['o-1', 2], [null, 3]]);
  const headings = (...args: string[]): string[] => log(input, '--chain', ...args).out.match(/^Order.*$/gm) ?? [];
  expect(headings()).toEqual(['Order o-1', 'Order o-1', 'Order']);
  expect(log(input, '--chain', '--day-begins', '24:00')).toMatchObject({
    code: 2,
    error: expect.stringContaining('write a time of the day, such as 22:00'),
  });
});
