// Commands to JSON bodies in both dialects (rule X2): `v2` the envelope of trading-api.md with nulls present, `v3` flat
// bodies with nulls left out. Signing and sending them belong to exchange-client.

import { unreachable } from '../base/assert.ts';
import type {
  AmendOrderCommand,
  CancelOrderCommand,
  CommandDialect,
  CreateOrderCommand,
  ExchangeCommand,
  OrderType,
} from './command.ts';

export const ORDERS_PATH = '/trading-api/v2/orders';
export const COMMAND_PATH = '/trading-api/v2/command';
export const WITHDRAWAL_PATH = '/trading-api/v1/wallets/withdrawal';

/** Where BX-NONCE-WINDOW-ENABLED has a meaning (exchange reference §1.4); elsewhere every nonce must be the highest yet. */
const NONCE_WINDOW_PATHS: ReadonlySet<string> = new Set([ORDERS_PATH, COMMAND_PATH]);

export function takesNonceWindow(path: string): boolean {
  return NONCE_WINDOW_PATHS.has(path);
}

/** Envelope of a command in the v2 dialect. `timestamp` and `nonce` equal the BX headers. */
export interface CommandEnvelope {
  readonly timestamp: string;
  /** Digits; a UUID for V1Withdrawal only. */
  readonly nonce: string;
  readonly authorizer: string;
}

/** A command as it goes over HTTP: the body is the very text that is signed. */
export interface EncodedCommand {
  readonly method: 'POST';
  readonly path: string;
  readonly body: string;
}

/** Places where the documents leave a choice. */
export interface EncodingSettings {
  /** Where V2CancelOrder goes in the v2 dialect (rule X2, **assumed**). */
  readonly v2CancelPath: string;
}

const DEFAULT_SETTINGS: EncodingSettings = { v2CancelPath: COMMAND_PATH };

/** Encode a command for one dialect. Field order is that of trading-api.md and exchange reference §1.4. */
export function encodeCommand(
  command: ExchangeCommand,
  dialect: CommandDialect,
  envelope: CommandEnvelope,
  settings: EncodingSettings = DEFAULT_SETTINGS,
): EncodedCommand {
  const path = commandPath(command, dialect, settings);
  const fields = commandFields(command, dialect);
  const enveloped = dialect === 'v2' || isWithdrawal(command);
  const body = enveloped
    ? JSON.stringify({
        timestamp: envelope.timestamp,
        nonce: envelope.nonce,
        authorizer: envelope.authorizer,
        command: fields,
      })
    : JSON.stringify(withoutNulls(fields));
  return { method: 'POST', path, body };
}

/** Whether a command is V1Withdrawal, which has an envelope of its own in both dialects and a UUID nonce (rule X2). */
export function isWithdrawal(command: ExchangeCommand): boolean {
  return command.kind === 'raw' && command.fields.commandType === 'V1Withdrawal';
}

function commandPath(command: ExchangeCommand, dialect: CommandDialect, settings: EncodingSettings): string {
  switch (command.kind) {
    case 'createOrder':
      return ORDERS_PATH;
    case 'raw':
      return command.path;
    case 'cancelOrder':
      return dialect === 'v2' ? settings.v2CancelPath : COMMAND_PATH;
    default:
      return COMMAND_PATH;
  }
}

function commandFields(command: ExchangeCommand, dialect: CommandDialect): Readonly<Record<string, unknown>> {
  switch (command.kind) {
    case 'createOrder':
      return dialect === 'v2' ? createOrderV2(command) : createOrderV3(command);
    case 'cancelOrder':
      return dialect === 'v2' ? cancelOrderV2(command) : cancelOrderV3(command);
    case 'amendOrder':
      return amendOrder(command);
    case 'cancelAll':
      return { commandType: 'V1CancelAllOrders', tradingAccountId: command.tradingAccountId };
    case 'cancelAllByMarket':
      return {
        commandType: 'V1CancelAllOrdersByMarket',
        symbol: command.symbol,
        tradingAccountId: command.tradingAccountId,
      };
    case 'delayedCancelAll':
      return {
        commandType: 'V1DelayedCancelAllOrders',
        cancelId: command.cancelId,
        delayBySeconds: command.delayBySeconds,
        tradingAccountId: command.tradingAccountId,
      };
    case 'unsetDelayedCancelAll':
      return { commandType: 'V1UnsetDelayedCancelAllOrders', tradingAccountId: command.tradingAccountId };
    case 'raw':
      return command.fields;
    default:
      return unreachable(command);
  }
}

const TYPE_V2: Readonly<Record<OrderType, string>> = {
  LIMIT: 'LMT',
  MARKET: 'MKT',
  STOP_LIMIT: 'STOP_LIMIT',
  POST_ONLY: 'POST_ONLY',
};

function createOrderV2(command: CreateOrderCommand): Record<string, unknown> {
  const fields = {
    commandType: 'V2CreateOrder',
    handle: command.clientOrderId,
    symbol: command.symbol,
    type: TYPE_V2[command.type],
    side: command.side,
    price: command.price,
    stopPrice: command.stopPrice,
    quantity: command.quantity,
    timeInForce: command.timeInForce,
    allowMargin: command.allowBorrow,
    tradingAccountId: command.tradingAccountId,
  };
  // V2CreateOrder has no place for it; the field of v3 is appended (**assumed**) rather than dropped in silence.
  return command.isMMP === null ? fields : { ...fields, isMMP: command.isMMP };
}

function createOrderV3(command: CreateOrderCommand): Record<string, unknown> {
  return {
    commandType: 'V3CreateOrder',
    clientOrderId: command.clientOrderId,
    symbol: command.symbol,
    type: command.type,
    side: command.side,
    price: command.price,
    stopPrice: command.stopPrice,
    quantity: command.quantity,
    timeInForce: command.timeInForce,
    allowBorrow: command.allowBorrow,
    isMMP: command.isMMP,
    tradingAccountId: command.tradingAccountId,
  };
}

function cancelOrderV2(command: CancelOrderCommand): Record<string, unknown> {
  return {
    commandType: 'V2CancelOrder',
    orderId: command.orderId,
    handle: command.clientOrderId,
    symbol: command.symbol,
    tradingAccountId: command.tradingAccountId,
  };
}

function cancelOrderV3(command: CancelOrderCommand): Record<string, unknown> {
  return {
    commandType: 'V3CancelOrder',
    orderId: command.orderId,
    // Exactly one of the two is allowed; the exchange's own id wins.
    clientOrderId: command.orderId === null ? command.clientOrderId : null,
    symbol: command.symbol,
    tradingAccountId: command.tradingAccountId,
  };
}

function amendOrder(command: AmendOrderCommand): Record<string, unknown> {
  return {
    commandType: 'V1AmendOrder',
    orderId: command.orderId,
    symbol: command.symbol,
    type: command.type,
    price: command.price,
    clientOrderId: command.clientOrderId,
    quantity: command.quantity,
    tradingAccountId: command.tradingAccountId,
  };
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
