// The end of a thread that waits for what does not come, as for a name server that says nothing.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { endWorker, startWorker } from '../../src/store/worker-thread.ts';
import { temporaryDirectory } from './journal-place.ts';

/** A module of a thread, in a folder. */
function program(folder: string, name: string, code: string): URL {
  const path = join(folder, name);
  writeFileSync(path, code);
  return pathToFileURL(path);
}

test('a thread that does not end is not waited for; one that does is', async () => {
  const folder = temporaryDirectory();
  const [begun, end] = [join(folder, 'begun'), join(folder, 'end')];
  execFileSync('mkfifo', [begun, end]);
  const wait = `execFileSync('sh', ['-c', 'echo > ${begun}; read line < ${end}'])`;
  const stuck = startWorker(
    program(folder, 'stuck.mjs', `import { execFileSync } from 'node:child_process'; ${wait};`),
  );
  stuck.on('error', () => {});
  expect(await readFile(begun, 'utf8')).toBe('\n');
  onTestFinished(async () => {
    const exited = once(stuck, 'exit');
    await (await open(end, 'w')).close();
    await exited;
  });
  expect(await endWorker(stuck)).toBe(false);

  const said = "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});";
  const free = startWorker(program(folder, 'free.mjs', `${said} parentPort.postMessage('waits');`));
  await once(free, 'message');
  expect(await endWorker(free)).toBe(true);
});
