// Automatic application of a changed configuration: unforeseen failures, the wait at closing, unwatchable folders. With
// a running gateway: reload.test.ts.

import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionChanges } from '../../../src/administration/mod.ts';
import { inJson } from '../../../src/ops/configuration/describe.ts';
import { Reloader, type ReloaderOptions } from '../../../src/ops/configuration/reload.ts';
import { describeConfiguration } from '../../../src/ops/whole-ops.ts';
import type { EngineConfig } from '../../../src/runtime/mod.ts';
import { configurationFolder, SESSION } from '../configuration-folder.ts';

const NOTHING: SessionChanges = { added: [], changed: [], retired: [], unchanged: 1 };

function rig(more: Partial<ReloaderOptions> = {}) {
  const folder = configurationFolder();
  const logged: string[] = [];
  let looks: (() => void)[] = [];
  const administration = {
    applySessions: async () => NOTHING,
    audit: () => {},
    alarm: () => {},
    dictionariesOf: () => undefined,
  };
  const reloader = new Reloader({
    configuration: { directory: 'sessions', environment: {}, workingDirectory: folder.path },
    started: folder.load(),
    administration: administration as unknown as ReloaderOptions['administration'],
    log: (level, text, fields) => {
      logged.push(`${level} ${text} ${String(fields?.error ?? '')}`.trim());
      for (const look of looks.splice(0)) look();
    },
    now: () => 0,
    prepare: async () => {},
    readAgain: () => [],
    onRenewed: () => {},
    ...more,
  });
  const untilLogged = async (): Promise<void> => {
    while (logged.length === 0) await new Promise<void>((resolve) => looks.push(resolve));
    looks = [];
  };
  return { folder, reloader, logged, untilLogged };
}

test('logs an unforeseen failure while a saved file is applied, and ends nothing', async () => {
  const { folder, reloader, logged, untilLogged } = rig({ prepare: () => Promise.reject(new Error('no such luck')) });
  reloader.watch();
  folder.write('sessions/OMS.yaml', `${SESSION}enabled: false\n`);
  await untilLogged();
  expect(logged[0]).toBe('error a changed configuration could not be applied Error: no such luck');
  // The next caller gets it.
  await expect(reloader.apply('ann')).rejects.toThrow('no such luck');
  await reloader.close();
});

test('applies a file saved during the start after it', async () => {
  const taken = Promise.withResolvers<EngineConfig>();
  const { folder, reloader } = rig({ prepare: async (config) => taken.resolve(config) });
  folder.write('sessions/OMS.yaml', `${SESSION}enabled: false\n`);
  reloader.watch();
  expect((await taken.promise).sessions).toMatchObject([{ enabled: false }]);
  await reloader.close();
});

test('closing waits for a running application', async () => {
  const preparing = Promise.withResolvers<void>();
  const prepared = Promise.withResolvers<void>();
  const { reloader } = rig({
    prepare: () => {
      preparing.resolve();
      return prepared.promise;
    },
  });
  const order: string[] = [];
  const applied = reloader.apply('ann').then(() => order.push('applied'));
  await preparing.promise;
  const closed = reloader.close().then(() => order.push('closed'));
  prepared.resolve();
  await Promise.all([applied, closed]);
  expect(order).toEqual(['applied', 'closed']);
});

test('one configuration is applied after the other', async () => {
  const order: string[] = [];
  const { reloader } = rig({
    prepare: async () => {
      order.push('begun');
      await new Promise((resolve) => setImmediate(resolve));
      order.push('done');
    },
  });
  await Promise.all([reloader.apply('ann'), reloader.apply('ben')]);
  expect(order).toEqual(['begun', 'done', 'begun', 'done']);
  await reloader.close();
});

test('reports a folder that cannot be watched once, and ends nothing', async () => {
  const { reloader, logged } = rig({ configuration: { directory: 'nowhere', environment: {}, workingDirectory: '/' } });
  reloader.watch();
  expect(logged).toEqual(['warn changes of configuration files are not noticed; use `crossgate config apply`']);
  await reloader.close();
});

test('writes the effective configuration of a thousand sessions in parts, equal to one go', () => {
  const described = Array.from({ length: 1999 }, (_, at) => ({
    key: `sessions.OMS${at}.x`,
    value: '"',
    origin: 'default',
  }));
  for (const list of [described, described.slice(0, 200), described.slice(0, 1), []]) {
    const steps = inJson(list);
    let taken = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) taken++;
    expect(step.value).toBe(JSON.stringify(list));
    expect(taken).toBe(Math.ceil(list.length / 200));
  }
});

test('serves orders while many session files are read, with an equal result', async () => {
  const files: Record<string, string> = { 'BROKEN.yaml': 'heartBtIntS: many\n' };
  for (let i = 0; i < 100; i++) files[`OMS_${i}.yaml`] = SESSION.replace('OMS', `OMS_${i}`);
  const { folder, reloader } = rig();
  for (const [name, text] of Object.entries(files)) folder.write(`sessions/${name}`, text);
  let turns = 0;
  const count = (): void => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const report = await reloader.apply('ann');
  const described = await reloader.describe();
  clearImmediate(timer);
  // In one go it would be one or two.
  expect(turns).toBeGreaterThan(5);
  const inOneGo = folder.load();
  expect(report).toMatchObject({ ok: false, problems: inOneGo.problems, warnings: inOneGo.warnings, changes: null });
  expect(report.problems.map(({ file }) => file)).toContain('sessions/BROKEN.yaml');
  expect(described).toBe(JSON.stringify(describeConfiguration(inOneGo)));
  await reloader.close();
});

test('serves orders while a large configuration is frozen, a session at a time', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const frozenInATurn = async (sessions: number): Promise<number> => {
    const { folder, reloader } = rig();
    for (let i = 1; i < sessions; i++) folder.write(`sessions/OMS_${i}.yaml`, SESSION.replace('OMS', `OMS_${i}`));
    // A machine so slow that each step has a turn of the event loop of its own.
    const now = performance.now.bind(performance);
    let late = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ++late * 10);
    const { calls } = vi.spyOn(Object, 'freeze').mock;
    let [before, most] = [0, 0];
    const look = (): void => {
      most = Math.max(most, calls.length - before);
      before = calls.length;
      timer = setImmediate(look);
    };
    let timer = setImmediate(look);
    expect(await reloader.apply('ann')).toMatchObject({ ok: true });
    clearImmediate(timer);
    vi.restoreAllMocks();
    expect(folder.load().config?.sessions.every((session) => Object.isFrozen(session.session))).toBe(true);
    await reloader.close();
    return most;
  };
  expect(await frozenInATurn(20)).toBe(await frozenInATurn(2));
});

test('a gateway stopped while files are read applies none, and raises no alarm', async () => {
  const done: string[] = [];
  const administration = {
    isClosing: true,
    dictionariesOf: () => undefined,
    applySessions: async () => done.push('applied'),
    audit: () => done.push('audit'),
    alarm: () => done.push('alarm'),
  };
  const { reloader } = rig({ administration: administration as unknown as ReloaderOptions['administration'] });
  const report = await reloader.apply('ann');
  expect(report).toMatchObject({ ok: false, text: expect.stringContaining('the gateway is stopping') });
  expect(done).toEqual([]);
  await reloader.close();
});
