// Sequence numbers and sent messages of the demonstration OMS, behind jspurefix's store interface.
// Its own file store is not used: killed at the wrong moment it leaves an empty number file, and a resend it sends sets
// its own next number back. This one never goes back but by a reset. Writing to disk is left to the owner (`numbers`).

import type { FixMsgStoreRecord, IFixSessionStore, SessionId } from 'jspurefix';
import { ProcessedNumbers } from './processed-numbers.ts';

type StoredRecord = ReturnType<FixMsgStoreRecord['clone']>;

/** Sent messages kept for a resend; the oldest go first. */
const SENT_MAX = 10_000;

/** The two numbers an OMS must keep to log on with ResetSeqNumFlag(141)=N. */
export interface OmsNumbers {
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
}

/** A store that outlives a connection: hand the same one to the next logon to recover a gap. */
export class SequenceStore implements IFixSessionStore {
  senderSeqNum: number;
  targetSeqNum: number;
  readonly #sent = new Map<number, StoredRecord>();
  #sessionId: SessionId | null = null;
  #creationTime = new Date();
  #processed: ProcessedNumbers | null = null;

  constructor(numbers: OmsNumbers = { nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 }) {
    this.senderSeqNum = numbers.nextSenderMsgSeqNum;
    this.targetSeqNum = numbers.nextTargetMsgSeqNum;
  }

  get numbers(): OmsNumbers {
    return { nextSenderMsgSeqNum: this.senderSeqNum, nextTargetMsgSeqNum: this.#nextTargetMsgSeqNum() };
  }

  /** jspurefix counts a Logon above a gap: where the connection was cut before the resend came, the rest would be passed over. */
  #nextTargetMsgSeqNum(): number {
    const last = this.#processed?.last ?? null;
    return last === null ? this.targetSeqNum : Math.min(this.targetSeqNum, last + 1);
  }

  /** A connection begins, with the numbers processed so far; none yet if its Logon begins a series. */
  begin(resetSeqNumFlag: boolean): ProcessedNumbers {
    this.targetSeqNum = this.#nextTargetMsgSeqNum();
    this.#processed = new ProcessedNumbers(resetSeqNumFlag ? null : this.targetSeqNum - 1);
    return this.#processed;
  }

  /** Called once per connection by the session's store factory. */
  attach(sessionId: SessionId): this {
    this.#sessionId = sessionId;
    return this;
  }

  get sessionId(): SessionId {
    if (this.#sessionId === null) throw new Error('the sequence store is not attached to a session');
    return this.#sessionId;
  }

  get creationTime(): Date {
    return this.#creationTime;
  }

  async put(record: StoredRecord): Promise<void> {
    this.#sent.set(record.seqNum, record.clone());
    const oldest = this.#sent.keys().next().value;
    if (this.#sent.size > SENT_MAX && oldest !== undefined) this.#sent.delete(oldest);
  }

  async get(seqNum: number): Promise<StoredRecord | null> {
    return this.#sent.get(seqNum)?.clone() ?? null;
  }

  async getRange(fromSeqNum: number, toSeqNum: number): Promise<StoredRecord[]> {
    return [...this.#sent.values()]
      .filter((record) => record.seqNum >= fromSeqNum && record.seqNum <= toSeqNum)
      .sort((a, b) => a.seqNum - b.seqNum)
      .map((record) => record.clone());
  }

  async setSenderSeqNum(value: number): Promise<void> {
    this.senderSeqNum = Math.max(this.senderSeqNum, value);
  }

  async setTargetSeqNum(value: number): Promise<void> {
    this.targetSeqNum = Math.max(this.targetSeqNum, value);
  }

  async nextSenderSeqNum(): Promise<number> {
    this.senderSeqNum += 1;
    return this.senderSeqNum;
  }

  async nextTargetSeqNum(): Promise<number> {
    this.targetSeqNum += 1;
    return this.targetSeqNum;
  }

  async reset(): Promise<void> {
    this.senderSeqNum = 1;
    this.targetSeqNum = 1;
    this.#sent.clear();
    this.#creationTime = new Date();
  }

  async initialize(): Promise<void> {}
  async flush(): Promise<void> {}
  async dispose(): Promise<void> {}
}
