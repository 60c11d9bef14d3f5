// Reads a session's sent messages from a journal, for the commands that move it. quickfix-store.ts has QuickFIX's
// stores.

import { CrossgateError } from '../../base/errors.ts';
import { type EndedSeries, isReport, type OutboundMessage, type RecoveredSession } from '../../session/mod.ts';
import type { Journal } from '../../store/mod.ts';

/** Messages that are loaded at a time, and how many bytes of them are aimed at: some engines' are a megabyte each. */
const NUMBERS_AT_A_TIME = 50_000;
const FIRST_NUMBERS = 500;
const LOADED_BYTES = 67_108_864;

/** Resendable messages of these numbers of a series, ascending: possibly more than memory holds. */
export async function* sentInParts(
  journal: Pick<Journal, 'loadOutbound'>,
  sessionId: string,
  { series, from: first, to: last }: EndedSeries,
): AsyncGenerator<OutboundMessage[]> {
  let count = FIRST_NUMBERS;
  for (let from = first; from <= last; ) {
    const messages = await journal.loadOutbound(sessionId, series, from, Math.min(last, from + count - 1));
    yield messages;
    from += count;
    const bytes = messages.reduce((sum, { raw }) => sum + raw.length, 1);
    count = Math.max(1, Math.min(NUMBERS_AT_A_TIME, 4 * count, Math.floor((LOADED_BYTES * count) / bytes)));
  }
}

/**
 * The number up to which each resendable message of a series is among `others` too, with the same number and bytes; the
 * number before the first if none is, or if they cannot be read.
 */
export async function heldToo(
  journal: Pick<Journal, 'loadOutbound'>,
  sessionId: string,
  numbers: EndedSeries,
  others: Iterable<Pick<OutboundMessage, 'msgSeqNum' | 'raw'>>,
): Promise<number> {
  const rest = others[Symbol.iterator]();
  try {
    let other = rest.next();
    for await (const messages of sentInParts(journal, sessionId, numbers)) {
      for (const { msgSeqNum, raw } of messages) {
        while (!other.done && other.value.msgSeqNum < msgSeqNum) other = rest.next();
        if (other.done || other.value.msgSeqNum > msgSeqNum || Buffer.compare(other.value.raw, raw) !== 0) {
          return msgSeqNum - 1;
        }
      }
    }
    return numbers.to;
  } catch (error) {
    mustBeDamage(error);
    // It may be the reason for replacing the numbers.
    return numbers.from - 1;
  } finally {
    rest.return?.();
  }
}

/** Number of reports of ended series that are not proven received (rule S2); unreadable messages all count. */
export async function owedReports(
  journal: Pick<Journal, 'loadOutbound'>,
  { sessionId, ended = [] }: Pick<RecoveredSession, 'sessionId' | 'ended'>,
): Promise<number> {
  let count = 0;
  for (const owed of ended) {
    try {
      for await (const messages of sentInParts(journal, sessionId, owed)) {
        count += messages.filter(({ msgType }) => isReport(msgType)).length;
      }
    } catch (error) {
      mustBeDamage(error);
      count += owed.to - owed.from + 1;
    }
  }
  return count;
}

function mustBeDamage(error: unknown): void {
  if (!(error instanceof CrossgateError && error.code === 'XG_JOURNAL_CORRUPT')) throw error;
}
