// Connections that a configuration takes, against the files that the process may open.

import { expect, test } from 'vitest';
import { openFilesMax, tooFewOpenFiles } from '../../src/cli/open-files.ts';

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
