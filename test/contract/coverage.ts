// The coverage tables of the contract suite as Markdown: printed in the run and kept in src/simulator/README.md.

import type { EndpointRow } from './endpoint-row.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { STREAM_TABLE } from './stream-table.ts';

const REFUSALS: Readonly<Record<EndpointRow['needs'], string>> = {
  none: '',
  login: '401',
  ecdsa: '401, 403 for HMAC',
  signed: '401, 400 unsigned',
};
const SHAPES: Readonly<Record<EndpointRow['shape'], string>> = { one: '', list: '[]', pages: '[], pages' };

function clientCall(row: EndpointRow): string {
  if (row.kind === 'question') return `\`${row.name}\``;
  return row.kind === 'command' ? 'typed command' : 'by itself';
}

/** Every endpoint × what is tested of it. */
export function endpointCoverage(): string {
  const rows = ENDPOINT_TABLE.map((row) => {
    const { method, path, command, answers, shape, needs } = row;
    const cells = [
      method,
      `\`${path}\``,
      command ?? '',
      `${answers}${SHAPES[shape]}`,
      REFUSALS[needs],
      clientCall(row),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = [
    '| Method | Path | Command | Tested answer | Tested refusals | Tested of the client |',
    '|---|---|---|---|---|---|',
  ];
  return [...head, ...rows].join('\n');
}

/** Every stream topic × what is tested of it. */
export function streamCoverage(): string {
  const rows = STREAM_TABLE.map(
    ({ stream, topic, frames }) =>
      `| \`${stream}\` | ${topic} | ${frames === null ? 'refused with 29013: deprecated' : `${frames.dataType}: ${frames.first}, update`} | ${frames === null ? 'goes on without it' : frames.heardAs} |`,
  );
  return ['| Stream | Topic | Tested frames | Tested of the client |', '|---|---|---|---|', ...rows].join('\n');
}

const BEGIN = '<!-- contract coverage: written by test/support/generated.ts -->';
const END = '<!-- end of contract coverage -->';

/** The README with both tables between its marks. @throws Error if a mark is missing */
export function fillCoverage(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('the README has no place for the contract coverage');
  const tables = `${endpointCoverage()}\n\n${streamCoverage()}`;
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${readme.slice(end)}`;
}
