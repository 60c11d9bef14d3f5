// Which processor a process of a benchmark runs on, and who serves what it sends, where that can be chosen: Linux with
// `taskset` and at least two of them, the rest as root.

import { execFileSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { cpus } from 'node:os';
import process from 'node:process';

/** Keep all threads of a process, and what it starts from now on, on one processor; false where that cannot be. */
export function pin(pid: number, processor: number): boolean {
  return cpus().length > 1 && choose(pid, String(processor));
}

/** Let it run on any processor again. */
export function unpin(pid: number): void {
  choose(pid, `0-${cpus().length - 1}`);
}

function choose(pid: number, processors: string): boolean {
  try {
    execFileSync('taskset', ['-a', '-p', '-c', processors, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Keep the processors of this machine from sleeping until this process ends; false if the kernel or the user cannot. */
export function keepAwake(): boolean {
  try {
    const driver = readFileSync('/sys/devices/system/cpu/cpuidle/current_driver', 'latin1').trim();
    if (driver === 'none') return false;
    // The request holds for as long as the device is open.
    writeSync(openSync('/dev/cpu_dma_latency', 'r+'), Buffer.alloc(4));
    return true;
  } catch {
    return false;
  }
}

const LOOPBACK_RECEIVERS = '/sys/class/net/lo/queues/rx-0/rps_cpus';

/**
 * Have one processor serve loopback traffic of all senders, also if it is broken off; null where that is impossible.
 */
export function receiveOn(processor: number): { restore(): void } | null {
  try {
    const before = readFileSync(LOOPBACK_RECEIVERS, 'latin1');
    writeFileSync(LOOPBACK_RECEIVERS, (1 << processor).toString(16));
    const restore = (): void => writeFileSync(LOOPBACK_RECEIVERS, before);
    process.once('exit', restore);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
    return { restore };
  } catch {
    return null;
  }
}
