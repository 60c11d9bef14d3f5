// The counterparty of a rehearsal (rehearsal.ts): an OMS on the library's own initiator that enters, replaces and cancels
// orders, a few at a time, until it has seen as many through as it was asked for. Leaves whom it rehearses to that file.

import { formatUtcTimestamp } from '../base/time.ts';
import { MsgType } from '../wire/mod.ts';
import { type FixEngine, memoryStore, startInitiator } from './fix-engine.ts';
import { type FixMessage, newMessage } from './fix-message.ts';
import type { FixSession } from './fix-session.ts';

/** Enough that frames come several in a chunk, as in a busy hour; few enough that each order also comes alone. */
const IN_FLIGHT = 8;
/** Messages kept for resends that nobody asks for. */
const MESSAGES_KEPT = 64;

export interface RehearsalOmsOptions {
  /** Where the rehearsed session listens, on this machine. */
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly beginString: string;
  readonly defaultApplVerID: '7' | '8' | '9' | undefined;
  readonly dictionaries: string;
  readonly account: string;
  readonly symbol: string;
  /** A limit price at which a buy order rests, another one where it may be moved to, and one at which it trades at once. */
  readonly prices: { readonly resting: string; readonly moved: string; readonly crossing: string };
  readonly orderQty: string;
  /** How many orders are seen through. */
  readonly orders: number;
  /** No order is begun after this time; whatever is open then is left. */
  readonly until: number;
}

/** Run the orders; resolves with how many were seen through. */
export async function rehearseOrders(options: RehearsalOmsOptions): Promise<number> {
  const oms = new RehearsalOms(options);
  const { senderCompID, targetCompID, beginString, defaultApplVerID } = options;
  const engine: FixEngine = await startInitiator({
    addresses: [{ host: '127.0.0.1', port: options.port }],
    store: memoryStore(MESSAGES_KEPT),
    dictionaries: options.dictionaries,
    application: oms,
    sessions: [
      {
        senderCompID,
        targetCompID,
        beginString,
        durability: 'process',
        ...(defaultApplVerID === undefined ? {} : { defaultApplVerID }),
      },
    ],
  });
  const limit = setTimeout(() => oms.end(), Math.max(0, options.until - performance.now()));
  await oms.ended;
  clearTimeout(limit);
  await engine.close();
  return oms.seenThrough;
}

/** Every third order trades at once, every third is cancelled, every third is moved first. */
class RehearsalOms {
  seenThrough = 0;
  readonly ended: Promise<void>;
  /** Begin no further order: the rehearsal is over. */
  readonly end: () => void;
  private begun = 0;
  private over = false;
  private readonly options: RehearsalOmsOptions;

  constructor(options: RehearsalOmsOptions) {
    this.options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = () => {
      this.over = true;
      resolve();
    };
  }

  onLogon(session: FixSession): void {
    for (let i = 0; i < IN_FLIGHT; i++) this.enter(session);
  }

  onLogout(): void {
    this.end();
  }

  onMessage(message: FixMessage, session: FixSession): void {
    if (this.over) return;
    if (message.msgType !== MsgType.ExecutionReport) {
      // An order that something is refused to has shown what it could show.
      if (message.msgType === MsgType.OrderCancelReject || message.msgType === MsgType.BusinessMessageReject) {
        this.next(session);
      }
      return;
    }
    const clOrdID = message.string('ClOrdID') ?? '';
    const [number = '', step = ''] = clOrdID.split('.');
    const kind = Number(number) % 3;
    switch (message.string('OrdStatus')) {
      case '0':
        if (kind === 2 && step === 'N') this.replace(session, number);
        else if (kind !== 0) this.cancel(session, number, step);
        break;
      case '5':
        this.cancel(session, number, step);
        break;
      case '2':
      case '4':
      case '8':
        this.next(session);
    }
  }

  private next(session: FixSession): void {
    this.seenThrough++;
    this.enter(session);
  }

  private enter(session: FixSession): void {
    const { orders, prices } = this.options;
    if (this.begun === orders) {
      if (this.seenThrough >= orders) this.end();
      return;
    }
    const number = this.begun++;
    const trades = number % 3 === 0;
    session.send(
      newMessage(MsgType.NewOrderSingle, {
        ClOrdID: `${number}.N`,
        ...this.terms(trades ? prices.crossing : prices.resting),
        TimeInForce: trades ? '3' : '1',
      }),
    );
  }

  private replace(session: FixSession, number: string): void {
    session.send(
      newMessage(MsgType.OrderCancelReplaceRequest, {
        OrigClOrdID: `${number}.N`,
        ClOrdID: `${number}.R`,
        ...this.terms(this.options.prices.moved),
        TimeInForce: '1',
      }),
    );
  }

  private cancel(session: FixSession, number: string, step: string): void {
    const { account, symbol, orderQty } = this.options;
    session.send(
      newMessage(MsgType.OrderCancelRequest, {
        OrigClOrdID: `${number}.${step}`,
        ClOrdID: `${number}.C`,
        Account: account,
        Symbol: symbol,
        Side: '1',
        TransactTime: formatUtcTimestamp(Date.now()),
        OrderQty: orderQty,
      }),
    );
  }

  private terms(price: string) {
    const { account, symbol, orderQty } = this.options;
    return {
      HandlInst: '1',
      Account: account,
      Symbol: symbol,
      Side: '1',
      TransactTime: formatUtcTimestamp(Date.now()),
      OrderQty: orderQty,
      OrdType: '2',
      Price: price,
    } as const;
  }
}
