// The port through which the owner of the listening sockets starts partitions and hands connections to them; placement and the
// view of all partitions use it too.

import type { HandedConnection } from '../../engine/mod.ts';

export interface StartOptions {
  /** Called when it waits for a journal that another node writes. */
  readonly onStanding?: () => void;
  /** Killed if it gives no sign of life for so long, so that its sockets are reset; absent: never. */
  readonly watchdogMs?: number;
  /** Whether it waits for a journal that another node writes, whatever `store.standby` says. */
  readonly standsBy?: boolean;
}

/** Starts partitions, each in a process of its own on this machine. */
export interface PartitionHost {
  /**
   * Resolves once it serves.
   * @throws CrossgateError XG_CONFIG_INVALID for a name without a partition; XG_ENGINE_CLOSED if its process ended before it
   * served, after it has said why on its log
   */
  start(partition: string, options?: StartOptions): Promise<RunningPartition>;
  /** Stop a partition that may still be starting, or stand by; nothing where there is none. Resolves with the end of its process. */
  stop(partition: string): Promise<void>;
}

export interface RunningPartition {
  readonly name: string;
  readonly pid: number;
  /** On loopback. */
  readonly adminUrl: string;
  /** By which its admin API and its bridge know this process; made for this start. */
  readonly nodeToken: string;
  /** On loopback; null without a bridge. */
  readonly bridgeUrl: string | null;
  /** Whether every exchange login was up, and Logons were accepted, when it began to serve. */
  readonly isReady: boolean;
  /** Where its journal lies, for people. */
  readonly journal: string;
  /** Resolves with the reason, in words, once its process has ended, in order or not. */
  readonly ended: Promise<string>;
  /** Stop in order: sessions are logged out, the journal is closed. Resolves with the end of the process. */
  stop(): Promise<void>;
  /** Hand a connection over: a plain one as its socket, any other spliced. After the end of the process it is dropped. */
  take(handed: HandedConnection): void;
  /** Give its process a message, for `onTold` there. */
  tell(message: unknown): void;
}
