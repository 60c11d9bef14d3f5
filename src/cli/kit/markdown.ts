// Tables and lists of a kit's document in Markdown.

/** A table; a bar within a cell would end it. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** Headings with their content; a section without content is left out. */
export function sections(parts: readonly (readonly [heading: string, content: string])[]): string {
  return parts
    .filter(([, content]) => content !== '')
    .map(([heading, content]) => `## ${heading}\n\n${content}\n`)
    .join('\n');
}
