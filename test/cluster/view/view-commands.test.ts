// Commands as the command line runs them, at a node with two partitions and one that does not answer.

import { expect, test } from 'vitest';
import { addKillSwitchCommands } from '../../../src/cli/admin/kill-switch.ts';
import { addSessionCommands } from '../../../src/cli/admin/sessions.ts';
import { addStatusCommand } from '../../../src/cli/admin/status.ts';
import { runningGateway } from '../../ops/running-gateway.ts';
import { type Ended, runCommand } from '../../support/processes/run-command.ts';
import { twoPartitions, withoutAnswer } from './two-partitions.ts';

function crossgate(...args: readonly string[]): Promise<Ended> {
  return runCommand((program) => {
    addKillSwitchCommands(program);
    addSessionCommands(program);
    addStatusCommand(program);
  }, args);
}

test('commands show partitions, act in all, and end with 1 where one of them is missing', async () => {
  const { stateDirectory, places } = await twoPartitions();
  const at = ['--state', stateDirectory];
  const list = await crossgate('sessions', 'list', ...at);
  expect(list.code).toBe(0);
  expect(list.out).toMatch(/^PARTITION +NAME .*\nbeta +DESK .*\nalpha +OMS /);
  const ofAlpha = await crossgate('sessions', 'list', ...at, '--partition', 'alpha');
  expect(ofAlpha.out).not.toContain('DESK');
  places.push(withoutAnswer('gamma'));
  const silent = 'crossgate: nothing of partition gamma on node there is shown: does not answer (ECONNREFUSED)\n';
  expect(await crossgate('sessions', 'list', ...at)).toMatchObject({ code: 1, err: silent });
  // Whether one is on there is not known.
  expect(await crossgate('kill-switch', 'status', ...at)).toMatchObject({ code: 3, err: silent });
  const status = await crossgate('status', ...at);
  expect(status.code).toBe(1);
  expect(status.out).toMatch(/\n\n3 partitions\nPARTITION +NODE +STATE .*\nalpha +here +(running|not ready) +0 of 1 /);
  const thrown = await crossgate('kill-switch', 'throw', '--all', '--why', 'a test', ...at);
  expect(thrown.code).toBe(1);
  expect(thrown.out).toMatch(/^PARTLY DONE. alpha, beta: Thrown: 0 open orders .*\ngamma: The partition does not/);
  places.pop();
  expect((await crossgate('kill-switch', 'status', ...at)).out).toMatch(/^PARTITION .*\nalpha, beta +all /);
  const single = await runningGateway();
  const refused = await crossgate('sessions', 'list', '--state', single.stateDirectory, '--partition', 'alpha');
  expect([refused.code, refused.err]).toEqual([
    1,
    'crossgate: This gateway runs no partitions (`workers` in gateway.yaml): leave `--partition` out. [XG_ADMIN_REFUSED]\n',
  ]);
});
