// An address of a database that is none: whoever wrote it is told, and it is shown to nobody.

import { expect, test } from 'vitest';
import { inspectRows, openPostgresJournal } from '../../src/store/mod.ts';

test.each([
  ['postgresql://user:hunter2@@host:port/crossgate', /cannot be read from PostgreSQL: Invalid URL$/],
  ['postgresql://user:hun ter2@host:port/crossgate', /cannot be read from PostgreSQL: Invalid URL$/],
])('an address that is none is an error of whoever wrote it, no bug: %s', async (url, sentence) => {
  const place = { url, journal: 'crossgate' };
  await expect(inspectRows(place)).rejects.toMatchObject({
    code: 'XG_USAGE',
    message: expect.stringMatching(sentence),
  });
  await expect(openPostgresJournal({ ...place, now: () => 0, requestTimeoutMs: 500 } as never)).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.not.stringContaining('hun'),
  });
});
