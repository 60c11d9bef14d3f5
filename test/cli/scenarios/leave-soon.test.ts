// The end of a stopped gateway while a thread of its process waits for a silent name server: the process is gone soon,
// with its exit code.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayHome } from '../../support/processes/gateway-process.ts';

test('a stopped gateway exits 0 soon, though a thread waits', async () => {
  const home = await GatewayHome.create();
  onTestFinished(() => home.remove());
  const fifo = join(home.folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Opening it ends when another process writes, which never happens: like a look-up, only the end of the process ends
  // it.
  const waiting = join(home.folder, 'waiting.mjs');
  const isMain = "import { isMainThread } from 'node:worker_threads';";
  writeFileSync(waiting, `import { open } from 'node:fs';${isMain}if (isMainThread) open('${fifo}', () => {});`);
  const gateway = await home.start(null, { NODE_OPTIONS: `--import ${waiting}` });
  expect(await gateway.interrupt()).toBe(0);
  expect(gateway.process.lines.join('\n')).toMatch(/"stopped".*the process ends without waiting for running work/s);
});
