// The tables in the pages of messages: one per message with the fields that the gateway reads or sends, and one of messages
// by version. Leaves the prose around them to the pages, and the remarks per field to message-remarks.ts.

import { COMMENTS, DIRECTIONS } from '../../../src/cli/kit/message-remarks.ts';
import { type Dictionary, type Member, pascalCase } from '../../../src/dictionary/definition.ts';
import { SENT, type Sent, sentInWords } from '../../../src/dictionary/sent-fields.ts';
import { FIELD_GROUPS } from '../../../src/gateway/rules/order-fields.ts';
import { table } from './page.ts';

/** Enumerations longer than this are looked up in the dictionary file instead. */
const VALUES_MAX = 14;

/** Messages with orders: the gateway's own table says how it treats their fields. */
const ORDERS = ['D', 'E', 'G'];
const USED = new Set(
  FIELD_GROUPS.filter(({ use }) => use === 'carried' || use === 'checked').flatMap(({ tags }) => tags),
);
const EFFECTS = new Map(FIELD_GROUPS.flatMap(({ tags, what }) => tags.map((tag) => [tag, what])));
const REFUSED = new Set(FIELD_GROUPS.filter(({ use }) => use === 'refused').flatMap(({ tags }) => tags));

type Versions = ReadonlyMap<string, readonly Dictionary[]>;

/**
 * Fill the marked places of a page. The table of message D goes between `<!-- message D -->` and the next `<!-- end -->`;
 * `<!-- header -->` works likewise.
 *
 * @param versions dictionaries by column title; the first that has a message gives its order of fields
 */
export function fillMessages(markdown: string, versions: Versions): string {
  return markdown.replace(/<!-- (header|message \w+) -->\n[\s\S]*?<!-- end -->/g, (_, mark: string) => {
    const known = [...new Set([...versions.values()].flat())];
    const msgType = mark.replace(/^message /, '');
    const all =
      mark === 'header'
        ? [[...known[0]!.header, ...known[0]!.trailer], ...known.map(({ header }) => header)]
        : known.flatMap((each) => each.messages.get(msgType) ?? []).map(({ members }) => members);
    if (all.length === 0) throw new Error(`there is no message ${msgType}`);
    return `<!-- ${mark} -->\n\n${fieldTable(msgType, all)}\n\n<!-- end -->`;
  });
}

interface Row {
  /** Tags of the groups around the field and its own: `453/448`. */
  readonly path: string;
  readonly member: Member;
  readonly depth: number;
  readonly comment: string;
}

function rowsOf(msgType: string, members: readonly Member[], groups: readonly number[] = []): Row[] {
  return members.flatMap((member) => {
    const { tag } = member.field;
    const path = [...groups, tag].join('/');
    const effect = ORDERS.includes(msgType) && USED.has(tag) ? EFFECTS.get(tag) : undefined;
    const comment = COMMENTS[`${msgType}.${tag}`] ?? COMMENTS[`*.${tag}`] ?? effect ?? '';
    const row = { path, member, depth: groups.length, comment };
    return member.kind === 'group' ? [row, ...rowsOf(msgType, member.members, [...groups, tag])] : [row];
  });
}

/** Whether a field of a message to us has something to say: it is required, it has an effect, or there is a remark. */
function isRead(msgType: string, { member, comment }: Row): boolean {
  const { tag } = member.field;
  return member.required || comment !== '' || (ORDERS.includes(msgType) && USED.has(tag));
}

/** For the fields of a message in the first version, and those of the others that are sent or read there. */
function fieldTable(msgType: string, versions: readonly (readonly Member[])[]): string {
  const sent = SENT[msgType];
  const isOurs = DIRECTIONS[msgType] === 'to OMS' || DIRECTIONS[msgType] === 'never sent';
  const isBoth = sent !== undefined && !isOurs;
  const known = new Map<string, Row>();
  for (const members of versions)
    for (const row of rowsOf(msgType, members)) if (!known.has(row.path)) known.set(row.path, row);
  const rows = [...known.values()];
  const isSent = ({ path }: Row): boolean => sent !== undefined && Object.hasOwn(sent, path);
  const isFirst = (row: Row): boolean => rowsOf(msgType, versions[0]!).some(({ path }) => path === row.path);
  const shown = rows.filter((row) => isSent(row) || (!isOurs && isRead(msgType, row) && isFirst(row)));
  const kept = shown.filter(
    ({ depth, path }) => depth === 0 || shown.some((row) => row.path === path.split('/').slice(0, -1).join('/')),
  );
  const titles = isOurs
    ? ['Field', 'Sent', 'Values and remarks']
    : ['Field', isBoth ? 'Required; sent by us' : 'Required', 'Values and remarks'];
  const cells = kept.map((row) => [fieldCell(row), whenCell(row, sent?.[row.path], isOurs, isBoth), remarkCell(row)]);
  const rest = isOurs ? [] : rows.filter((row) => row.depth === 0 && isFirst(row) && !kept.includes(row));
  return [table(titles, cells), restTable(msgType, rest)].filter((part) => part !== '').join('\n\n');
}

const named = ({ member: { field } }: Row): string => `${field.name}(${field.tag})`;

/** The fields that have no row, by what becomes of them. */
function restTable(msgType: string, rest: readonly Row[]): string {
  const isOrder = ORDERS.includes(msgType);
  const refused = rest.filter(({ member }) => isOrder && REFUSED.has(member.field.tag));
  const others = rest.filter((row) => !refused.includes(row));
  const rows = [
    [isOrder ? 'accepted without effect' : 'in the dictionary', others.map(named).join(', ')],
    ['refused: the exchange has no such function', refused.map(named).join(', ')],
  ];
  return table(
    ['Other fields', 'Names'],
    rows.filter(([, names]) => names !== ''),
  );
}

const fieldCell = ({ member: { field }, depth }: Row): string => `${'→ '.repeat(depth)}${field.name}(${field.tag})`;

function whenCell({ member }: Row, sent: Sent | undefined, isOurs: boolean, isBoth: boolean): string {
  const said = sent === undefined ? 'never' : sentInWords(sent);
  if (isOurs) return said;
  const required = member.required ? 'yes' : '';
  return isBoth ? `${required === '' ? 'no' : required}; ${said}` : required;
}

function remarkCell({ member, comment }: Row): string {
  return [comment, valuesOf(member)].filter((part) => part !== '').join(' ');
}

function valuesOf(member: Member): string {
  const { values } = member.field;
  if (values === null) return '';
  if (values.size > VALUES_MAX) return `${values.size} values, see the dictionary.`;
  return `${[...values].map(([value, description]) => `\`${value}\` ${pascalCase(description)}`).join(', ')}.`;
}

/**
 * Fill the place between `<!-- versions -->` and `<!-- end -->`: messages by version.
 *
 * @param links of each message's page, by MsgType
 */
export function fillVersions(markdown: string, versions: Versions, links: ReadonlyMap<string, string>): string {
  const titles = [...versions.keys()];
  const names = new Map(
    [...versions.values()]
      .flat()
      .flatMap(({ messages }) => [...messages.values()].map(({ msgType, name }) => [msgType, name])),
  );
  const rows = [...names].map(([msgType, name]) => {
    const marks = [...versions.values()].map((set) => (set.some((each) => each.messages.has(msgType)) ? '✓' : '–'));
    const link = links.get(msgType);
    return [msgType, link === undefined ? name : `[${name}](${link})`, DIRECTIONS[msgType] ?? 'both', ...marks];
  });
  return markdown.replace(
    /<!-- versions -->\n[\s\S]*?<!-- end -->/,
    () => `<!-- versions -->\n\n${table(['MsgType', 'Message', 'Direction', ...titles], rows)}\n\n<!-- end -->`,
  );
}
