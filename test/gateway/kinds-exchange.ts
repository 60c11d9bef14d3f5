// The small exchange of the property tests with every kind of order: limit, post-only, market, IOC, FOK, stop, and
// orders for the auction, bought and sold. The test chooses an order's fate beyond its command.

import type { Decimal } from '../../src/base/decimal.ts';
import type {
  CommandOutcome,
  CreateOrderCommand,
  ExchangeTrade,
  LookupOutcome,
  OrderCommand,
} from '../../src/exchange/mod.ts';
import { errorNotice } from './desk.ts';
import { ModelExchange, type ModelOrder, refused, TYPES } from './model-exchange.ts';

export class KindsExchange extends ModelExchange {
  /** Fate of the next entered order. */
  refuses: 'no' | 'at once' | 'later' = 'no';

  /** The auction takes no cancels. */
  isLocked = false;

  /** Refusals of changes come on the stream, behind an acknowledgement (exchange reference §1.4). */
  isLate = false;
  #requests = 0;

  override execute(command: OrderCommand): CommandOutcome {
    const outcome = this.#carryOut(command);
    if (!this.isLate || command.kind === 'createOrder') return outcome;
    const requestId = `r-${this.#requests++}`;
    if (outcome.kind !== 'refused') return outcome.kind === 'accepted' ? { ...outcome, requestId } : outcome;
    const { orderId = null, clientOrderId = null } = command as {
      orderId?: string | null;
      clientOrderId?: string | null;
    };
    const { errorCode, message } = outcome;
    this.pool.push({
      kind: 'errorNotice',
      notice: errorNotice({ orderId, clientOrderId, requestId, errorCode, message }),
    });
    return { kind: 'accepted', orderId, clientOrderId, requestId };
  }

  #carryOut(command: OrderCommand): CommandOutcome {
    if (this.isLocked && command.kind === 'cancelOrder' && this.#isGtx(command.orderId, command.clientOrderId)) {
      return refused('3085', 'Auction orders cannot be cancelled in this phase');
    }
    if (command.kind === 'createOrder' && this.refuses === 'at once') return refused('3005', 'Insufficient balance');
    return super.execute(command);
  }

  #isGtx(orderId: string | null, reference: string | null): boolean {
    const order = this.orders.find((one) => (orderId === null ? one.reference === reference : one.orderId === orderId));
    return order?.status === 'OPEN' && order.kind.timeInForce === 'GTX';
  }

  protected override create(command: CreateOrderCommand): ModelOrder {
    const { side, stopPrice, timeInForce, type } = command;
    const order = super.create(command, { side, stopPrice, timeInForce, type: TYPES[type] });
    if (this.refuses === 'later') {
      // Acknowledged, and rejected before it worked.
      this.pool.pop();
      const { orderId, reference } = order;
      const of = { orderId, clientOrderId: reference, errorCode: '3005', message: 'Insufficient balance' };
      this.pool.push({ kind: 'errorNotice', notice: errorNotice(of) });
      this.end(order, 'REJECTED', '3005');
    }
    return order;
  }

  /** Buyers pay in the base asset. */
  override fill(order: ModelOrder, quantity: Decimal, said: Partial<ExchangeTrade> = {}): void {
    const { side = 'BUY' } = order.kind;
    const fees = side === 'BUY' ? { baseFee: '0.00010000', quoteFee: '0.0000' } : {};
    super.fill(order, quantity, { side, ...fees, ...said });
  }

  /** Entered by somebody else, with a reference of theirs. */
  enterElsewhere(reference: string): void {
    super.create({ clientOrderId: reference, price: '100.0', quantity: '2' });
  }

  /** A stop order becomes a limit order. */
  trigger(order: ModelOrder): void {
    if (order.status !== 'OPEN' || order.kind.type !== TYPES.STOP_LIMIT) return;
    order.kind = { ...order.kind, type: TYPES.LIMIT };
    order.code = '6012';
    this.publish(order);
  }

  /** Nothing that was lost arrives late. */
  override lookup(orderId: string | null, reference: string): LookupOutcome {
    const outcome = super.lookup(orderId, reference);
    return outcome.kind === 'found' ? { ...outcome, final: true } : outcome;
  }
}
