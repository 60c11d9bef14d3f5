// Whatever stands in the files: an answer in words or a configuration, never a crash, never a secret.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeConfiguration } from '../../src/ops/mod.ts';
import { configurationFolder, GATEWAY, SESSION } from './configuration-folder.ts';

const SECRET = 'hunter2hunter2';

const odd = fc.constantFrom(
  'null',
  '[]',
  '{}',
  '""',
  '-1',
  '1e999',
  '.nan',
  '~',
  '"\\u0000"',
  '[[[[]]]]',
  '{a: {b: c}}',
  '!!binary aGk=',
  '&a x',
  '*a',
  '99999999999999999999',
  'true',
  '"0"',
  'off',
  '|\n  x',
  '"111"',
  '2026-01-01',
  `"${SECRET}"`,
);

/** One damage to the lines of a file. */
const damage = fc.record({
  line: fc.nat(30),
  kind: fc.constantFrom('drop', 'twice', 'value', 'key', 'indent', 'cut'),
  value: odd,
});

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(text: string, damages: readonly Damage[]): string {
  const lines = text.split('\n');
  for (const { line, kind, value } of damages) {
    const at = line % lines.length;
    const old = lines[at] ?? '';
    if (kind === 'drop') lines.splice(at, 1);
    else if (kind === 'twice') lines.splice(at, 0, old);
    else if (kind === 'value') lines[at] = old.replace(/:.*$/, `: ${value}`);
    else if (kind === 'key') lines[at] = old.replace(/\w+:/, 'wrong:');
    else if (kind === 'indent') lines[at] = `  ${old}`;
    else lines[at] = old.slice(0, Math.floor(old.length / 2));
  }
  return lines.join('\n');
}

test('a damaged configuration gives problems or a frozen configuration, never a crash', () => {
  const folder = configurationFolder();
  const damages = fc.array(damage, { maxLength: 3 });
  const property = fc.property(damages, damages, damages, (gateway, session, defaults) => {
    folder.write('sessions/gateway.yaml', damaged(GATEWAY, gateway));
    folder.write('sessions/OMS.yaml', damaged(SESSION, session));
    folder.write(
      'sessions/defaults.yaml',
      damaged('heartBtIntS: 30\nsymbols: [A]\nlimits:\n  openOrdersMax: 3\n', defaults),
    );
    const loaded = folder.load();
    expect(loaded.config === null).toBe(loaded.problems.length > 0);
    expect(Object.isFrozen(loaded.config ?? Object.freeze({}))).toBe(true);
    for (const { problem, remedy, file } of loaded.problems) {
      expect(problem).not.toBe('');
      expect(remedy).not.toBe('');
      expect(file).not.toBe('');
    }
    for (const { key, value } of [...loaded.problems, ...describeConfiguration(loaded)]) {
      if (/\b(password|key|certificate)$/.test(key)) expect(value ?? '').not.toContain(SECRET);
    }
  });
  fc.assert(property, { numRuns: 200 });
});
