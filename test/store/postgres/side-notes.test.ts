// Small texts beside the journal in PostgreSQL where the connection breaks under a write: what counts is what the database has.

import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { PostgresKept } from '../../../src/store/postgres/side-notes.ts';

const LEASE = { epoch: '7', holder: 'node-a' };

/** A database that has one text, and what becomes of each query after the first read. */
async function kept(...answers: readonly (readonly object[] | Error)[]): Promise<PostgresKept> {
  const left: (readonly object[] | Error)[] = [[{ name: 'a', value: 'before' }], ...answers];
  const query = async (): Promise<{ rows: readonly object[] }> => {
    const answer = left.shift();
    if (answer === undefined) throw new Error('asked once too often');
    if (answer instanceof Error) throw answer;
    return { rows: answer };
  };
  return PostgresKept.open({ query } as unknown as Pool, 'journal', LEASE);
}

const broken = new Error('Connection terminated unexpectedly');

test('keeps a text with a lost answer if the database has it', async () => {
  const texts = await kept(broken, [{ value: 'after' }]);
  await texts.write('a', 'after');
  expect(texts.read('a')).toBe('after');
});

test.each([
  ['has another one', [{ value: 'before' }]],
  ['has none', []],
  ['cannot be asked either', broken],
])('drops a text with a lost answer if the database %s', async (_why, answer) => {
  const texts = await kept(broken, answer);
  await expect(texts.write('a', 'after')).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining('the database does not take it: Connection terminated unexpectedly'),
    cause: broken,
  });
  expect(texts.read('a')).toBe('before');
});

test('a text of a node that holds the lease no more is not kept, and not looked for', async () => {
  const texts = await kept([{ held: 0 }]);
  await expect(texts.write('a', 'after')).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
  expect([texts.read('a'), texts.read('b')]).toEqual(['before', null]);
});
