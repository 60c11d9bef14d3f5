// Endpoints of AMM instructions: create, list, read; their JSON for REST and stream. Terminating is a command.

import { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import { holdings, type Instruction, OK, spreadFee, valueUsd } from './amm.ts';
import { CommandFields, type ReadCommand } from './command-reading.ts';
import type { Floor } from './floor.ts';
import { reasonText, ZERO } from './order.ts';
import { onlyFilters, page } from './page.ts';
import { invalidRequest, notFound } from './refusal.ts';
import { amount, type Json } from './rendering.ts';
import { loginOf, queriedAccount, type Route, type RouteRequest } from './route.ts';
import { assetPrecision } from './settlement.ts';
import { FEE_TIERS } from './world.ts';

const YEAR_MS = 31_536_000_000;
const HUNDRED = Decimal.of('100');

/** Read V3CreateAMMInstruction or V2AddLiquidity. @throws Refusal */
function readCreateInstruction(fields: CommandFields): ReadCommand {
  const v2 = fields.required('commandType') === 'V2AddLiquidity';
  const tradingAccountId = fields.account();
  const { spec } = fields.market();
  if (spec.marketType !== 'SPOT') throw invalidRequest('AMM instructions are simulated for spot markets only');
  const { assets } = fields.host.runner.floor.world;
  const feeTierId = fields.required('feeTierId');
  if (!FEE_TIERS.some((tier) => tier.feeTierId === feeTierId))
    throw invalidRequest('feeTierId is not one of the market');
  const needed = (name: string, decimals: number): Decimal => {
    const value = fields.decimal(name);
    if (value === null || value.significantDecimals() > decimals) {
      throw invalidRequest(`${name} is missing or has more than ${decimals} decimals`);
    }
    return value.trimmed();
  };
  const lowerBound = needed('lowerBound', spec.pricePrecision);
  const upperBound = needed('upperBound', spec.pricePrecision);
  if (lowerBound.compare(upperBound) >= 0) throw invalidRequest('lowerBound is not below upperBound');
  const baseQuantity = needed('baseQuantity', spec.quantityPrecision);
  const quoteQuantity = needed('quoteQuantity', assetPrecision(assets, spec.quoteSymbol));
  const instructionId = fields.nextId();
  const requestId = fields.nextId();
  const symbol = spec.symbol;
  const bounds = { upperBound, lowerBound, feeTierId };
  const name = v2 ? 'AddLiquidity' : 'CreateAMMInstruction';
  return {
    command: {
      kind: 'createInstruction',
      instructionId,
      requestId,
      tradingAccountId,
      symbol,
      baseQuantity,
      quoteQuantity,
      ...bounds,
    },
    acknowledgement: {
      message: `Command acknowledged - ${name}`,
      requestId,
      instructionId,
      ...(v2 ? { liquidityId: instructionId } : {}),
    },
  };
}

function create(request: RouteRequest): Json {
  const { host, signed, now } = request;
  if (signed === null) throw invalidRequest('The request is not signed');
  const fields = new CommandFields(host, loginOf(request), signed, now);
  const commandType = fields.required('commandType');
  if (commandType !== 'V3CreateAMMInstruction' && commandType !== 'V2AddLiquidity') {
    throw invalidRequest('commandType is not valid here');
  }
  const read = readCreateInstruction(fields);
  host.runner.execute(read.command);
  return read.acknowledgement;
}

/** An instruction as REST and the ammInstructions topic show it. Yields are what trading added to its value, simply. */
export function instructionJson(floor: Floor, instruction: Readonly<Instruction>, now: EpochMs): Json {
  const market = floor.markets.get(instruction.symbol)!;
  const { spec } = market;
  const open = instruction.status === 'OPEN';
  const held = open
    ? holdings(floor, instruction)
    : { base: instruction.baseWithdrawn, quote: instruction.quoteWithdrawn };
  const value = valueUsd(floor, market, held.base, held.quote);
  const invested = valueUsd(floor, market, instruction.baseQuantity, instruction.quoteQuantity);
  const initialValue = instruction.baseQuantity.multiply(instruction.initialBasePrice).add(instruction.quoteQuantity);
  const earned = instruction.reason === OK || !open ? value.subtract(invested) : ZERO;
  const days = Math.max(1, (open ? now : instruction.updatedAt) - instruction.createdAt);
  const yearly = invested.isZero()
    ? ZERO
    : earned
        .multiply(HUNDRED)
        .multiply(Decimal.of(String(YEAR_MS)))
        .divide(invested.multiply(Decimal.of(String(days))), 4);
  const base = (quantity: Decimal): string => amount(quantity, spec.quantityPrecision);
  const quote = (quantity: Decimal): string => amount(quantity, assetPrecision(floor.world.assets, spec.quoteSymbol));
  const price = (quantity: Decimal): string => amount(quantity, spec.pricePrecision);
  const usd = (quantity: Decimal): string => amount(quantity.round(4), 4);
  return {
    tradingAccountId: instruction.tradingAccountId,
    instructionId: instruction.instructionId,
    liquidityId: instruction.instructionId,
    requestId: instruction.requestId,
    symbol: instruction.symbol,
    baseFee: base(ZERO),
    quoteFee: quote(ZERO),
    status: instruction.status,
    statusReason: instruction.reason === OK ? 'Ok' : reasonText(instruction.reason),
    statusReasonCode: instruction.reason,
    apy: amount(yearly, 4),
    '24HrApy': open ? amount(yearly, 4) : null,
    '24HrYieldEarn': open ? usd(earned) : null,
    yieldEarn: usd(earned),
    baseCurrentQuantity: open ? base(held.base) : null,
    baseInvestQuantity: base(instruction.baseQuantity),
    basePrice: price(floor.indexPrice(market)),
    baseWithdrawQuantity: base(instruction.baseWithdrawn),
    currentValue: open ? usd(value) : usd(ZERO),
    dislocationEnabled:
      FEE_TIERS.find(({ feeTierId }) => feeTierId === instruction.feeTierId)?.isDislocationEnabled ?? false,
    feeTierId: instruction.feeTierId,
    finalValue: open ? null : usd(value),
    impermanentLoss: usd(earned.isNegative() ? earned.negate() : ZERO),
    initialBasePrice: price(instruction.initialBasePrice),
    initialQuotePrice: amount(floor.indexPrices.get(spec.quoteSymbol) ?? ZERO, 4),
    initialValue: usd(initialValue),
    lowerBound: price(instruction.lowerBound),
    upperBound: price(instruction.upperBound),
    price: price(floor.referencePrice(market)),
    quoteCurrentQuantity: open ? quote(held.quote) : null,
    quoteInvestQuantity: quote(instruction.quoteQuantity),
    quotePrice: amount(floor.indexPrices.get(spec.quoteSymbol) ?? ZERO, 4),
    quoteWithdrawQuantity: quote(instruction.quoteWithdrawn),
    lastDistributedPrice: null,
    staticSpreadFee: amount(spreadFee(instruction.feeTierId), 8),
    createdAtDatetime: formatIso(instruction.createdAt),
    createdAtTimestamp: String(instruction.createdAt),
    updatedAtDatetime: formatIso(instruction.updatedAt),
    updatedAtTimestamp: String(instruction.updatedAt),
  };
}

function list(request: RouteRequest): unknown {
  const account = queriedAccount(request, 'invalid');
  onlyFilters(request, ['symbol', 'status']);
  const { symbol, status } = request.query;
  const found = [...request.floor.instructions.values()]
    .filter((instruction) => instruction.tradingAccountId === account)
    .filter((instruction) => symbol === undefined || instruction.symbol === symbol)
    .filter((instruction) => status === undefined || instruction.status === status)
    .reverse();
  return page(
    request,
    found,
    (instruction) => instruction.instructionId,
    (instruction) => instructionJson(request.floor, instruction, request.now),
  );
}

function byId(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const instruction = request.floor.instructions.get(request.params.instructionId ?? '');
  if (instruction === undefined || instruction.tradingAccountId !== account) throw notFound('Instruction not found');
  return instructionJson(request.floor, instruction, request.now);
}

const PATH = '/trading-api/v2/amm-instructions';

export const ammRoutes: readonly Route[] = [
  { method: 'POST', path: PATH, auth: 'signed', limit: 'other', handle: create },
  { method: 'GET', path: PATH, auth: 'login', limit: 'other', handle: list },
  { method: 'GET', path: `${PATH}/:instructionId`, auth: 'login', limit: 'other', handle: byId },
];
