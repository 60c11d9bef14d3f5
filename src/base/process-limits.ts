// How to raise a limit that a process has met: the system's error names the file that met it, and not the limit. Leaves
// room on a disk to disk-full.ts.

export const RAISE_OPEN_FILES =
  'raise it with `LimitNOFILE=` of its service, `--ulimit nofile=` of its container or `ulimit -n`';
export const RAISE_FILE_SIZE =
  'raise the size limit of one file with `LimitFSIZE=` of its service, `--ulimit fsize=` of its container or `ulimit -f`';

const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  ['EMFILE', RAISE_OPEN_FILES],
  ['ENFILE', 'raise the open files of this machine with `sysctl fs.file-max`'],
  ['EFBIG', RAISE_FILE_SIZE],
]);

/** Null of an error that is about no such limit. */
export function raiseLimit(error: unknown): string | null {
  const { code }: { readonly code?: unknown } = error ?? {};
  return REMEDIES.get(code) ?? null;
}

/**
 * Text of an error, with the way to raise the limit behind it. The hint is added once, also if several callers report
 * the error.
 */
export function withRemedy(told: string, error: unknown): string {
  const remedy = raiseLimit(error);
  return remedy === null || told.endsWith(remedy) ? told : `${told}; ${remedy}`;
}
