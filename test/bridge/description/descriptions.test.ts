// The descriptions of the bridge: complete, true, and clean by the linters that others run on them.

import { type Diagnostic, Parser } from '@asyncapi/parser';
import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { COMMANDS, commandSchema } from '../../../src/bridge/commands/commands.ts';
import { ORDER_COMMANDS } from '../../../src/bridge/commands/order-commands.ts';
import { asyncApiDocument } from '../../../src/bridge/description/asyncapi.ts';
import { commandExample } from '../../../src/bridge/description/command-examples.ts';
import { openApiDocument } from '../../../src/bridge/description/openapi.ts';
import { samples } from '../../../src/bridge/description/samples.ts';
import { BRIDGE_FUNCTIONS } from '../../../src/bridge/port.ts';
import { ENDPOINTS } from '../../../src/bridge/reads/endpoints.ts';
import { STREAMS } from '../../../src/bridge/streams/stream-paths.ts';
import { answerSchema, nameOf } from '../../contract/endpoint-row.ts';
import { answered, framed, plainJson, topicName } from '../../contract/record-samples.ts';
import { frameSchema } from '../../contract/stream-table.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Media {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const document = openApiDocument() as { paths: Record<string, Record<string, Operation>>; components: unknown };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);

test('the OpenAPI document is clean by the rules of Spectral', async () => {
  const spectral = new Spectral();
  spectral.setRuleset(oas as never);
  const found = await spectral.run(JSON.parse(JSON.stringify(document)));
  expect(found.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
});

test('the AsyncAPI document is clean by its parser', async () => {
  const { diagnostics, document: parsed } = await new Parser().parse(JSON.stringify(asyncApiDocument()));
  const wrong = ({ severity }: Diagnostic): boolean => severity <= 1;
  expect(diagnostics.filter(wrong).map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual(
    [],
  );
  expect(
    parsed
      ?.channels()
      .all()
      .map((channel) => channel.address()),
  ).toEqual(STREAMS.map(({ path }) => path));
});

test.each(operations)(
  '%s has an operationId, a tag, a schema and an example of its answer and its body',
  (name, operation) => {
    expect(operation.operationId).toMatch(/^[a-z]\w+$/);
    for (const tag of operation.tags) expect(BRIDGE_FUNCTIONS).toHaveProperty(tag);
    const { content } = operation.responses[200]!;
    const answer = content!['application/json']!;
    const asked = operation.requestBody?.content['application/json'];
    // A command has its own examples, as many of the answer as of the request.
    if (asked !== undefined) expect(examplesOf(answer)).toHaveLength(examplesOf(asked).length);
    for (const media of [answer, ...(asked === undefined ? [] : [asked])]) expectTrueExamples(name, media);
  },
);

const examplesOf = ({ example, examples }: Media): readonly unknown[] =>
  examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);

function expectTrueExamples(name: string, media: Media): void {
  const { schema } = media;
  expect(schema, name).toBeDefined();
  const values = examplesOf(media);
  expect(values.length, name).toBeGreaterThan(0);
  const ajv = new Ajv({ strict: false });
  ajv.addSchema({ $id: 'bridge', components: document.components }, 'bridge');
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"bridge#/')));
  for (const value of values) {
    expect(value, name).toBeDefined();
    expect([validate(value), validate.errors], JSON.stringify(value)).toEqual([true, null]);
  }
}

test('every call has an operation, each with a name of its own', () => {
  const described = new Set(operations.map(([name]) => name));
  for (const { method, path } of ENDPOINTS) expect(described).toContain(`${method} ${path}`);
  for (const { path } of COMMANDS) expect(described).toContain(`POST ${path}`);
  expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
});

test.each([...COMMANDS, ...ORDER_COMMANDS].map((command) => [command.commandType, command] as const))(
  'the example of %s is a command that the bridge takes',
  (_, command) => {
    const validate = new Ajv({ strict: false }).compile(commandSchema(command));
    expect([validate(commandExample(command)), validate.errors]).toEqual([true, null]);
    expect(command.fault?.(commandExample(command)) ?? null).toBeNull();
  },
);

test('the recorded samples have the schemas of the contract suite: `npm run docs:samples` renews them', () => {
  for (const row of answered) expect(samples()[nameOf(row)]?.schema, nameOf(row)).toEqual(plainJson(answerSchema(row)));
  for (const row of framed) {
    const type = row.frames!.first === 'none' ? 'update' : row.frames!.first;
    expect(samples()[topicName(row)]?.schema, topicName(row)).toEqual(plainJson(frameSchema(row, type)));
  }
});
