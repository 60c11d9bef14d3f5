// Busy polling deserves a look where there is but one processor.

import { availableParallelism } from 'node:os';
import { expect, test, vi } from 'vitest';
import { configurationFolder, GATEWAY } from './configuration-folder.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  availableParallelism: vi.fn(() => 1),
}));

const BUSY = { 'gateway.yaml': `${GATEWAY}busyPollMicros: 500\n` };

test('busyPollMicros on a machine with one processor is warned of, by file, line and key', () => {
  expect(configurationFolder(BUSY).load()).toMatchObject({
    config: { busyPollMicros: 500 },
    problems: [],
    warnings: [{ key: 'busyPollMicros', problem: expect.stringContaining('this machine has one processor') }],
  });
});

test('with a second processor, or without busy polling, there is nothing to say', () => {
  expect(configurationFolder().load().warnings).toEqual([]);
  vi.mocked(availableParallelism).mockReturnValue(2);
  expect(configurationFolder(BUSY).load().warnings).toEqual([]);
});
