// Mistakes of callers without types in the library's options: reported by name, before anything opens.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type AcceptorOptions,
  type EngineLimits,
  type FixSessionOptions,
  fileStore,
  memoryStore,
  startAcceptor,
  startInitiator,
} from '../../../src/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

const application = { onMessage: () => {} };
const session = { senderCompID: 'A', targetCompID: 'B' };

/** An application as a class, with functions of its own beside the callbacks. */
class Desk {
  onMessage(): void {}
  onFill(): void {}
}

const of = (settings: object) => ({ sessions: [{ ...session, ...settings }] });
const window = { days: ['Mon'], from: '08:00', to: '17:00', toDay: null };
const at = (schedule: object) =>
  of({ schedule: { timeZone: 'UTC', windows: [], holidays: [], resets: [], ...schedule } });

test.each([
  [{}, 'sessions must be a list of sessions'],
  [{ sessions: [{ senderCompID: 'A' }] }, 'sessions[0].targetCompID must be a text of printable characters'],
  [{ sessions: [session, { ...session, senderCompID: '' }] }, 'sessions[1].senderCompID must be a text'],
  [{ sessions: [{ ...session, heartbeat: 30 }] }, 'sessions[0].heartbeat is no setting of a session'],
  [{ sessions: [{ ...session, heartBtIntS: '30' }] }, 'sessions[0].heartBtIntS must be a number'],
  [{ sessions: [session, session] }, 'sessions[1] is FIX.4.4:A->B, and so is another'],
  [{ sessions: [session], port: 99_999 }, 'port must be a whole number from 0 to 65535'],
  [{ sessions: [session], busyPollMicros: 0.5 }, 'busyPollMicros must be a whole number from 0 to 1000000'],
  [{ sessions: [session], callbacksMax: 0 }, 'callbacksMax must be a whole number from 1'],
  [{ sessions: [session], application: {} }, 'application must be an object with onMessage(message, session)'],
  [
    { sessions: [{ ...session, access: { allowFrom: ['10.0.0.0/33'] } }] },
    'sessions[0].access.allowFrom must be a list',
  ],
  [{ sessions: [{ ...session, messageRate: { excess: 'hold' } }] }, 'sessions[0].messageRate.excess must be refuse'],
  [{ sessions: [session], stroe: null }, 'stroe is no option'],
  [{ sessions: [session], limits: { frameBytes: 1 } }, 'limits.frameBytes is no option'],
  [{ sessions: [session], limits: { frameBytesMax: '1' } }, 'limits.frameBytesMax must be a number from 0'],
  [
    { sessions: [session], limits: { logonTimeoutMs: 2 ** 31 } },
    'limits.logonTimeoutMs must be a number of milliseconds',
  ],
  [of({ heartBtIntS: -1 }), 'sessions[0].heartBtIntS must be a number from 0'],
  [of({ logonTimeoutMs: Number.NaN }), 'sessions[0].logonTimeoutMs must be a number from 0'],
  [{ sessions: [session], limits: { logonTimeoutMs: 0 } }, 'limits.logonTimeoutMs must be above 0'],
  [{ sessions: [session], limits: { connectionsMax: 0 } }, 'limits.connectionsMax must be above 0'],
  [of({ logonTimeoutMs: 0 }), 'sessions[0].logonTimeoutMs must be above 0'],
  [of({ testRequestAfter: 0 }), 'sessions[0].testRequestAfter must be a number from 1'],
  [of({ lostAfter: 1.2 }), 'sessions[0].lostAfter must be more than testRequestAfter'],
  [of({ testRequestAfter: 3 }), 'sessions[0].lostAfter must be more than testRequestAfter'],
  [of({ testRequestAfter: 3, lostAfter: undefined }), 'sessions[0].lostAfter must be more than testRequestAfter'],
  [of({ environment: 'prod' }), 'sessions[0].environment must be one of test, production, any'],
  [of({ durability: 'none' }), 'sessions[0].durability must be one of disk, process'],
  [of({ resetOn: ['login'] }), 'sessions[0].resetOn must be a list of logon, logout, disconnect'],
  [of({ password: '$scrypt$ln=15' }), 'sessions[0].password must be a password, or its hash as it was made'],
  [
    of({ messageRate: { messagesMax: 0, perMs: 1 } }),
    'sessions[0].messageRate.messagesMax must be a whole number from 1',
  ],
  [of({ access: { onRefusal: 'reject' } }), 'sessions[0].access.onRefusal must be one of auto, logout, silence'],
  [of({ access: { signature: { algorithm: 'rsa' } } }), 'sessions[0].access.signature.algorithm must be one of'],
  [of({ access: { signature: { algorithm: 'ed25519', key: 'PEM' } } }), 'access.signature.key must be an object with'],
  [of({ access: { certificate: { commonName: 'a' } } }), 'sessions[0].access.certificate.fingerprints must be a list'],
  [at({ timeZone: 'Tokyo Standard Time' }), 'sessions[0].schedule.timeZone must be an IANA name such as Asia/Tokyo'],
  [at({ timeZone: 'Nowhere' }), 'sessions[0].schedule.timeZone must be an IANA name'],
  [
    at({ windows: [{ ...window, toTimeZone: 'Nowhere' }] }),
    'sessions[0].schedule.windows[0].toTimeZone must be an IANA',
  ],
  [
    at({ resets: [{ days: ['Mon'], at: '17:00', timeZone: 5 }] }),
    'sessions[0].schedule.resets[0].timeZone must be an IANA',
  ],
  [at({ windows: [{ ...window, from: '8:00' }] }), 'sessions[0].schedule.windows[0].from must be a time of day'],
  [at({ windows: [{ ...window, days: ['Mo'] }] }), 'sessions[0].schedule.windows[0].days must be a list of Mon, Tue'],
  [at({ windows: [{ ...window, days: ['Mon', 'Tue'], toDay: 'Fri' }] }), 'windows[0].toDay must be null, or a day'],
  [at({ windows: [window, window] }), 'sessions[0].schedule.windows[1] must be apart from window 0: they overlap'],
  [at({ holidays: ['2026-02-30'] }), 'sessions[0].schedule.holidays must be a list of dates'],
  [at({ holidays: undefined }), 'sessions[0].schedule.holidays must be a list of dates'],
  [at({ resets: [{ at: '17:00' }] }), 'sessions[0].schedule.resets must be a list of { days, at }'],
  [
    of({ access: { certficate: {} } }),
    'sessions[0].access.certficate is no option: there are passwordOverlapMs, signature',
  ],
  [of({ access: { signature: { algoritm: 'ed25519' } } }), 'sessions[0].access.signature.algoritm is no option'],
  [
    of({ access: { certificate: { commonName: 'a', fingerprints: [], san: 'b' } } }),
    'access.certificate.san is no option',
  ],
  [of({ access: { certificate: { fingerprints: [] } } }), 'access.certificate.commonName must be a name, or null'],
  [
    of({ access: { certificate: { commonName: null, fingerprints: ['ab:cd'] } } }),
    'must be a list of SHA-256 fingerprints',
  ],
  [of({ access: { passwordOverlapMs: 1000 } }), 'access.passwordOverlapMs must be null: a library keeps no passwords'],
  [of({ access: true }), 'sessions[0].access must be an object with passwordOverlapMs, signature'],
  [of({ messageRate: { messagesMax: 1, perSecond: 1 } }), 'sessions[0].messageRate.perSecond is no option'],
  [
    of({ template: { sessionMax: 1 } }),
    'sessions[0].template.sessionMax is no option: there are sessionsMax, passwordOf',
  ],
  [of({ targetCompID: '*' }), 'sessions[0].targetCompID must be one counterparty'],
  [of({ targetSubID: '*' }), 'sessions[0].targetSubID must be one counterparty'],
  [of({ senderCompID: '*', targetCompID: '*', template: {} }), 'sessions[0].senderCompID must be ours'],
  [of({ template: { sessionsMax: 0 } }), 'sessions[0].template.sessionsMax must be a whole number from 1'],
  [of({ template: { passwordOf: 'pw' } }), 'sessions[0].template.passwordOf must be a function'],
  [of({ template: { passwordOf: null } }), 'sessions[0].template.passwordOf must be a function'],
  [at({ holiday: [] }), 'sessions[0].schedule.holiday is no option'],
  [at({ windows: [{ ...window, till: '18:00' }] }), 'sessions[0].schedule.windows[0].till is no option'],
  [at({ resets: [{ days: ['Mon'], time: '17:00' }] }), 'sessions[0].schedule.resets[0].time is no option'],
  [of({ password: 12_345 }), 'sessions[0].password must be a text of printable characters'],
  [of({ username: '' }), 'sessions[0].username must be a text of printable characters'],
  [of({ targetSubID: 'DESK\x01' }), 'sessions[0].targetSubID must be a text of printable characters'],
  [of({ heartBtIntS: 0.5 }), 'sessions[0].heartBtIntS must be a whole number from 0'],
  [of({ seqNumMax: 0 }), 'sessions[0].seqNumMax must be a whole number from 1'],
  [of({ heartBtIntMinS: 60, heartBtIntMaxS: 30 }), 'sessions[0].heartBtIntMaxS must be heartBtIntMinS or more'],
  [
    { sessions: [session], application: { ...application, onReject: true } },
    'application.onReject must be a function, or left out',
  ],
  [
    { sessions: [session], application: { ...application, onLogOut: () => {} } },
    'application.onLogOut is no callback, and would never be called: did you mean onLogout?',
  ],
  [
    { sessions: [session], application: { ...application, onCreate: () => {} } },
    'application.onCreate is no callback, and would never be called: there are onLogon, onMessage, onLogout, onReject',
  ],
  [
    {
      sessions: [session],
      application: new (class extends Desk {
        onLogin() {}
      })(),
    },
    'application.onLogin is no callback, and would never be called: did you mean onLogon?',
  ],
  [{ sessions: [{ ...session, heartBtInt: 30 }] }, 'heartBtInt is no setting of a session: did you mean heartBtIntS?'],
  [of({ logonFields: [[9001, 'x']] }), "FIX.4.4:A->B: logonFields are those of an initiator's Logon"],
  [of({ logonFields: [[108, '30']] }), 'sessions[0].logonFields must be a list of [tag, text] without the fields that'],
  [of({ logonFields: { 9001: 'x' } }), 'sessions[0].logonFields must be a list of [tag, text]'],
  [{ sessions: [session], addresses: [] }, 'addresses is no option'],
  [{ sessions: [session], host: '' }, 'host must be a text, not an empty one'],
  [{ sessions: [session], dictionaries: 5 }, 'dictionaries must be a text, not an empty one'],
  [{ sessions: [session], log: true }, 'log must be a function'],
  [
    { sessions: [session], store: 'a-folder' },
    'store must be the result of `await fileStore(folder)` or `memoryStore()`',
  ],
  [
    { sessions: [session], store: { append: () => {}, recovered: {} } },
    'store must be the result of `await fileStore(folder)`',
  ],
  [{ sessions: [session], tls: { cert: 'PEM', key: 'PEM' } }, 'tls.cert is no option: there are certificate, key'],
  [{ sessions: [session], tls: { key: 'PEM' } }, 'tls.certificate must be the text of a PEM file, not its path'],
  [
    { sessions: [session], tls: { certificate: 'a', key: 'b', minVersion: 'TLSv1' } },
    'tls.minVersion must be TLSv1.2 or',
  ],
  [{ sessions: [session], tls: { certificate: 'a', key: 'b', ciphers: 5 } }, 'tls.ciphers must be cipher suites'],
  [
    { sessions: [session], tls: { certificate: 'a', key: 'b', clientRevocations: 'c' } },
    'tls.clientAuthority must be given where tls.clientRevocations is',
  ],
  [
    of({ access: { certificate: { commonName: 'oms', fingerprints: [] } } }),
    'tls.clientAuthority must be given where sessions[0].access.certificate is',
  ],
])('%j is refused in words', async (options, words) => {
  const given = { port: 0, application, ...options } as unknown as AcceptorOptions;
  await expect(startAcceptor(given)).rejects.toMatchObject({
    code: 'XG_CONFIG_INVALID',
    message: expect.stringContaining(words),
  });
});

test('an application of a class may have functions of its own', async () => {
  const engine = await startAcceptor({ port: 0, sessions: [session], application: new Desk() });
  await engine.close();
});

test('an initiator needs a port to connect to', async () => {
  const given = { addresses: [{ host: 'h', port: 0 }], sessions: [session], application };
  await expect(startInitiator(given)).rejects.toThrow('addresses[0].port must be a whole number from 1 to 65535');
});

test.each([
  [[], 'addresses must be a list of addresses, one at least'],
  [[{ port: 9876 }], 'addresses[0].host must be a host'],
])('an initiator needs an address to connect to: %j', async (addresses, words) => {
  const given = { addresses, sessions: [session], application } as unknown as Parameters<typeof startInitiator>[0];
  await expect(startInitiator(given)).rejects.toThrow(words);
});

test.each([
  { reconnectFirstMs: Number.NaN },
  { reconnectLargestMs: 0 },
  // Longer than any timer of Node waits: it would fire at once, or end the process.
  { reconnectFirstMs: 2 ** 31, reconnectLargestMs: 2 ** 31 },
  { reconnectLargestMs: Number.MAX_SAFE_INTEGER },
])('an initiator pauses: %j', async (pauses) => {
  const addresses = [{ host: 'h', port: 1 }];
  const given = { addresses, sessions: [session], application, ...pauses };
  await expect(startInitiator(given)).rejects.toThrow('must be a number of milliseconds');
});

test.each([
  [{ localAddress: 'localhost' }, 'localAddress must be an IP address of this machine'],
  [{ localPort: 70_000 }, 'localPort must be a whole number from 0 to 65535'],
  [{ proxy: null }, 'proxy must be an object with kind, host, port'],
  [{ proxy: { kind: 'socks', host: 'p', port: 1 } }, 'proxy.kind must be socks4, socks5 or http'],
  [{ proxy: { kind: 'http', host: '', port: 1 } }, 'proxy.host must be a host'],
  [{ proxy: { kind: 'http', host: 'p', port: 0 } }, 'proxy.port must be a whole number from 1 to 65535'],
  [{ proxy: { kind: 'http', host: 'p', port: 1, pasword: 'x' } }, 'proxy.pasword is no option: did you mean password?'],
  [{ proxy: { kind: 'http', host: 'p', port: 1, user: 'a\r\nb' } }, 'proxy.user must be a text of 1 to 255 printable'],
  [
    { proxy: { kind: 'socks5', host: 'p', port: 1, password: 'x' } },
    'proxy.password must be left out where there is no',
  ],
])('an initiator is refused a way on which no connection could come about: %j', async (way, words) => {
  const given = { addresses: [{ host: 'h', port: 1 }], ...way, sessions: [session], application };
  await expect(startInitiator(given as never)).rejects.toThrow(words);
});

const [certificate, stranger] = await Promise.all([
  createSelfSignedCertificate({ commonName: 'oms' }),
  createSelfSignedCertificate({ commonName: 'stranger' }),
]);
test.each([
  [{ authority: '/etc/ca.pem' }, 'tls.authority must be the text of a PEM file, not its path'],
  [{ certificate: certificate.certificatePem }, 'tls.key must be the text of a PEM file'],
  [{ key: certificate.keyPem }, 'tls.certificate must be the text of a PEM file'],
  [{ certificate: certificate.certificatePem, key: stranger.keyPem }, 'TLS settings for h:1 cannot be used: '],
  [
    { ca: certificate.certificatePem },
    'tls.ca is no option: there are authority, certificate, key, passphrase, serverName, minVersion',
  ],
  [{ serverName: '' }, 'tls.serverName must be a name'],
  // As easily mistaken for one another as files lie side by side.
  [
    { authority: certificate.keyPem },
    'TLS settings for h:1 cannot be used: there is no certificate in PEM among those',
  ],
  [
    { authority: certificate.certificatePem.replace('MII', 'NII') },
    'TLS settings for h:1 cannot be used: certificate 1 of those to trust cannot be read',
  ],
])('an initiator with TLS that could not work is refused at its start: %#', async (tls, words) => {
  const given = { addresses: [{ host: 'h', port: 1 }], tls, sessions: [session], application };
  await expect(startInitiator(given as never)).rejects.toThrow(words);
});

test('an acceptor that would trust no certificate of a client is refused at its start', async () => {
  const { certificatePem, keyPem } = certificate;
  const tls = { certificate: certificatePem, key: keyPem, clientAuthority: keyPem };
  await expect(startAcceptor({ port: 0, tls, sessions: [session], application })).rejects.toMatchObject({
    code: 'XG_TLS_INVALID',
    message: expect.stringContaining('there is no certificate in PEM among those to trust'),
  });
});

test('an initiator has no port of its own', async () => {
  const given = { addresses: [{ host: 'h', port: 1 }], port: 9880, sessions: [session], application };
  await expect(startInitiator(given as never)).rejects.toThrow('port is no option');
});

test.each([
  [[''], 'directory must be the path of a folder'],
  [['f', { retention: 90 }], 'retention is no option'],
  [['f', { retentionDays: 0.5 }], 'retentionDays must be a whole number from 1'],
  [['f', { log: 'pino' }], 'log must be a function'],
])('fileStore(%j) is refused in words', async (args, words) => {
  await expect(fileStore(...(args as [string]))).rejects.toThrow(words);
});

test.each([0, Number.NaN, 2.5, '5'])('memoryStore(%s) is refused in words', (messagesMax) => {
  expect(() => memoryStore(messagesMax as number)).toThrow('messagesMax must be a whole number from 1');
});

test('a store that another engine has is refused, and stays open for that one', async () => {
  const store = memoryStore();
  const engine = await startAcceptor({ port: 0, application, sessions: [session], store });
  const second = { port: 0, application, sessions: [{ ...session, targetCompID: 'C' }], store };
  await expect(startAcceptor(second)).rejects.toThrow('store must be of this engine alone');
  const oms = await openFix(engine.port, { senderCompID: 'B', targetCompID: 'A' });
  oms.send('35=A|98=0|108=30');
  expect((await oms.next()).msgType).toBe('A');
  oms.destroy();
  await engine.close();
  await expect(startAcceptor(second)).rejects.toThrow('or had it and closed it');
});

test('a store that was not awaited is refused in words, and closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = fileStore(folder) as never;
  await expect(startAcceptor({ port: 0, application, sessions: [session], store })).rejects.toThrow(
    'store must be the value of the promise: `await fileStore(folder)`',
  );
  await (await fileStore(folder)).close();
});

test('a failed start leaves the store closed for the next attempt', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sessions = [{ ...session, beginString: 'FIX.3.9' }];
  const attempt = async () => startAcceptor({ port: 0, application, sessions, store: await fileStore(folder) });
  await expect(attempt()).rejects.toThrow('and is FIX.3.9');
  await expect(attempt()).rejects.toThrow('and is FIX.3.9');
});

test('a setting, limit or proof that is given as undefined is one that is not given', async () => {
  const engine = await startAcceptor({
    port: 0,
    application,
    limits: { frameBytesMax: undefined, logonTimeoutMs: undefined } as unknown as Partial<EngineLimits>,
    sessions: [
      {
        senderCompID: 'GATE',
        targetCompID: 'OMS',
        sendingTimeAccuracyS: undefined,
        heartBtIntMinS: undefined,
        access: { allowFrom: undefined, signature: undefined },
      } as unknown as FixSessionOptions,
    ],
  });
  onTestFinished(() => engine.close());
  const oms = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => oms.destroy());
  oms.send('35=A|98=0|108=30');
  expect((await oms.next()).msgType).toBe('A');
});
