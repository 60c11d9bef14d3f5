// The rules of engagement list the fields of every message, and when. They are compared with really sent messages, in
// days with every kind of answer in every version and dialect, and in the published session test cases.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DIRECTIONS } from '../../src/cli/kit/message-remarks.ts';
import { SCOPES, SENT, type Sent } from '../../src/dictionary/sent-fields.ts';
import { type SentMessage, sentByGateway, sentBySession } from '../support/campaigns/sent-campaign.ts';

const ADMIN = '0 1 2 3 4 5 A'.split(' ');
const HEADER = 'header';
const HEADER_TAGS = new Set(Object.keys(SENT[HEADER]!).map(Number));

const bySession = await sentBySession();
const byGateway = sentByGateway();
const ofType = Map.groupBy(
  [...byGateway, ...bySession.filter(({ msgType }) => ADMIN.includes(msgType))],
  ({ msgType }) => msgType,
);
ofType.set(HEADER, bySession);

/** Fields that the campaign does not bring about: by setting, on a session that calls out, or behind an older one. */
const RARE: Readonly<Record<string, readonly string[]>> = {
  header: ['50', '97', '142', '143', '347', '369'],
  A: ['58', '95', '96', '464', '789', '9001'],
};

const lastTag = (path: string): number => Number(path.slice(path.lastIndexOf('/') + 1));
const whenOf = (sent: Sent): string => (typeof sent === 'string' ? sent : sent[0]);
const isIn = (sent: Sent, { version, isVenue }: SentMessage): boolean =>
  typeof sent === 'string' || SCOPES[sent[1]](version, isVenue);
const count = ({ fields }: SentMessage, tag: number): number => fields.filter((field) => field[0] === tag).length;

/** Entries that a message has of the groups that a field stands in; 1 for a field of none. */
function entries(message: SentMessage, path: string): number {
  const [group] = path.split('/').slice(-2, -1);
  if (group === undefined) return 1;
  return message.fields.filter(([tag]) => tag === Number(group)).reduce((sum, [, value]) => sum + Number(value), 0);
}

test('every message to an OMS, and every session message, has its fields listed', () => {
  const ours = Object.keys(DIRECTIONS).filter((msgType) => DIRECTIONS[msgType] === 'to OMS');
  // An AE goes both ways.
  expect(Object.keys(SENT).sort()).toEqual([HEADER, ...ADMIN, ...ours, 'AE'].sort());
  expect([...ofType.keys()].sort()).toEqual(Object.keys(SENT).sort());
});

test('D1 only `venue` sends the tags that separate it from `standard`, in some version', () => {
  const page = readFileSync(new URL('../../docs/connect/dialects.md', import.meta.url), 'utf8');
  const [, list = ''] = /in versions that lack them anyway, are ([^;]+);/.exec(page) ?? [];
  const told = [...list.matchAll(/(\d+)(?:–(\d+))?/g)].flatMap(([, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i),
  );
  const sentIn = (version: string, isVenue: boolean): Set<number> =>
    new Set(
      [...ofType.values()]
        .flat()
        .filter((message) => message.version === version && message.isVenue === isVenue)
        .flatMap(({ fields }) => fields.map(([tag]) => tag)),
    );
  const only = ['FIX.4.2', 'FIX.4.4', 'FIX.5.0', 'FIX.5.0SP1', 'FIX.5.0SP2'].flatMap((version) => {
    const standard = sentIn(version, false);
    return [...sentIn(version, true)].filter((tag) => !standard.has(tag) && !HEADER_TAGS.has(tag));
  });
  expect([...new Set(only)].sort((a, b) => a - b)).toEqual(told.sort((a, b) => a - b));
});

describe.each(Object.keys(SENT))('%s', (msgType) => {
  const listed = Object.entries(SENT[msgType]!);
  const messages = ofType.get(msgType)!;

  test('has no field but those that are listed, and those only where they are', () => {
    const unlisted = messages.flatMap((message) =>
      message.fields
        .filter(([tag]) => HEADER_TAGS.has(tag) === (msgType === HEADER))
        .filter(([tag]) => !listed.some(([path, sent]) => lastTag(path) === tag && isIn(sent, message)))
        .map(([tag]) => `${tag} in ${message.version}${message.isVenue ? ' venue' : ''}: ${message.text}`),
    );
    expect(unlisted).toEqual([]);
  });

  test('always has the fields listed as always sent', () => {
    const missing = listed.flatMap(([path, sent]) =>
      whenOf(sent) !== 'always'
        ? []
        : messages
            .filter((message) => isIn(sent, message) && count(message, lastTag(path)) < entries(message, path))
            .map(({ text }) => `${path} in ${text}`),
    );
    expect(missing).toEqual([]);
  });

  test('has every listed field in at least one message', () => {
    const collected = new Set(messages.flatMap(({ fields }) => fields.map(([tag]) => tag)));
    // Texts that a session's character set lacks stand in encoded-text.test.ts.
    const never = listed
      .map(([path]) => path)
      .filter((path) => !collected.has(lastTag(path)) && lastTag(path) !== 354 && lastTag(path) !== 355);
    expect(never.sort()).toEqual([...(RARE[msgType] ?? [])].sort());
  });
});
