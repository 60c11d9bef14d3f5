// Orders by REST, of accounts that the configuration opens for them (rules B3, O12). Each is a D of a session that its
// account has for REST in the gateway machine. So registry, limits, kill switch and auction rules are those of FIX.

import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import type { OrderRefusal } from '../bridge/mod.ts';
import type { CommandOutcome, CreateOrderCommand } from '../exchange/mod.ts';
import type { GatewayEffect, GatewayInput, GatewaySessionConfig, RiskLimits } from '../gateway/mod.ts';
import { fromPrintable, type MessageDraft, Tag } from '../wire/mod.ts';
import type { CallersCommands } from './callers-commands.ts';

/** Longest wait of a caller for the outcome of its order. */
const OUTCOME_WAIT_MS = 20_000;

/** An account that takes orders by REST, with the limits of these orders. */
export interface RestOrderAccount {
  readonly tradingAccountId: string;
  readonly credential: string;
  readonly limits: RiskLimits;
}

const sessionOf = (tradingAccountId: string): string => `REST:${tradingAccountId}`;

/** The session of an account for REST, as the gateway machine has it; no FIX connection belongs to it. */
export function restSession({ tradingAccountId, credential, limits }: RestOrderAccount): GatewaySessionConfig {
  return {
    sessionId: sessionOf(tradingAccountId),
    beginString: 'FIX.4.4',
    dialect: 'standard',
    accounts: [{ account: tradingAccountId, tradingAccountId, credential }],
    symbols: null,
    symbolAliases: {},
    limits,
    cancelOnDisconnect: { on: 'off', graceMs: 0 },
    staleOrderMs: 10_000,
    pendingNewAfterMs: 1_000,
    timeInForceAbsent: 'GTC',
    gtxAliases: [],
    lockdownCxlRejReason: '99',
    clOrdIDPassThrough: true,
  };
}

interface Entering {
  readonly sessionId: string;
  outcome: Promise<CommandOutcome> | null;
  /** Text(58) of its rejection. */
  refusal: string | null;
}

export interface RestOrdersOptions {
  readonly accounts: readonly RestOrderAccount[];
  readonly outcomes: CallersCommands;
  readonly input: (input: GatewayInput) => void;
  readonly now: () => EpochMs;
}

export class RestOrders {
  private readonly options: RestOrdersOptions;
  private readonly open: ReadonlySet<string>;
  private readonly run: string;
  private count = 0;
  /** The order that the machine handles now. */
  private entering: Entering | null = null;

  constructor(options: RestOrdersOptions) {
    this.options = options;
    this.open = new Set(options.accounts.map(({ tradingAccountId }) => tradingAccountId));
    this.run = options.now().toString(36);
  }

  /** Whether an account takes orders by REST. */
  takes(tradingAccountId: string): boolean {
    return this.open.has(tradingAccountId);
  }

  /** Enter an order; its outcome at the exchange, or why it was not sent. */
  async enter(who: string, command: CreateOrderCommand): Promise<CommandOutcome | OrderRefusal> {
    const sessionId = sessionOf(command.tradingAccountId);
    const entering: Entering = { sessionId, outcome: null, refusal: null };
    this.entering = entering;
    this.options.input({ kind: 'restOrder', sessionId, frame: this.frameOf(command), who });
    this.entering = null;
    if (entering.outcome !== null) return await entering.outcome;
    return { kind: 'notSent', text: entering.refusal ?? 'the gateway did not take it' };
  }

  /** Take a report of the machine; false if it is of no session for REST. A caller reads its orders; nothing keeps reports. */
  reported(sessionId: string, draft: MessageDraft): boolean {
    if (!sessionId.startsWith('REST:')) return false;
    if (this.entering?.sessionId === sessionId) {
      const at = draft.tags.indexOf(Tag.Text);
      this.entering.refusal = at === -1 ? null : String(draft.values[at]);
    }
    return true;
  }

  /** Note the command of the order that is being entered. */
  submitted({ sessionId, commandId }: Extract<GatewayEffect, { kind: 'submit' }>): void {
    if (this.entering?.sessionId !== sessionId) return;
    this.entering.outcome = this.options.outcomes.outcomeOf(commandId, OUTCOME_WAIT_MS, () => {});
  }

  private frameOf(command: CreateOrderCommand): string {
    const time = formatUtcTimestamp(this.options.now());
    const clOrdID = command.clientOrderId === '' ? `R-${this.run}-${++this.count}` : command.clientOrderId;
    const fields = [
      `35=D|34=1|49=REST|52=${time}|56=CROSSGATE|11=${clOrdID}|1=${command.tradingAccountId}`,
      `55=${command.symbol}|54=${command.side === 'BUY' ? 1 : 2}|60=${time}|38=${command.quantity}`,
      ORD_TYPE[command.type],
      ...(command.price === null ? [] : [`44=${command.price}`]),
      ...(command.stopPrice === null ? [] : [`99=${command.stopPrice}`]),
      TIME_IN_FORCE[command.timeInForce],
      `544=${command.allowBorrow ? 2 : 1}`,
    ];
    return fromPrintable(`${fields.join('|')}|`).toString('latin1');
  }
}

const ORD_TYPE = { LIMIT: '40=2', MARKET: '40=1', STOP_LIMIT: '40=4', POST_ONLY: '40=2|18=6' } as const;
const TIME_IN_FORCE = { GTC: '59=1', IOC: '59=3', FOK: '59=4', GTX: '59=5' } as const;
