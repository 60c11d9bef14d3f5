// Properties that secure a QuickFIX settings file in its engine secure it here, or their loss is reported.

import { expect, test } from 'vitest';
import { readQuickfixCfg } from '../../../src/ops/quickfix-cfg/quickfix-cfg.ts';
import { configurationFolder, GATEWAY } from '../configuration-folder.ts';

const OWN = `Crossgate.accounts=[{account: "111"}]
Crossgate.limits={orderQtyMax: "10", notionalMax: "1000", openOrdersMax: 5, priceBandPercent: "20"}
Password=never-read
`;
const PLAIN = '[SESSION]\nBeginString=FIX.4.4\nSenderCompID=GATE\nTargetCompID=OMS\n';

/** TLS of an initiator with these settings, and the cautions. */
function securityOf(settings: string): { tls: unknown; cautions: string[] } {
  const text = `[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n${settings}`;
  const [session] = readQuickfixCfg(text, 'a.cfg').sessions;
  const { connect } = session!.file.values as { connect?: { tls?: unknown } };
  const cautions = session!.reports.flatMap(({ key, caution }) => (caution === undefined ? [] : [`${key} ${caution}`]));
  return { tls: connect?.tls ?? null, cautions };
}

const INITIATOR = 'ConnectionType=initiator\nSocketConnectHost=fix.example.com\nSocketConnectPort=1\n';

test('an initiator speaks TLS if its certificate keys alone make its engine speak TLS', () => {
  const tls = (keys: string): unknown => securityOf(INITIATOR + keys).tls;
  const on = { minVersion: 'TLSv1.2' };
  expect(tls('CertificationAuthoritiesFile=ca.pem\n')).toEqual({ ...on, authority: 'file:ca.pem' });
  expect(tls('CertificationAuthoritiesDirectory=certs\n')).toEqual(on);
  expect(tls('SSLCertificate=c.pfx\n')).toEqual(on);
  expect(tls('CLIENT_CERT_FILE=c.pem\nCLIENT_CERT_KEY_FILE=k.pem\n')).toEqual(on);
  expect(tls('SocketUseSSL=N\nSocketPrivateKeyFile=k.pem\nSocketCertificateFile=c.pem\n')).toEqual(on);
  expect(tls('SocketUseSSL=N\nSocketCertificateFile=c.pem\n')).toEqual(on);
  expect(tls('SSLEnable=N\nCERT_AUTHORITIES_FILE=ca.pem\n')).toBeNull();
  expect(tls('CLIENT_CERT_FILE=\n')).toBeNull();
  expect(tls('SocketUseSSL=Y\nEnabledProtocols=TLSv1.3\n')).toEqual({ minVersion: 'TLSv1.3' });
  expect(tls('SSLEnable=Y\nSSLProtocols=Tls13\n')).toEqual({ minVersion: 'TLSv1.3' });
  expect(tls('SocketUseSSL=Y\nEnabledProtocols=TLSv1.2,TLSv1.3\n')).toEqual(on);
  expect(tls('SocketUseSSL=Y\nEnabledProtocols=TLSv1\n')).toEqual(on);
});

test('warns of a password that crosses the network without TLS', () => {
  const cautions = (settings: string): string[] => securityOf(settings).cautions;
  expect(cautions(`${INITIATOR}Password=x\n`)).toEqual(['Password warning']);
  expect(cautions(`${INITIATOR}LogonTag=554=x\n`)).toEqual(['LogonTag warning']);
  expect(cautions(`${INITIATOR}Password=x\nSocketUseSSL=Y\n`)).toEqual([]);
  expect(cautions(`${INITIATOR.replace('fix.example.com', '127.0.0.1')}Password=x\n`)).toEqual([]);
  const second = 'SocketConnectHost1=b.example.com\nSocketConnectPort1=2\n';
  expect(cautions(`${INITIATOR.replace('fix.example.com', 'localhost')}${second}Password=x\n`)).toEqual([
    'Password warning',
  ]);
});

test('a security demand that a session file cannot carry is an error', () => {
  const acceptor = 'ConnectionType=acceptor\nSocketAcceptPort=1\n';
  for (const key of ['SocketUseSSL', 'SSLEnable', 'NeedClientAuth', 'SSLRequireClientCertificate', 'SSLVerifyClient']) {
    expect(securityOf(`${acceptor}${key}=Y\n`).cautions, key).toEqual([`${key} error`]);
    expect(securityOf(`${acceptor}${key}=N\n`).cautions, key).toEqual([]);
  }
  const text = (settings: string): string => {
    const [session] = readQuickfixCfg(`[SESSION]\nTargetCompID=B\n${acceptor}${settings}`, 'a.cfg').sessions;
    return session!.reports.find(({ caution }) => caution === 'error')!.text;
  };
  // quickfixgo demands client certificates unless SocketUseSSL=Y.
  expect(text('SocketPrivateKeyFile=k.pem\nSocketCertificateFile=c.pem\n')).toContain('`clientAuthority`');
  expect(text('SocketPrivateKeyFile=k.pem\nSocketUseSSL=Y\n')).not.toContain('`clientAuthority`');
  expect(text('ServerCertificateFile=c.pem\n')).toContain('`fix.listen[].tls`');
  for (const settings of [acceptor, `${INITIATOR}SocketUseSSL=Y\n`]) {
    expect(securityOf(`${settings}SSLCheckCertificateRevocation=Y\n`).cautions).toEqual([
      'SSLCheckCertificateRevocation error',
    ]);
  }
});

/** Keys with their caution and what a listener must have. */
function demandsOf(settings: string): string[] {
  const text = `[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n${settings}`;
  const [session] = readQuickfixCfg(text, 'a.cfg').sessions;
  return session!.reports.flatMap(({ key, caution, demands = [] }) =>
    caution === undefined ? [] : [`${key} ${caution} ${demands.join('+')}`.trim()],
  );
}

const ACCEPTOR = 'ConnectionType=acceptor\nSocketAcceptPort=1\n';

test('an authority that is pinned stays pinned, or its loss is an error', () => {
  const on = `${INITIATOR}SocketUseSSL=Y\n`;
  expect(demandsOf(`${on}SocketTrustStore=trust.jks\nSocketTrustStorePassword=x\n`)).toEqual([
    'SocketTrustStore error',
  ]);
  expect(demandsOf(`${on}SocketCABytes=abc\n`)).toEqual(['SocketCABytes error']);
  expect(demandsOf(`${on}SocketCAFile=C:\\certs\\ca.pem\n`)).toEqual(['SocketCAFile error']);
  expect(demandsOf(`${INITIATOR}CertificationAuthoritiesDirectory=certs\n`)).toEqual([
    'CertificationAuthoritiesDirectory error',
  ]);
  expect(demandsOf(`${INITIATOR}SSLEnable=Y\nSSLCheckCertificateRevocation=N\nSSLCACertificate=ca.cer\n`)).toEqual([
    'SSLCACertificate error',
  ]);
  expect(securityOf(`${on}SocketCAFile=/etc/fix/ca.pem\n`)).toEqual({
    tls: { minVersion: 'TLSv1.2', authority: 'file:/etc/fix/ca.pem' },
    cautions: [],
  });
  // Where the file names what replaces it, nothing is lost; without TLS nothing was secure.
  expect(demandsOf(`${on}SocketTrustStore=trust.jks\nCrossgate.connect.tls.authority=file:ca.pem\n`)).toEqual([]);
  expect(demandsOf(`${INITIATOR}SocketTrustStore=trust.jks\n`)).toEqual([]);
});

test('TLS versions and ciphers that a file narrows are kept, or their loss is an error', () => {
  const versions = [
    'EnabledProtocols=TLSv1.3',
    'SSLProtocols=Tls13',
    'SocketMinimumTLSVersion=TLS13',
    'SSL_PROTOCOL=+TLSv1_3',
  ];
  for (const line of [...versions, 'SSL_PROTOCOL=all -SSLv2 -TLSv1_2']) {
    const [key] = line.split('=');
    expect(securityOf(`${INITIATOR}SocketUseSSL=Y\n${line}\n`), line).toEqual({
      tls: { minVersion: 'TLSv1.3' },
      cautions: [],
    });
    expect(demandsOf(`${ACCEPTOR}SocketUseSSL=Y\n${line}\n`), line).toEqual([
      'SocketUseSSL error tls',
      `${key} error tls13`,
    ]);
    expect(demandsOf(`${ACCEPTOR}${line}\n`), line).toEqual([]);
  }
  expect(demandsOf(`${ACCEPTOR}SocketUseSSL=Y\nEnabledProtocols=TLSv1.2,TLSv1.3\n`)).toEqual([
    'SocketUseSSL error tls',
  ]);
  expect(demandsOf(`${ACCEPTOR}SocketUseSSL=Y\nCipherSuites=TLS_X\n`)).toContain('CipherSuites error ciphers');
  expect(demandsOf(`${INITIATOR}SocketUseSSL=Y\nCipherSuites=TLS_X\n`)).toEqual(['CipherSuites error']);
});

test('verification that a file switches off is warned of: here it is always on', () => {
  for (const line of ['SSLValidateCertificates=N', 'SocketInsecureSkipVerify=Y', 'CertificateVerifyLevel=0']) {
    const [key] = line.split('=');
    expect(demandsOf(`${INITIATOR}SocketUseSSL=Y\n${line}\n`), line).toEqual([`${key} warning`]);
    expect(demandsOf(`${INITIATOR}${line}\n`), line).toEqual([]);
  }
  expect(demandsOf(`${INITIATOR}SocketUseSSL=Y\nSSLValidateCertificates=Y\n`)).toEqual([]);
  expect(demandsOf(`${ACCEPTOR}ServerCertificateFile=s.pem\nCertificateVerifyLevel=2\n`)).toEqual([
    'ServerCertificateFile error tls',
    'CertificateVerifyLevel error clientCertificate',
  ]);
});

test('QuickFIX/n demands client certificates and looks up revocation where no key says so', () => {
  expect(demandsOf(`${ACCEPTOR}SSLEnable=Y\n`)).toEqual(['SSLEnable error tls+clientCertificate+revocations']);
  expect(demandsOf(`${ACCEPTOR}SSLCertificate=c.pfx\n`)).toEqual([
    'SSLCertificate error tls+clientCertificate+revocations',
  ]);
  const without = 'SSLCheckCertificateRevocation=N\nSSLRequireClientCertificate=N\n';
  expect(demandsOf(`${ACCEPTOR}SSLEnable=Y\n${without}`)).toEqual(['SSLEnable error tls']);
  expect(demandsOf(`${INITIATOR}SSLEnable=Y\n`)).toEqual(['SSLEnable error']);
  expect(demandsOf(`${INITIATOR}SSLEnable=Y\nSSLCheckCertificateRevocation=N\n`)).toEqual([]);
  expect(demandsOf(`${INITIATOR}SSLEnable=Y\nSSLValidateCertificates=N\n`)).toEqual([
    'SSLValidateCertificates warning',
  ]);
});

test('a socket that only this machine reaches stays one', () => {
  for (const key of ['SocketAcceptAddress', 'SocketAcceptHost']) {
    expect(demandsOf(`${ACCEPTOR}${key}=127.0.0.1\n`)).toEqual([`${key} error loopback`]);
    expect(demandsOf(`${ACCEPTOR}${key}=0.0.0.0\n`)).toEqual([]);
    expect(demandsOf(`${INITIATOR}${key}=127.0.0.1\n`)).toEqual([]);
  }
});

test('a settings file read in place gives the security errors of an import, unless listeners keep it', () => {
  const session = (name: string, lines: string): string => `${PLAIN.replace('OMS', name)}${OWN}${lines}`;
  const shown = (gateway: string, lines: string): string[] => {
    const folder = configurationFolder({ 'gateway.yaml': gateway, 'house.cfg': session('DESK', lines) });
    const { problems, warnings } = folder.load();
    const told = (found: typeof problems, kind: string): string[] =>
      found.flatMap(({ file, line, key, problem, remedy }) =>
        file === 'sessions/house.cfg' && !problem.startsWith('has no effect')
          ? [`${kind} ${line} ${key}: ${remedy}`]
          : [],
      );
    return [...told(problems, 'problem'), ...told(warnings, 'warning')];
  };
  const lines = `ConnectionType=acceptor\nSocketUseSSL=Y\nNeedClientAuth=Y\nEnabledProtocols=TLSv1.3\n`;
  const from = session('DESK', '').split('\n').length;
  const rest = '; or name other `Crossgate.listeners`, or remove the line';
  expect(shown(GATEWAY, lines)).toEqual([
    `problem ${from + 1} SocketUseSSL: listener plain needs \`tls\`${rest}`,
    `problem ${from + 2} NeedClientAuth: listener plain needs \`clientAuthority\` in its \`tls\`${rest}`,
    `problem ${from + 3} EnabledProtocols: listener plain needs \`minVersion: TLSv1.3\` in its \`tls\`${rest}`,
  ]);
  const secure = GATEWAY.replace('selfSigned: true', 'clientAuthority: "file:ca.crt", minVersion: TLSv1.3');
  expect(shown(secure, lines)).toHaveLength(3);
  expect(shown(secure, `${lines}Crossgate.listeners=[tls]\n`)).toEqual([]);
  const connects = `${INITIATOR}SSLEnable=Y\nSSLCheckCertificateRevocation=Y\nSSLValidateCertificates=N\n`;
  expect(shown(GATEWAY, connects).map((each) => each.split(':')[0]!.replace(/ \d+ /, ' '))).toEqual([
    'problem SSLCheckCertificateRevocation',
    'warning SSLValidateCertificates',
  ]);
});
