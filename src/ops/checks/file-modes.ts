// Finds other users who may change the gateway's files: configuration, state folder and secrets, with every folder on
// the way, like sshd's StrictModes. The owner is not judged: containers run as another user than the host's.

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { ConfigProblem } from '../configuration/config-problem.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';

const GROUP_WRITE = 0o020;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;
/** Windows has access lists instead, and Node.js makes these bits up there. */
const HAS_MODES = process.platform !== 'win32';

export type Writers = 'everybody' | 'group';

/** Users besides the owner who may change a file or folder; null for none, and for a missing one. */
export function writersOf(path: string): Writers | null {
  return HAS_MODES ? (writersIn(path, false) ?? null) : null;
}

function writersIn(path: string, isParent: boolean): Writers | null {
  const found = statSync(path, { throwIfNoEntry: false });
  // In a sticky folder, such as /tmp, only the owner of an entry replaces it.
  if (found === undefined || (isParent && (found.mode & STICKY) !== 0)) return null;
  const isOpen = (found.mode & ALL_WRITE) !== 0;
  // The group of a user alone (Debian's umask 002) has that user's number.
  const isShared = (found.mode & GROUP_WRITE) !== 0 && (found.uid === 0 || found.gid !== found.uid);
  if ((!isOpen && !isShared) || isReadOnly(path)) return null;
  return isOpen ? 'everybody' : 'group';
}

/** Kubernetes mounts a ConfigMap with mode 777, but read-only. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** The folders above a path up to the root, by its own name and by where its symbolic links lead. */
function parentsOf(path: string): Set<string> {
  const parents = new Set<string>();
  const real = statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
  for (const start of [resolve(path), real]) {
    for (let folder = dirname(start); !parents.has(folder); folder = dirname(folder)) parents.add(folder);
  }
  return parents;
}

/** Examined paths, each with its configuration key. */
export interface OpenedPaths {
  /** The folder of the configuration, and the files that are read from it. */
  readonly configuration: string;
  readonly names: Iterable<string>;
  /** State folder, dictionaries and files of secrets, by key. */
  readonly others: readonly (readonly [key: string, path: string])[];
}

/** Add paths that everybody may change to the problems, and those that a group may change where `files` says so. */
export function checkFileModes(
  { configuration, names, others }: OpenedPaths,
  { groupWritable, parents: parentsSetting }: GatewaySettings['files'],
  problems: ConfigProblem[],
  warnings: ConfigProblem[],
): void {
  if (!HAS_MODES) return;
  const said = new Set<string>();
  const look = (key: string, path: string, isParent: boolean): void => {
    if (said.has(path)) return;
    said.add(path);
    const writers = writersIn(path, isParent);
    if (writers === null) return;
    const isRefused = writers === 'group' ? groupWritable === 'refuse' : !isParent || parentsSetting === 'refuse';
    const who = writers === 'group' ? 'its group' : 'every user of this machine';
    const right = writers === 'group' ? 'g-w' : 'o-w';
    const remedy = `chmod ${right} ${JSON.stringify(path)}`;
    const problem = isParent ? `${who} may replace the files in this folder` : `${who} may change it`;
    (isRefused ? problems : warnings).push({ file: path, line: null, column: null, key, value: null, problem, remedy });
  };
  const files = [...names].map((name): [string, string] => ['', join(configuration, name)]);
  const opened = [['', configuration] as const, ...files, ...others];
  for (const [key, path] of opened) look(key, path, false);
  for (const [key, path] of opened) for (const parent of parentsOf(path)) look(key, parent, true);
}
