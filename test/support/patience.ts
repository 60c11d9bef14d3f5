import process from 'node:process';

/** How long a test waits for what must come, on a machine that others keep busy too; a campaign at low priority waits longer. */
export const PATIENCE_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);
