// Records that a closing journal does not know to be recorded, in words. The journals keep them.

import { CrossgateError } from '../base/errors.ts';
import type { SessionID } from '../session/mod.ts';
import type { JournalRecord } from './port.ts';
import { sessionsInWords } from './sessions-in-words.ts';

/** An error of closing, with what is lost by it: the records of these frames are nowhere else. */
export function withUnrecorded(
  error: CrossgateError,
  frames: Iterable<{ readonly records: readonly JournalRecord[] }>,
): CrossgateError {
  let count = 0;
  const sessions = new Set<SessionID>();
  for (const { records } of frames) {
    count += records.length;
    for (const record of records) {
      if ('sessionId' in record && record.sessionId !== null) sessions.add(record.sessionId);
    }
  }
  if (count === 0) return error;
  const whose = sessions.size === 0 ? '' : `, of ${sessionsInWords([...sessions])}`;
  const what = count === 1 ? '1 record is' : `${count} records are`;
  const then = 'counterparties are asked to resend, and the exchange for orders';
  return new CrossgateError(error.code, `${error.message}; ${what} not known to be recorded${whose}: ${then}`, {
    cause: error,
  });
}
