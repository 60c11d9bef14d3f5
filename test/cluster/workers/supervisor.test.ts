// Partitions that end are started again, after pauses that grow; a stop ends the pauses.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import type { PartitionHost, RunningPartition } from '../../../src/cluster/workers/partition-host.ts';
import { Supervisor } from '../../../src/cluster/workers/supervisor.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Starts partitions that end when the test says so. */
class ScriptedHost implements PartitionHost {
  readonly starts: number[] = [];
  fails = false;
  end: (reason: string) => void = () => {};

  async start(name: string): Promise<RunningPartition> {
    this.starts.push(performance.now());
    if (this.fails) throw new CrossgateError('XG_ENGINE_CLOSED', `partition ${name} ended before it served`);
    const ended = new Promise<string>((resolve) => {
      this.end = resolve;
    });
    return { name, pid: 1, ended } as RunningPartition;
  }

  async stop(): Promise<void> {
    this.end('exit code 0');
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

function supervised() {
  const host = new ScriptedHost();
  const said: string[] = [];
  return { host, said, supervisor: new Supervisor({ host, log: (_, text) => said.push(text) }) };
}

test('a partition that ends again and again starts after 0.25 s, 0.5 s, up to 10 s', async () => {
  const { host, supervisor } = supervised();
  await supervisor.keep('p');
  const pauses: number[] = [];
  for (let end = 0; end < 8; end++) {
    const at = performance.now();
    host.fails = end % 2 === 0;
    host.end('ended by SIGKILL');
    await settled();
    expect(supervisor.partition('p')).toBeNull();
    await vi.advanceTimersToNextTimerAsync();
    pauses.push(host.starts.at(-1)! - at);
    if (!host.fails) continue;
    host.fails = false;
    const failedAt = performance.now();
    await vi.advanceTimersToNextTimerAsync();
    pauses.push(host.starts.at(-1)! - failedAt);
  }
  expect(pauses.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
  expect(new Set(pauses.slice(6))).toEqual(new Set([10_000]));
});

test('one that served for a minute has the first pause again', async () => {
  const { host, supervisor } = supervised();
  await supervisor.keep('p');
  host.end('ended by SIGKILL');
  await settled();
  await vi.advanceTimersByTimeAsync(250);
  await vi.advanceTimersByTimeAsync(60_000);
  const at = performance.now();
  host.end('ended by SIGKILL');
  await settled();
  await vi.advanceTimersToNextTimerAsync();
  expect(host.starts.at(-1)! - at).toBe(250);
});

test('a stop starts nothing again, and says whether all ended in order', async () => {
  const { host, supervisor } = supervised();
  await supervisor.keep('p');
  expect(supervisor.states().get('p')).toBe('running');
  expect(await supervisor.stop()).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(host.starts).toHaveLength(1);
  await expect(supervisor.keep('q')).rejects.toThrow(/not started any more/);
});

test('the first start of a partition that fails is an error of the caller', async () => {
  const { host, supervisor } = supervised();
  host.fails = true;
  await expect(supervisor.keep('p')).rejects.toThrow(/ended before it served/);
  expect(supervisor.states().get('p')).toBe('stopped');
});
