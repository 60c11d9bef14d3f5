// AMM instructions: assets that an account commits between two prices, quoted as a ladder that follows its trades. The
// exchange does not publish its spreading; this model is **assumed**. LEVELS equal parts of the base stand above the
// price, and of the quote below it. The first level is one spread fee away. The ladder is laid out again after every
// fill.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { floorToTick } from '../auctions/call-auction.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { wouldTake } from '../venue/matching.ts';
import { Reason, ZERO } from '../venue/order.ts';
import { end } from '../venue/order-end.ts';
import { createOrder } from '../venue/order-entry.ts';
import type { CreateOrder } from '../venue/venue-event.ts';
import { accountSpec } from '../world/default-world.ts';
import { AMM_ACCOUNT_PREFIX, assetPrecision, FEE_TIERS } from '../world/world.ts';
import { type CreateInstruction, type Instruction, OK, type TerminateInstruction } from './amm-instruction.ts';

const LEVELS = 10;

/** Present holdings of an instruction. */
export function holdings(floor: Floor, instruction: Instruction): { base: Decimal; quote: Decimal } {
  const { spec } = floor.markets.get(instruction.symbol)!;
  return {
    base: floor.ledger.balance(instruction.account, spec.baseSymbol).total,
    quote: floor.ledger.balance(instruction.account, spec.quoteSymbol).total,
  };
}

/** Commit the assets and quote them; without enough of them the instruction ends at once (3005). */
export function createInstruction(floor: Floor, command: CreateInstruction, now: EpochMs): void {
  const market = floor.markets.get(command.symbol);
  assert(market !== undefined, 'the face checked the symbol');
  const { baseSymbol, quoteSymbol } = market.spec;
  const { kind: _kind, ...fields } = command;
  const instruction: Instruction = {
    ...fields,
    account: `${AMM_ACCOUNT_PREFIX}${command.instructionId}`,
    initialBasePrice: floor.referencePrice(market),
    status: 'OPEN',
    reason: OK,
    baseWithdrawn: ZERO,
    quoteWithdrawn: ZERO,
    createdAt: now,
    updatedAt: now,
  };
  floor.instructions.set(instruction.instructionId, instruction);
  const owner = command.tradingAccountId;
  const affords =
    floor.ledger.affords(owner, baseSymbol, command.baseQuantity, false) &&
    floor.ledger.affords(owner, quoteSymbol, command.quoteQuantity, false);
  if (!affords) {
    tellEnd(floor, instruction, Reason.insufficientBalance, now);
    return;
  }
  floor.ledger.open(
    accountSpec(instruction.account, '', {
      tradingAccountDescription: 'Assets of an AMM instruction',
      endCustomerId: instruction.account,
      balances: {},
      makerFee: '0',
      takerFee: '0',
      auctionFee: '0',
    }),
  );
  floor.ledger.move(owner, instruction.account, baseSymbol, command.baseQuantity);
  floor.ledger.move(owner, instruction.account, quoteSymbol, command.quoteQuantity);
  floor.emit({ kind: 'instruction', instruction: { ...instruction } });
  layOut(floor, market, instruction, now);
}

/** End an instruction and return its holdings; unknown or ended ones are a notice (3002, 3032). */
export function terminateInstruction(floor: Floor, command: TerminateInstruction, now: EpochMs): void {
  const instruction = floor.instructions.get(command.instructionId);
  const isTheirs = instruction?.tradingAccountId === command.tradingAccountId && instruction.symbol === command.symbol;
  if (instruction === undefined || !isTheirs || instruction.status === 'CLOSED') {
    const { tradingAccountId, requestId, symbol } = command;
    const reason = isTheirs ? Reason.orderEnded : Reason.orderNotFound;
    floor.notice({ tradingAccountId, orderId: null, clientOrderId: null, requestId, symbol, reason });
    return;
  }
  withdrawQuotes(floor, instruction, now);
  const { spec } = floor.markets.get(instruction.symbol)!;
  const { base, quote } = holdings(floor, instruction);
  floor.ledger.move(instruction.account, instruction.tradingAccountId, spec.baseSymbol, base);
  floor.ledger.move(instruction.account, instruction.tradingAccountId, spec.quoteSymbol, quote);
  instruction.baseWithdrawn = base;
  instruction.quoteWithdrawn = quote;
  tellEnd(floor, instruction, Reason.userCancelled, now);
}

function tellEnd(floor: Floor, instruction: Instruction, reason: Reason, now: EpochMs): void {
  instruction.status = 'CLOSED';
  instruction.reason = reason;
  instruction.updatedAt = now;
  floor.emit({ kind: 'instruction', instruction: { ...instruction } });
}

/** Lay out again the ladders of all instructions that traded since the last call. */
export function tendInstructions(floor: Floor, now: EpochMs): void {
  for (const account of floor.takeTradedInstructions()) {
    const instruction = floor.instructions.get(account.slice(AMM_ACCOUNT_PREFIX.length));
    if (instruction === undefined || instruction.status === 'CLOSED') continue;
    instruction.updatedAt = now;
    withdrawQuotes(floor, instruction, now);
    layOut(floor, floor.markets.get(instruction.symbol)!, instruction, now);
    floor.emit({ kind: 'instruction', instruction: { ...instruction } });
  }
}

function withdrawQuotes(floor: Floor, instruction: Instruction, now: EpochMs): void {
  for (const order of floor.openOrders(instruction.account)) end(floor, order, 'CANCELLED', Reason.userCancelled, now);
}

/** Spread fee of a tier, a ratio of the price. */
export function spreadFee(feeTierId: string): Decimal {
  return Decimal.of(FEE_TIERS.find((tier) => tier.feeTierId === feeTierId)?.staticSpreadFee ?? '0');
}

function layOut(floor: Floor, market: MarketState, instruction: Instruction, now: EpochMs): void {
  const price = floor.referencePrice(market);
  const spread = price.multiply(spreadFee(instruction.feeTierId));
  const { base, quote } = holdings(floor, instruction);
  const { lowerBound, upperBound } = instruction;
  const levels = Decimal.of(String(LEVELS));
  const { pricePrecision, quantityPrecision } = market.spec;
  const askFrom = later(price.add(spread), lowerBound);
  const askStep = upperBound.subtract(askFrom).divide(levels, pricePrecision);
  const bidFrom = earlier(price.subtract(spread), upperBound);
  const bidStep = bidFrom.subtract(lowerBound).divide(levels, pricePrecision);
  for (let level = 0; level < LEVELS; level++) {
    const distance = Decimal.of(String(level));
    if (!askStep.isNegative()) {
      const ask = floorToTick(askFrom.add(askStep.multiply(distance)), market.tickSize).add(market.tickSize);
      const quantity = cut(base, levels, quantityPrecision);
      placeLevel(floor, market, instruction, { side: 'SELL', price: ask, quantity }, now);
    }
    if (!bidStep.isNegative()) {
      const bid = floorToTick(bidFrom.subtract(bidStep.multiply(distance)), market.tickSize);
      if (!bid.isPositive()) continue;
      const quantity = cut(quote, levels.multiply(bid), quantityPrecision);
      placeLevel(floor, market, instruction, { side: 'BUY', price: bid, quantity }, now);
    }
  }
}

const later = (a: Decimal, b: Decimal): Decimal => (a.compare(b) >= 0 ? a : b);
const earlier = (a: Decimal, b: Decimal): Decimal => (a.compare(b) <= 0 ? a : b);

/** `amount / parts` rounded down, so that all parts together are never more than the amount. */
function cut(amount: Decimal, parts: Decimal, decimals: number): Decimal {
  const part = amount.divide(parts, decimals);
  return part.multiply(parts).compare(amount) > 0 ? part.subtract(new Decimal(1n, decimals)) : part;
}

interface Level {
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** Place one post-only order of a ladder; orders too small or that would trade are left out. */
function placeLevel(
  floor: Floor,
  market: MarketState,
  instruction: Instruction,
  { side, price, quantity }: Level,
  now: EpochMs,
): void {
  const { spec } = market;
  if (quantity.compare(Decimal.of(spec.minQuantityLimit)) <= 0) return;
  const command: CreateOrder = {
    kind: 'create',
    orderId: floor.identifiers.next(now),
    requestId: instruction.requestId,
    clientOrderId: null,
    tradingAccountId: instruction.account,
    symbol: spec.symbol,
    type: 'POST_ONLY',
    side,
    price: price.trimmed().withScale(spec.pricePrecision),
    stopPrice: null,
    quantity,
    timeInForce: 'GTC',
    allowBorrow: false,
    auctionId: null,
  };
  if (!wouldTake(market, command)) createOrder(floor, command, now);
}

/** Quantities that an account has committed to open instructions, as part of its locks. */
export function committed(floor: Floor, tradingAccountId: string, asset: string): Decimal {
  let sum = ZERO;
  for (const instruction of floor.instructions.values()) {
    if (instruction.status !== 'OPEN' || instruction.tradingAccountId !== tradingAccountId) continue;
    sum = sum.add(floor.ledger.balance(instruction.account, asset).total);
  }
  return sum;
}

/** Value in USD of a base and a quote quantity at index prices, rounded to the quote's precision. */
export function valueUsd(floor: Floor, market: MarketState, base: Decimal, quote: Decimal): Decimal {
  const { baseSymbol, quoteSymbol } = market.spec;
  const price = (asset: string): Decimal => floor.indexPrices.get(asset) ?? ZERO;
  const value = base.multiply(price(baseSymbol)).add(quote.multiply(price(quoteSymbol)));
  return value.round(assetPrecision(floor.world.assets, quoteSymbol));
}
