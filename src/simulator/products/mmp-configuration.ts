// Market maker protection as requested, held and reported. mmp.ts counts and freezes.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Reason } from '../venue/order.ts';

/** An account's request. Limits that are null are not checked. */
export interface SetMmp {
  readonly kind: 'setMmp';
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly asset: string;
  readonly windowMs: number;
  readonly frozenMs: number;
  readonly quantityLimit: Decimal | null;
  readonly deltaLimit: Decimal | null;
}

/** Lift a freeze and count from nothing again (**assumed**: the configuration stays). */
export interface ResetMmp {
  readonly kind: 'resetMmp';
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly asset: string;
}

interface MmpFill {
  readonly at: EpochMs;
  readonly quantity: Decimal;
  readonly delta: Decimal;
}

export interface MmpConfiguration extends Omit<SetMmp, 'kind' | 'requestId'> {
  fills: MmpFill[];
  frozenUntil: EpochMs | null;
}

export interface MmpTriggerView {
  readonly mmpTriggerId: string;
  readonly tradingAccountId: string;
  readonly asset: string;
  readonly triggeredBy: 'QUANTITY_LIMIT' | 'DELTA_LIMIT';
  readonly frozenMs: number;
  readonly at: EpochMs;
}

export interface MmpRequestView {
  readonly command: SetMmp | ResetMmp;
  /** The present configuration; null if there was none to reset. */
  readonly configuration: Omit<SetMmp, 'kind' | 'requestId'> | null;
  readonly reason: Reason;
  readonly at: EpochMs;
}

export const mmpKey = (tradingAccountId: string, asset: string): string => `${tradingAccountId}/${asset}`;
