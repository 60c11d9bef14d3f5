// Messages between the process that owns the ports and the process of a partition, over the channel of `fork`.

import type { Partition } from '../partitions/partition.ts';

/** First message to a partition: what it is. */
export interface Beginning {
  readonly kind: 'begin';
  readonly partition: string;
  /** All partitions as they were derived when the node started. */
  readonly partitions: readonly Partition[];
  /** Address of the simulated exchange that the node runs; null: the exchange is another one. */
  readonly simulatorUrl: string | null;
  /** More processes than processors: none of them looks for input without sleeping. */
  readonly sharesProcessors: boolean;
  /** Waits for a journal that another node writes. */
  readonly standsBy: boolean;
  /** Where the node serves its console, for links in alarms; null: nowhere. */
  readonly consoleUrl: string | null;
  /** By which its admin API and its bridge know the node; made for this start. */
  readonly nodeToken: string;
}

export type ToWorker =
  | Beginning
  /** With the socket of a plain connection. */
  | {
      readonly kind: 'connection';
      readonly id: number;
      readonly listener: string;
      readonly remoteAddress: string;
      readonly remotePort: number;
      readonly first: Uint8Array;
    }
  /** A connection without proof has to make way. */
  | { readonly kind: 'evict'; readonly id: number; readonly reason: string }
  | { readonly kind: 'stop' }
  /** For other parts of the cluster. */
  | { readonly kind: 'told'; readonly message: unknown };

export interface Serving {
  readonly kind: 'serving';
  readonly adminUrl: string;
  readonly bridgeUrl: string | null;
  /** Socket file for connections that are relayed. */
  readonly relayPath: string;
  /** Every exchange login is up, and Logons are accepted. */
  readonly isReady: boolean;
  /** Where its journal lies, for people. */
  readonly journal: string;
}

export type FromWorker =
  | Serving
  /** It waits for the journal. */
  | { readonly kind: 'standing' }
  /** It lives. */
  | { readonly kind: 'ping' }
  /** A changed configuration is in effect. */
  | { readonly kind: 'applied' }
  | { readonly kind: 'proved'; readonly id: number }
  /** A connection that was handed over has ended. */
  | { readonly kind: 'over'; readonly id: number };
