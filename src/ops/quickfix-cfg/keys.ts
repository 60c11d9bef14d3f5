// Meaning of each setting of QuickFIX C++, QuickFIX/J, QuickFIX/n and quickfixgo here: taken, translated, or refused
// with the reason. quickfix-cfg.ts reads the file, values.ts values, schedule.ts times and days, own-keys.ts our own
// settings, tls.ts those of security, ignored-keys.ts those of files, logs and sockets.

import { WITHOUT_EFFECT } from './ignored-keys.ts';
import { isOwnSetting, ownSetting, withPrefix } from './own-keys.ts';
import { scheduleOf, timeZoneOf } from './schedule.ts';
import {
  authority,
  bindAddress,
  certificateDemand,
  certificateOfN,
  ciphers,
  PROTOCOLS,
  protocols,
  revocation,
  tls,
  tlsByCertificate,
  tlsPassphrase,
  tlsServerName,
  verification,
  verifyLevel,
} from './tls.ts';
import {
  always,
  checkLatency,
  connectAddress,
  connectionType,
  connectTimeout,
  defaultApplVerID,
  heartBtInt,
  logonTag,
  maxLatency,
  millisecondsInTimes,
  multiplier,
  password,
  reconnectInterval,
  refused,
  resendChunk,
  resetOn,
  type Translate,
  template,
  text,
  textOrNone,
  timePrecision,
  validates,
  whole,
  yesNo,
} from './values.ts';
import { invalid, isNo, isYes, type OtherSetting, type SettingVerdict, set } from './verdict.ts';
import { localHost, localPort, proxyOf } from './way.ts';

const RESET = 'numbers are reset where `resetOn` and `schedule.resets` say, by ResetSeqNumFlag(141) or by an operator';
/** Applications keep settings of their own in the same file, which their engine passes over. */
const UNKNOWN = refused('no QuickFIX engine knows it: a setting of the application that the file was written for?');

const many = (names: string, translate: Translate): [string, Translate][] =>
  names.split(' ').map((name) => [name, translate]);

/** Our key where a setting sets one, for docs/reference/settings; the others have no name there. */
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
  ['connect.tls.passphrase', 'SocketKeyStorePassword, SSLCertificatePassword'],
  ['connect.tls.serverName', 'SSLServerName, SocketServerName, SNIHostName'],
  ['connect.localAddress', 'SocketLocalHost, SocketConnectSourceHost'],
  ['connect.localPort', 'SocketLocalPort, SocketConnectSourcePort'],
  ['connect.proxy.kind', 'ProxyType, ProxyVersion'],
  ['connect.proxy.address', 'ProxyHost, ProxyPort'],
  ['connect.proxy.user', 'ProxyUser'],
  ['connect.proxy.password', 'ProxyPassword'],
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
  ['timestampPrecision', 'TimeStampPrecision, TimestampPrecision, MillisecondsInTimeStamp, MillisecondsInTimestamp'],
  ['logonTimeoutMs', 'LogonTimeout'],
  ['logoutTimeoutMs', 'LogoutTimeout'],
  ['resetOn', 'ResetOnLogon, ResetOnLogout, ResetOnDisconnect'],
  ['resendRequestChunk', 'ResendRequestChunkSize, MaxMessagesInResendRequest'],
  ['closedResendRequests', 'ClosedResendInterval'],
  ['validateFieldsHaveValues', 'ValidateFieldsHaveValues'],
  ['validateUnorderedGroupFields', 'ValidateUnorderedGroupFields'],
  ['validateCheckSum', 'ValidateChecksum'],
  ['rejectGarbledMessages', 'RejectGarbledMessage'],
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
  ...many('SocketLocalHost SocketConnectSourceHost', localHost),
  ...many('SocketLocalPort SocketConnectSourcePort', localPort),
  ...many('ProxyType ProxyVersion ProxyHost ProxyPort ProxyUser ProxyPassword', proxyOf),
  ...many('ProxyDomain ProxyWorkstation', refused('an HTTP proxy is given user and password (Basic), no NTLM')),
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
  ...many('UseDataDictionary ValidateIncomingMessage', validates),
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
  ['ValidateUnorderedGroupFields', yesNo('validateUnorderedGroupFields')],
  ['ValidateFieldsHaveValues', yesNo('validateFieldsHaveValues')],
  ['ValidateUserDefinedFields', always('Y', 'a field that no dictionary has is rejected (373=3)')],
  ...many('AllowUnknownMsgFields AllowUnknownEnumValues', always('N', 'unknown fields and messages are rejected')),
  ['ValidateChecksum', yesNo('validateCheckSum')],
  ['ValidateLengthAndChecksum', always('Y', 'a wrong BodyLength(9) or CheckSum(10) makes a message garbled')],
  ['ValidateSequenceNumbers', always('Y', 'a session is its sequence numbers')],
  ['FirstFieldInGroupIsDelimiter', always('Y', 'the first field of a group begins each entry')],
  ['RejectInvalidMessage', always('Y', 'an invalid message is rejected and counted')],
  ['RejectGarbledMessage', yesNo('rejectGarbledMessages')],
  ['ResendSessionLevelRejects', always('Y', 'a Reject(3) is resent too, as FIX 4.4 has it')],
  ['SendRedundantResendRequests', always('N', 'one ResendRequest(2) per gap')],
  ['IgnorePossDupResendRequests', always('N', 'every ResendRequest(2) is answered')],
  ['SendLogoutBeforeDisconnectFromTimeout', always('N', 'a silent counterparty gets no answer')],
  ['HeartBtIntOverride', always('N', 'an acceptor takes the HeartBtInt(108) of the Logon, within its limits')],
  ['DisableHeartBeatCheck', always('N', 'a silent counterparty is lost')],
  ['ClosedResendInterval', yesNo('closedResendRequests')],
  ['RejectMessageOnUnhandledException', always('N', 'there is no application code to fail')],
  ['ForceResendWhenCorruptedStore', always('N', 'a session with possibly lost messages waits for an operator')],
  ['LogonTag', logonTag],
  ...many('MillisecondsInTimeStamp MillisecondsInTimestamp', millisecondsInTimes),
  ...many('TimeStampPrecision TimestampPrecision', timePrecision),
  ['SQLStoreTimestampPrecision', refused('times in the journal are those of the messages')],
  ...many('AcceptorTemplate DynamicSession', template),
  ['SocketUseSSL', tls('SocketUseSSL')],
  ['SSLEnable', tls('SSLEnable')],
  ['SSLCertificate', certificateOfN],
  ...many(PROTOCOLS.join(' '), protocols),
  ...many('CipherSuites SSLCipherSuite SSL_CIPHER_SUITE TLSCipherSuites', ciphers),
  ...many('SocketTrustStore SSLCACertificate SocketCABytes', authority(false)),
  ['SocketCAFile', authority(true)],
  ...many('CERT_AUTHORITIES_FILE CertificationAuthoritiesFile', authority(true, true)),
  ...many('CERT_AUTHORITIES_DIRECTORY CertificationAuthoritiesDirectory', authority(false, true)),
  ['SSLValidateCertificates', verification(isNo)],
  ['SocketInsecureSkipVerify', verification(isYes)],
  ...many('CERTIFICATE_VERIFY_LEVEL CertificateVerifyLevel', verifyLevel),
  ...many('SocketAcceptAddress SocketAcceptHost', bindAddress),
  ...many('SocketKeyStorePassword SSLCertificatePassword', tlsPassphrase),
  ...many('SSLServerName SocketServerName SNIHostName', tlsServerName),
  ...many('NeedClientAuth SSLRequireClientCertificate SSLVerifyClient', certificateDemand),
  ...many('SSLCheckCertificateRevocation CertificateRevocationListFile CertificateRevocationListDirectory', revocation),
  ...many(
    'SocketPrivateKeyFile SocketPrivateKeyBytes SocketCertificateFile SocketCertificateBytes SERVER_CERT_FILE ' +
      'SERVER_CERT_KEY_FILE ServerCertificateFile ServerCertificateKeyFile CLIENT_CERT_FILE ' +
      'CLIENT_CERT_KEY_FILE ClientCertificateFile ' +
      'ClientCertificateKeyFile',
    tlsByCertificate,
  ),
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

/** Meaning of a setting here. `name` is the future name of the session. */
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
