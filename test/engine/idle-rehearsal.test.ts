// Orders made up while nothing comes: each goes its whole way, in every version, and leads nowhere; whatever goes wrong with them
// is said once and is their end.

import { channel } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadVersion, type VersionDictionaries, versionOf } from '../../src/engine/dictionaries.ts';
import { IdleRehearsal } from '../../src/engine/idle-rehearsal.ts';
import type { EngineConfig } from '../../src/engine/mod.ts';
import { loadConfiguration } from '../../src/ops/whole-ops.ts';

const SAMPLE = join(import.meta.dirname, '../../sessions');
const DICTIONARIES = join(import.meta.dirname, '../../dictionaries');
const DAY_MS = 86_400_000;
/** Pieces that an order is taken in. */
const PIECES = 3;

let folder = '';
let config: EngineConfig;
let said: string[] = [];
let now = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossgate-idle-'));
  said = [];
  now = Date.UTC(2026, 0, 5, 12);
  config = loadConfiguration({ directory: SAMPLE, environment: { CROSSGATE_STATE: folder } }).config!;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function idleRehearsal(changed: Partial<EngineConfig> = {}, ordersMax = 1_000_000): Promise<IdleRehearsal> {
  const used = { ...config, ...changed };
  const dictionaries = new Map<string, VersionDictionaries>();
  for (const { session } of used.sessions) {
    const version = versionOf(session);
    const dictionary = await loadVersion(DICTIONARIES, version);
    if (dictionary !== null) dictionaries.set(version, dictionary);
  }
  const rehearsal = new IdleRehearsal({
    config: used,
    dictionaries,
    log: (level, text) => said.push(`${level}: ${text}`),
    now: () => now,
    ordersMax,
  });
  await rehearsal.open();
  return rehearsal;
}

/** So many orders, and one piece of the next, which finds out whether the last was told to its end. */
async function take(rehearsal: IdleRehearsal, orders: number): Promise<void> {
  for (let i = 0; i <= orders * PIECES; i++) await step(rehearsal);
}

/** One piece, and the turn of the event loop behind it. */
async function step(rehearsal: IdleRehearsal): Promise<void> {
  rehearsal.step();
  await new Promise((resolve) => setImmediate(resolve));
}

const sessionOf = (beginString: string, defaultApplVerID?: '9'): EngineConfig['sessions'][number] => {
  const [first] = config.sessions;
  const more = defaultApplVerID === undefined ? {} : { defaultApplVerID };
  return {
    ...first!,
    session: { ...first!.session, beginString, ...more },
    gateway: { ...first!.gateway, beginString, ...more },
  };
};

test('a made-up D is signed for no exchange and told as New and Canceled, one order after the other', async () => {
  const rehearsal = await idleRehearsal();
  await take(rehearsal, 40);
  expect([rehearsal.orders, said]).toEqual([40, []]);
});

test.each([
  ['FIX.4.2', undefined],
  ['FIX.4.4', undefined],
  ['FIXT.1.1', '9'],
] as const)('a session of %s is rehearsed in its own version', async (beginString, defaultApplVerID) => {
  const rehearsal = await idleRehearsal({ sessions: [sessionOf(beginString, defaultApplVerID)] });
  await take(rehearsal, 6);
  expect([rehearsal.orders, said]).toEqual([6, []]);
});

test('versions and dialects that are configured take turns, and durability disk waits for no disk', async () => {
  const { session, gateway, ...rest } = sessionOf('FIX.4.4');
  const venue = { ...rest, session, gateway: { ...gateway, dialect: 'venue' as const }, durability: 'disk' as const };
  const rehearsal = await idleRehearsal({ sessions: [sessionOf('FIX.4.2'), sessionOf('FIX.4.4'), venue] });
  await take(rehearsal, 9);
  expect([rehearsal.orders, said]).toEqual([9, []]);
});

test('a login with an ECDSA key has its commands signed with one made up', async () => {
  const [first] = config.exchange.credentials;
  const pem = { kind: 'ecdsa', publicKey: 'p', privateKey: 'never read', userId: '1' };
  const key = { reference: 'test', read: () => JSON.stringify(pem) };
  const rehearsal = await idleRehearsal({ exchange: { ...config.exchange, credentials: [{ ...first!, key }] } });
  await take(rehearsal, 3);
  expect([rehearsal.orders, said]).toEqual([3, []]);
});

test('a night between two pieces of an order changes nothing: no session times out, and none is looked for', async () => {
  const rehearsal = await idleRehearsal();
  for (let piece = 0; piece < PIECES; piece++) {
    await step(rehearsal);
    now += DAY_MS;
  }
  await take(rehearsal, 3);
  expect([rehearsal.orders, said]).toEqual([4, []]);
});

test('after as many orders as its numbers are good for it begins anew, by itself', async () => {
  const rehearsal = await idleRehearsal({}, 2);
  for (let i = 0; rehearsal.orders < 7 && i < 1_000; i++) await step(rehearsal);
  expect([rehearsal.orders, said]).toEqual([7, []]);
});

test.each([
  ['a second', 1_000],
  ['a day', DAY_MS],
] as const)(
  'a clock that is set back by %s ends nothing: it begins anew, in whichever piece of an order that was',
  async (_, ms) => {
    for (let piece = 0; piece < PIECES; piece++) {
      const rehearsal = await idleRehearsal();
      for (let i = 0; i < PIECES + piece; i++) await step(rehearsal);
      const before = rehearsal.orders;
      now -= ms;
      for (let i = 0; rehearsal.orders < before + 5 && i < 1_000; i++) await step(rehearsal);
      expect([rehearsal.orders, said], `in piece ${piece}`).toEqual([before + 5, []]);
    }
  },
);

test('one that was closed takes no more, and has said how many there were', async () => {
  const rehearsal = await idleRehearsal();
  await take(rehearsal, 2);
  rehearsal.close();
  await take(rehearsal, 2);
  rehearsal.close();
  expect([rehearsal.orders, said]).toEqual([2, ['info: rehearsed 2 orders while nothing came']]);
});

test('whoever measures can tell it from an order: its stages lie between `rehearsal begins` and `rehearsal ends`', async () => {
  const rehearsal = await idleRehearsal();
  const stages: unknown[] = [];
  const listen = (name: unknown): void => void stages.push(name);
  const stage = channel('crossgate:stage');
  stage.subscribe(listen);
  rehearsal.step();
  stage.unsubscribe(listen);
  expect(stages).toContain('frame in');
  expect([stages[0], stages.at(-1)]).toEqual(['rehearsal begins', 'rehearsal ends']);
});

test('without a session that takes orders, or a dictionary of it, that is said once, and nothing is taken', async () => {
  for (const sessions of [[], [sessionOf('FIX.9.9')]]) {
    said = [];
    const rehearsal = await idleRehearsal({ sessions });
    await take(rehearsal, 2);
    expect([rehearsal.orders, said]).toEqual([
      0,
      [expect.stringMatching(/^warn: no more orders are rehearsed, so some will be slower after a pause: ./)],
    ]);
  }
});
