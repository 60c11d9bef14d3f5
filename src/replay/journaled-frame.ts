// The records of a journal as a replay reads them: inputs and outputs of the machines. The engine writes them (its
// journaled-input.ts); here they are taken apart again.

import type { EpochMs } from '../base/time.ts';
import type { GatewayConfig, GatewayInput, GatewaySessionConfig } from '../gateway/mod.ts';
import type { Authentication, SessionConfig, SessionID, SessionInput, SessionRecord } from '../session/mod.ts';
import type { GarbledNotice } from '../wire/mod.ts';

/** A record of a journal, as far as a replay looks at it. */
export type ReplayedRecord =
  | SessionRecord
  | { readonly kind: 'order'; readonly key: string; readonly record: string }
  | { readonly kind: 'exchangeInput'; readonly json: string }
  | { readonly kind: 'audit'; readonly action: string }
  | { readonly kind: 'nonce' | 'damageFound' | 'damageAccepted' };

/** Everything that one turn of the engine wrote. */
export interface ReplayedFrame {
  readonly frame: number;
  readonly at: EpochMs;
  readonly records: readonly ReplayedRecord[];
}

/** Output of a machine: the records that a replay must write again, byte by byte. */
export type SaidRecord = SessionRecord | Extract<ReplayedRecord, { kind: 'order' }>;

/** Inputs of a machine, or events of all of them. */
export type ToldInput =
  | { readonly kind: 'start'; readonly gateway: GatewayConfig }
  | { readonly kind: 'session'; readonly session: SessionConfig; readonly gateway: GatewaySessionConfig }
  | { readonly kind: 'prices'; readonly prices: readonly (readonly [symbol: string, price: string, at: EpochMs])[] }
  | { readonly kind: 'gateway'; readonly input: GatewayInput }
  | { readonly kind: 'machine'; readonly sessionId: SessionID; readonly input: StoredSessionInput };

/** A session's input with bytes and messages not in memory yet. */
export type StoredSessionInput =
  | Exclude<SessionInput, { kind: 'message' | 'outboundLoaded' }>
  | { readonly kind: 'message'; readonly raw: Buffer; readonly authentication: Authentication }
  | { readonly kind: 'outboundLoaded'; readonly requestId: number };

interface StoredInput {
  readonly machine: string;
  readonly input: { readonly kind: string };
}

/** Take an input record apart. */
export function toldBy(json: string): ToldInput {
  const { machine, input } = JSON.parse(json) as StoredInput;
  if (machine === 'engine') return input as Extract<ToldInput, { kind: 'start' | 'session' }>;
  if (machine === 'gateway') {
    return input.kind === 'referencePrices'
      ? { kind: 'prices', prices: (input as unknown as Extract<ToldInput, { kind: 'prices' }>).prices }
      : { kind: 'gateway', input: input as GatewayInput };
  }
  return { kind: 'machine', sessionId: machine, input: sessionInputOf(input) };
}

function sessionInputOf(input: StoredInput['input']): StoredSessionInput {
  if (input.kind === 'message') {
    const { raw, authentication } = input as unknown as { raw: string; authentication: Authentication };
    return { kind: 'message', raw: Buffer.from(raw, 'latin1'), authentication };
  }
  if (input.kind === 'garbled') {
    const { notice } = input as unknown as { notice: Omit<GarbledNotice, 'bytes'> & { bytes: string } };
    return { kind: 'garbled', notice: { ...notice, bytes: Buffer.from(notice.bytes, 'latin1') } };
  }
  return input as StoredSessionInput;
}

/** Records of a frame that a machine said; those of the engine itself stay out. */
export function saidIn(frame: ReplayedFrame): SaidRecord[] {
  return frame.records.filter((record): record is SaidRecord => {
    switch (record.kind) {
      case 'exchangeInput':
      case 'audit':
      case 'nonce':
      case 'damageFound':
      case 'damageAccepted':
        return false;
      case 'unsequenced':
        return record.sessionId !== null;
      default:
        return true;
    }
  });
}

/** Whether two records are the same to the byte. */
export function isSame(recorded: SaidRecord, replayed: SaidRecord): boolean {
  if (areEqual(recorded, replayed)) return true;
  // Older journals do not say how a session was logged off.
  if (recorded.kind === 'state' && recorded.end === undefined && replayed.kind === 'state') {
    const { kind, sessionId, loggedOn } = replayed;
    return textOf(recorded) === textOf({ kind, sessionId, loggedOn });
  }
  return textOf(recorded) === textOf(replayed);
}

/** Whether two records have the same plain values and bytes: true of nearly all, and much cheaper than their texts. */
function areEqual(recorded: SaidRecord, replayed: SaidRecord): boolean {
  const [before, now] = [recorded, replayed] as unknown as readonly [Values, Values];
  let count = 0;
  for (const key in before) {
    count++;
    const [a, b] = [before[key], now[key]];
    if (a === b) continue;
    if (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0) continue;
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  }
  for (const _ in now) count--;
  return count === 0;
}

type Values = Readonly<Record<string, unknown>>;

/** A record as text without loss. */
export function textOf(record: SaidRecord): string {
  const fields = Object.entries(record).map(([key, value]): [string, unknown] => [
    key,
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  ]);
  return JSON.stringify(Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))));
}
