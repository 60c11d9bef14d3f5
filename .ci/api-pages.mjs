// Writes the API reference of the library into docs/library/api, from the docstrings of src/mod.ts. It is part of the built site and
// not of the repository.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Make the pages anew. @param root folder of the repository */
export async function writeApiPages(root) {
  const { Application } = await import('typedoc');
  const out = join(root, 'docs/library/api');
  rmSync(out, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [join(root, 'src/mod.ts')],
    tsconfig: join(root, 'tsconfig.json'),
    name: 'API reference',
    readme: 'none',
    out,
    entryFileName: 'index.md',
    outputFileStrategy: 'modules',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    skipErrorChecking: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    logLevel: 'Error',
    githubPages: false,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the API reference cannot be made from src/mod.ts');
  await app.generateOutputs(project);
  // Its many names would come before the pages that explain them.
  const page = join(out, 'index.md');
  writeFileSync(page, `---\nsearch: false\n---\n\n${readFileSync(page, 'utf8')}`);
}
