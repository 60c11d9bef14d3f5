// Measurements of a whole gateway: those of its FIX engine, its bridge, and the exchange's answers.

import type { BridgeObserver } from '../bridge/mod.ts';
import { type SessionObserver, UNOBSERVED } from '../engine/mod.ts';
import type { CommandOutcome } from '../exchange/mod.ts';
import type { OrderTimes } from './order-times.ts';

export interface EngineObserver extends SessionObserver, BridgeObserver {
  /** The exchange answered a command, or its time was up. */
  outcome(kind: CommandOutcome['kind'], ms: number): void;
  /** The first report of a new order left. */
  orderReported(times: OrderTimes): void;
}

export const NO_OBSERVER: EngineObserver = {
  ...UNOBSERVED,
  outcome: () => {},
  orderReported: () => {},
  bridgeAnswered: () => {},
  listenerDropped: () => {},
};
