// Door of the cluster room: one gateway as several partitions, each in a process of its own.

export { joinsInWords, type Partition, partitionsInWords, partitionsOf } from './partitions/partition.ts';
export type { HandedConnection, PartitionHost, RunningPartition } from './workers/partition-host.ts';
