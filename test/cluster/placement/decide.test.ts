// Which node should serve a partition, over one read of the rows.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, isBalanced } from '../../../src/cluster/placement/decide.ts';
import { ranked } from '../../../src/cluster/placement/rendezvous.ts';
import type { ClusterRows, NodeRow, PlacementRow, PlacementSettings } from '../../../src/cluster/placement/rows.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const SETTINGS: PlacementSettings = { goneMs: 5_000, joinMs: 2_000, settleMs: 30_000, rebalances: true };
const LONG = { sightedMs: 60_000 };
const HOUR = 3_600_000;

const names = (count: number, letter: string): string[] => Array.from({ length: count }, (_, k) => `${letter}${k + 1}`);

function node(name: string, partitions: readonly string[], more: Partial<NodeRow> = {}): NodeRow {
  const row = { name, address: '', weight: 1, silentMs: 100, joinedMs: HOUR, version: '1', isDraining: false };
  return { ...row, addressGroup: name, partitions, ...more };
}

/** Perform what is due, as if each process started at once, until nothing is; the rows of then, and what was done. */
function settled(rows: ClusterRows, settings = SETTINGS): { rows: ClusterRows; moves: number; order: string[] } {
  const placements = new Map(rows.placements.map((row) => [row.partition, row]));
  const order: string[] = [];
  for (let round = 0; round < 1_000; round++) {
    const now = { ...rows, placements: [...placements.values()] };
    const due = decide(now, settings, LONG);
    if (due.length === 0) return { rows: now, moves: order.length, order };
    for (const { partition, node: to, epoch, why } of due) {
      expect(placements.get(partition)?.epoch ?? null).toBe(epoch);
      order.push(`${why} ${partition} ${placements.get(partition)?.node ?? '-'}>${to}`);
      const row = { partition, node: to, isPinned: false, epoch: (epoch ?? 0) + 1, isPrepared: true, owner: to };
      placements.set(partition, row);
    }
  }
  throw new Error('it never comes to rest');
}

const fresh = (nodes: readonly NodeRow[]): ClusterRows => ({ nodes, placements: [], isRebalanceWanted: false });
const loadOf = ({ placements }: ClusterRows, name: string): number =>
  placements.filter((row) => row.node === name).length;

const cluster = fc.record({
  weights: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 7 }),
  count: fc.integer({ min: 0, max: 40 }),
});

test('each partition has one wanted node, and loads follow the weights within one partition', () => {
  checkProperty(
    fc.property(cluster, ({ weights, count }) => {
      const partitions = names(count, 'p');
      const nodes = weights.map((weight, k) => node(`n${k + 1}`, partitions, { weight }));
      const { rows } = settled(fresh(nodes));
      expect(rows.placements.map(({ partition }) => partition).sort()).toEqual([...partitions].sort());
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const { name, weight } of nodes) {
        const share = (count * weight) / total;
        expect(loadOf(rows, name)).toBeGreaterThanOrEqual(Math.floor(share));
        expect(loadOf(rows, name)).toBeLessThanOrEqual(Math.ceil(share));
      }
      expect(isBalanced(rows, SETTINGS)).toBe(true);
    }),
  );
});

test('a node that leaves moves its own partitions only', () => {
  checkProperty(
    fc.property(cluster, fc.nat(6), ({ weights, count }, which) => {
      const partitions = names(count, 'p');
      const nodes = weights.map((weight, k) => node(`n${k + 1}`, partitions, { weight }));
      const before = settled(fresh(nodes)).rows;
      const gone = nodes[which % nodes.length]!.name;
      const left = nodes.map((one) => (one.name === gone ? { ...one, silentMs: SETTINGS.goneMs + 1 } : one));
      const still = { ...SETTINGS, rebalances: false };
      const { rows: after } = settled({ ...before, nodes: left }, still);
      for (const { partition, node: was } of before.placements) {
        const is = after.placements.find((row) => row.partition === partition)!.node;
        if (was !== gone || nodes.length === 1) expect(is).toBe(was);
        else expect(is).not.toBe(gone);
      }
    }),
  );
});

test('a node that joins takes its share and no partition moves between the others', () => {
  checkProperty(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 40 }), (count, partitionCount) => {
      const partitions = names(partitionCount, 'p');
      const nodes = names(count, 'n').map((name) => node(name, partitions));
      const before = settled(fresh(nodes)).rows;
      const joined = [...nodes, node('z', partitions)];
      const { rows: after, moves } = settled({ ...before, nodes: joined });
      expect(moves).toBe(loadOf(after, 'z'));
      expect(moves).toBe(Math.floor(partitionCount / joined.length));
    }),
  );
});

test('the ranks of a partition keep their order when a node leaves, and weights count in proportion', () => {
  const nodes = [1, 2, 4].map((weight, k) => ({ name: `n${k + 1}`, weight }));
  const firsts = new Map<string, number>();
  for (const partition of names(7_000, 'p')) {
    const [first, ...rest] = ranked(partition, nodes);
    firsts.set(first!.name, (firsts.get(first!.name) ?? 0) + 1);
    expect(
      ranked(
        partition,
        nodes.filter((one) => one !== first),
      ),
    ).toEqual(rest);
  }
  for (const { name, weight } of nodes) {
    expect(Math.abs(firsts.get(name)! - weight * 1_000)).toBeLessThan(weight * 1_000 * 0.12);
  }
});

const PARTITIONS = names(6, 'p');
const at = (partition: string, of: string, more: Partial<PlacementRow> = {}): PlacementRow => {
  return { partition, node: of, isPinned: false, epoch: 1, isPrepared: true, owner: of, ...more };
};

/** Two nodes with three partitions each. */
function pair(more: Partial<NodeRow> = {}, other: Partial<NodeRow> = {}): ClusterRows {
  return {
    nodes: [node('a', PARTITIONS, more), node('b', PARTITIONS, other)],
    placements: PARTITIONS.map((partition, k) => at(partition, k < 3 ? 'a' : 'b')),
    isRebalanceWanted: false,
  };
}

test('a node that is silent for less than the lease keeps its partitions', () => {
  expect(decide(pair({ silentMs: SETTINGS.goneMs }), SETTINGS, LONG)).toEqual([]);
  const due = decide(pair({ silentMs: SETTINGS.goneMs + 1 }), SETTINGS, LONG);
  expect(due.map(({ partition, node: to, why }) => [partition, to, why])).toEqual(
    ['p1', 'p2', 'p3'].map((partition) => [partition, 'b', 'gone']),
  );
});

test('a node that could not read the rows itself calls no other gone before a whole lease', () => {
  const rows = pair({ silentMs: 600_000 });
  expect(decide(rows, SETTINGS, { sightedMs: SETTINGS.goneMs - 1 })).toEqual([]);
  expect(decide(rows, SETTINGS, { sightedMs: SETTINGS.goneMs })).toHaveLength(3);
});

test('a drain moves one partition at a time, and waits until the other node serves it', () => {
  const rows = pair({ isDraining: true });
  const due = decide(rows, SETTINGS, LONG);
  expect(due).toEqual([{ partition: 'p1', node: 'b', epoch: 1, why: 'drain' }]);
  const underWay = rows.placements.map((row) =>
    row.partition === 'p1' ? { ...row, node: 'b', epoch: 2, isPrepared: false } : row,
  );
  expect(decide({ ...rows, placements: underWay }, SETTINGS, LONG)).toEqual([]);
  const { order } = settled(rows);
  expect(order).toEqual(['drain p1 a>b', 'drain p2 a>b', 'drain p3 a>b']);
});

test('the last node that drains keeps its partitions: they are served by it rather than by none', () => {
  expect(decide(pair({ isDraining: true }, { isDraining: true }), SETTINGS, LONG)).toEqual([]);
  const gone = settled(pair({ isDraining: true }, { silentMs: HOUR }));
  expect(loadOf(gone.rows, 'a')).toBe(6);
});

test('a pinned partition stays where the operator put it, until its node leaves or drains', () => {
  const rows = { ...pair(), placements: PARTITIONS.map((partition) => at(partition, 'a', { isPinned: true })) };
  expect(settled(rows).moves).toBe(0);
  const drained = settled({ ...rows, nodes: [node('a', PARTITIONS, { isDraining: true }), node('b', PARTITIONS)] });
  expect(loadOf(drained.rows, 'b')).toBe(6);
});

test('a partition that its node cannot start goes to another node that can', () => {
  const rows = pair({ partitions: PARTITIONS.filter((one) => one !== 'p2') });
  expect(decide(rows, SETTINGS, LONG)).toEqual([{ partition: 'p2', node: 'b', epoch: 1, why: 'refused' }]);
});

test('the owner keeps a partition that was to move to a node that has gone', () => {
  const rows = pair({}, { silentMs: HOUR });
  const placements = rows.placements.map((row) => (row.partition === 'p4' ? { ...row, owner: 'a' } : row));
  const due = decide({ ...rows, placements }, SETTINGS, LONG);
  expect(due.find(({ partition }) => partition === 'p4')?.node).toBe('a');
});

test('a node receives partitions of others only when it has lived for a while, or on demand', () => {
  const rows = { ...pair({}, { joinedMs: 1_000 }), placements: PARTITIONS.map((partition) => at(partition, 'a')) };
  expect(decide(rows, SETTINGS, LONG)).toEqual([]);
  expect(decide({ ...rows, isRebalanceWanted: true }, SETTINGS, LONG)).toHaveLength(1);
  expect(decide({ ...rows, isRebalanceWanted: true }, { ...SETTINGS, rebalances: false }, LONG)).toHaveLength(1);
});

test('nodes that start together find each other before one of them places new partitions', () => {
  const nodes = [node('a', PARTITIONS)];
  expect(decide(fresh(nodes), SETTINGS, { sightedMs: SETTINGS.joinMs - 1 })).toEqual([]);
  expect(decide(fresh(nodes), SETTINGS, { sightedMs: SETTINGS.joinMs })).toHaveLength(6);
});
