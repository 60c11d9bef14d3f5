// The messages of a journal as they left and came. A report that is recorded while its session is logged off, or owes reports of a
// series that a reset ended, leaves later. It does so under its number, or as another record with a new one.

import { type LoggedMessage, loggedMessage } from '../../replay/mod.ts';
import { isReport } from '../../session/mod.ts';
import type { JournalEntry } from '../../store/mod.ts';
import { type DataFields, FrameWriter, MessageDraft, type MessageView, Tag, viewOf } from '../../wire/mod.ts';

/** Most reports of a session that are held until they leave. */
const WAITING_MAX = 50_000;

/** Fields that a report gets anew with its number. */
const MADE_ANEW: ReadonlySet<number> = new Set([
  Tag.BeginString,
  Tag.BodyLength,
  Tag.MsgSeqNum,
  Tag.SendingTime,
  Tag.PossDupFlag,
  Tag.PossResend,
  Tag.OrigSendingTime,
  Tag.LastMsgSeqNumProcessed,
  Tag.CheckSum,
]);

type OutboundRecord = Extract<JournalEntry['record'], { kind: 'outbound' }>;

interface Waiting {
  readonly entry: JournalEntry;
  readonly series: number;
  readonly key: string;
}

interface SentBy {
  series: number;
  isLoggedOn: boolean;
  waiting: Waiting[];
}

/** Messages of a journal's entries, each once; what has not left by the end comes last, with a note. */
export async function* journalMessages(
  entries: AsyncIterable<JournalEntry>,
  dataFields: DataFields,
): AsyncGenerator<LoggedMessage> {
  const sessions = new Map<string, SentBy>();
  const sentBy = (sessionId: string): SentBy => {
    let session = sessions.get(sessionId);
    if (session === undefined) {
      session = { series: 0, isLoggedOn: true, waiting: [] };
      sessions.set(sessionId, session);
    }
    return session;
  };
  for await (const entry of entries) {
    const { record } = entry;
    if (record.kind === 'numbers') sentBy(record.sessionId).series = record.to.series;
    else if (record.kind === 'state' && record.importBegun !== true)
      sentBy(record.sessionId).isLoggedOn = record.loggedOn;
    const released =
      record.kind === 'outbound' ? leaving(sentBy(record.sessionId), entry, record, dataFields) : [entry];
    for (const each of released) {
      const message = messageOf(each, dataFields, '');
      if (message !== null) yield message;
    }
  }
  for (const { series, waiting } of sessions.values()) {
    for (const each of waiting) {
      const message = messageOf(each.entry, dataFields, 'it is recorded and has not left');
      if (message !== null) yield { ...message, counted: each.series === series };
    }
  }
}

/** Messages that leave with this record: reports that waited with lower numbers, and the message itself unless it has to wait. */
function leaving(session: SentBy, entry: JournalEntry, record: OutboundRecord, dataFields: DataFields): JournalEntry[] {
  const { series } = record;
  const isBehind = series < session.series;
  const isWaiting = isReport(record.msgType) && record.raw.length > 0;
  if (isWaiting && (isBehind || !session.isLoggedOn)) {
    session.waiting.push({ entry, series, key: keyOf(record, dataFields) });
    return session.waiting.length > WAITING_MAX ? [session.waiting.shift()!.entry] : [];
  }
  session.series = Math.max(session.series, series);
  if (session.waiting.length === 0) return [entry];
  const released = session.waiting.filter((each) => each.series === series);
  if (released.length > 0) session.waiting = session.waiting.filter((each) => each.series !== series);
  if (isWaiting && session.waiting.length > 0) {
    const key = keyOf(record, dataFields);
    const before = session.waiting.findIndex((each) => each.key === key);
    if (before !== -1) session.waiting.splice(before, 1);
  }
  return [...released.map((each) => each.entry), entry];
}

/** All that a report says, whatever number it has. */
function keyOf({ raw }: OutboundRecord, dataFields: DataFields): string {
  const view = viewOf(raw, dataFields);
  return view === null ? '' : fieldsOf(view).sort().join('\u0001');
}

function fieldsOf(view: MessageView): string[] {
  const fields: string[] = [];
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (!MADE_ANEW.has(tag)) fields.push(`${tag}=${view.stringAt(i)}`);
  }
  return fields;
}

/** Market data is counted and not kept: the journal's knowledge of such a message, as a frame. */
function headerOf({ sessionId, msgSeqNum, msgType }: OutboundRecord, sendingTime: number): Buffer {
  const [, beginString = '', senderCompID = '', targetCompID = ''] = /^([^:]*):(.*?)->(.*)$/.exec(sessionId) ?? [];
  const comp = (party: string): string => party.split('/')[0]!;
  const header = { beginString, senderCompID: comp(senderCompID), targetCompID: comp(targetCompID), msgSeqNum };
  return new FrameWriter().encode({ ...header, sendingTime }, new MessageDraft(msgType));
}

function messageOf({ at, record }: JournalEntry, dataFields: DataFields, note: string): LoggedMessage | null {
  switch (record.kind) {
    case 'outbound': {
      const session = record.sessionId;
      if (record.raw.length === 0)
        return loggedMessage(headerOf(record, at), { at, session, counted: true, note: 'only its number is kept' });
      return loggedMessage(record.raw, { at, session, counted: true, note }, dataFields);
    }
    case 'inbound':
      return loggedMessage(record.raw, { at, session: record.sessionId, counted: true, note }, dataFields);
    case 'unsequenced':
      return loggedMessage(
        record.raw,
        { at, session: record.sessionId, counted: false, note: record.note },
        dataFields,
      );
    default:
      return null;
  }
}
