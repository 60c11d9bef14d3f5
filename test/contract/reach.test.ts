// The table of what is reached through which door (reach.yaml): whole, true to the code, and each cell with a test that
// exercises it over real sockets.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import { ORDER_COMMANDS } from '../../src/bridge/commands/order-commands.ts';
import { ENDPOINTS } from '../../src/bridge/reads/endpoints.ts';
import { STREAMS } from '../../src/bridge/streams/stream-paths.ts';
import { topicsOf } from '../../src/bridge/streams/topics.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { REACH_PARTS, readReach } from './reach.ts';
import { STREAM_TABLE } from './stream-table.ts';

const reach = readReach();
const root = join(import.meta.dirname, '../..');
const names = (part: (typeof REACH_PARTS)[number]): string[] => reach[part].map(({ name }) => name);
const bridged = (part: (typeof REACH_PARTS)[number]): string[] =>
  reach[part].flatMap(({ name, bridge }) => (bridge === undefined ? [] : [name]));
/** The exchange's document is no file of this project. */
const DOCUMENT = process.env.EXCHANGE_DOCUMENT ?? join(root, '../shared/exchange/trading-api.md');
/** Helpers behind which a socket is open. */
const SOCKETS = /startDesk|runningGateway|exchangeHouse|openFix|arrange\(|startBridge|Stream\.open|quickfix|QuickFix/;

test.each(REACH_PARTS)('no row of the %s stands twice, and each has a door or a reason', (part) => {
  expect(new Set(names(part)).size).toBe(reach[part].length);
  for (const { name, fix, bridge, neither } of reach[part])
    expect([name, fix !== undefined || bridge !== undefined]).toEqual([name, neither === undefined]);
});

test('every endpoint of the exchange that is no command has a row, and those of the bridge say so', () => {
  const known = ENDPOINT_TABLE.filter(({ kind }) => kind !== 'command').map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(names('endpoints').toSorted()).toEqual([...new Set(known)].sort());
  expect(bridged('endpoints').toSorted()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
});

test('every command of the exchange has a row, and those of the bridge say so', () => {
  const known = ENDPOINT_TABLE.flatMap(({ command }) => (command === null ? [] : [command]));
  expect(names('commands').toSorted()).toEqual([...new Set(known)].sort());
  const offered = [...COMMANDS, ...ORDER_COMMANDS].map(({ commandType }) => commandType);
  expect(bridged('commands').toSorted()).toEqual(offered.sort());
});

test('every topic of the exchange has a row, and those of the bridge say so', () => {
  const known = STREAM_TABLE.map(({ stream, topic }) => `${stream} ${topic}`);
  expect(names('topics').toSorted()).toEqual([...new Set(known)].sort());
  const served = STREAMS.flatMap(({ path, feed }) =>
    topicsOf(feed).map((topic) => `${path.replace('/trading-api/v1/', '').replace('/{symbol}', '')} ${topic}`),
  );
  expect(bridged('topics').toSorted()).toEqual([...new Set(served)].sort());
});

/** `Resource: field` of each that the exchange's document names. */
function documentedFields(): string[] {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [, part = ''] = /### Other resources known by name\n([\s\S]*?)\n## /.exec(text) ?? [];
  const rows = [...part.matchAll(/^\| ([A-Z][^|]*?) \| ([a-z][^|]*?) \|$/gm)];
  return rows.flatMap(([, resource = '', fields = '']) =>
    [...fields.matchAll(/\b[a-z]+[A-Z]\w*|\bname\b|\bgreeks\b/g)].map(([field]) => `${resource}: ${field}`),
  );
}

test.skipIf(!existsSync(DOCUMENT))("every field that the exchange's document names has a row", () => {
  const rows = names('fields').flatMap((name) => {
    const [resource, fields = ''] = name.split(': ');
    return fields.split(', ').map((field) => `${resource}: ${field}`);
  });
  const documented = documentedFields();
  expect(documented.length).toBeGreaterThan(40);
  // The document has one row for both.
  const ways = (name: string): string[] =>
    name.startsWith('Order and trade: ')
      ? ['Order', 'Trade'].map((one) => name.replace('Order and trade', one))
      : [name];
  expect(documented.filter((name) => !ways(name).some((way) => rows.includes(way)))).toEqual([]);
});

describe('the tests of the table', () => {
  test.each(Object.entries(reach.tests))('%s is there, and opens sockets', (_, { file, title }) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text).toContain(title);
    expect(text).toMatch(SOCKETS);
  });

  test('every cell names one, and every one is named', () => {
    const cells = REACH_PARTS.flatMap((part) => reach[part].flatMap(({ fix, bridge }) => [fix, bridge]));
    const named = new Set(cells.flatMap((cell) => (cell === undefined ? [] : [cell.test])));
    expect([...named].sort()).toEqual(Object.keys(reach.tests).sort());
  });
});
