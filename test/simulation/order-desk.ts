// An OMS on an order session: it trades at random and keeps its own view of every order. Leaves the session to
// counterparty.ts, and what its reports may say to order-view.ts.

import { formatUtcTimestamp } from '../../src/base/time.ts';
import { type MessageView, MsgType, Tag, toPrintable } from '../../src/wire/mod.ts';
import { Counterparty, type CounterpartyOptions } from './counterparty.ts';
import { massCancelText, orderText } from './message-text.ts';
import { OrderView } from './order-view.ts';

export interface OrderDeskOptions extends CounterpartyOptions {
  /** A price that no other order ever has. */
  readonly nextPrice: () => number;
}

export class OrderDesk extends Counterparty {
  readonly view = new OrderView();
  readonly #nextPrice: () => number;
  /** ClOrdID(11) → number of its message, in the present series. */
  readonly #numberOf = new Map<string, number>();
  #orders = 0;
  #requests = 0;
  /** First ClOrdIDs in order. */
  readonly #sentOrders: string[] = [];
  readonly done = {
    newOrder: 0,
    auctionOrder: 0,
    cancel: 0,
    replace: 0,
    status: 0,
    massCancel: 0,
    massCancelReport: 0,
  };
  readonly #timeInForce = new Map<string, string>();

  constructor(options: OrderDeskOptions) {
    super(options);
    this.#nextPrice = options.nextPrice;
  }

  protected numbersBegin(): void {}

  protected seriesBegan(): void {
    this.#numberOf.clear();
  }

  protected loggedOn(): void {}

  protected business(view: MessageView): void {
    switch (view.msgType) {
      case MsgType.ExecutionReport:
        this.view.report(view);
        this.acknowledgedOut = Math.max(this.acknowledgedOut, this.#numberOf.get(view.string(Tag.ClOrdID)!) ?? 0);
        return;
      case MsgType.OrderCancelReject:
        this.view.cancelReject(view);
        return;
      case MsgType.OrderMassCancelReport:
        this.done.massCancelReport++;
        if (view.string(Tag.MassCancelResponse) === '0') throw new Error(`refused: ${toPrintable(view.bytes())}`);
        return;
      default:
    }
  }

  protected act(): void {
    const { random, faults } = this.o;
    if (faults.strikes('possResend', 0.02) && this.#sentOrders.length > 0) {
      this.resendOrder(random.pick(this.#sentOrders));
      return;
    }
    if (faults.strikes('clOrdIDTwice', 0.01) && this.#sentOrders.length > 0) {
      const clOrdID = random.pick(this.#sentOrders);
      this.say('D', this.#terms(clOrdID, Number(this.view.orders.get(clOrdID)!.price), 1));
      return;
    }
    const working = [...this.view.working];
    const what = random.next();
    if (what < 0.02 && this.o.config.beginString !== 'FIX.4.2') this.#massCancel();
    else if (what < 0.5 || working.length === 0) this.#newOrder();
    else this.#request(random.pick(working)[1], what);
  }

  #newOrder(): void {
    const clOrdID = `n-${++this.#orders}`;
    this.#sentOrders.push(clOrdID);
    const price = this.#nextPrice();
    this.view.sent(clOrdID, `${price}`);
    const isAuction = this.o.random.chance(0.2);
    this.#timeInForce.set(clOrdID, isAuction ? '5' : '1');
    this.done[isAuction ? 'auctionOrder' : 'newOrder']++;
    const terms = this.#terms(clOrdID, price, this.o.random.between(1, 5));
    this.#numberOf.set(clOrdID, this.say('D', terms));
  }

  #terms(clOrdID: string, price: number, quantity: number): string {
    const timeInForce = this.#timeInForce.get(clOrdID) ?? '1';
    return orderText(this.o.config.beginString, this.o.scheduler.now, clOrdID, price, quantity, timeInForce);
  }

  /** Cancel everything of this session (rule D12). */
  #massCancel(): void {
    const id = `q-${++this.#requests}`;
    const { random } = this.o;
    this.done.massCancel++;
    this.view.askedForAll(id);
    this.say('q', massCancelText(id, random.chance(0.5), this.o.scheduler.now));
  }

  #request(clOrdID: string, what: number): void {
    const id = `r-${++this.#requests}`;
    const at = formatUtcTimestamp(this.o.scheduler.now);
    const { random } = this.o;
    if (what < 0.75) {
      this.done.cancel++;
      this.view.asked(id, clOrdID);
      this.say('F', `11=${id}|41=${clOrdID}|1=ACC1|55=BTCUSDC|54=1|60=${at}|38=1|`);
    } else if (what < 0.93) {
      const price = this.#nextPrice();
      this.done.replace++;
      this.view.asked(id, clOrdID, `${price}`);
      const handlInst = this.o.config.beginString === 'FIX.4.2' ? '21=1|' : '';
      const terms = `38=${random.between(1, 6)}|40=2|44=${price}|`;
      this.say('G', `11=${id}|41=${clOrdID}|1=ACC1|${handlInst}55=BTCUSDC|54=1|60=${at}|${terms}`);
    } else {
      this.done.status++;
      this.say('H', `11=${clOrdID}|55=BTCUSDC|54=1|`);
    }
  }

  /**
   * Send an order again with PossResend(97)=Y (rule D14): it is taken if it never arrived, else its state is reported.
   */
  resendOrder(clOrdID: string): void {
    const { price } = this.view.orders.get(clOrdID)!;
    this.say('D', `97=Y|${this.#terms(clOrdID, Number(price), 1)}`);
  }

  /** Whether an order was sent for the auction (59=5). */
  isForAuction(clOrdID: string): boolean {
    return this.#timeInForce.get(clOrdID) === '5';
  }

  /** Orders that were sent and never answered. */
  unanswered(): string[] {
    return [...this.view.orders.values()].filter(({ status }) => status === '').map(({ firstClOrdID }) => firstClOrdID);
  }
}
