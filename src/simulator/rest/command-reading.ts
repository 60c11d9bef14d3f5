// The fields of a signed command as a venue command and its acknowledgement, or the 400 that refuses it. The venue
// decides refusals that appear later, on the stream (order-entry.ts).

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderTimeInForce, OrderType } from '../../exchange/mod.ts';
import type { SignedCommand } from '../access/authentication.ts';
import type { Login } from '../access/logins.ts';
import type { Host } from '../host.ts';
import type { MarketState } from '../venue/floor.ts';
import { reasonOf } from '../venue/order.ts';
import type { VenueCommand } from '../venue/venue-event.ts';
import { assetPrecision } from '../world/world.ts';
import { invalidMarketSymbol, invalidRequest, Refusal, unauthorizedCommand } from './refusal.ts';
import type { Json } from './rendering.ts';

/** A command ready to run, with the immediate answer to its sender. */
export interface ReadCommand {
  readonly command: VenueCommand;
  readonly acknowledgement: Json;
}

/** Fields of one command with the checks that all commands share. */
export class CommandFields {
  readonly host: Host;
  readonly login: Login;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly enveloped: boolean;
  readonly now: EpochMs;

  constructor(host: Host, login: Login, signed: SignedCommand, now: EpochMs) {
    this.host = host;
    this.login = login;
    this.fields = signed.fields;
    this.enveloped = signed.enveloped;
    this.now = now;
  }

  /** A text field, or null where it is absent or null. @throws Refusal if it is something else */
  text(name: string): string | null {
    const value = this.fields[name];
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string') throw invalidRequest(`${name} must be a string`);
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === null) throw invalidRequest(`${name} is missing`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.fields[name];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') throw invalidRequest(`${name} must be true or false`);
    return value;
  }

  decimal(name: string): Decimal | null {
    const value = this.decimalOrZero(name);
    if (value?.isZero()) throw invalidRequest(`${name} must be a positive decimal string`);
    return value;
  }

  /** A decimal that may be zero; null if absent. @throws Refusal */
  decimalOrZero(name: string): Decimal | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = Decimal.parse(text);
    if (value === null || value.isNegative()) throw invalidRequest(`${name} must be a positive decimal string`);
    return value;
  }

  /** An own account of the login's user. */
  account(name = 'tradingAccountId'): string {
    const tradingAccountId = this.required(name);
    const account = this.host.runner.floor.ledger.account(tradingAccountId);
    if (account === null || account.user !== this.login.key.user.name) {
      throw unauthorizedCommand('Unauthorized to execute command');
    }
    return tradingAccountId;
  }

  market(): MarketState {
    const symbol = this.required('symbol');
    const market = this.host.runner.floor.markets.get(symbol);
    if (market === undefined) throw invalidMarketSymbol(symbol);
    return market;
  }

  /** The client's own reference: a positive 64-bit integer without leading zeros. */
  reference(name: string): string | null {
    const text = this.text(name);
    if (text === null) return null;
    if (!/^[1-9]\d{0,18}$/.test(text) || BigInt(text) > 0x7fff_ffff_ffff_ffffn) {
      throw new Refusal(400, 6104, 'INVALID_CLIENT_ORDER_ID', `${name} is not a positive integer`);
    }
    return text;
  }

  nextId(): string {
    return this.host.runner.floor.identifiers.next(this.now);
  }
}

const TYPE_V2: ReadonlyMap<string, OrderType> = new Map([
  ['LMT', 'LIMIT'],
  ['MKT', 'MARKET'],
  ['STOP_LIMIT', 'STOP_LIMIT'],
  ['POST_ONLY', 'POST_ONLY'],
]);
const TYPE_V3: ReadonlyMap<string, OrderType> = new Map([
  ['LIMIT', 'LIMIT'],
  ['MARKET', 'MARKET'],
  ['STOP_LIMIT', 'STOP_LIMIT'],
  ['POST_ONLY', 'POST_ONLY'],
]);
const TIMES_IN_FORCE: ReadonlySet<string> = new Set<OrderTimeInForce>(['GTC', 'IOC', 'FOK', 'GTX']);

/** Read V2CreateOrder or V3CreateOrder. @throws Refusal */
export function readCreate(fields: CommandFields): ReadCommand {
  const v2 = fields.required('commandType') === 'V2CreateOrder';
  const tradingAccountId = fields.account();
  const market = fields.market();
  const type = (v2 ? TYPE_V2 : TYPE_V3).get(fields.required('type'));
  if (type === undefined) throw new Refusal(400, 2013, 'INVALID_ORDER_TYPE', 'Invalid order type');
  const side = fields.required('side');
  if (side !== 'BUY' && side !== 'SELL') throw new Refusal(400, 2008, 'INVALID_SIDE', 'Side is neither BUY nor SELL');
  const quantity = readQuantity(fields, market);
  if (quantity === null) throw invalidRequest('quantity is missing');
  const price = readPrice(fields, market, 'price');
  const stopPrice = readPrice(fields, market, 'stopPrice');
  checkPrices(type, price, stopPrice);
  if (market.spec.marketType === 'OPTION' && (type === 'MARKET' || type === 'STOP_LIMIT')) {
    throw new Refusal(400, 2013, 'INVALID_ORDER_TYPE', 'Option markets take limit and post-only orders');
  }
  const timeInForce = readTimeInForce(fields, type);
  const clientOrderId = fields.reference(v2 ? 'handle' : 'clientOrderId') ?? fields.reference('clientOrderId');
  const orderId = fields.nextId();
  const requestId = fields.nextId();
  const refuseWith = reasonOf(fields.host.faults.takeRejection('order', market.spec.symbol));
  return {
    command: {
      ...(refuseWith === null ? {} : { refuseWith }),
      kind: 'create',
      orderId,
      requestId,
      clientOrderId,
      tradingAccountId,
      symbol: market.spec.symbol,
      type,
      side,
      price,
      stopPrice,
      quantity,
      timeInForce,
      allowBorrow: fields.flag(v2 ? 'allowMargin' : 'allowBorrow'),
      auctionId: fields.text('auctionId'),
      isMMP: readMmp(fields, market),
    },
    acknowledgement: {
      message: 'Command acknowledged - CreateOrder',
      requestId,
      orderId,
      clientOrderId,
      handle: clientOrderId,
    },
  };
}

/** @throws Refusal where the market has no protection (exchange catalogue, CreateOrderCommandV3) */
function readMmp(fields: CommandFields, { spec }: MarketState): boolean {
  const isMMP = fields.flag('isMMP');
  if (isMMP && spec.marketType !== 'OPTION') throw invalidRequest('isMMP is for option markets only');
  return isMMP;
}

function readTimeInForce(fields: CommandFields, type: OrderType): OrderTimeInForce {
  const text = fields.required('timeInForce');
  const unknown = !TIMES_IN_FORCE.has(text);
  // Post-only and stop-limit orders only rest (exchange reference §7.2); with GTX the venue answers 3090.
  const cannot = (type === 'POST_ONLY' || type === 'STOP_LIMIT') && (text === 'IOC' || text === 'FOK');
  if (unknown || cannot) {
    throw new Refusal(400, 2018, 'INVALID_TIME_IN_FORCE', 'Unknown time in force option for this order type');
  }
  return text as OrderTimeInForce;
}

function checkPrices(type: OrderType, price: Decimal | null, stopPrice: Decimal | null): void {
  const invalid = (message: string): Refusal => new Refusal(400, 2012, 'INVALID_PRICE', message);
  if (type === 'MARKET' && price !== null) throw invalid('A market order has no price');
  if (type !== 'MARKET' && price === null) throw invalid('price is missing');
  if (type === 'STOP_LIMIT' && stopPrice === null) throw invalid('stopPrice is missing');
  if (type !== 'STOP_LIMIT' && stopPrice !== null) throw invalid('Only a stop-limit order has a stopPrice');
}

function readPrice(fields: CommandFields, { spec, tickSize }: MarketState, name: string): Decimal | null {
  const price = fields.decimal(name);
  if (price === null) return null;
  if (price.significantDecimals() > spec.pricePrecision) {
    throw new Refusal(400, 2012, 'INVALID_PRICE', `${name} has more than ${spec.pricePrecision} decimals`);
  }
  if (!price.isMultipleOf(tickSize)) {
    throw new Refusal(400, 6018, 'PRICE_MUST_BE_OF_TICK_SIZE', `${name} is not a multiple of ${spec.tickSize}`);
  }
  return price.trimmed().withScale(spec.pricePrecision);
}

function readQuantity(fields: CommandFields, { spec }: MarketState): Decimal | null {
  const quantity = fields.decimal('quantity');
  if (quantity === null) return null;
  if (quantity.significantDecimals() > spec.quantityPrecision) {
    throw new Refusal(400, 2004, 'INVALID_QUANTITY', `quantity has more than ${spec.quantityPrecision} decimals`);
  }
  const tooSmall = quantity.compare(Decimal.of(spec.minQuantityLimit)) <= 0;
  if (tooSmall || quantity.compare(Decimal.of(spec.maxQuantityLimit)) >= 0) {
    throw new Refusal(400, 6023, 'ORDER_SIZE_OUTSIDE_VALID_RANGE', 'Order size outside valid range');
  }
  return quantity.trimmed().withScale(spec.quantityPrecision);
}

/** Read V2CancelOrder or V3CancelOrder. @throws Refusal */
export function readCancel(fields: CommandFields): ReadCommand {
  const commandType = fields.required('commandType');
  const v2 = commandType === 'V2CancelOrder';
  const tradingAccountId = fields.account();
  const market = fields.market();
  const orderId = fields.text('orderId');
  const clientOrderId = fields.reference(v2 ? 'handle' : 'clientOrderId') ?? fields.reference('clientOrderId');
  if (orderId === null && clientOrderId === null) throw invalidRequest('Neither orderId nor a reference is given');
  if (!v2 && orderId !== null && clientOrderId !== null) {
    throw invalidRequest('Only one of orderId and clientOrderId can be used');
  }
  const requestId = fields.nextId();
  const known = clientOrderId === null ? null : fields.host.runner.floor.byHandle(tradingAccountId, clientOrderId);
  return {
    command: { kind: 'cancel', requestId, tradingAccountId, symbol: market.spec.symbol, orderId, clientOrderId },
    acknowledgement: {
      commandType,
      message: 'Command acknowledged - CancelOrder',
      requestId,
      orderId: orderId ?? known?.orderId ?? null,
      clientOrderId,
      handle: clientOrderId,
    },
  };
}

/** Read V1AmendOrder; orderId is required (exchange reference §1.4). @throws Refusal */
export function readAmend(fields: CommandFields): ReadCommand {
  const tradingAccountId = fields.account();
  const market = fields.market();
  const orderId = fields.required('orderId');
  const clientOrderId = fields.reference('clientOrderId') ?? fields.reference('handle');
  const type = fields.text('type');
  if (type !== null && type !== 'LIMIT' && type !== 'POST_ONLY') {
    throw new Refusal(400, 2013, 'INVALID_ORDER_TYPE', 'Invalid order type');
  }
  const price = readPrice(fields, market, 'price');
  const quantity = readQuantity(fields, market);
  if (type === null && price === null && quantity === null && clientOrderId === null) {
    throw invalidRequest('Nothing is amended');
  }
  const requestId = fields.nextId();
  const symbol = market.spec.symbol;
  return {
    command: { kind: 'amend', requestId, tradingAccountId, symbol, orderId, clientOrderId, type, price, quantity },
    acknowledgement: {
      commandType: 'V1AmendOrder',
      message: 'Command acknowledged - AmendOrder',
      requestId,
      orderId,
      clientOrderId,
      handle: clientOrderId,
    },
  };
}

const DELAYS: ReadonlySet<string> = new Set(['5', '10', '15', '20', '25', '30', '40', '50', '60']);

/** Acknowledge a command that carries no id of its own. */
function acknowledged(fields: CommandFields, name: string, command: VenueCommand): ReadCommand {
  const commandType = fields.required('commandType');
  const requestId = fields.nextId();
  return { command, acknowledgement: { commandType, message: `Command acknowledged - ${name}`, requestId } };
}

function readDelayedCancelAll(fields: CommandFields): ReadCommand {
  const delay = fields.required('delayBySeconds');
  if (!DELAYS.has(delay)) throw invalidRequest('delayBySeconds is not one of the permitted values');
  const cancelId = fields.text('cancelId');
  if (cancelId !== null && !/^\d{1,20}$/.test(cancelId)) throw invalidRequest('cancelId is not an unsigned integer');
  const tradingAccountId = fields.account();
  return acknowledged(fields, 'DelayedCancelAllOrders', {
    kind: 'delayedCancelAll',
    tradingAccountId,
    delayMs: Number(delay) * 1000,
  });
}

function readTransfer(fields: CommandFields): ReadCommand {
  const { ledger, world } = fields.host.runner.floor;
  const asset = fields.required('assetSymbol');
  const known = world.assets.some(({ symbol }) => symbol === asset);
  if (!known) throw new Refusal(400, 30001, 'ASSET_SYMBOL_NOT_FOUND', `'${asset}' is not a known asset`);
  const quantity = fields.decimal('quantity');
  if (quantity === null || quantity.significantDecimals() > assetPrecision(world.assets, asset)) {
    throw invalidRequest('quantity is missing or finer than the asset');
  }
  const fromTradingAccountId = fields.account('fromTradingAccountId');
  const toTradingAccountId = fields.account('toTradingAccountId');
  if (!ledger.affords(fromTradingAccountId, asset, quantity, false)) {
    throw new Refusal(400, 8401, 'INSUFFICIENT_BALANCE', 'Insufficient balance');
  }
  const requestId = fields.nextId();
  const refuseWith = fields.host.faults.takeRejection('transfer');
  return {
    command: { kind: 'transfer', requestId, asset, quantity, fromTradingAccountId, toTradingAccountId, refuseWith },
    acknowledgement: {
      commandType: fields.required('commandType'),
      message: 'Command acknowledged - TransferAsset',
      requestId,
    },
  };
}

/** Read V3TerminateAMMInstruction or V2RemoveLiquidity. @throws Refusal */
function readTerminateInstruction(fields: CommandFields): ReadCommand {
  const commandType = fields.required('commandType');
  const v2 = commandType === 'V2RemoveLiquidity';
  const tradingAccountId = fields.account();
  const { symbol } = fields.market().spec;
  const instructionId = fields.required(v2 ? 'liquidityId' : 'instructionId');
  const requestId = fields.nextId();
  const name = v2 ? 'RemoveLiquidity' : 'TerminateAMMInstruction';
  return {
    command: { kind: 'terminateInstruction', requestId, tradingAccountId, symbol, instructionId },
    acknowledgement: { commandType, message: `Command acknowledged - ${name}`, requestId, instructionId },
  };
}

type Reader = (fields: CommandFields) => ReadCommand;

const READERS: Readonly<Record<string, Reader>> = {
  V2CreateOrder: readCreate,
  V3CreateOrder: readCreate,
  V2CancelOrder: readCancel,
  V3CancelOrder: readCancel,
  V1AmendOrder: readAmend,
  V1CancelAllOrders: (fields) =>
    acknowledged(fields, 'CancelAllOrders', { kind: 'cancelAll', tradingAccountId: fields.account(), symbol: null }),
  V1CancelAllOrdersByMarket: (fields) =>
    acknowledged(fields, 'CancelAllOrdersByMarket', {
      kind: 'cancelAll',
      tradingAccountId: fields.account(),
      symbol: fields.market().spec.symbol,
    }),
  V1DelayedCancelAllOrders: readDelayedCancelAll,
  V1UnsetDelayedCancelAllOrders: (fields) =>
    acknowledged(fields, 'UnsetDelayedCancelAllOrders', {
      kind: 'unsetDelayedCancelAll',
      tradingAccountId: fields.account(),
    }),
  V3TerminateAMMInstruction: readTerminateInstruction,
  V2RemoveLiquidity: readTerminateInstruction,
  V1TransferAsset: readTransfer,
  V2TransferAsset: readTransfer,
};

/** Readers by commandType. A map: a client's type must not find the members of every object. */
export const COMMAND_READERS: ReadonlyMap<string, Reader> = new Map(Object.entries(READERS));
