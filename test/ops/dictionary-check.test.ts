// `crossgate check` and data dictionaries: what a start would end at is a problem before it.

import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkDictionaries, formatProblems } from '../../src/ops/mod.ts';
import { configurationFolder, GATEWAY, SESSION } from './configuration-folder.ts';

const OURS = fileURLToPath(new URL('../../dictionaries', import.meta.url));

test('a dictionary that is missing or broken, and an overlay with a fault, are problems with file and line', async () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': SESSION.replace('OMS', 'TWO'),
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  const { config, problems } = folder.load();
  expect(problems).toEqual([]);
  const found = async (): Promise<string> => formatProblems(await checkDictionaries(config!));
  expect(await checkDictionaries(config!)).toEqual([]);

  const overlay = '<fix><messages><message name="NewOrderSingle" msgtype="D" msgcat="app">\n<field name="Nope"/>';
  writeFileSync(join(house, 'FIX44.overlay.xml'), `${overlay}</message></messages></fix>`);
  const one = await found();
  expect(one).toContain('FIX44.overlay.xml:2:');
  expect(one).toContain('Nope');
  expect(one).toContain('sessions/OMS.yaml speaks FIX.4.4');
  expect(one).toContain('1 problem in the configuration.');

  rmSync(join(house, 'FIX44.overlay.xml'));
  rmSync(join(house, 'FIX44.xml'));
  expect(await found()).toContain(`${join(house, 'FIX44.xml')}: there is no such file`);
});
