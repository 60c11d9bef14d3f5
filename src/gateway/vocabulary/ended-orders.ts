// The gateway's port to ended orders that are no longer in memory. The journal's owner implements it; the gateway
// decides which orders leave memory.

/** There is a record under the key, and it cannot be read: whatever it is of was used. */
export const UNREADABLE = Symbol('unreadable');

/** Orders that ended, by every key that their last record was given. */
export interface EndedOrders {
  /**
   * The last record under a key, or null. Reads a file at most. Keys are found by a fingerprint: the caller compares
   * the record with its request, and takes a different one as not found.
   */
  find(key: string): string | typeof UNREADABLE | null;
}
