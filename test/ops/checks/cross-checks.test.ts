// Agreement between keys, files and rules.

import { describe, expect, test } from 'vitest';
import { describeConfiguration } from '../../../src/ops/configuration/describe.ts';
import { redactText } from '../../../src/ops/secrets/redaction.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../configuration-folder.ts';

const EXTERNAL = GATEWAY.replace('embedded: true', 'embedded: false').replace(
  / {4}- name: tls[\s\S]*?\n(?=exchange)/,
  '',
);

function external(
  environment: string,
  session: string,
  url = 'https://exchange.example',
  variables: Readonly<Record<string, string>> = {},
) {
  const gateway = EXTERNAL.replace('exchange:\n', `exchange:\n  baseUrl: ${url}\n  environment: ${environment}\n`);
  const folder = configurationFolder({ 'gateway.yaml': gateway, 'OMS.yaml': session });
  for (const name of ['key.json', 'oms.password']) folder.write(`state/${name}`, secretText(name));
  return folder.load({ environment: variables });
}

describe('rules', () => {
  test('O12 a session without limits does not start', () => {
    const loaded = configurationFolder({ 'OMS.yaml': SESSION.replace(/limits:[\s\S]*/, '') }).load();
    expect(inShort(loaded)).toEqual([
      'sessions/OMS.yaml:1 limits: no risk limits: a session without limits does not start (rule O12)',
    ]);
  });

  test('reports all gaps of a file without accounts in one go, as after a QuickFIX import', () => {
    const bare = SESSION.replace(/^accounts:.*\n(?: .*\n)*/m, '').replace(/limits:[\s\S]*/, '');
    expect(inShort(configurationFolder({ 'OMS.yaml': bare }).load())).toEqual([
      'sessions/OMS.yaml:1 accounts: required, but missing',
      'sessions/OMS.yaml:1 limits: no risk limits: a session without limits does not start (rule O12)',
    ]);
  });

  test('O12 nor does one with half of them, or with a limit of zero', () => {
    const half = configurationFolder({ 'OMS.yaml': SESSION.replace('  notionalMax: "1000"\n', '') }).load();
    expect(inShort(half)).toEqual(['sessions/OMS.yaml:6 limits.notionalMax: required, but missing']);
    const zero = configurationFolder({ 'OMS.yaml': SESSION.replace('"10"', '"0.00"').replace('"20"', '"0"') }).load();
    expect(inShort(zero)).toEqual([
      'sessions/OMS.yaml:7 limits.orderQtyMax: a limit of zero refuses every order',
      'sessions/OMS.yaml:10 limits.priceBandPercent: a band of zero refuses every price',
    ]);
  });

  test('O7 only a session that enters orders reaches those of others', () => {
    const reaching = `reach: accounts\n${SESSION}`;
    expect(inShort(configurationFolder({ 'OMS.yaml': reaching }).load())).toEqual([]);
    const copying = reaching.replace(/limits:[\s\S]*/, 'kind: dropCopy\n');
    expect(inShort(configurationFolder({ 'OMS.yaml': copying }).load())).toEqual([
      'sessions/OMS.yaml:1 reach: a drop copy session sends no requests: it reaches no orders',
    ]);
  });

  test('an initiator shows a certificate with its key or none, and waits first no longer than at most', () => {
    const initiator = (connect: string): string[] => {
      const text = `${SESSION}role: initiator\nconnect: { addresses: ["h:1"], ${connect} }\n`;
      return inShort(configurationFolder({ 'OMS.yaml': text }).load()).map((each) => each.replace(/^\S+ /, ''));
    };
    const addresses = (list: string) => {
      const text = `${SESSION}role: initiator\nconnect: { addresses: ${list} }\n`;
      return configurationFolder({ 'OMS.yaml': text }).load().config?.sessions[0]?.connect?.addresses;
    };
    expect(addresses('["fix.example:9876", "[2001:db8::1]:9877", "10.1.2.3:1"]')).toEqual([
      { host: 'fix.example', port: 9876 },
      { host: '2001:db8::1', port: 9877 },
      { host: '10.1.2.3', port: 1 },
    ]);
    const together = 'connect.tls: certificate and key go together';
    expect(initiator('tls: { certificate: "file:key.json" }')).toContain(together);
    expect(initiator('tls: { key: "file:key.json" }')).toContain(together);
    expect(initiator('tls: { certificate: "file:key.json", key: "file:key.json" }')).not.toContain(together);
    expect(initiator('reconnectFirstMs: 5000, reconnectLargestMs: 4999')).toEqual([
      'connect.reconnectFirstMs: the first pause is longer than the largest, 4999',
    ]);
    expect(initiator('reconnectFirstMs: 5000, reconnectLargestMs: 5000')).toEqual([]);
  });

  test('O12 limits of an account name one that exists, once, and let an order through', () => {
    const orders = 'orders: { accountLimits: [{ tradingAccount: "7", orderQtyMax: "0" }, { tradingAccount: "7" }] }\n';
    const problems = inShort(configurationFolder({ 'gateway.yaml': GATEWAY + orders }).load());
    expect(problems).toEqual([
      expect.stringContaining('orders.accountLimits[0].tradingAccount: no credential reaches this account'),
      expect.stringContaining('orders.accountLimits[0].orderQtyMax: a limit of zero refuses every order'),
      expect.stringContaining('orders.accountLimits[1].tradingAccount: no credential reaches this account'),
      expect.stringContaining('orders.accountLimits[1].tradingAccount: its limits stand here twice'),
    ]);
    const sound =
      'orders: { accountLimits: [{ tradingAccount: "111", orderQtyMax: "0.1" }, { tradingAccount: "222" }] }\n';
    expect(inShort(configurationFolder({ 'gateway.yaml': GATEWAY + sound }).load())).toEqual([]);
  });

  test('O12 states in words that a band is off', () => {
    const { config } = configurationFolder({ 'OMS.yaml': SESSION.replace('"20"', 'off') }).load();
    expect(config?.sessions[0]?.gateway.limits.priceBandPercent).toBeNull();
  });

  test('O7 an account must be reached by its credential', () => {
    const loaded = configurationFolder({
      'OMS.yaml': SESSION.replace(
        '  - account: "111"\n',
        [
          '  - account: "333"',
          '  - { account: "MAIN", tradingAccount: "222" }',
          '  - { account: "111", credential: primry }',
          '  - { account: "SIDE" }',
          '  - { account: "MAIN", tradingAccount: "111" }\n',
        ].join('\n'),
      ),
    }).load();
    expect(inShort(loaded)).toEqual([
      'sessions/OMS.yaml:5 accounts[0].account: credential primary does not reach this account',
      'sessions/OMS.yaml:7 accounts[2].credential: there is no such credential in gateway.yaml',
      'sessions/OMS.yaml:8 accounts[3].account: not an exchange account id, and none is given beside it',
      'sessions/OMS.yaml:9 accounts[4].account: two entries have this Account(1)',
    ]);
    expect(loaded.problems[1]?.remedy).toBe('did you mean primary?');
  });

  test('O7 with several credentials an account names its own', () => {
    const gateway = GATEWAY.replace(
      'simulator:',
      '    - { name: second, key: "file:k2", tradingAccounts: ["333"] }\nsimulator:',
    );
    const loaded = configurationFolder({ 'gateway.yaml': gateway }).load();
    expect(inShort(loaded)).toEqual([
      'sessions/OMS.yaml:5 accounts[0].credential: several credentials are configured: which one reaches this account?',
    ]);
    const named = (account: string, credential: string): string[] => {
      const text = SESSION.replace('- account: "111"', `- { account: "${account}", credential: ${credential} }`);
      const folder = configurationFolder({ 'gateway.yaml': gateway, 'OMS.yaml': text });
      folder.write('state/k2', secretText('k2.json'));
      return inShort(folder.load());
    };
    expect(named('111', 'primary')).toEqual([]);
    expect(named('333', 'second')).toEqual([]);
    expect(named('333', 'primary')).toEqual([
      'sessions/OMS.yaml:5 accounts[0].account: credential primary does not reach this account',
    ]);
  });

  test('O7 accepts counterparty placeholders of an account in templates only, and no others there', () => {
    const problems = (text: string): string[] => inShort(configurationFolder({ 'OMS.yaml': text }).load());
    const account = (text: string): string => SESSION.replace('- account: "111"', `- account: "${text}"`);
    const noId = 'accounts[0].account: not an exchange account id, and none is given beside it';
    expect(problems(account('{compID}'))).toEqual([`sessions/OMS.yaml:5 ${noId}`]);
    const template = (text: string): string => `${account(text).replace('OMS', '"*"')}template: true\n`;
    expect(problems(template('MAIN'))).toContain(`sessions/OMS.yaml:5 ${noId}`);
    expect(problems(template('{compID}'))).not.toContain(`sessions/OMS.yaml:5 ${noId}`);
  });

  test('detects one address listened on twice: simulator, admin API, bridge or FIX listener', () => {
    const bridge = 'bridge: { enabled: true, port: 9901, callers: [] }\n';
    const problems = (more: string): string[] =>
      inShort(configurationFolder({ 'gateway.yaml': GATEWAY.replace('  embedded: true\n', more) }).load())
        .filter((text) => text.includes('is used twice'))
        .map((text) => text.replace(/^\S+ /, ''));
    const simulator = '  embedded: true\n  port: 9900\n';
    expect(problems(`${simulator}admin: { port: 9900 }\n`)).toEqual([
      'admin.port: 127.0.0.1:9900 is used twice: by the embedded simulated exchange too',
    ]);
    expect(problems(`${simulator}admin: { port: 9901 }\n${bridge}`)).toEqual([
      'bridge.port: 127.0.0.1:9901 is used twice: by the admin API too',
    ]);
    expect(problems(`${simulator}admin: { port: 9901, enabled: false }\n${bridge}`)).toEqual([]);
    expect(problems(`${simulator}admin: { port: 9902 }\n${bridge}`)).toEqual([]);
  });

  test('O8 an alias leads to a symbol of the session and hides none', () => {
    const text = `${SESSION}symbols: [BTCUSDC, ETHUSDC]\nsymbolAliases:\n  XBT: BTCUSD\n  ETHUSDC: BTCUSDC\n`;
    expect(inShort(configurationFolder({ 'OMS.yaml': text }).load())).toEqual([
      'sessions/OMS.yaml:13 symbolAliases.XBT: this symbol is not among `symbols` (rule O8)',
      'sessions/OMS.yaml:14 symbolAliases.ETHUSDC: the alias is itself the name of another symbol (rule O8)',
    ]);
  });

  test('O5 integer ClOrdIDs pass through only beside a range that they cannot meet', () => {
    const text = `${SESSION}clOrdIDPassThrough: true\n`;
    expect(configurationFolder({ 'OMS.yaml': text }).load().problems).toEqual([]);
    const gateway = `${GATEWAY}orders: { referenceFirst: "1", referenceLast: "100000000000000000" }\n`;
    expect(inShort(configurationFolder({ 'gateway.yaml': gateway, 'OMS.yaml': text }).load())).toEqual([
      "sessions/OMS.yaml:11 clOrdIDPassThrough: every integer is in the allocator's range, so none can pass through (rule O5)",
    ]);
  });

  test('C2 the delayed cancel-all requires scope account and an exclusive account', () => {
    const setting = (more: string): string => `${SESSION}cancelOnDisconnect: { ${more} }\n`;
    const problemsOf = (text: string) => configurationFolder({ 'OMS.yaml': text }).load().problems;
    const [narrow, shared] = problemsOf(setting('deadMansSwitchS: 15'));
    expect(narrow).toMatchObject({ key: 'cancelOnDisconnect.deadMansSwitchS', value: '15' });
    expect(narrow?.problem).toMatch(/cancel everything on the account.*rule C2/);
    expect(shared?.problem).toMatch(/orders of others on account .*rule C2/);
    expect(shared?.remedy).toContain('exclusiveAccounts');
    const [delay] = problemsOf(setting('scope: account, deadMansSwitchS: 7'));
    expect(delay?.problem).toContain('no such delay');
    expect(problemsOf(setting('scope: account'))).toEqual([]);
    expect(problemsOf(setting('scope: symbols'))[0]).toMatchObject({ key: 'cancelOnDisconnect.symbols' });
  });

  test.each([
    ['FIX.4.2', 1],
    ['FIX.4.4', 0],
    ['FIXT.1.1', 0],
  ])('D1 the venue dialect in %s: %i problem, as far as that version has the fields', (beginString, count) => {
    const own = SESSION.replace(/^beginString:.*\n/m, '');
    const { problems } = configurationFolder({
      'OMS.yaml': `${own}beginString: ${beginString}\ndialect: venue\n`,
    }).load();
    expect(problems.map(({ key }) => key)).toEqual(Array.from({ length: count }, () => 'dialect'));
  });

  test('S6 HeartBtInt lies within its own bounds', () => {
    const text = `${SESSION}heartBtIntS: 200\n`;
    expect(inShort(configurationFolder({ 'OMS.yaml': text }).load())).toEqual([
      'sessions/OMS.yaml:11 heartBtIntS: outside heartBtIntMinS 5 … heartBtIntMaxS 120',
    ]);
  });

  test('S8 a production CompID is not bound to the simulated exchange, embedded or not, nor to a test venue', () => {
    const text = `${SESSION}environment: production\n`;
    const simulated =
      'sessions/OMS.yaml:11 environment: a production CompID cannot be bound to a simulated exchange (rule S8)';
    expect(inShort(configurationFolder({ 'OMS.yaml': text }).load())).toEqual([simulated]);
    expect(inShort(external('simulator', text))).toEqual([simulated]);
    expect(inShort(external('test', text))[0]).toMatch(/bound to a test venue/);
    expect(external('production', text).problems).toEqual([]);
  });

  test('S8 a production exchange takes production sessions only, over https only', () => {
    expect(inShort(external('production', SESSION, 'http://exchange.example'))).toEqual([
      'sessions/gateway.yaml:7 exchange.baseUrl: a production exchange without TLS',
      'sessions/OMS.yaml:1 environment: this session would trade real money (rule S8)',
    ]);
  });

  test('a process in which Node checks no certificates trades with no exchange but the simulated one', () => {
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const refusal = 'environment NODE_TLS_REJECT_UNAUTHORIZED : no certificate of the exchange is checked';
    for (const environment of ['test', 'production']) {
      const session = `${SESSION}environment: ${environment}\n`;
      const { problems } = external(environment, session, undefined, unchecked);
      expect(problems.map(({ file, key, problem }) => `${file} ${key}: ${problem}`)).toEqual([
        expect.stringContaining(refusal),
      ]);
      expect(external(environment, session, undefined, { NODE_TLS_REJECT_UNAUTHORIZED: '1' }).problems).toEqual([]);
    }
    expect(configurationFolder().load({ environment: unchecked }).problems).toEqual([]);
  });

  test('S8 the Logon answer says that the exchange is simulated', () => {
    const logonText = (loaded: ReturnType<typeof external>) => loaded.config?.sessions[0]?.session.logonText;
    expect(logonText(configurationFolder().load())).toMatch(/Simulated exchange/);
    expect(logonText(external('simulator', SESSION))).toMatch(/Simulated exchange/);
    expect(logonText(external('test', SESSION))).toBeNull();
    // Independent of the counterparty's other reports.
    const own = `${SESSION}logonText: Call the desk at 7\n`;
    expect(logonText(external('simulator', own))).toMatch(/^Simulated exchange: .* not real\. Call the desk at 7$/);
    expect(logonText(external('test', own))).toBe('Call the desk at 7');
  });

  test.each([
    ['FIX.4.4', 'standard', false],
    ['FIX.4.4', 'venue', false],
    ['FIXT.1.1', 'venue', false],
    ['FIXT.1.1', 'standard', true],
  ])(
    "S8 check states the exchange of a %s session, dialect %s, and its Logon's mark: %s",
    (beginString, dialect, isSent) => {
      const own = `${SESSION.replace(/^beginString:.*\n/m, '')}beginString: ${beginString}\ndialect: ${dialect}\nlogonText: Call the desk\n`;
      const loaded = configurationFolder({ 'OMS.yaml': own }).load();
      const derived = (key: string) =>
        describeConfiguration(loaded).find((value) => value.key.startsWith('derived.') && value.key.endsWith(key))
          ?.value;
      expect(derived('.venue')).toBe('a simulated exchange');
      expect(derived('.logonText')).toMatch(
        isSent ? /^Simulated exchange: .*Call the desk$/ : /^not sent: Logon\(A\) of FIX/,
      );
      expect(loaded.warnings.filter(({ key }) => key === 'logonText')).toHaveLength(isSent ? 0 : 1);
    },
  );

  test('reports invalid cipher suites, and revocation lists without a use', () => {
    const withTls = (keys: string) =>
      inShort(
        configurationFolder({
          'gateway.yaml': GATEWAY.replace(/selfSigned: true/, `selfSigned: true, ${keys}`),
        }).load(),
      );
    expect(withTls('ciphers: "ECDHE+AESGCM:ECDHE-RSA-AES256-SHA384"')).toEqual([]);
    for (const none of ['RC4', 'nonsense', 'ECDHE+AESGCM:@SECLEVEL=0', '']) {
      expect(withTls(`ciphers: "${none}"`)).toEqual([expect.stringMatching(/fix\.listen\[1\]\.tls\.ciphers: /)]);
    }
    expect(withTls('clientRevocations: "file:x.crl"')).toEqual([
      expect.stringMatching(/fix\.listen\[1\]\.tls\.clientRevocations: not used: clients are asked for no certificate/),
      expect.stringContaining('the secret file:x.crl cannot be read'),
    ]);
  });

  test('X5 a self-signed pair and generated secrets are for the embedded simulated exchange only', () => {
    const gateway = GATEWAY.replace('embedded: true', 'embedded: false').replace(
      'exchange:\n',
      'exchange:\n  baseUrl: https://exchange.example\n  environment: test\n',
    );
    expect(inShort(configurationFolder({ 'gateway.yaml': gateway }).load())).toEqual([
      expect.stringMatching(/^sessions\/gateway.yaml:8 fix.listen\[1\].tls.selfSigned: only with the embedded/),
      expect.stringMatching(
        /^sessions\/gateway.yaml:14 exchange.credentials\[0\].key: the secret file:key.json cannot be read/,
      ),
      expect.stringMatching(
        /^sessions\/OMS.yaml:3 password: the secret file:oms.password cannot be read: there is no file/,
      ),
    ]);
  });
});

describe('agreement', () => {
  test('two sessions with one identity', () => {
    const loaded = configurationFolder({ 'SECOND.yaml': SESSION }).load();
    expect(inShort(loaded)).toEqual([
      'sessions/SECOND.yaml:2 targetCompID: session OMS has the same identity, FIX.4.4:GATE->OMS',
    ]);
  });

  test('listeners: names and ports once, the simulated exchange included; port 0 as often as wanted', () => {
    const gateway = GATEWAY.replace('name: tls', 'name: plain').replace('port: 9877', 'port: 9876');
    expect(inShort(configurationFolder({ 'gateway.yaml': gateway }).load())).toEqual([
      'sessions/gateway.yaml:6 fix.listen[1].name: two listeners have this name',
      'sessions/gateway.yaml:7 fix.listen[1].port: 127.0.0.1:9876 is used twice: by listener plain too',
    ]);
    const simulated = configurationFolder({ 'gateway.yaml': GATEWAY.replace('9877', '8480') }).load();
    expect(inShort(simulated)[0]).toMatch(/by the embedded simulated exchange too/);
    const any = configurationFolder({ 'gateway.yaml': GATEWAY.replace('9877', '0').replace('9876', '0') }).load();
    expect(any.problems).toEqual([]);
  });

  test('a session names listeners that exist', () => {
    const loaded = configurationFolder({ 'OMS.yaml': `${SESSION}listeners: [plain, tsl]\n` }).load();
    expect(loaded.problems).toMatchObject([
      { line: 11, key: 'listeners[1]', value: 'tsl', remedy: 'did you mean tls?' },
    ]);
  });

  test("requires the exchange's address and environment without the embedded simulator", () => {
    const folder = configurationFolder({ 'gateway.yaml': EXTERNAL });
    for (const name of ['key.json', 'oms.password']) folder.write(`state/${name}`, secretText(name));
    expect(folder.load().problems.map(({ key }) => key)).toEqual(['exchange.baseUrl', 'exchange.environment']);
  });

  test.each([
    'https://exchange:99999',
    'https://exchange:desk',
    'https://[::1',
    'https://256.1.1.1',
    'https://::1:8480',
  ])('an address of the exchange that is none is refused before the start meets it: %s', (url) => {
    expect(inShort(external('test', SESSION, url))).toEqual([
      expect.stringMatching(/gateway\.yaml:\d+ exchange\.baseUrl: no address: its host or its port is none$/),
    ]);
  });

  test.each(['https://exchange', 'http://[::1]:8480', 'https://Exchange.Example.:443', 'https://10.0.0.1'])(
    'an address of the exchange: %s',
    (url) => {
      expect(inShort(external('test', SESSION, url))).toEqual([]);
    },
  );

  test('an exchange address beside the embedded simulated exchange is refused: it would not be used', () => {
    const gateway = GATEWAY.replace('exchange:\n', 'exchange:\n  baseUrl: https://exchange.example\n');
    expect(inShort(configurationFolder({ 'gateway.yaml': gateway }).load())[0]).toMatch(/no meaning while/);
  });

  test('X3 refuses one API key for two logins, by reference or content: nonces would collide', () => {
    const second = (key: string): string =>
      GATEWAY.replace('simulator:', `    - { name: second, key: "${key}", tradingAccounts: ["333"] }\nsimulator:`);
    const session = SESSION.replace('"111"', '"111"\n    credential: primary');
    const load = (key: string, text: string | null): string[] => {
      const folder = configurationFolder({ 'gateway.yaml': second(key), 'OMS.yaml': session });
      folder.write('state/key.json', secretText('key.json'));
      if (text !== null) folder.write('state/second.json', text);
      return inShort(folder.load());
    };
    expect(load('file:key.json', null)).toEqual([
      'sessions/gateway.yaml:14 exchange.credentials[1].key: two credentials have this API key: their nonces would collide',
    ]);
    expect(load('file:second.json', secretText('second.json').replace('"s"', '"other"'))).toEqual([
      'sessions/gateway.yaml:14 exchange.credentials[1].key: this is the API key of credential primary too: their nonces would collide',
    ]);
    expect(load('file:second.json', secretText('second.json').replace('"p"', '"q"'))).toEqual([]);
    expect(load('file:second.json', null)).toEqual([]);
  });

  test('an account that two logins reach deserves a look: each keeps to the rates of the exchange by itself', () => {
    const second = '    - { name: second, key: "file:second.json", tradingAccounts: ["333", "222"] }\nsimulator:';
    const folder = configurationFolder({
      'gateway.yaml': GATEWAY.replace('simulator:', second),
      'OMS.yaml': SESSION.replace('"111"', '"111"\n    credential: primary'),
    });
    const { problems, warnings } = folder.load();
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([
      {
        key: 'exchange.credentials[1].tradingAccounts[1]',
        value: '222',
        problem: expect.stringMatching(/^credential primary reaches this account too: /),
        remedy: expect.stringMatching(/^list it under one of them/),
      },
    ]);
  });

  test('warns of permitted but doubtful settings', () => {
    const folder = configurationFolder({
      'gateway.yaml': GATEWAY.replace('name: plain\n', 'name: plain\n      host: 0.0.0.0\n'),
      'OMS.yaml': `${SESSION}cancelOnDisconnect: { on: off }\n`,
    });
    const { config, warnings } = folder.load();
    expect(config).not.toBeNull();
    expect(warnings.map(({ file, key }) => `${file} ${key}`)).toEqual([
      'sessions/gateway.yaml fix.listen[0].host',
      'sessions/OMS.yaml cancelOnDisconnect.on',
    ]);
  });
});

describe('a journal in PostgreSQL', () => {
  const withStore = (store: string, session = SESSION) =>
    configurationFolder({ 'gateway.yaml': `${GATEWAY}${store}`, 'OMS.yaml': session });

  test('reports journal-file settings without effect there, and none that also hold', () => {
    const store =
      'store: { kind: postgres, url: "file:pg.url" }\njournal: { retentionYears: 7, snapshotBytes: 2097152, segmentBytes: 2097152, dailyFiles: "off" }\n';
    const folder = withStore(store);
    folder.write('state/pg.url', 'postgresql://me:hush@db/crossgate?sslmode=verify-full');
    const { problems, warnings } = folder.load();
    expect([problems, warnings]).toMatchObject([
      [],
      ['snapshotBytes', 'segmentBytes'].map((key) => ({
        ...{ key: `journal.${key}`, value: '2097152' },
        problem: expect.stringMatching(/^without effect/),
      })),
    ]);
  });

  test('reaches the engine with its address by reference', () => {
    const folder = withStore(
      'store: { kind: postgres, url: "file:pg.url", journal: desk, leaseMs: 12000, standby: wait }\n',
    );
    folder.write('state/pg.url', 'postgresql://me:hush@localhost/crossgate');
    const { config, problems, warnings } = folder.load();
    expect(problems).toEqual([]);
    expect(config?.postgres).toMatchObject({
      journal: 'desk',
      leaseMs: 12_000,
      requestTimeoutMs: 2_000,
      standsBy: true,
    });
    expect(warnings).toEqual([]);
    expect(config?.postgres?.url.reference).toBe('file:pg.url');
    expect(JSON.stringify(config)).not.toContain('hush');
  });

  test('needs an address that can be read, and answers faster than its lease ends', () => {
    expect(inShort(withStore('store: { kind: postgres, leaseMs: 3000 }\n').load())).toEqual([
      expect.stringMatching(/store.requestTimeoutMs: more than half of leaseMs/),
      expect.stringMatching(/store.url: missing: the journal is to lie in PostgreSQL/),
    ]);
    expect(inShort(withStore('store: { kind: postgres, url: "env:NOWHERE_SET" }\n').load())).toEqual([
      expect.stringMatching(/store.url: .*environment variable is not set/),
    ]);
    expect(inShort(withStore('store: { url: "env:NOWHERE_SET" }\n').load())).toEqual([
      expect.stringMatching(/store.url: not used: the journal is embedded/),
    ]);
    expect(inShort(withStore('store: { standby: wait }\n').load())).toEqual([
      expect.stringMatching(/store.standby: not possible: the journal is embedded/),
    ]);
  });

  test('on another machine warns of readable traffic, or an unverified server', () => {
    const folder = withStore('store: { kind: postgres, url: "file:pg.url" }\n');
    const warned = (address: string): string[] => {
      folder.write('state/pg.url', address);
      const { problems, warnings } = folder.load();
      expect(problems).toEqual([]);
      expect(JSON.stringify(warnings)).not.toContain('hush');
      // Those of the operating system do not count.
      for (const { remedy } of warnings) expect(remedy).toContain('where its authority is none that Node.js has');
      return warnings.map(({ key, value, problem }) => `${key} ${value}: ${problem}`);
    };
    const clear = 'store.url file:pg.url: the database is on another machine, and no TLS is spoken with it';
    for (const end of ['', '?sslmode=disable', '?application_name=x', '?ssl=0']) {
      expect(warned(`postgresql://me:hush@db.example:5432/crossgate${end}`)).toEqual([clear]);
    }
    expect(warned('postgresql://me:hush@/crossgate?host=db.example')).toEqual([clear]);
    expect(warned('postgres://me:hush@[2001:db8::1]/crossgate?sslmode=no-verify')).toEqual([
      expect.stringContaining('any server is taken for the database'),
    ]);
    for (const safe of [
      'postgresql://me:hush@db.example/crossgate?sslmode=verify-full',
      'postgresql://me:hush@db.example/crossgate?sslrootcert=/etc/db.crt',
      'postgresql://me:hush@db.example/crossgate?ssl=true',
      'postgresql://me:hush@127.0.0.1/crossgate',
      'postgresql://me:hush@[::1]/crossgate',
      'postgresql://me:hush@/crossgate?host=/run/postgresql',
    ]) {
      expect(warned(safe)).toEqual([]);
    }
  });

  test('keeps no session at durability process', () => {
    const session = `${SESSION}durability: process\n`;
    const folder = withStore('store: { kind: postgres, url: "file:pg.url" }\n', session);
    folder.write('state/pg.url', 'postgresql://me:hush@db/crossgate');
    expect(inShort(folder.load())).toEqual([expect.stringMatching(/durability: not to be had over PostgreSQL/)]);
  });
});

test('warns once, at the copied file, of counterparties that only one password separates', () => {
  const session = (name: string, more = ''): string =>
    `${SESSION.replace('targetCompID: OMS', `targetCompID: ${name}`)}${more}`;
  const shared = configurationFolder({ 'NEW.yaml': session('NEW'), 'OTHER.yaml': session('OTHER') }).load();
  expect(shared.problems).toEqual([]);
  expect(shared.warnings.map(({ file, key, problem, remedy }) => [file, key, problem, remedy])).toEqual([
    [
      'sessions/OMS.yaml',
      'password',
      'session NEW and 1 more have the same password, which admits to either; give each its own',
      'give each counterparty a file of its own, for example file:secrets/OMS.password',
    ],
  ]);
  // The log blacks out what stands behind `password:`.
  expect(redactText(shared.warnings[0]!.problem)).toBe(shared.warnings[0]!.problem);
  // One counterparty with two sessions, and one that a password of its own proves.
  const desks = configurationFolder({
    'DESK.yaml': session('OMS', 'targetSubID: DESK\n'),
    'OWN.yaml': session('OWN').replace('oms.password', 'own.password'),
  });
  expect(desks.load().warnings).toEqual([]);
});
