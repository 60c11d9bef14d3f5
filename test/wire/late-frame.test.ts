// A frame that waited before it could leave.

import { expect, test } from 'vitest';
import { fromPrintable, lateFrame, toPrintable, viewOf } from '../../src/wire/mod.ts';

const AT = '20261121-10:03:00.123';

test('a late frame changes SendingTime(52), in its precision, and CheckSum only', () => {
  for (const [was, is] of [
    ['20261121-10:00:00.000', AT],
    ['20261121-10:00:00', '20261121-10:03:00'],
  ]) {
    const body = (time: string): string =>
      `35=8|49=XG|56=OMS|34=5|52=${time}|122=20261121-09:00:00|37=1|58=52=not a field|`;
    const raw = fromPrintable(body(was!));
    const before = Buffer.from(raw);
    const late = lateFrame(raw, AT);
    expect(toPrintable(late)).toBe(toPrintable(fromPrintable(body(is!))));
    expect(viewOf(late)).not.toBeNull();
    expect(raw).toEqual(before);
  }
});
