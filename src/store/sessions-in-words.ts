// Sessions within a sentence for operators: of thousands not every name, which would hide what stands behind them.

import type { SessionID } from '../session/mod.ts';

const SESSIONS_SHOWN = 10;

/** Their names, and how many more there are; empty if there are none. */
export function sessionsInWords(sessionIds: readonly SessionID[]): string {
  const shown = sessionIds.slice(0, SESSIONS_SHOWN);
  const more = sessionIds.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more sessions` : ''}`;
}
