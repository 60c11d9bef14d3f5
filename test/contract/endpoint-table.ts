// The table of the exchange's REST endpoints: who may ask, how a request looks, what answers look like. One row per
// endpoint, or per command where an endpoint takes several. endpoints.test.ts makes a test of every row; rows and router must agree.

import type { TSchema } from 'typebox';
import { ACCOUNT, type Answer, Caller, type Json, v2Cancel, v2Order } from '../simulator/exchange-caller.ts';
import * as account from './account-schemas.ts';
import * as market from './market-schemas.ts';
import * as negotiated from './negotiated-schemas.ts';
import * as order from './order-schemas.ts';
import { listOf } from './scalars.ts';
import {
  acknowledged,
  brokered,
  EXPIRED_OPTION,
  IDB_OTC,
  liquidity,
  mmp,
  OPTION,
  OTC,
  OTHER,
  otcKey,
  otcTrade,
  PERP,
  postJson,
  SECOND,
  type Situation,
  selfHosted,
  withdraw,
} from './situation.ts';

/** What a request needs: nothing, a login, a login of an ECDSA key, or a signature too. */
export type Needs = 'none' | 'login' | 'ecdsa' | 'signed';

export interface EndpointRow {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the router has it: `:name` for what varies. */
  readonly path: string;
  /** Set where the endpoint takes several commands. */
  readonly command: string | null;
  readonly needs: Needs;
  /** Name of the schema in the exchange catalogue. */
  readonly answers: string;
  /** Null for an empty body. */
  readonly schema: TSchema | null;
  /** `list`: a bare array; `pages`: with `_metaData=true` also a wrapper with links. */
  readonly shape: 'one' | 'list' | 'pages';
  readonly ask: (situation: Situation) => Promise<Answer>;
}

type Query = string | ((situation: Situation) => string);

/** Write the values of a path's `:name`s into it. */
const filled = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));

interface Read {
  readonly needs?: Needs;
  readonly shape?: EndpointRow['shape'];
  readonly query?: Query;
  readonly values?: (situation: Situation) => Readonly<Record<string, string>>;
  readonly caller?: (situation: Situation) => Caller;
}

function read(path: string, answers: string, schema: TSchema | null, options: Read = {}): EndpointRow {
  const { needs = 'login', shape = 'one', query = '', values = () => ({}), caller = ({ demo }) => demo } = options;
  const ask = (situation: Situation): Promise<Answer> => {
    const text = typeof query === 'string' ? query : query(situation);
    return caller(situation).get(`${filled(path, values(situation))}${text === '' ? '' : `?${text}`}`);
  };
  return { method: 'GET', path, command: null, needs, answers, schema, shape, ask };
}

const open = (path: string, answers: string, schema: TSchema, options: Read = {}): EndpointRow =>
  read(path, answers, schema, { needs: 'none', ...options });
const custody = (path: string, answers: string, schema: TSchema, options: Read = {}): EndpointRow =>
  read(path, answers, schema, { needs: 'ecdsa', ...options });

function command(
  path: string,
  commandType: string,
  answers: string,
  schema: TSchema,
  run: (situation: Situation) => Promise<Answer>,
): EndpointRow {
  return { method: 'POST', path, command: commandType, needs: 'signed', answers, schema, shape: 'one', ask: run };
}

const V1 = '/trading-api/v1';
const V2 = '/trading-api/v2';
const OWN = `tradingAccountId=${ACCOUNT}`;
const id =
  (name: string, param = name) =>
  (situation: Situation) => ({ [param]: situation.ids[name]! });
const symbol = (name: string) => () => ({ symbol: name });
const flat = (caller: Caller, json: Json, path?: string): Promise<Answer> =>
  caller.send(json, { dialect: 'v3', ...(path === undefined ? {} : { path }) });

const LOGIN: readonly EndpointRow[] = [
  { ...open(`${V1}/nonce`, 'Nonce', market.Nonce), needs: 'login' },
  // trading-api.md names the path without a version.
  { ...open('/nonce', 'Nonce', market.Nonce), needs: 'login' },
  open(`${V1}/time`, 'CurrentExchangeTimeResponse', market.Time),
  {
    ...open(`${V2}/users/login`, 'LoginResponse', account.Login),
    method: 'POST',
    ask: ({ demo }) => demo.ecdsaLogin(),
  },
  { ...open(`${V1}/users/hmac/login`, 'LoginResponse', account.Login), ask: ({ demoHmac }) => demoHmac.hmacLogin() },
  {
    ...read(`${V1}/users/logout`, '(empty)', null),
    ask: async ({ other, simulator }) => {
      const once = await Caller.loggedIn(simulator, 'other-hmac', other.now);
      return once.get(`${V1}/users/logout`);
    },
  },
];

const ACCOUNTS: readonly EndpointRow[] = [
  read(`${V1}/accounts/trading-accounts`, 'TradingAccountResponse', account.TradingAccount, { shape: 'list' }),
  read(`${V1}/accounts/trading-accounts/:tradingAccountId`, 'TradingAccountResponse', account.TradingAccount, {
    values: () => ({ tradingAccountId: ACCOUNT }),
  }),
  read(`${V1}/accounts/asset`, 'AssetAccount', account.AssetAccount, { shape: 'list', query: OWN }),
  read(`${V1}/accounts/asset/:symbol`, 'AssetAccount', account.AssetAccount, { query: OWN, values: symbol('BTC') }),
  read(`${V1}/history/transfer`, 'SubAccountTransferResponse', account.Transfer, {
    shape: 'pages',
    query: (s) => s.range(),
  }),
  read(`${V1}/history/borrow-interest`, 'BorrowInterest', account.BorrowInterest, {
    shape: 'pages',
    query: (s) => `assetSymbol=BTC&${s.range()}`,
  }),
  {
    ...read(`${V1}/simulate-portfolio-margin`, 'PortfolioSimulationResponse', account.PortfolioSimulation),
    method: 'POST',
    ask: ({ demo }) =>
      postJson(demo, `${V1}/simulate-portfolio-margin`, {
        tradingAccountId: ACCOUNT,
        positions: [{ symbol: 'BTC', quantity: '2' }],
        orders: [{ symbol: PERP, quantity: '1', timeInForce: 'GTX' }],
        priceVolOffsetParams: { globalCryptoPriceMultiplier: 1.1, volOffset: 0.05 },
      }),
  },
  {
    ...read(`${V1}/bulk-simulate-portfolio-margin`, 'PortfolioSimulationResponse', account.PortfolioSimulation),
    method: 'POST',
    shape: 'list',
    ask: ({ demo }) => postJson(demo, `${V1}/bulk-simulate-portfolio-margin`, [{ tradingAccountId: ACCOUNT }]),
  },
];

const ORDERS: readonly EndpointRow[] = [
  read(`${V2}/orders`, 'Order', order.Order, { shape: 'pages', query: OWN }),
  read(`${V2}/orders/:orderId`, 'Order', order.Order, { query: OWN, values: id('orderId') }),
  read(`${V2}/orders/client-order-id/:clientOrderId`, 'Order', order.Order, {
    query: OWN,
    values: () => ({ clientOrderId: '1001' }),
  }),
  read(`${V2}/history/orders`, 'Order', order.Order, { shape: 'pages', query: (s) => `${OWN}&${s.range()}` }),
  read(`${V1}/trades`, 'Trade', order.Trade, { shape: 'pages', query: OWN }),
  read(`${V1}/trades/:tradeId`, 'Trade', order.Trade, { query: OWN, values: id('tradeId') }),
  read(`${V1}/trades/client-order-id/:clientOrderId`, 'Trade', order.Trade, {
    shape: 'list',
    query: OWN,
    values: () => ({ clientOrderId: '1001' }),
  }),
  read(`${V1}/history/trades`, 'Trade', order.Trade, { shape: 'pages', query: (s) => `${OWN}&${s.range()}` }),
  read(`${V2}/amm-instructions`, 'AMMInstruction', order.AMMInstruction, { shape: 'pages', query: OWN }),
  read(`${V2}/amm-instructions/:instructionId`, 'AMMInstruction', order.AMMInstruction, {
    query: OWN,
    values: id('instructionId'),
  }),
  read(`${V2}/mmp-configuration`, 'GetMmpConfigurationResponse', order.MmpConfigurations, { query: OWN }),
];

const v3Order = (): Json => ({
  commandType: 'V3CreateOrder',
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '50000.0',
  quantity: '0.1',
  timeInForce: 'GTC',
  tradingAccountId: ACCOUNT,
});
const resting = async ({ demo }: Situation): Promise<Json> => {
  const { orderId } = await acknowledged(demo, v3Order());
  return { orderId, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
};
const COMMAND = `${V2}/command`;
const plain = (commandType: string, name: string, fields: Json): EndpointRow =>
  command(COMMAND, commandType, `${name}Response`, order.plainAcknowledgement(commandType, name), ({ demo }) =>
    flat(demo, { commandType, ...fields }),
  );
const transfer = { assetSymbol: 'USDC', quantity: '1', fromTradingAccountId: ACCOUNT, toTradingAccountId: SECOND };
const instructionOf = async (demo: Caller): Promise<string> =>
  String((await acknowledged(demo, liquidity(), `${V2}/amm-instructions`)).instructionId);

const ORDER_COMMANDS: readonly EndpointRow[] = [
  command(`${V2}/orders`, 'V3CreateOrder', 'CreateOrderCommandResponseV3', order.CreateOrderAcknowledgement, (s) =>
    flat(s.demo, v3Order()),
  ),
  command(`${V2}/orders`, 'V2CreateOrder', 'CreateOrderCommandResponseV3', order.CreateOrderAcknowledgement, (s) =>
    s.demo.send(v2Order({ price: '50000.0' })),
  ),
  command(
    COMMAND,
    'V3CancelOrder',
    'CancelOrderCommandResponseV3',
    order.orderAcknowledgement('V3CancelOrder', 'CancelOrder'),
    async (s) => flat(s.demo, { commandType: 'V3CancelOrder', ...(await resting(s)) }),
  ),
  command(
    `${V2}/orders`,
    'V2CancelOrder',
    'CancelOrderCommandResponseV3',
    order.orderAcknowledgement('V2CancelOrder', 'CancelOrder'),
    async (s) => s.demo.send(v2Cancel({ orderId: (await resting(s)).orderId }), { path: `${V2}/orders` }),
  ),
  command(
    COMMAND,
    'V1AmendOrder',
    'AmendOrderCommandResponseV1',
    order.orderAcknowledgement('V1AmendOrder', 'AmendOrder'),
    async (s) => flat(s.demo, { commandType: 'V1AmendOrder', ...(await resting(s)), price: '50001.0' }),
  ),
  plain('V1CancelAllOrdersByMarket', 'CancelAllOrdersByMarket', { symbol: 'ETHUSDC', tradingAccountId: ACCOUNT }),
  plain('V1CancelAllOrders', 'CancelAllOrders', { tradingAccountId: SECOND }),
  plain('V1DelayedCancelAllOrders', 'DelayedCancelAllOrders', { delayBySeconds: '60', tradingAccountId: SECOND }),
  plain('V1UnsetDelayedCancelAllOrders', 'UnsetDelayedCancelAllOrders', { tradingAccountId: SECOND }),
  plain('V2TransferAsset', 'TransferAsset', transfer),
  plain('V1TransferAsset', 'TransferAsset', transfer),
  command(
    `${V2}/amm-instructions`,
    'V3CreateAMMInstruction',
    'CreateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('CreateAMMInstruction', null),
    ({ demo }) => flat(demo, liquidity(), `${V2}/amm-instructions`),
  ),
  command(
    `${V2}/amm-instructions`,
    'V2AddLiquidity',
    'CreateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('AddLiquidity', null),
    ({ demo }) => demo.send({ ...liquidity(), commandType: 'V2AddLiquidity' }, { path: `${V2}/amm-instructions` }),
  ),
  command(
    COMMAND,
    'V3TerminateAMMInstruction',
    'TerminateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('TerminateAMMInstruction', 'V3TerminateAMMInstruction'),
    async ({ demo }) =>
      flat(demo, {
        commandType: 'V3TerminateAMMInstruction',
        instructionId: await instructionOf(demo),
        symbol: 'ETHUSDC',
        tradingAccountId: ACCOUNT,
      }),
  ),
  command(
    COMMAND,
    'V2RemoveLiquidity',
    'TerminateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('RemoveLiquidity', 'V2RemoveLiquidity'),
    async ({ demo }) =>
      demo.send({
        commandType: 'V2RemoveLiquidity',
        liquidityId: await instructionOf(demo),
        symbol: 'ETHUSDC',
        tradingAccountId: ACCOUNT,
      }),
  ),
  command(
    `${V2}/mmp-configuration`,
    'V1SetMMP',
    'SetMMPCommandResponse',
    order.MmpAcknowledgement('SetMMP'),
    ({ demo }) => flat(demo, mmp(), `${V2}/mmp-configuration`),
  ),
  command(
    `${V2}/mmp-configuration`,
    'V1ResetMMP',
    'ResetMMPCommandResponse',
    order.MmpAcknowledgement('ResetMMP'),
    ({ demo }) =>
      flat(
        demo,
        { commandType: 'V1ResetMMP', tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' },
        `${V2}/mmp-configuration`,
      ),
  ),
];

const WALLETS = `${V1}/wallets`;
const CUSTODY: readonly EndpointRow[] = [
  custody(`${WALLETS}/transactions`, 'CustodyHistory', account.CustodyHistory, { shape: 'pages' }),
  custody(`${WALLETS}/limits/:symbol`, 'CustodyLimits', account.CustodyLimits, { values: symbol('USDC') }),
  custody(`${WALLETS}/deposit-instructions/crypto/:symbol`, 'CustodyCryptoDepositInstructions', account.CryptoDeposit, {
    shape: 'list',
    values: symbol('USDC'),
  }),
  custody(
    `${WALLETS}/withdrawal-instructions/crypto/:symbol`,
    'CustodyCryptoWithdrawalInstructions',
    account.CryptoWithdrawal,
    { shape: 'list', values: symbol('USDC') },
  ),
  custody(`${WALLETS}/deposit-instructions/fiat/:symbol`, 'CustodyFiatDepositInstructions', account.FiatDeposit, {
    shape: 'list',
    values: symbol('USD'),
  }),
  custody(
    `${WALLETS}/withdrawal-instructions/fiat/:symbol`,
    'CustodyFiatWithdrawalInstructions',
    account.FiatWithdrawal,
    { shape: 'list', values: symbol('USD') },
  ),
  custody(
    `${WALLETS}/self-hosted/verification-attempts`,
    'CustodyGetSelfHostedVerificationResponse',
    account.SelfHostedVerification,
    { shape: 'list' },
  ),
  {
    ...custody(`${WALLETS}/self-hosted/initiate`, 'CustodySelfHostedInitiateResponse', account.SelfHostedInitiation),
    method: 'POST',
    ask: ({ demo }) => postJson(demo, `${WALLETS}/self-hosted/initiate`, selfHosted('Second wallet')),
  },
  {
    ...custody(`${WALLETS}/withdrawal-instructions/:destinationId`, '(empty)', account.CryptoWithdrawal),
    method: 'DELETE',
    schema: null,
    ask: async ({ demo }) => {
      const made = await postJson(demo, `${WALLETS}/self-hosted/initiate`, selfHosted('To be deleted'));
      const path = `${WALLETS}/withdrawal-instructions/${String(made.json.destinationId)}`;
      return demo.fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${demo.token}` } });
    },
  },
  {
    ...custody(`${WALLETS}/withdrawal`, 'CustodyApiWithdrawalResponse', account.Withdrawal),
    method: 'POST',
    ask: ({ demo, ids }) =>
      withdraw(demo, {
        commandType: 'V1Withdrawal',
        destinationId: ids.destinationId!,
        network: ids.network!,
        symbol: 'USDC',
        quantity: '50',
      }),
  },
];

const BTC = { values: symbol('BTCUSDC') };
const MARKETS: readonly EndpointRow[] = [
  open(`${V1}/assets`, 'Asset', market.Asset, { shape: 'list' }),
  open(`${V1}/assets/:symbol`, 'Asset', market.Asset, { values: symbol('BTC') }),
  // trading-api.md names these two without a version.
  open('/trading-api/assets', 'Asset', market.Asset, { shape: 'list' }),
  open('/trading-api/assets/:symbol', 'Asset', market.Asset, { values: symbol('BTC') }),
  open(`${V1}/vol-grids`, 'VolGridConfiguration', market.VolGrid, { shape: 'list' }),
  open(`${V1}/assets/:symbol/vol-grid`, 'VolGridConfiguration', market.VolGrid, { values: symbol('BTC') }),
  open(`${V1}/markets`, 'Market', market.Market, { shape: 'list' }),
  open(`${V1}/markets/:symbol`, 'Market', market.Market, { values: symbol(OPTION) }),
  open(`${V1}/history/markets`, 'object', market.PastMarket, { shape: 'list', query: 'status=EXPIRED' }),
  open(`${V1}/history/markets/:symbol`, 'Market', market.Market, { values: symbol(EXPIRED_OPTION) }),
  open(`${V1}/markets/:symbol/orderbook/hybrid`, 'OrderBook', market.OrderBook, BTC),
  open(`${V1}/markets/:symbol/trades`, 'ObfuscatedTrade', order.ObfuscatedTrade, { ...BTC, shape: 'list' }),
  open(`${V1}/markets/:symbol/tick`, 'Tick', market.Tick, { values: symbol(OPTION) }),
  open(`${V1}/markets/:symbol/candle`, 'OHLCVCandle', market.Candle, {
    ...BTC,
    shape: 'pages',
    query: (s) => `timeBucket=1m&${s.range()}`,
  }),
  open(`${V1}/markets/:symbol/auctions`, 'Auction', market.Auction, BTC),
  open(`${V1}/markets/:symbol/auctions/noii`, 'AuctionNoii', market.AuctionNoii, BTC),
  open(`${V1}/history/markets/:symbol/auctions`, 'AuctionResult', market.AuctionResult, {
    ...BTC,
    shape: 'pages',
    query: (s) => s.range(),
  }),
  open(`${V1}/history/markets/:symbol/trades`, 'ObfuscatedTradeWithId', order.ObfuscatedTrade, {
    ...BTC,
    shape: 'pages',
    query: (s) => s.range(),
  }),
  open(`${V1}/index-prices`, 'IndexPrice', market.IndexPrice, { shape: 'list' }),
  open(`${V1}/index-prices/:assetSymbol`, 'IndexPrice', market.IndexPrice, {
    values: () => ({ assetSymbol: 'BTC' }),
  }),
];

const DERIVATIVES: readonly EndpointRow[] = [
  read(`${V1}/derivatives-positions`, 'DerivativesPositionResponse', account.Position, { shape: 'list' }),
  read(`${V1}/history/derivatives-settlement`, 'DerivativesSettlementResponse', account.Settlement, {
    shape: 'pages',
    query: (s) => s.range('settlement'),
  }),
  open(`${V1}/history/markets/:symbol/funding-rate`, 'FundingRateHistoryResponse', market.FundingRate, {
    shape: 'pages',
    values: symbol(PERP),
    query: (s) => s.range('updatedAt'),
  }),
  open(`${V1}/history/option-trades`, 'OptionTrade', order.OptionTrade, { shape: 'list', query: (s) => s.range() }),
  open(`${V1}/option-ladder`, 'OptionLadderResponse', market.OptionLadder, {
    shape: 'list',
    query: 'baseSymbol=BTC',
  }),
  open(`${V1}/option-ladder/:symbol`, 'OptionLadderResponse', market.OptionLadder, { values: symbol(OPTION) }),
  open(`${V1}/expiry-prices/:symbol`, 'MarketExpiryPriceResponse', market.ExpiryPrice, {
    values: symbol(EXPIRED_OPTION),
  }),
];

const OTC_COMMAND = `${V2}/otc-command`;
const IDB_COMMAND = `${V2}/idb/otc-command`;
const waiting = async (caller: Caller): Promise<Json> => {
  const { otcTradeId } = await acknowledged(caller, otcTrade('BUY', { sharedMatchKey: otcKey() }), OTC);
  return { otcTradeId, tradingAccountId: ACCOUNT };
};
const brokeredKey = async ({ broker }: Situation): Promise<string> =>
  String((await acknowledged(broker, brokered(), IDB_OTC)).sharedMatchKey);
const byBroker = { caller: ({ broker }: Situation) => broker };

const NEGOTIATED: readonly EndpointRow[] = [
  read(OTC, 'OtcTradeView', negotiated.OtcTrade, { shape: 'pages', query: OWN }),
  read(`${OTC}/:otcTradeId`, 'OtcTradeView', negotiated.OtcTrade, { query: OWN, values: id('otcTradeId') }),
  read(`${OTC}/unconfirmed-trade`, 'UnconfirmedOtcTradeView', negotiated.UnconfirmedOtcTrade, {
    query: ({ ids }) => `${OWN}&sharedMatchKey=${ids.unconfirmedKey}`,
  }),
  read(`${OTC}/delegated-accounts`, 'ClientDelegatedAccountView', negotiated.ClientDelegation, { shape: 'list' }),
  command(OTC, 'V1CreateOtcTrade', 'CreateOtcTradeResponse', negotiated.CreateOtcTradeAcknowledgement, ({ demo }) =>
    flat(demo, otcTrade('BUY', { sharedMatchKey: otcKey() }), OTC),
  ),
  command(
    OTC_COMMAND,
    'V1ApproveOtcTrade',
    'ApproveOtcTradeResponse',
    negotiated.otcAcknowledgement('ApproveOtcTrade'),
    ({ other, ids }) =>
      flat(
        other,
        { commandType: 'V1ApproveOtcTrade', otcTradeId: ids.approvableOtcTradeId!, tradingAccountId: OTHER },
        OTC_COMMAND,
      ),
  ),
  command(
    OTC_COMMAND,
    'V1CancelOtcTrade',
    'CancelOtcTradeResponse',
    negotiated.otcAcknowledgement('CancelOtcTrade'),
    async ({ demo }) => flat(demo, { commandType: 'V1CancelOtcTrade', ...(await waiting(demo)) }, OTC_COMMAND),
  ),
  command(
    OTC_COMMAND,
    'V1CancelAllOtcTrades',
    'CancelAllOtcTradesResponse',
    negotiated.CancelAllOtcAcknowledgement,
    ({ demo }) => flat(demo, { commandType: 'V1CancelAllOtcTrades', tradingAccountId: SECOND }, OTC_COMMAND),
  ),
  read(`${V2}/idb/delegated-accounts`, 'IdbDelegatedAccountView', negotiated.BrokerDelegation, {
    ...byBroker,
    shape: 'pages',
  }),
  read(IDB_OTC, 'IdbOtcTradeView', negotiated.IdbOtcTrade, { ...byBroker, shape: 'pages' }),
  command(
    IDB_OTC,
    'V1IdbCreateOtcTrade',
    'IdbCreateOtcTradeResponse',
    negotiated.idbAcknowledgement('IdbCreateOtcTrade'),
    ({ broker }) => flat(broker, brokered(), IDB_OTC),
  ),
  command(
    IDB_COMMAND,
    'V1IdbCancelOtcTrade',
    'IdbCancelOtcTradeResponse',
    negotiated.idbAcknowledgement('IdbCancelOtcTrade'),
    async (s) =>
      flat(s.broker, { commandType: 'V1IdbCancelOtcTrade', sharedMatchKey: await brokeredKey(s) }, IDB_COMMAND),
  ),
  command(
    IDB_COMMAND,
    'V1IdbUpdateRemarks',
    'IdbUpdateRemarksResponse',
    negotiated.idbAcknowledgement('IdbUpdateRemarks'),
    async (s) =>
      flat(
        s.broker,
        { commandType: 'V1IdbUpdateRemarks', sharedMatchKey: await brokeredKey(s), idbRemarks: 'changed' },
        IDB_COMMAND,
      ),
  ),
];

/** Every endpoint of the exchange. */
export const ENDPOINT_TABLE: readonly EndpointRow[] = [
  ...LOGIN,
  ...ACCOUNTS,
  ...ORDERS,
  ...ORDER_COMMANDS,
  ...CUSTODY,
  ...MARKETS,
  ...DERIVATIVES,
  ...NEGOTIATED,
];

/** Schema of a whole answer. */
export function answerSchema({ schema, shape }: EndpointRow): TSchema | null {
  return schema === null || shape === 'one' ? schema : listOf(schema);
}

/** `GET /v2/orders`, with the command where there are several. */
export const nameOf = ({ method, path, command: type }: EndpointRow): string =>
  `${method} ${path}${type === null ? '' : ` ${type}`}`;
