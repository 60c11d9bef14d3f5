// An OMS's assurances about an order's fills, checked over all its messages: none lost, none twice.

import { expect } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import { type MessageView, Tag, toPrintable } from '../../../src/wire/mod.ts';

/** Fills of an order among the messages; a repeated one must be flagged PossDup and be the same in everything that counts. */
export function fillsOf(messages: readonly MessageView[], clOrdID: string): MessageView[] {
  const fills = new Map<string, MessageView>();
  for (const view of messages) {
    if (view.msgType !== '8' || view.string(Tag.ClOrdID) !== clOrdID || view.string(Tag.ExecType) !== 'F') continue;
    const execID = view.string(Tag.ExecID) ?? '';
    const seen = fills.get(execID);
    if (seen === undefined) fills.set(execID, view);
    else {
      expect(view.boolean(Tag.PossDupFlag), `sent twice: ${toPrintable(view.bytes())}`).toBe(true);
      expect(view.int(Tag.MsgSeqNum)).toBe(seen.int(Tag.MsgSeqNum));
    }
  }
  return [...fills.values()];
}

/** The fills are `count`, LastQty(32) adds up to `cumQty`, and CumQty(14) grows by each LastQty in sequence. */
export function expectFills(messages: readonly MessageView[], clOrdID: string, count: number, cumQty: string): void {
  const fills = fillsOf(messages, clOrdID).sort((a, b) => a.int(Tag.MsgSeqNum)! - b.int(Tag.MsgSeqNum)!);
  let sum = Decimal.ZERO;
  for (const fill of fills) {
    sum = sum.add(fill.decimal(Tag.LastQty)!);
    expect(fill.decimal(Tag.CumQty)!.equals(sum), toPrintable(fill.bytes())).toBe(true);
  }
  expect(fills.length).toBe(count);
  expect(sum.trimmed().toString()).toBe(cumQty);
}

/** Every MsgSeqNum(34) from 1 to the highest came: as a message or covered by a gap fill; none came twice without 43=Y. */
export function expectNoGap(messages: readonly MessageView[]): void {
  const covered = new Map<number, MessageView>();
  for (const view of messages) {
    const seqNum = view.int(Tag.MsgSeqNum)!;
    const upTo = view.msgType === '4' ? view.int(Tag.NewSeqNo)! : seqNum + 1;
    const other = covered.get(seqNum);
    if (view.boolean(Tag.PossDupFlag) !== true && other !== undefined) {
      const both = [other, view].map((one) => toPrintable(one.bytes()));
      expect.fail(`number ${seqNum} used twice:\n${both.join('\n')}`);
    }
    for (let n = seqNum; n < upTo; n++) if (!covered.has(n)) covered.set(n, view);
  }
  for (let n = 1; n <= Math.max(...covered.keys()); n++) expect(covered.has(n), `number ${n} never came`).toBe(true);
}
