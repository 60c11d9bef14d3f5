// The durable form of an order chain: compact JSON, the whole state, so that the last record of a key is enough.
// Leaves what else is recorded to record-kinds.ts, when it becomes durable to the store, and what follows from it to recovery.ts.

import { assert } from '../base/assert.ts';
import { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';
import { type Names, toNames } from './names.ts';
import { type ChangeRequest, keyOf, newOrder, type Order, type OrderEcho, type OrderSwap, tradesOf } from './order.ts';
import { runOf } from './order-run.ts';
import { remember } from './order-timeline.ts';
import { type GatewayRecord, PLAIN_KINDS, type PlainRecord } from './record-kinds.ts';
import { SharedParts } from './shared-parts.ts';
import type { OrderTerms } from './terms.ts';

/** Version of the record's shape; a reader refuses what it does not know. */
const RECORD_VERSION = 1;

/** Nothing in it that JSON writes differently. */
const PLAIN = /^[ !#-[\]-~]*$/;
const quoted = (text: string | null): string => {
  if (text === null) return 'null';
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
};
const quotedNames = (names: Names): string =>
  typeof names === 'string' ? `[${quoted(names)}]` : JSON.stringify(names);
const amount = (value: Decimal | null): string => (value === null ? 'null' : `"${value}"`);

function encodeEcho({ account, senderSubID, onBehalfOfCompID, onBehalfOfSubID, fields }: OrderEcho): string {
  return (
    `{"account":${quoted(account)},"senderSubID":${quoted(senderSubID)},"onBehalfOfCompID":${quoted(onBehalfOfCompID)}` +
    `${onBehalfOfSubID === null ? '' : `,"onBehalfOfSubID":${quoted(onBehalfOfSubID)}`}` +
    `,"fields":${fields.length === 0 ? '[]' : JSON.stringify(fields)}}`
  );
}

function encodeTerms(terms: OrderTerms): string {
  const { side, ordType, cancelOnLoss, exchangeTimeInForce, price, stopPx, orderQty, mmp } = terms;
  // Where messages are not validated, those of a refused order are any text.
  return (
    `{"symbol":${quoted(terms.symbol)},"exchangeSymbol":${quoted(terms.exchangeSymbol)},"side":${quoted(side)}` +
    `,"ordType":${quoted(ordType)},"execInst":${quoted(terms.execInst)}` +
    `${cancelOnLoss === undefined ? '' : `,"cancelOnLoss":${cancelOnLoss}`}` +
    `,"timeInForce":${quoted(terms.timeInForce)},"exchangeTimeInForce":"${exchangeTimeInForce}"` +
    `,"price":${amount(price)},"stopPx":${amount(stopPx)},"orderQty":${amount(orderQty)}` +
    `,"cashMargin":${quoted(terms.cashMargin)},"mmp":${mmp}}`
  );
}

/** The part of a record that only an amendment changes, kept between the records of an order. */
function encodeHead(order: Order): string {
  const { run } = order;
  if (run.head !== null && run.head.terms === order.terms) {
    const { json } = run.head;
    if (order.state !== 'A') runOf(order).head = null;
    return json;
  }
  const { sessionId, receivedAt, tradingAccountId, credential, echo, terms } = order;
  const json =
    `"key":${quoted(keyOf(order))},"sessionId":${quoted(sessionId)},"receivedAt":${receivedAt}` +
    `,"tradingAccountId":${quoted(tradingAccountId)},"credential":${quoted(credential)}` +
    `,"echo":${encodeEcho(echo)},"terms":${encodeTerms(terms)}`;
  // A resting order keeps none: it may rest for long, and there are many.
  if (order.state === 'A') runOf(order).head = { terms, json };
  else if (run.head !== null) runOf(order).head = null;
  return json;
}

/** What only a chain with several legs has (rule O6). */
function encodeLegs(order: Order): string {
  const { chainOrderId, earlierLegs, filledBefore, legQty, legAt } = order;
  if (chainOrderId === null && earlierLegs.length === 0 && filledBefore.isZero()) return '';
  return `,"chainOrderId":${quoted(chainOrderId)},"earlierLegs":${JSON.stringify(earlierLegs)},"filledBefore":${amount(filledBefore)},"legQty":${amount(legQty)},"legAt":${legAt}`;
}

/**
 * The same text in one piece: put together from many, it would keep all of them, several times its own size, until it is
 * written; those of a mass cancel are kept by the ten thousand.
 */
function inOnePiece(text: string): string {
  // To be looked through, it is laid out.
  assert(text.indexOf('\n') === -1, 'JSON of a record is one line');
  return text;
}

/**
 * Write an order as its record. Every change of every order comes through here, so the text is put together by hand
 * around the cached head; `decodeRecord` is its plain counterpart and a test holds the two together.
 */
export function encodeOrder(order: Order): string {
  return inOnePiece(
    `{"v":${RECORD_VERSION},"kind":"order",${encodeHead(order)},"clOrdID":${quoted(order.clOrdID)}` +
      `,"origClOrdID":${quoted(order.origClOrdID)},"clOrdIDs":${quotedNames(order.clOrdIDs)}` +
      `,"reference":${quoted(order.reference)},"references":${quotedNames(order.references)}` +
      `,"exchangeOrderId":${quoted(order.exchangeOrderId)}${encodeLegs(order)},"state":"${order.state}","stage":"${order.stage}"` +
      `,"pendingNewReported":${order.pendingNewReported},"triggered":${order.triggered}` +
      `,"cumQty":${amount(order.cumQty)},"grossAmt":${amount(order.grossAmt)}` +
      `,"exchangeFilled":${amount(order.exchangeFilled)},"end":${order.end === null ? 'null' : JSON.stringify(order.end)}` +
      `,"requests":${order.requests.length === 0 ? '[]' : JSON.stringify(order.requests)}` +
      `,"requestCount":${order.requestCount},"cancelWanted":${quoted(order.cancelWanted)},"restatements":${order.restatements},"absent":${order.absent}` +
      `,"auctionId":${quoted(order.auctionId)},"borrowedQty":${quoted(order.borrowedQty)}` +
      `,"publishedAt":${order.publishedAt},"lastText":${quoted(order.lastText)}` +
      `,"ordRejReason":${quoted(order.ordRejReason)},"timeline":${JSON.stringify(order.timeline)}` +
      `${order.tradesRecorded === 0 ? '' : `,"tradesRecorded":${order.tradesRecorded}`}` +
      `,"tradeIds":${order.tradeIds === null ? '[]' : JSON.stringify([...order.tradeIds].slice(order.tradesRecorded))}}`,
  );
}

/** Write any record but an order's. */
export function encodeRecord(record: PlainRecord): string {
  return JSON.stringify({ v: RECORD_VERSION, ...record });
}

type Stored<T> = { [K in keyof T]: T[K] extends Decimal ? string : T[K] extends Decimal | null ? string | null : T[K] };
type StoredOrder = Stored<
  Omit<Order, 'run' | 'seenRound' | 'tradeIds' | 'terms' | 'requests' | 'timeline' | 'clOrdIDs' | 'references'>
> & {
  readonly v: number;
  readonly kind: 'order';
  readonly clOrdIDs: readonly string[];
  readonly references: readonly string[];
  readonly tradeIds: readonly string[];
  readonly terms: Stored<OrderTerms>;
  readonly requests: readonly StoredRequest[];
  /** A list of times and words in records from before it became one text. */
  readonly timeline: string | readonly (readonly [at: EpochMs, what: string])[];
};
type StoredRequest = Stored<Omit<ChangeRequest, 'swap'>> & { readonly swap: Stored<OrderSwap> | null };

/** Most amounts of a resting order are zero: these share one. */
const decimalOf = (text: string): Decimal => (text === '0' ? Decimal.ZERO : Decimal.of(text));
const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : Decimal.of(text));

/** Read a record back that may be anything; null if it makes no sense. */
export function readRecord(text: string, parts: SharedParts): GatewayRecord | null {
  try {
    return decodeRecord(text, parts);
  } catch {
    return null;
  }
}

/**
 * Read a record back; what it has in common with others is taken from `parts`. Null if this version did not write it.
 * @throws whatever a text that is no record of this version leads to
 */
export function decodeRecord(text: string, parts = new SharedParts()): GatewayRecord | null {
  const stored = JSON.parse(text) as StoredOrder | ({ readonly v: number } & PlainRecord);
  if (stored.v !== RECORD_VERSION) return null;
  if (stored.kind !== 'order') return PLAIN_KINDS.has(stored.kind) ? stored : null;
  const order = beginningOf(stored, parts);
  order.origClOrdID = stored.origClOrdID;
  order.state = stored.state;
  order.pendingNewReported = stored.pendingNewReported;
  order.triggered = stored.triggered;
  order.cumQty = decimalOf(stored.cumQty);
  order.grossAmt = decimalOf(stored.grossAmt);
  order.exchangeFilled = decimalOf(stored.exchangeFilled);
  order.tradeIds = tradesOf(stored.tradeIds);
  order.tradesRecorded = stored.tradesRecorded ?? 0;
  order.end = stored.end;
  if (stored.requests.length > 0) order.requests = stored.requests.map(decodeRequest);
  order.requestCount = stored.requestCount;
  order.restatements = stored.restatements;
  order.absent = stored.absent;
  order.publishedAt = stored.publishedAt;
  order.lastText = stored.lastText;
  order.ordRejReason = stored.ordRejReason;
  // Records from before these fields existed, or of a chain with one leg.
  order.cancelWanted = stored.cancelWanted ?? null;
  order.borrowedQty = stored.borrowedQty ?? null;
  order.chainOrderId = stored.chainOrderId ?? null;
  if ((stored.earlierLegs?.length ?? 0) > 0) order.earlierLegs = stored.earlierLegs;
  order.filledBefore = decimalOf(stored.filledBefore ?? '0');
  order.legQty = decimalOrNull(stored.legQty ?? null);
  order.legAt = stored.legAt ?? null;
  if (typeof stored.timeline === 'string') order.timeline = stored.timeline;
  else for (const [at, what] of stored.timeline) remember(order, at, what);
  return { kind: 'order', order };
}

/** What an order begins with, its texts and theirs held once. */
function beginningOf(stored: StoredOrder, parts: SharedParts): Order {
  const { terms, clOrdIDs, references } = stored;
  // The present names of a chain are among all its names.
  const held = (text: string, among: readonly string[]): string => among[among.lastIndexOf(text)] ?? text;
  return newOrder({
    sessionId: parts.text(stored.sessionId),
    receivedAt: stored.receivedAt,
    tradingAccountId: parts.text(stored.tradingAccountId),
    credential: parts.text(stored.credential),
    // Records from before it was kept have none.
    echo: parts.echo({ ...stored.echo, onBehalfOfSubID: stored.echo.onBehalfOfSubID ?? null }),
    terms: {
      ...terms,
      symbol: parts.text(terms.symbol),
      exchangeSymbol: parts.text(terms.exchangeSymbol),
      price: decimalOrNull(terms.price),
      stopPx: decimalOrNull(terms.stopPx),
      orderQty: decimalOf(terms.orderQty),
    },
    clOrdID: held(stored.clOrdID, clOrdIDs),
    clOrdIDs: toNames(clOrdIDs),
    reference: stored.reference === null ? null : held(stored.reference, references),
    references: toNames(references),
    exchangeOrderId: stored.exchangeOrderId,
    stage: stored.stage,
    auctionId: stored.auctionId,
  });
}

function decodeRequest(request: StoredRequest): ChangeRequest {
  return {
    ...request,
    asker: request.asker ?? null,
    requestId: request.requestId ?? null,
    acknowledgedAt: request.acknowledgedAt ?? null,
    price: decimalOrNull(request.price),
    orderQty: decimalOrNull(request.orderQty),
    swap: request.swap == null ? null : { ...request.swap, stopPx: decimalOrNull(request.swap.stopPx) },
  };
}
