// What the engine tells whoever measures it, beside what can be read from it at any time. Called between two inputs: an
// observer adds numbers up and returns.

import type { BridgeObserver } from '../bridge/mod.ts';
import type { CommandOutcome } from '../exchange/mod.ts';

export interface EngineObserver extends BridgeObserver {
  /** A batch of journal frames was handed to the operating system or, `synced`, made to survive power loss. */
  committed(frames: number, ms: number, synced: boolean): void;
  /** The exchange answered a command, or its time was up. */
  outcome(kind: CommandOutcome['kind'], ms: number): void;
  /** Something a person must know; `alarm` is one of a fixed set of names. */
  alarm(alarm: string): void;
}

/** Nobody measures. */
export const NO_OBSERVER: EngineObserver = {
  committed: () => {},
  outcome: () => {},
  alarm: () => {},
  bridgeAnswered: () => {},
  listenerDropped: () => {},
};
