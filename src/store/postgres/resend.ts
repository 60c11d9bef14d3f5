// Reads outbound messages of a journal in PostgreSQL back for a resend. All of them: what is missing would be gap-filled, and with it
// reports (rule S11). So numbers without a row are no reason to stop only while as many rows are there as were written.

import { CrossgateError } from '../../base/errors.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import type { Database } from './pools.ts';

/** Bytes of one answer, which is kept whole until its end. */
const BYTES_PER_READ = 8_388_608;
const ROWS_PER_READ = 2_000;
/** Of two rows with one number the later one counts: an operator set the numbers back. */
const READ = `select * from (
    select msg_seq_num, msg_type, is_resendable, at, raw, entry,
      sum(length(raw)) over (order by msg_seq_num, entry) - length(raw) as before
    from (
      select msg_seq_num, msg_type, is_resendable, (extract(epoch from at) * 1000)::float8 as at, raw, entry from crossgate_message
      where journal = $1 and session = $2 and series = $3 and direction = 'out' and (msg_seq_num, entry) > ($4, $5) and msg_seq_num <= $6
      order by msg_seq_num, entry limit ${ROWS_PER_READ}
    ) as next
  ) as counted where before <= ${BYTES_PER_READ} order by msg_seq_num, entry`;
const COUNT = `select count(*)::int as rows from crossgate_message
  where journal = $1 and session = $2 and series = $3 and direction = 'out' and is_resendable and entry <= $4`;

/** Resendable messages of a series with from ≤ number ≤ to. */
export interface WantedMessages {
  readonly sessionId: SessionID;
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

interface MessageRow {
  readonly msg_seq_num: string;
  readonly msg_type: string;
  readonly is_resendable: boolean;
  readonly at: number;
  readonly raw: Buffer;
  readonly entry: string;
}

/** How many messages of the series were confirmed as written, and the last entry of those. */
export interface Confirmed {
  readonly sent: number;
  readonly entry: number;
}

/** Messages in the database, by number. @throws CrossgateError XG_JOURNAL_CORRUPT, and the database's error */
export async function loadSent(
  database: Database,
  { journal, where }: { readonly journal: string; readonly where: string },
  { sessionId, series, from, to }: WantedMessages,
  confirmed: Confirmed,
): Promise<Map<number, OutboundMessage>> {
  const found = new Map<number, OutboundMessage>();
  let next = from;
  let hasGap = false;
  for (let after: [number | string, number | string] = [from - 1, Number.MAX_SAFE_INTEGER]; ; ) {
    const { rows } = await database.query<MessageRow>(READ, [journal, sessionId, series, ...after, to]);
    for (const { msg_seq_num, msg_type: msgType, is_resendable, at, raw } of rows) {
      const msgSeqNum = Number(msg_seq_num);
      hasGap ||= msgSeqNum > next;
      next = msgSeqNum + 1;
      if (is_resendable) found.set(msgSeqNum, { series, msgSeqNum, msgType, resendable: true, raw, at });
      else found.delete(msgSeqNum);
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = [last.msg_seq_num, last.entry];
  }
  if (!hasGap && next > to) return found;
  const { rows } = await database.query<{ rows: number }>(COUNT, [journal, sessionId, series, confirmed.entry]);
  const there = rows[0]!.rows;
  if (there >= confirmed.sent) return found;
  const what = `${there} of ${confirmed.sent} messages of ${sessionId}, series ${series}, are there that may be asked for again`;
  throw new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${where}: ${what}; restore crossgate_message from a backup of the database`,
  );
}
