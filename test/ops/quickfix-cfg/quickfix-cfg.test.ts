// Settings files of QuickFIX C++, QuickFIX/J, QuickFIX/n and quickfixgo: what becomes of every key, and such a file in the
// configuration folder.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { QUICKFIX_NAMES, SETTING_NAMES } from '../../../src/ops/quickfix-cfg/keys.ts';
import { readQuickfixCfg } from '../../../src/ops/quickfix-cfg/quickfix-cfg.ts';
import { settingsPages } from '../../docs/reference/settings-pages.ts';
import { configurationFolder } from '../configuration-folder.ts';

/** As QuickFIX C++ users write it: an acceptor for two desks. */
const CPP = `# Gateway of the house
[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5001
FileStorePath=store
FileLogPath=log
StartTime=00:00:00
EndTime=00:00:00
HeartBtInt=20
UseDataDictionary=Y
DataDictionary=spec/FIX44.xml
ResetOnLogon=N
SenderCompID=GATE

[SESSION]
BeginString=FIX.4.4
TargetCompID=DESK1

[SESSION]
BeginString=FIX.4.2
TargetCompID=DESK2
HeartBtInt=45
ResetOnLogon=Y
`;

/** As QuickFIX/J users write it: a weekly session with a password and TLS. */
const JAVA = `[default]
ConnectionType=initiator
ReconnectInterval=5
SenderCompID=BUYSIDE
TimeZone=America/New_York
SocketUseSSL=Y
SocketKeyStorePassword=changeit
CheckLatency=Y
MaxLatency=60
TestRequestDelayMultiplier=0.5
HeartBeatTimeoutMultiplier=1.4
EnableLastMsgSeqNumProcessed=Y
EnableNextExpectedMsgSeqNum=Y
ResendRequestChunkSize=500

[session]
BeginString=FIXT.1.1
DefaultApplVerID=FIX.5.0SP2
TargetCompID=VENUE
SessionQualifier=prime
SocketConnectHost=fix.example.com
SocketConnectPort=9443
SocketConnectHost1=10.0.0.2
SocketConnectPort1=9443
StartDay=Sunday
EndDay=Friday
StartTime=17:00:00
EndTime=17:00:00
Username=desk
Password=hunter2-very-secret
LogonTimeout=15
`;

/** As QuickFIX/n users write it. */
const DOTNET = `[DEFAULT]
ConnectionType=initiator
SocketConnectHost=127.0.0.1
SocketConnectPort=5002
StartTime=08:00:00
EndTime=18:30:00
Weekdays=Mon,Tue,Wed,Thu,Fri
UseLocalTime=Y
SSLEnable=N
MaxMessagesInResendRequest=100
CheckLatency=N
MaxLatency=30
[SESSION]
BeginString=FIX.4.4
SenderCompID=CLIENT
TargetCompID=BROKER
TargetSubID=ALGO
`;

/** As quickfixgo users write it. */
const GO = `[DEFAULT]
SocketConnectHost=127.0.0.1
SocketConnectPort=5003
HeartBtInt=30
SenderCompID=TW
TimeStampPrecision=MICROS
SQLStoreDriver=postgres
StartTime=00:00:00
EndTime=23:59:59

[SESSION]
ConnectionType=initiator
BeginString=FIX.4.2
TargetCompID=ISLD
`;

test('a SubID or LocationID without a value is none', () => {
  const ids = ['SenderSubID=', 'TargetSubID= ', 'SenderLocationID=', 'TargetLocationID='].join('\n');
  const text = `[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n${ids}\n`;
  const [session] = readQuickfixCfg(text, 'x.cfg').sessions;
  expect(session!.name).toBe('B');
  expect(session!.file.values).toEqual({ beginString: 'FIX.4.4', senderCompID: 'A', targetCompID: 'B' });
  expect(session!.reports.slice(3).map(({ kind }) => kind)).toEqual(['taken', 'taken', 'taken', 'taken']);
});

test('QuickFIX C++: defaults go into each session, its own value wins, ignored keys say why', () => {
  const { sessions, problems } = readQuickfixCfg(CPP, 'acceptor.cfg');
  expect(problems).toEqual([]);
  expect(sessions.map(({ name }) => name)).toEqual(['DESK1', 'DESK2']);
  expect(sessions[0]!.file.values).toEqual({
    role: 'acceptor',
    beginString: 'FIX.4.4',
    senderCompID: 'GATE',
    targetCompID: 'DESK1',
    heartBtIntS: 20,
    validateIncoming: true,
    resetOn: [],
    schedule: { timeZone: 'UTC', resets: [{ at: '00:00:00' }] },
  });
  expect(sessions[1]!.file.values).toMatchObject({ targetCompID: 'DESK2', heartBtIntS: 45, beginString: 'FIX.4.2' });
  const said = new Map(sessions[1]!.reports.map((report) => [report.key, report]));
  expect(said.get('HeartBtInt')).toMatchObject({ kind: 'taken', line: 22, text: 'heartBtIntS: 45' });
  expect(said.get('ResetOnLogon')).toMatchObject({ kind: 'translated', line: 23, text: 'resetOn: ["logon"]' });
  expect(said.get('FileStorePath')).toMatchObject({ kind: 'refused', line: 5 });
  expect(said.get('SocketAcceptPort')!.text).toContain('fix.listen');
});

test('QuickFIX/J: addresses, a weekly schedule, multipliers; the password becomes a reference', () => {
  const { sessions, problems } = readQuickfixCfg(JAVA, 'initiator.cfg');
  expect(problems).toEqual([]);
  expect(sessions[0]!.name).toBe('prime');
  expect(sessions[0]!.file.values).toEqual({
    role: 'initiator',
    connect: {
      reconnectFirstMs: 5000,
      reconnectLargestMs: 5000,
      tls: { minVersion: 'TLSv1.2' },
      addresses: ['fix.example.com:9443', '10.0.0.2:9443'],
    },
    senderCompID: 'BUYSIDE',
    targetCompID: 'VENUE',
    beginString: 'FIXT.1.1',
    defaultApplVerID: '9',
    schedule: {
      timeZone: 'America/New_York',
      windows: [{ days: ['Sun'], from: '17:00:00', to: '17:00:00', toDay: 'Fri' }],
      resets: [{ days: ['Sun'], at: '17:00:00' }],
    },
    sendingTimeAccuracyS: 60,
    testRequestAfter: 1.5,
    lostAfter: 2.4,
    sendLastMsgSeqNumProcessed: true,
    sendNextExpectedMsgSeqNum: true,
    resendRequestChunk: 500,
    username: 'desk',
    password: 'file:secrets/prime.password',
    logonTimeoutMs: 15_000,
  });
  const text = JSON.stringify(sessions);
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain('changeit');
});

test('QuickFIX/n and quickfixgo: weekdays, latency switched off, finer timestamps', () => {
  const [dotnet] = readQuickfixCfg(DOTNET, 'n.cfg').sessions;
  expect(dotnet!.name).toBe('BROKER_ALGO');
  expect(dotnet!.file.values).toMatchObject({
    schedule: {
      timeZone: 'UTC',
      windows: [{ days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '08:00:00', to: '18:30:00' }],
    },
    sendingTimeAccuracyS: 0,
    targetSubID: 'ALGO',
    resendRequestChunk: 100,
  });
  expect(dotnet!.reports.find(({ key }) => key === 'UseLocalTime')).toMatchObject({ kind: 'refused' });
  const [go] = readQuickfixCfg(GO, 'go.cfg').sessions;
  expect(go!.file.values).toMatchObject({ role: 'initiator', connect: { addresses: ['127.0.0.1:5003'] } });
  expect(go!.reports.find(({ key }) => key === 'TimeStampPrecision')).toMatchObject({ kind: 'translated' });
});

test("has settings for other engines' garbled messages, empty fields and resends", () => {
  const lines = 'ClosedResendInterval=Y\nValidateFieldsHaveValues=N\nValidateChecksum=N\nRejectGarbledMessage=Y\n';
  const [session] = readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions;
  expect(session!.file.values).toMatchObject({
    closedResendRequests: true,
    validateFieldsHaveValues: false,
    validateCheckSum: false,
    rejectGarbledMessages: true,
  });
});

test('of a key that stands in a section twice the last counts, and the report says so of the one before', () => {
  const text = '[DEFAULT]\nHeartBtInt=20\nHeartBtInt=25\n[SESSION]\nTargetCompID=A\nHeartBtInt=30\nheartbtint=45\n';
  const { sessions, problems } = readQuickfixCfg(text, 'a.cfg');
  expect(problems).toEqual([]);
  expect(sessions[0]!.file.values.heartBtIntS).toBe(45);
  const said = sessions[0]!.reports.map(({ line, key, value, kind }) => [line, key, value, kind]);
  // That a session's own value wins over that of [DEFAULT] is meant.
  expect(said).toEqual([
    [2, 'HeartBtInt', '20', 'refused'],
    [5, 'TargetCompID', 'A', 'taken'],
    [6, 'HeartBtInt', '30', 'refused'],
    [7, 'heartbtint', '45', 'taken'],
  ]);
  expect(sessions[0]!.reports[2]!.text).toContain('the last counts');
});

test('merges reset settings into a list, an explicit N empties it; pauses give first and largest', () => {
  const valuesOf = (lines: string) => {
    const { sessions } = readQuickfixCfg(`[DEFAULT]\n${lines}[SESSION]\nTargetCompID=A\n`, 'a.cfg');
    return sessions[0]!.file.values;
  };
  expect(valuesOf('ResetOnLogon=Y\nResetOnLogout=N\nResetOnDisconnect=Y\n').resetOn).toEqual(['logon', 'disconnect']);
  expect(valuesOf('ResetOnLogout=N\n').resetOn).toEqual([]);
  expect(valuesOf('')).not.toHaveProperty('resetOn');
  expect(valuesOf('ReconnectInterval=5;3x10;60\n').connect).toEqual({
    reconnectFirstMs: 5000,
    reconnectLargestMs: 60_000,
  });
  // QuickFIX/J takes it, and looks once a second whether it is time.
  expect(valuesOf('ReconnectInterval=0\n').connect).toEqual({ reconnectFirstMs: 1000, reconnectLargestMs: 1000 });
  const { sessions } = readQuickfixCfg(
    '[SESSION]\nResetOnLogon=perhaps\nResetOnError=Y\nReconnectInterval=soon\n',
    'a',
  );
  expect(sessions[0]!.reports.map(({ kind }) => kind)).toEqual(['invalid', 'refused', 'invalid']);
});

test('QuickFIX/J validates unless UseDataDictionary or ValidateIncomingMessage is N', () => {
  const validates = (defaults: string, own: string) => {
    const { sessions } = readQuickfixCfg(`[DEFAULT]\n${defaults}\n[SESSION]\nTargetCompID=A\n${own}\n`, 'a.cfg');
    return sessions[0]!.file.values.validateIncoming;
  };
  expect(validates('ValidateIncomingMessage=N', 'UseDataDictionary=Y')).toBe(false);
  expect(validates('UseDataDictionary=Y', 'ValidateIncomingMessage=N')).toBe(false);
  expect(validates('UseDataDictionary=N', 'ValidateIncomingMessage=Y')).toBe(false);
  expect(validates('UseDataDictionary=N', 'UseDataDictionary=Y')).toBe(true);
  expect(validates('ValidateIncomingMessage=Y', 'UseDataDictionary=Y')).toBe(true);
});

test('names a line that is no setting, and reports the nearest known key of an unknown one', () => {
  const { problems, sessions: read } = readQuickfixCfg(
    'Stray=1\n[SESSION]\nHeartBtInterval=30\nnonsense\n[OTHER]\nHeartBtInt=x\n',
    'a.cfg',
  );
  expect(problems.map(({ line, key, problem, remedy }) => `${line} ${key}: ${problem}; ${remedy}`)).toEqual([
    '1 Stray: a setting before the first section; put it below [DEFAULT] or [SESSION]',
    '4 : not a setting: "nonsense"; write [DEFAULT], [SESSION] or Key=Value',
    '5 : not a setting: "[OTHER]"; write [DEFAULT], [SESSION] or Key=Value',
  ]);
  expect(read[0]!.reports[0]).toMatchObject({
    line: 3,
    kind: 'refused',
    text: 'no QuickFIX engine knows this setting; did you mean HeartBtInt?',
  });
  const { sessions } = readQuickfixCfg('[SESSION]\nHeartBtInt=x\nStartTime=25\n', 'a.cfg');
  expect(sessions[0]!.file.problems.map(({ line, problem }) => `${line} ${problem}`)).toEqual([
    '2 a whole number is needed',
    '3 StartTime and EndTime are needed both, as HH:MM:SS',
  ]);
  expect(readQuickfixCfg('', 'a.cfg').problems[0]?.problem).toBe('there is no [SESSION] section');
});

test('a key of this gateway without its prefix gets it suggested', () => {
  const { sessions, problems } = readQuickfixCfg(
    '[SESSION]\naccounts=[{account: "1"}]\nLimits={}\nrisk.maxqty=1\ncancelOnDisconnect.on=off\n',
    'a.cfg',
  );
  expect(problems).toEqual([]);
  expect(sessions[0]!.reports.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'refused: a key of this gateway is written `Crossgate.accounts=…` in this file',
    'refused: a key of this gateway is written `Crossgate.limits=…` in this file',
    expect.stringContaining('no QuickFIX engine knows it'),
    'refused: a key of this gateway is written `Crossgate.cancelOnDisconnect.on=…` in this file',
  ]);
});

test('days are taken by any abbreviation that QuickFIX takes, and by nothing else', () => {
  const windowOf = (days: string): unknown => {
    const { sessions } = readQuickfixCfg(`[SESSION]\nStartTime=22:25:00\nEndTime=22:00:00\n${days}`, 'a.cfg');
    const [report] = sessions[0]!.reports;
    return report!.kind === 'translated' ? report!.text : report!.kind;
  };
  const week = windowOf('StartDay=Sunday\nEndDay=Friday\n');
  expect(week).toContain('"days":["Sun"],"from":"22:25:00","to":"22:00:00","toDay":"Fri"');
  for (const [start, end] of ['su fr', 'SUN fri', 'sund Frida', 'Sun. Fri.'].map((days) => days.split(' '))) {
    expect(windowOf(`StartDay=${start}\nEndDay=${end}\n`)).toBe(week);
  }
  expect(windowOf('Weekdays=mo,we\n')).toContain('"days":["Mon","Wed"]');
  expect(windowOf('StartDay=Sunday\nEndDay=Friday\nWeekdays=Mon,Tue\n')).toBe('invalid');
  for (const wrong of ['s', 'sundae', 'Dimanche']) expect(windowOf(`StartDay=${wrong}\nEndDay=fr\n`)).toBe('invalid');
});

test('Weekdays of a session beside StartDay and EndDay of all are refused: one of them would count unseen', () => {
  const { sessions } = readQuickfixCfg(
    '[DEFAULT]\nStartDay=Sunday\nEndDay=Friday\nStartTime=08:00:00\nEndTime=17:00:00\n[SESSION]\nWeekdays=Mon,Tue\n',
    'a.cfg',
  );
  expect(sessions[0]!.file.problems.map(({ line, problem }) => `${line} ${problem}`)).toContain(
    '7 Weekdays, or StartDay and EndDay: a session has one of the two',
  );
});

test('files as they are found: comments behind headings, an application’s own settings, no ConnectionType', () => {
  const { sessions, problems } = readQuickfixCfg(
    '[DEFAULT]   # for all\nDefaultMarketPrice=15\nLogonTime=00:00:01\n[SESSION] ;one\nTargetCompID=ISLD\n' +
      'SocketConnectHost=h\nSocketConnectPort=1\nSSLEnable=Y\nSSLServerName=hub\n',
    'go.cfg',
  );
  expect(problems).toEqual([]);
  const connect = { addresses: ['h:1'], tls: { minVersion: 'TLSv1.2', serverName: 'hub' } };
  expect(sessions[0]!.file.values).toEqual({ role: 'initiator', targetCompID: 'ISLD', connect });
  expect(sessions[0]!.reports.filter(({ kind }) => kind === 'refused').map(({ key }) => key)).toEqual([
    'DefaultMarketPrice',
    'LogonTime',
  ]);
  // The operating system's trust store does not count.
  expect(sessions[0]!.reports.find(({ key }) => key === 'SSLEnable')?.text).toContain(
    'an authority that Node.js has or',
  );
  expect(readQuickfixCfg('[DEFAULT\nA=1\nB=2\n', 'a.cfg').problems.map(({ line }) => line)).toEqual([1, 2, 1]);
});

test('a setting by the name that the manual of QuickFIX/J has for it stops no import', () => {
  const { sessions, problems } = readQuickfixCfg(
    '[default]\nScreenLogEvents=Y\nJdbcMaxActiveTime=5000\nJdbcSimultaneousBuildThrottle=32\n[session]\nTargetCompID=B\n',
    'j.cfg',
  );
  expect(problems).toEqual([]);
  expect(sessions[0]!.reports.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
    'ScreenLogEvents refused',
    'JdbcMaxActiveTime refused',
    'JdbcSimultaneousBuildThrottle refused',
    'TargetCompID taken',
  ]);
  for (const { text } of sessions[0]!.reports) expect(text).not.toContain('no QuickFIX engine knows it');
});

const OWN = `Crossgate.accounts=[{account: "111"}]
Crossgate.limits={orderQtyMax: "10", notionalMax: "1000", openOrdersMax: 5, priceBandPercent: "20"}
Password=never-read
`;

test('reads a settings file in the configuration folder, with problems and warnings by line', () => {
  const folder = configurationFolder({ 'house.cfg': CPP.replace('[SESSION]', `${OWN}[SESSION]`) });
  const { config, problems, warnings, origins } = folder.load();
  expect(problems).toEqual([]);
  expect(config!.sessions.map(({ source }) => source)).toEqual([
    'sessions/OMS.yaml',
    'sessions/house.cfg/DESK1',
    'sessions/house.cfg/DESK2',
  ]);
  const desk2 = config!.sessions[2]!;
  expect(desk2.session).toMatchObject({ beginString: 'FIX.4.2', heartBtIntS: 45, targetCompID: 'DESK2' });
  expect(desk2.password!.reference).toBe('file:secrets/DESK2.password');
  expect(origins.get('sessions.DESK2.heartBtIntS')).toBe('sessions/house.cfg:25');
  expect(warnings.find(({ key }) => key === 'FileStorePath')).toMatchObject({ file: 'sessions/house.cfg', line: 5 });

  folder.write('sessions/house.cfg', `${CPP}DefaultMarketPrice=15\nHeartBtIntv=1\n`);
  const broken = folder.load();
  expect(broken.config).toBeNull();
  const place = { file: 'sessions/house.cfg', line: 24 };
  expect(broken.warnings.find(({ key }) => key === 'DefaultMarketPrice')).toMatchObject(place);
  expect(broken.warnings.find(({ key }) => key === 'HeartBtIntv')).toMatchObject({ ...place, line: 25 });
  // As a YAML file has it, the key would be one that no engine knows.
  expect(broken.problems.find(({ key }) => key === 'accounts')).toMatchObject({
    file: 'sessions/house.cfg',
    remedy: expect.stringMatching(/; in this file as `Crossgate\.accounts=…`, the value as YAML on one line$/),
  });
});

test('every QuickFIX name of the reference is a setting that sets something', () => {
  for (const [key, names] of QUICKFIX_NAMES) {
    for (const name of names.split(', ')) expect(SETTING_NAMES, `${key}: ${name}`).toContain(name);
  }
  const reference = [...settingsPages().values()].join('\n');
  for (const [key, names] of QUICKFIX_NAMES) {
    const [, entry = ''] = new RegExp(`^(?:#+ \`${key}(?:\\[\\])?\`|# ${key})\\n([^#]*)`, 'm').exec(reference) ?? [];
    for (const name of names.split(', ')) expect(entry, key).toContain(`\`${name}\``);
  }
});

const INITIATOR = 'ConnectionType=initiator\nSocketConnectHost=fix.example.com\nSocketConnectPort=1\n';
const PLAIN = '[SESSION]\nBeginString=FIX.4.4\nSenderCompID=GATE\nTargetCompID=OMS\n';

test.each([
  ['bytes', 'Crossgate.limits=!!binary aGk=', 5, /tags \(`!!binary`.*are not used here/],
  ['an alias', 'Crossgate.symbols=&a [*a]', 5, /aliases are not used here/],
  ['an open bracket', 'Crossgate.symbols=[BTCUSDC', 5, /not readable as YAML on one line/],
  ['a secret in it', 'Crossgate.password=hunter2', 5, /a secret must not stand in this file/],
  ['a key below a value', 'Crossgate.limits=5\nCrossgate.limits.orderQtyMax="1"', 6, /another line sets to something/],
  ['a key below a list', 'Crossgate.accounts=[]\nCrossgate.accounts.a="1"', 6, /another line sets to something/],
])('a setting of ours with %s is a problem with its line', (_, lines, line, problem) => {
  const [session] = readQuickfixCfg(`${PLAIN}${lines}\n`, 'house.cfg').sessions;
  const problems = session!.file.problems;
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ file: 'house.cfg', line, problem: expect.stringMatching(problem) });
});

test('names that every object has are names like any other: they change no object but the session', () => {
  const lines = 'Crossgate.constructor.prototype.polluted=1\nCrossgate.toString.polluted=1\n';
  const [session] = readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions;
  expect(session!.file.values).toMatchObject({
    constructor: { prototype: { polluted: 1 } },
    toString: { polluted: 1 },
  });
  expect('polluted' in {}).toBe(false);
  expect(Object.keys(Object.prototype.toString)).toEqual([]);
  const folder = configurationFolder({ 'house.cfg': `${PLAIN.replace('OMS', 'DESK')}${lines}` });
  const unknown = folder.load().problems.filter(({ problem }) => problem === 'unknown key');
  expect(unknown.map(({ line, key }) => `${line} ${key}`)).toEqual(['5 constructor', '6 toString']);
});

test('refuses a settings file in another encoding by line; sessions avoid our own file names', () => {
  const folder = configurationFolder();
  writeFileSync(join(folder.path, 'sessions', 'HOUSE.cfg'), Buffer.from(`${PLAIN}Username=Jürgen\n`, 'latin1'));
  const [first, ...rest] = folder.load().problems;
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ file: 'sessions/HOUSE.cfg', line: 5, problem: 'this line is not UTF-8 text' });
  const named = readQuickfixCfg(PLAIN.replace('OMS', 'gateway') + PLAIN.replace('OMS', 'defaults'), 'house.cfg');
  expect(named.sessions.map(({ name }) => name)).toEqual(['gateway_2', 'defaults_2']);
});

/** Settings that one engine or the other reads, besides those of the files above; of quickfixgo, /J, /n and C++. */
const FURTHER =
  `SocketTimeout UseTCPProxy HeartBtIntOverride DynamicSessions DynamicQualifier SQLLogDriver SQLLogDataSourceName
SQLStoreMessagesTableName MongoLogConnection ResetSeqTime EnableResetSeqTime RejectGarbledMessage DisconnectOnError LogonTag1
LogonTag12 SocketConnectProtocol1 AppDataDictionary.FIX.4.2 JdbcConnectionIdleTimeout
JdbcConnectionKeepaliveTime SendLogoutBeforeDisconnectFromTimeout ResendSessionLevelRejects UseDateTime SendResetSeqNumFlag
SendBufferSize ReceiveBufferSize PreserveMessageFieldsOrder ServerCertificateFile ServerCertificateKeyFile
ClientCertificateFile ClientCertificateKeyFile CertificationAuthoritiesFile CertificationAuthoritiesDirectory
CertificateRevocationListFile CertificateRevocationListDirectory CertificateVerifyLevel TLSCipherSuites
MySQLLogIncomingTable MySQLLogUseConnectionPool PostgreSQLLogEventTable OdbcLogOutgoingTable`.split(/\s+/);

test("takes no setting of the four engines for a misspelt one, or the application's", () => {
  for (const key of FURTHER) {
    const { sessions, problems } = readQuickfixCfg(`${PLAIN}${key}=N\n`, 'house.cfg');
    expect(problems, key).toEqual([]);
    const report = sessions[0]!.reports.find((one) => one.key === key)!;
    expect(report.kind, key).not.toBe('invalid');
    expect(report.text, key).not.toContain('no QuickFIX engine knows it');
  }
  const { sessions: misspelt } = readQuickfixCfg(`${PLAIN}LogonTags1=553=me\nSocketConectHost1=h\n`, 'house.cfg');
  const texts = misspelt[0]!.reports.slice(-2).map(({ text }) => text.split('; ')[1]);
  expect(texts).toEqual(['did you mean LogonTag?', 'did you mean SocketConnectHost?']);
  const pair = 'SocketConnectHost=a\nSocketConnectPort=1\nSocketConnectHost17=b\nSocketConnectPort17=2\n';
  const [many] = readQuickfixCfg(PLAIN + pair, 'house.cfg').sessions;
  expect(many!.file.values.connect).toEqual({ addresses: ['a:1', 'b:2'] });
});

test('QuickFIX/J: LogonTag carries name and password of an initiator; no report shows a password', () => {
  const lines =
    'ConnectionType=initiator\nLogonTag=553=desk\nLogonTag1=554=hunter2\nLogonTag2=96=hunter3\nLogonTag3=141=Y\n' +
    'LogonTag4=8013=hunter10\nLogonTag5=554 = hunter11\nLogonTag6=20001=hunter12\nLogonTag7=1137=9\n' +
    'JdbcURL=jdbc:mysql://desk:hunter4@h/db\nSQLLogDataSourceName=desk:hunter5@tcp(h)/db\n' +
    'OdbcLogConnectionString=UID=sa;PWD=hunter6\nMongoStoreConnection=mongodb://u:hunter7@h\n' +
    'JdbcMaxActiveConnection=32\n';
  const [session] = readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions;
  expect(session!.file.values).toMatchObject({ username: 'desk', password: 'file:secrets/OMS.password' });
  const tags = session!.reports.filter(({ key }) => key.startsWith('LogonTag'));
  expect(tags.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    'translated 553=desk',
    'translated 554=[redacted]',
    'refused 96=[redacted]',
    'refused 141=Y',
    'refused 8013=[redacted]',
    'refused 554=[redacted]',
    'refused 20001=[redacted]',
    'refused 1137=9',
  ]);
  expect(JSON.stringify(session)).not.toContain('hunter');
  expect(session!.reports.at(-1)).toMatchObject({ key: 'JdbcMaxActiveConnection', value: '32' });
  const { problems } = readQuickfixCfg(`${PLAIN}Password: hunter8\nSSLKeyStorePassword hunter9\n`, 'house.cfg');
  expect(problems[0]!.problem).toBe('not a setting: "Password: [redacted]"');
  expect(problems[1]!.problem).toBe('not a setting: "SSLKeyStorePassword [redacted]"');
  const [acceptor] = readQuickfixCfg(`${PLAIN}ConnectionType=acceptor\nLogonTag=553=desk\n`, 'house.cfg').sessions;
  expect(acceptor!.file.values).not.toHaveProperty('username');
});

test('of [DEFAULT] an acceptor passes over where to connect, and a session of FIX.4 over DefaultApplVerID', () => {
  const common = 'DefaultApplVerID=FIX.5.0SP2\nSocketConnectHost=localhost\nSocketAcceptPort=81\nUsername=\n';
  const text = `[DEFAULT]\n${common}[SESSION]\nConnectionType=acceptor\nBeginString=FIX.4.2\nTargetCompID=A\n`;
  const [session] = readQuickfixCfg(text, 'house.cfg').sessions;
  expect(session!.file.problems).toEqual([]);
  expect(session!.file.values).toEqual({ role: 'acceptor', beginString: 'FIX.4.2', targetCompID: 'A' });
  const said = new Map(session!.reports.map(({ key, kind, text: why }) => [key, `${kind}: ${why}`]));
  expect(said.get('SocketConnectHost')).toBe('refused: an acceptor does not connect');
  expect(said.get('DefaultApplVerID')).toBe('refused: it is of FIXT.1.1; FIX.4.2 names its version itself');
  expect(said.get('Username')).toBe('taken: none');
});

test('QuickFIX/J: a value that is filled in by a variable has to be written out, where it counts', () => {
  const filled = '$' + '{name}';
  const lines = [`HeartBtInt=${filled}`, `SocketConnectHost=${filled}`, 'SocketConnectPort=9876', `Password=${filled}`];
  const text = `${PLAIN}ConnectionType=initiator\n${lines.join('\n')}\nDataDictionary=${filled}\n`;
  const [session] = readQuickfixCfg(text, 'house.cfg').sessions;
  const said = session!.reports.slice(4).map(({ key, kind, text: why }) => `${key} ${kind}: ${why.split(':')[0]}`);
  expect(said).toEqual([
    'HeartBtInt invalid: QuickFIX/J fills in such a variable',
    'SocketConnectHost invalid: QuickFIX/J fills in such a variable',
    'SocketConnectPort translated: connect.addresses',
    'Password translated: password',
    'DataDictionary refused: the dictionaries of the gateway are used (`dictionaries` in gateway.yaml)',
  ]);
});

test('a setting of TLS that has no effect says why, and not that of another one', () => {
  const why = (setting: string) => readQuickfixCfg(`${PLAIN}${setting}\n`, 'house.cfg').sessions[0]!.reports[3]!.text;
  expect(why('EnabledProtocols=TLSv1.2')).toContain('`minVersion`');
  expect(why('SSLProtocols=Tls12')).toContain('`minVersion`');
  expect(why('CipherSuites=TLS_AES_128_GCM_SHA256')).toContain('`ciphers`');
  expect(why('NeedClientAuth=Y')).toContain('`clientAuthority`');
  expect(why('SSLValidateCertificates=N')).toContain('always verifies');
  expect(why('SSLCheckCertificateRevocation=Y')).toContain('`clientRevocations`');
  expect(why('SocketKeyStore=a.jks')).toContain('PEM');
});

test("QuickFIX/J, /n: a key store's password becomes a passphrase reference, never a copy", () => {
  for (const key of ['SocketKeyStorePassword', 'SSLCertificatePassword']) {
    const reportOf = (value: string, more = `${INITIATOR}SocketUseSSL=Y\n`) =>
      readQuickfixCfg(`${PLAIN}${more}${key}=${value}\n`, 'house.cfg').sessions[0]!.reports.at(-1)!;
    expect(reportOf('env:KEY_WORD').values).toEqual([[['connect', 'tls', 'passphrase'], 'env:KEY_WORD']]);
    const copied = reportOf('changeit');
    expect([copied.kind, copied.values]).toEqual(['refused', undefined]);
    expect(copied.text).toContain('`connect.tls.passphrase` opens an encrypted key, by reference');
    expect(reportOf('env:KEY_WORD', 'ConnectionType=acceptor\n').text).toContain('`fix.listen[].tls.passphrase`');
    expect(JSON.stringify(copied)).not.toContain('changeit');
  }
});

test("QuickFIX/J: takes an initiator's local address and proxy, its password by reference alone", () => {
  const read = (lines: string, role = INITIATOR) =>
    readQuickfixCfg(`${PLAIN}${role}${lines}`, 'house.cfg').sessions[0]!;
  const connectOf = (lines: string) => (read(lines).file.values as { connect: unknown }).connect;
  const socks = 'ProxyType=socks\nProxyVersion=4a\nProxyHost=proxy.example.com\nProxyPort=1080\n';
  expect(connectOf('SocketLocalHost=10.1.2.3\nSocketLocalPort=4000\n')).toMatchObject({
    localAddress: '10.1.2.3',
    localPort: 4000,
  });
  expect(connectOf('SocketConnectSourceHost=localhost\nSocketConnectSourcePort=0\n')).toMatchObject({
    localAddress: '127.0.0.1',
    localPort: 0,
  });
  expect(connectOf(socks)).toMatchObject({ proxy: { kind: 'socks4', address: 'proxy.example.com:1080' } });
  const proof = 'ProxyUser=us\nProxyPassword=hunter22\n';
  const proxied = read(`${socks.replace('4a', '5')}${proof}`);
  expect(proxied.file.values.connect).toMatchObject({
    proxy: { kind: 'socks5', user: 'us', password: 'file:secrets/OMS.proxy' },
  });
  expect(JSON.stringify(proxied)).not.toContain('hunter22');
  expect(
    connectOf(`${socks.replace('socks', 'http').replace('4a', '1.1')}ProxyUser=us\nProxyPassword=env:WORD\n`),
  ).toMatchObject({
    proxy: { kind: 'http', user: 'us', password: 'env:WORD' },
  });
  for (const [lines, words] of [
    ['ProxyType=ftp\nProxyHost=p\nProxyPort=1\n', 'ProxyType is http, or socks'],
    ['ProxyHost=p\nProxyPort=1\n', 'are needed together'],
    ['SocketLocalHost=gate.example.com\n', 'write it in place of the name'],
    ['ProxyDomain=HOUSE\n', 'no NTLM'],
  ] as const) {
    expect(read(lines).reports.at(-1)!.text).toContain(words);
  }
  expect(read(socks, 'ConnectionType=acceptor\n').reports.at(-1)!.text).toBe('an acceptor does not connect');
});

test.each([
  ['TimeStampPrecision=MICROS', 'microseconds'],
  ['TimeStampPrecision=SECONDS', 'seconds'],
  ['TimestampPrecision=9', 'nanoseconds'],
  ['TimestampPrecision=3', 'milliseconds'],
  ['TimeStampPrecision=Microsecond', 'microseconds'],
  ['MillisecondsInTimeStamp=N', 'seconds'],
  ['MillisecondsInTimestamp=Y', undefined],
  ['TimestampPrecision=4', undefined],
  ['MillisecondsInTimeStamp=N\nTimeStampPrecision=NANOS', 'nanoseconds'],
])('%s sets the precision of times that are sent', (lines, precision) => {
  const { file } = readQuickfixCfg(`${PLAIN}${lines}\n`, 'house.cfg').sessions[0]!;
  expect(file.values.timestampPrecision).toBe(precision);
});

test('suggests FIXT.1.1 for BeginString=FIX.5.0, not another version', () => {
  const own = PLAIN.replace('FIX.4.4', 'FIX.5.0SP2').replace('OMS', 'DESK') + OWN;
  const folder = configurationFolder({ 'house.cfg': own });
  const [problem] = folder.load().problems;
  expect(problem!.remedy).toContain('FIX.5.0 and its service packs are `FIXT.1.1` with `defaultApplVerID`');
});

test('QuickFIX/J: a zone behind a time precedes TimeZone; check refuses a bad one at its line', () => {
  const sessionOf = (lines: string) => readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions[0]!;
  const said = (lines: string) => sessionOf(lines).reports.slice(3);
  const own = sessionOf('TimeZone=UTC\nStartTime=08:00:00 US/Central\nEndTime=17:00:00 US/Central\n');
  expect(own.file.values.schedule).toMatchObject({ timeZone: 'US/Central' });
  expect(own.reports[3]).toMatchObject({ key: 'TimeZone', kind: 'refused' });
  for (const zone of ['eastern standard time', 'Nowhere/City']) {
    const [timeZone, ...times] = said(`TimeZone=${zone}\nStartTime=08:00:00\nEndTime=17:00:00\n`);
    expect(timeZone!.kind).toBe('refused');
    expect(timeZone!.text).toContain(`${zone} is no IANA time zone; write one such as`);
    expect(times.map(({ kind }) => kind)).toEqual(['translated', 'translated']);
  }
  expect(said('StartTime=08:00:00 EDT5\nEndTime=17:00:00 EDT5\n').map(({ kind }) => kind)).toEqual([
    'refused',
    'refused',
  ]);
  // quickfixgo: without times a session is open around the clock.
  expect(said('TimeZone=Europe/London\n')[0]).toMatchObject({ kind: 'translated' });
  const folder = configurationFolder({
    'house.cfg': `${PLAIN.replace('OMS', 'DESK')}${OWN}TimeZone=Nowhere/City\nStartTime=08:00\nEndTime=17:00\n`,
  });
  const { problems, warnings } = folder.load();
  expect(problems.map(({ line, key }) => `${line} ${key}`)).toEqual(['8 schedule.timeZone']);
  // Without it the times would be of UTC.
  expect(warnings.filter(({ line }) => line === 8)).toEqual([]);
});

test('QuickFIX/n: a time zone of Windows becomes the IANA zone that CLDR has for it', () => {
  const scheduleOf = (lines: string) =>
    readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions[0]!.file.values.schedule;
  const times = 'StartTime=08:00:00\nEndTime=17:00:00\n';
  expect(scheduleOf(`TimeZone=Eastern Standard Time\n${times}`)).toMatchObject({ timeZone: 'America/New_York' });
  expect(scheduleOf(`TimeZone=GMT Standard Time\n${times}`)).toMatchObject({ timeZone: 'Europe/London' });
  expect(scheduleOf(`TimeZone=Central Standard Time (Mexico)\n${times}`)).toMatchObject({
    timeZone: 'America/Mexico_City',
  });
  expect(
    scheduleOf('StartTime=08:00:00 Tokyo Standard Time\nEndTime=17:00:00 W. Europe Standard Time\n'),
  ).toMatchObject({ timeZone: 'Asia/Tokyo', windows: [{ toTimeZone: 'Europe/Berlin' }] });
  const cfg = `${PLAIN.replace('OMS', 'DESK')}${OWN}TimeZone=India Standard Time\n${times}`;
  expect(configurationFolder({ 'house.cfg': cfg }).load().problems).toEqual([]);
});

test('QuickFIX/J: StartTime and EndTime in two time zones are one window between them, by the week too', () => {
  const scheduleOf = (lines: string) =>
    readQuickfixCfg(`${PLAIN}${lines}`, 'house.cfg').sessions[0]!.file.values.schedule;
  const times = 'StartTime=08:00:00 America/New_York\nEndTime=17:00:00 Europe/London\n';
  const window = { from: '08:00:00', to: '17:00:00', toTimeZone: 'Europe/London' };
  const resets = [{ at: '08:00:00' }];
  expect(scheduleOf(times)).toEqual({ timeZone: 'America/New_York', windows: [window], resets });
  expect(scheduleOf(`TimeZone=Asia/Tokyo\n${times}`)).toEqual(scheduleOf(times));
  expect(scheduleOf('TimeZone=Europe/London\nStartTime=08:00:00 America/New_York\nEndTime=17:00:00\n')).toEqual(
    scheduleOf(times),
  );
  expect(scheduleOf('TimeZone=America/New_York\nStartTime=08:00:00\nEndTime=17:00:00 Europe/London\n')).toEqual(
    scheduleOf(times),
  );
  expect(scheduleOf(`${times}StartDay=sunday\nEndDay=friday\n`)).toEqual({
    timeZone: 'America/New_York',
    windows: [{ days: ['Sun'], ...window, toDay: 'Fri' }],
    resets: [{ days: ['Sun'], at: '08:00:00' }],
  });
  // The same time of day in two zones is no day around the clock.
  expect(scheduleOf('StartTime=17:00:00 America/New_York\nEndTime=17:00:00 Europe/London\n')).toMatchObject({
    windows: [{ from: '17:00:00', to: '17:00:00', toTimeZone: 'Europe/London' }],
  });
  const folder = configurationFolder({ 'house.cfg': `${PLAIN.replace('OMS', 'DESK')}${OWN}${times}` });
  const { config } = folder.load();
  const setup = config!.sessions.find(({ session }) => session.targetCompID === 'DESK')!;
  expect(setup.session.schedule).toMatchObject({ timeZone: 'America/New_York', windows: [window] });
  folder.write('sessions/house.cfg', `${PLAIN.replace('OMS', 'DESK')}${OWN}${times.replace('Europe', 'Eurasia')}`);
  expect(folder.load().problems.map(({ key, problem }) => `${key}: ${problem}`)).toEqual([
    'schedule.windows[0].toTimeZone: there is no such time zone',
  ]);
});

test('an interval of heartbeats that QuickFIX takes is within the limits here too, which are moved for it', () => {
  const sessionOf = (seconds: number) =>
    readQuickfixCfg(`${PLAIN.replace('OMS', 'DESK')}${OWN}HeartBtInt=${seconds}\n`, 'house.cfg').sessions[0]!;
  expect(sessionOf(180).file.values).toMatchObject({ heartBtIntS: 180, heartBtIntMaxS: 180 });
  expect(sessionOf(2).file.values).toMatchObject({ heartBtIntS: 2, heartBtIntMinS: 2 });
  expect(sessionOf(30).reports.at(-1)).toMatchObject({ kind: 'taken', text: 'heartBtIntS: 30' });
  expect(sessionOf(30).file.values).not.toHaveProperty('heartBtIntMaxS');
  for (const seconds of [2, 180]) {
    const folder = configurationFolder({
      'house.cfg': `${PLAIN.replace('OMS', 'DESK')}${OWN}HeartBtInt=${seconds}\n`,
    });
    expect(folder.load().problems).toEqual([]);
  }
});

test('reports a [DEFAULT] setting as without effect only if no session uses it', () => {
  const both =
    `[DEFAULT]\nReconnectInterval=5\nSocketConnectHost=h\nSocketConnectPort=1\nFileStorePath=store\n${OWN}` +
    `${PLAIN.replace('OMS', 'DESK')}ConnectionType=acceptor\n${PLAIN.replace('OMS', 'HUB')}ConnectionType=initiator\n`;
  const { problems, warnings } = configurationFolder({ 'house.cfg': both }).load();
  expect(problems).toEqual([]);
  const ofFile = warnings.filter(({ file }) => file === 'sessions/house.cfg');
  // The password of the initiator crosses the network.
  expect(ofFile.map(({ key }) => key)).toEqual(['FileStorePath', 'Password']);
});
