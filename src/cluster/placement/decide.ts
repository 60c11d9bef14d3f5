// Decides over one read of the rows which partitions another node should serve. Partitions without a live node are placed at once;
// a drain and rebalancing move one partition at a time. A partition that is well where it is stays.

import { ranked, score } from './rendezvous.ts';
import type { Assignment, ClusterRows, NodeRow, PlacementRow, PlacementSettings } from './rows.ts';

export interface Sight {
  /** How long this node has read the rows without a gap: before it may call others gone, they must have had the chance to write. */
  readonly sightedMs: number;
}

/** The nodes that live, by name. */
export function liveNodes({ nodes }: ClusterRows, { goneMs }: PlacementSettings): NodeRow[] {
  return nodes.filter(({ silentMs }) => silentMs <= goneMs).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The changes that are due; empty if all is well. */
export function decide(rows: ClusterRows, settings: PlacementSettings, { sightedMs }: Sight): Assignment[] {
  if (sightedMs < settings.joinMs) return [];
  const board = new Board(rows, settings);
  const due: Assignment[] = [];
  for (const partition of board.partitions) {
    const row = board.rows.get(partition);
    const reason = row === undefined ? 'new' : board.trouble(row);
    // After a gap of ours everyone looks gone: the database was away, or this node stood still.
    if (reason === null || (reason === 'gone' && sightedMs < settings.goneMs)) continue;
    const to = board.placeFor(partition, row);
    if (to === null || to === row?.node) continue;
    due.push({ partition, node: to, epoch: row?.epoch ?? null, why: reason });
    board.assign(partition, to);
  }
  if (due.length > 0 || board.hasMoveUnderWay) return due;
  const move = board.drainMove() ?? (rows.isRebalanceWanted || settings.rebalances ? board.balanceMove() : null);
  return move === null ? [] : [move];
}

/** True if no drain and no rebalancing has anything left to move. */
export function isBalanced(rows: ClusterRows, settings: PlacementSettings): boolean {
  const board = new Board(rows, settings);
  return !board.hasMoveUnderWay && board.balanceMove() === null;
}

interface Share {
  readonly least: number;
  readonly most: number;
}

class Board {
  readonly rows = new Map<string, PlacementRow>();
  readonly partitions: readonly string[];
  readonly hasMoveUnderWay: boolean;
  private readonly live = new Map<string, NodeRow>();
  /** Nodes that receive partitions, with their number of them. */
  private readonly loads = new Map<string, number>();
  private readonly shares = new Map<string, Share>();
  private readonly settleMs: number;
  private readonly isAsked: boolean;

  constructor(rows: ClusterRows, settings: PlacementSettings) {
    this.settleMs = settings.settleMs;
    this.isAsked = rows.isRebalanceWanted;
    const live = liveNodes(rows, settings);
    for (const node of live) this.live.set(node.name, node);
    for (const row of rows.placements) this.rows.set(row.partition, row);
    const known = new Set(live.flatMap(({ partitions }) => partitions));
    this.partitions = [...known].sort();
    const takers = live.filter(({ isDraining }) => !isDraining);
    for (const { name } of takers) this.loads.set(name, 0);
    const total = takers.reduce((sum, { weight }) => sum + weight, 0);
    for (const { name, weight } of takers) {
      const share = (this.partitions.length * weight) / total;
      this.shares.set(name, { least: Math.floor(share), most: Math.ceil(share) });
    }
    let hasMove = false;
    for (const partition of this.partitions) {
      const row = this.rows.get(partition);
      if (row === undefined) continue;
      this.count(row.node, 1);
      hasMove ||= row.owner !== row.node && row.owner !== null && this.live.has(row.owner) && this.live.has(row.node);
    }
    this.hasMoveUnderWay = hasMove;
  }

  private count(node: string, by: number): void {
    const load = this.loads.get(node);
    if (load !== undefined) this.loads.set(node, load + by);
  }

  /** Why a partition cannot stay with the node it is meant for; null if it can. */
  trouble({ partition, node }: PlacementRow): 'gone' | 'refused' | null {
    const target = this.live.get(node);
    if (target === undefined) return 'gone';
    return target.partitions.includes(partition) ? null : 'refused';
  }

  /** The node for a partition that has none. A live owner keeps it: the node that it was to move to has gone. */
  placeFor(partition: string, row: PlacementRow | undefined): string | null {
    const takers = this.takersOf(partition);
    const { owner = null } = row ?? {};
    if (owner !== null && takers.some(({ name }) => name === owner)) return owner;
    const order = ranked(partition, takers);
    const first = order.find(({ name }) => this.loads.get(name)! < this.shares.get(name)!.most) ?? order[0];
    if (first !== undefined) return first.name;
    // Served by a node that drains rather than by none.
    const draining = [...this.live.values()].filter((node) => node.partitions.includes(partition));
    return ranked(partition, draining)[0]?.name ?? null;
  }

  assign(partition: string, to: string): void {
    const row = this.rows.get(partition);
    if (row !== undefined) this.count(row.node, -1);
    this.count(to, 1);
  }

  private takersOf(partition: string): NodeRow[] {
    const takers = [...this.live.values()].filter(({ isDraining }) => !isDraining);
    return takers.filter(({ partitions }) => partitions.includes(partition));
  }

  /** The next partition of a node that drains; null if none can move. */
  drainMove(): Assignment | null {
    for (const partition of this.partitions) {
      const row = this.rows.get(partition);
      if (row === undefined || this.live.get(row.node)?.isDraining !== true) continue;
      const to = this.placeFor(partition, { ...row, owner: null });
      if (to === null || this.live.get(to)!.isDraining) continue;
      return { partition, node: to, epoch: row.epoch, why: 'drain' };
    }
    return null;
  }

  /** One move towards equal shares: from a node with too many, or to a node with too few. */
  balanceMove(): Assignment | null {
    const nodes = [...this.loads.keys()].map((name) => this.live.get(name)!);
    const receivers = nodes.filter(({ joinedMs }) => this.isAsked || joinedMs >= this.settleMs);
    // By how many it is above its share: the first gives, the last receives.
    const above = ({ name }: NodeRow): number => this.loads.get(name)! - this.shareOf(name);
    const givers = [...nodes].sort((a, b) => above(b) - above(a));
    receivers.sort((a, b) => above(a) - above(b));
    for (const giver of givers) {
      for (const receiver of receivers) {
        if (giver === receiver || !this.isWorthMoving(giver.name, receiver.name)) continue;
        const row = this.bestOf(giver, receiver);
        if (row !== null) return { partition: row.partition, node: receiver.name, epoch: row.epoch, why: 'rebalance' };
      }
    }
    return null;
  }

  private shareOf(name: string): number {
    const { weight } = this.live.get(name)!;
    const total = [...this.loads.keys()].reduce((sum, one) => sum + this.live.get(one)!.weight, 0);
    return (this.partitions.length * weight) / total;
  }

  private isWorthMoving(giver: string, receiver: string): boolean {
    const [has, gets] = [this.loads.get(giver)!, this.loads.get(receiver)!];
    const [from, to] = [this.shares.get(giver)!, this.shares.get(receiver)!];
    // Neither leaves its bounds by it: nothing moves back and forth.
    return (has > from.most && gets < to.most) || (gets < to.least && has > from.least);
  }

  /** Of the giver's partitions the one that prefers the receiver most. */
  private bestOf(giver: NodeRow, receiver: NodeRow): PlacementRow | null {
    let best: PlacementRow | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const row of this.rows.values()) {
      if (row.node !== giver.name || row.isPinned || !receiver.partitions.includes(row.partition)) continue;
      const gain = score(row.partition, receiver) / score(row.partition, giver);
      if (gain <= most) continue;
      most = gain;
      best = row;
    }
    return best;
  }
}
