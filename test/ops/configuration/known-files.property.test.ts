// A configuration read with files that are known equals one that is read afresh, whatever was changed in between.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoadedConfiguration } from '../../../src/ops/mod.ts';
import { describeConfiguration, KnownFiles } from '../../../src/ops/whole-ops.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { configurationFolder, GATEWAY, SESSION } from '../configuration-folder.ts';

const SOUND = (name: string): string => SESSION.replace('OMS', name).replace('oms.password', `${name}.password`);
const SESSION_NAMES = ['A', 'B', 'C', 'D'] as const;
const CFG = '[DEFAULT]\nConnectionType=acceptor\nSenderCompID=GATE\nBeginString=FIX.4.4\n[SESSION]\nTargetCompID=A\n';
/** Null removes the file. */
const sessionText = (name: string) =>
  fc.constantFrom(
    SOUND(name),
    `\n# later\n${SOUND(name)}`,
    SOUND(name).replace('"10"', '"20"'),
    SOUND(name).replace('openOrdersMax: 5', 'openOrdersMax: many'),
    SOUND('A'),
    `${SOUND(name)}password: again\n`,
    `${SOUND(name)}logon: { signature: { algorithm: hmac-sha256, key: "env:KEY_${name}" } }\n`,
    'heartBtIntS: [\n',
    '',
    null,
  );
const edit = fc.oneof(
  ...SESSION_NAMES.map((name) => fc.tuple(fc.constant(`${name}.yaml`), sessionText(name))),
  fc.tuple(
    fc.constant('defaults.yaml'),
    fc.constantFrom(null, '', 'heartBtIntS: 20\n', 'heartBtIntS: x\n', 'lostAfter: 3\nlimits: { openOrdersMax: 7 }\n'),
  ),
  fc.tuple(
    fc.constant('gateway.yaml'),
    fc.constantFrom(GATEWAY, `${GATEWAY}workers: 2\n`, GATEWAY.replace('111', '333')),
  ),
  fc.tuple(fc.constant('A.cfg'), fc.constantFrom(null, CFG)),
);
const rounds = fc.array(
  fc.record({
    edits: fc.array(edit, { maxLength: 4 }),
    environment: fc.constantFrom({}, { KEY_A: 'x', KEY_B: 'y' }, { CROSSGATE_STATE: 'elsewhere' }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** All that a reader can see of it; secrets are read by functions. */
function visible(loaded: LoadedConfiguration): unknown {
  const { origins: _, ...rest } = loaded;
  const plain = JSON.stringify(rest, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
  return { plain: JSON.parse(plain) as unknown, described: describeConfiguration(loaded) };
}

test('a reading with known files equals a fresh one after any edits', () => {
  const folder = configurationFolder();
  const property = fc.property(rounds, (changes) => {
    const known = new KnownFiles();
    for (const { edits, environment } of changes) {
      for (const [name, text] of edits) {
        const path = join(folder.path, 'sessions', name);
        if (text === null) rmSync(path, { force: true });
        else writeFileSync(path, text);
      }
      const cached = folder.load({ environment, known });
      expect(visible(cached)).toEqual(visible(folder.load({ environment })));
    }
  });
  checkProperty(property, 60);
});

test('only a file with other bytes is parsed and checked again', () => {
  const folder = configurationFolder({ 'B.yaml': SOUND('B') });
  const known = new KnownFiles();
  const before = folder.load({ known });
  folder.write('sessions/B.yaml', SOUND('B').replace('"10"', '"20"'));
  const after = folder.load({ known });
  expect(after.effective.get('sessions.OMS')).toBe(before.effective.get('sessions.OMS'));
  expect(after.effective.get('sessions.B')).not.toBe(before.effective.get('sessions.B'));
  folder.write('sessions/defaults.yaml', 'heartBtIntS: 20\n');
  expect(folder.load({ known }).effective.get('sessions.OMS')).not.toBe(before.effective.get('sessions.OMS'));
});
