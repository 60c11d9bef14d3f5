// References of this gateway's range that the exchange has and the journal lacks (rule J3): the journal is missing, was
// restored from a backup, or lost its end. The first comparison of an account with the exchange finds them. Then the
// account takes no order, and the engine no Logon, until an operator adopts them as used references of external orders.

import { encodeRecord } from '../book/order-record.ts';
import type { AdoptedRecord } from '../book/record-kinds.ts';
import type { GatewayState, Turn } from '../state/state.ts';

/** Data of one trading account that the exchange has and the journal lacks. */
export interface StrayReferences {
  readonly tradingAccountId: string;
  readonly count: number;
  /** One of them, the highest. */
  readonly highest: string;
  /** It lies beyond the journal's given-out references: records are missing at its end. */
  readonly isNewer: boolean;
}

/** Something at the exchange carries a reference that no order here has. `isOpen`: it is an order that works. */
export function noteStray(
  turn: Turn,
  seen: { readonly tradingAccountId: string; readonly clientOrderId: string | null; readonly orderId: string },
  isOpen: boolean,
): void {
  const { allocator, accounts } = turn.state;
  const { tradingAccountId, clientOrderId, orderId } = seen;
  if (clientOrderId === null || !allocator.owns(clientOrderId)) return;
  if (allocator.isUsed(tradingAccountId, clientOrderId)) return;
  allocator.observe(tradingAccountId, clientOrderId);
  // Later it is no sign of an old journal but of somebody else who uses the range.
  if (accounts.get(tradingAccountId)?.reconciled !== true) allocator.stray(tradingAccountId, clientOrderId);
  if (!isOpen) return;
  // After the loss of a journal, the exchange has thousands of them.
  if (!turn.tells('own-reference-unknown', tradingAccountId, clientOrderId)) return;
  turn.alarm(
    'own-reference-unknown',
    `Order ${orderId} works under reference ${clientOrderId} of this gateway's range, which it never gave out`,
    null,
    { tradingAccountId },
  );
}

/** An order of ours goes by another reference, given to it elsewhere: no other order is to have it. */
export function noteReference({ state: { allocator } }: Turn, tradingAccountId: string, reference: string): void {
  if (!allocator.owns(reference) || allocator.isUsed(tradingAccountId, reference)) return;
  allocator.observe(tradingAccountId, reference);
}

/** The account was compared. False, with an alarm, if the exchange has orders that the journal lacks. */
export function isAsNewAsExchange(turn: Turn, tradingAccountId: string): boolean {
  const stray = strayOf(turn.state, tradingAccountId);
  if (stray === null) return true;
  turn.alarm(
    'journal-behind-exchange',
    `The exchange has ${stray.count} reference(s) of this gateway on account ${tradingAccountId}, up to ${stray.highest}, that its journal does not have: the journal is missing, or was restored from an older copy. No Logon is accepted; see \`crossgate sessions open\``,
    null,
    { tradingAccountId },
  );
  return false;
}

/** Surplus of the exchange over the journal, by account. */
export function strayReferences(state: GatewayState): StrayReferences[] {
  return [...state.accounts.keys()].map((id) => strayOf(state, id)).filter((stray) => stray !== null);
}

function strayOf(state: GatewayState, tradingAccountId: string): StrayReferences | null {
  const references = state.allocator.strays(tradingAccountId);
  if (references.length === 0) return null;
  const highest = references.reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  const isNewer = state.allocator.isBeyondRecord(tradingAccountId, highest);
  return { tradingAccountId, count: references.length, highest, isNewer };
}

/** An operator accepts the journal as it is: the exchange's surplus is known from now on, over restarts. */
export function adoptStrays(turn: Turn, who: string, why: string): void {
  const { state } = turn;
  for (const { tradingAccountId, count } of strayReferences(state)) {
    const references = state.allocator.adoptStrays(tradingAccountId);
    const record: AdoptedRecord = { kind: 'adopted', key: `adopted|${tradingAccountId}`, tradingAccountId, references };
    turn.record('', record.key, encodeRecord(record));
    const account = state.accounts.get(tradingAccountId);
    if (account !== undefined) account.reconciled = true;
    turn.note('warn', 'references that only the exchange has are taken as used', {
      tradingAccountId,
      count: String(count),
      who,
      why,
    });
  }
}
