// A newcomer's way: starts the gateway with everything embedded, runs the demo as a command, connects over TLS, stops
// it with Ctrl-C. One gateway with the sample configuration, only its ports changed.

import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Oms } from '../../src/interop/mod.ts';
import { type MessageView, Tag } from '../../src/wire/mod.ts';
import { reconnect, report } from '../support/network/fix-connection.ts';
import { stockDictionary } from '../support/oms/quickfix.ts';
import { ACCOUNT, ACME, limitOrder } from '../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let home: GatewayHome;
let gateway: GatewayProcess;

beforeAll(async () => {
  home = await GatewayHome.create();
  // Quick auctions, for a short test.
  await home.configure('gateway.yaml', {
    'simulator.auctions': { coolingMs: 1_000, accumulationMs: 3_000, lockdownMs: 1_000 },
  });
  gateway = await home.start(null, { CROSSGATE_SIMULATOR_EMBEDED: 'false' });
});
afterAll(async () => await home?.remove());

async function runDemo(): Promise<string[]> {
  const demo = new LineProcess(
    process.execPath,
    [
      ...['src/cli/main.ts', 'demo', '--port', String(gateway.fixPort), '--exchange', gateway.exchangeUrl],
      ...['--password-file', join(home.secrets, 'ACME_OMS.password')],
    ],
    { cwd: ROOT },
  );
  const end = await demo.ended();
  expect(demo.lines.filter((line) => line.startsWith('missing:')).join('\n')).toBe('');
  expect(end).toBe(0);
  return demo.lines;
}

test('reports an unknown variable at the start', () => {
  const told = gateway.process.lines.find((line) => line.includes('CROSSGATE_SIMULATOR_EMBEDED'));
  expect(JSON.parse(told ?? '{}')).toMatchObject({
    level: 'warn',
    file: 'environment CROSSGATE_SIMULATOR_EMBEDED',
    text: 'allowed, but look at it: this variable means nothing to Crossgate; did you mean CROSSGATE_SIMULATOR_EMBEDDED?',
  });
});

test('npm run demo ends with exit code 0 and a table without a NO', async () => {
  const lines = await runDemo();
  expect(lines.filter((line) => /OMS -> XG .*NewOrderSingle/.test(line)).length).toBe(5);
  expect(lines.filter((line) => / {2}yes$/.test(line)).length).toBe(11);
  expect(lines.join('\n')).not.toContain(await home.password());
}, 180_000);

test('S2 a second demo repeats nothing of the first: its OMS had proven receipt', async () => {
  expect((await runDemo()).filter((line) => line.includes('PossResend'))).toEqual([]);
}, 180_000);

test('exchange check lists the signatures that the venue accepts, the configured one among them', async () => {
  const check = async (): Promise<[number | string, string[]]> => {
    const args = ['src/cli/main.ts', 'exchange', 'check', '--sessions', home.sessions, '--url', gateway.exchangeUrl];
    const child = new LineProcess(process.execPath, args, { cwd: ROOT, env: { CROSSGATE_STATE: home.state } });
    return [await child.ended(), child.lines];
  };
  const [end, lines] = await check();
  expect([end, lines.at(-1)]).toEqual([0, 'gateway.yaml has dialect v2, prehash hexdigest, which is accepted.']);
  expect(lines).toContain('no    dialect v2, prehash none: The signature does not verify');
  await home.configure('gateway.yaml', { 'exchange.prehash': 'none' });
  try {
    const [refused, words] = await check();
    expect([refused, words.at(-1)]).toEqual([1, expect.stringMatching(/prehash none, which is not: every command/)]);
  } finally {
    await home.configure('gateway.yaml', { 'exchange.prehash': 'hexdigest' });
  }
});

test('an OMS trades over TLS', async () => {
  const ca = await readFile(join(home.secrets, 'fix-tls.crt'), 'utf8');
  const oms = await Oms.logon({
    ...ACME,
    host: '127.0.0.1',
    port: gateway.tlsPort!,
    tls: { ca, servername: 'localhost' },
    password: await home.password(),
    resetSeqNumFlag: true,
    // A path to a stock dictionary, as a customer would have it.
    dictionary: stockDictionary(),
  });
  const order = { clOrdID: `tls-${process.pid}`, account: ACCOUNT, symbol: 'BTCUSDC', side: '1', ordType: '2' };
  oms.newOrderSingle({ ...order, orderQty: '0.01', price: '60500', timeInForce: '3' });
  await oms.waitFor('the fill', report(order.clOrdID, 'F', '2'), 10_000);
  expect(await oms.logout()).toBe(true);
});

test('Ctrl-C logs every session out and exits 0; the output has no secret', async () => {
  const password = await home.password();
  const { connection: fix } = await reconnect(gateway.fixPort, ACME, { password });
  fix.send(limitOrder('bye-1', '0.01', '50000'));
  await fix.expect('New', report('bye-1', '0', '0'));
  const ended = gateway.interrupt();
  await fix.expect('Canceled', (view: MessageView) => view.string(Tag.OrdStatus) === '4');
  await fix.expect('the Logout', (view) => view.msgType === '5');
  fix.send('35=5');
  expect(await ended).toBe(0);
  await fix.expectClosed();
  const printed = gateway.process.lines.join('\n');
  expect(printed).not.toContain(password);
  expect(printed).not.toMatch(/PRIVATE KEY|eyJ[A-Za-z0-9_-]{20,}/);
});

test('the demo beside no gateway says that there is none, and how to start it', async () => {
  const args = ['src/cli/main.ts', 'demo', '--exchange', gateway.exchangeUrl];
  const demo = new LineProcess(
    process.execPath,
    [...args, '--password-file', join(home.secrets, 'ACME_OMS.password')],
    { cwd: ROOT },
  );
  expect(await demo.ended()).toBe(1);
  expect(demo.lines.at(-2)).toMatch(/^missing: GET .*: fetch failed \(ECONNREFUSED\)$/);
  expect(demo.lines.at(-1)).toMatch(/^missing: a gateway: start the gateway first/);
});

test('a start without the exchange says that it is not ready for orders, and that it goes on trying', async () => {
  const apart = await GatewayHome.create();
  try {
    await apart.writePasswords('open sesame');
    await apart.configure('gateway.yaml', { 'fix.listen.1': undefined });
    await copyFile(join(home.secrets, 'demo-ecdsa.json'), join(apart.secrets, 'demo-ecdsa.json'));
    const alone = await apart.start(gateway.exchangeUrl);
    expect(alone.process.lines).toContain('Crossgate runs, and is not ready for orders yet.');
    expect(await alone.process.line(/^ {2}but: the exchange login primary is not up/)).toMatch(
      /tried again by itself$/,
    );
  } finally {
    await apart.remove();
  }
});

test('O12 a start with a kill switch on says so: that it is ready for orders would be half of the truth', async () => {
  const before = await home.start(null);
  const args = ['src/cli/main.ts', 'kill-switch', 'throw', '--state', home.state];
  const thrown = new LineProcess(process.execPath, [...args, '--account', ACCOUNT, '--why', 'wrong prices'], {
    cwd: ROOT,
  });
  expect(await thrown.ended()).toBe(0);
  expect(before.process.lines.join('\n')).not.toMatch(/but: the kill switch/);
  expect(await before.interrupt()).toBe(0);
  const after = await home.start(null);
  expect(await after.process.line(/^ {2}but: the kill switch/)).toMatch(
    new RegExp(`^ {2}but: the kill switch of account ${ACCOUNT} is on \\(.* \\(shared token\\): wrong prices\\)`),
  );
});

test('the simulated exchange runs as a process of its own just as well', async () => {
  const apart = await GatewayHome.create();
  await apart.writePasswords('open sesame');
  await apart.configure('gateway.yaml', { 'fix.listen.1': undefined });
  const sim = new LineProcess(
    process.execPath,
    ['src/cli/main.ts', 'sim', '--port', '0', '--keys', apart.secrets, '--json'],
    {
      cwd: ROOT,
    },
  );
  try {
    const { url } = JSON.parse(await sim.line(/^\{"url"/)) as { url: string };
    const atExchange = await apart.start(url);
    expect(atExchange.exchangeUrl).toBe(url);
    const { connection, answer } = await reconnect(atExchange.fixPort, ACME, { password: 'open sesame' });
    expect(answer.msgType).toBe('A');
    connection.send('35=5');
    await connection.expect('the Logout', (view) => view.msgType === '5');
    connection.destroy();
    expect(await atExchange.interrupt()).toBe(0);
  } finally {
    await apart.remove();
    await sim.kill();
  }
});

test('a gateway with first lines lost to a full disk exits 0 when stopped', async () => {
  const child = new LineProcess('sh', ['-c', 'exec "$0" src/cli/main.ts start > /dev/full', process.execPath], {
    cwd: ROOT,
    env: { ...onFreePorts(), CROSSGATE_STATE: join(home.folder, 'full') },
  });
  await child.line(/the output cannot be written: ENOSPC/);
  child.signal('SIGTERM');
  expect(await child.ended()).toBe(0);
});

const onFreePorts = (): Record<string, string> => ({
  CROSSGATE_SESSIONS: home.sessions,
  CROSSGATE_SIMULATOR_PORT: '0',
  CROSSGATE_FIX_PORT: '0',
  CROSSGATE_FIX_TLS_PORT: '0',
  CROSSGATE_ADMIN_PORT: '0',
  CROSSGATE_BRIDGE_PORT: '0',
});

async function refusedStart(variables: Readonly<Record<string, string>>): Promise<[number | string, string]> {
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'start', '--log-level', 'error'], {
    cwd: ROOT,
    env: {
      ...onFreePorts(),
      CROSSGATE_STATE: join(home.folder, 'another'),
      ...variables,
    },
  });
  return [await child.ended(), child.lines.at(-1) ?? ''];
}

test('a start on a port that is taken, or without a folder to write to, says where that is set', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  try {
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const [code, words] = await refusedStart({ CROSSGATE_FIX_PORT: String(port) });
    expect([code, words]).toEqual([
      1,
      expect.stringContaining(`127.0.0.1:${port}: the port is in use by another process`),
    ]);
    expect(words).toMatch(
      /; ports are set by `fix\.listen\[\]\.port`, .* or by CROSSGATE_…_PORT \(0: a free one\) \[XG_LISTEN_FAILED\]$/,
    );
  } finally {
    taken.close();
  }
  const file = join(home.folder, 'no-folder');
  await writeFile(file, '');
  const [code, words] = await refusedStart({ CROSSGATE_STATE: join(file, 'state') });
  expect(code).toBe(1);
  expect(words).toMatch(
    /^crossgate: the state folder cannot be made: ENOTDIR.*; the folder is set by `state` in gateway\.yaml/,
  );
  const state = join(home.folder, 'no-journal');
  await mkdir(state);
  await writeFile(join(state, 'journal'), '');
  const refused = await refusedStart({ CROSSGATE_STATE: state });
  expect(refused).toEqual([
    1,
    expect.stringMatching(/^crossgate: the journal .* cannot be written: EEXIST.*; the folder is set by `state`/),
  ]);
});

test('C1 a start that cannot have the port of its admin API ends before a counterparty is let in', async () => {
  const [fix, admin] = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
  try {
    await Promise.all([once(fix, 'listening'), once(admin, 'listening')]);
    const [fixPort, adminPort] = [fix, admin].map((server) => String((server.address() as AddressInfo).port));
    // The listeners for FIX cannot be opened either: which of the two is said is the one that came first.
    const refused = await refusedStart({ CROSSGATE_FIX_PORT: fixPort!, CROSSGATE_ADMIN_PORT: adminPort! });
    const text = `the admin API cannot listen on 127.0.0.1:${adminPort}: the port is in use by another process; ports`;
    expect(refused).toEqual([1, expect.stringContaining(text)]);
  } finally {
    fix.close();
    admin.close();
  }
});

test('a signal during the start ends it at once, also where it is the first process of a container', async () => {
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'start'], {
    cwd: ROOT,
    env: {
      CROSSGATE_SESSIONS: home.sessions,
      CROSSGATE_STATE: join(home.folder, 'another'),
      CROSSGATE_STRANGE: 'named in a warning',
    },
  });
  await child.line(/CROSSGATE_STRANGE/);
  // By a handler of ours: a process that ends by the signal itself would not, as the first one of a container.
  expect(await child.kill('SIGTERM')).toBe(143);
});
