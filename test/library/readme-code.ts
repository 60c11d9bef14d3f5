// The README's own programs, taken out of it and started as they stand there.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineProcess } from '../support/line-process.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A folder inside the package, so that `import … from 'crossgate'` means this package. */
export async function packageFolder(): Promise<string> {
  return await mkdtemp(join(import.meta.dirname, '.run-'));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** The code block that follows the mention of a file's name in the README. */
export async function readmeCode(name: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, after] = readme.split(`(\`${name}\`)`);
  const code = /```ts\n(.*?)```/s.exec(after ?? '')?.[1];
  if (code === undefined) throw new Error(`README.md shows no ${name}`);
  return code;
}

/** Start one of the README's programs in `folder`. */
export async function startReadmeCode(
  folder: string,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<LineProcess> {
  const path = join(folder, name);
  await writeFile(path, await readmeCode(name));
  return new LineProcess(process.execPath, [path], { cwd: folder, env: environment });
}
