import { expect, test } from 'vitest';
import { fromPrintable, toPrintable, viewOf } from '../../src/wire/mod.ts';

const wire = '8=FIX.4.4\x019=16\x0135=0\x0134=1\x01112=x\x0110=245\x01';
const whole = fromPrintable('35=0|34=1|112=x|');

test('BeginString, BodyLength and CheckSum are added where they are missing', () => {
  expect(whole.toString('latin1')).toBe(wire);
  expect(fromPrintable('35=0|34=1|112=x|', 'FIXT.1.1').subarray(0, 16).toString('latin1')).toBe(
    '8=FIXT.1.1\x019=16\x01',
  );
});

test('|, ^A and SOH separate fields, and a missing last separator is forgiven', () => {
  for (const text of ['35=0^A34=1^A112=x^A', '35=0\x0134=1\x01112=x\x01', '35=0|34=1|112=x', '|35=0|34=1|112=x|\n']) {
    expect(fromPrintable(text).equals(whole), text).toBe(true);
  }
});

test('a log’s prefix is cut', () => {
  const printed = toPrintable(whole);
  for (const prefix of ['20261121-10:00:00.123 IN  ', '<2026-11-21T10:00:00Z, FIX.4.4:A->B, incoming> (', '58=FIX ']) {
    expect(fromPrintable(prefix + printed).equals(whole), prefix).toBe(true);
  }
});

test('cuts text after the CheckSum', () => {
  expect(fromPrintable(`${toPrintable(whole)})\n`).equals(whole)).toBe(true);
});

test('9=… and 10=… are computed, numbers stay as they are, right or wrong', () => {
  expect(fromPrintable('8=FIX.4.4|9=…|35=0|34=1|112=x|10=…|').equals(whole)).toBe(true);
  expect(toPrintable(fromPrintable('8=FIX.4.4|9=99|35=0|10=1|'))).toBe('8=FIX.4.4|9=99|35=0|10=1|');
});

test('reads its own output', () => {
  expect(fromPrintable(toPrintable(whole)).equals(whole)).toBe(true);
});

test('control characters never reach a terminal', () => {
  expect(toPrintable(Buffer.from('58=\x1b[31mred\x07\x9b\x7f é\x01', 'latin1'))).toBe('58=?[31mred??? é|');
});

test('text that is no message becomes bytes that do not frame', () => {
  for (const text of ['', 'hello', '8=FIX', '10=|', '|||']) expect(viewOf(fromPrintable(text)), text).toBeNull();
});
