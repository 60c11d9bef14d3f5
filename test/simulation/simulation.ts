// One simulated day from one seed: the house, three OMSs, the exchange, and everything that goes wrong between them, step by
// step. After every step the checks hold or the day ends; at the end everything comes to rest and all views must agree.

import type { EpochMs } from '../../src/base/time.ts';
import { NEXT_STATES, type OrderState } from '../../src/gateway/book/order.ts';
import type { SessionConfig } from '../../src/session/mod.ts';
import type { JournalRecord } from '../../src/store/mod.ts';
import { gatewayConfig, sessionConfig as tradingConfig } from '../gateway/desk.ts';
import { CopyDesk } from './copy-desk.ts';
import type { Counterparty, CounterpartyOptions } from './counterparty.ts';
import { compareCopies, compareOrders } from './day-end.ts';
import { Disk } from './disk.ts';
import { Exchange } from './exchange.ts';
import { type Durability, type Ground, House, type Tampering } from './house.ts';
import { OrderDesk } from './order-desk.ts';
import { type Fault, Faults, Randomness } from './randomness.ts';
import { Scheduler } from './scheduler.ts';

const T0: EpochMs = Date.UTC(2026, 0, 5, 12, 0, 0);
/** Time for everything to come to rest: longer than any late command, look-up or wait of the gateway. */
const REST_MS = 45_000;

export interface SimulationOptions {
  readonly steps: number;
  readonly without?: ReadonlySet<Fault>;
  readonly tampering?: Tampering;
}

export interface SimulationResult {
  readonly seed: number;
  /** Steps taken, those of coming to rest included. */
  readonly steps: number;
  /** The broken invariant and its step; null if all held. */
  readonly failure: { readonly step: number; readonly error: Error } | null;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly alarms: ReadonlyMap<string, number>;
  readonly orders: number;
  readonly fills: number;
  readonly messages: number;
  /** The OMSs' actions and results, by kind. */
  readonly done: Readonly<Record<string, number>>;
  /** Virtual milliseconds. */
  readonly ms: number;
}

/** The drop copy session: it receives all others' orders, and external ones. */
const COPY = { compID: 'COPY', beginString: 'FIX.4.4' } as const;
const SESSIONS = [
  { compID: 'OMS1', beginString: 'FIX.4.4', usesNextExpected: false, on: 'both', graceMs: 0, swaps: false },
  { compID: 'OMS2', beginString: 'FIX.4.4', usesNextExpected: true, on: 'off', graceMs: 0, swaps: true },
  { compID: 'OMS3', beginString: 'FIX.4.2', usesNextExpected: false, on: 'disconnect', graceMs: 2_000, swaps: true },
] as const;

function fixSession(compID: string, beginString: string, random: Randomness): SessionConfig {
  return {
    sessionId: `${beginString}:XG->${compID}`,
    role: 'acceptor',
    beginString,
    senderCompID: 'XG',
    targetCompID: compID,
    heartBtIntS: 2,
    heartBtIntMinS: 1,
    heartBtIntMaxS: 120,
    heartBtIntZeroAllowed: false,
    username: null,
    sendingTimeAccuracyS: 120,
    logonTimeoutMs: 5_000,
    logoutTimeoutMs: 2_000,
    testRequestAfter: 1.2,
    lostAfter: 2.4,
    resetOnLogonAllowed: true,
    resendRequestChunk: random.pick([0, 0, 3]),
    resendLoadChunk: random.pick([2, 10, 100]),
    gapQueueMax: random.pick([5, 100]),
    seqNumMax: 100_000_000,
    sendsSessionStatus: false,
    logonText: null,
    environment: 'any',
    repeatUnprovenReports: true,
    repeatsOnRequest: compID === COPY.compID,
    validateIncoming: true,
  };
}

class Day {
  readonly random: Randomness;
  readonly faults: Faults;
  readonly scheduler = new Scheduler(T0);
  readonly disk: Disk;
  readonly exchange: Exchange;
  readonly omses: OrderDesk[];
  readonly copy: CopyDesk;
  readonly alarms = new Map<string, number>();
  readonly #ground: Ground;
  readonly #durability: Durability;
  #house: House | null = null;
  #restartLife = { alive: true };
  #states = new Map<string, { state: OrderState; cumQty: string }>();
  #prices = 0;
  #resting = false;
  #swaps = 0;

  constructor(seed: number, options: SimulationOptions) {
    this.random = new Randomness(seed);
    this.faults = new Faults(this.random, options.without ?? new Set());
    this.#durability = this.random.chance(0.25) ? 'process' : 'disk';
    this.disk = new Disk(this.scheduler, this.random, this.faults);
    this.exchange = new Exchange(this.scheduler, this.random, this.faults);
    const sessionConfigs = SESSIONS.map(({ compID, beginString }) => fixSession(compID, beginString, this.random));
    const copyConfig = fixSession(COPY.compID, COPY.beginString, this.random);
    const limits = { orderQtyMax: '100', notionalMax: '100000000', openOrdersMax: 1_000, priceBandPercent: null };
    const sessions = SESSIONS.map(({ beginString, on, graceMs, swaps }, i) =>
      tradingConfig({
        sessionId: sessionConfigs[i]!.sessionId,
        beginString,
        cancelOnDisconnect: { on, graceMs },
        replaceByCancelAndNew: swaps,
        limits: { ...limits, referencePriceAgeMaxMs: 60_000 },
        pendingNewAfterMs: this.random.pick([0, 1_000]),
      }),
    );
    const copySession = tradingConfig({
      sessionId: copyConfig.sessionId,
      kind: 'dropCopy',
      dropCopy: { sessionIds: null, elsewhere: true },
      cancelOnDisconnect: { on: 'off', graceMs: 0 },
    });
    this.#ground = {
      scheduler: this.scheduler,
      random: this.random,
      faults: this.faults,
      disk: this.disk,
      exchange: this.exchange,
      durability: this.#durability,
      gatewayConfig: gatewayConfig({}, { sessions: [...sessions, copySession], pendingAlarmMs: 20_000 }),
      sessionConfigs: [...sessionConfigs, copyConfig],
      tampering: options.tampering ?? {},
      onAlarm: (alarm) => this.alarms.set(alarm, (this.alarms.get(alarm) ?? 0) + 1),
    };
    this.disk.onRecord = (record) => this.#recorded(record);
    const counterparty = (config: SessionConfig, usesNextExpected: boolean): CounterpartyOptions => ({
      scheduler: this.scheduler,
      random: this.random,
      faults: this.faults,
      config,
      usesNextExpected,
      connect: (link) => {
        if (this.#house === null || !this.#house.open) return false;
        this.#house.accept(link);
        return true;
      },
    });
    this.omses = sessionConfigs.map((config, i) => {
      const options = counterparty(config, SESSIONS[i]!.usesNextExpected);
      return new OrderDesk({ ...options, nextPrice: () => ++this.#prices });
    });
    this.copy = new CopyDesk(counterparty(copyConfig, this.random.chance(0.5)));
  }

  get #counterparties(): readonly Counterparty[] {
    return [...this.omses, this.copy];
  }

  begin(): void {
    this.#start();
    for (const oms of this.#counterparties) oms.start();
    this.#marketMoves();
    this.#disasters();
  }

  #start(): void {
    this.#house = new House(this.#ground);
    this.#compareWithWorld(this.#house);
    this.#house.start();
  }

  /** A restart must know every number that an OMS saw, and every order that the exchange has. */
  #compareWithWorld(house: House): void {
    for (const oms of this.#counterparties) {
      // Neither side can say which numbers hold.
      if (oms.resetPending || house.resetUnanswered(oms.sessionId)) continue;
      const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = house.dispatcher.slots.get(oms.sessionId)!.machine.numbers;
      if (nextSenderMsgSeqNum <= oms.highestIn) {
        throw new Error(`${oms.sessionId} saw ${oms.highestIn}; after the restart ${nextSenderMsgSeqNum} is next`);
      }
      if (nextTargetMsgSeqNum <= oms.acknowledgedOut) {
        throw new Error(
          `${oms.sessionId} has an answer to ${oms.acknowledgedOut}; after the restart it counts as unseen`,
        );
      }
      if (nextTargetMsgSeqNum > oms.nextOut) {
        throw new Error(
          `${oms.sessionId} sent ${oms.nextOut - 1}; after the restart ${nextTargetMsgSeqNum} is expected`,
        );
      }
    }
    for (const order of this.exchange.open) {
      if (order.isElsewhere) continue;
      const isKnown = this.disk.holdsReference(order.reference, this.#durability);
      if (!isKnown)
        throw new Error(`the exchange works ${order.reference}, which the journal does not know after a restart`);
    }
  }

  #marketMoves(): void {
    this.scheduler.after(this.random.between(10, 150), () => {
      if (this.#resting) return;
      this.exchange.move();
      if (this.random.chance(0.02)) this.exchange.enterElsewhere();
      if (this.exchange.orders.length > 0 && this.random.chance(0.05)) this.exchange.lateFill();
      this.#marketMoves();
    });
  }

  #disasters(): void {
    this.scheduler.after(this.random.between(100, 1_000), () => {
      if (this.#resting) return;
      if (this.faults.strikes('streamCut', 0.04)) this.#house?.cutStream();
      else if (this.faults.strikes('auctionFeedCut', 0.04)) this.#house?.cutAuctions();
      else if (this.faults.strikes('houseResets', 0.03)) {
        this.#house?.resetWithin(this.random.pick(this.#counterparties).sessionId);
      }
      const isDiskSafe = this.#durability === 'disk';
      if (this.faults.strikes('kill', 0.04)) this.#crash('process');
      else if (isDiskSafe && this.faults.strikes('powerLoss', 0.04)) this.#crash('power');
      this.#disasters();
    });
  }

  #crash(kind: 'process' | 'power'): void {
    if (this.#house === null) return;
    this.#house.kill();
    this.#house = null;
    this.exchange.listener = null;
    this.disk.crash(kind);
    this.#states.clear();
    for (const oms of this.#counterparties) oms.cut();
    this.#restartLife.alive = false;
    this.#restartLife = { alive: true };
    this.scheduler.after(
      this.random.between(50, 2_000),
      () => {
        this.#start();
        if (!this.faults.strikes('killDuringStart', 0.15)) return;
        this.scheduler.after(this.random.between(0, 60), () => this.#crash('process'), this.#restartLife);
      },
      this.#restartLife,
    );
  }

  /** Rule O1 and the order of states, of every record in the order in which it was written. */
  #recorded(record: JournalRecord): void {
    if (record.kind !== 'order') return;
    const state = textIn(record.record, '"state":"') as OrderState | null;
    const cumQty = textIn(record.record, '"cumQty":"');
    if (state === null || cumQty === null) return;
    const before = this.#states.get(record.key);
    this.#states.set(record.key, { state, cumQty });
    if (before === undefined) return;
    if (Number(cumQty) < Number(before.cumQty)) throw new Error(`CumQty of ${record.key} falls from ${before.cumQty}`);
    if (before.state !== state && !isReachable(before.state, state)) {
      throw new Error(`order ${record.key} goes from ${before.state} to ${state}`);
    }
  }

  /** Nothing goes wrong any more; all that is under way arrives. */
  rest(): { readonly until: EpochMs } {
    this.#resting = true;
    this.faults.on = false;
    this.disk.fullUntil = 0;
    for (const oms of this.#counterparties) oms.acts = false;
    return { until: this.scheduler.now + REST_MS };
  }

  /** An OMS asks once more about every order that it never heard of. */
  askAboutUnanswered(): void {
    for (const oms of this.omses) {
      if (oms.state !== 'loggedOn') throw new Error(`${oms.sessionId} is not logged on after a long rest`);
      for (const clOrdID of oms.unanswered()) oms.resendOrder(clOrdID);
    }
  }

  /** The end of the day: OMS, middle office, gateway and exchange agree on every order. */
  compareAll(): void {
    if (this.#house === null) throw new Error('the house is down after a long rest');
    for (const oms of this.omses) this.#swaps += compareOrders(oms, this.exchange);
    compareCopies(this.copy, this.omses, this.exchange);
    for (const order of this.exchange.orders) {
      if (this.#house.gateway.findByOrderID(order.orderId) === null && order.status === 'OPEN') {
        throw new Error(`order ${order.orderId} works at the exchange and the gateway does not know it`);
      }
    }
  }

  result(seed: number, steps: number, failure: SimulationResult['failure']): SimulationResult {
    const sum = (of: (oms: OrderDesk) => number): number => this.omses.reduce((total, oms) => total + of(oms), 0);
    return {
      seed,
      steps,
      failure,
      faults: this.faults.counts,
      alarms: this.alarms,
      orders: this.exchange.orders.length,
      fills: sum((oms) => oms.view.fills),
      messages: sum((oms) => oms.messagesIn),
      done: {
        newOrder: sum(({ done }) => done.newOrder),
        auctionOrder: sum(({ done }) => done.auctionOrder),
        cancel: sum(({ done }) => done.cancel),
        replace: sum(({ done }) => done.replace),
        status: sum(({ done }) => done.status),
        massCancel: sum(({ done }) => done.massCancel),
        massCancelReport: sum(({ done }) => done.massCancelReport),
        ...this.copy.done,
        elsewhere: this.exchange.orders.filter(({ isElsewhere }) => isElsewhere).length,
        cancelAndNew: this.#swaps,
        cross: this.exchange.auction.crosses,
        auctionOrderTaken: this.exchange.orders.filter(({ isAuction }) => isAuction).length,
      },
      ms: this.scheduler.now - T0,
    };
  }
}

/** The text of a record behind its name; null if it is not there. */
function textIn(record: string, name: string): string | null {
  const at = record.indexOf(name);
  return at < 0 ? null : record.slice(at + name.length, record.indexOf('"', at + name.length));
}

/** One record may stand for several transitions of one turn. */
function isReachable(from: OrderState, to: OrderState, seen = ''): boolean {
  const next = NEXT_STATES[from];
  return next.includes(to) || next.some((via) => !seen.includes(via) && isReachable(via, to, seen + via));
}

/** Simulate one day. Never throws: what does not hold is in the result. */
export function simulate(seed: number, options: SimulationOptions): SimulationResult {
  const day = new Day(seed, options);
  let step = 0;
  const run = (isOver: () => boolean): void => {
    while (!isOver()) {
      if (!day.scheduler.step()) throw new Error('nothing is planned any more');
      step++;
    }
  };
  const runUntil = (until: EpochMs): void => run(() => day.scheduler.now >= until);
  try {
    day.begin();
    run(() => step >= options.steps);
    runUntil(day.rest().until);
    day.askAboutUnanswered();
    runUntil(day.scheduler.now + 5_000);
    day.compareAll();
  } catch (error) {
    return day.result(seed, step, { step, error: error instanceof Error ? error : new Error(String(error)) });
  }
  return day.result(seed, step, null);
}
