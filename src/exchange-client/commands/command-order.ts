// Sequence of commands: how urgent each is, which it may not overtake, and which cancels it. Pure; sending them is
// command-lane.ts.

import { type ExchangeCommand, isWithdrawal, takesNonceWindow } from '../../exchange/mod.ts';
import type { RatePriority } from '../rates/rate-budget.ts';

/** Commands without a nonce window wait for each other's answers: of two on their way, the later could arrive first. */
export const WITHOUT_WINDOW = 'without a nonce window';

/**
 * The commands beside orders that may be carried out twice: they end something, which is ended then. All others create, move,
 * approve or set something, or are not known here.
 */
const HARMLESS_TWICE: ReadonlySet<unknown> = new Set([
  'V3TerminateAMMInstruction',
  'V2RemoveLiquidity',
  'V1CancelOtcTrade',
  'V1CancelAllOtcTrades',
  'V1IdbCancelOtcTrade',
]);

/** Whether a command beside orders must never run twice, nor be taken for refused while it may have run once. */
export function mustRunOnce(command: ExchangeCommand): boolean {
  return command.kind === 'raw' && !HARMLESS_TWICE.has(command.fields.commandType);
}

/** Name of a command in messages. */
export function nameOf(command: ExchangeCommand): string {
  if (command.kind !== 'raw') return command.kind;
  const { commandType } = command.fields;
  return typeof commandType === 'string' ? commandType : 'command';
}

/** How urgent a command is: whatever takes risk away comes first. */
export function priorityOf(command: ExchangeCommand): RatePriority {
  if (command.kind === 'createOrder' || command.kind === 'amendOrder') return 'order';
  return command.kind === 'raw' ? 'bridge' : 'cancel';
}

/** Empty where it names none. */
export function accountOf(command: ExchangeCommand): string {
  if (command.kind !== 'raw') return command.tradingAccountId;
  const { tradingAccountId } = command.fields;
  return typeof tradingAccountId === 'string' ? tradingAccountId : '';
}

/** The order that a command must not overtake or be overtaken on (rule X3), by our reference; null for none. */
export function referenceOf(command: ExchangeCommand): string | null {
  switch (command.kind) {
    case 'createOrder':
      return command.clientOrderId;
    case 'cancelOrder':
      return command.clientOrderId ?? command.orderId;
    case 'amendOrder':
      return command.orderId;
    case 'raw':
      return takesNonceWindow(command.path) || isWithdrawal(command) ? null : WITHOUT_WINDOW;
    default:
      return null;
  }
}

/** Whether a create or an amendment is taken back by this. */
export function isCancelledBy(cancel: ExchangeCommand, command: ExchangeCommand): boolean {
  if (command.kind !== 'createOrder' && command.kind !== 'amendOrder') return false;
  if (accountOf(cancel) !== command.tradingAccountId) return false;
  switch (cancel.kind) {
    case 'cancelOrder':
      return command.kind === 'createOrder'
        ? cancel.clientOrderId === command.clientOrderId
        : cancel.orderId === command.orderId;
    case 'cancelAllByMarket':
      return cancel.symbol === command.symbol;
    default:
      return cancel.kind === 'cancelAll';
  }
}

/**
 * Cancels of a whole account, or of one of its markets, that wait for their turn or their answer: a new order that overtook one
 * would be cancelled by it (rule X3).
 */
export class CancelsOfMany {
  readonly #open = new Map<string, ExchangeCommand>();

  static has({ kind }: ExchangeCommand): boolean {
    return kind === 'cancelAll' || kind === 'cancelAllByMarket';
  }

  add(commandId: string, command: ExchangeCommand): void {
    this.#open.set(commandId, command);
  }

  delete(commandId: string): void {
    this.#open.delete(commandId);
  }

  /** True if one of them would cancel this command's order. */
  cover(command: ExchangeCommand): boolean {
    if (this.#open.size === 0) return false;
    for (const cancel of this.#open.values()) if (isCancelledBy(cancel, command)) return true;
    return false;
  }
}
