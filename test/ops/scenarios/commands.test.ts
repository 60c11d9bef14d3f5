// The commands that operations uses, as processes of their own against a running gateway: tables, JSON, exit codes.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { markOfThisProcess } from '../../../src/store/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { configurationFolder, GATEWAY as OF_FOLDER } from '../configuration-folder.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from '../running-gateway.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The health question within a container, as arguments of node. */
function healthCheck(): string[] {
  const [, check] = /HEALTHCHECK[^[]*(\[.*\])/.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))!;
  const [program, ...args] = JSON.parse(check!) as string[];
  expect(program).toBe('node');
  return args;
}

/** Run the command line; never rejects. */
function crossgate(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test('sessions and orders are shown as tables and as JSON, and steered', async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  fix.send(`35=D|11=k-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');

  const table = (await crossgate('sessions', 'list', ...state)).out.trimEnd().split('\n');
  expect(table).toHaveLength(2);
  expect(table[1]).toMatch(/^OMS {3,}loggedOn .* FIX\.4\.4:GATE->OMS$/);
  expect(table[1]!.indexOf('loggedOn')).toBe(table[0]!.indexOf('STATE'));
  const json = JSON.parse((await crossgate('sessions', 'list', '--json', ...state)).out) as { sessions: unknown[] };
  expect(json.sessions).toMatchObject([{ name: 'OMS', openOrders: 1 }]);

  const one = await crossgate('orders', 'find', '--cl-ord-id', 'k-1', ...state);
  expect([one.code, one.err]).toEqual([0, '']);
  expect(one.out).toMatch(/report New \(150=0\)/);
  expect(one.out).toMatch(/^status +New$/m);
  expect(await crossgate('orders', 'find', '--status', 'filled', ...state)).toMatchObject({
    code: 1,
    out: 'No order matches.\n',
  });
  // As sessions are listed.
  expect((await crossgate('orders', 'list', '--open', ...state)).out).toBe(one.out);
  expect(await crossgate('orders', 'find', '--limit', 'all', ...state)).toMatchObject({ code: 2, out: '' });
  const many = await crossgate('sessions', 'show', 'OMS', '--messages', '201', ...state);
  expect([many.code, many.err]).toEqual([2, expect.stringContaining('a whole number from 0 to 200')]);
  for (const action of ['logout', 'disable', 'enable']) {
    const unsaid = await crossgate('sessions', action, 'OMS', ...state);
    expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining("'--why <text>' not specified")]);
  }
  const unknown = await crossgate('sessions', 'logout', 'NOBODY', '--why', 'a drill', ...state);
  expect([unknown.code, unknown.out]).toEqual([1, '']);
  expect(unknown.err).toContain('[XG_ADMIN_REFUSED]');
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}cancelOnDisconnect: { on: off }\n`);
  const worthALook = await crossgate('config', 'apply', ...state);
  expect([worthALook.code, worthALook.out]).toEqual([0, expect.stringMatching(/OMS changed: /)]);
  expect(worthALook.err).toMatch(/^Allowed, but look at it:\n.*OMS\.yaml:\d+:\d+ {2}cancelOnDisconnect\.on = off\n/);
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', 'much'));
  const refused = await crossgate('config', 'apply', ...state);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/OMS\.yaml:6:\d+ {2}limits\.orderQtyMax = much/);
});

test('shows a stop order with its kind and trigger price', async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  fix.send(`35=D|11=k-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=4|44=70000|99=69000|59=1|60=20260105-12:00:00.000`);
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  const { out } = await crossgate('orders', 'find', '--open', '--state', gateway.stateDirectory);
  expect(out).toMatch(/^order {8}Buy 0\.01 BTCUSDC at 70000\nkind {9}Stop limit GTC$/m);
  expect(out).toMatch(/^StopPx\(99\) {3}69000$/m);
});

test("sessions reset --now resets within the open session, and reports the counterparty's answer", {}, async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  const answered = crossgate('sessions', 'reset', 'OMS', '--now', '--why', 'agreed by phone', ...state);
  const request = await fix.expect('the TestRequest', ({ msgType }) => msgType === '1');
  fix.send(`35=0|112=${request.string(Tag.TestReqID)}`);
  await fix.expect('our Logon', () => fix.received.filter(({ msgType }) => msgType === 'A').length === 2);
  const logon = fix.received.at(-1)!;
  expect([logon.boolean(Tag.ResetSeqNumFlag), logon.int(Tag.MsgSeqNum)]).toEqual([true, 1]);
  fix.nextSenderMsgSeqNum = 1;
  fix.send('35=A|98=0|108=30|141=Y');
  expect(await answered).toMatchObject({ code: 0, out: expect.stringContaining('began at 1 again') });
  fix.send('35=1|112=still there');
  const beat = await fix.expect('its answer', (view) => view.string(Tag.TestReqID) === 'still there');
  expect(beat.int(Tag.MsgSeqNum)).toBe(2);
  const shown = await gateway.ask('/api/sessions/OMS');
  expect(shown.body).toMatchObject({ status: { numbers: { nextTargetMsgSeqNum: 3 }, reset: null } });

  const refused = crossgate('sessions', 'reset', 'OMS', '--now', '--sender', '7', '--why', 'both', ...state);
  expect((await refused).code).toBe(2);
  fix.destroy();
});

test('separates wrong usage from a refusal by its exit code', async () => {
  const { code, err } = await crossgate('sessions', 'reset', 'OMS');
  expect([code, err]).toEqual([2, expect.stringContaining('--why')]);
  const unknown = await crossgate('exchange', 'check', '--credential', 'nobody', '--sessions', 'sessions');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('[XG_NOT_FOUND]')]);
  const url = await crossgate('exchange', 'check', '--url', 'localhost:8480');
  expect([url.code, url.err]).toEqual([2, expect.stringContaining('--url localhost:8480: write http://host:port')]);
  const port = await crossgate('sim', '--port', '70000');
  expect([port.code, port.err]).toEqual([2, expect.stringContaining('--port takes a whole number from 0 to 65535')]);
  expect((await crossgate('sessions', '--help')).code).toBe(0);
  const version = await crossgate('--version');
  expect([version.code, version.out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+ \(Node 24\./)]);
  // Behind a command it is that command's.
  const shown = await crossgate('dictionary', 'show', 'D', '--version', 'FIX.5.0SP1');
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('NewOrderSingle (35=D)')]);
});

test('reports system refusals as no bug; lost output is reported, a closed pipe is no failure', async () => {
  const { path } = configurationFolder();
  writeFileSync(join(path, 'file'), '');
  const nowhere = await crossgate('sessions', 'secret', 'OMS', '--folder', join(path, 'file', 'below'));
  expect([nowhere.code, nowhere.out]).toEqual([1, '']);
  expect(nowhere.err).toMatch(/^crossgate: the secret file .*below\/OMS\.password cannot be created: ENOTDIR/);
  const shell = (line: string) => spawnSync('bash', ['-o', 'pipefail', '-c', line], { cwd: ROOT, encoding: 'utf8' });
  const full = shell(`${process.execPath} src/cli/main.ts dictionary show > /dev/full`);
  expect([full.status, full.stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOSPC')]);
  expect(shell(`${process.execPath} src/cli/main.ts dictionary show --json | head -1`)).toMatchObject({
    status: 0,
    stdout: '[\n',
    stderr: '',
  });
});

test('a command that meets another server at the address of a gateway that was killed says so', async () => {
  const { path, write } = configurationFolder();
  const server = createServer((_request, response) => response.end('<html>somebody else</html>')).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  write('state/admin.json', JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  write('state/secrets/admin.token', 'x'.repeat(43));
  const { code, err } = await crossgate('sessions', 'list', '--state', join(path, 'state'));
  expect([code, err]).toEqual([
    1,
    `crossgate: what answers at http://127.0.0.1:${port} is no gateway [XG_ADMIN_UNREACHABLE]\n`,
  ]);
  // One ending in the middle of its answer looks like a gateway.
  server.removeAllListeners('request').on('request', (_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"sessions":', () => response.destroy());
  });
  const cut = await crossgate('sessions', 'list', '--state', join(path, 'state'));
  expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('the gateway does not answer at')]);
});

test('sends no token to a stranger on the port of a killed gateway', async () => {
  const { path, write } = configurationFolder();
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.end('{"sessions":[]}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const killed = spawn(process.execPath, ['-e', '']);
  await once(killed, 'exit');
  const mark = markOfThisProcess();
  write('state/secrets/admin.token', 'x'.repeat(43));
  const list = (owner: string) => {
    write('state/admin.json', JSON.stringify({ url, process: owner }));
    return crossgate('sessions', 'list', '--state', join(path, 'state'));
  };
  const { code, err } = await list(mark.replace(/^\d+/, String(killed.pid)));
  expect([code, err]).toEqual([
    1,
    `crossgate: the gateway at ${url} was killed: start it again [XG_ADMIN_UNREACHABLE]\n`,
  ]);
  expect(asked).toEqual([]);
  // Another container's or host's process id means nothing here.
  for (const owner of [mark, mark.replace(/^\d+ (\S+) \S+$/, `${killed.pid} $1 elsewhere/1`)]) {
    expect((await list(owner)).code).toBe(0);
  }
  expect(asked).toHaveLength(2);
});

test('commands report a gateway without an admin API, and its container is healthy', async () => {
  const off = { 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }', 'admin: { enabled: false }') };
  const { stateDirectory: state } = await runningGateway(off, {}, (path) => {
    mkdirSync(join(path, 'state', 'secrets'), { recursive: true });
    writeFileSync(join(path, 'state', 'secrets', 'admin.token'), 'of before');
    // Of one with an admin API, killed.
    writeFileSync(join(path, 'state', 'admin.json'), '{"url":"http://127.0.0.1:1"}');
  });
  const { code, err } = await crossgate('sessions', 'list', '--state', state);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^crossgate: the gateway takes no commands, its admin API is off/),
  ]);
  expect(err).toContain('admin.enabled: true');
  const health = (folder: string): number | null =>
    spawnSync(process.execPath, healthCheck(), { env: { ...process.env, CROSSGATE_STATE: folder } }).status;
  expect([health(state), health(join(state, 'none'))]).toEqual([0, 1]);
});

test('X5 commands give no token to an environment proxy, and ask the gateway directly', async () => {
  const gateway = await runningGateway();
  const asked: string[] = [];
  const proxy = createServer((request, response) => response.end(asked.push(`${request.method} ${request.url}`)));
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address };
  const options = { cwd: ROOT, env: { ...env, CROSSGATE_STATE: gateway.stateDirectory, NO_PROXY: '', no_proxy: '' } };
  const list = ['src/cli/main.ts', 'sessions', 'list', '--state', gateway.stateDirectory];
  const health = healthCheck();
  for (const args of [list, health]) {
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout).toContain(args === list ? 'OMS' : '');
  }
  expect(asked).toEqual([]);
});

test('a command without read permission says so, not that there is none', async () => {
  const { path, write } = configurationFolder();
  const state = join(path, 'state');
  write('state/secrets/none', '');
  // These are unreadable even for the superuser, who ignores modes.
  for (const name of ['admin.json', 'journal', 'secrets/admin.token'])
    symlinkSync(join(state, name), join(state, name));
  const shown = await crossgate('store', 'show', '--state', state);
  expect([shown.code, shown.err]).toEqual([1, expect.stringContaining('[ELOOP]')]);
  const listed = await crossgate('sessions', 'list', '--state', state);
  expect([listed.code, listed.err]).toEqual([1, expect.stringMatching(/admin\.json cannot be read: ELOOP/)]);
  rmSync(join(state, 'admin.json'));
  write('state/admin.json', '{"url":"http://127.0.0.1:1"}');
  expect((await crossgate('sessions', 'list', '--state', state)).err).toMatch(/admin\.token: ELOOP/);
});

test("log shows a stranger's non-FIX input without visible secrets", {}, async () => {
  const gateway = await runningGateway();
  const stranger = connect(gateway.engine.addresses[0]!.port, '127.0.0.1');
  stranger.end('GET /?token=hunter2 HTTP/1.1\r\nAuthorization: Bearer hunter3\r\n\r\n');
  await once(stranger.resume(), 'close');
  for (const form of [[], ['--raw'], ['--json']]) {
    const { code, out } = await crossgate('log', '--state', gateway.stateDirectory, ...form);
    expect(code).toBe(0);
    expect(out).toContain('GET /?token=[redacted] HTTP/1.1');
    expect(out).not.toContain('hunter');
  }
});

test('names an unusable token file and its fault', async () => {
  const gateway = await runningGateway();
  const file = join(gateway.stateDirectory, 'own.token');
  const list = async (token: string): Promise<string> => {
    writeFileSync(file, token);
    const { code, out, err } = await crossgate(
      ...['sessions', 'list', '--state', gateway.stateDirectory, '--token-file', file],
    );
    expect([code, out]).toEqual([1, '']);
    return err;
  };
  for (const token of ['', 'two\nlines', 'tökén'.repeat(5)])
    expect(await list(token)).toContain(`${file} holds no token`);
  expect(await list('of-nobody-who-is-known-here')).toContain(`does not know the token in ${file}`);
});

test('a command for a gateway that does not run says so', async () => {
  const { code, err } = await crossgate('sessions', 'list', '--state', '/nonexistent');
  expect(code).toBe(1);
  expect(err).toContain('no gateway is running');
  expect(err).toContain('[XG_ADMIN_UNREACHABLE]');
});

test('commands that need a started gateway say so, with the alternative', async () => {
  const { path, write } = configurationFolder();
  write('sessions/gateway.yaml', OF_FOLDER.replace('state: state', `state: ${join(path, 'state')}`));
  const sessions = ['--sessions', join(path, 'sessions')];
  for (const command of [
    ['exchange', 'check'],
    ['cancel-all', '--account', '111'],
  ]) {
    const { code, err } = await crossgate(...command, ...sessions);
    expect([code, err]).toEqual([1, expect.stringContaining('the first start of the gateway makes it')]);
  }
  const log = await crossgate('log', '--state', join(path, 'state'));
  expect([log.code, log.err]).toEqual([
    2,
    expect.stringContaining(`there is no journal in ${join(path, 'state')}: name a state directory of the gateway`),
  ]);
});
