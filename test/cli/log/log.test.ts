// `crossgate log` as it is run: what it says, and by which exit code, where nothing is to be shown, and of what is missing.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { fromPrintable } from '../../../src/wire/mod.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';

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
  // A log without an order was not asked for a matching one.
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

test('prints the latency of orders in percentiles and a histogram, as text and in JSON', () => {
  const at = (ms: number): string => `52=20261121-10:00:00.${`${ms}`.padStart(3, '0')}|`;
  const order = (id: string, ms: number, more = ''): string =>
    `8=FIX.4.4|35=D|49=OMS|56=GATE|${at(ms)}11=${id}|${more}`;
  const report = (id: string, ms: number, more = '150=0|'): string =>
    `8=FIX.4.4|35=8|49=GATE|56=OMS|${at(ms)}37=1|11=${id}|${more}`;
  const lines = [
    order('a', 0),
    order('b', 1),
    order('a', 2, '97=Y|'),
    report('a', 1, '150=I|'),
    report('a', 3),
    report('a', 90, '150=F|'),
    report('b', 4, '20=3|'),
    report('b', 5),
    order('c', 10),
    report('c', 22),
    order('d', 30),
    report('d', 34),
    order('e', 40),
    report('z', 41),
  ].join('\n');
  const text = [
    'FIX.4.4:OMS->GATE: 5 orders, 1 without an answer',
    '  ms from D to the first 8: min 3, p50 4, p90 12, p95 12, p99 12, p99.9 12, max 12',
    '    2 to 5 ms  3  ########################################',
    '   5 to 10 ms  0',
    '  10 to 20 ms  1  ##############',
  ];
  expect(log(lines, '--latency')).toMatchObject({ code: 0, out: `${text.join('\n')}\n` });
  expect(JSON.parse(log(lines, '--latency', '--json').out)).toMatchObject({
    session: 'FIX.4.4:OMS->GATE',
    orders: 5,
    answered: 4,
    minMs: 3,
    maxMs: 12,
    percentilesMs: { p50: 4, 'p99.9': 12 },
    histogram: [{ fromMs: 2, toMs: 5, count: 3 }, { count: 0 }, { fromMs: 10, toMs: 20, count: 1 }],
  });
  expect(log(lines, '--latency', '--session', 'NONE').error).toBe(
    'No message in standard input is an order with a time that matches (14 read).\n',
  );
  expect(log(lines, '--latency', '--chain').code).toBe(2);
});

test('two logs are held against each other, message by message and tag by tag', () => {
  const order = (msgSeqNum: number, more: string): string =>
    fromPrintable(`35=D|49=OMS|56=GATE|34=${msgSeqNum}|52=20261121-10:00:00.000|${more}`).toString('latin1');
  const other = join(temporaryDirectory(), 'other.txt');
  const same = order(2, '11=a|44=1|');
  const logged = [same, order(3, '11=b|44=1|'), order(4, '11=c|58=x|'), order(5, '11=d|'), order(9, '11=x|')];
  writeFileSync(other, logged.join('\n'));
  const changed = [same, order(3, '11=b|44=2|'), order(4, '58=x|11=c|'), order(5, '11=d|99=7|'), order(2, '11=y|')];
  const { out, error, code } = log(changed.join('\n'), '--diff', other);
  expect([code, error]).toEqual([1, '5 of 10 messages of both logs differ.\n']);
  const place = 'FIX.4.4:OMS->GATE  34=';
  expect(out.split('\n')).toEqual([
    `${place}3  NewOrderSingle`,
    '  Price(44): 1 | 2',
    `${place}4  NewOrderSingle: the same fields in another order`,
    `${place}5  NewOrderSingle`,
    '  StopPx(99): absent | 7',
    `${place}9  NewOrderSingle: only in ${other}`,
    `${place}2  NewOrderSingle: only in -`,
    '',
  ]);
  const [first] = log(changed.join('\n'), '--diff', other, '--json').out.split('\n');
  expect(JSON.parse(first!)).toMatchObject({
    msgSeqNum: 3,
    onlyIn: null,
    tags: [{ tag: 44, before: '1', after: '2' }],
  });
  expect(log(logged.join('\n'), '--diff', other)).toMatchObject({ code: 0, out: '' });
  expect(log([same, order(3, '11=b|44=2|')].join('\n'), '--diff', other, '--ignore', '44', '--tag', '44').code).toBe(0);
});

test('a difference shows that a secret tag changed, and neither of its values', () => {
  const order = (secret: string): string => fromPrintable(`35=D|${HEADER}11=o-1|5001=${secret}|`).toString('latin1');
  const other = join(temporaryDirectory(), 'other.txt');
  writeFileSync(other, order('hush'));
  const [of, name] = ['--secret-tags', '5001'];
  for (const more of [[], ['--json']]) {
    const { out, code } = log(order('calm'), '--diff', other, of, name, ...more);
    expect([code, out]).toEqual([1, expect.stringContaining('5001')]);
    expect(out).toContain('****');
    expect(out).not.toMatch(/hush|calm/);
  }
  expect(log(order('hush'), '--diff', other, of, name).code).toBe(0);
});
