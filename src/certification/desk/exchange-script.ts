// The exchange's side of a case: fills, cancels, refusals, unknown outcomes, auction phases, on the certification's own simulated
// exchange.

import { CrossgateError } from '../../base/errors.ts';
import type { Engine } from '../../runtime/mod.ts';
import type { ObservedOrders } from '../run/observed-orders.ts';

type Control = NonNullable<Engine['simulator']>['control'];

export interface ExchangeScriptOptions {
  readonly engine: () => Engine;
  readonly orders: ObservedOrders;
  /** The exchange's name of the market, and the account that is traded. */
  readonly symbol: string;
  readonly tradingAccountId: string;
}

const OTHER_SIDE = { '1': 'SELL', '2': 'BUY' } as const;
const SIDES = { buy: 'BUY', sell: 'SELL' } as const;
const COUNTERPARTY = '111000000000901';
const PHASES = ['COOLING', 'ACCUMULATION', 'LOCKDOWN', 'CROSS'] as const;
/** Reason of an order that its owner cancelled, for example on the exchange's page. */
const BY_OWNER = 6005;
const UNSOLICITED = 3020;

export class ExchangeScript {
  private readonly options: ExchangeScriptOptions;
  private elsewhere = 0;

  constructor(options: ExchangeScriptOptions) {
    this.options = options;
  }

  /** Carry an action out. @throws CrossgateError if it cannot be */
  run(action: string, args: readonly string[]): void {
    const act = this.actions[action];
    if (act === undefined) throw new CrossgateError('XG_NOT_FOUND', `the exchange has no action "${action}"`);
    act(this.control, args);
  }

  /** As before a case: nothing is armed, no order is open, no auction runs. */
  clear(): void {
    const { control } = this;
    const { symbol, tradingAccountId } = this.options;
    control.clearFaults();
    control.releaseCommands();
    control.setMarket(symbol, { marketEnabled: true, createOrderEnabled: true, cancelOrderEnabled: true });
    control.toPhase(symbol, 'COOLING');
    for (const account of [tradingAccountId, COUNTERPARTY]) {
      for (const { orderId } of control.openOrders(account)) control.cancelOrder(orderId, BY_OWNER);
    }
  }

  private get control(): Control {
    const { simulator } = this.options.engine();
    if (simulator === null) throw new CrossgateError('XG_NOT_FOUND', 'the exchange is being started again');
    return simulator.control;
  }

  private readonly actions: Readonly<Record<string, (control: Control, args: readonly string[]) => void>> = {
    fill: (control, [label = '', quantity = '', price]) => {
      const order = this.order(label);
      const side = OTHER_SIDE[order.side as keyof typeof OTHER_SIDE];
      const filled = control.trade(order.symbol, side, price ?? order.price, quantity);
      if (Number(filled) === 0) throw new CrossgateError('XG_NOT_FOUND', `order ${label} took no fill of ${quantity}`);
    },
    cancel: (control, [label = '', reason]) => {
      control.cancelOrder(this.exchangeId(label), reason === undefined ? UNSOLICITED : Number(reason));
    },
    shrink: (control, [label = '', quantity = '']) => control.amendOrder(this.exchangeId(label), quantity),
    quote: (control, [side = '', quantity = '', price = '', time]) => {
      control.counterparty({
        symbol: this.options.symbol,
        side: SIDES[side as keyof typeof SIDES],
        price,
        quantity,
        timeInForce: time === 'GTX' ? 'GTX' : 'GTC',
      });
    },
    elsewhere: (_, [, side = '', quantity = '', price = '']) => this.enterElsewhere(side, quantity, price),
    'cancel-elsewhere': (control, [label = '']) => control.cancelOrder(this.exchangeId(label), BY_OWNER),
    'reject-next': (control, [reason]) => control.armRejection({ reason: Number(reason) }),
    'refuse-next': (control) =>
      control.armAnswer({
        what: 'error',
        on: 'create',
        httpStatus: 400,
        errorCode: 1002,
        message: 'refused by the certification',
      }),
    'lose-answer': (control, [on]) => control.armAnswer({ what: 'lost', on: on as 'create', executed: true }),
    hold: (control) => control.holdCommands(),
    release: (control) => control.releaseCommands(),
    silence: (control) => control.silenceStreams(true),
    'cut-streams': (control) => {
      control.silenceStreams(false);
      control.cutStreams('private');
    },
    'lose-trade': (control) => control.armStream({ what: 'suppress', dataType: 'V1TATrade' }),
    phase: (control, [phase]) => {
      const wanted = PHASES.find((one) => one === phase);
      if (wanted !== undefined) control.toPhase(this.options.symbol, wanted);
    },
    postpone: (control, [byMs]) => control.postponeAuction(this.options.symbol, Number(byMs), 'The cross is postponed'),
    halt: (control) => control.setMarket(this.options.symbol, { createOrderEnabled: false }),
    open: (control) => control.setMarket(this.options.symbol, { createOrderEnabled: true }),
    index: (control, [price = '']) => control.setIndexPrice('BTC', price),
  };

  private order(label: string) {
    const order = this.options.orders.of(label);
    if (order === null) throw new CrossgateError('XG_NOT_FOUND', `there is no order ${label} yet`);
    return { ...order, symbol: this.options.symbol };
  }

  private exchangeId(label: string): string {
    const { orderID } = this.order(label);
    if (orderID === null) throw new CrossgateError('XG_NOT_FOUND', `order ${label} has no OrderID(37) yet`);
    return orderID;
  }

  /** An order of the account that no FIX session enters, as by REST. */
  private enterElsewhere(side: string, quantity: string, price: string): void {
    const [client] = this.options.engine().exchangeClients.values();
    if (client === undefined) throw new CrossgateError('XG_NOT_FOUND', 'there is no exchange login');
    this.elsewhere++;
    void client.submit(`elsewhere-${Date.now()}-${this.elsewhere}`, {
      kind: 'createOrder',
      clientOrderId: String(Date.now() * 100 + this.elsewhere),
      symbol: this.options.symbol,
      type: 'LIMIT',
      side: SIDES[side as keyof typeof SIDES],
      price,
      stopPrice: null,
      quantity,
      timeInForce: 'GTC',
      allowBorrow: false,
      isMMP: null,
      tradingAccountId: this.options.tradingAccountId,
    });
  }
}
