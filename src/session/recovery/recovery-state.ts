// Messages that either side misses: the gap in inbound messages, and the resend of ours that is under way. Only its own
// functions write it.

import { InboundGap } from './gap.ts';
import { StuckResend } from './stuck-resend.ts';
import type { Replay } from './waiting-messages.ts';

export class RecoveryState {
  readonly gap: InboundGap;
  replay: Replay | null = null;
  /** Gap fills written by this process. */
  gapFills = 0;
  readonly stuckResend = new StuckResend();

  constructor(gapQueueMax: number) {
    this.gap = new InboundGap(gapQueueMax);
  }

  /** A resend begins. @returns it */
  begin(replay: Replay): Replay {
    this.replay = replay;
    return replay;
  }

  /** The resend is over. */
  end(): void {
    this.replay = null;
  }

  wroteGapFill(): void {
    this.gapFills++;
  }

  /** Another series, or another connection: neither side misses anything of this one any more. */
  clear(): void {
    this.replay = null;
    this.gap.clear();
  }
}
