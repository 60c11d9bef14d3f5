// Loading the configuration: layers, origins, problems with place and remedy, the environment, freezing.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProblems } from '../../../src/ops/mod.ts';
import { describeConfiguration } from '../../../src/ops/whole-ops.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../configuration-folder.ts';

test.each(['PIPE.yaml', 'PIPE.cfg', 'gateway.yaml', '../state/oms.password'])(
  'a pipe instead of %s is a problem, because reading would block forever',
  (name) => {
    const folder = configurationFolder();
    folder.write('state/oms.password', 'x');
    const path = join(folder.path, 'sessions', name);
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
    expect(inShort(folder.load())).toContainEqual(expect.stringMatching(/is no file but a pipe or a device$/));
  },
);

describe('a sound configuration', () => {
  test("becomes the engine's settings, defaults filled in", () => {
    const { config, problems, warnings } = configurationFolder().load();
    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      journalSegmentBytes: 67_108_864,
      postgres: null,
      exchange: { baseUrl: null, dialect: 'v2', prehash: 'hexdigest', nonceMode: 'window' },
      simulator: {
        host: '127.0.0.1',
        port: 8480,
        auctions: { coolingMs: 2000, accumulationMs: 8000, lockdownMs: 3000 },
      },
      gateway: { referenceRange: { first: '90000000000000000', last: '99999999999999999' }, terminalWaitMs: 5000 },
    });
    expect(config?.listeners.map(({ name, host, port, tls }) => [name, host, port, tls?.minVersion])).toEqual([
      ['plain', '127.0.0.1', 9876, undefined],
      ['tls', '127.0.0.1', 9877, 'TLSv1.2'],
    ]);
    expect(config?.sessions[0]).toMatchObject({
      source: 'sessions/OMS.yaml',
      enabled: true,
      durability: 'disk',
      session: { sessionId: 'FIX.4.4:GATE->OMS', heartBtIntS: 30, sendsSessionStatus: false },
      gateway: { accounts: [{ account: '111', tradingAccountId: '111', credential: 'primary' }], dialect: 'standard' },
    });
  });

  test('is no other while an editor has a file of its own beside one that is being changed', () => {
    const folder = configurationFolder({ '._OMS.yaml': 'what another system keeps beside it' });
    symlinkSync('pat@desk.4711:1795317690', join(folder.path, 'sessions', '.#OMS.yaml'));
    const { config, problems } = folder.load();
    expect(problems).toEqual([]);
    expect(config?.sessions.map(({ source }) => source)).toEqual(['sessions/OMS.yaml']);
  });

  test('is frozen to its leaves', () => {
    const { config } = configurationFolder().load();
    expect(() => Object.assign(config!.sessions[0]!.gateway.limits, { openOrdersMax: 9 })).toThrow(TypeError);
    expect(() => Object.assign(config!.exchange.credentials, { 0: null })).toThrow(TypeError);
  });

  test('takes session over defaults over schema, groups key by key, lists as a whole', () => {
    const folder = configurationFolder({
      'defaults.yaml':
        'heartBtIntS: 20\nlostAfter: 3\nsymbols: [A, B]\nlimits: { referencePriceAgeMaxMs: 500, openOrdersMax: 7 }\n',
      'OMS.yaml': `${SESSION}symbols: [C]\nlostAfter: 4\n`,
    });
    const loaded = folder.load();
    const session = loaded.config!.sessions[0]!;
    expect(session.session).toMatchObject({ heartBtIntS: 20, lostAfter: 4, testRequestAfter: 1.2 });
    expect(session.gateway.symbols).toEqual(['C']);
    expect(session.gateway.limits).toMatchObject({ openOrdersMax: 5, referencePriceAgeMaxMs: 500 });
    expect(loaded.origins.get('sessions.OMS.heartBtIntS')).toBe('sessions/defaults.yaml:1');
    expect(loaded.origins.get('sessions.OMS.lostAfter')).toBe('sessions/OMS.yaml:12');
    expect(loaded.origins.get('sessions.OMS.testRequestAfter')).toBe('default');
    expect(loaded.origins.get('sessions.OMS.limits.referencePriceAgeMaxMs')).toBe('sessions/defaults.yaml:4');
    expect(loaded.origins.get('sessions.OMS.symbols[0]')).toBe('sessions/OMS.yaml:11');
    expect(loaded.origins.has('sessions.OMS.symbols[1]')).toBe(false);
  });

  test('venue dialect sends SessionStatus(1409); standard does not', () => {
    const { config } = configurationFolder({ 'OMS.yaml': `${SESSION}dialect: venue\n` }).load();
    expect(config?.sessions[0]?.session.sendsSessionStatus).toBe(true);
  });
});

describe('problems', () => {
  test('of form do not hide faults between several keys of the same file', () => {
    const { problems, config } = configurationFolder({
      'OMS.yaml': `${SESSION}dialect: venues\nheartBtIntMinS: 60\nheartBtIntS: 30\nschedule: { timeZone: Europe/Lundon }\n`,
    }).load();
    expect(config).toBeNull();
    expect(problems.map(({ key }) => key)).toEqual(['dialect', 'heartBtIntS', 'schedule.timeZone']);
  });

  test('of a time do not hide those of the zone, the dates and the windows beside it', () => {
    const schedule = `schedule:
  timeZone: Europe/Lundon
  windows:
    - { from: "25:00", to: "17:00" }
    - { days: [Mon, Tue], from: "08:00", to: "09:00", toDay: Fri }
    - { from: "8:00", to: "17:00" }
    - { from: "10:00", to: "11:00", toTimeZone: Nowhere }
  holidays: [2026-02-30, yesterday, 2026-04-31]
  resets: [{ at: "7:00" }, { at: "08:00", timeZone: Nowhere }]
  resetWithinSession: true
`;
    const { problems, config } = configurationFolder({ 'OMS.yaml': `${SESSION}${schedule}` }).load();
    expect(config).toBeNull();
    expect(problems.map(({ line, key, value }) => `${line} ${key} ${value}`)).toEqual([
      '12 schedule.timeZone Europe/Lundon',
      '14 schedule.windows[0].from 25:00',
      '15 schedule.windows[1].toDay Fri',
      '16 schedule.windows[2].from 8:00',
      '17 schedule.windows[3].toTimeZone Nowhere',
      '18 schedule.holidays[0] 2026-02-30',
      '18 schedule.holidays[1] yesterday',
      '18 schedule.holidays[2] 2026-04-31',
      '19 schedule.resets[0].at 7:00',
      '19 schedule.resets[1].timeZone Nowhere',
      '20 schedule.resetWithinSession true',
    ]);
  });

  test('of one account, limit or address do not hide those beside it', () => {
    const session = SESSION.replace('  - account: "111"', '  - account: 5\n  - account: "333"\n  - account: "333"')
      .replace('orderQtyMax: "10"', 'orderQtyMax: 10')
      .replace('targetCompID: OMS', 'targetCompID: HUB');
    const connect = `role: initiator
connect:
  addresses: ["hub:0", "hub:1"]
  tls: { key: "file:k.pem", minVersion: TLSv1 }
  reconnectFirstMs: 2000
  reconnectLargestMs: 1000
`;
    const { problems } = configurationFolder({ 'HUB.yaml': `${session}${connect}` }).load();
    const ofHub = problems.filter(({ file }) => file.endsWith('HUB.yaml'));
    expect(ofHub.map(({ line, key }) => `${line} ${key}`)).toEqual([
      '5 accounts[0].account',
      '6 accounts[1].account',
      '7 accounts[2].account',
      '7 accounts[2].account',
      '9 limits.orderQtyMax',
      '15 connect.addresses[0]',
      '16 connect.tls.key',
      '16 connect.tls.minVersion',
      '17 connect.reconnectFirstMs',
    ]);
  });

  test('of the way to the counterparty name the local address and the proxy', () => {
    const connect = (lines: string) => `${SESSION.replace('OMS', 'HUB')}role: initiator
connect:
  addresses: ["[2001:db8::1]:9876"]
${lines}`;
    const folder = configurationFolder({
      'HUB.yaml': connect(`  localAddress: 10.1.2
  proxy: { kind: socks4, address: "proxy.example:1080", password: "file:word" }
`),
    });
    folder.write('state/word', 'a word');
    const told = () => folder.load().problems.filter(({ file }) => file.endsWith('HUB.yaml'));
    expect(told().map(({ key, problem }) => `${key}: ${problem}`)).toEqual([
      'connect.addresses[0]: SOCKS4 reaches no IPv6 address',
      'connect.localAddress: this is no IP address',
      'connect.proxy.password: SOCKS4 knows no password',
    ]);
    folder.write(
      'sessions/HUB.yaml',
      connect(`  localAddress: "::1"
  proxy: { kind: socks5, address: "proxy.example:1080", user: us, password: "file:word" }
`),
    );
    rmSync(join(folder.path, 'state/word'));
    expect(told().map(({ key, problem }) => `${key}: ${problem}`)).toEqual([
      expect.stringMatching(/^connect\.proxy\.password: the secret file:word cannot be read/),
    ]);
    folder.write('state/word', 'x'.repeat(256));
    expect(told().map(({ problem }) => problem)).toEqual(['a proxy takes 1 to 255 printable characters']);
    folder.write('state/word', 'a word');
    folder.write('state/oms.password', 'x');
    const { config } = folder.load();
    expect(config!.sessions.find(({ connect: one }) => one !== null)!.connect).toMatchObject({
      addresses: [{ host: '2001:db8::1', port: 9876 }],
      localAddress: '::1',
      localPort: 0,
      proxy: { kind: 'socks5', host: 'proxy.example', port: 1080, user: 'us' },
    });
  });

  test('are all reported at once, with file, line, column, key, value and remedy, in the order of the files', () => {
    const folder = configurationFolder({
      'gateway.yaml': GATEWAY.replace('port: 9876', 'port: 99999').replace('embedded: true', 'embeded: true'),
      'OMS.yaml': SESSION.replace('orderQtyMax: "10"', 'orderQtyMax: 10').replace('targetCompID: OMS\n', ''),
      'SECOND.yaml': `${SESSION}heartBtInt: 30\ndialect: venues\n`,
    });
    const loaded = folder.load();
    expect(loaded.config).toBeNull();
    expect(loaded.problems.map(({ remedy: _, ...rest }) => rest)).toEqual([
      {
        file: 'sessions/gateway.yaml',
        line: 5,
        column: 7,
        key: 'fix.listen[0].port',
        value: '99999',
        problem: 'must be at least 0 and at most 65535',
      },
      {
        file: 'sessions/gateway.yaml',
        line: 15,
        column: 3,
        key: 'simulator.embeded',
        value: 'true',
        problem: 'unknown key',
      },
      {
        file: 'sessions/OMS.yaml',
        line: 1,
        column: 1,
        key: 'targetCompID',
        value: null,
        problem: 'required, but missing',
      },
      {
        file: 'sessions/OMS.yaml',
        line: 6,
        column: 3,
        key: 'limits.orderQtyMax',
        value: '10',
        problem: 'a number without quotes',
      },
      { file: 'sessions/SECOND.yaml', line: 11, column: 1, key: 'heartBtInt', value: '30', problem: 'unknown key' },
      {
        file: 'sessions/SECOND.yaml',
        line: 12,
        column: 1,
        key: 'dialect',
        value: 'venues',
        problem: 'must be one of: standard, venue',
      },
    ]);
    const remedies = loaded.problems.map(({ remedy }) => remedy);
    expect(remedies).toContain('did you mean `embedded`?');
    expect(remedies).toContain('did you mean `heartBtIntS`?');
    expect(remedies).toContain('did you mean `venue`?');
    expect(remedies).toContain('write it in quotes, so that it stays exact');
    const text = formatProblems(loaded.problems);
    expect(text).toContain(
      'sessions/gateway.yaml:5:7  fix.listen[0].port = 99999\n    must be at least 0 and at most 65535\n    → ',
    );
    expect(text).toContain('6 problems in the configuration.');
  });

  test.each([
    ['broken YAML', 'a: [1', /not readable as YAML/],
    [
      'a key that stands twice',
      `${SESSION}dialect: venue\ndialect: standard\n`,
      /^sessions\/OMS.yaml:12:1 {2}dialect\n.*stands twice/,
    ],
    ['a CompID with blanks', SESSION.replace('OMS', '"O MS"'), /targetCompID = O MS\n.*\n.*letters, digits/],
    ['midnight as 24:00', `${SESSION}schedule: { windows: [{ from: "08:00", to: "24:00" }] }\n`, /midnight is `00:00`/],
    ['FIX.5.0SP2 as a BeginString', `${SESSION}beginString: FIX.5.0SP2\n`, /`FIXT.1.1` with `defaultApplVerID`/],
    ['a port beyond 65535', `${SESSION}role: initiator\nconnect: { addresses: ["h:65536"] }\n`, /port from 1 to 65535/],
    ['bytes for keys', `${SESSION}limits: !!binary aGk=\n`, /tags \(`!!binary`.*\) are not used here/],
    ['a tag of another program', `${SESSION}limits: !vault aGk=\n`, /tags \(.*\) are not used here/],
    ['a set for keys', `${SESSION}limits: !!set {a, b}\n`, /tags \(.*\) are not used here/],
    ['an alias', `${SESSION}symbols: &s [A]\nlisteners: *s\n`, /aliases are not used/],
    ['brackets without an end', `${SESSION}symbols: ${'['.repeat(5000)}`, /nested too deeply here/],
    ['a list instead of keys', '- 1\n- 2\n', /not a list of keys/],
    ['a second document', `${SESSION}---\na: 1\n`, /not readable as YAML: a second document begins here/],
    ['an empty group', SESSION.replace(/limits:[\s\S]*/, 'limits:\n'), /nothing is written here/],
    ['a key that would reach the prototype', `${SESSION}__proto__: { enabled: false }\n`, /not possible/],
    ['an account number without quotes', SESSION.replace('"111"', '111'), /a number without quotes/],
    ['a TimeInForce alias that is not possible (T2)', `${SESSION}gtxAliases: ["3"]\n`, /must be one of: 7, 9, B/],
    ['a decimal with an exponent', SESSION.replace('"1000"', '"1e3"'), /not a decimal number/],
    [
      'an unknown cancelOnDisconnect value',
      `${SESSION}cancelOnDisconnect: { on: always }\n`,
      /off, logout, disconnect, both/,
    ],
    ['an unknown durability', `${SESSION}durability: memory\n`, /must be one of: disk, process/],
  ])('%s is a problem in words, never a crash', (_, text, expected) => {
    const { config, problems } = configurationFolder({ 'OMS.yaml': text }).load();
    expect(config).toBeNull();
    expect(formatProblems(problems)).toMatch(expected);
    for (const { file, remedy } of problems) {
      expect(file).toBe('sessions/OMS.yaml');
      expect(remedy.length).toBeGreaterThan(5);
    }
  });

  test.each([
    ['UTF-16', Buffer.from(`\uFEFF${SESSION}`, 'utf16le'), 1],
    ['Latin-1', Buffer.from(`${SESSION}username: Zürich\n`, 'latin1'), 11],
  ])('a file in %s is named with the line that is not UTF-8', (_, bytes, line) => {
    const folder = configurationFolder();
    writeFileSync(join(folder.path, 'sessions/OMS.yaml'), bytes);
    const { config, problems } = folder.load();
    expect(config).toBeNull();
    expect(problems[0]).toMatchObject({ file: 'sessions/OMS.yaml', line, problem: 'this line is not UTF-8 text' });
  });

  test('an address to listen on is a name, IPv6 or a possible IPv4 address', () => {
    const withHost = (host: string) =>
      inShort(
        configurationFolder({ 'gateway.yaml': GATEWAY.replace('- name: plain', `$&\n      host: "${host}"`) }).load(),
      );
    for (const host of ['0.0.0.0', '10.255.0.1', '::1', 'gate-1.house', '10.x']) expect(withHost(host)).toEqual([]);
    for (const host of ['127.0.0.256', '10.1', '1.2.3.4.5', '']) expect(withHost(host)).toHaveLength(1);
  });

  test('a folder that is not there, and one without gateway.yaml or sessions', () => {
    expect(inShort(configurationFolder().load({ directory: 'elsewhere' }))).toEqual([
      'elsewhere : the folder of the configuration cannot be read',
      'elsewhere/gateway.yaml : the file cannot be read (ENOENT)',
    ]);
    const folder = configurationFolder({ 'gateway.yaml': GATEWAY });
    const empty = folder.load({ directory: '.' });
    expect(inShort(empty)).toContain('gateway.yaml : the file cannot be read (ENOENT)');
    expect(inShort(empty).some((line) => line.includes('there is no session file'))).toBe(true);
  });

  test('more session files than sessions/README.md permits, with the alternative', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`S${n}.yaml`, '']));
    const { problems } = configurationFolder(many(1000)).load();
    const [tooMany] = problems.filter(({ problem }) => problem.includes('session files'));
    expect(tooMany).toMatchObject({ problem: 'more than 1000 session files' });
    expect(tooMany?.remedy).toMatch(/a settings file NAME\.cfg .*template.*second gateway/);
    const readme = readFileSync(join(import.meta.dirname, '../../../sessions/README.md'), 'utf8');
    expect(readme).toContain('There may be 1,000 session files');
  });

  test('a folder of dictionaries that is not there', () => {
    const loaded = configurationFolder({ 'gateway.yaml': `${GATEWAY}dictionaries: nowhere\n` }).load();
    expect(inShort(loaded)).toEqual([
      expect.stringMatching(/^sessions\/gateway.yaml:16 dictionaries: there is no folder /),
    ]);
  });

  test('files that would be overlooked are named', () => {
    const stray = {
      'OTHER.yml': SESSION,
      'A B.yaml': SESSION,
      'CLIENT.YAML': SESSION,
      'DESK.Cfg': '',
      'notes.txt': '',
    };
    const { problems } = configurationFolder(stray).load();
    expect(problems.map(({ file, problem, remedy }) => `${file}: ${problem}; ${remedy}`)).toEqual([
      'sessions/A B.yaml: not a possible session name; use letters, digits, `_` and `-`',
      'sessions/CLIENT.YAML: not read: the ending is .YAML; rename it to .yaml',
      'sessions/DESK.Cfg: not read: the ending is .Cfg; rename it to .cfg',
      'sessions/OTHER.yml: not read: the ending is .yml; rename it to .yaml',
    ]);
  });

  test('a stray file is refused by its size: reading one of a megabyte would hold up the orders for seconds', () => {
    const dump = Array.from({ length: 8_000 }, (_, n) => `- { name: thing ${n}, of: [1, 2, 3] }\n`).join('');
    const { problems } = configurationFolder({
      'DUMP.yaml': dump,
      'TEXT.yaml': 'x'.repeat(262_145),
    }).load();
    const said = problems.map(({ file, problem }) => [file, problem]);
    const tooLarge = 'the file is larger than 256 KiB';
    expect(said).toEqual([
      ['sessions/DUMP.yaml', tooLarge],
      ['sessions/TEXT.yaml', tooLarge],
    ]);
  });

  test('defaults.yaml must not tell sessions apart or entitle them', () => {
    const folder = configurationFolder({ 'defaults.yaml': 'targetCompID: X\naccounts: [{ account: "111" }]\n' });
    expect(inShort(folder.load())).toEqual([
      'sessions/defaults.yaml:1 targetCompID: belongs to one session, not to all',
      'sessions/defaults.yaml:2 accounts: belongs to one session, not to all',
    ]);
  });
});

describe('the environment', () => {
  test('overrides gateway.yaml, and is named as the origin', () => {
    const loaded = configurationFolder().load({
      environment: {
        CROSSGATE_STATE: '/data',
        CROSSGATE_FIX_HOST: '0.0.0.0',
        CROSSGATE_FIX_PORT: '1001',
        CROSSGATE_FIX_TLS_PORT: '1002',
        CROSSGATE_SIMULATOR_PORT: '1003',
        CROSSGATE_SIMULATOR_HOST: '',
      },
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.config).toMatchObject({ stateDirectory: '/data', simulator: { host: '127.0.0.1', port: 1003 } });
    expect(loaded.config?.listeners.map(({ host, port }) => `${host}:${port}`)).toEqual([
      '0.0.0.0:1001',
      '0.0.0.0:1002',
    ]);
    expect(loaded.origins.get('gateway.fix.listen[1].port')).toBe('environment CROSSGATE_FIX_TLS_PORT');
  });

  test('can point the gateway at an exchange', () => {
    const folder = configurationFolder({
      'gateway.yaml': GATEWAY.replace(/ {4}- name: tls[\s\S]*?\n(?=exchange)/, ''),
    });
    for (const name of ['key.json', 'oms.password']) folder.write(`state/${name}`, secretText(name));
    const { config, problems } = folder.load({
      environment: {
        CROSSGATE_SIMULATOR_EMBEDDED: 'false',
        CROSSGATE_EXCHANGE_URL: 'http://127.0.0.1:8480',
        CROSSGATE_EXCHANGE_ENVIRONMENT: 'simulator',
      },
    });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({ simulator: null, exchange: { baseUrl: 'http://127.0.0.1:8480' } });
    expect(config?.sessions[0]?.session.logonText).toMatch(/simulated/i);
  });

  test('a value that cannot be is a problem that names the variable', () => {
    const loaded = configurationFolder().load({ environment: { CROSSGATE_FIX_PORT: 'fix' } });
    expect(inShort(loaded)).toEqual(['environment CROSSGATE_FIX_PORT fix.listen[0].port: must be a whole number']);
  });

  test("does not take Kubernetes' variables of a service of the same name for misspelt", () => {
    const environment = {
      CROSSGATE_SERVICE_HOST: '10.0.0.7',
      CROSSGATE_SERVICE_PORT: '9876',
      CROSSGATE_SERVICE_PORT_FIX: '9876',
      CROSSGATE_PORT: 'tcp://10.0.0.7:9876',
      CROSSGATE_PORT_9876_TCP: 'tcp://10.0.0.7:9876',
      CROSSGATE_PORT_9876_TCP_ADDR: '10.0.0.7',
    };
    expect(configurationFolder().load({ environment }).warnings).toEqual(configurationFolder().load().warnings);
    const [port] = configurationFolder().load({ environment: { CROSSGATE_PORT: '9876' } }).warnings;
    expect(port?.file).toBe('environment CROSSGATE_PORT');
  });

  test('a misspelt variable is a warning; one that a secret names is not', () => {
    const folder = configurationFolder({ 'OMS.yaml': SESSION.replace('file:oms.password', 'env:CROSSGATE_OMS') });
    const { problems, warnings } = folder.load({ environment: { CROSSGATE_STAT: 'x', CROSSGATE_OMS: 'y' } });
    expect(problems).toEqual([]);
    expect(warnings.map(({ file, remedy }) => `${file}: ${remedy}`)).toEqual([
      'environment CROSSGATE_STAT: did you mean CROSSGATE_STATE?',
    ]);
  });

  test('the command line is stronger still', () => {
    const loaded = configurationFolder().load({
      environment: { CROSSGATE_FIX_PORT: '1001' },
      overrides: { 'fix.listen[0].port': 0, 'simulator.port': 0, state: 'other' },
    });
    expect(loaded.config?.listeners[0]?.port).toBe(0);
    expect(loaded.origins.get('gateway.simulator.port')).toBe('command line');
    expect(loaded.config?.stateDirectory).toMatch(/\/other$/);
  });

  test('the command line cannot invent a listener', () => {
    const loaded = configurationFolder().load({ overrides: { 'fix.listen[7].port': 1 } });
    expect(inShort(loaded)).toEqual(['command line fix.listen[7].port: there is no such element in gateway.yaml']);
  });
});

describe('the effective configuration', () => {
  test('shows every value with its origin, and derived ones (C1: seconds until loss is declared)', () => {
    const described = describeConfiguration(configurationFolder().load());
    const line = (key: string): string | undefined => {
      const found = described.find((entry) => entry.key === key);
      return found && `${found.value} (${found.origin})`;
    };
    expect(line('gateway.fix.listen[0].port')).toBe('9876 (sessions/gateway.yaml:5)');
    expect(line('gateway.exchange.dialect')).toBe('v2 (default)');
    expect(line('sessions.OMS.limits.notionalMax')).toBe('1000 (sessions/OMS.yaml:8)');
    expect(line('sessions.OMS.password')).toBe('file:oms.password (sessions/OMS.yaml:3)');
    expect(line('derived.FIX.4.4:GATE->OMS.lostAfterSeconds')).toMatch(/^72 /);
  });

  test('never shows a secret written in the clear, nor do the problems', () => {
    const folder = configurationFolder({
      'gateway.yaml': `${GATEWAY.replace('file:key.json', 'hunter2-key')}store: { kind: postgres, url: "file:postgresql://gate:hunter2@db/x" }\n`,
      'OMS.yaml': `${SESSION.replace('file:oms.password', 'hunter2')}apiToken: hunter2-token\npasswrd: hunter2\n`,
    });
    const loaded = folder.load();
    expect(inShort(loaded)).toEqual([
      'sessions/gateway.yaml:12 exchange.credentials[0].key: a secret must not stand in a configuration file',
      'sessions/gateway.yaml:16 store.url: a secret must not stand in a configuration file',
      'sessions/OMS.yaml:3 password: a secret must not stand in a configuration file',
      'sessions/OMS.yaml:11 apiToken: unknown key',
      'sessions/OMS.yaml:12 passwrd: unknown key',
    ]);
    const everything = JSON.stringify([
      loaded.problems,
      describeConfiguration(loaded),
      formatProblems(loaded.problems),
    ]);
    expect(everything).not.toContain('hunter2');
    expect(loaded.problems[0]?.remedy).toMatch(/file:PATH.*env:NAME/);
  });
});
