import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { connectFailure } from '../../src/base/connect-failure.ts';
import { reasonOf as reasonOfDatabase } from '../../src/store/postgres/pools.ts';
import { reasonOf as reasonOfCounterparty } from '../../src/transport/connection.ts';

test('reports a failed connection without a local address', async () => {
  // Refused by the system itself, whatever network there is.
  const error = await new Promise<Error>((resolve) => createConnection(9, '255.255.255.255').on('error', resolve));
  expect(error.message).toContain(' - Local (');
  expect(connectFailure(error)).toMatch(/^connect E[A-Z]+ 255\.255\.255\.255:9$/);
  const none = Object.assign(new Error('connect EMFILE 10.0.0.1:443 - Local (undefined:undefined)'), {
    code: 'EMFILE',
  });
  expect(connectFailure(none)).toBe('connect EMFILE 10.0.0.1:443');
  expect(reasonOfDatabase(none)).toBe('connect EMFILE 10.0.0.1:443');
  expect(reasonOfCounterparty(none)).toBe('connect EMFILE 10.0.0.1:443 (EMFILE)');
  expect(connectFailure(new Error('closed - Local time'))).toBe('closed - Local time');
});
