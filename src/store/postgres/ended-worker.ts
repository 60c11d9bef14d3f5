// The thread that asks the database for an ended order while the event loop waits for the answer (ended-lookup.ts): one
// question at a time, each answered by one message and a rise of the counter. At its start it has the filter hold the keys of all.

import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { EndedFilter } from './ended-filter.ts';
import type { EndedAnswer, EndedNews, EndedQuestion, EndedThreadData } from './ended-lookup.ts';
import { KEPT_ALIVE, settingsOf } from './pools.ts';

/** A key without its order was used all the same. */
const FIND = `select o.record from crossgate_order_key k left join crossgate_order o on o.journal = k.journal and o.key = k.key
  where k.journal = $1 and k.id = $2`;
const KEYS_PER_READ = 10_000;
const KEYS = `select id from crossgate_order_key where journal = $1 and id > $2 order by id limit ${KEYS_PER_READ}`;
const ASK_AGAIN_MS = 250;

const { url, journal, requestTimeoutMs, isDirect, answers, answered, memory } = workerData as EndedThreadData;
const counter = new Int32Array(answered);
const filter = new EndedFilter(memory);
const pool = new Pool({
  ...settingsOf(url, requestTimeoutMs, isDirect),
  // One of them reads keys.
  max: 2,
  connectionTimeoutMillis: requestTimeoutMs,
  query_timeout: requestTimeoutMs,
  idleTimeoutMillis: 0,
  ...KEPT_ALIVE,
  application_name: 'crossgate ended orders',
});
// An idle connection that breaks is replaced by the next query, which says what is wrong if that fails too.
pool.on('error', () => {});

async function find(key: string): Promise<{ text: string | null } | { isLost: true }> {
  const { rows } = await pool.query<{ record: string | null }>(FIND, [journal, key]);
  const [row] = rows;
  if (row === undefined) return { text: null };
  return row.record === null ? { isLost: true } : { text: row.record };
}

const say = (news: EndedNews): void => parentPort?.postMessage(news);

/** Do it until the database does it. */
async function insist<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

async function keysAfter(last: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(KEYS, [journal, last]);
  return rows.map(({ id }) => id);
}

async function load(): Promise<void> {
  let keys = await insist(() => keysAfter(''));
  while (keys.length > 0) {
    for (const key of keys) filter.add(key);
    const last = keys.at(-1)!;
    keys = await insist(() => keysAfter(last));
  }
  say({ kind: 'loaded' });
}

parentPort?.on('message', (question: EndedQuestion) => {
  if (question.kind === 'wait') {
    void insist(() => pool.query('select 1 from crossgate_order_key limit 1')).then(() => say({ kind: 'there' }));
    return;
  }
  const { id, key } = question;
  const tell = (answer: EndedAnswer): void => {
    answers.postMessage(answer);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  };
  find(key).then(
    (found) => tell({ id, ...found }),
    (error: unknown) => tell({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});

await load();
