// QuickFIX's file stores: what was sent (.body, with places in .header), the numbers and when the session began (.session).
// Read as QuickFIX C++ and /n write them (numbers in .seqnums), as /J does (.senderseqnums and .targetseqnums, binary) and as
// Go does (the same names, text); written as C++ does. Leaves journals to store.ts.

import { existsSync, readFileSync } from 'node:fs';
import { CrossgateError } from '../base/errors.ts';
import { formatIso } from '../base/time.ts';
import { type MessageView, Tag, viewOf } from '../wire/mod.ts';
import { writeDurably } from './durable-files.ts';

/** A session as such a store holds it. */
export interface QuickfixStore {
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
  /** As written, `YYYYMMDD-HH:MM:SS` for example; null if there is no .session file. */
  readonly createdAt: string | null;
  /** Ascending. */
  readonly messages: readonly { readonly msgSeqNum: number; readonly msgType: string; readonly raw: Buffer }[];
}

const MSG_SEQ_NUM_MAX = 2_147_483_647;

function invalid(path: string, what: string): CrossgateError {
  return new CrossgateError('XG_USAGE', `${path}: ${what}; nothing was imported`);
}

function read(path: string): Buffer {
  if (!existsSync(path)) throw invalid(path, 'this file of a QuickFIX file store is not there');
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_FS_FILE_TOO_LARGE') throw error;
    throw invalid(path, 'it is larger than 2 GiB, and no more is read');
  }
}

/** How a store writes numbers and places. */
type Layout = 'seqnums' | 'binary' | 'lines';

/** Where the numbers are is the name of the store; those of /J begin with the length of what follows. */
function layoutOf(prefix: string): Layout {
  if (existsSync(`${prefix}.seqnums`) || !existsSync(`${prefix}.senderseqnums`)) return 'seqnums';
  return readFileSync(`${prefix}.senderseqnums`)[0] === 0 ? 'binary' : 'lines';
}

/** Text of a small file; /J puts its length in two bytes before it. */
function textOf(path: string, layout: Layout): string {
  const bytes = read(path);
  if (layout !== 'binary') return bytes.toString('latin1').trim();
  if (bytes.length < 2) throw invalid(path, 'it is cut short');
  return bytes.toString('latin1', 2, 2 + bytes.readUInt16BE(0));
}

function readNumbers(prefix: string, layout: Layout): readonly [sender: number, target: number] {
  const isOne = layout === 'seqnums';
  const paths = isOne ? [`${prefix}.seqnums`] : [`${prefix}.senderseqnums`, `${prefix}.targetseqnums`];
  const numbers: number[] = [];
  for (const path of paths) {
    const match = (isOne ? /^(\d{1,19})\s*:\s*(\d{1,19})$/ : /^(\d{1,19})$/).exec(textOf(path, layout));
    if (match === null)
      throw invalid(path, `there ${isOne ? 'are no two sequence numbers' : 'is no sequence number'} in it`);
    for (const number of match.slice(1).map(Number)) {
      if (number < 1 || number > MSG_SEQ_NUM_MAX) throw invalid(path, `${number} is no sequence number`);
      numbers.push(number);
    }
  }
  return [numbers[0]!, numbers[1]!];
}

/**
 * Read the files behind a prefix such as `store/FIX.4.4-GATE-OMS`, which must be of that session.
 * @throws CrossgateError XG_USAGE
 */
export function readQuickfixStore(prefix: string, sessionId: string): QuickfixStore {
  const layout = layoutOf(prefix);
  const [nextSenderMsgSeqNum, nextTargetMsgSeqNum] = readNumbers(prefix, layout);
  const places = (layout === 'binary' ? binaryPlaces : textPlaces)(`${prefix}.header`, nextSenderMsgSeqNum);
  const messages = readMessages(prefix, places, nextSenderMsgSeqNum, sessionId);
  const createdAt = existsSync(`${prefix}.session`) ? textOf(`${prefix}.session`, layout) : null;
  return { nextSenderMsgSeqNum, nextTargetMsgSeqNum, createdAt, messages };
}

/** Where in the body the messages are, by MsgSeqNum. */
type Places = ReadonlyMap<number, readonly [offset: number, length: number]>;

function textPlaces(path: string, nextSenderMsgSeqNum: number): Places {
  const entries = read(path).toString('latin1').trimStart().split(/\s+/);
  // Each is written with a blank or a line end behind it; one without was cut short, by a full disk or with the machine.
  const torn = entries.pop()!;
  if (!isUnused(torn, nextSenderMsgSeqNum)) entries.push(torn);
  const places = new Map<number, readonly [offset: number, length: number]>();
  for (const place of entries) {
    const match = /^(\d{1,10}),(\d{1,15}),(\d{1,10})$/.exec(place);
    if (match === null) throw invalid(path, `"${place.slice(0, 40)}" is not "number,offset,length"`);
    places.set(Number(match[1]), [Number(match[2]), Number(match[3])]);
  }
  return places;
}

/** Number, offset and length in 4, 8 and 4 bytes. */
const BINARY_PLACE_BYTES = 16;

function binaryPlaces(path: string, nextSenderMsgSeqNum: number): Places {
  const bytes = read(path);
  const places = new Map<number, readonly [offset: number, length: number]>();
  for (let at = 0; at < bytes.length; at += BINARY_PLACE_BYTES) {
    const isTorn = at + BINARY_PLACE_BYTES > bytes.length;
    if (isTorn && (at + 4 > bytes.length || bytes.readInt32BE(at) >= nextSenderMsgSeqNum)) break;
    if (isTorn) throw invalid(path, `the place of message ${bytes.readInt32BE(at)} at offset ${at} is cut short`);
    places.set(bytes.readInt32BE(at), [Number(bytes.readBigInt64BE(at + 4)), bytes.readInt32BE(at + 12)]);
  }
  return places;
}

function readMessages(
  prefix: string,
  places: Places,
  nextSenderMsgSeqNum: number,
  sessionId: string,
): QuickfixStore['messages'] {
  const body = read(`${prefix}.body`);
  const messages = [];
  for (const [msgSeqNum, [offset, length]] of [...places].sort(([a], [b]) => a - b)) {
    // A number behind the next one was never used: a crash between the two files.
    if (msgSeqNum >= nextSenderMsgSeqNum) continue;
    const raw = body.subarray(offset, offset + length);
    const view = raw.length === length ? viewOf(raw) : null;
    if (view === null || view.int(Tag.MsgSeqNum) !== msgSeqNum || !view.has(Tag.SendingTime)) {
      throw invalid(`${prefix}.body`, `message ${msgSeqNum} at offset ${offset} is damaged`);
    }
    if (!isOf(view, sessionId)) {
      const [sender, target] = [view.string(Tag.SenderCompID), view.string(Tag.TargetCompID)];
      const whose = `${view.beginString}:${sender}->${target}`;
      throw invalid(`${prefix}.body`, `message ${msgSeqNum} is of ${whose}, not of ${sessionId}`);
    }
    messages.push({ msgSeqNum, msgType: view.msgType, raw: Buffer.from(raw) });
  }
  return messages;
}

/** Whether an entry of the header, as far as it was written, is of a number that the numbers do not count as used. */
function isUnused(torn: string, nextSenderMsgSeqNum: number): boolean {
  const next = `${nextSenderMsgSeqNum},`;
  return next.startsWith(torn) || torn.startsWith(next);
}

/** Whether we sent a message on this session: resent on another, it would carry the wrong CompIDs. */
function isOf(view: MessageView, sessionId: string): boolean {
  const [sender = '', target = ''] = sessionId.slice(view.beginString.length + 1).split('->');
  const isNamed = (party: string, compID: string | null): boolean => `${party}/`.startsWith(`${compID}/`);
  return (
    sessionId.startsWith(`${view.beginString}:`) &&
    isNamed(sender, view.string(Tag.SenderCompID)) &&
    isNamed(target, view.string(Tag.TargetCompID))
  );
}

/** Write the four files; those that are there are replaced, the numbers last. */
export function writeQuickfixStore(prefix: string, store: QuickfixStore, now: number): void {
  const body: Buffer[] = [];
  let header = '';
  let offset = 0;
  for (const { msgSeqNum, raw } of store.messages) {
    header += `${msgSeqNum},${offset},${raw.length} `;
    body.push(raw);
    offset += raw.length;
  }
  const padded = (number: number): string => number.toString().padStart(10, '0');
  // 2026-11-21T09:30:00.000Z as 20261121-09:30:00.
  const createdAt = store.createdAt ?? formatIso(now).slice(0, 19).replaceAll('-', '').replace('T', '-');
  const files: readonly (readonly [string, Buffer | string])[] = [
    ['body', Buffer.concat(body)],
    ['header', header],
    ['session', createdAt],
    ['seqnums', `${padded(store.nextSenderMsgSeqNum)} : ${padded(store.nextTargetMsgSeqNum)}`],
  ];
  writeDurably(files.map(([name, content]) => [`${prefix}.${name}`, content] as const));
}

/** Whether an engine answers a resend of this type with a gap fill: session messages but Reject(3). */
export function isAdministrative(msgType: string): boolean {
  return '01245A'.includes(msgType) && msgType.length === 1;
}
