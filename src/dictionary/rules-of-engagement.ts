// The tables in dictionaries/README.md, made from the dictionaries: one per message, and one of messages by version.
// Leaves the prose around them to the README itself and the remarks per field to engagement-comments.ts.

import { type Dictionary, type Member, pascalCase } from './definition.ts';
import { COMMENTS, DIRECTIONS } from './engagement-comments.ts';
import { SENT, type Sent, sentInWords } from './sent-fields.ts';

/** Enumerations longer than this are looked up in the dictionary file instead. */
const VALUES_MAX = 30;

/**
 * Fill the marked places of a Markdown text. The table of message D goes between `<!-- message D -->` and the next
 * `<!-- end -->`; `<!-- header -->` and `<!-- versions -->` work likewise. Earlier content there is replaced.
 *
 * @param dictionaries of the versions shown, by column title; the first that has a message supplies its table
 */
export function fillTables(markdown: string, dictionaries: ReadonlyMap<string, readonly Dictionary[]>): string {
  const [main] = [...dictionaries.values()].flat();
  if (main === undefined) return markdown;
  return markdown.replace(/<!-- ([^>]+) -->\n[\s\S]*?<!-- end -->/g, (_, mark: string) => {
    const table =
      mark === 'versions' ? versionTable(dictionaries, chapters(markdown)) : tableFor(mark, main, dictionaries);
    return `<!-- ${mark} -->\n\n${table}\n\n<!-- end -->`;
  });
}

/** Heading of each message, by MsgType: `### Logon (A)` as a link writes it. */
function chapters(markdown: string): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  for (const [, title = ''] of markdown.matchAll(/^### (.+)$/gm)) {
    const anchor = title
      .toLowerCase()
      .replace(/[^a-z0-9 ]/g, '')
      .replaceAll(' ', '-');
    for (const [, msgType = ''] of title.matchAll(/\((\w+)\)/g)) anchors.set(msgType, anchor);
  }
  return anchors;
}

function tableFor(mark: string, main: Dictionary, dictionaries: ReadonlyMap<string, readonly Dictionary[]>): string {
  const known = [...new Set([...dictionaries.values()].flat())];
  if (mark === 'header')
    return fieldTable('header', [[...main.header, ...main.trailer], ...known.map(({ header }) => header)]);
  const msgType = mark.replace(/^message /, '');
  const definitions = known.flatMap((each) => each.messages.get(msgType) ?? []);
  if (definitions.length === 0) return `No message ${msgType}.`;
  return fieldTable(
    msgType,
    definitions.map(({ members }) => members),
  );
}

/** For the fields of a message in the first version shown, and additional ones sent in the others. */
function fieldTable(msgType: string, versions: readonly (readonly Member[])[]): string {
  const sent = SENT[msgType];
  const isOurs = DIRECTIONS[msgType] === 'to OMS' || DIRECTIONS[msgType] === 'never sent';
  const [first, ...others] = versions;
  if (sent === undefined)
    return tableOf(
      rowsOf(msgType, first!, () => true),
      ['Req’d'],
    );
  const isSent = (path: string): boolean => Object.hasOwn(sent, path);
  const shown = new Set<string>();
  const rows = rowsOf(msgType, first!, (path) => !isOurs || isSent(path), shown);
  for (const members of others)
    rows.push(...rowsOf(msgType, members, (path) => isSent(path) && !shown.has(path), shown));
  return tableOf(
    rows.map((row) => ({ ...row, sent: sent[row.path] })),
    isOurs ? ['Sent'] : ['Req’d', 'Sent by us'],
  );
}

interface Row {
  /** Tags of the groups around the field and its own: `453/448`. */
  readonly path: string;
  readonly member: Member;
  readonly indent: string;
  readonly comment: string;
  readonly sent?: Sent | undefined;
}

/** Each column that only some tables have, and its content for a row. */
const COLUMNS = {
  'Req’d': ({ member }: Row) => (member.required ? 'Y' : 'N'),
  Sent: ({ sent }: Row) => (sent === undefined ? '' : sentInWords(sent)),
  'Sent by us': ({ sent }: Row) => (sent === undefined ? 'never' : sentInWords(sent)),
} as const;

function tableOf(rows: readonly Row[], columns: readonly (keyof typeof COLUMNS)[]): string {
  const lines = rows.map((row) => {
    const { tag, name, type } = row.member.field;
    const own = columns.map((column) => COLUMNS[column](row)).join(' | ');
    return `| ${tag} | ${row.indent}${name} | ${own} | ${type} | ${valuesOf(row.member)} | ${row.comment} |`;
  });
  const head = `| Tag | Name | ${columns.join(' | ')} | Type | Values | Comment |`;
  return [head, `${'|---'.repeat(5 + columns.length)}|`, ...lines].join('\n');
}

function rowsOf(
  msgType: string,
  members: readonly Member[],
  isShown: (path: string) => boolean,
  shown: Set<string> = new Set(),
  groups: readonly number[] = [],
): Row[] {
  return members.flatMap((member) => {
    const { tag } = member.field;
    const path = [...groups, tag].join('/');
    const comment = COMMENTS[`${msgType}.${tag}`] ?? COMMENTS[`*.${tag}`] ?? '';
    const row = { path, member, indent: '→ '.repeat(groups.length), comment };
    const own = isShown(path) ? [row] : [];
    if (own.length > 0) shown.add(path);
    if (member.kind !== 'group') return own;
    return [...own, ...rowsOf(msgType, member.members, isShown, shown, [...groups, tag])];
  });
}

function valuesOf(member: Member): string {
  const { values } = member.field;
  if (values === null) return '';
  if (values.size > VALUES_MAX) return `${values.size} values, see the dictionary`;
  return [...values].map(([value, description]) => `${value} ${pascalCase(description)}`).join(', ');
}

function versionTable(
  dictionaries: ReadonlyMap<string, readonly Dictionary[]>,
  anchors: ReadonlyMap<string, string>,
): string {
  const titles = [...dictionaries.keys()];
  const rows = [
    `| MsgType | Message | Direction | ${titles.join(' | ')} |`,
    `|---|---|---|${'---|'.repeat(titles.length)}`,
  ];
  const seen = new Map<string, string>();
  for (const each of [...dictionaries.values()].flat()) {
    for (const message of each.messages.values())
      if (!seen.has(message.msgType)) seen.set(message.msgType, message.name);
  }
  for (const [msgType, name] of seen) {
    const marks = [...dictionaries.values()].map((set) => (set.some((each) => each.messages.has(msgType)) ? '✓' : '–'));
    const anchor = anchors.get(msgType);
    const message = anchor === undefined ? name : `[${name}](#${anchor})`;
    rows.push(`| ${msgType} | ${message} | ${DIRECTIONS[msgType] ?? 'both'} | ${marks.join(' | ')} |`);
  }
  return rows.join('\n');
}
