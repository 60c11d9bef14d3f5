// Operations on orders: look-up, kill switches (rule O12), ending orders that the exchange no longer knows, adopting
// external orders into a session (rule O11). administration.ts has sessions and everything else.

import { formatIso } from '../base/time.ts';
import type { ActionResult } from '../engine/mod.ts';
import {
  type FoundOrders,
  type KillSwitchScope,
  type KillSwitchView,
  LIFT_ASKED_MS,
  type OrderCounts,
  type OrderFilter,
  type OrderSnapshot,
} from '../gateway/mod.ts';
import type { RunningEngine } from '../runtime/mod.ts';
import type { SessionID } from '../session/mod.ts';
import { type AdoptionRequest, type AdoptionResult, adoptOrders } from './order-adoption.ts';

/** Facts about the operators behind an action. */
export interface ActionLog {
  /** A session by any name that people use; null if it is unknown or ambiguous. */
  idOf(name: string): SessionID | null;
  /** Record an operator's action in the journal; `fields` go to the log. */
  audit(who: string, action: string, detail: string, fields?: Readonly<Record<string, string>>): void;
}

const ASKED = `Asked for: a second person has to lift it within ${LIFT_ASKED_MS / 60_000} minutes.`;

/** Longest wait for the outcome of a cancel. */
const OUTCOME_WAIT_MS = 8_000;
const NO_ORDER_ID = 'The exchange has given no OrderID(37) for it yet: try again in a moment.';
const TERMINAL: ReadonlySet<string> = new Set(['2', '4', '8', 'C']);

/** The answer to an audited action without a reason. */
export const SAY_WHY = 'Say why: it is kept in the audit trail.';

export class OrderAdministration {
  private readonly engine: RunningEngine;
  private readonly people: ActionLog;

  constructor(engine: RunningEngine, people: ActionLog) {
    this.engine = engine;
    this.people = people;
  }

  search(filter: OrderFilter): FoundOrders {
    const { sessionId } = filter;
    if (sessionId === undefined) return this.engine.gateway.search(filter);
    return this.engine.gateway.search({ ...filter, sessionId: this.people.idOf(sessionId) ?? sessionId });
  }

  /** One order with its chain and timeline, by any ClOrdID(11) of it. */
  find(session: string, clOrdID: string): OrderSnapshot | null {
    return this.engine.gateway.findOrder(this.people.idOf(session) ?? session, clOrdID);
  }

  counts(): OrderCounts {
    return this.engine.gateway.counts();
  }

  /** Kill switches that are on (rule O12). */
  killSwitches(): KillSwitchView[] {
    return this.engine.gateway.killSwitches(this.engine.now());
  }

  /**
   * Throw a kill switch for a session, a trading account or everything: cancels what is open, order by order, and refuses
   * what is new, over restarts, until two people lift it. Null if there is no such session or account, neither in the
   * configuration nor with open orders.
   */
  throwKillSwitch(scope: KillSwitchScope, given: string, why: string, who: string): ActionResult | null {
    const name = this.killSwitchName(scope, given);
    if (name === null) return null;
    if (why === '') return { done: false, text: 'Give a reason (why): for the counterparties and the audit trail.' };
    this.people.audit(who, 'kill switch thrown', `${scope} ${name} ${why}`.trim());
    this.engine.dispatcher.applicationInput({ kind: 'killSwitch', action: 'throw', scope, name, who, why });
    const open = this.killSwitches().find((one) => one.scope === scope && one.name === name)?.openOrders ?? 0;
    const orders = open === 1 ? '1 open order is' : `${open} open orders are`;
    return { done: true, text: `Thrown: ${orders} being cancelled, new ones are refused.` };
  }

  /** Ask to lift a kill switch, or lift it as the second person. Null if none is thrown there. */
  liftKillSwitch(scope: KillSwitchScope, given: string, why: string, who: string): ActionResult | null {
    const name = this.killSwitchName(scope, given) ?? given;
    const thrown = (): KillSwitchView | undefined =>
      this.killSwitches().find((one) => one.scope === scope && one.name === name);
    const before = thrown();
    if (before === undefined) return null;
    if (why === '') return { done: false, text: SAY_WHY };
    const { liftAskedBy } = before;
    const came = liftAskedBy === null ? 'asked for' : liftAskedBy === who ? 'refused' : 'done';
    this.people.audit(who, `kill switch lift ${came}`, `${scope} ${name} ${why}`.trim());
    if (before.liftAskedBy === who) {
      const until = formatIso(before.liftAskedUntil!).slice(11, 19);
      const text = `You asked for this already, which counts until ${until} UTC: lifting takes a second person.`;
      return { done: false, text };
    }
    this.engine.dispatcher.applicationInput({ kind: 'killSwitch', action: 'lift', scope, name, who, why });
    return { done: true, text: thrown() === undefined ? this.liftedText() : ASKED };
  }

  /** Where another switch is on, it goes on refusing orders that this one refused too. */
  private liftedText(): string {
    const others = this.killSwitches().map(({ scope, name }) => (scope === 'all' ? 'everything' : `${scope} ${name}`));
    if (others.length === 0) return 'Lifted: orders are taken again.';
    return `Lifted, but other kill switches are still on and refuse their orders: ${others.join(', ')}.`;
  }

  /** The full name of what is configured, or still has open orders (a session by its SessionID); null if there is no such thing. */
  private killSwitchName(scope: KillSwitchScope, name: string): string | null {
    if (scope === 'all') return '';
    const owners = this.engine.gateway.openOrderOwners();
    if (scope === 'session') return this.people.idOf(name) ?? (owners.sessionIds.has(name) ? name : null);
    const { credentials } = this.engine.config.exchange;
    const isReached = credentials.some(({ tradingAccountIds }) => tradingAccountIds.includes(name));
    return isReached || owners.tradingAccountIds.has(name) ? name : null;
  }

  /** End an order that the exchange does not know any more; refused unless the exchange said so. Null for an unknown order. */
  resolve(session: string, clOrdID: string, why: string, who: string): ActionResult | null {
    const { gateway, dispatcher } = this.engine;
    const sessionId = this.people.idOf(session) ?? session;
    const order = gateway.findOrder(sessionId, clOrdID);
    if (order === null) return null;
    const problem =
      why === '' ? 'Give a reason (why) for the counterparty.' : gateway.resolveProblem(sessionId, clOrdID);
    this.people.audit(
      who,
      `order resolve${problem === null ? '' : ' refused'}`,
      `${sessionId} ${clOrdID} ${why}`.trim(),
      { session: sessionId, clOrdID, trace: order.traceId },
    );
    if (problem !== null) return { done: false, text: problem };
    dispatcher.applicationInput({ kind: 'resolve', sessionId, clOrdID, who, why });
    return { done: true, text: 'Ended and reported; if it turns up at the exchange after all, it is cancelled there.' };
  }

  /**
   * Cancel one open order at the exchange; its OMS gets the reports. Not done if it ended, or the exchange does not know it yet.
   * Null for an unknown order.
   */
  async cancel(session: string, clOrdID: string, why: string, who: string): Promise<ActionResult | null> {
    const { gateway, dispatcher, callersCommands } = this.engine;
    const sessionId = this.people.idOf(session) ?? session;
    const order = gateway.findOrder(sessionId, clOrdID);
    if (order === null) return null;
    const cancel = gateway.cancelOf(sessionId, clOrdID);
    const refusal = cancelRefusal(order, why);
    this.people.audit(
      who,
      `order cancel${refusal === null ? '' : ' refused'}`,
      `${sessionId} ${clOrdID} ${why}`.trim(),
    );
    if (refusal !== null || cancel === null) return { done: false, text: refusal ?? NO_ORDER_ID };
    const commandId = `operator/${sessionId}/${clOrdID}/${this.engine.now()}`;
    const input = { kind: 'bridgeCancel', commandId, who, isOperator: true, ...cancel } as const;
    const outcome = await callersCommands.outcomeOf(commandId, OUTCOME_WAIT_MS, () =>
      dispatcher.applicationInput(input),
    );
    if (outcome.kind === 'accepted') return { done: true, text: 'Canceled at the exchange; the OMS gets the report.' };
    if (outcome.kind === 'refused') return { done: false, text: `The exchange refuses the cancel: ${outcome.message}` };
    return { done: true, text: `The cancel was sent, its outcome is unknown: ${outcome.message}. The order shows it.` };
  }

  /**
   * Have a session adopt external orders at the exchange (rule O11). Null for an unknown session; a text says why it
   * was impossible.
   */
  async adopt(
    session: string,
    request: AdoptionRequest,
    why: string,
    who: string,
  ): Promise<AdoptionResult | string | null> {
    const sessionId = this.people.idOf(session);
    if (sessionId === null) return null;
    if (why === '') return SAY_WHY;
    const asked = [sessionId, request.account ?? '', request.symbol ?? '', ...request.orderIDs].filter(
      (one) => one !== '',
    );
    this.people.audit(who, 'orders adopt', `${asked.join(' ')}: ${why}`);
    const result = await adoptOrders(this.engine, sessionId, request, { who, why });
    if (typeof result !== 'string') {
      for (const { orderID, clOrdID } of result.adopted)
        this.people.audit(who, 'order adopted', `${sessionId} ${orderID} ${clOrdID}`, {
          ...{ session: sessionId, clOrdID, orderID },
          ...this.traceOf(sessionId, clOrdID),
        });
    }
    return result;
  }

  private traceOf(sessionId: SessionID, clOrdID: string): { readonly trace?: string } {
    const order = this.engine.gateway.findOrder(sessionId, clOrdID);
    return order === null ? {} : { trace: order.traceId };
  }
}

function cancelRefusal(order: OrderSnapshot, why: string): string | null {
  if (why === '') return SAY_WHY;
  return TERMINAL.has(order.ordStatus) ? 'The order ended already.' : null;
}
