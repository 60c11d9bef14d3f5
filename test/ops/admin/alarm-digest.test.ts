// The console's alarms: a flood of one name leaves the others in sight.

import { expect, test } from 'vitest';
import { alarmsInShort } from '../../../src/ops/admin/alarm-digest.ts';

const alarm = (name: string, at: number) => ({ at, alarm: name, text: `${name} ${at}`, fields: {} });

test('a hundred waiting orders do not displace the disk alarm behind them; their count is shown', () => {
  const waiting = Array.from({ length: 100 }, (_, k) => alarm('order-pending', 200 - k));
  const all = [...waiting, alarm('journal-unhealthy', 100), alarm('kill-switch', 99)];
  const shown = alarmsInShort(all, 50);
  expect(shown.map(({ text, more = 0 }) => `${text} +${more}`)).toEqual([
    'order-pending 200 +0',
    'order-pending 199 +0',
    'order-pending 198 +0',
    'order-pending 197 +0',
    'order-pending 196 +95',
    'journal-unhealthy 100 +0',
    'kill-switch 99 +0',
  ]);
});

test('few alarms are shown as they are, and never more than there is room for', () => {
  const few = Array.from({ length: 5 }, (_, k) => alarm('order-pending', 9 - k));
  expect(alarmsInShort(few, 50)).toEqual(few);
  const names = Array.from({ length: 60 }, (_, k) => alarm(`name-${k}`, 100 - k));
  expect(alarmsInShort(names, 50)).toEqual(names.slice(0, 50));
});
