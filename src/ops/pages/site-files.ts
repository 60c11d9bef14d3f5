// Serves the documentation at /docs/: the site that `npm run build` writes to dist/docs. It holds no secret and takes no token.
// Without a built site the address says how to build it.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { contentSecurityPolicy } from './content-security-policy.ts';

/** Beside the sources and beside the compiled modules alike. */
const SITE = fileURLToPath(new URL('../../../dist/docs', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const asPage = (words: string): string =>
  `<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Crossgate documentation</title>\n<p>${words}</p>\n`;
const NOT_BUILT = asPage(
  'The documentation is not built. Run <code>npm run build</code> where the gateway is installed, and start it again.',
);
const NO_PAGE = asPage('There is no such page. <a href="/docs/">Documentation</a>');

/** Add the site below `/docs/`. A site that is built later is served from the next start on. */
export async function addSite(app: FastifyInstance, folder = SITE): Promise<void> {
  const files = await filesOf(folder);
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', async ({ params }, reply) => {
    const path = params['*'];
    const name = [path, `${path}index.html`].find((each) => files.has(each));
    if (name === undefined) {
      reply.code(404).type(TYPES['.html']!);
      return files.size === 0 ? NOT_BUILT : NO_PAGE;
    }
    const type = TYPES[extname(name)]!;
    const content = await readFile(join(folder, name));
    // The theme sets styles of its elements.
    if (type === TYPES['.html'])
      reply.header('content-security-policy', contentSecurityPolicy(content.toString(), "'self' 'unsafe-inline'"));
    return reply.type(type).send(content);
  });
}

/** Paths of the files that are served, as an address has them. */
async function filesOf(folder: string): Promise<ReadonlySet<string>> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined);
    return new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return new Set();
  }
}
