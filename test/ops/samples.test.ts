// The sample sessions load as they are delivered, and sessions/README.md says what the schema says.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { Gateway } from '../../src/gateway/mod.ts';
import { GatewayFileSchema } from '../../src/ops/gateway-schema.ts';
import { loadConfiguration } from '../../src/ops/mod.ts';
import { ANNOTATIONS, schemaNode } from '../../src/ops/schema-node.ts';
import { SessionFileSchema } from '../../src/ops/session-schema.ts';
import { defaultWorld } from '../../src/simulator/mod.ts';
import { configurationFolder } from './configuration-folder.ts';
import { settingsTable, variablesTable } from './settings-table.ts';

const directory = fileURLToPath(new URL('../../sessions', import.meta.url));

describe('the sample sessions', () => {
  test('load without a problem or a warning in a fresh place', () => {
    const { path } = configurationFolder();
    const { config, problems, warnings } = loadConfiguration({ directory, environment: {}, workingDirectory: path });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(config?.sessions.map(({ session, gateway }) => [session.sessionId, gateway.dialect])).toEqual([
      ['FIX.4.4:EXCHANGE_TEST->ACME_OMS', 'standard'],
      ['FIX.4.4:EXCHANGE_TEST->MIDDLE_OFFICE', 'standard'],
      ['FIX.4.4:EXCHANGE_TEST->VENUE_OMS', 'venue'],
    ]);
    expect(config?.sessions.map(({ gateway }) => gateway.accounts[0]?.tradingAccountId)).toEqual([
      '111000000000001',
      '111000000000001',
      '111000000000002',
    ]);
  });

  test('fit the machines that run them and the world of the simulated exchange', () => {
    const { path } = configurationFolder();
    const { config } = loadConfiguration({ directory, environment: {}, workingDirectory: path });
    const sessions = config!.sessions.map(({ gateway }) => gateway);
    expect(() => new Gateway({ ...config!.gateway, sessions }, { orders: new Map() })).not.toThrow();
    const { users, accounts } = defaultWorld();
    for (const { key, tradingAccountIds } of config!.exchange.credentials) {
      const user = users.find(({ keys }) => keys.some(({ name }) => key.reference === `file:secrets/${name}.json`));
      expect(user?.name).toBeDefined();
      const owned = accounts
        .filter((account) => account.user === user?.name)
        .map((account) => account.tradingAccountId);
      expect(owned).toEqual(expect.arrayContaining([...tradingAccountIds]));
    }
  });

  test('X5 hold no secret', () => {
    for (const name of ['gateway.yaml', 'defaults.yaml', 'ACME_OMS.yaml', 'VENUE_OMS.yaml']) {
      const text = readFileSync(`${directory}/${name}`, 'utf8');
      for (const [, value] of text.matchAll(/^\s*(?:password|key|certificate): *(.*)$/gm)) {
        expect(value).toMatch(/^(file|env):/);
      }
    }
  });
});

test('the schemas of the configuration are schemas: a start takes them as they are', () => {
  for (const schema of [GatewayFileSchema, SessionFileSchema]) {
    const ajv = new Ajv({ strict: true });
    ajv.addVocabulary([...ANNOTATIONS]);
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(() => ajv.compile(schema)).not.toThrow();
  }
});

describe('sessions/README.md', () => {
  const readme = readFileSync(`${directory}/README.md`, 'utf8');

  test('has one row per key of gateway.yaml, as the schema has it', () => {
    expect(readme).toContain(settingsTable(schemaNode(GatewayFileSchema)));
  });

  test('has one row per key of a session file, as the schema has it', () => {
    expect(readme).toContain(settingsTable(schemaNode(SessionFileSchema)));
  });

  test('has every environment variable', () => {
    expect(readme).toContain(variablesTable());
  });

  test('every key of the schema has a meaning, and a default or a word on when it is required', () => {
    const rows = readme.split('\n').filter((line) => /^\| `[a-z]/.test(line) && line.split(' | ').length >= 4);
    expect(rows.length).toBeGreaterThan(80);
    for (const row of rows) expect(row, row).toMatch(/[.)] \|$/);
  });
});
