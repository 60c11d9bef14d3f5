// The signals that stop a gateway: which one it stops by in order, and which one ends it at once.

import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stopSignal } from '../../../src/cli/output/exit.ts';

test('a signal repeated at once, as npm forwards it, cuts no Logout off; a later one does', async () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  const before = process.listeners('SIGTERM');
  onTestFinished(() => {
    vi.restoreAllMocks();
    for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
      for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
    }
  });
  const stopped = stopSignal();
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGTERM', 'SIGTERM');
  expect(await stopped).toBe('SIGTERM');
  expect(exit).not.toHaveBeenCalled();
  now += 2_000;
  process.emit('SIGINT', 'SIGINT');
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
});
