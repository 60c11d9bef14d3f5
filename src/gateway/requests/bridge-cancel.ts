// Cancels of a caller of the bridge (rule B5). The exchange gets the caller's own command. Every order of the registry that
// it reaches keeps a request of its own, so that FIX reports follow. A broad one ends the new orders that wait here, too. The
// bridge decides who may cancel.

import type { OrderCommand } from '../../exchange/mod.ts';
import { hasManyRequests, isTerminal, type Order } from '../book/order.ts';
import { remember } from '../book/order-timeline.ts';
import { armForCaller, takeDueCallers, unsetForCaller } from '../rules/callers-switch.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import type { Turn } from '../state/state.ts';
import type { GatewayInput } from '../vocabulary/input.ts';
import { cancelMany, type WholeCancel } from './cancel-many.ts';
import { endHeldOfAccount } from './throttled-message.ts';

type BridgeCancel = Extract<GatewayInput, { readonly kind: 'bridgeCancel' }>;

/** Send the command. Cancels are never held back: neither by shutdown nor by an unhealthy journal (rule J2). */
export function handleBridgeCancel(
  turn: Turn,
  { commandId, credential, who, isOperator, command }: BridgeCancel,
): void {
  const whole = { commandId, credential, command };
  const by = { commandId, credential, who };
  switch (command.kind) {
    case 'delayedCancelAll':
      armForCaller(turn, by, command);
      return;
    case 'unsetDelayedCancelAll':
      unsetForCaller(turn, by, command.tradingAccountId);
      return;
    default:
      cancelFor(turn, isOperator ? `operator ${who}` : callerInWords(who), whole, [...reachedBy(turn, command)]);
  }
}

/** The delayed cancel-alls of callers that this process fires itself. */
export function callersSwitchesDue(turn: Turn): void {
  for (const { tradingAccountId, credential, who } of takeDueCallers(turn)) {
    const command = { kind: 'cancelAll', tradingAccountId } as const;
    const commandId = `callers-switch/${tradingAccountId}/${turn.now}`;
    turn.note('warn', `the delayed cancel-all of bridge caller ${who} is due: all open orders are cancelled`, {
      tradingAccountId,
    });
    cancelFor(turn, callerInWords(who), { commandId, credential, command }, [...reachedBy(turn, command)]);
  }
}

const callerInWords = (who: string): string => `bridge caller ${who}`;

function cancelFor(turn: Turn, who: string, whole: WholeCancel, orders: readonly Order[]): void {
  const { command } = whole;
  if (command.kind === 'cancelAllByMarket') endHeldOfAccount(turn, command.tradingAccountId, command.symbol);
  if (command.kind === 'cancelAll') endHeldOfAccount(turn, command.tradingAccountId, null);
  for (const order of orders) {
    remember(order, turn.now, `${who}: ${whole.command.kind}`);
    turn.touch(order);
  }
  const kindOf = () => 'bridgeCancel' as const;
  cancelMany(turn, orders, { kindOf, clOrdID: null, massActionReportID: null, whole });
}

/** Open orders of the registry that a command cancels; in lockdown a broad one leaves those of the auction (rule T4). */
function* reachedBy({ state }: Turn, command: OrderCommand): Generator<Order> {
  const { registry, board } = state;
  const { tradingAccountId } = command;
  if (command.kind === 'cancelOrder') {
    const { orderId, clientOrderId } = command;
    const order =
      orderId === null
        ? registry.findByReference(tradingAccountId, clientOrderId ?? '')
        : registry.findByExchangeOrderId(orderId);
    if (order !== null && order.tradingAccountId === tradingAccountId && isCancellable(order)) yield order;
    return;
  }
  const symbol = command.kind === 'cancelAllByMarket' ? command.symbol : null;
  for (const sessionId of registry.sessionsWithOpenOrders()) {
    for (const order of registry.openOrders(sessionId)) {
      if (order.tradingAccountId !== tradingAccountId || !isCancellable(order)) continue;
      if (symbol !== null && order.terms.exchangeSymbol !== symbol) continue;
      if (lockdownRefusal(board, order, 'cancel') === null) yield order;
    }
  }
}

/** An order with as many open requests as it can hold is cancelled by the command all the same. */
function isCancellable(order: Order): boolean {
  return !isTerminal(order.state) && !hasManyRequests(order);
}
