// What a node that goes leaves behind of which it does not know that the database has it, in words. Leaves keeping it to
// postgres-journal.ts.

import { CrossgateError } from '../base/errors.ts';
import type { SessionID } from '../session/mod.ts';
import type { Block } from './postgres-block.ts';
import { sessionsInWords } from './sessions-in-words.ts';

/** An error of closing, with what is lost by it: records of these rows are nowhere else. */
export function withUnrecorded(error: CrossgateError, kept: readonly Block[]): CrossgateError {
  if (kept.length === 0) return error;
  let records = 0;
  const sessions = new Set<SessionID>();
  for (const block of kept) {
    for (const frame of block.decode()) {
      records += frame.records.length;
      for (const record of frame.records) {
        if ('sessionId' in record && record.sessionId !== null) sessions.add(record.sessionId);
      }
    }
  }
  const whose = sessions.size === 0 ? '' : `, of ${sessionsInWords([...sessions])}`;
  const what = records === 1 ? '1 record is' : `${records} records are`;
  const then = 'counterparties are asked again for what they sent, and the exchange for orders';
  return new CrossgateError(error.code, `${error.message}; ${what} not known to be recorded${whose}: ${then}`, {
    cause: error,
  });
}
