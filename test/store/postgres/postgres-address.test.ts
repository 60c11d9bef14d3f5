// An invalid database address: its author is informed, and it is never shown.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inspectRows, openPostgresJournal } from '../../../src/store/mod.ts';
import { reasonOf } from '../../../src/store/postgres/pools.ts';
import { freePort } from '../../support/network/free-port.ts';
import { GatewayHome } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

test.each([
  ['postgresql://user:hunter2@@host:port/crossgate', /cannot be read from PostgreSQL: Invalid URL$/],
  ['postgresql://user:hun ter2@host:port/crossgate', /cannot be read from PostgreSQL: Invalid URL$/],
  [
    'user:hunter2@localhost:5432/crossgate',
    /the address is not one like postgresql:\/\/user:password@host:port\/database$/,
  ],
  ['127.0.0.1:5432/crossgate?password=hunter2', /the address is not one like postgresql:/],
  ['postgresql://user:hunter2@one,two:5432/crossgate', /the address names several hosts, and may name one$/],
  ['postgresql://user:hunter2@one:5432,two:5432/crossgate', /the address names several hosts, and may name one$/],
  ['postgresql://user:12/hunter2@host:5432/crossgate', /special characters of a password in the address .* as %xx$/],
  ['postgresql://user:12?hunter2@host:5432/crossgate', /special characters of a password in the address .* as %xx$/],
  ['postgresql://user:#hunter2@host:5432/crossgate', /special characters of a password in the address .* as %xx$/],
  ['host=localhost password=hunter2 dbname=crossgate', /the address is not one like postgresql:/],
])("an invalid address is its author's error, no bug: %s", async (url, sentence) => {
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

test('a database that does not answer is no wrong usage of a command that reads there: exit code 1', async () => {
  const url = `postgresql://user:hunter2@127.0.0.1:${await freePort()}/crossgate`;
  const cwd = join(import.meta.dirname, '../../..');
  const env = { CROSSGATE_POSTGRES_URL: url };
  for (const command of ['store verify', 'store show', 'store audit', 'store daily', 'log', 'replay --pure']) {
    const args = ['src/cli/main.ts', ...command.split(' '), '--state', 'postgres:env:CROSSGATE_POSTGRES_URL'];
    const child = new LineProcess(process.execPath, args, { cwd, env });
    expect([command, await child.ended(), ...child.lines]).toEqual([
      command,
      1,
      expect.stringMatching(
        /^crossgate: the journal (crossgate|list) in PostgreSQL cannot be read: .*ECONNREFUSED.* \[XG_JOURNAL_UNREADABLE\]$/,
      ),
    ]);
  }
}, 60_000);

test('names a missing file of the database address, without advice on the state folder', async () => {
  const home = await GatewayHome.create();
  onTestFinished(() => home.remove());
  await home.configure('gateway.yaml', { store: { kind: 'postgres', url: 'env:CROSSGATE_POSTGRES_URL' } });
  const url = 'postgresql://me@127.0.0.1:1/crossgate?sslmode=verify-full&sslrootcert=/nowhere/authority.pem';
  const child = home.begin(null, { CROSSGATE_POSTGRES_URL: url });
  expect(await child.ended()).toBe(1);
  const said = child.lines.filter((line) => line.startsWith('crossgate: '));
  expect(said).toEqual([expect.stringMatching(/ENOENT.*'\/nowhere\/authority\.pem' \[XG_JOURNAL_WRITE_FAILED\]$/)]);
}, 60_000);

test.each([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])("names the required address option for a house's certificate authority: %s", (code) => {
  const error = Object.assign(new Error('unable to verify the first certificate'), { code });
  expect(reasonOf(error)).toBe(
    'unable to verify the first certificate: the address has to name, as `sslrootcert=FILE`, the authority that signed the certificate of the database',
  );
  expect(reasonOf(new Error('connect ECONNREFUSED'))).toBe('connect ECONNREFUSED');
});
