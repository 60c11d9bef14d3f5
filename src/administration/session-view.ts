// A session as operators see it: what it is configured as, the live state of its machine, and its last messages decoded.
// Copies and snapshots only; what is done to a session stands in administration.ts.

import { basename } from 'node:path';
import type { EpochMs } from '../base/time.ts';
import { type DecodedField, describe, toDecodedLine } from '../dictionary/mod.ts';
import type { RecentMessage, VersionDictionaries } from '../engine/mod.ts';
import { type RunningEngine, sessionName } from '../runtime/mod.ts';
import type { SessionStatus } from '../session/mod.ts';
import type { Durability } from '../store/mod.ts';
import { MsgType, maskShown, toRedacted, viewOf } from '../wire/mod.ts';

export interface SessionView {
  /** Its name for operators: the name of its file without the ending. */
  readonly name: string;
  readonly sessionId: string;
  readonly beginString: string;
  /** Ours. */
  readonly senderCompID: string;
  /** The counterparty's. */
  readonly targetCompID: string;
  readonly dialect: 'standard' | 'venue';
  readonly durability: Durability;
  readonly accounts: readonly string[];
  /** Where its settings stand. */
  readonly source: string;
  /** The template that it was made from when its counterparty first logged on; null for a session with a file of its own. */
  readonly template: string | null;
  /** Whether it may log on. */
  readonly enabled: boolean;
  /** Its file was removed while the gateway runs: it stays to take reports of its orders until the next start. */
  readonly retired: boolean;
  /** Why no Logon of it is accepted until an operator opens it, and how; null if nothing of the kind holds (rule J3). */
  readonly keptOut: string | null;
  readonly status: SessionStatus;
  readonly openOrders: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** Bytes sent that the counterparty has not taken yet. */
  readonly queuedBytes: number;
  /** ResendRequests(2) since the start: `out` ours, for gaps seen here; `in` the counterparty's. */
  readonly resendRequests: { readonly in: number; readonly out: number };
  /** Alarms about it among those kept. */
  readonly alarms: number;
}

/** A message for operators; secrets are hidden. */
export interface DecodedMessage {
  readonly serial: number;
  readonly at: EpochMs;
  readonly direction: 'in' | 'out';
  readonly msgSeqNum: number | null;
  readonly msgType: string | null;
  /** Name and fields by name on one line. */
  readonly line: string;
  /** The bytes, SOH as `|`. */
  readonly raw: string;
  readonly fields: readonly DecodedField[];
  readonly note: string;
}

/** Kept alarms by the session that they are about. */
export function alarmsBySession(engine: RunningEngine): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { fields } of engine.alarms) {
    if (fields.session !== undefined) counts.set(fields.session, (counts.get(fields.session) ?? 0) + 1);
  }
  return counts;
}

/** A session as it is now, or null if there is none of this id. */
export function sessionView(
  engine: RunningEngine,
  sessionId: string,
  alarms: ReadonlyMap<string, number>,
): SessionView | null {
  const config = engine.sessionConfigs.get(sessionId);
  const slot = engine.dispatcher.slots.get(sessionId);
  if (config === undefined || slot === undefined) return null;
  const recent = engine.recentMessages.get(sessionId);
  const { session, gateway } = config;
  return {
    name: sessionName(config),
    sessionId,
    beginString: session.beginString,
    senderCompID: session.senderCompID,
    targetCompID: session.targetCompID,
    dialect: gateway.dialect,
    durability: slot.durability,
    accounts: gateway.accounts.map(({ account }) => account),
    source: config.source,
    template: config.madeFrom === undefined ? null : basename(config.madeFrom, '.yaml'),
    enabled: slot.enabled,
    retired: slot.retired,
    keptOut: engine.logonGate.keptOutFor(sessionId),
    status: slot.machine.statusAt(engine.now()),
    openOrders: engine.gateway.openOrderCount(sessionId),
    messagesIn: recent?.total('in') ?? 0,
    messagesOut: recent?.total('out') ?? 0,
    queuedBytes: slot.wire?.bufferedBytes ?? 0,
    resendRequests: {
      in: recent?.counts.in.get(MsgType.ResendRequest) ?? 0,
      out: recent?.counts.out.get(MsgType.ResendRequest) ?? 0,
    },
    alarms: alarms.get(sessionId) ?? 0,
  };
}

/** Decode a kept message; one that is no FIX message is shown as it came. */
export function decodeMessage(message: RecentMessage, { names, dataFields }: VersionDictionaries): DecodedMessage {
  const { serial, at, direction, msgSeqNum, note } = message;
  const masked = maskShown(message.raw, dataFields);
  const raw = toRedacted(masked);
  const view = viewOf(masked, dataFields);
  if (view === null) return { serial, at, direction, msgSeqNum, msgType: null, line: raw, raw, fields: [], note };
  const line = toDecodedLine(view, names);
  return {
    serial,
    at,
    direction,
    msgSeqNum,
    msgType: view.msgType,
    line,
    raw,
    fields: describe(view, names),
    note,
  };
}
