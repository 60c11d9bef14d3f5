// When each new order passes the stages of its way: its D is read, taken by the gateway, checked, recorded, written to
// the exchange and answered, and its first ExecutionReport(8) is handed to a socket. A D refused here is measured too.
// ops/metrics adds the times up, and ops/traces exports them.

import type { GatewayEffect, GatewayInput } from '../gateway/mod.ts';
import { MsgType, Tag } from '../wire/mod.ts';

/** Orders without a report so far; of more, the oldest is forgotten. */
const UNDER_WAY_MAX = 20_000;

/** One order on its way. Times are `performance.now()`, in milliseconds; 0: it has not been there. */
export interface OrderTimes {
  readonly sessionId: string;
  readonly clOrdID: string;
  readonly symbol: string;
  /** The command that creates it; null if it was refused here. */
  commandId: string | null;
  /** The bytes of the message were read from the socket. */
  readonly readAt: number;
  /** The session accepted it, and the gateway began. */
  readonly takenAt: number;
  /** The gateway decided. */
  checkedAt: number;
  /** Its record is as durable as the session asks. */
  recordedAt: number;
  /** Its command was handed to the exchange's socket. */
  sentAt: number;
  /** The answer or stream event that caused the report came in. */
  answeredAt: number;
  /** The report was handed to the counterparty's socket. */
  reportedAt: number;
}

export class OrderWatch {
  private readonly onReported: (times: OrderTimes) => void;
  /** By the command that creates the order. */
  private readonly underWay = new Map<string, OrderTimes>();

  constructor(onReported: (times: OrderTimes) => void) {
    this.onReported = onReported;
  }

  /** Before the gateway handles an input: the order that it brings or answers; null if no such order is watched. */
  begin(input: GatewayInput, readAt: number): OrderTimes | null {
    if (input.kind === 'message') {
      return input.view.msgType === MsgType.NewOrderSingle ? timesOf(input, readAt) : null;
    }
    if (this.underWay.size === 0) return null;
    const commandId = commandOf(input);
    const times = commandId === null ? undefined : this.underWay.get(commandId);
    if (times === undefined) return null;
    times.answeredAt = performance.now();
    return times;
  }

  /** The gateway has handled it, and asks for this command. */
  submitted(times: OrderTimes, { commandId, command }: Extract<GatewayEffect, { kind: 'submit' }>): void {
    if (times.commandId !== null || command.kind !== 'createOrder') return;
    times.commandId = commandId;
    this.underWay.set(commandId, times);
    if (this.underWay.size > UNDER_WAY_MAX) this.underWay.delete(this.underWay.keys().next().value!);
  }

  recorded(commandId: string): void {
    const times = this.underWay.get(commandId);
    if (times !== undefined) times.recordedAt = performance.now();
  }

  sent(commandId: string): void {
    const times = this.underWay.get(commandId);
    if (times !== undefined) times.sentAt = performance.now();
  }

  /** Its first report has left; further ones are not counted. */
  reported(times: OrderTimes): void {
    if (times.reportedAt !== 0) return;
    times.reportedAt = performance.now();
    this.forget(times);
    this.onReported(times);
  }

  /** Its report waits until the counterparty logs on: that time is not of this order. */
  forget({ commandId }: OrderTimes): void {
    if (commandId !== null) this.underWay.delete(commandId);
  }
}

function timesOf({ sessionId, view }: Extract<GatewayInput, { kind: 'message' }>, readAt: number): OrderTimes {
  return {
    sessionId,
    clOrdID: view.string(Tag.ClOrdID) ?? '',
    symbol: view.string(Tag.Symbol) ?? '',
    commandId: null,
    readAt,
    takenAt: performance.now(),
    checkedAt: 0,
    recordedAt: 0,
    sentAt: 0,
    answeredAt: 0,
    reportedAt: 0,
  };
}

/** The command that created the order of an input; null if the input is about no single order. */
function commandOf(input: GatewayInput): string | null {
  switch (input.kind) {
    case 'outcome':
      return input.commandId;
    case 'lookedUp': {
      const end = input.lookupId.indexOf('?');
      return end === -1 ? null : input.lookupId.slice(0, end);
    }
    case 'order':
      return createId(input.order);
    case 'trade':
      return createId(input.trade);
    default:
      return null;
  }
}

/** As the gateway names the command. */
function createId(of: { readonly tradingAccountId: string; readonly clientOrderId: string | null }): string | null {
  return of.clientOrderId === null ? null : `${of.tradingAccountId}/${of.clientOrderId}/0`;
}
