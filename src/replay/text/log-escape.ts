// How logs escape characters: SOH and others as `\u0001`, `^A`, `%01`, `&#1;`, quotes doubled or behind a backslash, bytes as
// UTF-8. Undoes it; whether that was right is for the reader of messages to prove.

import { SOH } from './log-separator.ts';

/** A text without escapes, and where each of its characters stood. */
export interface Plain {
  readonly text: string;
  /** One more than there are characters. */
  readonly offsets: readonly number[];
}

export type Unescape = (plain: Plain) => Plain;

/** Escapes to undo, one after the other. */
export type Way = readonly Unescape[];

/** Replace what a pattern finds; what it stands for may be several characters, or none. */
function unescaping(pattern: RegExp, meant: (...groups: (string | undefined)[]) => string): Unescape {
  return ({ text, offsets }) => {
    const parts: string[] = [];
    const places: number[] = [];
    let from = 0;
    const keep = (to: number): void => {
      parts.push(text.slice(from, to));
      for (let i = from; i < to; i++) places.push(offsets[i]!);
    };
    for (const found of text.matchAll(pattern)) {
      keep(found.index);
      const value = meant(...found);
      parts.push(value);
      for (let i = 0; i < value.length; i++) places.push(offsets[found.index]!);
      from = found.index + found[0].length;
    }
    keep(text.length);
    places.push(offsets[text.length]!);
    return { text: parts.join(''), offsets: places };
  };
}

const byte = (digits: string, radix: number): string => String.fromCharCode(Number.parseInt(digits, radix) & 0xff);
const utf8 = (code: number): string => Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1');
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  e: '\u001b',
  0: '\0',
};
const BACKSLASH = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([0-3][0-7]{2})|(.))/gis;
/** JSON and programming languages; a character beyond ASCII is one byte, as a string of bytes has it, or its UTF-8. */
const backslash = (isUtf8: boolean): Unescape =>
  unescaping(BACKSLASH, (_, unicode, hex, octal, letter) => {
    const code = unicode === undefined ? 0 : Number.parseInt(unicode, 16);
    if (unicode !== undefined) return code < 0x80 || (!isUtf8 && code < 0x100) ? String.fromCharCode(code) : utf8(code);
    if (hex !== undefined) return byte(hex, 16);
    if (octal !== undefined) return byte(octal, 8);
    return LETTERS[letter!] ?? letter!;
  });
/** As `cat -v` shows control characters. */
const caret = unescaping(/\^([@-_?])/g, (_, letter) => String.fromCharCode(letter!.charCodeAt(0) ^ 0x40));
/** The same, with bytes beyond ASCII too. */
const caretMeta = unescaping(/M-\^([@-_?])|M-([ -~])|\^([@-_?])/g, (_, control, meta, plain) => {
  if (meta !== undefined) return String.fromCharCode(meta.charCodeAt(0) | 0x80);
  return String.fromCharCode(((control ?? plain)!.charCodeAt(0) ^ 0x40) | (control === undefined ? 0 : 0x80));
});
const octal = unescaping(/#([0-3][0-7]{2})/g, (_, digits) => byte(digits!, 8));
const percent = unescaping(/%([\da-f]{2})/gi, (_, digits) => byte(digits!, 16));
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const entities = unescaping(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|lt|gt|quot|apos));/gi, (_, decimal, hex, name) => {
  if (name !== undefined) return ENTITIES[name.toLowerCase()]!;
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
  return code < 0x100 ? String.fromCharCode(code) : utf8(code);
});
/** The pictures of control characters (U+2400 and on), as their UTF-8. */
const pictures = unescaping(/\u00e2\u0090([\u0080-\u00a0])/g, (_, last) => {
  const code = last!.charCodeAt(0) - 0x80;
  return String.fromCharCode(code === 0x20 ? 0x20 : code);
});
/** A cell of a table in CSV. */
const doubledQuotes = unescaping(/""/g, () => '"');
/** Bytes that a log took for Latin-1 and wrote as UTF-8. */
const fromUtf8 = unescaping(/([\u00c2\u00c3])([\u0080-\u00bf])/g, (_, lead, rest) =>
  String.fromCharCode((lead === '\u00c3' ? 0x40 : 0) | rest!.charCodeAt(0)),
);
export const separators = (separator: string): Unescape =>
  unescaping(new RegExp(separator.replace(/[\\^|[\]$.()*+?{}]/g, '\\$&'), 'g'), () => SOH);

/** Ways of a text without escapes: with SOH for its separators, and as it is. */
export const PLAIN_WAYS = 2;

/** The ways to read a message with this separator, the likeliest first. */
export function waysOf(separator: string, text: string): readonly Way[] {
  const own = separators(separator);
  const ways: Unescape[][] = [[own], []];
  if (separator.includes('^A')) ways.push([caret], [caretMeta]);
  if (separator.includes('%01')) ways.push([percent]);
  if (separator.includes('#001')) ways.push([octal]);
  if (separator.includes('\u00e2\u0090\u0081')) ways.push([pictures]);
  if (separator.includes('\\\\'))
    ways.push(
      [backslash(false), backslash(false)],
      [backslash(false), backslash(true)],
      [backslash(true), backslash(true)],
    );
  if (text.includes('&')) ways.push([entities], [own, entities]);
  if (text.includes('\\'))
    ways.push(...[false, true].flatMap((isUtf8) => [[backslash(isUtf8)], [own, backslash(isUtf8)]]));
  if (text.includes('""')) ways.push(...ways.map((way) => [doubledQuotes, ...way]));
  return /[\u00c2\u00c3][\u0080-\u00bf]/.test(text) ? ways.flatMap((way) => [way, [...way, fromUtf8]]) : ways;
}

/** A text without its escapes. */
export function plainOf(text: string, way: Way): Plain {
  const untouched: Plain = { text, offsets: Array.from({ length: text.length + 1 }, (_, i) => i) };
  return way.reduce((before, undo) => undo(before), untouched);
}
