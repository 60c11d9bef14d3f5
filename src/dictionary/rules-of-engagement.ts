// The tables in dictionaries/README.md, made from the dictionaries: one per message, and one of messages by version.
// Leaves the prose around them to the README itself and the remarks per field to engagement-comments.ts.

import { type Dictionary, type Member, type MessageDefinition, pascalCase } from './definition.ts';
import { COMMENTS, DIRECTIONS } from './engagement-comments.ts';

/** Enumerations longer than this are looked up in the dictionary file instead. */
const VALUES_MAX = 30;

/**
 * Fill the marked places of a Markdown text: between `<!-- message D -->` and the next `<!-- end -->` goes the table of
 * that message, `<!-- header -->` and `<!-- versions -->` likewise. What stood there before is replaced.
 *
 * @param dictionaries of the versions shown, by column title; a message's table is that of the first that has it
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

/** Where each message is spoken of, by MsgType: the heading `### Logon (A)` as what a link to it says. */
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
  if (mark === 'header') return fieldTable('header', [...main.header, ...main.trailer]);
  const msgType = mark.replace(/^message /, '');
  const known = [...dictionaries.values()].flat();
  const definition = known.map((each) => each.messages.get(msgType)).find((each) => each !== undefined);
  return definition === undefined ? `No message ${msgType}.` : messageTable(definition);
}

function messageTable(definition: MessageDefinition): string {
  return fieldTable(definition.msgType, definition.members);
}

function fieldTable(msgType: string, members: readonly Member[]): string {
  const rows = ['| Tag | Name | Req’d | Type | Values | Comment |', '|---|---|---|---|---|---|'];
  addRows(rows, msgType, members, 0);
  return rows.join('\n');
}

function addRows(rows: string[], msgType: string, members: readonly Member[], depth: number): void {
  for (const member of members) {
    const { tag, name, type } = member.field;
    const comment = COMMENTS[`${msgType}.${tag}`] ?? COMMENTS[`*.${tag}`] ?? '';
    const indent = '→ '.repeat(depth);
    rows.push(
      `| ${tag} | ${indent}${name} | ${member.required ? 'Y' : 'N'} | ${type} | ${valuesOf(member)} | ${comment} |`,
    );
    if (member.kind === 'group') addRows(rows, msgType, member.members, depth + 1);
  }
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
