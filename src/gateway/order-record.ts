// The durable form of an order chain: compact JSON, the whole state, so that the last record of a key is enough.
// Leaves to the store when it becomes durable, and to recovery.ts what follows from it.

import { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';
import type { KillSwitchScope } from './input.ts';
import { type ChangeRequest, newRun, type Order, type OrderSwap, type OrderTerms } from './order.ts';

/** Version of the record's shape; a reader refuses what it does not know. */
const RECORD_VERSION = 1;

/** A ClOrdID(11) of a q, or of a request on an order of another session: it must not run twice either (rule U4). */
export interface MassCancelRecord {
  readonly kind: 'massCancel';
  readonly key: string;
  readonly sessionId: string;
  readonly clOrdID: string;
}

/** A grace time that runs, so that its cancels come even if this process dies in it (rule C1); null ends it. */
export interface GraceRecord {
  readonly kind: 'grace';
  readonly key: string;
  readonly sessionId: string;
  readonly endsAt: EpochMs | null;
}

/** A list of orders: its ListID(66) is used once, and its end is told once. */
export interface ListRecord {
  readonly kind: 'list';
  readonly key: string;
  readonly sessionId: string;
  readonly listID: string;
  readonly clOrdIDs: readonly string[];
  readonly done: boolean;
}

/** A kill switch (rule O12): on, or off again. */
export interface KillSwitchRecord {
  readonly kind: 'killSwitch';
  readonly key: string;
  readonly scope: KillSwitchScope;
  readonly name: string;
  readonly thrownBy: string;
  readonly thrownAt: EpochMs;
  readonly why: string;
  readonly liftAskedBy: string | null;
  readonly on: boolean;
}

/** A message that waits for its turn (rule S7); null once it does not. */
export interface HeldRecord {
  readonly kind: 'held';
  readonly key: string;
  readonly sessionId: string;
  /** The frame, one character per byte. */
  readonly frame: string | null;
}

/** How far the references of an account may have been given out (rule O5). */
export interface ReferencesRecord {
  readonly kind: 'references';
  readonly key: string;
  readonly tradingAccountId: string;
  readonly ceiling: string;
  readonly wrapped: boolean;
}

/** References that only the exchange had, adopted by an operator (rule J3): all of the account so far. */
export interface AdoptedRecord {
  readonly kind: 'adopted';
  readonly key: string;
  readonly tradingAccountId: string;
  readonly references: readonly string[];
}

/** Every record but an order's. */
export type PlainRecord =
  | ReferencesRecord
  | AdoptedRecord
  | MassCancelRecord
  | GraceRecord
  | ListRecord
  | KillSwitchRecord
  | HeldRecord;
export type GatewayRecord = { readonly kind: 'order'; readonly order: Order } | PlainRecord;

const PLAIN_KINDS: ReadonlySet<string> = new Set<PlainRecord['kind']>([
  'massCancel',
  'grace',
  'list',
  'killSwitch',
  'held',
  'references',
  'adopted',
]);

const quoted = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));
const amount = (value: Decimal | null): string => (value === null ? 'null' : `"${value}"`);

/** The part of a record that only an amendment changes, kept between the records of an order. */
function encodeHead(order: Order): string {
  const { run } = order;
  if (run.head !== null && run.head.terms === order.terms) {
    const { json } = run.head;
    if (order.state !== 'A') run.head = null;
    return json;
  }
  const { key, sessionId, receivedAt, tradingAccountId, credential, echo, terms } = order;
  const json = JSON.stringify({ key, sessionId, receivedAt, tradingAccountId, credential, echo, terms }).slice(1, -1);
  // A resting order keeps none: it may rest for long, and there are many.
  run.head = order.state === 'A' ? { terms, json } : null;
  return json;
}

/** What only a chain with several legs has (rule O6). */
function encodeLegs(order: Order): string {
  const { chainOrderId, earlierLegs, filledBefore } = order;
  if (chainOrderId === null && earlierLegs.length === 0 && filledBefore.isZero()) return '';
  return `,"chainOrderId":${quoted(chainOrderId)},"earlierLegs":${JSON.stringify(earlierLegs)},"filledBefore":${amount(filledBefore)}`;
}

/**
 * Write an order as its record. Every change of every order comes through here, so the text is put together by hand
 * around the cached head; `decodeRecord` is its plain counterpart and a test holds the two together.
 */
export function encodeOrder(order: Order): string {
  let timeline = '';
  for (const [at, what] of order.timeline) timeline += `${timeline === '' ? '' : ','}[${at},${JSON.stringify(what)}]`;
  return (
    `{"v":${RECORD_VERSION},"kind":"order",${encodeHead(order)},"clOrdID":${quoted(order.clOrdID)}` +
    `,"origClOrdID":${quoted(order.origClOrdID)},"clOrdIDs":${JSON.stringify(order.clOrdIDs)}` +
    `,"reference":${quoted(order.reference)},"references":${JSON.stringify(order.references)}` +
    `,"exchangeOrderId":${quoted(order.exchangeOrderId)}${encodeLegs(order)},"state":"${order.state}","stage":"${order.stage}"` +
    `,"pendingNewReported":${order.pendingNewReported},"triggered":${order.triggered}` +
    `,"cumQty":${amount(order.cumQty)},"grossAmt":${amount(order.grossAmt)}` +
    `,"exchangeFilled":${amount(order.exchangeFilled)},"end":${order.end === null ? 'null' : JSON.stringify(order.end)}` +
    `,"requests":${order.requests.length === 0 ? '[]' : JSON.stringify(order.requests)}` +
    `,"requestCount":${order.requestCount},"cancelWanted":${quoted(order.cancelWanted)},"restatements":${order.restatements},"absent":${order.absent}` +
    `,"auctionId":${quoted(order.auctionId)},"borrowedQty":${quoted(order.borrowedQty)}` +
    `,"publishedAt":${order.publishedAt},"lastText":${quoted(order.lastText)}` +
    `,"ordRejReason":${quoted(order.ordRejReason)},"timeline":[${timeline}]` +
    `,"tradeIds":${order.tradeIds === null ? '[]' : JSON.stringify([...order.tradeIds])}}`
  );
}

/** Write any record but an order's. */
export function encodeRecord(record: PlainRecord): string {
  return JSON.stringify({ v: RECORD_VERSION, ...record });
}

type Stored<T> = { [K in keyof T]: T[K] extends Decimal ? string : T[K] extends Decimal | null ? string | null : T[K] };
type StoredOrder = Stored<Omit<Order, 'run' | 'tradeIds' | 'terms' | 'requests'>> & {
  readonly v: number;
  readonly kind: 'order';
  readonly tradeIds: string[];
  readonly terms: Stored<OrderTerms>;
  readonly requests: StoredRequest[];
};
type StoredRequest = Stored<Omit<ChangeRequest, 'swap'>> & { readonly swap: Stored<OrderSwap> | null };

const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : Decimal.of(text));

/** Read a record back. Null if it is not one that this version wrote. */
export function decodeRecord(text: string): GatewayRecord | null {
  const stored = JSON.parse(text) as StoredOrder | ({ readonly v: number } & PlainRecord);
  if (stored.v !== RECORD_VERSION) return null;
  if (stored.kind !== 'order') return PLAIN_KINDS.has(stored.kind) ? stored : null;
  const { v: _v, kind: _kind, terms, requests, tradeIds, ...rest } = stored;
  const order: Order = {
    ...rest,
    // Records from before these fields existed.
    cancelWanted: stored.cancelWanted ?? null,
    borrowedQty: stored.borrowedQty ?? null,
    cumQty: Decimal.of(stored.cumQty),
    grossAmt: Decimal.of(stored.grossAmt),
    exchangeFilled: Decimal.of(stored.exchangeFilled),
    chainOrderId: stored.chainOrderId ?? null,
    earlierLegs: stored.earlierLegs ?? [],
    filledBefore: Decimal.of(stored.filledBefore ?? '0'),
    terms: {
      ...terms,
      price: decimalOrNull(terms.price),
      stopPx: decimalOrNull(terms.stopPx),
      orderQty: Decimal.of(terms.orderQty),
    },
    requests: requests.map((request) => ({
      ...request,
      asker: request.asker ?? null,
      requestId: request.requestId ?? null,
      acknowledgedAt: request.acknowledgedAt ?? null,
      price: decimalOrNull(request.price),
      orderQty: decimalOrNull(request.orderQty),
      swap: request.swap == null ? null : { ...request.swap, stopPx: decimalOrNull(request.swap.stopPx) },
    })),
    tradeIds: tradeIds.length === 0 ? null : new Set(tradeIds),
    run: newRun(),
  };
  return { kind: 'order', order };
}
