// The configuration's needs against the system's limits of the process.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { fileBytesMax, openFilesMax, tooFewOpenFiles, tooSmallFiles } from '../../../src/cli/gateway/process-limits.ts';

type Config = Parameters<typeof tooFewOpenFiles>[0];

const config = {
  listeners: [{}, {}],
  limits: { connectionsMax: 1000 },
  bridge: { limits: { connectionsMax: 500 } },
} as unknown as Config;

test('a start says that fewer files may be open than connections are taken, and how to raise that', () => {
  expect(tooFewOpenFiles(config, 1024)).toBe(
    'this process may have 1024 files and sockets open, and its configuration takes 2500 connections: beyond that many none is accepted, and the journal may fail; raise it with `LimitNOFILE=` of its service, `--ulimit nofile=` of its container or `ulimit -n`, or lower `connectionsMax`',
  );
  expect(tooFewOpenFiles(config, 20_000)).toBeNull();
  expect(tooFewOpenFiles({ ...config, listeners: [], bridge: null }, 1024)).toBeNull();
  expect(tooFewOpenFiles(config, Number.POSITIVE_INFINITY)).toBeNull();
  expect(openFilesMax()).toBeGreaterThan(0);
});

test('a start warns of a file-size limit below that of a journal segment', () => {
  const journal = { postgres: null, journalSegmentBytes: 1000 };
  expect(tooSmallFiles(journal, 999)).toBe(
    'this process may write 999 bytes to one file, and a file of the journal has 1000: each time that one is full, new orders are refused for a moment; raise the size limit of one file with `LimitFSIZE=` of its service, `--ulimit fsize=` of its container or `ulimit -f`, or lower `journal.segmentBytes`',
  );
  expect(tooSmallFiles(journal, 1000)).toBeNull();
  expect(tooSmallFiles({ ...journal, postgres: {} as never }, 999)).toBeNull();
  expect(fileBytesMax()).toBeGreaterThan(0);
  const limits = join(import.meta.dirname, '../../../src/cli/gateway/process-limits.ts');
  const told = spawnSync('sh', [
    '-c',
    'ulimit -f 2048; exec "$0" -e "$1"',
    process.execPath,
    `import('${limits}').then(({ fileBytesMax }) => console.log(fileBytesMax()))`,
  ]);
  expect([1_048_576, 2_097_152]).toContain(Number(String(told.stdout)));
});
