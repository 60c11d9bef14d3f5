// Messages grouped by the orders that they speak of: a message that names several belongs to each of them. Leaves to order-book.ts
// which order an id means.

import { CrossgateError } from '../../base/errors.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { MessageKeeper, sameText } from '../kept-message.ts';
import type { Direction } from '../log-sessions.ts';
import type { LoggedMessage } from '../logged-message.ts';
import type { Day, Held, LoggedOrder } from './logged-order.ts';
import { HeldOnce, MessageGroups } from './message-groups.ts';
import { CHANGING, enteredID, idOf, isNaming, namesIn, OPENING } from './named-orders.ts';
import { OrderBook, type Place } from './order-book.ts';
import { SentNumbers } from './sent-numbers.ts';

const DAY_MS = 86_400_000;

/** All messages of one order, from the one that entered it to its end. */
export interface OrderChain {
  /** Its ClOrdIDs in the order of their appearance. */
  readonly clOrdIDs: readonly string[];
  readonly orderIDs: readonly string[];
  /** In the order of the log. */
  readonly messages: readonly LoggedMessage[];
}

/** Places of messages in orders for each message that is held: a request for many has one in each of them. */
const PLACES_PER_MESSAGE = 16;

/** Messages of the side that gives OrderIDs(37). */
const OF_VENUE: ReadonlySet<string> = new Set([
  MsgType.ExecutionReport,
  MsgType.OrderCancelReject,
  MsgType.OrderMassCancelReport,
  MsgType.OrderMassActionReport,
  MsgType.ListStatus,
]);

export class OrderChains {
  private readonly book = new OrderBook();
  private readonly groups = new MessageGroups((order, held) => this.place(order, held));
  private readonly numbers = new SentNumbers();
  private readonly keeper = new MessageKeeper();
  private readonly texts = new Map<string, string>();
  /** Executions that a DontKnowTrade(Q) names without an OrderID(37). */
  private readonly unknownExecutions = new Map<string, Held[]>();
  private readonly messagesMax: number;
  private readonly dayBeginsMs: number;
  private position = 0;
  private places = 0;
  private day: Day = null;

  /**
   * @param messagesMax as many messages of orders as are held at most
   * @param dayBeginsMs when a trading day begins, after midnight UTC; from noon on it is the day that follows
   */
  constructor(messagesMax: number, dayBeginsMs = 0) {
    this.messagesMax = messagesMax;
    this.dayBeginsMs = dayBeginsMs;
  }

  /**
   * Messages that speak of no order are passed over. `way`: the message's, for each session has ClOrdIDs of its own (rule O5).
   * @throws CrossgateError XG_USAGE for one more than are held
   */
  add(message: LoggedMessage, way: Direction): void {
    const { view, at } = message;
    if (view === null) return;
    if (at !== null) this.day = this.dayOf(at);
    const session = [way.name, way.opposite].sort().join(' ');
    const venue = OF_VENUE.has(view.msgType) ? message.sender : message.target;
    const place: Place = { session, venue, day: this.day };
    const msgSeqNum = view.int(Tag.MsgSeqNum);
    const held = new HeldOnce(() => this.held(message, view));
    const orders = new Set(this.ordersIn(view, place, way));
    if (view.msgType === MsgType.DontKnowTrade && orders.size === 0) this.wantExecution(session, view, held);
    for (const order of orders) this.place(order, held.get());
    this.groups.add(view, session, this.day, orders, held);
    const isOfOrders = orders.size > 0;
    this.numbers.note(way.name, msgSeqNum, isOfOrders ? { held: held.get(), orders: [...orders] } : null);
  }

  /** The orders that a message names. */
  private ordersIn(view: MessageView, place: Place, way: Direction): LoggedOrder[] {
    const { book, groups } = this;
    const { session } = place;
    const { msgType } = view;
    if (OPENING.has(msgType)) return this.entered(view, place);
    if (msgType === MsgType.Reject || msgType === MsgType.BusinessMessageReject) return this.rejected(view, place, way);
    const entries = namesIn(view, (id) => book.isEntered(session, id)).map((each) =>
      // The id of a mass cancel, in reports of the orders that it cancelled.
      each.clOrdID !== null && groups.isMassAction(session, each.clOrdID) && book.named(session, each.clOrdID) === null
        ? { ...each, clOrdID: null }
        : each,
    );
    const names = entries.filter(isNaming);
    if (CHANGING.has(msgType)) return names.map((each) => book.change(place, each));
    if (msgType === MsgType.ExecutionReport) {
      return names.map((each) => book.report(place, each, view, this.expiryOf(view)));
    }
    if (msgType === MsgType.OrderCancelReject) return names.map((each) => book.refuseChange(place, each));
    return names.map((each) => book.mention(place, each));
  }

  private entered(view: MessageView, place: Place): LoggedOrder[] {
    const { book } = this;
    const expiresOn = this.expiryOf(view);
    if (view.msgType === MsgType.NewOrderSingle) {
      return [book.enter(place, enteredID(view.string(Tag.ClOrdID)), view, expiresOn)];
    }
    const orders: LoggedOrder[] = [];
    for (let i = view.indexFrom(Tag.ClOrdID, 0); i !== -1; i = view.indexFrom(Tag.ClOrdID, i + 1)) {
      orders.push(book.enter(place, enteredID(view.stringAt(i)), view, expiresOn));
    }
    return orders;
  }

  /**
   * The reference of a Reject(3) or BusinessMessageReject(j): a message by its number, else the order that its id
   * names.
   */
  private rejected(view: MessageView, { session, day }: Place, way: Direction): LoggedOrder[] {
    const sent = this.numbers.sent(way.opposite, view.int(Tag.RefSeqNum));
    if (sent !== null) {
      const orders = sent.orders.map((order) => order.present);
      if (OPENING.has(sent.held.message.msgType)) for (const order of orders) order.refuse(day);
      return orders;
    }
    const ids = [view.string(Tag.BusinessRejectRefID), view.string(Tag.ClOrdID)].flatMap((id) => idOf(id) ?? []);
    for (const id of ids) {
      const order = this.book.named(session, id);
      if (order !== null) return [order];
    }
    return [];
  }

  private dayOf(at: number): number {
    return Math.floor((at - this.dayBeginsMs) / DAY_MS) + (this.dayBeginsMs >= DAY_MS / 2 ? 1 : 0);
  }

  private expiryOf(view: MessageView): Day {
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(view.string(Tag.ExpireDate) ?? '') ?? [];
    return year === undefined ? null : Math.floor(Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS);
  }

  private wantExecution(session: string, view: MessageView, held: HeldOnce): void {
    const execID = idOf(view.string(Tag.ExecID));
    if (execID === null) return;
    const key = `${session} ${execID}`;
    this.unknownExecutions.set(key, [...(this.unknownExecutions.get(key) ?? []), held.get()]);
  }

  /** A DontKnowTrade(Q) belongs to the order of the report with its ExecID(17). */
  private placeUnknownExecutions(): void {
    if (this.unknownExecutions.size === 0) return;
    for (const order of this.book.orders) {
      for (const { message } of [...order.messages]) {
        if (message.msgType !== MsgType.ExecutionReport) continue;
        const key = `${order.session} ${message.view().string(Tag.ExecID)}`;
        for (const held of this.unknownExecutions.get(key) ?? []) this.place(order, held);
        this.unknownExecutions.delete(key);
      }
    }
  }

  private place(order: LoggedOrder, held: Held): void {
    if (this.places === this.messagesMax * PLACES_PER_MESSAGE) throw tooMany(this.messagesMax);
    this.places++;
    order.messages.push(held);
  }

  private held(
    { at, session, sender, target, counted, note, isCutShort, asLogged }: LoggedMessage,
    view: MessageView,
  ): Held {
    if (this.position === this.messagesMax) throw tooMany(this.messagesMax);
    const shared = (text: string): string => sameText(this.texts, text);
    const names = {
      session: session === null ? null : shared(session),
      sender: shared(sender),
      target: shared(target),
    };
    const cut = asLogged === undefined ? {} : { asLogged };
    const beside = { at, ...names, counted, note, isCutShort, ...cut };
    return { position: this.position++, message: this.keeper.keep(view), beside };
  }

  /** In the order of their first message; what is read of one has views of its own. */
  *all(): Generator<OrderChain> {
    this.placeUnknownExecutions();
    const chains = [...this.book.orders].map(({ clOrdIDs, orderIDs, messages }) => {
      const sorted = messages.toSorted((a, b) => a.position - b.position);
      return { clOrdIDs, orderIDs, messages: sorted.filter((held, i) => held !== sorted[i - 1]) };
    });
    for (const chain of chains.sort((a, b) => a.messages[0]!.position - b.messages[0]!.position)) {
      yield {
        clOrdIDs: [...chain.clOrdIDs],
        orderIDs: [...chain.orderIDs],
        messages: chain.messages.map(({ message, beside }) => ({
          ...beside,
          raw: message.bytes(),
          view: message.view(),
        })),
      };
    }
  }
}

function tooMany(messagesMax: number): CrossgateError {
  const what = `more than ${messagesMax} messages of orders`;
  return new CrossgateError('XG_USAGE', `${what}: choose by --session, --from or --to`);
}
