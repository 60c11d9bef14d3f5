// A profile belongs to a session file with `certification`, unless it is written elsewhere.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUESTIONS } from '../../../src/certification/mod.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let state = '';

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'crossgate-profile-'));
});
afterAll(() => rm(state, { recursive: true, force: true }));

async function profile(...args: string[]): Promise<{ code: number; out: string }> {
  const all = [
    'src/cli/main.ts',
    'certification',
    'profile',
    'ACME',
    '--can',
    'orders,resend',
    '--state',
    state,
    ...args,
  ];
  return await promisify(execFile)(process.execPath, all, { cwd: ROOT }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, out: error.stderr }),
  );
}

test('refuses the profile of a session that does not exist, and writes nothing', async () => {
  const { code, out } = await profile();
  expect(code).not.toBe(0);
  expect(out).toMatch(/there is no certification ACME in sessions.*XG_NOT_FOUND/);
  expect(existsSync(join(state, 'certification'))).toBe(false);
});

test('writes a vendor its profile into a file of its own', async () => {
  const file = join(state, 'profile.yaml');
  expect(await profile('--file', file)).toMatchObject({ code: 0 });
  expect(await readFile(file, 'utf8')).toContain('can:\n  - orders\n  - resend\n');
});

describeWith(await tool('script', ['--version'], 'script (util-linux)'), 'at a terminal', () => {
  test('asks question by question, and keeps the answer in brackets on Enter', async () => {
    const file = join(state, 'asked.yaml');
    const interview = (): LineProcess => {
      const words = [process.execPath, 'src/cli/main.ts', 'certification', 'profile', 'ACME', '--file', file];
      return new LineProcess('script', ['-qec', words.join(' '), '/dev/null'], { cwd: ROOT });
    };
    const first = interview();
    for (const { feature } of QUESTIONS) first.say(feature === 'orders' || feature === 'replace' ? 'y' : 'n');
    await first.line(/asked\.yaml is written: 2 abilities/);
    expect(first.lines.join('\n')).toContain('Does it replace orders (G)? [Y/n]');
    expect(await readFile(file, 'utf8')).toContain('can:\n  - orders\n  - replace\n');
    const second = interview();
    for (const { feature } of QUESTIONS) second.say(feature === 'auctions' ? 'yes' : '');
    await second.line(/asked\.yaml is written: 3 abilities/);
    expect(second.lines.join('\n')).toContain('Does it send market orders (40=1)? [y/N]');
    expect(await readFile(file, 'utf8')).toContain('can:\n  - orders\n  - replace\n  - auctions\n');
  });
});
