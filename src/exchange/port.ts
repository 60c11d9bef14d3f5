// The port through which the house reaches an exchange: implemented by exchange-client, faked in unit tests.

import type { EpochMs } from '../base/time.ts';
import type { ExchangeCommand } from './command.ts';
import type { CommandOutcome, ExchangeEvent, ExchangeOrder, ExchangeTrade, LookupOutcome } from './event.ts';
import type { Market } from './market.ts';
import type { MarketDataEvent, MarketTopic } from './market-data.ts';

/** How an order is asked for; by our own reference while the exchange's id is not known. */
export interface OrderLookup {
  readonly tradingAccountId: string;
  readonly orderId: string | null;
  readonly clientOrderId: string;
  /** The command with the unknown outcome, as given to `submit`; null if an earlier process sent it. */
  readonly commandId: string | null;
  /** The command is a cancel or an amendment: whether it may still be carried out matters while the order is open. */
  readonly ofRequest?: boolean;
  /** About when it was entered: the exchange finds old orders only where it is asked for their time. */
  readonly enteredAt?: EpochMs;
  /** Asked when its turn has come: whether the answer is needed still; where not, it is `failed`. Default: it is. */
  readonly isWanted?: () => boolean;
}

/** One exchange login and everything done with it. Promises never reject, for any answer of the exchange or none. */
export interface ExchangePort {
  /** Log in, read nonce range and markets, open the streams. @throws CrossgateError if the login is refused */
  start(): Promise<void>;
  /**
   * Send a command once. Never retried: an answer that does not come is `unknown`. Where commands have to wait for the
   * exchange's rate, `sharer`s (FIX sessions) take turns; one that goes `atOnce` does not wait for it, and is refused.
   */
  submit(commandId: string, command: ExchangeCommand, sharer?: string, atOnce?: boolean): Promise<CommandOutcome>;
  /** Ask for one order; fences the command's nonce before it says `absent, final` (rule U2). */
  lookup(lookup: OrderLookup): Promise<LookupOutcome>;
  /** Open orders and recently ended ones of an account, and its recent trades, for reconciliation. Null if not to be had. */
  recent(
    tradingAccountId: string,
  ): Promise<{ readonly orders: readonly ExchangeOrder[]; readonly trades: readonly ExchangeTrade[] } | null>;
  /** Markets as last read. */
  markets(): readonly Market[];
  /** The reason why the exchange does not serve this login now, or null. */
  obstacle(): string | null;
  /** Markets that were listed no more at the start, of those that were asked for. */
  pastMarkets(): readonly Market[];
  /** Receive events until the port is closed; set before `start`. */
  onEvent: (event: ExchangeEvent) => void;
  /**
   * Stop receiving orders and trades until the caller can take them again. The private stream is closed, and reopens
   * with its snapshot.
   */
  hold(isHeld: boolean): void;
  /** Close the streams and log out. */
  close(): Promise<void>;
}

/** Public market data of one exchange login, beside the orders. */
export interface MarketDataPort {
  /**
   * Follow a topic of a symbol (of an asset for `indexPrice`), through reconnects, until as many `unsubscribe`s. The present
   * state comes first. False where more subjects are followed than a client may; a subject that the exchange does not know
   * is answered by `marketRefused`.
   */
  subscribe(topic: MarketTopic, subject: string): boolean;
  unsubscribe(topic: MarketTopic, subject: string): void;
  /** Receive market data, and NOII of the auctions that are followed; set before `start`. */
  onMarketData: (event: MarketDataEvent) => void;
}
