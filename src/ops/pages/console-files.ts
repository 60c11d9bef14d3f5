// Serves the console: a page, a style sheet and ES modules, as they lie in the folder beside this file, and the
// modules of preact and uPlot. Everything is read once at the start; the page needs nothing from anywhere else. The data it shows needs the token.

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { contentSecurityPolicy } from './content-security-policy.ts';

const FOLDER = fileURLToPath(new URL('../console', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Files of packages, under the names that the page knows: path, package, file. */
const VENDOR = [
  ['preact.js', 'preact', 'preact.mjs'],
  ['uplot.js', 'uplot', 'uPlot.esm.js'],
  ['uplot.css', 'uplot', 'uPlot.min.css'],
] as const;

/** Add the console's page at `/` and its files below `/console/`. */
export async function addConsole(app: FastifyInstance): Promise<void> {
  const page = await readFile(join(FOLDER, 'index.html'), 'utf8');
  const policy = contentSecurityPolicy(page, "'self'");
  app.get('/', async (_request, reply) => {
    reply.header('content-security-policy', policy).type(TYPES['.html']!);
    return page;
  });
  for (const path of await readdir(FOLDER, { recursive: true })) {
    const name = path.replaceAll(sep, '/');
    const type = TYPES[extname(name)];
    if (type === undefined || name === 'index.html') continue;
    serve(app, `/console/${name}`, type, await readFile(join(FOLDER, path)));
  }
  const find = createRequire(import.meta.url);
  for (const [path, name, file] of VENDOR) {
    const folder = dirname(find.resolve(`${name}/package.json`));
    serve(app, `/console/vendor/${path}`, TYPES[extname(path)]!, await readFile(join(folder, 'dist', file)));
  }
}

function serve(app: FastifyInstance, path: string, type: string, content: Buffer): void {
  app.get(path, async (_request, reply) => reply.type(type).send(content));
}
