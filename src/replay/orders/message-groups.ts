// Messages for many orders that name them by an id of their own: a list by ListID(66), a mass cancel or mass action by its
// ClOrdID(11) and MassActionReportID(1369), a mass status by MassStatusReqID(584). Whatever else has that id names their orders.

import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { type Day, type Held, isAgain, type LoggedOrder } from './logged-order.ts';
import { idOf, MASS_ACTIONS } from './named-orders.ts';

/** A message that is held once an order, or a group, has it. */
export class HeldOnce {
  private readonly hold: () => Held;
  private held: Held | null = null;

  constructor(hold: () => Held) {
    this.hold = hold;
  }

  get(): Held {
    this.held ??= this.hold();
    return this.held;
  }
}

interface Group {
  readonly day: Day;
  readonly messages: Held[];
  readonly orders: Set<LoggedOrder>;
}

/** Messages of a list as a whole. */
const OF_LIST: ReadonlySet<string> = new Set([
  MsgType.ListCancelRequest,
  MsgType.ListExecute,
  MsgType.ListStatusRequest,
  MsgType.ListStatus,
]);

export class MessageGroups {
  private readonly groups = new Map<string, Group>();
  private readonly place: (order: LoggedOrder, held: Held) => void;

  /** @param place puts a message into an order */
  constructor(place: (order: LoggedOrder, held: Held) => void) {
    this.place = place;
  }

  /** Whether a ClOrdID(11) of a session is that of a request for many orders. */
  isMassAction(session: string, clOrdID: string): boolean {
    return this.groups.has(massKey(session, clOrdID));
  }

  /** `orders`: those that the message itself names. */
  add(view: MessageView, session: string, day: Day, orders: ReadonlySet<LoggedOrder>, held: HeldOnce): void {
    const { msgType } = view;
    const idIn = (tag: number): string | null => idOf(view.string(tag));
    const [listID, clOrdID] = [idIn(Tag.ListID), idIn(Tag.ClOrdID)];
    if (listID !== null) {
      const isNew = msgType === MsgType.NewOrderList && !isAgain(view);
      const list = this.group(`list ${session} ${listID}`, day, isNew);
      this.join(list, orders);
      // One that has entries names those.
      if (OF_LIST.has(msgType) && orders.size === 0) this.tell(list, held.get(), orders);
    }
    const massStatusReqID = idIn(Tag.MassStatusReqID);
    if (massStatusReqID !== null) {
      const isRequest = msgType === MsgType.OrderMassStatusRequest;
      const status = this.group(`status ${session} ${massStatusReqID}`, day, isRequest && !isAgain(view));
      this.join(status, orders);
      if (isRequest) this.tell(status, held.get(), orders);
    }
    const actionID = idIn(Tag.MassActionReportID);
    if (MASS_ACTIONS.has(msgType) && clOrdID !== null) {
      const isRequest = msgType === MsgType.OrderMassCancelRequest || msgType === MsgType.OrderMassActionRequest;
      const action = this.group(massKey(session, clOrdID), day, isRequest && !isAgain(view));
      if (actionID !== null) {
        // Reports of the orders may have come before.
        this.join(action, this.groups.get(actionKey(session, actionID))?.orders ?? []);
        this.groups.set(actionKey(session, actionID), action);
      }
      this.join(action, orders);
      this.tell(action, held.get(), orders);
    } else if (msgType === MsgType.ExecutionReport) {
      if (actionID !== null) this.join(this.group(actionKey(session, actionID), day, false), orders);
      else if (clOrdID !== null && this.isMassAction(session, clOrdID)) {
        this.join(this.group(massKey(session, clOrdID), day, false), orders);
      }
    }
  }

  /** The group of an id; a request that comes on a later day by the same id begins another one. */
  private group(key: string, day: Day, isRequest: boolean): Group {
    const known = this.groups.get(key);
    if (known !== undefined && !(isRequest && day !== null && known.day !== null && known.day < day)) return known;
    const group: Group = { day, messages: [], orders: new Set() };
    this.groups.set(key, group);
    return group;
  }

  private join({ messages, orders: known }: Group, orders: Iterable<LoggedOrder>): void {
    for (const order of orders) {
      if (known.has(order)) continue;
      known.add(order);
      for (const held of messages) this.place(order.present, held);
    }
  }

  /** A message for all orders of the group; `named` have it already. */
  private tell({ messages, orders }: Group, held: Held, named: ReadonlySet<LoggedOrder>): void {
    messages.push(held);
    for (const order of orders) if (!named.has(order)) this.place(order.present, held);
  }
}

const massKey = (session: string, clOrdID: string): string => `mass ${session} ${clOrdID}`;
const actionKey = (session: string, actionID: string): string => `action ${session} ${actionID}`;
