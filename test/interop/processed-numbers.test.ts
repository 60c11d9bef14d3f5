// LastMsgSeqNumProcessed(369) of the OMS: never past a gap, whatever order messages come in.

import { expect, test } from 'vitest';
import { ProcessedNumbers } from '../../src/interop/processed-numbers.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';

function after(last: number, ...messages: string[]): number {
  const numbers = new ProcessedNumbers(last);
  for (const text of messages) numbers.count(viewOf(fromPrintable(`${text}|`))!);
  return numbers.last;
}

test('counts what comes in sequence', () => {
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
