// Turns venue events into stream frames: each event is rendered once and sent to every subscriber. streams.ts handles
// upgrades and connections, requests.ts subscriptions.

import type { EpochMs } from '../../base/time.ts';
import { streamDataFrame } from '../../exchange/mod.ts';
import { positionFrame } from '../rest/account-rendering.ts';
import { instructionFrame } from '../rest/amm-rendering.ts';
import { indexPriceJson } from '../rest/market-data.ts';
import { mmpRequestFrame, mmpTriggerFrame } from '../rest/mmp.ts';
import {
  assetAccount,
  auctionPhase,
  errorNotice,
  publicTrade,
  streamNoii,
  streamOrder,
  streamTrade,
} from '../rest/rendering.ts';
import type { Floor } from '../venue/floor.ts';
import { streamTick } from '../venue/tick.ts';
import type { VenueEvent } from '../venue/venue-event.ts';
import type { StreamSocket } from './socket.ts';
import { anonymousTrades, level1, level2, TICK, tradingAccountFrame } from './topics.ts';

/** Public events. */
type PublicEvent = Extract<VenueEvent, { readonly kind: 'publicTrade' | 'book' | 'phase' | 'noii' | 'indexPrice' }>;

export class StreamPublisher {
  private readonly floorOf: () => Floor;
  private readonly sockets: ReadonlySet<StreamSocket>;
  private readonly sequenceSent = new Map<string, number>();
  private heartbeats = 0;

  /** `sockets` are those connected at any time; `floorOf` is asked each time, as a restart makes another. */
  constructor(floorOf: () => Floor, sockets: ReadonlySet<StreamSocket>) {
    this.floorOf = floorOf;
    this.sockets = sockets;
  }

  /** Send what happened to everybody who subscribed to it. */
  publish(events: readonly VenueEvent[], now: EpochMs): void {
    if (this.sockets.size === 0) return;
    const moved = new Set<string>();
    for (const event of events) {
      this.publishOne(event, now);
      if (event.kind === 'assetAccount' || event.kind === 'position') moved.add(event.tradingAccountId);
      else if (event.kind === 'trade') moved.add(event.trade.tradingAccountId);
    }
    // Once for all that one input moved: margins depend on everything in the account.
    for (const account of moved) {
      const frame = (): unknown => tradingAccountFrame(this.floorOf(), account, now);
      this.toAccount('tradingAccounts', 'V1TATradingAccount', account, frame);
    }
  }

  /** Tell who listens to heartbeats that the feed is alive. */
  heartbeat(now: EpochMs): void {
    const data = [{ sequenceNumber: String(++this.heartbeats), createdAtTimestamp: String(now) }];
    this.toAll('heartbeat', 'V1TAHeartbeat', '', () => data);
  }

  private publishOne(event: VenueEvent, now: EpochMs): void {
    const floor = this.floorOf();
    switch (event.kind) {
      case 'order': {
        const { order } = event;
        this.toAccount('orders', 'V1TAOrder', order.tradingAccountId, () => streamOrder(floor, order, now));
        return;
      }
      case 'trade': {
        const { trade } = event;
        this.toAccount('trades', 'V1TATrade', trade.tradingAccountId, () => streamTrade(floor, trade, now));
        if (floor.markets.get(trade.symbol)!.spec.marketType === 'SPOT') return;
        this.toAccount('derivativesPositionsV2', 'V1TADerivativesPosition', trade.tradingAccountId, () =>
          positionFrame(floor, floor.position(trade.tradingAccountId, trade.symbol, now), 'tradeUpdate', now),
        );
        return;
      }
      case 'assetAccount': {
        const { tradingAccountId, asset } = event;
        this.toAccount('assetAccounts', 'V1TAAssetAccount', tradingAccountId, () => ({
          ...assetAccount(floor, tradingAccountId, asset, now),
          publishedAtTimestamp: String(now),
        }));
        return;
      }
      case 'notice': {
        const account = event.notice.tradingAccountId;
        this.toAccount('orders', 'V1TAErrorResponse', account, () => errorNotice(event.notice), 'error');
        return;
      }
      case 'instruction': {
        const { instruction } = event;
        this.toAccount('ammInstructions', 'V1TAAmmInstruction', instruction.tradingAccountId, () =>
          instructionFrame(floor, instruction, now),
        );
        return;
      }
      case 'position': {
        const { tradingAccountId, symbol, eventType } = event;
        this.toAccount('derivativesPositionsV2', 'V1TADerivativesPosition', tradingAccountId, () =>
          positionFrame(floor, floor.position(tradingAccountId, symbol, now), eventType, now),
        );
        return;
      }
      case 'mmpRequest': {
        const { request } = event;
        const account = request.command.tradingAccountId;
        this.toAccount('mmpRequest', 'V1TAMMPConfigRequest', account, () => mmpRequestFrame(request));
        return;
      }
      case 'mmpTrigger': {
        const { trigger } = event;
        this.toAccount('mmpTrigger', 'V1TAMMPTrigger', trigger.tradingAccountId, () => mmpTriggerFrame(trigger));
        return;
      }
      default:
        this.publishPublic(floor, event, now);
    }
  }

  private publishPublic(floor: Floor, event: PublicEvent, now: EpochMs): void {
    switch (event.kind) {
      case 'publicTrade': {
        const { trade } = event;
        const { spec } = floor.markets.get(trade.symbol)!;
        this.toAll('anonymousTrades', 'V1TAAnonymousTradeUpdate', trade.symbol, () => {
          const json = { ...publicTrade(spec, trade), publishedAtTimestamp: String(now) };
          return anonymousTrades(floor, trade.symbol, [json], now);
        });
        this.toAll('tick', TICK.dataType, trade.symbol, () => streamTick(floor, floor.markets.get(trade.symbol)!, now));
        return;
      }
      case 'book':
        this.publishBook(event.symbol, now);
        return;
      case 'phase':
        this.toAll('phase', 'V1TAAuctionPhase', event.auction.symbol, () => auctionPhase(event.auction));
        return;
      case 'noii': {
        const { spec } = floor.markets.get(event.noii.symbol)!;
        this.toAll('noii', 'V1TANoii', event.noii.symbol, () => streamNoii(spec, event.noii));
        return;
      }
      case 'indexPrice':
        this.toAll('indexPrice', 'V1TAIndexPrice', event.asset, () => indexPriceJson(event.asset, event.price, now));
        return;
    }
  }

  private publishBook(symbol: string, now: EpochMs): void {
    const floor = this.floorOf();
    const { sequence } = floor.markets.get(symbol)!.book;
    const from = (this.sequenceSent.get(symbol) ?? sequence - 1) + 1;
    this.sequenceSent.set(symbol, sequence);
    this.toAll('l1Orderbook', 'V1TALevel1', symbol, () => level1(floor, symbol, now));
    this.toAll('l2Orderbook', 'V1TALevel2', symbol, () => level2(floor, symbol, Math.min(from, sequence), now));
  }

  private toAccount(
    topic: string,
    dataType: string,
    account: string,
    data: () => unknown,
    type: 'update' | 'error' = 'update',
  ): void {
    const owner = this.floorOf().ledger.account(account)?.user;
    let frame: string | null = null;
    for (const socket of this.sockets) {
      if (socket.login === null || socket.login.key.user.name !== owner) continue;
      if (!socket.isSubscribed(topic, account)) continue;
      frame ??= streamDataFrame({ type, dataType, data: data(), tradingAccountId: account });
      socket.data(dataType, frame);
    }
  }

  private toAll(topic: string, dataType: string, subject: string, data: () => unknown): void {
    let frame: string | null = null;
    for (const socket of this.sockets) {
      if (!socket.isSubscribed(topic, subject)) continue;
      frame ??= streamDataFrame({ type: 'update', dataType, data: data(), tradingAccountId: null });
      socket.data(dataType, frame);
    }
  }
}
