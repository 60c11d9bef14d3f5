// `crossgate store copy`: a gateway in one process over PostgreSQL becomes one with partitions. Each gets a copy of the journal, and
// takes the numbers of its own sessions from it.

import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { copyRows, verifyRows } from '../../store/mod.ts';
import { journalPlace, placeName } from '../options/journal-place.ts';

const NAME = /^[\w.-]{1,128}$/;

export async function copyStore(options: {
  readonly state: string;
  readonly to: string;
  readonly json?: boolean;
}): Promise<void> {
  const place = await journalPlace(options.state);
  if (place.kind === 'embedded') {
    const page = 'the page "Workers: many cores" of the documentation has the steps for files';
    throw new CrossgateError('XG_USAGE', `${options.state} is a journal in files: name postgres:REFERENCE; ${page}`);
  }
  const names = options.to.split(',');
  if (!names.every((name) => NAME.test(name)) || new Set(names).size < names.length)
    throw new CrossgateError(
      'XG_USAGE',
      `--to ${options.to}: write names of journals, such as crossgate-fund,crossgate-primary`,
    );
  await copyRows(place.rows, names);
  const copies = [];
  for (const journal of names) {
    const { records, problems } = await verifyRows({ url: place.rows.url, journal }, null);
    copies.push({ journal, records, problems: problems.map(({ problem }) => problem) });
    if (problems.length > 0) process.exitCode = 1;
  }
  if (options.json) console.log(JSON.stringify({ copies }, null, 2));
  else {
    for (const { journal, records, problems } of copies) {
      const state = problems.length === 0 ? 'all of it is whole' : `damaged: ${problems.join('; ')}`;
      console.log(`journal ${journal} in PostgreSQL: ${records} records copied, ${state}`);
    }
    console.log(`${placeName(place)} stays as it is. Write \`workers: auto\` or \`cluster\`, and start.`);
  }
}
