// CPU time per message of reading, validating and writing: this codec beside QuickFIX C++ (where installed),
// fields joined as strings, and a plain sum over the bytes as the floor. Interleaved in one run, medians, ratios.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { Framer, FrameWriter, type MessageView, toPrintable } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { quickfix } from '../support/quickfix.ts';
import { jspurefixCases } from './codec-jspurefix.ts';
import { MESSAGES, ORDER_FIELDS, reportDraft } from './codec-messages.ts';

const ROUNDS = 7;
const CALLS = 20_000;
const HEADER = {
  beginString: 'FIX.4.4',
  senderCompID: 'CROSSGATE',
  targetCompID: 'OMSTRADER',
  msgSeqNum: 28_273,
  sendingTime: '20261121-10:11:12.345',
};

let sink = 0;
/** Keep a result from being optimised away. In 31 bits: a larger number would cost an allocation each time. */
function use(n: number): void {
  sink = (sink + n) & 0x3fff_ffff;
}

/** Let the compiler finish with a case before any round counts: on a busy machine it takes its time. */
function warmUp(body: () => void): void {
  for (let i = 0; i < 10 * CALLS; i++) body();
}

function timed(body: () => void, calls = CALLS): number {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) body();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
}

function byteSum(bytes: Uint8Array): void {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += bytes[i]!;
  use(sum & 0xff);
}

/** A decoder of one message as it comes from a socket, the way a connection reads it. */
function decoder(bytes: Buffer, read: (view: MessageView) => void): () => void {
  const framer = new Framer({ frameBytesMax: 65_536, fieldsMax: 2_000 });
  return () => {
    framer.push(bytes);
    const found = framer.next();
    if (found?.kind === 'message') read(found.view);
    framer.next();
  };
}

function readOrder(view: MessageView): void {
  for (const tag of ORDER_FIELDS) {
    if (tag === 60) use(view.utcTimestamp(tag)! & 1);
    else if (tag === 34) use(view.int(tag)!);
    else use(view.string(tag)!.length);
  }
}

function readBook(view: MessageView): void {
  const first = view.indexOf(268) + 1;
  for (let i = first; i < view.fieldCount - 1; i++) use(view.stringAt(i).length);
}

const JOINED = reportDraft();
function joinedReport(): void {
  const fields = [
    '35=8',
    `49=${HEADER.senderCompID}`,
    `56=${HEADER.targetCompID}`,
    `34=${HEADER.msgSeqNum}`,
    `57=${JOINED.headerValues[0]}`,
    `52=${HEADER.sendingTime}`,
  ];
  for (let i = 0; i < JOINED.tags.length; i++) fields.push(`${JOINED.tags[i]}=${JOINED.values[i]}`);
  const body = `${fields.join('\x01')}\x01`;
  const text = `8=FIX.4.4\x019=${body.length}\x01${body}`;
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  use(Buffer.from(`${text}10=${String(sum % 256).padStart(3, '0')}\x01`, 'latin1').length);
}

function ours(): [string, () => void][] {
  const validator = new Validator(dictionary('FIX44.xml'));
  const writer = new FrameWriter();
  const draft = reportDraft();
  const validated = (read: (view: MessageView) => void) => (view: MessageView) => {
    if (validator.validate(view) !== null) throw new Error('the message is valid');
    read(view);
  };
  const none = (): void => {};
  return [
    ['floor: byte sum, order', () => byteSum(MESSAGES.NewOrderSingle)],
    ['floor: byte sum, book', () => byteSum(MESSAGES.MarketDataSnapshot)],
    ['ours: index, order', decoder(MESSAGES.NewOrderSingle, none)],
    ['ours: order, ten fields', decoder(MESSAGES.NewOrderSingle, readOrder)],
    ['ours: order, ten fields, validated', decoder(MESSAGES.NewOrderSingle, validated(readOrder))],
    ['ours: book, every value, validated', decoder(MESSAGES.MarketDataSnapshot, validated(readBook))],
    ['ours: encode report', () => use(writer.encode(HEADER, draft).length)],
    ['strings joined: encode report', joinedReport],
  ];
}

/** QuickFIX C++ in a process of its own that runs one round when told; null where it is not installed. */
async function quickfixRounds(folder: string): Promise<{ round(): Promise<[string, number][]>; close(): void } | null> {
  const { missing } = await quickfix();
  if (missing !== null) {
    console.log(`(${missing}: its columns are left out)`);
    return null;
  }
  const program = join(folder, 'codec-quickfix');
  const source = fileURLToPath(new URL('./codec-quickfix.cpp', import.meta.url));
  await promisify(execFile)('g++', ['-std=c++14', '-O2', '-w', source, '-o', program, '-lquickfix', '-lpthread']);
  const path = fileURLToPath(new URL('../../dictionaries/FIX44.xml', import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(program, [path]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  for (const bytes of Object.values(MESSAGES)) child.stdin.write(`${toPrintable(bytes)}\n`);
  return {
    close: () => child.stdin.end(),
    round: async () => {
      child.stdin.write('go\n');
      const found: [string, number][] = [];
      for (;;) {
        const line = await lines.next();
        if (line.done === true || line.value === 'end') return found;
        const [name = '', ns = ''] = line.value.split(' ');
        found.push([`quickfix: ${name}`, Number(ns)]);
      }
    },
  };
}

/** Bytes by which the heap has grown per message after a million orders were read, fields as numbers or compared as bytes. */
function heapGrowth(): number | null {
  const collect = globalThis.gc;
  if (collect === undefined) return null;
  const decode = decoder(MESSAGES.NewOrderSingle, (view) => {
    use(view.int(34)! + view.utcTimestamp(60)! + view.utcTimestamp(52)! + view.indexOf(44));
    for (const tag of [55, 54, 40, 59, 1, 21]) if (view.equals(tag, 'x')) sink++;
  });
  for (let i = 0; i < 100_000; i++) decode();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1_000_000; i++) decode();
  collect();
  return (process.memoryUsage().heapUsed - before) / 1_000_000;
}

/** CPU ms and MB of heap, after a collection, of a validator over these dictionaries; MB null without --expose-gc. */
function loadCost(...names: readonly [string, ...string[]]): { ms: number; mb: number | null } {
  const texts = names.map((name) => readFileSync(new URL(`../../dictionaries/${name}`, import.meta.url), 'utf8'));
  globalThis.gc?.();
  const heap = process.memoryUsage();
  const before = process.cpuUsage();
  const [first, ...applications] = texts.map((text, i) => loadDictionary(text, names[i]!));
  const [application] = applications;
  const validator = new Validator(
    application === undefined ? first! : { transport: first!, applications: [application] },
  );
  const { user, system } = process.cpuUsage(before);
  globalThis.gc?.();
  const after = process.memoryUsage();
  // All of it is alive until here.
  use(texts.length + first!.fields.size + applications.length + (validator.validate === undefined ? 1 : 0));
  const bytes = after.heapUsed + after.arrayBuffers - heap.heapUsed - heap.arrayBuffers;
  return { ms: (user + system) / 1000, mb: globalThis.gc === undefined ? null : bytes / 1e6 };
}

function printLoadCosts(): void {
  console.log('dictionaries and validator, first load in this process (targets < 250 ms, < 40 MB)');
  const sets: readonly (readonly [string, ...string[]])[] = [['FIX44.xml'], ['FIXT11.xml', 'FIX50SP2.xml']];
  for (const names of sets) {
    const { ms, mb } = loadCost(...names);
    const memory = mb === null ? 'run with --expose-gc to measure memory' : `${mb.toFixed(1)} MB`;
    console.log(`${ms.toFixed(0).padStart(8)} ms  ${memory}  ${names.join(' + ')}`);
  }
  console.log('');
}

export async function run(): Promise<void> {
  printLoadCosts();
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-codec-'));
  const times = new Map<string, number[]>();
  const note = (name: string, ns: number): void => void times.set(name, [...(times.get(name) ?? []), ns]);
  const mine = ours();
  const peer = await quickfixRounds(folder);
  const slow = (await jspurefixCases(use)) ?? [];
  if (slow.length === 0) console.log('(jspurefix is not installed: its columns are left out)');
  for (const [, body] of mine) warmUp(body);
  for (const [, body] of slow) timed(body, CALLS / 2);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, body] of mine) note(name, timed(body));
      for (const [name, body] of slow) note(name, timed(body, CALLS / 20));
      for (const [name, ns] of (await peer?.round()) ?? []) note(name, ns);
    }
  } finally {
    peer?.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const median = (name: string): number => [...(times.get(name) ?? [Number.NaN])].sort((a, b) => a - b)[ROUNDS >> 1]!;
  console.log(`ns of CPU per message, median of ${ROUNDS} rounds`);
  for (const name of times.keys()) console.log(`${median(name).toFixed(0).padStart(8)}  ${name}`);
  console.log('\nratios');
  const ratio = (what: string, over: string, under: string, target: string): void => {
    const value = median(over) / median(under);
    if (!Number.isNaN(value)) console.log(`${value.toFixed(2).padStart(8)}× ${what} (target ${target})`);
  };
  const order = 'ours: order, ten fields, validated';
  const book = 'ours: book, every value, validated';
  ratio('order, ten fields, validated: QuickFIX C++', 'quickfix: order-validated', order, '≥ 5');
  ratio('order, ten fields, validated: jspurefix', 'jspurefix: order-validated', order, '≥ 10');
  ratio('book, every value, validated: QuickFIX C++', 'quickfix: book-validated', book, '≥ 4');
  ratio('book, every value, validated: jspurefix', 'jspurefix: book-validated', book, '≥ 10');
  ratio('encode report: QuickFIX C++', 'quickfix: encode', 'ours: encode report', '≥ 6');
  ratio('encode report: jspurefix', 'jspurefix: encode', 'ours: encode report', '≥ 20');
  ratio('encode report: strings joined', 'strings joined: encode report', 'ours: encode report', '≥ 5');
  ratio('index only, of the byte sum', 'ours: index, order', 'floor: byte sum, order', '≤ 2');
  const growth = heapGrowth();
  const heap =
    growth === null ? 'run with --expose-gc to measure' : `${growth.toFixed(3)} bytes per message (target ≤ 1)`;
  console.log(`heap growth over a million orders: ${heap}`);
  if (sink === 42) console.log('');
}
