// Custody: destinations of withdrawals and their verification, withdrawals with their limits, deposits, and the record
// of both. Money moves between the user's primary account and the account of the outside world. rest/custody.ts refuses
// invalid requests and callers without an ECDSA login.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Floor } from '../venue/floor.ts';
import { ZERO } from '../venue/order.ts';
import { type AssetSpec, CUSTODY_ACCOUNT } from '../world/world.ts';
import { type CustodyCommand, type CustodyTransaction, invented } from './custody-book.ts';

const DAY_MS = 86_400_000;
/** A new address is locked for 24 hours, and its verification has as long (exchange catalogue, A.1 and CustodyDestinationLocked). */
export const LOCK_MS = DAY_MS;
/** Time until a withdrawal is complete (**assumed**). */
const COMPLETION_MS = 5_000;

export function custodyDeadline(floor: Floor): EpochMs | null {
  for (const { createdAt } of floor.custody.underway) return createdAt + COMPLETION_MS;
  return null;
}

export function completeWithdrawals(floor: Floor, now: EpochMs): void {
  for (const transaction of floor.custody.underway) {
    if (transaction.createdAt + COMPLETION_MS > now) return;
    transaction.status = 'COMPLETE';
    floor.custody.underway.delete(transaction);
  }
}

/** The amount of an asset that a user may still withdraw: its balance, within the 24-hour limit. */
export function withdrawable(
  floor: Floor,
  user: string,
  tradingAccountId: string,
  asset: AssetSpec,
  now: EpochMs,
): Decimal {
  let left = Decimal.of(asset.withdrawalLimit);
  for (const transaction of floor.custody.transactions.all) {
    const counts =
      transaction.user === user && transaction.asset === asset.symbol && transaction.direction === 'WITHDRAWAL';
    if (counts && transaction.createdAt > now - DAY_MS) left = left.subtract(transaction.quantity);
  }
  const available = floor.ledger.available(tradingAccountId, asset.symbol);
  const most = left.compare(available) < 0 ? left : available;
  return most.isNegative() ? ZERO : most;
}

export function handleCustody(floor: Floor, command: CustodyCommand, now: EpochMs): void {
  switch (command.kind) {
    case 'withdraw':
      withdraw(floor, command, now);
      return;
    case 'deposit':
      deposit(floor, command, now);
      return;
    case 'initiateSelfHosted': {
      const { destination, requestedDepositAmount, verificationAmount } = command;
      const { destinationId } = destination;
      const expiresAt = now + LOCK_MS;
      floor.custody.destinations.set(destinationId, { ...destination, signed: false, lockedUntil: expiresAt });
      floor.custody.attempts.push({
        destinationId,
        requestedDepositAmount,
        verificationAmount,
        expiresAt,
        verified: false,
      });
      return;
    }
    case 'deleteDestination':
      floor.custody.destinations.delete(command.destinationId);
      return;
    case 'setCustody':
      floor.custody.disabled = listed(floor.custody.disabled, command.asset, !command.enabled);
      return;
    case 'restrictBank':
      floor.custody.restricted = listed(floor.custody.restricted, command.destinationId, command.restricted);
      return;
  }
}

function listed(list: ReadonlySet<string> | undefined, name: string, isOn: boolean): Set<string> {
  const next = new Set(list);
  if (isOn) next.add(name);
  else next.delete(name);
  return next;
}

function withdraw(floor: Floor, command: Extract<CustodyCommand, { kind: 'withdraw' }>, now: EpochMs): void {
  const destination = floor.custody.destinations.get(command.destinationId)!;
  floor.custody.nonces.add(command.nonce);
  floor.ledger.move(command.tradingAccountId, CUSTODY_ACCOUNT, destination.asset, command.quantity);
  const transaction: CustodyTransaction = {
    custodyTransactionId: command.custodyTransactionId,
    user: destination.user,
    direction: 'WITHDRAWAL',
    asset: destination.asset,
    network: destination.network,
    quantity: command.quantity,
    fee: Decimal.of(floor.asset(destination.asset)?.withdrawalFee ?? '0'),
    memo: destination.memo,
    address: destination.address,
    status: 'PENDING',
    createdAt: now,
  };
  floor.custody.transactions.push(transaction);
  floor.custody.underway.add(transaction);
}

/** Money arrives; if it is exactly the amount of a pending verification, the wallet is verified. */
function deposit(floor: Floor, command: Extract<CustodyCommand, { kind: 'deposit' }>, now: EpochMs): void {
  const { kind: _kind, tradingAccountId, ...fields } = command;
  floor.ledger.move(CUSTODY_ACCOUNT, tradingAccountId, command.asset, command.quantity);
  floor.custody.transactions.push({
    ...fields,
    custodyTransactionId: `DB:${invented('deposit', floor.identifiers.next(now))}`,
    direction: 'DEPOSIT',
    fee: ZERO,
    memo: null,
    status: 'COMPLETE',
    createdAt: now,
  });
  for (const attempt of floor.custody.attempts.all) {
    const destination = floor.custody.destinations.get(attempt.destinationId);
    const isMeant =
      destination?.user === command.user &&
      destination.asset === command.asset &&
      destination.address === command.address &&
      attempt.requestedDepositAmount.add(attempt.verificationAmount).equals(command.quantity);
    if (!isMeant || attempt.verified || attempt.expiresAt <= now) continue;
    attempt.verified = true;
    destination.signed = true;
  }
}
