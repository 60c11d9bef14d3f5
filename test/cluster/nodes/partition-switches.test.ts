// Kill switches of the cluster on their way into a partition that the test gives.

import { expect, test } from 'vitest';
import { type AskPartition, PartitionSwitches } from '../../../src/cluster/nodes/partition-switches.ts';
import type { KillSwitchRow } from '../../../src/cluster/nodes/register.ts';
import type { RunningPartition } from '../../../src/cluster/workers/partition-host.ts';

const ROW: KillSwitchRow = {
  scope: 'all',
  name: '',
  isOn: true,
  thrownBy: 'ann',
  thrownAt: 1,
  why: 'runaway',
  liftAskedBy: null,
  liftAskedAt: null,
  liftedBy: null,
};

function rig() {
  const asked: string[] = [];
  const on: { scope: string; name: string; why: string }[] = [];
  const state = { isDown: false, answer: 200, now: 0 };
  const ask: AskPartition = async (_, operator, path, body) => {
    if (state.isDown) throw new Error('it does not answer');
    if (body === undefined) return { status: 200, body: { killSwitches: [...on] } };
    asked.push(`${operator} ${path.split('/').at(-1)} ${JSON.stringify(body)}`);
    return { status: state.answer, body: {} };
  };
  const said: string[] = [];
  const switches = new PartitionSwitches(
    (_level, text) => said.push(text),
    ask,
    () => state.now,
  );
  return { switches, asked, on, said, state, partition: { name: 'desk' } as RunningPartition };
}

test('a partition that starts later gets the switches that are on, once, in the name of their operators', async () => {
  const { switches, asked, partition } = rig();
  await switches.bring(partition, [ROW]);
  await switches.bring(partition, [ROW]);
  expect(asked).toEqual(['ann throw {"scope":"all","name":"","why":"runaway"}']);
});

test('a switch that two people lifted is lifted by both, unless the partition threw its own', async () => {
  const lifted = { ...ROW, isOn: false, liftAskedBy: 'ann', liftedBy: 'bob' };
  const first = rig();
  first.on.push({ scope: 'all', name: '', why: 'runaway' });
  await first.switches.bring(first.partition, [lifted]);
  expect(first.asked).toEqual([]);
  first.state.now = 3_000;
  await first.switches.bring(first.partition, [lifted]);
  expect(first.asked.map((line) => line.split(' {')[0])).toEqual(['ann lift', 'bob lift']);
  const second = rig();
  second.on.push({ scope: 'all', name: '', why: 'thrown at the partition' });
  await second.switches.bring(second.partition, [lifted]);
  second.state.now = 3_000;
  await second.switches.bring(second.partition, [lifted]);
  expect(second.asked).toEqual([]);
});

test('a partition that does not answer is asked again, and one without that session is left alone', async () => {
  const { switches, asked, said, state, partition } = rig();
  state.isDown = true;
  await switches.bring(partition, [ROW]);
  expect(said[0]).toContain('kill switches are not in force yet: it does not answer');
  state.isDown = false;
  state.answer = 404;
  await switches.bring(partition, [ROW]);
  await switches.bring(partition, [ROW]);
  expect(asked).toHaveLength(1);
});
