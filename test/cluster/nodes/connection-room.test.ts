// The warning about a PostgreSQL that takes fewer connections than the partitions may open.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectionShortage } from '../../../src/cluster/nodes/connection-room.ts';
import { SharedRows } from '../../../src/store/mod.ts';
import { PostgresServer } from '../../store/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start(['-c', 'fsync=off', '-c', 'max_connections=40']);
}, 180_000);
afterAll(async () => await server.stop());

async function shortage(partitions: number): Promise<string | null> {
  const address = await server.createDatabase();
  const rows = new SharedRows({ url: () => address, requestTimeoutMs: 5_000 });
  onTestFinished(() => rows.close());
  return await connectionShortage(rows, partitions);
}

test('a start warns that PostgreSQL takes fewer connections than its partitions may open', async () => {
  expect(await shortage(3)).toBeNull();
  expect(await shortage(4)).toMatch(/takes 37 connections, and 4 partitions may need 44: raise its max_connections/);
});

test('nothing is said of a database behind a pooler, or of one that does not answer', async () => {
  const pooled = { query: async <Row>() => [{ room: 10, isDirect: false }] as Row[] };
  expect(await connectionShortage(pooled, 4)).toBeNull();
  const silent = { query: () => Promise.reject(new Error('no answer')) };
  expect(await connectionShortage(silent, 4)).toBeNull();
});
