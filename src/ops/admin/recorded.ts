// How long an answer waits until the audit trail has the action, and what it says if it has not.

/** Longest wait for an action to be in the journal before it is confirmed. */
export const RECORDED_MS = 2_000;
export const UNAUDITED =
  'But the journal could not record it yet: if the gateway is killed before it can, its audit trail has nothing of this. Look at its disk or database.';
