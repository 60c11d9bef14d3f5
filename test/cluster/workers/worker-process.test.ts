// Connections on their way to the process of a partition that ends before it has taken them.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WorkerProcess } from '../../../src/cluster/workers/worker-process.ts';
import { listenForTest } from '../../transport/rig.ts';

/** It says that it is there, and looks at no message from then on. */
const STUCK = `process.send({ kind: 'ping' }, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`;
const SERVING = { kind: 'serving', adminUrl: '', nodeToken: '', bridgeUrl: null, isReady: true, journal: '' } as const;

async function stuckProcess() {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-stuck-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'stuck.cjs');
  await writeFile(program, STUCK);
  const child = fork(program, { serialization: 'advanced' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const ended = once(child, 'exit').then(([, signal]) => String(signal));
  return { child, partition: new WorkerProcess('desk', child, { ...SERVING, relayPath: folder }, ended) };
}

test('connections that a killed partition has not taken are closed with it', async () => {
  const { child, partition } = await stuckProcess();
  const { port, acceptedEnd, places } = await listenForTest();
  const ends: Promise<unknown>[] = [];
  // One under way, the others in the queue behind it.
  for (let k = 0; k < 3; k++) {
    const client = createConnection({ port, host: '127.0.0.1' });
    onTestFinished(() => void client.destroy());
    client.on('error', () => {});
    ends.push(once(client, 'close'));
    client.resume();
    const { connection } = await acceptedEnd(k);
    partition.take({ connection, first: [Buffer.from('8=FIX.4.4')], listener: 'fix', place: places[k]! });
  }
  child.kill('SIGKILL');
  await partition.ended;
  expect(await Promise.all(ends)).toHaveLength(3);
});
