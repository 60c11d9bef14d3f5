// The programs of docs/library/examples, started unchanged, in a project with this package as `npm pack` makes
// it. Node and the compiler treat node_modules differently from a clone.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const run = promisify(execFile);

/** A project of somebody else's, with the packed package, the packages that it names as dependencies, and @types/node. */
export async function projectWithPackage(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'crossgate-project-'));
  const installed = join(project, 'node_modules/crossgate');
  await mkdir(join(installed, 'node_modules'), { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: ROOT });
  await run('tar', ['xzf', join(project, stdout.trim()), '--strip-components=1', '-C', installed]);
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
    await linkPackage(name, join(installed, 'node_modules'));
  await linkPackage('@types/node', join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  return project;
}

async function linkPackage(name: string, modules: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(join(MODULES, name), join(modules, name));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** The program in a file of docs/library/examples, which its page shows. */
export async function exampleCode(name: string): Promise<string> {
  return await readFile(join(ROOT, 'docs/library/examples', name), 'utf8');
}

/** The compiler's messages about these programs in that project; none if all is well. */
export async function compiled(project: string, names: readonly string[]): Promise<string> {
  for (const name of names) await writeFile(join(project, name), await exampleCode(name));
  const options = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  const tsc = [join(MODULES, 'typescript/bin/tsc'), ...options, '--exactOptionalPropertyTypes', ...names];
  try {
    return (await run(process.execPath, tsc, { cwd: project })).stdout;
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

/** Start one of the programs in `folder`, which lies in the project. */
export async function startExample(
  folder: string,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<LineProcess> {
  const path = join(folder, name);
  await writeFile(path, await exampleCode(name));
  return new LineProcess(process.execPath, [path], { cwd: folder, env: environment });
}
