// An order management system on jspurefix. It logs on, sends orders and cancels, keeps every message of both directions
// as raw bytes, and waits for expected messages. Its user (the demo, the tests) decides the messages and expectations.

import type { ISessionDescription } from 'jspurefix';
import { CrossgateError } from '../base/errors.ts';
import { hostPort } from '../base/host-port.ts';
import type { EpochMs } from '../base/time.ts';
import { Framer, type MessageView, MsgType, Tag, viewOf } from '../wire/mod.ts';
import { type EngineSession, startSession } from './engine.ts';
import type { ProcessedNumbers } from './processed-numbers.ts';
import { SequenceStore } from './sequence-store.ts';

const FRAME_BYTES_MAX = 65_536;
const FIELDS_MAX = 2_000;
/** Messages kept per connection; a longer conversation is a fault of the caller's script. */
const MESSAGES_MAX = 100_000;

/** How to reach an acceptor and who we are. */
export interface OmsOptions {
  readonly host: string;
  readonly port: number;
  /** Certificate authority (PEM) that signed the acceptor's certificate, or null for plain TCP. */
  readonly tls?: { readonly ca: string; readonly servername?: string } | null;
  readonly senderCompID: string;
  readonly targetCompID: string;
  /** SenderSubID(50) of every message, the trader; absent by default. */
  readonly senderSubID?: string;
  /** Password(554). */
  readonly password: string | null;
  readonly heartBtIntS?: number;
  /** ResetSeqNumFlag(141): true starts both numbers at 1, false carries on with those of `store`. */
  readonly resetSeqNumFlag: boolean;
  /** Numbers that outlive the connection; a fresh one by default. */
  readonly store?: SequenceStore;
  /** jspurefix's name of a bundled dictionary (default `qf44`, the stock FIX.4.4) or the absolute path of another. */
  readonly dictionary?: string;
  readonly logonTimeoutMs?: number;
}

/** One message as it crossed the wire. */
export interface WireMessage {
  readonly direction: 'in' | 'out';
  readonly at: EpochMs;
  readonly raw: Buffer;
  readonly view: MessageView;
}

/** A NewOrderSingle(D). Prices and quantities are decimal texts and reach the wire as they are. */
export interface OmsOrder {
  readonly clOrdID: string;
  readonly account: string;
  readonly symbol: string;
  readonly side: string;
  readonly orderQty: string;
  readonly ordType: string;
  readonly price?: string;
  readonly timeInForce?: string;
}

/** An OrderCancelRequest(F). */
export interface OmsCancel {
  readonly clOrdID: string;
  readonly origClOrdID: string;
  readonly orderID?: string;
  readonly account: string;
  readonly symbol: string;
  readonly side: string;
  readonly orderQty: string;
}

interface Waiter {
  readonly matches: (message: WireMessage) => boolean;
  readonly resolve: (message: WireMessage) => void;
  readonly reject: (error: Error) => void;
}

function describeSession(options: OmsOptions, store: SequenceStore): ISessionDescription {
  const tls = options.tls ?? null;
  const connection = { ca: tls?.ca, servername: tls?.servername ?? options.host };
  return {
    application: {
      type: 'initiator',
      name: options.senderCompID,
      protocol: 'ascii',
      resilient: false,
      reconnectSeconds: 1,
      connectTimeoutSeconds: 2,
      dictionary: options.dictionary ?? 'qf44',
      tcp: {
        host: options.host,
        port: options.port,
        ...(tls === null ? {} : { tls: { timeout: 10_000, nodeTlsConnectionOptions: connection } }),
      },
    },
    Name: options.senderCompID,
    BeginString: 'FIX.4.4',
    SenderCompId: options.senderCompID,
    TargetCompID: options.targetCompID,
    SenderSubID: options.senderSubID,
    Password: options.password ?? undefined,
    ResetSeqNumFlag: options.resetSeqNumFlag,
    HeartBtInt: options.heartBtIntS ?? 30,
    BodyLengthChars: 4,
    LastSentSeqNum: store.numbers.nextSenderMsgSeqNum - 1,
    LastReceivedSeqNum: store.numbers.nextTargetMsgSeqNum - 1,
  } as unknown as ISessionDescription;
}

/** A logged-on OMS. Open one with `Oms.logon`. */
export class Oms {
  readonly #messages: WireMessage[] = [];
  readonly #listeners = new Set<(message: WireMessage) => void>();
  readonly #waiters = new Set<Waiter>();
  readonly #framers = { in: framer(), out: framer() };
  readonly #processed: ProcessedNumbers;
  #session: EngineSession | null = null;
  #over: Error | null = null;
  /** Numbers to hand to the next logon with ResetSeqNumFlag(141)=N. */
  readonly store: SequenceStore;

  private constructor(options: OmsOptions) {
    this.store = options.store ?? new SequenceStore();
    this.#processed = this.store.begin(options.resetSeqNumFlag);
  }

  /**
   * Connect and log on. `onMessage` hears every message of both directions from the first Logon on.
   * @throws CrossgateError XG_EXCHANGE_LOGIN_FAILED with the acceptor's words if it refuses or does not answer
   */
  static async logon(options: OmsOptions, onMessage?: (message: WireMessage) => void): Promise<Oms> {
    const oms = new Oms(options);
    const { store } = oms;
    if (onMessage !== undefined) oms.#listeners.add(onMessage);
    const loggedOn = Promise.withResolvers<'loggedOn'>();
    const session = await startSession(describeSession(options, store), store, {
      bytesIn: (chunk) => oms.#collect('in', chunk),
      bytesOut: (chunk) => oms.#collect('out', chunk),
      lastProcessed: () => oms.#processed.last ?? 0,
      loggedOn: () => {
        oms.#countLogon();
        loggedOn.resolve('loggedOn');
      },
    });
    oms.#session = session;
    const ended = session.ended.then((error) => oms.#end(error));
    const timeout = deadline(options.logonTimeoutMs ?? 10_000);
    const first = await Promise.race([loggedOn.promise, ended, timeout.promise]);
    timeout.cancel();
    if (first === 'loggedOn') return oms;
    session.hangUp();
    throw new CrossgateError('XG_EXCHANGE_LOGIN_FAILED', oms.#whyNoLogon(options, first));
  }

  /** Every message so far, oldest first. */
  get messages(): readonly WireMessage[] {
    return this.#messages;
  }

  /** Send a message by its jspurefix names; strings reach the wire unchanged. */
  send(msgType: string, body: Readonly<Record<string, unknown>>): void {
    this.#session?.send(msgType, body);
  }

  newOrderSingle(order: OmsOrder): void {
    this.send(MsgType.NewOrderSingle, {
      ClOrdID: order.clOrdID,
      Account: order.account,
      Instrument: { Symbol: order.symbol },
      Side: order.side,
      TransactTime: new Date(),
      OrderQtyData: { OrderQty: order.orderQty },
      OrdType: order.ordType,
      Price: order.price,
      TimeInForce: order.timeInForce,
    });
  }

  orderCancelRequest(cancel: OmsCancel): void {
    this.send(MsgType.OrderCancelRequest, {
      OrigClOrdID: cancel.origClOrdID,
      OrderID: cancel.orderID,
      ClOrdID: cancel.clOrdID,
      Account: cancel.account,
      Instrument: { Symbol: cancel.symbol },
      Side: cancel.side,
      TransactTime: new Date(),
      OrderQtyData: { OrderQty: cancel.orderQty },
    });
  }

  /**
   * Wait for an inbound message, one that came already included.
   * @throws Error naming `what` if it does not come in time or the session ends first
   */
  async waitFor(what: string, matches: (view: MessageView) => boolean, timeoutMs: number): Promise<WireMessage> {
    const inbound = (message: WireMessage) => message.direction === 'in' && matches(message.view);
    const already = this.#messages.find(inbound);
    if (already !== undefined) return already;
    if (this.#over !== null) throw new Error(`${what}: ${this.#over.message}`);
    const { promise, resolve, reject } = Promise.withResolvers<WireMessage>();
    const waiter: Waiter = { matches: inbound, resolve, reject };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => reject(new Error(`${what}: not received within ${timeoutMs} ms`)), timeoutMs);
    try {
      return await promise;
    } catch (cause) {
      throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** End the session by a Logout(5) handshake; true if the acceptor answered with its own. */
  async logout(): Promise<boolean> {
    this.#session?.logout();
    await this.ended();
    const last = this.#messages.findLast((message) => message.direction === 'in');
    return last?.view.msgType === MsgType.Logout;
  }

  /** Drop the connection without a Logout, as a crash would. */
  hangUp(): void {
    this.#session?.hangUp();
  }

  /** Resolves when the session is over, however it ended. */
  async ended(): Promise<void> {
    await this.#session?.ended;
  }

  #collect(direction: 'in' | 'out', chunk: Buffer): void {
    const frames = this.#framers[direction];
    frames.push(chunk);
    for (let result = frames.next(); result !== null; result = frames.next()) {
      if (result.kind === 'garbled') continue;
      const raw = result.view.copyBytes();
      const view = viewOf(raw);
      if (view === null || this.#messages.length >= MESSAGES_MAX) continue;
      const message: WireMessage = { direction, at: Date.now(), raw, view };
      this.#messages.push(message);
      if (direction === 'in') this.#processed.count(view);
      for (const listener of this.#listeners) listener(message);
      for (const waiter of this.#waiters) if (waiter.matches(message)) waiter.resolve(message);
    }
  }

  /** jspurefix resets its store when a Logon with 141=Y is answered, and forgets that ours took a number. */
  #countLogon(): void {
    const sent = this.#messages.findLast(({ direction }) => direction === 'out')?.view.int(Tag.MsgSeqNum) ?? 0;
    this.store.senderSeqNum = Math.max(this.store.senderSeqNum, sent + 1);
  }

  #end(error: Error | null): Error {
    this.#over = error ?? new Error('the session was logged out');
    for (const waiter of this.#waiters) waiter.reject(this.#over);
    return this.#over;
  }

  #whyNoLogon(options: OmsOptions, cause: Error): string {
    const where = `${hostPort(options.host, options.port)} (${options.senderCompID} -> ${options.targetCompID})`;
    const logout = this.#messages.findLast(
      ({ direction, view }) => direction === 'in' && view.msgType === MsgType.Logout,
    );
    if (logout !== undefined)
      return `${where} refused the Logon: ${logout.view.string(Tag.Text) ?? 'no Text(58) given'}`;
    return `no Logon at ${where}: ${cause.message}`;
  }
}

function framer(): Framer {
  return new Framer({ frameBytesMax: FRAME_BYTES_MAX, fieldsMax: FIELDS_MAX });
}

function deadline(ms: number): { promise: Promise<Error>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const timer = setTimeout(() => resolve(new Error(`no answer to the Logon within ${ms} ms`)), ms);
  return { promise, cancel: () => clearTimeout(timer) };
}
