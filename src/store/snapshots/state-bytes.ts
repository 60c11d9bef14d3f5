// Content of a snapshot as bytes, in any place: a head as JSON and the open orders, under a CRC.
//
//   magic 8 · format 4 · CRC 4 · body · body = length 4 · JSON of the head · orders as (length 4, key, length 4, record)

import { crc32 } from 'node:zlib';
import { JournalState, type SessionState } from '../journal-state.ts';
import type { KeptDamage } from '../segments/damage.ts';

const MAGIC = Buffer.from('XGATESNP', 'latin1');
const FORMAT = 1;
const HEADER_BYTES = 16;

/** The part of every head that a state is restored from. */
export interface StateHead {
  readonly sessions: readonly (readonly [string, SessionState])[];
  readonly nonces: readonly (readonly [string, string])[];
  /** Places that were damaged when they were read; absent if there were none. */
  readonly damage?: KeptDamage;
}

/** The head of a state; a snapshot adds where it lies. */
export function headOf(state: JournalState): StateHead {
  const damage = state.keptDamage();
  return { sessions: state.kept(), nonces: [...state.nonces], ...(damage.length === 0 ? {} : { damage }) };
}

export function encodeState(head: StateHead, orders: ReadonlyMap<string, string>): Buffer[] {
  const json = Buffer.from(JSON.stringify(head));
  const parts: Buffer[] = [uint32(json.length), json];
  for (const [key, record] of orders) {
    const keyBytes = Buffer.from(key);
    const recordBytes = Buffer.from(record);
    parts.push(uint32(keyBytes.length), keyBytes, uint32(recordBytes.length), recordBytes);
  }
  const body = Buffer.concat(parts);
  return [Buffer.concat([MAGIC, uint32(FORMAT), uint32(crc32(body))]), body];
}

/** Read it back, or all of it but the open orders; a sentence that says why it cannot be used if so. */
export function decodeState<Head extends StateHead>(
  bytes: Buffer,
  part: 'all' | 'head' = 'all',
): { head: Head; state: JournalState } | string {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return 'it is no snapshot';
  if (bytes.readUInt32LE(8) !== FORMAT) return 'it is of another version';
  const body = bytes.subarray(HEADER_BYTES);
  if (crc32(body) !== bytes.readUInt32LE(12)) return 'it is damaged';
  const headEnd = 4 + body.readUInt32LE(0);
  const head = JSON.parse(body.toString('utf8', 4, headEnd)) as Head;
  const state = new JournalState();
  for (const [sessionId, session] of head.sessions) state.restoreSession(sessionId, session);
  for (const [credential, nonce] of head.nonces) state.nonces.set(credential, nonce);
  if (head.damage !== undefined) state.restoreDamage(head.damage);
  if (part === 'head') return { head, state };
  let position = headEnd;
  const text = (): string => {
    const start = position + 4;
    position = start + body.readUInt32LE(position);
    return body.toString('utf8', start, position);
  };
  while (position < body.length) state.orders.set(text(), text());
  return { head, state };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}
