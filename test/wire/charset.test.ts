import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHARSETS, type Charset, charsetNamed, decodeText, encodeLossy, encodeText } from '../../src/wire/mod.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const hex = (bytes: string | null): string | null =>
  bytes === null ? null : Buffer.from(bytes, 'latin1').toString('hex');

describe('text as the bytes of a character set', () => {
  test.each<[Charset, string, string]>([
    ['ISO-8859-1', 'Börse', '42f6727365'],
    ['UTF-8', 'Börse €', '42c3b672736520e282ac'],
    ['UTF-8', '\ufffd', 'efbfbd'],
    ['windows-1252', '€', '80'],
    ['ISO-8859-15', '€', 'a4'],
    ['Shift_JIS', '東京ｱ', '938c8b9eb1'],
    ['Shift_JIS', '表ソ', '955c835c'],
    ['EUC-JP', '東京ｱ', 'c5ecb5fe8eb1'],
    ['ISO-2022-JP', 'a東京b', '611b2442456c357e1b284262'],
    ['GBK', '中文', 'd6d0cec4'],
    ['Big5', '中文', 'a4a4a4e5'],
    ['EUC-KR', '한글', 'c7d1b1db'],
  ])('%s: %s', (charset, text, bytes) => {
    expect(hex(encodeText(text, charset))).toBe(bytes);
    expect(decodeText(encodeText(text, charset)!, charset)).toBe(text);
  });

  test.each<[Charset, string]>([
    ['US-ASCII', 'ö'],
    ['ISO-8859-1', '€'],
    ['ISO-8859-15', '\u00a4'],
    ['Shift_JIS', 'ö'],
    ['Shift_JIS', '¥'],
    ['ISO-2022-JP', 'ｱ'],
    ['ISO-2022-JP', 'a\u001bb'],
    ['EUC-KR', '\ud83d\ude00'],
    ['UTF-8', '\ud83d'],
  ])('reports characters that %s lacks: %j', (charset, text) => {
    expect(encodeText(text, charset)).toBeNull();
    expect(encodeLossy(`a${text}b`, charset)).toMatch(/^aa?\?+b+$/);
  });

  test.each(CHARSETS)('whatever %s takes comes back as it was, and never as SOH', (charset) => {
    checkProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = encodeText(text, charset);
        if (bytes === null) return;
        expect(decodeText(bytes, charset)).toBe(text);
        expect(bytes.includes('\x01')).toBe(text.includes('\x01'));
      }),
      200,
    );
  });

  test('every character of the two-byte sets comes back', () => {
    for (const charset of ['Shift_JIS', 'EUC-JP', 'GBK', 'Big5', 'EUC-KR'] as const) {
      for (let code = 0x80; code < 0x1_0000; code++) {
        const text = String.fromCharCode(code);
        const bytes = encodeText(text, charset);
        if (bytes !== null && decodeText(bytes, charset) !== text) throw new Error(`${charset} ${code.toString(16)}`);
      }
    }
  });

  test('bytes that are none of the set stay as they are', () => {
    expect(decodeText('B\xf6rse', 'UTF-8')).toBe('B\xf6rse');
  });

  test('a name is taken whatever its case', () => {
    expect([charsetNamed('utf-8'), charsetNamed('SHIFT_JIS'), charsetNamed('UTF-16')]).toEqual([
      'UTF-8',
      'Shift_JIS',
      null,
    ]);
  });
});
