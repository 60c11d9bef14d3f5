// Ended orders as the gateway records them, written without it: one is seen through by the gateway, all others are its
// records under other names. A million orders are then known in seconds, and the journal is the one that they would leave.

import type { JournalRecord } from '../../src/store/mod.ts';

export type OrderRecord = Extract<JournalRecord, { kind: 'order' }>;

/** Names of an order. */
export interface OrderNames {
  readonly clOrdID: string;
  readonly orderId: string;
  readonly reference: string;
}

/** A text with names in it, as what stands between them. */
interface Pattern {
  readonly parts: readonly string[];
  readonly names: readonly (keyof OrderNames)[];
}

const NAMES = ['clOrdID', 'orderId', 'reference'] as const;

/** Find the names: a reference is a short number, so only where it is quoted or ends a key. */
function patternOf(text: string, names: OrderNames): Pattern {
  const found: { at: number; name: keyof OrderNames }[] = [];
  for (const name of NAMES) {
    for (let at = text.indexOf(names[name]); at !== -1; at = text.indexOf(names[name], at + 1)) {
      const around = `${text[at - 1]}${text[at + names[name].length] ?? ''}`;
      if (name !== 'reference' || around === '""' || around === '/') found.push({ at, name });
    }
  }
  found.sort((a, b) => a.at - b.at);
  const parts: string[] = [];
  let from = 0;
  for (const { at, name } of found) {
    parts.push(text.slice(from, at));
    from = at + names[name].length;
  }
  return { parts: [...parts, text.slice(from)], names: found.map(({ name }) => name) };
}

function fill({ parts, names }: Pattern, order: OrderNames): string {
  let text = parts[0]!;
  for (let i = 0; i < names.length; i++) text += order[names[i]!] + parts[i + 1]!;
  return text;
}

/** The records of one order, to be written for others. */
export class OrderTemplate {
  readonly #records: readonly { key: Pattern; record: Pattern; ended: readonly Pattern[] | null }[];

  constructor(records: readonly OrderRecord[], names: OrderNames) {
    this.#records = records.map(({ key, record, ended }) => ({
      key: patternOf(key, names),
      record: patternOf(record, names),
      ended: ended?.map((known) => patternOf(known, names)) ?? null,
    }));
  }

  /** The gateway's records of an order with these names, a frame each. */
  recordsOf(order: OrderNames): OrderRecord[] {
    return this.#records.map(({ key, record, ended }) => ({
      kind: 'order',
      key: fill(key, order),
      record: fill(record, order),
      ...(ended === null ? {} : { ended: ended.map((pattern) => fill(pattern, order)) }),
    }));
  }
}
