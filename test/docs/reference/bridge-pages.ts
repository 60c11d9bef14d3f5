// The reference of the bridge: its calls and streams, from the tables that its routes are made from.

import { type TSchema, Type } from '../../../src/base/schema.ts';
import { COMMAND_QUERY, COMMANDS } from '../../../src/bridge/commands/commands.ts';
import { ORDER_COMMANDS } from '../../../src/bridge/commands/order-commands.ts';
import { BRIDGE_FUNCTIONS } from '../../../src/bridge/port.ts';
import { ENDPOINTS } from '../../../src/bridge/reads/endpoints.ts';
import { STREAMS } from '../../../src/bridge/streams/stream-paths.ts';
import { page, plain, table } from './page.ts';

/** The page of calls: a section per function of a caller. */
export function callsPage(): string {
  const sections = Object.entries(BRIDGE_FUNCTIONS).flatMap(([name, permits]) => {
    const reads = ENDPOINTS.filter(({ needs }) => needs === name).map(({ method, path, summary, query }) => [
      `${method} \`${path}\``,
      plain(summary),
      queryNames(query),
    ]);
    const commands = [...COMMANDS, ...ORDER_COMMANDS]
      .filter(({ needs }) => needs === name)
      .map(({ commandType, path, summary }) => [
        `POST \`${path}\``,
        `\`${commandType}\`: ${plain(summary)}`,
        queryNames(COMMAND_QUERY),
      ]);
    const rows = [...reads, ...commands];
    return rows.length === 0
      ? []
      : [`## \`${name}\``, `Permits: ${plain(permits)}.`, table(['Call', 'For', 'Query'], rows)];
  });
  return page(
    { title: 'Calls', order: 3, from: 'src/bridge' },
    'Each section is a function that a caller may have (`bridge.callers[].functions`). `GET /openapi.json` of the bridge has the schemas.',
    ...sections,
  );
}

function queryNames(query: Readonly<Record<string, TSchema>>): string {
  const required = (Type.Object({ ...query }) as { required?: string[] }).required ?? [];
  return Object.keys(query)
    .map((name) => `\`${name}\`${required.includes(name) ? ' (required)' : ''}`)
    .join(', ');
}

/** Fill the place between `<!--streams-->` and `<!--/streams-->`. */
export function fillStreams(markdown: string): string {
  const rows = STREAMS.map(({ path, needs, summary }) => [`\`${path}\``, `\`${needs}\``, plain(summary)]);
  return markdown.replace(
    /<!--streams-->\n[\s\S]*?<!--\/streams-->/,
    () => `<!--streams-->\n\n${table(['Path', 'Function', 'Topics'], rows)}\n\n<!--/streams-->`,
  );
}
