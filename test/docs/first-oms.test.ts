// The programs of docs/start/first-oms.md, taken out of the page as they are: each logs on, trades, and prints what the page shows.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quickfix } from '../support/oms/quickfix.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { describeWith } from '../support/requirement.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/start/first-oms.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code!);
/** The lines that a program prints according to the page. */
const printed = (first: RegExp): string[] =>
  blocks('text')
    .find((text) => first.test(text))!
    .trim()
    .split('\n');

let home: GatewayHome;
let gateway: GatewayProcess;
let folder: string;
beforeAll(async () => {
  home = await GatewayHome.create();
  gateway = await home.start(null);
  folder = await mkdtemp(join(tmpdir(), 'crossgate-first-oms-'));
  await symlink(join(ROOT, 'dictionaries'), join(folder, 'dictionaries'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await home?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const environment = async () => ({ FIX_PASSWORD: await home.password(), FIX_PORT: String(gateway.fixPort) });

describeWith(await quickfix(), 'on QuickFIX C++', () => {
  test('the program compiles, and prints New and the fill', async () => {
    await mkdir(join(folder, 'store'), { recursive: true });
    await writeFile(
      join(folder, 'oms.cfg'),
      blocks('ini')[0]!.replace(/^SocketConnectPort=.*/m, `SocketConnectPort=${gateway.fixPort}`),
    );
    await writeFile(join(folder, 'oms.cpp'), blocks('cpp')[0]!);
    await promisify(execFile)('g++', ['-std=c++14', '-w', 'oms.cpp', '-o', 'oms', '-lquickfix', '-lpthread'], {
      cwd: folder,
    });
    const oms = new LineProcess('./oms', [], { cwd: folder, env: await environment() });
    try {
      const expected = printed(/^8 ExecType=/);
      await oms.line((line) => line === expected.at(-1));
      expect(oms.lines).toEqual(expected);
      // It logs out in order: else its reports would come again to the next OMS of this session (rule S2).
      oms.say('');
      expect(await oms.ended()).toBe(0);
    } finally {
      await oms.kill();
    }
  });
});

test('the program on jspurefix prints New and the fill, and ends', async () => {
  await writeFile(join(folder, 'oms.cjs'), blocks('js')[0]!);
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', 'oms.cjs'];
  const oms = new LineProcess(process.execPath, args, { cwd: folder, env: await environment() });
  expect(await oms.ended()).toBe(0);
  expect(oms.lines).toEqual(printed(/^8 ExecType 0/));
});
