// Rows of a journal in PostgreSQL that are gone though they were confirmed: what the node that finds it out leaves beside the rows
// for whoever writes the journal next, whose own note (durability-witness.ts) has only what that one recorded. Leaves stopping to
// journal.ts.

import type { KeptTexts } from '../port.ts';

const NAME = 'confirmed frame';

/** What became of the database, in words. */
export function lostRow(block: number): string {
  const how = 'it was restored, or failed over to a standby that was behind';
  return `the database has lost row ${block}, which it had confirmed: ${how}; restore it, or compare with exchange and counterparties`;
}

/** Leave a note of the last frame that was confirmed. A database that takes none is left as it is. */
export async function noteLoss(kept: KeptTexts, frame: number): Promise<void> {
  await kept.write(NAME, String(frame)).catch(() => {});
}

/** Why a journal that ends with this frame is not the one that was confirmed, in words (rule J3); null if nothing was noted. */
export function lossObjection(kept: KeptTexts, lastFrame: number): string | null {
  const confirmed = Number(kept.read(NAME) ?? 0);
  if (confirmed <= lastFrame) return null;
  return `the journal ends with frame ${lastFrame}, but frame ${confirmed} was confirmed to the node that wrote it before: the database was restored, or failed over to a standby that was behind`;
}

/** It was told, and something was recorded since. */
export function forgetLoss(kept: KeptTexts): void {
  void kept.write(NAME, '0').catch(() => {});
}
