// The durable form of an order chain: compact JSON of the whole state, so that the last record of a key is enough.
// Values that are unchanged since the order began are left out, which is most of every record. record-kinds.ts lists
// other records; the store makes them durable; recovery.ts applies them.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { type Names, toNames } from '../vocabulary/one-or-many.ts';
import { SharedParts } from './interning.ts';
import { type ChangeRequest, keyOf, newOrder, type Order, type OrderEcho, type OrderSwap, tradesOf } from './order.ts';
import { runOf } from './order-runtime.ts';
import type { OrderTerms } from './order-terms.ts';
import { remember } from './order-timeline.ts';
import { type GatewayRecord, PLAIN_KINDS, type PlainRecord } from './record-kinds.ts';

/** Version of the record's shape; a reader refuses an unknown one. In those of 1 nothing is left out. */
const RECORD_VERSION = 2;
const FIRST_VERSION = 1;

/** Nothing in it that JSON writes differently. */
const PLAIN = /^[ !#-[\]-~]*$/;
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
/** A member of an object, with its prefix; empty if absent. */
const textIf = (member: string, text: string | null | undefined): string => (text == null ? '' : member + quoted(text));
const amountIf = (member: string, value: Decimal): string => (value === Decimal.ZERO ? '' : `${member}"${value}"`);
const listIf = (member: string, list: readonly unknown[]): string =>
  list.length === 0 ? '' : member + JSON.stringify(list);
/** One name mostly, and then the present one. */
const namesIf = (member: string, names: Names, present: string | null): string => {
  if (typeof names !== 'string') return member + JSON.stringify(names);
  return names === present ? '' : `${member}[${quoted(names)}]`;
};

function encodeEcho({ account, senderSubID, onBehalfOfCompID, onBehalfOfSubID, fields }: OrderEcho): string {
  let json = `{"account":${quoted(account)}`;
  json += textIf(',"senderSubID":', senderSubID);
  json += textIf(',"onBehalfOfCompID":', onBehalfOfCompID);
  json += textIf(',"onBehalfOfSubID":', onBehalfOfSubID);
  return `${json}${listIf(',"fields":', fields)}}`;
}

function encodeTerms(terms: OrderTerms): string {
  const { cancelOnLoss, mmp, namedAuction, negotiated } = terms;
  // Where messages are not validated, those of a refused order are any text.
  let json = `{"symbol":${quoted(terms.symbol)},"side":${quoted(terms.side)},"ordType":${quoted(terms.ordType)}`;
  if (terms.exchangeSymbol !== terms.symbol) json += `,"exchangeSymbol":${quoted(terms.exchangeSymbol)}`;
  json += textIf(',"execInst":', terms.execInst);
  if (cancelOnLoss !== undefined) json += `,"cancelOnLoss":${cancelOnLoss}`;
  if (namedAuction !== undefined) json += `,"namedAuction":${quoted(namedAuction)}`;
  json += textIf(',"timeInForce":', terms.timeInForce);
  json += `,"exchangeTimeInForce":"${terms.exchangeTimeInForce}"`;
  if (terms.price !== null) json += `,"price":"${terms.price}"`;
  if (terms.stopPx !== null) json += `,"stopPx":"${terms.stopPx}"`;
  json += `,"orderQty":"${terms.orderQty}"`;
  json += textIf(',"cashMargin":', terms.cashMargin);
  if (mmp !== null) json += `,"mmp":${mmp}`;
  if (negotiated === true) json += ',"negotiated":true';
  return `${json}}`;
}

type Whose = Pick<Order, 'sessionId' | 'tradingAccountId' | 'credential' | 'echo'>;
let latestWhose: { readonly of: Whose; readonly json: string } | null = null;

/** The owner of an order, mostly the same as that of the order before. */
function encodeWhose({ sessionId, tradingAccountId, credential, echo }: Order): string {
  if (
    latestWhose !== null &&
    latestWhose.of.echo === echo &&
    latestWhose.of.sessionId === sessionId &&
    latestWhose.of.tradingAccountId === tradingAccountId &&
    latestWhose.of.credential === credential
  ) {
    return latestWhose.json;
  }
  const json =
    `"sessionId":${quoted(sessionId)},"tradingAccountId":${quoted(tradingAccountId)}` +
    `,"credential":${quoted(credential)},"echo":${encodeEcho(echo)}`;
  latestWhose = { of: { sessionId, tradingAccountId, credential, echo }, json };
  return json;
}

/** The part of a record that only an amendment changes, kept between the records of an order. */
function encodeHead(order: Order): string {
  const { run } = order;
  if (run.head !== null && run.head.terms === order.terms) {
    const { json } = run.head;
    if (order.state !== 'A') runOf(order).head = null;
    return json;
  }
  const { receivedAt, terms } = order;
  const json = `"key":${quoted(keyOf(order))},${encodeWhose(order)},"receivedAt":${receivedAt},"terms":${encodeTerms(terms)}`;
  // A resting order keeps none: it may rest for long, and there are many.
  if (order.state === 'A') runOf(order).head = { terms, json };
  else if (run.head !== null) runOf(order).head = null;
  return json;
}

/** Fields of a chain with several legs only (rule O6). */
function encodeLegs(order: Order): string {
  const { chainOrderId, earlierLegs, filledBefore, legQty, legAt } = order;
  if (chainOrderId === null && earlierLegs.length === 0 && filledBefore.isZero()) return '';
  const legs = `${textIf(',"chainOrderId":', chainOrderId)}${listIf(',"earlierLegs":', earlierLegs)}`;
  const leg = legQty === null ? '' : `,"legQty":"${legQty}"`;
  return `${legs}${amountIf(',"filledBefore":', filledBefore)}${leg}${legAt === null ? '' : `,"legAt":${legAt}`}`;
}

/** Fills of the exchange, and the part already counted. */
function encodeFills(order: Order): string {
  const { tradeIds, tradesRecorded } = order;
  let json = amountIf(',"cumQty":', order.cumQty);
  json += amountIf(',"grossAmt":', order.grossAmt);
  json += amountIf(',"exchangeFilled":', order.exchangeFilled);
  if (tradesRecorded !== 0) json += `,"tradesRecorded":${tradesRecorded}`;
  return tradeIds === null ? json : json + listIf(',"tradeIds":', [...tradeIds].slice(tradesRecorded));
}

/** Requests on the order, and its end. */
function encodeRequests(order: Order): string {
  const { requests, requestCount, end } = order;
  let json = listIf(',"requests":', requests);
  if (requestCount !== 0) json += `,"requestCount":${requestCount}`;
  if (end !== null) json += `,"end":${JSON.stringify(end)}`;
  json += textIf(',"cancelWanted":', order.cancelWanted);
  json += textIf(',"lastText":', order.lastText);
  return json + textIf(',"ordRejReason":', order.ordRejReason);
}

/**
 * The same text as one flat string. A string joined from many parts would keep all of them, several times its own size,
 * until it is written; a mass cancel holds ten thousand.
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
  const { clOrdID, reference } = order;
  let json = `{"v":${RECORD_VERSION},"kind":"order",${encodeHead(order)},"clOrdID":${quoted(clOrdID)}`;
  json += textIf(',"origClOrdID":', order.origClOrdID);
  json += namesIf(',"clOrdIDs":', order.clOrdIDs, clOrdID);
  json += textIf(',"reference":', reference);
  json += namesIf(',"references":', order.references, reference);
  json += textIf(',"exchangeOrderId":', order.exchangeOrderId);
  json += encodeLegs(order);
  json += `,"state":"${order.state}","stage":"${order.stage}"`;
  if (order.pendingNewReported) json += ',"pendingNewReported":true';
  if (order.triggered) json += ',"triggered":true';
  json += encodeFills(order);
  json += encodeRequests(order);
  if (order.restatements !== 0) json += `,"restatements":${order.restatements}`;
  if (order.absent) json += ',"absent":true';
  json += textIf(',"auctionId":', order.auctionId);
  json += textIf(',"borrowedQty":', order.borrowedQty);
  if (order.publishedAt !== 0) json += `,"publishedAt":${order.publishedAt}`;
  return inOnePiece(`${json},"timeline":${JSON.stringify(order.timeline)}}`);
}

/** Write any record but an order's. */
export function encodeRecord(record: PlainRecord): string {
  return JSON.stringify({ v: RECORD_VERSION, ...record });
}

type Stored<T> = { [K in keyof T]: T[K] extends Decimal ? string : T[K] extends Decimal | null ? string | null : T[K] };
type Beginning = 'sessionId' | 'receivedAt' | 'tradingAccountId' | 'credential' | 'clOrdID' | 'state' | 'stage';
type StoredTerms = Partial<Stored<OrderTerms>> &
  Pick<Stored<OrderTerms>, 'symbol' | 'side' | 'ordType' | 'exchangeTimeInForce' | 'orderQty'>;
type StoredOrder = Pick<Order, Beginning> &
  Partial<Stored<Omit<Order, Beginning | 'run' | 'seenRound' | 'echo' | 'terms' | Listed>>> & {
    readonly v: number;
    readonly kind: 'order';
    readonly echo: Partial<OrderEcho> & Pick<OrderEcho, 'account'>;
    readonly terms: StoredTerms;
    readonly clOrdIDs?: readonly string[];
    readonly references?: readonly string[];
    readonly tradeIds?: readonly string[];
    readonly requests?: readonly StoredRequest[];
    /** A list of times and words in records from before it became one text. */
    readonly timeline: string | readonly (readonly [at: EpochMs, what: string])[];
  };
type Listed = 'clOrdIDs' | 'references' | 'tradeIds' | 'requests' | 'timeline';
type StoredRequest = Stored<Omit<ChangeRequest, 'swap'>> & { readonly swap: Stored<OrderSwap> | null };

/** Most amounts of a resting order are zero: these share one. */
const decimalOf = (text = '0'): Decimal => (text === '0' ? Decimal.ZERO : Decimal.of(text));
const decimalOrNull = (text: string | null | undefined): Decimal | null => (text == null ? null : Decimal.of(text));

/** Read a record back that may be anything; null if it makes no sense. */
export function readRecord(text: string, parts: SharedParts): GatewayRecord | null {
  try {
    return decodeRecord(text, parts);
  } catch {
    return null;
  }
}

/**
 * Read a record back; its shared parts are taken from `parts`. Null if this version did not write it.
 * @throws whatever a text that is no record of this version leads to
 */
export function decodeRecord(text: string, parts = new SharedParts()): GatewayRecord | null {
  const stored = JSON.parse(text) as StoredOrder | ({ readonly v: number } & PlainRecord);
  if (stored.v !== RECORD_VERSION && stored.v !== FIRST_VERSION) return null;
  if (stored.kind !== 'order') return PLAIN_KINDS.has(stored.kind) ? stored : null;
  const order = beginningOf(stored, parts);
  const { tradeIds, requests, earlierLegs } = stored;
  // An absent field has its value from the order's beginning.
  order.origClOrdID = stored.origClOrdID ?? null;
  order.state = stored.state;
  order.pendingNewReported = stored.pendingNewReported ?? false;
  order.triggered = stored.triggered ?? false;
  order.cumQty = decimalOf(stored.cumQty);
  order.grossAmt = decimalOf(stored.grossAmt);
  order.exchangeFilled = decimalOf(stored.exchangeFilled);
  if (tradeIds !== undefined) order.tradeIds = tradesOf(tradeIds);
  order.tradesRecorded = stored.tradesRecorded ?? 0;
  order.end = stored.end ?? null;
  if (requests !== undefined && requests.length > 0) order.requests = requests.map(decodeRequest);
  order.requestCount = stored.requestCount ?? 0;
  order.restatements = stored.restatements ?? 0;
  order.absent = stored.absent ?? false;
  order.publishedAt = stored.publishedAt ?? 0;
  order.lastText = stored.lastText ?? null;
  order.ordRejReason = stored.ordRejReason ?? null;
  order.cancelWanted = stored.cancelWanted ?? null;
  order.borrowedQty = stored.borrowedQty ?? null;
  order.chainOrderId = stored.chainOrderId ?? null;
  if (earlierLegs !== undefined && earlierLegs.length > 0) order.earlierLegs = earlierLegs;
  order.filledBefore = decimalOf(stored.filledBefore);
  order.legQty = decimalOrNull(stored.legQty);
  order.legAt = stored.legAt ?? null;
  if (typeof stored.timeline === 'string') order.timeline = stored.timeline;
  else for (const [at, what] of stored.timeline) remember(order, at, what);
  return { kind: 'order', order };
}

/** The initial values of an order; equal texts are stored once. */
function beginningOf(stored: StoredOrder, parts: SharedParts): Order {
  const { echo, clOrdID, reference = null } = stored;
  const { clOrdIDs = [clOrdID], references = reference === null ? [] : [reference] } = stored;
  // The present names of a chain are among all its names.
  const held = (text: string, among: readonly string[]): string => among[among.lastIndexOf(text)] ?? text;
  return newOrder({
    sessionId: parts.text(stored.sessionId),
    receivedAt: stored.receivedAt,
    tradingAccountId: parts.text(stored.tradingAccountId),
    credential: parts.text(stored.credential),
    echo: parts.echo({
      account: echo.account,
      senderSubID: echo.senderSubID ?? null,
      onBehalfOfCompID: echo.onBehalfOfCompID ?? null,
      onBehalfOfSubID: echo.onBehalfOfSubID ?? null,
      fields: echo.fields ?? [],
    }),
    terms: termsOf(stored.terms, parts),
    clOrdID: held(clOrdID, clOrdIDs),
    clOrdIDs: toNames(clOrdIDs),
    reference: reference === null ? null : held(reference, references),
    references: toNames(references),
    exchangeOrderId: stored.exchangeOrderId ?? null,
    stage: stored.stage,
    auctionId: stored.auctionId ?? null,
  });
}

function termsOf(stored: StoredTerms, parts: SharedParts): OrderTerms {
  const { symbol, side, ordType, exchangeSymbol = symbol, cancelOnLoss, namedAuction, exchangeTimeInForce } = stored;
  return {
    symbol: parts.text(symbol),
    exchangeSymbol: parts.text(exchangeSymbol),
    side,
    ordType,
    execInst: stored.execInst ?? null,
    ...(cancelOnLoss === undefined ? {} : { cancelOnLoss }),
    ...(namedAuction === undefined ? {} : { namedAuction }),
    timeInForce: stored.timeInForce ?? null,
    exchangeTimeInForce,
    price: decimalOrNull(stored.price),
    stopPx: decimalOrNull(stored.stopPx),
    orderQty: decimalOf(stored.orderQty),
    cashMargin: stored.cashMargin ?? null,
    mmp: stored.mmp ?? null,
    ...(stored.negotiated === true ? { negotiated: true } : {}),
  };
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
