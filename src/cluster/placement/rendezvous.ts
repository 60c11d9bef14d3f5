// Weighted rendezvous hashing: every node ranks the nodes for a partition alike, without asking anyone. A node that leaves changes the
// first rank of its own partitions only, and a node that joins takes first ranks only for itself.

import type { NodeRow } from './rows.ts';

type Ranked = Pick<NodeRow, 'name' | 'weight'>;

const TWO_32 = 2 ** 32;
const TWO_21 = 2 ** 21;

/** Two mixed halves of 32 bits over the UTF-16 units of a text (finalizer of MurmurHash3). */
function halves(text: string): [number, number] {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x85ebca6b);
    other = Math.imul(other ^ unit, 0xc2b2ae35);
  }
  one = mixed(one ^ (other >>> 15));
  other = mixed(other ^ (one >>> 13));
  return [one, other];
}

function mixed(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** A number above 0 and below 1 that is spread evenly over texts. */
function fraction(text: string): number {
  const [one, other] = halves(text);
  return ((one % TWO_21) * TWO_32 + other + 0.5) / (TWO_21 * TWO_32);
}

/** The greatest score of a partition is its first node; a node of twice the weight is first twice as often. */
export function score(partition: string, { name, weight }: Ranked): number {
  return -weight / Math.log(fraction(`${partition}\n${name}`));
}

/** Nodes in the order in which a partition prefers them. */
export function ranked<Node extends Ranked>(partition: string, nodes: readonly Node[]): Node[] {
  const scores = new Map(nodes.map((node) => [node.name, score(partition, node)]));
  return [...nodes].sort((a, b) => {
    const difference = scores.get(b.name)! - scores.get(a.name)!;
    return difference === 0 ? (a.name < b.name ? -1 : 1) : difference;
  });
}
