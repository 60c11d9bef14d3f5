// Door of the cluster room: one gateway as several partitions, each in a process of its own.

export { BridgeFront, type BridgeWay, bridgeHere } from './front/bridge-front.ts';
export { Front } from './front/front.ts';
export { addressPartsIn } from './nodes/address-share.ts';
export { type ClusterNode, startClusterNode } from './nodes/cluster-node.ts';
export { connectionShortage } from './nodes/connection-room.ts';
export { openRegister } from './nodes/open-register.ts';
export type { ClusterPlacement, Register, RegisterRows } from './nodes/register.ts';
export { joinsInWords, type Partition, partitionsInWords, partitionsOf } from './partitions/partition.ts';
export { PARTITIONS_FOLDER, partitionFolder, partitionJournal } from './partitions/partition-config.ts';
export { movesInWords, partitionPart, sharesProcessors } from './partitions/partition-part.ts';
export { startView } from './view/view.ts';
export { ForkHost } from './workers/fork-host.ts';
export { journalObstacle } from './workers/journal-places.ts';
export type { RunningPartition } from './workers/partition-host.ts';
export { PartitionWorker } from './workers/partition-worker.ts';
export { Supervisor } from './workers/supervisor.ts';
