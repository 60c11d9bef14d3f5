// Reads a message of a scenario: `NewOrderSingle | ClOrdID=a | 55=BTCUSDC`, to send or to expect. Each value may be quoted.

import { didYouMean } from '../../base/did-you-mean.ts';
import type { FieldNames } from '../field-names.ts';
import type { Expectation, ExpectedField, SentField, Template } from '../model.ts';
import { parseTemplate } from './template.ts';

const MSG_TYPE = 35;

/** Notes a fault at an offset of the text. */
export type Complain = (offset: number, text: string) => void;

interface Piece {
  readonly name: string;
  readonly at: number;
  readonly absent: boolean;
  readonly optional: boolean;
  readonly form: 'none' | 'plain' | 'quoted' | 'pattern';
  readonly value: string;
  readonly valueAt: number;
  readonly capture: string | null;
}

/** A message to send. */
export function parseSent(text: string, from: number, names: FieldNames, complain: Complain): SentField[] {
  const fields: SentField[] = [];
  for (const piece of pieces(text, from, false, complain)) {
    const tag = tagOf(piece, fields.length, names, complain);
    if (tag === null) continue;
    if (piece.absent) fields.push({ tag, value: null });
    else fields.push({ tag, value: templateOf(piece, tag, names, complain) });
  }
  return fields;
}

/** A message to expect. */
export function parseExpected(text: string, from: number, names: FieldNames, complain: Complain): ExpectedField[] {
  const fields: ExpectedField[] = [];
  for (const piece of pieces(text, from, true, complain)) {
    const tag = tagOf(piece, fields.length, names, complain);
    if (tag === null) continue;
    const { optional, capture } = piece;
    fields.push({ tag, optional, capture, expectation: expectationOf(piece, tag, names, complain) });
  }
  return fields;
}

function expectationOf(piece: Piece, tag: number, names: FieldNames, complain: Complain): Expectation {
  if (piece.absent) return { kind: 'absent' };
  if (piece.form === 'plain' && piece.value === '*') return { kind: 'any' };
  if (piece.form === 'none' && piece.name === '*') return { kind: 'any' };
  if (piece.form !== 'pattern') return { kind: 'equals', value: templateOf(piece, tag, names, complain) };
  try {
    new RegExp(piece.value);
  } catch (error) {
    complain(piece.valueAt, `the pattern is no regular expression: ${(error as Error).message}. Correct it`);
  }
  return { kind: 'pattern', source: piece.value };
}

function templateOf(piece: Piece, tag: number, names: FieldNames, complain: Complain): Template {
  if (piece.form === 'none') return [names.msgTypeOf(piece.name) ?? piece.name];
  const result = parseTemplate(piece.value);
  if (!result.ok) {
    complain(piece.valueAt + result.offset, `${result.text}.`);
    return [];
  }
  const [only] = result.value;
  if (tag === MSG_TYPE && result.value.length === 1 && typeof only === 'string') {
    return [names.msgTypeOf(only) ?? only];
  }
  return result.value;
}

/** The tag of a piece; null after a complaint. */
function tagOf(piece: Piece, index: number, names: FieldNames, complain: Complain): number | null {
  const { name, at, form, absent } = piece;
  if (form === 'none' && !absent) {
    if (index === 0 && (name === '*' || names.msgTypeOf(name) !== null)) return MSG_TYPE;
    if (index > 0) complain(at, `“${name}” has no value. Write ${name}=VALUE, or ${name}=* for any value.`);
    else
      complain(
        at,
        `“${name}” is no message. ${suggestion(name, names.messageNames, 'Write a name such as Logon, a MsgType such as A, or 35=A')}`,
      );
    return null;
  }
  if (/^[1-9]\d{0,8}$/.test(name)) return Number(name);
  const tag = names.tagOf(name);
  if (tag === null) {
    complain(
      at,
      `“${name}” is no field. ${suggestion(name, names.fieldNames, 'Write a name of the dictionary or a tag')}`,
    );
  }
  return tag;
}

function suggestion(word: string, candidates: readonly string[], otherwise: string): string {
  const meant = didYouMean(word, candidates);
  return meant === null ? `${otherwise}.` : `Did you mean ${meant}?`;
}

/** Most fields of a message. */
const FIELDS_MAX = 2000;

function* pieces(text: string, from: number, expects: boolean, complain: Complain): Generator<Piece> {
  let at = from;
  for (let count = 0; at <= text.length && count < FIELDS_MAX; count++) {
    const next = readPiece(text, at, expects, complain);
    if (next.piece !== null) yield next.piece;
    at = next.end + 1;
    // A final separator, as wire text has it.
    if (text.slice(at).trim() === '') return;
  }
}

/** The piece at an offset and where its separator stands, or the end of the text. */
function readPiece(
  text: string,
  from: number,
  expects: boolean,
  complain: Complain,
): { piece: Piece | null; end: number } {
  let at = skipSpaces(text, from);
  const absent = text[at] === '!';
  if (absent) at = skipSpaces(text, at + 1);
  const head = /^[^=|]*/.exec(text.slice(at))![0];
  const optional = expects && head.trimEnd().endsWith('?');
  const name = head
    .trimEnd()
    .replace(optional ? /\?$/ : /$^/, '')
    .trimEnd();
  const bare = { name, at, absent, optional, form: 'none', value: '', valueAt: at, capture: null } as const;
  const end = at + head.length;
  if (text[end] !== '=') {
    if (name !== '') return { piece: bare, end };
    complain(at, 'a field is missing between two separators. Remove one |.');
    return { piece: null, end };
  }
  if (name === '') complain(at, 'a value without a field. Write FIELD=VALUE.');
  if (absent) complain(at, `“!${name}” takes no value. Write !${name} for a field that is absent.`);
  return readValue(text, bare, end + 1, expects, complain);
}

function readValue(
  text: string,
  bare: Piece,
  from: number,
  expects: boolean,
  complain: Complain,
): { piece: Piece | null; end: number } {
  const valueAt = skipSpaces(text, from);
  const opening = text[valueAt];
  if (opening === '"' || (expects && opening === '/')) {
    const closing = closingOf(text, valueAt);
    if (closing === -1) {
      complain(valueAt, `the value has no closing ${opening}. Add it.`);
      return { piece: null, end: text.length };
    }
    const inner = text.slice(valueAt + 1, closing);
    const bar = text.indexOf('|', closing);
    const end = bar === -1 ? text.length : bar;
    const rest = text.slice(closing + 1, end).trim();
    const capture = /^as\s+([A-Za-z_]\w*)$/.exec(rest)?.[1] ?? null;
    if (rest !== '' && (capture === null || !expects)) {
      complain(
        closing + 1,
        `“${rest}” follows the value. Write a | before the next field${expects ? ', or “as NAME” to keep the value' : ''}.`,
      );
    }
    const value = opening === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll('\\/', '/');
    return {
      piece: { ...bare, form: opening === '"' ? 'quoted' : 'pattern', value, valueAt: valueAt + 1, capture },
      end,
    };
  }
  const bar = text.indexOf('|', valueAt);
  const end = bar === -1 ? text.length : bar;
  const value = text.slice(valueAt, end).trim();
  const captured = expects ? /^\*\s+as\s+([A-Za-z_]\w*)$/.exec(value) : null;
  const plain = captured === null ? value : '*';
  return { piece: { ...bare, form: 'plain', value: plain, valueAt, capture: captured?.[1] ?? null }, end };
}

function closingOf(text: string, opening: number): number {
  for (let i = opening + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[opening]) return i;
  }
  return -1;
}

function skipSpaces(text: string, at: number): number {
  while (text[at] === ' ') at++;
  return at;
}
