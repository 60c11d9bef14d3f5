// The auctions of a log: which phase each request needs to be answered as it was, and which answers come from a cross.
// Read from the answers alone, as a log seldom has the phases themselves.

import type { EpochMs } from '../../base/time.ts';
import { ExecType, type MessageView, MsgType, OrdStatus, Tag } from '../../wire/mod.ts';
import type { RecordedAnswer, ReplayPlan, ReplayRequest } from '../target/replay-plan.ts';
import { type AuctionStage, stageOfRefusal } from './auction-news.ts';
import { isAuctionID, mayBeForAuction } from './no-auction.ts';

export interface AuctionNeed {
  /** Symbol(55). */
  readonly symbol: string;
  readonly stage: AuctionStage;
  /** The log's auction; null if the request takes part in none. */
  readonly auction: string | null;
  /** Time from the request to the cross in the log; null if the log does not have the cross. */
  readonly leftMs: number | null;
}

/** An order that the log has in an auction. */
interface AuctionOrder {
  readonly symbol: string;
  /** TradingSessionID(336), or a name for the order's own auction where the answers have none. */
  readonly auction: string;
}

export class LoggedAuctions {
  private readonly needs = new Map<number, AuctionNeed>();
  private readonly crossings = new Map<string, EpochMs>();
  /** By the request that entered or changed the order. */
  private readonly orderOf = new Map<number, AuctionOrder>();
  private readonly orders = new Map<string, AuctionOrder>();

  constructor({ requests, answers }: ReplayPlan) {
    const answersOf = Map.groupBy(answers, ({ request }) => request);
    for (const request of requests) this.enter(request, answersOf.get(request.index) ?? []);
    for (const { request, message, at } of answers) {
      const order = this.orderOf.get(request);
      if (order !== undefined && at !== null && isOfCross(message.view())) this.crossed(order.auction, at);
    }
    for (const request of requests) this.need(request, answersOf.get(request.index) ?? []);
  }

  /** Phase that a request of the plan needs; undefined if none. */
  needOf(index: number): AuctionNeed | undefined {
    return this.needs.get(index);
  }

  /** The auction of an answer that its cross gave, and the time since the cross's first report; null for other answers. */
  crossOf({ request, at }: RecordedAnswer): { readonly auction: string; readonly afterMs: number } | null {
    const order = this.orderOf.get(request);
    const crossAt = order === undefined ? undefined : this.crossings.get(order.auction);
    if (order === undefined || crossAt === undefined || at === null || at < crossAt) return null;
    return { auction: order.auction, afterMs: at - crossAt };
  }

  private enter({ index, msgType, message, isCutShort }: ReplayRequest, answers: readonly RecordedAnswer[]): void {
    const view = message.view();
    const clOrdID = view.string(Tag.ClOrdID);
    const symbol = view.string(Tag.Symbol);
    if (clOrdID === null || isCutShort) return;
    const views = answers.map((answer) => answer.message.view());
    const before = this.orders.get(view.string(Tag.OrigClOrdID) ?? '');
    if (before !== undefined) {
      this.orderOf.set(index, before);
      if (msgType === MsgType.OrderCancelReplaceRequest) this.orders.set(clOrdID, before);
    }
    if (msgType !== MsgType.NewOrderSingle || !mayBeForAuction(view.string(Tag.TimeInForce)) || symbol === null) return;
    const named = views.map((answer) => answer.string(Tag.TradingSessionID)).find((id) => isAuctionID(id ?? ''));
    // An alias of 59=5 is one where the acceptor says that the order is in an auction (rule T2).
    if (view.string(Tag.TimeInForce) !== '5' && named === undefined) return;
    if (views.length === 0 || views.some((answer) => answer.equals(Tag.OrdStatus, OrdStatus.Rejected))) return;
    const order = { symbol, auction: named ?? `of ${clOrdID}` };
    this.orders.set(clOrdID, order);
    this.orderOf.set(index, order);
  }

  private crossed(auction: string, at: EpochMs): void {
    this.crossings.set(auction, Math.min(at, this.crossings.get(auction) ?? at));
  }

  private need({ index, message, at }: ReplayRequest, answers: readonly RecordedAnswer[]): void {
    const view = message.view();
    const symbol = view.string(Tag.Symbol);
    const order = this.orderOf.get(index);
    const refusedIn = answers.map((answer) => refusedInStage(answer.message.view())).find((stage) => stage !== null);
    if (refusedIn !== undefined) {
      const of = order?.symbol ?? symbol;
      if (of !== null)
        this.needs.set(index, { symbol: of, stage: refusedIn, auction: order?.auction ?? null, leftMs: null });
      return;
    }
    if (order === undefined) return;
    const crossAt = this.crossings.get(order.auction);
    const leftMs = crossAt === undefined || at === null ? null : crossAt - at;
    if (leftMs === null || leftMs >= 0) this.needs.set(index, { ...order, stage: 'open', leftMs });
  }
}

/** A fill, or the end of the rest: no auction fills an order before its cross. */
function isOfCross(view: MessageView): boolean {
  return (
    view.msgType === MsgType.ExecutionReport &&
    [ExecType.Trade, ExecType.Expired].some((each) => view.equals(Tag.ExecType, each))
  );
}

function refusedInStage(view: MessageView): AuctionStage | null {
  const isRefusal =
    view.msgType === MsgType.OrderCancelReject ||
    (view.msgType === MsgType.ExecutionReport && view.equals(Tag.OrdStatus, OrdStatus.Rejected));
  return isRefusal ? stageOfRefusal(view) : null;
}
