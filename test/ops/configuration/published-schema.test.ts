// The schemas that editors complete by take what the gateway takes, and refuse a misspelt key.

import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type PublishedFile, publishedSchema } from '../../../src/ops/configuration/published-schema.ts';

const SAMPLES = new URL('../../../sessions/', import.meta.url);
const NAMES = readdirSync(SAMPLES).filter((name) => name.endsWith('.yaml'));

const fileOf = (name: string): PublishedFile =>
  name === 'gateway.yaml' ? 'gateway' : name === 'defaults.yaml' ? 'defaults' : 'session';

/** As an editor: strict, with no keyword of ours. */
function validator(file: PublishedFile) {
  return new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(JSON.parse(publishedSchema(file)));
}

test.each(NAMES)('the sample %s is valid by its schema', (name) => {
  const validate = validator(fileOf(name));
  validate(parse(readFileSync(new URL(name, SAMPLES), 'utf8')) ?? {});
  expect(validate.errors).toBeNull();
});

test.each(['gateway', 'session', 'defaults'] as const)('the schema of %s refuses a misspelt key', (file) => {
  const validate = validator(file);
  expect(validate({ misspelt: 1 })).toBe(false);
});

test('the schema of defaults.yaml has no key that tells sessions apart', () => {
  const { properties } = JSON.parse(publishedSchema('defaults')) as { properties: Record<string, unknown> };
  expect(Object.keys(properties)).not.toContain('targetCompID');
  expect(Object.keys(properties)).toContain('senderCompID');
});

test('every key of a session file has a description to show', () => {
  const { properties } = JSON.parse(publishedSchema('session')) as {
    properties: Record<string, { description?: string }>;
  };
  const without = Object.entries(properties).filter(([, { description = '' }]) => description === '');
  expect(without.map(([key]) => key)).toEqual([]);
});
