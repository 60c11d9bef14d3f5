// CPU time per message of reading, validating and writing: this codec beside QuickFIX C++ and jspurefix (where
// installed), fields joined as strings, and a plain sum over the bytes as the floor. Each codec runs in a process of
// its own, warmed up; rounds are interleaved; medians; CPU time of the process, its compiler and collector included;
// ratios. Each codec runs in several processes, one after the other: a compiler does not make the same of the same code
// every time, some 5 % apart. Every process of Node has the flags of `npm start`.
//
// The work of each, through the calls of an application:
//   ours        Framer (BodyLength and CheckSum proven) → MessageView → Validator → string, decimal (exact), utcTimestamp, int;
//               writing: a MessageDraft made field by field, decimals and times as such, then FrameWriter.encode, which is
//               the way from a gateway's report to the wire
//   QuickFIX    Message from a string with the dictionary → validate() → typed fields (prices are doubles); writing: a FIX44
//               message from typed fields, header filled in, toString. Compiled with -O2; the library as the system has it.
//               It gets the frame cut out already, which ours finds by itself
//   jspurefix   parser → the checks that its session makes → typed fields; writing: from an object that is made before,
//               which ours and QuickFIX make each time
//   joined      `tag=value` texts from the same decimals, joined, summed, made bytes

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toPrintable } from '../../src/wire/mod.ts';
import { quickfix } from '../support/oms/quickfix.ts';
import { START_FLAGS } from '../support/processes/start-flags.ts';
import { MESSAGES } from './codec-messages.ts';

const PROCESSES = 5;
const ROUNDS = 9;
const WORKER = fileURLToPath(new URL('./codec-worker.ts', import.meta.url));
const execute = promisify(execFile);

/** Row, codec it is compared with, and the ratio that is aimed at. */
const TARGETS: readonly (readonly [row: string, against: string, target: string])[] = [
  ['order, ten fields, validated', 'quickfix', '≥ 6'],
  ['order, ten fields, validated', 'jspurefix', '≥ 10'],
  ['report, ten fields, validated', 'quickfix', '≥ 8'],
  ['report, ten fields, validated', 'jspurefix', ''],
  ['book, every value, validated', 'quickfix', '≥ 3.3'],
  ['book, every value, validated', 'jspurefix', '≥ 10'],
  ['encode report', 'quickfix', '≥ 6'],
  ['encode report', 'jspurefix', '≥ 20'],
  ['encode report', 'joined', '≥ 5'],
  ['encode book', 'quickfix', ''],
  ['encode book', 'jspurefix', ''],
  ['encode book', 'joined', ''],
];

/** A codec in a process of its own that runs one round on request. */
class Peer {
  readonly name: string;
  /** By row, those of all processes of this codec. */
  readonly times: Map<string, number[]>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(name: string, child: ChildProcessWithoutNullStreams, times: Map<string, number[]>) {
    this.name = name;
    this.times = times;
    this.child = child;
    child.stderr.pipe(process.stderr);
    this.lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  async round(): Promise<void> {
    this.child.stdin.write('go\n');
    for (;;) {
      const line = await this.lines.next();
      if (line.done === true) throw new Error(`${this.name} ended before its time`);
      if (line.value === 'end') return;
      const [row = '', ns = ''] = line.value.split('\t');
      const times = this.times.get(row) ?? [];
      this.times.set(row, times);
      times.push(Number(ns));
    }
  }

  median(row: string): number {
    const sorted = [...(this.times.get(row) ?? [])].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? Number.NaN;
  }

  close(): void {
    this.child.stdin.end();
  }
}

/** Starts a process of a codec. */
type Start = () => ChildProcessWithoutNullStreams;

const worker =
  (name: string): Start =>
  () =>
    spawn(process.execPath, [...START_FLAGS, WORKER, name]);

function jspurefix(): Start | null {
  try {
    createRequire(import.meta.url).resolve('jspurefix');
    return worker('jspurefix');
  } catch {
    console.log('(jspurefix is not installed: its column is left out)');
    return null;
  }
}

async function quickfixProgram(folder: string): Promise<Start | null> {
  const { missing } = await quickfix();
  if (missing !== null) {
    console.log(`(${missing}: its column is left out)`);
    return null;
  }
  const program = join(folder, 'codec-quickfix');
  const source = fileURLToPath(new URL('./codec-quickfix.cpp', import.meta.url));
  await execute('g++', ['-std=c++14', '-O2', '-w', source, '-o', program, '-lquickfix', '-lpthread']);
  return () => {
    const child = spawn(program, [fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url))]);
    for (const bytes of Object.values(MESSAGES)) child.stdin.write(`${toPrintable(bytes)}\n`);
    return child;
  };
}

/** One figure of a worker that ends after it. */
async function figure(...args: string[]): Promise<number[]> {
  const { stdout } = await execute(process.execPath, ['--expose-gc', WORKER, ...args]);
  return stdout.trim().split('\t').map(Number);
}

async function printMemory(): Promise<void> {
  console.log('dictionaries and validator, first load of a process (aim: < 250 ms of CPU, < 40 MB)');
  for (const names of [['FIX44.xml'], ['FIXT11.xml', 'FIX50SP2.xml']]) {
    const [ms = Number.NaN, mb = Number.NaN] = await figure('load', ...names);
    console.log(`${ms.toFixed(0).padStart(8)} ms ${mb.toFixed(1).padStart(6)} MB  ${names.join(' + ')}`);
  }
  const [bytes = Number.NaN] = await figure('growth');
  console.log(`memory after a million orders, ten fields each: ${bytes.toFixed(3)} bytes per message (aim: ≤ 1)\n`);
}

function printTimes(peers: readonly Peer[]): void {
  const rows = [...new Set(peers.flatMap((peer) => [...peer.times.keys()]))];
  console.log(`ns of CPU per message, median of ${ROUNDS} interleaved rounds in each of ${PROCESSES} processes`);
  console.log(`${''.padEnd(32)}${peers.map((peer) => peer.name.padStart(11)).join('')}`);
  for (const row of rows) {
    const cells = peers.map((peer) => (peer.times.has(row) ? peer.median(row).toFixed(0) : '–').padStart(11));
    console.log(`${row.padEnd(32)}${cells.join('')}`);
  }
}

function printRatios(peers: readonly Peer[]): void {
  const median = (name: string, row: string): number =>
    peers.find((peer) => peer.name === name)?.median(row) ?? Number.NaN;
  console.log('\nhow many times faster');
  for (const [row, against, target] of TARGETS) {
    const ratio = median(against, row) / median('ours', row);
    if (Number.isNaN(ratio)) continue;
    console.log(`${ratio.toFixed(2).padStart(8)}  ${row}, than ${against}${target === '' ? '' : ` (aim: ${target})`}`);
  }
  const index = median('ours', 'order') / median('floor', 'order');
  console.log(`${index.toFixed(2).padStart(8)}  times the byte sum: order framed and indexed (aim: ≤ 2)`);
}

export async function run(): Promise<void> {
  const sizes = Object.entries(MESSAGES).map(([name, { length }]) => `${name} ${length} B`);
  console.log(`${sizes.join(', ')}\n`);
  await printMemory();
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-codec-'));
  const codecs: readonly (readonly [name: string, start: Start | null])[] = [
    ['floor', worker('floor')],
    ['ours', worker('ours')],
    ['joined', worker('joined')],
    ['jspurefix', jspurefix()],
    ['quickfix', await quickfixProgram(folder)],
  ];
  const times = new Map(codecs.map(([name]) => [name, new Map<string, number[]>()]));
  let peers: readonly Peer[] = [];
  try {
    for (let k = 0; k < PROCESSES; k++) {
      peers = codecs.flatMap(([name, start]) => (start === null ? [] : [new Peer(name, start(), times.get(name)!)]));
      for (let round = 0; round < ROUNDS; round++) for (const peer of peers) await peer.round();
      for (const peer of peers) peer.close();
    }
  } finally {
    for (const peer of peers) peer.close();
    rmSync(folder, { recursive: true, force: true });
  }
  printTimes(peers);
  printRatios(peers);
}
