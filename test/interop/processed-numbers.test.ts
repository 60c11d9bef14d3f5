// LastMsgSeqNumProcessed(369) of the OMS, and where its next connection goes on: never past a gap, whatever order messages come in.

import { expect, test } from 'vitest';
import { ProcessedNumbers } from '../../src/interop/processed-numbers.ts';
import { SequenceStore } from '../../src/interop/sequence-store.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';

function after(last: number | null, ...messages: string[]): number | null {
  const numbers = new ProcessedNumbers(last);
  for (const text of messages) numbers.count(viewOf(fromPrintable(`${text}|`))!);
  return numbers.last;
}

test('counts messages in sequence', () => {
  expect(after(0, '35=A|34=1', '35=0|34=2', '35=8|34=3')).toBe(3);
});

test('stays below a gap until it is filled, by messages or by a gap fill', () => {
  expect(after(3, '35=A|34=7', '35=8|34=8')).toBe(3);
  expect(after(3, '35=A|34=7', '35=8|34=4|43=Y', '35=8|34=5|43=Y')).toBe(5);
  expect(after(3, '35=A|34=7', '35=8|34=4|43=Y', '35=4|34=5|43=Y|123=Y|36=8')).toBe(7);
});

test('a repeated message changes nothing', () => {
  expect(after(5, '35=8|34=2|43=Y')).toBe(5);
});

test('a Logon with ResetSeqNumFlag=Y begins again, a SequenceReset-Reset jumps', () => {
  expect(after(9, '35=A|34=1|141=Y')).toBe(1);
  expect(after(3, '35=4|34=9|36=20')).toBe(19);
});

test('a new series is begun by its Logon, and not by a Logout that refuses it', () => {
  expect(after(null, '35=5|34=1|58=no')).toBeNull();
  expect(after(null, '35=A|34=1', '35=8|34=2')).toBe(2);
});

test('a connection cut behind a Logon above a gap continues at the gap, uncounted', async () => {
  const store = new SequenceStore({ nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 4 });
  const count = (text: string): void => processed.count(viewOf(fromPrintable(`${text}|`))!);
  let processed = store.begin(false);
  count('35=A|34=7');
  await store.setTargetSeqNum(8);
  expect(store.numbers.nextTargetMsgSeqNum).toBe(4);
  processed = store.begin(false);
  expect([processed.last, store.targetSeqNum]).toEqual([3, 4]);
  count('35=A|34=8');
  count('35=8|34=4|43=Y');
  count('35=4|34=5|43=Y|123=Y|36=8');
  await store.setTargetSeqNum(9);
  expect(store.numbers.nextTargetMsgSeqNum).toBe(9);
  // A Logon that asks for a reset and is refused changes nothing; one that is answered does.
  processed = store.begin(true);
  count('35=5|34=1|58=no');
  expect(store.numbers.nextTargetMsgSeqNum).toBe(9);
  count('35=A|34=1|141=Y');
  expect(store.numbers.nextTargetMsgSeqNum).toBe(2);
});
