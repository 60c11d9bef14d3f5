// The reference of the bridge: its calls and streams, from the tables that its routes are made from.

import { openApiDocument } from '../../../src/bridge/openapi.ts';
import { BRIDGE_FUNCTIONS } from '../../../src/bridge/port.ts';
import { STREAMS } from '../../../src/bridge/stream-paths.ts';
import { page, plain, table } from './page.ts';

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly security?: unknown;
}

/** The page of calls: a section per function of a caller. */
export function callsPage(): string {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const [, needs = ''] = /^Needs the function `([\w-]+)`/.exec(operation.description) ?? [];
      return operation.security === undefined ? [{ path, method: method.toUpperCase(), needs, operation }] : [];
    }),
  );
  const sections = Object.entries(BRIDGE_FUNCTIONS).flatMap(([name, permits]) => {
    const own = calls.filter(({ needs }) => needs === name);
    const rows = own.map(({ path, method, operation }) => {
      const query = operation.parameters.filter((parameter) => parameter.in === 'query');
      const names = query.map((parameter) => `\`${parameter.name}\`${parameter.required ? ' (required)' : ''}`);
      return [`${method} \`${path}\``, plain(operation.summary), names.join(', ')];
    });
    return own.length === 0
      ? []
      : [`## \`${name}\``, `Permits: ${plain(permits)}.`, table(['Call', 'For', 'Query'], rows)];
  });
  return page(
    { title: 'Calls', order: 2, from: 'src/bridge' },
    'Each section is a function that a caller may have (`bridge.callers[].functions`). `GET /openapi.json` of the bridge has the schemas.',
    ...sections,
  );
}

/** Fill the place between `<!--streams-->` and `<!--/streams-->`. */
export function fillStreams(markdown: string): string {
  const rows = STREAMS.map(({ path, needs, summary }) => [`\`${path}\``, `\`${needs}\``, plain(summary)]);
  return markdown.replace(
    /<!--streams-->\n[\s\S]*?<!--\/streams-->/,
    () => `<!--streams-->\n\n${table(['Path', 'Function', 'Topics'], rows)}\n\n<!--/streams-->`,
  );
}
