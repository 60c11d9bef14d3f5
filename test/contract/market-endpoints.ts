// Rows of assets, markets, auctions, index prices and derivatives: what needs no login.

import { type EndpointRow, question } from './endpoint-row.ts';
import * as market from './market-schemas.ts';
import * as order from './order-schemas.ts';
import { EXPIRED_OPTION, OPTION, PERP } from './situation.ts';

const BTC = { symbol: 'BTC' };
const BTCUSDC = { symbol: 'BTCUSDC' };

const ASSETS: readonly EndpointRow[] = [
  question('assets', 'Asset', market.Asset, { shape: 'list' }),
  question('asset', 'Asset', market.Asset, { values: BTC }),
  question('assetsOfDocument', 'Asset', market.Asset, { shape: 'list' }),
  question('assetOfDocument', 'Asset', market.Asset, { values: BTC }),
  question('volGrids', 'VolGridConfiguration', market.VolGrid, { shape: 'list' }),
  question('volGrid', 'VolGridConfiguration', market.VolGrid, { values: BTC }),
  question('indexPrices', 'IndexPrice', market.IndexPrice, { shape: 'list' }),
  question('indexPrice', 'IndexPrice', market.IndexPrice, { values: { assetSymbol: 'BTC' } }),
];

const MARKETS: readonly EndpointRow[] = [
  question('markets', 'Market', market.Market, { shape: 'list' }),
  question('market', 'Market', market.Market, { values: { symbol: OPTION } }),
  question('pastMarkets', 'object', market.PastMarket, { shape: 'list', values: { status: 'EXPIRED' } }),
  question('pastMarket', 'Market', market.Market, { values: { symbol: EXPIRED_OPTION } }),
  question('orderBook', 'OrderBook', market.OrderBook, { values: BTCUSDC }),
  question('marketTrades', 'ObfuscatedTrade', order.ObfuscatedTrade, { shape: 'list', values: BTCUSDC }),
  question('tick', 'Tick', market.Tick, { values: { symbol: OPTION } }),
  question('candles', 'OHLCVCandle', market.Candle, {
    shape: 'pages',
    values: (s) => ({ timeBucket: '1m', ...BTCUSDC, ...s.range() }),
  }),
  question('auctions', 'Auction', market.Auction, { values: BTCUSDC }),
  question('auctionNoii', 'AuctionNoii', market.AuctionNoii, { values: BTCUSDC }),
  question('pastAuctions', 'AuctionResult', market.AuctionResult, {
    shape: 'pages',
    values: (s) => ({ ...BTCUSDC, ...s.range() }),
  }),
  question('pastMarketTrades', 'ObfuscatedTradeWithId', order.ObfuscatedTrade, {
    shape: 'pages',
    values: (s) => ({ ...BTCUSDC, ...s.range() }),
  }),
];

const DERIVATIVES: readonly EndpointRow[] = [
  question('fundingRates', 'FundingRateHistoryResponse', market.FundingRate, {
    shape: 'pages',
    values: (s) => ({ symbol: PERP, ...s.range('updatedAt') }),
  }),
  question('optionTrades', 'OptionTrade', order.OptionTrade, { shape: 'list', values: (s) => s.range() }),
  question('optionLadders', 'OptionLadderResponse', market.OptionLadder, {
    shape: 'list',
    values: { baseSymbol: 'BTC' },
  }),
  question('optionLadder', 'OptionLadderResponse', market.OptionLadder, { values: { symbol: OPTION } }),
  question('expiryPrice', 'MarketExpiryPriceResponse', market.ExpiryPrice, { values: { symbol: EXPIRED_OPTION } }),
];

export const MARKET_ENDPOINTS: readonly EndpointRow[] = [...ASSETS, ...MARKETS, ...DERIVATIVES];
