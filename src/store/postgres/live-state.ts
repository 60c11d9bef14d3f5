// Sessions and nonces as the log of a journal in PostgreSQL leaves them: the writer keeps them beside the log. Each commit writes
// those that it changed, so that a start reads no log, however long it is. The last record of an order is its state.

import type { EpochMs } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';
import { numbersAsked, setsNumbers } from '../asked-numbers.ts';
import { JournalState, type SessionState } from '../journal-state.ts';
import type { JournalRecord } from '../port.ts';
import type { Database } from './pools.ts';

/** Rows of the tables, as values. */
export interface LiveRows {
  readonly session: unknown[][];
  readonly nonce: unknown[][];
}

interface SessionRow {
  readonly session: string;
  readonly series: string;
  readonly sender: string;
  readonly target: string;
  readonly proven: string;
  readonly logged_on: boolean;
  readonly counted_at: number | null;
  readonly state: string;
}

/** The text of a row of crossgate_session. `sent`: messages that may be asked for again, by series. */
type KeptState = Omit<SessionState, Columns> & { readonly sent: [series: number, count: number][] };
type Columns = 'series' | 'nextSenderMsgSeqNum' | 'nextTargetMsgSeqNum' | 'provenMsgSeqNum' | 'loggedOn' | 'countedAt';

const SESSIONS = `select session, series, next_sender_msg_seq_num as sender, next_target_msg_seq_num as target,
    proven_msg_seq_num as proven, is_logged_on as logged_on, (extract(epoch from counted_at) * 1000)::float8 as counted_at, state
  from crossgate_session where journal = $1 order by session`;
const NONCES = 'select credential, nonce from crossgate_nonce where journal = $1';

export class LiveState {
  readonly state = new JournalState();
  readonly #sent = new Map<SessionID, Map<number, number>>();
  readonly #touched = new Set<SessionID>();
  readonly #nonces = new Set<string>();

  static async load(database: Database, journal: string): Promise<LiveState> {
    const live = new LiveState();
    const sessions = await database.query<SessionRow>(SESSIONS, [journal]);
    for (const row of sessions.rows) live.#restore(row);
    const nonces = await database.query<{ credential: string; nonce: string }>(NONCES, [journal]);
    for (const { credential, nonce } of nonces.rows) live.state.nonces.set(credential, nonce);
    return live;
  }

  #restore(row: SessionRow): void {
    const { sent, ...rest } = JSON.parse(row.state) as KeptState;
    this.#sent.set(row.session, new Map(sent));
    this.state.restoreSession(row.session, {
      ...rest,
      series: Number(row.series),
      nextSenderMsgSeqNum: Number(row.sender),
      nextTargetMsgSeqNum: Number(row.target),
      provenMsgSeqNum: Number(row.proven),
      loggedOn: row.logged_on,
      countedAt: row.counted_at,
    });
  }

  /** Take a record of that commit. */
  apply(record: JournalRecord, at: EpochMs, commit: number): void {
    switch (record.kind) {
      case 'order':
      case 'audit':
      case 'unsequenced':
      case 'damageFound':
        return;
      case 'nonce':
        this.#nonces.add(record.credential);
        break;
      case 'exchangeInput': {
        const found = setsNumbers(record.json) ? numbersAsked(record.json) : null;
        if (found === null) return;
        this.#touched.add(found.sessionId);
        break;
      }
      case 'damageAccepted':
        for (const [sessionId] of this.state.kept()) this.#touched.add(sessionId);
        break;
      default:
        this.#touched.add(record.sessionId);
        if (record.kind === 'outbound' && record.resendable) this.#count(record.sessionId, record.series);
    }
    this.state.segment = commit;
    this.state.apply(record, at);
  }

  #count(sessionId: SessionID, series: number): void {
    let counts = this.#sent.get(sessionId);
    if (counts === undefined) {
      counts = new Map();
      this.#sent.set(sessionId, counts);
    }
    counts.set(series, (counts.get(series) ?? 0) + 1);
  }

  /** How many messages of a series may be asked for again. */
  sent(sessionId: SessionID, series: number): number {
    return this.#sent.get(sessionId)?.get(series) ?? 0;
  }

  /** Everything counts as changed: a converted journal writes it with its first commit. */
  touchAll(): void {
    for (const [sessionId] of this.state.kept()) this.#touched.add(sessionId);
    for (const credential of this.state.nonces.keys()) this.#nonces.add(credential);
  }

  /** The rows that changed since the last call. */
  changed(): LiveRows {
    const session = Array.from(this.#touched, (sessionId) => this.#row(sessionId)).filter((row) => row !== null);
    const nonce = Array.from(this.#nonces, (credential) => [credential, this.state.nonces.get(credential)]);
    this.#touched.clear();
    this.#nonces.clear();
    return { session, nonce };
  }

  #row(sessionId: SessionID): unknown[] | null {
    const state = this.state.stateOf(sessionId);
    // Numbers were asked for a session that has never been here.
    if (state === undefined) return null;
    const { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum, provenMsgSeqNum, loggedOn, countedAt, ...rest } = state;
    const oldest = this.state.oldestSeries(sessionId);
    const counts = this.#sent.get(sessionId);
    for (const one of counts?.keys() ?? []) if (one < oldest) counts?.delete(one);
    const kept: KeptState = { ...rest, sent: [...(counts ?? [])] };
    const numbers = [series, nextSenderMsgSeqNum, nextTargetMsgSeqNum, provenMsgSeqNum];
    return [sessionId, ...numbers, loggedOn, countedAt, JSON.stringify(kept)];
  }
}
