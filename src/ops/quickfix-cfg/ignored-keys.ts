// Settings of QuickFIX C++, QuickFIX/J, QuickFIX/n and quickfixgo without effect here, and why: the gateway decides
// their subject itself, or by another setting. Those that set something stand in keys.ts.

/** Why a certificate or key of such a file is not taken. */
export const TLS = 'certificates and keys are PEM here: `connect.tls`, or `fix.listen[].tls` in gateway.yaml';

/** Where a certificate of the client is demanded here. */
export const CLIENT_CERTIFICATES =
  'clients need a certificate where `fix.listen[].tls` in gateway.yaml has a `clientAuthority`';

/** Where lists of revoked certificates are named here. */
export const REVOCATIONS =
  '`clientRevocations` in `fix.listen[].tls` of gateway.yaml names lists of revoked certificates of clients; revocation of the servers that we connect to is not checked';

/** Names, separated by blanks, with the reason. */
export const WITHOUT_EFFECT: readonly (readonly [names: string, why: string])[] = [
  [
    'LogonTime LogoutTime LogonDay LogoutDay',
    'a session is open from StartTime to EndTime; narrower hours are written as `schedule.windows`',
  ],
  ['UseDateTime', 'a session opens by time of day and day of the week'],
  ['ResetSeqTime EnableResetSeqTime', 'a reset at a time of day is written as `schedule.resets`'],
  ['SendResetSeqNumFlag ResetSeqNumFlag', 'numbers are reset where `resetOn` and `schedule.resets` say'],
  ['DynamicSessions DynamicQualifier', 'counterparties not known before get a session from one with `template: true`'],
  [
    'SocketAcceptPort SocketReuseAddress ProxyProtocol UseTCPProxy',
    'listening sockets belong to the process: `fix.listen` in gateway.yaml',
  ],
  [
    'DataDictionary TransportDataDictionary AppDataDictionary',
    'the dictionaries of the gateway are used (`dictionaries` in gateway.yaml)',
  ],
  [
    'FileStorePath FileStoreMaxCachedMsgs FileStoreSync JdbcDriver JdbcURL JdbcUser JdbcPassword JdbcDataSourceName ' +
      'JdbcStoreMessagesTableName JdbcStoreSessionsTableName JdbcSessionIdDefaultPropertyValue JdbcConnectionTestQuery ' +
      'JdbcMaxActiveConnection JdbcMaxActiveTime JdbcSimultaneousBuildThrottle JdbcMinIdleConnection JdbcMaxConnectionLifeTime JdbcConnectionTimeout ' +
      'SleepycatDatabaseDir SleepycatMessageDbName SleepycatSequenceDbName MySQLStoreDatabase MySQLStoreUser ' +
      'MySQLStorePassword MySQLStoreHost MySQLStorePort MySQLStoreUseConnectionPool PostgreSQLStoreDatabase ' +
      'PostgreSQLStoreUser PostgreSQLStorePassword PostgreSQLStoreHost PostgreSQLStorePort ' +
      'PostgreSQLStoreUseConnectionPool OdbcStoreUser OdbcStorePassword OdbcStoreConnectionString SQLStoreDriver ' +
      'SQLStoreDataSourceName SQLStoreConnMaxLifetime MongoStoreConnection MongoStoreDatabase MongoStoreReplicaSet ' +
      'CachedFileStore JdbcConnectionIdleTimeout JdbcConnectionKeepaliveTime SQLStoreMessagesTableName ' +
      'SQLStoreSessionsTableName',
    'messages and numbers are kept in the gateway’s own journal (`state` in gateway.yaml, `durability`); `crossgate store import` takes over a file store',
  ],
  [
    'FileLogPath FileLogHeartbeats FileLogBackupPath FileIncludeMilliseconds FileIncludeTimeStampForMessages ' +
      'ScreenLogShowIncoming ScreenLogShowOutgoing ScreenLogShowEvents ScreenLogShowHeartbeats ' +
      'ScreenIncludeMilliseconds DebugFileLogPath SLF4JLogEventCategory SLF4JLogErrorEventCategory ' +
      'SLF4JLogIncomingMessageCategory SLF4JLogOutgoingMessageCategory SLF4JLogPrependSessionID SLF4JLogHeartbeats ' +
      'JdbcLogHeartBeats JdbcLogIncomingTable JdbcLogOutgoingTable JdbcLogEventTable MySQLLogDatabase MySQLLogUser ' +
      'MySQLLogPassword MySQLLogHost MySQLLogPort PostgreSQLLogDatabase PostgreSQLLogUser PostgreSQLLogPassword ' +
      'PostgreSQLLogHost PostgreSQLLogPort OdbcLogUser OdbcLogPassword OdbcLogConnectionString ' +
      'LogMessageWhenSessionNotFound MySQLLogUseConnectionPool MySQLLogIncomingTable MySQLLogOutgoingTable ' +
      'MySQLLogEventTable PostgreSQLLogUseConnectionPool PostgreSQLLogIncomingTable PostgreSQLLogOutgoingTable ' +
      'PostgreSQLLogEventTable OdbcLogIncomingTable OdbcLogOutgoingTable OdbcLogEventTable SQLLogDriver ' +
      'SQLLogDataSourceName SQLLogConnMaxLifetime MongoLogConnection MongoLogDatabase MongoLogReplicaSet ' +
      // The manual's name of QuickFIX/J for ScreenLogShowEvents of its code.
      'ScreenLogEvents DebugLogFilePath',
    'the gateway logs in its own form; `crossgate log` shows messages',
  ],
  [
    'SSLValidateCertificatesOID EndpointIdentificationAlgorithm',
    'an initiator always verifies the counterparty’s certificate and the host that it names (`connect.tls`)',
  ],
  ['UseSNI', 'an initiator always names the host that it connects to, or `connect.tls.serverName`'],
  [
    'SocketKeyStore SocketTrustStorePassword KeyStoreType TrustStoreType KeyManagerFactoryAlgorithm ' +
      'TrustManagerFactoryAlgorithm',
    TLS,
  ],
  ['SocketTimeout', 'the time to connect is `connect.connectTimeoutMs`'],
  [
    'SocketNodelay SocketTcpNoDelay SocketSendBufferSize SocketReceiveBufferSize SocketKeepAlive SocketOobInline ' +
      'SocketLinger SocketTrafficClass SocketSynchronousWrites SocketSynchronousWriteTimeout SocketSendTimeout ' +
      'SocketReceiveTimeout SocketIgnoreProxy SocketConnectProtocol SocketAcceptProtocol ' +
      '' +
      'HttpAcceptPort CheckGarbled SendBufferSize ' +
      'ReceiveBufferSize',
    'sockets need no such setting here',
  ],
  [
    'InChanCapacity HandleMessageInCaller MaxScheduledWriteRequests ContinueInitializationOnError ThreadModel DefaultMessageFactory MessageFactory ApplicationQueueSize',
    'the gateway has no threads or pools to set',
  ],
  ['CmeMode', 'a resend is asked for and answered as the session layer has it'],
  ['PreserveMessageFieldsOrder', 'sent messages have an order of their own'],
  ['Description', 'a description has no effect'],
];
