// The demonstration's orders and, for each, the ExecutionReports that must come back. Pure data and bookkeeping:
// demo.ts sends and waits, conversation.ts prints.

import { Decimal } from '../base/decimal.ts';
import { ExecType, type MessageView, MsgType, OrdStatus, OrdType, Side, Tag, TimeInForce } from '../wire/mod.ts';
import type { OmsOrder } from './oms.ts';
import type { TopOfBook } from './public-market.ts';

/** ClOrdID(11) of the cancel of an order. */
export const cancelOf = (clOrdID: string): string => `${clOrdID}-cancel`;

/** Whether a report or reject is about an order, or about its cancel. */
export function isAbout(view: MessageView, clOrdID: string): boolean {
  const said = view.string(Tag.ClOrdID);
  return said === clOrdID || said === cancelOf(clOrdID) || view.string(Tag.OrigClOrdID) === clOrdID;
}

/** One report that must come, and whether it has. */
export interface ExpectedReport {
  readonly order: string;
  readonly report: string;
  readonly matches: (view: MessageView) => boolean;
}

/** An order of the script. `settled` says when nothing more is expected to happen to it by itself. */
export interface ScriptedOrder {
  readonly label: string;
  readonly order: OmsOrder;
  readonly expected: readonly ExpectedReport[];
}

export interface DemoOrders {
  readonly resting: ScriptedOrder;
  readonly marketIOC: ScriptedOrder;
  readonly limitFOK: ScriptedOrder;
  readonly auctionFill: ScriptedOrder;
  readonly auctionRest: ScriptedOrder;
}

/** `price × percent / 100`, to the tick below. */
export function percentOf(price: Decimal, percent: number, tick: Decimal): string {
  const wanted = price.multiply(Decimal.of(String(percent))).divide(Decimal.of('100'), price.scale + 2);
  const scale = Math.max(wanted.scale, tick.scale);
  const unit = tick.withScale(scale).coefficient;
  const coefficient = wanted.withScale(scale).coefficient;
  return new Decimal(coefficient - (coefficient % unit), scale).trimmed().toString();
}

function reports(clOrdID: string, label: string, kinds: readonly [string, (view: MessageView) => boolean][]) {
  return kinds.map(([report, matches]): ExpectedReport => {
    return {
      order: label,
      report,
      // After a cancel ClOrdID(11) is the cancel's own and OrigClOrdID(41) the order's; the `venue` dialect has no 41 in 8.
      matches: (view) => view.msgType === MsgType.ExecutionReport && isAbout(view, clOrdID) && matches(view),
    };
  });
}

const isNew = (view: MessageView): boolean =>
  view.string(Tag.ExecType) === ExecType.New && view.string(Tag.OrdStatus) === OrdStatus.New;
const isFilled = (view: MessageView): boolean =>
  view.string(Tag.ExecType) === ExecType.Trade && view.string(Tag.OrdStatus) === OrdStatus.Filled;
const isPartial = (view: MessageView): boolean =>
  view.string(Tag.ExecType) === ExecType.Trade && view.string(Tag.OrdStatus) === OrdStatus.PartiallyFilled;
const isCanceled = (view: MessageView): boolean =>
  view.string(Tag.ExecType) === ExecType.Canceled && view.string(Tag.OrdStatus) === OrdStatus.Canceled;
const isExpired = (view: MessageView): boolean =>
  view.string(Tag.ExecType) === ExecType.Expired && view.string(Tag.OrdStatus) === OrdStatus.Expired;

const NEW = ['New (150=0 39=0)', isNew] as const;
const FILLED = ['Trade, filled (150=F 39=2)', isFilled] as const;
const PARTIAL = ['Trade, partially filled (150=F 39=1)', isPartial] as const;
const CANCELED = ['Canceled (150=4 39=4)', isCanceled] as const;
const EXPIRED = ['Expired, the unfilled rest (150=C 39=C)', isExpired] as const;

/** Only `prefix` differs between runs; it makes every ClOrdID(11) new. */
export function demoOrders(prefix: string, account: string, symbol: string, top: TopOfBook): DemoOrders {
  const { bestBid, bestAsk, tickSize } = top;
  let count = 0;
  const scripted = (
    label: string,
    order: Omit<OmsOrder, 'clOrdID' | 'account' | 'symbol' | 'side'>,
    kinds: readonly (readonly [string, (view: MessageView) => boolean])[],
  ): ScriptedOrder => {
    count += 1;
    const clOrdID = `${prefix}-${count}`;
    return {
      label,
      order: { clOrdID, account, symbol, side: Side.Buy, ...order },
      expected: reports(clOrdID, label, kinds as readonly [string, (view: MessageView) => boolean][]),
    };
  };
  const limit = (orderQty: string, price: string, timeInForce: string) => {
    return { orderQty, ordType: OrdType.Limit, price, timeInForce };
  };
  return {
    resting: scripted(
      'limit GTC, rests, then F',
      limit('0.01', percentOf(bestBid, 98, tickSize), TimeInForce.GoodTillCancel),
      [NEW, CANCELED],
    ),
    marketIOC: scripted(
      'market IOC',
      { orderQty: '0.01', ordType: OrdType.Market, timeInForce: TimeInForce.ImmediateOrCancel },
      [NEW, FILLED],
    ),
    limitFOK: scripted('limit FOK', limit('0.02', percentOf(bestAsk, 101, tickSize), TimeInForce.FillOrKill), [
      NEW,
      FILLED,
    ]),
    auctionFill: scripted(
      'limit GTX, fills at the cross',
      limit('0.05', percentOf(bestAsk, 102, tickSize), TimeInForce.GoodTillCrossing),
      [NEW, FILLED],
    ),
    auctionRest: scripted(
      'limit GTX, rest stays unfilled',
      limit('2', percentOf(bestAsk, 101, tickSize), TimeInForce.GoodTillCrossing),
      [NEW, PARTIAL, EXPIRED],
    ),
  };
}

/** Every expectation of the script, in the order of the table at the end. */
export function allExpected(orders: DemoOrders): ExpectedReport[] {
  return Object.values(orders).flatMap((scripted: ScriptedOrder) => scripted.expected);
}
