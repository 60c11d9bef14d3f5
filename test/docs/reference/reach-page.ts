// The page of what is reached through which door, from test/contract/reach.yaml.

import { REACH_PARTS, type ReachCell, readReach } from '../../contract/reach.ts';
import { page, table } from './page.ts';

const TITLES = { endpoints: 'Endpoints', commands: 'Commands', topics: 'Topics', fields: 'Fields' } as const;

/** The page: a table per part, and the tests behind the cells. */
export function reachPage(): string {
  const reach = readReach();
  const keys = Object.keys(reach.tests);
  const cell = (of: ReachCell | undefined): string =>
    of === undefined ? '' : `${of.how} [${keys.indexOf(of.test) + 1}](#tests)`;
  const parts = REACH_PARTS.flatMap((part) => [
    `## ${TITLES[part]}`,
    table(
      ['Name', 'FIX', 'Bridge'],
      reach[part].map(({ name, fix, bridge, neither }) => [
        `\`${name}\``,
        cell(fix),
        neither === undefined ? cell(bridge) : `neither: ${neither}`,
      ]),
    ),
  ]);
  const tests = keys.map((key, i) => {
    const { file, title } = reach.tests[key]!;
    return [String(i + 1), title, `\`${file}\``];
  });
  return page(
    { title: 'FIX or bridge', order: 8, from: 'test/contract/reach.yaml' },
    "Every endpoint, command, topic and named field of the exchange's document, with the FIX message or the function of the [bridge](../bridge/index.md) that reaches it. The number names the test that does so over real sockets; the tests are at the end. Every call of the bridge is also reached [over FIX](../connect/bridge-over-fix.md).",
    ...parts,
    '## Tests',
    table(['Number', 'Test', 'File'], tests),
  );
}
