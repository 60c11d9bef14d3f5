// The thread that asks the database for an ended order while the event loop waits for the answer (ended-lookup.ts): one
// question at a time, each answered by one message and a rise of the counter. Beside that it keeps the filter of all keys.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { fingerprint } from '../fingerprint.ts';
import { endedIn } from '../index/ended-blob.ts';
import { EndedFilter } from './ended-filter.ts';
import type { EndedAnswer, EndedNews, EndedQuestion, EndedThreadData } from './ended-lookup.ts';
import { countNoted, notedHashes } from './ended-run.ts';
import { KEPT_ALIVE, settingsOf } from './pools.ts';

/** Answers of a database are bounded; no more records of one fingerprint are looked at than this. */
const CANDIDATES_MAX = 8;
/** A run that is gone leaves its keys: what they are of was used. */
const FIND = `select key.block, substring(run.records from key.at + 1 for key.bytes) as record
  from crossgate_ended_key key left join crossgate_ended run on run.journal = key.journal and run.block = key.block
  where key.journal = $1 and key.print = $2 order by key.block desc, key.nth limit ${CANDIDATES_MAX}`;
const ASK_AGAIN_MS = 250;

const { url, journal, requestTimeoutMs, isDirect, answers, answered } = workerData as EndedThreadData;
const counter = new Int32Array(answered);
const pool = new Pool({
  ...settingsOf(url, requestTimeoutMs, isDirect),
  // One of them reads hashes.
  max: 2,
  connectionTimeoutMillis: requestTimeoutMs,
  query_timeout: requestTimeoutMs,
  idleTimeoutMillis: 0,
  ...KEPT_ALIVE,
  application_name: 'crossgate ended orders',
});
// An idle connection that breaks is replaced by the next query, which says what is wrong if that fails too.
pool.on('error', () => {});

type Found = { readonly text: string | null } | { readonly damaged: string };

async function find(key: string): Promise<Found> {
  const values = [journal, fingerprint(key).short];
  const { rows } = await pool.query<{ block: string; record: Buffer | null }>(FIND, values);
  let damaged: string | null = null;
  for (const { block, record } of rows) {
    const text = record === null ? undefined : textIn(record, key);
    if (typeof text === 'string') return { text };
    if (text === undefined) damaged ??= block;
  }
  return damaged === null ? { text: null } : { damaged };
}

/** The text of a record; null if it is of another key, undefined if it makes no sense. */
function textIn(record: Buffer, key: string): string | null | undefined {
  try {
    return endedIn(record, key);
  } catch {
    return undefined;
  }
}

function tell(port: MessagePort, answer: EndedAnswer): void {
  port.postMessage(answer);
  Atomics.add(counter, 0, 1);
  Atomics.notify(counter, 0);
}

const say = (news: EndedNews): void => parentPort?.postMessage(news);

/** Do it until the database does it. */
async function insist(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }
}

let filter: EndedFilter | null = null;
/** The last run with its keys in the filter. */
let through = 0;
let loading: Promise<void> = Promise.resolve();

/** Have the filter hold the keys of new runs, or of all of them. */
async function load(all: boolean): Promise<void> {
  const count = await countNoted(pool, journal);
  if (all || filter === null || filter.isTooSmallFor(count)) {
    // The one before is asked until this one has all of them.
    filter = EndedFilter.for(count);
    through = 0;
  }
  // The last one too: it may have been made anew, with more.
  for await (const { block, hashes } of notedHashes(pool, journal, through - 1)) {
    for (let at = 0; at < hashes.length; at += 4) filter.add(hashes.readUInt32LE(at));
    through = block;
  }
}

parentPort?.on('message', (question: EndedQuestion) => {
  if (question.kind === 'wait') {
    void insist(() => pool.query('select 1 from crossgate_ended_key limit 1')).then(() => say({ kind: 'there' }));
    return;
  }
  if (question.kind === 'load') {
    let { all } = question;
    loading = loading.then(async () => {
      await insist(async () => {
        await load(all);
        all = false;
      });
      say({ kind: 'loaded', id: question.id, filter: filter!.memory });
    });
    return;
  }
  const { id, key } = question;
  find(key).then(
    (found) => tell(answers, { id, ...found }),
    (error: unknown) => tell(answers, { id, error: error instanceof Error ? error.message : String(error) }),
  );
});
