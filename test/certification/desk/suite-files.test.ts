// The version of the rules of engagement changes with a demand on the OMS, and with nothing else.

import { expect, test } from 'vitest';
import { bindingSteps } from '../../../src/certification/desk/suite-files.ts';

const CASE = `# A comment.
case orders.limit "enters a limit order"
  rule "D7: OrderID(37) is the exchange's."
  tags orders
  ask new A side=buy qty=1
  await NewOrderSingle | OrdType=2
  hint "OrdType(40)=2 is a limit order."
`;

test.each([
  ['a title', '"enters a limit order"', '"enters an order"'],
  ['a hint', 'is a limit order.', 'is one with a Price(44).'],
  ['the wording of a rule', "is the exchange's", 'comes from the exchange'],
  ['a comment', '# A comment.', '# Another one.\n\n'],
])('%s voids no certificate', (_, before, after) => {
  expect(CASE).toContain(before);
  expect(bindingSteps(CASE.replace(before, after))).toBe(bindingSteps(CASE));
});

test.each([
  ['a field that is demanded', 'OrdType=2', 'OrdType=2 | Price=1'],
  ['an ability', 'tags orders', 'tags orders market'],
  ['a request', 'qty=1', 'qty=2'],
  ['a name', 'orders.limit', 'orders.limits'],
])('%s voids certificates', (_, before, after) => {
  expect(bindingSteps(CASE.replace(before, after))).not.toBe(bindingSteps(CASE));
});
