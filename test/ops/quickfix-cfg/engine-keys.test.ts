// Every setting that the sources of QuickFIX C++, /J, /n and Go name has its entry in the tables of the import.

import { expect, test } from 'vitest';
import { isKnownSetting, SETTING_NAMES } from '../../../src/ops/quickfix-cfg/keys.ts';
import { readQuickfixCfg } from '../../../src/ops/quickfix-cfg/quickfix-cfg.ts';

/** As SessionSettings.h and the SSL classes of C++ have them. */
const CPP = `BeginString SenderCompID TargetCompID SessionQualifier ConnectionType UseDataDictionary SendResetSeqNumFlag
SendRedundantResendRequests DataDictionary TransportDataDictionary AppDataDictionary DefaultApplVerID UseLocalTime StartTime EndTime
StartDay EndDay LogonTime LogoutTime LogonDay LogoutDay CheckCompID CheckLatency MaxLatency HeartBtInt SocketAcceptPort
SocketReuseAddress SocketConnectHost SocketConnectPort SocketConnectSourceHost SocketConnectSourcePort SocketNodelay SendBufferSize
ReceiveBufferSize ReconnectInterval ValidateLengthAndChecksum ValidateFieldsOutOfOrder ValidateFieldsHaveValues
ValidateUserDefinedFields AllowUnknownMsgFields PreserveMessageFieldsOrder LogonTimeout LogoutTimeout FileStorePath
MySQLStoreUseConnectionPool MySQLStoreDatabase MySQLStoreUser MySQLStorePassword MySQLStoreHost MySQLStorePort
PostgreSQLStoreUseConnectionPool PostgreSQLStoreDatabase PostgreSQLStoreUser PostgreSQLStorePassword PostgreSQLStoreHost
PostgreSQLStorePort OdbcStoreUser OdbcStorePassword OdbcStoreConnectionString FileLogPath FileLogBackupPath ScreenLogShowIncoming
ScreenLogShowOutgoing ScreenLogShowEvents MySQLLogUseConnectionPool MySQLLogDatabase MySQLLogUser MySQLLogPassword MySQLLogHost
MySQLLogPort MySQLLogIncomingTable MySQLLogOutgoingTable MySQLLogEventTable PostgreSQLLogUseConnectionPool PostgreSQLLogDatabase
PostgreSQLLogUser PostgreSQLLogPassword PostgreSQLLogHost PostgreSQLLogPort PostgreSQLLogIncomingTable PostgreSQLLogOutgoingTable
PostgreSQLLogEventTable OdbcLogUser OdbcLogPassword OdbcLogConnectionString OdbcLogIncomingTable OdbcLogOutgoingTable
OdbcLogEventTable ResetOnLogon ResetOnLogout ResetOnDisconnect RefreshOnLogon MillisecondsInTimeStamp TimestampPrecision HttpAcceptPort
PersistMessages SendNextExpectedMsgSeqNum ServerCertificateFile ServerCertificateKeyFile ClientCertificateFile
ClientCertificateKeyFile CertificationAuthoritiesFile CertificationAuthoritiesDirectory CertificateRevocationListFile
CertificateRevocationListDirectory CertificateVerifyLevel SSLProtocol TLSCipherSuites SERVER_CERT_FILE SERVER_CERT_KEY_FILE
CLIENT_CERT_FILE CLIENT_CERT_KEY_FILE CERT_AUTHORITIES_FILE CERT_AUTHORITIES_DIRECTORY CERTIFICATE_VERIFY_LEVEL SSL_PROTOCOL
SSL_CIPHER_SUITE`;

/** As Session.java, SSLSupport.java, the connectors, stores and logs of /J have them. */
const JAVA = `HeartBtInt CheckLatency CheckCompID MaxLatency TestRequestDelayMultiplier HeartBeatTimeoutMultiplier NonStopSession StartDay
EndDay TimeZone StartTime EndTime Weekdays UseDataDictionary DataDictionary TransportDataDictionary AppDataDictionary
ValidateFieldsOutOfOrder ValidateUnorderedGroupFields ValidateFieldsHaveValues ValidateIncomingMessage LogonTimeout LogoutTimeout
LogonTag ResetOnLogout ValidateSequenceNumbers ResetOnDisconnect ResetOnError DisconnectOnError TimeStampPrecision
ValidateUserDefinedFields ResetOnLogon Description RefreshOnLogon SendRedundantResendRequests PersistMessages ClosedResendInterval
AllowUnknownMsgFields DefaultApplVerID DisableHeartBeatCheck EnableLastMsgSeqNumProcessed EnableNextExpectedMsgSeqNum
RejectGarbledMessage RejectInvalidMessage RejectMessageOnUnhandledException RequiresOrigSendingTime ForceResendWhenCorruptedStore
AllowedRemoteAddresses LogMessageWhenSessionNotFound ResendRequestChunkSize MaxScheduledWriteRequests ValidateChecksum AllowPosDup
FirstFieldInGroupIsDelimiter SocketUseSSL SocketKeyStorePassword SocketKeyStore KeyManagerFactoryAlgorithm KeyStoreType
SocketTrustStorePassword SocketTrustStore TrustManagerFactoryAlgorithm TrustStoreType NeedClientAuth EnabledProtocols CipherSuites
UseSNI SNIHostName EndpointIdentificationAlgorithm SocketAcceptProtocol SocketAcceptAddress SocketAcceptPort AcceptorTemplate
DynamicSession SocketConnectProtocol SocketConnectHost SocketConnectPort SocketConnectTimeout SocketLocalHost SocketLocalPort
ReconnectInterval ProxyType ProxyVersion ProxyHost ProxyPort ProxyUser ProxyPassword ProxyDomain ProxyWorkstation SocketKeepAlive
SocketOobInline SocketReceiveBufferSize SocketReuseAddress SocketSendBufferSize SocketLinger SocketTcpNoDelay SocketTrafficClass
SocketSynchronousWrites SocketSynchronousWriteTimeout ContinueInitializationOnError FileStorePath FileStoreSync FileStoreMaxCachedMsgs
FileLogPath FileLogHeartbeats FileIncludeMilliseconds FileIncludeTimeStampForMessages ScreenLogShowIncoming ScreenLogShowOutgoing
ScreenLogShowEvents ScreenLogShowHeartbeats ScreenIncludeMilliseconds SLF4JLogEventCategory SLF4JLogErrorEventCategory
SLF4JLogIncomingMessageCategory SLF4JLogOutgoingMessageCategory SLF4JLogPrependSessionID SLF4JLogHeartbeats JdbcDriver JdbcURL JdbcUser
JdbcPassword JdbcDataSourceName JdbcStoreMessagesTableName JdbcStoreSessionsTableName JdbcLogHeartBeats JdbcLogIncomingTable
JdbcLogOutgoingTable JdbcLogEventTable JdbcSessionIdDefaultPropertyValue JdbcMaxActiveConnection JdbcMaxConnectionLifeTime
SleepycatDatabaseDir SleepycatSequenceDbName SleepycatMessageDbName`;

/** As SessionSettings.cs and SocketSettings.cs of /n have them. */
const NET = `BeginString SenderCompID SenderSubID SenderLocationID TargetCompID TargetSubID TargetLocationID SessionQualifier
DefaultApplVerID ConnectionType UseDataDictionary UseLocalTime TimeZone StartDay MaxLatency EndDay StartTime EndTime Weekdays
NonStopSession HeartBtInt SocketAcceptHost SocketAcceptPort SocketConnectHost SocketConnectPort ReconnectInterval FileLogPath
FileStorePath RefreshOnLogon ResetOnLogon ResetOnLogout ResetOnDisconnect ValidateFieldsOutOfOrder ValidateFieldsHaveValues
ValidateUserDefinedFields ValidateLengthAndChecksum AllowUnknownMsgFields AllowUnknownEnumValues DataDictionary
TransportDataDictionary AppDataDictionary PersistMessages LogonTimeout LogoutTimeout SendRedundantResendRequests
ResendSessionLevelRejects MillisecondsInTimeStamp TimeStampPrecision EnableLastMsgSeqNumProcessed MaxMessagesInResendRequest
SendLogoutBeforeDisconnectFromTimeout SocketNodelay SocketSendBufferSize SocketReceiveBufferSize SocketSendTimeout SocketReceiveTimeout
IgnorePossDupResendRequests RequiresOrigSendingTime CheckLatency CheckCompID DebugFileLogPath SSLEnable SSLServerName SSLProtocols
SSLValidateCertificates SSLCheckCertificateRevocation SSLCertificate SSLCertificatePassword SSLRequireClientCertificate
SSLCACertificate`;

/** As config/configuration.go of Go has them. */
const GO = `BeginString SenderCompID SenderSubID SenderLocationID TargetCompID TargetSubID TargetLocationID SessionQualifier
SocketAcceptHost SocketAcceptPort SocketConnectHost SocketConnectPort SocketPrivateKeyFile SocketCertificateFile SocketCAFile
SocketPrivateKeyBytes SocketCertificateBytes SocketCABytes SocketInsecureSkipVerify SocketServerName SocketMinimumTLSVersion
SocketTimeout SocketUseSSL ProxyType ProxyHost ProxyPort ProxyUser ProxyPassword UseTCPProxy DefaultApplVerID StartTime EndTime
StartDay EndDay Weekdays TimeZone ResetSeqTime EnableResetSeqTime DataDictionary TransportDataDictionary AppDataDictionary
ResetOnLogon RefreshOnLogon ResetOnLogout ResetOnDisconnect ReconnectInterval LogoutTimeout LogonTimeout HeartBtInt
HeartBtIntOverride FileLogPath FileStorePath FileStoreSync SQLStoreDriver SQLStoreDataSourceName SQLStoreConnMaxLifetime
SQLLogDriver SQLLogDataSourceName SQLLogConnMaxLifetime MongoStoreConnection MongoStoreDatabase MongoStoreReplicaSet
MongoLogConnection MongoLogDatabase MongoLogReplicaSet ValidateFieldsOutOfOrder ValidateUserDefinedFields RejectInvalidMessage
AllowUnknownMsgFields ResendRequestChunkSize EnableLastMsgSeqNumProcessed EnableNextExpectedMsgSeqNum
CheckLatency TimeStampPrecision MaxLatency PersistMessages DynamicSessions DynamicQualifier InChanCapacity`;

const keys = (text: string): string[] => text.split(/\s+/);

test.each([
  ['C++', CPP],
  ['/J', JAVA],
  ['/n', NET],
  ['Go', GO],
])('every setting of QuickFIX %s has an entry with its reason', (_name, text) => {
  const known = keys(text);
  expect(known.filter((key) => !isKnownSetting(key))).toEqual([]);
  for (const key of known) {
    const lines = `[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n${key}=Y\n`;
    const report = readQuickfixCfg(lines, 'a.cfg').sessions[0]!.reports.find((each) => each.line === 5)!;
    expect(report.text, key).not.toBe('');
    expect(report.text, key).not.toContain('no QuickFIX engine knows');
  }
});

test('no setting has two entries, or one would never count', () => {
  // Two spellings of one name have one entry each, as of MillisecondsInTimeStamp.
  expect(SETTING_NAMES.filter((name, at) => SETTING_NAMES.indexOf(name) !== at)).toEqual([]);
});
