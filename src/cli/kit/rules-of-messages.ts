// The messages of a session in its rules of engagement, and the fields of each. They come from the session's own dictionary and
// from the gateway's tables of fields that it reads and sends.

import {
  applicationVersion,
  type Dictionary,
  type Member,
  type MessageDefinition,
  SCOPES,
  SENT,
  type Sent,
} from '../../dictionary/mod.ts';
import { FIELD_GROUPS } from '../../gateway/mod.ts';
import type { EngineSessionConfig } from '../../runtime/mod.ts';
import type { KitSession } from './kit-session.ts';
import { table } from './markdown.ts';
import { COMMENTS, DIRECTIONS } from './message-remarks.ts';

/** Longer enumerations are looked up in the dictionary. */
const VALUES_MAX = 12;
const ORDERS: readonly string[] = ['D', 'E', 'G'];
const EFFECTS = new Map(
  FIELD_GROUPS.filter(({ use }) => use === 'carried' || use === 'checked').flatMap(({ tags, what }) =>
    tags.map((tag) => [tag, what] as const),
  ),
);
const SESSION_MESSAGES: readonly string[] = [...'A012345'];
const MARKET_DATA: readonly string[] = ['V', 'W', 'X', 'Y'];
const ACCOUNT_DATA: readonly string[] = ['AN', 'AO', 'AP', 'BB', 'BA', 'BG', 'AD', 'AQ', 'AE'];
const ENTERS_ORDERS: readonly string[] = [
  'D',
  'E',
  'F',
  'G',
  'H',
  'AF',
  'q',
  'N',
  '9',
  'r',
  'UMQ',
  'UMR',
  'ULQ',
  'ULR',
];

/** Whether the session carries a message of its dictionary. */
function isCarried(msgType: string, { gateway, access }: EngineSessionConfig): boolean {
  const direction = DIRECTIONS[msgType];
  if (SESSION_MESSAGES.includes(msgType)) return true;
  if (direction === undefined || direction === 'not carried' || direction === 'never sent') return false;
  if (gateway.kind === 'dropCopy' && ENTERS_ORDERS.includes(msgType)) return false;
  if (MARKET_DATA.includes(msgType)) return gateway.marketData !== undefined;
  if (ACCOUNT_DATA.includes(msgType)) return (gateway.accountData ?? null) !== null;
  if (msgType === 'BE' || msgType === 'BF') return access.passwordOverlapMs !== null;
  if (msgType === 'UBQ' || msgType === 'UBR') return (gateway.bridgeCaller ?? null) !== null;
  return true;
}

function carried({ session }: KitSession, dictionaries: readonly Dictionary[]): MessageDefinition[] {
  const byType = new Map<string, MessageDefinition>();
  for (const { messages } of [...dictionaries].reverse())
    for (const one of messages.values()) byType.set(one.msgType, one);
  return [...byType.values()].filter(({ msgType }) => isCarried(msgType, session));
}

/** Which messages there are, and which way they go. */
export function messageList(kit: KitSession, dictionaries: readonly Dictionary[]): string {
  const rows = carried(kit, dictionaries).map(({ msgType, name, members }) => {
    const required = members.filter((one) => one.required).map(({ field }) => `${field.name}(${field.tag})`);
    return [msgType, name, directionInWords(msgType), required.join(', ')];
  });
  return table(['35', 'Message', 'Direction', 'Required fields'], rows);
}

function directionInWords(msgType: string): string {
  const direction = DIRECTIONS[msgType];
  if (direction === 'from OMS') return 'from you';
  return direction === 'to OMS' ? 'to you' : 'both';
}

/** A table of fields for every message: of those from you what is read, of those to you what is sent. */
export function messageFields(kit: KitSession, dictionaries: readonly Dictionary[]): string {
  return carried(kit, dictionaries)
    .map((message) => `### ${message.name} (${message.msgType})\n\n${fieldsOf(kit, message)}\n`)
    .join('\n');
}

interface Row {
  readonly path: string;
  readonly member: Member;
  readonly depth: number;
}

function rowsOf(members: readonly Member[], groups: readonly number[] = []): Row[] {
  return members.flatMap((member) => {
    const inside = [...groups, member.field.tag];
    const row = { path: inside.join('/'), member, depth: groups.length };
    return member.kind === 'group' ? [row, ...rowsOf(member.members, inside)] : [row];
  });
}

function fieldsOf({ session }: KitSession, { msgType, members }: MessageDefinition): string {
  const rows = rowsOf(members);
  if (DIRECTIONS[msgType] === 'to OMS') {
    const sent = rows.flatMap((row) => {
      const when = whenSent(SENT[msgType]?.[row.path], session);
      return when === null ? [] : [[named(row), when, remark(msgType, row)]];
    });
    return table(['Field', 'Sent', 'Values and remarks'], sent);
  }
  const read = rows.filter((row) => row.member.required || remark(msgType, row, false) !== '');
  const isShown = new Set(read.map(({ path }) => path));
  const whole = read.filter(({ path }) => !path.includes('/') || isShown.has(path.slice(0, path.lastIndexOf('/'))));
  if (whole.length === 0) return 'No field of its own is required.';
  return table(
    ['Field', 'Required', 'Values and remarks'],
    whole.map((row) => [named(row), row.member.required ? 'yes' : '', remark(msgType, row)]),
  );
}

const named = ({ member: { field }, depth }: Row): string => `${'→ '.repeat(depth)}${field.name}(${field.tag})`;

/** When a field is sent, in this version and dialect; null: never. */
function whenSent(sent: Sent | undefined, { session, gateway }: EngineSessionConfig): string | null {
  if (sent === undefined) return null;
  if (typeof sent === 'string') return sent;
  const [when, scope] = sent;
  const version = applicationVersion(session.beginString, session.defaultApplVerID);
  return SCOPES[scope](version, gateway.dialect === 'venue') ? when : null;
}

function remark(msgType: string, { member: { field } }: Row, withValues = true): string {
  const effect = ORDERS.includes(msgType) ? EFFECTS.get(field.tag) : undefined;
  const comment = COMMENTS[`${msgType}.${field.tag}`] ?? COMMENTS[`*.${field.tag}`] ?? effect ?? '';
  const { values } = field;
  if (values === null || !withValues) return comment;
  const listed =
    values.size > VALUES_MAX
      ? `${values.size} values, see the dictionary.`
      : `Values: ${[...values].map(([value, name]) => `\`${value}\` ${name.toLowerCase().replaceAll('_', ' ')}`).join(', ')}.`;
  return [comment, listed].filter((part) => part !== '').join(' ');
}
