// A partition as one view sees it: where its admin API is, and the token for it. Leaves starting partitions to the workers' shelf and
// moving them to the placement's.

/** Where the admin API of a partition is. It may change at any time: each request looks anew. */
export interface PartitionPlace {
  readonly name: string;
  /** The node that it lives on. */
  readonly node: string;
  /** For people: `running`, `starting`, `stopped`. */
  readonly state: string;
  /** On loopback; of another node, as `peerUrl` of passage.ts makes it. Null while it has none. */
  readonly adminUrl: string | null;
  /** Known to that admin API as the token of a parent process; empty for one that another node serves. */
  readonly token: string;
  /** Of the lease of its journal, in a cluster: which start of it may write. */
  readonly epoch?: number | null;
}

/** A partition in an answer. */
export interface PartitionState {
  readonly name: string;
  readonly node: string;
  /** False: nothing of it is in the answer. */
  readonly answered: boolean;
  /** `running`; else why it did not answer. */
  readonly state: string;
}

export const RUNNING = 'running';
