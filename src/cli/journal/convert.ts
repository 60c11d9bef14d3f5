// `crossgate store convert`: a journal in PostgreSQL becomes tables. The store room converts; this file shows how far it is.

import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { convertBlocks } from '../../store/mod.ts';
import { journalPlace, placeName } from '../options/journal-place.ts';

/** A terminal sees each step; a log a line for so many per cent. */
const LINE_PERCENT = 10;

export async function convertStore({
  state,
  json,
}: {
  readonly state: string;
  readonly json?: boolean;
}): Promise<void> {
  const place = await journalPlace(state);
  if (place.kind === 'embedded') {
    throw new CrossgateError(
      'XG_USAGE',
      `${state} is a journal in files, which needs no conversion: name postgres:REFERENCE`,
    );
  }
  const conversion = await convertBlocks(place.rows, progress());
  if (json) console.log(JSON.stringify(conversion, null, 2));
  else {
    const { blocks, converted, records, problems } = conversion;
    console.log(`${placeName(place)}: ${converted} of ${blocks} blocks converted now, ${records} records verified`);
    for (const problem of problems) console.log(`damaged: ${problem}`);
    if (problems.length === 0) console.log('The tables are what the blocks were. Start the gateways.');
  }
  if (conversion.problems.length > 0) process.exitCode = 1;
}

function progress(): (done: number, blocks: number) => void {
  let shown = -1;
  return (done, blocks) => {
    const percent = Math.floor((100 * done) / blocks);
    const isTerminal = process.stderr.isTTY;
    if (percent === shown || (!isTerminal && percent < shown + LINE_PERCENT && done < blocks)) return;
    shown = percent;
    const text = `${percent} % converted: block ${done} of ${blocks}`;
    process.stderr.write(isTerminal ? `\r\x1b[K${text}${done === blocks ? '\n' : ''}` : `${text}\n`);
  };
}
