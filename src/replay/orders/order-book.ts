// Which order of a log an id means. A ClOrdID(11) names one within its session and trading day, an order that works over night
// keeps its own; an OrderID(37) names one of its venue and account. Nothing else ties messages to one order:
// SecondaryOrderID(198), ClOrdLinkID(583) and ListID(66) are shared by several.

import { isStatusReport, type MessageView, Tag } from '../../wire/mod.ts';
import { type Day, isAgain, isLate, LoggedOrder, spokenIn } from './logged-order.ts';
import { isZero, type OrderNames } from './named-orders.ts';

/** Where a message stands: its session, seen from either side, the venue that gives OrderIDs there, and the trading day. */
export interface Place {
  readonly session: string;
  readonly venue: string;
  readonly day: Day;
}

interface NamedOrder {
  readonly session: string;
  readonly order: LoggedOrder;
}

export class OrderBook {
  /** Every order once; those that turned out to be another one are among them no more. */
  readonly orders = new Set<LoggedOrder>();
  /** By session and ClOrdID: the latest that has it. */
  private readonly byClOrdID = new Map<string, Map<string, LoggedOrder>>();
  /** By venue and OrderID: several, where an id came again. */
  private readonly byOrderID = new Map<string, Map<string, NamedOrder[]>>();

  /** Whether an order was entered by a ClOrdID(11) of zeros, which others write for none. */
  isEntered(session: string, clOrdID: string): boolean {
    return isZero(clOrdID) && this.named(session, clOrdID)?.enteredAs === clOrdID;
  }

  /** The order that a message enters by a ClOrdID(11): the one that has it, if that is the same that comes again, or works. */
  enter(place: Place, clOrdID: string | null, view: MessageView, expiresOn: Day): LoggedOrder {
    const { session, day } = place;
    const known = clOrdID === null ? null : this.named(session, clOrdID);
    const order = known !== null && (isAgain(view) || !known.isOver(day)) ? known : this.add(place);
    if (clOrdID !== null) this.claim(session, order, clOrdID, day);
    // An id of a request was used for another message before: this one is refused.
    if (clOrdID === null || !order.requested.has(clOrdID)) order.enter(clOrdID ?? '', view, day, expiresOn);
    return order;
  }

  /** The order that a request is for: its ClOrdID(11) is a new one. */
  change(place: Place, names: OrderNames): LoggedOrder {
    const { clOrdID, origClOrdID, orderID } = names;
    const isNaming = origClOrdID !== null || orderID !== null;
    const own = this.find(place, isNaming ? { ...names, clOrdID: null } : names);
    const named = own ?? this.elsewhere(place, { ...names, clOrdID: null });
    const order = named ?? this.add(place);
    if (named === null && origClOrdID !== null) this.claim(place.session, order, origClOrdID, place.day);
    if (named === null && orderID !== null) this.identify(place, order, orderID);
    if (clOrdID !== null) {
      if (isNaming && clOrdID !== origClOrdID) order.requested.add(clOrdID);
      this.claim(place.session, order, clOrdID, place.day);
    }
    return order;
  }

  /** The order that an ExecutionReport(8) speaks of. */
  report(place: Place, names: OrderNames, view: MessageView, expiresOn: Day): LoggedOrder {
    const { session, day } = place;
    const spoken = spokenIn(view);
    if (spoken === 'refusal') return this.refuse(place, names, view);
    const found = this.find(place, names, view);
    const copied = isCopy(view) ? this.elsewhere(place, names, view) : null;
    const isOfCopied = found !== null && copied !== null && found !== copied && isSame(found, copied);
    const order = isOfCopied ? this.unite(copied, found) : (copied ?? found ?? this.add(place));
    for (const id of [names.origClOrdID, names.clOrdID]) {
      if (id === null) continue;
      this.claim(session, order, id, day);
      // Orders of several sessions may have it there.
      if (isCopy(view)) order.clOrdIDs.add(id);
    }
    if (names.orderID !== null) this.identify(place, order, names.orderID);
    order.report(view, day, expiresOn);
    return order;
  }

  /** The order of a report that refuses a request: its OrderID(37) may be that of another order, or what a venue writes always. */
  private refuse(place: Place, names: OrderNames, view: MessageView): LoggedOrder {
    const { session, day } = place;
    const { clOrdID, origClOrdID, orderID } = names;
    const ids = [clOrdID, origClOrdID].filter((id) => id !== null);
    const named = ids.map((id) => this.named(session, id)).find((order) => order !== null) ?? null;
    // Of a D of today, which the log lacks.
    const isOfAnother = named?.isOver(day) === true && !named.isAwaited && !isAgain(view) && !isStatusReport(view);
    const found = ids.length === 0 && orderID !== null ? this.identified(place, orderID, view) : named;
    const order = found === null || isOfAnother ? this.add(place) : found;
    for (const id of ids) this.claim(session, order, id, day);
    if (orderID !== null && this.identified(place, orderID) === null) this.identify(place, order, orderID);
    order.refuse(day);
    return order;
  }

  /** The order of an OrderCancelReject(9): the one that the request was for. */
  refuseChange(place: Place, names: OrderNames): LoggedOrder {
    const { clOrdID, origClOrdID, orderID } = names;
    const named = [origClOrdID, clOrdID]
      .map((id) => (id === null ? null : this.named(place.session, id)))
      .find((order) => order !== null);
    const order = named ?? (orderID === null ? null : this.identified(place, orderID)) ?? this.add(place);
    for (const id of [origClOrdID, clOrdID]) if (id !== null) this.claim(place.session, order, id, place.day);
    return order;
  }

  /** The order that any other message names. */
  mention(place: Place, names: OrderNames): LoggedOrder {
    const order = this.find(place, names) ?? this.elsewhere(place, names) ?? this.add(place);
    for (const id of [names.origClOrdID, names.clOrdID]) {
      if (id !== null) this.claim(place.session, order, id, place.day);
    }
    if (names.orderID !== null && order.orderIDs.size === 0) this.identify(place, order, names.orderID);
    return order;
  }

  /** The latest order of a session with this ClOrdID(11). */
  named(session: string, clOrdID: string): LoggedOrder | null {
    return this.byClOrdID.get(session)?.get(clOrdID)?.present ?? null;
  }

  /** The order of a session that the ids mean together. `report`: the one that has them. */
  private find(place: Place, names: OrderNames, report: MessageView | null = null): LoggedOrder | null {
    const { clOrdID, orderID } = names;
    const byName = this.findByName(place, names, report);
    const byOrderID = orderID === null ? null : this.identified(place, orderID, report);
    if (orderID !== null && report !== null && isCopy(report)) {
      const isOther = byName !== null && byName.orderIDs.size > 0 && names.origClOrdID === null;
      return byOrderID ?? (isOther ? null : byName);
    }
    if (byOrderID === null || byOrderID === byName) return byName;
    if (byName === null) return this.isOther(byOrderID, place, names, report) ? null : byOrderID;
    const has = [clOrdID, names.origClOrdID].some((id) => id !== null && byOrderID.clOrdIDs.has(id));
    // The venue may give today's order the OrderID of an earlier day.
    const isLateOne = report !== null && isLate(report);
    const isEarlier = !isLateOne && byName.orderIDs.size === 0 && byOrderID.isOver(place.day);
    if (has && !isEarlier) return byOrderID;
    return isSame(byName, byOrderID) ? this.unite(byName, byOrderID) : byName;
  }

  private findByName(
    { session, day }: Place,
    { clOrdID, origClOrdID, orderID }: OrderNames,
    report: MessageView | null,
  ): LoggedOrder | null {
    const own = clOrdID === null ? null : this.named(session, clOrdID);
    const orig = origClOrdID === null ? null : this.named(session, origClOrdID);
    let found = own ?? orig;
    if (own !== null && orig !== null && own !== orig) {
      const isLink = report !== null && !own.requested.has(clOrdID!) && own.mayBe(orig);
      found = isLink ? this.unite(orig, own) : own.enteredAs === clOrdID ? own : orig;
    }
    if (found === null || report === null || isAgain(report) || !found.isOver(day) || found.isAwaited) return found;
    // An order of today without a D in the log: the other one ended before.
    const isOther = orderID !== null && found.orderIDs.size > 0 && !found.orderIDs.has(orderID);
    return isOther || spokenIn(report) === 'beginning' ? null : found;
  }

  /** True if a report of an unused ClOrdID(11) concerns another order than the one with its OrderID(37). */
  private isOther(
    order: LoggedOrder,
    { day }: Place,
    { clOrdID, origClOrdID }: OrderNames,
    report: MessageView | null,
  ): boolean {
    if (report === null || isAgain(report)) return false;
    const isBeginning = spokenIn(report) === 'beginning';
    const isKnownBy = clOrdID === null || order.clOrdIDs.has(clOrdID);
    if (order.isOver(day)) return !isKnownBy || isBeginning;
    return isBeginning && clOrdID !== null && origClOrdID === null && order.clOrdIDs.size > 0;
  }

  /** The latest order of this session with an OrderID(37), and of the report's account. */
  private identified(
    { session, venue }: Place,
    orderID: string,
    report: MessageView | null = null,
  ): LoggedOrder | null {
    const account = report?.string(Tag.Account) ?? null;
    const found = this.byOrderID
      .get(venue)
      ?.get(orderID)
      ?.findLast((one) => one.session === session && isOfAccount(one.order.present, account));
    return found?.order.present ?? null;
  }

  /**
   * The other session's order that this one names by its OrderID(37): of a drop copy, or of a requested cancel (rule
   * O7).
   */
  private elsewhere({ venue, day }: Place, names: OrderNames, report: MessageView | null = null): LoggedOrder | null {
    const { clOrdID, origClOrdID, orderID } = names;
    if (orderID === null) return null;
    const account = report?.string(Tag.Account) ?? null;
    const ids = [clOrdID, origClOrdID].filter((id) => id !== null);
    const all = this.byOrderID.get(venue)?.get(orderID) ?? [];
    const orders = new Set(all.map(({ order }) => order.present).filter((order) => isOfAccount(order, account)));
    // Some venues number the orders of each session by themselves.
    const meant = [...orders].filter(
      (order) => !order.isOver(day) && (ids.length === 0 || ids.some((id) => order.clOrdIDs.has(id))),
    );
    return meant.length === 1 ? meant[0]! : null;
  }

  private add({ session, day }: Place): LoggedOrder {
    const order = new LoggedOrder(session, day);
    this.orders.add(order);
    return order;
  }

  /** Note that a ClOrdID(11) is an order's, unless another one has it that works, or had it today. */
  private claim(session: string, order: LoggedOrder, clOrdID: string, day: Day): void {
    let names = this.byClOrdID.get(session);
    if (names === undefined) {
      names = new Map();
      this.byClOrdID.set(session, names);
    }
    const holder = names.get(clOrdID)?.present ?? null;
    if (holder !== null && holder !== order && !holder.isOver(day)) return;
    // It had that id before the other one.
    if (holder !== null && holder !== order && order.clOrdIDs.has(clOrdID)) return;
    names.set(clOrdID, order);
    order.clOrdIDs.add(clOrdID);
  }

  private identify({ session, venue }: Place, order: LoggedOrder, orderID: string): void {
    let ids = this.byOrderID.get(venue);
    if (ids === undefined) {
      ids = new Map();
      this.byOrderID.set(venue, ids);
    }
    let named = ids.get(orderID);
    if (named === undefined) {
      named = [];
      ids.set(orderID, named);
    }
    if (!named.some((one) => one.session === session && one.order.present === order)) named.push({ session, order });
    order.orderIDs.add(orderID);
  }

  private unite(into: LoggedOrder, other: LoggedOrder): LoggedOrder {
    into.unite(other);
    this.orders.delete(other);
    return into;
  }
}

/** Whether a report is a drop copy: ClOrdIDs(11) of several sessions come there. */
const isCopy = (view: MessageView): boolean => view.boolean(Tag.CopyMsgIndicator) === true;

const isOfAccount = (order: LoggedOrder, account: string | null): boolean =>
  account === null || order.account === null || order.account === account;

/** True if an order known by ClOrdID(11) alone is the one known by OrderID(37) alone. */
function isSame(byName: LoggedOrder, byOrderID: LoggedOrder): boolean {
  if (byName.orderIDs.size > 0 || !byName.mayBe(byOrderID)) return false;
  return byOrderID.clOrdIDs.size === 0 || byName.enteredAs === null;
}
