// Writes MarketDataSnapshotFullRefresh(W), MarketDataIncrementalRefresh(X), MarketDataRequestReject(Y), and News(B) for
// data that a version has no entry for, each with the fields of the version (rules D1, D4). Callers decide the content.

import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import type { BookLevel, Noii } from '../../exchange/mod.ts';
import { MDEntryType, MDUpdateAction, MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { addText, type Reader } from '../reports/text.ts';
import type { FixVersion } from '../vocabulary/fix-version.ts';
import { addressTo, type Sender } from '../vocabulary/sender.ts';
import { addAuctionSession } from './auction-message.ts';
import type { MDChange, MDEntry, Picture } from './market-data-entry.ts';

/** Receiver of an answer, and the request that it answers. */
export interface MarketDataAddress extends Sender {
  readonly mdReqID: string;
  /** Symbol(55) in the session's words. */
  readonly symbol: string;
}

/** The session that market data is written for. */
export type MarketDataReader = Reader & { readonly version: FixVersion };

/** MDUpdateAction(279) of a change. */
const ACTIONS = {
  new: MDUpdateAction.New,
  change: MDUpdateAction.Change,
  delete: MDUpdateAction.Delete,
} as const;

/** QuoteCondition(276): closed, inactive. */
const INACTIVE = 'B';
/** OpenCloseSettlFlag(286): a theoretical price. */
const THEORETICAL = '5';

/** Everything that is to be known of a symbol at this moment, and its trades that were not said yet. */
export function fullRefresh(
  session: MarketDataReader,
  address: MarketDataAddress,
  picture: Picture,
  trades: readonly MDEntry[],
): MessageDraft {
  const body = fullBody(session, address.symbol, picture, trades);
  return addressed(MsgType.MarketDataSnapshotFullRefresh, address, body);
}

/** A message of market data for one receiver; the body is the same for all of the session's style. */
export function addressed(msgType: string, address: MarketDataAddress, body: MessageDraft): MessageDraft {
  const draft = addressTo(new MessageDraft(msgType), address).add(Tag.MDReqID, address.mdReqID).append(body);
  // The encoding of its texts.
  for (const [tag, value] of body.headerFields) draft.header(tag, value);
  return draft;
}

/** By the settings of a session: those that decide how a body is written, in one text. */
const styles = new WeakMap<MarketDataReader['config'], string>();

/** The settings of a session, the message, and its name of a symbol that decide how a body is written. */
export function styleOf({ config }: MarketDataReader, symbol: string, isFull: boolean): string {
  let style = styles.get(config);
  if (style === undefined) {
    const { beginString, defaultApplVerID = '', dialect, charset = '' } = config;
    style = `${beginString} ${defaultApplVerID} ${dialect} ${charset}`;
    styles.set(config, style);
  }
  return `${isFull ? 'W' : 'X'} ${symbol} ${style}`;
}

/** Everything behind MDReqID(262) of a W. */
export function fullBody(
  session: MarketDataReader,
  symbol: string,
  { bids, asks, rest }: Picture,
  trades: readonly MDEntry[],
): MessageDraft {
  const draft = new MessageDraft(MsgType.MarketDataSnapshotFullRefresh).add(Tag.Symbol, symbol);
  const { version } = session;
  const others = [...rest.values(), ...trades];
  const levels = bids.length + asks.length;
  const written = version.mdEntryTypes.has(MDEntryType.EmptyBook) ? withEmptyBook(levels, others) : others;
  draft.add(Tag.NoMDEntries, `${levels + written.length}`);
  addLevels(draft, MDEntryType.Bid, bids);
  addLevels(draft, MDEntryType.Offer, asks);
  for (const entry of written) {
    draft.add(Tag.MDEntryType, entry.type);
    addAmounts(version, draft, entry);
    addRest(session, draft, entry);
  }
  return draft;
}

function addLevels(draft: MessageDraft, type: string, levels: readonly BookLevel[]): void {
  for (let i = 0; i < levels.length; i++) {
    const { price, quantity } = levels[i]!;
    draft
      .add(Tag.MDEntryType, type)
      .add(Tag.MDEntryPx, price)
      .add(Tag.MDEntrySize, quantity)
      .add(Tag.MDEntryPositionNo, `${i + 1}`);
  }
}

/** A side of the book that counts no more is an empty book where the version has that (269=J), and so is nothing at all. */
function withEmptyBook(levels: number, entries: readonly MDEntry[]): readonly MDEntry[] {
  const isSide = ({ type, isInactive }: MDEntry): boolean =>
    isInactive === true && (type === MDEntryType.Bid || type === MDEntryType.Offer);
  const side = entries.find(isSide);
  if (side !== undefined) return [{ ...side, type: MDEntryType.EmptyBook }, ...entries.filter((one) => !isSide(one))];
  if (levels + entries.length > 0) return entries;
  return [{ type: MDEntryType.EmptyBook, key: '', px: null, size: null }];
}

/** Everything behind MDReqID(262) of an X: changes of a symbol. */
export function incrementalBody(session: MarketDataReader, symbol: string, changes: readonly MDChange[]): MessageDraft {
  const draft = new MessageDraft(MsgType.MarketDataIncrementalRefresh).add(Tag.NoMDEntries, `${changes.length}`);
  for (const { action, entry } of changes) {
    const { type, key } = entry;
    draft
      .add(Tag.MDUpdateAction, ACTIONS[action])
      .add(Tag.MDEntryType, type)
      // Unique among the present entries, and derived from fields of W, which has no such field.
      .add(Tag.MDEntryID, key === '' ? `${symbol}:${type}` : `${symbol}:${type}:${key}`)
      .add(Tag.Symbol, symbol);
    if (action === 'delete') draft.addIf(Tag.MDEntryPx, entry.px);
    else {
      addAmounts(session.version, draft, entry);
      addRest(session, draft, entry);
    }
  }
  return draft;
}

function addAmounts(version: FixVersion, draft: MessageDraft, entry: MDEntry): void {
  const { px, size, currency } = entry;
  if (entry.isInactive === true) {
    // FIX.4.2 demands a price in W; 276=B says that it counts for nothing.
    if (!version.hasParties) draft.add(Tag.MDEntryPx, '0').add(Tag.MDEntrySize, '0');
    return;
  }
  if (px !== null) draft.add(Tag.MDEntryPx, px);
  if (currency !== undefined) draft.add(Tag.Currency, currency);
  if (size !== null) draft.add(Tag.MDEntrySize, size);
}

function addRest(session: MarketDataReader, draft: MessageDraft, entry: MDEntry): void {
  const { version } = session;
  const { at, auctionId, tradeCondition, position, text } = entry;
  if (typeof at === 'number') addTime(draft, at);
  if (typeof auctionId === 'string') addAuctionSession(draft, session, auctionId);
  if (entry.isInactive === true) draft.add(Tag.QuoteCondition, INACTIVE);
  if (typeof tradeCondition === 'string') draft.add(Tag.TradeCondition, tradeCondition);
  // Before 4.4 the field has no such value.
  if (entry.isTheoretical === true && version.hasParties) draft.add(Tag.OpenCloseSettlFlag, THEORETICAL);
  if (position !== undefined) draft.add(Tag.MDEntryPositionNo, `${position}`);
  addText(draft, session, text ?? null);
}

function addTime(draft: MessageDraft, at: EpochMs): void {
  const text = formatUtcTimestamp(at);
  draft.add(Tag.MDEntryDate, text.slice(0, 8)).add(Tag.MDEntryTime, text.slice(9));
}

/** Turn a request down, or end a subscription. `reason` null: the version has no value for it. */
export function marketDataReject(
  session: Reader,
  address: Omit<MarketDataAddress, 'symbol'>,
  reason: string | null,
  text: string,
): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.MarketDataRequestReject), address)
    .add(Tag.MDReqID, address.mdReqID)
    .addIf(Tag.MDReqRejReason, reason);
  return addText(draft, session, text);
}

/** The imbalance of an auction in words. */
export function inWords(symbol: string, noii: Noii): string {
  const { eventType, farPrice, clearingPrice, pairedQuantity, imbalanceDirection, imbalanceQuantity } = noii;
  const reference = noii.referencePrice === null ? '' : `; reference price ${noii.referencePrice}`;
  const price =
    eventType === 'CROSS' ? `cleared at ${clearingPrice ?? 'no price'}` : `would clear at ${farPrice ?? 'no price'}`;
  const imbalance = imbalanceDirection === 'NONE' ? 'none' : `${imbalanceDirection} ${imbalanceQuantity ?? 'unknown'}`;
  return `Auction ${noii.auctionId} of ${symbol} ${price}; paired ${pairedQuantity ?? '0'}; imbalance ${imbalance}${reference}`;
}

/** For a version with entries that cannot express it (rule D4). */
export function imbalanceNews(session: Reader, address: MarketDataAddress, words: string): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.News), address)
    .add(Tag.Headline, `Auction imbalance of ${address.symbol}`)
    .add(Tag.NoLinesOfText, '1');
  return addText(draft, session, words);
}
