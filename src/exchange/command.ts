// The exchange's commands as values, independent of the dialect that is spoken to it (rule X2).
// Turning them into bytes is command-encoding.ts; signing, nonces and HTTP belong to exchange-client.

export type OrderSide = 'BUY' | 'SELL';
/** Order type, spelled as the v3 dialect and exchange reference §3.1 do; v2 and all replies say LMT and MKT. */
export type OrderType = 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'POST_ONLY';
export type OrderTimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTX';

/** Prices and quantities are decimal strings; ids are digit strings (up to 19 digits: never a number). */
export interface CreateOrderCommand {
  readonly kind: 'createOrder';
  /** Our own reference: `handle` in v2, `clientOrderId` in v3. A positive integer as text (rule O5). */
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly type: OrderType;
  readonly side: OrderSide;
  readonly price: string | null;
  readonly stopPrice: string | null;
  readonly quantity: string;
  readonly timeInForce: OrderTimeInForce;
  /** `allowMargin` in v2, `allowBorrow` in v3. */
  readonly allowBorrow: boolean;
  readonly isMMP: boolean | null;
  readonly tradingAccountId: string;
}

/** Cancel by the exchange's orderId, or by our reference while that is not known; exactly one is set. */
export interface CancelOrderCommand {
  readonly kind: 'cancelOrder';
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly symbol: string;
  readonly tradingAccountId: string;
}

/** Amend price, quantity or type of an order; orderId is always given (exchange reference §1.4). */
export interface AmendOrderCommand {
  readonly kind: 'amendOrder';
  readonly orderId: string;
  /** The order's new reference, or null to keep the present one. */
  readonly clientOrderId: string | null;
  readonly type: 'LIMIT' | 'POST_ONLY' | null;
  readonly price: string | null;
  readonly quantity: string | null;
  readonly symbol: string;
  readonly tradingAccountId: string;
}

export interface CancelAllCommand {
  readonly kind: 'cancelAll';
  readonly tradingAccountId: string;
}

export interface CancelAllByMarketCommand {
  readonly kind: 'cancelAllByMarket';
  readonly symbol: string;
  readonly tradingAccountId: string;
}

/** Dead man's switch: cancel all open limit orders after a delay (trading-api.md, endpoints known by name). */
export interface DelayedCancelAllCommand {
  readonly kind: 'delayedCancelAll';
  readonly delayBySeconds: '5' | '10' | '15' | '20' | '25' | '30' | '40' | '50' | '60';
  readonly cancelId: string | null;
  readonly tradingAccountId: string;
}

export interface UnsetDelayedCancelAllCommand {
  readonly kind: 'unsetDelayedCancelAll';
  readonly tradingAccountId: string;
}

/** The commands that end orders, or will. */
export type CancelCommand =
  | CancelOrderCommand
  | CancelAllCommand
  | CancelAllByMarketCommand
  | DelayedCancelAllCommand
  | UnsetDelayedCancelAllCommand;

/** The commands that concern orders. Those of AMM, transfer, OTC and custody reach the exchange as `RawCommand`. */
export type OrderCommand = CreateOrderCommand | AmendOrderCommand | CancelCommand;

/** Any other signed command, its fields as the caller gave them; the client adds envelope, nonce and signature. */
export interface RawCommand {
  readonly kind: 'raw';
  /** Path with `/trading-api`, without query, for example `/trading-api/v2/amm-instructions`. */
  readonly path: string;
  /** Fields of the command, `commandType` first. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type ExchangeCommand = OrderCommand | RawCommand;

/** Which signed format is spoken (design decision 8): `v2` the envelope of trading-api.md, `v3` flat bodies. */
export type CommandDialect = 'v2' | 'v3';
/** ECDSA over the 64 hex characters of the digest, or over the string itself (rule X1). */
export type EcdsaPrehash = 'hexdigest' | 'none';
