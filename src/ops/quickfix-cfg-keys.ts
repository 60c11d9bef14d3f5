// What each setting of QuickFIX C++, QuickFIX/J, QuickFIX/n and quickfixgo means here: taken as it is, translated, or
// refused with the reason. Leaves reading the file to quickfix-cfg.ts, times and days to quickfix-cfg-schedule.ts,
// settings of ours to quickfix-cfg-own.ts, those of files, logs and sockets to quickfix-cfg-without-effect.ts.

import { hostPort } from '../base/host-port.ts';
import { FIX_SESSION_DEFAULTS } from '../engine/mod.ts';
import { isOwnSetting, isSecretReference, ownSetting, withPrefix } from './quickfix-cfg-own.ts';
import { scheduleOf, timeZoneOf } from './quickfix-cfg-schedule.ts';
import { invalid, type OtherSetting, type SettingVerdict } from './quickfix-cfg-verdict.ts';
import { TLS, WITHOUT_EFFECT } from './quickfix-cfg-without-effect.ts';

type Translate = (value: string, other: OtherSetting, name: string) => SettingVerdict;

const refused =
  (text: string): Translate =>
  () => ({ kind: 'refused', text });

function set(key: string, value: unknown, kind: 'taken' | 'translated' = 'taken'): SettingVerdict {
  return { kind, text: `${key}: ${JSON.stringify(value)}`, values: [[key.split('.'), value]] };
}

const isYes = (value: string): boolean => /^(y|yes|true|t|1)$/i.test(value);
const isNo = (value: string): boolean => /^(n|no|false|f|0)$/i.test(value);

const text =
  (key: string): Translate =>
  (value) =>
    set(key, value);

/** Without a value, as many files have it, there is none, for all four engines. */
const textOrNone =
  (key: string): Translate =>
  (value) =>
    value === '' ? { kind: 'taken', text: 'none' } : set(key, value);

const whole =
  (key: string, factor = 1): Translate =>
  (value) =>
    /^\d{1,9}$/.test(value)
      ? set(key, Number(value) * factor, factor === 1 ? 'taken' : 'translated')
      : invalid('a whole number is needed');

const yesNo =
  (key: string): Translate =>
  (value) =>
    isYes(value) ? set(key, true) : isNo(value) ? set(key, false) : invalid('Y or N is needed');

/** A switch that this engine does not have: one position is how it always works, the other is refused. */
const always =
  (position: 'Y' | 'N', why: string): Translate =>
  (value) => {
    if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
    return isYes(value) === (position === 'Y')
      ? { kind: 'taken', text: 'always so here' }
      : { kind: 'refused', text: why };
  };

/** Silence in HeartBtInts, of which QuickFIX/J counts the part above one. */
const multiplier =
  (key: string): Translate =>
  (value) =>
    /^\d(\.\d{1,3})?$/.test(value)
      ? set(key, Math.round(1000 * (1 + Number(value))) / 1000, 'translated')
      : invalid('a number such as 0.5 is needed');

const VERSIONS: Readonly<Record<string, string>> = { 'FIX.5.0': '7', 'FIX.5.0SP1': '8', 'FIX.5.0SP2': '9' };

function defaultApplVerID(value: string, other: OtherSetting): SettingVerdict {
  const beginString = other('BeginString') ?? '';
  if (/^FIX\.4/i.test(beginString))
    return { kind: 'refused', text: `it is of FIXT.1.1; ${beginString} names its version itself` };
  const id = VERSIONS[value.toUpperCase()] ?? value;
  if (Object.values(VERSIONS).includes(id)) return set('defaultApplVerID', id, id === value ? 'taken' : 'translated');
  return { kind: 'refused', text: 'a FIXT.1.1 session speaks FIX.5.0, FIX.5.0SP1 or FIX.5.0SP2 here' };
}

function connectionType(value: string): SettingVerdict {
  const role = value.toLowerCase();
  return role === 'acceptor' || role === 'initiator' ? set('role', role) : invalid('acceptor or initiator is needed');
}

const ADDRESSES_MAX = 100;

/** Hosts and ports come as pairs of settings, numbered from the second on. */
function connectAddress(_value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const addresses: string[] = [];
  for (let i = 0; i < ADDRESSES_MAX; i++) {
    const suffix = i === 0 ? '' : String(i);
    const [host, port] = [other(`SocketConnectHost${suffix}`), other(`SocketConnectPort${suffix}`)];
    if (host !== null && port !== null) addresses.push(hostPort(host, port));
  }
  if (addresses.length === 0) return invalid('SocketConnectHost and SocketConnectPort are needed both');
  if (!isInitiator(other)) return NOT_CONNECTING;
  const verdict = set('connect.addresses', addresses, 'translated');
  if (other('ConnectionType') !== null) return verdict;
  return {
    ...verdict,
    text: `${verdict.text}, role: "initiator"`,
    values: [...verdict.values!, [['role'], 'initiator']],
  };
}

function connectTimeout(value: string, other: OtherSetting, name: string): SettingVerdict {
  return isAcceptor(other) ? NOT_CONNECTING : whole('connect.connectTimeoutMs', 1000)(value, other, name);
}

/** Seconds between attempts, of QuickFIX/J also as a list (`5;3x10;60`): here the first pause and the largest. */
function reconnectInterval(value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const steps = value.split(';').map((step) => /^(?:\d{1,4}x)?(\d{1,4})$/i.exec(step.trim())?.[1]);
  if (steps.includes(undefined)) return invalid('a number of seconds is needed');
  // With 0 these engines try again each second: more often they do not look whether it is time.
  const seconds = steps.map((step) => Math.max(1, Number(step)));
  const first = seconds[0]! * 1000;
  const largest = Math.max(...seconds) * 1000;
  return {
    kind: 'translated',
    text: `connect.reconnectFirstMs: ${first}, connect.reconnectLargestMs: ${largest}`,
    values: [
      [['connect', 'reconnectFirstMs'], first],
      [['connect', 'reconnectLargestMs'], largest],
    ],
  };
}

const RESETS = [
  ['ResetOnLogon', 'logon'],
  ['ResetOnLogout', 'logout'],
  ['ResetOnDisconnect', 'disconnect'],
] as const;

/** Any of the three: they make one list together, and each says the same. */
function resetOn(value: string, other: OtherSetting): SettingVerdict {
  if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
  const moments = RESETS.filter(([setting]) => isYes(other(setting) ?? 'N')).map(([, moment]) => moment);
  return set('resetOn', moments, 'translated');
}

/** A pattern of sessions; `*` in the CompIDs means the same here. */
function template(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(value)) return { kind: 'taken', text: 'a session of its own' };
  if (!isYes(value)) return invalid('Y or N is needed');
  if (other('ConnectionType')?.toLowerCase() === 'initiator') {
    return { kind: 'refused', text: 'an initiator knows its counterparty' };
  }
  const targetCompID = other('TargetCompID');
  if (targetCompID !== null && targetCompID !== '*') {
    return { kind: 'refused', text: 'TargetCompID names one counterparty: a session of its own' };
  }
  const any: [string[], unknown][] = targetCompID === null ? [[['targetCompID'], '*']] : [];
  return {
    kind: 'translated',
    text: 'template: true; `*` stands for any counterparty, and each has a password of its own',
    values: [[['template'], true], ...any],
  };
}

const NOT_CONNECTING: SettingVerdict = { kind: 'refused', text: 'an acceptor does not connect' };

function isAcceptor(other: OtherSetting): boolean {
  const role = other('ConnectionType')?.toLowerCase() ?? null;
  return role === null ? other('SocketAcceptPort') !== null : role === 'acceptor';
}

/** quickfixgo has no ConnectionType: who only connects is an initiator. */
function isInitiator(other: OtherSetting): boolean {
  const role = other('ConnectionType')?.toLowerCase() ?? null;
  return role === null
    ? other('SocketConnectHost') !== null && other('SocketAcceptPort') === null
    : role === 'initiator';
}

/** An initiator speaks TLS by its own settings; the sockets of acceptors belong to the process. */
function tls(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(value)) return { kind: 'taken', text: 'plain TCP, unless the listener has TLS' };
  if (!isYes(value)) return invalid('Y or N is needed');
  if (!isInitiator(other)) return { kind: 'refused', text: TLS };
  const text =
    'connect.tls.minVersion: "TLSv1.2"; the counterparty’s certificate has to be of an authority of the system or of ' +
    '`connect.tls.authority` (PEM), and to name its host or `connect.tls.serverName`';
  return { kind: 'translated', text, values: [[['connect', 'tls', 'minVersion'], 'TLSv1.2']] };
}

function tlsServerName(value: string, other: OtherSetting): SettingVerdict {
  const isOn = isYes(other('SocketUseSSL') ?? other('SSLEnable') ?? 'N');
  if (!isOn || !isInitiator(other)) return { kind: 'refused', text: TLS };
  return textOrNone('connect.tls.serverName')(value, other, '');
}

function resendChunk(value: string): SettingVerdict {
  return /^\d{1,6}$/.test(value) ? set('resendRequestChunk', Number(value)) : invalid('a whole number is needed');
}

/** Seconds of tolerance for SendingTime(52), unless CheckLatency=N. */
function maxLatency(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(other('CheckLatency') ?? 'Y')) return { kind: 'refused', text: 'CheckLatency=N switches the check off' };
  return whole('sendingTimeAccuracyS')(value, other, '');
}

function checkLatency(value: string): SettingVerdict {
  if (isYes(value)) return { kind: 'taken', text: 'always so here, within sendingTimeAccuracyS' };
  return isNo(value) ? set('sendingTimeAccuracyS', 0, 'translated') : invalid('Y or N is needed');
}

/** What the limits themselves may be. */
const HEART_BT_INT_LARGEST_S = 3600;

/** The engines know no limits of it: those of a session here are moved where they would leave it out. */
function heartBtInt(value: string, other: OtherSetting, name: string): SettingVerdict {
  const verdict = whole('heartBtIntS')(value, other, name);
  const seconds = Number(value);
  const { heartBtIntMinS, heartBtIntMaxS } = FIX_SESSION_DEFAULTS;
  const limit = seconds > heartBtIntMaxS ? 'heartBtIntMaxS' : seconds < heartBtIntMinS ? 'heartBtIntMinS' : null;
  const isPossible = seconds > 0 && seconds <= HEART_BT_INT_LARGEST_S;
  if (limit === null || verdict.values === undefined || !isPossible) return verdict;
  return {
    kind: 'translated',
    text: `${verdict.text}, ${limit}: ${seconds}`,
    values: [...verdict.values, [[limit], seconds]],
  };
}

/** A password is never copied: a reference takes its place, and the text says what goes there. */
function password(value: string, other: OtherSetting, name: string): SettingVerdict {
  if (isSecretReference(value)) return set('password', value);
  const isTemplate =
    isYes(other('AcceptorTemplate') ?? other('DynamicSession') ?? 'N') && (other('TargetCompID') ?? '*') === '*';
  const reference = `file:secrets/${isTemplate ? '{compID}' : name}.password`;
  return {
    kind: 'translated',
    text: `password: "${reference}"; put the password into that file of the state folder (chmod 600): it is not copied`,
    values: [[['password'], reference]],
  };
}

/** A field of an initiator's Logon, `553=name`; of the counterparty's credentials alone there is a setting here. */
function logonTag(value: string, other: OtherSetting, name: string): SettingVerdict {
  const [, tag, content = ''] = /^(\d+)=(.*)$/.exec(value) ?? [];
  if (tag === '553' && isInitiator(other)) return set('username', content, 'translated');
  if (tag === '554' && isInitiator(other)) return password(content, other, name);
  return { kind: 'refused', text: 'of a Logon only Username(553) and Password(554) of an initiator are configured' };
}

const RESET = 'numbers are reset where `resetOn` and `schedule.resets` say, by ResetSeqNumFlag(141) or by an operator';
/** Applications keep settings of their own in the same file, which their engine passes over. */
const UNKNOWN = refused('no QuickFIX engine knows it: a setting of the application that the file was written for?');

const many = (names: string, translate: Translate): [string, Translate][] =>
  names.split(' ').map((name) => [name, translate]);

/** Our key where a setting sets one, for the table in sessions/README.md; the others have no name there. */
export const QUICKFIX_NAMES: ReadonlyMap<string, string> = new Map([
  ['role', 'ConnectionType'],
  ['beginString', 'BeginString'],
  ['defaultApplVerID', 'DefaultApplVerID'],
  ['senderCompID', 'SenderCompID'],
  ['targetCompID', 'TargetCompID'],
  ['senderSubID', 'SenderSubID'],
  ['senderLocationID', 'SenderLocationID'],
  ['targetSubID', 'TargetSubID'],
  ['targetLocationID', 'TargetLocationID'],
  ['template', 'AcceptorTemplate, DynamicSession'],
  ['username', 'Username, LogonTag'],
  ['password', 'Password, LogonTag'],
  ['connect.addresses', 'SocketConnectHost, SocketConnectPort'],
  ['connect.tls', 'SocketUseSSL, SSLEnable'],
  ['connect.tls.serverName', 'SSLServerName, SocketServerName, SNIHostName'],
  ['connect.connectTimeoutMs', 'SocketConnectTimeout'],
  ['connect.reconnectFirstMs', 'ReconnectInterval'],
  ['connect.reconnectLargestMs', 'ReconnectInterval'],
  ['logon.allowFrom', 'AllowedRemoteAddresses'],
  ['schedule', 'StartTime, EndTime, StartDay, EndDay, Weekdays, NonStopSession'],
  ['schedule.timeZone', 'TimeZone'],
  ['heartBtIntS', 'HeartBtInt'],
  ['testRequestAfter', 'TestRequestDelayMultiplier'],
  ['lostAfter', 'HeartBeatTimeoutMultiplier'],
  ['sendingTimeAccuracyS', 'MaxLatency, CheckLatency'],
  ['logonTimeoutMs', 'LogonTimeout'],
  ['logoutTimeoutMs', 'LogoutTimeout'],
  ['resetOn', 'ResetOnLogon, ResetOnLogout, ResetOnDisconnect'],
  ['resendRequestChunk', 'ResendRequestChunkSize, MaxMessagesInResendRequest'],
  ['validateIncoming', 'UseDataDictionary, ValidateIncomingMessage'],
  ['sendLastMsgSeqNumProcessed', 'EnableLastMsgSeqNumProcessed'],
  ['sendNextExpectedMsgSeqNum', 'EnableNextExpectedMsgSeqNum, SendNextExpectedMsgSeqNum'],
]);

const SETTINGS: readonly [string, Translate][] = [
  ['ConnectionType', connectionType],
  ['BeginString', text('beginString')],
  ['SenderCompID', text('senderCompID')],
  ['TargetCompID', text('targetCompID')],
  ['SenderSubID', textOrNone('senderSubID')],
  ['SenderLocationID', textOrNone('senderLocationID')],
  ['TargetSubID', textOrNone('targetSubID')],
  ['TargetLocationID', textOrNone('targetLocationID')],
  ['SessionQualifier', (_value, _other, name) => ({ kind: 'translated', text: `the session is called ${name}` })],
  ['DefaultApplVerID', defaultApplVerID],
  ['Username', textOrNone('username')],
  ['Password', password],
  ['HeartBtInt', heartBtInt],
  ...many('SocketConnectHost SocketConnectPort', connectAddress),
  ['SocketConnectTimeout', connectTimeout],
  ['ReconnectInterval', reconnectInterval],
  ...many('StartTime EndTime StartDay EndDay Weekdays NonStopSession', scheduleOf),
  ...many('TimeZone TimeZoneID', timeZoneOf),
  ['UseLocalTime', always('N', 'times need a time zone: write TimeZone')],
  ['CheckLatency', checkLatency],
  ['MaxLatency', maxLatency],
  ['LogonTimeout', whole('logonTimeoutMs', 1000)],
  ['LogoutTimeout', whole('logoutTimeoutMs', 1000)],
  ['TestRequestDelayMultiplier', multiplier('testRequestAfter')],
  ['HeartBeatTimeoutMultiplier', multiplier('lostAfter')],
  ...many('ResendRequestChunkSize MaxMessagesInResendRequest', resendChunk),
  ...many('UseDataDictionary ValidateIncomingMessage', yesNo('validateIncoming')),
  ['EnableLastMsgSeqNumProcessed', yesNo('sendLastMsgSeqNumProcessed')],
  ...many('EnableNextExpectedMsgSeqNum SendNextExpectedMsgSeqNum', yesNo('sendNextExpectedMsgSeqNum')),
  [
    'AllowedRemoteAddresses',
    (value) =>
      set(
        'logon.allowFrom',
        value.split(/[\s,;]+/).filter((each) => each !== ''),
        'translated',
      ),
  ],
  ...many('ResetOnLogon ResetOnLogout ResetOnDisconnect', resetOn),
  ['ResetOnError', always('N', RESET)],
  ['DisconnectOnError', always('N', 'a session goes on after an error of its application')],
  ['RefreshOnLogon', always('N', 'numbers have one owner: the journal')],
  ['PersistMessages', always('Y', 'reports are always kept, and resent when asked for (rule S11)')],
  ['CheckCompID', always('Y', 'a session is its CompIDs')],
  ['AllowPosDup', always('N', 'PossDupFlag(43) and OrigSendingTime(122) are the engine’s')],
  ['RequiresOrigSendingTime', always('Y', 'a PossDup without OrigSendingTime(122) is rejected (373=1)')],
  ['ValidateFieldsOutOfOrder', always('Y', 'header, body and trailer have their order')],
  ['ValidateUnorderedGroupFields', always('Y', 'fields of a group have their order')],
  ['ValidateFieldsHaveValues', always('Y', 'an empty value is rejected (373=4)')],
  ['ValidateUserDefinedFields', always('Y', 'a field that no dictionary has is rejected (373=3)')],
  ...many('AllowUnknownMsgFields AllowUnknownEnumValues', always('N', 'what the dictionary does not have is rejected')),
  ['ValidateChecksum', always('Y', 'a wrong CheckSum(10) makes a message garbled')],
  ['ValidateLengthAndChecksum', always('Y', 'a wrong BodyLength(9) or CheckSum(10) makes a message garbled')],
  ['ValidateSequenceNumbers', always('Y', 'sequence numbers are what a session is')],
  ['FirstFieldInGroupIsDelimiter', always('Y', 'the first field of a group begins each entry')],
  ['RejectInvalidMessage', always('Y', 'an invalid message is rejected and counted')],
  ['RejectGarbledMessage', always('N', 'a garbled message is ignored, as FIX has it')],
  ['ResendSessionLevelRejects', always('Y', 'a Reject(3) is resent too, as FIX 4.4 has it')],
  ['SendRedundantResendRequests', always('N', 'one ResendRequest(2) per gap')],
  ['IgnorePossDupResendRequests', always('N', 'every ResendRequest(2) is answered')],
  ['SendLogoutBeforeDisconnectFromTimeout', always('N', 'a silent counterparty is told nothing')],
  ['HeartBtIntOverride', always('N', 'an acceptor takes the HeartBtInt(108) of the Logon, within its limits')],
  ['DisableHeartBeatCheck', always('N', 'a silent counterparty is lost')],
  ['ClosedResendInterval', always('N', 'EndSeqNo(16)=0 asks for all, unless `resendRequestChunk` is set')],
  ['RejectMessageOnUnhandledException', always('N', 'there is no application code to fail')],
  ['ForceResendWhenCorruptedStore', always('N', 'a session whose messages may be lost waits for an operator')],
  ['LogonTag', logonTag],
  ['MillisecondsInTimeStamp', always('Y', 'timestamps carry milliseconds from FIX.4.2 on')],
  ['MillisecondsInTimestamp', always('Y', 'timestamps carry milliseconds from FIX.4.2 on')],
  ...many('TimeStampPrecision TimestampPrecision SQLStoreTimestampPrecision', (value) =>
    /^(3|MILLIS(ECONDS)?)$/i.test(value)
      ? { kind: 'taken', text: 'always so here' }
      : { kind: 'refused', text: 'timestamps that are sent carry milliseconds; finer ones are read' },
  ),
  ...many('AcceptorTemplate DynamicSession', template),
  ...many('SocketUseSSL SSLEnable', tls),
  ...many('SSLServerName SocketServerName SNIHostName', tlsServerName),
  ...WITHOUT_EFFECT.flatMap(([names, why]) => many(names, refused(why))),
];

/** Settings that come several times, numbered, or once per version. */
const ONE_OF_MANY = /^(?:(logontag|socketconnect(?:host|port|protocol))\d{1,3}|(appdatadictionary)\..+)$/;

const byName: ReadonlyMap<string, readonly [string, Translate]> = new Map(
  SETTINGS.map((setting) => [setting[0].toLowerCase(), setting]),
);

/** Every setting that an engine knows, in its spelling. */
export const SETTING_NAMES: readonly string[] = SETTINGS.map(([name]) => name);

function translationOf(key: string): Translate | null {
  const name = key.toLowerCase();
  return (byName.get(name) ?? byName.get(name.replace(ONE_OF_MANY, '$1$2')))?.[1] ?? null;
}

/** Whether one of the engines, or this one, knows the setting; case does not count. */
export function isKnownSetting(key: string): boolean {
  return isOwnSetting(key) || translationOf(key) !== null;
}

/** A system property of the Java process. */
const VARIABLE = /\$\{[^}]+\}/;

/** What a setting means here. `name` is what the session will be called. */
export function translateSetting(key: string, value: string, other: OtherSetting, name: string): SettingVerdict {
  if (isOwnSetting(key)) return ownSetting(key, value);
  const verdict = (translationOf(key) ?? unknown(key))(value, other, name);
  const isUsed = verdict.kind === 'invalid' || JSON.stringify(verdict.values ?? '').includes('${');
  return isUsed && VARIABLE.test(value) ? invalid('QuickFIX/J fills in such a variable: write its value') : verdict;
}

function unknown(key: string): Translate {
  const own = withPrefix(key);
  return own === null ? UNKNOWN : refused(`a key of this gateway is written \`${own}=…\` in this file`);
}
