// Contents of the package and the image: the shipped samples and dictionaries, never an operator's own files beside
// them. The packed package alone, in an empty folder, starts, runs the demo and answers commands.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectWithPackage, removeFolder } from './library/example-code.ts';
import { GatewayProcess } from './support/processes/gateway-process.ts';
import { LineProcess } from './support/processes/line-process.ts';

const root = join(import.meta.dirname, '..');
const STRAY = [
  'sessions/MY_OMS.yaml',
  'sessions/house.cfg',
  'dictionaries/HOUSE.xml',
  'dictionaries/FIX44.overlay.xml',
];

/** Files of a folder that the repository has. */
function shipped(folder: string): string[] {
  return execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).trim().split('\n').sort();
}

test('npm pack takes the shipped samples and dictionaries, and no file of an operator', () => {
  const copy = mkdtempSync(join(tmpdir(), 'crossgate-pack-'));
  for (const name of ['package.json', 'LICENSE', 'README.md', 'sessions', 'dictionaries', 'src/cli/crossgate.js']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  for (const name of STRAY) writeFileSync(join(copy, name), 'own');
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: copy, encoding: 'utf8' }),
  ) as {
    files: { path: string }[];
  }[];
  const taken = packed!.files.map(({ path }) => path);
  for (const folder of ['sessions', 'dictionaries']) {
    expect(taken.filter((path) => path.startsWith(`${folder}/`)).sort()).toEqual(shipped(folder));
  }
});

test('the image is built from the same samples and dictionaries', () => {
  const kept = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
  expect(kept[0]).toBe('*');
  const named = kept.slice(1).map((line) => line.slice(1));
  const matches = (path: string): boolean =>
    named.some((one) =>
      one.includes('*') ? path.endsWith('.md') && path.startsWith(one.slice(0, -4)) : path.startsWith(one),
    );
  for (const path of [...shipped('sessions'), ...shipped('dictionaries')])
    expect([path, matches(path)]).toEqual([path, true]);
  for (const path of STRAY) expect([path, matches(path)]).toEqual([path, false]);
});

describe('npm pack alone, in an empty folder', () => {
  let project = '';
  const children: LineProcess[] = [];
  const ANY_PORT = Object.fromEntries(
    ['FIX', 'FIX_TLS', 'ADMIN', 'BRIDGE', 'SIMULATOR'].map((name) => [`CROSSGATE_${name}_PORT`, '0']),
  );

  beforeAll(async () => {
    project = await projectWithPackage();
  }, 180_000);
  afterAll(async () => {
    await Promise.all(children.map((child) => child.kill()));
    await removeFolder(project);
  });

  function crossgate(...args: string[]): LineProcess {
    const command = join(project, 'node_modules/crossgate/src/cli/crossgate.js');
    const child = new LineProcess(process.execPath, [command, ...args], { cwd: project, env: ANY_PORT });
    children.push(child);
    return child;
  }

  test('holds no source map, and none of the sources', () => {
    const installed = readdirSync(join(project, 'node_modules/crossgate'), { recursive: true, encoding: 'utf8' });
    const own = installed.filter((path) => !path.startsWith('node_modules'));
    expect(own.filter((path) => path.endsWith('.map'))).toEqual([]);
    expect(own.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  });

  test('names the command that copies the samples, starts with them, completes the demo, and stops', async () => {
    const lost = crossgate('start');
    expect(await lost.ended()).toBe(1);
    const copy = /begin with a copy of the samples: (cp -r \S+ \S+)/.exec(lost.lines.join('\n'))?.[1] ?? '';
    expect(copy).toBe('cp -r node_modules/crossgate/sessions sessions');
    execFileSync('sh', ['-c', copy], { cwd: project });
    const gateway = await GatewayProcess.ready(crossgate('start'));
    await gateway.process.line(/^Try `npx crossgate demo` in a second terminal/);
    const demo = crossgate('demo', '--port', String(gateway.fixPort), '--exchange', gateway.exchangeUrl);
    expect(await demo.ended(), demo.lines.slice(-15).join('\n')).toBe(0);
    expect(demo.lines.filter((line) => / {2}yes$/.test(line)).length).toBe(11);
    expect(await gateway.interrupt()).toBe(0);
  }, 180_000);

  test('imports a FIX Repository', async () => {
    const repository = join(root, 'node_modules/jspurefix/data/fix_repo/FIX.4.4/Base');
    const done = crossgate('dictionary', 'import', repository, '--out', project);
    expect(await done.ended(), done.lines.join('\n')).toBe(0);
    expect(readFileSync(join(project, 'FIX44.xml'), 'utf8')).toContain("name='NewOrderSingle'");
  });
});
