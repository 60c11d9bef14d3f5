// Why a socket could not listen or connect, in words.

import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { connectFailure, listenFailure } from '../../src/base/socket-failure.ts';
import { reasonOf as reasonOfDatabase } from '../../src/store/postgres/pools.ts';
import { reasonOf as reasonOfCounterparty } from '../../src/transport/connection.ts';

test('names the failed listener, the address and the reason in words', () => {
  const inUse = Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:8480'), {
    code: 'EADDRINUSE',
  });
  expect(listenFailure('the bridge ', '127.0.0.1', 8460, inUse)).toMatchObject({
    code: 'XG_LISTEN_FAILED',
    message: 'the bridge cannot listen on 127.0.0.1:8460: the port is in use by another process',
    cause: inUse,
  });
  const full = Object.assign(new Error('listen EMFILE: too many open files'), { code: 'EMFILE' });
  expect(listenFailure('', '::1', 1, full).message).toBe(
    'cannot listen on [::1]:1: this process has as many files and sockets open as it may',
  );
  expect(listenFailure('', '::1', 1, new Error('strange')).message).toBe('cannot listen on [::1]:1: strange');
  expect(listenFailure('', '::1', 1, null).message).toContain('unknown reason');
});

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
