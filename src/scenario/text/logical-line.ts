// Lines of a scenario text: comments and empty lines left out, continuation lines joined, positions kept.

import type { Place } from '../model.ts';

/** One logical line: text without indentation, and the place of each of its characters. */
export class LogicalLine {
  readonly text: string;
  /** Spaces before the text. */
  readonly indent: number;
  private readonly file: string;
  private readonly segments: readonly { readonly from: number; readonly line: number; readonly column: number }[];

  constructor(file: string, parts: readonly { text: string; line: number; column: number }[]) {
    this.file = file;
    this.indent = parts[0]!.column - 1;
    let from = 0;
    this.segments = parts.map(({ text, line, column }) => {
      const segment = { from, line, column };
      from += text.length;
      return segment;
    });
    this.text = parts.map(({ text }) => text).join('');
  }

  /** Place of the character at an offset of the text. */
  place(offset = 0): Place {
    const segment = this.segments.findLast(({ from }) => from <= offset) ?? this.segments[0]!;
    return { file: this.file, line: segment.line, column: segment.column + offset - segment.from };
  }
}

/** Logical lines of a text. A line that begins with `|` continues the one before; `#` begins a comment line. */
export function logicalLines(file: string, text: string): LogicalLine[] {
  const groups: { text: string; line: number; column: number }[][] = [];
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((raw, index) => {
      const expanded = raw.replaceAll('\t', '  ').trimEnd();
      const bare = expanded.trimStart();
      if (bare === '' || bare.startsWith('#')) return;
      const part = { text: bare, line: index + 1, column: expanded.length - bare.length + 1 };
      const last = groups.at(-1);
      if (bare.startsWith('|') && last !== undefined) last.push(part);
      else groups.push([part]);
    });
  return groups.map((parts) => new LogicalLine(file, parts));
}
