// Parts of a generated page of docs/reference.

/** A note at the head of every generated page, for its reader on GitHub. */
const MADE = (from: string): string => `<!-- Made by \`npm run docs:reference\` from ${from}: change it there. -->`;

/** A page: front matter, title, an introduction, and its parts with an empty line between them. */
export function page(
  head: { readonly title: string; readonly order: number; readonly from: string },
  ...parts: readonly string[]
): string {
  const front = `---\ntitle: ${JSON.stringify(head.title)}\norder: ${head.order}\n---`;
  return `${[front, MADE(head.from), `# ${head.title}`, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

const escaped = (cell: string): string => cell.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();

/** A Markdown table; none without rows. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(titles), `|${titles.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** A text that Vue would take for HTML or a template, as words: `<NAME>`, `{{`. Code spans stay. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('');
}
