// The short form of the floods: `npm run nightly -- hostile` measures all of them for longer. It prints figures and fails on none.

import { expect, test } from 'vitest';
import { floods } from './floods.ts';

test('S14 answers every order of another session beside floods of orders and cancels', async () => {
  const figures = await floods(['orders', 'cancels'], 2);
  for (const { delays, attack } of figures) {
    expect(delays.unanswered).toBe(0);
    expect(delays.count).toBeGreaterThan(0);
    expect(attack.messages).toBeGreaterThan(1_000);
  }
});
