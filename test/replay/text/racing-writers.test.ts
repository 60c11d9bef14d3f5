// Several writers of one log without a lock: their times and messages touch, break over lines and stand in one another.

import { describe, expect, test } from 'vitest';
import { parseUtcTimestamp } from '../../../src/base/time.ts';
import type { LoggedMessage } from '../../../src/replay/logged-message.ts';
import { TextLogReader } from '../../../src/replay/text/text-log.ts';
import { fromPrintable } from '../../../src/wire/mod.ts';

const message = (msgSeqNum: number, sentAt: string, more = '11=o|55=BTCUSDC|54=1|38=1|40=1|'): string =>
  fromPrintable(`35=D|49=OMS|56=XG|34=${msgSeqNum}|52=20261129-${sentAt}|${more}`).toString('latin1');
const A = message(1, '12:00:00.100');
const B = message(2, '12:00:00.200', '11=longer-than-the-other|55=ETHUSDC|54=2|38=2|40=2|44=7|');
const TIME_A = '20261129-12:00:00.101';
const TIME_B = '20261129-12:00:00.201';
const bar = (text: string): string => text.replaceAll('\u0001', '|');

function read(text: string, size = text.length): { found: LoggedMessage[]; reader: TextLogReader } {
  const reader = new TextLogReader();
  const found: LoggedMessage[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
  found.push(...reader.end());
  return { found, reader };
}

const BOTH = [
  ['1', parseUtcTimestamp(TIME_A)],
  ['2', parseUtcTimestamp(TIME_B)],
];

describe('of writers that race, every whole message is read with its own time', () => {
  const half = Math.floor(A.length / 2);
  test.each([
    ['a time touches the message before it', `${TIME_A} : ${A}${TIME_B} : ${B}\n`],
    ['a time touches a CheckSum(10) without a separator', `${TIME_A} : ${A.slice(0, -1)}${TIME_B} : ${B}\n`],
    ['messages touch', `${TIME_A} : ${TIME_B} : ${A}${B}\n\n`],
    ['a message touches a number', `${TIME_A}${A.slice(0, -1)}${TIME_B}${B}\n`],
    ['times come first, each message on a line of its own', `${TIME_A} : ${TIME_B} : ${A}\n${B}\n`],
    ['a time has a line of its own', `${TIME_A} : \n${A}\n${TIME_B} : \n${B}\n`],
    [
      'headings of a screen log come first',
      `<${TIME_A}, FIX.4.4:OMS->XG, outgoing>\n<${TIME_B}, FIX.4.4:OMS->XG, outgoing>\n  (${A})\n  (${B})\n`,
    ],
    ['one stands in the other', `${TIME_A} : ${A.slice(0, half)}${TIME_B} : ${B}\n${A.slice(half)}\n`],
    ['a time stands in a message', `${TIME_A} : ${A.slice(0, half)}${TIME_B} : ${A.slice(half)}${B}\n`],
    [
      'both are in two pieces',
      `${TIME_A} : ${A.slice(0, half)}${TIME_B} : ${B.slice(0, 60)}${A.slice(half)}\n${B.slice(60)}\n`,
    ],
    [
      'a terminal broke the lines',
      `${TIME_A} : ${A.match(/.{1,40}/gs)!.join('\n  ')}\n${TIME_B} : ${B.match(/.{1,40}/gs)!.join('\n')}\n`,
    ],
  ])('%s', (_, text) => {
    for (const shown of [text, bar(text)]) {
      for (const size of [1, 50, 10_000]) {
        const { found, reader } = read(shown, size);
        const read1 = found.map(({ view, at }) => [view?.string(34), at]).sort();
        expect(read1).toEqual(BOTH);
        expect(found.map(({ note }) => note)).toEqual(['', '']);
        expect(reader.unread.summary).toBeNull();
      }
    }
  });

  test('pieces that no CheckSum(10) joins are counted, one as a cut message and one as a line', () => {
    const { found, reader } = read(
      `${TIME_A} : ${A.slice(0, half)}\nsomething else\n${A.slice(half + 9)}\n${TIME_B} : ${B}\n`,
    );
    expect(found.map(({ view, isCutShort }) => [view?.string(34) ?? null, isCutShort])).toEqual([
      ['1', true],
      ['2', false],
    ]);
    expect([reader.unread.cut, reader.unread.lines]).toEqual([1, 1]);
    expect(reader.unread.placesIn('a.log')).toEqual([
      'a.log:1: the message was cut by its logger',
      expect.stringMatching(/^a\.log:3: /),
    ]);
  });
});
