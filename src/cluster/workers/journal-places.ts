// Whether the journal of a node lies where the way it is started looks for it: in its state folder, or in the folders of its
// partitions. A start beside it would begin its sessions from number 1.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineConfig } from '../../runtime/mod.ts';
import { PARTITIONS_FOLDER } from '../partitions/partition-config.ts';

const JOURNAL = 'journal';
const PAGE = 'the page "Workers: many cores" of the documentation has the steps';

/** Why a node may not start in one process, or with one for each partition, beside the journals that are there; null if it may. */
export function journalObstacle({ stateDirectory, postgres }: EngineConfig, isPartitioned: boolean): string | null {
  if (postgres !== null) return null;
  const folder = join(stateDirectory, PARTITIONS_FOLDER);
  const parts = entries(folder).filter((name) => entries(join(folder, name, JOURNAL)).length > 0);
  const hasOwn = entries(join(stateDirectory, JOURNAL)).length > 0;
  if (isPartitioned && hasOwn) {
    return `${join(stateDirectory, JOURNAL)} is the journal of a gateway in one process (\`workers: 1\`), and partitions would begin their sessions without it: start with \`workers: 1\`, or bring the journal to the partitions; ${PAGE}`;
  }
  if (!isPartitioned && parts.length > 0) {
    return `${folder} holds the journals of partitions (${parts.join(', ')}), and one process would begin their sessions without them: start with \`workers: auto\`, or bring the journals together; ${PAGE}`;
  }
  return null;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The start itself reports a folder that cannot be read.
    return [];
  }
}
