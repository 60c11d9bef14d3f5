// Commits of a journal in PostgreSQL that are gone although they were confirmed. The node that discovers this leaves a
// note beside the rows for the next writer, with its own note (durability-witness.ts) covering only its own records.
// journal.ts stops.

import type { KeptTexts } from '../port.ts';

const NAME = 'confirmed frame';

const HOW = 'was restored, or failed over to a standby that was behind';

/** Fate of the database, in words. */
export function lostCommit(commit: number): string {
  return `the database has lost commit ${commit}, which it had confirmed: it ${HOW}; restore it, or compare with exchange and counterparties`;
}

/** Fate of the tables that follow the log, in words: the log behind them may be whole. */
export function lostTables(commit: number): string {
  return `the database has lost tables up to commit ${commit}, which it had confirmed: it ${HOW}; the next start makes them anew`;
}

/** Leave a note of the last frame that was confirmed. A database that takes none is left as it is. */
export async function noteLoss(kept: KeptTexts, frame: number): Promise<void> {
  await kept.write(NAME, String(frame)).catch(() => {});
}

/** Why a journal that ends with this frame is not the one that was confirmed, in words (rule J3); null if nothing was noted. */
export function lossObjection(kept: KeptTexts, lastFrame: number): string | null {
  const confirmed = Number(kept.read(NAME) ?? 0);
  if (confirmed <= lastFrame) return null;
  return `the journal ends with frame ${lastFrame}, but frame ${confirmed} was confirmed to the node that wrote it before: the database ${HOW}`;
}

/** It was reported, and a record was written since. */
export function forgetLoss(kept: KeptTexts): void {
  void kept.write(NAME, '0').catch(() => {});
}
