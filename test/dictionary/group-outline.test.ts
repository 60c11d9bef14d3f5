// A field is read at its level (rule S13): dictionaries with groups that share tags with their message, and messages
// from a seed.

import { expect, test } from 'vitest';
import { dataFieldsOf, loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { fromPrintable, type GroupEntry, type MessageView, viewOf } from '../../src/wire/mod.ts';
import { randomNumbers } from '../support/random/random-message.ts';
import { seedOfTest } from '../support/random/seeded-property.ts';

/** Tags that the message, its group and the group within may all have. */
const SHARED = [6001, 6002, 6003, 6004, 6005];
const field = (tag: number): string => `<field name='F${tag}' required='N'/>`;

/**
 * A dictionary with a message of `own`, a group of `outer` and in it one of `inner`, each with a first and a last
 * field.
 */
function house(own: readonly number[], outer: readonly number[], inner: readonly number[], minor = '4') {
  const innerGroup = `<group name='F5200' required='N'>${[5201, ...inner, 5202].map(field).join('')}</group>`;
  const half = Math.floor(outer.length / 2);
  const members = [5101, ...outer.slice(0, half)].map(field).join('') + innerGroup;
  const group = `<group name='F5100' required='N'>${members}${[...outer.slice(half), 5102].map(field).join('')}</group>`;
  const header = ['8 STRING', '9 LENGTH', '35 STRING', '49 STRING', '56 STRING', '34 SEQNUM', '52 UTCTIMESTAMP'];
  const fields = [
    ...header.map((one) => one.split(' ') as [string, string]),
    ['10', 'STRING'],
    ['5100', 'NUMINGROUP'],
    ['5200', 'NUMINGROUP'],
    ...[...SHARED, 43, 50, 97, 5101, 5102, 5201, 5202, 7001, 7002].map((tag) => [String(tag), 'STRING']),
  ];
  const xml = `<fix type='FIX' major='4' minor='${minor}'>
    <header>${header.map((one) => `<field name='F${one.split(' ')[0]}' required='Y'/>`).join('')}</header>
    <messages><message name='Order' msgtype='D' msgcat='app'>${field(7001)}${group}${own.map(field).join('')}${field(7002)}</message>
      <message name='Other' msgtype='E' msgcat='app'>${field(7001)}</message></messages>
    <trailer><field name='F10' required='Y'/></trailer><components/>
    <fields>${fields.map(([tag, type]) => `<field number='${tag}' name='F${tag}' type='${type}'/>`).join('')}</fields></fix>`;
  return loadDictionary(xml, 'HOUSE.xml');
}

interface Written {
  readonly fields: Map<number, string>;
  readonly entries: Written[];
}

const HEAD = '49=OMS|56=XG|34=2|52=20261121-10:00:00.000|';

function read(source: MessageView | GroupEntry, written: Written, counter: number): void {
  for (const tag of SHARED) expect(source.string(tag)).toBe(written.fields.get(tag) ?? null);
  const entries = source.groupEntries(counter)!;
  expect(entries).toHaveLength(written.entries.length);
  for (const [i, entry] of entries.entries()) read(entry, written.entries[i]!, counter + 100);
}

test.each([true, false])(
  'S13 a message and each entry have their own fields, with shared tags: %s that it was validated',
  (validates) => {
    const random = randomNumbers(seedOfTest());
    let count = 0;
    for (let round = 0; round < 300; round++) {
      const some = (): number[] => SHARED.filter(() => random(2) === 0);
      const [own, outer, inner] = [some(), some(), some()];
      const dictionary = house(own, outer, inner);
      const validator = new Validator(dictionary);
      let text = '';
      const put = (tag: number, to: Map<number, string>): void => {
        const value = `v${count++}`;
        to.set(tag, value);
        text += `${tag}=${value}|`;
      };
      const putSome = (tags: readonly number[], to: Map<number, string>): void => {
        for (const tag of tags) if (random(2) === 0) put(tag, to);
      };
      const message: Written = { fields: new Map(), entries: [] };
      // Before the group, or behind it; what is behind cannot be taken for the last entry's, which has its last field.
      const before = own.filter(() => random(2) === 0);
      putSome(before, message.fields);
      const outers = random(4);
      text += `5100=${outers}|`;
      for (let i = 0; i < outers; i++) {
        const entry: Written = { fields: new Map(), entries: [] };
        message.entries.push(entry);
        put(5101, new Map());
        const half = Math.floor(outer.length / 2);
        putSome(outer.slice(0, half), entry.fields);
        const inners = random(3);
        if (inners > 0) text += `5200=${inners}|`;
        for (let k = 0; k < inners; k++) {
          const nested: Written = { fields: new Map(), entries: [] };
          entry.entries.push(nested);
          put(5201, new Map());
          putSome(inner, nested.fields);
          put(5202, new Map());
        }
        putSome(outer.slice(half), entry.fields);
        put(5102, new Map());
      }
      putSome(
        own.filter((tag) => !before.includes(tag)),
        message.fields,
      );
      const view = viewOf(fromPrintable(`35=D|${HEAD}${text}7002=x|`), validator.dataFields)!;
      if (validates) expect([text, validator.validate(view)]).toEqual([text, null]);
      read(view, message, 5100);
    }
  },
);

test('S13 of a type that the dictionary does not define, the groups that it knows have an end all the same', () => {
  const validator = new Validator(house([6001], [6001], []));
  const view = viewOf(
    fromPrintable(`35=U7|${HEAD}5100=1|5101=a|6001=in|5102=b|6001=own|7001=x|`),
    validator.dataFields,
  )!;
  expect(view.string(6001)).toBe('own');
  expect(view.groupEntries(5100)!.map((entry) => [entry.string(6001), entry.has(7001)])).toEqual([['in', false]]);
});

test('S13 a count that differs from the entries found makes no entries', () => {
  const { dataFields } = new Validator(house([6001], [6001], []));
  const few = viewOf(fromPrintable(`35=D|${HEAD}5100=1|5101=a|6001=1|5101=b|6001=2|`), dataFields)!;
  expect(few.groupEntries(5100)).toBeNull();
  const many = viewOf(fromPrintable(`35=D|${HEAD}5100=3|5101=a|6001=1|5101=b|6001=2|7002=x|`), dataFields)!;
  expect(many.groupEntries(5100)).toBeNull();
});

const LENIENT = { validateUnorderedGroupFields: false };

test('S13 with any order allowed, an entry’s fields may stand in any order, and are still the entry’s', () => {
  const dictionary = house([6001], [6001, 6002], []);
  const text = `35=D|${HEAD}6001=own|5100=2|5101=a|5102=z|6002=2|6001=1|5101=b|6001=3|7002=x|`;
  expect(new Validator(dictionary).validate(viewOf(fromPrintable(text))!)?.sessionRejectReason).toBe(15);
  const validator = new Validator(dictionary, LENIENT);
  const view = viewOf(fromPrintable(text), validator.dataFields)!;
  expect(validator.validate(view)).toBeNull();
  expect(view.string(6001)).toBe('own');
  expect(view.groupEntries(5100)!.map((entry) => [entry.string(6001), entry.string(6002)])).toEqual([
    ['1', '2'],
    ['3', null],
  ]);
  // Every other check stays.
  for (const [change, reason] of [
    ['6002=2|6002=2|', 13],
    ['9999=1|6002=2|', 3],
  ] as const) {
    const wrong = viewOf(fromPrintable(text.replace('6002=2|', change)), validator.dataFields)!;
    expect([change, validator.validate(wrong)?.sessionRejectReason]).toEqual([change, reason]);
  }
});

test.each([
  ['a tag that no dictionary has', '9999=x|', '373=3 371=9999'],
  ['a tag of the standard that the version does not have', '4999=x|', '373=0 371=4999'],
])('an entry with %s is refused for that tag, not for its count', (_, foreign, expected) => {
  const validator = new Validator(house([6001], [6001], []));
  for (const place of ['first', 'last']) {
    const [first, last] = place === 'first' ? [foreign, ''] : ['', foreign];
    const text = `35=D|${HEAD}5100=2|5101=a|${first}6001=1|5101=b|6001=2|${last}`;
    const fault = validator.validate(viewOf(fromPrintable(text), validator.dataFields)!);
    expect(`373=${fault?.sessionRejectReason} 371=${fault?.refTagID}`).toBe(expected);
  }
});

test('an entry answers a foreign tag as a message: by unknownTagReason, by 373=0 for no tag', () => {
  const dictionary = house([6001], [6001], []);
  for (const [foreign, unknownTagReason, expected] of [
    ['9999=x|', '0', '373=0 371=9999'],
    ['abc=x|', '3', '373=0 371=abc'],
  ] as const) {
    const validator = new Validator(dictionary, { unknownTagReason });
    const answers = [`5100=2|5101=a|${foreign}6001=1|5101=b|`, `${foreign}5100=1|5101=a|`].map((body) => {
      const fault = validator.validate(viewOf(fromPrintable(`35=D|${HEAD}${body}`), validator.dataFields)!);
      return `373=${fault?.sessionRejectReason} 371=${fault?.refTagID}`;
    });
    expect(answers[1]).toBe(answers[0]);
    expect(answers[0]).toContain(expected.split(' ')[0]);
  }
});

test('an entry with a tag that its message cannot have is refused for that tag (373=2)', () => {
  const validator = new Validator(house([], [6001], []));
  const order = `35=D|${HEAD}5100=2|5101=a|6002=x|6001=1|5101=b|6001=2|`;
  const fault = validator.validate(viewOf(fromPrintable(order), validator.dataFields)!);
  expect(`373=${fault?.sessionRejectReason} 371=${fault?.refTagID}`).toBe('373=2 371=6002');
});

test.each([
  ['too small', '5100=1|5101=a|6001=1|5101=b|6001=2|'],
  ['zero', '5100=0|5101=a|6001=1|'],
  ['negative', '5100=-1|5101=a|6001=1|'],
  ['no number', '5100=x|5101=a|6001=1|5101=b|6001=2|'],
  ['empty', '5100=|5101=a|6001=1|'],
])('S13 where the count is %s, the fields of an entry are not the message’s', (_, group) => {
  const { dataFields } = new Validator(house([6001], [6001], []), { validateIncomingMessage: false });
  const view = viewOf(fromPrintable(`35=D|${HEAD}${group}7002=x|`), dataFields)!;
  expect([view.string(6001), view.has(5101), view.string(7002)]).toEqual([null, false, 'x']);
  const withOwn = viewOf(fromPrintable(`35=D|${HEAD}${group}6001=own|7002=x|`), dataFields)!;
  expect([withOwn.string(6001), withOwn.string(7002)]).toEqual(['own', 'x']);
});

test('S13 a group without entries leaves a field that it shares with its message to the message', () => {
  const { dataFields } = new Validator(house([6001], [6001], []));
  const view = viewOf(fromPrintable(`35=D|${HEAD}5100=0|6001=own|7002=x|`), dataFields)!;
  expect(view.string(6001)).toBe('own');
});

test('S13 a header field is not taken from an entry, also before the groups of the message are known', () => {
  const { dataFields } = new Validator(house([], [43, 50, 97], []));
  const text = `35=D|${HEAD}5100=1|5101=a|43=Y|50=other|5102=z|7002=x|`;
  const view = viewOf(fromPrintable(text), dataFields)!;
  expect([view.boolean(43), view.string(50), view.has(97)]).toEqual([null, null, false]);
  const both = viewOf(fromPrintable(text.replace('35=D|', '35=D|50=own|')), dataFields)!;
  expect([both.boolean(43), both.string(50), both.string(7002)]).toEqual([null, 'own', 'x']);
});

test("S13 with dictionaries of several BeginStrings the message's own ends its groups", () => {
  const versions = [
    ['2', []],
    ['4', [6001]],
  ] as const;
  const both = versions.map(([minor, outer]) => house([6001], outer, [], minor));
  for (const dictionaries of [both, both.toReversed()]) {
    const dataFields = dataFieldsOf(dictionaries);
    const own = (beginString: string): string | null =>
      viewOf(fromPrintable(`35=D|${HEAD}5100=1|5101=a|6001=first|7002=x|`, beginString), dataFields)!.string(6001);
    expect([own('FIX.4.2'), own('FIX.4.4')]).toEqual(['first', null]);
  }
});
