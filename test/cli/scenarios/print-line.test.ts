// Long output into a pipe: `crossgate log | less` on the machine of a gateway takes no more memory than the reader leaves it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { LineProcess } from '../../support/processes/line-process.ts';

const EXIT = join(import.meta.dirname, '../../../src/cli/output/exit.ts');
const LINES = 20_000;

test("unread output waits in the pipe, not in the command's memory", async () => {
  const program = `import { printLine } from ${JSON.stringify(EXIT)};
    let waiting = 0;
    for (let n = 0; n < ${LINES}; n++) {
      await printLine('x'.repeat(1000));
      waiting = Math.max(waiting, process.stdout.writableLength);
    }
    await printLine('waiting ' + waiting);`;
  const child = new LineProcess(process.execPath, ['--input-type=module', '--eval', program]);
  expect(await child.ended()).toBe(0);
  expect(child.lines.filter((line) => line.startsWith('x'))).toHaveLength(LINES);
  expect(Number(child.lines.find((line) => line.startsWith('waiting'))?.slice('waiting '.length))).toBeLessThan(65_536);
});

test('reports partly written output with the limit behind it, and exits with 1', async () => {
  const program = `import { runToExit } from ${JSON.stringify(EXIT)};
    await runToExit(async () => console.log('x'.repeat(5000)));`;
  const file = join(mkdtempSync(join(tmpdir(), 'crossgate-print-')), 'out');
  const shell = 'ulimit -f 2; out=$1; shift; exec "$@" > "$out"';
  const node = [process.execPath, '--input-type=module', '--eval', program];
  const child = new LineProcess('bash', ['-c', shell, 'bash', file, ...node]);
  expect([await child.ended(), child.lines.at(-1)]).toEqual([
    1,
    expect.stringMatching(/the output cannot be written: EFBIG.*`ulimit -f`$/),
  ]);
  rmSync(dirname(file), { recursive: true });
});
