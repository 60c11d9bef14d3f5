// Tags that a session holds secret: masked in copies that are shown, and left in those that the journal keeps.

import { expect, test } from 'vitest';
import { describe } from '../../src/dictionary/mod.ts';
import { DataFields, fromPrintable, maskSecrets, maskShown, toPrintable, viewOf } from '../../src/wire/mod.ts';

const HEAD = '35=D|49=OMS|56=GATE|34=2|52=20261121-10:11:12.345|';
const ORDER = fromPrintable(`${HEAD}11=o-1|5001=hush|58=a text|5002=open|95=5|96=se\u0001et|554=word|`);

test('further secret tags are masked where a message is shown, and the frame stays whole', () => {
  const dataFields = DataFields.STANDARD.withSecrets([5001, 58]);
  const shown = maskShown(ORDER, dataFields);
  expect(toPrintable(shown)).toContain('|5001=****|58=******|5002=open|95=5|96=*****|554=****|');
  expect(viewOf(shown, dataFields)).not.toBeNull();
  const values = describe(viewOf(ORDER, dataFields)!, []).map(({ tag, value }) => `${tag}=${value}`);
  expect(values).toContain('5001=***');
  expect(values).toContain('58=***');
  expect(values).toContain('5002=open');
});

test('recorded messages keep them: only the tags secret everywhere are masked there', () => {
  const recorded = toPrintable(maskSecrets(ORDER, DataFields.STANDARD.withSecrets([5001])));
  expect(recorded).toContain('|5001=hush|58=a text|');
  expect(recorded).toContain('|554=****|');
});

test('a session without further secret tags has the data fields of its dictionary as they are', () => {
  const own = new DataFields([[5010, 5011]]);
  expect(own.withSecrets([])).toBe(own);
  const secret = own.withSecrets([5011]);
  expect([secret.dataTagOf(5010), secret.lengthTagOf(5011), secret.secretTags.has(5011)]).toEqual([5011, 5010, true]);
  const frame = fromPrintable(`${HEAD}5010=4|5011=a\u0001=b|58=text|`);
  expect(toPrintable(maskShown(frame, secret))).toContain('|5011=****|58=text|');
});
