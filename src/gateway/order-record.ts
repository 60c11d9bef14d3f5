// The durable form of an order chain: compact JSON, the whole state, so that the last record of a key is enough.
// Leaves to the store when it becomes durable, and to recovery.ts what follows from it.

import { Decimal } from '../base/decimal.ts';
import { type ChangeRequest, newRun, type Order, type OrderTerms } from './order.ts';

/** Version of the record's shape; a reader refuses what it does not know. */
const RECORD_VERSION = 1;

/** A mass cancel that was carried out: it must not run twice either (rule U4). */
export interface MassCancelRecord {
  readonly kind: 'massCancel';
  readonly key: string;
  readonly sessionId: string;
  readonly clOrdID: string;
}

export type GatewayRecord = { readonly kind: 'order'; readonly order: Order } | MassCancelRecord;

/** Write an order as its record. */
export function encodeOrder(order: Order): string {
  const { run: _run, tradeIds, ...state } = order;
  return JSON.stringify({ v: RECORD_VERSION, kind: 'order', ...state, tradeIds: [...tradeIds] });
}

export function encodeMassCancel(record: MassCancelRecord): string {
  return JSON.stringify({ v: RECORD_VERSION, ...record });
}

type Stored<T> = { [K in keyof T]: T[K] extends Decimal ? string : T[K] extends Decimal | null ? string | null : T[K] };
type StoredOrder = Stored<Omit<Order, 'run' | 'tradeIds' | 'terms' | 'requests'>> & {
  readonly v: number;
  readonly kind: 'order';
  readonly tradeIds: string[];
  readonly terms: Stored<OrderTerms>;
  readonly requests: Stored<ChangeRequest>[];
};

const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : Decimal.of(text));

/** Read a record back. Null if it is not one that this version wrote. */
export function decodeRecord(text: string): GatewayRecord | null {
  const stored = JSON.parse(text) as StoredOrder | ({ readonly v: number } & MassCancelRecord);
  if (stored.v !== RECORD_VERSION) return null;
  if (stored.kind === 'massCancel') return stored;
  if (stored.kind !== 'order') return null;
  const { v: _v, kind: _kind, terms, requests, tradeIds, ...rest } = stored;
  const order: Order = {
    ...rest,
    cumQty: Decimal.of(stored.cumQty),
    grossAmt: Decimal.of(stored.grossAmt),
    exchangeFilled: Decimal.of(stored.exchangeFilled),
    terms: {
      ...terms,
      price: decimalOrNull(terms.price),
      stopPx: decimalOrNull(terms.stopPx),
      orderQty: Decimal.of(terms.orderQty),
    },
    requests: requests.map((request) => ({
      ...request,
      price: decimalOrNull(request.price),
      orderQty: decimalOrNull(request.orderQty),
    })),
    tradeIds: new Set(tradeIds),
    run: newRun(),
  };
  return { kind: 'order', order };
}
