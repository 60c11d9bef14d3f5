// Rows of accounts, orders, trades and liquidity: what a user reads of his own.

import { ACCOUNT } from '../simulator/exchange-caller.ts';
import * as account from './account-schemas.ts';
import { type EndpointRow, OWN, question } from './endpoint-row.ts';
import * as order from './order-schemas.ts';
import { PERP, type Situation } from './situation.ts';

/** An id of the situation, as the value that stands in a path. */
const id =
  (name: string) =>
  ({ ids }: Situation) => ({ [name]: ids[name]!, ...OWN });
const byClientOrderId = { clientOrderId: '1001', ...OWN };
const history = (s: Situation) => ({ ...OWN, ...s.range() });

const ACCOUNTS: readonly EndpointRow[] = [
  question('tradingAccounts', 'TradingAccountResponse', account.TradingAccount, { shape: 'list' }),
  question('tradingAccount', 'TradingAccountResponse', account.TradingAccount, { values: OWN }),
  question('assetAccounts', 'AssetAccount', account.AssetAccount, { shape: 'list', values: OWN }),
  question('assetAccount', 'AssetAccount', account.AssetAccount, { values: { symbol: 'BTC', ...OWN } }),
  question('transfers', 'SubAccountTransferResponse', account.Transfer, { shape: 'pages', values: (s) => s.range() }),
  question('borrowInterest', 'BorrowInterest', account.BorrowInterest, {
    shape: 'pages',
    values: (s) => ({ assetSymbol: 'BTC', ...s.range() }),
  }),
  question('simulatePortfolioMargin', 'PortfolioSimulationResponse', account.PortfolioSimulation, {
    body: {
      tradingAccountId: ACCOUNT,
      positions: [{ symbol: 'BTC', quantity: '2' }],
      orders: [{ symbol: PERP, quantity: '1', timeInForce: 'GTX' }],
      priceVolOffsetParams: { globalCryptoPriceMultiplier: 1.1, volOffset: 0.05 },
    },
  }),
  question('simulatePortfolioMargins', 'PortfolioSimulationResponse', account.PortfolioSimulation, {
    shape: 'list',
    body: [{ tradingAccountId: ACCOUNT }],
  }),
  question('positions', 'DerivativesPositionResponse', account.Position, { shape: 'list' }),
  question('settlements', 'DerivativesSettlementResponse', account.Settlement, {
    shape: 'pages',
    values: (s) => s.range('settlement'),
  }),
];

const ORDERS: readonly EndpointRow[] = [
  question('orders', 'Order', order.Order, { shape: 'pages', values: OWN }),
  question('order', 'Order', order.Order, { values: id('orderId') }),
  question('orderByClientOrderId', 'Order', order.Order, { values: byClientOrderId }),
  question('pastOrders', 'Order', order.Order, { shape: 'pages', values: history }),
  question('trades', 'Trade', order.Trade, { shape: 'pages', values: OWN }),
  question('trade', 'Trade', order.Trade, { values: id('tradeId') }),
  question('tradesByClientOrderId', 'Trade', order.Trade, { shape: 'list', values: byClientOrderId }),
  question('pastTrades', 'Trade', order.Trade, { shape: 'pages', values: history }),
  question('instructions', 'AMMInstruction', order.AMMInstruction, { shape: 'pages', values: OWN }),
  question('instruction', 'AMMInstruction', order.AMMInstruction, { values: id('instructionId') }),
  question('mmpConfiguration', 'GetMmpConfigurationResponse', order.MmpConfigurations, { values: OWN }),
];

export const ACCOUNT_ENDPOINTS: readonly EndpointRow[] = [...ACCOUNTS, ...ORDERS];
