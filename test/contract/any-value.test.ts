// Every endpoint of the simulated exchange with one value of a sound request replaced by anything, left out or added: answered
// or refused in words, never a 500. The rest of the request fits, so that something looks at the value. A failure prints its seed.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, type Answer, type Caller, type Json, type SendOptions } from '../simulator/exchange-caller.ts';
import { type Change, changed, oneChange } from '../support/random/changed-value.ts';
import { checkAsyncProperty } from '../support/random/seeded-property.ts';
import { askedByCaller, type EndpointRow, nameOf } from './endpoint-row.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { arrange, OPTION, PERP, type Situation } from './situation.ts';

let situation: Situation;
beforeAll(async () => {
  situation = await arrange();
});
afterAll(() => situation.simulator.close());

const word = fc.oneof(
  fc.constantFrom('', ' ', '0', '-1', '1', '1e9', '.5', '0x10', '007', '9'.repeat(15), '9'.repeat(30), '9'.repeat(400)),
  fc.constantFrom('constructor', '__proto__', 'toString', '\u0000', '\uD800', 'é', '..', '%', '&', '🙂'),
  fc.constantFrom('2026-06-01T00:00:00Z', '0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2026-02-30', 'null'),
  fc.constantFrom(ACCOUNT, 'BTCUSDC', 'BTC', PERP, OPTION, 'USDC', 'BUY', 'true', '5', '1d'),
  fc.string({ maxLength: 10 }),
);
const odd = fc.oneof(
  word,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, 2 ** 53, [], {}, [[]], [null], { toString: null }),
  fc.jsonValue({ maxDepth: 2 }),
);
const filters = fc.constantFrom(
  ...['_pageSize', '_nextPage', '_previousPage', '_metaData', 'symbol', 'status', 'marketType', 'optionType', 'sort'],
  ...['orderId', 'tradingAccountId', 'timeBucket', 'depth', 'address', 'destinationId', 'sharedMatchKey', '__proto__'],
  ...['createdAt', 'updatedAt', 'settlement'].flatMap((field) =>
    ['Datetime', 'Timestamp'].flatMap((kind) => ['gte', 'gt', 'lte', 'lt'].map((at) => `${field}${kind}[${at}]`)),
  ),
);

const change = oneChange(odd);

/** The same caller, but for that command. */
function careless(caller: Caller, commandType: string, by: Change): Caller {
  const send = (command: Json, options?: SendOptions): Promise<Answer> =>
    caller.send(command.commandType === commandType ? (changed(command, by) as Json) : command, options);
  return Object.assign(Object.create(caller) as Caller, { send });
}

function asked(row: EndpointRow, by: Change, query: readonly (readonly [string, string])[]): Promise<Answer> {
  if (row.kind === 'login') return row.ask(situation);
  if (row.kind === 'command') {
    return row.ask({ ...situation, [row.as]: careless(situation[row.as], row.command, by) });
  }
  const more = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value.toWellFormed()]));
  const values = async (): Promise<Readonly<Record<string, string>>> => {
    const text = changed(await row.values(situation), by) as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.entries(text).map(([name, value]) => [
        name,
        row.path.includes(`:${name}`) ? textOf(value) : encodeURIComponent(textOf(value)),
      ]),
    );
  };
  return askedByCaller(
    { ...row, values, body: row.body === null ? null : changed(row.body, by) },
    situation,
    `${more}`,
  );
}
const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : String(JSON.stringify(value))).toWellFormed();

const rows = new Map(ENDPOINT_TABLE.filter(({ kind }) => kind !== 'login').map((row) => [nameOf(row), row]));

test('whatever one value of a request is, the simulated exchange answers or refuses, never a 500', {
  timeout: 3_000_000,
}, async () => {
  const query = fc.array(fc.tuple(filters, word), { maxLength: 3 });
  const property = fc.asyncProperty(fc.constantFrom(...rows.keys()), change, query, async (name, by, more) => {
    const answer = await asked(rows.get(name)!, by, more);
    expect(answer.status, `${name} ${answer.text}`).toBeLessThan(500);
    if (answer.status !== 200) expect(answer.json, name).toMatchObject({ message: expect.stringMatching(/./) });
  });
  await checkAsyncProperty(property, 200);
});
