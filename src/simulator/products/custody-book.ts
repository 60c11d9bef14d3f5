// State of custody: destinations, their verification, deposits and withdrawals, and the commands to it. custody.ts
// executes them.

import { createHash } from 'node:crypto';
import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { BoundedList } from '../venue/histories.ts';
import type { AssetSpec } from '../world/world.ts';

const TRANSACTIONS_MAX = 10_000;
const DESTINATIONS_MAX = 1_000;

/** A place that money may be withdrawn to. */
export interface Destination {
  readonly destinationId: string;
  readonly user: string;
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: string | null;
  readonly label: string;
  readonly isSelfHosted: boolean;
  signed: boolean;
  lockedUntil: EpochMs | null;
}

/** An attempt to prove that a self-hosted wallet is the user's: by a deposit of exactly the right amount. */
export interface VerificationAttempt {
  readonly destinationId: string;
  readonly requestedDepositAmount: Decimal;
  readonly verificationAmount: Decimal;
  readonly expiresAt: EpochMs;
  verified: boolean;
}

export interface CustodyTransaction {
  readonly custodyTransactionId: string;
  readonly user: string;
  readonly direction: 'DEPOSIT' | 'WITHDRAWAL';
  readonly asset: string;
  readonly network: string;
  readonly quantity: Decimal;
  readonly fee: Decimal;
  readonly memo: string | null;
  readonly address: string;
  status: 'PENDING' | 'COMPLETE' | 'CANCELLED' | 'FAILED';
  readonly createdAt: EpochMs;
}

export type CustodyCommand =
  | {
      readonly kind: 'withdraw';
      readonly custodyTransactionId: string;
      readonly destinationId: string;
      readonly tradingAccountId: string;
      readonly quantity: Decimal;
      /** `key name/uuid`: a withdrawal nonce is good once. */
      readonly nonce: string;
    }
  | {
      readonly kind: 'deposit';
      readonly user: string;
      readonly tradingAccountId: string;
      readonly asset: string;
      readonly network: string;
      readonly quantity: Decimal;
      /** Address it comes from. */
      readonly address: string;
    }
  | {
      readonly kind: 'initiateSelfHosted';
      readonly destination: Omit<Destination, 'signed' | 'lockedUntil'>;
      readonly requestedDepositAmount: Decimal;
      readonly verificationAmount: Decimal;
    }
  | { readonly kind: 'deleteDestination'; readonly destinationId: string }
  /** Switch custody of an asset off or on again. */
  | { readonly kind: 'setCustody'; readonly asset: string; readonly enabled: boolean }
  /** Put the bank of a destination on the restricted list, or take it off. */
  | { readonly kind: 'restrictBank'; readonly destinationId: string; readonly restricted: boolean };

export class CustodyBook {
  readonly destinations = new Map<string, Destination>();
  readonly attempts = new BoundedList<VerificationAttempt>(DESTINATIONS_MAX);
  readonly transactions = new BoundedList<CustodyTransaction>(TRANSACTIONS_MAX);
  readonly nonces = new Set<string>();
  /** Assets with custody switched off. Books of an earlier version have neither field. */
  disabled?: Set<string> = new Set();
  /** Destinations with a restricted bank. */
  restricted?: Set<string> = new Set();
  /** Withdrawals on their way, oldest first. */
  readonly underway = new Set<CustodyTransaction>();
}

/** A stable made-up text for addresses and ids: the same for the same words. */
export function invented(...words: readonly string[]): string {
  return createHash('sha256').update(words.join('/')).digest('hex');
}

/** Every user has one address per asset and network from the start, signed and not locked. */
export function firstDestinations(user: string, assets: readonly AssetSpec[]): Destination[] {
  return assets.flatMap((asset) =>
    asset.networks.map((network) => ({
      destinationId: invented('destination', user, asset.symbol, network),
      user,
      asset: asset.symbol,
      network,
      address: asset.isFiat
        ? String(BigInt(`0x${invented('account', user, network).slice(0, 12)}`))
        : `0x${invented('address', user, asset.symbol, network).slice(0, 40)}`,
      memo: null,
      label: asset.isFiat ? 'House bank' : 'Cold wallet',
      isSelfHosted: false,
      signed: true,
      lockedUntil: null,
    })),
  );
}
