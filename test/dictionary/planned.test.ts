// Messages whose fields a kernel looks at by a plan are judged as those that nothing was learnt of.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { Framer, fromPrintable, IndexKernel, MessageView } from '../../src/wire/mod.ts';
import { MESSAGES } from '../bench/codec-messages.ts';

const LIMITS = { frameBytesMax: 65_536, fieldsMax: 2_000 };
const FIX44 = loadDictionary(
  readFileSync(new URL('../../dictionaries/FIX44.xml', import.meta.url), 'utf8'),
  'FIX44.xml',
);
const VALUES = [
  ...['', '1', '2', 'Z', '\x7f', '\xe9', '0', '7', '-1', '+1', '1.5', '1..5', '.5', '5.', '1e5', '00', 'AB', 'N', 'Y'],
  ...[
    '20261121-10:11:12',
    '20261121-10:11:12.345',
    '20261129-10:11:12.345',
    '20261321-10:11:12.345',
    '20261121-24:11:12',
  ],
  ...['20261121', '123456789012345678901234', '1234567890123456', '123456789012345.7', 'x'.repeat(40)],
];

function view(text: string, kernel: IndexKernel | null): MessageView {
  const framer = new Framer(LIMITS, new MessageView(kernel));
  framer.push(fromPrintable(text));
  const found = framer.next();
  if (found?.kind !== 'message') throw new Error(`${text} is no message`);
  return found.view;
}

test.each(Object.keys(MESSAGES))('%s: every field with every kind of value, after the same was right', (name) => {
  const kernel = IndexKernel.create();
  expect(kernel).not.toBeNull();
  const frame = MESSAGES[name as keyof typeof MESSAGES].toString('latin1').split('\x01');
  const body = frame.slice(2, -2);
  const planned = new Validator(FIX44);
  const right = `${body.join('|')}|`;
  for (let i = 0; i < 3; i++) expect(planned.validate(view(right, kernel))).toBeNull();
  for (let field = 0; field < body.length; field++) {
    for (const value of VALUES) {
      const tag = body[field]!.split('=', 1)[0]!;
      if (tag === '35') continue;
      const text = `${[...body.slice(0, field), `${tag}=${value}`, ...body.slice(field + 1)].join('|')}|`;
      const plain = new Validator(FIX44).validate(view(text, null));
      expect(planned.validate(view(text, kernel)), text).toEqual(plain);
      expect(planned.validate(view(right, kernel)), `after ${text}`).toBeNull();
    }
  }
});

test.each(['', '1=A|'])(
  'two neighbours whose values need a closer look are both looked at, and the first that is wrong is answered: %s',
  (more) => {
    const kernel = IndexKernel.create();
    const planned = new Validator(FIX44);
    const right = `35=D|49=A|56=B|34=1|52=20261121-10:11:12.345|11=o|${more}55=X|54=1|60=20261121-10:11:12|38=1|40=2|44=5|`;
    for (let i = 0; i < 3; i++) expect(planned.validate(view(right, kernel))).toBeNull();
    const said = (quantity: string, ordType: string, price: string): string => {
      const text = right.replace('38=1|40=2|44=5', `38=${quantity}|40=${ordType}|44=${price}`);
      const plain = new Validator(FIX44).validate(view(text, null));
      const fault = planned.validate(view(text, kernel));
      expect(fault, text).toEqual(plain);
      expect(new Validator(FIX44).validate(view(text, kernel)), `${text}, of which nothing was learnt`).toEqual(plain);
      return fault === null ? 'ok' : `373=${fault.sessionRejectReason} 371=${fault.refTagID}`;
    };
    expect(said('-1', '2', '-5')).toBe('ok');
    expect(said('-1', 'Z', '5')).toBe('373=5 371=40');
    expect(said('-1', 'Z', 'x')).toBe('373=5 371=40');
    expect(said('-1', '2', 'x')).toBe('373=6 371=44');
    expect(said('-1', '', '-5')).toBe('373=4 371=40');
    expect(said('x', 'Z', '5')).toBe('373=6 371=38');
    expect(said('1', '2', '5')).toBe('ok');
  },
);

test('a plan is for its tags only, and room for plans ends without a message being judged otherwise', () => {
  const kernel = IndexKernel.create();
  const right = '35=0|49=A|56=B|34=1|52=20261121-10:11:12.345|112=x|';
  for (let i = 0; i < 120; i++) {
    const validator = new Validator(FIX44);
    for (let k = 0; k < 3; k++) expect(validator.validate(view(right, kernel))).toBeNull();
    expect(validator.validate(view(right.replace('112=x', '113=Y'), kernel))).toMatchObject({ refTagID: 113 });
    expect(validator.validate(view(right.replace('34=1', '34=x'), kernel))).toMatchObject({ refTagID: 34 });
    expect(validator.validate(view(right.replace('112=x|', ''), kernel))).toBeNull();
    expect(validator.validate(view(right, kernel))).toBeNull();
  }
});

test('a value of one byte passes if the dictionary lists it for that field, whether or not the frame was looked at by a kernel', () => {
  const validator = new Validator(FIX44);
  const order = (ordType: string, timeInForce: string, more = '') =>
    `35=D|49=A|56=B|34=1|52=20261121-10:11:12.345|11=o|55=X|54=1|60=20261121-10:11:12|38=1|40=${ordType}|44=5|59=${timeInForce}|${more}`;
  for (const kernel of [null, IndexKernel.create()]) {
    const judge = (text: string) => {
      // Nothing learnt fits it: the one before had a field more.
      expect(validator.validate(view(order('2', '1', '58=x|'), kernel))).toBeNull();
      return validator.validate(view(text, kernel));
    };
    for (let c = 2; c < 256; c++) {
      const value = String.fromCharCode(c);
      if (value === '|') continue;
      for (const [tag, text] of [
        [40, order(value, '1')],
        [59, order('2', value)],
      ] as const) {
        const isListed = FIX44.fields.get(tag)!.values!.has(value);
        const fault = judge(text);
        expect([text, fault?.sessionRejectReason, fault?.refTagID]).toEqual(
          isListed ? [text, undefined, undefined] : [text, 5, tag],
        );
      }
    }
  }
});
