// When a node starts a partition again, and when it offers it to others.

import { expect, test } from 'vitest';
import { type PlacementEffect, PlacementMachine } from '../../../src/cluster/placement/machine.ts';
import type { ClusterRows } from '../../../src/cluster/placement/rows.ts';

const ROWS: ClusterRows = {
  nodes: ['one', 'two'].map((name) => ({
    ...{ name, address: '', weight: 1, silentMs: 100, joinedMs: 3_600_000, version: '1', isDraining: false },
    ...{ addressGroup: name, partitions: ['desk'] },
  })),
  placements: [{ partition: 'desk', node: 'one', isPinned: false, epoch: 1, isPrepared: true, owner: 'one' }],
  isRebalanceWanted: false,
};
/** Longer than the pause before any further start. */
const LATER_MS = 30_000;

/** Node one; each `ends` is a process of the partition that starts and does not come to its lease. */
function nodeOne(): { ends(isBlind: boolean): PlacementEffect[] } {
  const settings = { goneMs: 5_000, joinMs: 2_000, settleMs: 30_000, rebalances: false };
  const machine = new PlacementMachine({ ...settings, node: 'one', partitions: ['desk'] });
  let now = 0;
  return {
    ends(isBlind) {
      now += LATER_MS;
      machine.handle({ kind: 'rows', rows: ROWS }, now);
      expect(machine.present).toEqual(['desk']);
      if (isBlind) machine.handle({ kind: 'blind' }, now);
      return machine.handle({ kind: 'ended', partition: 'desk', reason: 'exit code 1' }, now);
    },
  };
}

test('a partition that fails to start three times here is offered to the others', () => {
  const node = nodeOne();
  node.ends(false);
  node.ends(false);
  expect(node.ends(false)).toContainEqual({ kind: 'offer', partitions: [] });
});

test('a partition that ends while the database is away is not taken for one that cannot start here', () => {
  const node = nodeOne();
  for (let k = 0; k < 5; k++) expect(node.ends(true).map(({ kind }) => kind)).not.toContain('offer');
  node.ends(false);
  expect(node.ends(false)).toContainEqual({ kind: 'offer', partitions: [] });
});
