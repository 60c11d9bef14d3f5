// The exchange of a simulation. It carries commands out late, never, or silently, reports events on a stream that is
// cut and repeats itself, and answers look-ups as the exchange client does (rule U2). Its impossible input is checked
// here: the same order created twice.

import { Decimal } from '../../src/base/decimal.ts';
import type {
  CommandOutcome,
  ExchangeOrder,
  ExchangeOrderStatus,
  ExchangeTrade,
  LookupOutcome,
  OrderCommand,
} from '../../src/exchange/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../src/gateway/mod.ts';
import { exchangeOrder } from '../gateway/desk.ts';
import {
  accepted,
  EXCHANGE_TIME,
  fillOf,
  frameOf,
  type KeptOrder,
  openOrder,
} from '../support/exchange/exchange-order.ts';
import { Auction } from './auction.ts';
import type { Faults, Randomness } from './randomness.ts';
import type { Life, Scheduler } from './scheduler.ts';

type Create = Extract<OrderCommand, { kind: 'createOrder' }>;
type Lookup = Extract<GatewayEffect, { kind: 'lookup' }>;

export interface VenueOrder extends KeptOrder {
  /** Called on creation with the OMS and the order. */
  readonly firstPrice: string;
  changedAt: number;
  /** It takes part in the auction (GTX) and trades nowhere else. */
  readonly isAuction: boolean;
  /** Entered by REST or on the exchange's page, by somebody else (rule O11). */
  readonly isElsewhere: boolean;
}

/** Sends to the present login's house. */
export interface Listener {
  readonly life: Life;
  /** The private stream is up and reaches it. */
  live: boolean;
  /** The stream of auctions is. */
  hearsAuctions: boolean;
  readonly input: (input: GatewayInput) => void;
}

const REFUSED = { kind: 'refused', httpStatus: 400, errorCodeName: null } as const;
const LOCKED = { ...REFUSED, errorCode: '3033', message: 'the auction is in lockdown' } as const;
const REQUEST_TIMEOUT_MS = 2_000;
const ENDED_KEPT_MS = 60_000;
/** Numbers that others give their orders: beyond all that the house gives. */
const REFERENCE_ELSEWHERE = 5_000_000;

export class Exchange {
  readonly orders: VenueOrder[] = [];
  readonly open = new Set<VenueOrder>();
  readonly #byId = new Map<string, VenueOrder>();
  readonly #byReference = new Map<string, VenueOrder>();
  readonly #byFirstPrice = new Map<string, VenueOrder>();
  readonly #scheduler: Scheduler;
  readonly #random: Randomness;
  readonly #faults: Faults;
  listener: Listener | null = null;
  /** Commands carry a nonce; those below the floor are refused on arrival, however late. */
  #nonce = 0;
  #floor = 0;
  readonly #nonces = new Map<string, number>();
  #ids = 9_000;
  #published = EXCHANGE_TIME;
  /** When the last frame of each topic arrives: a topic keeps its order, the two topics do not keep each other's. */
  readonly #lastArrival = { order: 0, trade: 0, phase: 0 };
  readonly auction: Auction;
  executed = 0;

  constructor(scheduler: Scheduler, random: Randomness, faults: Faults) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#faults = faults;
    this.auction = new Auction(scheduler, random, faults, {
      orders: () => [...this.open].filter(({ isAuction }) => isAuction),
      fill: (order, quantity) => this.#fill(order, quantity),
      end: (order, status, code) => this.end(order, status, code),
      tell: (phase) => this.#tell('phase', { kind: 'phase', phase }),
    });
  }

  /** Nonces of commands that an earlier process sent end here. */
  get lastNonce(): number {
    return this.#nonce;
  }

  submit(listener: Listener, commandId: string, command: OrderCommand): void {
    const { life, input } = listener;
    const random = this.#random;
    const nonce = ++this.#nonce;
    this.#nonces.set(commandId, nonce);
    const answer = (ms: number, outcome: CommandOutcome): void =>
      this.#scheduler.after(ms, () => input({ kind: 'outcome', commandId, outcome }), life);
    const unknown = (ms: number, message: string): void => answer(ms, { kind: 'unknown', message });
    const arrives = random.between(1, 15);
    const refusal = { errorCode: null, errorCodeName: null, message: 'refused' };
    if (this.#faults.strikes('notSent', 0.02)) answer(0, { kind: 'refused', httpStatus: null, ...refusal });
    else if (this.#faults.strikes('refused', 0.03)) {
      answer(arrives * 2, { kind: 'refused', httpStatus: random.pick([400, 429, 401]), ...refusal });
    } else if (this.#faults.strikes('commandLost', 0.03)) unknown(REQUEST_TIMEOUT_MS, 'no answer in time');
    else if (this.#faults.strikes('commandLate', 0.03)) {
      this.#scheduler.after(random.between(1_500, 12_000), () => this.#arrive(command, nonce));
      unknown(REQUEST_TIMEOUT_MS, 'no answer in time');
    } else if (this.#faults.strikes('answerLost', 0.04)) {
      this.#scheduler.after(arrives, () => this.#arrive(command, nonce));
      unknown(REQUEST_TIMEOUT_MS, 'no answer in time');
    } else if (this.#faults.strikes('serverError', 0.02)) {
      if (random.chance(0.5)) this.#scheduler.after(arrives, () => this.#arrive(command, nonce));
      unknown(arrives * 2, 'HTTP 502');
    } else {
      this.#scheduler.after(arrives, () => {
        const outcome = this.#arrive(command, nonce);
        const hidden = outcome.kind === 'accepted' && this.#faults.strikes('idMissing', 0.01);
        answer(random.between(1, 15), hidden ? { ...outcome, orderId: null } : outcome);
      });
    }
  }

  #arrive(command: OrderCommand, nonce: number): CommandOutcome {
    if (nonce <= this.#floor) return { ...REFUSED, errorCode: '1001', message: 'nonce is too old' };
    this.executed++;
    if (command.kind === 'createOrder') return this.#create(command);
    if (command.kind === 'cancelOrder') return this.#cancel(command.orderId, command.clientOrderId);
    if (command.kind === 'amendOrder') return this.#amend(command);
    throw new Error(`the gateway sent a command that no order session asks for: ${command.kind}`);
  }

  #create({ clientOrderId, price, quantity, timeInForce }: Create): CommandOutcome {
    if (price === null) throw new Error('only limit orders are in the simulation');
    if (this.#byReference.has(clientOrderId)) throw new Error(`reference ${clientOrderId} reached the exchange twice`);
    const firstPrice = Decimal.of(price).trimmed().toString();
    if (this.#byFirstPrice.has(firstPrice)) {
      throw new Error(`the order at ${firstPrice} reached the exchange twice, now as ${clientOrderId}`);
    }
    const isAuction = timeInForce === 'GTX';
    if (isAuction && !this.auction.takesOrders) {
      return { ...REFUSED, errorCode: '6011', message: 'the auction takes no orders now' };
    }
    const order: VenueOrder = {
      ...openOrder(`${this.#ids++}`, clientOrderId, price, quantity),
      firstPrice,
      changedAt: this.#scheduler.now,
      isAuction,
      isElsewhere: false,
    };
    this.#add(order);
    this.#byReference.set(order.reference, order);
    this.#byFirstPrice.set(firstPrice, order);
    if (this.#faults.strikes('lateRefusal', 0.02)) {
      this.#notify(order, null, '3001', 'not enough of the asset');
      this.end(order, 'REJECTED', '3001');
    } else this.#publish(order);
    return accepted(order);
  }

  #add(order: VenueOrder): void {
    this.orders.push(order);
    this.open.add(order);
    this.#byId.set(order.orderId, order);
  }

  /** Somebody enters an order on the exchange's page, on an account that the house trades for. */
  enterElsewhere(): void {
    const price = `${this.#random.between(1, 1_000)}`;
    const reference = `${REFERENCE_ELSEWHERE + this.#ids}`;
    const order: VenueOrder = {
      ...openOrder(`${this.#ids++}`, reference, price, `${this.#random.between(1, 5)}`),
      firstPrice: price,
      changedAt: this.#scheduler.now,
      isAuction: false,
      isElsewhere: true,
    };
    this.#add(order);
    this.#publish(order);
  }

  #cancel(orderId: string | null, reference: string | null): CommandOutcome {
    const order = this.find(orderId, reference);
    if (order === null) return { ...REFUSED, errorCode: '3002', message: 'Order is not found' };
    if (order.status !== 'OPEN')
      return { ...REFUSED, errorCode: '3032', message: 'Order is either closed or rejected' };
    if (order.isAuction && this.auction.locked) return LOCKED;
    // Acknowledged, then not done: the notice that says so may be lost with the stream.
    if (this.#faults.strikes('lostRefusal', 0.01)) {
      const requestId = `r-${this.executed}`;
      if (this.#random.chance(0.5)) this.#notify(order, requestId, '3032', 'the order cannot be cancelled now');
      return { ...accepted(order), requestId };
    }
    this.end(order, 'CANCELLED', '6005');
    return accepted(order);
  }

  #amend(command: Extract<OrderCommand, { kind: 'amendOrder' }>): CommandOutcome {
    const order = this.find(command.orderId, null);
    if (order?.status !== 'OPEN' || !order.filled.isZero()) {
      return { ...REFUSED, errorCode: '3032', message: 'Order cannot be amended' };
    }
    if (order.isAuction && !this.auction.takesOrders) return LOCKED;
    order.price = command.price ?? order.price;
    order.quantity = command.quantity === null ? order.quantity : Decimal.of(command.quantity);
    if (command.clientOrderId !== null) {
      order.reference = command.clientOrderId;
      this.#byReference.set(order.reference, order);
    }
    this.#publish(order);
    return accepted(order);
  }

  /** The market moves: an open order trades, or ends by itself. */
  move(): void {
    const random = this.#random;
    const trading = [...this.open].filter(({ isAuction }) => !isAuction);
    if (trading.length === 0) return;
    const order = random.pick(trading);
    if (this.#faults.strikes('unsolicitedEnd', 0.06)) {
      if (random.chance(0.5)) this.end(order, 'CLOSED', '6004');
      else this.end(order, 'CANCELLED', '3020');
      return;
    }
    const quantity = random.chance(0.4) ? order.quantity : new Decimal(BigInt(random.between(1, 12)), 1);
    this.#fill(order, quantity);
    if (order.filled.equals(order.quantity)) this.end(order, 'CLOSED', '6002');
    else {
      order.code = '6013';
      this.#publish(order);
    }
  }

  /** A trade that the cancel did not outrun after all (rule O1). */
  lateFill(): void {
    const order = this.#random.pick(this.orders);
    if (order.isAuction || order.status !== 'CANCELLED' || order.filled.compare(order.quantity) >= 0) return;
    if (!this.#faults.strikes('lateFill', 0.5)) return;
    this.#fill(order, new Decimal(5n, 1));
    this.#publish(order);
  }

  #fill(order: VenueOrder, wanted: Decimal): void {
    const trade = fillOf(order, wanted, this.#published++);
    this.#tell('trade', { kind: 'trade', trade, source: 'update' });
  }

  end(order: VenueOrder, status: ExchangeOrderStatus, code: string): void {
    order.status = status;
    order.code = code;
    this.open.delete(order);
    this.#publish(order);
  }

  #publish(order: VenueOrder): void {
    order.changedAt = this.#scheduler.now;
    this.#published++;
    this.#tell('order', { kind: 'order', order: this.#frame(order, false), source: 'update' });
  }

  #notify(order: VenueOrder, requestId: string | null, errorCode: string, message: string): void {
    const { orderId, reference } = order;
    const tradingAccountId = exchangeOrder({}, 0).tradingAccountId;
    const notice = { tradingAccountId, orderId, clientOrderId: reference, requestId, errorCode, message };
    this.#tell('order', { kind: 'errorNotice', notice: { ...notice, errorCodeName: null } });
  }

  /** On its topic, in order, after a while; lost if the stream is cut before. */
  #tell(topic: 'order' | 'trade' | 'phase', input: GatewayInput): void {
    const { listener } = this;
    const isHeard = (by: Listener): boolean => (topic === 'phase' ? by.hearsAuctions : by.live);
    if (listener === null || !isHeard(listener)) return;
    const arrival = Math.max(this.#lastArrival[topic], this.#scheduler.now + this.#random.between(1, 60));
    this.#lastArrival[topic] = arrival;
    const deliver = (): void => {
      if (isHeard(listener)) listener.input(input);
    };
    this.#scheduler.at(arrival, deliver, listener.life);
    // A late phase would be a wrong one.
    if (topic !== 'phase' && this.#faults.strikes('eventRepeated', 0.03)) {
      this.#scheduler.at(arrival + this.#random.between(0, 3_000), deliver, listener.life);
    }
  }

  /** Answer a look-up as the exchange client does: `absent` is final once the command can no longer arrive. */
  lookup(listener: Listener, firstNonce: number, effect: Lookup): void {
    const { lookupId, orderId, clientOrderId, commandId, ofRequest } = effect;
    const { life } = listener;
    const random = this.#random;
    const answer = (outcome: LookupOutcome): void => listener.input({ kind: 'lookedUp', lookupId, outcome });
    const found = (order: VenueOrder, final: boolean): LookupOutcome => ({
      kind: 'found',
      order: this.#frame(order, true),
      trades: [...order.trades],
      final,
    });
    const upTo = commandId === null ? firstNonce : (this.#nonces.get(commandId) ?? this.#nonce);
    this.#scheduler.after(
      random.between(2, 60),
      () => {
        if (this.#faults.strikes('lookupFailed', 0.08)) {
          answer({ kind: 'failed', message: 'the exchange could not be asked' });
          return;
        }
        const order = this.find(orderId, clientOrderId);
        if (order !== null && (!ofRequest || order.status !== 'OPEN')) {
          answer(found(order, false));
          return;
        }
        if (this.#faults.strikes('fenceFailed', 0.1)) {
          answer(order === null ? { kind: 'absent', final: false } : found(order, false));
          return;
        }
        this.#scheduler.after(random.between(2, 30), () => {
          this.#floor = Math.max(this.#floor, upTo);
        });
        const decide = (): void => {
          const settled = this.find(orderId, clientOrderId);
          if (settled !== null) answer(found(settled, true));
          else answer({ kind: 'absent', final: listener.live });
        };
        this.#scheduler.after(100, decide, life);
      },
      life,
    );
  }

  /** Data for comparing an account: open orders, recently ended ones, and their trades. */
  recent(): { readonly orders: ExchangeOrder[]; readonly trades: ExchangeTrade[] } {
    const since = this.#scheduler.now - ENDED_KEPT_MS;
    const orders = this.orders.filter((order) => order.status === 'OPEN' || order.changedAt >= since);
    return {
      orders: orders.map((order) => this.#frame(order, true)),
      trades: orders.flatMap((order) => order.trades),
    };
  }

  find(orderId: string | null, reference: string | null): VenueOrder | null {
    return (orderId === null ? this.#byReference.get(reference ?? '') : this.#byId.get(orderId)) ?? null;
  }

  /** The order that was created at a price; every order of a simulation has its own. */
  createdAt(price: string): VenueOrder | null {
    return this.#byFirstPrice.get(price) ?? null;
  }

  #frame(order: VenueOrder, isRest: boolean): ExchangeOrder {
    return frameOf(order, this.#published, isRest, { timeInForce: order.isAuction ? 'GTX' : 'GTC' });
  }
}
