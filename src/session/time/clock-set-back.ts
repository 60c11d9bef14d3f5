// Handles a clock that is set back under a session: elapsed times stay elapsed by the new clock. Otherwise the session
// would send no heartbeat and miss a dead counterparty until the clock is back where it was. opening.ts handles times
// of day; the inbound rate restarts by itself (message-rate.ts).

import type { SessionCore } from '../core.ts';

/** Move everything measured from a moment of the old clock, `byMs` milliseconds ahead of the new one. */
export function clockSetBack(core: SessionCore, byMs: number): void {
  core.connection.setBack(byMs);
  core.sequence.setBack(byMs);
  core.recovery.setBack(byMs);
  core.reset.setBack(byMs);
  core.opening?.setBack(core.now - byMs, core.now);
  core.note('warn', `the clock was set back by ${Math.round(byMs / 1000)} s`);
}
