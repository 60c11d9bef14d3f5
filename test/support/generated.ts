// The files of this project that are made from the code, the dictionaries and the contract suite: `npm run docs:reference`
// writes them, and test/dictionary/generated.test.ts says when they are stale.

import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderConstants } from '../../src/dictionary/constants.ts';
import { PUBLISHED, publishedSchema } from '../../src/ops/configuration/published-schema.ts';
import { fillCoverage } from '../contract/coverage.ts';
import { referencePages } from '../docs/reference/all.ts';
import { fillStreams } from '../docs/reference/bridge-pages.ts';
import { fillExamples } from '../docs/reference/examples.ts';
import { fillMessages, fillVersions } from '../docs/reference/message-tables.ts';
import { dictionary } from './dictionary.ts';
import { fillConversations } from './documents/conversations.ts';
import { fillOrderFields } from './documents/order-field-table.ts';
import { fillRefusals } from './documents/refusal-table.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export { dictionary };

const MADE = 'Made by `npm run docs:reference`';

const pagesOf = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();

/** The page of each message, by MsgType: path from the top of the repository. */
function messagePages(): Map<string, string> {
  const found = pagesOf('docs/reference/messages/*/*.md').map((path): [string, string] => {
    const [, msgType = ''] = /^title: ".*\((\w+)\)"$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
    return [msgType, path];
  });
  return new Map(found.filter(([msgType]) => msgType !== ''));
}

/** The pages that others write, with their marked places filled. */
function filledPages(): [path: string, text: string][] {
  const [fix44, fix42, fixt11, fix50sp2] = ['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml'].map(dictionary);
  const versions = new Map([
    ['FIX.4.4', [fix44!]],
    ['FIX.4.2', [fix42!]],
    ['FIX.5.0SP2', [fixt11!, fix50sp2!]],
    ['FIX.5.0SP1', [fixt11!, dictionary('FIX50SP1.xml')]],
    ['FIX.5.0', [fixt11!, dictionary('FIX50.xml')]],
  ]);
  const messages = messagePages();
  const files = pagesOf('docs/**/*.md').map((path): [string, string] => [path, readFileSync(join(root, path), 'utf8')]);
  const marked = files.filter(([, text]) =>
    /^<!-- ?(?:message|header|versions|conversation|order-fields|refusals|example|streams)\b/m.test(text),
  );
  return marked.map(([path, text]) => {
    const links = new Map([...messages].map(([msgType, to]) => [msgType, relative(dirname(path), to)]));
    const tables = fillVersions(fillMessages(text, versions), versions, links);
    return [path, fillStreams(fillExamples(fillConversations(fillRefusals(fillOrderFields(tables)))))];
  });
}

/** Generated pages that nothing makes any more. */
export async function leftPages(): Promise<string[]> {
  const made = await referencePages();
  return pagesOf('docs/{reference,bridge}/**/*.md').filter(
    (path) => !made.has(path) && readFileSync(join(root, path), 'utf8').includes(MADE),
  );
}

/** Every generated file: path from the top of the repository → text as it should be. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const constants = renderConstants(['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml'].map(dictionary));
  const simulator = 'src/simulator/README.md';
  return new Map([
    ...[...constants].map(([name, text]): [string, string] => [`src/wire/${name}`, text]),
    [simulator, fillCoverage(readFileSync(join(root, simulator), 'utf8'))],
    ...PUBLISHED.map((file): [string, string] => [`docs/public/schemas/${file}.json`, publishedSchema(file)]),
    ...(await referencePages()),
    ...filledPages(),
  ]);
}

/** Write what is stale, or with `--check` name it and exit 1. */
async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check');
  const stale = await leftPages();
  if (!isCheck) for (const path of stale) rmSync(join(root, path));
  for (const [path, text] of await generatedFiles()) {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    stale.push(path);
    if (isCheck) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const path of stale) console.log(path);
  if (!isCheck || stale.length === 0) return;
  console.error('\nnot as the code has it: run `npm run docs:reference`');
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
