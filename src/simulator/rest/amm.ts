// Endpoints of AMM instructions: create, list, read. Terminating is a command; their JSON is amm-rendering.ts.

import type { Decimal } from '../../base/decimal.ts';
import { assetPrecision, FEE_TIERS } from '../world/world.ts';
import { instructionJson } from './amm-rendering.ts';
import { CommandFields, type ReadCommand } from './command-reading.ts';
import { onlyFilters, page } from './page.ts';
import { invalidRequest, notFound } from './refusal.ts';
import type { Json } from './rendering.ts';
import { loginOf, queriedAccount, type Route, type RouteRequest } from './route.ts';

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
  const needed = (name: string, decimals: number, value = fields.decimal(name)): Decimal => {
    if (value === null || value.significantDecimals() > decimals) {
      throw invalidRequest(`${name} is missing or has more than ${decimals} decimals`);
    }
    return value.trimmed();
  };
  const lowerBound = needed('lowerBound', spec.pricePrecision);
  const upperBound = needed('upperBound', spec.pricePrecision);
  if (lowerBound.compare(upperBound) >= 0) throw invalidRequest('lowerBound is not below upperBound');
  // The exchange's own example commits one asset alone: the other quantity is "0".
  const quantity = (name: string, decimals: number) => needed(name, decimals, fields.decimalOrZero(name));
  const baseQuantity = quantity('baseQuantity', spec.quantityPrecision);
  const quoteQuantity = quantity('quoteQuantity', assetPrecision(assets, spec.quoteSymbol));
  if (baseQuantity.isZero() && quoteQuantity.isZero()) {
    throw invalidRequest('baseQuantity and quoteQuantity must not both be 0');
  }
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
