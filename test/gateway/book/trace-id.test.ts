// The trace id of an order: its form, that it stays the same for ever, and that no two of many orders share one.

import { expect, test } from 'vitest';
import { traceIdOf } from '../../../src/gateway/book/trace-id.ts';

test('is 32 hexadecimal digits, and the same in every version', () => {
  expect(traceIdOf('FIX.4.4:GATE->OMS', 'c-1')).toMatchInlineSnapshot(`"a8b8fba3dd9e144dce8a8d772f0ca457"`);
  expect(traceIdOf('', '')).toMatch(/^[0-9a-f]{32}$/);
});

test('differs for each of many orders that are alike', () => {
  const ids = new Set<string>();
  for (let i = 0; i < 50_000; i++) for (const session of ['A->B', 'A->C']) ids.add(traceIdOf(session, `c-${i}`));
  expect(ids.size).toBe(100_000);
  const halves = [...ids].flatMap((id) => [id.slice(0, 16), id.slice(16)]);
  expect(new Set(halves).size).toBe(200_000);
});
