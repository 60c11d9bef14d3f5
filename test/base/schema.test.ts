// The builders of schemas against typebox's own, with their types: the results are equal, to the order of keys.

import { Type as Typebox } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from '../../src/base/schema.ts';

/** One schema with every builder, by either. */
function everything(type: typeof Type): object {
  return type.Object(
    {
      text: type.String({ pattern: '^a$', maxLength: 3, description: 'words', kind: 'secret' }),
      bare: type.Optional(type.String()),
      count: type.Optional(type.Integer({ minimum: 1, default: 2 })),
      share: type.Number({ maximum: 1 }),
      flag: type.Boolean({ default: false }),
      none: type.Optional(type.Union([type.Null(), type.Literal('a'), type.Literal(1)], { description: 'or none' })),
      word: type.Enum(['a', 'b'], { description: 'a word' }),
      many: type.Array(type.Unsafe<'x'>({ type: 'string', enum: ['x'] }), { minItems: 1, default: [] }),
      named: type.Record(type.String({ pattern: '^[A-Z]+$' }), type.Number(), { description: 'by name' }),
      free: type.Record(type.String(), type.Object({})),
      inner: type.Optional(type.Object({ a: type.Optional(type.Null()) }, { additionalProperties: false })),
    },
    { additionalProperties: false, $id: 'all' },
  );
}

test("schemas are built as typebox's own builders build them", () => {
  const theirs = everything(Typebox as unknown as typeof Type);
  expect(Object.keys((theirs as { properties: object }).properties)).toHaveLength(11);
  expect(JSON.stringify(everything(Type), null, 1)).toBe(JSON.stringify(theirs, null, 1));
});

test('a schema that may be absent in one place is needed where it stands as it is', () => {
  const shared = Type.String({ default: 'a' });
  expect(Type.Object({ a: Type.Optional(shared), b: shared })).toMatchObject({ required: ['b'] });
  expect(Object.keys(Type.Optional(shared))).toEqual(['type', 'default']);
});
