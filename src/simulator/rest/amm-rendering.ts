// AMM instructions as the JSON of REST answers and stream frames. Yields are the value added by trading, simply.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { holdings, spreadFee, valueUsd } from '../products/amm.ts';
import { type Instruction, OK } from '../products/amm-instruction.ts';
import type { Floor } from '../venue/floor.ts';
import { reasonText, ZERO } from '../venue/order.ts';
import { assetPrecision, FEE_TIERS } from '../world/world.ts';
import { amount, type Json, moment } from './rendering.ts';

const YEAR_MS = 31_536_000_000;
const HUNDRED = Decimal.of('100');

interface Worth {
  readonly held: { readonly base: Decimal; readonly quote: Decimal };
  readonly value: Decimal;
  readonly earned: Decimal;
  /** Percent in a year, at the pace so far. */
  readonly yearly: Decimal;
}

function worthOf(floor: Floor, instruction: Readonly<Instruction>, now: EpochMs): Worth {
  const market = floor.markets.get(instruction.symbol)!;
  const open = instruction.status === 'OPEN';
  const held = open
    ? holdings(floor, instruction)
    : { base: instruction.baseWithdrawn, quote: instruction.quoteWithdrawn };
  const value = valueUsd(floor, market, held.base, held.quote);
  const invested = valueUsd(floor, market, instruction.baseQuantity, instruction.quoteQuantity);
  const earned = instruction.reason === OK || !open ? value.subtract(invested) : ZERO;
  const lived = Math.max(1, (open ? now : instruction.updatedAt) - instruction.createdAt);
  const yearly = invested.isZero()
    ? ZERO
    : earned
        .multiply(HUNDRED)
        .multiply(Decimal.of(String(YEAR_MS)))
        .divide(invested.multiply(Decimal.of(String(lived))), 4);
  return { held, value, earned, yearly };
}

const usd = (quantity: Decimal): string => amount(quantity.round(4), 4);

function sharedFields(floor: Floor, instruction: Readonly<Instruction>, { held, value, earned }: Worth): Json {
  const market = floor.markets.get(instruction.symbol)!;
  const { spec } = market;
  const open = instruction.status === 'OPEN';
  const base = (quantity: Decimal): string => amount(quantity, spec.quantityPrecision);
  const quote = (quantity: Decimal): string => amount(quantity, assetPrecision(floor.world.assets, spec.quoteSymbol));
  const price = (quantity: Decimal): string => amount(quantity, spec.pricePrecision);
  return {
    instructionId: instruction.instructionId,
    symbol: instruction.symbol,
    baseFee: base(ZERO),
    quoteFee: quote(ZERO),
    status: instruction.status,
    statusReason: instruction.reason === OK ? 'Ok' : reasonText(instruction.reason),
    statusReasonCode: instruction.reason,
    baseCurrentQuantity: open ? base(held.base) : null,
    baseInvestQuantity: base(instruction.baseQuantity),
    basePrice: price(floor.indexPrice(market)),
    baseWithdrawQuantity: base(instruction.baseWithdrawn),
    currentValue: open ? usd(value) : usd(ZERO),
    feeTierId: instruction.feeTierId,
    finalValue: open ? null : usd(value),
    impermanentLoss: usd(earned.isNegative() ? earned.negate() : ZERO),
    lastDistributedPrice: null,
    lowerBound: price(instruction.lowerBound),
    upperBound: price(instruction.upperBound),
    price: price(floor.referencePrice(market)),
    quoteCurrentQuantity: open ? quote(held.quote) : null,
    quoteInvestQuantity: quote(instruction.quoteQuantity),
    quotePrice: usd(floor.indexPrices.get(spec.quoteSymbol) ?? ZERO),
    quoteWithdrawQuantity: quote(instruction.quoteWithdrawn),
    ...moment('createdAt', instruction.createdAt),
    ...moment('updatedAt', instruction.updatedAt),
  };
}

/** An instruction as REST answers it. */
export function instructionJson(floor: Floor, instruction: Readonly<Instruction>, now: EpochMs): Json {
  const { spec } = floor.markets.get(instruction.symbol)!;
  const worth = worthOf(floor, instruction, now);
  const open = instruction.status === 'OPEN';
  const initialValue = instruction.baseQuantity.multiply(instruction.initialBasePrice).add(instruction.quoteQuantity);
  const tier = FEE_TIERS.find(({ feeTierId }) => feeTierId === instruction.feeTierId);
  const yearly = amount(worth.yearly, 4);
  return {
    ...sharedFields(floor, instruction, worth),
    liquidityId: instruction.instructionId,
    requestId: instruction.requestId,
    apy: yearly,
    ...(open ? { '24HrApy': yearly, '24HrYieldEarn': usd(worth.earned) } : {}),
    yieldEarn: usd(worth.earned),
    dislocationEnabled: tier?.isDislocationEnabled ?? false,
    initialBasePrice: amount(instruction.initialBasePrice, spec.pricePrecision),
    initialQuotePrice: usd(floor.indexPrices.get(spec.quoteSymbol) ?? ZERO),
    initialValue: usd(initialValue),
    staticSpreadFee: amount(spreadFee(instruction.feeTierId), 8),
  };
}

/** An instruction as the ammInstructions topic carries it; there the request id is written `requestID`. */
export function instructionFrame(floor: Floor, instruction: Readonly<Instruction>, now: EpochMs): Json {
  const worth = worthOf(floor, instruction, now);
  const { tradingAccountId, requestId } = instruction;
  return {
    tradingAccountId,
    ...sharedFields(floor, instruction, worth),
    requestID: requestId,
    liquidity: usd(worth.value),
  };
}
