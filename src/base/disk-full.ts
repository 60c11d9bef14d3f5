// Whether a disk has no room, which passes: all else that a system says of one is final, or makes suspect what was written.

export function isDiskFull(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
