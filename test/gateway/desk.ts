// A gateway machine with its counterparties played by the test: FIX text in, commands out, exchange events in, FIX text
// out. Time moves only when a test says so.

import { formatUtcTimestamp } from '../../src/base/time.ts';
import type {
  AuctionPhase,
  DataAnswer,
  ExchangeErrorNotice,
  ExchangeOrder,
  ExchangeTrade,
  Market,
  OrderCommand,
} from '../../src/exchange/mod.ts';
import {
  Gateway,
  type GatewayConfig,
  type GatewayEffect,
  type GatewayInput,
  type GatewaySessionConfig,
} from '../../src/gateway/mod.ts';
import { fromPrintable, type MessageDraft, viewOf } from '../../src/wire/mod.ts';

export const SESSION = 'FIX.4.4:XG->OMS';
export const T0 = Date.UTC(2026, 0, 5, 12, 0, 0);
export const ACCOUNT = '111000000000001';

export function market(symbol: string, more: Partial<Market> = {}): Market {
  return {
    symbol,
    marketType: 'SPOT',
    baseSymbol: symbol.slice(0, 3),
    quoteSymbol: symbol.slice(3),
    tickSize: '0.1',
    pricePrecision: 1,
    quantityPrecision: 8,
    minQuantityLimit: '0.0001',
    maxQuantityLimit: '1000',
    orderTypes: ['LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY'],
    marketEnabled: true,
    createOrderEnabled: true,
    cancelOrderEnabled: true,
    marginTradingEnabled: symbol === 'BTCUSDC',
    auctionEnabled: symbol === 'BTCUSDC',
    auctionPriceCollar: null,
    ...more,
  };
}

/** Risk limits of every session of a desk. */
export const LIMITS = {
  orderQtyMax: '100',
  notionalMax: '10000000',
  openOrdersMax: 100,
  priceBandPercent: null,
  referencePriceAgeMaxMs: 60_000,
};

export function sessionConfig(more: Partial<GatewaySessionConfig> = {}): GatewaySessionConfig {
  return {
    sessionId: SESSION,
    beginString: 'FIX.4.4',
    dialect: 'standard',
    accounts: [{ account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'main' }],
    symbols: null,
    symbolAliases: {},
    limits: LIMITS,
    cancelOnDisconnect: { on: 'both', graceMs: 0 },
    staleOrderMs: 10_000,
    pendingNewAfterMs: 1_000,
    timeInForceAbsent: 'GTC',
    gtxAliases: [],
    lockdownCxlRejReason: '99',
    clOrdIDPassThrough: false,
    ...more,
  };
}

/** A drop copy of every session, and of orders entered elsewhere. */
export function dropCopyConfig(more: Partial<GatewaySessionConfig> = {}): GatewaySessionConfig {
  return sessionConfig({
    sessionId: 'FIX.4.4:XG->COPY',
    kind: 'dropCopy',
    dropCopy: { sessionIds: null, elsewhere: true },
    cancelOnDisconnect: { on: 'off', graceMs: 0 },
    ...more,
  });
}

export function gatewayConfig(
  session: Partial<GatewaySessionConfig> = {},
  more: Partial<GatewayConfig> = {},
): GatewayConfig {
  return {
    sessions: [sessionConfig(session)],
    referenceRange: { first: '1', last: '1000000' },
    terminalWaitMs: 5_000,
    lookup: { firstMs: 500, largestMs: 8_000, alarmAfter: 4 },
    pendingAlarmMs: 60_000,
    ...more,
  };
}

export interface Submitted {
  readonly commandId: string;
  readonly command: OrderCommand;
  readonly isOneOfMany?: true;
}

export type Ask = Extract<GatewayEffect, { kind: 'ask' }>;
export type Lookup = Extract<GatewayEffect, { kind: 'lookup' }>;
export type Alarm = Extract<GatewayEffect, { kind: 'alarm' }>;

/** A draft as text, its header fields first: `35=8|57=trader|37=…`. */
export function textOf(draft: MessageDraft): string {
  const fields = [`35=${draft.msgType}`];
  const { headerTags, headerValues, tags, values } = draft;
  headerTags.forEach((tag, i) => void fields.push(`${tag}=${headerValues[i]}`));
  tags.forEach((tag, i) => void fields.push(`${tag}=${values[i]}`));
  return `${fields.join('|')}|`;
}

export class Desk {
  now = T0;
  gateway: Gateway;
  readonly config: GatewayConfig;
  /** Everything sent to the OMS, as text. */
  readonly sent: string[] = [];
  readonly submitted: Submitted[] = [];
  readonly lookups: Lookup[] = [];
  /** Questions about accounts. */
  readonly asked: Ask[] = [];
  /** Commands that concern no order. */
  readonly managed: Extract<GatewayEffect, { kind: 'manage' }>[] = [];
  readonly alarms: Alarm[] = [];
  readonly records = new Map<string, string>();
  /** Records of what ended, by the keys under which it is to be found; null keeps every order in memory. */
  readonly ended: Map<string, string> | null;
  /** All effects of all inputs, in order. */
  readonly effects: GatewayEffect[] = [];
  #msgSeqNum = 1;

  constructor(config: GatewayConfig = gatewayConfig(), options: { ready?: boolean; ended?: boolean } = {}) {
    this.config = config;
    this.ended = options.ended === true ? new Map() : null;
    this.gateway = new Gateway(config, { orders: new Map(), ...this.#endedOrders() });
    if (options.ready !== false) this.open();
  }

  /** The engine's inputs to a gateway before business begins. */
  open(): void {
    this.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC')] });
    this.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
    this.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  }

  feed(input: GatewayInput): GatewayEffect[] {
    const effects = this.gateway.handle(input, this.now);
    for (const effect of effects) {
      this.effects.push(effect);
      if (effect.kind === 'persistOrder') this.#keep(effect);
      else if (effect.kind === 'send') this.sent.push(textOf(effect.draft));
      else if (effect.kind === 'submit') this.submitted.push(effect);
      else if (effect.kind === 'lookup') this.lookups.push(effect);
      else if (effect.kind === 'ask') this.asked.push(effect);
      else if (effect.kind === 'manage') this.managed.push(effect);
      else if (effect.kind === 'alarm') this.alarms.push(effect);
    }
    return effects;
  }

  #keep({ key, record, ended }: Extract<GatewayEffect, { kind: 'persistOrder' }>): void {
    if (this.ended === null || ended === undefined) {
      this.records.set(key, record);
      return;
    }
    this.records.delete(key);
    for (const name of ended) this.ended.set(name, record);
  }

  #endedOrders() {
    const { ended } = this;
    return ended === null ? {} : { ended: { find: (key: string) => ended.get(key) ?? null } };
  }

  /** A message of the OMS; header and TransactTime are added where they are missing. Returns what was sent in answer. */
  oms(text: string, options: { possDup?: boolean; sessionId?: string } = {}): string[] {
    const at = formatUtcTimestamp(this.now);
    const [msgType, ...rest] = text.split('|').filter((field) => field !== '');
    const beginString = this.config.sessions.find((s) => s.sessionId === (options.sessionId ?? SESSION))!.beginString;
    const body = rest.join('|');
    const time = /(^|\|)60=/.test(body) ? '' : `|60=${at}`;
    const head = `${msgType}|34=${this.#msgSeqNum++}|49=OMS|56=XG${/(^|\|)52=/.test(body) ? '' : `|52=${at}`}`;
    const view = viewOf(fromPrintable(`${head}|${body}${time}|`, beginString));
    if (view === null) throw new Error(`not a frame: ${text}`);
    const from = this.sent.length;
    this.feed({
      kind: 'message',
      sessionId: options.sessionId ?? SESSION,
      view,
      possDup: options.possDup ?? false,
    });
    return this.sent.slice(from);
  }

  /** The command submitted last, or the i-th from the end. */
  last(back = 0): Submitted {
    return this.submitted.at(-1 - back)!;
  }

  accepted(
    commandId = this.last().commandId,
    orderId: string | null = null,
    requestId: string | null = null,
  ): string[] {
    return this.answers(() =>
      this.feed({
        kind: 'outcome',
        commandId,
        outcome: { kind: 'accepted', orderId, clientOrderId: null, requestId },
      }),
    );
  }

  unknown(commandId = this.last().commandId): string[] {
    return this.answers(() =>
      this.feed({ kind: 'outcome', commandId, outcome: { kind: 'unknown', message: 'no answer in time' } }),
    );
  }

  refused(httpStatus: number | null, errorCode: string | null, message: string, commandId = this.last().commandId) {
    return this.answers(() =>
      this.feed({
        kind: 'outcome',
        commandId,
        outcome: { kind: 'refused', httpStatus, errorCode, errorCodeName: null, message },
      }),
    );
  }

  order(more: Partial<ExchangeOrder>): string[] {
    return this.answers(() => this.feed({ kind: 'order', order: exchangeOrder(more, this.now), source: 'update' }));
  }

  trade(more: Partial<ExchangeTrade>): string[] {
    return this.answers(() => this.feed({ kind: 'trade', trade: exchangeTrade(more, this.now), source: 'update' }));
  }

  /** The exchange's answer to the last question about an account. */
  answered(answer: DataAnswer, { questionId } = this.asked.at(-1)!): string[] {
    return this.answers(() => this.feed({ kind: 'answered', questionId, answer }));
  }

  /** A refusal of a command that had been acknowledged. */
  notice(more: Partial<ExchangeErrorNotice>): string[] {
    return this.answers(() => this.feed({ kind: 'errorNotice', notice: errorNotice(more) }));
  }

  phase(more: Partial<AuctionPhase>): string[] {
    return this.answers(() => this.feed({ kind: 'phase', phase: auctionPhase(more, this.now) }));
  }

  /** Let time pass, giving the machine every tick that it asks for. */
  advance(ms: number): string[] {
    return this.answers(() => {
      const end = this.now + ms;
      for (let ticks = 0; ticks < 10_000; ticks++) {
        const due = this.gateway.deadline();
        if (due === null || due > end) break;
        this.now = Math.max(this.now, due);
        this.feed({ kind: 'tick' });
      }
      this.now = end;
    });
  }

  /** Kill the process and start another one from what was recorded. */
  restart(options: { ready?: boolean } = {}): void {
    this.gateway = new Gateway(this.config, { orders: new Map(this.records), ...this.#endedOrders() });
    if (options.ready !== false) this.open();
  }

  answers(act: () => unknown): string[] {
    const from = this.sent.length;
    act();
    return this.sent.slice(from);
  }

  alarmNames(): string[] {
    return this.alarms.map((alarm) => alarm.alarm);
  }
}

export function exchangeOrder(more: Partial<ExchangeOrder>, now: number): ExchangeOrder {
  return {
    tradingAccountId: ACCOUNT,
    orderId: '9001',
    clientOrderId: '1',
    symbol: 'BTCUSDC',
    type: 'LMT',
    side: 'BUY',
    price: '100.0',
    stopPrice: null,
    quantity: '2.00000000',
    quantityFilled: '0.00000000',
    averageFillPrice: null,
    timeInForce: 'GTC',
    status: 'OPEN',
    statusReasonCode: '6001',
    statusReason: 'Open',
    isLiquidation: false,
    borrowedQuantity: null,
    createdAt: now,
    publishedAt: now,
    ...more,
  };
}

export function exchangeTrade(more: Partial<ExchangeTrade>, now: number): ExchangeTrade {
  return {
    tradingAccountId: ACCOUNT,
    tradeId: '7001',
    orderId: '9001',
    clientOrderId: '1',
    symbol: 'BTCUSDC',
    side: 'BUY',
    price: '100.0',
    quantity: '0.50000000',
    quoteAmount: '50.0',
    baseFee: '0.00000000',
    quoteFee: '0.0000',
    isTaker: false,
    tradeRebateAmount: null,
    tradeRebateAssetSymbol: null,
    auctionId: null,
    otcTradeId: null,
    createdAt: now,
    publishedAt: now,
    ...more,
  };
}

export function errorNotice(more: Partial<ExchangeErrorNotice>): ExchangeErrorNotice {
  return {
    tradingAccountId: ACCOUNT,
    orderId: '9001',
    clientOrderId: '1',
    requestId: null,
    errorCode: null,
    errorCodeName: null,
    message: 'too late',
    ...more,
  };
}

export function auctionPhase(more: Partial<AuctionPhase>, now: number): AuctionPhase {
  return {
    auctionId: 'A-1',
    symbol: 'BTCUSDC',
    eventType: 'AUCTION_STARTED',
    phase: 'ACCUMULATION',
    startTime: now,
    lockdownTime: now + 60_000,
    scheduledCrossTime: now + 70_000,
    createAuctionOrderEnabled: true,
    amendAuctionOrderEnabled: true,
    cancelAuctionOrderEnabled: true,
    message: null,
    ...more,
  };
}

/** Value of a tag in a text message, or null. */
export function field(text: string | undefined, tag: number): string | null {
  const found = text?.split('|').find((part) => part.startsWith(`${tag}=`));
  return found === undefined ? null : found.slice(`${tag}=`.length);
}

/** `150/39` of each 8 and `9/434` of each 9, in order. */
export function summary(messages: readonly string[]): string[] {
  return messages.map((text) =>
    field(text, 35) === '8' ? `${field(text, 150)}/${field(text, 39)}` : `${field(text, 35)}/${field(text, 434) ?? ''}`,
  );
}

export const LIMIT = '35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|';

/** A desk with order o-1 working at the exchange as 9001; earlier messages are forgotten. */
export function workingDesk(config = gatewayConfig()): Desk {
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.sent.length = 0;
  return desk;
}
