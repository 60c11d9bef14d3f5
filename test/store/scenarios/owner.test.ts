// Owner of a journal's files that root makes in another user's folder: that user, at every moment. A command of root's
// may be killed in the middle, and the gateway has to open what it left behind.

import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSecretFile } from '../../../src/ops/secrets/secrets.ts';
import { openJournal } from '../../../src/store/mod.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, reset, SESSION } from '../records.ts';

/** A folder of a user other than root, if this is root; otherwise all belongs to the present user. */
function folderOfUser(): { folder: string; owner: number } {
  const folder = temporaryDirectory();
  const owner = process.getuid?.() === 0 ? 65_534 : statSync(folder).uid;
  chownSync(folder, owner, statSync(folder).gid);
  return { folder, owner };
}

/** Files of a folder, at any depth, that are somebody else's. */
function notOf(owner: number, folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(folder, name)).uid !== owner);
}

test("gives root's files of a journal to its owner before closing, the folder included", async () => {
  const { folder: state, owner } = folderOfUser();
  const directory = join(state, 'journal');
  const witness = join(state, 'journal.witness');
  const sizes = { segmentBytes: 65_536, snapshotBytes: 65_536 };
  const journal = await openJournal({ directory, witness, now: () => 1, ...sizes });
  for (let series = 1; !readdirSync(directory).includes('archive'); series++) {
    if (series > 1) journal.append([reset(series)], 1);
    for (let n = 1; n <= 400; n++) {
      const order = { kind: 'order', key: `k-${series}-${n}`, record: '{}', ended: [`c|${series}-${n}`] } as const;
      journal.append([inbound(n, SESSION, series), outbound(n, SESSION, series), order], 1);
      journal.append([{ kind: 'proven', sessionId: SESSION, series, msgSeqNum: n }], 1);
    }
    await journal.sync();
    await journal.snapshotsIdle();
  }
  const kinds = new Set(readdirSync(directory).map((name) => name.replace(/^[^.]*/, '')));
  const others = notOf(owner, state);
  await journal.close();
  expect([...kinds]).toEqual(expect.arrayContaining(['.xgj', '.xgs', '.xgx', '.xgo', '.xgk']));
  expect(readdirSync(state)).toContain('journal.witness');
  expect(others).toEqual([]);
});

test('a password that root makes in the state folder of a gateway can be read by it', async () => {
  const { folder, owner } = folderOfUser();
  expect(await createSecretFile(join(folder, 'secrets', 'ACME.password'), 'x\n')).toBe(true);
  expect(notOf(owner, folder)).toEqual([]);
});
