// Reports of a snapshot that cannot be made of a journal in PostgreSQL, and of rows that cannot be maintained. That it
// is done is in postgres-journal.test.ts.

import { expect, test } from 'vitest';
import { PostgresSnapshots } from '../../../src/store/postgres/snapshots.ts';
import { PostgresUpkeep } from '../../../src/store/postgres/upkeep.ts';

test('reports a snapshot that a database refuses with the retry and the place to look', async () => {
  // The port is closed.
  const request = {
    url: 'postgres://gate@127.0.0.1:1/gate',
    journal: 'gate',
    where: 'gate in db',
    epoch: '1',
    holder: 'h',
  };
  const lines: string[] = [];
  const log = (_: string, text: string): void => void lines.push(text);
  const options = { everyBytes: 1, adopt: () => {}, log, onUpkeep: undefined };
  const snapshots = new PostgresSnapshots({ ...request, requestTimeoutMs: 10_000 }, options);
  snapshots.written(1, 1);
  await snapshots.idle();
  await snapshots.close();
  expect(lines).toEqual([
    expect.stringMatching(
      /^the journal gate in db: no snapshot could be made; .* tried again after as much traffic\. See whether the database answers, .* tables: connect ECONNREFUSED/,
    ),
  ]);
});

test('reports failed maintenance of rows with its cost, the retry and the place to look', async () => {
  const request = {
    // The port is closed.
    url: 'postgres://gate@127.0.0.1:1/gate',
    writer: { journal: 'gate', holder: 'h', epoch: '1' },
    where: 'gate in db',
    keptMs: null,
    requestTimeoutMs: 10_000,
  };
  const told: string[] = [];
  const onUpkeep = (text: string): void => void told.push(text);
  const upkeep = new PostgresUpkeep(request, {
    record: async () => {},
    noted: async () => {},
    log: undefined,
    onUpkeep,
  });
  upkeep.look();
  await upkeep.idle();
  await upkeep.close();
  expect(told).toEqual([
    expect.stringMatching(
      /^the journal gate in db could not be looked after; rows are not sealed, .* behind the next snapshot\. See whether the database answers, .* tables: connect ECONNREFUSED/,
    ),
  ]);
});
