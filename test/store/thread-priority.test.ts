// A thread that stands back does so alone: the others of its process keep their priority.

import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const SOURCE = new URL('../../src/store/thread-priority.ts', import.meta.url);

/** Niceness of each thread of this process, by its number. */
function niceness(): Map<string, number> {
  const of = new Map<string, number>();
  for (const thread of readdirSync('/proc/self/task')) {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    // Behind the name, which may hold anything, niceness is the seventeenth.
    of.set(thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
  }
  return of;
}

test.skipIf(process.platform !== 'linux')('only the thread that asks for it stands back', async () => {
  const before = niceness();
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     import(${JSON.stringify(SOURCE.href)}).then(({ standBack }) => { standBack(); parentPort.postMessage('done'); });
     parentPort.once('message', () => {});`,
    { eval: true },
  );
  try {
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    const after = niceness();
    const added = [...after].filter(([thread]) => !before.has(thread)).map(([, nice]) => nice);
    expect(added).toContain(Math.min(19, before.get(`${process.pid}`)! + 5));
    for (const [thread, nice] of before) if (after.has(thread)) expect(after.get(thread)).toBe(nice);
  } finally {
    await worker.terminate();
  }
});
