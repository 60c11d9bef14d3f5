import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Validator } from '../../src/dictionary/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const HEAD = '35=D|49=OMS|56=XG|34=2|52=20261121-10:00:00.000|';
const FIELDS = [
  ...['11=o-1', '1=main', '55=BTCUSDC', '54=1', '60=20261121-10:00:00.000', '38=1.5', '40=2', '44=100.25'],
  ...['453=2', '448=a', '447=D', '452=3', '448=b', '447=D', '452=12'],
];
const GOOD = `${HEAD}${FIELDS.join('|')}|`;

/** A validator's verdict on a text. */
function say(validator: Validator, text: string): string {
  const view = viewOf(fromPrintable(text));
  if (view === null) throw new Error(`does not frame: ${text}`);
  const fault = validator.validate(view);
  return fault === null ? 'ok' : `373=${fault.sessionRejectReason} 371=${fault.refTagID} ${fault.text}`;
}

const fix44 = dictionary('FIX44.xml');
const fresh = (): Validator => new Validator(fix44);

describe('earlier messages of a connection never change a verdict', () => {
  test('the same fields with another NumInGroup are 373=16, with a wrong value 373=5 or 373=6', () => {
    const validator = fresh();
    expect(say(validator, GOOD)).toBe('ok');
    expect(say(validator, GOOD)).toBe('ok');
    expect(say(validator, GOOD.replace('453=2', '453=1'))).toMatch('373=16 371=453');
    expect(say(validator, GOOD.replace('453=2', '453=x'))).toMatch('373=6 371=453');
    expect(say(validator, GOOD.replace('54=1', '54=Z'))).toMatch('373=5 371=54');
    expect(say(validator, GOOD.replace('452=12', '452=x'))).toMatch('371=452');
    expect(say(validator, GOOD)).toBe('ok');
  });

  test('of a wrong value and a field out of place, the first on the wire is answered', () => {
    expect(say(fresh(), GOOD.replace('54=1', '54=Z').replace('44=100.25', '49=OMS'))).toMatch('373=5 371=54');
    expect(say(fresh(), GOOD.replace('11=o-1', '4999=1').replace('54=1', '54=Z'))).toMatch('373=0 371=4999');
    expect(say(fresh(), GOOD.replace('38=1.5', '38=x').replace('452=12|', ''))).toMatch('373=6 371=38');
    expect(say(fresh(), GOOD.replace('55=BTCUSDC|', '').replace('452=12', '452=x'))).toMatch('371=452');
  });

  test('a validator gives the same verdict as a new one after any messages', () => {
    const values = ['1', '2', 'Z', '-1', '1.5', '', 'x', '20261121-10:00:00', '20261131-10:00:00'];
    const change = fc.oneof(
      fc.record({ at: fc.nat(FIELDS.length - 1), value: fc.constantFrom(...values) }),
      fc.record({ at: fc.nat(FIELDS.length - 1), field: fc.constantFrom(...FIELDS, '58=text', '4999=1', '49=OMS') }),
      fc.record({ at: fc.nat(FIELDS.length - 1), with: fc.nat(FIELDS.length - 1) }),
    );
    const changed = (changes: readonly object[]): string => {
      const fields = [...FIELDS];
      for (const each of changes as readonly { at: number; value?: string; field?: string; with?: number }[]) {
        const old = fields[each.at]!;
        if (each.value !== undefined) fields[each.at] = `${old.slice(0, old.indexOf('='))}=${each.value}`;
        else if (each.field !== undefined) fields[each.at] = each.field;
        else [fields[each.at], fields[each.with!]] = [fields[each.with!]!, old];
      }
      return `${HEAD}${fields.join('|')}|`;
    };
    const seen = fresh();
    checkProperty(
      fc.property(fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 4 }), (messages) => {
        for (const changes of messages) {
          const text = changed(changes);
          expect(say(seen, text), text).toBe(say(fresh(), text));
          expect(say(seen, GOOD)).toBe('ok');
        }
      }),
      150,
    );
  });

  test('a message that fits an earlier one has its own fields found, and none of a group', () => {
    const validator = fresh();
    for (const text of [GOOD, GOOD, GOOD.replace('11=o-1', '11=a-longer-one'), GOOD]) {
      const view = viewOf(fromPrintable(text))!;
      expect(validator.validate(view)).toBe(null);
      for (const [, tag, value] of `${HEAD}${FIELDS.slice(0, 9).join('|')}|`.matchAll(/(\d+)=([^|]*)/g)) {
        if (text === GOOD) expect(view.string(Number(tag)), tag).toBe(value);
      }
      expect([448, 447, 452, 58].map((tag) => view.indexOf(tag))).toEqual([-1, -1, -1, -1]);
      expect(view.groupEntries(453)?.map((entry) => entry.string(448))).toEqual(['a', 'b']);
    }
  });

  test('a timestamp with an unusual day, time or separator gets the verdict of a new validator', () => {
    const seen = fresh();
    const times = [
      '20261121-10:00:00.001',
      '20261128-23:59:60',
      '20261129-00:00:00',
      '20261100-10:00:00',
      '20261301-10:00:00',
    ];
    times.push(
      '20260228-10:00:00',
      '20260229-10:00:00',
      '20261121-24:00:00',
      '20261121 10:00:00',
      '20261121-10:00:00,000',
    );
    times.push('2026112x-10:00:00', '0000000\u0000-10:00:00', '20261121-10:60:00.000', '20261121-10:00:00.00x');
    for (const time of times) {
      expect(say(seen, GOOD)).toBe('ok');
      const text = GOOD.replace('60=20261121-10:00:00.000', `60=${time}`);
      expect(say(seen, text), time).toBe(say(fresh(), text));
    }
  });
});
