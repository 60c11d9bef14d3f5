// AMM instructions as they are asked for and held. Leaves quoting them to amm.ts.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Reason } from '../venue/order.ts';

/** A client's request. */
export interface CreateInstruction {
  readonly kind: 'createInstruction';
  readonly instructionId: string;
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly baseQuantity: Decimal;
  readonly quoteQuantity: Decimal;
  readonly upperBound: Decimal;
  readonly lowerBound: Decimal;
  readonly feeTierId: string;
}

export interface TerminateInstruction {
  readonly kind: 'terminateInstruction';
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly instructionId: string;
}

/** An instruction as the venue holds it. */
export interface Instruction extends Omit<CreateInstruction, 'kind'> {
  /** Hidden account that holds the committed assets. */
  readonly account: string;
  readonly initialBasePrice: Decimal;
  status: 'OPEN' | 'CLOSED';
  reason: Reason | typeof OK;
  /** Returned when it ended. */
  baseWithdrawn: Decimal;
  quoteWithdrawn: Decimal;
  readonly createdAt: EpochMs;
  updatedAt: EpochMs;
}

/** Status reason of an instruction that works (exchange catalogue, Appendix D). */
export const OK = 1001;
