// Reads the terms of a NewOrderSingle(D): symbol and account by this session's names, order type, time in force, price
// and quantity as the market allows (rules O7, O8, T1–T3, D13). Nothing is rounded, nothing is guessed.

import { Decimal, DIGITS_MAX } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import { type MarketBoard, type MarketRules, namedAs } from '../vocabulary/market-board.ts';
import {
  fieldMissing,
  incorrectPriceIncrement,
  incorrectQuantity,
  other,
  type Refusal,
  unknownSymbol,
  unsupported,
  unsupportedOrdType,
} from '../vocabulary/refusal.ts';
import { isForAuction } from './gtx.ts';
import { fieldRefusal, nameOf, shown } from './order-fields.ts';

export type Reading<T> =
  | { readonly value: T; readonly refusal: null }
  | { readonly value: null; readonly refusal: Refusal };

const read = <T>(value: T): Reading<T> => ({ value, refusal: null });
const refuse = <T>(refusal: Refusal): Reading<T> => ({ value: null, refusal });

/** The market that a session's symbol means (rule O8): 55, or 48 where 55 says `[N/A]`; both must agree. */
export function readMarket(session: SessionState, board: MarketBoard, view: MessageView): Reading<MarketRules> {
  if (!board.isLoaded) return refuse(other('Reference data of the exchange are not loaded yet; try again'));
  const symbol = view.string(Tag.Symbol);
  const securityID = view.string(Tag.SecurityID);
  const named = symbolNamed(view);
  if (named === null) return refuse(fieldMissing('Symbol', Tag.Symbol, 'to name the market'));
  const exchangeSymbol = exchangeSymbolOf(session, named);
  const rules = board.rules(exchangeSymbol);
  const tag = named === symbol ? 'Symbol(55)' : 'SecurityID(48)';
  if (rules === null) return refuse(unknownSymbol(`${tag}=${named} is no market of the exchange and no alias here`));
  if (securityID !== null && named !== securityID && exchangeSymbolOf(session, securityID) !== exchangeSymbol) {
    return refuse(unknownSymbol(`Symbol(55)=${named} and SecurityID(48)=${securityID} name different markets`));
  }
  if (session.symbols !== null && !session.symbols.has(exchangeSymbol)) {
    return refuse(unknownSymbol(`${tag}=${named} is not on this session's list of symbols`));
  }
  return read(namedAs(rules, named));
}

/** A message's name for its market: Symbol(55), or SecurityID(48) if 55 is absent or `[N/A]`; null if both are. */
export function symbolNamed(view: MessageView): string | null {
  const symbol = view.string(Tag.Symbol);
  return symbol === null || symbol === '[N/A]' ? view.string(Tag.SecurityID) : symbol;
}

/** The exchange's name of a symbol as the session writes it (rule O8). */
export function exchangeSymbolOf(session: SessionState, name: string): string {
  return session.symbolAliases.get(name) ?? name;
}

/** The refusal of an order in a market that takes none now, or null. */
export function closedMarketRefusal({ market, name }: MarketRules): Refusal | null {
  if (market.marketEnabled && market.createOrderEnabled) return null;
  return other(`Symbol(55)=${name} takes no orders now: the market is disabled by the exchange`);
}

/** The refusal of a new order at these prices with the rest of another one's quantity (rule O6), or null. */
export function restRefusal(
  rules: MarketRules,
  { price, stopPx }: Pick<OrderTerms, 'price' | 'stopPx'>,
  rest: Decimal,
): Refusal | null {
  const ofNew = (name: string, value: Decimal | null): Refusal | null =>
    value === null ? null : offGridRefusal(rules, value, `${name}=${value.trimmed()} of the new order`);
  return (
    ofNew('Price(44)', price) ?? ofNew('StopPx(99)', stopPx) ?? sizeRefusal(rules, rest, `the rest, ${rest.trimmed()},`)
  );
}

/** Read the terms of a D on a market. */
export function readTerms(
  session: SessionState,
  rules: MarketRules,
  view: MessageView,
  now: EpochMs,
): Reading<OrderTerms> {
  const field = fieldRefusal(session, rules, view, now);
  if (field !== null) return refuse(field);
  const type = readOrdType(session, rules, view);
  if (type.refusal !== null) return refuse(type.refusal);
  const { ordType, execInst, cancelOnLoss } = type.value;
  const timeInForce = view.string(Tag.TimeInForce);
  const inForce = readTimeInForce(session, ordType, timeInForce);
  if (inForce.refusal !== null) return refuse(inForce.refusal);
  const isPostOnly = ordType === 'p' || execInst !== null;
  if ((isPostOnly || ordType === '4') && inForce.value !== 'GTC') {
    const what = isPostOnly ? 'A post-only order' : 'OrdType(40)=4 (stop limit)';
    return refuse(unsupported(`${what} works with TimeInForce(59)=1 only, not with ${timeInForce}`));
  }
  const prices = readPrices(rules, ordType, view);
  if (prices.refusal !== null) return refuse(prices.refusal);
  const orderQty = readQuantity(rules, view);
  if (orderQty.refusal !== null) return refuse(orderQty.refusal);
  const side = view.string(Tag.Side);
  if (side === null) return refuse(fieldMissing('Side', Tag.Side, 'to say whether it buys or sells'));
  if (side !== '1' && side !== '2') {
    return refuse(unsupported(`Side(54)=${side} is not supported: use 1 (buy) or 2 (sell)`));
  }
  const margin = readMargin(view);
  if (margin.refusal !== null) return refuse(margin.refusal);
  const mmp = readMmp(rules, view);
  if (mmp.refusal !== null) return refuse(mmp.refusal);
  const terms: OrderTerms = {
    symbol: view.string(Tag.Symbol) ?? rules.market.symbol,
    exchangeSymbol: rules.market.symbol,
    side,
    ordType,
    execInst,
    timeInForce,
    exchangeTimeInForce: inForce.value,
    price: prices.value.price,
    stopPx: prices.value.stopPx,
    orderQty: orderQty.value,
    cashMargin: margin.value,
    mmp: mmp.value,
  };
  return read(cancelOnLoss ? { ...terms, cancelOnLoss } : terms);
}

/** The combined meaning of 40 and 18. */
interface OrdTypeReading {
  readonly ordType: OrderTerms['ordType'];
  readonly execInst: string | null;
  readonly cancelOnLoss: boolean;
}

/** 40 with 18: 1, 2, 4 and p; 18=6 makes a limit order post-only in the standard's words; 18=o asks for rule C1 (D3). */
function readOrdType(session: SessionState, rules: MarketRules, view: MessageView): Reading<OrdTypeReading> {
  const ordType = view.string(Tag.OrdType);
  // In E it may be left out.
  if (ordType === null) return refuse(fieldMissing('OrdType', Tag.OrdType, 'to state the order type'));
  const instructions = view.string(Tag.ExecInst)?.split(' ') ?? [];
  const cancelOnLoss = session.version.hasLateFields && instructions.includes('o');
  const rest = instructions.filter((instruction) => !(cancelOnLoss && instruction === 'o'));
  const execInst = rest.length === 0 ? null : rest.join(' ');
  if (ordType !== '1' && ordType !== '2' && ordType !== '4' && ordType !== 'p') {
    const known = 'use 1 (market), 2 (limit), 4 (stop limit) or p (post only)';
    return refuse(unsupportedOrdType(`OrdType(40)=${ordType} is not supported: ${known}`));
  }
  if (execInst !== null && !(execInst === '6' && (ordType === '2' || ordType === 'p'))) {
    const loss = session.version.hasLateFields ? ', and o (cancel on connection loss)' : '';
    const known = `only 6 (do not initiate) on a limit order is supported${loss}`;
    const keeping = rest.includes('n') ? '; orders are kept over a disconnect by a setting of the session' : '';
    return refuse(unsupported(`ExecInst(18)=${execInst} with OrdType(40)=${ordType}: ${known}${keeping}`));
  }
  const { market } = rules;
  const closed = closedMarketRefusal(rules);
  if (closed !== null) return refuse(closed);
  if (market.marketType === 'OPTION' && (ordType === '1' || ordType === '4')) {
    return refuse(unsupportedOrdType(`OrdType(40)=${ordType} does not exist for options (Symbol(55)=${rules.name})`));
  }
  return read({ ordType, execInst, cancelOnLoss });
}

/** 59 by this session's settings (rules T1, T2). Nothing is ever remapped to 1, 3 or 4. */
function readTimeInForce(
  session: SessionState,
  ordType: OrderTerms['ordType'],
  timeInForce: string | null,
): Reading<OrderTerms['exchangeTimeInForce']> {
  switch (timeInForce) {
    case null:
      if (session.config.timeInForceAbsent === 'GTC' || ordType === '1') return read('GTC');
      return refuse(fieldMissing('TimeInForce', Tag.TimeInForce, 'on this session'));
    case '1':
      return read('GTC');
    case '3':
      return read('IOC');
    case '4':
      return read('FOK');
    case '0':
    case '6':
      return refuse(
        unsupported(`TimeInForce(59)=${timeInForce} needs an expiry that the exchange does not keep: use 1, 3, 4 or 5`),
      );
    default:
      break;
  }
  if (!isForAuction(session, timeInForce)) {
    return refuse(unsupported(`TimeInForce(59)=${timeInForce} is not supported: use 1, 3, 4 or 5 (GTX, call auction)`));
  }
  if (ordType !== '1' && ordType !== '2') {
    return refuse(unsupported(`TimeInForce(59)=${timeInForce} (GTX) takes OrdType(40)=1 or 2, not ${ordType}`));
  }
  return read('GTX');
}

function readPrices(
  rules: MarketRules,
  ordType: OrderTerms['ordType'],
  view: MessageView,
): Reading<{ price: Decimal | null; stopPx: Decimal | null }> {
  if (ordType === '1') {
    if (view.has(Tag.Price)) {
      return refuse(other(`Price(44)=${shown(view.string(Tag.Price))} must be absent with OrdType(40)=1 (market)`));
    }
    if (view.has(Tag.StopPx)) return refuse(stopPxNotWanted(view, ordType));
    return read({ price: null, stopPx: null });
  }
  const price = readPrice(rules, view, Tag.Price, 'Price', ordType);
  if (price.refusal !== null) return refuse(price.refusal);
  if (ordType !== '4') {
    if (view.has(Tag.StopPx)) return refuse(stopPxNotWanted(view, ordType));
    return read({ price: price.value, stopPx: null });
  }
  const stopPx = readPrice(rules, view, Tag.StopPx, 'StopPx', ordType);
  if (stopPx.refusal !== null) return refuse(stopPx.refusal);
  return read({ price: price.value, stopPx: stopPx.value });
}

const stopPxNotWanted = (view: MessageView, ordType: string): Refusal =>
  other(`StopPx(99)=${shown(view.string(Tag.StopPx))} goes with OrdType(40)=4 only, not with ${ordType}`);

/** Why a value is no number here. One that is none of FIX comes only where messages are not validated (`validateIncoming`). */
const noNumber = (written: string, value: string | null): string =>
  /^-?(\d+\.?\d*|\.\d+)$/.test(value ?? '')
    ? `${written} has more digits than the ${DIGITS_MAX} that a number may have`
    : `${written} is no number: digits with a point at most, without exponent, sign + or separators`;

/** Read a price field: positive, on the market's grid, never rounded. */
export function readPrice(
  rules: MarketRules,
  view: MessageView,
  tag: number,
  name: string,
  ordType: string,
): Reading<Decimal> {
  if (!view.has(tag)) return refuse(fieldMissing(name, tag, `with OrdType(40)=${ordType}`));
  const price = view.decimal(tag);
  const written = `${name}(${tag})=${shown(view.string(tag))}`;
  if (price === null) return refuse(other(noNumber(written, view.string(tag))));
  if (!price.isPositive()) return refuse(other(`${written} is not a positive price`));
  const offGrid = offGridRefusal(rules, price, written);
  return offGrid === null ? read(price) : refuse(offGrid);
}

/** The refusal of a price that is not on the market's grid, or null. */
function offGridRefusal({ market, name, tickSize }: MarketRules, price: Decimal, written: string): Refusal | null {
  const allowed = `a multiple of ${tickSize.trimmed()}`;
  if (price.significantDecimals() > market.pricePrecision) {
    return incorrectPriceIncrement(`${written} is too fine for ${name}: ${allowed}`);
  }
  if (!price.isMultipleOf(tickSize)) {
    return incorrectPriceIncrement(`${written} is not on the grid of ${name}: ${allowed}`);
  }
  return null;
}

/** Read OrderQty(38): positive, within the market's limits, never rounded. */
export function readQuantity(rules: MarketRules, view: MessageView): Reading<Decimal> {
  if (!view.has(Tag.OrderQty)) {
    return refuse(incorrectQuantity('OrderQty(38) is required: the exchange takes quantities in the base asset'));
  }
  const quantity = view.decimal(Tag.OrderQty);
  const written = `OrderQty(38)=${shown(view.string(Tag.OrderQty))}`;
  if (quantity === null) return refuse(incorrectQuantity(noNumber(written, view.string(Tag.OrderQty))));
  if (!quantity.isPositive()) return refuse(incorrectQuantity(`${written} is not positive`));
  const wrongSize = sizeRefusal(rules, quantity, written);
  return wrongSize === null ? read(quantity) : refuse(wrongSize);
}

/** The refusal of a quantity beyond the market's limits or too fine for it, or null. */
function sizeRefusal(
  { market, name, minQuantity, maxQuantity }: MarketRules,
  size: Decimal,
  written: string,
): Refusal | null {
  if (size.significantDecimals() > market.quantityPrecision) {
    const allowed = `a multiple of ${new Decimal(1n, market.quantityPrecision)}`;
    return incorrectQuantity(`${written} is too fine for ${name}: ${allowed}`);
  }
  if (size.compare(minQuantity) <= 0) {
    return incorrectQuantity(`${written} must be greater than ${minQuantity} on ${name}`);
  }
  if (maxQuantity.isPositive() && size.compare(maxQuantity) >= 0) {
    return incorrectQuantity(`${written} must be less than ${maxQuantity} on ${name}`);
  }
  return null;
}

function readMargin(view: MessageView): Reading<string | null> {
  const cashMargin = view.string(Tag.CashMargin);
  if (cashMargin === null || cashMargin === '1' || cashMargin === '2') return read(cashMargin);
  return refuse(unsupported(`CashMargin(544)=${cashMargin} is not supported: use 1 (cash) or 2 (margin open)`));
}

/**
 * The exchange's documents number this flag 20003 in one place and 20002 in another: both are taken, and mean the same. Only
 * options have it there.
 */
function readMmp({ market, name: symbol }: MarketRules, view: MessageView): Reading<boolean | null> {
  if (!view.has(Tag.MmpEnabled) && !view.has(Tag.MmpEnabledAlternate)) return read(null);
  const tags = [Tag.MmpEnabled, Tag.MmpEnabledAlternate];
  const written = (tag: number): string => `${nameOf(tag)}=${view.string(tag)}`;
  const [first, second] = tags.map((tag) => view.boolean(tag));
  if (first !== null && second !== null && first !== second) {
    return refuse(other(`${tags.map(written).join(' and ')} contradict each other`));
  }
  const asked = tags.find((tag) => view.boolean(tag) === true);
  if (asked !== undefined && market.marketType !== 'OPTION') {
    const text = `${written(asked)} is for options only, and Symbol(55)=${symbol} is none: leave it out`;
    return refuse(unsupported(text));
  }
  return read(first ?? second ?? null);
}
