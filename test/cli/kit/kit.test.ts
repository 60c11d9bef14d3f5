// `crossgate sessions kit`: what the counterparty gets connects its engine and trades, and holds no secret.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import type { ISessionDescription } from 'jspurefix';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDictionary } from '../../../src/dictionary/mod.ts';
import { startSession } from '../../../src/interop/engine.ts';
import { SequenceStore } from '../../../src/interop/sequence-store.ts';
import { Tag, toPrintable } from '../../../src/wire/mod.ts';
import { report } from '../../support/network/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../../support/oms/quickfix.ts';
import { GatewayHome, type GatewayProcess } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith } from '../../support/requirement.ts';
import { DOCUMENTED } from './documented-keys.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');
const PASSWORD = 'correct horse battery staple';

let home: GatewayHome;
let gateway: GatewayProcess;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-kit-test-'));
  home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  gateway = await home.start(null);
});
afterAll(async () => {
  await home?.remove();
  rmSync(folder, { recursive: true, force: true });
});

type Kit = ReadonlyMap<string, string>;

/** Run the command, and unpack what it wrote. */
async function kitOf(name: string, ...options: string[]): Promise<{ readonly kit: Kit; readonly place: string }> {
  const out = join(folder, `${name}-${readdirSync(folder).length}.zip`);
  const command = new LineProcess(process.execPath, [MAIN, 'sessions', 'kit', name, '--out', out, ...options], {
    env: { CROSSGATE_SESSIONS: home.sessions, CROSSGATE_STATE: home.state },
  });
  expect(await command.ended(), command.lines.join('\n')).toBe(0);
  const place = out.replace(/\.zip$/, '');
  const kit = new Map<string, string>();
  for (const [path, bytes] of Object.entries(unzipSync(readFileSync(out)))) {
    const within = path.slice(path.indexOf('/') + 1);
    kit.set(within, strFromU8(bytes));
    mkdirSync(dirname(join(place, within)), { recursive: true });
    writeFileSync(join(place, within), bytes);
  }
  return { kit, place };
}

/** Keys and values of a .cfg by section. */
function settings(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return new Map(
    pairs.map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Every secret of the gateway's folder, whole and line by line. */
function secretsOfHome(): string[] {
  const files = readdirSync(home.secrets).filter((name) => !name.endsWith('.crt'));
  const texts = files.map((name) => readFileSync(join(home.secrets, name), 'utf8'));
  return [...texts, ...texts.flatMap((text) => text.split('\n'))]
    .map((line) => line.trim())
    .filter((line) => line.length >= 8 && !line.startsWith('-----') && !/^[{}"a-zA-Z]+[:{}]?$/.test(line));
}

function expectNoSecret(kit: Kit): void {
  const secrets = secretsOfHome();
  expect(secrets.length).toBeGreaterThan(5);
  for (const [path, text] of kit) {
    expect(text, path).not.toContain('PRIVATE KEY');
    expect(secrets.filter((secret) => text.includes(secret)).length, path).toBe(0);
  }
}

describeWith(await quickfix(), 'QuickFIX C++', () => {
  test('X5 logs on and trades in `venue` with the kit and a password; no file holds a secret', async () => {
    const { kit, place } = await kitOf('VENUE_OMS', '--listener', 'plain', '--port', String(gateway.fixPort));
    expectNoSecret(kit);
    const program = await compileQuickfixOms(folder);
    const file = join(place, 'quickfix-cpp.cfg');
    const oms = new QuickfixOms({ program, settingsFile: file, password: PASSWORD });
    await oms.process.line(/^logon/);
    oms.process.say('order kit-1 VENUE-2 BTCUSDC 1 0.01 2 50000 1');
    const accepted = await oms.message('app', report('kit-1', '0', '0'));
    expect(accepted.string(Tag.TimeInForce)).toBe('1');
    expect(await oms.logout()).toBe(0);

    const samples = kit.get('samples/messages.log')!;
    expect(samples).toMatch(/^> .*\|35=D\|.*\|1=VENUE-2\|.*\|59=5\|/m);
    expect(samples).toMatch(/^< .*\|35=9\|.*\|1328=/m);
    expect(kit.get('samples/decoded.txt')).toContain('Password = ***');
    expect(kit.get('RULES.md')).toContain('Those that perhaps never left,');
  });
});

test('jspurefix logs on over TLS and trades with the kit and a password', async () => {
  const tlsPort = String(gateway.tlsPort);
  const { kit, place } = await kitOf('ACME_OMS', '--no-samples', '--host', 'localhost', '--port', tlsPort);
  expectNoSecret(kit);
  expect(kit.get('certificates/authority.pem')).toContain('BEGIN CERTIFICATE');
  const written = JSON.parse(kit.get('jspurefix.json')!) as Written;
  const { application } = written;
  const tls = application.tcp.tls!;
  // Its own way to read relative names is from its own folder: README.md says so.
  const up = '../'.repeat(30);
  const description = {
    ...written,
    Password: PASSWORD,
    application: {
      ...application,
      dictionary: join(place, application.dictionary),
      tcp: { ...application.tcp, tls: { ...tls, ca: tls.ca!.map((path) => `${up}${join(place, path)}`) } },
    },
  };
  let received = '';
  const loggedOn = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const session = await startSession(description as unknown as ISessionDescription, new SequenceStore(), {
    bytesIn: (chunk) => {
      received += toPrintable(chunk);
      if (/\|11=kit-2\|.*\|150=0\|/.test(received)) answered.resolve();
    },
    bytesOut: () => {},
    loggedOn: () => loggedOn.resolve(),
    lastProcessed: () => 0,
  });
  const failed = session.ended.then((error) => Promise.reject(error ?? new Error(`the session ended: ${received}`)));
  await Promise.race([loggedOn.promise, failed]);
  session.send('D', {
    ClOrdID: 'kit-2',
    Account: '111000000000001',
    Instrument: { Symbol: 'BTCUSDC' },
    Side: '1',
    TransactTime: new Date(),
    OrderQtyData: { OrderQty: '0.01' },
    OrdType: '2',
    Price: '50000',
    TimeInForce: '1',
  });
  await Promise.race([answered.promise, failed]);
  failed.catch(() => {});
  session.logout();
  await session.ended;
});

interface Written {
  readonly application: {
    readonly dictionary: string;
    readonly tcp: { readonly tls?: { readonly ca?: readonly string[] } };
  };
}

describe('the files of a kit', () => {
  const engines = Object.entries(DOCUMENTED);
  const expectDocumented = (kit: Kit): void => {
    for (const [file, known] of engines) {
      const used = [...settings(kit.get(file)!).keys()].map((key) =>
        key.replace(/^AppDataDictionary\..*/, 'AppDataDictionary'),
      );
      expect(
        used.filter((key) => !known.has(key)),
        file,
      ).toEqual([]);
    }
  };

  test('of FIXT.1.1 with SubIDs, a daily reset and two versions use documented keys, and their overlay', async () => {
    const dictionaries = join(folder, 'house');
    mkdirSync(dictionaries, { recursive: true });
    const delivered = join(import.meta.dirname, '../../../dictionaries');
    for (const name of readdirSync(delivered).filter((one) => one.endsWith('.xml')))
      writeFileSync(join(dictionaries, name), readFileSync(join(delivered, name)));
    const overlay = `<fix type='FIX' major='5' minor='0' servicepack='2'>
  <messages><message name='NewOrderSingle' msgtype='D' msgcat='app'><field name='HouseDesk' required='N'/></message></messages>
  <fields><field number='9876' name='HouseDesk' type='STRING'/></fields></fix>`;
    writeFileSync(join(dictionaries, 'FIX50SP2.overlay.xml'), overlay);
    await home.configure('gateway.yaml', { dictionaries });
    await home.configure('ACME_OMS.yaml', {
      beginString: 'FIXT.1.1',
      applVerIDs: ['7'],
      targetSubID: 'DESK',
      username: 'acme',
      environment: 'test',
      gtxAliases: ['7'],
      timeInForceAbsent: 'refuse',
      schedule: { timeZone: 'Europe/London', resets: [{ at: '17:00' }] },
      cancelOnDisconnect: { on: 'disconnect', graceMs: 5000 },
    });
    const { kit } = await kitOf('ACME_OMS', '--no-samples', '--host', 'fix.example.com', '--port', '443');
    expectDocumented(kit);
    const java = settings(kit.get('quickfix-j.cfg')!);
    expect([java.get('StartTime'), java.get('TimeZone'), java.get('SenderSubID')]).toEqual([
      '17:00:00',
      'Europe/London',
      'DESK',
    ]);
    expect(java.get('AppDataDictionary.FIX.5.0')).toBe('dictionary/FIX50.xml');
    for (const [path, xml] of kit) if (path.startsWith('dictionary/')) loadDictionary(xml, path);
    const whole = loadDictionary(kit.get('dictionary/FIX50SP2-whole.xml')!, 'whole');
    expect(whole.fieldName(9876)).toBe('HouseDesk');
    const rules = kit.get('RULES.md')!;
    for (const said of [
      '`acme`',
      'DESK',
      '| 7 | **GTX**, as 5 |',
      '| absent | **refused** |',
      'within 5 s keeps them',
      '17:00',
    ])
      expect(rules).toContain(said);
    expect(rules).toMatch(/TestMessageIndicator\(464\) \| yes \| Y/);
  });

  test('of a template are for the counterparty that is named, of an initiator for an acceptor', async () => {
    await home.configure('gateway.yaml', { dictionaries: undefined });
    const common = `accounts:\n  - account: "111000000000001"\n    credential: primary\nlimits: { orderQtyMax: "1", notionalMax: "1", openOrdersMax: 1, priceBandPercent: "off" }\n`;
    writeFileSync(
      join(home.sessions, 'CLIENTS.yaml'),
      `template: true\ntargetCompID: "*"\npassword: "file:secrets/{compID}.password"\n${common}`,
    );
    writeFileSync(
      join(home.sessions, 'OUT.yaml'),
      `role: initiator\ntargetCompID: THEIR_ACCEPTOR\nconnect: { addresses: ["their.example.com:7001"] }\npassword: file:secrets/ACME_OMS.password\n${common}`,
    );
    const made = await kitOf(
      'CLIENTS',
      '--no-samples',
      '--comp-id',
      'NORTH_OMS',
      '--listener',
      'plain',
      '--port',
      '9000',
    );
    expectDocumented(made.kit);
    expect(settings(made.kit.get('quickfix-n.cfg')!).get('SenderCompID')).toBe('NORTH_OMS');
    const out = await kitOf('OUT', '--no-samples');
    expectDocumented(out.kit);
    const cpp = settings(out.kit.get('quickfix-cpp.cfg')!);
    expect([cpp.get('ConnectionType'), cpp.get('SocketAcceptPort'), cpp.get('SenderCompID')]).toEqual([
      'acceptor',
      '7001',
      'THEIR_ACCEPTOR',
    ]);
  });
});
