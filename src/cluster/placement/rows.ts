// The rows that nodes of a cluster share, as one read of the database shows them. Times are ages by the database's clock, so that no
// node compares its own clock with another's.

export interface NodeRow {
  readonly name: string;
  /** `host:port` of its cluster port. */
  readonly address: string;
  /** Its part of the partitions, relative to the others. */
  readonly weight: number;
  /** Since its last heartbeat. */
  readonly silentMs: number;
  /** Since it joined, without a pause of a lease or longer. */
  readonly joinedMs: number;
  readonly version: string;
  readonly isDraining: boolean;
  /** Nodes of one group send to the exchange from one address, and share its rate. */
  readonly addressGroup: string;
  /** Partitions that it knows and can start. */
  readonly partitions: readonly string[];
}

export interface PlacementRow {
  readonly partition: string;
  /** The node that should serve it. The lease of the partition's journal says which one does. */
  readonly node: string;
  /** Moved there by an operator: no rebalancing takes it away. */
  readonly isPinned: boolean;
  /** Raised with each change of `node`: a change that was decided over an older row fails. */
  readonly epoch: number;
  /** A process of `node` runs and waits for the lease, or has it. */
  readonly isPrepared: boolean;
  /** The node that last said that it serves it; null if none does. */
  readonly owner: string | null;
}

export interface ClusterRows {
  readonly nodes: readonly NodeRow[];
  readonly placements: readonly PlacementRow[];
  /** An operator asked to rebalance, and it is not done yet. */
  readonly isRebalanceWanted: boolean;
}

/** A change of a placement row. */
export interface Assignment {
  readonly partition: string;
  readonly node: string;
  /** Of the row that was seen; null if there was none. */
  readonly epoch: number | null;
  readonly why: 'new' | 'gone' | 'refused' | 'drain' | 'rebalance';
}

export interface PlacementSettings {
  /** A node without a heartbeat for this long is gone: the lease of the journals. */
  readonly goneMs: number;
  /** Nodes that start together find each other before one of them places new partitions. */
  readonly joinMs: number;
  /** A node receives partitions of others from this age on: one that restarts again and again receives none. */
  readonly settleMs: number;
  /** Move partitions to a node that joined, without being asked. */
  readonly rebalances: boolean;
}
