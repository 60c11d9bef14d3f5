// Owners of tokens in the admin API, while tokens change.

import { expect, test } from 'vitest';
import { CallerBook } from '../../../src/ops/checks/admin-users.ts';

const TOKENS = { anna: 'token-of-anna-0123456789-abcd', bert: 'token-of-bert-0123456789-abcd' };

test("a token moved from a removed user to another has the new user's roles", () => {
  const tokens: Record<string, string> = { ...TOKENS };
  const user = (name: string) => ({
    name,
    roles: [name === 'anna' ? 'look' : 'operate'] as ('look' | 'operate')[],
    token: { reference: `file:${name}`, read: () => tokens[name]! },
  });
  const book = new CallerBook(null, [user('anna'), user('bert')]);
  expect(book.find(TOKENS.bert)).toEqual({ user: 'bert', roles: ['operate'] });
  tokens.anna = TOKENS.bert;
  for (const { take } of book.renewals((reference) => reference === 'file:anna', null)) take();
  expect(book.find(TOKENS.bert)).toEqual({ user: 'anna', roles: ['look'] });
  expect(book.find(TOKENS.anna)).toBeNull();
});
