// Properties of reading logs: whatever shape a log gives messages, they are read as they were; a part of one is never taken for a message.
// A failure prints its seed; CROSSGATE_SEED repeats it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUtcTimestamp } from '../../../src/base/time.ts';
import type { LoggedMessage } from '../../../src/replay/logged-message.ts';
import { TextLogReader } from '../../../src/replay/text/text-log.ts';
import { maskSecrets } from '../../../src/wire/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { LOG_SHAPES } from './log-shapes.ts';

/** Length fields and their data, some of every standard version. */
const PAIRS = [
  [95, 96],
  [212, 213],
  [348, 349],
  [350, 351],
  [352, 353],
  [354, 355],
  [356, 357],
  [358, 359],
  [360, 361],
  [362, 363],
  [364, 365],
  [445, 446],
  [618, 619],
  [621, 622],
  [90, 91],
  [1401, 1402],
  [1525, 1527],
  [2372, 2371],
] as const;

/** Data that may mislead a reader. */
const TRAPS = [
  '\u0001',
  '|',
  ';',
  '^',
  '^A',
  '\n',
  '\r\n',
  '"',
  '\\',
  '&',
  '10=123\u0001',
  '\u000110=123\u0001',
  '8=FIX.4.4\u00019=5\u000135=0\u000110=161\u0001',
  '20261129-12:00:00.000 : ',
  '\u00e9',
  '=',
];
const anything = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TRAPS),
      fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)), maxLength: 5 }),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));
const word = fc.string({ unit: fc.constantFrom(...'abcXYZ 019.,:-/()'), minLength: 1, maxLength: 12 });
const body = fc.record({
  data: fc.array(fc.tuple(fc.constantFrom(...PAIRS), anything), { maxLength: 2 }),
  text: word,
  msgSeqNum: fc.integer({ min: 1, max: 99_999 }),
});

interface Body {
  readonly data: readonly (readonly [pair: readonly [lengthTag: number, dataTag: number], value: string])[];
  readonly text: string;
  readonly msgSeqNum: number;
}

const withoutCarets = (one: Body): Body => ({
  ...one,
  data: one.data.map(([pair, value]) => [pair, `${value.replace(/[\^|\u00deM]/g, '')}x`]),
});

/** rsyslog writes `#001` for SOH and leaves `#` as it is: a `#` before an octal number in data has two meanings. */
const withoutOctals = (one: Body): Body => ({
  ...one,
  data: one.data.map(([pair, value]) => [pair, value.replace(/#+(?=[0-3][0-7]{2})/g, '')]),
});

/** Behind a line end, or a time, the next line of the log or the message of another writer looks just like data. */
const withoutLines = (one: Body): Body => ({
  ...one,
  data: one.data.map(([pair, value]) => [pair, value.replace(/\n|:00:00/g, '')]),
});

/** A whole message; `mark`: for the SOH behind its fields, and not for one in data. */
function framed({ data, text, msgSeqNum }: Body, mark = '\u0001'): string {
  const head = ['35=B', '49=OMS', '56=XG', `34=${msgSeqNum}`, '52=20261129-11:59:59.000'];
  const pairs = data.flatMap(([[lengthTag, dataTag], value]) => [
    `${lengthTag}=${value.length}`,
    `${dataTag}=${value}`,
  ]);
  const fields = [...head, ...pairs, `58=x${text}`];
  const bodyLength = fields.reduce((sum, field) => sum + field.length + 1, 0);
  const all = ['8=FIX.4.4', `9=${bodyLength}`, ...fields];
  let sum = 0;
  for (const one of all) for (let i = 0; i <= one.length; i++) sum += i < one.length ? one.charCodeAt(i) : 1;
  return [...all, `10=${String(sum & 255).padStart(3, '0')}`, ''].join(mark);
}

function read(text: string, size = text.length): { found: LoggedMessage[]; reader: TextLogReader } {
  const reader = new TextLogReader();
  const found: LoggedMessage[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
  found.push(...reader.end());
  return { found, reader };
}

const timeAt = (i: number): string => `20261129-12:00:${String(i % 60).padStart(2, '0')}.${String(100 + i)}`;
/** Where a log has one mark for SOH, what data held of either is the same. */
const blurred = (text: string, mark: string): string => (mark === '' ? text : text.replaceAll(mark, '\u0001'));

/** The mark of a shape that stands for itself in a value too. */
const MARKS: Readonly<Record<string, string>> = {
  'a QuickFIX/n screen log': '|',
  'a FIXEdge log': '^',
  'an Appia log': ';',
  'a log4j file with | for SOH': '|',
  'JSON with | for SOH': '|',
  'a Kibana export in CSV': '^A',
  'a table in CSV with |': '|',
  'a table separated by tabs': '|',
};

/** A mark in data that also holds SOH has two meanings; among escapes they cannot be separated. */
const UNAMBIGUOUS: Readonly<Record<string, (one: Body) => Body>> = {
  'cat -v': withoutCarets,
  'a Kibana export in CSV': withoutCarets,
  'JSON with | for SOH': withoutCarets,
  'a table in CSV with |': withoutCarets,
  'a syslog of rsyslog': withoutOctals,
};

describe('messages with anything in their data are read as they were', () => {
  test.each(Object.keys(LOG_SHAPES))('from %s', async (name) => {
    await checkProperty(
      fc.property(fc.array(body, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 300 }), (bodies, size) => {
        const messages = bodies.map((each) => framed(UNAMBIGUOUS[name]?.(each) ?? each));
        const text = messages.map((message, i) => LOG_SHAPES[name]!(message, timeAt(i))).join('');
        const { found, reader } = read(text, size);
        const mark = MARKS[name] ?? '';
        const plain = (bytes: Uint8Array): string =>
          blurred(
            Buffer.from(bytes)
              .toString('latin1')
              .slice(0, mark === '' ? undefined : -4),
            mark,
          );
        expect(found.map(({ raw }) => plain(raw))).toEqual(
          messages.map((message) => plain(maskSecrets(Buffer.from(message, 'latin1')))),
        );
        expect(found.map(({ isCutShort }) => isCutShort)).toEqual(messages.map(() => false));
        expect(found.map(({ at }) => at)).toEqual(messages.map((_, i) => parseUtcTimestamp(timeAt(i))));
        expect(reader.unread.summary).toBeNull();
      }),
    );
  });

  const marks = [
    '|',
    ';',
    '^',
    '~',
    '\t',
    '^A',
    '<SOH>',
    '[SOH]',
    '\\x01',
    '\\u0001',
    '\\001',
    '%01',
    '#001',
    '&#1;',
    ' | ',
    '; ',
  ];
  test.each(marks)('where %j stands for SOH between fields, and data is as it was', (mark) => {
    checkProperty(
      fc.property(fc.array(body, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 300 }), (bodies, size) => {
        const text = bodies.map((one, i) => `${timeAt(i)} : ${framed(one, mark)}\n`).join('');
        const { found, reader } = read(text, size);
        expect(found.map(({ raw }) => raw.toString('latin1'))).toEqual(
          bodies.map((one) => maskSecrets(Buffer.from(framed(one), 'latin1')).toString('latin1')),
        );
        expect(reader.unread.summary).toBeNull();
      }),
    );
  });
});

describe('a part of a message is never taken for one', () => {
  const shapes = Object.entries(LOG_SHAPES);
  test.each(shapes)('cut anywhere, in %s, with others around it', (_, shape) => {
    checkProperty(
      fc.property(
        fc.array(body, { minLength: 3, maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bodies, part) => {
          const [before, cut, after] = bodies.map((each) => framed(withoutOctals(withoutLines(withoutCarets(each)))));
          const written = shape(cut!, timeAt(1));
          // The CheckSum(10) is whole in what stands behind this.
          const last = written.lastIndexOf(cut!.slice(-7, -1)) + 3;
          const text = `${shape(before!, timeAt(0))}${written.slice(0, Math.floor(part * last))}\n${shape(after!, timeAt(2))}`;
          const { found, reader } = read(text);
          const whole = found
            .filter(({ isCutShort, view }) => !isCutShort && view !== null)
            .map(({ view }) => view!.string(34));
          const numbers = bodies.map(({ msgSeqNum }) => String(msgSeqNum));
          expect(whole).toEqual([numbers[0], numbers[2]]);
          const parts = found.filter(({ isCutShort }) => isCutShort);
          expect(parts.length).toBeLessThanOrEqual(1);
          for (const { view } of parts) {
            if (view === null) continue;
            // The read part equals the text.
            for (const tag of [34, 49, 56]) expect([null, fieldOf(cut!, tag)]).toContain(view.string(tag));
          }
          if (/8=FIX\.4\.4.+35=/s.test(written.slice(0, Math.floor(part * last)))) expect(reader.unread.cut).toBe(1);
        },
      ),
    );
  });
});

function fieldOf(message: string, tag: number): string {
  return message.split(`\u0001${tag}=`).at(-1)!.split('\u0001')[0]!;
}
