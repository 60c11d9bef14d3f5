// The desk of one certification: its own gateway and exchange, the line to the OMS, the cases that are played, and what they
// came to. Lives in a thread of its own beside a gateway that trades, or alone in a process (`certification serve`).

import { setTimeout as pause } from 'node:timers/promises';
import type { AdministeredEngine } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { applicationVersion } from '../../dictionary/mod.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import type { FieldNames, LinkedCase, LinkedStep, OutgoingMessage } from '../../scenario/mod.ts';
import { viewOf } from '../../wire/mod.ts';
import { type CaseHost, CasePlay } from '../run/case-play.ts';
import { ObservedOrders } from '../run/observed-orders.ts';
import { groupOf } from '../suite/features.ts';
import { type Names, type Request, requestFrom, requestInWords, requestLine } from '../suite/instruction.ts';
import { fullProfile, obligationOf, type Profile } from '../suite/profile.ts';
import { stepInWords, templateText } from '../suite/step-words.ts';
import type { Suite } from '../suite/suite.ts';
import { type CaseView, type DeskView, totalsOf } from './desk-view.ts';
import { ExchangeScript } from './exchange-script.ts';
import { Progress } from './progress.ts';
import { sendAgain, sendMessage, sendNews } from './session-voice.ts';
import { type LinePlace, Tap } from './tap.ts';
import { actOnWire } from './wire-script.ts';

export interface DeskOptions {
  readonly name: string;
  /** Of the isolated gateway (isolated-config.ts), its folder included. */
  readonly config: EngineConfig;
  readonly suite: Suite;
  readonly names: FieldNames;
  /** Digest of the rules of engagement. */
  readonly rules: string;
  /** The profile as it is now; null: there is none. */
  readonly profile: () => Profile | null;
  readonly startEngine: (config: EngineConfig) => Promise<AdministeredEngine>;
  readonly now: () => EpochMs;
  readonly log: (level: 'info' | 'warn', text: string) => void;
  /** Said after every case. */
  readonly onResult?: (result: CaseView) => void;
}

/** The market of every case. */
const SYMBOL = 'BTCUSDC';
const ANSWER_S = 120;
const LOOK_MS = 25;
/** Between two cases: reports of what was cleared away still come. */
const SETTLE_MS = 400;
/** Between the steps of a new beginning. */
const RESYNCHRONIZE_MS = 250;

export class CertificationDesk {
  private readonly options: DeskOptions;
  private readonly session: EngineSessionConfig;
  private readonly progress: Progress;
  private readonly orders: ObservedOrders;
  private readonly exchange: ExchangeScript;
  private readonly tap: Tap;
  private readonly host: CaseHost;
  private readonly names: Names;
  private engine: AdministeredEngine | null = null;
  private gatewayPort = 0;
  private play: CasePlay | null = null;
  private instruction: string | null = null;
  private asked = 0;
  private queue: string[] = [];
  private settledAt: EpochMs = 0;
  private isTold = true;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(options: DeskOptions) {
    const { config, now } = options;
    const [session] = config.sessions;
    if (session === undefined) throw new CrossgateError('XG_CONFIG_INVALID', 'a certification has one session');
    this.options = options;
    this.session = session;
    this.progress = new Progress(config.stateDirectory);
    this.orders = new ObservedOrders(this.progress.used);
    const { accounts, symbolAliases } = session.gateway;
    const alias = Object.entries(symbolAliases).find(([, symbol]) => symbol === SYMBOL)?.[0];
    this.names = { symbol: alias ?? SYMBOL, account: accounts[0]?.account ?? '' };
    this.exchange = new ExchangeScript({
      engine: () => this.running(),
      orders: this.orders,
      symbol: SYMBOL,
      tradingAccountId: accounts[0]?.tradingAccountId ?? '',
    });
    this.tap = new Tap({
      gatewayPort: () => this.gatewayPort,
      now,
      onMessage: (seen) => {
        if (seen.direction === 'in' && (seen.msgType === 'j' || seen.msgType === '3') && seen.fields.get(372) === 'B')
          this.newsRefused();
        if (this.play === null) this.orders.see(seen);
        else this.play.message(seen);
      },
      onGarbled: (text) => this.play?.garbled(text),
      onChange: () => this.play?.changed(),
    });
    this.host = this.caseHost();
  }

  /** Start gateway, exchange and line; the port for the OMS. @throws CrossgateError naming what cannot start */
  async open(where: LinePlace = {}): Promise<number> {
    await this.startEngine();
    const listening = await this.tap.listen(where);
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
    return listening;
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearInterval(this.timer);
    this.play?.abort('the certification was stopped');
    this.finish();
    await this.tap.close();
    await this.engine?.close();
  }

  /** Play all cases that apply and are not passed, one after the other. */
  start(): void {
    this.queue = this.cases()
      .filter(({ obligation, result }) => obligation !== 'not applicable' && result?.verdict !== 'pass')
      .map(({ id }) => id);
  }

  /** End the case under way and forget those that wait. */
  stop(): void {
    this.queue = [];
    this.play?.abort('ended by the operator');
    this.finish();
  }

  /** Play one case next. @throws CrossgateError XG_NOT_FOUND */
  run(id: string): void {
    const found = this.options.suite.cases.find((one) => one.id === id);
    if (found === undefined)
      throw new CrossgateError('XG_NOT_FOUND', `there is no case ${id}: \`crossgate certification show\` lists them`);
    this.queue = [id, ...this.queue.filter((one) => one !== id)];
  }

  get isIdle(): boolean {
    return this.play === null && this.queue.length === 0;
  }

  view(): DeskView {
    const { options, session, play, tap } = this;
    const profile = options.profile();
    const cases = this.cases();
    const totals = totalsOf(cases);
    const present = play?.present ?? null;
    return {
      name: options.name,
      suite: options.suite.name,
      sessionId: session.session.sessionId,
      beginString: session.session.beginString,
      dialect: session.gateway.dialect,
      kind: session.gateway.kind ?? 'order',
      rules: options.rules,
      connected: tap.isConnected,
      loggedOn: this.isUp,
      takesNews: this.progress.takesNews,
      abilities: [...this.profile().features],
      hasProfile: profile !== null,
      running:
        play === null
          ? null
          : {
              id: play.case.id,
              title: play.case.title,
              step: present?.number ?? play.case.steps.length,
              steps: play.case.steps.length,
              text: present?.text ?? '',
              instruction: this.instruction,
            },
      queue: this.queue,
      cases,
      totals,
      certified: totals.mandatory > 0 && totals.passed === totals.mandatory,
    };
  }

  private cases(): CaseView[] {
    const profile = this.profile();
    return this.options.suite.cases.map((one): CaseView => {
      const kept = this.progress.results.get(one.id);
      return {
        id: one.id,
        group: groupOf(one.id),
        title: one.title,
        rule: one.rule ?? '',
        obligation: obligationOf(one, profile, this.version),
        result: kept === undefined || kept.rules !== this.options.rules ? null : kept,
      };
    });
  }

  private profile(): Profile {
    const { kind = 'order', cancelOnDisconnect, dialect } = this.session.gateway;
    const { features, answerS } = this.options.profile() ?? fullProfile(kind, ANSWER_S, dialect);
    const own = new Set(features);
    if (cancelOnDisconnect.on !== 'off') own.add('cancel-on-disconnect');
    // In `venue` no order is reported as pending (rule D6).
    if (dialect === 'standard') own.add('pending-new');
    return { features: own, answerS };
  }

  /** The application's version, as cases name it. */
  private get version(): string {
    const { beginString, defaultApplVerID } = this.session.gateway;
    return applicationVersion(beginString, defaultApplVerID);
  }

  private get isVenue(): boolean {
    return this.session.gateway.dialect === 'venue';
  }

  private get isUp(): boolean {
    const slot = this.engine?.dispatcher.slots.get(this.session.session.sessionId);
    return slot?.machine.loggedOn === true && this.tap.isConnected && !this.tap.isResetting;
  }

  private get hasGap(): boolean {
    const slot = this.engine?.dispatcher.slots.get(this.session.session.sessionId);
    return slot !== undefined && slot.machine.status.gap !== null;
  }

  private running(): AdministeredEngine {
    if (this.engine === null)
      throw new CrossgateError('XG_NOT_FOUND', 'the gateway of the certification is being started again');
    return this.engine;
  }

  private async startEngine(): Promise<void> {
    const engine = await this.options.startEngine(this.options.config);
    this.gatewayPort = engine.addresses[0]?.port ?? 0;
    this.engine = engine;
    this.play?.changed();
  }

  /** As a process that was killed and started again: without a Logout, with work unfinished. */
  private async crash(): Promise<void> {
    const { engine } = this;
    if (engine === null) return;
    this.engine = null;
    await engine.abandon('the certification plays a crash');
    await engine.simulator?.close();
    await engine.journal.close();
    if (this.closed) return;
    await this.startEngine();
  }

  /** The next thing that is due. */
  private look(): void {
    const { play } = this;
    const now = this.options.now();
    if (play !== null) {
      if (play.deadline !== null && now >= play.deadline) play.tick();
      play.changed();
      this.finish();
      return;
    }
    const [next] = this.queue;
    if (next === undefined || !this.isUp || now < this.settledAt) return;
    const found = this.options.suite.cases.find(({ id }) => id === next);
    this.queue.shift();
    if (found !== undefined) this.begin(found);
  }

  private begin(one: LinkedCase): void {
    this.tap.clear();
    this.instruction = null;
    this.asked = 0;
    this.play = new CasePlay({
      case: one,
      orders: this.orders,
      host: this.host,
      answerMs: this.profile().answerS * 1000,
      wholeSeconds: this.session.session.beginString < 'FIX.4.2',
      now: this.options.now,
    });
    this.options.log('info', `certification case ${one.id} begins`);
    this.tell(`BEGIN ${one.id}`, [one.title]);
    this.play.begin();
    this.finish();
  }

  /** Keep the result of a case that is over, and clear up behind it. */
  private finish(): void {
    const { play } = this;
    if (play?.isOver !== true) return;
    this.play = null;
    const result = play.result();
    for (const clOrdID of this.orders.used) this.progress.used.add(clOrdID);
    this.progress.add({ ...result, rules: this.options.rules });
    this.settledAt = this.options.now() + SETTLE_MS;
    this.tap.clear();
    if (this.engine !== null) this.exchange.clear();
    const { id } = play.case;
    this.options.log('info', `certification case ${id}: ${result.verdict}`);
    const view = this.cases().find((one) => one.id === id);
    this.tell(`END ${id} ${result.verdict}`, [play.case.title]);
    if (view !== undefined) this.options.onResult?.(view);
    if (this.hasGap) void this.resynchronize();
  }

  /** Messages behind a gap that the OMS does not fill would never reach the next case: forget the gap, on a new connection. */
  private async resynchronize(): Promise<void> {
    this.settledAt = this.options.now() + RESYNCHRONIZE_MS * 3;
    // The OMS still hears that the case is over.
    await pause(RESYNCHRONIZE_MS);
    this.tap.refuse(true);
    await pause(RESYNCHRONIZE_MS);
    const next = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: Number(this.tap.value('expected')) };
    const wanted = { ...next, reset: false, why: 'the OMS left a gap in a case' };
    this.engine?.administration.setNumbers(this.session.session.sessionId, wanted, 'certification');
    this.tap.refuse(false);
  }

  private tell(headline: string, lines: readonly string[]): void {
    if (!this.progress.takesNews || !this.isTold || this.engine === null || !this.isUp) return;
    sendNews(this.engine, this.session.session.sessionId, { headline, lines, isVenue: this.isVenue });
  }

  private newsRefused(): void {
    this.progress.takesNews = false;
    this.progress.save();
  }

  private caseHost(): CaseHost {
    const { tap, options } = this;
    const desk = this;
    return {
      ask: (request) => desk.ask(request),
      exchange: (action, args) => desk.exchange.run(action, args),
      wire: (action, args) => desk.wire(action, args),
      send: (message: OutgoingMessage) =>
        sendMessage(desk.running(), desk.session.session.sessionId, message, desk.isVenue),
      value: (name) => tap.value(name),
      get isUp() {
        return desk.isUp;
      },
      get isConnected() {
        return tap.isConnected;
      },
      inWords: (step: LinkedStep) => {
        const { action } = step;
        if (action.kind !== 'verb' || action.verb !== 'ask') return stepInWords(step, options.names);
        const request = requestFrom(templateText(action.argument));
        return typeof request === 'string' ? step.text : requestInWords(request, desk.names);
      },
      label: (tag) => options.names.fieldLabel(tag),
    };
  }

  private ask(request: Request): void {
    this.asked++;
    this.instruction = requestInWords(request, this.names);
    const headline = `ASK ${this.play?.case.id ?? ''} ${this.asked}`;
    this.tell(headline, [this.instruction, requestLine(request, this.names)]);
  }

  private wire(action: string, args: readonly string[]): void {
    const { tap } = this;
    const { sessionId } = this.session.session;
    actOnWire(action, args, {
      tap,
      logout: () => this.running().administration.logout(sessionId, 'a case of the certification', 'certification'),
      resend: (msgType) => this.resend(msgType),
      crash: () => {
        this.crash().catch((error: unknown) => this.play?.abort(`the gateway did not start again: ${String(error)}`));
      },
    });
  }

  private resend(msgType: string): void {
    const view = viewOf(this.tap.lastSent(msgType));
    if (view !== null) sendAgain(this.running(), this.session.session.sessionId, view);
  }
}
