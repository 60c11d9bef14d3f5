// Commands take from the environment what no option says.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../store/journal-place.ts';
import { LineProcess } from '../support/line-process.ts';

const ROOT = join(import.meta.dirname, '../..');

async function crossgate(command: string, cwd: string, env: Record<string, string>): Promise<unknown[]> {
  const child = new LineProcess(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...command.split(' ')], { cwd, env });
  return [await child.ended(), child.lines.at(-1)];
}

test('an empty variable counts as absent for every command, as for the gateway', async () => {
  const empty = { CROSSGATE_STATE: '', CROSSGATE_SESSIONS: '', CROSSGATE_TOKEN_FILE: '' };
  const elsewhere = temporaryDirectory();
  expect((await crossgate('check', ROOT, empty))[0]).toBe(0);
  expect(await crossgate('store show', elsewhere, empty)).toEqual([
    2,
    expect.stringContaining('there is no journal in .crossgate;'),
  ]);
  expect(await crossgate('sessions list', elsewhere, empty)).toEqual([1, expect.stringContaining('.crossgate')]);
  const named = { CROSSGATE_STATE: join(elsewhere, 'named') };
  expect(await crossgate('store show', elsewhere, named)).toEqual([2, expect.stringContaining(named.CROSSGATE_STATE)]);
}, 60_000);
