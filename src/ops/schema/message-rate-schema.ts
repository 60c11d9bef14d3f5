// The schema of a session's inbound rate (rule S7). Part of session-schema.ts. The session room applies it.

import { type Static, Type } from '../../base/schema.ts';
import { CLOSED, choice, whole } from '../../base/schema-node.ts';
import type { MessageRateSettings } from '../../engine/mod.ts';

export const MessageRateSchema = Type.Object(
  {
    max: whole(0, 1_000_000, 200, 'Most application messages taken in any `perMs`, over longer times; 0 for no limit.'),
    perMs: whole(1, 60_000, 1000, 'Length of that stretch of time.'),
    burst: whole(
      1,
      60,
      2,
      'So many times `max` pass at once if less came before: the limit is `max` × `burst` in any `perMs` × `burst`; 1: no burst.',
    ),
    excess: choice(
      ['refuse', 'queue'],
      '`refuse`: messages beyond the rate are refused, with the wait in Text(58); `queue`: they wait for their turn in dialect `standard`, and are refused in `venue`.',
      'refuse',
    ),
    queueAgeMaxMs: whole(1, 60_000, 1000, 'Longest wait in that queue; messages that would wait longer are refused.'),
    refusalsMax: whole(
      0,
      1_000_000,
      1000,
      'Refusals within a minute after which the session is logged out; 0: it never is.',
    ),
    sessionMax: whole(
      0,
      1_000_000,
      1000,
      'Most session messages, messages sent again unasked and garbled ones in a second, after which the session is logged out; 0: any number.',
    ),
  },
  {
    ...CLOSED,
    default: {},
    description: 'How fast messages may come (rule S7); cancels (F, q) are always taken at once.',
  },
);

/** The session machine's form of it; null for no limit. In `venue` no message waits (rule D6). */
export function messageRate(
  settings: Static<typeof MessageRateSchema>,
  dialect: 'standard' | 'venue',
): MessageRateSettings | null {
  const { max, perMs, burst, excess, queueAgeMaxMs, refusalsMax } = settings;
  if (max === 0) return null;
  const what = excess === 'queue' && dialect === 'standard' ? 'hold' : 'refuse';
  return {
    messagesMax: max * burst,
    perMs: perMs * burst,
    excess: what,
    holdMsMax: queueAgeMaxMs,
    refusalsMax,
  };
}
