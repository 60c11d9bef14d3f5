// TransactTime(60) of every message that reports an order or a request, as precise as the session's setting has it.

import { type EpochMs, formatTimestampAs } from '../../base/time.ts';
import { type MessageDraft, Tag } from '../../wire/mod.ts';
import type { SessionState } from '../state/session-state.ts';

/** Add TransactTime(60): milliseconds unless `timestampPrecision` names another precision. */
export function addTransactTime(
  draft: MessageDraft,
  { config }: Pick<SessionState, 'config'>,
  at: EpochMs,
): MessageDraft {
  const { timestampPrecision } = config;
  if (timestampPrecision == null || timestampPrecision === 'milliseconds') return draft.addTime(Tag.TransactTime, at);
  return draft.add(Tag.TransactTime, formatTimestampAs(at, timestampPrecision));
}
