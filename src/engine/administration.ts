// What a person may ask of a running engine and do to it: snapshots, and actions that become inputs of the machines. Every
// action is audited in the journal with who did it. Transport, authentication and layout are the business of ops and cli.

import type { EpochMs } from '../base/time.ts';
import type { AuctionPhase } from '../exchange/mod.ts';
import type {
  FoundOrders,
  KillSwitchScope,
  KillSwitchView,
  OrderCounts,
  OrderFilter,
  OrderSnapshot,
} from '../gateway/mod.ts';
import type { SessionID } from '../session/mod.ts';
import type { EngineSessionConfig } from './config.ts';
import { versionOf } from './dictionaries.ts';
import type { SessionSlot } from './dispatcher.ts';
import type { Engine } from './engine.ts';
import { type AdoptionRequest, type AdoptionResult, adoptOrders } from './order-adoption.ts';
import { applySessions, type SessionChanges } from './session-changes.ts';
import type { Alarm } from './session-engine.ts';
import {
  alarmsBySession,
  type DecodedMessage,
  decodeMessage,
  type SessionView,
  sessionName,
  sessionView,
} from './session-view.ts';

/** Whether an action was carried out, and what follows from it, in words. */
export interface ActionResult {
  readonly done: boolean;
  readonly text: string;
}

export interface NumbersRequest {
  /** Both numbers begin at 1 again, in a new series. */
  readonly reset: boolean;
  /** The next MsgSeqNum(34) of ours; null keeps it. */
  readonly nextSenderMsgSeqNum: number | null;
  /** The next MsgSeqNum(34) expected; null keeps it. */
  readonly nextTargetMsgSeqNum: number | null;
  readonly why: string;
}

export interface Health {
  /** Orders can be taken now. */
  readonly ready: boolean;
  /** Why not, in words; empty when ready. */
  readonly reasons: readonly string[];
}

/** One exchange login at one moment. */
export interface ExchangeLoginView {
  readonly name: string;
  readonly up: boolean;
  readonly privateFeedLive: boolean;
  readonly inFlight: number;
  readonly tradingAccountIds: readonly string[];
}

/** Messages of one session by MsgType(35) since the start. */
export interface MessageCounts {
  readonly name: string;
  readonly in: ReadonlyMap<string, number>;
  readonly out: ReadonlyMap<string, number>;
}

export class Administration {
  private readonly engine: Engine;
  private readonly retired = new Set<SessionID>();
  readonly startedAt: EpochMs;

  constructor(engine: Engine) {
    this.engine = engine;
    this.startedAt = engine.now();
  }

  now(): EpochMs {
    return this.engine.now();
  }

  /** All sessions, by name. */
  sessions(): SessionView[] {
    const views: SessionView[] = [];
    const alarms = alarmsBySession(this.engine);
    for (const sessionId of this.engine.sessionConfigs.keys()) {
      const view = sessionView(this.engine, sessionId, this.retired.has(sessionId), alarms);
      if (view !== null) views.push(view);
    }
    return views.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A session by its name, its SessionID or the counterparty's CompID where that is unambiguous; null if there is none. */
  session(name: string): SessionView | null {
    const id = this.idOf(name);
    if (id === null) return null;
    return sessionView(this.engine, id, this.retired.has(id), alarmsBySession(this.engine));
  }

  /** The last messages with a serial above `after`, the oldest first; null for an unknown session. */
  messages(name: string, after: number, limit: number): DecodedMessage[] | null {
    const id = this.idOf(name);
    const recent = id === null ? undefined : this.engine.recentMessages.get(id);
    const config = id === null ? undefined : this.engine.sessionConfigs.get(id);
    const dictionary = config === undefined ? undefined : this.engine.dictionaries.get(versionOf(config.session));
    if (recent === undefined || dictionary === undefined) return null;
    return recent.since(after, limit).map((message) => decodeMessage(message, dictionary.names));
  }

  messageCounts(): MessageCounts[] {
    return [...this.engine.sessionConfigs].map(([sessionId, config]) => {
      const counts = this.engine.recentMessages.get(sessionId)?.counts;
      return { name: sessionName(config), in: counts?.in ?? new Map(), out: counts?.out ?? new Map() };
    });
  }

  orders(filter: OrderFilter): FoundOrders {
    const { sessionId } = filter;
    if (sessionId === undefined) return this.engine.gateway.search(filter);
    return this.engine.gateway.search({ ...filter, sessionId: this.idOf(sessionId) ?? sessionId });
  }

  /** One order with its chain and timeline, by any ClOrdID(11) of it. */
  order(session: string, clOrdID: string): OrderSnapshot | null {
    return this.engine.gateway.findOrder(this.idOf(session) ?? session, clOrdID);
  }

  orderCounts(): OrderCounts {
    return this.engine.gateway.counts();
  }

  /** Kill switches that are on (rule O12). */
  killSwitches(): KillSwitchView[] {
    return this.engine.gateway.killSwitches();
  }

  /**
   * Throw a kill switch for a session, a trading account or everything: cancels what is open, order by order, and refuses
   * what is new, over restarts, until two people lift it. Null if there is no such session or account.
   */
  throwKillSwitch(scope: KillSwitchScope, given: string, why: string, who: string): ActionResult | null {
    const name = this.killSwitchName(scope, given);
    if (name === null) return null;
    if (why === '')
      return { done: false, text: 'Say why: counterparties are told, and it is kept in the audit trail.' };
    this.audit(who, 'kill switch thrown', `${scope} ${name} ${why}`.trim());
    this.engine.dispatcher.applicationInput({ kind: 'killSwitch', action: 'throw', scope, name, who, why });
    const open = this.killSwitches().find((one) => one.scope === scope && one.name === name)?.openOrders ?? 0;
    return { done: true, text: `Thrown: ${open} open orders are being cancelled, new ones are refused.` };
  }

  /** Ask to lift a kill switch, or lift it as the second person. Null if none is thrown there. */
  liftKillSwitch(scope: KillSwitchScope, given: string, why: string, who: string): ActionResult | null {
    const name = this.killSwitchName(scope, given) ?? given;
    const find = (): KillSwitchView | undefined =>
      this.killSwitches().find((one) => one.scope === scope && one.name === name);
    const before = find();
    if (before === undefined) return null;
    this.audit(who, 'kill switch lift', `${scope} ${name} ${why}`.trim());
    if (before.liftAskedBy === who) {
      return { done: false, text: 'You asked for this already: lifting takes a second person.' };
    }
    this.engine.dispatcher.applicationInput({ kind: 'killSwitch', action: 'lift', scope, name, who, why });
    const text =
      find() === undefined ? 'Lifted: orders are taken again.' : 'Asked for: a second person has to lift it.';
    return { done: true, text };
  }

  private killSwitchName(scope: KillSwitchScope, name: string): string | null {
    if (scope === 'all') return '';
    if (scope === 'session') return this.idOf(name);
    const { credentials } = this.engine.config.exchange;
    return credentials.some(({ tradingAccountIds }) => tradingAccountIds.includes(name)) ? name : null;
  }

  /** End an order that the exchange does not know any more; refused unless the exchange said so. Null for an unknown order. */
  resolveOrder(session: string, clOrdID: string, why: string, who: string): ActionResult | null {
    const { gateway, dispatcher } = this.engine;
    const sessionId = this.idOf(session) ?? session;
    if (gateway.findOrder(sessionId, clOrdID) === null) return null;
    const problem = why === '' ? 'Say why: the counterparty is told.' : gateway.resolveProblem(sessionId, clOrdID);
    this.audit(who, `order resolve${problem === null ? '' : ' refused'}`, `${sessionId} ${clOrdID} ${why}`.trim());
    if (problem !== null) return { done: false, text: problem };
    dispatcher.applicationInput({ kind: 'resolve', sessionId, clOrdID, who, why });
    return { done: true, text: 'Ended and reported; if it turns up at the exchange after all, it is cancelled there.' };
  }

  /**
   * Have a session take over orders that work at the exchange and are nobody's here (rule O11). Null for an unknown session;
   * a text says why nothing could be done.
   */
  async adoptOrders(
    session: string,
    request: AdoptionRequest,
    why: string,
    who: string,
  ): Promise<AdoptionResult | string | null> {
    const sessionId = this.idOf(session);
    if (sessionId === null) return null;
    if (why === '') return 'Say why: it is kept in the audit trail.';
    const asked = [sessionId, request.account ?? '', request.symbol ?? '', ...request.orderIDs].filter(
      (one) => one !== '',
    );
    this.audit(who, 'orders adopt', `${asked.join(' ')}: ${why}`);
    const result = await adoptOrders(this.engine, sessionId, request, who, why);
    if (typeof result !== 'string') {
      for (const { orderID, clOrdID } of result.adopted)
        this.audit(who, 'order adopted', `${sessionId} ${orderID} ${clOrdID}`);
    }
    return result;
  }

  /**
   * Let sessions log on although the exchange has references that the journal does not (rule J3): they count as used from
   * now on; or although records of them may be damaged. Sequence numbers are set before that, session by session. Null if
   * nothing keeps sessions out.
   */
  openLogons(why: string, who: string): ActionResult | null {
    const { logonGate, damageGate, dispatcher } = this.engine;
    const reasons = [...(logonGate.heldFor === null ? [] : [logonGate.heldFor]), ...logonGate.partlyHeldFor];
    if (reasons.length === 0 && !damageGate.isShut) return null;
    if (why === '') return { done: false, text: 'Say why: it is kept in the audit trail.' };
    this.audit(who, 'logons opened', `${reasons.join('; ')}: ${why}`);
    if (damageGate.isShut) dispatcher.record(damageGate.accept(null, who, why));
    dispatcher.applicationInput({ kind: 'adoptJournal', who, why });
    this.engine.letIn();
    return {
      done: true,
      text: "Sessions may log on with the numbers that they have now. Orders of the lost part that still work at the exchange are nobody's here: `crossgate orders adopt` takes them over, `crossgate cancel-all` cancels them.",
    };
  }

  /** Let one session log on with the numbers that it has now although records of it may be damaged. Null if it is unknown. */
  openSession(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, who, 'open', why, ({ sessionId }) => {
      if (why === '') return { done: false, text: 'Say why: it is kept in the audit trail.' };
      if (!this.acceptDamage(sessionId, who, why)) {
        return { done: false, text: 'No damage of the journal keeps this session from logging on.' };
      }
      this.engine.letIn();
      const text =
        'The session may log on with the numbers that it has now; reports that were lost are not sent again.';
      const still = this.engine.logonGate.refusal(sessionId);
      return { done: true, text: still === null ? text : `${text} Still: ${still.text}.` };
    });
  }

  /** Whether there was damage to accept. */
  private acceptDamage(sessionId: SessionID, who: string, why: string): boolean {
    const { damageGate, dispatcher } = this.engine;
    if (damageGate.concerning(sessionId) === null) return false;
    dispatcher.record(damageGate.accept(sessionId, who, why));
    return true;
  }

  /** Compare accounts with the exchange now: all, or one. Null for an unknown account. */
  reconcile(tradingAccountId: string | null, who: string): ActionResult | null {
    const links = [...this.engine.links.values()];
    const accounts = links.flatMap((link) => link.tradingAccountIds.map((id) => ({ link, id })));
    const chosen = accounts.filter(({ id }) => tradingAccountId === null || id === tradingAccountId);
    if (chosen.length === 0) return null;
    this.audit(who, 'reconcile', chosen.map(({ id }) => id).join(' '));
    for (const { link, id } of chosen) link.reconcileAccount(id);
    return { done: true, text: `${chosen.length} accounts are being compared; differences become reports or alarms.` };
  }

  auctions(): AuctionPhase[] {
    return this.engine.gateway.phases().sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  }

  /** Alarms, the latest first. */
  alarms(limit: number): Alarm[] {
    return this.engine.alarms.slice(-limit).reverse();
  }

  exchangeLogins(): ExchangeLoginView[] {
    return this.engine.config.exchange.credentials.map(({ name, tradingAccountIds }) => {
      const link = this.engine.links.get(name);
      return {
        name,
        up: link?.up === true,
        privateFeedLive: this.engine.gateway.isFeedLive(name, 'private'),
        inFlight: link?.inFlight ?? 0,
        tradingAccountIds,
      };
    });
  }

  health(): Health {
    const reasons: string[] = [];
    if (this.engine.isClosing) reasons.push('the gateway is shutting down');
    else if (!this.engine.isOpen) reasons.push('the gateway is starting');
    const { heldFor, partlyHeldFor } = this.engine.logonGate;
    if (heldFor !== null) reasons.push(`no Logon is accepted: ${heldFor}`);
    reasons.push(...partlyHeldFor);
    if (!this.engine.journalHealth.healthy) reasons.push('the journal cannot record; new orders are refused');
    for (const { name, up, privateFeedLive } of this.exchangeLogins()) {
      if (!up) reasons.push(`the exchange login ${name} is not up`);
      else if (!privateFeedLive) reasons.push(`the stream of orders and trades of exchange login ${name} is not live`);
    }
    return { ready: reasons.length === 0, reasons };
  }

  /** End a session by our Logout(5). The counterparty may log on again. Null for an unknown session. */
  logout(name: string, text: string, who: string): ActionResult | null {
    return this.act(name, who, 'logout', text, (slot) => {
      if (slot.wire === null) return { done: false, text: 'The session is not connected.' };
      this.engine.dispatcher.sessionInput(slot, {
        kind: 'logout',
        text: text === '' ? 'Logged out by an operator' : text,
      });
      return { done: true, text: 'Logout(5) sent; the counterparty may log on again.' };
    });
  }

  /** Refuse logons of a session, and log it out. Until `enable`, or the next start. */
  disable(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, who, 'disable', why, (slot) => {
      if (!slot.enabled) return { done: false, text: 'The session is disabled already.' };
      slot.enabled = false;
      this.logOut(slot, 'This session was disabled by an operator');
      const { source } = this.engine.sessionConfigs.get(slot.sessionId)!;
      return {
        done: true,
        text: `Disabled until it is enabled or the gateway starts anew; for good: enabled: false in ${source}.`,
      };
    });
  }

  enable(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, who, 'enable', why, (slot) => {
      if (this.retired.has(slot.sessionId)) {
        return { done: false, text: 'Its file was removed: put it back and apply the configuration.' };
      }
      if (slot.enabled) return { done: false, text: 'The session is enabled already.' };
      slot.enabled = true;
      return { done: true, text: 'Enabled: the counterparty may log on.' };
    });
  }

  /** Set or reset sequence numbers; a connected session is logged out first. Ours may only rise within a series. */
  setNumbers(name: string, request: NumbersRequest, who: string): ActionResult | null {
    const { reset, nextSenderMsgSeqNum, nextTargetMsgSeqNum, why } = request;
    const wanted = reset
      ? 'both 1'
      : `next sent ${nextSenderMsgSeqNum ?? 'kept'}, next expected ${nextTargetMsgSeqNum ?? 'kept'}`;
    return this.act(name, who, 'numbers', `${wanted}: ${why}`, (slot) => {
      const { numbers, config } = slot.machine;
      if (why === '') return { done: false, text: 'Say why: it is kept in the audit trail.' };
      if (!reset && nextSenderMsgSeqNum === null && nextTargetMsgSeqNum === null) {
        return { done: false, text: 'Nothing to set: name a number, or ask for a reset.' };
      }
      for (const number of [nextSenderMsgSeqNum, nextTargetMsgSeqNum]) {
        if (number === null || (Number.isSafeInteger(number) && number >= 1 && number <= config.seqNumMax)) continue;
        return { done: false, text: `A sequence number is a whole number from 1 to ${config.seqNumMax}.` };
      }
      if (!reset && nextSenderMsgSeqNum !== null && nextSenderMsgSeqNum < numbers.nextSenderMsgSeqNum) {
        const now = numbers.nextSenderMsgSeqNum;
        return { done: false, text: `Our next number is ${now} and may only rise within a series; reset instead.` };
      }
      const wasConnected = slot.wire !== null;
      this.engine.dispatcher.sessionInput(slot, {
        kind: 'setNumbers',
        nextSenderMsgSeqNum: reset ? null : nextSenderMsgSeqNum,
        nextTargetMsgSeqNum: reset ? null : nextTargetMsgSeqNum,
        reset,
        who,
        why,
      });
      // Whoever sets the numbers has compared them with the counterparty: what may be lost keeps nobody out any more.
      if (this.acceptDamage(slot.sessionId, who, why)) this.engine.letIn();
      const text = wasConnected
        ? 'The session is being logged out; the numbers are set when its connection has ended.'
        : 'The numbers are set.';
      return { done: true, text };
    });
  }

  /**
   * Make these the sessions: new ones are added, changed ones take their settings over, missing ones are retired; all
   * others are not touched. @throws CrossgateError XG_CONFIG_INVALID if something needs a restart; nothing is changed then
   */
  async applySessions(sessions: readonly EngineSessionConfig[], who: string): Promise<SessionChanges> {
    const changes = await applySessions(this.engine, sessions, this.retired, (slot, text) => this.logOut(slot, text));
    for (const kind of ['added', 'changed', 'retired'] as const) {
      for (const { name, detail } of changes[kind])
        this.audit(who, `configuration: session ${kind}`, `${name} ${detail}`);
    }
    return changes;
  }

  /** Put an action of a person into the journal. */
  audit(who: string, action: string, detail: string): void {
    this.engine.dispatcher.record({ kind: 'audit', who, action, detail });
    this.engine.log('info', `audit: ${action}`, { who, detail });
  }

  /** Tell people of something that ops found. */
  alarm(alarm: string, text: string): void {
    this.engine.alarm(alarm, text, {});
  }

  private act(
    name: string,
    who: string,
    action: string,
    detail: string,
    run: (slot: SessionSlot) => ActionResult,
  ): ActionResult | null {
    const id = this.idOf(name);
    const slot = id === null ? undefined : this.engine.dispatcher.slots.get(id);
    if (slot === undefined) return null;
    const result = run(slot);
    this.audit(who, `session ${action}${result.done ? '' : ' refused'}`, `${slot.sessionId} ${detail}`.trim());
    return result;
  }

  private logOut(slot: SessionSlot, text: string): void {
    if (slot.wire !== null) this.engine.dispatcher.sessionInput(slot, { kind: 'logout', text });
  }

  private idOf(name: string): SessionID | null {
    if (this.engine.sessionConfigs.has(name)) return name;
    const named: SessionID[] = [];
    const countered: SessionID[] = [];
    for (const [sessionId, config] of this.engine.sessionConfigs) {
      if (sessionName(config) === name) named.push(sessionId);
      if (config.session.targetCompID === name) countered.push(sessionId);
    }
    if (named.length > 0) return named.length === 1 ? named[0]! : (named.find((id) => !this.retired.has(id)) ?? null);
    return countered.length === 1 ? countered[0]! : null;
  }
}
