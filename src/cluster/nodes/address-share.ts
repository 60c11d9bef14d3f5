// The message by which a node says how many partitions share the exchange's rate of its network address.

export interface AddressShare {
  readonly kind: 'addressShare';
  readonly parts: number;
}

/** The parts that a message to a partition names: at least 1. */
export function addressPartsIn(message: unknown): number {
  const { kind, parts } = message as Partial<AddressShare>;
  return kind === 'addressShare' && Number.isInteger(parts) ? Math.max(1, parts!) : 1;
}
