// A failed step for people: expected and received fields beside each other, differing tags marked.

import { isSecretTag } from '../wire/mod.ts';
import type { FieldNames } from './field-names.ts';
import type { Expectation, ExpectedMessage } from './model.ts';
import type { FieldDifference } from './run/match.ts';
import type { ReceivedMessage } from './run/received.ts';
import { printTemplate } from './text/template.ts';

/** One field of the comparison. */
export interface ComparedField {
  readonly tag: number;
  /** `ExecType(150)`. */
  readonly label: string;
  /** In the notation of the language; null: the step does not name the field. */
  readonly expected: string | null;
  /** Null: the field is absent. Values of secret fields are masked. */
  readonly received: string | null;
  readonly differs: boolean;
}

/** Compare field by field: the fields of the step first, then the others of the message. */
export function compareFields(
  expected: ExpectedMessage | null,
  received: ReceivedMessage | null,
  differences: readonly FieldDifference[],
  names: FieldNames,
): ComparedField[] {
  const rows: ComparedField[] = [];
  const count = new Map<number, number>();
  const differs = (tag: number, occurrence: number): FieldDifference | undefined =>
    differences.find((one) => one.tag === tag && one.occurrence === occurrence);
  const shown = (tag: number, value: string): string => (isSecretTag(tag) ? '***' : value);
  for (const { tag, expectation, optional } of expected?.fields ?? []) {
    const occurrence = count.get(tag) ?? 0;
    count.set(tag, occurrence + 1);
    const value = received?.fields.filter(([one]) => one === tag)[occurrence]?.[1] ?? null;
    rows.push({
      tag,
      label: names.fieldLabel(tag),
      expected: shown(tag, inWords(expectation, optional)),
      received: value === null ? null : shown(tag, value),
      differs: differs(tag, occurrence) !== undefined,
    });
  }
  const seen = new Map<number, number>();
  for (const [tag, value] of received?.fields ?? []) {
    const occurrence = seen.get(tag) ?? 0;
    seen.set(tag, occurrence + 1);
    if (occurrence < (count.get(tag) ?? 0)) continue;
    const difference = differs(tag, occurrence);
    const wanted = difference?.expected ?? null;
    rows.push({
      tag,
      label: names.fieldLabel(tag),
      expected: wanted,
      received: shown(tag, value),
      differs: difference !== undefined,
    });
  }
  return rows;
}

function inWords(expectation: Expectation, optional: boolean): string {
  const form = { any: '*', absent: 'absent' }[expectation.kind as 'any' | 'absent'];
  if (form !== undefined) return form;
  const text =
    expectation.kind === 'pattern'
      ? `/${expectation.source}/`
      : expectation.kind === 'equals'
        ? printTemplate(expectation.value)
        : '';
  return optional ? `${text} (optional)` : text;
}

const COLUMN_MAX = 48;

/** The comparison as lines of text: a mark, the field, expected, received. Lines that differ begin with `≠`. */
export function sideBySide(rows: readonly ComparedField[]): string[] {
  const table = rows.map(({ label, expected, received, differs }) => ({
    mark: differs ? '≠' : ' ',
    label,
    expected: cut(expected ?? ''),
    received: received === null ? (expected === 'absent' ? '' : '(absent)') : cut(received),
  }));
  const head = { mark: ' ', label: 'Field', expected: 'Expected', received: 'Received' };
  const width = (column: 'label' | 'expected'): number =>
    Math.max(...[head, ...table].map((row) => row[column].length));
  const [first, second] = [width('label'), width('expected')];
  return [head, ...table].map(({ mark, label, expected, received }) =>
    `${mark} ${label.padEnd(first)}  ${expected.padEnd(second)}  ${received}`.trimEnd(),
  );
}

function cut(text: string): string {
  return text.length > COLUMN_MAX ? `${text.slice(0, COLUMN_MAX - 1)}…` : text;
}
