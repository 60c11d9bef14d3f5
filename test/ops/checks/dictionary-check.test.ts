// `crossgate check` and data dictionaries: what a start would end at is a problem before it.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadVersion } from '../../../src/engine/mod.ts';
import { checkDictionariesInUse } from '../../../src/ops/checks/dictionary-check.ts';
import { formatProblems } from '../../../src/ops/mod.ts';
import { checkDictionaries, describeConfiguration } from '../../../src/ops/whole-ops.ts';
import { configurationFolder, GATEWAY, SESSION } from '../configuration-folder.ts';

const OURS = fileURLToPath(new URL('../../../dictionaries', import.meta.url));

test('a dictionary that is missing or broken, and an overlay with a fault, are problems with file and line', async () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': SESSION.replace('OMS', 'TWO'),
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  const { config, problems } = folder.load();
  expect(problems).toEqual([]);
  const found = async (): Promise<string> => formatProblems((await checkDictionaries(config!)).problems);
  expect(await checkDictionaries(config!)).toEqual({ problems: [], warnings: [] });

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

test('a dictionary of another version than its name says is a problem', async () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': `${SESSION.replace('OMS', 'TWO')}beginString: FIXT.1.1\n`,
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  cpSync(join(OURS, 'FIX42.xml'), join(house, 'FIX44.xml'));
  cpSync(join(OURS, 'FIXT11.xml'), join(house, 'FIX50SP2.xml'));
  const problems = (await checkDictionaries(folder.load().config!)).problems.map(({ problem }) =>
    problem.replace(/\.xml:\d+:\d+:/, '.xml:'),
  );
  expect(problems).toEqual([
    `${join(house, 'FIX44.xml')}: the root says that it is of FIX.4.2, and by its name it is of FIX.4.4`,
    `${join(house, 'FIX50SP2.xml')}: the root says that it is of FIXT.1.1, and by its name it is of FIX.5.0SP2`,
  ]);
});

test("T2 warns of a TimeInForce for GTX that the session's dictionary lacks", async () => {
  const session = (name: string, more: string): string =>
    `${SESSION.replace('OMS', name).replace('oms.password', `${name}.password`)}${more}\n`;
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'OLD.yaml': session('OLD', 'beginString: FIX.4.2\ngtxAliases: ["7", "9"]'),
    'PLAIN.yaml': session('PLAIN', 'gtxAliases: ["7", "B"]'),
    'NEW.yaml': session('NEW', 'beginString: FIXT.1.1\ngtxAliases: ["7", "9", "B"]'),
    'LAX.yaml': session('LAX', 'gtxAliases: ["9"]\nvalidateIncoming: false'),
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  const { config, problems } = folder.load();
  expect(problems).toEqual([]);
  const said = async (): Promise<string[]> =>
    (await checkDictionaries(config!)).warnings.map(({ file, key, problem }) => `${file} ${key}: ${problem}`);
  const refused = (values: string, version: string): string =>
    `the dictionary of ${version} has no TimeInForce(59)=${values}: an order with it is refused by Reject(3)`;
  expect(await said()).toEqual([
    `sessions/OLD.yaml gtxAliases: ${refused('7, 9', 'FIX.4.2')}`,
    `sessions/PLAIN.yaml gtxAliases: ${refused('B', 'FIX.4.4')}`,
  ]);
  const value = '<value enum="B" description="GOOD_THROUGH_CROSSING_B"/>';
  const overlay = `<fix><fields><field number="59" name="TimeInForce" type="CHAR">${value}</field></fields></fix>`;
  writeFileSync(join(house, 'FIX44.overlay.xml'), overlay);
  expect(await said()).toEqual([`sessions/OLD.yaml gtxAliases: ${refused('7, 9', 'FIX.4.2')}`]);
});

test("check lists each session's dictionaries and overlays, and warns of unused overlays", () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': `${SESSION.replace('OMS', 'TWO').replace('oms.password', 'two.password')}beginString: FIXT.1.1\napplVerIDs: ["7"]\n`,
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  writeFileSync(join(house, 'FIX44.overlay.xml'), '<fix/>');
  writeFileSync(join(house, 'FIXT11.overlay.xml'), '<fix/>');
  writeFileSync(join(house, 'FIX44-Overlay.xml'), '<fix/>');
  const loaded = folder.load();
  const files = describeConfiguration(loaded).filter(
    ({ key }) => key.endsWith('.dictionaries') && key !== 'gateway.dictionaries',
  );
  expect(files).toEqual([
    {
      key: 'derived.FIX.4.4:GATE->OMS.dictionaries',
      value: 'FIX44.xml, FIX44.overlay.xml',
      origin: `sessions/OMS.yaml: version spoken, and overlays in ${house}`,
    },
    {
      key: 'derived.FIXT.1.1:GATE->TWO.dictionaries',
      value: 'FIX50SP2.xml, FIXT11.xml, FIXT11.overlay.xml, FIX50.xml',
      origin: `sessions/TWO.yaml: version spoken, and overlays in ${house}`,
    },
  ]);
  expect(loaded.warnings.map(({ file }) => file)).toEqual([join(house, 'FIX44-Overlay.xml')]);
});

test('an overlay that cannot be read is a problem in words', async () => {
  const folder = configurationFolder({ 'gateway.yaml': `${GATEWAY}dictionaries: house\n` });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  mkdirSync(join(house, 'FIX44.overlay.xml'));
  const [problem, ...rest] = (await checkDictionaries(folder.load().config!)).problems;
  expect(rest).toEqual([]);
  expect(problem?.problem).toContain(`${join(house, 'FIX44.overlay.xml')}: EISDIR`);
});

test("reports a house dictionary's gaps by file, message, field, session and reason", async () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': SESSION.replace('OMS', 'TWO'),
    'LAX.yaml': `${SESSION.replace('OMS', 'LAX')}validateIncoming: false\n`,
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  const stock = readFileSync(join(house, 'FIX44.xml'), 'utf8')
    .replace(/(<message name='Logon'[\s\S]*?)<field name='Password'[^>]*\/>/, '$1')
    .replace(/(<field number='59'[\s\S]*?)<value enum='1'[^>]*\/>/, '$1');
  writeFileSync(join(house, 'FIX44.xml'), stock);
  const { config } = folder.load();
  const said = async (): Promise<string[][]> => {
    const { problems, warnings } = await checkDictionaries(config!);
    return [problems, warnings].map((found) => found.map(({ file, problem }) => `${file}: ${problem}`));
  };
  const file = join(house, 'FIX44.xml');
  expect(await said()).toEqual([
    [
      `${file}: FIX44.xml: Logon(A) lacks Password(554), which session OMS and 1 more need because its counterparty logs on with it`,
    ],
    [
      `${file}: FIX44.xml: NewOrderSingle(D) lacks TimeInForce(59)=1, which session OMS and 1 more need because an order with TimeInForce(59)=1 would be rejected`,
    ],
  ]);
  const logon = "<message name='Logon' msgtype='A' msgcat='admin'><field name='Password' required='N'/></message>";
  const value = "<field number='59' name='TimeInForce'><value enum='1' description='GOOD_TILL_CANCEL'/></field>";
  const overlay = `<fix><messages>${logon}</messages><fields>${value}</fields></fix>`;
  writeFileSync(join(house, 'FIX44.overlay.xml'), overlay);
  expect(await said()).toEqual([[], []]);
});

test('a version that no session spoke before is checked for fatal gaps as its files are', async () => {
  const folder = configurationFolder({
    'gateway.yaml': `${GATEWAY}dictionaries: house\n`,
    'TWO.yaml': `${SESSION.replace('OMS', 'TWO')}beginString: FIX.4.2\n`,
  });
  const house = join(folder.path, 'house');
  cpSync(OURS, house, { recursive: true });
  const orders = readFileSync(join(house, 'FIX42.xml'), 'utf8');
  writeFileSync(join(house, 'FIX42.xml'), orders.replace(/<message name='NewOrderSingle'[\s\S]*?<\/message>/, ''));
  const { config } = folder.load();
  const inUse = await loadVersion(house, 'FIX.4.4');
  const administration = { dictionariesOf: (version: string) => (version === 'FIX.4.4' ? inUse! : undefined) };
  const { problems } = await checkDictionariesInUse(config, administration as never);
  expect(formatProblems(problems)).toMatch(/FIX42\.xml: .*NewOrderSingle/);
});
