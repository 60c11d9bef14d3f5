// `crossgate store convert`: a journal in PostgreSQL becomes tables. The store room converts; this file shows how far it is.

import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { convertBlocks } from '../../store/mod.ts';
import { journalPlace, placeName } from '../options/journal-place.ts';

/** A terminal sees each step; a log a line for so many per cent. */
const LINE_PERCENT = 10;
const AFTER_SKIPPING =
  'Messages, orders and numbers of those frames are gone. Compare the numbers of each session with its counterparty before it ' +
  'logs on (`crossgate store show`), and open orders with the exchange.';

export async function convertStore({
  state,
  json,
  skipDamaged,
}: {
  readonly state: string;
  readonly json?: boolean;
  readonly skipDamaged?: boolean;
}): Promise<void> {
  const place = await journalPlace(state);
  if (place.kind === 'embedded') {
    throw new CrossgateError(
      'XG_USAGE',
      `${state} is a journal in files, which needs no conversion: name postgres:REFERENCE`,
    );
  }
  const conversion = await convertBlocks(place.rows, progress(), skipDamaged === true);
  if (json) console.log(JSON.stringify(conversion, null, 2));
  else {
    const { blocks, converted, records, skipped, problems } = conversion;
    console.log(`${placeName(place)}: ${converted} of ${blocks} blocks converted now, ${records} records verified`);
    for (const problem of problems) console.log(`damaged: ${problem}`);
    for (const { block, firstFrame, lastFrame, problem } of skipped) {
      console.log(`skipped block ${block}, frames ${firstFrame} to ${lastFrame} are lost: ${problem}`);
    }
    if (skipped.length > 0) console.log(AFTER_SKIPPING);
    else if (problems.length === 0) console.log('The tables are what the blocks were. Start the gateways.');
  }
  if (conversion.problems.length > 0 || conversion.skipped.length > 0) process.exitCode = 1;
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
