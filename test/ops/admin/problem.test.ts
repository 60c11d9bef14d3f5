// Words for problems: what was meant, what may be shown.

import { expect, test } from 'vitest';
import { didYouMean } from '../../../src/base/did-you-mean.ts';
import { formatProblems, keyPath, showValue } from '../../../src/ops/configuration/config-problem.ts';
import { configurationFolder, GATEWAY, SESSION } from '../configuration-folder.ts';

test.each([
  ['heartBtInt', 'heartBtIntS'],
  ['targetCompId', 'targetCompID'],
  ['tsl', 'tls'],
  ['sendercompid', 'senderCompID'],
  ['colour', null],
  ['x', null],
  ['y'.repeat(10_000), null],
])('%.20s was meant as %s', (word, meant) => {
  expect(didYouMean(word, ['heartBtIntS', 'heartBtIntMinS', 'targetCompID', 'senderCompID', 'tls'])).toBe(meant);
});

test('a path of keys reads as people write it', () => {
  expect(keyPath(['fix', 'listen', 0, 'port'])).toBe('fix.listen[0].port');
});

test('a value is shown short, and not at all under a name that says secret', () => {
  expect(showValue('a', 'x'.repeat(500))?.length).toBeLessThan(100);
  expect(showValue('a.b', { c: 1 })).toBe('{"c":1}');
  expect(showValue('a', undefined)).toBeNull();
  expect(showValue('session.apiToken', 'hunter2')).toBe('[redacted]');
  expect(showValue('password', 'hunter2')).toBe('[redacted]');
  expect(showValue('admin.sharedToken', false)).toBe('false');
  expect(showValue('password', 'env:OMS')).toBe('env:OMS');
  expect(showValue('exchange.credentials[0].key', 'file:a.json')).toBe('file:a.json');
});

test('a problem has no terminal control from the file', () => {
  const { problems } = configurationFolder({
    'gateway.yaml': `${GATEWAY.replace('state: state', 'state: "st\\e[31mate"')}"x\\u202Ey": 1\n`,
    'OMS.yaml': SESSION.replace('file:oms.password', '"file:oms\\u009B.password"'),
  }).load();
  expect(problems.map(({ key, problem }) => [key, problem])).toEqual([
    ['state', 'has a form that is not accepted here'],
    ['x\u202ey', 'unknown key'],
    ['password', 'the path has a control character in it'],
  ]);
  expect(formatProblems(problems)).toContain('state = st?[31mate\n');
  expect(formatProblems(problems).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('nor may a variable that overrides a path hold one', () => {
  const { problems } = configurationFolder().load({ environment: { CROSSGATE_STATE: 'a\u001b[31m' } });
  expect(problems.map(({ key }) => key)).toEqual(['state']);
});

test.each([
  ['lines of a settings file', 'nonsense\n'.repeat(120_000), 'STRAY.cfg'],
  [
    'settings that there are none of',
    `[SESSION]\n${Array.from({ length: 30_000 }, (_, i) => `Key${i}=1\n`).join('')}`,
    'STRAY.cfg',
  ],
  [
    'settings of everybody',
    `[DEFAULT]\n${Array.from({ length: 30_000 }, (_, i) => `Key${i}=1\n`).join('')}${'[SESSION]\nTargetCompID=T\n'.repeat(1000)}`,
    'STRAY.cfg',
  ],
  ['brackets', `x: ${'['.repeat(5000)}\n`],
  ['one key over and over', 'a: 1\n'.repeat(190_000)],
  ['keys that there are none of', Array.from({ length: 40_000 }, (_, i) => `key${i}: 1\n`).join('')],
  ['lines of a log', '2026-01-01 12:00:00 [warn] "a: b": c\n'.repeat(20_000)],
  ['a list of nonsense', `accounts:\n${'  - { x: 1 }\n'.repeat(60_000)}`],
])(
  'reports a file that is no configuration, %s, by its first problems',
  (_, text, name = 'STRAY.yaml') => {
    const { config, problems, warnings } = configurationFolder({ [name]: text }).load();
    expect(warnings.length).toBeLessThan(60);
    expect(config).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThan(120);
    expect(new Set(problems.map((one) => JSON.stringify(one))).size).toBe(problems.length);
  },
  60_000,
);
