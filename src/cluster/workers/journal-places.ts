// Whether the journal of a node lies where the way it is started looks for it: in the place of one process, or in those of its
// partitions. A start beside it would begin its sessions from number 1.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTemplate } from '../../engine/mod.ts';
import { type EngineConfig, type PostgresConfig, sessionName } from '../../runtime/mod.ts';
import { journalsIn, type KnownJournal } from '../../store/mod.ts';
import type { Partition } from '../partitions/partition.ts';
import { PARTITIONS_FOLDER, partitionJournal } from '../partitions/partition-config.ts';

const JOURNAL = 'journal';
const PAGE = 'the page "Workers: many cores" of the documentation has the steps';

/**
 * Why a node may not start in one process, or with one for each partition, beside the journals that are there; null if it may.
 * @param partitions one or none: a gateway in one process
 * @throws CrossgateError XG_JOURNAL_UNREADABLE if the database does not answer
 */
export async function journalObstacle(
  config: EngineConfig,
  partitions: readonly Partition[],
  isPartitioned: boolean,
): Promise<string | null> {
  const { stateDirectory, postgres } = config;
  if (postgres === null) return obstacleInFiles(stateDirectory, isPartitioned);
  return obstacleIn(await journalsIn(postgres.url.read()), { config, postgres, partitions, isPartitioned });
}

function obstacleInFiles(stateDirectory: string, isPartitioned: boolean): string | null {
  const folder = join(stateDirectory, PARTITIONS_FOLDER);
  const parts = entries(folder).filter((name) => entries(join(folder, name, JOURNAL)).length > 0);
  const hasOwn = entries(join(stateDirectory, JOURNAL)).length > 0;
  if (isPartitioned && hasOwn) {
    return `${join(stateDirectory, JOURNAL)} is the journal of a gateway in one process (\`workers: 1\`), and partitions would begin their sessions without it: start with \`workers: 1\`, or bring the journal to the partitions; ${PAGE}`;
  }
  if (!isPartitioned && parts.length > 0) {
    return `${folder} holds the journals of partitions (${parts.join(', ')}), and one process would begin their sessions without them: start with \`workers: auto\`, or begin anew with another state folder; ${PAGE}`;
  }
  return null;
}

interface InPostgres {
  readonly config: EngineConfig;
  readonly postgres: PostgresConfig;
  readonly partitions: readonly Partition[];
  readonly isPartitioned: boolean;
}

/** The same of journals in PostgreSQL. Pure. */
export function obstacleIn(known: readonly KnownJournal[], parts: InPostgres): string | null {
  const { config, postgres, partitions, isPartitioned } = parts;
  const { journal } = postgres;
  const ofPartition = ({ name }: Partition): string => partitionJournal(journal, name);
  const there = new Set(known.map(({ name }) => name));
  const present = partitions.filter((partition) => there.has(ofPartition(partition)));
  if (!isPartitioned) {
    if (present.length === 0) return null;
    return `the database holds the journals of partitions (${present.map(ofPartition).join(', ')}), and one process would begin their sessions without them, or go on with older numbers: start with \`workers: auto\`, or begin anew under another \`store.journal\`; ${PAGE}`;
  }
  const plain = known.find(({ name }) => name === journal);
  if (plain === undefined) return null;
  const missing = partitions.filter((partition) => !present.includes(partition));
  // Beside others that were brought there, one with sessions of its own may be new.
  const lacking = present.length === 0 ? missing : missing.filter((one) => hasSessionOf(plain, config, one));
  if (lacking.length === 0) return null;
  const names = lacking.map(ofPartition);
  return `the journal ${journal} is that of a gateway in one process, and partitions would begin their sessions without it: start with \`workers: 1\`, or stop every gateway and run \`crossgate store copy --state postgres:${postgres.url.reference},${journal} --to ${names.join(',')}\`; ${PAGE}`;
}

/** Whether a journal may have the numbers of a session of that partition; a template could have made any. */
function hasSessionOf(
  { sessions: known }: KnownJournal,
  { sessions }: EngineConfig,
  { sessions: names }: Partition,
): boolean {
  const configured = sessions.filter((session) => names.includes(sessionName(session)));
  const all = new Set<string>(sessions.map(({ session }) => session.sessionId));
  if (configured.some(isTemplate)) return known.some((id) => !all.has(id)) || known.length === 0;
  return configured.some(({ session }) => known.includes(session.sessionId));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The start itself reports a folder that cannot be read.
    return [];
  }
}
