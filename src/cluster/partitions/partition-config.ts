// The configuration of one partition: what of the whole it needs, and a journal of its own.

import { join } from 'node:path';
import { type EngineConfig, sessionName } from '../../runtime/mod.ts';
import { type Partition, partitionsOf } from './partition.ts';

/** Holds the folder of each partition, below the state folder of the node. */
export const PARTITIONS_FOLDER = 'partitions';

/** The state folder of a partition: its journal, changed passwords, and the note where its admin API is. */
export function partitionFolder(stateDirectory: string, partition: string): string {
  return join(stateDirectory, PARTITIONS_FOLDER, partition);
}

/** The journal of a partition in PostgreSQL, beside that of one process. */
export function partitionJournal(journal: string, partition: string): string {
  return `${journal}-${partition}`;
}

/**
 * The part of `config` that a partition runs. Secrets keep their places: their references were bound to the state folder
 * of the node. The journal lies in the folder of the partition, or in PostgreSQL under `JOURNAL-PARTITION`.
 */
export function partitionConfig(config: EngineConfig, partition: Partition): EngineConfig {
  const { exchange, bridge, postgres, dailyFolder = null } = config;
  const has = (names: readonly string[]): ((name: string) => boolean) => {
    const set = new Set(names);
    return (name) => set.has(name);
  };
  const [hasSession, hasCredential] = [has(partition.sessions), has(partition.credentials)];
  const hasCaller = has(partition.bridgeCallers);
  return {
    ...config,
    stateDirectory: partitionFolder(config.stateDirectory, partition.name),
    secretsDirectory: config.stateDirectory,
    dailyFolder: dailyFolder === null ? null : join(dailyFolder, partition.name),
    postgres: postgres === null ? null : { ...postgres, journal: partitionJournal(postgres.journal, partition.name) },
    addressParts: partitionsOf(config).length,
    sessions: config.sessions.filter((session) => hasSession(sessionName(session))),
    exchange: { ...exchange, credentials: exchange.credentials.filter(({ name }) => hasCredential(name)) },
    bridge:
      bridge === null
        ? null
        : {
            ...bridge,
            callers: bridge.callers.filter(({ name }) => hasCaller(name)),
            orders: bridge.orders.filter(({ credential }) => hasCredential(credential)),
          },
  };
}
