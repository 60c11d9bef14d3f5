// A journal with its first files deleted after their years, and without the snapshots that had their content.

import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal, placeInWords } from '../../../src/store/mod.ts';
import { listArchived } from '../../../src/store/snapshots/archive-files.ts';
import { copyAsLeftBehind, temporaryDirectory } from '../journal-place.ts';
import { outbound, reset, SESSION } from '../records.ts';

const DAY_MS = 86_400_000;

test('J3 a journal without snapshots and first files keeps sessions out until an operator opens', async () => {
  const directory = temporaryDirectory();
  let now = 20_000 * DAY_MS;
  const options = { directory, segmentBytes: 65_536, snapshotBytes: 65_536, retentionDays: 5, now: () => now };
  const journal = await openJournal(options);
  journal.append([{ kind: 'order', key: 'kill-switch', record: '{}' }], now);
  for (let series = 1; series <= 12; series++) {
    for (let n = 1; n <= 40; n++) {
      const padding = { kind: 'exchangeInput', json: 'x'.repeat(1000) } as const;
      journal.append(
        [padding, outbound(n, SESSION, series), { kind: 'proven', sessionId: SESSION, series, msgSeqNum: n }],
        now,
      );
    }
    await journal.sync();
    journal.append([reset(series + 1)], now);
    now += 3 * DAY_MS;
    await journal.snapshotsIdle();
  }
  await journal.close();
  const archived = (await listArchived(directory)).sort((a, b) => a - b);
  expect(archived[0]).toBeGreaterThan(1);
  for (const name of readdirSync(directory)) if (name.endsWith('.xgs')) rmSync(join(directory, name));
  const copy = temporaryDirectory();
  cpSync(directory, copy, { recursive: true });

  const gateway = await openJournal({ ...options, onDamage: 'pass' });
  const { damage, orders, sessions } = gateway.recovered;
  expect([orders.size, sessions.get(SESSION)?.numbers.series]).toEqual([0, 13]);
  const to = `0000000${archived[0]! - 1}.xgj`;
  expect(damage?.places.map(placeInWords)).toEqual([
    expect.stringContaining(`the files from this one to ${to} are neither in the journal nor in its archive`),
  ]);
  expect(damage?.concerning(SESSION)).not.toBeNull();
  expect(damage?.lostBytes).toBeGreaterThan(60_000);
  // That they are gone stands in the snapshot too.
  await expect(openJournal({ ...options, directory: copyAsLeftBehind(directory) })).rejects.toThrow(
    `00000001.xgj: the files from this one to ${to} are missing: records are absent`,
  );
  gateway.append([{ kind: 'damageAccepted', sessionId: null, who: 'ops', why: 'compared' }], now);
  await gateway.close();
  const again = await openJournal({ ...options, onDamage: 'pass' });
  expect(again.recovered.damage?.concerning(SESSION)).toBeNull();
  await again.close();

  // A reader of sessions only has lost none of them (rule J1).
  const library = await openJournal({ ...options, directory: copy });
  expect(library.recovered.sessions.get(SESSION)?.numbers.series).toBe(13);
  await library.close();
});
