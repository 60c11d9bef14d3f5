// The sample sessions load as they are delivered, and the reference of settings has every key of the schema.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, type SchemaNode, schemaNode } from '../../../src/base/schema-node.ts';
import { Gateway } from '../../../src/gateway/mod.ts';
import { ENVIRONMENT_VARIABLES } from '../../../src/ops/configuration/environment.ts';
import { GatewayFileSchema } from '../../../src/ops/schema/gateway-schema.ts';
import { SessionFileSchema } from '../../../src/ops/schema/session-schema.ts';
import { loadConfiguration } from '../../../src/ops/whole-ops.ts';
import { defaultWorld } from '../../../src/simulator/mod.ts';
import { keysOf, settingsPages } from '../../docs/reference/settings-pages.ts';
import { configurationFolder } from '../configuration-folder.ts';

const directory = fileURLToPath(new URL('../../../sessions', import.meta.url));

/** Whether anything with a control character in it has that form: of the texts that settings are like. */
function takesControl(form: RegExp): boolean {
  const texts = ['abc', 'a/b', 'file:abc', 'env:ABC', '/trading-api/x', '12:00', '1', 'host:1', '2026-01-01', '0.5'];
  const controls = ['\u0000', '\u0001', '\u001b', '\n', '\r', '\t', '\u007f', '\u0085', '\u009b'];
  return texts.some((text) =>
    controls.some((control) =>
      [0, 1, 5, text.length].some((at) => form.test(`${text.slice(0, at)}${control}${text.slice(at)}`)),
    ),
  );
}

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
    const files = readdirSync(directory).filter((name) => name.endsWith('.yaml'));
    const secret = /\b(?:password|key|certificate|clientAuthority|token|url): *([^,}\n]*)/g;
    const found = files.flatMap((name) => [...readFileSync(`${directory}/${name}`, 'utf8').matchAll(secret)]);
    expect(files).toContain('MIDDLE_OFFICE.yaml');
    expect(found.map(([line]) => line).filter((line) => !/: *"?(file|env):/.test(line))).toEqual([]);
    expect(found.length).toBeGreaterThan(5);
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

describe('the reference of settings', () => {
  const pages = [...settingsPages()];
  const textOf = (folder: string): string =>
    pages.flatMap(([path, text]) => (path.startsWith(`docs/reference/settings/${folder}`) ? [text] : [])).join('\n');

  test.each([
    ['gateway', GatewayFileSchema],
    ['session', SessionFileSchema],
  ] as const)('has every key of %s files once: a group by its page, another one by its heading', (folder, schema) => {
    const text = textOf(folder);
    const headings = [...text.matchAll(/^#{2,3} `([^`]+)`$/gm)].map(([, key]) => key!);
    const groups = [...text.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, key]) => key!);
    const keys = keysOf(schemaNode(schema)).map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(100);
    const isGroup = (key: string): boolean => groups.includes(key.replace(/\[\]$/, ''));
    expect(headings.sort()).toEqual(keys.filter((key) => !isGroup(key)).sort());
  });

  test('has every environment variable', () => {
    for (const { name } of ENVIRONMENT_VARIABLES) expect(textOf('environment')).toContain(`| \`${name}\` |`);
  });

  test.each([
    ['gateway.yaml', GatewayFileSchema],
    ['session files', SessionFileSchema],
  ] as const)('no text of %s may hold a control character, wherever it stands in it', (_, schema) => {
    const open: string[] = [];
    const walk = (node: SchemaNode, path: string): void => {
      for (const group of [node.properties, node.patternProperties]) {
        for (const [key, child] of Object.entries(group ?? {})) walk(child, `${path}.${key}`);
      }
      for (const name of Object.keys(node.patternProperties ?? {})) {
        if (takesControl(new RegExp(name, 'u'))) open.push(`${path}: names`);
      }
      if (node.items !== undefined) walk(node.items, `${path}[]`);
      if (node.type !== 'string' || node.enum !== undefined) return;
      if (node.pattern === undefined || takesControl(new RegExp(node.pattern, 'u'))) open.push(path);
    };
    walk(schemaNode(schema), '');
    expect(open).toEqual([]);
  });

  test('every key of the schema has a meaning, and a default or a word on when it is required', () => {
    for (const schema of [GatewayFileSchema, SessionFileSchema]) {
      for (const { key, node } of keysOf(schemaNode(schema))) expect(node.description, key).toMatch(/[.)]$/);
    }
  });
});
