// A clock that is set back under a session: what began so long ago began so long ago by the new clock too. Otherwise no
// heartbeat would be sent, and no counterparty taken for lost, until the clock is where it was before. What becomes of times of
// day is opening.ts's, and the inbound rate begins anew by itself (message-rate.ts).

import type { SessionCore } from '../core.ts';

/** Move whatever is measured from a moment of the old clock, `byMs` milliseconds ahead of the new one. */
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
