// QuickFIX's file stores: sent messages (.body, with places in .header), the numbers and the start of the session
// (.session). Read as each engine writes them. QuickFIX C++ and /n keep the numbers in .seqnums. QuickFIX/J has
// .senderseqnums and .targetseqnums, binary, and its CachedFileStore and older versions one .seqnums. Go uses the names
// of /J with text. Written so that C++ and /n read it. Leaves journals to store.ts.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import { type MessageView, Tag, viewOf } from '../../wire/mod.ts';
import { writeAsOne } from '../output/durable-files.ts';
import { type Place, QuickfixPlaces } from './quickfix-places.ts';

interface StoredMessage {
  readonly msgSeqNum: number;
  readonly msgType: string;
  readonly raw: Buffer;
}

/** A session as such a store holds it. */
export interface QuickfixStore {
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
  /** As written, `YYYYMMDD-HH:MM:SS` for example; null if no .session file says it. */
  readonly createdAt: string | null;
  /** How many messages there are, how many of them a resend repeats, and how many bytes they have. */
  readonly count: number;
  readonly resendable: number;
  readonly bytes: number;
  /** Ascending; read from the file anew, one by one, each time that they are asked for: there may be more than memory holds. */
  readonly messages: Iterable<StoredMessage>;
}

const MSG_SEQ_NUM_MAX = 2_147_483_647;
/** A time is no longer, whichever engine wrote it. */
const TIME_CHARACTERS_MAX = 40;
/** Longer input is no message: a journal could not hold it either. */
const MESSAGE_BYTES_MAX = 134_217_728;
const ABSENT = 'this file of a QuickFIX file store is not there';

function invalid(path: string, what: string): CrossgateError {
  return new CrossgateError('XG_USAGE', `${path}: ${what}; nothing was imported`);
}

function read(path: string): Buffer {
  if (!existsSync(path)) throw invalid(path, ABSENT);
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_FS_FILE_TOO_LARGE') throw error;
    throw invalid(path, 'it is larger than 2 GiB, and no more is read');
  }
}

/** How a store writes numbers and places. */
interface Layout {
  readonly hasOneFileOfNumbers: boolean;
  /** As Java's DataOutputStream writes them. */
  readonly isBinary: boolean;
}

/** Files of numbers that there are beside a prefix as /J and Go name them. */
function numbersOfOthers(prefix: string): string[] {
  return ['senderseqnums', 'targetseqnums'].map((end) => `${prefix}.${end}`).filter((path) => existsSync(path));
}

/**
 * The file with the numbers names the store. Those of /J begin with the length of the text after it, its places with a
 * number.
 */
function layoutOf(prefix: string): Layout {
  const [other] = numbersOfOthers(prefix);
  const isOne = existsSync(`${prefix}.seqnums`);
  if (isOne && other !== undefined) {
    throw invalid(
      other,
      `it and ${prefix}.seqnums are of two engines: take away the numbers of the one that ran earlier`,
    );
  }
  const isBinary = (end: string): boolean =>
    existsSync(`${prefix}.${end}`) && beginsBinary(readFileSync(`${prefix}.${end}`));
  return {
    hasOneFileOfNumbers: isOne || !existsSync(`${prefix}.senderseqnums`),
    isBinary:
      ['seqnums', 'senderseqnums', 'targetseqnums', 'session'].some(isBinary) || namesBinary(`${prefix}.header`),
  };
}

/** Whether a header begins with a number of four bytes, as no text does. */
function namesBinary(path: string): boolean {
  if (!existsSync(path)) return false;
  const fd = openSync(path, 'r');
  try {
    const first = readAt(fd, 0, 4);
    return first !== null && beginsBinary(first);
  } finally {
    closeSync(fd);
  }
}

/** Zeros alone are left by a power loss, with any engine. */
const beginsBinary = (bytes: Buffer): boolean => bytes[0] === 0 && bytes.some((byte) => byte !== 0);

/** Text of a small file. QuickFIX/J writes its length in two bytes before it; a number set by hand lacks them. */
function textOf(path: string): string {
  const bytes = read(path);
  // An editor may mark the file as UTF-8.
  if (!beginsBinary(bytes))
    return bytes
      .toString('latin1')
      .replace(/^\xef\xbb\xbf|\0+$/, '')
      .trim();
  if (bytes.length < 2) throw invalid(path, 'it is cut short');
  return bytes.toString('latin1', 2, 2 + bytes.readUInt16BE(0));
}

function readNumbers(prefix: string, layout: Layout): readonly [sender: number, target: number] {
  const isOne = layout.hasOneFileOfNumbers;
  const paths = isOne ? [`${prefix}.seqnums`] : [`${prefix}.senderseqnums`, `${prefix}.targetseqnums`];
  const numbers: number[] = [];
  for (const path of paths) {
    // C++ writes ten digits, Go 19, /n 20.
    const match = (isOne ? /^(\d{1,20})\s*:\s*(\d{1,20})$/ : /^(\d{1,20})$/).exec(textOf(path));
    if (match === null) throw invalid(path, noNumbers(path, isOne));
    for (const number of match.slice(1).map(Number)) {
      if (number < 1 || number > MSG_SEQ_NUM_MAX) throw invalid(path, `${number} is no sequence number`);
      numbers.push(number);
    }
  }
  return [numbers[0]!, numbers[1]!];
}

function noNumbers(path: string, isOne: boolean): string {
  const none = `there ${isOne ? 'are no two sequence numbers' : 'is no sequence number'} in it`;
  const bytes = read(path);
  if (bytes.some((byte) => byte !== 0)) return none;
  const what = isOne ? '"next out : next in"' : `the next number ${path.endsWith('.senderseqnums') ? 'out' : 'in'}`;
  const how = bytes.length === 0 ? 'it is empty' : 'it is all zeros';
  return `${none}: ${how}, as one whose engine was stopped while it wrote it; put ${what} there, in digits`;
}

/**
 * Read the files behind a prefix such as `store/FIX.4.4-GATE-OMS`, which must be of that session.
 * @throws CrossgateError XG_USAGE
 */
export function readQuickfixStore(prefix: string, sessionId: string): QuickfixStore {
  const layout = layoutOf(prefix);
  const [nextSenderMsgSeqNum, nextTargetMsgSeqNum] = readNumbers(prefix, layout);
  const places = (layout.isBinary ? binaryPlaces : textPlaces)(`${prefix}.header`, nextSenderMsgSeqNum);
  if (places.isEmpty && nextSenderMsgSeqNum > 1 && holdsMessages(`${prefix}.body`)) {
    throw invalid(
      `${prefix}.header`,
      'no message is named in it, but there are some in the .body; without it none could be resent',
    );
  }
  // A number behind the next one was never used: a crash between the two files.
  const used = (): Iterable<Place> => places.below(nextSenderMsgSeqNum);
  const messages = { [Symbol.iterator]: () => readMessages(`${prefix}.body`, used(), sessionId) };
  // Each is looked at before any is taken over.
  let count = 0;
  let resendable = 0;
  let bytes = 0;
  for (const { msgType, raw } of messages) {
    count++;
    if (!isAdministrative(msgType)) resendable++;
    bytes += raw.length;
  }
  const began = existsSync(`${prefix}.session`) ? textOf(`${prefix}.session`).slice(0, TIME_CHARACTERS_MAX) : '';
  return { nextSenderMsgSeqNum, nextTargetMsgSeqNum, createdAt: began || null, count, resendable, bytes, messages };
}

/**
 * How much of a header there is before zeros, which a machine that lost its power may leave where bytes were not
 * written yet. They stand for places of messages; `unit` is the least size of each.
 */
function endOfPlaces(bytes: Buffer, unit: number): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return Math.min(bytes.length, Math.ceil(end / unit) * unit);
}

/** Numbers behind such zeros may never have been used. */
function mustBeUnused(path: string, places: QuickfixPlaces, zeros: number, nextSenderMsgSeqNum: number): void {
  const last = nextSenderMsgSeqNum - 1;
  if (zeros === 0 || places.highest >= last) return;
  const named = places.isEmpty ? 'no message' : `no message behind ${places.highest}`;
  throw invalid(
    path,
    `it ends with ${zeros} zero bytes, as of a machine that lost its power, and names ${named}, though ${last} were sent: put it back ` +
      'from a backup, or cut the zeros off to go on without these messages, which no ResendRequest(2) brings then',
  );
}

function textPlaces(path: string, nextSenderMsgSeqNum: number): QuickfixPlaces {
  const whole = read(path);
  const bytes = whole.subarray(0, endOfPlaces(whole, 1));
  const places = placesInText(path, bytes, nextSenderMsgSeqNum);
  mustBeUnused(path, places, whole.length - bytes.length, nextSenderMsgSeqNum);
  return places;
}

function placesInText(path: string, bytes: Buffer, nextSenderMsgSeqNum: number): QuickfixPlaces {
  const places = new QuickfixPlaces();
  for (let at = 0; ; ) {
    while (at < bytes.length && isBlank(bytes[at]!)) at++;
    if (at === bytes.length) return places;
    const from = at;
    while (at < bytes.length && !isBlank(bytes[at]!)) at++;
    const place = bytes.toString('latin1', from, Math.min(at, from + PLACE_CHARACTERS_MAX + 1));
    // Each is written with a blank or a line end behind it; one without was cut short, by a full disk or with the machine.
    if (at === bytes.length && isUnused(place, nextSenderMsgSeqNum)) return places;
    const match = /^(\d{1,10}),(\d{1,15}),(\d{1,10})$/.exec(place);
    if (match === null) throw invalid(path, `"${place.slice(0, PLACE_CHARACTERS_MAX)}" is not "number,offset,length"`);
    places.add(Number(match[1]), Number(match[2]), Number(match[3]));
  }
}

/** No place is longer, and an invalid one is shown no further. */
const PLACE_CHARACTERS_MAX = 40;

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Number, offset and length in 4, 8 and 4 bytes. */
const BINARY_PLACE_BYTES = 16;

/** /J writes the characters of a message as its length, and its bytes into the body: more of them where its charset is UTF-8. */
function binaryPlaces(path: string, nextSenderMsgSeqNum: number): QuickfixPlaces {
  const whole = read(path);
  const bytes = whole.subarray(0, endOfPlaces(whole, BINARY_PLACE_BYTES));
  const places = new QuickfixPlaces();
  for (let at = 0; at < bytes.length; at += BINARY_PLACE_BYTES) {
    const isTorn = at + BINARY_PLACE_BYTES > bytes.length;
    if (isTorn && (at + 4 > bytes.length || bytes.readInt32BE(at) >= nextSenderMsgSeqNum)) break;
    if (isTorn) throw invalid(path, `the place of message ${bytes.readInt32BE(at)} at offset ${at} is cut short`);
    const isLast = at + 2 * BINARY_PLACE_BYTES > bytes.length;
    const end = isLast ? Number.POSITIVE_INFINITY : Number(bytes.readBigInt64BE(at + BINARY_PLACE_BYTES + 4));
    places.add(bytes.readInt32BE(at), Number(bytes.readBigInt64BE(at + 4)), bytes.readInt32BE(at + 12), end);
  }
  // Fewer are the first bytes of a number, cut short.
  const zeros = whole.length - bytes.length;
  if (zeros >= BINARY_PLACE_BYTES) mustBeUnused(path, places, zeros, nextSenderMsgSeqNum);
  return places;
}

/** Advice for a message that cannot be read. */
const REMEDY =
  'put the .body back from a backup, or take its place out of the .header to go on without it, which no ResendRequest(2) brings then';

function* readMessages(path: string, places: Iterable<Place>, sessionId: string): Generator<StoredMessage> {
  if (!existsSync(path)) throw invalid(path, ABSENT);
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytesAt = (offset: number, length: number): Buffer | null =>
      offset + length <= size && length <= MESSAGE_BYTES_MAX ? readAt(fd, offset, length) : null;
    for (const [msgSeqNum, offset, length, end] of places) {
      let raw = bytesAt(offset, length);
      let view = raw === null ? null : viewOf(raw);
      const whole = Math.min(end, size) - offset;
      if (view === null && whole > length) {
        raw = bytesAt(offset, whole);
        view = raw === null ? null : viewOf(raw);
      }
      if (raw === null || view === null || view.int(Tag.MsgSeqNum) !== msgSeqNum || !view.has(Tag.SendingTime)) {
        const how = offset + length > size ? `cut short: the file ends at ${size}` : 'damaged';
        throw invalid(path, `message ${msgSeqNum} at offset ${offset} is ${how}; ${REMEDY}`);
      }
      if (!isOf(view, sessionId)) {
        const [sender, target] = [view.string(Tag.SenderCompID), view.string(Tag.TargetCompID)];
        const whose = `${view.beginString}:${sender}->${target}`;
        throw invalid(path, `message ${msgSeqNum} is of ${whose}, not of ${sessionId}`);
      }
      yield { msgSeqNum, msgType: view.msgType, raw };
    }
  } finally {
    closeSync(fd);
  }
}

function holdsMessages(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** So many bytes of a file; null if they are not there. */
function readAt(fd: number, offset: number, length: number): Buffer | null {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) return null;
    done += count;
  }
  return bytes;
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

/** A session to be written as such a store. */
export interface SessionToWrite {
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
  /** Ascending, some at a time. */
  readonly messages: AsyncIterable<readonly { readonly msgSeqNum: number; readonly raw: Uint8Array }[]>;
}

/**
 * Write the four files; those that are there are replaced, the numbers last: until then there are none. Resolves with how many
 * messages there are. @throws CrossgateError XG_USAGE over a store of /J or Go, which would go on under its own numbers
 */
export async function writeQuickfixStore(prefix: string, session: SessionToWrite, now: number): Promise<number> {
  const [other] = numbersOfOthers(prefix);
  if (other !== undefined) {
    const what = 'a file store of QuickFIX/J or Go is there, which reads its next number here and not from a .seqnums';
    throw new CrossgateError('XG_USAGE', `${other}: ${what}: give --to another folder; nothing was written`);
  }
  const header: string[] = [];
  let count = 0;
  async function* body(): AsyncGenerator<Buffer> {
    let offset = 0;
    for await (const messages of session.messages) {
      let places = '';
      for (const { msgSeqNum, raw } of messages) {
        // C++ takes a line end for the blank that it writes there itself; /n reads nothing else.
        places += `${msgSeqNum},${offset},${raw.length}\n`;
        offset += raw.length;
      }
      header.push(places);
      count += messages.length;
      yield Buffer.concat(messages.map(({ raw }) => raw));
    }
  }
  const padded = (number: number): string => number.toString().padStart(10, '0');
  // 2026-11-21T09:30:00.000Z as 20261121-09:30:00.
  const createdAt = formatIso(now).slice(0, 19).replaceAll('-', '').replace('T', '-');
  await writeAsOne([
    [`${prefix}.body`, body()],
    // Known when the body is written, which is the case by then.
    [`${prefix}.header`, header],
    [`${prefix}.session`, createdAt],
    [`${prefix}.seqnums`, `${padded(session.nextSenderMsgSeqNum)} : ${padded(session.nextTargetMsgSeqNum)}`],
  ]);
  return count;
}

/** Whether an engine answers a resend of this type with a gap fill: session messages but Reject(3). */
export function isAdministrative(msgType: string): boolean {
  return '01245A'.includes(msgType) && msgType.length === 1;
}
