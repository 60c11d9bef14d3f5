// One node's part in the placement, as a pure machine: it reads the rows that all nodes share, proposes changes of them, and starts
// and stops partitions here. Ownership is no business of it: a process that it starts waits for the lease of its journal.
//
//   absent --start--> waiting --lease--> serving --row names another node that is prepared--> stopping --> absent
//
// A read that fails changes nothing: partitions go on under their own leases.

import { unreachable } from '../../base/assert.ts';
import { decide, isBalanced, liveNodes } from './decide.ts';
import type { Assignment, ClusterRows, PlacementRow, PlacementSettings } from './rows.ts';

export type PlacementInput =
  | { readonly kind: 'rows'; readonly rows: ClusterRows }
  /** The database did not answer. */
  | { readonly kind: 'blind' }
  /** The process of a partition runs, and waits for its lease. */
  | { readonly kind: 'standing'; readonly partition: string }
  | { readonly kind: 'serving'; readonly partition: string }
  /** The process of a partition has ended, or could not be started. */
  | { readonly kind: 'ended'; readonly partition: string; readonly reason: string }
  | { readonly kind: 'tick' };

export type PlacementEffect =
  | { readonly kind: 'assign'; readonly assignment: Assignment }
  | { readonly kind: 'start'; readonly partition: string }
  | { readonly kind: 'stop'; readonly partition: string; readonly why: string }
  /** Write that a process here is ready for the lease, if the row has this epoch still. */
  | { readonly kind: 'prepared'; readonly partition: string; readonly epoch: number }
  | { readonly kind: 'owned'; readonly partition: string }
  /** Write that this node serves it no more, if the row says that it does. */
  | { readonly kind: 'released'; readonly partition: string }
  | { readonly kind: 'balanced' }
  /** Partitions to publish as those that this node can start. */
  | { readonly kind: 'offer'; readonly partitions: readonly string[] };

type Phase = 'waiting' | 'standing' | 'serving' | 'stopping';

interface Local {
  phase: Phase;
  servingSince: number;
}

/** Ends of a partition's process in a row, and when the next is started. */
interface Failure {
  readonly count: number;
  readonly againAt: number;
  readonly refusedUntil: number;
}

const AGAIN_FIRST_MS = 250;
const AGAIN_MAX_MS = 30_000;
/** Failed starts in a row after which other nodes are asked to take a partition, and for how long. */
const FAILURES_MAX = 3;
const REFUSED_MS = 60_000;
/** Part of the lease without a heartbeat after which another node gets ready to take over. */
const EXPECTED_AFTER = 0.6;
/** A process that served this long has started well. */
const WELL_MS = 30_000;

export interface PlacementOptions extends PlacementSettings {
  /** The name of this node. */
  readonly node: string;
  /** Partitions of its configuration. */
  readonly partitions: readonly string[];
}

export class PlacementMachine {
  private readonly options: PlacementOptions;
  private readonly local = new Map<string, Local>();
  private readonly failures = new Map<string, Failure>();
  private rows: ClusterRows | null = null;
  /** Partitions of silent nodes that would be placed here: their processes start early, and wait for the lease. */
  private expected: ReadonlySet<string> = new Set();
  private sightedSince: number | null = null;
  private readAt = 0;
  private now = 0;
  private offered: readonly string[];
  private isLeaving = false;

  constructor(options: PlacementOptions) {
    this.options = options;
    this.offered = options.partitions;
  }

  /** Partitions that this node serves. */
  get served(): string[] {
    return this.inPhase('serving');
  }

  /** Partitions with a process of this node, in any state. */
  get present(): string[] {
    return [...this.local.keys()];
  }

  /** Whether a process that was to start is to be started still. */
  isWanted(partition: string): boolean {
    const phase = this.local.get(partition)?.phase;
    return phase !== undefined && phase !== 'stopping';
  }

  /** Start nothing more: the node leaves the cluster. */
  leave(): PlacementEffect[] {
    this.isLeaving = true;
    const effects: PlacementEffect[] = [];
    for (const partition of this.local.keys()) this.stop(partition, 'this node leaves the cluster', effects);
    return effects;
  }

  /** When a `tick` is due; null if none is. */
  deadline(): number | null {
    if (this.isLeaving) return null;
    let next: number | null = null;
    for (const { againAt, refusedUntil } of this.failures.values()) {
      for (const at of [againAt, refusedUntil]) if (at > this.now && (next === null || at < next)) next = at;
    }
    return next;
  }

  /** @param now milliseconds of a clock that never goes back */
  handle(input: PlacementInput, now: number): PlacementEffect[] {
    const effects: PlacementEffect[] = [];
    this.now = now;
    switch (input.kind) {
      case 'rows':
        this.read(input.rows, now, effects);
        break;
      case 'blind':
        this.sightedSince = null;
        break;
      case 'standing':
        this.standing(input.partition, effects);
        break;
      case 'serving':
        this.serving(input.partition, now, effects);
        break;
      case 'ended':
        this.ended(input.partition, now, effects);
        break;
      case 'tick':
        break;
      default:
        unreachable(input);
    }
    this.startDue(now, effects);
    this.offer(now, effects);
    return effects;
  }

  private read(rows: ClusterRows, now: number, effects: PlacementEffect[]): void {
    const { goneMs } = this.options;
    // Reads that are far apart are a gap: this process, or the database, stood still.
    if (this.sightedSince === null || now - this.readAt > goneMs / 2) this.sightedSince = now;
    this.readAt = now;
    this.rows = rows;
    if (this.isLeaving) return;
    const sight = { sightedMs: now - this.sightedSince };
    const early = decide(rows, { ...this.options, goneMs: goneMs * EXPECTED_AFTER }, sight);
    const own = early.filter(({ why, node }) => why === 'gone' && node === this.options.node);
    this.expected = new Set(own.map(({ partition }) => partition));
    if (this.speaks(rows)) {
      const due = decide(rows, this.options, sight);
      for (const assignment of due) effects.push({ kind: 'assign', assignment });
      if (rows.isRebalanceWanted && due.length === 0 && isBalanced(rows, this.options))
        effects.push({ kind: 'balanced' });
    }
    this.follow(rows, effects);
  }

  /** The first live node by name proposes; a change that another one proposes too fails at the row's epoch. */
  private speaks(rows: ClusterRows): boolean {
    return liveNodes(rows, this.options)[0]?.name === this.options.node;
  }

  /** Stop the partitions that other nodes serve now, or are ready to. */
  private follow(rows: ClusterRows, effects: PlacementEffect[]): void {
    for (const row of rows.placements) {
      const local = this.local.get(row.partition);
      if (local === undefined) {
        // The write that it is released failed, or a start before this one did not come to it.
        if (row.owner === this.options.node) effects.push({ kind: 'released', partition: row.partition });
        continue;
      }
      if (row.node !== this.options.node) {
        const isFirst = local.phase === 'serving' && !row.isPrepared;
        if (!isFirst && !this.expected.has(row.partition))
          this.stop(row.partition, `node ${row.node} serves it`, effects);
        continue;
      }
      if (local.phase === 'standing' && !row.isPrepared) this.prepared(row, effects);
      if (local.phase === 'serving' && row.owner !== this.options.node) {
        effects.push({ kind: 'owned', partition: row.partition });
      }
    }
  }

  private standing(partition: string, effects: PlacementEffect[]): void {
    const local = this.local.get(partition);
    if (local === undefined || local.phase !== 'waiting') return;
    local.phase = 'standing';
    const row = this.rowOf(partition);
    if (row?.node === this.options.node) this.prepared(row, effects);
  }

  private prepared({ partition, epoch }: PlacementRow, effects: PlacementEffect[]): void {
    effects.push({ kind: 'prepared', partition, epoch });
  }

  private serving(partition: string, now: number, effects: PlacementEffect[]): void {
    const local = this.local.get(partition);
    if (local === undefined || local.phase === 'stopping') return;
    local.phase = 'serving';
    local.servingSince = now;
    effects.push({ kind: 'owned', partition });
  }

  private ended(partition: string, now: number, effects: PlacementEffect[]): void {
    const local = this.local.get(partition);
    if (local === undefined) return;
    this.local.delete(partition);
    effects.push({ kind: 'released', partition });
    if (local.phase === 'stopping') return;
    if (local.phase === 'serving' && now - local.servingSince >= WELL_MS) this.failures.delete(partition);
    // While the database is away every start fails, here as elsewhere.
    const isBlind = this.sightedSince === null;
    const before = this.failures.get(partition)?.count ?? 0;
    const count = isBlind ? Math.max(before, 1) : before + 1;
    this.failures.set(partition, {
      count,
      // The first time at once.
      againAt: count === 1 ? now : now + Math.min(AGAIN_MAX_MS, AGAIN_FIRST_MS * 2 ** (count - 2)),
      refusedUntil: !isBlind && count >= FAILURES_MAX ? now + REFUSED_MS : 0,
    });
  }

  private stop(partition: string, why: string, effects: PlacementEffect[]): void {
    const local = this.local.get(partition);
    if (local === undefined || local.phase === 'stopping') return;
    local.phase = 'stopping';
    effects.push({ kind: 'stop', partition, why });
  }

  private startDue(now: number, effects: PlacementEffect[]): void {
    // Of rows that are old, others may have taken what was meant for this node.
    if (this.rows === null || this.isLeaving || now - this.readAt > this.options.goneMs / 2) return;
    for (const { partition, node } of this.rows.placements) {
      const isHere = node === this.options.node || this.expected.has(partition);
      if (!isHere || this.local.has(partition)) continue;
      if (!this.options.partitions.includes(partition)) continue;
      const failure = this.failures.get(partition);
      if (failure !== undefined && failure.againAt > now) continue;
      this.local.set(partition, { phase: 'waiting', servingSince: 0 });
      effects.push({ kind: 'start', partition });
    }
  }

  /** A partition that does not start here again and again is offered to the others for a while. */
  private offer(now: number, effects: PlacementEffect[]): void {
    const offered = this.options.partitions.filter((one) => (this.failures.get(one)?.refusedUntil ?? 0) <= now);
    for (const [partition, { refusedUntil, againAt }] of this.failures) {
      if (refusedUntil <= now && againAt <= now && !this.isMine(partition)) this.failures.delete(partition);
    }
    if (offered.length === this.offered.length) return;
    this.offered = offered;
    effects.push({ kind: 'offer', partitions: offered });
  }

  private isMine(partition: string): boolean {
    return this.rowOf(partition)?.node === this.options.node;
  }

  private rowOf(partition: string): PlacementRow | undefined {
    return this.rows?.placements.find((row) => row.partition === partition);
  }

  private inPhase(phase: Phase): string[] {
    return [...this.local].filter(([, local]) => local.phase === phase).map(([partition]) => partition);
  }
}
