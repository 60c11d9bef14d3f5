// While a gateway looks for the next message and none comes (busy-poll.ts), it takes made-up orders, so that its processor keeps
// at hand what a real one needs: after some milliseconds with other things its caches know nothing of it any more, and the same
// work takes twice as long. The orders have sessions, machines, a connection and an exchange of their own, which lead nowhere:
// nothing of them reaches a journal, a socket, a configured session or a metric, and no timer waits for them. An order is taken in
// pieces, for a real message waits as long as one takes. What comes before a gateway opens is rehearsal.ts.

import { channel } from 'node:diagnostics_channel';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import type { Market } from '../exchange/mod.ts';
import { RehearsalPort } from '../exchange-client/mod.ts';
import { Gateway, type GatewayInput } from '../gateway/mod.ts';
import { openMemoryStore } from '../store/mod.ts';
import type { Connection } from '../transport/mod.ts';
import { fromPrintable } from '../wire/mod.ts';
import type { EngineLog } from './config.ts';
import type { VersionDictionaries } from './dictionaries.ts';
import { ExchangeLink } from './exchange-link.ts';
import { GatewayApplication } from './gateway-application.ts';
import type { EngineConfig, EngineSessionConfig } from './gateway-config.ts';
import { JournalHealth } from './journal-health.ts';
import { Passwords } from './passwords.ts';
import { kindOfKey, REHEARSAL_ACCOUNT, REHEARSAL_CREDENTIAL, rehearsedSessions } from './rehearsed-sessions.ts';
import { SessionEngine } from './session-engine.ts';

/** Where an order is on its way, for whoever measures: what lies between `begins` and `ends` is none. */
const stages = channel('crossgate:stage');
/** Messages kept for resends that nobody asks for. */
const MESSAGES_KEPT = 64;
/** Sequence numbers and references have an end. */
const ORDERS_MAX = 1_000_000;
/** An order is told of twice: that it is there, and that it is not. */
const REPORTS_EACH = 2;
/** Steps in which what is due may be missing. */
const WAITS_MAX = 100;
const RECONCILED_MS = 1_000;

const MARKET: Market = {
  symbol: 'BTCUSDC',
  marketType: 'SPOT',
  baseSymbol: 'BTC',
  quoteSymbol: 'USDC',
  tickSize: '0.1000',
  pricePrecision: 4,
  quantityPrecision: 8,
  minQuantityLimit: '0.00001000',
  maxQuantityLimit: '1000.00000000',
  orderTypes: ['LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY'],
  marketEnabled: true,
  createOrderEnabled: true,
  cancelOrderEnabled: true,
  marginTradingEnabled: true,
  auctionEnabled: true,
  auctionPriceCollar: null,
};

export interface IdleRehearsalOptions {
  readonly config: EngineConfig;
  readonly dictionaries: ReadonlyMap<string, VersionDictionaries>;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** Then everything begins anew; default a million. */
  readonly ordersMax?: number;
}

/** The OMS of one rehearsed session: it has logged on, and sends orders when told. */
interface Oms {
  readonly setup: EngineSessionConfig;
  readonly connection: Nowhere;
  msgSeqNum: number;
}

type Step = 'enter' | 'open' | 'cancelled';

export class IdleRehearsal {
  /** Orders that were seen through. */
  orders = 0;
  private readonly options: IdleRehearsalOptions;
  private parts: { readonly omses: readonly Oms[]; readonly port: RehearsalPort } | null = null;
  private next: Step = 'enter';
  /** Orders since everything began anew. */
  private entered = 0;
  private reports = 0;
  private waited = 0;
  /** The clock was set back: the exchange, and whoever remembers, has an order of a later time than now. */
  private isStale = false;
  private isOver = false;

  constructor(options: IdleRehearsalOptions) {
    this.options = options;
  }

  /** Get ready. Resolves always: what cannot be rehearsed is said, and that is all. */
  async open(): Promise<void> {
    try {
      this.parts = await this.build();
      this.isStale = false;
    } catch (error) {
      this.isStale = false;
      this.fail(error);
    }
  }

  /** Take the next piece of an order; nothing before `open`, and after something went wrong. */
  step(): void {
    const { parts } = this;
    if (parts === null || this.isOver) return;
    if (stages.hasSubscribers) stages.publish('rehearsal begins');
    try {
      if (this.isStale) this.beginAnew();
      else this.take(parts);
    } catch (error) {
      this.fail(error);
    }
    if (stages.hasSubscribers) stages.publish('rehearsal ends');
  }

  /** Take no more, and say how many orders were seen through. */
  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.log('info', `rehearsed ${this.orders} orders while nothing came`);
  }

  private take({ omses, port }: NonNullable<IdleRehearsal['parts']>): void {
    switch (this.next) {
      case 'enter': {
        if (this.entered > 0) {
          if (this.mustWait(this.reports < REPORTS_EACH, 'told to its end')) return;
          this.orders++;
        }
        this.reports = 0;
        if (this.entered === (this.options.ordersMax ?? ORDERS_MAX)) {
          this.beginAnew();
          return;
        }
        const oms = omses[this.entered++ % omses.length]!;
        this.send(oms, `35=D|${this.header(oms)}11=${this.entered}|${this.terms()}`);
        this.next = 'open';
        break;
      }
      case 'open':
        if (this.mustWait(!port.hasOrder, 'sent to the exchange')) return;
        port.say('open');
        this.next = 'cancelled';
        break;
      case 'cancelled':
        port.say('cancelled');
        this.next = 'enter';
        break;
    }
  }

  private beginAnew(): void {
    this.next = 'enter';
    this.entered = 0;
    this.waited = 0;
    this.parts = null;
    void this.open();
  }

  /** What a piece brings comes with the turns of the event loop behind it. @throws Error if it does not come */
  private mustWait(isDue: boolean, what: string): boolean {
    if (!isDue) {
      this.waited = 0;
      return false;
    }
    if (++this.waited > WAITS_MAX) throw new Error(`an order was not ${what}`);
    return true;
  }

  private header({ setup, msgSeqNum }: Oms): string {
    const { targetCompID, senderCompID } = setup.session;
    return `49=${targetCompID}|56=${senderCompID}|34=${msgSeqNum}|52=${this.timestamp()}|`;
  }

  private terms(): string {
    return `21=1|1=${REHEARSAL_ACCOUNT}|55=${MARKET.symbol}|54=1|60=${this.timestamp()}|38=0.0010|40=2|44=50000.0|59=1|`;
  }

  private timestamp(): string {
    return formatUtcTimestamp(this.options.now());
  }

  private send(oms: Oms, text: string): void {
    oms.msgSeqNum++;
    oms.connection.onChunk(fromPrintable(text, oms.setup.session.beginString));
  }

  private async build(): Promise<NonNullable<IdleRehearsal['parts']>> {
    const { config, now } = this.options;
    const { dialect, prehash, nonceMode, settings } = config.exchange;
    const kind = kindOfKey(config);
    const port = new RehearsalPort({
      kind,
      dialect,
      prehash,
      nonceMode,
      now,
      market: MARKET,
      ...(settings === undefined ? {} : { settings }),
    });
    const setups = rehearsedSessions(config).map(withoutHeartbeats);
    const { sessions, link } = this.machines(setups, port);
    await link.start();
    port.goLive();
    if (!(await link.reconciled(RECONCILED_MS))) throw new Error('the account was not compared');
    const omses = setups.map((setup): Oms => {
      sessions.addSession(setup);
      const connection = new Nowhere(() => this.reports++);
      sessions.acceptor.accept(connection, 'rehearsal');
      return { setup, connection, msgSeqNum: 1 };
    });
    for (const oms of omses) {
      const { beginString, defaultApplVerID } = oms.setup.session;
      const applVerID = beginString === 'FIXT.1.1' ? `1137=${defaultApplVerID}|` : '';
      this.send(oms, `35=A|${this.header(oms)}98=0|108=0|${applVerID}`);
    }
    // Whoever waits for nothing has no timers.
    sessions.stop();
    return { omses, port };
  }

  private machines(
    setups: readonly EngineSessionConfig[],
    port: RehearsalPort,
  ): { sessions: SessionEngine<GatewayInput, EngineSessionConfig>; link: ExchangeLink } {
    const { config, dictionaries, now } = this.options;
    const log: EngineLog = () => {};
    const settings = { ...config.gateway, accountLimits: {}, exclusiveAccounts: [] };
    const gateway = new Gateway(
      { ...settings, sessions: setups.map((setup) => setup.gateway) },
      { orders: new Map(), ended: { find: () => null } },
    );
    const input = (told: GatewayInput): void => sessions.dispatcher.applicationInput(told);
    const key = { reference: 'rehearsal', read: () => '' };
    const credential = { name: REHEARSAL_CREDENTIAL, key, tradingAccountIds: [REHEARSAL_ACCOUNT] };
    const alarm = (of: string, text: string): void => {
      if (of === 'clock-set-back') this.isStale = true;
      else this.fail(text);
    };
    const link = new ExchangeLink({ credential, port, input, alarm, log });
    const application: GatewayApplication = new GatewayApplication({
      gateway,
      outside: { submit: (effect) => link.submit(effect), lookup: (effect) => link.lookup(effect), alarm },
      log,
      now,
      durabilityOf: (sessionId) => sessions.dispatcher.slots.get(sessionId)?.durability,
      input,
    });
    const sessions = new SessionEngine<GatewayInput, EngineSessionConfig>({
      journal: openMemoryStore(MESSAGES_KEPT),
      journalHealth: new JournalHealth(),
      application,
      recorder: application,
      passwords: new Passwords(null, now),
      limits: config.limits,
      dictionaries,
      log,
      now,
      keepsRecentMessages: true,
      busyPollMicros: 0,
      onAlarm: ({ text }) => this.fail(text),
    });
    return { sessions, link };
  }

  private fail(error: unknown): void {
    if (this.isOver || this.isStale) return;
    this.isOver = true;
    this.parts = null;
    const reason = error instanceof Error ? error.message : String(error);
    this.options.log('warn', `no more orders are rehearsed, so some will be slower after a pause: ${reason}`);
  }
}

function withoutHeartbeats(setup: EngineSessionConfig): EngineSessionConfig {
  return { ...setup, session: { ...setup.session, heartBtIntZeroAllowed: true } };
}

/** A connection that nobody is at the other end of; only counts the messages that are sent. */
class Nowhere implements Connection {
  readonly id = 0;
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 0;
  readonly tls = null;
  readonly bufferedBytes = 0;
  readonly overflowed = false;
  onChunk: (chunk: Buffer) => void = () => {};
  onClose: (reason: string) => void = () => {};
  private readonly sent: () => void;

  constructor(sent: () => void) {
    this.sent = sent;
  }

  send(): void {
    this.sent();
  }

  flush(): void {}

  pause(): void {}

  resume(): void {}

  close(): void {
    this.onClose('closed by us');
  }

  destroy(reason: string): void {
    this.onClose(reason);
  }
}
