// Settings files in the shapes that people publish for QuickFIX C++, /J, /n and Go: tutorials, executors, venue kits, houses. Written
// for these tests; each says what an import finds, and what the check finds in the written files.

export interface CorpusFile {
  readonly shape: string;
  readonly text: string;
  /** `line key: problem` of what stops the import, and `line key caution` of what is less secure, or other than in the file. */
  readonly imported: readonly string[];
  /** `key: problem` of what the check still refuses. */
  readonly checked: readonly string[];
}

const WINDOWS = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;

const file = (
  shape: string,
  text: string,
  imported: readonly string[] = [],
  checked: readonly string[] = [],
): CorpusFile => ({ shape, text, imported, checked });

const CPP_AND_GO: readonly CorpusFile[] = [
  file(
    'C++ executor: paths, ports and logs in [DEFAULT]',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5001
SocketReuseAddress=Y
StartTime=00:00:00
EndTime=00:00:00
FileLogPath=log
FileStorePath=store

[SESSION]
BeginString=FIX.4.2
SenderCompID=EXECUTOR
TargetCompID=CLIENT1
DataDictionary=../spec/FIX42.xml
`,
  ),
  file(
    'C++ tradeclient: CRLF, a byte order mark, comments',
    WINDOWS(`# default settings for sessions
[DEFAULT]
ConnectionType=initiator
ReconnectInterval=60
SenderCompID=TRADER

# session definition
[SESSION]
# inherit ConnectionType, ReconnectInterval and SenderCompID from default
BeginString=FIX.4.4
TargetCompID=ARCA
StartTime=12:30:00
EndTime=23:30:00
HeartBtInt=20
SocketConnectPort=9823
SocketConnectHost=127.0.0.1
DataDictionary=C:\\quickfix\\spec\\FIX44.xml
FileStorePath=C:\\quickfix\\store
`),
  ),
  file(
    'C++: [default] and [session] in small letters, keys in any case',
    `[default]
connectiontype=acceptor
socketacceptport=7001
[session]
beginstring=FIX.4.4
sendercompid=LOWER
targetcompid=CASE
heartbtint=30
`,
  ),
  file(
    'C++: ResetSeqNumFlag, which no engine reads, and switches of validation',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5002
ResetSeqNumFlag=Y
ResetOnLogon=Y
ValidateUserDefinedFields=N
ValidateFieldsOutOfOrder=N
CheckCompID=N
[SESSION]
BeginString=FIX.4.2
SenderCompID=FLAG
TargetCompID=DESK
`,
  ),
  file(
    'C++ over TLS: an initiator with an authority of its own',
    `[DEFAULT]
ConnectionType=initiator
[SESSION]
BeginString=FIX.4.4
SenderCompID=TLSCLIENT
TargetCompID=TLSVENUE
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
CERT_AUTHORITIES_FILE=cfg/certs/ca.pem
CLIENT_CERT_FILE=cfg/certs/client.crt
CLIENT_CERT_KEY_FILE=cfg/certs/client.key
SSL_PROTOCOL=+TLSv1_2 +TLSv1_3
`,
  ),
  file(
    'C++ over TLS: an acceptor with verified clients',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5003
SERVER_CERT_FILE=server.crt
SERVER_CERT_KEY_FILE=server.key
CERT_AUTHORITIES_FILE=ca.pem
CERTIFICATE_VERIFY_LEVEL=2
[SESSION]
BeginString=FIX.4.4
SenderCompID=TLSHOUSE
TargetCompID=TLSDESK
`,
    [
      '4 SERVER_CERT_FILE error',
      '5 SERVER_CERT_KEY_FILE error',
      '6 CERT_AUTHORITIES_FILE error',
      '7 CERTIFICATE_VERIFY_LEVEL error',
    ],
  ),
  file(
    'C++: MySQL store, several targets of one house',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5004
SenderCompID=MULTI
BeginString=FIX.4.4
MySQLStoreDatabase=quickfix
MySQLStoreUser=root
MySQLStorePassword=hunter2
[SESSION]
TargetCompID=ONE
[SESSION]
TargetCompID=TWO
TargetSubID=ALGO
`,
  ),
  file(
    'C++: a version that is not spoken here',
    `[SESSION]
ConnectionType=acceptor
SocketAcceptPort=5005
BeginString=FIX.4.0
SenderCompID=OLD
TargetCompID=OLDER
`,
    [],
    ['beginString: must be one of: FIX.4.2, FIX.4.4, FIXT.1.1'],
  ),
  file(
    'Go executor: no ConnectionType, an acceptor by its port',
    `[DEFAULT]
SocketAcceptPort=5006
SenderCompID=ISLD
TargetCompID=TW
ResetOnLogon=Y
FileLogPath=tmp

[SESSION]
BeginString=FIX.4.4
`,
  ),
  file(
    'Go tradeclient: no ConnectionType, an initiator by its host',
    `[DEFAULT]
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
SenderCompID=GOTW
TargetCompID=GOISLD
ResetOnLogon=Y
SQLStoreDriver=sqlite3
SQLStoreDataSourceName=store.db
[SESSION]
BeginString=FIX.4.2
`,
  ),
  file(
    'Go over TLS: PEM files, an authority, 1.3 alone',
    `[SESSION]
BeginString=FIXT.1.1
DefaultApplVerID=FIX.5.0SP2
SenderCompID=GOTLS
TargetCompID=GOVENUE
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
SocketUseSSL=Y
SocketCAFile=/etc/fix/ca.pem
SocketMinimumTLSVersion=TLS13
`,
  ),
  file(
    'Go over TLS: an acceptor that demands certificates without a key that says so',
    `[SESSION]
SocketAcceptPort=5007
SocketPrivateKeyFile=server.key
SocketCertificateFile=server.crt
SocketCAFile=ca.pem
BeginString=FIX.4.4
SenderCompID=GOHOUSE
TargetCompID=GODESK
`,
    ['3 SocketPrivateKeyFile error', '4 SocketCertificateFile error'],
  ),
  file(
    'Go: verification switched off',
    `[SESSION]
SocketConnectHost=127.0.0.1
SocketConnectPort=9
SocketUseSSL=Y
SocketInsecureSkipVerify=Y
HeartBtInt=30
BeginString=FIX.4.4
SenderCompID=GOLAX
TargetCompID=GOSELF
`,
    ['5 SocketInsecureSkipVerify warning'],
  ),
];

const JAVA: readonly CorpusFile[] = [
  file(
    'J executor: templates for whoever connects',
    `[default]
FileStorePath=target/data/executor
ConnectionType=acceptor
StartTime=00:00:00
EndTime=00:00:00
HeartBtInt=30
ValidOrderTypes=1,2,F
SenderCompID=EXEC
TargetCompID=BANZAI
UseDataDictionary=Y
DefaultMarketPrice=12.30

[session]
BeginString=FIX.4.2
SocketAcceptPort=9878
[session]
AcceptorTemplate=Y
TargetCompID=*
BeginString=FIX.4.4
SocketAcceptPort=9881
`,
  ),
  file(
    'J banzai: blank values, several hosts, a list of pauses',
    `[default]
FileStorePath=target/data/banzai
ConnectionType=initiator
SenderCompID=JBANZAI
TargetCompID=JEXEC
SocketConnectHost=localhost
SocketConnectHost1=127.0.0.1
SocketConnectPort1=9
StartTime=00:00:00
EndTime=00:00:00
HeartBtInt=30
ReconnectInterval=5;3x10;60
SenderSubID=
TargetSubID=

[session]
BeginString=FIX.4.4
SocketConnectPort=9880
`,
  ),
  file(
    'J venue kit: key store and trust store',
    `[DEFAULT]
ConnectionType=initiator
SocketUseSSL=Y
SocketKeyStore=keys/client.jks
SocketKeyStorePassword=changeit
SocketTrustStore=keys/venue.jks
SocketTrustStorePassword=changeit
EnabledProtocols=TLSv1.2
CipherSuites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
[SESSION]
BeginString=FIX.4.4
SenderCompID=JKIT
TargetCompID=JVENUE
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
Username=kit
Password=hunter2
`,
    ['6 SocketTrustStore error', '9 CipherSuites error'],
  ),
  file(
    'J house: client certificates, addresses, 1.3 alone',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptAddress=127.0.0.1
SocketAcceptPort=9443
SocketUseSSL=Y
SocketKeyStore=server.p12
KeyStoreType=PKCS12
NeedClientAuth=Y
EnabledProtocols=TLSv1.3
AllowedRemoteAddresses=10.1.2.3,10.1.2.4
[SESSION]
BeginString=FIX.4.4
SenderCompID=JHOUSE
TargetCompID=JDESK
`,
    ['3 SocketAcceptAddress error', '5 SocketUseSSL error', '8 NeedClientAuth error', '9 EnabledProtocols error'],
  ),
  file(
    'J: allowed hosts by name, which are no addresses',
    `[SESSION]
ConnectionType=acceptor
SocketAcceptPort=9444
BeginString=FIX.4.4
SenderCompID=JNAMES
TargetCompID=JHOST
AllowedRemoteAddresses=desk.example.com
`,
    [],
    ['logon.allowFrom[0]: has a form that is not accepted here'],
  ),
  file(
    'J: a password to another machine without TLS',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=JCLEAR
TargetCompID=JFAR
SocketConnectHost=fix.venue.invalid
SocketConnectPort=9
HeartBtInt=30
Username=desk
Password=hunter2
`,
    ['10 Password warning'],
  ),
  file(
    'J: weekdays, two zones, a schedule of the week',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=9445
SenderCompID=JWEEK
BeginString=FIX.4.4
[SESSION]
TargetCompID=DAYS
Weekdays=mon,tue,wed,thu,fri
StartTime=08:00:00 America/New_York
EndTime=17:00:00 Europe/London
[SESSION]
TargetCompID=WEEK
StartDay=sunday
EndDay=friday
StartTime=17:00:00
EndTime=17:00:00
TimeZone=America/New_York
`,
  ),
  file(
    'J: variables of the process, which are not filled in here',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=JVARS
TargetCompID=$\{fix.target}
SocketConnectHost=$\{fix.host}
SocketConnectPort=9876
HeartBtInt=30
`,
    [
      '5 TargetCompID: QuickFIX/J fills in such a variable: write its value',
      '6 SocketConnectHost: QuickFIX/J fills in such a variable: write its value',
    ],
  ),
  file(
    'J: LogonTag, a JDBC store, an SLF4J log',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=JTAGS
TargetCompID=JDBC
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
LogonTag=553=desk
LogonTag1=554=hunter2
JdbcDriver=com.mysql.jdbc.Driver
JdbcURL=jdbc:mysql://desk:hunter2@h/db
SLF4JLogHeartbeats=N
`,
  ),
];

const NET: readonly CorpusFile[] = [
  file(
    '/n executor: relative dictionaries, a qualifier',
    WINDOWS(`[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5101
FileStorePath=store
FileLogPath=log
StartTime=00:00:00
EndTime=00:00:00
UseDataDictionary=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=NEXEC
TargetCompID=NCLIENT
SessionQualifier=MORNING
DataDictionary=.\\spec\\fix\\FIX44.xml
`),
  ),
  file(
    '/n tradeclient: FIXT.1.1 with dictionaries of its own',
    `[DEFAULT]
ConnectionType=initiator
ReconnectInterval=2
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
[SESSION]
BeginString=FIXT.1.1
DefaultApplVerID=FIX.5.0SP1
SenderCompID=NTRADE
TargetCompID=NVENUE
AppDataDictionary=../../spec/FIX50SP1.xml
TransportDataDictionary=../../spec/FIXT11.xml
`,
  ),
  file(
    '/n over TLS: an acceptor by the defaults',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5102
SSLEnable=Y
SSLCertificate=server.pfx
SSLCertificatePassword=hunter2
[SESSION]
BeginString=FIX.4.4
SenderCompID=NHOUSE
TargetCompID=NDESK
`,
    ['4 SSLEnable error'],
  ),
  file(
    '/n over TLS: an initiator that validates nothing',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=NLAX
TargetCompID=NSELF
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
SSLEnable=Y
SSLValidateCertificates=N
SSLCheckCertificateRevocation=N
SSLProtocols=Tls12
`,
    ['10 SSLValidateCertificates warning'],
  ),
  file(
    '/n over TLS: an initiator by the defaults, which look up revocation',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=NREVOKE
TargetCompID=NLIST
SocketConnectHost=127.0.0.1
SocketConnectPort=9
HeartBtInt=30
SSLEnable=Y
SSLServerName=fix.venue.example
`,
    ['9 SSLEnable error'],
  ),
];

const HOUSES: readonly CorpusFile[] = [
  file(
    'two [DEFAULT] sections, a key twice, a comment with a semicolon',
    `[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=6001
; the second one adds to the first
[DEFAULT]
SenderCompID=TWICE
BeginString=FIX.4.2
[SESSION]
TargetCompID=AGAIN
HeartBtInt=30
HeartBtInt=60
`,
  ),
  file(
    'settings of the application, and a misspelt key',
    `[SESSION]
ConnectionType=acceptor
SocketAcceptPort=6002
BeginString=FIX.4.4
SenderCompID=APPS
TargetCompID=OWNKEYS
OrderRouterThreads=4
HartBtInt=30
`,
  ),
  file(
    'lines that are no settings, and no session',
    `ConnectionType=acceptor
[DEFAULT]
BeginString FIX.4.4
[SESSIONS]
`,
    [
      '1 ConnectionType: a setting before the first section',
      '3 : not a setting: "BeginString FIX.4.4"',
      '4 : not a setting: "[SESSIONS]"',
      '1 : there is no [SESSION] section',
    ],
  ),
  file(
    'half a schedule, and a number that is none',
    `[SESSION]
ConnectionType=initiator
BeginString=FIX.4.4
SenderCompID=HALF
TargetCompID=WRONG
SocketConnectHost=127.0.0.1
SocketConnectPort=9
StartTime=08:00
HeartBtInt=thirty
`,
    ['8 StartTime: StartTime and EndTime are needed both, as HH:MM:SS', '9 HeartBtInt: a whole number is needed'],
  ),
];

export const CORPUS: readonly CorpusFile[] = [...CPP_AND_GO, ...JAVA, ...NET, ...HOUSES];
