// The signals that stop a gateway: which one it stops by in order, and which one ends it at once.

import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stopSignal } from '../../../src/cli/output/exit.ts';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

test('a signal repeated at once, as npm forwards it, cuts no Logout off; a later one does', async () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  // Commands that other tests ran in this process may listen still.
  const before = SIGNALS.map((name) => [name, process.listeners(name)] as const);
  for (const name of SIGNALS) process.removeAllListeners(name);
  onTestFinished(() => {
    vi.restoreAllMocks();
    for (const [name, listeners] of before) {
      process.removeAllListeners(name);
      for (const listener of listeners) process.on(name, listener);
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
