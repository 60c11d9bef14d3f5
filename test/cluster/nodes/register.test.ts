// The rows that nodes share, in a real PostgreSQL.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CLUSTER_CHANNEL, type NodeFacts, Register } from '../../../src/cluster/nodes/register.ts';
import { SharedRows } from '../../../src/store/mod.ts';
import { openPostgresJournal } from '../../../src/store/postgres/journal.ts';
import { SCHEMA_VERSION } from '../../../src/store/postgres/schema.ts';
import { databaseOf, PostgresServer } from '../../store/postgres-server.ts';

const GONE_MS = 5_000;

const facts = (name: string, more: Partial<NodeFacts> = {}): NodeFacts => {
  const row = { name, incarnation: `${name} 1`, address: '127.0.0.1:1', weight: 1, version: '1', addressGroup: name };
  return { ...row, configuration: 'c', partitions: ['p1', 'p2'], ...more };
};

describe('the register of a cluster', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(async () => await server.stop());

  async function register(url?: string, onNotify?: (payload: string) => void) {
    const address = url ?? (await server.createDatabase());
    const listening = onNotify === undefined ? {} : { channel: CLUSTER_CHANNEL, onNotify };
    const rows = new SharedRows({ url: () => address, requestTimeoutMs: 5_000, ...listening });
    onTestFinished(() => rows.close());
    return { url: address, register: new Register(rows, 'crossgate') };
  }

  test('a change that was decided over an older row fails, and the others hear of one that did not', async () => {
    const heard = Promise.withResolvers<string>();
    const { url, register: one } = await register(undefined, heard.resolve);
    await one.beat(facts('a'), GONE_MS);
    const { register: other } = await register(url);
    const place = { partition: 'p1', node: 'a', epoch: null, why: 'new' } as const;
    expect([await other.assign(place, 'node b'), await other.assign(place, 'node b')]).toEqual([true, false]);
    expect(await heard.promise).toBe('crossgate');
    const move = { partition: 'p1', node: 'b', epoch: 1, why: 'drain' } as const;
    expect([await one.assign(move, 'node a'), await other.assign(move, 'node b')]).toEqual([true, false]);
    await one.prepared('p1', 1);
    expect((await one.read()).placements[0]).toMatchObject({ node: 'b', epoch: 2, isPrepared: false, lease: null });
    await one.prepared('p1', 2);
    await one.owned('p1', 'b');
    expect((await one.read()).placements[0]).toMatchObject({ isPrepared: true, owner: 'b' });
    await one.released('p1', 'a');
    expect((await one.read()).placements[0]).toMatchObject({ isPrepared: true, owner: 'b' });
    await one.released('p1', 'b');
    expect((await one.read()).placements[0]).toMatchObject({ isPrepared: false, owner: null });
    expect((await one.audit(10)).map(({ who, action }) => `${who}: ${action}`)).toEqual([
      'node a: place drain',
      'node b: place new',
    ]);
  });

  test('a node has its name alone, until its process has sent no heartbeat for a while', async () => {
    const { register: one } = await register();
    expect(await one.holder('a')).toBeNull();
    expect(await one.beat(facts('a'), GONE_MS)).toBe(true);
    const second = facts('a', { incarnation: 'a 2' });
    expect(await one.beat(second, GONE_MS)).toBe(false);
    const seen = (await one.holder('a'))!;
    await one.beat(facts('a'), GONE_MS);
    expect(await one.inherit(second, seen.beat)).toBe(false);
    expect(await one.inherit(second, (await one.holder('a'))!.beat)).toBe(true);
    expect(await one.beat(facts('a'), GONE_MS)).toBe(false);
    expect((await one.read()).nodes).toMatchObject([{ name: 'a', isDraining: false, partitions: ['p1', 'p2'] }]);
    await one.drain('a', true, 'ann');
    await one.leave(second);
    const [left] = (await one.read()).nodes;
    expect(left!.silentMs).toBeGreaterThan(GONE_MS);
    expect(left!.isDraining).toBe(true);
  });

  test('operators move and drain what is there, and are told why something cannot be', async () => {
    const { register: one } = await register();
    for (const name of ['a', 'b']) await one.beat(facts(name), GONE_MS);
    await one.beat(facts('c', { partitions: ['p2'] }), GONE_MS);
    await one.assign({ partition: 'p1', node: 'a', epoch: null, why: 'new' }, 'node a');
    expect(await one.move('p1', 'b', 'ann', GONE_MS)).toBe(true);
    expect((await one.read()).placements[0]).toMatchObject({ node: 'b', isPinned: true, epoch: 2 });
    await expect(one.move('p9', 'b', 'ann', GONE_MS)).rejects.toThrow('there is no partition p9; known: p1');
    await expect(one.move('p1', 'z', 'ann', GONE_MS)).rejects.toThrow('there is no node z; known: a, b, c');
    await expect(one.move('p1', 'c', 'ann', GONE_MS)).rejects.toThrow('node c cannot start partition p1');
    expect([await one.drain('b', true, 'ann'), await one.drain('b', true, 'ann')]).toEqual([true, false]);
    await expect(one.move('p1', 'b', 'ann', GONE_MS)).rejects.toThrow('node b drains');
    await expect(one.drain('z', true, 'ann')).rejects.toThrow('there is no node z');
    await one.rebalance('ann');
    expect(await one.read()).toMatchObject({ isRebalanceWanted: true, placements: [{ isPinned: false }] });
    await one.balanced();
    expect((await one.read()).isRebalanceWanted).toBe(false);
  });

  test('O12 a kill switch of the cluster is lifted by a second person', async () => {
    const { register: one } = await register();
    expect(await one.liftSwitch('all', '', 'calm', 'ann')).toBe('none');
    expect(await one.throwSwitch('all', '', 'runaway', 'ann')).toBe(true);
    expect(await one.throwSwitch('all', '', 'again', 'bob')).toBe(false);
    expect(await one.liftSwitch('all', '', 'calm', 'ann')).toBe('asked');
    expect(await one.liftSwitch('all', '', 'calm', 'ann')).toBe('asked');
    expect((await one.read()).killSwitches).toMatchObject([{ isOn: true, thrownBy: 'ann', why: 'runaway' }]);
    expect(await one.liftSwitch('all', '', 'calm', 'bob')).toBe('lifted');
    expect((await one.read()).killSwitches).toMatchObject([{ isOn: false, liftAskedBy: 'ann', liftedBy: 'bob' }]);
  });

  test('a node of the schema version before goes on beside one of a later program', async () => {
    const { url, register: before } = await register();
    await before.beat(facts('a'), GONE_MS);
    const writer = await openPostgresJournal({
      url,
      journal: 'crossgate-p1',
      leaseMs: 60_000,
      requestTimeoutMs: 5_000,
    });
    onTestFinished(() => writer.close());
    // As a later program brings it: tables and columns with defaults are added, and this program may go on.
    const later = `insert into crossgate_schema (version, oldest_program) values (${SCHEMA_VERSION + 1}, ${SCHEMA_VERSION})`;
    await server.query(later, databaseOf(url));
    for (const table of ['crossgate_cluster_node', 'crossgate_cluster_placement']) {
      await server.query(`alter table ${table} add column region text not null default 'EU'`, databaseOf(url));
    }
    expect(await before.beat(facts('a'), GONE_MS)).toBe(true);
    const { register: again } = await register(url);
    expect(await again.beat(facts('b'), GONE_MS)).toBe(true);
    await again.assign({ partition: 'p1', node: 'a', epoch: null, why: 'new' }, 'node b');
    const { nodes, placements } = await before.read();
    expect(nodes.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(placements[0]!.lease!.leftMs).toBeGreaterThan(0);
  });
});
