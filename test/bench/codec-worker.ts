// One codec of the benchmark in its own process, undisturbed by other code. It warms its cases up, runs one round for
// every line on stdin, prints `name TAB ns of CPU per message` for each case, then `end`. Argument: the codec. `load`
// and `growth` print one figure each of time or memory and end; they need --expose-gc.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { Framer, FrameWriter, MessageDraft, MessageView } from '../../src/wire/mod.ts';
import { jspurefixCases } from './codec-jspurefix.ts';
import { draftBook, draftReport, HEADER, LEVELS, MESSAGES, REPORT } from './codec-messages.ts';

type Case = readonly [name: string, body: () => void];

const WARM_UP_MS = 600;
const ROUND_MS = 15;

let sink = 0;
/** Keep a result from being optimised away. In 31 bits: a larger number would cost an allocation each time. */
function use(n: number): void {
  sink = (sink + n) & 0x3fff_ffff;
}

/** The loop stands alone: a function that did more would be compiled again and again as it goes on behind the loop. */
function loop(body: () => void, calls: number): void {
  for (let i = 0; i < calls; i++) body();
}

function timed(body: () => void, calls: number): number {
  const before = process.cpuUsage();
  loop(body, calls);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
}

/** As one writes it, its length read once: reading it in the condition would make this twice as slow. */
function byteSum(bytes: Uint8Array): void {
  let sum = 0;
  const { length } = bytes;
  for (let i = 0; i < length; i++) sum = (sum + bytes[i]!) | 0;
  use(sum & 0xff);
}

const floorCases: readonly Case[] = [
  ['order', () => byteSum(MESSAGES.NewOrderSingle)],
  ['report', () => byteSum(MESSAGES.ExecutionReport)],
  ['book', () => byteSum(MESSAGES.MarketDataSnapshot)],
];

/** Shared by all connections, as an acceptor's is. */
const view = new MessageView();

/** A decoder of one message as it comes from a socket, the way a connection reads it. */
function decoder(bytes: Buffer, read: (view: MessageView) => void, validator?: Validator): () => void {
  const framer = new Framer({ frameBytesMax: 65_536, fieldsMax: 2_000 }, view);
  if (validator !== undefined) framer.dataFields = validator.dataFields;
  return () => {
    framer.push(bytes);
    const found = framer.next();
    if (found?.kind === 'message') read(found.view);
    framer.next();
  };
}

function readOrder(view: MessageView): void {
  use(view.string(11)!.length + view.string(1)!.length + view.string(55)!.length);
  use(view.string(54)!.length + view.string(40)!.length + view.string(59)!.length);
  use(view.decimal(38)!.scale + view.decimal(44)!.scale);
  use((view.utcTimestamp(60)! & 0xff) + view.int(34)!);
}

function readReport(view: MessageView): void {
  use(view.string(37)!.length + view.string(11)!.length + view.string(17)!.length);
  use(view.string(150)!.length + view.string(39)!.length + view.int(34)!);
  use(view.decimal(32)!.scale + view.decimal(31)!.scale + view.decimal(151)!.scale + view.decimal(14)!.scale);
}

function readBook(view: MessageView): void {
  for (let i = view.indexOf(268) + 1; i < view.fieldCount - 1; i += 3) {
    use(view.stringAt(i).length + view.decimalAt(i + 1)!.scale + view.decimalAt(i + 2)!.scale);
  }
}

function ourCases(): readonly Case[] {
  const path = new URL('../../dictionaries/FIX44.xml', import.meta.url);
  const validator = new Validator(loadDictionary(readFileSync(path, 'utf8'), 'FIX44.xml'));
  const writer = new FrameWriter();
  const validated = (read: (view: MessageView) => void) => (view: MessageView) => {
    if (validator.validate(view) !== null) throw new Error('the message is valid');
    read(view);
  };
  const { NewOrderSingle, ExecutionReport, MarketDataSnapshot } = MESSAGES;
  return [
    ['order', decoder(NewOrderSingle, () => {})],
    ['order, ten fields', decoder(NewOrderSingle, readOrder)],
    ['order, ten fields, validated', decoder(NewOrderSingle, validated(readOrder), validator)],
    ['report, ten fields, validated', decoder(ExecutionReport, validated(readReport), validator)],
    ['book, every value, validated', decoder(MarketDataSnapshot, validated(readBook), validator)],
    ['encode report', () => use(writer.encode(HEADER, draftReport(new MessageDraft('8'))).length)],
    ['encode book', () => use(writer.encode(HEADER, draftBook(new MessageDraft('W'))).length)],
  ];
}

/** The same work without a codec: `tag=value` texts joined; decimals print themselves, times are texts already. */
function joined(msgType: string, body: (fields: string[]) => void): void {
  const fields = [
    `35=${msgType}`,
    `49=${HEADER.senderCompID}`,
    `56=${HEADER.targetCompID}`,
    `34=${HEADER.msgSeqNum}`,
    '52=20261121-10:11:12.345',
  ];
  body(fields);
  const text = `${fields.join('\x01')}\x01`;
  const frame = `8=FIX.4.4\x019=${text.length}\x01${text}`;
  let sum = 0;
  for (let i = 0; i < frame.length; i++) sum += frame.charCodeAt(i);
  use(Buffer.from(`${frame}10=${String(sum % 256).padStart(3, '0')}\x01`, 'latin1').length);
}

const joinedCases: readonly Case[] = [
  [
    'encode report',
    () =>
      joined('8', (fields) => {
        fields.push('57=TRADER7');
        for (let i = 0; i < REPORT.length; i++) {
          const field = REPORT[i]!;
          const value = field[1];
          fields.push(typeof value === 'number' ? '60=20261121-10:11:12.345' : `${field[0]}=${value}`);
        }
      }),
  ],
  [
    'encode book',
    () =>
      joined('W', (fields) => {
        fields.push('262=md-00000017', '55=BTCUSDC', '268=20');
        for (const { type, price, size } of LEVELS) fields.push(`269=${type}`, `270=${price}`, `271=${size}`);
      }),
  ],
];

async function serve(cases: readonly Case[]): Promise<void> {
  const rounds = cases.map(([name, body]) => {
    let ns = 0;
    for (const begun = process.cpuUsage().user; process.cpuUsage().user - begun < WARM_UP_MS * 1000; ) {
      ns = timed(body, 200);
    }
    return { name, body, calls: Math.ceil((ROUND_MS * 1_000_000) / ns) };
  });
  for await (const _ of createInterface(process.stdin)) {
    for (const { name, body, calls } of rounds) console.log(`${name}\t${timed(body, calls)}`);
    console.log('end');
  }
}

function collected(): number {
  if (globalThis.gc === undefined) throw new Error('needs --expose-gc');
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes by which memory has grown per message after a million orders, ten fields read as numbers or compared as bytes. */
function growth(): void {
  const decode = decoder(MESSAGES.NewOrderSingle, (view) => {
    use((view.int(34)! + view.utcTimestamp(60)! + view.utcTimestamp(52)! + view.indexOf(44)) & 0xff);
    for (const tag of [55, 54, 40, 59, 1, 11]) if (view.equals(tag, 'x')) use(1);
  });
  loop(decode, 200_000);
  const before = collected();
  loop(decode, 1_000_000);
  console.log((collected() - before) / 1_000_000);
}

/** CPU ms, a tab, and MB, after a collection, of a validator over these dictionaries, the first loaded in this process. */
function load(names: readonly string[]): void {
  const texts = names.map((name) => readFileSync(new URL(`../../dictionaries/${name}`, import.meta.url), 'utf8'));
  const memory = collected();
  const before = process.cpuUsage();
  const [first, second] = texts.map((text, i) => loadDictionary(text, names[i]!));
  const validator = new Validator(second === undefined ? first! : { transport: first!, applications: [second] });
  const { user, system } = process.cpuUsage(before);
  const bytes = collected() - memory;
  console.log(`${(user + system) / 1000}\t${bytes / 1e6}`);
  // All of it is alive until here.
  use(texts.length + first!.fields.size + (validator.validate === undefined ? 1 : 0));
}

const [codec = '', ...names] = process.argv.slice(2);
switch (codec) {
  case 'floor':
    await serve(floorCases);
    break;
  case 'ours':
    await serve(ourCases());
    break;
  case 'joined':
    await serve(joinedCases);
    break;
  case 'jspurefix':
    await serve(await jspurefixCases(use));
    break;
  case 'growth':
    growth();
    break;
  case 'load':
    load(names);
    break;
  default:
    throw new Error(`no such codec: ${codec}`);
}
if (sink === -1) console.log('');
