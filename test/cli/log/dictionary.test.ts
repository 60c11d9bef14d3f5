// `crossgate dictionary` as it is run: dictionaries checked, shown, and imported from a FIX Repository by jspurefix.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addDictionaryCommands } from '../../../src/cli/log/dictionary.ts';
import { runToExit } from '../../../src/cli/output/exit.ts';
import { loadDictionary } from '../../../src/dictionary/mod.ts';

const FIX44 = fileURLToPath(new URL('../../../dictionaries/FIX44.xml', import.meta.url));
const REPOSITORY = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data/fix_repo');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-dictionary-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command in this process, as main.ts runs it: what it prints, and its exit code. */
async function dictionary(...args: string[]): Promise<{ out: string; error: string; code: number | string }> {
  const program = new Command('crossgate').exitOverride();
  addDictionaryCommands(program);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const before = process.exitCode;
  process.exitCode = 0;
  await runToExit(() => program.parseAsync(['dictionary', ...args], { from: 'user' }));
  const [out, said] = [log, error].map((spy) => spy.mock.calls.map(([line]) => `${line}\n`).join(''));
  const code = process.exitCode;
  process.exitCode = before;
  log.mockRestore();
  error.mockRestore();
  return { out: out!, error: said!, code };
}

test('check describes a dictionary, and a broken one by file, line and column with exit code 1', async () => {
  const broken = join(folder, 'broken.xml');
  writeFileSync(
    broken,
    readFileSync(FIX44, 'utf8').replace(
      "<field name='OrigClOrdID' required='Y'/>",
      "<field name='OrigClOrdId' required='Y'/>",
    ),
  );
  const good = await dictionary('check', FIX44);
  expect(good).toMatchObject({ code: 0, error: '' });
  expect(good.out).toMatch(/FIX44\.xml: FIX\.4\.4, \d+ messages, \d+ fields, \d+ of them enumerated/);
  const both = await dictionary('check', '--json', FIX44, broken);
  expect(both.code).toBe(1);
  const [first, second] = JSON.parse(both.out) as { ok: boolean; problem: string | null; version?: string }[];
  expect(first).toMatchObject({ ok: true, version: 'FIX.4.4' });
  const line =
    readFileSync(broken, 'utf8')
      .split('\n')
      .findIndex((each) => each.includes("'OrigClOrdId'")) + 1;
  expect(second).toMatchObject({
    ok: false,
    problem: `${broken}:${line}:7: field OrigClOrdId is not defined in <fields>`,
  });
  expect(await dictionary('check', broken)).toMatchObject({ code: 1, out: '' });
  expect((await dictionary('check', join(folder, 'none.xml'))).code).toBe(2);
});

test('check names each field of a type that FIX does not have: nothing checks its values', async () => {
  const overlay = join(folder, 'house.overlay.xml');
  const fields = [
    "<field number='9001' name='HousePrice' type='PRCE'/>",
    "<field number='9002' name='HouseZone' type='tzTimestamp'/>",
    "<field number='9003' name='HouseText'/>",
  ];
  writeFileSync(overlay, `<fix type='FIX' major='4' minor='4'><fields>${fields.join('')}</fields></fix>`);
  const { out, code } = await dictionary('check', FIX44, '--overlay', overlay);
  expect(code).toBe(0);
  expect(out.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^ {2}warning: .*house\.overlay\.xml:1:45: HousePrice\(9001\) is of type PRCE/),
    '',
  ]);
  const [json] = JSON.parse((await dictionary('check', '--json', FIX44, '--overlay', overlay)).out) as object[];
  expect(json).toMatchObject({ ok: true, unknownTypes: [{ tag: 9001, name: 'HousePrice', type: 'PRCE' }] });
  for (const name of ['FIX42.xml', 'FIX44.xml', 'FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml', 'FIXT11.xml']) {
    expect((await dictionary('check', join(dirname(FIX44), name))).out.trimEnd()).not.toContain('\n');
  }
});

test('an overlay adds a field and a value to the output', async () => {
  const overlay = join(folder, 'desk.xml');
  writeFileSync(
    overlay,
    `<fix type='FIX' major='4' minor='4'><messages><message name='NewOrderSingle' msgtype='D' msgcat='app'><field name='Desk' required='N'/></message></messages>
     <fields><field number='9001' name='Desk' type='STRING'/></fields></fix>`,
  );
  const { out, code } = await dictionary('show', 'D', '--overlay', overlay);
  expect(code).toBe(0);
  expect(out).toMatch(/^NewOrderSingle \(35=D\)$/m);
  expect(out).toMatch(/^ +11 {2}ClOrdID +yes +STRING/m);
  expect(out).toMatch(/^ +453 {2}NoPartyIDs +group/m);
  expect(out).toMatch(/^ +448 {4}PartyID/m);
  expect(out).toMatch(/^ +9001 {2}Desk/m);
});

test('show prints a message as JSON, all without a name, and suggests names for an unknown one', async () => {
  const shown = JSON.parse((await dictionary('show', 'NewOrderSingle', '--version', 'FIX.5.0SP2', '--json')).out);
  expect(shown).toMatchObject({ msgType: 'D', category: 'app' });
  expect(shown.fields.find(({ tag }: { tag: number }) => tag === 54).values['1']).toBe('BUY');
  expect((await dictionary('show', '--version', 'FIX.5.0SP2')).out).toMatch(/^BW +ApplicationMessageRequest +app/m);
  expect((await dictionary('show', 'SecurityList')).out).toContain('NoRelatedSym');
  const missing = await dictionary('show', 'OrderCancel');
  expect(missing.code).toBe(1);
  expect(missing.error).toContain('there is OrderCancelReject, OrderCancelRequest, OrderCancelReplaceRequest');
});

test('import writes the dictionaries of a FIX Repository, two from FIX.5.0 on, never over a file', async () => {
  const out = join(folder, 'imported');
  const done = await dictionary('import', join(REPOSITORY, 'FIX.5.0/Base'), '--out', out, '--json');
  expect(done).toMatchObject({ code: 0, error: '' });
  expect((JSON.parse(done.out) as { file: string }[]).map(({ file }) => file)).toEqual([
    join(out, 'FIX50.xml'),
    join(out, 'FIXT11.xml'),
  ]);
  const application = loadDictionary(readFileSync(join(out, 'FIX50.xml'), 'utf8'), 'FIX50.xml');
  expect(application).toMatchObject({ version: 'FIX.5.0', applVerID: '7', beginString: 'FIXT.1.1' });
  expect(application.messages.get('D')?.members.find(({ field }) => field.name === 'NoPartyIDs')?.kind).toBe('group');
  // Where one of the two is there, the other is not written either.
  rmSync(join(out, 'FIX50.xml'));
  const second = await dictionary('import', join(REPOSITORY, 'FIX.5.0/Base'), '--out', out);
  expect([second.code, second.error]).toEqual([2, expect.stringContaining('FIXT11.xml is there already')]);
  expect(readdirSync(out)).toEqual(['FIXT11.xml']);
  writeFileSync(join(out, 'FIX40.xml'), '');
  const again = await dictionary('import', join(REPOSITORY, 'FIX.4.0/Base'), '--out', out);
  expect(again.code).toBe(2);
  expect(again.error).toContain('is there already');
  expect((await dictionary('import', join(REPOSITORY, 'FIX.4.0/Base'), '--out', out, '--force')).code).toBe(0);
  expect(loadDictionary(readFileSync(join(out, 'FIX40.xml'), 'utf8'), 'FIX40.xml').version).toBe('FIX.4.0');
});

test('refuses a folder that is no FIX Repository, with its kind', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const orchestra = join(folder, 'orchestra.xml');
  writeFileSync(orchestra, '<?xml version="1.0"?><fixr:repository name="x"/>');
  const said = async (place: string): Promise<string> => {
    const { error, code } = await dictionary('import', place, '--out', join(folder, 'none'));
    expect(code).not.toBe(0);
    return error;
  };
  expect(await said(empty)).toContain('it lacks Fields.xml, Enums.xml');
  expect(await said(FIX44)).toContain('is a QuickFIX XML dictionary already');
  expect(await said(orchestra)).toContain('is a FIX Orchestra file');
  expect(await said(join(REPOSITORY, 'fixmlschema_FIX.5.0SP2_EP228'))).toContain('holds the schema of FIXML');
  // jspurefix's FIX.4.3 has the fields of FIX.4.2.
  expect(await said(join(REPOSITORY, 'FIX.4.3/Base'))).toContain('Fields.xml is of FIX.4.2');
});

test('--complete-with takes missing fields out of another dictionary', async () => {
  const out = join(folder, 'completed');
  const other = join(REPOSITORY, '../FIX43.xml');
  const done = await dictionary('import', join(REPOSITORY, 'FIX.4.3/Base'), '--complete-with', other, '--out', out);
  expect([done.code, done.out]).toEqual([0, `${join(out, 'FIX43.xml')}: 68 messages, 635 fields\n`]);
});

test('join writes application, transport and overlay as one dictionary that says the same', async () => {
  const out = join(folder, 'joined.xml');
  const files = ['FIX50SP2.xml', 'FIXT11.xml'].map((name) => FIX44.replace('FIX44.xml', name));
  const done = await dictionary('join', ...files, '--out', out);
  expect(done).toMatchObject({ code: 0, error: '' });
  const [application, transport, joined] = [...files, out].map((file) =>
    loadDictionary(readFileSync(file, 'utf8'), file),
  );
  expect(joined!.version).toBe('FIX.5.0SP2');
  expect(joined!.header).toEqual(transport!.header);
  expect(joined!.trailer).toEqual(transport!.trailer);
  expect(joined!.messages.size).toBe(application!.messages.size + transport!.messages.size);
  expect(joined!.messages.get('D')).toEqual(application!.messages.get('D'));
  expect((await dictionary('join', ...files, '--out', out)).code).toBe(2);
});

test('join adds an overlay to header and Logon, and refuses files other than application and transport', async () => {
  const [application, transport] = ['FIX50SP2.xml', 'FIXT11.xml'].map((name) => FIX44.replace('FIX44.xml', name));
  const overlay = join(folder, 'house.xml');
  writeFileSync(
    overlay,
    `<fix type='FIX' major='5' minor='0' servicepack='2'><header><field name='Route' required='N'/></header>
      <messages><message name='Logon' msgtype='A' msgcat='admin'><field name='Desk' required='N'/></message></messages>
      <fields><field number='9000' name='Desk' type='STRING'/><field number='9002' name='Route' type='STRING'/></fields></fix>`,
  );
  const out = join(folder, 'joined-house.xml');
  expect(await dictionary('join', application!, transport!, '--overlay', overlay, '--out', out)).toMatchObject({
    code: 0,
  });
  const joined = loadDictionary(readFileSync(out, 'utf8'), out);
  expect(joined.header.at(-1)?.field.name).toBe('Route');
  expect(joined.messages.get('A')!.members.map(({ field }) => field.tag)).toEqual(
    expect.arrayContaining([98, 1137, 9000]),
  );
  const swapped = await dictionary('join', transport!, application!, '--out', join(folder, 'swapped.xml'));
  expect(swapped.code).toBe(2);
  expect(swapped.error).toContain('FIXT11.xml is of FIXT.1.1');
});
