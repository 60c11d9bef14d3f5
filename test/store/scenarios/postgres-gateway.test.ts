// The gateway over PostgreSQL, with real processes: it is killed, its database goes away and comes back, a second node waits
// its turn, and a node that slept through its lease writes nothing any more.

import { existsSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { startStandbyServer } from '../../../src/ops/admin/standby-server.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  limitOrder,
  PASSWORD,
} from '../../support/processes/exchange-house.ts';
import { GatewayProcess } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';

const SLOW = 180_000;
/** Those that the documents show. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/operate/journal/postgresql-queries.md'), 'utf8');
const QUERIES = [...PAGE.matchAll(/```sql\n(.*?)```/gs)].map(([, query]) => query!);
const requirement = await containerEngine();

describeWith(requirement, 'a gateway over PostgreSQL', () => {
  let server: PostgresServer;
  let house: ExchangeHouse;
  let url: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, SLOW);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
    url = await server.createDatabase();
    await writeFile(join(house.home.secrets, 'postgres.url'), `${url}\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    server.proxy.faults.blackhole = false;
    await house.close();
  });

  const useStore = (more: Readonly<Record<string, unknown>>): Promise<void> =>
    house.home.configure('gateway.yaml', { store: { kind: 'postgres', url: 'file:secrets/postgres.url', ...more } });
  const crossgate = async (...args: string[]): Promise<string> => {
    const state = `postgres:file:${join(house.home.secrets, 'postgres.url')}`;
    const cwd = join(import.meta.dirname, '../../..');
    const child = new LineProcess(process.execPath, ['src/cli/main.ts', ...args, '--state', state], { cwd });
    const code = await child.ended();
    if (code !== 0) throw new Error(child.lines.join('\n'));
    return child.lines.join('\n');
  };
  /** So long from now, instead of whenever the settings say: a test does not wait for that. */
  const leaseEnds = (from: string): Promise<unknown> =>
    server.query(`update crossgate_lease set expires_at = clock_timestamp() + ${from}`, databaseOf(url));
  const sell = (quantity: string): string => house.simulator.control.trade('BTCUSDC', 'SELL', '60000', quantity);
  const isFill = (cumQty: string) => (view: MessageView) =>
    view.string(Tag.ExecType) === 'F' && view.decimal(Tag.CumQty)?.trimmed().toString() === cumQty;
  const open = async (port: number): Promise<FixConnection> => {
    const fix = await openFix(port, ACME);
    await logOn(fix, { password: PASSWORD });
    return fix;
  };

  test(
    "after kill -9 the next process waits for the lease's end and resends missed reports",
    async () => {
      // A node gives up when it got no processor, or no answer, for three quarters of its lease: not while others are tested.
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 5_000 });
      let gateway = await house.start();
      const before = await open(gateway.fixPort);
      before.send(limitOrder('p-1', '0.03', '60000'));
      await before.expect('New', report('p-1', '0', '0'));
      sell('0.01');
      await before.expect('the first fill', isFill('0.01'));
      await gateway.kill();
      await leaseEnds("interval '2 seconds'");
      const killed = performance.now();
      sell('0.01');
      gateway = await house.start();
      expect(performance.now() - killed).toBeGreaterThan(1_900);
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: before.nextSenderMsgSeqNum };
      const { connection: after } = await reconnect(gateway.fixPort, ACME, again);
      const expected = before.received.length + 1;
      after.send(`35=2|7=${expected}|16=0`);
      const fill = await after.expect('the fill of meanwhile', isFill('0.02'));
      expect(fill.int(Tag.MsgSeqNum)).toBeGreaterThanOrEqual(expected);

      // The tools read what the running node writes.
      expect(await crossgate('store', 'verify')).toMatch(
        /\d+ records in \d+ frames, \d+ commits .*\nAll of it is whole\./,
      );
      expect(await crossgate('store', 'show')).toMatch(/FIX\.4\.4:EXCHANGE_TEST->ACME_OMS/);
      expect(await crossgate('log', '--tag', '11=p-1', '--type', 'D')).toMatch(/NewOrderSingle.*p-1/);
      after.send(limitOrder('p-1', '0.03', '60000'));
      await after.expect('the refusal of the ClOrdID', report('p-1', '8', '1'));
      // Tables follow the log. A machine that is busy has the probes of a start refused too.
      const usedBefore = expect.objectContaining({
        cl_ord_id: 'p-1',
        reason: expect.stringMatching(/was used before/),
      });
      const rejected = (): Promise<unknown> => server.query(QUERIES[5]!, databaseOf(url));
      await expect.poll(rejected).toContainEqual(usedBefore);
      const answers = await Promise.all(QUERIES.map((query) => server.query(query, databaseOf(url))));
      expect(QUERIES).toHaveLength(10);
      expect(QUERIES.filter((_, k) => answers[k]!.length === 0)).toEqual([]);
      expect(answers[0]).toMatchObject([
        { symbol: 'BTCUSDC', cum_qty: expect.stringMatching(/^0\.020*$/), is_ended: false },
      ]);
      expect(answers[2]!.map(({ cum_qty }) => Number(cum_qty))).toEqual([0.01, 0.02]);
      await gateway.interrupt();
      expect(await crossgate('replay', '--pure')).toMatch(/identical: \d+ messages out/);
      const session = 'FIX.4.4:EXCHANGE_TEST->ACME_OMS';
      expect(await crossgate('store', 'export', '--session', session, '--to', house.home.folder)).toMatch(
        /next out \d+/,
      );
    },
    SLOW,
  );

  test(
    'J2 without the database orders are refused, cancels leave, and work resumes by itself',
    async () => {
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 3_000 });
      const gateway = await house.start();
      const fix = await open(gateway.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      const working = await fix.expect('New', report('p-1', '0', '0'));
      server.proxy.faults.blackhole = true;
      server.proxy.reset();
      fix.send(limitOrder('p-2', '0.02', '60000'));
      await gateway.process.line(/journal-unhealthy/);
      fix.send(`35=F|11=c-1|41=p-1|1=${ACCOUNT}|55=BTCUSDC|54=1|60=20260101-00:00:00.000|38=0.03`);
      const orderId = working.string(Tag.OrderID)!;
      await expect.poll(() => house.simulator.control.order(orderId)?.status).toBe('CANCELLED');
      server.proxy.faults.blackhole = false;
      server.proxy.reset();
      const refused = await fix.expect('the refusal', report('p-2', '8', '8'));
      expect(refused.string(Tag.Text)).toMatch(/record/);
      await fix.expect('the cancel', report('c-1', '4', '4'));
      await gateway.process.line(/records reach the disk again/);
      fix.send(limitOrder('p-3', '0.02', '60000'));
      await fix.expect('New', report('p-3', '0', '0'));
      expect(house.simulator.control.openOrders(ACCOUNT)).toHaveLength(1);
    },
    SLOW,
  );

  test(
    'O5 a node after a kill reports an order that ended before, and refuses its ClOrdID',
    async () => {
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 1_000 });
      let gateway = await house.start();
      const before = await open(gateway.fixPort);
      before.send(limitOrder('p-1', '0.03', '60000'));
      await before.expect('New', report('p-1', '0', '0'));
      sell('0.03');
      await before.expect('the fill', isFill('0.03'));
      const name = databaseOf(url);
      const ended = "select 1 from crossgate_order_detail where cl_ord_id = 'p-1' and is_ended";
      await expect.poll(() => server.query(ended, name)).toHaveLength(1);
      await gateway.kill();
      await leaseEnds("interval '0'");
      gateway = await house.start();
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: before.nextSenderMsgSeqNum };
      const { connection: after } = await reconnect(gateway.fixPort, ACME, again);
      const status = `35=H|11=p-1|1=${ACCOUNT}|55=BTCUSDC|54=1`;
      after.send(status);
      const filled = await after.expect('the status', report('p-1', 'I', '2'));
      expect(filled.decimal(Tag.CumQty)?.trimmed().toString()).toBe('0.03');
      after.send(limitOrder('p-1', '0.03', '60000'));
      const refused = await after.expect('the refusal', report('p-1', '8', '2'));
      expect(refused.string(Tag.OrdRejReason)).toBe('6');
      expect(await crossgate('store', 'verify')).toMatch(/All of it is whole\./);
    },
    SLOW,
  );

  test(
    'a restart of the server in the middle loses nothing',
    async () => {
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 5_000 });
      const gateway = await house.start();
      const fix = await open(gateway.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      await fix.expect('New', report('p-1', '0', '0'));
      await server.restart();
      sell('0.01');
      sell('0.02');
      // A session that nothing could be recorded for is ended after three seconds (J2): a busy server starts more slowly.
      const onward = await fix.expect('the rest', isFill('0.03')).then(
        () => fix,
        async (error: unknown) => {
          if (!fix.closed) throw error;
          const again = (nextSenderMsgSeqNum: number) =>
            reconnect(gateway.fixPort, ACME, { password: PASSWORD, reset: false, nextSenderMsgSeqNum });
          // A Logon counts that was recorded, and not answered.
          const { connection } = await again(fix.nextSenderMsgSeqNum).catch(() => again(fix.nextSenderMsgSeqNum + 1));
          connection.send('35=2|7=2|16=0');
          return connection;
        },
      );
      await onward.expect('the fill', isFill('0.01'));
      await onward.expect('the rest', isFill('0.03'));
    },
    SLOW,
  );

  test(
    'refuses a second node while the first lives; one asleep past its lease stops writing',
    async () => {
      // The first node must not lose its lease only because the machine is busy: it gives up when it got no processor, or no
      // answer, for three quarters of it.
      await useStore({ leaseMs: 15_000, requestTimeoutMs: 5_000 });
      const first = await house.start();
      const fix = await open(first.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      await fix.expect('New', report('p-1', '0', '0'));
      await house.home.configure('gateway.yaml', { 'fix.listen.0.port': 0 });
      const env = { CROSSGATE_FIX_PORT: '0' };
      await expect(house.home.start(house.simulator.url, env)).rejects.toThrow(/XG_JOURNAL_LOCKED/);

      first.process.signal('SIGSTOP');
      await leaseEnds("interval '0'");
      const second = await house.home.start(house.simulator.url, env);
      const taken = await server.query('select epoch::int from crossgate_lease', databaseOf(url));
      expect(taken).toEqual([{ epoch: 2 }]);
      sell('0.01');
      first.process.signal('SIGCONT');
      await first.process.line(/lease-lost/);
      expect(await first.process.ended()).toBe(1);
      const next = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: fix.nextSenderMsgSeqNum };
      const { connection: after } = await reconnect(second.fixPort, ACME, next);
      after.send(`35=2|7=${fix.received.length + 1}|16=0`);
      await after.expect('the fill of meanwhile', isFill('0.01'));
      const rows = await server.query(
        'select epoch::int, min(commit)::int as first from crossgate_commit group by epoch order by epoch',
        databaseOf(url),
      );
      expect(rows.map(({ epoch }) => epoch)).toEqual([1, 2]);
      const overlap = await server.query(
        'select 1 from crossgate_commit a join crossgate_commit b on a.commit < b.commit and a.epoch > b.epoch',
        databaseOf(url),
      );
      expect(overlap).toEqual([]);
    },
    SLOW,
  );

  test(
    'a standby node says so, exits 0 on stop, and takes over with the present files',
    async () => {
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 5_000, standby: 'wait' });
      const first = await house.start();
      const fix = await open(first.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      await fix.expect('New', report('p-1', '0', '0'));
      const state = join(house.home.folder, 'second');
      await cp(house.home.secrets, join(state, 'secrets'), { recursive: true });
      const standBy = async (): Promise<LineProcess> => {
        const child = house.home.begin(house.simulator.url, { CROSSGATE_STATE: state });
        await child.line(/this node stands by: the journal crossgate is written by \S+ process \d+/);
        return child;
      };
      const stopped = await standBy();
      const { url: admin } = JSON.parse(await readFile(join(state, 'admin.json'), 'utf8'));
      expect((await fetch(`${admin}/healthz`)).status).toBe(200);
      const ready = await fetch(`${admin}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([
        503,
        { status: 'standing by', reasons: [expect.stringMatching(/written by .* process \d+/)] },
      ]);
      const asked = await fetch(`${admin}/api/sessions`);
      expect([asked.status, await asked.json()]).toMatchObject([503, { detail: expect.stringMatching(/stands by/) }]);
      expect(await stopped.kill('SIGTERM')).toBe(0);
      expect(existsSync(join(state, 'admin.json'))).toBe(false);

      const second = await standBy();
      await house.home.configure('MIDDLE_OFFICE.yaml', { enabled: false });
      expect(await first.interrupt()).toBe(0);
      const { fixPort } = await GatewayProcess.ready(second);
      expect(second.lines.filter((line) => /^ {2}session /.test(line)).join()).not.toContain('MIDDLE_OFFICE');
      sell('0.01');
      const next = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: fix.nextSenderMsgSeqNum };
      const { connection: after } = await reconnect(fixPort, ACME, next);
      after.send(`35=2|7=${fix.received.length + 1}|16=0`);
      await after.expect('the fill of meanwhile', isFill('0.01'));
      const starts = (await crossgate('store', 'audit', '--match', 'gateway start')).match(/version \d.*/g);
      const pids = [first.process.pid, second.pid];
      expect(starts).toEqual(pids.map((pid) => expect.stringMatching(`\\(Node 24\\..*\\), process ${pid} of .`)));
    },
    SLOW,
  );

  test(
    'C4 cancel-all elsewhere sees the writer over PostgreSQL, and cancels once it is gone',
    async () => {
      await useStore({ leaseMs: 15_000, requestTimeoutMs: 5_000 });
      const gateway = await house.start();
      const fix = await open(gateway.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      await fix.expect('New', report('p-1', '0', '0'));
      const elsewhere = join(house.home.folder, 'elsewhere');
      await cp(house.home.secrets, join(elsewhere, 'secrets'), { recursive: true });
      const cancelAll = async (watched?: () => Promise<unknown>): Promise<{ code: number | string; said: string }> => {
        const where = ['--sessions', house.home.sessions, '--url', house.simulator.url, '--account', ACCOUNT];
        const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'cancel-all', ...where], {
          cwd: join(import.meta.dirname, '../../..'),
          env: { CROSSGATE_STATE: elsewhere },
        });
        if (watched !== undefined) {
          await child.line(/--force cancels at once/);
          await watched();
        }
        const code = await child.ended();
        return { code, said: child.lines.join('\n') };
      };
      const refused = await cancelAll();
      expect(refused.said).toMatch(
        /process \d+ .*PostgreSQL is running: let it cancel, with `crossgate kill-switch throw/,
      );
      expect(refused.code).toBe(1);
      expect(house.simulator.control.openOrders(ACCOUNT)).toHaveLength(1);
      await gateway.kill();
      // A node that stands by there answers, and cancels nothing.
      const standby = {
        admin: { host: '127.0.0.1', port: 0, sharedToken: true, tls: null },
        stateDirectory: elsewhere,
      };
      const said = (): string => 'this node stands by';
      const answering = await startStandbyServer({ ...standby, process: 'none', log: () => {}, said });
      await leaseEnds("interval '60 seconds'");
      const done = await cancelAll(() => leaseEnds("interval '0'"));
      await answering.close();
      expect(done.said).toMatch(/process \d+ .*wrote journal crossgate last: .* --force cancels at once/);
      expect(done.said).toMatch(/accepted: 1 orders were open, 0 still are/);
      expect(done.code).toBe(0);
      await writeFile(join(elsewhere, 'secrets/postgres.url'), 'postgresql://x:y@127.0.0.1:1/none\n', { mode: 0o600 });
      const blind = await cancelAll();
      expect(blind.said).toMatch(/whether another node runs cannot be seen: .*\n.*0 still are/);
      expect(blind.code).toBe(0);
    },
    SLOW,
  );

  test(
    'a password changed by NewPassword(925) is good on the node that takes over, and the old one is not',
    async () => {
      const [changed, again] = ['a new and long one', 'newer and longer'];
      const hash = await hashPassword(PASSWORD, 10);
      await writeFile(join(house.home.secrets, 'ACME_OMS.password'), hash, { mode: 0o600 });
      await house.home.configure('ACME_OMS.yaml', { 'logon.newPasswordOverlapMs': 0, 'logon.answerUnproved': true });
      await useStore({ leaseMs: 60_000, requestTimeoutMs: 5_000 });
      const first = await house.start();
      const fix = await openFix(first.fixPort, ACME);
      fix.send(`35=A|98=0|108=30|141=Y|554=${PASSWORD}|925=${changed}`);
      await fix.expect('the Logon', (view) => view.msgType === 'A');
      await first.kill();
      await leaseEnds("interval '0'");
      const state = join(house.home.folder, 'second');
      await cp(house.home.secrets, join(state, 'secrets'), { recursive: true });
      const second = await house.home.start(house.simulator.url, { CROSSGATE_STATE: state });
      const answerTo = async (password: string, more = ''): Promise<string | null> => {
        const one = await openFix(second.fixPort, ACME);
        one.send(`35=A|98=0|108=30|141=Y|554=${password}${more}`);
        const { msgType } = await one.next();
        one.destroy();
        return msgType;
      };
      expect(await answerTo(PASSWORD)).toBe('5');
      expect(await answerTo(changed, `|925=${again}`)).toBe('A');
      expect(existsSync(join(state, 'passwords'))).toBe(false);
      const rows = await server.query('select name, value from crossgate_kept', databaseOf(url));
      expect(rows).toEqual([
        { name: 'password FIX.4.4:EXCHANGE_TEST->ACME_OMS', value: expect.stringContaining('$scrypt$') },
      ]);
      expect(JSON.stringify(rows)).not.toContain('longer');
    },
    SLOW,
  );

  test.each([
    ['its lease is lost', 12_000, false],
    ['it is told to stop', 60_000, true],
  ] as const)(
    'U5 a node cut off from its database is gone soon after %s with exit 1',
    async (_when, leaseMs, isTold) => {
      await useStore({ leaseMs, requestTimeoutMs: 2_000 });
      await house.home.configure('gateway.yaml', { shutdownWaitMs: 1_000 });
      const gateway = await house.start();
      const fix = await open(gateway.fixPort);
      fix.send(limitOrder('p-1', '0.03', '60000'));
      await fix.expect('New', report('p-1', '0', '0'));
      server.proxy.faults.blackhole = true;
      fix.send(limitOrder('p-2', '0.03', '60000'));
      sell('0.001');
      const begun = performance.now();
      expect(isTold ? await gateway.interrupt() : await gateway.process.ended()).toBe(1);
      expect(performance.now() - begun).toBeLessThan(PATIENCE_MS);
    },
    SLOW,
  );
});
