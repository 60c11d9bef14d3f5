// The reference of the bridge: its calls and streams, from the tables that its routes are made from.

import { type TSchema, Type } from '../../../src/base/schema.ts';
import type { CommandSpec } from '../../../src/bridge/commands/command-spec.ts';
import { COMMAND_QUERY, COMMANDS } from '../../../src/bridge/commands/commands.ts';
import { ORDER_COMMANDS } from '../../../src/bridge/commands/order-commands.ts';
import { commandExample } from '../../../src/bridge/description/command-examples.ts';
import { questionExample } from '../../../src/bridge/description/openapi.ts';
import { samples } from '../../../src/bridge/description/samples.ts';
import { BRIDGE_FUNCTIONS } from '../../../src/bridge/port.ts';
import { ENDPOINTS, type Endpoint } from '../../../src/bridge/reads/endpoints.ts';
import { STREAMS } from '../../../src/bridge/streams/stream-paths.ts';
import { page, plain, table } from './page.ts';

interface Call {
  readonly title: string;
  readonly summary: string;
  readonly query: string;
  /** Null of a call without a body. */
  readonly body: unknown;
  readonly answer: unknown;
}

/** The page of calls: a section per function of a caller, with a sample of each call. */
export function callsPage(): string {
  const sections = Object.entries(BRIDGE_FUNCTIONS).flatMap(([name, permits]) => {
    const reads = ENDPOINTS.filter(({ needs }) => needs === name).map(readCall);
    const commands = [...COMMANDS, ...ORDER_COMMANDS].filter(({ needs }) => needs === name).map(commandCall);
    const calls = [...reads, ...commands];
    const rows = calls.map(({ title, summary, query }) => [title, summary, query]);
    return rows.length === 0
      ? []
      : [
          `## \`${name}\``,
          `Permits: ${plain(permits)}.`,
          table(['Call', 'For', 'Query'], rows),
          ...calls.map(sampleOf),
        ];
  });
  return page(
    { title: 'Calls', order: 3, from: 'src/bridge' },
    'Each section is a function that a caller may have (`bridge.callers[].functions`). `GET /openapi.json` of the bridge has the schemas. The samples are answers of the simulated exchange; of a list, they show the first entry.',
    ...sections,
  );
}

function readCall({ method, path, summary, query, body }: Endpoint): Call {
  return {
    title: `${method} \`${path}\``,
    summary: plain(summary),
    query: queryNames(query),
    body: body === null ? null : questionExample(body),
    answer: recorded(`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  };
}

function commandCall(command: CommandSpec): Call {
  const { commandType, path, summary } = command;
  return {
    title: `POST \`${path}\``,
    summary: `\`${commandType}\`: ${plain(summary)}`,
    query: queryNames(COMMAND_QUERY),
    body: commandExample(command),
    answer: recorded(`POST ${path} ${commandType}`),
  };
}

/** The recorded answer to a call: none goes without. */
function recorded(name: string): unknown {
  const sample = samples()[name];
  if (sample === undefined) throw new Error(`No sample of ${name}: \`npm run docs:samples\` records it`);
  return sample.example;
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** Folded, so that the tables stay readable. */
function sampleOf({ title, summary, body, answer }: Call): string {
  const named = `${title}: ${summary}`.replace(/`([^`]*)`/g, '<code>$1</code>');
  const parts = body === null ? [json(answer)] : ['Request:', json(body), 'Answer:', json(answer)];
  return ['<details>', `<summary>${named}</summary>`, ...parts, '</details>']
    .join('\n\n')
    .replace('\n\n<summary', '\n<summary');
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
