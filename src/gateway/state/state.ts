// Everything the gateway machine holds at one moment, and the turn in which one input is handled: effects are collected,
// changed orders are recorded once, timers are set again. Leaves every decision to the files named after them.

import { SteadyTime } from '../../base/steady-time.ts';
import type { EpochMs } from '../../base/time.ts';
import type {
  AccountCommand,
  CommandOutcome,
  DataAnswer,
  DataQuestion,
  MarketTopic,
  OrderCommand,
} from '../../exchange/mod.ts';
import type { MessageDraft } from '../../wire/mod.ts';
import { isDone, keyOf, type Order } from '../book/order.ts';
import { keysOf } from '../book/order-keys.ts';
import { encodeOrder } from '../book/order-record.ts';
import { OrderRegistry } from '../book/order-registry.ts';
import { rest, runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import type {
  CancelsRecord,
  GraceRecord,
  HeldRecord,
  KillSwitchRecord,
  PlannedStopRecord,
  StatusesRecord,
  UntoldRecord,
} from '../book/record-kinds.ts';
import { ReferenceAllocator } from '../book/reference-allocator.ts';
import { traceOf } from '../book/trace-id.ts';
import { gatherTrades, recordTrades } from '../book/trade-records.ts';
import type { ReportFacts } from '../reports/execution-report.ts';
import { toVenueDraft } from '../reports/venue-draft.ts';
import type { AccountEntitlement, GatewayConfig, GatewaySessionConfig } from '../vocabulary/config.ts';
import type { GatewayEffect } from '../vocabulary/effect.ts';
import type { EndedOrders } from '../vocabulary/ended-orders.ts';
import { MarketBoard } from '../vocabulary/market-board.ts';
import { firstOf } from '../vocabulary/one-or-many.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { asksForSwitch, type DeadMansSwitch, deadMansSwitches, keepSwitches } from './account-switches.ts';
import { AlarmPace } from './alarm-throttle.ts';
import { Pieces } from './chunked-work.ts';
import { DropCopies, ELSEWHERE } from './drop-copy-scope.ts';
import { FollowedRequests } from './followed-requests.ts';
import type { ListRequest } from './list-subscriptions.ts';
import { MarketDataState } from './market-data-state.ts';
import { accountLimits, type OrderLimits } from './order-limits.ts';
import { Questions } from './questions.ts';
import { type SessionState, sessionState } from './session-state.ts';
import type { StatusQuery } from './status-query.ts';
import { StatusSubscriptions } from './status-subscriptions.ts';
import { HeldMessages } from './throttle-queue.ts';
import { TimerHeap } from './timer-heap.ts';
import type { TradeSubscription } from './trade-subscriptions.ts';
import type { UnreadableRecord } from './unreadable-record.ts';
import { UnaskedStatus } from './unsolicited-state.ts';

/** Reconciliation of one trading account (rule J3). */
export interface AccountState {
  readonly tradingAccountId: string;
  /** The exchange login that it was known by first, or the one that took its place. */
  credential: string;
  /** All by which it was reached since the start, each by sessions of its own. */
  readonly credentials: Set<string>;
  reconciled: boolean;
  /** Counts reconciliations, and cuts of the private stream: data of an earlier round may be outdated. */
  round: number;
  /** It was compared with the exchange since the private stream is live. */
  isCurrent: boolean;
}

export class GatewayState {
  readonly config: GatewayConfig;
  readonly sessions = new Map<string, SessionState>();
  readonly accounts = new Map<string, AccountState>();
  /** Requests of drop copy sessions (rule S9). */
  readonly dropCopies = new DropCopies();
  readonly subscriptions = new StatusSubscriptions();
  /** Lists of markets that sessions follow. */
  readonly lists = new FollowedRequests<ListRequest>();
  /** Positions and collateral that sessions follow. */
  readonly accountSubscriptions = new AccountSubscriptions();
  /** Trades that sessions follow, and those that were reported. */
  readonly tradeSubscriptions = new FollowedRequests<TradeSubscription>();
  readonly tradesSeen = new Set<string>();
  /** Commands that concern no order, without an outcome yet. */
  readonly managed = new Questions<(turn: Turn, outcome: CommandOutcome) => void>();
  /** Sessions with reports being recovered. */
  readonly recovering = new Set<string>();
  /** Questions about accounts without an answer yet. */
  readonly questions = new Questions<(turn: Turn, answer: DataAnswer) => void>();
  readonly unasked = new UnaskedStatus();
  readonly alarmPace = new AlarmPace();
  /** Market data of all sessions (rule D4). */
  readonly marketData = new MarketDataState();
  /** By trading account (rule O12). */
  readonly accountLimits: ReadonlyMap<string, OrderLimits>;
  readonly registry: OrderRegistry;
  readonly board = new MarketBoard();
  readonly allocator: ReferenceAllocator;
  readonly timers = new TimerHeap<Order>();
  readonly time = new SteadyTime();
  /** Kill switches that are on, by their record's key. */
  readonly killSwitches = new Map<string, KillSwitchRecord>();
  /** Records that could not be read at the start, by their key, until they are put aside. */
  readonly unreadable = new Map<string, UnreadableRecord>();
  /** By session, when cancel on disconnect fires unless it comes back (rule C1). */
  readonly graces = new Map<string, EpochMs>();
  /** Those of sessions that were not configured at the start, or have new settings. */
  readonly gracesAside: GraceRecord[] = [];
  /** Messages that wait for their turn (rule S7), and those that did when the last process ended. */
  readonly held = new HeldMessages();
  readonly recoveredHeld: HeldRecord[] = [];
  /** By trading account (rule C2). */
  deadMansSwitches: ReadonlyMap<string, DeadMansSwitch> = new Map();
  /** Of orders of `venue` sessions the last report, which a PossResend of the order repeats (rule D14). */
  readonly lastReports = new WeakMap<Order, ReportFacts>();
  /** Status requests that wait for the exchange's word (rule D15). */
  readonly statusQueries = new Set<StatusQuery>();
  /** Commands that cancel many orders at once: their id → the command ids of the orders' own requests (rule C3). */
  readonly together = new Map<string, readonly string[]>();
  /** Sessions with an AF that is being answered in chunks. */
  readonly massStatuses = new Set<string>();
  /** Undelivered reports of sessions that are not configured, and deliveries under way. */
  readonly untold = new Map<string, UntoldRecord>();
  readonly telling = new Set<string>();
  /** Work that is too much for one turn. */
  readonly pieces = new Pieces<Turn>();
  /** By session: sends the next part, or the rest, of an answer to x or c. A restart ends it: the OMS asks again. */
  readonly listings = new Map<string, (turn: Turn, isWhole: boolean) => void>();
  /** Work that the last process left. */
  readonly recoveredPieces: (CancelsRecord | StatusesRecord)[] = [];
  /** By session, whether its orders are cancelled at its end, as its counterparty chose in the last Logon (rule C1). */
  readonly cancelChoices = new Map<string, boolean>();
  /** By session, requests to the bridge under way. */
  readonly bridgeRequests = new Map<string, number>();
  /** Sessions with a change of their password under way. */
  readonly changingUsers = new Set<string>();
  /** A stop that operators announced. */
  plannedStop: PlannedStopRecord | null = null;
  journalHealthy = true;
  shuttingDown = false;
  /** Counts answers that belong to no order, for their ids. */
  answerCount = 0;

  /** Ended orders of journals from before they were recorded under keys: recorded anew, a few per turn. */
  readonly unkeyed: Order[] = [];

  constructor(config: GatewayConfig, ended: EndedOrders | null = null) {
    this.config = config;
    this.accountLimits = new Map(
      Object.entries(config.accountLimits ?? {}).map(([id, limits]) => [id, accountLimits(id, limits)]),
    );
    const registry = new OrderRegistry(ended, config.endedInMemoryMax);
    this.registry = registry;
    this.allocator = new ReferenceAllocator(config.referenceRange, (tradingAccountId, reference) =>
      registry.isReferenceUsed(tradingAccountId, reference),
    );
    for (const session of config.sessions) this.setSession(session);
    for (const { tradingAccountId, credential } of config.accounts ?? []) this.account(tradingAccountId, credential);
  }

  /** Add a session, or replace its settings; orders and a running grace time stay. */
  setSession(config: GatewaySessionConfig): void {
    const next = sessionState(config);
    const previous = this.sessions.get(config.sessionId);
    if (previous !== undefined) {
      next.lastEnd = previous.lastEnd;
      next.isUp = previous.isUp;
      next.leftBy = previous.leftBy;
      next.leftForGood = previous.leftForGood;
      if (previous.limits.rate !== null) next.limits.rate?.continueFrom(previous.limits.rate);
      this.setGraceAside(previous);
    }
    this.sessions.set(config.sessionId, next);
    this.dropCopies.set(next, (sessionId) => this.sessions.has(sessionId));
    // One that has none, and had none, changes nothing of it: where there are thousands, all would be asked for each.
    if (asksForSwitch(config) || (previous !== undefined && asksForSwitch(previous.config))) this.setSwitches();
    for (const entitlement of config.accounts) {
      const { tradingAccountId, credential } = entitlement;
      this.account(tradingAccountId, credential);
      const before = entitlementTo(tradingAccountId, previous);
      if (before !== undefined && before.credential !== credential) {
        this.changeLogin(config.sessionId, before.credential, entitlement);
      }
    }
  }

  /** Re-read and cancel the session's open orders through the other login too: the one before may be gone. */
  private changeLogin(sessionId: string, before: string, { tradingAccountId, credential }: AccountEntitlement): void {
    const account = this.account(tradingAccountId, credential);
    if (account.credential === before) account.credential = credential;
    account.isCurrent = false;
    for (const owner of [sessionId, ELSEWHERE]) {
      for (const order of this.registry.openOrders(owner)) {
        // Only the login that sent an unanswered command can learn its outcome (rule U2).
        const isSettled = order.run.commandIds.length === 0;
        const isReachedSo = owner === sessionId || order.credential === before;
        if (order.tradingAccountId === tradingAccountId && isReachedSo && isSettled) order.credential = credential;
      }
    }
  }

  /** Its grace time goes on by the new settings, as behind a restart. */
  private setGraceAside({ config: { sessionId }, lastEnd }: SessionState): void {
    const endsAt = this.graces.get(sessionId);
    if (endsAt === undefined) return;
    this.graces.delete(sessionId);
    this.gracesAside.push({ kind: 'grace', key: `grace|${sessionId}`, sessionId, endsAt, end: lastEnd });
  }

  private setSwitches(): void {
    const switches = deadMansSwitches(this.config, this.sessions.values());
    keepSwitches(this.deadMansSwitches, switches);
    this.deadMansSwitches = switches;
  }

  account(tradingAccountId: string, credential: string): AccountState {
    let account = this.accounts.get(tradingAccountId);
    if (account === undefined) {
      const credentials = new Set<string>();
      account = { tradingAccountId, credential, credentials, reconciled: false, round: 0, isCurrent: false };
      this.accounts.set(tradingAccountId, account);
    }
    account.credentials.add(credential);
    return account;
  }

  /** The exchange login by which a session reaches an account; where it does not, the account's own. */
  credentialOf(sessionId: string, account: AccountState): string {
    return entitlementTo(account.tradingAccountId, this.sessions.get(sessionId))?.credential ?? account.credential;
  }
}

function entitlementTo(tradingAccountId: string, session: SessionState | undefined): AccountEntitlement | undefined {
  return session?.config.accounts.find((one) => one.tradingAccountId === tradingAccountId);
}

/** Ended orders of old journals recorded anew in one turn. */
const UNKEYED_PER_TURN = 50;

/** One input being handled. */
export class Turn {
  readonly state: GatewayState;
  /** Time of the clock: for TransactTime(60), records and times of day. */
  readonly now: EpochMs;
  /** By which waits and ages are measured: it never goes back. */
  readonly steady: EpochMs;
  private readonly effects: GatewayEffect[] = [];
  private readonly records: GatewayEffect[] = [];
  private readonly changed = new Set<Order>();
  private readonly rearmed = new Set<Order>();
  private readonly endedOrders: Order[] = [];
  private readonly lateOrders: Order[] = [];

  constructor(state: GatewayState, now: EpochMs, steady = state.time.peek(now)) {
    this.state = state;
    this.now = now;
    this.steady = steady;
  }

  /** The order changed: it is recorded once, as it is when the turn ends. */
  touch(order: Order): void {
    this.changed.add(order);
    this.rearmed.add(order);
  }

  /** The order ended in this turn. */
  end(order: Order): void {
    this.endedOrders.push(order);
  }

  /** A fill came after the order's end: receivers of the end get a new report. */
  filledLate(order: Order): void {
    this.lateOrders.push(order);
    this.endedOrders.push(order);
  }

  /** Orders that were filled after their end in this turn so far. */
  late(): readonly Order[] {
    return this.lateOrders;
  }

  /** Orders that ended in this turn so far, or were filled after their end. */
  ended(): readonly Order[] {
    return this.endedOrders;
  }

  /** Only a timer of the order changed. */
  rearm(order: Order): void {
    this.rearmed.add(order);
  }

  /** Record something. `ended`: it needs no memory any more, and is found under these keys. */
  record(sessionId: string, key: string, record: string, ended?: readonly string[]): void {
    // A record that is written anew need not be understood any more.
    if (this.state.unreadable.size > 0) this.state.unreadable.delete(key);
    this.records.push({ kind: 'persistOrder', sessionId, key, record, ...(ended === undefined ? {} : { ended }) });
  }

  private recordOrder(order: Order): void {
    const keys = isDone(order) ? keysOf(order) : null;
    if (keys === null) recordTrades(this, order);
    else if (order.tradesRecorded > 0) gatherTrades(this, order);
    this.record(order.sessionId, keyOf(order), encodeOrder(order), keys ?? undefined);
    if (keys !== null) this.state.registry.retire(order);
  }

  send(sessionId: string, draft: MessageDraft): void {
    this.effects.push({ kind: 'send', sessionId, draft: this.fitting(sessionId, draft) });
  }

  /** Say something that is soon worthless: numbered, but not kept for a resend. */
  publish(sessionId: string, draft: MessageDraft): void {
    this.effects.push({ kind: 'publish', sessionId, draft: this.fitting(sessionId, draft) });
  }

  /** Rule D1: a `venue` session receives only fields of the exchange's own FIX. */
  private fitting(sessionId: string, draft: MessageDraft): MessageDraft {
    return this.state.sessions.get(sessionId)?.isExchangeFix === true ? toVenueDraft(draft, this.now) : draft;
  }

  /** Ask the exchange for a public feed. */
  follow(topic: MarketTopic, subject: string): void {
    this.effects.push({ kind: 'follow', topic, subject });
  }

  /** Call the bridge. */
  askBridge(effect: Extract<GatewayEffect, { kind: 'bridge' }>): void {
    this.effects.push(effect);
  }

  /** Ask for a session's user, or change its password. */
  askUser(effect: Extract<GatewayEffect, { kind: 'user' }>): void {
    this.effects.push(effect);
  }

  /** Ask for a reference price. */
  followPrice(symbol: string): void {
    this.effects.push({ kind: 'followPrice', symbol });
  }

  unfollow(topic: MarketTopic, subject: string): void {
    this.effects.push({ kind: 'unfollow', topic, subject });
  }

  submit(order: Order, number: number, command: OrderCommand): void {
    const id = commandId(order, number);
    this.state.registry.addCommand(id, order);
    const request = order.requests.find((open) => open.number === number);
    // The cancel of a replacement (rule O6) takes no risk away: too late, it would be all that is left of the G.
    const takesRisk = command.kind === 'createOrder' || command.kind === 'amendOrder' || request?.kind === 'replace';
    const session = this.state.sessions.get(order.sessionId);
    const staleOrderMs = session?.config.staleOrderMs ?? 0;
    const notAfter = takesRisk ? this.now + staleOrderMs : null;
    const { sessionId, credential } = order;
    const kind = request?.kind;
    const isOfEnd = kind === 'disconnect' || kind === 'otherDisconnect';
    const isOneOfMany = kind === 'massCancel' || isOfEnd || kind === 'kill';
    const whose = isOneOfMany ? ({ sessionId, isOneOfMany } as const) : { sessionId };
    // The new order of a replacement waits: its old one is cancelled already (rule O6).
    const mayFail = command.kind === 'amendOrder' || (command.kind === 'createOrder' && request === undefined);
    const how = mayFail && session?.isVenue === true ? ({ ...whose, isAtOnce: true } as const) : whose;
    this.effects.push({ kind: 'submit', commandId: id, ...how, credential, command, notAfter });
  }

  /** Send a command that concerns no single order. */
  command(commandId: string, credential: string, command: OrderCommand): void {
    this.effects.push({ kind: 'submit', commandId, sessionId: '', credential, command, notAfter: null });
  }

  lookup(effect: Extract<GatewayEffect, { kind: 'lookup' }>): void {
    this.effects.push(effect);
  }

  /** True if an alarm of one of many orders is raised singly; otherwise it is counted. */
  tells(alarm: string, tradingAccountId: string, clOrdID: string): boolean {
    return this.state.alarmPace.takes(alarm, { tradingAccountId, clOrdID }, this.steady);
  }

  /** Ask the exchange for a session; `take` gets the answer in a later turn, unless the session has ended. */
  ask(
    sessionId: string,
    credential: string,
    question: DataQuestion,
    take: (turn: Turn, answer: DataAnswer) => void,
  ): void {
    const questionId = this.state.questions.add(sessionId, take);
    this.effects.push({ kind: 'ask', questionId, credential, question });
  }

  /** Send a command that concerns no order; `take` gets its outcome in a later turn, unless the session has ended. */
  manage(
    sessionId: string,
    credential: string,
    command: AccountCommand,
    take: (turn: Turn, outcome: CommandOutcome) => void,
  ): void {
    const commandId = `m${this.state.managed.add(sessionId, take)}`;
    this.effects.push({ kind: 'manage', sessionId, commandId, credential, command });
  }

  /** Tell people, and note it in the order's timeline where there is one; of many orders at once not each by itself. */
  alarm(alarm: string, text: string, order: Order | null, fields: Readonly<Record<string, string>> = {}): void {
    if (order !== null) {
      remember(order, this.now, `alarm ${alarm}: ${text}`);
      this.touch(order);
      if (!this.tells(alarm, order.tradingAccountId, order.clOrdID)) return;
    }
    this.effects.push({ kind: 'alarm', alarm, text, fields: { ...orderFields(order), ...fields } });
  }

  /** Have a session send unproven reports again (rule S9). */
  repeat(sessionId: string, afterExecID: string | null): void {
    this.effects.push({ kind: 'repeat', sessionId, afterExecID });
  }

  note(level: 'debug' | 'info' | 'warn', text: string, fields: Readonly<Record<string, string>> = {}): void {
    this.effects.push({ kind: 'note', level, text, fields });
  }

  /** Carry out earlier decisions, outside a turn. */
  owe(effect: GatewayEffect): void {
    this.effects.push(effect);
  }

  /** The turn's market data so far: it changes no order and is not recorded. */
  published(): GatewayEffect[] {
    return this.effects;
  }

  /** End the turn: records first, then the rest in the order in which it was decided. */
  finish(): GatewayEffect[] {
    for (const order of this.state.unkeyed.splice(0, UNKEYED_PER_TURN)) this.changed.add(order);
    for (const order of this.changed) this.recordOrder(order);
    for (const order of this.rearmed) {
      const { run } = order;
      const soon = earliest(earliest(run.pendingNewAt, run.lookupAt), run.cancelAgainAt);
      const late = earliest(run.endAt, earliest(run.alarmAt, run.waitingUntil));
      const due = earliest(soon, late);
      if (due !== run.dueAt) {
        runOf(order).dueAt = due;
        this.state.timers.push(order);
      }
      rest(order);
    }
    return this.records.length === 0 ? this.effects : [...this.records, ...this.effects];
  }
}

function earliest(a: EpochMs | null, b: EpochMs | null): EpochMs | null {
  if (a === null) return b;
  return b === null || a <= b ? a : b;
}

/** Name of a command of an order: 0 is the create, then its requests by number. */
export function commandId(order: Order, number: number): string {
  return `${order.tradingAccountId}/${firstOf(order.references) ?? order.exchangeOrderId}/${number}`;
}

export function orderFields(order: Order | null): Record<string, string> {
  if (order === null) return {};
  return {
    session: order.sessionId,
    clOrdID: order.clOrdID,
    trace: traceOf(order),
    account: order.echo.account,
    symbol: order.terms.symbol,
    ...(order.exchangeOrderId === null ? {} : { orderID: order.exchangeOrderId }),
    ...(order.reference === null ? {} : { reference: order.reference }),
  };
}
