// A journal in memory for one session machine that asserts every journal's assumptions: numbers follow each other and
// never go back within a series. It uses assert, because it checks every record of long runs, where `expect` would take
// most of the time. Leaves real journals to the store.

import assert from 'node:assert/strict';
import type {
  EndedSeries,
  LoggedOffBy,
  OutboundMessage,
  RecoveredSession,
  SessionNumbers,
  SessionRecord,
} from '../../../src/session/mod.ts';

/** A journal in memory; asserts what a journal relies on. */
export class MemorySessionJournal {
  readonly records: SessionRecord[] = [];
  readonly outbound = new Map<string, OutboundMessage>();
  numbers: SessionNumbers;
  provenMsgSeqNum = 0;
  loggedOn = false;
  countedAt: number | null = null;
  ended: EndedSeries[] = [];
  before: SessionNumbers | null = null;
  firstByHand = false;
  end: LoggedOffBy | null = null;
  saidLogout = false;
  unsent: { from: number; isSure: boolean } | null = { from: 1, isSure: true };
  due: { readonly due: string; readonly dueBy: string } | null = null;

  constructor(numbers: SessionNumbers = { series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 }) {
    this.numbers = numbers;
  }

  append(record: SessionRecord, at: number): void {
    this.records.push(record);
    const counts = record.kind === 'numbers' || ('msgType' in record && record.msgType !== '5');
    if (counts) this.countedAt = at;
    switch (record.kind) {
      case 'inbound':
        assert(record.nextTargetMsgSeqNum <= 0xffff_ffff, 'a number fits the 32 bits that a journal has for it');
        if (record.series < this.numbers.series) {
          this.#ofEnded(record);
          return;
        }
        assert.equal(record.series, this.numbers.series);
        assert.equal(record.msgSeqNum, this.numbers.nextTargetMsgSeqNum);
        assert(record.nextTargetMsgSeqNum > record.msgSeqNum, 'the expected number goes forward');
        this.numbers = { ...this.numbers, nextTargetMsgSeqNum: record.nextTargetMsgSeqNum };
        this.before = null;
        return;
      case 'outbound':
        this.outbound.set(`${record.series}/${record.msgSeqNum}`, { ...record, at });
        if (record.series < this.numbers.series) {
          this.#owed(record);
          return;
        }
        assert.equal(record.series, this.numbers.series);
        assert.equal(record.msgSeqNum, this.numbers.nextSenderMsgSeqNum);
        this.numbers = { ...this.numbers, nextSenderMsgSeqNum: record.msgSeqNum + 1 };
        if (record.msgType === '5') this.saidLogout = this.loggedOn;
        return;
      case 'numbers':
        assert.deepEqual(record.from, this.numbers);
        if (['schedule', 'application'].includes(record.who) && record.to.series === record.from.series) {
          this.due = { due: record.why, dueBy: record.who };
          return;
        }
        if (record.to.series > record.from.series && record.to.nextTargetMsgSeqNum === 1) this.due = null;
        if (record.to.series === record.from.series) {
          assert(record.to.nextSenderMsgSeqNum >= record.from.nextSenderMsgSeqNum, 'numbers of a series never go back');
        } else {
          assert.equal(record.to.series, record.from.series + 1);
          const { series, nextSenderMsgSeqNum } = record.from;
          const ended = { series, from: this.provenMsgSeqNum + 1, to: nextSenderMsgSeqNum - 1 };
          if (ended.from <= ended.to) this.ended.push(ended);
          this.provenMsgSeqNum = 0;
          this.unsent = this.loggedOn ? null : { from: record.to.nextSenderMsgSeqNum, isSure: true };
          const unasked =
            record.to.nextSenderMsgSeqNum > 1 ? (this.before?.series ?? series) : Number.POSITIVE_INFINITY;
          this.ended = this.ended.map((one) => (one.series < unasked ? one : { ...one, isUnasked: true }));
        }
        this.before = this.#beforeReset(record);
        this.end = null;
        this.firstByHand = record.to.series === record.from.series && record.to.nextTargetMsgSeqNum === 1;
        this.numbers = record.to;
        return;
      case 'proven':
        if (record.series < this.numbers.series) {
          const from = record.msgSeqNum + 1;
          this.ended = this.ended.map((one) => (one.series === record.series ? { ...one, from } : one));
          this.ended = this.ended.filter((one) => one.from <= one.to);
          return;
        }
        assert(record.msgSeqNum < this.numbers.nextSenderMsgSeqNum, 'what was never sent is not proven');
        this.provenMsgSeqNum = record.msgSeqNum;
        return;
      case 'state':
        assert.equal(record.loggedOn, !this.loggedOn);
        this.unsent = this.#unsentBehind(record.loggedOn);
        this.loggedOn = record.loggedOn;
        this.end = record.end ?? null;
        this.saidLogout = false;
        return;
      case 'unsequenced':
        return;
    }
  }

  /** Messages that may not have left, at a logon or logoff; the Logon stands before that record. */
  #unsentBehind(loggedOn: boolean): { from: number; isSure: boolean } | null {
    const next = this.numbers.nextSenderMsgSeqNum;
    const unsent = this.unsent === null || this.unsent.from <= this.provenMsgSeqNum ? null : this.unsent;
    if (!loggedOn) return unsent ?? { from: next, isSure: true };
    return unsent === null || unsent.from >= next - 1 ? null : { ...unsent, isSure: false };
  }

  #beforeReset({ from, to, who }: SessionRecord & { kind: 'numbers' }): SessionNumbers | null {
    if (to.series === from.series) return null;
    if (this.loggedOn) return from;
    if (this.end === null || who !== 'settings') return null;
    return from.nextTargetMsgSeqNum > 1 ? from : (this.before ?? from);
  }

  /** The counterparty's next of the series that an unanswered reset of ours ended. */
  #ofEnded({ series, msgSeqNum, nextTargetMsgSeqNum }: SessionRecord & { kind: 'inbound' }): void {
    const { before } = this;
    assert(before?.series === series, 'a message of an ended series comes while its reset is not answered');
    assert.equal(msgSeqNum, before.nextTargetMsgSeqNum);
    assert(nextTargetMsgSeqNum > msgSeqNum, 'the expected number goes forward');
    this.before = { ...before, nextTargetMsgSeqNum };
  }

  /** A report that waits behind those that an ended series owes: the next of them. */
  #owed({ series, msgSeqNum }: SessionRecord & { kind: 'outbound' }): void {
    const at = this.ended.findIndex((one) => one.series === series);
    const owing = this.ended[at];
    assert.equal(owing?.to, msgSeqNum - 1, `what series ${series} owes ends before it`);
    this.ended[at] = { ...owing, to: msgSeqNum };
  }

  load(series: number, from: number, to: number): OutboundMessage[] {
    assert(from >= 1 && from <= to, `a read is of numbers, ${from} to ${to}`);
    const messages: OutboundMessage[] = [];
    for (let n = from; n <= to; n++) {
      const message = this.outbound.get(`${series}/${n}`);
      if (message?.resendable) messages.push(message);
    }
    return messages;
  }

  recovered(sessionId: string): RecoveredSession {
    const { numbers, loggedOn, provenMsgSeqNum, countedAt, ended, before } = this;
    const more = {
      ...(before === null ? {} : { before }),
      ...(this.firstByHand ? { firstByHand: true } : {}),
      ...this.due,
    };
    const end = {
      ...(this.end === null ? {} : { end: this.end }),
      ...(this.saidLogout ? { saidLogout: true } : {}),
      ...(this.unsent === null ? {} : { unsent: this.unsent }),
    };
    return { sessionId, numbers, loggedOn, provenMsgSeqNum, countedAt, ended, ...more, ...end };
  }
}
