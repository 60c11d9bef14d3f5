// Whether a record of a journal is asked for. Compares bytes: a message is not indexed for it, so a search reads hundreds of
// megabytes a second.

import type { JournalRecord } from '../port.ts';
import type { HistoryQuery } from './history-query.ts';

const SOH = '\u0001';
const BEGIN_STRING = 8;
const CL_ORD_IDS = [11, 41] as const;
const ORDER_IDS = [37, 198] as const;

/** The id of an order that every message with a match has, if it is asked for one. */
export function idOf({ clOrdID, orderID, tags }: HistoryQuery): string | null {
  const named = tags.find(({ tag, value }) => value !== null && [...CL_ORD_IDS, ...ORDER_IDS].some((id) => id === tag));
  return (clOrdID ?? orderID ?? named?.value) || null;
}

type Match = (record: JournalRecord) => boolean;

/** `tag=value`, or `tag=` for any value, where a field begins. */
function fieldNeedle(tag: number, value: string | null): Buffer {
  return bytesOf(`${tag === BEGIN_STRING ? '' : SOH}${tag}=${value === null ? '' : `${value}${SOH}`}`);
}

/** In FIX's own character set, unless a character is not in it. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8');
}

/** The needles of each condition on the fields of a message, one of which must be there. */
function conditionsOf({ tags, clOrdID, orderID }: HistoryQuery): Buffer[][] {
  const conditions = tags.map(({ tag, value }) => [fieldNeedle(tag, value)]);
  if (clOrdID !== null) conditions.push(CL_ORD_IDS.map((tag) => fieldNeedle(tag, clOrdID)));
  if (orderID !== null) conditions.push(ORDER_IDS.map((tag) => fieldNeedle(tag, orderID)));
  return conditions;
}

/**
 * Bytes of a frame with a match: one of each list. An order stands there as JSON, its ids in quotes. Of an id in a message
 * only the value is looked for, at once for all of its tags: the fields themselves are compared later.
 */
export function needlesOf(query: HistoryQuery): readonly (readonly Buffer[])[] {
  if (query.kind === 'message') {
    const { clOrdID, orderID } = query;
    const ids = [clOrdID, orderID].flatMap((id) => (id === null ? [] : [[bytesOf(`=${id}${SOH}`)]]));
    return [...conditionsOf({ ...query, clOrdID: null, orderID: null }), ...ids];
  }
  if (query.kind === 'audit') return [];
  return [query.clOrdID, query.orderID].flatMap((id) => (id === null ? [] : [[Buffer.from(JSON.stringify(id))]]));
}

function messageMatch(query: HistoryQuery): Match {
  const sessions = query.sessionIds === null ? null : new Set(query.sessionIds);
  const types = new Set(query.msgTypes);
  const conditions = conditionsOf(query);
  return (record) => {
    if (record.kind !== 'inbound' && record.kind !== 'outbound' && record.kind !== 'unsequenced') return false;
    if (sessions !== null && (record.sessionId === null || !sessions.has(record.sessionId))) return false;
    const { raw } = record;
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    if (types.size > 0) {
      const isOfType =
        record.kind === 'unsequenced'
          ? [...types].some((type) => bytes.includes(fieldNeedle(35, type)))
          : types.has(record.msgType);
      if (!isOfType) return false;
    }
    return conditions.every((needles) => needles.some((needle) => bytes.includes(needle)));
  };
}

/** An order's record is JSON without blanks: a member stands in it as it is written here. */
function orderMatch({ sessionIds, clOrdID, orderID, symbol, ordStatus }: HistoryQuery): Match {
  const quoted = (text: string): string => JSON.stringify(text);
  const wanted: string[] = [];
  if (clOrdID !== null) wanted.push(quoted(clOrdID));
  if (orderID !== null) wanted.push(quoted(orderID));
  if (symbol !== null) wanted.push(`ymbol":${quoted(symbol)}`);
  if (ordStatus !== null) wanted.push(`"state":${quoted(ordStatus)}`);
  const owners = sessionIds?.map((sessionId) => `"sessionId":${quoted(sessionId)}`) ?? null;
  return (record) => {
    if (record.kind !== 'order' || record.ended === undefined) return false;
    const text = record.record;
    if (owners !== null && !owners.some((owner) => text.includes(owner))) return false;
    return wanted.every((member) => text.includes(member));
  };
}

function auditMatch({ text }: HistoryQuery): Match {
  const words = text?.toLowerCase().split(/\s+/) ?? [];
  return (record) => {
    if (record.kind !== 'audit' && record.kind !== 'numbers') return false;
    const { who } = record;
    const what = record.kind === 'audit' ? `${record.action} ${record.detail}` : `${record.sessionId} ${record.why}`;
    const said = `${who} ${what}`.toLowerCase();
    return words.every((word) => said.includes(word));
  };
}

/** The test of a query. */
export function matchOf(query: HistoryQuery): Match {
  switch (query.kind) {
    case 'message':
      return messageMatch(query);
    case 'order':
      return orderMatch(query);
    case 'audit':
      return auditMatch(query);
  }
}
