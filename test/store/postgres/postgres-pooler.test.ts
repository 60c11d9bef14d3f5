// The journal in PostgreSQL behind pgbouncer, which gives each transaction whatever connection it has.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPostgresJournal, type PostgresJournal } from '../../../src/store/postgres/journal.ts';
import { freePort } from '../../support/network/free-port.ts';
import { containerEngine, describeWith, tool } from '../../support/requirement.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const engine = await containerEngine();
const pgbouncer = await tool('pgbouncer', ['--version'], 'pgbouncer');

describeWith(engine.missing === null ? pgbouncer : engine, 'a journal in PostgreSQL behind pgbouncer', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(() => server?.stop());

  /** Start pgbouncer before a new database; the database's address through it. */
  async function pooled(...settings: string[]): Promise<string> {
    const url = new URL(await server.createDatabase());
    const folder = temporaryDirectory();
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    const users = join(folder, 'users.txt');
    writeFileSync(users, `"${url.username}" "${url.password}"\n`);
    const target = `host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`;
    const own = ['listen_addr=127.0.0.1', `listen_port=${port}`, 'unix_socket_dir=', 'auth_type=trust'];
    const lines = ['[databases]', `*=${target}`, '[pgbouncer]', ...own, `auth_file=${users}`, ...settings];
    writeFileSync(file, `${lines.join('\n')}\n`);
    // It does not run as root.
    for (const path of [folder, file, users]) chmodSync(path, 0o755);
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn('pgbouncer', ['-q', ...user, file], { stdio: 'ignore' });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    while (!(await listens(port))) expect(child.exitCode).toBeNull();
    url.port = String(port);
    return url.href;
  }

  async function listens(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  const IGNORING = 'ignore_startup_parameters=statement_timeout,options';
  test.each([
    ['transaction', 'refuses what a connection is begun with', []],
    ['transaction', 'leaves that out', [IGNORING]],
    ['session', 'refuses what a connection is begun with', []],
  ])(
    'that pools by %s and %s, records go on, and nothing of it stays set for others',
    async (mode, _what, more) => {
      const url = await pooled(`pool_mode=${mode}`, 'default_pool_size=6', 'server_round_robin=1', ...more);
      const healths: string[] = [];
      const onHealth = (_healthy: boolean, reason: string) => healths.push(reason);
      const onUpkeep = (reason: string): void => void healths.push(reason);
      const times = { leaseMs: 10_000, requestTimeoutMs: 9_000 };
      const options = { url, journal: 'main', ...times, onHealth, onUpkeep };
      const journal = await openPostgresJournal(options);
      for (let n = 1; n <= 40; n++) {
        // Larger than what is sent with the usual patience.
        const raw = n === 20 ? Buffer.alloc(5_000_000, 'x') : outbound(n).raw;
        journal.append([inbound(n), { ...outbound(n), raw }], n);
        await journal.sync();
        // Reads take other connections in turn.
        if (n % 5 === 0) expect(await journal.loadOutbound(SESSION, 1, 1, 1_000)).toHaveLength(n);
      }
      await journal.kept!.write('name', 'text');
      await (journal as PostgresJournal).upkeepIdle();
      await journal.close();
      const again = await openPostgresJournal(options);
      expect(again.recovered.sessions.get(SESSION)?.numbers).toMatchObject({ nextSenderMsgSeqNum: 41 });
      expect(again.kept!.read('name')).toBe('text');
      await again.close();
      expect(healths).toEqual([]);
      const clients = Array.from({ length: 6 }, () => new Client({ connectionString: url }));
      for (const client of clients) await client.connect();
      for (const client of clients) {
        expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
      }
      for (const client of clients) await client.end();
    },
    60_000,
  );

  test('confirmed records survive a crash of the server under any default', async () => {
    const url = await pooled('pool_mode=transaction', IGNORING);
    const database = databaseOf(url);
    await server.query(`alter database ${database} set synchronous_commit = off`);
    const journal = await openPostgresJournal({ url, journal: 'main', leaseMs: 60_000 });
    // Notes, as the last of each transaction, what holds for it.
    await server.query(
      `create table noted (setting text);
       create function note() returns trigger language plpgsql as
         $$ begin insert into noted values (current_setting('synchronous_commit')); return null; end $$;
       create constraint trigger note after insert on crossgate_commit deferrable initially deferred
         for each row execute function note()`,
      database,
    );
    journal.append([inbound(1)], 1);
    await journal.sync();
    await journal.close();
    expect(await server.query('select setting from noted', database)).toEqual([{ setting: 'on' }]);
  }, 60_000);
});
