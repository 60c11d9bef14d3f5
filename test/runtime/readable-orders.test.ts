// An ended order with an unreadable record stops only requests about it.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNREADABLE } from '../../src/gateway/mod.ts';
import { ReadableOrders } from '../../src/runtime/readable-orders.ts';
import { openJournal } from '../../src/store/mod.ts';
import { flipByte } from '../store/failing-disk.ts';
import { temporaryDirectory } from '../store/journal-place.ts';

test('O5 reports a damaged ended order once, with file, offset and remedy, and as used', async () => {
  const directory = temporaryDirectory();
  const journal = await openJournal({ directory, segmentBytes: 65_536, snapshotBytes: 1, now: () => 1 });
  for (let n = 1; readdirSync(directory).every((name) => !name.endsWith('.xgo')); n++) {
    const record = `{"n":${n},"padding":"${'x'.repeat(300)}"}`;
    journal.append([{ kind: 'order', key: `o-${n}`, record, ended: [`r|${n}`] }], 1);
    await journal.sync();
    await journal.snapshotsIdle();
  }
  const told: string[] = [];
  const orders = new ReadableOrders(journal.endedOrders, (text) => told.push(text));
  expect(orders.find('r|1')).toContain('"n":1');
  const [file] = readdirSync(directory).filter((name) => name.endsWith('.xgo'));
  flipByte(join(directory, file!), 50);
  expect([orders.find('r|1'), orders.find('r|1'), orders.find('r|none')]).toEqual([UNREADABLE, UNREADABLE, null]);
  expect(told).toEqual([expect.stringMatching(/orders-\d+\.xgo: .* damaged at offset 0\..*--rebuild/)]);
  await journal.close();
  const broken = new ReadableOrders(
    {
      find: () => {
        throw new TypeError('a bug');
      },
    },
    () => {},
  );
  expect(() => broken.find('r|1')).toThrow('a bug');
});
