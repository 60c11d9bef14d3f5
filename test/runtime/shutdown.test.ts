// The order of going down (rule U5), with an engine played by the test.

import { afterEach, expect, test, vi } from 'vitest';
import { closeStore } from '../../src/engine/sessions/closing.ts';
import { memoryStore } from '../../src/mod.ts';
import { Engine } from '../../src/runtime/gateway-engine.ts';
import { LeaseLoss } from '../../src/runtime/lease.ts';
import { shutDown } from '../../src/runtime/shutdown.ts';

function engineThatSays(said: string[], commitsIdle: () => Promise<void>, journalClose: () => Promise<void>): Engine {
  const slot = (sessionId: string, connected: boolean) => ({ sessionId, wire: connected ? {} : null });
  const slots = new Map([slot('here', true), slot('away', false)].map((one) => [one.sessionId, one]));
  const engine = {
    config: { limits: { shutdownWaitMs: 50 } },
    log: (_level: string, text: string) => said.push(text),
    alarm: (alarm: string) => said.push(`alarm ${alarm}`),
    gateway: { settled: () => true },
    commits: { idle: commitsIdle, close: () => {} },
    links: new Map(),
    bridge: null,
    simulator: null,
    sessions: { leave: () => {}, dropConnections: () => {} },
    journal: { close: journalClose, location: '/nowhere' },
    dispatcher: {
      slots,
      applicationInput: (input: { kind: string; sessionId?: string }) =>
        said.push(`${input.kind} ${input.sessionId ?? ''}`.trim()),
      sessionInput: (one: { sessionId: string; wire: unknown }, input: { kind: string }) => {
        said.push(`${input.kind} ${one.sessionId}`);
        one.wire = null;
      },
    },
  };
  return engine as unknown as Engine;
}

afterEach(() => {
  vi.useRealTimers();
});

const parts = (engine: Engine) => ({ engine, closeListeners: () => Promise.resolve(), stop: () => {} });

test('U5 C1 shutdown ends all sessions for their orders, graced ones too, and logs out', async () => {
  const said: string[] = [];
  const done = () => Promise.resolve();
  await shutDown(parts(engineThatSays(said, done, done)));
  expect(said).toEqual([
    'shutting down: no new orders',
    'shutdown',
    'sessionDown here',
    'sessionDown away',
    'logout here',
    'lastWords',
    'stopped',
  ]);
});

test('U5 the waits are bounded: a journal that cannot record holds up no shutdown', async () => {
  const said: string[] = [];
  const never = () => new Promise<void>(() => {});
  const engine = engineThatSays(said, never, () => Promise.reject(new Error('no space left')));
  expect(await shutDown(parts(engine))).toBe('lacking');
  expect(said).toContain('logout here');
  expect(said).toContain('alarm journal-unhealthy');
  expect(said.at(-1)).toBe('stopped');
});

test('U5 all waits for a journal that cannot record are together no longer than shutdownWaitMs', async () => {
  vi.useFakeTimers();
  const begun = performance.now();
  const never = () => new Promise<void>(() => {});
  const over = shutDown(parts(engineThatSays([], never, () => Promise.resolve()))).then(
    () => performance.now() - begun,
  );
  await vi.runAllTimersAsync();
  expect(await over).toBeLessThan(100);
});

test('U5 waits a bounded time for a journal on a silent disk, and reports it unclosed', async () => {
  const said: string[] = [];
  const never = () => new Promise<void>(() => {});
  const engine = engineThatSays(said, () => Promise.resolve(), never);
  expect(await shutDown({ ...parts(engine), journalCloseMs: 50, askDisk: never })).toBe('stuck');
  expect(said.slice(-2)).toEqual(['alarm journal-unhealthy', 'stopped']);
});

test('U5 waits for a slow closing journal as long as its disk answers', async () => {
  const said: string[] = [];
  const answers = [() => Promise.resolve(), () => Promise.reject(new Error('read-only')), () => Promise.resolve()];
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const engine = engineThatSays(
    said,
    () => Promise.resolve(),
    () => closed,
  );
  const askDisk = (): Promise<void> => {
    if (answers.length === 1) close();
    return answers.shift()!();
  };
  expect(await shutDown({ ...parts(engine), journalCloseMs: 20, askDisk })).toBe('closed');
  expect(answers).toEqual([]);
  expect(said).not.toContain('alarm journal-unhealthy');
});

test('U5 C1 a hanging answer of a known order delays no cancel on disconnect', async () => {
  const said: string[] = [];
  const done = () => Promise.resolve();
  const engine = engineThatSays(said, done, done);
  const hanging = { inFlight: 1, close: done };
  Object.assign(engine, { links: new Map([['main', hanging]]), config: { limits: { shutdownWaitMs: 60_000 } } });
  const over = shutDown(parts(engine));
  await Promise.resolve();
  expect(said).toContain('sessionDown away');
  hanging.inFlight = 0;
  await over;
});

test('U5 a node losing its lease during a stop raises lease-lost too', async () => {
  const said: string[] = [];
  const loss = new LeaseLoss();
  const engine = { stopping: Promise.resolve(), alarm: (alarm: string, text: string) => said.push(`${alarm} ${text}`) };
  Engine.prototype.stopWhenLost.call(engine as unknown as Engine, loss);
  loss.report('another node has taken it');
  await (engine as unknown as { leaseLoss: Promise<string> }).leaseLoss;
  expect(said).toEqual([
    'lease-lost this node was stopping, and cannot record the rest of it: another node has taken it',
  ]);
});

test('waits a bounded time for a library store on a silent disk, and its close says so', async () => {
  const never = () => new Promise<void>(() => {});
  const store = Object.assign(memoryStore(), { close: never, location: '/var/fix' });
  await expect(closeStore(store, 20, never)).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: 'the store /var/fix could not be closed: its disk does not answer',
  });
});
