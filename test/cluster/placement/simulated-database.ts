// The database of a simulated cluster: the rows, leases and journals, over a way that delays, loses and reorders requests and answers.

import type { Assignment, ClusterRows, NodeRow } from '../../../src/cluster/placement/rows.ts';
import type { Randomness } from '../../simulation/randomness.ts';
import type { Scheduler } from '../../simulation/scheduler.ts';

interface StoredNode extends Omit<NodeRow, 'silentMs' | 'joinedMs' | 'isDraining'> {
  isDraining: boolean;
  beatAt: number;
  joinedAt: number;
}

interface StoredPlacement {
  partition: string;
  node: string;
  isPinned: boolean;
  epoch: number;
  isPrepared: boolean;
  owner: string | null;
}

export interface LeaseRow {
  epoch: number;
  holder: string;
  endsAt: number;
}

const CLIENT_TIMEOUT_MS = 2_000;

export class SimulatedDatabase {
  readonly nodes = new Map<string, StoredNode>();
  readonly placements = new Map<string, StoredPlacement>();
  readonly leases = new Map<string, LeaseRow>();
  /** Commits of each journal. */
  readonly journals = new Map<string, number>();
  isRebalanceWanted = false;
  isDown = false;
  readonly #scheduler: Scheduler;
  readonly #random: Randomness;
  /** Probabilities of a slow, and of a lost, way of one message. */
  faults = { slow: 0.03, lost: 0.02 };

  constructor(scheduler: Scheduler, random: Randomness) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  get now(): number {
    return this.#scheduler.now;
  }

  #way(): number {
    return this.#random.chance(this.faults.slow) ? this.#random.between(200, 4_000) : this.#random.between(0, 8);
  }

  /**
   * One request on a connection of its own, so that two of them may arrive in any order. `answer` is called once: with the result,
   * or with null for a request that failed or was not answered in time, and may have been executed, or may be yet.
   */
  ask<T>(execute: () => T, answer: (result: { readonly value: T } | null) => void): void {
    let isAnswered = false;
    const once = (result: { readonly value: T } | null): void => {
      if (!isAnswered) answer(result);
      isAnswered = true;
    };
    this.#scheduler.after(CLIENT_TIMEOUT_MS, () => once(null));
    if (this.#random.chance(this.faults.lost)) {
      this.#scheduler.after(this.#way(), () => once(null));
      return;
    }
    this.#scheduler.after(this.#way(), () => {
      if (this.isDown) {
        this.#scheduler.after(1, () => once(null));
        return;
      }
      const value = execute();
      if (this.#random.chance(this.faults.lost)) return;
      this.#scheduler.after(this.#way(), () => once({ value }));
    });
  }

  beat(node: Omit<NodeRow, 'silentMs' | 'joinedMs' | 'isDraining'>, goneMs: number): ClusterRows {
    const known = this.nodes.get(node.name);
    const isBack = known === undefined || this.now - known.beatAt > goneMs;
    const joinedAt = isBack ? this.now : known.joinedAt;
    this.nodes.set(node.name, { ...node, isDraining: known?.isDraining ?? false, beatAt: this.now, joinedAt });
    return this.rows();
  }

  rows(): ClusterRows {
    const nodes = [...this.nodes.values()].map(({ beatAt, joinedAt, ...node }) => ({
      ...node,
      silentMs: this.now - beatAt,
      joinedMs: this.now - joinedAt,
    }));
    const placements = [...this.placements.values()].map((row) => ({ ...row }));
    return { nodes, placements, isRebalanceWanted: this.isRebalanceWanted };
  }

  assign({ partition, node, epoch }: Assignment): void {
    const row = this.placements.get(partition);
    if ((row?.epoch ?? null) !== epoch) return;
    this.placements.set(partition, {
      partition,
      node,
      isPinned: false,
      epoch: (epoch ?? 0) + 1,
      isPrepared: false,
      owner: row?.owner ?? null,
    });
  }

  prepared(partition: string, epoch: number): void {
    const row = this.placements.get(partition);
    if (row?.epoch === epoch) row.isPrepared = true;
  }

  owned(partition: string, node: string): void {
    const row = this.placements.get(partition);
    if (row !== undefined) row.owner = node;
  }

  released(partition: string, node: string): void {
    const row = this.placements.get(partition);
    if (row === undefined) return;
    if (row.owner === node) row.owner = null;
    if (row.node === node) row.isPrepared = false;
  }

  take(partition: string, holder: string, leaseMs: number): number | null {
    const lease = this.leases.get(partition);
    if (lease !== undefined && lease.endsAt > this.now) return null;
    const epoch = (lease?.epoch ?? 0) + 1;
    this.leases.set(partition, { epoch, holder, endsAt: this.now + leaseMs });
    return epoch;
  }

  renew(partition: string, epoch: number, leaseMs: number): boolean {
    const lease = this.leases.get(partition);
    // One that was released stays so.
    if (lease?.epoch !== epoch || lease.endsAt === 0) return false;
    lease.endsAt = this.now + leaseMs;
    return true;
  }

  release(partition: string, epoch: number): void {
    const lease = this.leases.get(partition);
    if (lease?.epoch === epoch) lease.endsAt = 0;
  }

  /** A commit of the journal: its number, or null for a writer that another one has followed. */
  commit(partition: string, epoch: number): number | null {
    if (this.leases.get(partition)?.epoch !== epoch) return null;
    const number = (this.journals.get(partition) ?? 0) + 1;
    this.journals.set(partition, number);
    return number;
  }
}
