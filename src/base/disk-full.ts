// True if a disk has no room, which passes. All other errors of a disk are final, or cast doubt on earlier writes.

/** EDQUOT of Linux, and of macOS: Node.js has no name for it, and says UNKNOWN. */
const QUOTA: ReadonlySet<unknown> = new Set([-122, -69]);
const QUOTA_CODE = 'EDQUOT';

interface SystemError {
  readonly code?: unknown;
  readonly errno?: unknown;
}

export function isDiskFull(error: unknown): boolean {
  const code = diskCode(error);
  return code === 'ENOSPC' || code === QUOTA_CODE;
}

/** The code of an error of a disk, also where Node.js has none; undefined of another error. */
export function diskCode(error: unknown): string | undefined {
  const { code, errno }: SystemError = error ?? {};
  if (code === 'UNKNOWN' && QUOTA.has(errno)) return QUOTA_CODE;
  return typeof code === 'string' ? code : undefined;
}

/** Words for the error codes of a disk. */
export function diskReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (diskCode(error) !== QUOTA_CODE) return text;
  return text.replace('UNKNOWN: unknown error', `${QUOTA_CODE}: the disk quota is used up`);
}
