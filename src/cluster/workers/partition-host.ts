// The port through which the owner of the listening sockets starts partitions and hands connections to them; placement and the
// view of all partitions use it too.

import type { Connection, Place } from '../../transport/mod.ts';

/** A connection that its first message has assigned to a partition. */
export interface HandedConnection {
  /** Not read any more; its owner is the callee from now on. */
  readonly connection: Connection;
  /** Bytes that came already, the first message included; none of them was answered. */
  readonly first: readonly Buffer[];
  /** Name of the listener that took it. */
  readonly listener: string;
  /** Its place among the connections of that listener. */
  readonly place: Place;
}

/** Starts partitions, each in a process of its own on this machine. */
export interface PartitionHost {
  /** Resolves once it serves. @throws CrossgateError XG_CONFIG_INVALID for a name without a partition; every error of its start */
  start(partition: string): Promise<RunningPartition>;
}

export interface RunningPartition {
  readonly name: string;
  readonly pid: number;
  /** On loopback. */
  readonly adminUrl: string;
  /** Made for this start. */
  readonly adminToken: string;
  /** On loopback; null without a bridge. */
  readonly bridgeUrl: string | null;
  /** Resolves with the reason, in words, once its process has ended, in order or not. */
  readonly ended: Promise<string>;
  /** Stop in order: sessions are logged out, the journal is closed. Resolves with the end of the process. */
  stop(): Promise<void>;
  /** Hand a connection over: a plain one as its socket, any other spliced. After the end of the process it is dropped. */
  take(handed: HandedConnection): void;
}
