// HTTPS of bridge and admin API with certificates made by openssl: who is refused and with what, what a command trusts and shows,
// and certificates that are renewed while the gateway runs.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import process from 'node:process';
import { type ConnectionOptions, connect } from 'node:tls';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { certificateWarnings } from '../../../src/ops/checks/certificate-watch.ts';
import { type Authority, authorityForTest, type SignedPair } from '../../support/network/authority.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { configurationFolder, inShort } from '../configuration-folder.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

/** Not a command of any package. */
const OPENSSL: string = 'openssl';
const TOKEN = 'a-token-of-the-desk-and-nobody-else';
const DAY_MS = 86_400_000;

const pairOf = (name: string, more = ''): string =>
  `{ certificate: "file:${name}.crt", key: "file:${name}.key"${more} }`;
const DEMAND = ', clientAuthority: "file:clients.crt"';
const BRIDGE = (tls: string): string => `bridge:
  enabled: true
  port: 0
  tls: ${tls}
  callers: [{ name: desk, token: "file:desk.token", tradingAccounts: ["${ACCOUNT}"], functions: [market-data, stream] }]
`;
const configured = (admin: string, bridge: string): string =>
  `${GATEWAY.replace('admin: { port: 0 }', `admin: { port: 0, tls: ${admin} }`)}${BRIDGE(bridge)}`;

interface House {
  readonly gateway: RunningGateway;
  readonly authority: Authority;
  readonly clients: Authority;
  readonly write: (name: string, text: string) => void;
}

const writePair = (write: House['write'], name: string, { cert, key }: SignedPair): void => {
  write(`${name}.crt`, cert);
  write(`${name}.key`, key);
};

/** A gateway. Its bridge and admin API are shown as `gateway.test`, signed by an authority of its own. */
async function house(more = '', adminMore = more, names = 'DNS:gateway.test'): Promise<House> {
  const [authority, clients] = [authorityForTest('Servers'), authorityForTest('Clients')];
  const trusted = ', authority: "file:servers.crt"';
  const text = configured(pairOf('admin', `${adminMore}${trusted}`), pairOf('bridge', more));
  let write: House['write'] = () => {};
  const gateway = await runningGateway({ 'gateway.yaml': text }, {}, (path) => {
    mkdirSync(join(path, 'state'));
    write = (name, content) => writeFileSync(join(path, 'state', name), content, { mode: 0o600 });
    for (const name of ['admin', 'bridge']) writePair(write, name, authority.signFor(name, 'serverAuth', names));
    write('clients.crt', clients.certificatePem);
    write('servers.crt', authority.certificatePem);
    write('desk.token', TOKEN);
  });
  return { gateway, authority, clients, write };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A GET over TLS, or code and reason of its failure. */
function get(url: URL, tls: ConnectionOptions, headers: Record<string, string>): Promise<Answer | string> {
  return new Promise((resolve) => {
    const options = { headers, agent: false, servername: 'gateway.test', ...tls };
    secureRequest(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', ({ message }) => resolve(message));
    })
      .on('error', ({ code, message }: NodeJS.ErrnoException) => resolve(`${code} ${message}`))
      .end();
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const isAnswer = (answer: Answer | string): answer is Answer => typeof answer !== 'string';

/** The common name that a door shows. */
function shown(url: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    }).on('error', reject);
  });
}

async function command(gateway: RunningGateway, ...more: string[]): Promise<{ code: unknown; text: string }> {
  const args = ['src/cli/main.ts', 'sessions', 'list', '--state', gateway.stateDirectory, ...more];
  const cwd = join(import.meta.dirname, '../../..');
  const run = new LineProcess(process.execPath, args, { cwd, env: {} });
  return { code: await run.ended(), text: run.lines.join('\n') };
}

describeWith(await tool(OPENSSL, ['version'], 'openssl'), 'HTTPS of bridge and admin API', () => {
  test('the bridge answers over TLS 1.2 and later to clients of its authority, under its names only', async () => {
    const { gateway, authority } = await house();
    const bridge = gateway.engine.bridge!.url;
    expect(bridge).toMatch(/^https:/);
    const markets = new URL('/trading-api/v1/markets', bridge);
    const ca = authority.certificatePem;
    const ask = (tls: ConnectionOptions, headers = {}) => get(markets, tls, { ...bearer(TOKEN), ...headers });
    expect(await ask({ ca })).toMatchObject({ status: 200 });
    expect(await ask({ ca, maxVersion: 'TLSv1.2' })).toMatchObject({ status: 200 });
    const old = { ca, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await ask(old)).toMatch(/protocol version/i);
    expect(await ask({ ca: authorityForTest('Stranger').certificatePem })).toMatch(/^UNABLE_TO|^SELF_SIGNED/);
    const refused = await ask({ ca }, { host: 'attacker.example' });
    expect(isAnswer(refused) && [refused.status, JSON.parse(refused.text).code]).toEqual([421, 'host-unknown']);
  });

  test('hangs up plain HTTP on a TLS door, and continues', async () => {
    const { gateway, authority } = await house();
    for (const url of [gateway.url, gateway.engine.bridge!.url]) {
      const plain = new URL('/healthz', url.replace('https', 'http'));
      const failed = await new Promise<string>((resolve) => {
        request(plain, { agent: false }, () => resolve('answered'))
          .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
          .end();
      });
      expect(failed).not.toBe('answered');
    }
    const health = await get(new URL('/healthz', gateway.url), { ca: authority.certificatePem }, {});
    expect(health).toEqual({ status: 200, text: '{"status":"alive"}' });
  });

  test('a stream over TLS with a cookie is for pages that came over TLS themselves', async () => {
    const { gateway, authority } = await house('', '', 'DNS:gateway.test,IP:127.0.0.1');
    const bridge = gateway.engine.bridge!.url;
    const opens = (headers: Record<string, string>): Promise<string> =>
      new Promise((resolve) => {
        const url = `${bridge.replace('https', 'wss')}/trading-api/v1/private-data`;
        const socket = new WebSocket(url, { headers, ca: authority.certificatePem });
        socket.on('open', () => {
          resolve('open');
          socket.close();
        });
        socket.on('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode)));
        socket.on('error', ({ message }) => resolve(message));
      });
    const cookie = `JWT_COOKIE=${TOKEN}`;
    expect(await opens(bearer(TOKEN))).toBe('open');
    expect(await opens({ cookie, origin: bridge })).toBe('open');
    expect(await opens({ cookie, origin: bridge.replace('https', 'http') })).toBe('403');
    expect(await opens({ cookie, origin: 'https://attacker.example' })).toBe('403');
  });

  test('the bridge refuses in the handshake a missing, foreign or expired certificate', async () => {
    const { gateway, authority, clients } = await house(DEMAND, '');
    const ca = authority.certificatePem;
    const at = (pair: SignedPair | null) =>
      get(new URL('/openapi.json', gateway.engine.bridge!.url), { ca, ...(pair ?? {}) }, bearer(TOKEN));
    const ended = clients.signFor('desk', 'clientAuth', 'DNS:desk.test', -1);
    for (const pair of [null, authorityForTest('Stranger').sign('desk'), ended])
      expect(isAnswer(await at(pair))).toBe(false);
    expect(await at(clients.sign('desk'))).toMatchObject({ status: 200 });
    expect(gateway.logged).toContain('warn bridge: a TLS handshake failed');
  });

  test('the admin API answers 403 with the reason without a good certificate, but health to all', async () => {
    const { gateway, authority, clients } = await house('', DEMAND);
    const ca = authority.certificatePem;
    const at = (path: string, pair: SignedPair | null, headers = {}) =>
      get(new URL(path, gateway.url), { ca, ...(pair ?? {}) }, { ...bearer(gateway.token), ...headers });
    const detailAt = async (path: string, pair: SignedPair | null): Promise<unknown[]> => {
      const answer = await at(path, pair);
      return isAnswer(answer) ? [answer.status, String(JSON.parse(answer.text).detail).split('. ')[0]] : [answer];
    };
    const refused = 'A client certificate is demanded, and';
    const unsigned = "the client's certificate is refused: it is signed by no authority trusted here";
    expect(await detailAt('/api/overview', null)).toEqual([403, `${refused} the client shows no certificate`]);
    const stranger = authorityForTest('Stranger').sign('ops');
    expect(await detailAt('/api/overview', stranger)).toEqual([403, expect.stringContaining(`${refused} ${unsigned}`)]);
    const ended = clients.signFor('ops', 'clientAuth', 'DNS:ops.test', -1);
    expect(await detailAt('/api/overview', ended)).toEqual([403, expect.stringContaining('it has ended')]);
    for (const path of ['/', '/metrics', '/console/main.js', '/nothing'])
      expect([path, (await detailAt(path, null))[0]]).toEqual([path, 403]);
    for (const path of ['/healthz', '/readyz?partly']) expect(await at(path, null)).toMatchObject({ status: 200 });
    const good = clients.sign('ops');
    expect(await at('/api/overview', good)).toMatchObject({ status: 200 });
    expect(await at('/api/overview', good, bearer('wrong'))).toMatchObject({ status: 401 });
    expect(await at('/api/overview', good, { host: 'attacker.example' })).toMatchObject({ status: 421 });
  });

  test('a command knows the gateway by its note, and shows its own certificate by option', {}, async () => {
    const { gateway, authority, clients, write } = await house('', DEMAND);
    const file = (name: string): string => join(gateway.stateDirectory, name);
    writePair(write, 'ops', clients.sign('ops'));
    const own = ['--client-certificate', file('ops.crt'), '--client-key', file('ops.key')];
    expect(await command(gateway, ...own)).toEqual({ code: 0, text: expect.stringContaining('OMS') });
    const without = await command(gateway);
    expect(without).toEqual({ code: 1, text: expect.stringContaining('the client shows no certificate') });
    write('stranger.crt', authorityForTest('Stranger').certificatePem);
    const { code, text } = await command(gateway, ...own, '--authority', file('stranger.crt'));
    expect([code, text]).toEqual([1, expect.stringContaining('is signed by no authority trusted here')]);
    expect(text).toContain('`admin.tls.authority`');

    // Renewed while it runs: by the same authority, and then by another one that is trusted from then on.
    const apply = async (): Promise<unknown> => {
      const good = clients.sign('ops');
      const headers = bearer(gateway.token);
      return await new Promise((resolve, reject) => {
        const url = new URL('/api/configuration/apply', gateway.url);
        secureRequest(
          url,
          { method: 'POST', headers, rejectUnauthorized: false, agent: false, ...good },
          (response) => {
            let body = '';
            response.setEncoding('utf8').on('data', (chunk: string) => {
              body += chunk;
            });
            response.on('end', () => resolve(JSON.parse(body).renewed));
          },
        )
          .on('error', reject)
          .end();
      });
    };
    const another = authorityForTest('Next');
    writePair(write, 'admin', another.signFor('next', 'serverAuth', 'DNS:next.test'));
    write('servers.crt', another.certificatePem);
    writePair(write, 'bridge', authority.signFor('bridge-2', 'serverAuth', 'DNS:gateway.test'));
    expect(await apply()).toEqual([
      expect.stringMatching(
        /^bridge shows what is in file:bridge\.crt and file:bridge\.key now, its certificate ends on/,
      ),
      expect.stringMatching(
        /^admin API shows what is in file:admin\.crt and file:admin\.key now, its certificate ends/,
      ),
    ]);
    expect([await shown(gateway.url), await shown(gateway.engine.bridge!.url)]).toEqual(['next', 'bridge-2']);
    await expect.poll(() => readFileSync(file('admin.json'), 'utf8')).toContain('next.test');
    expect(await command(gateway, ...own)).toMatchObject({ code: 0 });
    expect(await apply()).toEqual([]);
  });

  test('a command sends its token to no gateway with an expired certificate', async () => {
    const authority = authorityForTest('Servers');
    const text = configured(pairOf('admin', ', authority: "file:servers.crt"'), pairOf('bridge'));
    const gateway = await runningGateway({ 'gateway.yaml': text }, {}, (path) => {
      mkdirSync(join(path, 'state'));
      const write = (name: string, content: string) =>
        writeFileSync(join(path, 'state', name), content, { mode: 0o600 });
      for (const name of ['admin', 'bridge'])
        writePair(write, name, authority.signFor(name, 'serverAuth', 'DNS:gateway.test', -1));
      write('servers.crt', authority.certificatePem);
      write('desk.token', TOKEN);
    });
    expect(await command(gateway)).toEqual({ code: 1, text: expect.stringMatching(/certificate .* has ended: renew/) });
    const alarms = gateway.engine.administration.alarms(10).map(({ text: said }) => said);
    expect(alarms).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^the certificate file:bridge\.crt of bridge ended on/),
        expect.stringMatching(/^the certificate file:admin\.crt of admin API ended on/),
      ]),
    );
  });
});

test('a self-signed pair is made at the first start beside the simulated exchange, and a command trusts it', {}, async () => {
  const text = configured(pairOf('admin', ', selfSigned: true'), pairOf('bridge', ', selfSigned: true'));
  const gateway = await runningGateway({ 'gateway.yaml': text.replace('file:desk.token', 'file:secrets/desk.token') });
  expect(await command(gateway)).toEqual({ code: 0, text: expect.stringContaining('OMS') });
});

test('check warns of bridge and admin API beyond loopback without TLS, and of certificates that end', async () => {
  const open = GATEWAY.replace('admin: { port: 0 }', 'admin: { port: 0, host: 0.0.0.0 }');
  const bridge = BRIDGE('x').replace('  tls: x\n', '  host: 0.0.0.0\n');
  const load = (text: string) => configurationFolder({ 'gateway.yaml': text, 'OMS.yaml': sessionFile('OMS') }).load();
  const warned = load(`${open}${bridge}`).warnings.map(({ key, problem }) => `${key}: ${problem}`);
  const clear = 'without TLS on an address that others can reach: tokens travel in the clear';
  expect(warned).toEqual(
    expect.arrayContaining([`admin.host: admin API and console ${clear}`, `bridge.host: the bridge ${clear}`]),
  );
  const withTls = configured(pairOf('d'), pairOf('d'))
    .replace('admin: { port: 0', 'admin: { port: 0, host: 0.0.0.0')
    .replace('  tls:', '  host: 0.0.0.0\n  tls:');
  expect(load(withTls).warnings.filter(({ problem }) => problem.includes('in the clear'))).toEqual([]);
  const secure = configured(pairOf('admin'), pairOf('bridge', ', ciphers: nothing'));
  expect(inShort(load(secure))).toEqual(
    expect.arrayContaining([expect.stringContaining('bridge.tls.ciphers: OpenSSL knows no cipher suite among them')]),
  );
  const folder = configurationFolder({
    'gateway.yaml': configured(pairOf('d'), pairOf('d')),
    'OMS.yaml': sessionFile('OMS'),
  });
  const { createSelfSignedCertificate } = await import('../../../src/transport/mod.ts');
  const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'd.test', validDays: 10 });
  folder.write('state/d.crt', certificatePem);
  folder.write('state/d.key', keyPem);
  folder.write('state/desk.token', TOKEN);
  const found = certificateWarnings(folder.load(), Date.now() + 8 * DAY_MS).map(({ file }) => file);
  expect(found).toEqual(['bridge', 'admin API']);
});
