// Commands take from the environment what no option says.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../../src/store/mod.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { outbound, SESSION } from '../../store/records.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const ROOT = join(import.meta.dirname, '../../..');

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
    expect.stringContaining('there is no journal in .crossgate:'),
  ]);
  expect(await crossgate('sessions list', elsewhere, empty)).toEqual([1, expect.stringContaining('.crossgate')]);
  const named = { CROSSGATE_STATE: join(elsewhere, 'named') };
  expect(await crossgate('store show', elsewhere, named)).toEqual([2, expect.stringContaining(named.CROSSGATE_STATE)]);
});

test("a folder that cannot be made ends a command with the system's reason", async () => {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => 1 });
  journal.append([outbound(1)], 1);
  await journal.close();
  const cfg = join(state, 'house.cfg');
  writeFileSync(cfg, '[SESSION]\nConnectionType=acceptor\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n');
  const nowhere = '/proc/nowhere/at/all';
  for (const command of [
    `store export --state ${state} --session ${SESSION} --to ${nowhere}`,
    `sessions import ${cfg} --out ${nowhere}`,
    `sessions secret X --folder ${nowhere}`,
    `sim --port 0 --keys ${nowhere}`,
    `sim --port 0 --keys ${state} --memory ${nowhere}`,
  ]) {
    expect([command, ...(await crossgate(command, state, {}))]).toEqual([
      command,
      1,
      expect.stringMatching(/^crossgate: .*mkdir '\/proc\/nowhere'.* \[(?:ENOENT|XG_SECRET_MISSING)\]$/),
    ]);
  }
});
