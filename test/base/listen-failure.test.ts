// Why a socket could not be opened, in words.

import { expect, test } from 'vitest';
import { listenFailure } from '../../src/base/listen-failure.ts';

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
