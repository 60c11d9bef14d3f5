// Writes dictionaries/standard/: the stock QuickFIX dictionaries that jspurefix ships, without blanks and comments,
// compressed. `decode` and `log` take names of messages and fields from them that the gateway's own dictionaries lack.
// `node .ci/standard-names.mjs --check` changes nothing and exits 1 if a file differs from its source.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const SOURCE = new URL('../node_modules/jspurefix/data/', import.meta.url);
const TARGET = new URL('../dictionaries/standard/', import.meta.url);
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };

function compact(xml) {
  return xml
    .replace(/<!--.*?-->/gs, '')
    .replace(/ required=(['"])[YN]\1/g, " required='N'")
    .replace(/\s+/g, ' ')
    .replaceAll('> <', '><');
}

const isCheck = process.argv.includes('--check');
mkdirSync(TARGET, { recursive: true });
for (const name of ['FIX42', 'FIX43', 'FIX44', 'FIX50SP2']) {
  const text = compact(readFileSync(new URL(`${name}.xml`, SOURCE), 'utf8'));
  const target = new URL(`${name}.xml.br`, TARGET);
  if (!isCheck) writeFileSync(target, brotliCompressSync(text, QUALITY));
  else if (brotliDecompressSync(readFileSync(target)).toString() !== text) {
    console.error(`dictionaries/standard/${name}.xml.br differs from its source: run \`node .ci/standard-names.mjs\``);
    process.exitCode = 1;
  }
}
