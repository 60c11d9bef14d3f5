// The rehearsal before a gateway opens: orders are seen through apart from everything else, nothing of it stays, and a
// failure ends nothing.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EngineConfig, rehearse } from '../../src/engine/mod.ts';
import { loadConfiguration } from '../../src/ops/whole-ops.ts';
import { lockJournal } from '../../src/store/lock.ts';
import { GatewayHome } from '../support/gateway-process.ts';

const SAMPLE = join(import.meta.dirname, '../../sessions');

describe('Before the gateway opens', () => {
  let folder: string;
  let config: EngineConfig;
  let said: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-rehearsal-'));
    said = [];
    config = loadConfiguration({ directory: SAMPLE, environment: { CROSSGATE_STATE: folder } }).config!;
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const run = (changed: Partial<EngineConfig>, orders: number): Promise<number> =>
    rehearse({
      config: { ...config, ...changed },
      log: (level, text) => said.push(`${level}: ${text}`),
      orders,
      limitMs: 60_000,
    });

  it('orders of every kind are seen through, in each dialect that is configured, and nothing is left of them', async () => {
    expect(await run({}, 12)).toBe(12);
    expect(said).toEqual(['info: rehearsed 12 orders']);
    expect(existsSync(join(folder, 'rehearsal'))).toBe(false);
  });

  it('the configured versions are rehearsed, one session each', async () => {
    const [first] = config.sessions;
    const of = (beginString: string, defaultApplVerID?: '9') => ({
      ...first!,
      session: { ...first!.session, beginString, ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }) },
      gateway: { ...first!.gateway, beginString, ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }) },
    });
    expect(await run({ sessions: [of('FIX.4.2'), of('FIX.4.4'), of('FIXT.1.1', '9')] }, 9)).toBe(9);
  });

  it('without a session that takes orders there is nothing to rehearse', async () => {
    expect(await run({ sessions: [] }, 12)).toBe(0);
  });

  it('beside a gateway that has the journal nothing is rehearsed, and what it rehearses itself is left alone', async () => {
    const [journal, others] = [join(folder, 'journal'), join(folder, 'rehearsal')];
    for (const directory of [journal, others]) await mkdir(directory);
    const lock = await lockJournal(journal);
    expect(await run({}, 12)).toBe(0);
    expect([said, existsSync(others)]).toEqual([[], true]);
    lock.release();
    expect(await run({}, 12)).toBe(12);
  });

  it('a rehearsal that cannot be is said, and that is all', async () => {
    const file = join(folder, 'no-folder');
    await writeFile(file, '');
    expect(await run({ stateDirectory: file }, 12)).toBe(0);
    expect(said).toEqual([expect.stringMatching(/^warn: the rehearsal failed, so the first orders will be slower: /)]);
  });
});

it('A gateway that has rehearsed knows nothing of it: no order, no session, no file', async () => {
  const home = await GatewayHome.create();
  try {
    const gateway = await home.start(null, { CROSSGATE_REHEARSAL_ORDERS: '6' });
    await gateway.process.line(/rehearsed 6 orders/);
    expect(existsSync(join(home.state, 'rehearsal'))).toBe(false);
    expect(await gateway.interrupt()).toBe(0);
    const everything = gateway.process.lines.join('\n');
    expect(everything).not.toMatch(/REHEARSAL/);
  } finally {
    await home.remove();
  }
});
