// Reads the journals of a cluster for its oracle: every outbound message with the epoch of the lease under which it was committed.

import { Client } from 'pg';
import type { RecordedMessage } from './cluster-oracle.ts';

interface MessageRow {
  readonly journal: string;
  readonly session: string;
  readonly frame: string;
  readonly number: string;
  readonly type: string;
  readonly raw: Buffer;
}

/** Of the last series of each session: that of the campaign. */
const MESSAGES = `select journal, session, frame, msg_seq_num as number, msg_type as type, raw from (
    select *, max(series) over (partition by journal, session) as last_series
      from crossgate_message where direction = 'out' and msg_seq_num is not null
  ) as m where series = last_series order by journal, entry`;
const EPOCHS = 'select journal, epoch, min(first_frame) as frame from crossgate_commit group by 1, 2 order by 1, 2';

/** By TargetCompID(56) of the session, then by MsgSeqNum(34). */
export async function recordedMessages(url: string): Promise<ReadonlyMap<string, Map<number, RecordedMessage[]>>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const epochs = (await client.query<{ journal: string; epoch: string; frame: string }>(EPOCHS)).rows;
    const sessions = new Map<string, Map<number, RecordedMessage[]>>();
    for (const row of (await client.query<MessageRow>(MESSAGES)).rows) {
      const name = row.session.slice(row.session.lastIndexOf('>') + 1);
      const owner = epochs.findLast(
        ({ journal, frame }) => journal === row.journal && Number(frame) <= Number(row.frame),
      );
      const message = { msgType: row.type, raw: row.raw, epoch: Number(owner?.epoch ?? 0) };
      const numbers = sessions.get(name) ?? new Map<number, RecordedMessage[]>();
      numbers.set(Number(row.number), [...(numbers.get(Number(row.number)) ?? []), message]);
      sessions.set(name, numbers);
    }
    return sessions;
  } finally {
    await client.end();
  }
}
