// Busy polling deserves a look where there is but one processor.

import { expect, test } from 'vitest';
import { configurationFolder, GATEWAY } from './configuration-folder.ts';

const BUSY = { 'gateway.yaml': `${GATEWAY}busyPollMicros: 500\n` };

test('busyPollMicros on a machine with one processor is warned of, by file, line and key', () => {
  expect(configurationFolder(BUSY).load({ processors: 1 })).toMatchObject({
    config: { busyPollMicros: 500 },
    problems: [],
    warnings: [{ key: 'busyPollMicros', problem: expect.stringContaining('this machine has one processor') }],
  });
});

test('with a second processor, or without busy polling, there is nothing to say', () => {
  expect(configurationFolder().load({ processors: 1 }).warnings).toEqual([]);
  expect(configurationFolder(BUSY).load({ processors: 2 }).warnings).toEqual([]);
});
