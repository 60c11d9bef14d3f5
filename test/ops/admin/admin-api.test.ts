// The admin API of a running gateway: who may enter, what is shown, what is done, and that it is audited.

import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import { VERSION } from '../../../src/cli/options/version.ts';
import { writeAdminAddress } from '../../../src/ops/admin/admin-access.ts';
import { startAdmin } from '../../../src/ops/admin/admin-api.ts';
import { CALLER_HEADER, callerHeader } from '../../../src/ops/admin/parent-caller.ts';
import { Tag } from '../../../src/wire/mod.ts';
import type { FixConnection } from '../../support/network/fix-connection.ts';
import { freePort } from '../../support/network/free-port.ts';
import { configurationFolder, secretText } from '../configuration-folder.ts';
import { ACCOUNT, eventually, GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const order = (clOrdID: string, fields = '54=1|38=0.01|40=2|44=50000|59=1'): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|${fields}|60=20260105-12:00:00.000`;

async function audited(gateway: RunningGateway): Promise<string[]> {
  await gateway.engine.commits.idle();
  const found: string[] = [];
  for await (const { record } of gateway.engine.journal.entries()) {
    if (record.kind === 'audit') found.push(`${record.who}: ${record.action} ${record.detail}`);
  }
  return found;
}

async function newReport(fix: FixConnection, clOrdID: string): Promise<void> {
  await fix.expect('New', (view) => view.string(Tag.ClOrdID) === clOrdID && view.string(Tag.ExecType) === '0');
}

describe('access', () => {
  test('the state folder and everything in it is for its owner only', async () => {
    const { stateDirectory } = await runningGateway();
    const open = readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
      .map((entry) => ({ path: join(entry.parentPath, entry.name), isPublic: entry.name === 'admin.json' }))
      .concat({ path: stateDirectory, isPublic: false })
      .filter(({ path, isPublic }) => !isPublic && (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test('a request without the token, with a wrong one, or with the token in its address is refused', async () => {
    const { url, token, ask } = await runningGateway();
    const status = async (path: string, authorization?: string): Promise<number> =>
      (await fetch(new URL(path, url), authorization === undefined ? {} : { headers: { authorization } })).status;
    for (const path of ['/api/sessions', '/api/overview', '/metrics', '/api/orders']) {
      expect(await status(path)).toBe(401);
      expect(await status(path, 'Bearer wrong')).toBe(401);
      expect(await status(path, `Basic ${token}`)).toBe(401);
      expect(await status(`${path}?token=${token}`)).toBe(401);
      expect(await status(path, `Bearer ${token}`)).toBe(200);
    }
    expect((await ask('/api/sessions')).status).toBe(200);
  });

  test('O12 open connections of strangers block neither a kill switch nor a health check', async () => {
    const { url, ask, logged } = await runningGateway();
    const idle: Socket[] = [];
    const { hostname, port } = new URL(url);
    onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
    for (let opened = 0; opened < 150; opened++) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      idle.push(socket);
      await once(socket, 'connect');
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
    const body = { scope: 'all', name: '', why: 'a test' };
    expect((await ask('/api/kill-switches/throw', body)).status).toBe(200);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect(logged).toContain('warn admin API: 100 connections are open: one that rests makes way for each that comes');
  });

  test('O12 answers a complete kill-switch request as thrown before refusing input behind it', async () => {
    const { url, token } = await runningGateway();
    const { hostname, port } = new URL(url);
    const body = JSON.stringify({ scope: 'all', name: '', why: 'a test' });
    const head = `POST /api/kill-switches/throw HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(port), hostname);
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}x`);
    let read = '';
    for await (const chunk of socket) read += chunk;
    const [first, second, ...more] = read.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200 /);
    expect(second).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
    expect(second).toContain('"detail":"This is no HTTP request."');
    expect(more).toEqual([]);
  });

  test("O12 a token holder's open connections never block a kill switch", async () => {
    const { url, token, ask } = await runningGateway();
    const { hostname, port } = new URL(url);
    const left: Socket[] = [];
    onTestFinished(() => left.forEach((socket) => void socket.destroy()));
    for (let opened = 0; opened < 120; opened++) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      left.push(socket);
      socket.write(`GET /api/alarms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      // Those that find no room are ended without an answer.
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    const body = { scope: 'all', name: '', why: 'a test' };
    expect((await ask('/api/kill-switches/throw', body)).status).toBe(200);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  test("gives the gateway's version to callers with a token, also on 404, and to no others", async () => {
    const { url, token } = await runningGateway();
    const told = async (path: string, authorization: string): Promise<string | null> =>
      (await fetch(new URL(path, url), { headers: { authorization } })).headers.get('x-crossgate-version');
    for (const path of ['/api/sessions', '/api/not-there-yet', '/metrics']) {
      expect(await told(path, `Bearer ${token}`)).toBe(VERSION);
      expect(await told(path, 'Bearer wrong')).toBeNull();
      expect(await told(path, '')).toBeNull();
    }
    for (const path of ['/', '/healthz', '/readyz', '/console/main.js']) expect(await told(path, '')).toBeNull();
  });

  test('a request with the token of the parent process counts for the person whom it names', async () => {
    const parentToken = 'a token of this start, made by the parent'.replaceAll(' ', '-');
    const gateway = await runningGateway({}, {}, () => {}, parentToken);
    const as = async (caller: string, token: string, action = 'disable'): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', [CALLER_HEADER]: caller };
      const body = JSON.stringify({ why: 'a test' });
      const path = new URL(`/api/sessions/OMS/${action}`, gateway.url);
      return (await fetch(path, { method: 'POST', headers, body })).status;
    };
    const jörg = { user: 'Jörg', roles: ['operate'] } as const;
    expect(await as(callerHeader({ user: 'Ann', roles: ['look'] }), parentToken)).toBe(403);
    expect(await as('no caller', parentToken)).toBe(403);
    expect(await as(callerHeader(jörg), parentToken)).toBe(200);
    expect(await as(callerHeader(jörg), gateway.token, 'enable')).toBe(200);
    expect(await as(callerHeader(jörg), 'another-token-of-some-length')).toBe(401);
    const lines = (await audited(gateway)).filter((line) => line.includes(' OMS') || line.includes('->OMS'));
    expect(lines.map((line) => line.replace(/:.*/s, ''))).toEqual(['user Jörg', 'shared token']);
  });

  test('the token is made at the first start for its owner only, and no log line holds it', async () => {
    const { stateDirectory, token, logged } = await runningGateway();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(statSync(join(stateDirectory, 'secrets', 'admin.token')).mode & 0o777).toBe(0o600);
    expect(logged.join('\n')).not.toContain(token);
  });
});

test('operators find the admin API under any umask, and none can redirect others', async () => {
  const { path } = configurationFolder();
  const before = process.umask();
  onTestFinished(() => void process.umask(before));
  for (const umask of [0o077, 0o777, 0]) {
    process.umask(umask);
    await writeAdminAddress(path, { url: null, process: null, sharedToken: false }, () => {});
    expect(statSync(join(path, 'admin.json')).mode & 0o777).toBe(0o644);
  }
});

test('a start that cannot say where the admin API listens leaves no port open behind it', async () => {
  const { engine } = await runningGateway();
  const { path } = configurationFolder();
  // The note's first target.
  mkdirSync(join(path, 'admin.json.new'));
  const port = await freePort();
  const own = {
    host: '127.0.0.1',
    port,
    hosts: [],
    tls: null,
    twoPeople: [],
    stateDirectory: path,
    secretsDirectory: path,
    users: [],
    sharedToken: true,
    console: 'actions' as const,
    plots: undefined as never,
    prometheus: null,
    sessionFiles: true,
    hops: undefined as never,
    log: () => {},
  };
  const { administration } = engine;
  const start = startAdmin({
    ...own,
    administration,
    metrics: {} as never,
    process: '',
    version: '1.2.3',
    reloader: {} as never,
    desk: {} as never,
  });
  await expect(start).rejects.toThrow('EISDIR');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test('U5 a stop closes the admin port though a stuck disk keeps the address note', async () => {
  const { engine } = await runningGateway();
  const { path } = configurationFolder();
  const logged: string[] = [];
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    tls: null,
    twoPeople: [],
    stateDirectory: path,
    secretsDirectory: path,
    users: [],
    sharedToken: true,
    console: 'actions' as const,
    plots: undefined as never,
    prometheus: null,
    sessionFiles: true,
    hops: undefined as never,
    log: (level, text) => logged.push(`${level} ${text}`),
    administration: engine.administration,
    metrics: {} as never,
    process: '',
    version: '1.2.3',
    reloader: {} as never,
    desk: {} as never,
  });
  // A folder is no note, and stays: as a file does on a file system that has become read-only.
  rmSync(join(path, 'admin.json'));
  mkdirSync(join(path, 'admin.json'));
  await admin.close();
  await expect(fetch(`${admin.url}/healthz`)).rejects.toThrow();
  expect(logged).toEqual(['warn the note of where the admin API listens cannot be removed']);
});

describe('health and metrics', () => {
  test('readyz says yes, and why not once the gateway is going down', async () => {
    const { url, engine, ask } = await runningGateway();
    const readyz = async (): Promise<unknown[]> => {
      const response = await fetch(new URL('/readyz', url));
      return [response.status, await response.json()];
    };
    await eventually('readiness', async () => (await readyz())[0] === 200);
    expect(await readyz()).toEqual([200, { status: 'ready', reasons: [], notices: [] }]);
    await engine.close();
    const [status, body] = await readyz();
    expect(status).toBe(503);
    expect((body as { reasons: string[] }).reasons).toContain('the gateway is shutting down');
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    // A disk that stands still holds the end up for some seconds.
    for (const path of ['/api/sessions/OMS/disable', '/api/kill-switches/throw', '/api/configuration/apply']) {
      const { status, body } = await ask(
        path,
        path.endsWith('throw') ? { scope: 'all', why: 'drill' } : { why: 'drill' },
      );
      expect([path, status, body.detail]).toEqual([
        path,
        503,
        expect.stringMatching(/is stopping, .*nothing was done/),
      ]);
    }
  });

  test('while one of several exchange logins is down readyz is red and names it; with ?partly it is green', async () => {
    const second = '    - { name: second, key: "file:secrets/demo-hmac.json", tradingAccounts: ["111000000000002"] }\n';
    const gatewayYaml = GATEWAY.replace(', "111000000000002"', '').replace('simulator:', `${second}simulator:`);
    const gateway = await runningGateway({
      'gateway.yaml': gatewayYaml,
      'OMS.yaml': sessionFile('OMS').replace('account: ', 'credential: primary, account: '),
    });
    const asked = async (query: string): Promise<unknown[]> => {
      const response = await fetch(new URL(`/readyz${query}`, gateway.url));
      return [response.status, await response.json()];
    };
    await eventually('readiness', async () => (await asked(''))[0] === 200);
    expect(await asked('?partly')).toEqual([200, { status: 'ready', reasons: [], notices: [] }]);
    const down = { status: 'partly ready', reasons: ['the exchange login second is not up'], notices: [] };
    Object.assign(gateway.engine.links.get('second')!, { up: false });
    expect(await asked('')).toEqual([503, down]);
    expect(await asked('?partly')).toEqual([200, down]);
    Object.assign(gateway.engine.links.get('primary')!, { up: false });
    expect((await asked('?partly'))[0]).toBe(503);
  });

  test('metrics count sessions, messages by type, orders by state, outcomes and commits', async () => {
    const gateway = await runningGateway();
    const fix = await gateway.logOn();
    fix.send(order('m-1'));
    await newReport(fix, 'm-1');
    const response = await fetch(new URL('/metrics', gateway.url), {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    for (const line of [
      'crossgate_ready 1',
      'crossgate_session_up{session="OMS"} 1',
      'crossgate_messages_total{direction="in",msg_type="D"} 1',
      'crossgate_orders{state="new"} 1',
      'crossgate_exchange_command_seconds_count{outcome="accepted"} 1',
      // There before the first one: what begins with 1 has not increased.
      'crossgate_alarms_total{alarm="journal-unhealthy",severity="critical"} 0',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/crossgate_journal_commit_seconds_count\{durability="process"\} [1-9]/);
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
  });
});

test("metrics follow a session's name after a changed CompID, with the orders of both", async () => {
  const file = (compID: string): string => `${sessionFile(compID)}cancelOnDisconnect: { on: "off" }\n`;
  const gateway = await runningGateway({ 'OMS.yaml': file('OMS') });
  const measured = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${gateway.token}` };
    const text = await (await fetch(new URL('/metrics', gateway.url), { headers })).text();
    return text.split('\n').filter((line) => /^crossgate_session_(up|enabled|open_)/.test(line));
  };
  let fix = await gateway.logOn();
  fix.send(order('before-1'));
  await newReport(fix, 'before-1');
  for (const compID of ['ANOTHER', 'OMS']) {
    gateway.folder.write('sessions/OMS.yaml', file(compID));
    await gateway.ask('/api/configuration/apply', {});
    await fix.expect('the Logout', (view) => view.msgType === '5');
    fix.send('35=5');
    await fix.expectClosed();
    fix = await gateway.logOn(compID);
    expect(await measured(), compID).toEqual([
      'crossgate_session_up{session="OMS"} 1',
      'crossgate_session_enabled{session="OMS"} 1',
      'crossgate_session_open_orders{session="OMS"} 1',
    ]);
  }
});

describe('sessions', () => {
  test('J2 says that numbers or a kill switch set without a working journal are lost at exit', async () => {
    const { ask, engine } = await runningGateway();
    const { journal } = engine;
    const calls = { sync: journal.sync, syncNow: journal.syncNow };
    const full = new CrossgateError('XG_JOURNAL_WRITE_FAILED', 'no space left on device');
    journal.sync = () => Promise.reject(full);
    journal.syncNow = () => false;
    const set = { nextTargetMsgSeqNum: 50, why: 'agreed by phone' };
    const unrecorded = /The numbers are set\. But the journal could not record it yet: a gateway that is killed/;
    expect((await ask('/api/sessions/OMS/numbers', set)).body.text).toMatch(unrecorded);
    const thrown = await ask('/api/kill-switches/throw', { scope: 'all', name: '', why: 'a fat finger' });
    expect([thrown.status, thrown.body.text]).toEqual([200, expect.stringContaining('could not record it yet')]);
    Object.assign(journal, calls);
    await eventually('the journal records again', async () => engine.journalHealth.healthy);
    expect((await ask('/api/sessions/OMS/numbers', set)).body.text).toBe('The numbers are set.');
  });

  test('J2 orders that are taken over while the journal cannot record are said to be lost with the process', async () => {
    const { ask, engine } = await runningGateway();
    const { journal } = engine;
    const elsewhere = async (clientOrderId: string): Promise<void> => {
      const order = { type: 'LIMIT', side: 'BUY', price: '50000.0', stopPrice: null, quantity: '0.01' } as const;
      const of = {
        symbol: 'BTCUSDC',
        timeInForce: 'GTC',
        allowBorrow: false,
        isMMP: null,
        tradingAccountId: ACCOUNT,
      } as const;
      const command = { kind: 'createOrder', clientOrderId, ...order, ...of } as const;
      const outcome = await engine.exchangeClients.get('primary')!.submit(`elsewhere-${clientOrderId}`, command);
      expect(outcome.kind).toBe('accepted');
    };
    const adopt = (): ReturnType<typeof ask> =>
      ask('/api/orders/adopt', { session: 'OMS', orderIDs: [], why: 'moved' });
    const calls = { sync: journal.sync, syncNow: journal.syncNow };
    await elsewhere('71');
    journal.sync = () => Promise.reject(new CrossgateError('XG_JOURNAL_WRITE_FAILED', 'no space left on device'));
    journal.syncNow = () => false;
    const lost = await adopt();
    expect([lost.status, lost.body]).toEqual([
      200,
      {
        adopted: [expect.objectContaining({ symbol: 'BTCUSDC' })],
        refused: [],
        more: false,
        text: expect.stringMatching(
          /^But the journal could not record it yet: a gateway that is killed before it can has not done it/,
        ),
      },
    ]);
    Object.assign(journal, calls);
    await eventually('the journal records again', async () => engine.journalHealth.healthy);
    await elsewhere('72');
    const audited = vi.spyOn(engine.administration, 'audit');
    const recorded = await adopt();
    expect(Object.keys(recorded.body)).toEqual(['adopted', 'refused', 'more']);
    // Answered, it is on disk.
    const isThere = async (): Promise<boolean> => {
      for await (const { record } of journal.entries())
        if (record.kind === 'audit' && record.action === 'order adopted' && record.detail.includes(orderID))
          return true;
      return false;
    };
    const { orderID } = (recorded.body.adopted as { orderID: string }[])[0]!;
    expect(await isThere()).toBe(true);
    // Its line of the log has the trace id of the order.
    const { traceId, clOrdID } = engine.gateway.findByOrderID(orderID)!;
    const line = expect.objectContaining({ session: 'FIX.4.4:GATE->OMS', clOrdID, orderID, trace: traceId });
    expect(audited).toHaveBeenCalledWith('pat (shared token)', 'order adopted', expect.stringContaining(orderID), line);
  });

  test('J2 says that a configuration applied without a working journal may miss in the audit trail', async () => {
    const { ask, engine, folder } = await runningGateway();
    const { journal } = engine;
    const calls = { sync: journal.sync, syncNow: journal.syncNow };
    journal.sync = () => Promise.reject(new CrossgateError('XG_JOURNAL_WRITE_FAILED', 'no space left on device'));
    journal.syncNow = () => false;
    const apply = async (orderQtyMax: string): Promise<unknown[]> => {
      folder.write('sessions/OMS.yaml', sessionFile('OMS', orderQtyMax));
      const { status, body } = await ask('/api/configuration/apply', {});
      return [status, body.text];
    };
    const missing = ' But the journal could not record it yet: if the gateway is killed before it can,';
    const taken = 'OMS changed: limits.orderQtyMax.';
    expect(await apply('7')).toEqual([200, expect.stringContaining(`${taken}${missing}`)]);
    expect(await apply('-7')).toEqual([422, expect.stringContaining(missing)]);
    Object.assign(journal, calls);
    await eventually('the journal records again', async () => engine.journalHealth.healthy);
    expect(await apply('8')).toEqual([200, taken]);
  });

  test('are shown with live state, numbers and last messages decoded, the password hidden', async () => {
    const gateway = await runningGateway();
    await gateway.logOn();
    const { body } = await gateway.ask('/api/sessions/OMS');
    expect(body).toMatchObject({ name: 'OMS', sessionId: 'FIX.4.4:GATE->OMS', enabled: true, openOrders: 0 });
    expect(body.status).toMatchObject({
      state: 'loggedOn',
      numbers: { nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 },
    });
    const messages = (await gateway.ask('/api/sessions/OMS/messages')).body.messages as { line: string; raw: string }[];
    expect(messages.map(({ line }) => line.split(' ')[0])).toEqual(['Logon', 'Logon']);
    expect(messages[0]!.line).toContain('Password=***');
    expect(messages[0]!.raw).toMatch(/\|554=\*+\|/);
    expect((await gateway.ask('/api/sessions/OMS/messages?after=2')).body.messages).toEqual([]);
  });

  test('shows sessions as open or closed now, even without connections since a change', async () => {
    const hour = 3_600_000;
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const schedule = `schedule: { windows: [{ from: "${at(-2 * hour)}", to: "${at(2 * hour)}" }] }\n`;
    const { ask, engine } = await runningGateway({ 'OMS.yaml': `${sessionFile('OMS')}${schedule}` });
    const isOpen = async () =>
      ((await ask('/api/sessions/OMS')).body.status as { opening: { open: boolean } }).opening.open;
    expect(await isOpen()).toBe(true);
    Object.assign(engine, { now: () => Date.now() + 3 * hour });
    expect(await isOpen()).toBe(false);
  });

  test('logs out, disables and enables, each audited with operator and reason', async () => {
    const gateway = await runningGateway();
    const fix = await gateway.logOn();
    expect(await gateway.ask('/api/sessions/OMS/disable', { why: 'drill' })).toMatchObject({ status: 200 });
    const logout = await fix.expect('the Logout', (view) => view.msgType === '5');
    expect(logout.string(Tag.Text)).toBe('This session was disabled by an operator');
    fix.send('35=5');
    await fix.expectClosed();
    await eventually('the end of the session', async () => {
      const { status } = (await gateway.ask('/api/sessions/OMS')).body as { status: { state: string } };
      return status.state === 'disconnected';
    });
    await expect(gateway.logOn()).rejects.toThrow('closed');
    expect((await gateway.ask('/api/sessions/OMS/disable', { why: 'again' })).status).toBe(409);
    expect((await gateway.ask('/api/sessions/OMS/enable', { why: 'done' })).status).toBe(200);
    const again = await gateway.logOn();
    expect((await gateway.ask('/api/sessions/OMS/logout', { why: 'see you tomorrow' })).status).toBe(200);
    const tomorrow = await again.expect('the Logout', (view) => view.msgType === '5');
    expect(tomorrow.string(Tag.Text)).toBe('see you tomorrow');
    expect(await audited(gateway)).toEqual([
      'pat (shared token): session disable FIX.4.4:GATE->OMS drill',
      'pat (shared token): session disable refused FIX.4.4:GATE->OMS again',
      'pat (shared token): session enable FIX.4.4:GATE->OMS done',
      'pat (shared token): session logout FIX.4.4:GATE->OMS see you tomorrow',
    ]);
  });

  test('refuses to log out, disable or enable without a reason', async () => {
    const gateway = await runningGateway();
    const fix = await gateway.logOn();
    for (const action of ['logout', 'disable', 'enable']) {
      for (const body of [{}, { why: ' ' }]) {
        const answer = await gateway.ask(`/api/sessions/OMS/${action}`, body);
        expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Say why') } });
      }
    }
    fix.send('35=1|112=still-here');
    await fix.expect('the Heartbeat', (view) => view.string(Tag.TestReqID) === 'still-here');
    expect((await gateway.ask('/api/sessions/OMS')).body).toMatchObject({ enabled: true });
  });

  test('have their numbers set: ours may only rise, a reset needs a reason', async () => {
    const gateway = await runningGateway();
    const set = (body: unknown) => gateway.ask('/api/sessions/OMS/numbers', body);
    expect(await set({ nextSenderMsgSeqNum: 7, nextTargetMsgSeqNum: 5, why: 'agreed by phone' })).toMatchObject({
      status: 200,
    });
    const contradictory = [
      { reset: true, nextSenderMsgSeqNum: 90, why: 'both' },
      { reset: true, nextTargetMsgSeqNum: 90, why: 'both' },
      { within: true, nextSenderMsgSeqNum: 90, why: 'both' },
    ];
    const before = gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OMS')!.machine.numbers;
    for (const body of contradictory) expect((await set(body)).status).toBe(409);
    expect(gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OMS')!.machine.numbers).toEqual(before);
    expect(gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OMS')!.machine.numbers).toMatchObject({
      nextSenderMsgSeqNum: 7,
      nextTargetMsgSeqNum: 5,
    });
    const lower = await set({ nextSenderMsgSeqNum: 6, why: 'x' });
    expect(lower).toMatchObject({ status: 409, body: { title: 'Refused', status: 409 } });
    expect(lower.body.detail).toContain('may only rise');
    expect((await set({ reset: true })).body.detail).toContain('Say why');
    expect((await set({ reset: true, why: ' \t ' })).body.detail).toContain('Say why');
    expect((await set({ why: 'nothing' })).status).toBe(409);
    expect((await set({ nextSenderMsgSeqNum: 0, why: 'x' })).status).toBe(400);
    // A name that is misspelt is no number that stays.
    expect((await set({ nextTargetMsgSeqNum: 5, nextSenderSeqNum: 9, why: 'x' })).status).toBe(400);
    expect((await set({ resett: true, why: 'x' })).status).toBe(400);
    const throwing = { scope: 'session', name: 'OMS', all: true, why: 'x' };
    expect((await gateway.ask('/api/kill-switches/throw', throwing)).status).toBe(400);
    expect((await gateway.ask('/api/overview')).body).toMatchObject({ killSwitches: [] });
    expect((await set({ reset: true, why: 'new day' })).status).toBe(200);
    expect(gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OMS')!.machine.numbers).toEqual({
      series: 2,
      nextSenderMsgSeqNum: 1,
      nextTargetMsgSeqNum: 1,
    });
  });

  test('that do not exist are answered with problem+json', async () => {
    const { ask } = await runningGateway();
    const answer = await ask('/api/sessions/NOBODY/logout', {});
    expect(answer).toMatchObject({ status: 404, body: { title: 'Not found', status: 404 } });
    expect(answer.body.detail).toContain('no session "NOBODY"');
    expect((await ask('/api/sessions/NOBODY/messages')).status).toBe(404);
    // The longest name that a session can have; in an address each character of another script takes nine.
    const longest = `FIXT.1.1:${['A', 'B', 'C'].map((one) => one.repeat(64)).join('/')}->${'D/'.repeat(96)}`;
    const { status, body } = await ask(`/api/sessions/${encodeURIComponent(longest)}/messages`);
    expect([status, body.detail]).toEqual([404, expect.stringContaining(longest)]);
  });
});

describe('orders', () => {
  test('finds orders by ClOrdID, OrderID, symbol, status and session, with their history', async () => {
    const gateway = await runningGateway();
    const fix = await gateway.logOn();
    for (const clOrdID of ['o-1', 'o-2']) {
      fix.send(order(clOrdID));
      await newReport(fix, clOrdID);
    }
    fix.send(order('o-3', '54=1|38=11|40=2|44=50000|59=1'));
    await fix.expect('the reject', (view) => view.string(Tag.ClOrdID) === 'o-3' && view.string(Tag.ExecType) === '8');
    const find = async (query: string): Promise<unknown[]> => {
      const { body } = await gateway.ask(`/api/orders?${query}`);
      return (body.orders as { clOrdID: string }[]).map(({ clOrdID }) => clOrdID);
    };
    expect(await find('')).toEqual(['o-3', 'o-2', 'o-1']);
    expect(await find('clOrdID=o-1')).toEqual(['o-1']);
    expect(await find('status=new')).toEqual(['o-2', 'o-1']);
    expect(await find('status=Rejected')).toEqual(['o-3']);
    expect(await find('open=true&symbol=BTCUSDC&session=OMS')).toEqual(['o-2', 'o-1']);
    expect(await find('symbol=ETHUSDC')).toEqual([]);
    expect(await find('limit=1')).toEqual(['o-3']);
    const one = (await gateway.ask('/api/order?session=OMS&clOrdID=o-1')).body;
    expect(one).toMatchObject({ ordStatus: '0', chain: ['o-1'], orderQty: '0.01' });
    expect(one.timeline).toEqual(expect.arrayContaining([[expect.any(Number), expect.stringContaining('150=0')]]));
    expect(await find(`orderID=${one.exchangeOrderId}`)).toEqual(['o-1']);
    expect((await gateway.ask('/api/order?session=OMS&clOrdID=o-9')).status).toBe(404);
  });

  test('asked for with nonsense are refused with a sentence', async () => {
    const { ask } = await runningGateway();
    for (const query of [
      'limit=0',
      'limit=9999',
      'status=asleep',
      'open=perhaps',
      'clordid=a',
      `clOrdID=${'x'.repeat(600)}`,
    ]) {
      const { status, body } = await ask(`/api/orders?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(String(body.detail).length).toBeGreaterThan(10);
    }
    const { detail } = (await ask('/api/orders?status=asleep')).body;
    expect(detail).toMatch(
      /^There is no OrdStatus\(39\) "asleep"; there are New, PartiallyFilled, Filled, .* and PendingReplace\.$/,
    );
    expect((await ask('/api/nothing')).status).toBe(404);
    const { status, body } = await ask('/api/sessions/%zz');
    expect([status, body.status, String(body.detail)]).toEqual([400, 400, expect.stringContaining('not a valid url')]);
  });
});

describe('a comparison with the exchange', () => {
  test('says which accounts are compared, and none that is not there', async () => {
    const { ask } = await runningGateway();
    expect(await ask('/api/reconcile', { account: ACCOUNT })).toEqual({
      status: 200,
      body: { done: true, text: '1 account is being compared; differences become reports or alarms.' },
    });
    expect((await ask('/api/reconcile', {})).body.text).toMatch(/^2 accounts are being compared; /);
    expect((await ask('/api/reconcile', { account: '9' })).status).toBe(404);
  });

  test('is refused while its exchange login is not up, and made by itself when it is', async () => {
    const away = GATEWAY.replace(
      'credentials:',
      'baseUrl: "http://127.0.0.1:1"\n  environment: simulator\n  credentials:',
    ).replace('simulator: { embedded: true, port: 0 }\n', '');
    const { ask } = await runningGateway({ 'gateway.yaml': away }, {}, (path) => {
      mkdirSync(join(path, 'state', 'secrets'), { recursive: true, mode: 0o700 });
      for (const name of ['oms.password', 'demo-ecdsa.json'])
        writeFileSync(join(path, 'state', 'secrets', name), secretText(name), { mode: 0o600 });
    });
    const { status, body } = await ask('/api/reconcile', {});
    expect([status, body.detail]).toEqual([
      409,
      '2 accounts are compared later, by itself: the exchange login primary is not up now.',
    ]);
  });
});
