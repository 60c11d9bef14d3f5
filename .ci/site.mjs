// Builds the site of docs/ into dist/docs. VitePress writes one fixed address into every file; the pages of the site find
// theirs themselves, so that any static server serves them under any path, and the gateway at /docs.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { writeApiPages } from './api-pages.mjs';

const root = join(import.meta.dirname, '..');

/** The address in everything that VitePress writes, until `relocate` replaces it. */
const PLACEHOLDER = '/__site_base__/';

/** The way from a file of the site up to its top: `../../`. */
const upFrom = (file) => '../'.repeat(file.split('/').length - 1) || './';

/** A script whose literals hold the placeholder: it computes its own place instead. */
function relocateScript(source, file) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const edits = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (node.text.includes(PLACEHOLDER)) {
        const parts = node.text.split(PLACEHOLDER).map((part) => JSON.stringify(part));
        edits.push([node.getStart(tree), node.end, `(${parts.join('+__siteBase+')})`]);
      }
      return;
    }
    if (ts.isTemplateExpression(node)) {
      for (const part of [node.head, ...node.templateSpans.map(({ literal }) => literal)]) {
        const raw = source.slice(part.getStart(tree), part.end);
        if (raw.includes(PLACEHOLDER)) edits.push([part.getStart(tree), part.end, raw.replaceAll(PLACEHOLDER, '${__siteBase}')]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  let text = source;
  for (const [start, end, replacement] of edits.sort(([a], [b]) => b - a)) text = text.slice(0, start) + replacement + text.slice(end);
  return `const __siteBase=new URL(${JSON.stringify(upFrom(file))},import.meta.url).pathname;${text}`;
}

/** Replaces the placeholder in every file of the built site. */
function relocate(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:html|js|css|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    const source = readFileSync(path, 'utf8');
    if (!source.includes(PLACEHOLDER)) continue;
    const text = file.endsWith('.js') ? relocateScript(source, file) : source.replaceAll('___site_base___', '').replaceAll(PLACEHOLDER, upFrom(file));
    if (text.includes(PLACEHOLDER)) throw new Error(`${file} still has a fixed address`);
    writeFileSync(path, text);
  }
}

/** Builds the site into `folder`. Earlier content there goes. */
export async function buildSite(to = 'dist/docs') {
  const folder = resolve(root, to);
  if (!existsSync(join(root, 'node_modules/vitepress'))) {
    console.error(`the site of docs/ cannot be built: run \`npm ci\` in ${root} first`);
    process.exit(1);
  }
  rmSync(folder, { recursive: true, force: true });
  await writeApiPages(root);
  const { build } = await import('vitepress');
  // esbuild warns of a target in a tsconfig.json of the present folder that it does not know.
  process.chdir(join(root, 'docs'));
  await build('.', { outDir: folder, base: PLACEHOLDER });
  process.chdir(root);
  relocate(folder);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSite(process.argv[2]);
