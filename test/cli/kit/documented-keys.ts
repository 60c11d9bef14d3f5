// The keys that each engine documents, as far as a kit could use them: QuickFIX C++ 1.15 SessionSettings.h, the configuration page
// of the QuickFIX/J manual, SessionSettings of QuickFIX/n, config/configuration.go of QuickFIX/Go.

const SHARED =
  'BeginString SenderCompID TargetCompID DefaultApplVerID DataDictionary TransportDataDictionary AppDataDictionary StartTime EndTime HeartBtInt ReconnectInterval SocketConnectHost SocketConnectPort SocketAcceptPort FileStorePath FileLogPath ResetOnLogon ResetOnLogout ResetOnDisconnect';
const SUB_IDS = 'SenderSubID SenderLocationID TargetSubID TargetLocationID';

const words = (...texts: readonly string[]): ReadonlySet<string> => new Set(texts.flatMap((text) => text.split(' ')));

export const DOCUMENTED: Readonly<Record<string, ReadonlySet<string>>> = {
  'quickfix-cpp.cfg': words(
    SHARED,
    'ConnectionType UseDataDictionary CheckLatency MaxLatency SSLProtocol CertificationAuthoritiesFile CertificateVerifyLevel ClientCertificateFile ClientCertificateKeyFile ServerCertificateFile ServerCertificateKeyFile',
  ),
  'quickfix-j.cfg': words(
    SHARED,
    SUB_IDS,
    'ConnectionType UseDataDictionary NonStopSession TimeZone EnableLastMsgSeqNumProcessed EnableNextExpectedMsgSeqNum SocketUseSSL EnabledProtocols SocketTrustStore TrustStoreType SocketKeyStore KeyStoreType',
  ),
  'quickfix-n.cfg': words(
    SHARED,
    SUB_IDS,
    'ConnectionType UseDataDictionary NonStopSession TimeZone EnableLastMsgSeqNumProcessed SSLEnable SSLServerName SSLCACertificate SSLCertificate',
  ),
  'quickfix-go.cfg': words(
    SHARED,
    SUB_IDS,
    'TimeZone EnableLastMsgSeqNumProcessed SocketUseSSL SocketMinimumTLSVersion SocketServerName SocketCAFile SocketCertificateFile SocketPrivateKeyFile',
  ),
};
