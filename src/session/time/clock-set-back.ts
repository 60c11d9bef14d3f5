// Handles a clock that is set back under a session: elapsed times stay elapsed by the new clock. Otherwise the session
// would send no heartbeat and miss a dead counterparty until the clock is back where it was. opening.ts handles times
// of day; the inbound rate restarts by itself (message-rate.ts).

import type { SessionCore } from '../core.ts';

/** Move everything measured from a moment of the old clock, `byMs` milliseconds ahead of the new one. */
export function clockSetBack(core: SessionCore, byMs: number): void {
  // 0 means never.
  if (core.since !== 0) core.since -= byMs;
  if (core.lastReceivedAt !== 0) core.lastReceivedAt -= byMs;
  if (core.lastSentAt !== 0) core.lastSentAt -= byMs;
  if (core.unprovenSince !== 0) core.unprovenSince -= byMs;
  core.testRequests.setBack(byMs);
  core.replay?.read.setBack(byMs);
  core.repeat?.read.setBack(byMs);
  core.reset?.setBack(byMs);
  if (core.owedLogout !== null) {
    core.owedLogout.since -= byMs;
    if (core.owedLogout.provingUntil !== null) core.owedLogout.provingUntil -= byMs;
  }
  core.garbledAt -= byMs;
  core.gap.setBack(byMs);
  core.opening?.setBack(core.now - byMs, core.now);
  core.note('warn', `the clock was set back by ${Math.round(byMs / 1000)} s`);
}
