// The table of the rules of engagement that says which number a refusal has in 103 of an 8 and 102 of a 9, in each version and
// dialect, made from the gateway's own refusals.

import { type RefusalRow, refusalRows as rowsFor } from '../../../src/gateway/reports/refusal-numbers.ts';

const OF_ALL = { lockdownCxlRejReason: '99' } as const;

/** All rows of the table of reject reasons: 103 in 4.2, 4.4, 5.0SP2 and `venue`, then 102 likewise. */
export function refusalRows(): RefusalRow[] {
  const standard = ['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'] as const;
  return rowsFor([
    ...standard.map((beginString) => ({ ...OF_ALL, beginString, dialect: 'standard' as const })),
    { ...OF_ALL, beginString: 'FIX.4.4', dialect: 'venue' },
  ]);
}

const VERSIONS = ['4.2', '4.4', '5.0SP2', 'venue'];
const MAIN = VERSIONS.indexOf('4.4');

/** Fill each place between `<!--refusals VERSION-->` and `<!--/refusals-->`: all rows of 4.4, of others those that differ. */
export function fillRefusals(markdown: string): string {
  return markdown.replace(/<!--refusals (\S+)-->\n[\s\S]*?<!--\/refusals-->/g, (_, version: string) => {
    const column = VERSIONS.indexOf(version);
    const said = (row: RefusalRow, at: number): string => `${row.numbers[at]} | ${row.numbers[at + VERSIONS.length]}`;
    const rows = refusalRows().filter((row) => column === MAIN || said(row, column) !== said(row, MAIN));
    const table = [
      '| Cause | 103 | 102 |',
      '|---|---|---|',
      ...rows.map((row) => `| ${row.cause} | ${said(row, column)} |`),
    ];
    return `<!--refusals ${version}-->\n\n${table.join('\n')}\n\n<!--/refusals-->`;
  });
}
