// `crossgate decode` as it is run: a file or standard input in, names and values out.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromPrintable, toPrintable } from '../../../src/wire/mod.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const printable = (body: string): string => toPrintable(fromPrintable(body));
const HEADER = '49=OMS|56=GATE|34=2|52=20261121-10:11:12.345|';
const ORDER = printable(`35=D|${HEADER}11=o-1|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=2|44=60000|`);
const BOOK = printable(`35=W|${HEADER}262=md-1|55=BTCUSDC|268=2|269=0|270=60000|271=1|269=1|270=60001|271=2|`);
const LOGON = printable(`35=A|${HEADER}98=0|108=30|553=oms|554=hunter2|`);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-decode-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function decode(input: string, ...args: string[]): { out: string; error: string; code: number | null } {
  const done = spawnSync(process.execPath, [MAIN, 'decode', ...args], { input, encoding: 'utf8' });
  return { out: done.stdout, error: done.stderr, code: done.status };
}

test('an order on standard input, behind the prefix of a log, comes out with names and meanings', () => {
  const { out, code } = decode(`2026-11-21 10:11:12.346 inbound: ${ORDER}\n`);
  expect(code).toBe(0);
  expect(out).toContain('NewOrderSingle  2026-11-21T10:11:12.346Z\n');
  expect(out).toContain('   54 Side = 1 Buy\n');
  expect(out).not.toContain('\u001b');
});

test('entries of a group are numbered and indented', () => {
  const path = join(folder, 'book.log');
  writeFileSync(path, BOOK);
  const { out } = decode('', path);
  expect(out).toContain('  268 NoMDEntries = 2\n  269   1.  MDEntryType = 0 Bid\n  270       MDEntryPx = 60000\n');
  expect(out).toContain('  269   2.  MDEntryType = 1 Offer\n');
});

test.each([
  [
    'FIX.4.4',
    '35=AE|{H}571=t-1|487=0|552=2|54=1|37=a|54=2|37=b|',
    'TradeCaptureReport',
    'TradeReportID = t-1',
    '2.  Side = 2',
  ],
  ['FIX.4.2', '35=J|{H}70=al|71=0|78=2|79=A1|80=5|79=A2|80=6|', 'Allocation', 'AllocID = al', '2.  AllocAccount = A2'],
  ['FIX.4.4', '35=AS|{H}755=r|71=0|78=1|79=A1|80=5|', 'AllocationReport', 'AllocReportID = r', '1.  AllocAccount = A1'],
  ['FIXT.1.1', '35=BA|{H}908=c|909=x|', 'CollateralReport', 'CollRptID = c', 'CollInquiryID = x'],
  ['FIX.4.1', '35=J|{H}70=al|71=0|', 'Allocation', 'AllocID = al', 'AllocTransType = 0'],
  [
    'FIX.4.4',
    '35=D|{H}11=a|711=2|311=U1|309=I1|311=U2|',
    'NewOrderSingle',
    'NoUnderlyings = 2',
    '2.  UnderlyingSymbol = U2',
  ],
])('names fields and groups of %s %s, which the gateway itself does not speak', (version, body, name, ...fields) => {
  const { out, code } = decode(toPrintable(fromPrintable(body.replace('{H}', HEADER), version)));
  expect(code).toBe(0);
  expect(out.startsWith(`${name} `)).toBe(true);
  for (const field of fields) expect(out).toContain(field);
});

test('the standard dictionaries in the package are those that their generator writes', () => {
  const generator = fileURLToPath(new URL('../../../.ci/standard-names.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('--dictionaries explains the fields of a house by its overlay', () => {
  const dictionaries = join(folder, 'dictionaries');
  mkdirSync(dictionaries);
  copyFileSync(new URL('../../../dictionaries/FIX44.xml', import.meta.url), join(dictionaries, 'FIX44.xml'));
  writeFileSync(
    join(dictionaries, 'FIX44.overlay.xml'),
    `<fix type='FIX' major='4' minor='4'><fields><field number='9001' name='Desk' type='STRING'/></fields></fix>`,
  );
  const own = printable(`35=D|${HEADER}11=o-1|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=1|9001=rates|`);
  expect(decode(own, '--dictionaries', dictionaries).out).toContain(' 9001 Desk = rates\n');
});

test('--dictionaries brings versions that ours leave out: a folder with one alone explains its messages', () => {
  const dictionaries = join(folder, 'brought');
  mkdirSync(dictionaries);
  writeFileSync(
    join(dictionaries, 'FIX43.xml'),
    `<fix type='FIX' major='4' minor='3'><header/><trailer/>
      <messages><message name='Quip' msgtype='D' msgcat='app'><field name='Desk' required='N'/></message></messages>
      <fields><field number='9001' name='Desk' type='STRING'/></fields></fix>`,
  );
  const own = toPrintable(fromPrintable(`35=D|${HEADER}9001=rates|`, 'FIX.4.3'));
  const { out, error } = decode(`${own}\n8=FIX.4.3|\n`, '--dictionaries', dictionaries);
  expect(error).toBe('');
  expect(out).toMatch(/^Quip /);
  expect(out).toContain(' 9001 Desk = rates\n');
  expect(out).toContain('not a message: 8=FIX.4.3|');
});

test('shows UTF-8 as text and other bytes as one character, without terminal control', () => {
  const told = (text: string, encoding: BufferEncoding, ...args: string[]): string => {
    const input = fromPrintable(`35=B|${HEADER}148=${Buffer.from(text, encoding).toString('latin1')}|`);
    return spawnSync(process.execPath, [MAIN, 'decode', ...args], { input, encoding: 'utf8' }).stdout;
  };
  expect(told('Zürich ABÉ €', 'utf8')).toContain('Headline = Zürich ABÉ €\n');
  expect(told('Zürich', 'latin1')).toContain('Headline = Zürich\n');
  expect(told('Zürich', 'utf8', '--json')).toContain('"value":"Zürich"');
  expect(told('a\u202eb\u009b', 'utf8')).toContain('Headline = a?b?\n');
});

test('--dictionaries names data fields: a field inside data is none, and is masked like others', () => {
  const dictionaries = join(folder, 'with-data');
  mkdirSync(dictionaries);
  copyFileSync(new URL('../../../dictionaries/FIX44.xml', import.meta.url), join(dictionaries, 'FIX44.xml'));
  writeFileSync(
    join(dictionaries, 'FIX44.overlay.xml'),
    `<fix type='FIX' major='4' minor='4'>
      <messages><message name='NewOrderSingle' msgtype='D' msgcat='app'>
        <field name='SealLen' required='N'/><field name='Seal' required='N'/>
      </message></messages>
      <fields><field number='5101' name='SealLen' type='LENGTH'/><field number='5102' name='Seal' type='DATA'/></fields>
    </fix>`,
  );
  const sealed = printable(`35=D|${HEADER}11=o-1|5101=6|5102=x|38=9|55=BTCUSDC|54=1|60=20261121-10:11:12|38=1|40=1|`);
  const { out } = decode(sealed, '--json', '--dictionaries', dictionaries);
  const { fields } = JSON.parse(out) as { fields: { name: string; value: string }[] };
  const values = (name: string): string[] => fields.filter((one) => one.name === name).map(({ value }) => value);
  expect(values('Seal')).toEqual(['x\u000138=9']);
  expect(values('OrderQty')).toEqual(['1']);
});

test('--json gives one object per message, secrets hidden', () => {
  const { out } = decode(`${LOGON}\n${ORDER}\n`, '--json');
  expect(out).not.toContain('hunter2');
  const [logon, order] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(logon.name).toBe('Logon');
  expect(order.fields).toContainEqual({ tag: 54, name: 'Side', value: '1', meaning: 'Buy', depth: 0, entry: 0 });
});

test('X5 hides a password inside another value, and outside messages, too', () => {
  const inside = printable(
    `35=B|${HEADER}148=see https://oms:hunter2@gate/x|33=1|58={"password":"hunter2"}|354=25|355=35=A^A554=hunter2^A34=1|1402=hunter2|`,
  );
  const broken = '8=FIX.4.4|35=A|58=password=hunter2|554=hunter2';
  for (const args of [[], ['--json']]) {
    const { out } = decode(`${inside}\n${broken}\n`, ...args);
    expect(out).toMatch(/News/);
    expect(out).toContain('https://oms:[redacted]@gate/x');
    expect(out).not.toContain('hunter2');
  }
});

test('shows a wrong CheckSum with a remark; text without FIX and a missing file set the exit code', () => {
  const sum = /10=(\d{3})/.exec(ORDER)![1]!;
  const { out } = decode(ORDER.replace(/10=\d{3}/, '10=000'));
  expect(out).toContain(`CheckSum(10) is written as 000 and is ${sum} of the bytes as they stand; here both are`);
  expect(out).not.toContain('BodyLength(9) is written');
  expect(decode('nothing here').code).toBe(1);
  const missing = decode('', join(folder, 'none'));
  expect(missing.code).toBe(2);
  expect(missing.error).toContain('there is no file');
});

test('names a folder as such instead of a missing file', () => {
  const { error, code } = decode('', folder);
  expect([code, error]).toEqual([2, expect.stringContaining(`${folder} is a folder: name a file in it`)]);
});

test('decodes a Logon with a hand-masked password with a remark', () => {
  for (const mask of ['********', 'XXX', '[redacted]']) {
    const { out, code } = decode(LOGON.replace(/554=[^|]*/, `554=${mask}`));
    expect(code).toBe(0);
    expect(out).toContain('(a secret was masked by hand, so that BodyLength(9) and CheckSum(10) no longer fit)');
    expect(out).toContain('  553 Username = oms\n');
  }
});

const terminal = await tool('script', ['-qec', 'true', '/dev/null'], 'the command script, for a terminal');
describeWith(terminal, 'on a terminal', () => {
  function onTerminal(environment: Record<string, string>, ...args: string[]): string {
    const path = join(folder, 'order.log');
    writeFileSync(path, ORDER);
    const command = [process.execPath, MAIN, 'decode', path, ...args].map((word) => `'${word}'`).join(' ');
    const { NO_COLOR: _, ...env } = process.env;
    return spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', env: { ...env, ...environment } })
      .stdout;
  }

  test('names and tags are coloured, unless NO_COLOR or --no-color says otherwise', () => {
    expect(onTerminal({ NO_COLOR: '' })).toContain('\u001b[36mSide\u001b[0m = 1 \u001b[2mBuy\u001b[0m');
    expect(onTerminal({ NO_COLOR: '1' })).toContain('   54 Side = 1 Buy');
    expect(onTerminal({}, '--no-color')).not.toContain('\u001b');
  });
});

test('lines that are not read among others that are, are counted and said, and fail the command', () => {
  const unread = ORDER.replaceAll('|', ' ');
  const { out, error, code } = decode(`${ORDER}\n${unread}\nno FIX\n${unread}\n`);
  expect(out.match(/^NewOrderSingle/gm)).toHaveLength(1);
  expect(error).toMatch(/^the input: 2 lines with FIX in them are not read: fields separated by " "/);
  expect(code).toBe(1);
  expect(decode(`${ORDER}\nno FIX\n`)).toMatchObject({ error: '', code: 0 });
});

test('--follow shows appended messages', async () => {
  const path = join(folder, 'growing.log');
  writeFileSync(path, `${ORDER}\n`);
  const child = spawn(process.execPath, [MAIN, 'decode', '--follow', path]);
  try {
    const seen: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith('NewOrderSingle')) appendFileSync(path, `${BOOK}\n`);
      seen.push(line);
      if (line.startsWith('MarketDataSnapshotFullRefresh')) break;
    }
    expect(seen.filter((line) => line.startsWith('NewOrderSingle'))).toHaveLength(1);
  } finally {
    child.kill();
  }
});
