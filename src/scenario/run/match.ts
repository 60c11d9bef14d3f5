// Compares a received message with an expected one: which fields differ, and which values the step keeps.

import type { Expectation, ExpectedMessage, Template } from '../model.ts';
import { printTemplate } from '../text/template.ts';
import type { ReceivedMessage } from './received.ts';

/** A field that is not as expected. */
export interface FieldDifference {
  readonly tag: number;
  /** Which of several fields with this tag, from 0. */
  readonly occurrence: number;
  /** In the notation of the language: a value, `*`, `/pattern/`, `absent`. */
  readonly expected: string;
  /** Null: the field is absent. */
  readonly received: string | null;
}

export interface MatchResult {
  /** Empty if the message matches. */
  readonly differences: readonly FieldDifference[];
  /** Values that the step keeps, by variable. */
  readonly captures: ReadonlyMap<string, string>;
}

/** Fields of header and trailer, which `exactly` does not judge. */
const FRAME_TAGS = new Set([
  8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 89, 90, 91, 93, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145, 212, 213,
  347, 369, 627, 628, 629, 630, 1128, 1129, 1156,
]);

/** Longest value that a pattern is tried on: a pattern may need a time that grows with the square of it. */
const PATTERN_VALUE_MAX = 4096;

/** Compare a message. `resolve` fills in the references of a template. */
export function matchMessage(
  expected: ExpectedMessage,
  received: ReceivedMessage,
  resolve: (template: Template) => string,
): MatchResult {
  const differences: FieldDifference[] = [];
  const captures = new Map<string, string>();
  const named = new Map<number, number>();
  for (const { tag, optional, expectation, capture } of expected.fields) {
    // A value of nothing but references without a value asks for nothing, as in a message that is sent.
    if (expectation.kind === 'equals' && expectation.value.length > 0 && resolve(expectation.value) === '') continue;
    const occurrence = named.get(tag) ?? 0;
    named.set(tag, occurrence + 1);
    const values = received.fields.filter(([one]) => one === tag);
    const value = values[occurrence]?.[1] ?? null;
    if (value === null && (optional || expectation.kind === 'absent')) continue;
    const kept = value === null ? null : keptOf(expectation, value, resolve);
    if (kept === null) {
      differences.push({ tag, occurrence, expected: inWords(expectation, resolve), received: value });
    } else if (capture !== null) captures.set(capture, kept);
  }
  differences.push(...surplus(expected, received, named));
  return { differences, captures };
}

/** Fields beyond those that the step names: further ones of a tag that it names; in an exact message, any of the body. */
function surplus(
  expected: ExpectedMessage,
  received: ReceivedMessage,
  named: ReadonlyMap<number, number>,
): FieldDifference[] {
  const differences: FieldDifference[] = [];
  const seen = new Map<number, number>();
  for (const [tag, value] of received.fields) {
    const occurrence = seen.get(tag) ?? 0;
    seen.set(tag, occurrence + 1);
    const count = named.get(tag);
    const isAbsentField = expected.fields.some((field) => field.tag === tag && field.expectation.kind === 'absent');
    if (isAbsentField || occurrence < (count ?? 0)) continue;
    if (count !== undefined || (expected.exact && !FRAME_TAGS.has(tag))) {
      differences.push({ tag, occurrence, expected: 'absent', received: value });
    }
  }
  return differences;
}

/** The value that a capture takes; null if the value does not match. */
function keptOf(expectation: Expectation, value: string, resolve: (template: Template) => string): string | null {
  switch (expectation.kind) {
    case 'any':
      return value;
    case 'absent':
      return null;
    case 'equals':
      return value === resolve(expectation.value) ? value : null;
    case 'pattern': {
      if (value.length > PATTERN_VALUE_MAX) return null;
      const match = new RegExp(`^(?:${expectation.source})$`, 's').exec(value);
      return match === null ? null : (match[1] ?? value);
    }
  }
}

function inWords(expectation: Expectation, resolve: (template: Template) => string): string {
  switch (expectation.kind) {
    case 'any':
      return '*';
    case 'absent':
      return 'absent';
    case 'equals':
      return resolve(expectation.value);
    case 'pattern':
      return `/${expectation.source}/`;
  }
}

/** The MsgType that an expected message asks for, where it is no pattern; null otherwise. */
export function msgTypeOf(
  message: ExpectedMessage,
  resolve: (template: Template) => string = printTemplate,
): string | null {
  const field = message.fields.find(({ tag }) => tag === 35);
  return field?.expectation.kind === 'equals' ? resolve(field.expectation.value) : null;
}
