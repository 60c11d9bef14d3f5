// Messages grouped by the order that they speak of: ClOrdID(11), OrigClOrdID(41) and OrderID(37) tie them together.

import { CrossgateError } from '../base/errors.ts';
import { type MessageView, MsgType, OrdStatus, Tag } from '../wire/mod.ts';
import { type KeptMessage, MessageKeeper, sameText } from './kept-message.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';

/** All messages of one order, from its NewOrderSingle to its end. */
export interface OrderChain {
  /** Its ClOrdIDs in the order of their appearance. */
  readonly clOrdIDs: readonly string[];
  readonly orderIDs: readonly string[];
  /** In the order of the log. */
  readonly messages: readonly LoggedMessage[];
}

/** Data kept of a message until all are read: a view of each, with its index, would exhaust the memory. */
interface Held {
  readonly position: number;
  readonly message: KeptMessage;
  readonly beside: Omit<LoggedMessage, 'raw' | 'view'>;
}

interface Chain {
  readonly clOrdIDs: Set<string>;
  readonly orderIDs: Set<string>;
  messages: Held[];
}

/** Messages of requests that concern no single order: their ClOrdID names the request. */
const NOT_OF_ONE_ORDER: readonly string[] = [MsgType.OrderMassCancelRequest, MsgType.OrderMassCancelReport];

/** Where there is no order, or none that is known, many write the same OrderID(37) each time, such as 0 or UNKNOWN. */
function isRefusal(view: MessageView): boolean {
  return view.msgType === MsgType.OrderCancelReject || view.string(Tag.OrdStatus) === OrdStatus.Rejected;
}

export class OrderChains {
  private readonly byKey = new Map<string, Chain>();
  private readonly chains = new Set<Chain>();
  private readonly keeper = new MessageKeeper();
  private readonly texts = new Map<string, string>();
  private readonly messagesMax: number;
  private position = 0;

  /** @param messagesMax as many messages of orders as are held at most */
  constructor(messagesMax: number) {
    this.messagesMax = messagesMax;
  }

  /**
   * Messages that speak of no order are passed over. `way`: the message's, for each session has ClOrdIDs of its own (rule O5).
   * @throws CrossgateError XG_USAGE for one more than are held
   */
  add(message: LoggedMessage, way: Direction): void {
    const { view } = message;
    if (view === null || NOT_OF_ONE_ORDER.includes(view.msgType)) return;
    const session = [way.name, way.opposite].sort().join(' ');
    const clOrdIDs = [view.string(Tag.OrigClOrdID), view.string(Tag.ClOrdID)].filter((id) => id !== null);
    const orderID = view.string(Tag.OrderID);
    const orderIDs = orderID === null || orderID === 'NONE' ? [] : [orderID];
    const ties = clOrdIDs.length > 0 && isRefusal(view) ? [] : orderIDs;
    const keys = [...clOrdIDs.map((id) => `${session} 11=${id}`), ...ties.map((id) => `${session} 37=${id}`)];
    if (keys.length === 0) return;
    if (this.position === this.messagesMax) {
      const what = `more than ${this.messagesMax} messages of orders`;
      throw new CrossgateError('XG_USAGE', `${what}: choose by --session, --from or --to`);
    }
    const chain = this.merged(keys);
    for (const id of clOrdIDs) chain.clOrdIDs.add(id);
    for (const id of orderIDs) chain.orderIDs.add(id);
    chain.messages.push(this.held(message, view));
  }

  private held({ at, session, sender, target, counted, note, isCutShort }: LoggedMessage, view: MessageView): Held {
    const shared = (text: string): string => sameText(this.texts, text);
    const names = {
      session: session === null ? null : shared(session),
      sender: shared(sender),
      target: shared(target),
    };
    const beside = { at, ...names, counted, note, isCutShort };
    return { position: this.position++, message: this.keeper.keep(view), beside };
  }

  /** In the order of their first message; what is read of one has views of its own. */
  *all(): Generator<OrderChain> {
    const chains = [...this.chains];
    for (const { messages } of chains) messages.sort((a, b) => a.position - b.position);
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

  /** The chain of all these keys; two that turn out to be one are put together. */
  private merged(keys: readonly string[]): Chain {
    const found = [...new Set(keys.flatMap((key) => this.byKey.get(key) ?? []))];
    const chain = found.shift() ?? { clOrdIDs: new Set(), orderIDs: new Set(), messages: [] };
    this.chains.add(chain);
    for (const other of found) {
      this.chains.delete(other);
      chain.messages = chain.messages.concat(other.messages);
      for (const id of other.clOrdIDs) chain.clOrdIDs.add(id);
      for (const id of other.orderIDs) chain.orderIDs.add(id);
      for (const [key, value] of this.byKey) if (value === other) this.byKey.set(key, chain);
    }
    for (const key of keys) this.byKey.set(key, chain);
    return chain;
  }
}
