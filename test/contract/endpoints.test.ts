// The contract of the exchange's REST endpoints: a test per row of endpoint-table.ts, over real HTTP, field by field.
// Router, table, bridge and catalogue name the same endpoints, so that none lacks a test.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import { ENDPOINTS } from '../../src/bridge/reads/endpoints.ts';
import { COMMAND_READERS } from '../../src/simulator/rest/command-reading.ts';
import { exchangeRoutes } from '../../src/simulator/rest/routes.ts';
import { type Answer, type Json, v2Cancel } from '../simulator/exchange-caller.ts';
import { CATALOGUE_ENDPOINTS } from './catalogue.ts';
import { endpointCoverage } from './coverage.ts';
import { answerSchema, askedByCaller, type EndpointRow, nameOf } from './endpoint-row.ts';
import { ENDPOINT_TABLE } from './endpoint-table.ts';
import { orderAcknowledgement } from './order-schemas.ts';
import { ErrorBody, exactly, listOf, Word } from './scalars.ts';
import { arrange, type Situation } from './situation.ts';
import { deviations } from './validation.ts';

let situation: Situation;
beforeAll(async () => {
  situation = await arrange();
});
afterAll(() => situation.simulator.close());

/** Whether an answer holds anything: a schema proves nothing on an empty list. */
function isPopulated(json: unknown): boolean {
  if (Array.isArray(json)) return json.length > 0;
  const { data } = json as Json;
  return !Array.isArray(data) || data.length > 0;
}

function errorOf(answer: Answer, status: number): void {
  expect({ status: answer.status, deviations: deviations(ErrorBody, answer.json) }).toEqual({ status, deviations: [] });
}

/** A request without its credentials, as far as the row has any. */
function bare(row: EndpointRow, headers: Record<string, string>): Promise<Answer> {
  const path = row.path.replace(/:\w+/g, '1');
  const body = row.method === 'POST' ? { body: JSON.stringify({ commandType: row.command }) } : {};
  return situation.demo.fetch(path, { method: row.method, headers, ...body });
}

describe.each(ENDPOINT_TABLE.map((row) => [nameOf(row), row] as const))('%s', (_name, row) => {
  test(`answers ${row.answers}, field by field`, async () => {
    const answer = await askedByCaller(row, situation);
    expect(`${answer.status} ${answer.status === 200 ? '' : answer.text}`).toBe('200 ');
    const schema = answerSchema(row);
    if (schema === null) {
      expect(answer.text).toBe('');
      return;
    }
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(deviations(schema, answer.json)).toEqual([]);
    expect(isPopulated(answer.json)).toBe(true);
  });

  if (row.shape === 'pages')
    test('with _metaData it is a page with links', async () => {
      const answer = await askedByCaller(row, situation, '_metaData=true&_pageSize=5');
      const links = exactly({}, { next: Word, previous: Word });
      expect(deviations(exactly({ data: listOf(row.schema!), links }), answer.json)).toEqual([]);
      expect(isPopulated(answer.json)).toBe(true);
    });

  if (row.needs !== 'none')
    test('is 401 with the documented body without a login', async () => {
      errorOf(await bare(row, {}), 401);
    });

  const missing = row.path.includes('/otc-') ? 9011 : 6029;
  if (row.needs === 'signed')
    test(`is 400 ${missing} without a signature`, async () => {
      const answer = await bare(row, { authorization: `Bearer ${situation.demo.token}` });
      errorOf(answer, 400);
      expect(answer.json.errorCode).toBe(missing);
    });

  if (row.needs === 'ecdsa')
    test('is 403 with the documented body for a login of an HMAC key', async () => {
      errorOf(await bare(row, { authorization: `Bearer ${situation.demoHmac.token}` }), 403);
    });
});

describe('no endpoint is without a test', () => {
  const rows = new Set(ENDPOINT_TABLE.map(({ method, path }) => `${method} ${path}`));
  const commands = new Set(ENDPOINT_TABLE.map(({ path, command }) => `${path} ${command}`));

  test('no row is there twice', () => {
    expect(new Set(ENDPOINT_TABLE.map(nameOf)).size).toBe(ENDPOINT_TABLE.length);
  });

  test('the simulated exchange routes exactly the table', () => {
    const routed = exchangeRoutes(true).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(routed)].sort()).toEqual([...rows].sort());
  });

  test("the router requires the table's logins", () => {
    const needs = new Map<string, string>();
    for (const { method, path, auth, area } of exchangeRoutes(true)) {
      needs.set(`${method} ${path}`, area === 'custody' ? 'ecdsa' : auth);
    }
    for (const row of ENDPOINT_TABLE)
      expect([nameOf(row), needs.get(`${row.method} ${row.path}`)]).toEqual([nameOf(row), row.needs]);
  });

  test('every command that the order endpoints read has a row', () => {
    const rowed = new Set(ENDPOINT_TABLE.map(({ command }) => command));
    expect([...COMMAND_READERS.keys()].filter((commandType) => !rowed.has(commandType))).toEqual([]);
  });

  test('every read and every command of the bridge is in the table', () => {
    const reads = ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
    expect(reads.filter((read) => !rows.has(read))).toEqual([]);
    expect(COMMANDS.map(({ path, commandType }) => `${path} ${commandType}`).filter((c) => !commands.has(c))).toEqual(
      [],
    );
  });

  test('every row of the exchange catalogue’s Appendix A is in the table', () => {
    expect(CATALOGUE_ENDPOINTS.filter((endpoint) => !rows.has(endpoint))).toEqual([]);
  });
});

test('X2 V2CancelOrder is taken at /v2/orders too, where trading-api.md has the signed format', async () => {
  const orderId = await situation.demo.create({ side: 'BUY', price: '50000.0' });
  const answer = await situation.demo.send(v2Cancel({ orderId }), { path: '/trading-api/v2/orders' });
  expect(deviations(orderAcknowledgement('V2CancelOrder', 'CancelOrder'), answer.json)).toEqual([]);
});

test('the coverage of the endpoints', () => {
  const table = endpointCoverage();
  console.log(`\n${table}`);
  expect(table.split('\n').length).toBe(ENDPOINT_TABLE.length + 2);
});
