// Door of the exchange room: the exchange's vocabulary, pure.

export { type AccountCommand, accountCommand, type BrokeredSide, type OtcLeg } from './account-commands.ts';
export {
  type AccountFigures,
  type AssetBalance,
  type DataAnswer,
  type DataQuestion,
  type DerivativePosition,
  decodeAccountFigures,
  decodeBalance,
  decodePosition,
  type TradeQuestion,
} from './account-data.ts';
export {
  type Acknowledgement,
  decodeAcknowledgement,
  decodeErrorBody,
  decodeLastPrice,
  decodeLogin,
  decodeMarket,
  decodePage,
  decodeTime,
  type ErrorBody,
  firstPrice,
} from './answer-decoding.ts';
export { askedMs, headerNumber } from './asked-wait.ts';
export type {
  AmendOrderCommand,
  CancelAllByMarketCommand,
  CancelAllCommand,
  CancelCommand,
  CancelOrderCommand,
  CommandDialect,
  CreateOrderCommand,
  DelayedCancelAllCommand,
  EcdsaPrehash,
  ExchangeCommand,
  OrderCommand,
  OrderSide,
  OrderTimeInForce,
  OrderType,
  RawCommand,
  UnsetDelayedCancelAllCommand,
} from './command.ts';
export {
  COMMAND_PATH,
  type CommandEnvelope,
  type EncodedCommand,
  type EncodingSettings,
  encodeCommand,
  isWithdrawal,
  ORDERS_PATH,
  takesNonceWindow,
  WITHDRAWAL_PATH,
} from './command-encoding.ts';
export { ENDPOINTS, type EndpointName, type EndpointQuestion, encodeQuestion } from './endpoints.ts';
export {
  type AuctionPhase,
  type AuctionPhaseName,
  type CommandOutcome,
  type ExchangeErrorNotice,
  type ExchangeEvent,
  type ExchangeOrder,
  type ExchangeOrderStatus,
  type ExchangeTrade,
  type LookupOutcome,
  refusedHere,
} from './event.ts';
export { decodeErrorNotice, decodeOrder, decodePhase, decodeTrade } from './event-decoding.ts';
export { HTTP_ERRORS, type HttpError, httpErrorName, httpErrorText } from './http-errors.ts';
export { parseExactJson, toObject, toText } from './json.ts';
export { type Entries, entriesOf, longArray } from './long-list.ts';
export { isSameMarket, type Market } from './market.ts';
export {
  type BookLevel,
  decodeBook,
  decodeIndexPrice,
  decodeMarketTrades,
  decodeNoii,
  decodeTick,
  type IndexPrice,
  type MarketBook,
  type MarketDataEvent,
  type MarketTick,
  type MarketTopic,
  type MarketTrade,
  type Noii,
} from './market-data.ts';
export { decodeMmpConfigurations, type MmpConfiguration } from './mmp.ts';
export {
  decodeNonceRange,
  NONCE_WINDOW,
  type NonceAllocation,
  NonceAllocator,
  type NonceMode,
  type NonceRange,
  nonceRangeOfDay,
} from './nonce.ts';
export { decodeOtcTrade, type OtcTrade, type OtcTradeLeg } from './otc-trade.ts';
export type { ExchangePort, MarketDataPort, OrderLookup } from './port.ts';
export {
  ECDSA_LOGIN_PATH,
  HMAC_LOGIN_PATH,
  hmacLoginString,
  LOGIN_EXPIRATION_S,
  type LoginPayload,
  loginPayload,
  type SignedRequest,
  stringToSign,
} from './signing.ts';
export {
  STATUS_REASONS,
  type StatusReasonArea,
  statusReasonName,
  statusReasonText,
} from './status-reasons.ts';
export {
  readStreamRequest,
  type StreamRequest,
  streamAcknowledgement,
  streamDataFrame,
  streamPong,
  streamRefusal,
} from './stream-protocol.ts';
export { oldestFirst } from './trade-order.ts';
