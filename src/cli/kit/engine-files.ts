// The configuration files of a kit, for the engines of a counterparty. Each names the same session by the keys that its engine
// documents. No file has a password: none of these engines needs one there.

import type { KitDictionaries } from './kit-dictionaries.ts';
import type { KitSession } from './kit-session.ts';

/** Path of the authority in a kit. */
export const AUTHORITY = 'certificates/authority.pem';

type Setting = readonly [key: string, value: string | number];
type Section = 'DEFAULT' | 'SESSION';
type EngineSettings = Readonly<Record<Section, readonly Setting[]>>;

interface Facts extends KitSession {
  readonly dictionaries: KitDictionaries;
  /** The counterparty connects to us. */
  readonly connects: boolean;
  /** Reset that both sides make at a time of every day, in its zone; null: there is none. */
  readonly dailyReset: { readonly at: string; readonly timeZone: string } | null;
}

/** Every engine's file: path in the kit, and text. */
export function engineFiles(kit: KitSession, dictionaries: KitDictionaries): [path: string, text: string][] {
  const facts: Facts = {
    ...kit,
    dictionaries,
    connects: kit.session.connect === null,
    dailyReset: dailyResetOf(kit),
  };
  return [
    ['quickfix-cpp.cfg', cfgText('QuickFIX C++', cppSettings(facts), notesOf(facts, 'C++'))],
    ['quickfix-j.cfg', cfgText('QuickFIX/J', javaSettings(facts), notesOf(facts, 'J'))],
    ['quickfix-n.cfg', cfgText('QuickFIX/n', dotNetSettings(facts), notesOf(facts, 'n'))],
    ['quickfix-go.cfg', cfgText('QuickFIX/Go', goSettings(facts), notesOf(facts, 'Go'))],
    ['jspurefix.json', `${JSON.stringify(jspurefixSession(facts), null, 2)}\n`],
  ];
}

/** A reset of each day at one time; engines know no other. */
export function dailyResetOf({ session }: KitSession): Facts['dailyReset'] {
  const { schedule } = session.session;
  const [reset, ...more] = schedule?.resets ?? [];
  if (!schedule || reset === undefined || more.length > 0 || reset.days.length < 7) return null;
  const at = reset.at.length === 5 ? `${reset.at}:00` : reset.at;
  return { at, timeZone: reset.timeZone ?? schedule.timeZone };
}

function cfgText(engine: string, sections: EngineSettings, notes: readonly string[]): string {
  const lines = (settings: readonly Setting[]): string => settings.map(([key, value]) => `${key}=${value}\n`).join('');
  const head = [
    `${engine}. Paths are relative to the folder of the kit: start your engine there, or change them.`,
    ...notes,
  ];
  return `${head.map((line) => `# ${line}\n`).join('')}\n[DEFAULT]\n${lines(sections.DEFAULT)}\n[SESSION]\n${lines(sections.SESSION)}`;
}

function notesOf({ session, door, dailyReset }: Facts, engine: 'C++' | 'J' | 'n' | 'Go'): string[] {
  const { password, access } = session;
  const { username, environment, senderSubID, targetSubID, senderLocationID, targetLocationID } = session.session;
  const fields = [
    ...(username === null ? [] : [`Username(553)=${username}`]),
    ...(password === null ? [] : ['Password(554)']),
    ...(access.signature === null ? [] : ['RawDataLength(95) and RawData(96)']),
    ...(environment === 'test' ? ['TestMessageIndicator(464)=Y'] : []),
  ];
  const ids = [senderSubID, targetSubID, senderLocationID, targetLocationID].some((id) => (id ?? '') !== '');
  return [
    ...(fields.length === 0 ? [] : [`Your application adds ${fields.join(', ')} to the Logon(A), in toAdmin.`]),
    ...(engine === 'C++' && ids
      ? ['It also sets the SubIDs and LocationIDs of RULES.md in every header: this engine has no setting for them.']
      : []),
    ...(engine === 'C++' && dailyReset === null
      ? [
          'This engine begins its numbers again at StartTime (UTC). Agree on that reset, or change StartTime and EndTime.',
        ]
      : []),
    ...(engine === 'C++' && door.tls !== null
      ? ['Use ThreadedSSLSocketInitiator or ThreadedSSLSocketAcceptor: a build with OpenSSL has these classes.']
      : []),
    ...(engine === 'J' && door.tls?.authority.pem
      ? [
          'Java reads a key store. Make it once:',
          `keytool -importcert -noprompt -alias crossgate -file ${AUTHORITY} -keystore trust.p12 -storetype PKCS12`,
          'and name its password as SocketTrustStorePassword.',
        ]
      : []),
  ];
}

const yesNo = (is: boolean): string => (is ? 'Y' : 'N');

/** Settings that all four engines share. */
function common({ session, connects }: Facts): { readonly ofAll: Setting[]; readonly resets: Setting[] } {
  const resetOn = session.session.resetOn ?? [];
  return {
    ofAll: [
      ...(connects ? [['ReconnectInterval', 5] as const] : []),
      ['FileStorePath', 'store'],
      ['FileLogPath', 'log'],
    ],
    resets: [
      ['ResetOnLogon', yesNo(resetOn.includes('logon'))],
      ['ResetOnLogout', yesNo(resetOn.includes('logout'))],
      ['ResetOnDisconnect', yesNo(resetOn.includes('disconnect'))],
    ],
  };
}

/** The counterparty's side: its SenderCompID is our TargetCompID. */
function identity({ session: { session } }: Facts, hasSubIDs: boolean): Setting[] {
  const optional = (key: string, value: string | null | undefined): Setting[] =>
    (value ?? '') === '' || !hasSubIDs ? [] : [[key, value!]];
  return [
    ['BeginString', session.beginString],
    ['SenderCompID', session.targetCompID],
    ...optional('SenderSubID', session.targetSubID),
    ...optional('SenderLocationID', session.targetLocationID),
    ['TargetCompID', session.senderCompID],
    ...optional('TargetSubID', session.senderSubID),
    ...optional('TargetLocationID', session.senderLocationID),
  ];
}

function address({ door, connects, session }: Facts): Setting[] {
  return connects
    ? [
        ['SocketConnectHost', door.host],
        ['SocketConnectPort', door.port],
        ['HeartBtInt', session.session.heartBtIntS],
      ]
    : [['SocketAcceptPort', door.port]];
}

function dictionarySettings({ dictionaries }: Facts): Setting[] {
  const { applications, transport } = dictionaries;
  const [own, ...further] = applications;
  if (transport === null) return [['DataDictionary', own!.path]];
  return [
    ['DefaultApplVerID', own!.version],
    ['TransportDataDictionary', transport],
    ['AppDataDictionary', own!.path],
    ...further.map(({ version, path }): Setting => [`AppDataDictionary.${version}`, path]),
  ];
}

function connectionType({ connects }: Facts): Setting {
  return ['ConnectionType', connects ? 'initiator' : 'acceptor'];
}

/** Where the counterparty keeps its own certificate, if this session needs one; the kit has neither it nor its key. */
const OWN_CERTIFICATE = 'certificates/own.pem';
const OWN_KEY = 'certificates/own.key';
const OWN_STORE = 'certificates/own.p12';

interface TlsFacts {
  /** The counterparty shows a certificate of its own: an acceptor always does. */
  readonly showsOwn: boolean;
  readonly hasAuthority: boolean;
  readonly serverName: string;
  readonly only13: boolean;
}

function tlsFacts({ door, connects }: Facts): TlsFacts | null {
  if (door.tls === null) return null;
  const { asksClient, authority, serverName, minVersion } = door.tls;
  return {
    showsOwn: asksClient || !connects,
    hasAuthority: authority.pem !== null,
    serverName: serverName ?? door.host,
    only13: minVersion === 'TLSv1.3',
  };
}

/** Keys of QuickFIX C++ 1.15 (SessionSettings.h); it reads those of TLS in [DEFAULT] only. */
function cppSettings(facts: Facts): EngineSettings {
  const { session, connects, dailyReset } = facts;
  const { ofAll, resets } = common(facts);
  // It has no NonStopSession: its numbers begin again at StartTime, by UTC.
  const at = dailyReset !== null && isUtc(dailyReset.timeZone) ? dailyReset.at : '00:00:00';
  const { sendingTimeAccuracyS } = session.session;
  const tls = tlsFacts(facts);
  const side = connects ? 'Client' : 'Server';
  const ofTls: Setting[] = [];
  if (tls !== null) {
    if (connects) ofTls.push(['SSLProtocol', 'all -SSLv2 -SSLv3 -TLSv1 -TLSv1_1']);
    if (tls.hasAuthority) ofTls.push(['CertificationAuthoritiesFile', AUTHORITY], ['CertificateVerifyLevel', 1]);
    if (tls.showsOwn) ofTls.push([`${side}CertificateFile`, OWN_CERTIFICATE], [`${side}CertificateKeyFile`, OWN_KEY]);
  }
  const latency: Setting[] =
    sendingTimeAccuracyS === 0
      ? [['CheckLatency', 'N']]
      : [
          ['CheckLatency', 'Y'],
          ['MaxLatency', sendingTimeAccuracyS],
        ];
  return {
    DEFAULT: [
      connectionType(facts),
      ...ofAll,
      ['StartTime', at],
      ['EndTime', at],
      ['UseDataDictionary', 'Y'],
      ...resets,
      ...latency,
      ...ofTls,
    ],
    SESSION: [...identity(facts, false), ...dictionarySettings(facts), ...address(facts)],
  };
}

const isUtc = (timeZone: string): boolean => /^(?:UTC|GMT|Etc\/(?:UTC|GMT|UCT|Zulu|Universal))$/i.test(timeZone);

/** StartTime and EndTime where numbers begin again each day, else a session without end. */
function times({ dailyReset }: Facts, endless: readonly Setting[]): Setting[] {
  if (dailyReset === null) return [...endless];
  const { at, timeZone } = dailyReset;
  return [
    ['StartTime', at],
    ['EndTime', at],
    ['TimeZone', timeZone],
  ];
}

/** Fields that both sides send by agreement. */
function agreed({ session }: Facts): Setting[] {
  return session.session.sendsLastMsgSeqNumProcessed === true ? [['EnableLastMsgSeqNumProcessed', 'Y']] : [];
}

/** QuickFIX/J and QuickFIX/n name these alike. */
function javaAndDotNet(facts: Facts, ofTls: readonly Setting[], more: readonly Setting[] = []): EngineSettings {
  const { ofAll, resets } = common(facts);
  return {
    DEFAULT: [
      connectionType(facts),
      ...ofAll,
      ...times(facts, [['NonStopSession', 'Y']]),
      ['UseDataDictionary', 'Y'],
      ...resets,
      ...agreed(facts),
      ...more,
    ],
    SESSION: [...identity(facts, true), ...dictionarySettings(facts), ...address(facts), ...ofTls],
  };
}

function javaSettings(facts: Facts): EngineSettings {
  const tls = tlsFacts(facts);
  const ofTls: Setting[] = [];
  if (tls !== null) {
    ofTls.push(['SocketUseSSL', 'Y'], ['EnabledProtocols', tls.only13 ? 'TLSv1.3' : 'TLSv1.2,TLSv1.3']);
    if (tls.hasAuthority) ofTls.push(['SocketTrustStore', 'trust.p12'], ['TrustStoreType', 'PKCS12']);
    if (tls.showsOwn) ofTls.push(['SocketKeyStore', OWN_STORE], ['KeyStoreType', 'PKCS12']);
  }
  const next: Setting[] =
    facts.session.session.sendsNextExpectedMsgSeqNum === true ? [['EnableNextExpectedMsgSeqNum', 'Y']] : [];
  return javaAndDotNet(facts, ofTls, next);
}

function dotNetSettings(facts: Facts): EngineSettings {
  const tls = tlsFacts(facts);
  const ofTls: Setting[] = [];
  if (tls !== null) {
    ofTls.push(['SSLEnable', 'Y']);
    if (facts.connects) ofTls.push(['SSLServerName', tls.serverName]);
    if (tls.hasAuthority) ofTls.push(['SSLCACertificate', AUTHORITY]);
    if (tls.showsOwn) ofTls.push(['SSLCertificate', OWN_STORE]);
  }
  return javaAndDotNet(facts, ofTls);
}

/** Without StartTime its sessions never end; an initiator or acceptor is chosen by the program. */
function goSettings(facts: Facts): EngineSettings {
  const { ofAll, resets } = common(facts);
  const tls = tlsFacts(facts);
  const ofTls: Setting[] = [];
  if (tls !== null) {
    ofTls.push(['SocketUseSSL', 'Y'], ['SocketMinimumTLSVersion', 'TLS12']);
    if (facts.connects) ofTls.push(['SocketServerName', tls.serverName]);
    if (tls.hasAuthority) ofTls.push(['SocketCAFile', AUTHORITY]);
    if (tls.showsOwn) ofTls.push(['SocketCertificateFile', OWN_CERTIFICATE], ['SocketPrivateKeyFile', OWN_KEY]);
  }
  return {
    DEFAULT: [...ofAll, ...times(facts, []), ...resets, ...agreed(facts)],
    SESSION: [...identity(facts, true), ...dictionarySettings(facts), ...address(facts), ...ofTls],
  };
}

/** An ISessionDescription. Its paths must be absolute, or jspurefix looks in its own folder. */
function jspurefixSession({ session, door, dictionaries, connects, name }: Facts): object {
  const { session: fix } = session;
  const optional = (key: string, value: string | null | undefined): object =>
    (value ?? '') === '' ? {} : { [key]: value };
  const tls =
    door.tls === null
      ? {}
      : {
          tls: {
            timeout: 10_000,
            ...(door.tls.authority.pem === null ? {} : { ca: [AUTHORITY] }),
            ...(door.tls.asksClient || !connects ? { key: OWN_KEY, cert: OWN_CERTIFICATE } : {}),
            nodeTlsConnectionOptions: { servername: door.tls.serverName ?? door.host },
          },
        };
  return {
    application: {
      type: connects ? 'initiator' : 'acceptor',
      name,
      protocol: 'ascii',
      reconnectSeconds: 5,
      dictionary: dictionaries.whole,
      tcp: { host: connects ? door.host : '0.0.0.0', port: door.port, ...tls },
    },
    Name: name,
    BeginString: fix.beginString,
    ...(fix.beginString === 'FIXT.1.1' ? { DefaultApplVerID: fix.defaultApplVerID ?? '9' } : {}),
    SenderCompId: fix.targetCompID,
    TargetCompID: fix.senderCompID,
    ...optional('SenderSubID', fix.targetSubID),
    ...optional('TargetSubID', fix.senderSubID),
    ...optional('Username', fix.username),
    ResetSeqNumFlag: (fix.resetOn ?? []).includes('logon'),
    HeartBtInt: fix.heartBtIntS,
    BodyLengthChars: 4,
  };
}
