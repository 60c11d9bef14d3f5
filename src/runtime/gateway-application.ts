// The gateway machine as the application of the session engine: its effects become messages, records and consequences,
// and external inputs are recorded, so that a day can be replayed. The dispatcher has sessions and commits,
// exchange-link.ts the exchange.

import { unreachable } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { Application, ApplicationInput, Consequence, EngineLog, InputRecorder, Turn } from '../engine/mod.ts';
import { type CommandOutcome, refusedHere } from '../exchange/mod.ts';
import type { Gateway, GatewayEffect, GatewayInput } from '../gateway/mod.ts';
import type { Authentication, SessionEffect, SessionID, SessionInput } from '../session/mod.ts';
import type { Durability, JournalRecord } from '../store/mod.ts';
import { type MessageDraft, type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { Interruptions } from './interruptions.ts';
import { inputRecord, UnrecordedPrices, uncountedRecord } from './journaled-input.ts';
import type { MarketDataPace } from './market-data-pace.ts';
import type { OrderTimes, OrderWatch } from './order-times.ts';

/** Requests of the gateway's effects; every answer returns as an input. */
export interface GatewayOutside {
  submit(effect: Extract<GatewayEffect, { kind: 'submit' }>): void;
  lookup(effect: Extract<GatewayEffect, { kind: 'lookup' }>): void;
  user(effect: Extract<GatewayEffect, { kind: 'user' }>): void;
  bridge(effect: Extract<GatewayEffect, { kind: 'bridge' }>): void;
  /** A command that concerns no order. */
  manage(effect: Extract<GatewayEffect, { kind: 'manage' }>): void;
  /** About an account. */
  ask(effect: Extract<GatewayEffect, { kind: 'ask' }>): void;
  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void;
  /** Orders of bridge callers: their reports and commands. Absent: there are none. */
  readonly restOrders?: {
    /** A report of a session; true if it is one of REST. */
    reported(sessionId: string, draft: MessageDraft): boolean;
    submitted(effect: Extract<GatewayEffect, { kind: 'submit' }>): void;
  };
  /** A command has its outcome; the machine knows it by then. Absent: no one else waits for one. */
  settled?(commandId: string, outcome: CommandOutcome): void;
}

export interface MarketDataWays {
  follow(effect: Extract<GatewayEffect, { kind: 'follow' | 'unfollow' }>): void;
  /** Say the reference price of a market from now on. */
  followPrice(symbol: string): void;
  readonly pace: MarketDataPace;
}

export interface GatewayApplicationOptions {
  readonly gateway: Gateway;
  readonly outside: GatewayOutside;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** A session's setting; undefined if it is not configured any more. */
  readonly durabilityOf: (sessionId: SessionID) => Durability | undefined;
  /** Where market data comes from, and how fast it goes out; absent: there is none. */
  readonly marketData?: MarketDataWays;
  /** Measures the way of new orders; absent: nothing does. */
  readonly orderWatch?: OrderWatch;
  /** Feed the machine an input that came up while an effect was carried out. */
  readonly input: (input: GatewayInput) => void;
  /** Inputs that ended earlier processes by a bug; absent: there are none. */
  readonly interruptions?: Pick<Interruptions, 'insteadOf' | 'tellAside'>;
}

function isMarketData({ kind }: GatewayInput | ApplicationInput): boolean {
  return kind === 'marketData' || kind === 'marketDataRoom' || kind === 'marketDataLost';
}

/** Machine name of the gateway in the journal; sessions are recorded by their SessionID. */
const GATEWAY = 'gateway';
const REPORT = MsgType.ExecutionReport;

export class GatewayApplication implements Application<GatewayInput>, InputRecorder<GatewayInput> {
  private readonly options: GatewayApplicationOptions;
  /** The machine had an input since the start. */
  private told = false;
  private readonly unrecordedPrices = new UnrecordedPrices();

  constructor(options: GatewayApplicationOptions) {
    this.options = options;
  }

  handle(given: GatewayInput | ApplicationInput, turn: Turn): void {
    const { gateway, orderWatch, interruptions, outside } = this.options;
    const input = interruptions === undefined ? given : interruptions.insteadOf(given);
    if (input !== given) interruptions?.tellAside(given, outside.alarm);
    if (input === null) return;
    this.recordPrice(input, turn);
    const times = orderWatch?.begin(input, turn.readAt) ?? null;
    const effects = gateway.handle(input, turn.now);
    if (times !== null) this.watch(orderWatch!, times, effects, turn);
    for (const effect of effects) this.execute(effect, turn);
    if (input.kind === 'outcome') outside.settled?.(input.commandId, input.outcome);
  }

  /** Follow a new order: to its command, or to the report that this input causes. */
  private watch(watch: OrderWatch, times: OrderTimes, effects: readonly GatewayEffect[], turn: Turn): void {
    if (times.checkedAt === 0) times.checkedAt = performance.now();
    for (const effect of effects) {
      if (effect.kind === 'submit') watch.submitted(times, effect);
      else if (effect.kind === 'send' && effect.sessionId === times.sessionId && effect.draft.msgType === REPORT) {
        // A Pending New beside the command is the gateway's own, and no answer of the exchange.
        if (times.commandId !== null && times.answeredAt === 0) continue;
        if (!turn.whenSent(times.sessionId, () => watch.reported(times))) watch.forget(times);
        return;
      }
    }
  }

  deadline(): EpochMs | null {
    return this.options.gateway.deadline();
  }

  resent(sessionId: SessionID): void {
    this.options.marketData?.pace.resent(sessionId);
  }

  sessionInput(sessionId: SessionID, input: SessionInput): JournalRecord | null {
    return inputRecord(sessionId, input, !this.told);
  }

  message(
    sessionId: SessionID,
    view: MessageView,
    authentication: Authentication,
    effects: readonly SessionEffect[],
  ): JournalRecord | null {
    return uncountedRecord(sessionId, view, authentication, effects);
  }

  /** An input withheld from the machine is not recorded as given. */
  applicationInput(given: GatewayInput | ApplicationInput): JournalRecord | null {
    const { interruptions } = this.options;
    const input = interruptions === undefined ? given : interruptions.insteadOf(given);
    return input === null ? null : inputRecord(GATEWAY, input, !this.told);
  }

  private recordPrice(input: GatewayInput, turn: Turn): void {
    // Market data does not wake what was recovered.
    if (!isMarketData(input)) this.told = true;
    if (input.kind === 'referencePrice') this.unrecordedPrices.note(input.symbol, input.price, turn.now);
    else if (input.kind === 'message') {
      const record = this.unrecordedPrices.recordFor(input.view);
      if (record !== null) turn.record(record);
    } else if (input.kind === 'restOrder') {
      const record = this.unrecordedPrices.recordForHeld();
      if (record !== null) turn.record(record);
    } else if (input.kind === 'tick' && this.options.gateway.releasesAt(turn.now)) {
      const record = this.unrecordedPrices.recordForHeld();
      if (record !== null) turn.record(record);
    }
  }

  /** The trace of the order goes with it: its other log lines and alarms are found by that. */
  private tellUnsent({ sessionId, draft }: Extract<GatewayEffect, { kind: 'send' }>): void {
    const clOrdID = draft.get(Tag.ClOrdID);
    const order = clOrdID === null ? null : this.options.gateway.findOrder(sessionId, clOrdID);
    this.options.log('warn', 'a report belongs to a session that is not configured any more', {
      session: sessionId,
      ...(clOrdID === null ? {} : { clOrdID }),
      ...(order === null ? {} : { trace: order.traceId }),
    });
  }

  private execute(effect: GatewayEffect, turn: Turn): void {
    const { outside, log, durabilityOf } = this.options;
    switch (effect.kind) {
      case 'persistOrder':
        turn.record({
          kind: 'order',
          key: effect.key,
          record: effect.record,
          ...(effect.ended === undefined ? {} : { ended: effect.ended }),
        });
        turn.concerns(effect.sessionId);
        // An order is as durable as its session asks; that of a removed session gets the strict form.
        if (durabilityOf(effect.sessionId) !== 'process') turn.demandDisk();
        break;
      case 'submit':
        // Commands of one order never overtake each other (rule X3).
        if (effect.sessionId !== '') turn.concerns(effect.sessionId);
        turn.later(this.submitConsequence(effect));
        outside.restOrders?.submitted(effect);
        break;
      case 'lookup':
        turn.later({ evenIfUnrecorded: true, run: () => outside.lookup(effect) });
        break;
      case 'manage': {
        const { commandId } = effect;
        const unrecorded = 'the gateway cannot record it';
        const abandon = (): void =>
          this.options.input({ kind: 'managed', commandId, outcome: refusedHere(unrecorded) });
        turn.concerns(effect.sessionId);
        turn.demandDisk();
        turn.later({ evenIfUnrecorded: false, run: () => outside.manage(effect), abandon });
        break;
      }
      case 'ask':
        turn.later({ evenIfUnrecorded: true, run: () => outside.ask(effect) });
        break;
      case 'send':
        if (turn.send(effect.sessionId, effect.draft)) break;
        if (outside.restOrders?.reported(effect.sessionId, effect.draft) === true) break;
        this.tellUnsent(effect);
        break;
      case 'publish': {
        const { sessionId, draft } = effect;
        if (!turn.send(sessionId, draft, true)) break;
        const consequence = this.options.marketData?.pace.published(sessionId) ?? null;
        if (consequence !== null) turn.later(consequence);
        break;
      }
      case 'follow':
      case 'unfollow':
        turn.later({ evenIfUnrecorded: true, run: () => this.options.marketData?.follow(effect) });
        break;
      case 'followPrice':
        turn.later({ evenIfUnrecorded: true, run: () => this.options.marketData?.followPrice(effect.symbol) });
        break;
      case 'bridge':
        turn.later({
          evenIfUnrecorded: false,
          run: () => outside.bridge(effect),
          abandon: () => this.refuseBridge(effect),
        });
        break;
      case 'user':
        turn.later({
          evenIfUnrecorded: false,
          run: () => outside.user(effect),
          abandon: () => this.refuseUser(effect),
        });
        break;
      case 'repeat':
        turn.repeat(effect.sessionId, effect.afterExecID);
        break;
      case 'alarm':
        outside.alarm(effect.alarm, effect.text, effect.fields);
        break;
      case 'note':
        log(effect.level, effect.text, effect.fields);
        break;
      default:
        unreachable(effect);
    }
  }

  private refuseBridge({ sessionId, bridgeReqID, sender }: Extract<GatewayEffect, { kind: 'bridge' }>): void {
    const body = JSON.stringify({ status: 503, detail: 'Nothing was sent: the gateway cannot record anything now.' });
    this.options.input({ kind: 'bridgeAnswered', sessionId, bridgeReqID, sender, status: 503, body });
  }

  private refuseUser({ change: _, kind: __, ...request }: Extract<GatewayEffect, { kind: 'user' }>): void {
    const text = 'The gateway cannot record anything now; ask again';
    this.options.input({ kind: 'userAnswered', ...request, userStatus: '6', text });
  }

  /** A cancel leaves whatever the disk does; an order leaves recorded and in time, or never (rules J2, O4). */
  private submitConsequence(effect: Extract<GatewayEffect, { kind: 'submit' }>): Consequence {
    const { notAfter, commandId } = effect;
    const { now, outside, input } = this.options;
    const run = (): void => {
      this.options.orderWatch?.recorded(commandId);
      outside.submit(effect);
    };
    if (notAfter === null) return { evenIfUnrecorded: true, run };
    const giveUp = (message: string): void => input({ kind: 'outcome', commandId, outcome: refusedHere(message) });
    return {
      evenIfUnrecorded: false,
      run: () => (now() > notAfter ? giveUp('the journal took too long to record it') : run()),
      abandon: () => giveUp('the gateway cannot record it'),
    };
  }
}
