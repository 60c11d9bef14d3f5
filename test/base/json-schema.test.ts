// The schema builders against typebox itself: the same JSON for the same words.

import { Type as TypeBox } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from '../../src/base/json-schema.ts';

type Words = typeof Type;

const SCHEMAS: Readonly<Record<string, (t: Words) => unknown>> = {
  'an object with a required and an optional property': (t) =>
    t.Object(
      { a: t.Optional(t.String({ minLength: 1 })), b: t.Integer({ minimum: 0 }) },
      { additionalProperties: false },
    ),
  'an object that requires nothing': (t) => t.Object({ a: t.Optional(t.Null()) }),
  'an object without properties': (t) => t.Object({}),
  'a copy of an optional schema, which is required': (t) => t.Object({ a: { ...t.Optional(t.String()) } }),
  'an optional property of an object that is optional itself': (t) =>
    t.Object({ a: t.Optional(t.Object({ b: t.Optional(t.Number()), c: t.Boolean() })) }),
  'a list': (t) => t.Array(t.Boolean({ default: false }), { maxItems: 3 }),
  'one of several': (t) => t.Union([t.Literal('a'), t.Literal(5), t.Literal(true), t.Null()], { description: 'd' }),
  'one of several words': (t) => t.Enum(['SPOT', 'OPTION'], { description: 'd' }),
  'a record with any name': (t) => t.Record(t.String(), t.Number({ maximum: 1 })),
  'a record whose names have a form': (t) => t.Record(t.String({ pattern: '^a' }), t.Number(), { maxProperties: 3 }),
  'a record whose names have a length only': (t) => t.Record(t.String({ minLength: 1 }), t.Number()),
  'what is given as it is': (t) => t.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
};

for (const [what, schemaOf] of Object.entries(SCHEMAS)) {
  test(`${what} is the same JSON as typebox makes`, () => {
    expect(JSON.parse(JSON.stringify(schemaOf(Type)))).toEqual(JSON.parse(JSON.stringify(schemaOf(TypeBox as Words))));
  });
}

test('an optional schema can be made from one that is shared, which stays required', () => {
  const shared = Type.String();
  expect(Type.Object({ a: Type.Optional(shared), b: shared })).toMatchObject({ required: ['b'] });
});
