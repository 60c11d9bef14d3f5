// World and fault files as people leave them: used, or refused in words with the file's name. A failure prints its seed.

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import { loadFaults } from '../../../src/simulator/control/fault-file.ts';
import { checkWorld } from '../../../src/simulator/world/world-check.ts';
import { loadWorld } from '../../../src/simulator/world/world-file.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { damagedBy, unruly } from '../../support/random/unruly-files.ts';

const WORLD = `assets:
  - symbol: USDC
    indexPrice: "1"
  - symbol: BTC
    networks: [BTC]
markets:
  - symbol: BTCUSDC
    tickSize: "0.1"
    pricePrecision: 1
users:
  - name: solo
    userId: "31"
    keys:
      - { name: solo-hmac, kind: hmac }
accounts:
  - tradingAccountId: "111000000000007"
    user: solo
    balances:
      USDC: "100000"
`;
const FAULTS = `answers:
  - what: lost
    on: create
    times: 2
streams:
  - what: duplicate
    probability: 0.5
latency:
  kind: quantiles
  points: [[0.5, 10], [1, 20]]
timed:
  - what: cutStreams
    everyMs: 1000
clockOffsetMs: 5
commandsHeld: true
`;

const file = join(tmpdir(), `crossgate-plain-${process.pid}.yaml`);
const refusal = (text: string | Buffer, load: (path: string) => unknown): string => {
  writeFileSync(file, text);
  try {
    load(file);
    return '';
  } catch (error) {
    if (!(error instanceof CrossgateError)) throw error;
    return error.message;
  }
};

test('a damaged world or fault file is used, or refused in words with its name', () => {
  expect(refusal(WORLD, loadWorld)).toBe('');
  expect(refusal(FAULTS, loadFaults)).toBe('');
  const property = fc.property(unruly(), unruly(), (world, faults) => {
    const answers = [
      refusal(damagedBy(world, WORLD), (path) => {
        const loaded = loadWorld(path);
        // The check reports contradictions in its own words.
        expect(() => checkWorld(loaded)).not.toThrow(TypeError);
      }),
      refusal(damagedBy(faults, FAULTS), loadFaults),
    ];
    for (const words of answers.filter((each) => each !== '')) {
      expect(words).toContain(file);
      expect(words).not.toMatch(/undefined|\[object|TypeError|call stack|is not a function|Cannot read/);
    }
  });
  checkProperty(property, 200);
});

test.each([
  ['a line of it', 'answers: [', /line 1 is not readable: /],
  ['what its aliases make', 'answers: *all', /its aliases/],
  ['its encoding', Buffer.from('# J\xfcrgen\n', 'latin1'), /not UTF-8 text/],
  ['a list', '- 1', /no list of `key: value` lines/],
  ['bytes in it', 'answers: !!binary aGk=', /tags such as `!!binary`/],
  ['a latency that is none', 'latency: 5', /latency must be an object/],
])('a fault file is refused for %s', (_, text, words) => {
  expect(refusal(text, loadFaults)).toMatch(words);
});

test('reads a byte order mark and Windows line ends; an empty file arms nothing', () => {
  expect(refusal(`\uFEFF${WORLD.replaceAll('\n', '\r\n')}`, loadWorld)).toBe('');
  writeFileSync(file, '# nothing yet\n');
  expect(loadFaults(file).answers).toEqual([]);
});
