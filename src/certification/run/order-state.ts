// States of an order that a case waits for, read from its last report, whatever the FIX version.

import type { ObservedOrder } from './observed-orders.ts';

const BY_STATUS: Readonly<Record<string, string>> = {
  new: '0',
  partial: '1',
  filled: '2',
  done: '3',
  canceled: '4',
  rejected: '8',
  pending: 'A',
  expired: 'C',
};

/** States that a case may name. */
export const ORDER_STATES: ReadonlySet<string> = new Set([...Object.keys(BY_STATUS), 'replaced', 'triggered', 'ended']);

export function isInState(order: ObservedOrder, state: string): boolean {
  const { ordStatus, execType } = order;
  if (state === 'replaced') return execType === '5';
  // Rule D5: `venue` says 7, `standard` D with a text, FIX.5.0SP2 L.
  if (state === 'triggered') return execType === '7' || execType === 'D' || execType === 'L';
  if (state === 'ended') return ordStatus !== null && ['2', '3', '4', '8', 'C'].includes(ordStatus);
  return ordStatus === BY_STATUS[state];
}
