// QuickFIX's file store, read and written as its C++ FileStore does: what was sent (.body, with places in .header), the
// numbers (.seqnums) and when the session began (.session). Leaves journals to store.ts.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CrossgateError } from '../base/errors.ts';
import { formatIso } from '../base/time.ts';
import { type MessageView, Tag, viewOf } from '../wire/mod.ts';

/** A session as such a store holds it. */
export interface QuickfixStore {
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
  /** As written: `YYYYMMDD-HH:MM:SS`, or null if there is no .session file. */
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
  return readFileSync(path);
}

/**
 * Read the four files behind a prefix such as `store/FIX.4.4-GATE-OMS`, which must be of that session.
 * @throws CrossgateError XG_USAGE
 */
export function readQuickfixStore(prefix: string, sessionId: string): QuickfixStore {
  const seqnumsPath = `${prefix}.seqnums`;
  const match = /^\s*(\d{1,10})\s*:\s*(\d{1,10})\s*$/.exec(read(seqnumsPath).toString('latin1'));
  if (match === null) throw invalid(seqnumsPath, 'there are no two sequence numbers in it');
  const [nextSenderMsgSeqNum, nextTargetMsgSeqNum] = [Number(match[1]), Number(match[2])];
  for (const number of [nextSenderMsgSeqNum, nextTargetMsgSeqNum]) {
    if (number < 1 || number > MSG_SEQ_NUM_MAX) throw invalid(seqnumsPath, `${number} is no sequence number`);
  }
  const messages = readMessages(prefix, nextSenderMsgSeqNum, sessionId);
  const createdAt = existsSync(`${prefix}.session`) ? readFileSync(`${prefix}.session`, 'latin1').trim() : null;
  return { nextSenderMsgSeqNum, nextTargetMsgSeqNum, createdAt, messages };
}

function readMessages(prefix: string, nextSenderMsgSeqNum: number, sessionId: string): QuickfixStore['messages'] {
  const headerPath = `${prefix}.header`;
  const entries = read(headerPath).toString('latin1').trimStart().split(/\s+/);
  const body = read(`${prefix}.body`);
  // Each is written with a blank behind it; one without was cut short, by a full disk or with the machine.
  const torn = entries.pop()!;
  if (!isUnused(torn, nextSenderMsgSeqNum)) entries.push(torn);
  const places = new Map<number, readonly [offset: number, length: number]>();
  for (const place of entries) {
    const match = /^(\d{1,10}),(\d{1,15}),(\d{1,10})$/.exec(place);
    if (match === null) throw invalid(headerPath, `"${place.slice(0, 40)}" is not "number,offset,length"`);
    places.set(Number(match[1]), [Number(match[2]), Number(match[3])]);
  }
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
  for (const [name, content] of files) {
    writeFileSync(`${prefix}.${name}.draft`, content, { mode: 0o600 });
    renameSync(`${prefix}.${name}.draft`, `${prefix}.${name}`);
  }
}

/** Whether an engine answers a resend of this type with a gap fill: session messages but Reject(3). */
export function isAdministrative(msgType: string): boolean {
  return '01245A'.includes(msgType) && msgType.length === 1;
}
