// How the commands that read logs read the fields of a message: with the dictionaries of its own version.

import { expect, test } from 'vitest';
import { LogDictionaries } from '../../../src/cli/log/message-log.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';

test('S13 a log reader takes no message field from an entry, by the dictionary of its BeginString', async () => {
  const dataFields = await new LogDictionaries().dataFields();
  const order = '35=D|49=A|56=B|34=2|52=20261129-10:00:00|453=1|448=desk|447=D|452=1|11=o|58=own|';
  for (const beginString of ['FIX.4.4', 'FIXT.1.1']) {
    const view = viewOf(fromPrintable(order, beginString), dataFields)!;
    expect([view.has(448), view.string(11), view.string(58)]).toEqual([false, 'o', 'own']);
    expect(view.groupEntries(453)!.map((party) => [party.string(448), party.has(11)])).toEqual([['desk', false]]);
  }
});
