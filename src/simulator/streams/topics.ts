// Topics of each stream: which there are, what their subject is, the acknowledgement's text, and the snapshot.
// Updates are sent by streams.ts as the venue's events arrive.

import { type EpochMs, formatIso } from '../../base/time.ts';
import { openPositions, positionFrame, tradingAccountJson } from '../rest/account-rendering.ts';
import { instructionFrame } from '../rest/amm-rendering.ts';
import { indexPriceJson } from '../rest/market-data.ts';
import { mmpRequestFrame, mmpTriggerFrame } from '../rest/mmp.ts';
import {
  amount,
  assetAccount,
  auctionPhase,
  type Json,
  moment,
  publicTrade,
  streamNoii,
  streamOrder,
  streamTrade,
} from '../rest/rendering.ts';
import type { Floor } from '../venue/floor.ts';
import { isOpen } from '../venue/order.ts';
import type { BookLevel } from '../venue/order-book.ts';
import { streamTick } from '../venue/tick.ts';
import type { StreamSocket } from './socket.ts';

/** Closed orders and trades in a private snapshot (exchange reference §4.2). */
const RECENT = 20;
/** Trades in the snapshot of anonymousTrades. */
const LATEST_TRADES = 100;
/** Levels per side of an l2Orderbook frame. */
const L2_DEPTH = 200;

export type Subject = 'symbol' | 'assetSymbol' | 'account' | 'none';

export interface Snapshot {
  readonly type: 'snapshot' | 'update';
  readonly data: unknown;
  /** Set on private frames. */
  readonly tradingAccountId: string | null;
}

export interface Topic {
  readonly dataType: string;
  readonly subject: Subject;
  /** Text of the acknowledgement; `subject` is empty for private topics. */
  readonly message: (subject: string) => string;
  /** Frames that follow the acknowledgement. */
  readonly snapshot: (floor: Floor, subject: string, now: EpochMs) => Snapshot[];
}

const plain = (): string => 'Successfully subscribed';

function priv(dataType: string, list: (floor: Floor, account: string, now: EpochMs) => Json[]): Topic {
  return {
    dataType,
    subject: 'account',
    message: plain,
    snapshot: (floor, account, now) => [
      { type: 'snapshot', data: list(floor, account, now), tradingAccountId: account },
    ],
  };
}

/** All open orders of an account and its most recent ended ones. */
function orderSnapshot(floor: Floor, account: string, now: EpochMs): Json[] {
  const ended = [];
  const all = [...floor.orders.values()];
  for (let i = all.length - 1; i >= 0 && ended.length < RECENT; i--) {
    const order = all[i]!;
    if (order.tradingAccountId === account && !isOpen(order)) ended.push(order);
  }
  return [...floor.openOrders(account), ...ended].map((order) => streamOrder(floor, order, now));
}

function tradeSnapshot(floor: Floor, account: string, now: EpochMs): Json[] {
  const found: Json[] = [];
  for (let i = floor.trades.length - 1; i >= 0 && found.length < RECENT; i--) {
    const trade = floor.trades[i]!;
    if (trade.tradingAccountId === account) found.push(streamTrade(floor, trade, now));
  }
  return found;
}

const PRIVATE: Readonly<Record<string, Topic>> = {
  orders: priv('V1TAOrder', orderSnapshot),
  trades: priv('V1TATrade', tradeSnapshot),
  assetAccounts: priv('V1TAAssetAccount', (floor, account, now) =>
    floor.world.assets.map(({ symbol }) => ({
      ...assetAccount(floor, account, symbol, now),
      publishedAtTimestamp: String(now),
    })),
  ),
  tradingAccounts: priv('V1TATradingAccount', (floor, account, now) => [tradingAccountFrame(floor, account, now)]),
  derivativesPositionsV2: priv('V1TADerivativesPosition', (floor, account, now) =>
    openPositions(floor, account).map((position) => positionFrame(floor, position, 'positionSnapshot', now)),
  ),
  // Whether there is a snapshot of this one, the documents disagree; one more never harms.
  ammInstructions: priv('V1TAAmmInstruction', (floor, account, now) =>
    [...floor.instructions.values()]
      .filter(({ tradingAccountId, status }) => tradingAccountId === account && status === 'OPEN')
      .map((instruction) => instructionFrame(floor, instruction, now)),
  ),
  mmpTrigger: priv('V1TAMMPTrigger', (floor, account) =>
    floor.histories.mmpTriggers.all.filter((t) => t.tradingAccountId === account).map(mmpTriggerFrame),
  ),
  mmpRequest: priv('V1TAMMPConfigRequest', (floor, account) =>
    floor.histories.mmpRequests.all.filter((r) => r.command.tradingAccountId === account).map(mmpRequestFrame),
  ),
  heartbeat: { dataType: 'V1TAHeartbeat', subject: 'none', message: plain, snapshot: () => [] },
};

/** One trading account in the words of the stream. */
export function tradingAccountFrame(floor: Floor, tradingAccountId: string, now: EpochMs): Json {
  const account = tradingAccountJson(floor, floor.ledger.account(tradingAccountId)!, now);
  return {
    ...account,
    totalBorrowedQuantity: account.totalBorrowedUSD,
    totalCollateralQuantity: account.totalCollateralUSD,
    referenceAssetSymbol: 'USDC',
    ...moment('updatedAt', now),
    publishedAtTimestamp: String(now),
  };
}

/** Level 1 of a book: `[price, quantity]`, empty where a side is. */
export function level1(floor: Floor, symbol: string, now: EpochMs): Json {
  const { spec, book } = floor.markets.get(symbol)!;
  const best = (side: 'BUY' | 'SELL'): string[] =>
    flat(book.levels(side, 1), spec.pricePrecision, spec.quantityPrecision);
  return { symbol, sequenceNumber: String(book.sequence), timestamp: String(now), bid: best('BUY'), ask: best('SELL') };
}

/** Level 2 of a book: always whole, prices and quantities in one flat list. */
export function level2(floor: Floor, symbol: string, from: number, now: EpochMs): Json {
  const { spec, book } = floor.markets.get(symbol)!;
  const side = (name: 'BUY' | 'SELL'): string[] =>
    flat(book.levels(name, L2_DEPTH), spec.pricePrecision, spec.quantityPrecision);
  return {
    symbol,
    sequenceNumberRange: [from, book.sequence],
    timestamp: String(now),
    datetime: formatIso(now),
    bids: side('BUY'),
    asks: side('SELL'),
  };
}

function flat(levels: readonly BookLevel[], p: number, q: number): string[] {
  return levels.flatMap(({ price, quantity }) => [amount(price, p), amount(quantity, q)]);
}

/** Anonymous trades as one frame. */
export function anonymousTrades(floor: Floor, symbol: string, trades: readonly Json[], now: EpochMs): Json {
  const at = floor.markets.get(symbol)?.lastTradeAt ?? now;
  return { symbol, createdAtDatetime: formatIso(at), publishedAtTimestamp: String(now), trades };
}

const one = (type: 'snapshot' | 'update', data: unknown): Snapshot[] => [{ type, data, tradingAccountId: null }];

const TRADES: Topic = {
  dataType: 'V1TAAnonymousTradeUpdate',
  subject: 'symbol',
  message: (symbol) => `Successfully subscribed (anonymousTrades ${symbol})`,
  snapshot: (floor, symbol, now) => {
    const { spec, publicTrades } = floor.markets.get(symbol)!;
    const trades = publicTrades
      .slice(-LATEST_TRADES)
      .map((trade) => ({ ...publicTrade(spec, trade), publishedAtTimestamp: String(now) }));
    return one('snapshot', anonymousTrades(floor, symbol, trades.reverse(), now));
  },
};

/** The tick topic, also served without a subscription at `market-data/tick/{symbol}`. */
export const TICK: Topic = {
  dataType: 'V1TATickerResponse',
  subject: 'symbol',
  message: plain,
  snapshot: (floor, symbol, now) => one('snapshot', streamTick(floor, floor.markets.get(symbol)!, now)),
};

const HEARTBEAT: Topic = { dataType: 'V1TAHeartbeat', subject: 'none', message: plain, snapshot: () => [] };

const BY_PATH: Readonly<Record<string, Readonly<Record<string, Topic>>>> = {
  'private-data': PRIVATE,
  'market-data/trades': { anonymousTrades: TRADES },
  'market-data/tick': { tick: TICK },
  'market-data/orderbook': {
    l1Orderbook: {
      dataType: 'V1TALevel1',
      subject: 'symbol',
      message: (symbol) => `Successfully subscribed ( ${symbol} 1)`,
      snapshot: (floor, symbol, now) => one('snapshot', level1(floor, symbol, now)),
    },
    l2Orderbook: {
      dataType: 'V1TALevel2',
      subject: 'symbol',
      message: (symbol) => `Successfully subscribed ( ${symbol} 2)`,
      snapshot: (floor, symbol, now) =>
        one('snapshot', level2(floor, symbol, floor.markets.get(symbol)!.book.sequence, now)),
    },
    heartbeat: HEARTBEAT,
  },
  'market-data/auction': {
    noii: {
      dataType: 'V1TANoii',
      subject: 'symbol',
      message: (symbol) => `Successfully subscribed (noii ${symbol})`,
      snapshot: (floor, symbol) => {
        const { spec, lastNoii } = floor.markets.get(symbol)!;
        return one('snapshot', lastNoii === null ? [] : [streamNoii(spec, lastNoii)]);
      },
    },
    phase: {
      dataType: 'V1TAAuctionPhase',
      subject: 'symbol',
      message: (symbol) => `Successfully subscribed (phase ${symbol})`,
      snapshot: (floor, symbol) => {
        const announced = floor.markets.get(symbol)!.auction?.announced ?? null;
        return one('snapshot', announced === null ? [] : [auctionPhase(announced)]);
      },
    },
  },
  'index-data': {
    indexPrice: {
      dataType: 'V1TAIndexPrice',
      subject: 'assetSymbol',
      message: plain,
      snapshot: (floor, asset, now) => one('update', indexPriceJson(asset, floor.indexPrices.get(asset)!, now)),
    },
  },
};

/** Topics by stream path and name. Maps: names that every object has are not topics. */
export const TOPICS: ReadonlyMap<string, ReadonlyMap<string, Topic>> = new Map(
  Object.entries(BY_PATH).map(([path, topics]) => [path, new Map(Object.entries(topics))]),
);

/** Accounts that a private subscription covers. */
export function accountsOf(floor: Floor, socket: StreamSocket, subject: string | null): string[] {
  if (subject !== null) return [subject];
  const user = socket.login?.key.user.name;
  return floor.world.accounts.filter((account) => account.user === user).map((account) => account.tradingAccountId);
}
