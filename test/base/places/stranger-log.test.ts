// The log budget of strangers.

import { expect, test } from 'vitest';
import { StrangerLog } from '../../../src/base/places/stranger-log.ts';

function rig() {
  const lines: string[] = [];
  const due: { readonly at: number; readonly run: () => void }[] = [];
  let now = 0;
  const log = new StrangerLog({
    log: (level, text) => lines.push(`${level} ${text}`),
    elapsedMs: () => now,
    later: (run, ms) => due.push({ at: now + ms, run }),
  });
  const say = (address: string, text: string, session: string | null = null): void =>
    log.say({ address, text, fields: {}, session });
  const pass = (ms: number): void => {
    now += ms;
    for (const { run } of due.filter(({ at }) => at <= now)) run();
    due.splice(0, due.length, ...due.filter(({ at }) => at > now));
  };
  return { lines, say, pass };
}

test('logs one line per address or IPv6 /64 and minute, then the count of the lines left out', () => {
  const { lines, say, pass } = rig();
  for (let n = 0; n < 100; n++) say('198.51.100.7', `line ${n}`);
  say('::ffff:198.51.100.7', 'the same address');
  for (let n = 0; n < 5; n++) say(`2001:db8::${n}`, `prefix ${n}`);
  expect(lines).toEqual(['warn line 0', 'warn prefix 0']);
  pass(60_000);
  expect(lines.slice(2)).toEqual([
    'warn 100 more of connections from 198.51.100.7 within a minute were left out',
    'warn 4 more of connections from 2001:db8:0:0::/64 within a minute were left out',
  ]);
  say('198.51.100.7', 'a minute later');
  pass(120_000);
  expect(lines.slice(4)).toEqual(['warn a minute later']);
});

test('a configured session has a line beside the others of its address', () => {
  const { lines, say } = rig();
  for (const session of [null, 'ONE', 'TWO', null, 'ONE']) say('198.51.100.7', `of ${session}`, session);
  expect(lines).toEqual(['warn of null', 'warn of ONE', 'warn of TWO']);
});

test('ten thousand addresses write 501 lines a minute, and a count of all others', () => {
  const { lines, say, pass } = rig();
  for (let n = 0; n < 10_000; n++) say(`10.0.${n >> 8}.${n & 255}`, 'here');
  expect(lines).toHaveLength(501);
  pass(60_000);
  expect(lines.slice(501)).toEqual([
    'warn 9499 more of connections from other addresses within a minute were left out',
  ]);
});
