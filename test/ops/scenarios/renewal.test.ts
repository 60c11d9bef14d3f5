// Certificates and tokens that were changed in their files, taken over by a running gateway: sessions stay logged on, and a
// token that somebody else has got ends at once. Nothing is taken over that could not be shown or used.

import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { authorityForTest } from '../../support/network/authority.ts';
import { FixConnection } from '../../support/network/fix-connection.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
  watchingGateway,
} from '../running-gateway.ts';

/** Not a command of any package. */
const OPENSSL: string = 'openssl';
const LISTENER =
  'fix: { listen: [{ name: secure, port: 0, tls: { certificate: "file:tls.crt", key: "file:tls.key", clientAuthority: "file:ca.crt", names: [{ serverName: other.test, certificate: "file:other.crt", key: "file:other.key" }] } }] }';
const SECURE = GATEWAY.replace(/fix: .*/, LISTENER);
const OMS = { senderCompID: 'OMS', targetCompID: 'GATE' };
/** A wrong password is answered here, so that a client sees whether the listener took its certificate. */
const ANSWERING = `${sessionFile('OMS')}logon: { answerUnproved: true }\n`;

const pair = (commonName: string, validDays = 40) => createSelfSignedCertificate({ commonName, validDays });
type Pair = Awaited<ReturnType<typeof pair>>;

/** A gateway that shows `first.test`, and `other.test` to who asks for it, to clients of that authority. */
async function secureGateway(
  start: typeof runningGateway,
  files: Readonly<Record<string, string>> = {},
  secrets: Readonly<Record<string, string>> = {},
) {
  const [first, other, client] = await Promise.all([pair('first.test'), pair('other.test'), pair('oms.test')]);
  const gateway = await start({ 'gateway.yaml': SECURE, 'OMS.yaml': ANSWERING, ...files }, {}, (path) => {
    mkdirSync(join(path, 'state'));
    const write = (name: string, text: string) => writeFileSync(join(path, 'state', name), text, { mode: 0o600 });
    write('tls.crt', first.certificatePem);
    write('tls.key', first.keyPem);
    write('other.crt', other.certificatePem);
    write('other.key', other.keyPem);
    write('ca.crt', client.certificatePem);
    for (const [name, text] of Object.entries(secrets)) write(name, text);
  });
  return { gateway, client };
}

async function connected(gateway: RunningGateway, client: Pair, servername = 'any.test'): Promise<TLSSocket> {
  const { port } = gateway.engine.addresses[0]!;
  const own = { cert: client.certificatePem, key: client.keyPem };
  const socket = tlsConnect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false, ...own });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

async function shown(gateway: RunningGateway, client: Pair, servername?: string): Promise<string> {
  const socket = await connected(gateway, client, servername);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

/** Whether the listener takes somebody with that certificate: with TLS 1.3 the refusal comes after the handshake. */
async function isTaken(gateway: RunningGateway, client: Pair): Promise<boolean> {
  const fix = new FixConnection(await connected(gateway, client), OMS);
  fix.send('35=A|98=0|108=30|141=Y|554=wrong');
  const isTold = await fix.next().then(
    () => true,
    () => false,
  );
  fix.destroy();
  return isTold;
}

const apply = async (gateway: RunningGateway, token?: string) =>
  (await gateway.ask('/api/configuration/apply', {}, token)).body;

test('shows a renewed certificate to new connections, and keeps logged-on sessions', async () => {
  const { gateway, client } = await secureGateway(runningGateway);
  const fix = new FixConnection(await connected(gateway, client), OMS);
  const { password } = gateway.engine.config.sessions[0]!;
  fix.send(`35=A|98=0|108=30|141=Y|554=${password!.read()}`);
  expect((await fix.next()).msgType).toBe('A');
  expect(await apply(gateway)).toMatchObject({ ok: true, renewed: [], text: '1 session unchanged.' });

  const [second, third] = await Promise.all([pair('second.test'), pair('third.test')]);
  gateway.folder.write('state/tls.crt', second.certificatePem);
  gateway.folder.write('state/tls.key', second.keyPem);
  gateway.folder.write('state/other.crt', third.certificatePem);
  gateway.folder.write('state/other.key', third.keyPem);
  expect(await shown(gateway, client)).toBe('first.test');
  const { ok, text, restartNeeded } = await apply(gateway);
  expect([ok, restartNeeded]).toEqual([true, []]);
  expect(text).toMatch(
    /^Renewed: listener secure shows what is in file:tls\.crt and file:tls\.key and file:other\.crt and file:other\.key now, its certificate ends on 20\d\d-.*Z\. 1 session unchanged\.$/,
  );
  expect(gateway.logged).toContain('info audit: configuration: secret renewed');
  expect(await shown(gateway, client)).toBe('second.test');
  expect(await shown(gateway, client, 'other.test')).toBe('third.test');
  fix.send('35=1|112=still here');
  expect((await fix.next()).msgType).toBe('0');
  expect(await apply(gateway)).toMatchObject({ ok: true, renewed: [] });
});

test('other authorities for clients count from the next connection on', async () => {
  const { gateway, client } = await secureGateway(runningGateway);
  const stranger = await pair('stranger.test');
  expect([await isTaken(gateway, client), await isTaken(gateway, stranger)]).toEqual([true, false]);
  gateway.folder.write('state/ca.crt', stranger.certificatePem);
  expect(await apply(gateway)).toMatchObject({
    ok: true,
    renewed: [expect.stringContaining('what is in file:ca.crt now')],
  });
  expect([await isTaken(gateway, client), await isTaken(gateway, stranger)]).toEqual([false, true]);
});

describeWith(await tool(OPENSSL, ['version'], 'openssl'), 'lists of revoked certificates', () => {
  test('a renewed one counts from the next connection; an expired one changes nothing', async () => {
    const authority = authorityForTest();
    const [good, bad] = ['oms-1', 'oms-2'].map((name) => {
      const { cert: certificatePem, key: keyPem } = authority.sign(name);
      return { certificatePem, keyPem };
    }) as [Pair, Pair];
    const { gateway } = await secureGateway(
      runningGateway,
      {
        'gateway.yaml': SECURE.replace('"file:ca.crt"', '"file:own.crt", clientRevocations: "file:own.crl"'),
      },
      {
        'own.crt': authority.certificatePem,
        'own.crl': authority.list([]),
      },
    );
    expect([await isTaken(gateway, good), await isTaken(gateway, bad)]).toEqual([true, true]);
    gateway.folder.write('state/own.crl', authority.list([{ cert: bad.certificatePem, key: '' }]));
    // The list ends next, in a day; the listener's certificate, which ends later, was not renewed.
    const renewed = [
      expect.stringMatching(/^listener secure shows what is in file:own\.crl now, its list ends on 20\S+Z$/),
    ];
    expect(await apply(gateway)).toMatchObject({ ok: true, renewed });
    gateway.folder.write('state/own.crl', authority.list([], true));
    const { ok, text } = await apply(gateway);
    expect([ok, text]).toEqual([
      false,
      expect.stringContaining('keeps its lists of revoked certificates: one in file:own.crl ended on 2020-01-02'),
    ]);
    expect([await isTaken(gateway, good), await isTaken(gateway, bad)]).toEqual([true, false]);
  });
});

test('refuses an unusable certificate with file and reason, and changes nothing else', async () => {
  const { gateway, client } = await secureGateway(runningGateway);
  const [second, ended] = await Promise.all([pair('second.test'), pair('ended.test', -1)]);
  for (const [files, why] of [
    [{ 'tls.crt': second.certificatePem }, /file:tls\.key is not the key of the certificate in file:tls\.crt/],
    [{ 'tls.crt': ended.certificatePem, 'tls.key': ended.keyPem }, /the one in file:tls\.crt ended on 20/],
    [{ 'tls.crt': 'nonsense', 'tls.key': second.keyPem }, /in file:tls\.crt is no certificate in PEM/],
    [{ 'tls.crt': second.certificatePem, 'tls.key': 'x' }, /in file:tls\.key is no private key in PEM/],
    [{ 'tls.key': second.keyPem, 'ca.crt': 'nobody' }, /there is no certificate in PEM among those to trust/],
    [{ 'ca.crt': client.certificatePem, 'other.key': second.keyPem }, /file:other\.key is not the key of/],
    [{ 'other.key': '' }, /other\.key/],
  ] as const) {
    for (const [name, text] of Object.entries(files)) gateway.folder.write(`state/${name}`, text);
    const { ok, text } = await apply(gateway);
    expect([ok, text]).toEqual([false, expect.stringMatching(/^Nothing was changed/)]);
    expect(text).toMatch(why);
    expect(JSON.stringify(text)).not.toContain('PRIVATE KEY');
    expect(await shown(gateway, client)).toBe('first.test');
    expect(await isTaken(gateway, client)).toBe(true);
  }
});

test('takes a certificate over once it and its key have rested, also after a partial moment', {}, async () => {
  const { gateway, client } = await secureGateway(watchingGateway);
  const second = await pair('second.test');
  gateway.folder.write('state/tls.crt', second.certificatePem);
  gateway.folder.write('state/tls.key', second.keyPem);
  await eventually('the renewed one', async () => (await shown(gateway, client)) === 'second.test');
  // The next operator gets it.
  expect((await apply(gateway)).text).toMatch(/^Taken over by itself before: .*listener secure shows/);
});

const USERS = `admin:
  port: 0
  users:
    - { name: ann, token: "file:ann.token" }
    - { name: ben, token: "file:ben.token" }
`;
const BRIDGE = `bridge:
  enabled: true
  port: 0
  callers: [{ name: desk, token: "file:desk.token", tradingAccounts: ["${ACCOUNT}"], functions: [market-data, stream] }]
`;
const token = (letter: string): string => letter.repeat(24);

function gatewayWithTokens(): Promise<RunningGateway> {
  const text = `${GATEWAY.replace('admin: { port: 0 }\n', USERS)}${BRIDGE}`;
  return runningGateway({ 'gateway.yaml': text }, {}, (path) => {
    mkdirSync(join(path, 'state'));
    for (const name of ['ann', 'ben', 'desk'])
      writeFileSync(join(path, 'state', `${name}.token`), token(name[0]!), { mode: 0o600 });
  });
}

test("a changed token ends at once: a user's, the shared, a bridge caller's with its streams", async () => {
  const gateway = await gatewayWithTokens();
  const { folder } = gateway;
  const bridge = gateway.engine.bridge!.url;
  const statusAt = async (own: string): Promise<number> => {
    const headers = { authorization: `Bearer ${own}` };
    return (await fetch(`${bridge}/trading-api/v1/markets`, { headers })).status;
  };
  const status = async (own?: string): Promise<number> => (await gateway.ask('/api/overview', undefined, own)).status;
  const stream = new WebSocket(`${bridge.replace('http', 'ws')}/trading-api/v1/private-data`, {
    headers: { authorization: `Bearer ${token('d')}` },
  });
  const told = new Promise<string>((resolve) => stream.once('close', (_code, reason) => resolve(String(reason))));
  await once(stream, 'open');
  expect(await apply(gateway)).toMatchObject({ ok: true, renewed: [], restartNeeded: [] });

  folder.write('state/ann.token', token('x'));
  folder.write('state/desk.token', token('y'));
  folder.write('state/secrets/admin.token', `${token('z')}${token('z')}\n`);
  const report = await apply(gateway, token('b'));
  expect(report).toMatchObject({
    ok: true,
    restartNeeded: [],
    renewed: [
      'bridge caller desk has another token',
      'the shared token of the admin API is another one',
      'user ann has another token',
    ],
  });
  expect(JSON.stringify([report, gateway.logged])).not.toMatch(/xxxx|yyyy|zzzz/);
  expect(await told).toBe('the token was changed; connect again with the new one');
  expect([await status(), await status(token('a')), await statusAt(token('d'))]).toEqual([401, 401, 401]);
  expect([await status(token('z').repeat(2)), await status(token('x')), await status(token('b'))]).toEqual([
    200, 200, 200,
  ]);
  expect(await statusAt(token('y'))).not.toBe(401);
});

test('refuses an impossible token and keeps the old; a missing shared one is made anew', async () => {
  const gateway = await gatewayWithTokens();
  const { folder, stateDirectory } = gateway;
  const shared = join(stateDirectory, 'secrets', 'admin.token');
  for (const [name, text, why] of [
    ['ann.token', 'short', /shorter than 24/],
    ['ann.token', token('b'), /another user has the same token/],
    ['desk.token', 'short', /24 to 1024 printable/],
    ['secrets/admin.token', 'short', /holds no admin token/],
  ] as const) {
    folder.write(`state/${name}`, text);
    const report = await apply(gateway, token('a'));
    expect([report.ok, report.text]).toEqual([false, expect.stringMatching(why)]);
    expect((await gateway.ask('/api/overview')).status).toBe(200);
    folder.write('state/ann.token', token('a'));
    folder.write('state/desk.token', token('d'));
  }
  rmSync(shared);
  expect(await apply(gateway, token('a'))).toMatchObject({
    renewed: ['the shared token of the admin API is another one'],
  });
  expect(existsSync(shared)).toBe(true);
  expect((await gateway.ask('/api/overview')).status).toBe(401);
});

test('material that gateway.yaml no longer names, or moves, waits for a restart', async () => {
  const { gateway, client } = await secureGateway(runningGateway);
  const second = await pair('second.test');
  gateway.folder.write('state/new.crt', second.certificatePem);
  gateway.folder.write('state/new.key', second.keyPem);
  gateway.folder.write(
    'sessions/gateway.yaml',
    SECURE.replace('file:tls.crt', 'file:new.crt').replace('file:tls.key', 'file:new.key'),
  );
  rmSync(join(gateway.stateDirectory, 'tls.key'));
  expect(await apply(gateway)).toMatchObject({
    ok: true,
    renewed: [],
    restartNeeded: ['gateway.fix.listen[0].tls.certificate', 'gateway.fix.listen[0].tls.key'],
  });
  expect(await shown(gateway, client)).toBe('first.test');
});

test('a stuck disk prevents no application: a token is read, not made', async () => {
  const gateway = await runningGateway();
  const fails = vi.spyOn(promises, 'chmod').mockRejectedValue(Object.assign(new Error('EROFS'), { code: 'EROFS' }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    fails.mockRestore();
    syncBuiltinESMExports();
  });
  expect(await apply(gateway)).toMatchObject({ ok: true, renewed: [] });
  expect(fails).toHaveBeenCalled();
});
