// The end of a gateway that was told to stop, while a thread of its process waits for what does not come, as for a name server
// that says nothing: the process is gone soon, with the exit code that it had.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayHome } from '../../support/gateway-process.ts';

test('a stopped gateway exits 0 soon, though a thread waits', async () => {
  const home = await GatewayHome.create();
  onTestFinished(() => home.remove());
  const fifo = join(home.folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Opening it ends when somebody writes, which nobody does: like a look-up, nothing but the end of the process ends it.
  const waiting = join(home.folder, 'waiting.mjs');
  const isMain = "import { isMainThread } from 'node:worker_threads';";
  writeFileSync(waiting, `import { open } from 'node:fs';${isMain}if (isMainThread) open('${fifo}', () => {});`);
  const gateway = await home.start(null, { NODE_OPTIONS: `--import ${waiting}` });
  expect(await gateway.interrupt()).toBe(0);
  expect(gateway.process.lines.join('\n')).toMatch(/"stopped".*the process ends without waiting for running work/s);
});
