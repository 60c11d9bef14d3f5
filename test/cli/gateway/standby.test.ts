// A node that stands by, over a lease that the test gives: who is the first, and with which configuration it takes over. With
// processes and a database: test/store/scenarios/postgres-gateway.test.ts.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { AdministeredEngine } from '../../../src/administration/mod.ts';
import { CrossgateError } from '../../../src/base/errors.ts';
import { askGateway } from '../../../src/cli/admin/admin-client.ts';
import type { InTurnOptions } from '../../../src/cli/gateway/standby.ts';
import type { SoundConfiguration } from '../../../src/cli/options/configuration.ts';
import { EarlySignals } from '../../../src/cli/output/exit.ts';
import { markOfThisProcess } from '../../../src/store/mod.ts';
import { configurationFolder } from '../../ops/configuration-folder.ts';
import { GATEWAY, sessionFile } from '../../ops/running-gateway.ts';

const waited: boolean[] = [];
/** The writers seen, wait by wait. */
const writers: string[] = [];

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('../../../src/store/mod.ts', async (original) => ({
  ...(await original<typeof import('../../../src/store/mod.ts')>()),
  standBy: async ({ isKnown }: { isKnown: boolean }, { onWriter }: { onWriter: (writer: string) => void }) => {
    waited.push(isKnown);
    if (writers.length > 0) onWriter(writers.shift()!);
  },
}));

const { startInTurn } = await import('../../../src/cli/gateway/standby.ts');
const { JournalHeld, JournalNotGiven } = await import('../../../src/store/mod.ts');

afterAll(() => {
  vi.doUnmock('../../../src/store/mod.ts');
  vi.resetModules();
});

const SESSION = sessionFile('OMS').replace('durability: process\n', '');
const DESK = SESSION.replace('OMS', 'DESK');

function node(standby = 'wait') {
  waited.length = 0;
  const folder = configurationFolder({ 'OMS.yaml': SESSION });
  const store = `store: { kind: postgres, url: "file:pg.url", standby: ${standby} }\n`;
  folder.write('sessions/gateway.yaml', `${GATEWAY.replace('state: state', `state: ${folder.path}/state`)}${store}`);
  folder.write('state/pg.url', 'postgresql://me:hush@localhost/crossgate');
  const said: string[] = [];
  const log = (level: string, text: string): unknown => said.push(`${level} ${text}`);
  const signals = new EarlySignals();
  onTestFinished(() => signals.over());
  const first = folder.load() as SoundConfiguration;
  const start = (started: InTurnOptions['start']) =>
    startInTurn(first, {
      configuration: { directory: join(folder.path, 'sessions'), environment: process.env },
      log,
      signals,
      order: null,
      start: started,
    });
  return { folder, first, said, start, note: join(first.config.stateDirectory, 'admin.json') };
}

const engine = {} as AdministeredEngine;

/** The answer to a command that asks this node for its sessions. */
const commandSays = (state: string): Promise<string> =>
  askGateway({ state }, 'GET', '/api/sessions').then(
    () => 'nothing',
    (error: Error) => error.message,
  );

test('later standby nodes wait on after a take-over, with the present files', async () => {
  const { folder, first, start, note, said } = node();
  const tried: number[] = [];
  const turn = await start(async ({ config }) => {
    expect([existsSync(note), await commandSays(first.config.stateDirectory)]).toEqual([
      true,
      'The journal may be had: this node takes it.',
    ]);
    tried.push(config.sessions.length);
    folder.write('sessions/DESK.yaml', DESK);
    if (tried.length === 1) throw new JournalHeld('crossgate', 'the first');
    return engine;
  });
  expect([tried, waited]).toEqual([
    [1, 2],
    [false, true],
  ]);
  expect([turn?.engine, turn?.loaded.config.sessions.length]).toEqual([engine, 2]);
  expect(existsSync(note)).toBe(false);
  expect(JSON.stringify(said)).not.toContain('hush');
});

test('J2 a standby node without a journal from its database retries, and reports why once', async () => {
  const { start, said } = node();
  writers.push('the first');
  const text = 'the journal crossgate in PostgreSQL cannot be written: canceling statement due to statement timeout';
  const why = new JournalNotGiven(new CrossgateError('XG_JOURNAL_WRITE_FAILED', text));
  let tries = 0;
  const turn = await start(async () => {
    if (++tries < 3) throw why;
    return engine;
  });
  expect([turn?.engine, tries]).toEqual([engine, 3]);
  expect(said).toEqual([
    'info this node stands by: the journal crossgate is written by the first',
    'info the journal may be had: this node takes it',
    `error this node takes over as soon as it can: ${why.message}`,
  ]);
  // A node without another writer at its start ends: its operator is there.
  await expect(
    node().start(async () => {
      throw why;
    }),
  ).rejects.toBe(why);
});

test('a node stopped during its take-over leaves the journal in order to the next at once', async () => {
  const { start, said } = node();
  const order: string[] = [];
  const stopping = { close: async () => order.push('closed') } as unknown as AdministeredEngine;
  const turn = await start(async () => {
    process.emit('SIGTERM', 'SIGTERM');
    order.push('started');
    return stopping;
  });
  expect([turn, order]).toEqual([null, ['started', 'closed']]);
  expect(said.at(-1)).toBe('info SIGTERM received: this node stops, and leaves the journal to the next one');
});

test('a node stopped during an ordinary start leaves the journal in order for its next start', async () => {
  const { start, said } = node('refuse');
  const order: string[] = [];
  const stopping = { close: async () => order.push('closed') } as unknown as AdministeredEngine;
  const turn = await start(async (_loaded, _holdsAdminPort, stopped) => {
    process.emit('SIGHUP', 'SIGHUP');
    // So that it does not wait for the lease of another one.
    order.push(stopped?.aborted === true ? 'told' : 'not told', 'started');
    return stopping;
  });
  expect([turn, order, waited]).toEqual([null, ['told', 'started', 'closed'], []]);
  expect(said).toEqual(['info SIGHUP received: this node stops, and leaves the journal to the next one']);
  const why = new JournalHeld('crossgate', 'another one');
  await expect(node('refuse').start(() => Promise.reject(why))).rejects.toBe(why);
});

test('a node stopped while another takes the journal ends without waiting again', async () => {
  const { start } = node();
  const turn = await start(async () => {
    process.emit('SIGTERM', 'SIGTERM');
    throw new JournalHeld('crossgate', 'the first');
  });
  expect([turn, waited]).toEqual([null, [false]]);
});

test('a node with faulty files at its take-over uses its earlier configuration, and says so', async () => {
  const { folder, first, start, said } = node();
  folder.write('sessions/DESK.yaml', 'senderCompID: [\n');
  const turn = await start(async () => engine);
  expect(turn?.loaded).toBe(first);
  expect(said.join('\n')).toMatch(/^error the configuration has problems since this node stands by: .*\n.*DESK\.yaml/m);
});

test('a node with admin.port changed to a taken one takes over with its old port, and says so', async () => {
  const { folder, first, start, said } = node();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const text = readFileSync(join(folder.path, 'sessions/gateway.yaml'), 'utf8');
  folder.write('sessions/gateway.yaml', text.replace('admin: { port: 0 }', `admin: { port: ${port} }`));
  const turn = await start(async () => engine);
  expect(turn?.loaded).toBe(first);
  expect(said.at(-1)).toContain('error this node takes over as it was configured before: the admin API');
  expect(said.at(-1)).toContain(`:${port}`);
});

test('a node does not stand by with the state folder of a running one', async () => {
  const { folder, start } = node();
  const mark = markOfThisProcess();
  folder.write('state/admin.json', `${JSON.stringify({ url: null, process: mark, sharedToken: false })}\n`);
  await expect(start(async () => engine)).rejects.toMatchObject({
    code: 'XG_JOURNAL_LOCKED',
    message: expect.stringMatching(
      /is used by process \d+, which is running: a node that stands by has one of its own/,
    ),
  });
});
