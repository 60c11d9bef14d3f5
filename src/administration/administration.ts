// Operations on a running engine: snapshots, and actions that become inputs of the machines; order-administration.ts
// has those on orders. Every action is audited in the journal with its operator. ops and cli handle transport,
// authentication and layout.

import type { IsNamed, Renewal } from '../base/renewal.ts';
import type { EpochMs } from '../base/time.ts';
import {
  type ActionResult,
  type Alarm,
  isWithinSession,
  type NumbersRequest,
  numbersRefusal,
  type SessionSlot,
  type VersionDictionaries,
  versionOf,
  wantedNumbers,
} from '../engine/mod.ts';
import type { AuctionPhase, Noii } from '../exchange/mod.ts';
import { type EngineSessionConfig, type RunningEngine, sessionName } from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import { encodeLossy, LATIN1 } from '../wire/mod.ts';
import { HistoryAdministration } from './history.ts';
import { NewsAdministration } from './news-administration.ts';
import { OrderAdministration, SAY_WHY } from './order-administration.ts';
import { raisedLimits } from './raised-limits.ts';
import { openOrdersInWords } from './retired-session.ts';
import { type ApplyOptions, applySessions, type SessionChanges } from './session-changes.ts';
import { alarmsBySession, type DecodedMessage, decodeMessage, type SessionView, sessionView } from './session-view.ts';

export interface Health {
  /** Orders can be taken now, of every session on every account. */
  readonly ready: boolean;
  /** Those of some can: an exchange login works, and nothing keeps everybody out. */
  readonly partlyReady: boolean;
  /** Why not of all, in words; empty when ready. */
  readonly reasons: readonly string[];
}

/** One exchange login at one moment. */
export interface ExchangeLoginView {
  readonly name: string;
  readonly up: boolean;
  readonly privateFeedLive: boolean;
  readonly inFlight: number;
  /** When its token ends; null without one, or where that is unknown. A running gateway renews it in time. */
  readonly tokenExpiresAt: EpochMs | null;
  readonly tradingAccountIds: readonly string[];
}

/** Messages of one session by MsgType(35) since the start. */
export interface MessageCounts {
  readonly name: string;
  readonly in: ReadonlyMap<string, number>;
  readonly out: ReadonlyMap<string, number>;
}

const BEGINS_AGAIN =
  'A TestRequest(1), then a Logon(A) with ResetSeqNumFlag(141)=Y; the answer to it begins both at 1.';
const SET_AFTER_LOGOUT = 'The session is being logged out; the numbers are set when its connection has ended.';
const LEFT_BEHIND =
  'Orders of the lost part that still work at the exchange are external here: `crossgate orders adopt` takes them over, `crossgate cancel-all` cancels them.';
const LEFT_BY_IMPORT =
  'Messages that an unfinished import had not taken over are not there: a resend passes over them with a gap fill.';

export class Administration {
  private readonly engine: RunningEngine;
  readonly orders: OrderAdministration;
  /** The past, as the journal has it. */
  readonly history: HistoryAdministration;
  readonly news: NewsAdministration;

  constructor(engine: RunningEngine) {
    this.engine = engine;
    this.orders = new OrderAdministration(engine, this);
    this.history = new HistoryAdministration(engine, this);
    this.news = new NewsAdministration(engine, this);
  }

  get startedAt(): EpochMs {
    return this.engine.startedAt;
  }

  now(): EpochMs {
    return this.engine.now();
  }

  /** All sessions, by name. */
  sessions(): SessionView[] {
    const views: SessionView[] = [];
    const alarms = alarmsBySession(this.engine);
    for (const sessionId of this.engine.sessionConfigs.keys()) {
      const view = sessionView(this.engine, sessionId, alarms);
      if (view !== null) views.push(view);
    }
    return views.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A session by its name, its SessionID or the counterparty's CompID where that is unambiguous; null if there is none. */
  session(name: string): SessionView | null {
    const id = this.idOf(name);
    if (id === null) return null;
    return sessionView(this.engine, id, alarmsBySession(this.engine));
  }

  /** Whether that is what operators call a template, which is no session itself. */
  isTemplate(name: string): boolean {
    return this.engine.sessions.templates.all.some((template) => sessionName(template) === name);
  }

  /** The last messages with a serial above `after`, the oldest first; null for an unknown session. */
  messages(name: string, after: number, limit: number): DecodedMessage[] | null {
    const id = this.idOf(name);
    const recent = id === null ? undefined : this.engine.recentMessages.get(id);
    const config = id === null ? undefined : this.engine.sessionConfigs.get(id);
    const dictionary = config === undefined ? undefined : this.dictionariesOf(versionOf(config.session));
    if (recent === undefined || dictionary === undefined) return null;
    const dataFields = dictionary.dataFields.withSecrets(config?.session.secretTags ?? []);
    return recent.since(after, limit).map((message) => decodeMessage(message, { ...dictionary, dataFields }));
  }

  /** Dictionaries in use, even if their files have changed; undefined for a version that no session has spoken yet. */
  dictionariesOf(version: string): VersionDictionaries | undefined {
    return this.engine.dictionaries.get(version);
  }

  messageCounts(): MessageCounts[] {
    return [...this.engine.sessionConfigs].map(([sessionId, config]) => {
      const counts = this.engine.recentMessages.get(sessionId)?.counts;
      return { name: sessionName(config), in: counts?.in ?? new Map(), out: counts?.out ?? new Map() };
    });
  }

  /**
   * Let sessions log on although the exchange has references that the journal does not (rule J3): they count as used from
   * now on; or although records of them may be damaged. Sequence numbers are set before that, session by session. Null if
   * nothing keeps sessions out.
   */
  openLogons(why: string, who: string): ActionResult | null {
    const { logonGate, damageGate, dispatcher, interruptions } = this.engine;
    const reasons = [...(logonGate.heldFor === null ? [] : [logonGate.heldFor]), ...logonGate.partlyHeldFor];
    if (reasons.length === 0 && !damageGate.isShut) return null;
    if (why === '') return { done: false, text: SAY_WHY };
    const imports = damageGate.importsInWords();
    const isOfImports = imports.length > 0 && !damageGate.hasPlaces && reasons.every((one) => imports.includes(one));
    const { keptOut } = interruptions;
    const isOfBugs = keptOut.length > 0 && reasons.length === keptOut.length;
    this.audit(who, 'logons opened', `${reasons.join('; ')}: ${why}`);
    if (keptOut.length > 0) interruptions.letIn(null);
    if (damageGate.isShut) this.acceptDamage(null, who, why);
    dispatcher.applicationInput({ kind: 'adoptJournal', who, why });
    this.engine.letIn();
    if (isOfBugs) return { done: true, text: 'Sessions may log on.' };
    return {
      done: true,
      text: `Sessions may log on with the numbers that they have now. ${isOfImports ? LEFT_BY_IMPORT : LEFT_BEHIND}`,
    };
  }

  /** Let one session log on with the numbers that it has now although records of it may be damaged. Null if it is unknown. */
  openSession(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, { who, action: 'open', why }, ({ sessionId }) => {
      const { damageGate, interruptions } = this.engine;
      const isInterrupted = interruptions.keptOutFor(sessionId) !== null;
      if (isInterrupted) interruptions.letIn(sessionId);
      if (damageGate.concerning(sessionId) === null) {
        if (isInterrupted) return { done: true, text: this.openedText(sessionId, 'The session may log on.') };
        return { done: false, text: 'Nothing in the journal keeps this session from logging on.' };
      }
      if (damageGate.isOfAll) {
        const text = 'A record with an unknown owner keeps all sessions out; `crossgate sessions open` admits them.';
        return { done: false, text };
      }
      this.acceptDamage(sessionId, who, why);
      const text =
        'The session may log on with the numbers that it has now; reports that were lost are not sent again.';
      return { done: true, text: this.openedText(sessionId, text) };
    });
  }

  /** Let initiators in that may log on now, and say what still keeps this session out. */
  private openedText(sessionId: SessionID, text: string): string {
    this.engine.letIn();
    const still = this.engine.logonGate.refusal(sessionId);
    return still === null ? text : `${text} Still: ${still.text}.`;
  }

  /** In one frame: who is let in is so for good, or not at all. */
  private acceptDamage(sessionId: SessionID | null, who: string, why: string): void {
    const accepted = this.engine.damageGate.accept(sessionId, who, why);
    this.engine.dispatcher.applicationInput({ kind: 'putAside', sessionId, who, why }, accepted);
  }

  /** Compare accounts with the exchange now: all, or one; not done if none can be. Null for an unknown account. */
  reconcile(tradingAccountId: string | null, who: string): ActionResult | null {
    const links = [...this.engine.links.values()];
    const accounts = links.flatMap((link) => link.tradingAccountIds.map((id) => ({ link, id })));
    const chosen = accounts.filter(({ id }) => tradingAccountId === null || id === tradingAccountId);
    if (chosen.length === 0) return null;
    this.audit(who, 'reconcile', chosen.map(({ id }) => id).join(' '));
    const waiting = new Map<string, number>();
    for (const { link, id } of chosen) {
      const reason = link.reconcileAccount(id);
      if (reason !== null) waiting.set(reason, (waiting.get(reason) ?? 0) + 1);
    }
    const asked = chosen.length - [...waiting.values()].reduce((sum, count) => sum + count, 0);
    const is = (count: number): string => (count === 1 ? '1 account is' : `${count} accounts are`);
    const said = [...waiting].map(([reason, count]) => `${is(count)} compared later, by itself: ${reason} now.`);
    if (asked > 0) said.unshift(`${is(asked)} being compared; differences become reports or alarms.`);
    return { done: asked > 0, text: said.join(' ') };
  }

  auctions(): AuctionPhase[] {
    return this.engine.gateway.phases().sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  }

  /** The last imbalance heard of the present auction of a symbol, or null. */
  imbalance(symbol: string): Noii | null {
    return this.engine.gateway.imbalance(symbol);
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
        privateFeedLive: this.engine.gateway.isPrivateFeedLive(name),
        inFlight: link?.inFlight ?? 0,
        tokenExpiresAt: this.engine.exchangeClients.get(name)?.tokenExpiresAt() ?? null,
        tradingAccountIds,
      };
    });
  }

  health(): Health {
    const reasons: string[] = [];
    const ofSome: string[] = [];
    if (this.engine.isClosing) reasons.push('the gateway is shutting down');
    else if (!this.engine.isOpen) reasons.push('the gateway is starting');
    const { heldFor, partlyHeldFor } = this.engine.logonGate;
    if (heldFor !== null) reasons.push(`no Logon is accepted: ${heldFor}`);
    ofSome.push(...partlyHeldFor);
    if (!this.engine.journalHealth.healthy) reasons.push('the journal cannot record; new orders are refused');
    const logins = this.exchangeLogins();
    const obstacles = new Map(logins.map(({ name }) => [name, this.engine.links.get(name)?.obstacle ?? null]));
    for (const { name, up, privateFeedLive } of logins) {
      const obstacle = obstacles.get(name) ?? null;
      if (!up) ofSome.push(`the exchange login ${name} is not up`);
      else if (!privateFeedLive) ofSome.push(`the stream of orders and trades of exchange login ${name} is not live`);
      else if (obstacle !== null) ofSome.push(`exchange login ${name}: ${obstacle}`);
    }
    const serves = ({ name, up, privateFeedLive }: ExchangeLoginView) =>
      up && privateFeedLive && obstacles.get(name) === null;
    const partlyReady = reasons.length === 0 && logins.some(serves);
    reasons.push(...ofSome);
    return { ready: reasons.length === 0, partlyReady, reasons };
  }

  /**
   * End a session by our Logout(5) with a reason for the counterparty. It may log on again. Null for an unknown
   * session.
   */
  logout(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, { who, action: 'logout', why }, (slot) => {
      if (slot.wire === null) return { done: false, text: 'The session is not connected.' };
      this.engine.dispatcher.sessionInput(slot, { kind: 'logout', text: asSent(slot, why) });
      return { done: true, text: 'Logout(5) sent; the counterparty may log on again.' };
    });
  }

  /** Refuse logons of a session, and log it out. Until `enable`, or the next start. */
  disable(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, { who, action: 'disable', why }, (slot) => {
      if (!slot.enabled) return { done: false, text: 'The session is disabled already.' };
      slot.enabled = false;
      slot.disabledByHand = true;
      this.logOut(slot, 'This session was disabled by an operator');
      const { source, madeFrom } = this.engine.sessionConfigs.get(slot.sessionId)!;
      const how =
        madeFrom === undefined
          ? `enabled: false in ${source}`
          : 'take its secret away, or give it a file of its own with enabled: false';
      const until = `Disabled${openOrdersInWords(this.engine, slot.sessionId)} until it is enabled or the gateway starts anew`;
      return { done: true, text: `${until}; for good: ${how}.` };
    });
  }

  enable(name: string, why: string, who: string): ActionResult | null {
    return this.act(name, { who, action: 'enable', why }, (slot) => {
      if (slot.retired) {
        return { done: false, text: 'Its file was removed: put it back and apply the configuration.' };
      }
      if (slot.enabled) return { done: false, text: 'The session is enabled already.' };
      slot.enabled = true;
      slot.disabledByHand = false;
      return { done: true, text: 'Enabled: the counterparty may log on.' };
    });
  }

  /**
   * Set or reset sequence numbers; a connected session is logged out first, unless it is to begin again within the session.
   * Ours may only rise within a series.
   */
  setNumbers(name: string, request: NumbersRequest, who: string): ActionResult | null {
    const { reset, why } = request;
    const change = (slot: SessionSlot): ActionResult => {
      const refusal = numbersRefusal(request, slot);
      if (refusal !== null) return { done: false, text: refusal };
      const wasConnected = slot.wire !== null;
      const isWithin = isWithinSession(request, slot);
      const { damageGate, dispatcher } = this.engine;
      dispatcher.sessionInput(slot, {
        kind: 'setNumbers',
        nextSenderMsgSeqNum: reset ? null : request.nextSenderMsgSeqNum,
        nextTargetMsgSeqNum: reset ? null : request.nextTargetMsgSeqNum,
        reset,
        ...(isWithin ? { within: true } : {}),
        who,
        why,
      });
      // An operator who sets numbers has compared them with the counterparty: possible losses keep no session out any
      // more.
      if (damageGate.endsWithNumbers(slot.sessionId)) {
        dispatcher.record(damageGate.acceptPlaces(slot.sessionId, who, why));
        this.engine.letIn();
      }
      if (isWithin) return { done: true, text: BEGINS_AGAIN };
      return { done: true, text: wasConnected ? SET_AFTER_LOGOUT : 'The numbers are set.' };
    };
    return this.act(name, { who, action: 'numbers', why, wanted: `${wantedNumbers(request)}: ` }, change);
  }

  /**
   * Make these the sessions: new ones are added, changed ones take their settings over, missing ones are retired; all
   * others are not touched. @throws CrossgateError XG_CONFIG_INVALID if something needs a restart, or would take away more
   * than it may; nothing is changed then
   */
  async applySessions(
    sessions: readonly EngineSessionConfig[],
    who: string,
    options: ApplyOptions = { keepsMost: false },
  ): Promise<SessionChanges> {
    return await applySessions(
      this.engine,
      sessions,
      {
        logOut: (slot, text) => this.logOut(slot, text),
        onTaken: (kind, { name, detail }) => this.audit(who, `configuration: session ${kind}`, `${name} ${detail}`),
      },
      options,
    );
  }

  /** Changed material of listeners and the bridge. @throws CrossgateError if one is unusable; then none is taken */
  renewals(isNamed: IsNamed): Renewal[] {
    return [...this.engine.sessions.renewals(isNamed), ...(this.engine.bridge?.renewals(isNamed) ?? [])];
  }

  /** The risk limits that these sessions would raise, in words (rule O12). */
  raisedLimits(sessions: readonly EngineSessionConfig[]): string[] {
    return raisedLimits(this.engine.sessionConfigs, sessions);
  }

  /** Record an operator's action in the journal. `fields` stand beside it in the log: an order's `trace`, for example. */
  audit(who: string, action: string, detail: string, fields: Readonly<Record<string, string>> = {}): void {
    this.engine.audit(who, action, detail, fields);
  }

  /** True if the gateway was stopped: configuration counts from its next start on. */
  get isClosing(): boolean {
    return this.engine.isClosing;
  }

  /** Whether the journal is being closed, or is: nothing can be done any more. */
  get isOver(): boolean {
    return this.engine.commits.isClosed;
  }

  /** Whether the journal can record. */
  get journalHealthy(): boolean {
    return this.engine.journalHealth.healthy;
  }

  /** Bytes of records that wait for the disk or the database. */
  get journalQueueBytes(): number {
    return this.engine.commits.pendingBytes;
  }

  /** Whether everything done so far is on disk, or in the database: false at once where it cannot be, or after that time. */
  recorded(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      const tell = (is: boolean) => (): void => {
        clearTimeout(timer);
        resolve(is);
      };
      const consequence = { evenIfUnrecorded: false, run: tell(true), abandon: tell(false) };
      const at = this.engine.now();
      this.engine.commits.commit({ records: [], consequences: [consequence], durability: 'disk', at, sessions: null });
    });
  }

  /** Raise an alarm for something that ops found. */
  alarm(alarm: string, text: string): void {
    this.engine.alarm(alarm, text, {});
  }

  private act(
    name: string,
    { who, action, why, wanted = '' }: SessionAction,
    run: (slot: SessionSlot) => ActionResult,
  ): ActionResult | null {
    const id = this.idOf(name);
    const slot = id === null ? undefined : this.engine.dispatcher.slots.get(id);
    if (slot === undefined) return null;
    const result = why === '' ? { done: false, text: SAY_WHY } : run(slot);
    this.audit(who, `session ${action}${result.done ? '' : ' refused'}`, `${slot.sessionId} ${wanted}${why}`.trim());
    return result;
  }

  private logOut(slot: SessionSlot, text: string): void {
    const { dispatcher } = this.engine;
    const { sessionId, enabled, wire } = slot;
    if (!enabled) dispatcher.applicationInput({ kind: 'sessionLeaving', sessionId, by: 'us', forGood: true });
    // An order of it may still be replaced by a cancel and a new one (rule O6).
    else if (wire === null) dispatcher.applicationInput({ kind: 'sessionLeaving', sessionId, by: 'us' });
    if (wire !== null) dispatcher.sessionInput(slot, { kind: 'logout', text });
  }

  /** The SessionID behind a name, a SessionID, or a counterparty's CompID where that is unambiguous; null if there is none. */
  idOf(name: string): SessionID | null {
    if (this.engine.sessionConfigs.has(name)) return name;
    const named: SessionID[] = [];
    const countered: SessionID[] = [];
    for (const [sessionId, config] of this.engine.sessionConfigs) {
      if (sessionName(config) === name) named.push(sessionId);
      if (config.session.targetCompID === name) countered.push(sessionId);
    }
    if (named.length > 0)
      return named.length === 1
        ? named[0]!
        : (named.find((id) => !this.engine.dispatcher.slots.get(id)!.retired) ?? null);
    return countered.length === 1 ? countered[0]! : null;
  }
}

/** An action on one session, for the audit trail. */
interface SessionAction {
  readonly who: string;
  readonly action: string;
  readonly why: string;
  /** Goes before the reason. */
  readonly wanted?: string;
}

/** An operator's words in the session's character set. A Logout goes out whatever it says: `?` is what the set, or FIX, lacks. */
function asSent({ machine }: SessionSlot, text: string): string {
  return encodeLossy(text.replace(/\p{Cc}/gu, '?'), machine.config.charset ?? LATIN1);
}
