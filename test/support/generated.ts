// The files of this project that are made from dictionaries/ and from the contract suite: `node test/support/generated.ts`
// writes them, and test/dictionary/generated.test.ts says when they are stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderConstants } from '../../src/dictionary/constants.ts';
import { fillTables } from '../../src/dictionary/rules-of-engagement.ts';
import { fillCoverage } from '../contract/coverage.ts';
import { fillConversations } from './conversations.ts';
import { dictionary } from './dictionary.ts';
import { fillOrderFields } from './order-field-table.ts';
import { fillRefusals } from './refusal-table.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export { dictionary };

/** Every generated file: absolute path → text as it should be. */
export function generatedFiles(): Map<string, string> {
  const [fix44, fix42, fixt11, fix50sp2] = ['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml'].map(dictionary);
  const constants = renderConstants([fix44!, fix42!, fixt11!, fix50sp2!]);
  const files = new Map([...constants].map(([name, text]) => [join(root, 'src/wire', name), text]));
  const readme = join(root, 'dictionaries/README.md');
  const versions = new Map([
    ['FIX.4.4', [fix44!]],
    ['FIX.4.2', [fix42!]],
    ['FIX.5.0SP2', [fixt11!, fix50sp2!]],
    ['FIX.5.0SP1', [fixt11!, dictionary('FIX50SP1.xml')]],
    ['FIX.5.0', [fixt11!, dictionary('FIX50.xml')]],
  ]);
  const simulator = join(root, 'src/simulator/README.md');
  files.set(simulator, fillCoverage(readFileSync(simulator, 'utf8')));
  const rules = fillOrderFields(fillTables(readFileSync(readme, 'utf8'), versions));
  return files.set(readme, fillConversations(fillRefusals(rules)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of generatedFiles()) writeFileSync(path, text);
}
