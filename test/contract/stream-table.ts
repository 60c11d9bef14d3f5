// The table of the exchange's stream topics: how to subscribe, what frames look like, what causes the next one. streams.test.ts
// makes a test of every row; rows and the simulator's topics must agree.

import { type TSchema, Type } from 'typebox';
import type { ExchangeEvent, MarketDataEvent, MarketTopic } from '../../src/exchange/mod.ts';
import { ACCOUNT, type Json } from '../simulator/exchange-caller.ts';
import * as account from './account-schemas.ts';
import * as market from './market-schemas.ts';
import * as order from './order-schemas.ts';
import { AccountId, exactly, Id, listOf, Word } from './scalars.ts';
import { acknowledged, liquidity, mmp, OPTION, OTHER, PERP, type Situation } from './situation.ts';

/**
 * The exchange client's use of a topic: an event of orders or market data of this kind, `frame`: the frame unchanged;
 * `life`: only that the feed is alive.
 */
export type HeardAs = ExchangeEvent['kind'] | MarketDataEvent['kind'] | 'frame' | 'life';

export interface StreamRow {
  /** Below `/trading-api/v1/`. */
  readonly stream: string;
  readonly topic: string;
  /** Beside `topic`. */
  readonly params: Json;
  /** How the client follows it, for topics that it does not follow by itself. */
  readonly follow: { readonly topic: MarketTopic; readonly subject: string } | null;
  /** Null for a deprecated topic, which is refused. */
  readonly frames: {
    readonly dataType: string;
    /** Type of the frame that follows the acknowledgement; `none`: nothing until something happens. */
    readonly first: 'snapshot' | 'update' | 'none';
    /** Data of a snapshot: a list of what an update carries one of, or the same as an update. */
    readonly snapshotIsList: boolean;
    readonly schema: TSchema;
    /** Whether the frame names the trading account. */
    readonly isPrivate: boolean;
    readonly cause: (situation: Situation) => unknown;
    readonly heardAs: HeardAs;
  } | null;
}

const own = { tradingAccountId: ACCOUNT };
const btc = { symbol: 'BTCUSDC' };

function privateTopic(
  topic: string,
  dataType: string,
  schema: TSchema,
  cause: (s: Situation) => unknown,
  heardAs: HeardAs = 'frame',
): StreamRow {
  const frames = {
    dataType,
    first: 'snapshot',
    snapshotIsList: true,
    schema,
    isPrivate: true,
    cause,
    heardAs,
  } as const;
  return { stream: 'private-data', topic, params: own, follow: null, frames };
}

function publicTopic(
  stream: string,
  topic: string,
  params: Json,
  follow: MarketTopic | null,
  frames: Omit<NonNullable<StreamRow['frames']>, 'isPrivate'>,
): StreamRow {
  const subject = String(params.symbol ?? params.assetSymbol ?? 'ETHUSDC');
  const followed = follow === null ? null : { topic: follow, subject };
  return { stream, topic, params, follow: followed, frames: { ...frames, isPrivate: false } };
}

const deprecated = (topic: string): StreamRow => ({
  stream: 'private-data',
  topic,
  params: own,
  follow: null,
  frames: null,
});

const rest = ({ demo }: Situation): Promise<string> => demo.create({ side: 'BUY', price: '59900.0', quantity: '0.1' });

/** Demo sells at a price of its own and the counterparty buys it. */
async function trade({ demo, simulator }: Situation, symbol = 'BTCUSDC'): Promise<void> {
  await demo.create({ symbol, side: 'SELL', price: '59950.0', quantity: '0.1' });
  simulator.control.trade(symbol, 'BUY', '59950.0', '0.1');
}

const setMmp = ({ demo }: Situation): Promise<Json> =>
  acknowledged(demo, mmp({ quantityLimit: '0.2' }), '/trading-api/v2/mmp-configuration');

/** Trade more under protection than its limit. */
export async function triggerMmp(situation: Situation): Promise<void> {
  const { demo, other } = situation;
  await setMmp(situation);
  const option = { symbol: OPTION, type: 'LIMIT', price: '4950.0', timeInForce: 'GTC' };
  const protectedOrder = { ...option, side: 'BUY', quantity: '0.3', isMMP: true, tradingAccountId: ACCOUNT };
  await acknowledged(demo, { commandType: 'V3CreateOrder', ...protectedOrder });
  const taker = { ...option, side: 'SELL', quantity: '0.3', tradingAccountId: OTHER };
  await acknowledged(other, { commandType: 'V3CreateOrder', ...taker });
}

const heartbeat = (stream: string, heardAs: HeardAs, follow: MarketTopic | null = null): StreamRow =>
  publicTopic(stream, 'heartbeat', {}, follow, {
    dataType: 'V1TAHeartbeat',
    first: 'none',
    snapshotIsList: false,
    schema: account.HeartbeatFrame,
    // It comes by itself.
    cause: () => {},
    heardAs,
  });

/** Every topic of the exchange's streams. */
export const STREAM_TABLE: readonly StreamRow[] = [
  privateTopic('orders', 'V1TAOrder', order.OrderFrame, rest, 'order'),
  privateTopic('trades', 'V1TATrade', order.TradeFrame, trade, 'trade'),
  privateTopic('assetAccounts', 'V1TAAssetAccount', account.AssetAccountFrame, rest),
  privateTopic('tradingAccounts', 'V1TATradingAccount', account.TradingAccountFrame, trade),
  privateTopic('derivativesPositionsV2', 'V1TADerivativesPosition', account.PositionFrame, (s) => trade(s, PERP)),
  privateTopic('ammInstructions', 'V1TAAmmInstruction', order.AMMInstructionFrame, ({ demo }) =>
    acknowledged(demo, liquidity(), '/trading-api/v2/amm-instructions'),
  ),
  privateTopic('mmpTrigger', 'V1TAMMPTrigger', order.MmpTriggerFrame, triggerMmp),
  privateTopic('mmpRequest', 'V1TAMMPConfigRequest', order.MmpRequestFrame, setMmp),
  heartbeat('private-data', 'frame'),
  deprecated('spotAccounts'),
  deprecated('derivativesPositions'),
  // trading-api.md, Events, calls these deprecated too.
  deprecated('events'),
  deprecated('positions'),
  deprecated('marginAccounts'),
  publicTopic('market-data/trades', 'anonymousTrades', btc, 'anonymousTrades', {
    heardAs: 'marketTrades',
    dataType: 'V1TAAnonymousTradeUpdate',
    first: 'snapshot',
    snapshotIsList: false,
    schema: order.AnonymousTradesFrame,
    cause: trade,
  }),
  publicTopic('market-data/tick', 'tick', btc, 'tick', {
    heardAs: 'tick',
    dataType: 'V1TATickerResponse',
    first: 'snapshot',
    snapshotIsList: false,
    schema: market.TickFrame,
    cause: trade,
  }),
  publicTopic('market-data/orderbook', 'l1Orderbook', btc, 'l1Orderbook', {
    heardAs: 'book',
    dataType: 'V1TALevel1',
    first: 'snapshot',
    snapshotIsList: false,
    schema: market.Level1Frame,
    cause: rest,
  }),
  publicTopic('market-data/orderbook', 'l2Orderbook', btc, 'l2Orderbook', {
    heardAs: 'book',
    dataType: 'V1TALevel2',
    first: 'snapshot',
    snapshotIsList: false,
    schema: market.Level2Frame,
    cause: rest,
  }),
  heartbeat('market-data/orderbook', 'life', 'l2Orderbook'),
  publicTopic('market-data/auction', 'noii', btc, null, {
    heardAs: 'noii',
    dataType: 'V1TANoii',
    first: 'snapshot',
    snapshotIsList: true,
    schema: market.NoiiFrame,
    cause: ({ simulator }) => {
      simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
      simulator.control.toPhase('BTCUSDC', 'CROSS');
    },
  }),
  publicTopic('market-data/auction', 'phase', btc, null, {
    heardAs: 'phase',
    dataType: 'V1TAAuctionPhase',
    first: 'snapshot',
    snapshotIsList: true,
    schema: market.AuctionPhaseFrame,
    cause: ({ simulator }) => {
      // Cooling is not announced, the phases after it are.
      simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
      simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
    },
  }),
  publicTopic('index-data', 'indexPrice', { assetSymbol: 'BTC' }, 'indexPrice', {
    heardAs: 'indexPrice',
    dataType: 'V1TAIndexPrice',
    first: 'update',
    snapshotIsList: false,
    schema: market.IndexPrice,
    cause: ({ simulator }) => simulator.control.setIndexPrice('BTC', '60123.4'),
  }),
];

const rpc = { jsonrpc: Type.Literal('2.0'), id: Word };
/** Answer to a subscription and to its end. */
export const StreamAcknowledgement = exactly({
  ...rpc,
  result: exactly({ responseCode: Type.Literal('200'), responseCodeName: Type.Literal('OK'), message: Word }),
});
export const StreamPong = exactly({
  ...rpc,
  result: exactly({
    responseCode: Type.Literal(200),
    responseCodeName: Type.Literal('OK'),
    message: Type.Literal('Keep alive pong'),
  }),
});
export const StreamRefusal = exactly({
  ...rpc,
  error: exactly({ code: Type.Literal('-32602'), errorCode: Id, errorCodeName: Word }),
});

/** A whole data frame of a row. */
export function frameSchema(row: StreamRow, type: 'snapshot' | 'update'): TSchema {
  const { dataType, schema, snapshotIsList, isPrivate } = row.frames!;
  return exactly({
    type: Type.Literal(type),
    dataType: Type.Literal(dataType),
    data: type === 'snapshot' && snapshotIsList ? listOf(schema) : schema,
    ...(isPrivate ? { tradingAccountId: AccountId } : {}),
  });
}
