// Whether a cluster is as it should be: every partition is served by the node that it is placed on. The problems are for people.

import type { RegisterRows } from '../../cluster/mod.ts';

/** One sentence for each problem. @param goneMs a node without a heartbeat for longer is gone */
export function settled({ nodes, placements }: RegisterRows, goneMs: number): string[] {
  const live = nodes.filter(({ silentMs }) => silentMs <= goneMs);
  const problems: string[] = [];
  if (live.length === 0) problems.push('No node lives.');
  for (const { partition, node, owner } of placements) {
    if (owner === node && live.some(({ name }) => name === node)) continue;
    const by =
      owner === null
        ? 'no node'
        : live.some(({ name }) => name === owner)
          ? `node ${owner}`
          : `node ${owner}, which is gone`;
    problems.push(`Partition ${partition} is served by ${by}, and should be by node ${node}.`);
  }
  const [first, ...others] = new Set(live.map(({ configuration }) => configuration));
  if (first !== undefined && others.length > 0)
    problems.push('Nodes have different partitions in their configurations.');
  return problems;
}
