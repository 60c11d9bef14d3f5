// The process of a partition that waits for a journal which another node writes.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FromWorker, ToWorker } from '../../../src/cluster/workers/worker-messages.ts';
import { PostgresServer } from '../../store/postgres-server.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { ROOT } from '../../support/processes/cluster-files.ts';
import { ClusterHouse } from '../../support/processes/cluster-house.ts';
import { START_FLAGS } from '../../support/processes/start-flags.ts';

let server: PostgresServer;
let house: ClusterHouse;
beforeAll(async () => {
  server = await PostgresServer.start();
  const shape = { nodes: 1, partitions: 1, sessionsPerPartition: 1, heartbeatMs: 300 };
  house = await ClusterHouse.create(server, { ...shape, leaseMs: 2 * PATIENCE_MS });
  await house.nodes[0]!.start();
  await house.untilServed();
}, 3 * PATIENCE_MS);
afterAll(async () => {
  await house.remove();
  await server.stop();
}, PATIENCE_MS);

/** As another node starts it, once it waits. */
async function standing(name: string): Promise<ChildProcess> {
  const state = join(house.folder, name);
  await mkdir(state, { mode: 0o700 });
  const sessions = join(house.folder, 'sessions');
  const child = fork(join(ROOT, 'src/cli/main.ts'), ['start', '--sessions', sessions, '--partition', 'desk-1'], {
    cwd: ROOT,
    execArgv: [...START_FLAGS],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      CROSSGATE_STATE: state,
      CROSSGATE_CLUSTER_NODE: name,
      CROSSGATE_CLUSTER_ADDRESS: '127.0.0.1',
      CLUSTER_DATABASE: house.url,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { name: session, account } = house.sessions[0]!;
  const partition = {
    name: 'desk-1',
    credentials: ['desk-1'],
    accounts: [account],
    sessions: [session],
    bridgeCallers: [],
  };
  child.send({
    ...{ kind: 'begin', partition: 'desk-1', partitions: [partition], simulatorUrl: null, consoleUrl: null },
    ...{ sharesProcessors: true, standsBy: true, nodeToken: 'token-of-this-test' },
  } satisfies ToWorker);
  await new Promise<void>((resolve) => {
    child.on('message', ({ kind }: FromWorker) => {
      if (kind === 'standing') resolve();
    });
  });
  return child;
}

const ENDS: readonly (readonly [string, (child: ChildProcess) => void])[] = [
  ['its node stops it', (child) => void child.send({ kind: 'stop' } satisfies ToWorker)],
  ['its node is gone', (child) => child.disconnect()],
];

test.for(ENDS)(
  'a partition that stands by ends when %s, and leaves the journal',
  {
    timeout: PATIENCE_MS,
  },
  async ([why, end]) => {
    const child = await standing(why.replaceAll(' ', '-'));
    end(child);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect((await house.register.read()).placements[0]).toMatchObject({ owner: 'n1', lease: { epoch: 1 } });
  },
);
