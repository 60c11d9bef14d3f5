// `crossgate store import`: takes over a session from the file store of another engine, with its numbers and sent
// messages. Leaves reading such a store to quickfix-store.ts.
//
// A journal has no transaction over many frames, and the messages of a session are more than one holds. So an import
// that could not come to its end is not begun: its files are read before, room is looked for, and a signal waits.

import { statfsSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import type { RecoveredSession, SessionNumbers } from '../../session/mod.ts';
import type { Journal, JournalRecord } from '../../store/mod.ts';
import { MsgType, maskSecrets } from '../../wire/mod.ts';
import { closePlace, type JournalPlace, openPlace, placeToWrite } from '../options/journal-place.ts';
import { operatorName } from '../options/operator.ts';
import { isAdministrative, type QuickfixStore, readQuickfixStore } from './quickfix-store.ts';
import { heldToo } from './sent-messages.ts';

const RECORDS_PER_FRAME = 100;
/** Bytes of messages after which a frame gets no more: a journal takes no frame above 256 MiB. */
const FRAME_BYTES_SOFT = 1_048_576;
/** Bytes of messages after which an import is synced. */
const UNSYNCED_BYTES_MAX = 4_194_304;
/** Largest size of a message in a journal beside its bytes, and of an import. */
const RECORD_OVERHEAD_BYTES = 64;
const IMPORT_OVERHEAD_BYTES = 1_048_576;

export interface ImportOptions {
  readonly state: string;
  readonly partition?: string;
  readonly json?: boolean;
  readonly session: string;
  readonly why: string;
  readonly who?: string;
  readonly replace?: boolean;
}

/** @throws CrossgateError */
export async function importSession(prefix: string, options: ImportOptions): Promise<void> {
  const { session: sessionId, who = operatorName() || `user ${process.getuid?.()}` } = options;
  if (!/^FIX(T)?\.\d\.\d:[^>]+->.+$/.test(sessionId)) {
    throw new CrossgateError('XG_USAGE', `--session ${sessionId}: write it as FIX.4.4:SENDER->TARGET, ours first`);
  }
  const reason = options.why.trim();
  if (reason === '') throw new CrossgateError('XG_USAGE', '--why: say why; it is kept in the audit trail');
  const store = readQuickfixStore(prefix, sessionId);
  const place = await placeToWrite(options.state, options.partition);
  const journal = await openPlace(place, sessionId);
  const known = journal.recovered.sessions.get(sessionId);
  const before = known?.numbers ?? { series: 0, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
  const { nextSenderMsgSeqNum, nextTargetMsgSeqNum, count, resendable } = store;
  const to = { series: before.series + 1, nextSenderMsgSeqNum, nextTargetMsgSeqNum };
  const detail = `${basename(prefix)}, begun ${store.createdAt ?? 'at an unknown time'}, ${count} messages`;
  const why = `import of QuickFIX file store ${detail}: ${reason}`;
  const numbers = { kind: 'numbers', sessionId, from: before, to, who, why } as const;
  const { objection } = journal.recovered;
  if (objection !== undefined) console.error(`crossgate: ${objection}; orders and numbers that it lacks are not known`);
  const endNow = finishOnSignal();
  let isBegun = false;
  try {
    try {
      if (known !== undefined && options.replace !== true) throw isThere(sessionId, before);
      mustHaveRoom(place, store);
      isBegun = true;
      await record(journal, numbers, store.messages);
    } finally {
      await closePlace(place, journal);
    }
  } catch (error) {
    throw isBegun ? inPart(error) : error;
  } finally {
    endNow();
  }
  const sentence = `${sessionId}: ${inWords(to)}, ${resendable} of ${count} messages can be resent`;
  const report = { sessionId, from: before, to, messages: count, resendable };
  console.log(options.json ? JSON.stringify(report, null, 2) : sentence);
}

function isThere(sessionId: string, { nextSenderMsgSeqNum, nextTargetMsgSeqNum }: SessionNumbers): CrossgateError {
  const what = `the journal has ${sessionId} at ${nextSenderMsgSeqNum} out and ${nextTargetMsgSeqNum} in`;
  return new CrossgateError('XG_USAGE', `${what}; --replace takes the imported numbers instead`);
}

/** The failure, and the first thing to do: the session may have the numbers of a part of the import. */
function inPart(error: unknown): unknown {
  if (!(error instanceof CrossgateError)) return error;
  const remedy = 'a part of the import may be recorded: do it again with --replace before the gateway is started';
  return new CrossgateError(error.code, `${error.message}; ${remedy}`, { cause: error });
}

type NumbersRecord = JournalRecord & { readonly kind: 'numbers' };

/** Numbers last: after a kill, a partial import must not look complete. */
async function record(journal: Journal, numbers: NumbersRecord, messages: QuickfixStore['messages']): Promise<void> {
  const { sessionId, from, to, who, why } = numbers;
  const at = Date.now();
  const { damage, objection, sessions } = journal.recovered;
  // The gateway would report it, and cannot after the present records.
  if (objection !== undefined)
    journal.append([{ kind: 'audit', who, action: 'journal replaced', detail: objection }], at);
  // Records written now prove nothing about other sessions that damage may concern.
  if ((damage?.places.length ?? 0) > 0) journal.append([{ kind: 'damageFound' }], at);
  const begun: JournalRecord[] = [
    { kind: 'state', sessionId, loggedOn: false, importBegun: true },
    { kind: 'audit', who, action: 'import begun', detail: `${sessionId} ${inWords(from)}: ${why}` },
  ];
  const known = sessions.get(sessionId);
  const moved = known === undefined ? [] : await movedReports(journal, known, messages);
  const last = await appendMessages(journal, { sessionId, series: to.series, begun, messages }, at);
  const set = known?.loggedOn === true ? apartFromLogon(numbers) : [numbers];
  const audit = { kind: 'audit', who, action: 'import', detail: `${sessionId}: ${why}` } as const;
  journal.append([...moved, ...set, audit, ...last], at);
  await journal.sync();
}

/**
 * Debts of the replaced numbers that the journal now also has from the store, as after a repeated import: they are
 * resent from there, and not again under new numbers (rule S2).
 */
async function movedReports(
  journal: Journal,
  { sessionId, numbers, provenMsgSeqNum, ended = [] }: RecoveredSession,
  messages: QuickfixStore['messages'],
): Promise<JournalRecord[]> {
  const { series, nextSenderMsgSeqNum } = numbers;
  const moved: JournalRecord[] = [];
  for (const owed of [...ended, { series, from: provenMsgSeqNum + 1, to: nextSenderMsgSeqNum - 1 }]) {
    const msgSeqNum = await heldToo(journal, sessionId, owed, messages);
    if (msgSeqNum >= owed.from) moved.push({ kind: 'proven', sessionId, series: owed.series, msgSeqNum });
  }
  return moved;
}

function inWords({ nextSenderMsgSeqNum, nextTargetMsgSeqNum }: SessionNumbers): string {
  return `next out ${nextSenderMsgSeqNum}, next in ${nextTargetMsgSeqNum}`;
}

/** Until the returned function is called, SIGINT and SIGTERM only announce that the present work is finished first. */
function finishOnSignal(): () => void {
  const tell = (): void => console.error('crossgate: the import comes to its end first');
  process.on('SIGINT', tell);
  process.on('SIGTERM', tell);
  return () => {
    process.off('SIGINT', tell);
    process.off('SIGTERM', tell);
  };
}

/** @throws CrossgateError XG_JOURNAL_WRITE_FAILED if the disk has no room for all of it */
export function mustHaveRoom(place: JournalPlace, { bytes, count }: Pick<QuickfixStore, 'bytes' | 'count'>): void {
  if (place.kind === 'postgres') return;
  const needed = bytes + count * RECORD_OVERHEAD_BYTES + IMPORT_OVERHEAD_BYTES;
  const { bavail, bsize, blocks } = statfsSync(place.directory);
  // Some file systems do not say how large they are.
  if (blocks === 0 || bavail * bsize >= needed) return;
  throw new CrossgateError(
    'XG_JOURNAL_WRITE_FAILED',
    `the import needs ${needed} bytes, and the disk of ${place.directory} has ${bavail * bsize}: nothing was imported`,
  );
}

interface ImportedMessages {
  readonly sessionId: string;
  readonly series: number;
  /** Says, in the first frame of several, that the import began. */
  readonly begun: readonly JournalRecord[];
  readonly messages: QuickfixStore['messages'];
}

/**
 * Append sent messages, with a sync now and then: a journal keeps a bounded amount for the disk, and a store may be
 * larger. Returns the last of it, which is recorded together with the numbers. Of an import in several frames the first
 * says that it began: who finds no numbers behind that keeps the session out.
 */
async function appendMessages(
  journal: Journal,
  { sessionId, series, begun, messages }: ImportedMessages,
  at: number,
): Promise<JournalRecord[]> {
  let unsyncedBytes = 0;
  let frameBytes = 0;
  let first = begun;
  let last: JournalRecord[] = [];
  for (const { msgSeqNum, msgType, raw } of messages) {
    if (last.length === RECORDS_PER_FRAME || frameBytes >= FRAME_BYTES_SOFT) {
      journal.append([...first, ...last], at);
      first = [];
      last = [];
      frameBytes = 0;
      if (unsyncedBytes >= UNSYNCED_BYTES_MAX) {
        await journal.sync();
        unsyncedBytes = 0;
      }
    }
    unsyncedBytes += raw.length;
    frameBytes += raw.length;
    const resendable = !isAdministrative(msgType);
    // An initiator's has its password, which is in no journal; it is never sent again.
    const kept = msgType === MsgType.Logon ? maskSecrets(raw) : raw;
    last.push({ kind: 'outbound', sessionId, series, msgSeqNum, msgType, resendable, raw: kept });
  }
  return last;
}

/**
 * A killed gateway left the session logged on. The operator's numbers are no reset within it, which the next Logon
 * could revoke; its interruption still needs the follow-up (rule C1).
 */
function apartFromLogon(numbers: NumbersRecord): JournalRecord[] {
  const state = (loggedOn: boolean) => ({ kind: 'state', sessionId: numbers.sessionId, loggedOn }) as const;
  return [state(false), numbers, state(true)];
}
