// Which ids of orders a message has: its own, and those of each entry of its groups. Leaves to order-book.ts which order of the log
// has them.

import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';

/** AffectedOrigClOrdID(1824) of FIX.5.0SP2, which writes OrigClOrdID(41) there in 4.4. */
const AFFECTED_ORIG_CL_ORD_ID = 1824;

/** A message's name for one order; null without such an id, or with one that identifies nothing. */
export interface OrderNames {
  /** ClOrdID(11) of the order, or of the request for it. */
  readonly clOrdID: string | null;
  /** OrigClOrdID(41). */
  readonly origClOrdID: string | null;
  readonly orderID: string | null;
}

/** Messages that enter the orders that they name by ClOrdID(11). */
export const OPENING: ReadonlySet<string> = new Set([
  MsgType.NewOrderSingle,
  MsgType.NewOrderList,
  MsgType.NewOrderMultileg,
  MsgType.NewOrderCross,
]);

/** Requests for one order, under a ClOrdID(11) of their own. */
export const CHANGING: ReadonlySet<string> = new Set([
  MsgType.OrderCancelRequest,
  MsgType.OrderCancelReplaceRequest,
  MsgType.MultilegOrderCancelReplace,
]);

/** Messages for many orders: ClOrdID(11) and OrderID(37) name the request, and groups the orders. */
export const MASS_ACTIONS: ReadonlySet<string> = new Set([
  MsgType.OrderMassCancelRequest,
  MsgType.OrderMassCancelReport,
  MsgType.OrderMassActionRequest,
  MsgType.OrderMassActionReport,
]);

/** Messages of one order: what their groups name are its legs and contra sides. */
const OF_ONE_ORDER: ReadonlySet<string> = new Set([
  MsgType.NewOrderSingle,
  MsgType.NewOrderMultileg,
  ...CHANGING,
  MsgType.ExecutionReport,
  MsgType.OrderCancelReject,
  MsgType.OrderStatusRequest,
  MsgType.DontKnowTrade,
]);

/** Market data: its OrderIDs are of anybody's orders. */
const OF_THE_MARKET: ReadonlySet<string> = new Set([
  MsgType.MarketDataSnapshotFullRefresh,
  MsgType.MarketDataIncrementalRefresh,
]);

/**
 * Placeholders that people and engines write without an id: `NONE` of a venue's reject, `[N/A]`, zeros, stars, dashes.
 */
const PLACEHOLDER =
  /^(?:[[(<{]?(?:none|null|nil|n\/?a|unknown|unk|undefined|unassigned|missing|empty)[\])>}]?|[0\s*?#.-]*)$/i;
const ZEROS = /^0+$/;

/** Whether an id identifies nothing. */
export function isPlaceholder(id: string): boolean {
  return PLACEHOLDER.test(id);
}

/** Whether a ClOrdID(11) is a number that some orders have and others write for none. */
export function isZero(id: string): boolean {
  return ZEROS.test(id);
}

/** An id, or null if it identifies nothing. */
export function idOf(id: string | null): string | null {
  return id === null || isPlaceholder(id) ? null : id;
}

/** The ClOrdID(11) that an order is entered by: zeros are one there. */
export function enteredID(id: string | null): string | null {
  return id !== null && isZero(id) ? id : idOf(id);
}

/**
 * The ids of each order that a message names. `isKnown`: whether a ClOrdID(11) that looks like a placeholder is one that an order
 * was entered by.
 */
export function namesIn(view: MessageView, isKnown: (clOrdID: string) => boolean): OrderNames[] {
  const clOrdIDOf = (id: string | null): string | null => (id !== null && isKnown(id) ? id : idOf(id));
  if (OF_ONE_ORDER.has(view.msgType)) {
    const names = {
      clOrdID: clOrdIDOf(view.string(Tag.ClOrdID)),
      origClOrdID: clOrdIDOf(view.string(Tag.OrigClOrdID)),
      orderID: idOf(view.string(Tag.OrderID)),
    };
    return isNaming(names) ? [names] : [];
  }
  if (OF_THE_MARKET.has(view.msgType)) return [];
  const isMassAction = MASS_ACTIONS.has(view.msgType);
  const all: OrderNames[] = [];
  let names: { -readonly [name in keyof OrderNames]?: string | null } = {};
  const end = (): void => {
    const { clOrdID = null, origClOrdID = null, orderID = null } = names;
    if (isNaming({ clOrdID, origClOrdID, orderID })) all.push({ clOrdID, origClOrdID, orderID });
    names = {};
  };
  // An entry of a group ends where one of these fields comes again: no dictionary is needed for that.
  for (let i = 0; i < view.fieldCount; i++) {
    const name = nameOf(view.tagAt(i), isMassAction);
    if (name === null) continue;
    if (names[name] !== undefined) end();
    const id = view.stringAt(i);
    names[name] = name === 'orderID' ? idOf(id) : clOrdIDOf(id);
  }
  end();
  return all;
}

/** Whether an order is named at all. */
export const isNaming = ({ clOrdID, origClOrdID, orderID }: OrderNames): boolean =>
  clOrdID !== null || origClOrdID !== null || orderID !== null;

function nameOf(tag: number, isMassAction: boolean): keyof OrderNames | null {
  switch (tag) {
    case Tag.ClOrdID:
      return isMassAction ? null : 'clOrdID';
    case Tag.OrderID:
      return isMassAction ? null : 'orderID';
    case Tag.OrigClOrdID:
    case Tag.NotAffOrigClOrdID:
    case AFFECTED_ORIG_CL_ORD_ID:
      return 'origClOrdID';
    case Tag.AffectedOrderID:
    case Tag.NotAffectedOrderID:
      return 'orderID';
    default:
      return null;
  }
}
