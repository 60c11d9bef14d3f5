// Ended orders for the gateway, with a journal that may be damaged or a database that may be away. An order with an
// unreadable record is answered as such, so that everything else goes on. Operations learn of damage here, and of a
// missing database by its health. The store finds orders.

import { CrossgateError } from '../base/errors.ts';
import { type EndedOrders, UNREADABLE } from '../gateway/mod.ts';

/** Damaged places that are reported; further ones are only answered. */
const TOLD_MAX = 100;

export class ReadableOrders implements EndedOrders {
  private readonly ended: EndedOrders;
  private readonly tell: (text: string) => void;
  private readonly told = new Set<string>();

  /** @param tell takes what is damaged, once per place: file, offset and what to do */
  constructor(ended: EndedOrders, tell: (text: string) => void) {
    this.ended = ended;
    this.tell = tell;
  }

  find(key: string): string | typeof UNREADABLE | null {
    try {
      return this.ended.find(key);
    } catch (error) {
      if (error instanceof CrossgateError && error.code === 'XG_JOURNAL_UNREADABLE') return UNREADABLE;
      if (!isOfDisk(error)) throw error;
      const { message } = error;
      if (this.told.has(message) || this.told.size >= TOLD_MAX) return UNREADABLE;
      this.told.add(message);
      this.tell(message);
      return UNREADABLE;
    }
  }
}

/** Damage, or a disk that gives nothing. */
function isOfDisk(error: unknown): error is Error {
  if (error instanceof CrossgateError) return error.code === 'XG_JOURNAL_CORRUPT';
  return error instanceof Error && 'syscall' in error;
}
