// The dictionaries that the engine finds in its folder: of each BeginString, with what a house adds in an overlay.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { loadDictionary } from '../../../src/dictionary/mod.ts';
import { loadVersion, validatorSwitches, versionOf } from '../../../src/engine/sessions/dictionaries.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';

const OURS = fileURLToPath(new URL('../../../dictionaries', import.meta.url));
const ORDER =
  '35=D|49=OMS|56=GATE|34=2|52=20261121-10:00:00|11=A|9011=desk 7|55=BTCUSDC|54=1|60=20261121-10:00:00|38=1|40=2|44=1|';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'crossgate-dictionaries-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  cpSync(OURS, path, { recursive: true });
  return path;
}

async function faultOf(directory: string, message: string): Promise<string> {
  const version = await loadVersion(directory, 'FIX.4.4');
  const fault = version!.newValidator().validate(viewOf(fromPrintable(message))!);
  return fault === null ? 'ok' : `${fault.sessionRejectReason} ${fault.refTagID}`;
}

test('OnBehalfOfCompID(115) may stand in the body of a `venue` session, as in the exchange’s own document', async () => {
  const version = await loadVersion(OURS, 'FIX.4.4');
  const message = `${ORDER.replace('9011=desk 7|', '')}115=FIRM|59=1|`;
  const say = (sendsSessionStatus: boolean) =>
    version!.newValidator(validatorSwitches({ sendsSessionStatus })).validate(viewOf(fromPrintable(message))!);
  expect(say(true)).toBeNull();
  expect(say(false)).toMatchObject({ sessionRejectReason: 14, refTagID: 115 });
});

test('a field of a house is refused, and taken once FIX44.overlay.xml beside the dictionary defines it', async () => {
  const directory = folder();
  expect(await faultOf(directory, ORDER)).toBe('3 9011');
  writeFileSync(
    join(directory, 'FIX44.overlay.xml'),
    `<fix type='FIX' major='4' minor='4'>
      <messages><message name='NewOrderSingle' msgtype='D' msgcat='app'><field name='Desk' required='N'/></message></messages>
      <fields><field number='9011' name='Desk' type='STRING'/></fields>
    </fix>`,
  );
  expect(await faultOf(directory, ORDER)).toBe('ok');
});

test.each([
  ['FIX.4.4', 'FIX44', "major='4' minor='4'"],
  ['FIXT.1.1', 'FIX50SP2', "major='5' minor='0' servicepack='2'"],
])('accepts a message that the overlay of %s defines, also unlisted in MsgType(35)', async (version, name, root) => {
  const directory = folder();
  writeFileSync(
    join(directory, `${name}.overlay.xml`),
    `<fix type='FIX' ${root}>
      <messages><message name='HouseOrder' msgtype='U77' msgcat='app'><field name='Desk' required='Y'/></message></messages>
      <fields><field number='9011' name='Desk' type='STRING'/></fields>
    </fix>`,
  );
  const validator = (await loadVersion(directory, version))!.newValidator();
  const say = (text: string) => {
    const message = `35=${text}`.replace('|', '|49=OMS|56=GATE|34=2|52=20261121-10:00:00|');
    const fault = validator.validate(viewOf(fromPrintable(message, version))!);
    return fault === null ? 'ok' : `${fault.sessionRejectReason} ${fault.refTagID}`;
  };
  expect([say('U77|9011=a|'), say('U77|'), say('U78|9011=a|')]).toEqual(['ok', '1 9011', '11 35']);
});

test('an overlay that is wrong stops the start with its place', async () => {
  const directory = folder();
  writeFileSync(
    join(directory, 'FIX44.overlay.xml'),
    `<fix type='FIX' major='4' minor='4'>\n  <fields><field name='X'/></fields></fix>`,
  );
  await expect(loadVersion(directory, 'FIX.4.4')).rejects.toThrow(
    'FIX44.overlay.xml:2:11: <field> needs the attribute number',
  );
});

test('reports an overlay without its dictionary, with the place to copy that from', async () => {
  const directory = folder();
  rmSync(join(directory, 'FIX44.xml'));
  writeFileSync(join(directory, 'FIX44.overlay.xml'), `<fix type='FIX' major='4' minor='4'></fix>`);
  await expect(loadVersion(directory, 'FIX.4.4')).rejects.toThrow(
    `${join(directory, 'FIX44.xml')}: there is no such file, which FIX44.overlay.xml beside it adds to: copy ${join(OURS, 'FIX44.xml')} there`,
  );
});

test('no orders are carried in a version that has no dictionary here', async () => {
  expect(await loadVersion(OURS, 'FIX.4.0')).toBeNull();
});

test.each([
  ['FIX50SP1', 'FIX.5.0SP1', '8'],
  ['FIX50SP2', 'FIX.5.0SP2', '9'],
  ['FIX50', 'FIX.5.0', '7'],
])(
  'a dictionary without type and service pack, as QuickFIX/J has %s, is of the version of its name',
  async (name, version, applVerID) => {
    const directory = folder();
    const file = join(directory, `${name}.xml`);
    const xml = readFileSync(join(OURS, `${name}.xml`), 'utf8');
    writeFileSync(file, xml.replace(/<fix [^>]*>/, '<fix major="5" minor="0">'));
    const transport = readFileSync(join(OURS, 'FIXT11.xml'), 'utf8');
    writeFileSync(join(directory, 'FIXT11.xml'), transport.replace(/<fix [^>]*>/, '<fix major="1" minor="1">'));
    const spoken = versionOf({ beginString: 'FIXT.1.1', defaultApplVerID: applVerID as '9' });
    const loaded = await loadVersion(directory, spoken);
    expect(loaded!.names.map((one) => one.version)).toEqual([version, 'FIXT.1.1']);
  },
);

test('refuses a dictionary of another version than its name, as `dictionary check` does', async () => {
  const directory = folder();
  const file = join(directory, 'FIX44.xml');
  writeFileSync(file, readFileSync(join(OURS, 'FIX42.xml'), 'utf8'));
  const text = 'the root says that it is of FIX.4.2, and by its name it is of FIX.4.4';
  await expect(loadVersion(directory, 'FIX.4.4')).rejects.toThrow(new RegExp(`${file}:\\d+:\\d+: ${text}`));
  expect(() => loadDictionary(readFileSync(file, 'utf8'), file)).toThrow(text);
});
